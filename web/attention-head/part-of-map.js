// Selects parts of a map of many words: chosen rows, and a window of cells around the current one. Pure.

/** A map with more rows than this has a row filter, and a lens that magnifies the cells around the current one. */
export const MANY_ROWS = 24

/**
 * Returns the rows to display: the rows of `range` whose name contains `filter`, or all rows of `range` if none does.
 * @param {readonly string[]} names
 * @param {string} filter
 * @param {{ from: number, to: number }} [range]
 * @returns {{ rows: number[], found: number }} found: number of rows whose name contains `filter`
 */
export function rowsOf(names, filter, range) {
  const [from, to] = [range?.from ?? 0, Math.min(range?.to ?? Infinity, names.length - 1)]
  const all = Array.from({ length: Math.max(to - from + 1, 0) }, (_, i) => from + i)
  const found = filter ? all.filter(i => names[i].toLowerCase().includes(filter.toLowerCase())) : []
  return { rows: found.length ? found : all.length ? all : names.map((_, i) => i), found: found.length }
}

/**
 * Copies the given rows of a matrix, with `count` columns starting at `from`.
 * @template {{ data: Float32Array | Uint8Array, dims: readonly number[] }} T
 * @param {T} matrix (rows, columns)
 * @param {readonly number[]} rows
 * @param {number} [from]
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
 * Returns the first row and column of a window around a cell, and its numbers of rows and columns. The window never exceeds the matrix.
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
