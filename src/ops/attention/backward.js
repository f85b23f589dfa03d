// The gradients of attention. Scores are recomputed for each block of queries; no L x S matrix is stored.

import { expectDims } from '../../base/arguments.js'
import { toFloats } from '../../base/operand.js'
import { count } from '../../base/tensor.js'
import { expectCore } from '../../runtime/core-of.js'
import { OUT_OPTIONS } from '../../runtime/outputs.js'
import { indices } from '../../runtime/structs.js'
import { runLinearBackward } from '../linear/backward.js'
import { BACKWARD_WORDS } from '../nn-abi.js'
import { produceAll } from '../operation.js'
import { ATTENTION_OPTIONS, checkAttention, HEAD_OPTIONS, labels, TEXT_OPTIONS } from './arguments.js'
import { keysToMemory, putTensor, queriesToMemory, runWithDropout, writeCall } from './forward.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { AttentionCall } from '../../runtime/attention-call.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */

const LABELS = labels(
  'attentionBackward',
  ['q', 'k', 'v', 'dOutput'],
  [...ATTENTION_OPTIONS, ...HEAD_OPTIONS, ...TEXT_OPTIONS, ...OUT_OPTIONS],
)
const AT = indices(BACKWARD_WORDS)

/**
 * The gradient of each input, with the dims of the input. Gradients are summed over heads that share a key head, and over axes along which
 * a mask or bias was broadcast, as in PyTorch.
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
 * Returns the gradients of the inputs of attention, given dOutput, the gradient of its output. No L x S matrix is stored. The gradients of
 * a hidden key and of a query that sees no key are 0. With dropout, pass the generator in the state that it had before the attention.
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {import('../operation.js').Operand} q as in attention
 * @param {import('../operation.js').Operand} k
 * @param {import('../operation.js').Operand} v
 * @param {import('../operation.js').Operand} dOutput with the dims of the output
 * @param {import('./arguments.js').AttentionOptions & import('../operation.js').Outs<'dQ' | 'dK' | 'dV' | 'dMask' | 'dBias' | 'dSinks'>} [options] those of the attention
 * @returns {AttentionGradients}
 * @throws {TypeError | RangeError}
 */
export const attentionBackward = (qkv, q, k, v, dOutput, options = {}) =>
  differentiateAttention(expectCore(qkv, 'attentionBackward'), q, k, v, dOutput, options)

/**
 * @param {Core} core
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {unknown} dOutput
 * @param {import('./arguments.js').AttentionOptions & { out?: object, resident?: boolean }} options
 * @returns {AttentionGradients}
 */
function differentiateAttention(core, q, k, v, dOutput, options) {
  const call = core.takeCall()
  try {
    checkAttention(call, q, k, v, options, LABELS)
    const upstream = toFloats(dOutput, LABELS.names.dOutput)
    expectDims(upstream, call.outputDims, LABELS.names.dOutput, '(..., L, E)')
    return differentiate(core, call, upstream, call.options)
  } finally {
    core.giveCall(call)
  }
}

/** @param {Core} core @param {AttentionCall} call @param {FloatTensor} upstream @param {{ out?: object, resident?: boolean }} to @returns {AttentionGradients} */
function differentiate(core, call, upstream, to) {
  const { H, G, L, S, D, E, queries: rows, keys: keyRows, q, k, v, additive, bias, sinks, inRows } = call
  const biasName = call.options.bias === undefined ? 'dMask' : 'dBias'
  const weights = additive && { wQuery: additive.wQuery, wKey: additive.wKey, v: additive.v, bias: additive.bias }
  const ofScore = Object.entries(weights ?? {}).flatMap(([name, x]) => (x ? [[`dScore.${name}`, x.dims]] : []))
  const dims = {
    dQ: q.dims,
    dK: k.dims,
    dV: v.dims,
    ...(sinks && { dSinks: [H] }),
    ...(bias && { [biasName]: bias.tensor.dims }),
    ...Object.fromEntries(ofScore),
  }
  const inputs = [q, k, v, upstream, bias?.tensor, sinks, ...Object.values(weights ?? {})]
  const names = Object.keys(dims)
  const made = produceAll(core, dims, to, LABELS.where, inputs, addresses => {
    const at = (/** @type {string} */ name) => addresses[names.indexOf(name)] ?? 0
    for (const [i, name] of names.entries())
      if (i > 2) core.floats.fill(0, addresses[i] / 4, addresses[i] / 4 + count(dims[name])) // the kernel adds to all but dQ, dK and dV
    const queries = queriesToMemory(core, call)
    const keys = keysToMemory(core, call)
    const values = core.toMemory(v)
    const dOut = core.toMemory(upstream)
    // gradients of what the score compares: q and k, or their projections
    const [dQ, dK] = additive ? [H * rows * D, G * keyRows * D].map(n => core.allocFloats(n)) : [at('dQ'), at('dK')]
    const args = writeCall(core, call, queries, keys, values, 0, inRows, inRows, BACKWARD_WORDS.length)
    const { words } = core
    putTensor(words, args / 4 + AT['d_out.data'], dOut, H, L, E, inRows)
    putTensor(words, args / 4 + AT['dq.data'], dQ, H, L, D, inRows)
    putTensor(words, args / 4 + AT['dk.data'], dK, G, S, D, inRows)
    putTensor(words, args / 4 + AT['dv.data'], at('dV'), G, S, E, inRows)
    words[args / 4 + AT.d_w_v] = at('dScore.v')
    words[args / 4 + AT.d_sinks] = at('dSinks')
    words[args / 4 + AT.d_bias] = at(biasName)
    const run = () => runBackward(core, args, call)
    if (call.dropout)
      runWithDropout(core, args, call.dropout, run) // draws the random numbers of the forward call again
    else run()
    if (!additive) return
    const { wQuery, wKey } = additive
    /** @type {(x: FloatTensor, w: FloatTensor, dY: number, M: number, to: number[]) => void} */
    const project = (x, w, dY, M, [dX, dW, dBias]) => {
      const [N, K] = w.dims
      runLinearBackward(core, { x: core.toMemory(x), w: core.toMemory(w), dY, dX, dW, dBias }, [M, K, N])
    }
    project(q, wQuery, dQ, H * rows, [at('dQ'), at('dScore.wQuery'), at('dScore.bias')])
    project(k, wKey, dK, G * keyRows, [at('dK'), at('dScore.wKey'), 0])
  })
  if (!additive) return made
  const dScore = Object.fromEntries(ofScore.map(([name]) => [String(name).slice(7), made[String(name)]]))
  const others = Object.entries(made).filter(([name]) => !name.startsWith('dScore.'))
  return /** @type {any} */ ({ ...Object.fromEntries(others), dScore })
}

/** Runs the kernel, on all threads if it has enough work. @param {Core} core @param {number} args address of struct qkv_backward @param {AttentionCall} call */
export function runBackward(core, args, { H, D, E, pairs }) {
  const { exports, threads } = core
  const scratch = exports.qkv_backward_scratch(args)
  const units = exports.qkv_backward_units(args)
  const job = { kernel: 'qkv_backward_part', args: [args], work: H * pairs * (6 * D + 4 * E), units, scratch }
  if (threads?.run(core, job)) return
  const at = core.alloc(scratch)
  core.words[args / 4 + AT.scratch] = at
  core.check('qkv_backward', exports.qkv_backward(args))
}
