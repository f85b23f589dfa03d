// Draws the prediction: the next token, a class, or the similarity of two texts, with its probability, the prediction without the changes,
// and the heads that contributed most.

import { html, nothing } from 'lit'
import { percent, short } from '../../../files/number-format.js'
import { present } from '../../../shell/known.js'
import { shown } from '../../../shell/slots.js'
import { drawParts } from '../../../ui/inspector.js'
import { lensTitle } from '../atlas/overview.js'
import { ending, glossOf } from '../sentence/token-row.js'
import { endingOf, isByHand, nameOf } from '../shown.js'

/** @import { Room } from '../models.js' */

/** Formats a change in percentage points, such as "+3.1". @param {number} share */
export const points = share => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`

/** Formats a cosine, such as "0.74". @param {number} value */
export const cosine = value => value.toFixed(2).replace(/^-/, '−')

/** @param {Room} room */
export function predictionPanel(room) {
  const { t, run, openModel } = room
  if (!run || !openModel) return nothing
  if (!openModel.predicts)
    return html`<section class="models-prediction"><p class="note">${t('modelsNoHead')}</p></section>`
  const answer = run.likeness
    ? likeness(room)
    : run.row < 0
      ? html`<p class="note" id="models-no-mask">${t(openModel.mask ? 'modelsNoMask' : 'modelsHintMasked')}</p>`
      : guesses(room, run)
  return html`<section class="models-prediction" aria-label=${t('modelsPrediction')}>
      <h2>${t('modelsPrediction')}</h2>
      ${answer} ${parts(room, addedBy(room))} ${adderChoice(room)}
    </section>`
}

/** Describes the position that the guesses are for. @param {Room} room @param {string} word @param {number} row */
function placeOf({ t, openModel, stack }, word, row) {
  const { stacks, predicts } = present(openModel)
  if (predicts === 'class') return t('modelsClassOfText')
  // Positions count from 1. In cross-attention they leave out the start token of the translation.
  const said = { word, row: stack === 'cross' ? row : row + 1 }
  if (predicts === 'classes') return t('modelsClassOf', said)
  return t(stacks.decoder ? 'modelsNext' : 'modelsInPlace', said)
}

/** Lists the most likely tokens or classes. @param {Room} room @param {import('../run/model-run.js').Run} run */
function guesses(room, run) {
  const { t, openModel, isChanged } = room
  const { encoder, decoder } = openModel?.stacks ?? {}
  const words = encoder && decoder ? (run.targets ?? []) : run.tokens
  const columns = [t(openModel?.predicts === 'token' ? 'whyToken' : 'modelsClass'), t('whyBar'), t('whyShare')]
  const [first] = run.top
  if (openModel?.isNumber) return numbers(room, run)
  const gloss = glossOf(room)
  const pull = (/** @type {PointerEvent} */ { buttons, pointerType, target }) => {
    const isBar = target instanceof Element && target.closest('.bar-cell')
    if (buttons && pointerType === 'mouse' && isBar && !room.view.isPulled) room.act.show({ isPulled: true })
  }
  return html`<p class="note">${placeOf(room, words[run.row] ?? '', run.row)}</p>
      <p class="answer-first" id="models-answer" role="status" data-token=${first?.token ?? nothing}
        data-value=${first?.probability ?? nothing}>${first ? saidFirst(room, first) : ''}</p>
      <div @pointermove=${pull} @pointerdown=${() => room.view.isPulled && room.act.show({ isPulled: false })}>${parts(
        room,
        [
          {
            type: 'guesses',
            id: 'models-top',
            label: t('modelsPrediction'),
            columns: isChanged ? [...columns, t('modelsPoints')] : columns,
            rows: run.top.map(({ id, token: name, probability: share, before }) => {
              const meaning = gloss?.(name)
              const token = meaning
                ? html`${name} <small class="note">${meaning}</small>`
                : html`${name}${ending(room, id)}`
              if (!isChanged || before === undefined) return { token, share }
              return { token, share, before, last: html`<span class="moved">${points(share - before)}</span>` }
            }),
          },
        ],
      )}</div>
      ${endingsNote(room, run)}
      ${room.view.isPulled ? html`<p class="note" id="models-pulled" role="status">${t('modelsFollows')}</p>` : nothing}
      ${byLayer(room)}`
}

/** Explains the grey letters, which complete words. They arrive later, so space for this line is reserved. @param {Room} room @param {import('../run/model-run.js').Run} run */
function endingsNote(room, { top }) {
  const { t, openModel } = room
  const hasPieces = openModel && isByHand(openModel) && !openModel.about?.words?.length
  const isNeeded = top.some(({ id }) => endingOf(room, id))
  return hasPieces || isNeeded
    ? html`<p class="note ${isNeeded ? '' : 'is-reserved'}" id="models-endings">${t('modelsEndings')}</p>`
    : nothing
}

/**
 * Describes the first guess, with the letters that complete its word.
 * @param {Room} room
 * @param {import('../run/model-run.js').Guess} guess
 */
function saidFirst(room, { id, token, probability }) {
  const [before, after] = room.t('modelsSays', { token: '\n', share: percent(probability) }).split('\n')
  return html`${before}${token}${ending(room, id)}${after}`
}

/** Shows the output of a regression: a number for each label. @param {Room} room @param {import('../run/model-run.js').Run} run */
function numbers({ t, isChanged }, { top }) {
  const [first] = top
  return html`<p class="note">${t('modelsNumberOfText')}</p>
      <p class="answer-first" id="models-answer" role="status" data-token=${first.token} data-value=${first.probability}>${top.map(
        ({ token, probability, before }) => {
          const old = isChanged && before !== undefined ? `${short(before)} → ` : ''
          return html`<span>${t('modelsSaysNumber', { token, value: old + short(probability) })}</span> `
        },
      )}</p>`
}

/** Shows the similarity of the text and the second text. @param {Room} room */
function likeness({ t, run, text, second, isChanged }) {
  const { value, before } = run?.likeness ?? { value: 0 }
  return html`<p class="note">${t('modelsCompared', { text, second: second ?? '' })}</p>
      <p class="answer-first" id="models-likeness" role="status" data-value=${value}>${t('modelsLikeness', { value: cosine(value) })}</p>
      ${
        isChanged && before !== undefined
          ? html`<p>${t('modelsEffectLikeness', { before: cosine(before), after: cosine(value) })}</p>`
          : nothing
      }
      <p class="note">${t('modelsLikenessText')}</p>`
}

/** Shows the prediction after each layer on a phone, where it does not fit beside the maps. @param {Room} room */
function byLayer(room) {
  const { run } = room
  const layers = run?.lens.slice(1) ?? []
  if (!layers.length) return nothing
  return html`<div class="models-layers"><h2>${lensTitle(room)}</h2><ol>${layers.map(
    ([guess]) => html`<li><b>${guess.token}</b> ${percent(guess.probability)}</li>`,
  )}</ol></div>`
}

/** Number of heads listed before the reader expands the list. */
const MOST_HEADS = 5

/**
 * Draws parts of a page as the inspector does; a link to a head opens the page of that head.
 * @param {Room} room
 * @param {readonly import('../../../attention-head/head.js').Part[]} list
 */
const parts = ({ t, isDark, act }, list) =>
  drawParts({ t, isDark, act: { open: ({ head }) => act.openHead(head) } }, list)

/** Draws the button that expands or collapses the list of contributing heads. @param {Room} room */
function adderChoice({ t, act, got, run, view }) {
  const count = shown(got.why)?.heads.length ?? 0
  if (!run || run.row < 0 || count <= MOST_HEADS) return nothing
  const text = t(view.hasAllAdders ? 'modelsFirstAdders' : 'modelsAllAdders', { count, most: MOST_HEADS })
  return html`<button type="button" class="plain" id="models-adders" aria-expanded=${view.hasAllAdders}
    @click=${() => act.show({ hasAllAdders: !view.hasAllAdders })}>${text}</button>`
}

/** Lists the heads that raise or lower the logit of the first guess most. @param {Room} room @returns {import('../../../attention-head/head.js').Part[]} */
function addedBy({ t, got, run, openModel, view }) {
  const why = shown(got.why)
  if (!why || !run || run.row < 0) return []
  const { heads, dims, token, rest } = why
  const [, H] = dims
  const all = Array.from(heads, (value, n) => ({ layer: Math.floor(n / H), head: n % H, value }))
  const most = view.hasAllAdders ? all.length : MOST_HEADS
  const top = all.sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, most)
  const others = all.slice(most).reduce((sum, { value }) => sum + value, 0)
  /** @type {import('../../../attention-head/head.js').Addend[]} */
  const rows = [
    ...top.map(({ value, layer, head }) => {
      const name = nameOf({ layer, head })
      return { name, label: name, value, opens: { head: { stack: why.stack, layer, head } } }
    }),
    ...rest.map(({ name, value }) => ({ name, label: t(`modelsWhy.${name}`), value, isBare: true })),
  ]
  if (all.length > most)
    rows.splice(top.length, 0, { name: 'heads', label: t('modelsOtherHeads'), value: others, isBare: true })
  const isLikeness = openModel?.predicts === 'likeness'
  const title = isLikeness ? t('modelsWhyAlike') : t('modelsWhy', { token })
  const sum = { label: t(isLikeness ? 'modelsCosine' : 'whyLogit'), value: why.logit }
  const isPlain = openModel?.stacks.decoder && openModel.predicts === 'token'
  return [
    { type: 'heading', text: title },
    {
      type: 'text',
      tone: 'note',
      text: t(isLikeness ? 'modelsWhyAlikeText' : isPlain ? 'modelsWhyText' : 'modelsWhyHeldText'),
    },
    { type: 'addends', id: 'models-why', label: title, rows, sum, digits: 3 },
  ]
}
