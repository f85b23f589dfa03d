import { html, nothing } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { format } from '../format.js'
import { moved } from './keys.js'
import { paint } from './paint.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../matrices.js').Matrix} Matrix */

/**
 * A matrix too big for numbers: painted, with one cell of the grid in the document, the one in focus.
 * @param {SceneContext} context
 * @param {Matrix} matrix
 */
export function map(context, matrix) {
  const { t, state, actions, isDark, cell, sources } = context
  const { id, tensor, rows, columns, isHidden } = matrix
  const [height, width] = tensor.dims
  const focus = state.cursor.matrix === id ? state.cursor : { row: 0, column: 0 }
  const box = (/** @type {{ row: number, column: number }} */ { row, column }) =>
    `left: calc(${column} * var(--cell)); top: calc(${row} * var(--cell))`
  const under = (/** @type {MouseEvent & { currentTarget: HTMLElement }} */ event) => {
    const { left, top, width: w, height: h } = event.currentTarget.getBoundingClientRect()
    const row = Math.floor(((event.clientY - top) / h) * height)
    const column = Math.floor(((event.clientX - left) / w) * width)
    const isInside = row >= 0 && row < height && column >= 0 && column < width
    return isInside ? { matrix: id, row, column } : undefined
  }
  const point = (/** @type {PointerEvent & { currentTarget: HTMLElement }} */ event) => {
    const at = under(event)
    if (at && (at.row !== state.cursor.row || at.column !== state.cursor.column || state.cursor.matrix !== id))
      actions.point(at)
  }
  const click = (/** @type {MouseEvent & { currentTarget: HTMLElement }} */ event) => {
    const at = under(event)
    if (at) actions.pin(at)
    const focused = event.currentTarget.querySelector('.map-focus')
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    const cursor = actions.cursor() // keys may come faster than frames
    const from = cursor.matrix === id ? cursor : { matrix: id, ...focus }
    const next = moved(event, from, height, width)
    if (next) actions.point({ matrix: id, ...next })
    else if (event.key === 'Enter' || event.key === ' ') actions.pin(from)
    else return
    event.preventDefault()
  }
  const value = tensor.data[focus.row * width + focus.column]
  const written = isHidden(focus.row, focus.column) ? t('cellHidden', { value: format(value) }) : format(value)
  const label = t('cell', { row: rows[focus.row], column: columns[focus.column], value: written })
  const own = [...(sources.get(id) ?? [])]
  return html`<div class="map" .style=${`--rows: ${height}; --columns: ${width}`}>
    <div class="map-columns" aria-hidden="true">${columns.map(name => html`<span>${name}</span>`)}</div>
    <div class="map-rows" aria-hidden="true">${rows.map(name => html`<span>${name}</span>`)}</div>
    <div
      class="map-cells"
      role="grid"
      aria-labelledby="${id}-title"
      aria-describedby="${id}-axes"
      aria-rowcount=${height}
      aria-colcount=${width}
      @pointermove=${point}
      @click=${click}
      @keydown=${keydown}
      @focusin=${() => actions.point({ matrix: id, row: focus.row, column: focus.column })}
    >
      <canvas aria-hidden="true" ${ref(canvas => paint(canvas, matrix, isDark))}></canvas>
      ${own.map(at => html`<span class="map-source" .style=${box({ row: Math.floor(at / width), column: at % width })}></span>`)}
      ${cell.matrix === id ? html`<span class="map-shown" .style=${box(cell)}></span>` : nothing}
      <div role="row" aria-rowindex=${focus.row + 1}>
        <div class="map-focus" role="gridcell" tabindex="0" aria-colindex=${focus.column + 1} aria-label=${label} title=${label} .style=${box(focus)}></div>
      </div>
    </div>
  </div>`
}
