// A linear layer whose weight is packed for the kernel once, as float32, float16, bfloat16, int8, int4, or in the blocks of a GGUF file.

import { expectDims, oneOf, readOptions, register, toNumber } from '../base/arguments.js'
import { whenCollected } from '../base/collected.js'
import { describe, proxied, shape } from '../base/errors.js'
import { fromBfloat16, fromFloat16 } from '../base/float16.js'
import { toFloats, toTensor } from '../base/operand.js'
import { count } from '../base/tensor.js'
import { checkLayout, forward, shareOrRun, sharesOf, toWeights, workOf } from '../ops/linear/forward.js'
import { PACK_LINEAR_STRUCT, PRODUCTS_WORDS } from '../ops/nn-abi.js'
import { ACTIVATION, WEIGHTS } from '../runtime/abi.js'
import { expectCore } from '../runtime/core-of.js'
import { allocate } from '../runtime/outputs.js'
import { addressOf, ResidentTensor } from '../runtime/resident.js'
import { writeStruct } from '../runtime/structs.js'
import { BLOCKS } from './weight-blocks.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { OutOptions } from '../runtime/outputs.js' */
/** @import { FloatLike, Nested, TensorLike } from '../base/tensor.js' */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/**
 * Block types of GGUF files whose weights are multiplied without conversion.
 * @typedef {'Q8_0' | 'Q4_0' | 'Q4_1' | 'Q5_0' | 'Q5_1' | 'Q4_K' | 'Q5_K' | 'Q6_K'} BlockType
 */

/**
 * A weight as checkpoints store it: bits of bfloat16, int8 with a scale per row, or blocks of a GGUF file as bytes.
 * @typedef {{ data: Uint16Array, dims: ArrayLike<number>, dtype: 'bfloat16' }
 *   | { data: Int8Array, dims: ArrayLike<number>, dtype: 'int8' }
 *   | { data: Uint8Array, dims: ArrayLike<number>, dtype: BlockType }} RawWeight
 */

/**
 * @typedef {object} PackOwnOptions
 * @property {'float32' | 'float16' | 'bfloat16' | 'int8' | 'int4' | BlockType} [dtype] of the packed weight; default float32, but GGUF
 *   blocks keep their type. float16 and bfloat16 take half the memory of float32. int8 takes a quarter, and has a scale per row. int4 takes
 *   5 bits per value, with a scale and a minimum per 32 values of a row
 * @property {'int16' | 'int8' | 'float32'} [activations] the type to which x is rounded for weights of int8, int4 or GGUF blocks. 'int16'
 *   (default): rounded in blocks of 256 values. 'int8', only for int8 weights: up to twice as fast for more than 8 rows on processors that
 *   multiply bytes. 'float32': not rounded, which is slow
 * @property {FloatLike | Nested} [scales] (out), for a weight given as int8: W[n][k] = scales[n] * data[n][k]
 *
 * @typedef {PackOwnOptions & import('../ops/linear/forward.js').LayoutOption} PackOptions
 */

const OPTIONS = register('packLinear', ['dtype', 'activations', 'layout', 'scales'])
const DTYPES = ['float32', 'float16', 'bfloat16', 'int8', 'int4']

/** @param {string | undefined} dtype @returns {dtype is BlockType} */
const isBlock = dtype => Object.hasOwn(BLOCKS, String(dtype))
const ROWS = 64 // rows to convert to float32 at a time, because the whole weight as float32 would take much memory
/** Bytes of an int4 block of eight rows: 32 values of each row, with its scale and minimum. */
const INT4_BYTES = 160
const OUT_OF_RANGE = 8 // enum qkv_status
/** For each value of enum qkv_weights, the largest magnitude that it can store, as a phrase for an error. */
const LARGEST = [
  '',
  '',
  'float16 is 65504 * 2^15',
  '',
  'int4 is 2^100',
  ...Array(8).fill('a scale or minimum is below 128'),
]

/** Returns the number of int4 blocks in a row of K values. @param {number} K */
const blocksOf = K => Math.ceil(K / 32)

/** Rounds to bfloat16, ties to even. @param {Float32Array} floats */
export function roundToBfloat16(floats) {
  const words = new Uint32Array(floats.slice().buffer)
  for (let i = 0; i < words.length; i++) words[i] = (words[i] + 0x7fff + ((words[i] >>> 16) & 1)) & 0xffff0000
  return new Float32Array(words.buffer)
}

/**
 * Multiplies x (M, in) by up to three quantized weights in one kernel call, which rounds x only once.
 * @param {Core} core
 * @param {FloatTensor} x
 * @param {number} M
 * @param {{ weights: import('../ops/linear/forward.js').Weights, y: number }[]} products y: address of the output (M, out)
 */
function multiplyTogether(core, x, M, products) {
  core.scope(() => {
    const at = (/** @type {FloatTensor | number} */ given = 0) =>
      typeof given === 'number' ? given : core.toMemory(given)
    const [, K] = products[0].weights.dims
    const words = new Uint32Array(PRODUCTS_WORDS.length)
    words.set([core.toMemory(x), M, K, Number(products[0].weights.hasInt8X)])
    let work = 0
    for (const [n, { weights, y }] of products.entries()) {
      const { weight, dims, scales, bias, kind = 0, activation = 0 } = weights
      const own = [at(weight), at(scales), at(bias), y, dims[0], kind, activation]
      words.set(own, 4 + own.length * n)
      work += workOf(M, weights)
    }
    const args = core.copyIn(words)
    const units = core.exports.qkv_products_units(args)
    const scratch = core.exports.qkv_products_scratch(args)
    shareOrRun(core, { kernel: 'qkv_products_part', args, work, shares: sharesOf(M, WEIGHTS.int8), units, scratch })
  })
}

/** A placeholder for a weight whose rows are packed later, by calls of `fill`. */
export class DeferredWeight {
  /** @param {readonly number[]} dims */
  constructor(dims) {
    this.dims = dims
  }
}

/**
 * Reads a weight of any kind. Returns its dims, its data, and `widen`, which converts a part of the data to floats. For GGUF blocks,
 * `widen` returns the bytes.
 * @param {any} weight
 * @returns {{ data: any, dims: readonly number[], widen: (part: any) => Float32Array, tensor?: FloatTensor, dtype?: string,
 *   isDeferred?: boolean }}
 */
function readWeight(weight) {
  const where = 'packLinear: weight'
  if (weight instanceof DeferredWeight)
    return { data: undefined, dims: weight.dims, widen: part => part, isDeferred: true }
  const raw = weight?.dtype
  if (isBlock(raw)) {
    const { data, dims } = weight
    if (!(data instanceof Uint8Array))
      throw new TypeError(`${where}: with dtype ${raw}: expected a Uint8Array, got ${describe(data)}`)
    const sizes = Array.from(Object(dims), size => toNumber(size, `${where}: dims`, { least: 0, whole: true }))
    const unit = raw.endsWith('K') ? 256 : 32
    const bytes = (sizes[0] * sizes[1] * BLOCKS[raw][0]) / 256
    if (sizes.length !== 2 || sizes[1] % unit || bytes !== data.length)
      throw new RangeError(
        `${where}: with dtype ${raw}: expected dims (out, in) with in a multiple of ${unit}, and ${BLOCKS[raw][0]} bytes for 256 values, ` +
          `got dims ${shape(sizes)} and ${data.length} bytes`,
      )
    return { data, dims: sizes, widen: part => part, dtype: raw }
  }
  if (raw === 'bfloat16' || raw === 'int8') {
    const { data, dims } = weight
    const Type = raw === 'int8' ? Int8Array : Uint16Array
    if (!(data instanceof Type))
      throw new TypeError(`${where}: with dtype ${raw}: expected a ${Type.name}, got ${describe(data)}`)
    const sizes = toTensor({ data: new Uint8Array(data.buffer, data.byteOffset, data.length), dims }, where).dims
    return { data, dims: sizes, widen: raw === 'int8' ? part => Float32Array.from(part) : fromBfloat16, dtype: raw }
  }
  const tensor = weight?.isResident ? toFloats(weight, where) : toTensor(weight, where)
  if (tensor.dtype === 'float16') return { data: tensor.data, dims: tensor.dims, widen: fromFloat16 }
  const floats = toFloats(tensor, where)
  return { data: floats.data, dims: floats.dims, widen: part => part, tensor: floats }
}

/**
 * A linear layer for inference. Its weight is packed in the module's memory once, not in every call. The memory is freed by `dispose()`, or
 * when the layer is garbage-collected.
 */
export class PackedLinear {
  #core
  /** @type {(import('../ops/linear/forward.js').Weights & { weight: ResidentTensor }) | undefined} */
  #weights
  /** Bytes of a panel, which holds eight rows of K values. */
  #panel = 0
  /** @type {ResidentTensor[]} */
  #tensors = []
  #dtype = 'float32'
  #isQuantized = false

  /**
   * @internal
   * @param {Core} core
   * @param {unknown} weight
   * @param {unknown} bias
   * @param {PackOptions} options
   */
  constructor(core, weight, bias, options) {
    const { dtype: given, activations = 'int16', layout, scales } = readOptions(options, OPTIONS, 'packLinear')
    const source = readWeight(weight)
    const { dims, isTransposed } = checkLayout(source.dims, layout, 'packLinear')
    const ofBlocks = source.isDeferred ? given : source.dtype
    const isOfBlocks = isBlock(ofBlocks)
    const dtype = oneOf(
      given ?? (isOfBlocks ? ofBlocks : 'float32'),
      isOfBlocks ? [ofBlocks] : DTYPES,
      'packLinear: dtype',
    )
    if (isOfBlocks && isTransposed)
      throw new TypeError("packLinear: layout: 'in,out' with blocks, whose rows are those of 'out,in'")
    oneOf(activations, ['int16', 'int8', 'float32'], 'packLinear: activations')
    if (activations === 'int8' && dtype !== 'int8')
      throw new TypeError(
        `packLinear: activations: 'int8' goes with weights of int8, here they are of ${dtype}: give dtype: 'int8' or leave activations out`,
      )
    const isQuantized = source.dtype === 'int8'
    if (isQuantized !== (scales !== undefined) || (isQuantized && dtype !== 'int8'))
      throw new TypeError(
        "packLinear: scales go with a weight of int8, { data: Int8Array, dims, dtype: 'int8' }, and dtype: 'int8'",
      )
    const [N, K] = dims
    const vector = (/** @type {unknown} */ value, /** @type {string} */ name) => {
      const tensor = value === undefined ? undefined : toFloats(value, `packLinear: ${name}`)
      if (tensor) expectDims(tensor, [N], `packLinear: ${name}`, '(out)')
      return tensor
    }
    const kind = WEIGHTS[dtype === 'bfloat16' ? 'float16' : /** @type {'int8'} */ (dtype.toLowerCase())]
    if (kind >= WEIGHTS.int8 && !core.exports.qkv_integer_part)
      throw new Error(`packLinear: dtype '${dtype}' needs the kernels of integer weights: load({ integers: true })`)
    const shift = vector(bias, 'bias')
    const factors = vector(scales, 'scales')

    this.#core = core
    this.#dtype = dtype
    this.#isQuantized = isQuantized
    const panels = Math.ceil(N / 8)
    this.#panel = isBlock(dtype)
      ? (K * BLOCKS[dtype][1]) / 256
      : [0, K * 32, K * 16, Math.ceil(K / 2) * 16, blocksOf(K) * INT4_BYTES][kind]
    const make = (/** @type {number} */ n) => {
      // The memory is not zeroed, because every value will be written.
      const tensor = new ResidentTensor(core, [n], core.blocks.take(n * 4))
      this.#tensors.push(tensor)
      return tensor
    }
    try {
      const packed = make((panels * this.#panel) / 4)
      const rowScales = kind === WEIGHTS.float16 || kind === WEIGHTS.int8 ? make(panels * 8) : undefined
      const ownBias = shift && make(N)
      if (shift) ownBias?.data.set(shift.data)
      rowScales?.data.fill(0)
      if (factors) rowScales?.data.set(factors.data)
      this.#weights = {
        ...toWeights(packed, dims, ownBias),
        kind,
        scales: rowScales,
        isExact: activations === 'float32',
        hasInt8X: activations === 'int8',
      }
      collected.register(this, this.#tensors, this)
      if (source.isDeferred) return
      const { tensor, data, widen } = source
      const resident = tensor && core.residentOf(tensor)
      const step = isTransposed ? N : ROWS
      const isRounded = dtype === 'bfloat16' && source.dtype !== 'bfloat16'
      const width = isOfBlocks ? data.length / N : K // elements of `data` in a row
      for (let n = 0; n < N; n += step)
        core.scope(() => {
          const rows = Math.min(step, N - n)
          const from = n * width
          const floats = () => widen((tensor ?? { data }).data.subarray(from, from + rows * width))
          const address =
            resident && !isRounded
              ? resident.address + from * 4
              : core.copyIn(isRounded ? roundToBfloat16(floats()) : floats())
          this.fill(n, address, rows, isTransposed ? N : 0)
        })
    } catch (error) {
      this.dispose()
      throw error
    }
  }

  /**
   * @internal
   * Packs some rows of the weight.
   * @param {number} n index of the first one, a multiple of 8
   * @param {number} from address of the rows to pack
   * @param {number} rows
   * @param {number} [stride] with layout 'in,out': floats from one input to the next
   * @param {{ k: number, size: number }} [inputs] packs only the inputs k to k + size (exclusive), for int4 whole blocks; only with layout
   *   'in,out' and float32 or int4; default: all
   */
  fill(n, from, rows, stride = 0, inputs) {
    const core = this.#core
    const { weight, dims, kind = 0, scales } = this.#own
    const { k, size: K } = inputs ?? { k: 0, size: dims[1] }
    core.scope(() => {
      const scratch = core.allocFloats(8 * (K + 31))
      const args = writeStruct(core, PACK_LINEAR_STRUCT, {
        w: from,
        w_row: isBlock(this.#dtype) ? (K * BLOCKS[this.#dtype][0]) / 256 : stride ? 1 : K,
        w_column: stride || 1,
        K,
        N: rows,
        weights: kind,
        is_quantized: Number(this.#isQuantized),
        packed: weight.address + (n / 8) * this.#panel + (kind === WEIGHTS.int4 ? k * 5 : k * 32),
        panel_size: this.#panel,
        scales: scales ? addressOf(scales) + n * 4 : 0,
        scratch,
      })
      const kernel =
        kind > WEIGHTS.int4 ? 'qkv_pack_blocks' : kind >= WEIGHTS.int8 ? 'qkv_pack_integer' : 'qkv_pack_linear'
      const status = core.exports[kernel](args)
      if (status === OUT_OF_RANGE)
        throw new RangeError(
          `packLinear: weight holds NaN, infinity or values too large for ${this.#dtype}: ${LARGEST[kind] ? `the largest magnitude of ${LARGEST[kind]}; ` : ''}use dtype 'float32'`,
        )
      core.check(kernel, status)
    })
  }

  /** Returns the packed weight with its kind, scales and bias; throws after dispose. */
  get #own() {
    if (this.#weights) return this.#weights
    throw new Error('this layer was disposed: make another with packLinear')
  }

  /**
   * Computes y = x W^T + bias. With a float32 weight, y has the same bits as qkv.linear(x, weight, bias).
   * @param {FloatLike | Nested} x (..., in)
   * @param {import('../ops/linear/forward.js').FusedOptions & OutOptions} [options]
   * @returns {FloatTensor} (..., out)
   */
  forward(x, options = {}) {
    if (!(#core in this)) throw proxied('packLinear')
    return forward(this.#core, x, this.#own, options, 'packLinear: forward')
  }

  /**
   * @internal
   * Computes x W^T, without the bias, as a resident tensor. If x is the difference of two inputs, the result is the difference of their
   * outputs.
   * @param {FloatTensor} x (..., in)
   * @returns {FloatTensor} (..., out)
   */
  product(x) {
    const weights = this.#own
    return forward(this.#core, x, { ...weights, bias: undefined }, { resident: true }, 'packLinear: product')
  }

  /**
   * @internal
   * Runs up to three layers on the same x in one kernel call. Returns undefined unless all weights are quantized and all layers round x to
   * the same integers.
   * @param {readonly PackedLinear[]} layers
   * @param {FloatTensor} x (..., in)
   * @param {keyof typeof ACTIVATION} [activation] applied to the output of the first layer
   * @returns {FloatTensor[] | undefined} the resident output (..., out) of each layer
   */
  static forwardTogether(layers, x, activation = 'none') {
    const lead = x.dims.slice(0, -1)
    const M = count(lead)
    if (!layers.every(layer => Number(layer.#weights?.kind) >= WEIGHTS.int8 && !layer.#weights?.isExact))
      return undefined
    if (new Set(layers.map(layer => layer.#weights?.hasInt8X)).size > 1) return undefined
    const core = layers[0].#core
    const products = layers.map((layer, n) => {
      const weights = { ...layer.#own }
      weights.activation = n ? 0 : ACTIVATION[activation]
      const out = allocate(core, [...lead, weights.dims[0]], false)
      return { weights, out, y: out.address }
    })
    multiplyTogether(core, x, M, products)
    return products.map(({ out }) => out)
  }

  /**
   * Returns row n of the packed weight as floats, and its bias.
   * @param {number} n
   * @returns {{ weight: Float32Array, bias: number }}
   */
  row(n) {
    if (!(#core in this)) throw proxied('packLinear')
    const { dims, kind = 0 } = this.#own
    const [N, K] = dims
    toNumber(n, 'packLinear: row', { least: 0, most: N - 1, whole: true })
    const { weight, bias, scales } = this.#own
    const { buffer, byteOffset } = weight.data
    const panel = byteOffset + Math.floor(n / 8) * this.#panel
    const column = n % 8
    const scale = scales?.data[n] ?? 1
    const out = new Float32Array(K)
    if (kind > WEIGHTS.int4) {
      const core = this.#core
      core.scope(() => {
        const floats = core.allocFloats(K)
        core.exports.qkv_unpack_blocks(panel, kind, K, column, 1, floats)
        out.set(core.floats.subarray(floats / 4, floats / 4 + K))
      })
    } else if (kind === WEIGHTS.int8) {
      const from = new Int8Array(buffer, panel + (column & 3) * 4 + (column >> 2)) // see store_int8_pairs in simd.h
      const flip = column < 4 ? -128 : 0
      for (let k = 0; k < K; k++) out[k] = (from[(k >> 1) * 16 + (k & 1) * 2] ^ flip) * scale
    } else if (kind === WEIGHTS.int4) {
      const words = new Uint32Array(buffer, panel, (blocksOf(K) * INT4_BYTES) / 4)
      const [word, shift] = [column % 4, column & 4] // see store_nibbles in simd.h
      for (let first = 0; first < K; first += 32) {
        const block = (first >> 5) * 40
        const [scale, minimum] = fromBfloat16(Uint16Array.of(words[block + column], words[block + column] >>> 16))
        for (let k = first; k < Math.min(K, first + 32); k++) {
          const four = words[block + 8 + ((k & 31) >> 2) * 4 + word]
          out[k] = scale * ((four >>> (shift + (k & 1) * 16 + ((k >> 1) & 1) * 8)) & 15) + minimum
        }
      }
    } else if (kind === WEIGHTS.float16) {
      const from = new Uint16Array(buffer, panel, K * 8)
      const words = new Uint32Array(out.buffer)
      const place = (column % 4) * 2 + (column >> 2) // columns 4 to 7 are in the upper halves of 32-bit words
      for (let k = 0; k < K; k++) {
        const half = from[k * 8 + place]
        words[k] = ((half & 0x8000) << 16) | ((half & 0x7fff) << 13) // the value times 2^-112; scale includes 2^112
        out[k] *= scale
      }
    } else {
      const from = new Float32Array(buffer, panel, K * 8)
      for (let k = 0; k < K; k++) out[k] = from[k * 8 + column]
    }
    return { weight: out, bias: bias?.data[n] ?? 0 }
  }

  /** Returns all rows of the packed weight, (out, in). */
  rows() {
    const [N, K] = this.#own.dims
    const out = new Float32Array(N * K)
    for (let n = 0; n < N; n++) out.set(this.row(n).weight, n * K)
    return out
  }

  /**
   * @internal
   * Packs the rows n to n + rows (exclusive) as a float32 weight, for a product with W instead of W^T. Its panels are
   * (ceil(in / 8), rows, 8).
   * @param {number} n a multiple of 8
   * @param {number} rows
   * @param {number} to address to write to
   */
  turned(n, rows, to) {
    const core = this.#core
    const { weight, dims, kind } = this.#own
    const K = dims[1]
    core.scope(() => {
      const scratch = core.allocFloats(8 * K)
      for (let i = 0; i < rows; i += 8) {
        const size = Math.min(8, rows - i)
        const isPlain = kind === WEIGHTS.float32
        const from = isPlain ? weight.address + (n + i) * K * 4 : scratch
        for (let c = 0; c < size && !isPlain; c++) {
          const row = this.row(n + i + c).weight // may grow the memory, which detaches core.floats
          core.floats.set(row, scratch / 4 + c * K)
        }
        const args = writeStruct(core, PACK_LINEAR_STRUCT, {
          w: from,
          w_row: isPlain ? 8 : 1,
          w_column: isPlain ? 1 : K,
          K: size,
          N: K,
          weights: WEIGHTS.float32,
          is_quantized: 0,
          packed: to + i * 32,
          panel_size: rows * 32,
          scales: 0,
          scratch: 0,
        })
        core.check('qkv_pack_linear', core.exports.qkv_pack_linear(args))
      }
    })
  }

  /** Returns the type of the packed weight. */
  get dtype() {
    return this.#dtype
  }

  /** Returns a view of the bias (out); undefined without a bias. */
  get bias() {
    return this.#weights?.bias?.data
  }

  /** Returns the bytes of the layer's tensors in the module's memory. */
  get bytes() {
    return this.#tensors.reduce((sum, tensor) => sum + count(tensor.dims) * 4, 0)
  }

  /** Frees the memory; any later use of the layer throws. */
  dispose() {
    collected.unregister(this)
    for (const tensor of this.#tensors.splice(0)) tensor.dispose()
    this.#weights = undefined
  }
}

/** @type {ReturnType<typeof whenCollected<ResidentTensor[]>>} */
const collected = /* @__PURE__ */ whenCollected(tensors => {
  for (const tensor of tensors) tensor.dispose()
})

/**
 * Makes a linear layer whose weight is copied and packed once, for a layer that runs many times. float16 keeps 11 bits of each value,
 * bfloat16 keeps 8. The error of int8 is at most 1/254 of the row's largest value. The error of int4 is at most 1/30 of the range of the 32
 * values in a block.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {TensorLike | Nested | RawWeight} weight (out, in); (in, out) with layout 'in,out'. float16, bfloat16 (`{ data: Uint16Array, dims,
 *   dtype: 'bfloat16' }`) and int8 are packed without a float32 copy
 * @param {FloatLike | Nested} [bias] (out)
 * @param {PackOptions} [options]
 * @returns {PackedLinear} a layer with forward(x, { activation, residual, out }) and dispose()
 * @throws {TypeError | RangeError}
 */
export function packLinear(qkv, weight, bias, options = {}) {
  return new PackedLinear(expectCore(qkv, 'packLinear'), weight, bias, options)
}
