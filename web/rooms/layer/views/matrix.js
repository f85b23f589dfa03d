import { html, nothing } from 'lit'
import '../../../ui/lazy-map.js'
import './matrix-grid.js'
import { dragMark } from '../../../attention-head/views/head-map.js'
import { short } from '../../../files/number-format.js'
import { gradient } from '../../../ui/number-colours.js'
import { left, rested } from '../../../ui/pointing.js'
import { isSameCell } from '../settings.js'
import { math } from './math.js'
import { saveMenu } from './save-menu.js'
import { selectCell } from './select.js'

/** @import { Matrix, MatrixId, Region, SceneContext } from '../layer.js' */

/** Numbers of rows or columns (MOST_NUMBERS) and of cells above which a matrix is drawn as a map. */
const MOST_NUMBERS = 24
const MOST_CELLS = 320

/** @param {Matrix} matrix */
const isBig = ({ tensor: { dims } }) => Math.max(...dims) > MOST_NUMBERS || dims[0] * dims[1] > MOST_CELLS

/**
 * Returns the highlights of a matrix: the sources and targets of `lit` that are in it.
 * @param {SceneContext} context
 * @param {Matrix} matrix
 */
function marksOf({ sources, targets }, { id, head }) {
  const own = (/** @type {Region} */ region) => region.matrix === id && region.head === head
  return [
    ...sources.filter(own).map(region => ({ ...region, kind: 'source' })),
    ...targets.filter(own).map(region => ({ ...region, kind: 'target' })),
  ]
}

/**
 * Draws a matrix with its name, axes and colour scale.
 * @param {SceneContext} context
 * @param {MatrixId} id
 * @param {{ isCopy?: boolean, isTurned?: boolean }} [options] isCopy: True for a repetition of a matrix that another step shows in full
 */
export function matrix(context, id, { isCopy = false, isTurned = false } = {}) {
  const { t, matrices } = context
  const shown = matrices.get(id)
  if (!shown) return nothing
  const [down, across] = isTurned ? [...shown.axes].reverse() : shown.axes
  const symbol = isTurned ? `${shown.symbol}^T` : shown.symbol
  return html`<figure
    class="matrix ${isCopy ? 'is-copy' : ''}"
    data-matrix=${isCopy ? nothing : id}
    data-copy=${isCopy ? id : nothing}
  >
    <figcaption>
      <h4>${math(symbol)} <span class="title">${t(`matrix.${id}`)}</span> <span class="size">${shape(shown, isTurned)}
        ${isCopy ? nothing : saveMenu({ t, matrix: shown })}</span></h4>
      ${isCopy || shown.rows.length === 1 ? nothing : html`<p>${t('axes', { down: t(`axis.${down}`), across: t(`axis.${across}`) })}</p>`}
    </figcaption>
    ${isBig(shown) ? map(context, shown) : numbers(context, shown, isTurned)}
    ${isCopy || shown.rows.length === 1 || isBig(shown) ? nothing : legend(context, shown)}
  </figure>`
}

/** @param {Matrix} matrix @param {boolean} isTurned */
const shape = ({ tensor: { dims } }, isTurned) => (isTurned ? [...dims].reverse() : dims).join('×')

/** @param {SceneContext} context @param {Matrix} shown @param {boolean} isTurned */
function numbers(context, shown, isTurned) {
  const { t, actions, isDark, lit, cell, settings } = context
  const isHere = lit.matrix === shown.id && lit.head === shown.head
  const isKept = settings.cell !== null && isSameCell(cell, lit)
  return html`<div class="scroll" tabindex=${nothing}><matrix-grid
    .matrix=${shown}
    .isTurned=${isTurned}
    .isDark=${isDark}
    .t=${t}
    .actions=${actions}
    .marks=${marksOf(context, shown)}
    .shown=${isHere ? lit : undefined}
    .isKept=${isHere && isKept}
  ></matrix-grid></div>`
}

/**
 * Draws a matrix too large for numbers as a map.
 * @param {SceneContext} context
 * @param {Matrix} shown
 */
function map(context, shown) {
  const { t, actions, cell, settings } = context
  const { id, head, tensor, rows, columns, axes, scale, domain, isEditable } = shown
  const at = (/** @type {CustomEvent} */ { detail: { row, column } }) => ({ matrix: id, head, row, column })
  const isHere = cell.matrix === id && cell.head === head
  const map = {
    label: t(`matrix.${id}`),
    matrix: tensor,
    before: shown.before,
    rowTokens: rows,
    columnTokens: columns,
    domain,
    rowTitle: t(`axis.${axes[0]}`),
    columnTitle: t(`axis.${axes[1]}`),
    texts: t.elements,
    scale: scale === 'share' ? 'sequential' : 'diverging',
    isEditable,
    cell: isHere ? cell : undefined,
    pinned: isHere && settings.cell ? cell : undefined,
  }
  return html`<lazy-map
    class="big"
    .map=${map}
    @cell-focus=${(/** @type {CustomEvent} */ event) => rested(() => actions.point(at(event)))}
    @cell-leave=${() => left(() => actions.point(undefined))}
    @cell-pin=${(/** @type {CustomEvent} */ event) => selectCell(actions, at(event), event.detail.isSecond)}
    @cell-edit=${(/** @type {CustomEvent} */ event) =>
      event.detail.isUndone
        ? actions.undo()
        : actions.edit(at(event), event.detail.value, dragMark(event.detail.isFirst))}
  ></lazy-map>`
}

/**
 * @param {SceneContext} context
 * @param {Matrix} matrix
 */
function legend({ t, isDark }, { scale, reach, tensor, isHidden }) {
  const [from, to] = scale === 'share' ? ['0', '1'] : [short(-reach), short(reach)]
  const hasHidden = tensor.data.some((_, i) => isHidden(Math.floor(i / tensor.dims[1]), i % tensor.dims[1]))
  return html`<div class="legend">
    <span class="legend-scale" role="img" aria-label=${t('legend', { from, to })}>
      <span>${from}</span><span class="ramp" .style=${`background-image: ${gradient(scale, isDark)}`}></span><span>${to}</span>
    </span>
    ${hasHidden ? html`<span class="legend-hidden"><span class="swatch is-hidden"></span>${t('hidden')}</span>` : nothing}
  </div>`
}
