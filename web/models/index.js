// Where the numbers of a trace start. To add a model: a file here, its name below and among the choices of `model`
// (settings/fields.js), its text in the language files.

import { given } from './given.js'
import { heads } from './heads.js'
import { multihead } from './multihead.js'
import { zoo } from './zoo.js'

/** @typedef {import('qkv').Qkv} Qkv */
/** @typedef {import('qkv').Generator} Generator */
/** @typedef {import('../settings/check.js').Checked} Checked */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {import('../settings/matrices.js').MatrixId} MatrixId */

/**
 * Tensors by the name of their matrix: (rows, columns) where all heads share one, else (heads, rows, columns).
 * @typedef {Partial<Record<MatrixId, FloatTensor>>} Tensors
 */

/**
 * @callback Start
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {import('./table.js').Table} table
 * @returns {{ tensors: Tensors, generator?: Generator }} X, X2 (cross-attention), Wq, bq, Wk, bk, Wv, bv, Wo, bo as far
 *   as there are any, or Q, K, V, or weights; and the random stream as they left it
 */

/** @type {Record<Checked['model'], Start>} */
export const MODELS = { heads, multihead, zoo, given }
