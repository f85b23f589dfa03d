import { Options } from '../base/arguments.js'
import { Tensor } from '../base/tensor.js'

/** @typedef {Tensor<Float32Array>} FloatTensor */
/** @typedef {{ wQuery: FloatTensor, wKey: FloatTensor, v: FloatTensor, bias?: FloatTensor }} AdditiveScore */

/**
 * A tensor that is broadcast to (B, H, L, S) as in numpy: axes are matched from the last one on, and an absent axis or one of size 1 is
 * repeated. `batch`, `head`, `row` and `column` are its strides, 0 for repeated axes.
 * @template {import('../base/tensor.js').TensorData} [T=import('../base/tensor.js').TensorData]
 * @typedef {{ tensor: Tensor<T>, batch: number, head: number, row: number, column: number }} Broadcast
 */

/** @type {FloatTensor} */
const NONE = new Tensor(new Float32Array(0), [0])

/**
 * Sets all properties of a record to undefined. Deleting them would make the next call add them again.
 * @param {Record<string, any>} record
 */
const empty = record => {
  for (const name in record) record[name] = undefined
}

/**
 * The checked arguments of an attention kernel. Calls reuse one record (Core.takeCall), because a new one would be 300 bytes of garbage.
 * Every check sets all fields except the tensors.
 */
export class AttentionCall {
  /** A copy of the options, made by readOptions, so that reading them runs no getter of the caller. @type {Record<string, any>} */
  options = new Options()
  /** The operands of attention or trace, as they were given. */
  q = NONE
  k = NONE
  v = NONE
  /** The cache whose keys and values replace k and v. @type {import('../ops/attention/kv-cache.js').KVCache | undefined} */
  cache

  B = 0
  H = 0
  G = 0
  L = 0
  S = 0
  /** Rows in memory from one head of k and v to the next: S, or the capacity of a cache. */
  keyRows = 0
  /** True if the heads of q, k, v and the output are side by side in rows (numHeads). */
  inRows = false
  /**
   * For packed texts: the first row of each text in q and in k, then the number of rows, (B + 1).
   * @type {{ q: Uint32Array, k: Uint32Array } | undefined}
   */
  texts
  /** Head size of q and k for the kernel. An additive score projects q and k first, so it is the size after that. */
  D = 0
  E = 0

  /** @type {keyof typeof import('./abi.js').SCORE} */
  kind = 'dot'
  sigma = 1
  /** @type {AdditiveScore | undefined} */
  additive
  scale = 1
  softcap = 0
  /** @type {Int32Array | undefined} (B) */
  past
  left = Infinity
  right = Infinity
  /** @type {Broadcast | undefined} boolean */
  mask
  /** @type {Broadcast<Float32Array> | undefined} */
  bias
  /** @type {FloatTensor | undefined} (H) */
  sinks
  /**
   * The checked values of the masks in src/ops/attention/masks.js, by option.
   * @type {{ alibi?: FloatTensor, keyLengths?: Uint32Array, [option: string]: any }}
   */
  masks = { alibi: undefined, keyLengths: undefined }
  /** @type {{ p: number, generator: import('../ops/random/generator.js').Generator } | undefined} */
  dropout
  /** The statistics of the attention weights that the call computes. @type {import('../ops/attention/summary.js').Checked | undefined} */
  summary
  /** Copies that the calling thread makes while the workers compute. @type {import('../threads/pool.js').DeferredCopies | undefined} */
  deferredCopies
  /** @type {'keys' | 'queries'} */
  softmaxAxis = 'keys'
  /** @type {'before' | 'after'} */
  masking = 'before'
  /** Names of the steps that a trace returns; undefined: all. @type {readonly string[] | undefined} */
  keep

  /**
   * @param {number} B
   * @param {number} H
   * @param {number} G
   * @param {number} L
   * @param {number} S
   * @param {number} E
   */
  setSizes(B, H, G, L, S, E) {
    this.B = B
    this.H = H
    this.G = G
    this.L = L
    this.S = S
    this.keyRows = S
    this.E = E
  }

  /** Returns dims (B, H, ...) without the leading axes that q lacks. With numHeads, q lacks none. @param {readonly number[]} dims */
  lead(dims) {
    return this.inRows ? [...dims] : dims.slice(4 - this.q.dims.length)
  }

  /** Returns the number of rows of q, over all batches or texts. */
  get queries() {
    return this.texts ? this.texts.q[this.B] : this.B * this.L
  }

  /** Returns the number of rows of k in memory, over all batches or texts. */
  get keys() {
    return this.texts ? this.texts.k[this.B] : this.B * this.keyRows
  }

  /** Returns the number of query-key pairs, over all batches or texts. */
  get pairs() {
    const { texts, B, L, S } = this
    if (!texts) return B * L * S
    let pairs = 0
    for (let b = 0; b < B; b++) pairs += (texts.q[b + 1] - texts.q[b]) * (texts.k[b + 1] - texts.k[b])
    return pairs
  }

  get outputDims() {
    const { B, H, L, E, inRows, texts } = this
    if (texts) return [this.queries, H, E]
    return inRows ? [B, L, H * E] : this.lead([B, H, L, E])
  }

  /**
   * Returns the job of this attention, for the pool of threads.
   * @param {import('./memory.js').Core} core
   * @param {number} args address of struct qkv_attention
   * @returns {import('../threads/pool.js').Job}
   */
  job({ exports }, args) {
    const { B, H, G, D, E, pairs, texts, deferredCopies } = this
    return {
      kernel: 'qkv_attention_part',
      args: [args],
      work: 2 * H * pairs * (D + E),
      units: exports.qkv_attention_units(args),
      scratch: exports.qkv_attention_scratch(args),
      deferredCopies,
      parts: texts ? 1 : B * G, // packed texts differ in their numbers of units, so they are one part
    }
  }

  /** Drops all references to the caller's objects. */
  clear() {
    empty(this.options)
    this.q = NONE
    this.k = NONE
    this.v = NONE
    this.cache = undefined
    this.inRows = false
    this.texts = undefined
    this.additive = undefined
    this.mask = undefined
    this.bias = undefined
    this.sinks = undefined
    this.past = undefined
    empty(this.masks)
    this.dropout = undefined
    this.summary = undefined
    this.deferredCopies = undefined
  }
}
