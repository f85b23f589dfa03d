// The starting numbers of a trace. To add a model, add a file here, its name below and in the choices of `model` (fields.js), and its text
// in the language files.

import { imported } from './from-imported.js'
import { handBuilt } from './hand-built-heads.js'
import { multihead } from './multi-head-attention.js'
import { withPositions } from './positions.js'
import { heads } from './random-heads.js'
import { trained } from './trained-head.js'

/** @import { Generator, Qkv } from 'qkv' */
/** @import { Checked, MatrixId } from '../layer.js' */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */

/**
 * Tensors by matrix name: (rows, columns) if all heads share the matrix, else (heads, rows, columns).
 * @typedef {Partial<Record<MatrixId, FloatTensor>>} Tensors
 */

/** The tensors of a trace. @typedef {Tensors & { weights: FloatTensor }} Traced */

/**
 * Makes the starting tensors of a model.
 * @callback Start
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {import('./embedding-table.js').Table} table
 * @returns {{ tensors: Tensors, generator?: Generator }} tensors: X, X2 (cross-attention), Wq, bq, Wk, bk, Wv, bv, Wo, bo, as far as the
 *   model has them; or Q, K, V; or weights. generator: in its state after drawing these tensors
 */

/** @type {Record<Checked['model'], Start>} */
export const MODELS = { heads, multihead, handBuilt, imported, trained }

/** Returns the starting tensors of a trace, with positions added. @type {Start} */
export function startOf(qkv, settings, table) {
  const start = MODELS[settings.model](qkv, settings, table)
  return { ...start, tensors: withPositions(qkv, settings, start.tensors) }
}
