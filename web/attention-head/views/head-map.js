// Draws the map of one head's weights. If there are many words, the reader can filter rows, and a lens magnifies the current cell.

import '../../elements/heatmap.js'
import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { left, rested } from '../../ui/pointing.js'
import { MANY_ROWS, pick, rowsOf, windowAround } from '../part-of-map.js'

/** @import { CellAt, HeadActions, HeadView, HeadViewTranslate, Place } from '../head.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** Number of rows and columns of the lens. */
const LENS = 24
/** Maximum width of the lens in pixels, including a gap. */
const LENS_WIDTH = LENS * 16 + 8

/**
 * Caches marks, so that equal marks are the same object and do not redraw the element.
 * @type {Map<string, import('../../elements/draw.js').Highlight>}
 */
const knownMarks = new Map()

/** Returns the frames to draw in a map: row and column of the current word, and the subtracted cell. @param {HeadView} view */
export function marksOf({ word, isCross, subtracted }) {
  const key = JSON.stringify([word, isCross, subtracted])
  const known = knownMarks.get(key)
  if (known) return known
  const marks = {
    rows: word && (word.side === 'queries' || !isCross) ? [word.position] : [],
    columns: word && (word.side === 'keys' || !isCross) ? [word.position] : [],
    cells: subtracted ? [subtracted] : [],
  }
  if (knownMarks.size > 100) knownMarks.clear()
  knownMarks.set(key, marks)
  return marks
}

/** @param {CellAt} cell @returns {Place} */
const cellPlace = ({ row, column }) => ({ cell: { matrix: 'weights', row, column } })

/** Returns the place of the word that a row or column is labelled with. @param {{ side: 'row' | 'column', index: number }} label @param {(row: number) => number} [toRow] @returns {Place} */
const wordPlace = ({ side, index }, toRow = row => row) => ({
  word: side === 'row' ? { side: 'queries', position: toRow(index) } : { side: 'keys', position: index },
})

let drags = 0

/** Returns the undo mark of the current drag: changes with the same mark are undone together. @param {boolean} isFirst True when a drag begins */
export function dragMark(isFirst) {
  if (isFirst) drags++
  return `drag ${drags}`
}

/**
 * Returns the listeners of a picture of weights.
 * @param {HeadActions} act
 * @param {(row: number) => number} [toRow] maps a row of the picture to a row of the head
 */
export function listenersOf(act, toRow = row => row) {
  /** @param {CustomEvent} event @returns {CellAt} */
  const cellOf = ({ detail: { row, column } }) => ({ row: toRow(row), column })
  return {
    cellFocus: (/** @type {CustomEvent} */ event) => rested(() => act.point(cellPlace(cellOf(event)))),
    cellLeave: () => left(() => act.point()),
    cellPin: (/** @type {CustomEvent} */ event) => act.select(cellPlace(cellOf(event)), event.detail.isSecond),
    cellEdit: (/** @type {CustomEvent} */ event) => {
      const { column, value, isFirst, isUndone } = event.detail
      if (isUndone) act.undo?.()
      else act.edit?.(cellOf(event).row, column, value, dragMark(isFirst))
    },
    cellPaint: (/** @type {CustomEvent} */ event) =>
      act.hide(cellOf(event).row, event.detail.column, event.detail.hide),
    tokenFocus: (/** @type {CustomEvent} */ { detail }) =>
      detail ? rested(() => act.point(wordPlace(detail, toRow))) : left(() => act.point()),
    tokenPin: (/** @type {CustomEvent} */ { detail }) => act.select(wordPlace(detail, toRow), detail.isSecond),
    tokenRange: (/** @type {CustomEvent} */ { detail: { side, from, to } }) => {
      if (side === 'row') act.chooseRows?.({ from: toRow(from), to: toRow(to) })
    },
  }
}

/**
 * Draws a filter field if there are many rows, and the chosen range of rows, if any, with a button that clears it.
 * @param {HeadView} view
 * @param {HeadActions} act
 * @param {HeadViewTranslate} t
 * @param {number} found number of rows that pass the filter
 */
function rowTools({ rows, queries: { length }, queries }, act, t, found) {
  const isMany = length > MANY_ROWS
  const { filter = '', range } = rows ?? {}
  if (!rows || (!isMany && !range)) return nothing
  return html`<div class="row-tools">${
    isMany
      ? html`<label class="row-filter">${t('filterRows')}
    <input id="row-filter" type="search" autocomplete="off" spellcheck="false" .value=${live(filter)}
      @input=${(/** @type {InputEvent} */ { target }) => act.filterRows?.(target.value)} />
    ${
      filter
        ? html`<span class="note">${t(found ? 'filteredRows' : 'filteredNone', { count: found, of: length })}</span>`
        : nothing
    }</label>`
      : nothing
  }${
    range
      ? html`<span class="row-range">${t('rangeRows', {
          from: queries[range.from] ?? '',
          to: queries[Math.min(range.to, length - 1)] ?? '',
        })}
        <button type="button" class="plain" id="range-none" @click=${() => act.chooseRows?.()}>${t('rangeNone')}</button></span>`
      : nothing
  }</div>`
}

/** @typedef {{ key: string, of: unknown, mask: unknown, rows: readonly number[], found: number, names: string[], weights: any, visible?: any }} PartOfMap */

/** Caches the last filtered rows. @type {PartOfMap | undefined} */
let lastPart

/** Returns the rows that pass the filter and the range; undefined if all are displayed. @param {HeadView} view */
function partOf({ rows: chosen, queries, weights, visible }) {
  const filter = queries.length > MANY_ROWS ? (chosen?.filter ?? '') : ''
  if (!filter && !chosen?.range) return undefined
  const key = JSON.stringify([filter, chosen?.range])
  if (lastPart?.key !== key || lastPart.of !== weights || lastPart.mask !== visible) {
    const { rows, found } = rowsOf(queries, filter, chosen?.range)
    lastPart = {
      key,
      of: weights,
      mask: visible,
      rows,
      found,
      names: rows.map(i => queries[i]),
      weights: pick(weights, rows),
      visible: visible && pick(visible, rows),
    }
  }
  return lastPart
}

/** Caches the last cells of the lens. @type {{ key: string, of: unknown, weights: any, visible?: any } | undefined} */
let lastLens

/**
 * Caches whether the lens covers the last checked column, since measuring forces a layout.
 * @type {{ key: string, isUnder: boolean } | undefined}
 */
let lastUnder

/**
 * True if the lens at the right edge of the map would cover the cell, by the map's last layout.
 * @param {string} id
 * @param {CellAt} cell
 * @param {readonly string[]} keys
 */
function isUnderLens(id, { column }, keys) {
  const key = [id, column, globalThis.innerWidth, ...keys].join('\n')
  if (lastUnder?.key === key) return lastUnder.isUnder
  const map = /** @type {import('../../elements/heatmap.js').QkvHeatmap | null} */ (document.getElementById(id))
  const place = map?.where({ row: 0, column })
  const isUnder = (place?.right ?? 0) > (map?.parentElement?.getBoundingClientRect().right ?? 0) - LENS_WIDTH
  lastUnder = place && { key, isUnder }
  return isUnder
}

/**
 * Draws a lens with labels around the current cell, for a map whose labels do not all fit.
 * @param {HeadView} view
 * @param {HeadViewTranslate} t
 */
function lens({ prefix, queries, keys, weights, visible, domain, pointed, selected, rows: choice }, t) {
  const cell = pointed ?? selected
  if (!choice || !cell || Math.max(queries.length, keys.length) <= MANY_ROWS) return nothing
  const { row, rows, column, columns } = windowAround(cell, weights.dims, LENS)
  const key = [row, column].join()
  if (lastLens?.key !== key || lastLens.of !== weights) {
    const list = Array.from({ length: rows }, (_, i) => row + i)
    lastLens = {
      key,
      of: weights,
      weights: pick(weights, list, column, columns),
      visible: visible && pick(visible, list, column, columns),
    }
  }
  return html`<qkv-heatmap
    id="${prefix}lens"
    class=${isUnderLens(`${prefix}map`, cell, keys) ? 'is-start' : ''}
    inert
    .label=${t('lens')}
    .matrix=${lastLens.weights}
    .mask=${lastLens.visible}
    .rowTokens=${queries.slice(row, row + rows)}
    .columnTokens=${keys.slice(column, column + columns)}
    .rowTitle=${''}
    .columnTitle=${''}
    .domain=${domain}
    .decimals=${2}
    .legend=${false}
    .tools=${false}
    .cell=${{ row: cell.row - row, column: cell.column - column }}
    .texts=${t.elements}
  ></qkv-heatmap>`
}

/** @param {HeadView} view @param {HeadActions} act @param {HeadViewTranslate} t */
function draw(view, act, t) {
  const part = partOf(view)
  const toRow = (/** @type {number} */ row) => part?.rows[row] ?? row
  const on = listenersOf(act, toRow)
  /** Converts a cell of the head to a cell of the displayed rows. @param {CellAt | undefined} cell */
  const shown = cell => {
    if (!cell || !part) return cell
    const row = part.rows.indexOf(cell.row)
    return row < 0 ? undefined : { row, column: cell.column }
  }
  return html`${rowTools(view, act, t, part?.found ?? 0)}<qkv-heatmap
    id="${view.prefix}map"
    class=${view.className ?? nothing}
    .label=${view.label}
    .matrix=${part?.weights ?? view.weights}
    .previous=${part ? undefined : view.before}
    .mask=${part ? part.visible : view.visible}
    .rowTokens=${part?.names ?? view.queries}
    .columnTokens=${view.keys}
    .rowTitle=${t('axis.queries')}
    .columnTitle=${t('axis.keys')}
    .domain=${view.domain}
    .mode=${view.mode}
    .editable=${act.edit !== undefined}
    .texts=${t.elements}
    .cell=${shown(view.pointed) ?? shown(view.selected)}
    .pinned=${shown(view.selected)}
    .highlight=${part ? undefined : marksOf(view)}
    @cell-focus=${on.cellFocus}
    @cell-leave=${on.cellLeave}
    @cell-pin=${on.cellPin}
    @cell-edit=${on.cellEdit}
    @cell-paint=${on.cellPaint}
    @token-focus=${on.tokenFocus}
    @token-pin=${on.tokenPin}
    @token-range=${on.tokenRange}
  ></qkv-heatmap>
  ${lens(view, t)}`
}

/** @type {import('../head.js').HeadPicture} */
export const headMap = { name: 'map', id: 'map', draw }
