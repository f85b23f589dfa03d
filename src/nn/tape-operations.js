// All operations of a tape. Their gradients are also functions of qkv/nn (gradients.js).

import { prepareAttention } from './attention.js'
import { prepareDropout } from './dropout.js'
import { prepareRelativeBias } from './embedding.js'
import { prepareLinear } from './linear.js'
import { prepareRope, prepareSoftmax } from './lines.js'
import { OPERATIONS, operation } from './operations.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./operation.js').Operand} Operand */
/** @typedef {import('./elementwise.js').GeluOptions} GeluOptions */

/**
 * Those whose operands are all tensors, as methods of a tape: the functions of qkv and qkv/nn without `out`. Results are resident, valid until the next tape.
 * @typedef {object} Operations
 * @property {(x: Operand, weight?: Operand, bias?: Operand, options?: { eps?: number }) => FloatTensor} layerNorm
 * @property {(x: Operand, weight?: Operand, options?: import('./norm.js').NormOptions) => FloatTensor} rmsNorm
 * @property {(x: Operand, options?: GeluOptions) => FloatTensor} gelu
 * @property {(x: Operand) => FloatTensor} relu
 * @property {(x: Operand) => FloatTensor} silu
 * @property {(gate: Operand, up?: Operand) => FloatTensor} swiglu silu(gate) * up; without up, gate holds both, (..., 2 C)
 * @property {(gate: Operand, up?: Operand, options?: GeluOptions) => FloatTensor} geglu gelu(gate) * up
 * @property {(a: Operand, b: Operand) => FloatTensor} add a + b; b may lack leading axes
 * @property {(a: Operand, b: Operand) => FloatTensor} mul a * b; b may lack leading axes
 * @property {(x: Operand, options?: { axis?: number }) => FloatTensor} softmax
 * @property {(x: Operand, options?: import('../ops/rope.js').RopeOptions) => FloatTensor} rope
 */

const ROPE = 'positions pastLength interleaved rotaryDim base cos sin numHeads'

export const TAPE_OPERATIONS = {
  ...OPERATIONS,
  linear: operation('x weight bias? residual?', 'layout', prepareLinear),
  attention: operation('q bias? sinks? k? v?', 'numHeads kvHeads', prepareAttention),
  rope: operation('x', ROPE, prepareRope),
  softmax: operation('x', 'axis', prepareSoftmax),
  relativeBias: operation('table', 'L S', prepareRelativeBias),
  dropout: operation('x', 'p', prepareDropout),
}
