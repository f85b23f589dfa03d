// Shared parts of the programs that the page writes.

/** @import { Checked, FloatTensor, MatrixId, Result } from '../layer.js' */

/** Names of the matrices in programs. @type {Partial<Record<MatrixId, string>>} */
export const NAMES = {
  X: 'X',
  X2: 'X2',
  Q: 'Q',
  K: 'K',
  V: 'V',
  weights: 'A',
  Wq: 'W_q',
  Wk: 'W_k',
  Wv: 'W_v',
  Wo: 'W_o',
  bq: 'b_q',
  bk: 'b_k',
  bv: 'b_v',
  bo: 'b_o',
  Wa: 'W_a',
  Ua: 'U_a',
  ba: 'b_a',
  va: 'v_a',
}

/** Formats with nine digits, enough to restore any float32 exactly. @param {number} x */
export const digits = x => String(Number(x.toPrecision(9)))

/**
 * Writes a tensor as nested lists in brackets.
 * @param {FloatTensor} tensor
 * @param {(x: number) => string} write formats a number
 */
export function nested({ data, dims }, write) {
  const part = (/** @type {number} */ axis, /** @type {number} */ from, /** @type {number} */ size) => {
    if (axis === dims.length) return write(data[from])
    const step = size / dims[axis]
    /** @type {string[]} */
    const parts = Array.from({ length: dims[axis] }, (_, i) => part(axis + 1, from + i * step, step))
    return `[${parts.join(', ')}]`
  }
  return part(0, 0, data.length)
}

/** @type {readonly MatrixId[]} */
const DRAWN = ['X', 'X2', 'Wq', 'Wk', 'Wv', 'bq', 'bk', 'bv', 'Wo', 'bo']
/** @type {readonly MatrixId[]} */
const HIDDEN = ['Wa', 'Ua', 'ba', 'va']

/**
 * Returns the tensors that all others are computed from, before any edits.
 * @param {Result} result
 * @param {boolean} isKnown True if the program computes this kind of score
 * @returns {[MatrixId, FloatTensor][]}
 */
export function startOf({ tensors, before = tensors }, isKnown) {
  /** @type {readonly MatrixId[]} */
  const names =
    !isKnown || !before.Q ? ['weights', 'V'] : before.Wq ? [...DRAWN, ...HIDDEN] : ['Q', 'K', 'V', 'Wo', ...HIDDEN]
  return names.flatMap(name => {
    const tensor = before[name]
    return tensor ? [[name, tensor]] : []
  })
}

/**
 * Returns the edits of existing cells, except those of attention weights.
 * @param {Result} result
 */
export const editsOf = ({ settings: { edits }, tensors }) =>
  edits.filter(edit => {
    const [rows, columns] = tensors[edit.matrix]?.dims.slice(-2) ?? [0, 0]
    const heads = tensors[edit.matrix]?.dims.length === 3 ? (tensors[edit.matrix]?.dims[0] ?? 0) : 1
    const isThere = edit.row < rows && edit.column < columns && edit.head < heads
    return isThere && NAMES[edit.matrix] && edit.matrix !== 'weights'
  })

/**
 * Returns the weights set by hand, row by row.
 * @param {Result} result
 * @returns {{ head: number, row: number, held: [column: number, value: number][] }[]}
 */
export function heldRows({ settings: { edits }, tensors }) {
  const [H, L, S] = tensors.weights?.dims ?? [0, 0, 0]
  /** @type {Map<string, ReturnType<typeof heldRows>[number]>} */
  const rows = new Map()
  for (const { matrix, head, row, column, value } of edits) {
    if (matrix !== 'weights' || head >= H || row >= L || column >= S) continue
    const name = `${head} ${row}`
    const known = rows.get(name) ?? { head, row, held: [] }
    known.held.push([column, Math.min(Math.max(value, 0), 1)])
    rows.set(name, known)
  }
  return [...rows.values()]
}

/**
 * Returns the existing painted cells.
 * @param {Checked} settings
 */
export const paintedOf = ({ painted, queries, keys }) =>
  painted.filter(([row, column]) => row < queries.tokens.length && column < keys.tokens.length)

/** Joins paragraphs with empty lines. @param {string[][]} sections */
export const program = sections =>
  `${sections
    .filter(lines => lines.length)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`
