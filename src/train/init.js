// The initialisers of torch.nn.init as functions that return a new tensor. With the same random stream, values have the same bits as
// PyTorch's.

import { oneOf, readOptions, toNumber } from '../base/arguments.js'
import { shape } from '../base/errors.js'
import { checkDims, count, Tensor } from '../base/tensor.js'
import { checkStream } from '../ops/random/generator.js'

/** @import { Generator } from '../ops/random/generator.js' */
/** @import { FloatTensor } from '../base/tensor.js' */
/** @typedef {'linear' | 'sigmoid' | 'tanh' | 'relu' | 'leakyRelu' | 'selu'} Nonlinearity */

/**
 * @typedef {object} Init
 * @property {(generator: Generator, dims: readonly number[], options?: { a?: number, b?: number }) => FloatTensor} uniform torch.nn.init.uniform_
 *   from a (default 0) to b (default 1)
 * @property {(generator: Generator, dims: readonly number[], options?: { mean?: number, std?: number }) => FloatTensor} normal torch.nn.init.normal_; default mean 0, std 1
 * @property {(dims: readonly number[], value: number) => FloatTensor} constant torch.nn.init.constant_
 * @property {(dims: readonly number[]) => FloatTensor} zeros torch.nn.init.zeros_
 * @property {(dims: readonly number[]) => FloatTensor} ones torch.nn.init.ones_
 * @property {(generator: Generator, dims: readonly number[], options?: { gain?: number }) => FloatTensor} xavierUniform torch.nn.init.xavier_uniform_
 *   of a weight (out, in, ...); default gain 1
 * @property {(generator: Generator, dims: readonly number[], options?: { gain?: number }) => FloatTensor} xavierNormal torch.nn.init.xavier_normal_
 *   of a weight (out, in, ...); default gain 1
 * @property {(generator: Generator, dims: readonly number[], options?: KaimingOptions) => FloatTensor} kaimingUniform torch.nn.init.kaiming_uniform_ of a weight (out, in, ...)
 * @property {(generator: Generator, dims: readonly number[], options?: KaimingOptions) => FloatTensor} kaimingNormal torch.nn.init.kaiming_normal_
 *   of a weight (out, in, ...)
 * @property {(nonlinearity: Nonlinearity, a?: number) => number} gain torch.nn.init.calculate_gain; a: negative slope of leakyRelu, default
 *   0.01
 *
 * @typedef {object} KaimingOptions
 * @property {number} [a] negative slope of leakyRelu; default 0
 * @property {'fanIn' | 'fanOut'} [mode] default 'fanIn'
 * @property {Nonlinearity} [nonlinearity] default 'leakyRelu'
 */

/** @type {Init['uniform']} */
function uniform(generator, dims, options = {}) {
  const { a = 0, b = 1 } = readOptions(options, ['a', 'b'], 'init.uniform')
  const least = toNumber(a, 'init.uniform: a')
  const most = toNumber(b, 'init.uniform: b', { least })
  return checkStream(generator, 'init.uniform: generator').uniform(checkDims(dims, 'init.uniform'), least, most)
}

/** @type {Init['normal']} */
function normal(generator, dims, options = {}) {
  const { mean = 0, std = 1 } = readOptions(options, ['mean', 'std'], 'init.normal')
  toNumber(mean, 'init.normal: mean')
  toNumber(std, 'init.normal: std', { least: 0 })
  return checkStream(generator, 'init.normal: generator').normal(checkDims(dims, 'init.normal'), mean, std)
}

/** @param {readonly number[]} dims @param {number} value @param {string} where */
function filled(dims, value, where) {
  const sizes = checkDims(dims, where)
  if (count(sizes) >= 2 ** 30)
    throw new RangeError(
      `${where}: dims ${shape(sizes)} are more numbers than the memory of a WebAssembly module holds: use less than 2^30`,
    )
  return new Tensor(new Float32Array(count(sizes)).fill(toNumber(value, `${where}: value`)), sizes)
}

/** Returns the fan-in and the fan-out of a weight (out, in, ...). @param {readonly number[]} dims @param {string} where */
function fansOf(dims, where) {
  const sizes = checkDims(dims, where)
  if (sizes.length < 2) throw new RangeError(`${where}: expected at least two dims, (out, in), got ${shape(sizes)}`)
  const [out, inputs, ...rest] = sizes
  return { fanIn: inputs * count(rest), fanOut: out * count(rest) }
}

/** Returns the standard deviation of Xavier initialisation (Glorot and Bengio 2010). @param {readonly number[]} dims @param {{ gain?: number }} options @param {string} where */
function xavierStd(dims, options, where) {
  const { fanIn, fanOut } = fansOf(dims, where)
  const gain = toNumber(readOptions(options, ['gain'], where).gain ?? 1, `${where}: gain`, { least: 0 })
  return fanIn + fanOut && gain * Math.sqrt(2 / (fanIn + fanOut))
}

/** @type {Init['xavierUniform']} */
function xavierUniform(generator, dims, options = {}) {
  const bound = Math.sqrt(3) * xavierStd(dims, options, 'init.xavierUniform')
  return checkStream(generator, 'init.xavierUniform: generator').uniform(dims, -bound, bound)
}

/** @type {Init['xavierNormal']} */
function xavierNormal(generator, dims, options = {}) {
  const std = xavierStd(dims, options, 'init.xavierNormal')
  return checkStream(generator, 'init.xavierNormal: generator').normal(dims, 0, std)
}

/** @type {Record<Nonlinearity, (a: number) => number>} */
const GAINS = {
  linear: () => 1,
  sigmoid: () => 1,
  tanh: () => 5 / 3,
  relu: () => Math.sqrt(2),
  leakyRelu: a => Math.sqrt(2 / (1 + a ** 2)),
  selu: () => 3 / 4,
}

/** Returns the gain of a nonlinearity. @param {Nonlinearity} nonlinearity @param {number} a @param {string} where */
function gainOf(nonlinearity, a, where) {
  const known = /** @type {Nonlinearity[]} */ (Object.keys(GAINS))
  return GAINS[oneOf(nonlinearity, known, `${where}: nonlinearity`)](toNumber(a, `${where}: a`))
}

/** Returns the standard deviation of Kaiming initialisation (He et al. 2015). @param {readonly number[]} dims @param {KaimingOptions} options @param {string} where */
function kaimingStd(dims, options, where) {
  const given = readOptions(options, ['a', 'mode', 'nonlinearity'], where)
  const mode = oneOf(given.mode ?? 'fanIn', ['fanIn', 'fanOut'], `${where}: mode`)
  const { [mode]: fan } = fansOf(dims, where)
  return fan && gainOf(given.nonlinearity ?? 'leakyRelu', given.a ?? 0, where) / Math.sqrt(fan)
}

/** @type {Init['kaimingUniform']} */
function kaimingUniform(generator, dims, options = {}) {
  const bound = Math.sqrt(3) * kaimingStd(dims, options, 'init.kaimingUniform')
  return checkStream(generator, 'init.kaimingUniform: generator').uniform(dims, -bound, bound)
}

/** @type {Init['kaimingNormal']} */
function kaimingNormal(generator, dims, options = {}) {
  const std = kaimingStd(dims, options, 'init.kaimingNormal')
  return checkStream(generator, 'init.kaimingNormal: generator').normal(dims, 0, std)
}

/** @type {Readonly<Init>} */
export const init = {
  uniform,
  normal,
  constant: (dims, value) => filled(dims, value, 'init.constant'),
  zeros: dims => filled(dims, 0, 'init.zeros'),
  ones: dims => filled(dims, 1, 'init.ones'),
  xavierUniform,
  xavierNormal,
  kaimingUniform,
  kaimingNormal,
  gain: (nonlinearity, a = 0.01) => gainOf(nonlinearity, a, 'init.gain'),
}
