// Attention on a single operand that holds q, k and v side by side.

import { readOptions } from '../../base/arguments.js'
import { OUT_OPTIONS } from '../../runtime/outputs.js'
import { runGradients, runOperation, toOperation } from '../operation.js'
import { LABELS, prepareAttention } from './rows.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { RowOptions } from './rows.js' */

const PACKED = toOperation(['x', 'bias?', 'sinks?'], {
  options: LABELS.packedAttention.known,
  prepare: prepareAttention,
})

/**
 * Computes self-attention on rows that hold the heads of q, k and v side by side, as one linear layer outputs them: (B, L, (H + 2 G) * D),
 * or the same without B, -> (B, L, H * D). Options as in qkv.attention with numHeads.
 * @type {(qkv: Qkv, x: Operand, options: RowOptions & import('../../runtime/outputs.js').OutOptions) => FloatTensor}
 */
export function packedAttention(qkv, x, options) {
  const given = readOptions(options, [...PACKED.options, ...OUT_OPTIONS], 'packedAttention')
  return runOperation(qkv, 'packedAttention', PACKED, [x, given.bias, given.sinks], given)
}

/**
 * Returns the gradients of packedAttention: dX, and dBias and dSinks if there are a bias and sinks. With dropout, pass the generator in the
 * state that it had before the attention.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options: RowOptions & import('../operation.js').Outs<'dX' | 'dBias' | 'dSinks'>) => { dX: FloatTensor, dBias?: FloatTensor, dSinks?: FloatTensor }}
 */
export function packedAttentionBackward(qkv, x, dY, options) {
  const where = 'packedAttentionBackward'
  const given = readOptions(options, [...PACKED.options, ...OUT_OPTIONS], where)
  return runGradients(qkv, where, PACKED, [x, given.bias, given.sinks], dY, given)
}
