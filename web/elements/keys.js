// Computes where a key press moves in a matrix, or in a group of items with a roving focus.

/** @typedef {{ row: number, column: number }} Cell */

/**
 * Returns the cell that a key moves to. Arrows move to neighbours. Home and End move to the ends of the row, with Ctrl to the corners of
 * the matrix. PageUp and PageDown move by ten rows, or by a tenth of all rows if that is more.
 * @param {{ key: string, ctrlKey: boolean, metaKey?: boolean }} event
 * @param {Cell} from
 * @param {number} rows
 * @param {number} columns
 * @returns {Cell | undefined} undefined for other keys
 */
export function moved({ key, ctrlKey, metaKey }, { row, column }, rows, columns) {
  const far = ctrlKey || metaKey
  const page = Math.max(10, Math.round(rows / 10))
  const [bottom, right] = [rows - 1, columns - 1]
  /** @type {Record<string, Cell>} */
  const to = {
    ArrowUp: { row: far ? 0 : Math.max(row - 1, 0), column },
    ArrowDown: { row: far ? bottom : Math.min(row + 1, bottom), column },
    ArrowLeft: { row, column: far ? 0 : Math.max(column - 1, 0) },
    ArrowRight: { row, column: far ? right : Math.min(column + 1, right) },
    Home: { row: far ? 0 : row, column: 0 },
    End: { row: far ? bottom : row, column: right },
    PageUp: { row: Math.max(row - page, 0), column },
    PageDown: { row: Math.min(row + page, bottom), column },
  }
  return to[key]
}

/**
 * Returns the item that a key moves to. Arrows move to the next or previous item and wrap around; Home and End move to the ends.
 * @param {{ key: string }} event
 * @param {number} at
 * @param {number} count
 * @param {boolean} [isDown] true if the up and down arrows work too
 * @returns {number | undefined} undefined for other keys
 */
export function movedInRing({ key }, at, count, isDown = false) {
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const by = { ArrowRight: 1, ArrowLeft: -1, ...(isDown && { ArrowDown: 1, ArrowUp: -1 }) }[key]
  return by && (at + by + count) % count
}
