import { oneOf, readOptions, register, sizeOf, toNumber } from '../../base/arguments.js'
import { whenCollected } from '../../base/collected.js'
import { proxied, shape } from '../../base/errors.js'
import { toFloats, valuesOf } from '../../base/operand.js'
import { Tensor } from '../../base/tensor.js'
import { expectCore } from '../../runtime/core-of.js'
import { shareOrRun } from '../linear/forward.js'
import { ATTENTION_OPTIONS, checkOptions, labels, rowSize } from './arguments.js'
import { attend, writeCall } from './forward.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { AttentionCall } from '../../runtime/attention-call.js' */
/** @import { FloatLike, Nested } from '../../base/tensor.js' */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * Sizes of a cache, and what `append` does when the cache is full: without `limit` or `window`, it throws.
 * @typedef {object} CacheOptions
 * @property {number} headDim D, the size of a key
 * @property {number} [valueDim] E, the size of a value; default headDim
 * @property {number} [numKvHeads] G, the heads of keys and values; default 1
 * @property {number} [batch] B; default 1
 * @property {number} [capacity] initial capacity in rows; required, except with `window`, where the default is twice the window
 * @property {number} [limit] the cache grows by doubling up to this number of rows; Infinity: until memory is full
 * @property {number} [window] makes the cache slide: each query sees the last `window` keys, including its own, and older keys are
 *   overwritten. One call can append at most capacity - window + 1 rows
 * @property {'float32' | 'int8'} [dtype] of keys and values in memory; default float32. int8, with a scale for each row of a
 *   head, needs load({ integers: true }) and cannot have a window
 *
 * @typedef {Omit<import('./arguments.js').AttentionOptions, 'pastLength' | 'numKvHeads'> & import('./arguments.js').OutOption & import('./arguments.js').SummaryOption} CachedAttentionOptions
 */

const KNOWN = register('kvCache', [
  'batch',
  'numKvHeads',
  'headDim',
  'valueDim',
  'capacity',
  'limit',
  'window',
  'dtype',
])
const SIZE = { least: 1, most: 2 ** 32 - 1, whole: true }
const APPEND = ['numKvHeads']
const NONE = {}
const ATTENTION = labels(
  'cache.attention',
  ['q'],
  [...ATTENTION_OPTIONS.filter(name => name !== 'pastLength'), 'numHeads', 'out', 'summary'],
)

/**
 * A KV cache in the module's memory: keys (B, G, capacity, D) and values (B, G, capacity, E). The rows of a head are contiguous; `append`
 * moves them only when the cache grows or slides. The memory is freed by `dispose()`, or when the cache is garbage-collected.
 */
export class KVCache {
  #core
  /** The block of memory, which the FinalizationRegistry frees if dispose() was not called. */
  #block
  #first = 0
  #length = 0
  #total = 0
  #capacity
  #limit
  #grows

  /** @internal @param {Core} core @param {CacheOptions} options */
  constructor(core, options) {
    const given = readOptions(options, KNOWN, 'kvCache')
    const { batch = 1, numKvHeads = 1, headDim, valueDim = headDim, window, limit } = given
    this.#core = core
    this.batch = toNumber(batch, 'kvCache: batch', SIZE)
    this.numKvHeads = toNumber(numKvHeads, 'kvCache: numKvHeads', SIZE)
    this.headDim = toNumber(headDim, 'kvCache: headDim', SIZE)
    this.valueDim = toNumber(valueDim, 'kvCache: valueDim', SIZE)
    if (window !== undefined && limit !== undefined)
      throw new TypeError('kvCache: expected either limit or window, got both; a cache grows up to a limit or slides')
    /** The number of keys that a query sees, including the key at its own position; undefined: all. */
    this.window = window === undefined ? undefined : toNumber(window, 'kvCache: window', SIZE)
    const least = this.window ?? 1
    this.#capacity = toNumber(given.capacity ?? (window && 2 * window), 'kvCache: capacity', { ...SIZE, least })
    this.#grows = limit !== undefined
    const range = { least: this.#capacity, whole: true, open: true }
    this.#limit = limit === undefined ? this.#capacity : toNumber(limit, 'kvCache: limit', range)
    this.dtype = oneOf(given.dtype ?? 'float32', ['float32', 'int8'], 'kvCache: dtype')
    /** @internal The object that reads and writes rows which are not float32; undefined for float32. */
    this.rows = this.dtype === 'int8' ? this.#int8Rows() : undefined
    this.#block = { core, pointer: core.blocks.take(this.#bytes(this.#capacity)) }
    released.register(this, this.#block, this)
    Object.freeze(this) // a changed size would make kernels read beyond the block
  }

  #int8Rows() {
    const { Int8Rows } = this.#core
    if (!Int8Rows)
      throw new Error("kvCache: dtype 'int8' needs the kernels of integer weights: load({ integers: true })")
    if (this.window) throw new TypeError("kvCache: dtype 'int8' does not support window; a sliding cache is float32")
    return new Int8Rows(this.#heads, this.headDim, this.valueDim)
  }

  /** Returns the number of keys that queries can see now. */
  get length() {
    return this.#length
  }

  /** Returns the number of keys appended so far, which is the position of the next one. */
  get total() {
    return this.#total
  }

  /** Returns the number of rows that fit without growing. */
  get capacity() {
    return this.#capacity
  }

  /** Returns a copy of the keys, (B, G, length, D). */
  get keys() {
    if (this.rows) return this.#asFloats('k', this.headDim)
    return this.#copy(this.keysAt, this.headDim)
  }

  /** Returns a copy of the values, (B, G, length, E). */
  get values() {
    if (this.rows) return this.#asFloats('v', this.valueDim)
    return this.#copy(this.valuesAt, this.valueDim)
  }

  /** Returns the address of the keys of head 0; each further head starts `capacity` rows later. */
  get keysAt() {
    return this.#pointer
  }

  /** Returns the address of the values of head 0. */
  get valuesAt() {
    return this.#pointer + this.#heads * this.#capacity * this.headDim * 4
  }

  /** Returns the row of the oldest visible key; it is above 0 only with a window. */
  get first() {
    return this.#first
  }

  /**
   * Appends the keys and values of T positions. If it throws, nothing is appended.
   * @param {FloatLike | Nested} k (T, D), (G, T, D) or (B, G, T, D); with numKvHeads (B, T, G * D)
   * @param {FloatLike | Nested} v (T, E), (G, T, E) or (B, G, T, E); with numKvHeads (B, T, G * E)
   * @param {{ numKvHeads?: number }} [options] numKvHeads: G, if the heads are side by side in each row
   * @returns {this}
   * @throws {RangeError} if the rows do not fit; see capacity, limit and window
   */
  append(k, v, options = NONE) {
    if (!(#core in this)) throw proxied('cache')
    this.#pointer // throws after dispose
    options = readOptions(options, APPEND, 'cache.append')
    const inRows = options.numKvHeads !== undefined
    if (inRows)
      toNumber(options.numKvHeads, 'cache.append: numKvHeads', {
        least: this.numKvHeads,
        most: this.numKvHeads,
        whole: true,
      })
    const keys = toFloats(k, 'cache.append: k')
    const values = toFloats(v, 'cache.append: v')
    this.#expect(keys, 'k', this.headDim, inRows)
    this.#expect(values, 'v', this.valueDim, inRows)
    const rows = sizeOf(keys, 2)
    if (rows !== sizeOf(values, 2))
      throw new RangeError(`cache.append: k has ${rows} rows, v has ${sizeOf(values, 2)}: each key needs its value`)
    valuesOf(keys)
    valuesOf(values)
    return this.extend(rows, row => {
      if (this.rows) this.rows.write(this.#core, this.#place, keys, values, row, rows, inRows ? this.numKvHeads : 0)
      else {
        this.#write(keys.data, this.keysAt / 4, this.headDim, row, rows, inRows)
        this.#write(values.data, this.valuesAt / 4, this.valueDim, row, rows, inRows)
      }
    })
  }

  /**
   * @internal
   * Makes room for `rows` rows after the last one, calls `write` with the index of the first, then adds them to the cache.
   * @param {number} rows
   * @param {(row: number) => void} write
   * @returns {this}
   */
  extend(rows, write) {
    this.#pointer // throws after dispose
    const kept = this.window ? Math.min(this.#length, this.window - 1) : this.#length
    this.#makeRoom(kept, rows)
    const first = this.#first + this.#length - kept
    write(first + kept)
    this.#first = first
    this.#length = kept + rows
    this.#total += rows
    return this
  }

  /** @internal The words of struct qkv_cache; the addresses of scales are 0 if the rows are float32. */
  get words() {
    if (this.rows) return this.rows.words(this.#place)
    return [this.keysAt, this.valuesAt, 0, 0, this.#heads, this.#capacity, this.headDim, this.valueDim]
  }

  /**
   * Computes attention over all cached keys, which are read in place. The L queries have the positions of the last L keys.
   * @param {FloatLike | Nested} q (L, D), (H, L, D) or (B, H, L, D); with numHeads (B, L, H * D)
   * @param {CachedAttentionOptions} [options] those of attention, but `causal` is true by default and there is no `pastLength`: the last
   *   query has the position of the last key. S is `length`
   * @returns {import('./forward.js').Attended} (..., L, E); with numHeads (B, L, H * E)
   */
  attention(q, options = {}) {
    if (!(#core in this)) throw proxied('cache')
    const core = this.#core
    const call = core.takeCall()
    try {
      this.#check(call, q, options)
      return attend(core, call, call.options.out)
    } finally {
      core.giveCall(call)
    }
  }

  /**
   * @internal
   * Computes attention over rows that are not float32. Call it within a scope.
   * @param {Core} core
   * @param {AttentionCall} call
   * @param {number} q address of the queries
   * @param {number} out
   */
  attendRows(core, call, q, out) {
    const rows = /** @type {NonNullable<typeof this.rows>} */ (this.rows)
    const args = writeCall(core, call, q, 0, 0, out, call.inRows, false, rows.callWords)
    shareOrRun(core, rows.job(core, call, this.#place, args))
    return undefined
  }

  /** @internal Replaces the rows of each batch element b by those of element from[b]. @param {readonly number[]} from */
  select(from) {
    const { bytes } = this.#core
    const parts = this.rows
      ? this.rows.parts(this.#capacity)
      : [this.headDim, this.valueDim].map(size => this.#heads * this.#capacity * size * 4)
    let start = this.#pointer
    for (const part of parts) {
      const size = part / this.batch
      const old = bytes.slice(start, start + part)
      for (const [b, other] of from.entries())
        if (other !== b) bytes.set(old.subarray(other * size, (other + 1) * size), start + b * size)
      start += part
    }
  }

  /** Removes all keys and values and keeps the memory. */
  clear() {
    this.#first = this.#length = this.#total = 0
  }

  /** Frees the memory; any later use throws. */
  dispose() {
    if (!this.#block.pointer) return
    released.unregister(this)
    this.#core.blocks.give(this.#block.pointer)
    this.#block.pointer = this.#length = 0
  }

  get #heads() {
    return this.batch * this.numKvHeads
  }

  get #pointer() {
    if (!this.#block.pointer) throw new Error('this cache was disposed: make another with kvCache')
    return this.#block.pointer
  }

  /** The address of the rows, and the number of rows per head that fit there. */
  get #place() {
    return { at: this.#pointer, capacity: this.#capacity }
  }

  /** @param {number} capacity */
  #bytes(capacity) {
    if (this.rows) return this.rows.bytes(capacity)
    return this.#heads * capacity * (this.headDim + this.valueDim) * 4
  }

  /** @param {FloatTensor} tensor @param {string} name @param {number} size @param {boolean} inRows */
  #expect(tensor, name, size, inRows) {
    const { batch, numKvHeads } = this
    const { dims } = tensor
    const fits = inRows
      ? dims.length === 3 && dims[0] === batch && dims[2] === numKvHeads * size
      : sizeOf(tensor, 4) === batch && sizeOf(tensor, 3) === numKvHeads && sizeOf(tensor, 1) === size
    if (!fits || dims.length < 2 || dims.length > 4)
      throw new RangeError(
        `cache.append: ${name}: expected ` +
          (inRows
            ? `(B, T, G * size) = (${batch}, T, ${numKvHeads * size})`
            : `(B, G, T, size) = (${batch}, ${numKvHeads}, T, ${size})`) +
          `, as in the cache, got dims ${shape(dims)}`,
      )
  }

  /**
   * Makes room for `rows` more rows after the last `kept` ones, by sliding or growing; throws if they exceed the limit.
   * @param {number} kept
   * @param {number} rows
   */
  #makeRoom(kept, rows) {
    const needed = kept + rows
    if (needed > this.#limit) {
      const hint = this.window
        ? `a window of ${this.window} over a capacity of ${this.#capacity} takes ${this.#capacity - this.window + 1} at once: ` +
          'append in parts, or make the cache with more capacity'
        : this.#grows
          ? `its limit is ${this.#limit}`
          : `it holds ${this.#limit}: make it with more capacity, with a limit to let it grow, or with a window to let it slide`
      throw new RangeError(`cache.append: ${rows} rows do not fit beside the ${kept} that stay: ${hint}`)
    }
    const drop = this.#length - kept
    if (needed > this.#capacity) {
      let capacity = this.#capacity
      while (capacity < needed) capacity *= 2
      this.#move(Math.min(capacity, this.#limit))
    } else if (this.#first + drop + needed > this.#capacity) this.#slide(kept)
  }

  /** Moves the last `kept` rows of each head to the start of the head's memory. @param {number} kept */
  #slide(kept) {
    const { floats } = this.#core
    const from = this.#first + this.#length - kept
    let head = this.#pointer / 4
    for (const size of [this.headDim, this.valueDim])
      for (let n = 0; n < this.#heads; n++, head += this.#capacity * size)
        floats.copyWithin(head, head + from * size, head + (from + kept) * size)
    this.#first = 0
    this.#length = kept
  }

  /** Moves all rows to a larger block and frees the old one. @param {number} capacity of the new block */
  #move(capacity) {
    const from = this.#pointer
    const to = this.#core.blocks.take(this.#bytes(capacity))
    const { floats } = this.#core
    let [source, target] = [from / 4, to / 4]
    this.rows?.move(this.#core, this.#place, { at: to, capacity }, this.#length)
    for (const size of this.rows ? [] : [this.headDim, this.valueDim])
      for (let n = 0; n < this.#heads; n++, source += this.#capacity * size, target += capacity * size)
        floats.copyWithin(target, source, source + this.#length * size)
    this.#core.blocks.give(from)
    this.#block.pointer = to
    this.#capacity = capacity
  }

  /**
   * Writes rows of keys or values for all heads.
   * @param {Float32Array} data (B, G, rows, size)
   * @param {number} at index of head 0 in core.floats
   * @param {number} size
   * @param {number} row first row to write
   * @param {number} rows
   * @param {boolean} inRows true if data is (B, rows, G, size)
   */
  #write(data, at, size, row, rows, inRows) {
    const { floats } = this.#core
    const n = rows * size
    const G = this.numKvHeads
    if (inRows && G > 1) {
      for (let n = 0; n < this.batch * rows * G; n++) {
        const head = Math.floor(n / (rows * G)) * G + (n % G)
        const t = Math.floor(n / G) % rows
        floats.set(data.subarray(n * size, (n + 1) * size), at + (head * this.#capacity + row + t) * size)
      }
      return
    }
    if (this.#heads === 1) floats.set(data, at + row * size)
    else
      for (let head = 0; head < this.#heads; head++)
        floats.set(data.subarray(head * n, (head + 1) * n), at + (head * this.#capacity + row) * size)
  }

  /** Reads the cached keys or values as float32, if they have another type. @param {'k' | 'v'} part @param {number} size @param {boolean} [inRows] */
  #asFloats(part, size, inRows = false) {
    const { batch, numKvHeads: G } = this
    const rows = this.#length
    const data = /** @type {NonNullable<typeof this.rows>} */ (this.rows).read(
      this.#core,
      this.#place,
      rows,
      inRows ? G : 0,
    )
    return new Tensor(data[part], inRows ? [batch, rows, G * size] : [batch, G, rows, size])
  }

  /** Copies the cached rows of all heads. @param {number} at address of head 0 @param {number} size */
  #copy(at, size) {
    const n = this.#length * size
    const data = new Float32Array(this.#heads * n)
    for (let head = 0; head < this.#heads; head++)
      data.set(this.#core.view(Float32Array, at + (head * this.#capacity + this.#first) * size * 4, n), head * n)
    return new Tensor(data, [this.batch, this.numKvHeads, this.#length, size])
  }

  /** @param {AttentionCall} call @param {unknown} query @param {CachedAttentionOptions} options */
  #check(call, query, options) {
    const { where, known, names } = ATTENTION
    this.#pointer // throws after dispose
    const given = readOptions(options, known, where, call.options)
    const q = toFloats(query, names.q)
    const { numHeads } = given
    const inRows = numHeads !== undefined
    const H = inRows ? toNumber(numHeads, names.numHeads, SIZE) : sizeOf(q, 3)
    const D = rowSize(q, inRows ? H : 0, names.q)
    const B = sizeOf(q, inRows ? 3 : 4)
    const L = sizeOf(q, 2)
    const S = this.#length
    const total = this.#total
    const capacity = this.#capacity
    if (B !== this.batch || H % this.numKvHeads)
      throw new RangeError(
        `${where}: q: expected dims with B = ${this.batch} and H a multiple of the cache's ${this.numKvHeads} key heads, got ${shape(q.dims)}`,
      )
    call.q = q
    call.cache = this
    call.setSizes(this.batch, H, this.numKvHeads, L, S, this.valueDim)
    call.keyRows = this.#capacity
    call.inRows = inRows
    checkOptions(call, D, this.headDim, given, ATTENTION)
    if (this.#total !== total || this.#capacity !== capacity || this.#length !== S)
      throw new TypeError(`${where}: a getter of the arguments changed the cache that they are for`)
    if (given.causal === undefined) call.right = 0
    if (this.window) call.left = Math.min(call.left, this.window - 1)
    const isOpen = call.left === Infinity && call.right === Infinity
    const forgotten = this.#total > S && this.window ? this.window - 1 : 0 // earlier keys that each query needs once older ones are overwritten
    if (!isOpen && S - L < forgotten)
      throw new RangeError(
        `${where}: ${L} queries, but the cache holds ${S} keys` +
          `${forgotten ? ` and each query sees ${forgotten} earlier keys` : ''}: append the keys of all queries first`,
      )
    call.past = new Int32Array(call.B).fill(S - L)
    if (!this.rows || this.rows.takes(call)) return
    call.k = this.#asFloats('k', this.headDim, inRows)
    call.v = this.#asFloats('v', this.valueDim, inRows)
    call.keyRows = S
    call.cache = undefined
  }
}

/** @type {ReturnType<typeof whenCollected<{ core: Core, pointer: number }>>} */
const released = /* @__PURE__ */ whenCollected(({ core, pointer }) => core.blocks.give(pointer))

/**
 * Makes a cache: call `append(k, v)` at each step, then `attention(q)`. When the cache is full, `append` throws; with `limit` the cache
 * doubles its capacity up to the limit, with `window` it slides.
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {CacheOptions} options
 * @returns {KVCache}
 * @throws {TypeError | RangeError}
 */
export const kvCache = (qkv, options) => new KVCache(expectCore(qkv, 'kvCache'), options)
