// Draws "What matters for this answer?": a map of heads, and a map of layers by positions. A click on a cell makes it a change.

import { html, nothing } from 'lit'
import { factorOf, withChange, withFactor } from '../../../attention-head/changes.js'
import { shown } from '../../../shell/slots.js'
import { signed } from '../../../ui/contributions.js'
import { nameOf } from '../shown.js'

/** @import { Matters, Room } from '../models.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/matters.js').texts>} MatterTexts */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */
/** @typedef {CustomEvent<{ row: number, column: number }>} PinEvent */

/** Number of heads that are listed, and number of decimals of a logit. */
const [MOST_HEADS, DIGITS] = [5, 2]

/**
 * Shows the progress of a map, with a button that cancels or restarts it, and says what a click on a cell does.
 * @param {Room} room
 * @param {MatterTexts} m
 * @param {'matters:heads' | 'matters:positions'} slot
 * @param {Matters | undefined} matters
 * @param {'mattersChooseHead' | 'mattersChooseState'} choose
 */
function progress({ t, act, got }, m, slot, matters, choose) {
  const own = got[slot]
  const { exact = 0, dims: [rows] = [0] } = matters ?? {}
  const isDone = matters !== undefined && exact === rows
  const state = own?.is === 'cancelled' ? 'cancelled' : isDone ? 'done' : 'computing'
  const said = isDone
    ? m('mattersExact')
    : state === 'cancelled'
      ? m('mattersCancelled', { exact, rows })
      : matters
        ? m('mattersEstimate', { exact, rows })
        : m('mattersComputing')
  const button =
    state === 'cancelled'
      ? html`<button type="button" class="tool is-filled" data-compute=${slot}
        @click=${() => act.runAgain()}>${m('mattersCompute')}</button>`
      : html`<progress max="1" .value=${rows ? exact / rows : 0} aria-label=${t('modelsMatters')}></progress>
        <button type="button" class="tool" data-cancel=${slot} @click=${() => act.cancel(slot)}>${t('cancel')}</button>`
  return html`${isDone || own?.is === 'failed' ? nothing : html`<div class="models-progress">${button}</div>`}
    <p class="note" role="status" data-exact=${exact} data-rows=${rows}
      data-state=${state}>${own?.is === 'failed' ? '' : said} ${matters ? m(choose) : ''}</p>`
}

/**
 * Draws how much each head or state supports the answer: the effect of replacing it, with the opposite sign, so that support is positive.
 * @param {Room} room
 * @param {MatterTexts} m
 * @param {Matters} matters
 * @param {{ id: string, label: string, columns: readonly string[], columnTitle: string, pin: (at: { row: number, column: number }) => void }} given
 */
function map({ t }, m, { dims, effects }, { id, label, columns, columnTitle, pin }) {
  return html`<qkv-heatmap id=${id}
    .label=${label}
    .matrix=${{ data: effects.map(effect => -effect), dims }}
    .rowTokens=${Array.from({ length: dims[0] }, (_, layer) => String(layer + 1))}
    .columnTokens=${columns}
    .rowTitle=${m('mattersLayer')}
    .columnTitle=${columnTitle}
    .scale=${'diverging'}
    .texts=${t.elements}
    @cell-pin=${(/** @type {PinEvent} */ { detail }) => pin(detail)}
  ></qkv-heatmap>`
}

/**
 * Draws the map of heads and lists the heads that matter most. If the reader's only changes replace heads by their means, compares their
 * joint effect with the sum of their effects in the map.
 * @param {Room} room
 * @param {MatterTexts} m
 * @param {Matters} matters
 */
function heads(room, m, matters) {
  const { act, settings, stack, got, active } = room
  const { effects, dims, kind } = matters
  const helps = kind === 'likeness' ? 'mattersAlike' : 'mattersHelps'
  const hinders = kind === 'likeness' ? 'mattersUnlike' : 'mattersHinders'
  const [, H] = dims
  const at = (/** @type {number} */ n) => ({ stack, layer: Math.floor(n / H), head: n % H })
  const order = Array.from(effects.keys()).sort((a, b) => Math.abs(effects[b]) - Math.abs(effects[a]))
  const toggle = (/** @type {import('../../../attention-head/head.js').HeadAt} */ head) =>
    act.change(withFactor(settings.changes, head, factorOf(settings.changes, head) === 'mean' ? 1 : 'mean'))
  const heads = active.filter(change => change.kind === 'head')
  const own = heads.filter(change => change.how === 'mean' && change.stack === stack)
  const foretold = own.reduce((sum, { layer, head }) => sum + effects[layer * H + head], 0)
  const now = got['matters:now']
  const real = now?.is === 'here' && typeof now.value === 'number' ? now.value : undefined
  return html`<div class="matters-map">
    <h2>${m('mattersHeads')}</h2>
    ${progress(room, m, 'matters:heads', matters, 'mattersChooseHead')}
    ${map(room, m, matters, {
      id: 'matters-heads',
      label: m('mattersHeads'),
      columns: Array.from({ length: H }, (_, head) => String(head + 1)),
      columnTitle: m('mattersHead'),
      pin: ({ row, column }) => toggle({ stack, layer: row, head: column }),
    })}
    <ol class="matters-list" id="matters-list">${order.slice(0, MOST_HEADS).map(
      n =>
        html`<li><button type="button" class="addend-open" data-head=${nameOf(at(n))}
          @click=${() => act.openHead(at(n))}>${m(effects[n] < 0 ? helps : hinders, {
            name: nameOf(at(n)),
            value: Math.abs(effects[n]).toFixed(DIGITS),
          })}</button></li>`,
    )}</ol>
    ${
      own.length && own.length === active.length && real !== undefined
        ? html`<p id="matters-foretold"
          role="status">${m('mattersForetold', { count: own.length, foretold: signed(foretold, DIGITS), real: signed(real, DIGITS) })}</p>`
        : nothing
    }
  </div>`
}

/**
 * Draws the effect of patching each state from the second text.
 * @param {Room} room
 * @param {MatterTexts} m
 * @param {Matters | undefined} matters
 */
function positions(room, m, matters) {
  const { act, settings, text, second, words, stack } = room
  const { lengths } = matters ?? {}
  const pin = (/** @type {{ row: number, column: number }} */ { row, column }) =>
    row > 0 &&
    act.change(withChange(settings.changes, { kind: 'patch', isOn: true, stack, layer: row - 1, position: column }))
  return html`<div class="matters-map">
    <h2>${m('mattersPositions')}</h2>
    <label>${m('mattersOther')} <input type="text" id="matters-other" .value=${second ?? (settings.sourceText || text)}
      @change=${(/** @type {InputEvent} */ { target }) => act.typeSource(target.value)} /></label>
    ${
      lengths
        ? html`<p class="note" role="status"
          id="matters-lengths">${m('mattersLengths', {
            here: lengths[0].length,
            there: lengths[1].length,
            tokens: lengths[0].join(' | '),
            others: lengths[1].join(' | '),
          })}</p>`
        : nothing
    }
    ${
      matters && !lengths
        ? html`${progress(room, m, 'matters:positions', matters, 'mattersChooseState')}${map(room, m, matters, {
            id: 'matters-positions',
            label: m('mattersPositions'),
            columns: words.queries,
            columnTitle: m('mattersPosition'),
            pin,
          })}`
        : html`<p class="note"
          ?hidden=${lengths}>${m('mattersPositionsText')}</p>${
            settings.sourceText && !lengths
              ? progress(room, m, 'matters:positions', undefined, 'mattersChooseState')
              : nothing
          }`
    }
  </div>`
}

/** Describes the quantity whose change the cells show. @param {MatterTexts} m @param {Matters} matters */
function said(m, { kind, tokens: [first, second], value: number }) {
  const value = signed(number, DIGITS)
  if (kind === 'likeness') return m('mattersSayLikeness', { value })
  if (second === undefined) return m('mattersSayOne', { first, value })
  return m(kind === 'class' ? 'mattersSayClass' : 'mattersSay', { first, second, value })
}

/** @param {Room} room @param {MatterTexts} m */
export function mattersPanel(room, m) {
  const { got, openModel } = room
  const ofHeads = /** @type {Matters | undefined} */ (shown(got['matters:heads']))
  const ofPositions = /** @type {Matters | undefined} */ (shown(got['matters:positions']))
  const { encoder, decoder } = openModel?.stacks ?? {}
  if (ofHeads?.isTooLong) return html`<p class="note">${m('mattersTooLong')}</p>`
  // The result is empty if there is no answer: an encoder needs a masked word.
  if (!ofHeads?.effects.length) return progress(room, m, 'matters:heads', undefined, 'mattersChooseHead')
  return html`<p id="matters-say">${said(m, ofHeads)}</p>
    <div class="matters">${heads(room, m, ofHeads)}${encoder && decoder ? nothing : positions(room, m, ofPositions)}</div>`
}
