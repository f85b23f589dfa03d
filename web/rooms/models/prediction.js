// What the model says next, how sure it is, what it would say without the changes, and which heads made it.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { drawParts } from '../../head/inspector.js'
import { shown } from '../../shell/slots.js'
import { nameOf } from './shown.js'

/** @typedef {import('./models.js').Room} Room */

/** A change in points: "+3.1". @param {number} share */
export const points = share => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`

/** @param {Room} room */
export function predictionPanel(room) {
  const { t, run, openModel, isChanged } = room
  if (!run || !openModel) return nothing
  if (!openModel.hasHead)
    return html`<section class="models-prediction"><p class="note">${t('modelsNoHead')}</p></section>`
  if (run.row < 0)
    return html`<section class="models-prediction" aria-label=${t('modelsPrediction')}><h2>${t('modelsPrediction')}</h2>
      <p class="note" id="models-no-mask">${t(openModel.mask ? 'modelsNoMask' : 'modelsHintMasked')}</p></section>`
  const { encoder, decoder } = openModel.stacks
  const words = encoder && decoder ? (run.targets ?? []) : run.tokens
  const place =
    encoder && !decoder
      ? t('modelsInPlace', { word: words[run.row] ?? '', row: run.row + 1 })
      : t('modelsNext', { word: words[run.row] ?? '', row: run.row + 1 })
  const columns = [t('whyToken'), t('whyBar'), t('whyShare')]
  return html`<section class="models-prediction" aria-label=${t('modelsPrediction')}>
      <h2>${t('modelsPrediction')}</h2>
      <p class="note">${place}</p>
      <p class="answer-first" id="models-answer" role="status" data-token=${run.top[0]?.token ?? nothing} data-value=${run.top[0]?.probability ?? nothing}>${run.top.length ? t('modelsSays', { token: run.top[0].token, share: percent(run.top[0].probability) }) : ''}</p>
      ${encoder && decoder ? html`<p class="models-translation" id="models-translation">${(run.targets ?? []).slice(1).join(' ')}</p>` : nothing}
      ${parts(room, [
        {
          type: 'guesses',
          id: 'models-top',
          label: t('modelsPrediction'),
          columns: isChanged ? [...columns, t('modelsPoints')] : columns,
          rows: run.top.map(({ token, probability: share, before }) => {
            if (!isChanged || before === undefined) return { token, share }
            return { token, share, before, last: html`<span class="moved">${points(share - before)}</span>` }
          }),
        },
      ])}
      ${byLayer(room)} ${parts(room, addedBy(room))}
      ${decoder ? nothing : html`<p class="note">${t('modelsWhyNone')}</p>`}
    </section>`
}

/** What the model would say if it ended with each layer: on a phone, where it has no room beside the maps. @param {Room} room */
function byLayer({ t, run }) {
  const layers = run?.lens.slice(1) ?? []
  return html`<div class="models-layers"><h2>${t('modelsLens')}</h2><ol>${layers.map(
    ([guess]) => html`<li><b>${guess.token}</b> ${percent(guess.probability)}</li>`,
  )}</ol></div>`
}

const MOST_HEADS = 10

/** Parts of a page; a head of them opens its page. @param {Room} room @param {readonly import('../../head/head.js').Part[]} list */
const parts = ({ t, isDark, act }, list) =>
  drawParts({ t, isDark, act: { open: ({ head }) => act.openHead(head) } }, list)

/** The heads that push the first token most, up or down. @param {Room} room @returns {import('../../head/head.js').Part[]} */
function addedBy({ t, got, run }) {
  const why = shown(got.why)
  if (!why || !run?.top.length) return []
  const { heads, dims, token, rest } = why
  const [, H] = dims
  const all = Array.from(heads, (value, n) => ({ layer: Math.floor(n / H), head: n % H, value }))
  const top = all.sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, MOST_HEADS)
  const others = all.slice(MOST_HEADS).reduce((sum, { value }) => sum + value, 0)
  /** @type {import('../../head/head.js').Addend[]} */
  const rows = [
    ...top.map(({ value, layer, head }) => {
      const name = nameOf({ layer, head })
      return { name, label: name, value, opens: { head: { stack: why.stack, layer, head } } }
    }),
    ...rest.map(({ name, value }) => ({ name, label: t(`modelsWhy.${name}`), value, isBare: true })),
  ]
  if (all.length > MOST_HEADS)
    rows.splice(top.length, 0, { name: 'heads', label: t('modelsOtherHeads'), value: others, isBare: true })
  const title = t('modelsWhy', { token })
  const sum = { label: t('whyLogit'), value: why.logit }
  return [
    { type: 'heading', text: title },
    { type: 'text', tone: 'note', text: t('modelsWhyText') },
    { type: 'addends', id: 'models-why', label: title, rows, sum, digits: 3 },
  ]
}
