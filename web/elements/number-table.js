import { html, nothing } from 'lit'

/** @import { Cell } from './geometry.js' */

/** Maximum rows and columns of a table; larger tables are split into pages. */
const PAGE = 24

/**
 * Draws the numbers as an HTML table.
 * @param {object} given
 * @param {number} given.rows
 * @param {number} given.columns
 * @param {Cell} given.page first cell of the page
 * @param {string} given.label
 * @param {(key: keyof typeof import('./all-texts.js').texts, values?: Record<string, string | number>) => string} given.say
 * @param {(axis: 'row' | 'column', index: number) => string} given.name
 * @param {(cell: Cell) => string} given.value
 * @param {(page: Cell) => void} given.turn
 * @returns {unknown}
 */
export function table({ rows, columns, page, label, say, name, value, turn }) {
  const count = (/** @type {number} */ from, /** @type {number} */ all) => Math.max(Math.min(PAGE, all - from), 0)
  const across = Array.from({ length: count(page.column, columns) }, (_, i) => page.column + i)
  const down = Array.from({ length: count(page.row, rows) }, (_, i) => page.row + i)
  const isPaged = rows > PAGE || columns > PAGE
  const where = say('zoomed', {
    rows,
    columns,
    firstRow: page.row + 1,
    lastRow: page.row + down.length,
    firstColumn: page.column + 1,
    lastColumn: page.column + across.length,
  })
  const step = (
    /** @type {'previousRows' | 'nextRows' | 'previousColumns' | 'nextColumns'} */ key,
    /** @type {string} */ sign,
    /** @type {Cell} */ to,
  ) => {
    const isThere = to.row >= 0 && to.column >= 0 && to.row < rows && to.column < columns
    return html`<button type="button" aria-label=${say(key)} title=${say(key)} ?disabled=${!isThere}
      @click=${() => turn(to)}>${sign}</button>`
  }
  const { row, column } = page
  return html`<table>
      <caption>${label}${isPaged ? html`<br />${where}` : nothing}</caption>
      <thead>
        <tr>
          <td></td>
          ${across.map(at => html`<th scope="col">${name('column', at)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${down.map(
          at =>
            html`<tr>
              <th scope="row">${name('row', at)}</th>
              ${across.map(other => html`<td>${value({ row: at, column: other })}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${
      isPaged
        ? html`<div class="tools">
            ${step('previousRows', '↑', { row: row - PAGE, column })}
            ${step('nextRows', '↓', { row: row + PAGE, column })}
            ${step('previousColumns', '←', { row, column: column - PAGE })}
            ${step('nextColumns', '→', { row, column: column + PAGE })}
          </div>`
        : nothing
    }`
}
