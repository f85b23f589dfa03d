// Parts of a map of many words: chosen rows, and the cells around one. Pure.

/** Number of rows above which rows can be filtered and a lens magnifies the cells around the current one. */
export const MANY_ROWS = 24

/**
 * Returns the displayed rows: rows of the range whose word contains the filter, or the whole range if no word does.
 * @param {readonly string[]} names
 * @param {string} filter
 * @param {{ from: number, to: number }} [range]
 * @returns {{ rows: number[], found: number }} found: number of matches
 */
export function rowsOf(names, filter, range) {
  const [from, to] = [range?.from ?? 0, Math.min(range?.to ?? Infinity, names.length - 1)]
  const all = Array.from({ length: Math.max(to - from + 1, 0) }, (_, i) => from + i)
  const found = filter ? all.filter(i => names[i].toLowerCase().includes(filter.toLowerCase())) : []
  return { rows: found.length ? found : all.length ? all : names.map((_, i) => i), found: found.length }
}

/**
 * Picks rows and columns of a matrix.
 * @template {{ data: Float32Array | Uint8Array, dims: readonly number[] }} T
 * @param {T} matrix (rows, columns)
 * @param {readonly number[]} rows
 * @param {number} [from] first column
 * @param {number} [count]
 * @returns {{ data: T['data'], dims: number[] }}
 */
export function pick({ data, dims }, rows, from = 0, count = dims[1]) {
  const part = new /** @type {any} */ (data.constructor)(rows.length * count)
  rows.forEach((row, i) => {
    part.set(data.subarray(row * dims[1] + from, row * dims[1] + from + count), i * count)
  })
  return { data: part, dims: [rows.length, count] }
}

/**
 * Returns the start of a window around a cell, kept within the matrix.
 * @param {{ row: number, column: number }} cell
 * @param {readonly number[]} dims
 * @param {number} size
 */
export function windowAround({ row, column }, [rows, columns], size) {
  const start = (/** @type {number} */ at, /** @type {number} */ most) =>
    Math.max(0, Math.min(at - Math.floor(size / 2), most - size))
  return {
    row: start(row, rows),
    rows: Math.min(size, rows),
    column: start(column, columns),
    columns: Math.min(size, columns),
  }
}
