// Stores the rows of a cache of keys and values as int8, with a scale per row. Loaded together with the kernels of integer weights.

import { ATTENTION_WORDS, CACHED_WORDS } from './abi.js'

/** @import { Core } from './memory.js' */
/** @import { AttentionCall } from './attention-call.js' */
/** @import { FloatTensor } from '../base/tensor.js' */
/** The memory of a cache: its address, and the number of rows that fit. @typedef {{ at: number, capacity: number }} RowsPlace */

const BLOCK = 128 // rows per block, see src/kernel/attention_cached.c
const roundUp = (/** @type {number} */ n, /** @type {number} */ unit) => Math.ceil(n / unit) * unit

export class Int8Rows {
  /** @param {number} heads number of heads in all batches @param {number} D size of a key @param {number} E size of a value */
  constructor(heads, D, E) {
    this.heads = heads
    this.D = D
    this.E = E
  }

  /** Returns the bytes of one row's key, value, key scale and value scale. */
  get #sizes() {
    return [roundUp(this.D, 2), roundUp(this.E, 8), 4, 4]
  }

  /** Returns the bytes of all keys, values, key scales and value scales, which are in memory in this order. @param {number} capacity */
  parts(capacity) {
    return this.#sizes.map(size => size * this.heads * roundUp(capacity, BLOCK))
  }

  /** @param {number} capacity */
  bytes(capacity) {
    return this.parts(capacity).reduce((sum, part) => sum + part, 0)
  }

  /** Returns the words of struct qkv_cache. @param {RowsPlace} place */
  words({ at, capacity }) {
    const rows = roundUp(capacity, BLOCK)
    const addresses = this.parts(capacity).map(part => {
      const address = at
      at += part
      return address
    })
    return [...addresses, this.heads, rows, this.D, this.E]
  }

  /**
   * Runs a kernel that writes or reads rows as floats. Call it within `core.scope`, which frees the kernel's arguments.
   * @param {Core} core
   * @param {'qkv_cache_write' | 'qkv_cache_read'} kernel
   * @param {RowsPlace} place
   * @param {[k: number, v: number, from: number, count: number, G: number]} rows k, v: addresses of the floats; G: as in write
   */
  #call(core, kernel, place, rows) {
    core.call(kernel, core.copyIn(Uint32Array.from([...this.words(place), ...rows])))
  }

  /**
   * Rounds rows of floats to int8 and stores them.
   * @param {Core} core
   * @param {RowsPlace} place
   * @param {FloatTensor} k
   * @param {FloatTensor} v
   * @param {number} row index of the first row in the cache
   * @param {number} count
   * @param {number} G number of heads, if k and v have them side by side in each row; 0 if they have one head after another
   */
  write(core, place, k, v, row, count, G) {
    core.scope(() => {
      const [keys, values] = [core.toMemory(k), core.toMemory(v)]
      this.#call(core, 'qkv_cache_write', place, [keys, values, row, count, G])
    })
  }

  /**
   * Returns the first `count` rows as floats.
   * @param {Core} core
   * @param {RowsPlace} place
   * @param {number} count
   * @param {number} [G] as in write
   */
  read(core, place, count, G = 0) {
    return core.scope(() => {
      const sizes = [this.D, this.E].map(size => this.heads * count * size)
      const [k, v] = sizes.map(size => core.allocFloats(size))
      this.#call(core, 'qkv_cache_read', place, [k, v, 0, count, G])
      return { k: core.copyOut(k, sizes[0]), v: core.copyOut(v, sizes[1]) }
    })
  }

  /**
   * Copies the first `count` rows, still as int8, to other memory.
   * @param {Core} core
   * @param {RowsPlace} from
   * @param {RowsPlace} to
   * @param {number} count
   */
  move(core, from, to, count) {
    const [source, target] = [this.words(from), this.words(to)]
    const [old, now] = [source[5], target[5]]
    for (const [part, size] of this.#sizes.entries())
      for (let head = 0; head < this.heads; head++) {
        const start = source[part] + head * old * size
        const bytes = roundUp(count, BLOCK) * size
        core.bytes.copyWithin(target[part] + head * now * size, start, start + bytes)
      }
  }

  /** True if the int8 kernel supports a call. Other calls read keys and values as floats. @param {AttentionCall} call */
  takes({ kind, dropout, summary }) {
    return kind === 'dot' && !dropout && !summary
  }

  /** Returns the number of words of struct qkv_cached. */
  get callWords() {
    return CACHED_WORDS.length
  }

  /**
   * Returns the job of attention over the cached rows.
   * @param {Core} core
   * @param {AttentionCall} call
   * @param {RowsPlace} place
   * @param {number} args address of struct qkv_cached; the words of its struct qkv_attention are already written
   */
  job(core, { B, H, L, S, deferredCopies }, place, args) {
    core.words.set(this.words(place), args / 4 + ATTENTION_WORDS.length)
    const { qkv_cached_units, qkv_cached_scratch } = core.exports
    return {
      kernel: 'qkv_cached_part',
      args,
      work: B * H * L * S * (this.D + this.E),
      units: qkv_cached_units(args),
      scratch: qkv_cached_scratch(args),
      deferredCopies,
    }
  }
}
