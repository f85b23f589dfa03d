// y = x W^T + bias, and the matrix product.

import { expectDims, oneOf, readOptions, register } from '../../base/arguments.js'
import { shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { count } from '../../base/tensor.js'
import { ACTIVATION, WEIGHTS } from '../../runtime/abi.js'
import { OUT_OPTIONS, produce, toTarget } from '../../runtime/outputs.js'
import { toTargetInPlace } from '../launch.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @import { DeferredCopies } from '../../threads/pool.js' */
/** @import { FloatTensor, Nested, TensorLike } from '../../base/tensor.js' */

/**
 * @typedef {object} FusedOptions
 * @property {'none' | 'gelu' | 'gelu_tanh' | 'relu' | 'silu'} [activation] of x W^T + bias; 'gelu_tanh' is PyTorch's
 *   gelu with approximate: 'tanh'
 * @property {TensorLike | Nested} [residual] (..., out), added last; may be the same tensor as `out`
 *
 * @typedef {object} LayoutOption
 * @property {'out,in' | 'in,out'} [layout] order of the weight's axes: that of PyTorch's Linear (default), or that of GPT-2's Conv1D
 */

/**
 * A weight in the form the kernel takes, and the operations fused with the product.
 * @typedef {object} Weights
 * @property {FloatTensor | number} weight or its address
 * @property {readonly number[]} dims (out, in), whatever its layout
 * @property {boolean} [isTransposed] layout 'in,out'
 * @property {number} [kind] enum qkv_weights; default: not packed
 * @property {FloatTensor} [scales]
 * @property {boolean} [isExact] true if x is not rounded, for weights of int8, int4 or blocks
 * @property {boolean} [hasInt8X] true if x is rounded to int8, not int16, for weights of int8
 * @property {FloatTensor} [bias]
 * @property {number} [activation] enum qkv_activation
 * @property {FloatTensor | number} [residual] or its address
 */

const FUSED = ['activation', 'residual', ...OUT_OPTIONS]
const LINEAR = register('linear', [...FUSED, 'layout'])
/** Bytes per weight, indexed by enum qkv_weights. */
const BYTES = [4, 4, 2, 1, 0.625, 1.06, 0.56, 0.63, 0.69, 0.75, 0.58, 0.7, 0.82]
const BYTE = 2.5 // multiplications and additions that take as long as reading one byte of a weight

/**
 * Returns the dims of a weight as (out, in), and whether it is stored as (in, out).
 * @param {readonly number[]} dims
 * @param {LayoutOption['layout']} layout
 * @param {string} where
 */
export function checkLayout(dims, layout = 'out,in', where) {
  const isTransposed = oneOf(layout, ['out,in', 'in,out'], `${where}: layout`) === 'in,out'
  if (dims.length !== 2)
    throw new RangeError(`${where}: weight: expected dims (${layout.replace(',', ', ')}), got ${shape(dims)}`)
  return { dims: isTransposed ? [dims[1], dims[0]] : dims, isTransposed }
}

/**
 * Makes a Weights object. Sets every property, because a page may have added a `bias` to Object.prototype (see tests/arguments.test.js).
 * @template {FloatTensor | number} T
 * @param {T} weight
 * @param {readonly number[]} dims
 * @param {FloatTensor} [bias]
 * @param {boolean} [isTransposed]
 * @returns {Weights & { weight: T }}
 */
export const toWeights = (weight, dims, bias, isTransposed = false) => ({
  weight,
  dims,
  bias,
  isTransposed,
  kind: 0,
  scales: undefined,
  isExact: false,
  hasInt8X: false,
  residual: undefined,
  activation: 0,
})

/**
 * @param {unknown} weight (out, in), or (in, out)
 * @param {unknown} bias (out), or undefined
 * @param {string} where
 * @param {LayoutOption['layout']} [layout]
 * @returns {Weights & { weight: FloatTensor }}
 */
export function checkWeights(weight, bias, where, layout) {
  const w = toFloats(weight, `${where}: weight`)
  const { dims, isTransposed } = checkLayout(w.dims, layout, where)
  const b = bias === undefined ? undefined : toFloats(bias, `${where}: bias`)
  if (b) expectDims(b, [dims[0]], `${where}: bias`, '(out)')
  return toWeights(w, dims, b, isTransposed)
}

/**
 * @param {Core} core
 * @param {unknown} x (..., in)
 * @param {unknown} weight
 * @param {unknown} bias
 * @param {FusedOptions & LayoutOption & OutOptions} options
 * @returns {FloatTensor} (..., out)
 */
export function linear(core, x, weight, bias, options) {
  const given = readOptions(options, LINEAR, 'linear')
  return apply(core, x, checkWeights(weight, bias, 'linear', given.layout), given, 'linear')
}

/**
 * Computes activation(x W^T + bias) + residual with checked weights.
 * @param {Core} core
 * @param {unknown} x (..., in)
 * @param {Weights} weights
 * @param {FusedOptions & OutOptions} options
 * @param {string} where
 * @returns {FloatTensor} (..., out)
 */
export function forward(core, x, weights, options, where) {
  return apply(core, x, weights, readOptions(options, FUSED, where), where)
}

/**
 * Returns the matrix product of a (..., n) and b (n, m).
 * @param {Core} core
 * @param {unknown} a
 * @param {unknown} b
 * @param {OutOptions} options
 */
export function matmul(core, a, b, options) {
  const given = readOptions(options, OUT_OPTIONS, 'matmul')
  const left = toFloats(a, 'matmul: a')
  const right = toFloats(b, 'matmul: b')
  if (right.dims.length !== 2) throw new RangeError(`matmul: b: expected dims (n, m), got ${shape(right.dims)}`)
  if (left.dims.at(-1) !== right.dims[0])
    throw new RangeError(
      `matmul: expected a (..., n) and b (n, m), got dims ${shape(left.dims)} and ${shape(right.dims)}`,
    )
  return apply(core, left, checkWeights(right, undefined, 'matmul', 'in,out'), given, 'matmul')
}

/**
 * Returns x, its number of rows, and the dims of the product.
 * @param {unknown} x (..., in)
 * @param {Weights} weights
 * @param {string} where
 */
export function checkInput(x, { dims: [N, K] }, where) {
  const input = toFloats(x, `${where}: x`)
  const lead = input.dims.slice(0, -1)
  if (input.dims.length === 0 || input.dims[lead.length] !== K)
    throw new RangeError(
      `${where}: x has dims ${shape(input.dims)}, weight (out, in) = ${shape([N, K])}: the last axis of x must be ${K}` +
        (where === 'linear' && input.dims[lead.length] === N ? "; for a weight (in, out) give layout: 'in,out'" : ''),
    )
  return { input, M: count(lead), dims: [...lead, N] }
}

const NAMES = /** @type {(keyof typeof ACTIVATION)[]} */ (Object.keys(ACTIVATION))
/** Other names of activations in transformers, for hints in errors. @type {Record<string, keyof typeof ACTIVATION>} */
const ELSEWHERE = { gelu_new: 'gelu_tanh', gelu_fast: 'gelu_tanh', gelu_pytorch_tanh: 'gelu_tanh', swish: 'silu' }

/** Checks the option `activation`. @param {unknown} value @param {string} where */
export const toActivation = (value, where) => oneOf(value, NAMES, `${where}: activation`, ELSEWHERE)

/** @param {Core} core @param {unknown} x @param {Weights} weights @param {FusedOptions & OutOptions} options @param {string} where */
function apply(core, x, weights, options, where) {
  const { input, M, dims } = checkInput(x, weights, where)
  const { activation = 'none', residual } = options
  const added = residual === undefined ? undefined : toFloats(residual, `${where}: residual`)
  if (added) {
    expectDims(added, dims, `${where}: residual`, 'the dims of the output')
    toTargetInPlace(options, dims, where, [added])
  }
  const kind = ACTIVATION[toActivation(activation, where)]
  const { weight, bias } = weights
  const target = toTarget(options, dims, where, [input, typeof weight === 'number' ? undefined : weight, bias])
  const fused = { ...weights, activation: kind, residual: added }
  return multiplyOut(core, () => core.toMemory(input), M, fused, target)
}

/** @param {number} M @param {Weights} weights */
export function workOf(M, { dims: [N, K], kind = 0 }) {
  return 2 * M * K * N + BYTE * K * N * BYTES[kind]
}

/**
 * Returns into how many shares of adjacent columns the work of a thread is split. The integer kernels have only one if x has more than 8
 * rows, because they round all of x again for each share.
 * @param {number} M @param {number} kind
 */
export const sharesOf = (M, kind) => (kind >= WEIGHTS.int8 && M > 8 ? 1 : 4)

/**
 * @param {Core} core
 * @param {() => number} toX returns the address of x (M, in); called after the output is allocated
 * @param {number} M
 * @param {Weights} weights
 * @param {import('../../runtime/outputs.js').Target} target
 */
export function multiplyOut(core, toX, M, weights, target) {
  const deferredCopies = core.threads?.deferredCopies(workOf(M, weights))
  return produce(core, target, y => multiply(core, toX(), M, weights, y, deferredCopies), deferredCopies)
}

/**
 * Computes the product on addresses in the module's memory.
 * @param {Core} core
 * @param {number} x address of (M, in)
 * @param {number} M
 * @param {Weights} weights
 * @param {number} [y] address of (M, out); by default `multiply` allocates it
 * @param {DeferredCopies} [deferredCopies]
 * @returns {number} y
 */
export function multiply(
  core,
  x,
  M,
  weights,
  y = core.allocFloats(M * weights.dims[0]),
  deferredCopies = core.threads?.deferredCopies(workOf(M, weights)),
) {
  const { weight, kind = 0, isTransposed, scales, isExact, hasInt8X, bias, activation = 0, residual } = weights
  const [N, K] = weights.dims
  core.scope(() => {
    const at = (/** @type {FloatTensor | number} */ x = 0) => (typeof x === 'number' ? x : core.toMemory(x))
    const [toScales, toBias, toResidual] = [scales, bias, residual].map(at)
    const w = typeof weight === 'number' ? weight : core.toMemory(weight, deferredCopies)
    const strides = isTransposed ? [1, N] : [K, 1]
    const words = [x, w, toScales, toBias, toResidual, y, M, K, N, kind, ...strides, activation, Number(hasInt8X)]
    const args = core.copyIn(Uint32Array.from(words))
    const name = kind < WEIGHTS.int8 ? 'qkv_linear' : isExact ? 'qkv_dequantized' : 'qkv_integer'
    const units = core.exports[`${name}_units`](args)
    // without transposition, the units of one block of rows start as soon as their rows of W are copied
    const parts = isTransposed || units > Math.ceil(N / 8) ? 1 : units
    const scratch = core.exports[`${name}_scratch`](args)
    shareOrRun(core, {
      kernel: `${name}_part`,
      args,
      work: workOf(M, weights),
      shares: sharesOf(M, kind),
      units,
      scratch,
      deferredCopies,
      parts,
    })
  })
  return y
}

/**
 * Runs all units of a kernel, on all threads if there is enough work. Must be called within a scope.
 * @param {Core} core
 * @param {{ kernel: string, args: number, work: number, shares?: number, units: number, scratch: number, deferredCopies?: DeferredCopies, parts?: number }} job
 */
export function shareOrRun(core, job) {
  const { kernel, args, units, scratch } = job
  if (core.threads?.run(core, { ...job, args: [args] })) return
  core.check(kernel, core.exports[kernel](args, 0, units, core.alloc(scratch)))
}
