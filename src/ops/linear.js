// y = x W^T + bias, its gradients, and the matrix product.

import { expectDims, readOptions } from '../base/arguments.js'
import { shape } from '../base/errors.js'
import { count, Tensor, toFloats } from '../base/tensor.js'
import { OUT_OPTIONS, produce, toTarget } from '../runtime/outputs.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../runtime/outputs.js').OutOptions} OutOptions */
/** @typedef {import('../threads/pool.js').DeferredCopies} DeferredCopies */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * A weight as the kernel takes it: (out, in), or packed by qkv_pack_linear.
 * @typedef {{ weight: FloatTensor, dims: readonly number[], isPacked?: boolean, bias?: FloatTensor }} Weights
 */

/**
 * @param {unknown} weight (out, in)
 * @param {unknown} bias (out), or undefined
 * @param {string} where
 * @returns {Weights}
 */
export function checkWeights(weight, bias, where) {
  const w = toFloats(weight, `${where}: weight`)
  if (w.dims.length !== 2) throw new RangeError(`${where}: weight has dims ${shape(w.dims)}, (out, in) expected`)
  const b = bias === undefined ? undefined : toFloats(bias, `${where}: bias`)
  if (b) expectDims(b, [w.dims[0]], `${where}: bias`, '(out)')
  return { weight: w, dims: w.dims, bias: b }
}

/**
 * @param {Core} core
 * @param {unknown} x (..., in)
 * @param {Weights} weights
 * @param {OutOptions} options
 * @param {string} where
 * @returns {FloatTensor} (..., out)
 */
export function linear(core, x, weights, options, where) {
  const given = readOptions(options, OUT_OPTIONS, where)
  const input = toFloats(x, `${where}: x`)
  const { dims } = input
  const [, K] = weights.dims
  if (dims.length === 0 || dims[dims.length - 1] !== K)
    throw new RangeError(
      `${where}: x has dims ${shape(dims)}, weight (out, in) = ${shape(weights.dims)}: the last axis of x must be ${K}`,
    )
  return apply(core, input, weights, given, where)
}

/**
 * a b, for a (..., n) and b (n, m).
 * @param {Core} core
 * @param {unknown} a
 * @param {unknown} b
 * @param {OutOptions} options
 */
export function matmul(core, a, b, options) {
  const given = readOptions(options, OUT_OPTIONS, 'matmul')
  const left = toFloats(a, 'matmul: a')
  const right = toFloats(b, 'matmul: b')
  if (right.dims.length !== 2) throw new RangeError(`matmul: b has dims ${shape(right.dims)}, (n, m) expected`)
  if (left.dims.at(-1) !== right.dims[0])
    throw new RangeError(`matmul: a has dims ${shape(left.dims)}, b ${shape(right.dims)}: (..., n) and (n, m) expected`)
  const weight = right.T
  return apply(core, left, { weight, dims: weight.dims }, given, 'matmul')
}

/** @param {Core} core @param {FloatTensor} x @param {Weights} weights @param {OutOptions} options @param {string} where */
function apply(core, x, weights, options, where) {
  const lead = x.dims.slice(0, -1)
  const target = toTarget(options, [...lead, weights.dims[0]], where, [x, weights.weight, weights.bias])
  return multiplyOut(core, () => core.toMemory(x), count(lead), weights, target)
}

/**
 * @param {Core} core
 * @param {() => number} place gives the address of x (M, in)
 * @param {number} M
 * @param {Weights} weights
 * @param {import('../runtime/outputs.js').Target} target
 */
export function multiplyOut(core, place, M, weights, target) {
  const [N, K] = weights.dims
  const deferredCopies = core.threads?.deferredCopies(2 * M * K * N)
  return produce(core, target, y => multiply(core, place(), M, weights, y, deferredCopies), deferredCopies)
}

/**
 * The same inside the module's memory.
 * @param {Core} core
 * @param {number} x address of (M, in)
 * @param {number} M
 * @param {Weights} weights
 * @param {number} [y] address of (M, out); by default memory of this call
 * @param {DeferredCopies} [deferredCopies]
 * @returns {number} y
 */
export function multiply(
  core,
  x,
  M,
  { weight, dims: [N, K], isPacked, bias },
  y = core.allocFloats(M * N),
  deferredCopies = core.threads?.deferredCopies(2 * M * K * N),
) {
  core.scope(() => {
    const units = Math.ceil(N / 8)
    const w = core.toMemory(weight, deferredCopies)
    const b = bias ? core.toMemory(bias) : 0
    const args = [x, w, isPacked ? 0 : K, 1, b, y, M, K, N]
    const work = 2 * M * K * N
    const job = { kernel: 'qkv_linear_part', args, work, units, scratch: 32 * K, deferredCopies, parts: units }
    if (!core.threads?.run(core, job)) core.call('qkv_linear', ...args, core.alloc(job.scratch))
  })
  return y
}

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {unknown} weight
 * @param {unknown} dY
 */
export function linearBackward(core, x, weight, dY) {
  const where = 'linearBackward'
  const input = toFloats(x, `${where}: x`)
  const { weight: w, dims } = checkWeights(weight, undefined, where)
  const upstream = toFloats(dY, `${where}: dY`)
  const [N, K] = dims
  if (input.dims.at(-1) !== K)
    throw new RangeError(
      `${where}: x has dims ${shape(input.dims)}, weight (out, in) = ${shape(dims)}: the last axis of x must be ${K}`,
    )
  const lead = input.dims.slice(0, -1)
  expectDims(upstream, [...lead, N], `${where}: dY`, '(..., out)')
  return core.scope(() => runLinearBackward(core, input, w, core.toMemory(upstream), count(lead)))
}

/**
 * @param {Core} core
 * @param {FloatTensor} x (..., in)
 * @param {FloatTensor} weight (out, in)
 * @param {number} dY address of (M, out)
 * @param {number} M
 */
export function runLinearBackward(core, x, weight, dY, M) {
  const [N, K] = weight.dims
  return core.scope(() => {
    const [dX, dWeight, dBias] = [M * K, N * K, N].map(n => core.allocFloats(n))
    const scratch = core.allocFloats(8 * Math.max(M, N))
    core.call('qkv_linear_backward', core.toMemory(x), core.toMemory(weight), dY, dX, dWeight, dBias, M, K, N, scratch)
    return {
      dX: new Tensor(core.copyOut(dX, M * K), [...x.dims]),
      dWeight: new Tensor(core.copyOut(dWeight, N * K), [...weight.dims]),
      dBias: new Tensor(core.copyOut(dBias, N), [N]),
    }
  })
}
