import { html, nothing } from 'lit'
import { colourOf, gradient } from '../colour.js'
import { format, short } from '../format.js'
import { moved } from './keys.js'
import { map } from './map.js'
import { math } from './math.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../matrices.js').Matrix} Matrix */
/** @typedef {import('../matrices.js').MatrixId} MatrixId */

/** More rows or columns than this are drawn as a map, without numbers. */
const MOST_NUMBERS = 24

/**
 * A matrix with its name, axes and colour scale.
 * @param {SceneContext} context
 * @param {MatrixId} id
 */
export function matrix(context, id) {
  const { t, matrices } = context
  const shown = /** @type {Matrix} */ (matrices.get(id))
  const isBig = Math.max(...shown.tensor.dims) > MOST_NUMBERS
  return html`<figure class="matrix" data-matrix=${id}>
    <figcaption>
      <h3 id="${id}-title">${t(shown.title)} ${math(shown.formula)}</h3>
      <p id="${id}-axes">${t(shown.axes)}</p>
    </figcaption>
    <div class="scroll">${isBig ? map(context, shown) : table(context, shown)}</div>
    ${legend(context, shown)}
  </figure>`
}

/**
 * @param {SceneContext} context
 * @param {Matrix} matrix
 */
function legend({ t, isDark }, { id, scale, reach, tensor, isHidden }) {
  const [from, to] = scale === 'share' ? ['0', '1'] : [short(-reach), short(reach)]
  const hasHidden = tensor.data.some((_, i) => isHidden(Math.floor(i / tensor.dims[1]), i % tensor.dims[1]))
  return html`<div class="legend">
    <span class="legend-scale" role="img" aria-label=${t('legend', { from, to })} id="${id}-legend">
      <span>${from}</span><span class="ramp" .style=${`background-image: ${gradient(scale, isDark)}`}></span><span>${to}</span>
    </span>
    ${hasHidden ? html`<span class="legend-hidden"><span class="swatch is-hidden"></span>${t('hidden')}</span>` : nothing}
  </div>`
}

/** @param {Event} event @returns {{ row: number, column: number } | undefined} */
function cellOf({ target }) {
  const cell = /** @type {Element} */ (target).closest('td[data-row]')
  if (!(cell instanceof HTMLElement)) return undefined
  return { row: Number(cell.dataset.row), column: Number(cell.dataset.column) }
}

/**
 * Every number in its cell.
 * @param {SceneContext} context
 * @param {Matrix} matrix
 */
function table(context, { id, tensor, rows, columns, scale, reach, isHidden }) {
  const { t, state, actions, isDark, cell, sources } = context
  const [height, width] = tensor.dims
  const focus = state.cursor.matrix === id ? state.cursor : { row: 0, column: 0 }
  const own = sources.get(id)
  const point = (/** @type {Event} */ event) => {
    const at = cellOf(event)
    if (at) actions.point({ matrix: id, ...at })
  }
  const pin = (/** @type {Event} */ event) => {
    const at = cellOf(event)
    if (at) actions.pin({ matrix: id, ...at })
  }
  const keydown = (/** @type {KeyboardEvent & { currentTarget: HTMLElement }} */ event) => {
    const at = cellOf(event)
    if (!at) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      return pin(event)
    }
    const next = moved(event, at, height, width)
    if (!next) return
    event.preventDefault()
    const target = event.currentTarget.querySelector(`td[data-row="${next.row}"][data-column="${next.column}"]`)
    if (target instanceof HTMLElement) target.focus()
  }
  const tableCell = (/** @type {number} */ row, /** @type {number} */ column) => {
    const value = tensor.data[row * width + column]
    const hidden = isHidden(row, column)
    const { ground, ink } = colourOf(scale, reach, value, isDark)
    const isShown = cell.matrix === id && cell.row === row && cell.column === column
    const isFocus = focus.row === row && focus.column === column
    return html`<td
      class="number ${hidden ? 'is-hidden' : ''} ${isShown ? 'is-shown' : ''} ${own?.has(row * width + column) ? 'is-source' : ''}"
      .style=${hidden ? '' : `background-color: ${ground}; color: ${ink}`}
      data-row=${row}
      data-column=${column}
      tabindex=${isFocus ? 0 : -1}
      aria-selected=${isShown && state.pinned ? 'true' : 'false'}
      aria-label=${hidden ? t('cellHidden', { value: format(value) }) : nothing}
    >${format(value)}</td>`
  }
  return html`<table
    class="numbers"
    role="grid"
    aria-labelledby="${id}-title"
    aria-describedby="${id}-axes"
    @click=${pin}
    @pointerover=${point}
    @focusin=${point}
    @keydown=${keydown}
  >
    <thead>
      <tr>
        <td></td>
        ${columns.map(name => html`<th scope="col" class="name column-name" title=${name}><span>${name}</span></th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (name, row) =>
          html`<tr>
            <th scope="row" class="name row-name" title=${name}><span>${name}</span></th>
            ${columns.map((_, column) => tableCell(row, column))}
          </tr>`,
      )}
    </tbody>
  </table>`
}
