// Computes logits of classes from the model's output. Letters: B texts, L tokens, d width of the model. Loaded with a checkpoint that has
// classes.

import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { copyOf } from '../run/model-hooks.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @typedef {'first' | 'last' | 'mean'} Rows */
/** @typedef {{ ids: Int32Array, rows?: unknown, mask?: { data: ArrayLike<number> }, L: number, past: number }} Input rows: defined if embeddings are given instead of ids */
/** @import { ClassesSpec } from '../family-shapes/parts.js' */

/**
 * Computes the logits and the scores of classes.
 * @param {ClassesSpec} classes
 * @param {import('../run/network.js').ModelOperations} ops
 * @param {FloatTensor} h (B, L, d)
 * @param {FloatTensor | undefined} pooled (B, d)
 * @param {Input} read the input of the model
 * @param {Uint32Array} starts (B + 1), the row of h at which each text starts
 * @param {unknown} pad id of padding
 * @returns {{ classLogits: FloatTensor, classScores: FloatTensor }} (B, classes), or (B, L, classes) for tokens
 */
export function classLogits({ row, layers, scores }, ops, h, pooled, read, starts, pad) {
  const pool = (/** @type {Rows} */ which) => rowsOf(which, copyOf(h), realRows(which, read, pad), starts)
  let y = row === 'pooled' ? present(pooled) : row ? pool(row) : h
  for (const { layer, activation, norm } of layers) {
    const isTanh = activation === 'tanh'
    y = ops.dense(layer, y, isTanh || !activation ? {} : { activation })
    if (isTanh) y = ops.qkv.tanh(y)
    if (norm) y = ops.norm(norm, y)
  }
  const logits = copyOf(y)
  const classScores =
    scores === 'softmax'
      ? copyOf(ops.qkv.softmax(logits))
      : new Tensor(scores === 'sigmoid' ? logits.data.map(x => 1 / (1 + Math.exp(-x))) : logits.data.slice(), [
          ...logits.dims,
        ])
  return { classLogits: logits, classScores }
}

/**
 * Returns an array (B, L) with 1 for each row that counts. For 'last' these are the ids other than padding, whatever the mask is, as in
 * transformers. For 'mean' they are the rows that the mask keeps, or without a mask the ids other than padding.
 * @param {Rows} which
 * @param {Input} read
 * @param {unknown} pad
 */
function realRows(which, { ids, rows, mask, L, past }, pad) {
  const isById = rows === undefined && (which === 'last' ? Number.isInteger(pad) : !mask)
  return Uint8Array.from(ids, (id, n) =>
    Number(isById ? id !== pad : (mask?.data[Math.floor(n / L) * (past + L) + past + (n % L)] ?? 1)),
  )
}

/**
 * Returns the first row of each text, its last one, or the mean of its rows.
 * @param {Rows} which
 * @param {FloatTensor} h (B, L, d)
 * @param {Uint8Array} real (B, L), from realRows
 * @param {Uint32Array} starts (B + 1), the row of h at which each text starts
 * @returns {FloatTensor} (B, d)
 */
function rowsOf(which, { data, dims: [, , d] }, real, starts) {
  const B = starts.length - 1
  const out = new Float32Array(B * d)
  for (let b = 0; b < B; b++) {
    const row = (/** @type {number} */ i) => data.subarray((starts[b] + i) * d, (starts[b] + i + 1) * d)
    const own = real.subarray(starts[b], starts[b + 1])
    if (which !== 'mean') out.set(row(which === 'first' ? 0 : Math.max(0, own.lastIndexOf(1))), b * d)
    else {
      const sum = new Float64Array(d)
      own.forEach((one, i) => {
        const own = one ? row(i) : undefined
        own?.forEach((value, c) => {
          sum[c] += value
        })
      })
      const count = own.reduce((n, one) => n + one, 0)
      sum.forEach((value, c) => {
        out[b * d + c] = value / count
      })
    }
  }
  return new Tensor(out, [B, d])
}
