import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { short } from '../../../elements/number-text.js'
import { namesOf } from '../explain/labels.js'
import { MANY_ROWS, pick, rowsOf, windowAround } from '../explain/part.js'
import { largestOf } from '../explain/scale.js'
import { left, rested, selectCell } from './hover.js'
import { domain, hoverWord, marks, pinWord, wordAt } from './spoken.js'
import { share } from './word-buttons.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../explain/matrix-names.js').Matrix} Matrix */
/** @typedef {import('../fields.js').Word} Word */
/** @typedef {import('../numbers/index.js').FloatTensor} FloatTensor */

/** Rows and columns of the lens. */
const LENS = 24

/** Which scale, beside its legend: where its colours end, and why. @param {SceneContext} context */
function scaleChoice(context) {
  const { t, scaleEnd, actions, result, matrices } = context
  const ends = /** @type {const} */ (['shared', 'one', 'own'])
  const all = /** @type {FloatTensor} */ (result.smalls ?? result.tensors.weights)
  const own = /** @type {Matrix} */ (matrices.get('weights')).tensor
  const most = { shared: largestOf(all), one: 1, own: largestOf(own) }
  return html`<label class="scale-choice">${t('scaleEnd')}
    <select id="scale-end" @change=${(/** @type {Event & { target: HTMLSelectElement }} */ { target }) => actions.setScaleEnd(/** @type {any} */ (target.value))}>
      ${ends.map(
        name =>
          html`<option value=${name} ?selected=${scaleEnd === name}>${t(`scaleEnd.${name}`, {
            end: short(domain({ ...context, scaleEnd: name })[1]),
            share: share(context, most[name]),
          })}</option>`,
      )}
    </select></label>`
}

/**
 * Which rows are shown: a field to filter many, and the chosen range with a way back.
 * @param {SceneContext} context
 * @param {readonly string[]} names
 * @param {number} found
 */
function rowTools({ t, filter, range, actions }, names, found) {
  const isMany = names.length > MANY_ROWS
  if (!isMany && !range) return nothing
  return html`<div class="row-tools">${
    isMany
      ? html`<label class="row-filter">${t('filterRows')}
    <input id="row-filter" type="search" autocomplete="off" spellcheck="false" .value=${live(filter)} @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) => actions.setFilter(target.value)} />
    ${filter ? html`<span class="note">${t(found ? 'filteredRows' : 'filteredNone', { count: found, of: names.length })}</span>` : nothing}</label>`
      : nothing
  }${
    range
      ? html`<span class="row-range">${t('rangeRows', { from: names[range.from] ?? '', to: names[Math.min(range.to, names.length - 1)] ?? '' })}
        <button type="button" class="plain" id="range-none" @click=${() => actions.setRange(undefined)}>${t('rangeNone')}</button></span>`
      : nothing
  }</div>`
}

/** The rows that were shown last. @type {{ key: string, of: unknown, mask: unknown, rows: number[], found: number, names: string[], tensor: FloatTensor, part?: { data: Uint8Array, dims: number[] } } | undefined} */
let lastPart

/**
 * @param {SceneContext} context
 * @param {FloatTensor} tensor
 * @param {string[]} names
 */
function partOf({ filter, range, mask }, tensor, names) {
  const own = names.length > MANY_ROWS ? filter : ''
  if (!own && !range) return undefined
  const key = JSON.stringify([own, range])
  if (lastPart?.key !== key || lastPart.of !== tensor || lastPart.mask !== mask) {
    const { rows, found } = rowsOf(names, own, range)
    lastPart = {
      key,
      of: tensor,
      mask,
      rows,
      found,
      names: rows.map(i => names[i]),
      tensor: pick(tensor, rows),
      part: mask && pick(mask, rows),
    }
  }
  return lastPart
}

/** The map of the weights of the chosen head. @param {SceneContext} context */
export function map(context) {
  const { t, head, matrices, mask, actions, mode, selection, pointed, result } = context
  const large = /** @type {Matrix} */ (matrices.get('weights'))
  const { queries, keys } = namesOf(result)
  const part = partOf(context, large.tensor, queries)
  const toRow = (/** @type {number} */ row) => part?.rows[row] ?? row
  const at = (/** @type {CustomEvent} */ { detail: { row, column } }) => ({
    matrix: /** @type {const} */ ('weights'),
    head,
    row: toRow(row),
    column,
  })
  const own = (/** @type {SceneContext['pointed'] | null} */ cell) => {
    if (cell?.matrix !== 'weights' || cell.head !== head) return undefined
    const row = part ? part.rows.indexOf(cell.row) : cell.row
    return row < 0 ? undefined : { row, column: cell.column }
  }
  const word = (/** @type {CustomEvent} */ event) => {
    const { detail } = event
    return detail?.side === 'row'
      ? { side: /** @type {const} */ ('queries'), position: toRow(detail.index) }
      : wordAt(event)
  }
  /** @param {{ side: string, from: number, to: number }} range */
  const chooseRows = ({ side, from, to }) => {
    if (side === 'row') actions.setRange({ from: toRow(from), to: toRow(to) })
  }
  return html`${rowTools(context, queries, part?.found ?? 0)}<qkv-heatmap
    id="map"
    .label=${t('matrix.weights')}
    .matrix=${part?.tensor ?? large.tensor}
    .previous=${part ? undefined : large.before}
    .mask=${part ? part.part : mask}
    .rowTokens=${part?.names ?? queries}
    .columnTokens=${keys}
    .rowTitle=${t('axis.queries')}
    .columnTitle=${t('axis.keys')}
    .domain=${domain(context)}
    .mode=${mode}
    .editable=${true}
    .texts=${t.elements}
    .cell=${own(pointed) ?? own(selection.cell)}
    .pinned=${own(selection.cell)}
    .highlight=${part ? undefined : marks(context)}
    @cell-focus=${(/** @type {CustomEvent} */ event) => rested(() => actions.point(at(event)))}
    @cell-leave=${() => left(() => actions.point(undefined))}
    @cell-pin=${(/** @type {CustomEvent} */ event) => selectCell(actions, at(event), event.detail.isSecond)}
    @cell-edit=${(/** @type {CustomEvent} */ event) => actions.edit(at(event), event.detail.value, 'drag weights')}
    @cell-paint=${(/** @type {CustomEvent} */ event) => actions.paint(at(event).row, event.detail.column, !event.detail.hide)}
    @token-focus=${(/** @type {CustomEvent} */ event) => hoverWord(actions, word(event))}
    @token-pin=${(/** @type {CustomEvent} */ event) => pinWord(actions, event, word(event))}
    @token-range=${(/** @type {CustomEvent} */ event) => chooseRows(event.detail)}
  ></qkv-heatmap>
  ${lens(context, large.tensor, queries, keys)}
  ${scaleChoice(context)}`
}

/** How wide the lens is at most, with a gap. */
const LENS_WIDTH = 24 * 16 + 8

/** Would the lens, at the right, cover the cell? As the map was drawn last. @param {{ row: number, column: number }} cell */
function isUnderLens({ column }) {
  const map = /** @type {import('../../../elements/heatmap.js').QkvHeatmap | null} */ (document.querySelector('#map'))
  const { right = 0 } = map?.where({ row: 0, column }) ?? {}
  return right > (map?.parentElement?.getBoundingClientRect().right ?? 0) - LENS_WIDTH
}

/** The cells that the lens showed last. @type {{ key: string, of: unknown, tensor: FloatTensor, mask?: { data: Uint8Array, dims: number[] } } | undefined} */
let lastLens

/**
 * Of a map whose labels do not all fit: the cells around the pointed or selected one, each with its labels.
 * @param {SceneContext} context
 * @param {FloatTensor} tensor
 * @param {string[]} queries
 * @param {string[]} keys
 */
function lens(context, tensor, queries, keys) {
  const { t, head, pointed, selection, mask } = context
  const cell = pointed ?? selection.cell
  if (Math.max(queries.length, keys.length) <= MANY_ROWS || cell?.matrix !== 'weights' || cell.head !== head)
    return nothing
  const { row, rows, column, columns } = windowAround(cell, tensor.dims, LENS)
  const key = [row, column].join()
  if (lastLens?.key !== key || lastLens.of !== tensor) {
    const list = Array.from({ length: rows }, (_, i) => row + i)
    lastLens = {
      key,
      of: tensor,
      tensor: pick(tensor, list, column, columns),
      mask: mask && pick(mask, list, column, columns),
    }
  }
  return html`<qkv-heatmap
    id="lens"
    class=${isUnderLens(cell) ? 'is-start' : ''}
    inert
    .label=${t('lens')}
    .matrix=${lastLens.tensor}
    .mask=${lastLens.mask}
    .rowTokens=${queries.slice(row, row + rows)}
    .columnTokens=${keys.slice(column, column + columns)}
    .rowTitle=${''}
    .columnTitle=${''}
    .domain=${domain(context)}
    .decimals=${2}
    .legend=${false}
    .tools=${false}
    .cell=${{ row: cell.row - row, column: cell.column - column }}
    .texts=${t.elements}
  ></qkv-heatmap>`
}
