// Draws "Why does it look there?" on the page of a weight: a sentence, a list of terms that link to the heads that wrote them, and a small
// map. The page of a head defines its <qkv-heatmap>.

import { html, nothing } from 'lit'
import { counted } from '../../../i18n/counted.js'
import { signed } from '../../../ui/contributions.js'
import { nameOf } from '../shown.js'

/** @import { Reasons, Room } from '../models.js' */
/** @import { Source } from 'qkv/interpret' */
/** @import { HeadAt, Place } from '../../../attention-head/head.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/reasons.js').texts>} ReasonTexts */
/**
 * Inputs of the section "Why does it look there?".
 * @typedef {{ t: Room['t'], head: HeadAt, words: { queries: readonly string[], keys: readonly string[] }, encoded: readonly string[],
 *   reasons: Reasons | undefined, open: (place: Place) => void }} ReasonState
 */

const DIGITS = 3

/**
 * Returns the stack of a source, and the words that the source read.
 * @param {ReasonState} state
 * @param {'query' | 'key'} side
 * @param {Source} source
 */
function readBy({ head: { stack }, words, encoded }, side, { kind }) {
  if (kind === 'cross') return { stack, words: encoded }
  const own = side === 'query' ? words.queries : words.keys
  if (stack !== 'cross') return { stack, words: own }
  /** @type {import('../../../attention-head/head.js').Stack} */
  const from = side === 'query' ? 'decoder' : 'encoder'
  return { stack: from, words: own }
}

/** Describes a source. @param {ReasonState} state @param {ReasonTexts} r @param {'query' | 'key'} side @param {Source} source @param {number} position */
function sourceText(state, r, side, source, position) {
  const { kind, layer = 0, head = 0, from } = source
  const { words } = readBy(state, side, source)
  const own = side === 'query' ? state.words.queries : state.words.keys
  switch (kind) {
    case 'token':
      return r('reasonsToken', { word: own[position] ?? '' })
    case 'position':
      return r('reasonsPosition', { position: position + 1 })
    case 'head':
    case 'cross': {
      const name = nameOf({ layer, head })
      if (from === undefined) return r(kind === 'cross' ? 'reasonsCross' : 'reasonsHead', { name })
      return r(kind === 'cross' ? 'reasonsCrossFrom' : 'reasonsHeadFrom', {
        name,
        word: words[from] ?? '',
        position: from + 1,
      })
    }
    case 'mlp':
      return r('reasonsMlp', { layer: layer + 1 })
    case 'relative position':
      return r('reasonsRelative')
    default:
      return r(`reasons.${kind}`)
  }
}

/**
 * Returns the place that explains a source: the page of its head, with the weight from `position` to the source's `from` selected.
 * Undefined if the source is not a head.
 * @param {ReasonState} state
 * @param {'query' | 'key'} side
 * @param {Source} source
 * @param {number} position
 * @returns {Place | undefined}
 */
function placeOf(state, side, source, position) {
  const { layer, head, from } = source
  if (layer === undefined || head === undefined) return undefined
  const at = { stack: readBy(state, side, source).stack, layer, head }
  return from === undefined ? { head: at } : { head: at, cell: { matrix: 'weights', row: position, column: from } }
}

/** @param {ReasonState} state @param {ReasonTexts} r */
function drawReasons(state, r) {
  const { t, words, reasons, open } = state
  if (!reasons) return html`<p class="note">${t('loading')}</p>`
  if (reasons.isTooLong) return html`<p class="note">${r('reasonsTooLong')}</p>`
  const { query, key, score, pairs, count, table } = reasons
  const said = (/** @type {'query' | 'key'} */ side, /** @type {Source} */ source) =>
    sourceText(state, r, side, source, side === 'query' ? query : key)
  const name = (/** @type {'query' | 'key'} */ side, /** @type {Source} */ source) => {
    const place = placeOf(state, side, source, side === 'query' ? query : key)
    const text = html`<bdi>${said(side, source)}</bdi>`
    return place
      ? html`<button type="button" class="addend-open" data-side=${side} @click=${() => open(place)}>${text}</button>`
      : text
  }
  const [first] = pairs
  const most = Math.abs(first?.value ?? 1)
  const rest = score - pairs.reduce((sum, { value }) => sum + value, 0)
  const line = (/** @type {unknown} */ label, /** @type {number} */ value) => html`<li>
    <p class="reason-name">${label}</p>
    <div class="bar-cell is-signed" aria-hidden="true"><i class=${value < 0 ? 'is-negative' : 'is-positive'}
      .style=${`width: ${Math.min(50, (50 * Math.abs(value)) / most).toFixed(2)}%`}></i></div>
    <span class="number" data-value=${value}>${signed(value, DIGITS)}</span></li>`
  const both = { query: words.queries[query] ?? '', key: words.keys[key] ?? '' }
  const all = (/** @type {'query' | 'key'} */ side, /** @type {Source[]} */ list) => [
    ...list.map(source => said(side, source)),
    r('reasonsOthers'),
  ]
  return html`
    ${
      first
        ? html`<p id="models-reason">${r('reasonsSay', {
            ...both,
            left: said('query', first.query),
            right: said('key', first.key),
            value: signed(first.value, DIGITS),
            score: signed(score, DIGITS),
          })}</p>`
        : nothing
    }
    <ol class="reasons" id="models-reasons" aria-label=${r('reasonsLabel', both)}>
      ${pairs.map(({ query: a, key: b, value }) => line(html`${name('query', a)} × ${name('key', b)}`, value))}
      ${count > pairs.length ? line(counted(r, 'reasonsMore', count - pairs.length), rest) : nothing}
    </ol>
    <p class="note">${r('reasonsNote')}</p>
    <qkv-heatmap
      .label=${r('reasonsMap', both)}
      .matrix=${{ data: table.data, dims: [table.queries.length + 1, table.keys.length + 1] }}
      .rowTokens=${all('query', table.queries)}
      .columnTokens=${all('key', table.keys)}
      .rowTitle=${r('reasonsAt', { word: both.query })}
      .columnTitle=${r('reasonsAt', { word: both.key })}
      .scale=${'diverging'}
      .texts=${t.elements}
    ></qkv-heatmap>`
}

/**
 * Returns the section as a part of the page of a weight.
 * @param {ReasonState} state
 * @param {ReasonTexts} r
 * @returns {import('../../../attention-head/head.js').Part}
 */
export const reasonsPart = (state, r) => ({
  type: 'drawing',
  draw: () =>
    html`<section class="reasons-part" id="models-why-there"><h3>${r('reasonsTitle')}</h3>${drawReasons(state, r)}</section>`,
})
