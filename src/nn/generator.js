import { checkNames, oneOf, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { checkDims, count, Tensor, toFloats } from '../base/tensor.js'
import { GENERATOR_BYTES, STREAM } from '../runtime/abi.js'
import { Embedding, Linear } from './layers.js'
import { MultiheadAttention } from './multihead.js'

/** @typedef {import('../runtime/memory.js').Core} Core */

/**
 * torch.manual_seed takes -2^63 ... 2^64 - 1; the engine uses the low 32 bits.
 * @param {number | bigint} seed
 */
function lowWord(seed) {
  if (typeof seed !== 'bigint' && typeof seed !== 'number')
    throw new TypeError(`seed: ${describe(seed)} given, a whole number expected`)
  const isWhole = typeof seed === 'bigint' || Number.isSafeInteger(seed)
  const big = isWhole ? BigInt(seed) : 0n
  if (!isWhole || big < -(2n ** 63n) || big >= 2n ** 64n)
    throw new RangeError(
      `seed: ${describe(seed)} given, a whole number expected (a BigInt beyond 2^53), from -2^63 to 2^64 - 1`,
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
   * @param {{ stream?: 'vector' | 'scalar' }} [options] which build of PyTorch: 'vector' (default) is the one with
   *   AVX2 that nearly everybody runs, 'scalar' the portable one; they differ in the last bits of normals
   */
  constructor(core, seed, options = {}) {
    checkNames(options, ['stream'], 'generator')
    this.#core = core
    this.#stream = STREAM[oneOf(options.stream ?? 'vector', ['vector', 'scalar'], 'generator: stream')]
    this.seed(seed)
  }

  /**
   * Starts the stream anew: torch.manual_seed.
   * @param {number | bigint} seed
   * @returns {this}
   */
  seed(seed) {
    const word = lowWord(seed)
    this.withState(this.#core, state => this.#core.call('qkv_seed', state, word, this.#stream))
    return this
  }

  /**
   * @internal
   * Lends the state to a kernel of the same module; it advances only if `run` returns.
   * @param {Core} core
   * @param {(address: number) => void} run
   */
  withState(core, run) {
    if (core !== this.#core)
      throw new TypeError('generator: it belongs to another module: make one with this qkv.generator(seed)')
    core.scope(() => {
      const address = core.copyIn(this.#state)
      run(address)
      this.#state.set(core.view(Uint8Array, address, GENERATOR_BYTES))
    })
  }

  /**
   * @template {Float32Array | Float64Array | Int32Array | Uint32Array} T
   * @param {new (buffer: ArrayBuffer, byteOffset: number, length: number) => T} Type
   * @param {readonly number[]} dims
   * @param {string} kernel
   * @param {...number} args
   * @returns {Tensor<T>}
   */
  #fill(Type, dims, kernel, ...args) {
    const sizes = checkDims(dims, kernel.replace('qkv_', ''))
    const n = count(sizes)
    return this.#core.scope(() => {
      const out = this.#core.alloc(n * 8)
      this.withState(this.#core, state => this.#core.call(kernel, state, out, n, ...args))
      return new Tensor(/** @type {T} */ (this.#core.view(Type, out, n).slice()), sizes)
    })
  }

  /**
   * The raw 32-bit words of the Mersenne twister.
   * @param {readonly number[]} dims
   */
  words(dims) {
    return this.#fill(Uint32Array, dims, 'qkv_words')
  }

  /**
   * Uniform in [0, 1): torch.rand.
   * @param {readonly number[]} dims
   * @returns {Tensor<Float32Array>}
   */
  rand(dims) {
    return this.#fill(Float32Array, dims, 'qkv_rand')
  }

  /** torch.rand(dims, dtype=torch.float64). @param {readonly number[]} dims */
  rand64(dims) {
    return this.#fill(Float64Array, dims, 'qkv_rand64')
  }

  /**
   * Uniform in [from, to): Tensor.uniform_.
   * @param {readonly number[]} dims
   * @param {number} [from]
   * @param {number} [to]
   * @returns {Tensor<Float32Array>}
   */
  uniform(dims, from = 0, to = 1) {
    toNumber(from, 'uniform: from')
    toNumber(to, 'uniform: to', { least: from })
    return this.#fill(Float32Array, dims, 'qkv_uniform', from, to)
  }

  /**
   * Standard normal: torch.randn.
   * @param {readonly number[]} dims
   * @returns {Tensor<Float32Array>}
   */
  randn(dims) {
    return this.normal(dims)
  }

  /**
   * torch.randn(dims, dtype=torch.float64), to the last bits (1e-15); all others are the same bits.
   * @param {readonly number[]} dims
   */
  randn64(dims) {
    return this.#fill(Float64Array, dims, 'qkv_normal64', 0, 1)
  }

  /**
   * Normal: Tensor.normal_.
   * @param {readonly number[]} dims
   * @param {number} [mean]
   * @param {number} [std]
   * @returns {Tensor<Float32Array>}
   */
  normal(dims, mean = 0, std = 1) {
    toNumber(mean, 'normal: mean')
    toNumber(std, 'normal: std', { least: 0 })
    return this.#fill(Float32Array, dims, 'qkv_normal', mean, std)
  }

  /**
   * 1 with probability p, else 0: Tensor.bernoulli_, as builds of PyTorch without MKL draw it.
   * @param {readonly number[]} dims
   * @param {number} [p]
   * @returns {Tensor<Float32Array>}
   */
  bernoulli(dims, p = 0.5) {
    toNumber(p, 'bernoulli: p', { least: 0, most: 1 })
    return this.#fill(Float32Array, dims, 'qkv_bernoulli', p)
  }

  /**
   * Zeroes each value with probability p, divides the others by 1 - p: torch.nn.functional.dropout.
   * @param {import('../base/tensor.js').TensorLike | import('../base/tensor.js').Nested} x
   * @param {number} [p]
   * @returns {Tensor<Float32Array>}
   */
  dropout(x, p = 0.5) {
    const input = toFloats(x, 'dropout: x')
    const n = count(input.dims)
    toNumber(p, 'dropout: p', { least: 0, most: 1 })
    return this.#core.scope(() => {
      const from = this.#core.toMemory(input)
      const to = this.#core.residentOf(input) ? this.#core.allocFloats(n) : from
      this.withState(this.#core, state => this.#core.call('qkv_dropout', state, from, to, n, p))
      return new Tensor(this.#core.copyOut(to, n), [...input.dims])
    })
  }

  /**
   * Whole numbers low <= n < high: torch.randint(low, high, dims).
   * @param {number} low
   * @param {number} high
   * @param {readonly number[]} dims
   * @returns {Tensor<Int32Array>}
   */
  randint(low, high, dims) {
    toNumber(low, 'randint: low', { least: -(2 ** 31), most: 2 ** 31 - 1, whole: true })
    toNumber(high, 'randint: high', { least: low + 1, most: 2 ** 31, whole: true })
    return this.#fill(Int32Array, dims, 'qkv_randint', low, high - low)
  }

  /**
   * torch.nn.Embedding(num, dim): a table drawn from the standard normal.
   * @param {number} num rows
   * @param {number} dim size of a row
   * @param {{ paddingIdx?: number }} [options] the row that is zeroed after it was drawn
   */
  embedding(num, dim, options = {}) {
    return Embedding.random(this.#core, this, num, dim, options)
  }

  /**
   * torch.nn.Linear(inFeatures, outFeatures): weight and bias uniform in +-1/sqrt(inFeatures).
   * @param {number} inFeatures
   * @param {number} outFeatures
   * @param {{ bias?: boolean }} [options] default true
   */
  linear(inFeatures, outFeatures, options = {}) {
    return Linear.random(this.#core, this, inFeatures, outFeatures, options)
  }

  /**
   * torch.nn.MultiheadAttention(embedDim, numHeads, batch_first=True): Xavier-uniform projections.
   * @param {number} embedDim
   * @param {number} numHeads divides embedDim
   * @param {import('./multihead.js').MultiheadOptions} [options]
   */
  multiheadAttention(embedDim, numHeads, options = {}) {
    return MultiheadAttention.random(this.#core, this, embedDim, numHeads, options)
  }
}
