// The gradients of attention. Scores are computed anew, tile by tile, without any L x S matrix.

import { expectDims } from '../base/arguments.js'
import { count, Tensor, toFloats } from '../base/tensor.js'
import { keysToMemory, putTensor, queriesToMemory, writeCall } from '../ops/attention.js'
import { ATTENTION_OPTIONS, checkAttention, HEAD_OPTIONS, labels } from '../ops/attention-options.js'
import { BACKWARD_WORDS, indices } from '../runtime/abi.js'
import { linearGradients } from './linear-backward.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../runtime/attention-call.js').AttentionCall} AttentionCall */
/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {Tensor<Float32Array>} FloatTensor */

const LABELS = labels('attentionBackward', ['q', 'k', 'v', 'dOutput'], [...ATTENTION_OPTIONS, ...HEAD_OPTIONS])
const AT = indices(BACKWARD_WORDS)

/**
 * The gradient of each input, with its dims. Heads that share a key head, and places that share a value of a
 * broadcast mask or bias, are added up, as PyTorch does.
 * @typedef {object} AttentionGradients
 * @property {FloatTensor} dQ
 * @property {FloatTensor} dK
 * @property {FloatTensor} dV
 * @property {FloatTensor} [dMask] of a float mask
 * @property {FloatTensor} [dBias] of a bias
 * @property {FloatTensor} [dSinks] of sinks
 * @property {{ wQuery: FloatTensor, wKey: FloatTensor, v: FloatTensor, bias?: FloatTensor }} [dScore] of the
 *   weights of an additive score
 */

/**
 * @param {Core} core
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {unknown} dOutput
 * @param {import('../ops/attention-options.js').AttentionOptions} options
 * @returns {AttentionGradients}
 */
export function differentiateAttention(core, q, k, v, dOutput, options) {
  const call = core.takeCall()
  try {
    checkAttention(call, q, k, v, options, LABELS)
    const upstream = toFloats(dOutput, LABELS.names.dOutput)
    expectDims(upstream, call.outputDims, LABELS.names.dOutput, '(..., L, E)')
    return core.scope(() => differentiate(core, call, upstream))
  } finally {
    core.giveCall(call)
  }
}

/** @param {Core} core @param {AttentionCall} call @param {FloatTensor} upstream */
function differentiate(core, call, upstream) {
  const { B, H, G, L, S, D, E, additive, bias, sinks, inRows } = call
  const zeros = (/** @type {number} */ n) => {
    const data = core.allocFloats(n)
    core.floats.fill(0, data / 4, data / 4 + n)
    return data
  }
  const tensorOut = (/** @type {number} */ data, /** @type {readonly number[]} */ dims) =>
    new Tensor(core.copyOut(data, count(dims)), dims)
  const queries = queriesToMemory(core, call)
  const keys = keysToMemory(core, call)
  const values = core.toMemory(call.v)
  const dOut = core.toMemory(upstream)
  const [dQ, dK, dV] = [B * H * L * D, B * G * S * D, B * G * S * E].map(zeros)
  const dValue = additive ? zeros(D) : 0
  const dSinks = sinks ? zeros(H) : 0
  const dBias = bias ? zeros(count(bias.tensor.dims)) : 0

  const args = writeCall(core, call, queries, keys, values, 0, inRows, inRows, BACKWARD_WORDS.length)
  const at = args / 4
  const { words } = core
  putTensor(words, at + AT['d_out.data'], dOut, H, L, E, inRows)
  putTensor(words, at + AT['dq.data'], dQ, H, L, D, inRows)
  putTensor(words, at + AT['dk.data'], dK, G, S, D, inRows)
  putTensor(words, at + AT['dv.data'], dV, G, S, E, inRows)
  words[at + AT.d_w_v] = dValue
  words[at + AT.d_sinks] = dSinks
  words[at + AT.d_bias] = dBias
  if (call.dropout) runWithDropout(core, args, call.dropout)
  else runBackward(core, args)

  /** @type {AttentionGradients} */
  const result = additive
    ? { ...projections(core, call, dQ, dK, dValue), dV: tensorOut(dV, call.v.dims) }
    : { dQ: tensorOut(dQ, call.q.dims), dK: tensorOut(dK, call.k.dims), dV: tensorOut(dV, call.v.dims) }
  if (sinks) result.dSinks = tensorOut(dSinks, [H])
  if (bias) result[call.options.bias === undefined ? 'dMask' : 'dBias'] = tensorOut(dBias, bias.tensor.dims)
  return result
}

/** struct qkv_backward, on all threads where that is worth it. @param {Core} core @param {number} args */
export function runBackward(core, args) {
  const { words, exports, threads } = core
  const [B, H, , L, S, D, E] = words.subarray(args / 4, args / 4 + 7)
  const scratch = exports.qkv_backward_scratch(args)
  const units = exports.qkv_backward_units(args)
  const job = { kernel: 'qkv_backward_part', args: [args], work: B * H * L * S * (6 * D + 4 * E), units, scratch }
  if (threads?.run(core, job)) return
  const at = core.alloc(scratch)
  core.words[args / 4 + AT.scratch] = at
  core.check('qkv_backward', exports.qkv_backward(args))
}

/**
 * The kernel draws the numbers of the forward call.
 * @param {Core} core
 * @param {number} args
 * @param {NonNullable<AttentionCall['dropout']>} dropout
 */
function runWithDropout(core, args, { p, generator }) {
  generator.withState(core, state => {
    core.floats[args / 4 + AT.dropout] = p
    core.words[args / 4 + AT.generator] = state
    runBackward(core, args)
  })
}

/**
 * From the gradients of projected queries and keys to those of q, k and the weights of the score.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {number} dQueries address of (B, H, L, A)
 * @param {number} dKeys address of (B, G, S, A)
 * @param {number} dValue address of (A)
 */
function projections(core, call, dQueries, dKeys, dValue) {
  const { q, k, D, B, H, G, L, S } = call
  const { wQuery, wKey, bias } = /** @type {import('../runtime/attention-call.js').AdditiveScore} */ (call.additive)
  const left = linearGradients(core, q, wQuery, dQueries, B * H * L)
  const right = linearGradients(core, k, wKey, dKeys, B * G * S)
  return {
    dQ: left.dX,
    dK: right.dX,
    dScore: {
      wQuery: left.dWeight,
      wKey: right.dWeight,
      v: new Tensor(core.copyOut(dValue, D), [D]),
      ...(bias && { bias: left.dBias }),
    },
  }
}
