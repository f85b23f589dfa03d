// PyTorch's random stream on the CPU.

import { oneOf, readOptions, toNumber } from '../../base/arguments.js'
import { describe, proxied } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { checkDims, count, Tensor } from '../../base/tensor.js'
import { GENERATOR_BYTES, STREAM } from '../../runtime/abi.js'
import { newArray, produce } from '../../runtime/outputs.js'

/** @import { Core } from '../../runtime/memory.js' */

/**
 * Returns the low 32 bits of a seed, as torch.manual_seed takes them. Accepts -2^63 ... 2^64 - 1.
 * @param {number | bigint} seed
 */
function lowWord(seed) {
  const big = Number.isSafeInteger(seed) ? BigInt(seed) : typeof seed === 'bigint' ? seed : 2n ** 64n
  if (big < -(2n ** 63n) || big >= 2n ** 64n)
    throw new (typeof seed === 'number' || typeof seed === 'bigint' ? RangeError : TypeError)(
      `seed: expected a whole number (beyond 2^53 a BigInt) from -2^63 to 2^64 - 1, got ${describe(seed)}`,
    )
  return Number(BigInt.asUintN(32, big))
}

/**
 * PyTorch's CPU random stream: the same seed and the same calls give the same bits as
 * `torch.manual_seed(seed)` and `torch.rand`, `torch.randn`, ... (float32 on the CPU).
 */
export class Generator {
  #core
  #state = new Uint8Array(GENERATOR_BYTES)
  #stream

  /**
   * @internal
   * @param {Core} core
   * @param {number | bigint} seed
   * @param {{ stream?: 'vector' | 'scalar' }} [options] which build of PyTorch: 'vector' (default) is the one with AVX2, which runs on
   *   nearly every machine, 'scalar' the portable one; they differ in the last bits of normals and of uniform
   */
  constructor(core, seed, options = {}) {
    const { stream = 'vector' } = readOptions(options, ['stream'], 'generator')
    this.#core = core
    this.#stream = STREAM[oneOf(stream, ['vector', 'scalar'], 'generator: stream')]
    this.seed(seed)
  }

  /**
   * Restarts the stream, as torch.manual_seed does.
   * @param {number | bigint} seed
   * @returns {this}
   */
  seed(seed) {
    const word = lowWord(seed)
    const { core } = this
    this.withState(core, state => core.call('qkv_seed', state, word, this.#stream))
    return this
  }

  /** @internal */
  get core() {
    if (!(#core in this)) throw proxied('generator')
    return this.#core
  }

  /**
   * @internal
   * Copies the state into the module's memory for a kernel; the generator advances only if `run` returns.
   * @param {Core} core
   * @param {(address: number) => void} run
   */
  withState(core, run) {
    if (core !== this.core)
      throw new TypeError(
        'generator: expected one made by this module, got one of another module: make it with this qkv.generator(seed)',
      )
    core.scope(() => {
      const address = core.copyIn(this.#state)
      run(address)
      this.#state.set(core.view(Uint8Array, address, GENERATOR_BYTES))
    })
  }

  /**
   * Returns raw 32-bit words of the Mersenne twister.
   * @param {readonly number[]} dims
   */
  words(dims) {
    return fill(this, Uint32Array, dims, 'qkv_words')
  }

  /**
   * Returns values uniform in [0, 1), as torch.rand does.
   * @param {readonly number[]} dims
   * @returns {Tensor<Float32Array>}
   */
  rand(dims) {
    return fill(this, Float32Array, dims, 'qkv_rand')
  }

  /** Returns torch.rand(dims, dtype=torch.float64). @param {readonly number[]} dims */
  rand64(dims) {
    return fill(this, Float64Array, dims, 'qkv_rand64')
  }

  /**
   * Returns values uniform in [from, to), as Tensor.uniform_ draws them.
   * @param {readonly number[]} dims
   * @param {number} [from]
   * @param {number} [to]
   * @returns {Tensor<Float32Array>}
   */
  uniform(dims, from = 0, to = 1) {
    toNumber(from, 'uniform: from')
    toNumber(to, 'uniform: to', { least: from })
    return fill(this, Float32Array, dims, 'qkv_uniform', from, to)
  }

  /**
   * Returns standard normal values, as torch.randn does.
   * @param {readonly number[]} dims
   * @returns {Tensor<Float32Array>}
   */
  randn(dims) {
    return fill(this, Float32Array, checkDims(dims, 'randn'), 'qkv_normal', 0, 1)
  }

  /**
   * Returns torch.randn(dims, dtype=torch.float64) within 1e-15; all other methods give the same bits as torch.
   * @param {readonly number[]} dims
   */
  randn64(dims) {
    return fill(this, Float64Array, dims, 'qkv_normal64', 0, 1)
  }

  /**
   * Returns normal values, as Tensor.normal_ draws them.
   * @param {readonly number[]} dims
   * @param {number} [mean]
   * @param {number} [std]
   * @returns {Tensor<Float32Array>}
   */
  normal(dims, mean = 0, std = 1) {
    toNumber(mean, 'normal: mean')
    toNumber(std, 'normal: std', { least: 0 })
    return fill(this, Float32Array, dims, 'qkv_normal', mean, std)
  }

  /**
   * Returns 1 with probability p, else 0, as Tensor.bernoulli_ draws them in PyTorch builds without MKL.
   * @param {readonly number[]} dims
   * @param {number} [p]
   * @returns {Tensor<Float32Array>}
   */
  bernoulli(dims, p = 0.5) {
    toNumber(p, 'bernoulli: p', { least: 0, most: 1 })
    return fill(this, Float32Array, dims, 'qkv_bernoulli', p)
  }

  /**
   * Zeroes each value with probability p and divides the others by 1 - p, as torch.nn.functional.dropout does.
   * @param {import('../../base/tensor.js').TensorLike | import('../../base/tensor.js').Nested} x
   * @param {number} [p]
   * @returns {Tensor<Float32Array>}
   */
  dropout(x, p = 0.5) {
    const input = toFloats(x, 'dropout: x')
    const n = count(input.dims)
    toNumber(p, 'dropout: p', { least: 0, most: 1 })
    const { core } = this
    return produce(core, newArray(input.dims), y =>
      this.withState(core, state => core.call('qkv_dropout', state, core.toMemory(input, undefined, y), y, n, p)),
    )
  }

  /**
   * Returns integers low <= n < high, as torch.randint(low, high, dims) does.
   * @param {number} low
   * @param {number} high
   * @param {readonly number[]} dims
   * @returns {Tensor<Int32Array>}
   */
  randint(low, high, dims) {
    toNumber(low, 'randint: low', { least: -(2 ** 31), most: 2 ** 31 - 1, whole: true })
    toNumber(high, 'randint: high', { least: low + 1, most: 2 ** 31, whole: true })
    if (high - low < 2 ** 32) return fill(this, Int32Array, dims, 'qkv_randint', low, high - low)
    // For the whole range of int32, torch draws 64 bits and takes the low half, the second of two words.
    const { data } = this.words([...checkDims(dims, 'randint'), 2])
    const values = Int32Array.from({ length: data.length / 2 }, (_, i) => low + data[2 * i + 1])
    return new Tensor(values, [...dims])
  }
}

/**
 * @param {unknown} generator
 * @param {string} name
 * @returns {Generator}
 */
export function checkStream(generator, name) {
  if (generator instanceof Generator && generator.core) return generator
  throw new TypeError(
    `${name}: expected a generator, got ${describe(generator)}; qkv.generator(123) of the same package`,
  )
}

/**
 * @template {Float32Array | Float64Array | Int32Array | Uint32Array} T
 * @param {Generator} stream
 * @param {{ new (buffer: ArrayBuffer, byteOffset: number, length: number): T, BYTES_PER_ELEMENT: number }} Type
 * @param {readonly number[]} dims
 * @param {string} kernel
 * @param {...number} args
 * @returns {Tensor<T>}
 */
function fill(stream, Type, dims, kernel, ...args) {
  const { core } = stream
  const sizes = checkDims(dims, kernel.replace('qkv_', ''))
  const n = count(sizes)
  return core.scope(() => {
    const out = core.alloc(n * Type.BYTES_PER_ELEMENT)
    stream.withState(core, state => core.call(kernel, state, out, n, ...args))
    return new Tensor(/** @type {T} */ (core.view(Type, out, n).slice()), sizes)
  })
}
