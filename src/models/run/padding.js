// Pads texts of different lengths to one rectangular input, and removes the padding from outputs.

import { Tensor } from '../../base/tensor.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { ModelOutput } from '../model.js' */

/**
 * Pads texts of different lengths into one input.
 * @param {readonly { ids: readonly number[], tokenTypeIds?: readonly number[] }[]} rows
 * @param {number} pad id of padding
 * @param {boolean} isLeft True to pad on the left
 * @returns {{ ids: number[][], attentionMask: number[][], tokenTypeIds?: number[][] }}
 */
export function padRows(rows, pad, isLeft) {
  const L = Math.max(...rows.map(({ ids }) => ids.length))
  const fill = (/** @type {readonly number[]} */ list, /** @type {number} */ value) => {
    const padding = Array(L - list.length).fill(value)
    return isLeft ? [...padding, ...list] : [...list, ...padding]
  }
  const hasTypes = rows.some(({ tokenTypeIds }) => tokenTypeIds)
  return {
    ids: rows.map(({ ids }) => fill(ids, pad)),
    attentionMask: rows.map(({ ids }) => fill(Array(ids.length).fill(1), 0)),
    ...(hasTypes && { tokenTypeIds: rows.map(({ ids, tokenTypeIds }) => fill(tokenTypeIds ?? ids.map(() => 0), 0)) }),
  }
}

/** Returns the texts of a padded input, each without its padding. @param {ReturnType<typeof padRows>} input */
export const dropPadding = ({ ids, attentionMask, tokenTypeIds }) =>
  ids.map((row, b) => {
    const isReal = (/** @type {number} */ _, /** @type {number} */ i) => attentionMask[b][i] === 1
    return { ids: row.filter(isReal), tokenTypeIds: tokenTypeIds?.[b].filter(isReal) }
  })

/**
 * Gives the output of packed texts the dims of the padded input; padding rows are 0.
 * @param {ModelOutput} output
 * @param {number[][]} attentionMask
 * @returns {ModelOutput}
 */
export function restorePadding(output, attentionMask) {
  const real = attentionMask.flat()
  const spread = (/** @type {FloatTensor | undefined} */ rows) => {
    if (rows?.dims.length !== 3) return rows
    const [, , d] = rows.dims
    const out = new Float32Array(real.length * d)
    let at = 0
    real.forEach((one, n) => {
      if (one) out.set(rows.data.subarray(d * at++, d * at), n * d)
    })
    return new Tensor(out, [attentionMask.length, attentionMask[0].length, d])
  }
  const { lastHiddenState, classLogits, classScores } = output
  return {
    ...output,
    lastHiddenState: /** @type {FloatTensor} */ (spread(lastHiddenState)),
    classLogits: spread(classLogits),
    classScores: spread(classScores),
  }
}
