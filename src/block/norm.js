import { expectDims, readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { count, toFloats } from '../base/tensor.js'
import { launch, toTargetInPlace } from '../ops/launch.js'
import { OUT_OPTIONS, produce } from '../runtime/outputs.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/**
 * @typedef {object} NormOptions
 * @property {number} [eps] added to the variance; default 1e-5, of rmsNorm 2^-23, as in PyTorch
 * @property {boolean} [plusOne] rmsNorm only: the factor is weight + 1, as Gemma stores it; default false
 */

/**
 * What both norms and their gradients are given.
 * @param {unknown} x
 * @param {unknown} weight
 * @param {unknown} bias
 * @param {NormOptions & import('../runtime/outputs.js').OutOptions} options
 * @param {'layerNorm' | 'rmsNorm' | 'layerNormBackward' | 'rmsNormBackward'} where
 * @param {readonly string[]} known
 */
export function checkNorm(x, weight, bias, options, where, known) {
  const center = Number(where.startsWith('layer'))
  const given = readOptions(options, ['eps', ...(center ? [] : ['plusOne']), ...known], where)
  const input = toFloats(x, `${where}: x`)
  const C = input.dims.length ? input.dims[input.dims.length - 1] : 1
  const [w, b] = [weight, bias].map((value, i) => {
    if (value === undefined) return undefined
    const tensor = toFloats(value, `${where}: ${i ? 'bias' : 'weight'}`)
    expectDims(tensor, [C], `${where}: ${i ? 'bias' : 'weight'}`, '(C), the last axis of x,')
    return tensor
  })
  const eps = toNumber(given.eps ?? (center ? 1e-5 : 2 ** -23), `${where}: eps`, { least: 0 })
  const shift = Number(given.plusOne !== undefined && toBoolean(given.plusOne, `${where}: plusOne`))
  return { input, w, b, C, rows: C && count(input.dims) / C, center, eps, shift, given }
}

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {unknown} weight
 * @param {unknown} bias
 * @param {NormOptions & import('../runtime/outputs.js').OutOptions} options
 * @param {'layerNorm' | 'rmsNorm'} where
 */
export function norm(core, x, weight, bias, options, where) {
  const { input, w, b, C, rows, center, eps, shift, given } = checkNorm(x, weight, bias, options, where, OUT_OPTIONS)
  return produce(core, toTargetInPlace(given, input.dims, where, [input, w, b]), y => {
    const [from, gain, offset] = [input, w, b].map(tensor => (tensor ? core.toMemory(tensor) : 0))
    launch(core, 'qkv_norm', [from, gain, offset, y, 0, C, center, eps, shift], rows, rows * C)
  })
}
