// Reads the metadata of an architecture key by key. Unread keys are refused by name if they may change the network.

import { describe } from '../../base/errors.js'
import { mayMatter } from '../config/unread-keys.js'

/** @import { GgufMetadata } from './read-gguf.js' */

/** Keys that may stay unread: they repeat facts of the tensors, or do not change what llama.cpp computes. */
const HARMLESS = /^(context_length|vocab_size|tensor_data_layout|rope\.scaling\.finetuned|classifier\.output_labels)$/

export class Keys {
  /** @type {Set<string>} */
  #read = new Set()

  /** @param {GgufMetadata} metadata @param {string} architecture @param {(text: string) => Error} fail */
  constructor(metadata, architecture, fail) {
    this.metadata = metadata
    this.architecture = architecture
    this.fail = fail
  }

  /** Returns the value of ARCHITECTURE.key; for a list with one value per layer, the common value. @param {string} key */
  get(key) {
    const list = this.perLayer(key)
    const name = `${this.architecture}.${key}`
    const value = list ?? this.metadata.get(name)
    // JSON has no NaN: it would become null, as if the key were missing.
    if (typeof value === 'number' && !Number.isFinite(value))
      throw this.fail(`${name}: expected a finite number, got ${value}`)
    if (!list) return value
    const first = list[0]
    if (Array.from(list).some(each => each !== first))
      throw this.fail(`${name} differs from layer to layer, which is not covered`)
    return first
  }

  /** Returns the list of a key; undefined if it is not a list. @param {string} key @returns {ArrayLike<unknown> | undefined} */
  list(key) {
    this.#read.add(key)
    const value = this.metadata.get(`${this.architecture}.${key}`)
    return typeof value === 'object' ? value : undefined
  }

  /** Returns the list of a key, with one value per layer; undefined if it is not a list. @param {string} key */
  perLayer(key) {
    const list = this.list(key)
    if (list && list.length !== this.metadata.get(`${this.architecture}.block_count`))
      throw this.fail(
        `${this.architecture}.${key}: expected one value, or one for each layer, got a list of ${list.length}`,
      )
    return list
  }

  /** @param {string} key @param {number} [fallback] @returns {number} */
  number(key, fallback) {
    const value = this.get(key) ?? fallback
    const name = `${this.architecture}.${key}`
    if (value === undefined) throw this.fail(`the metadata key ${name} is missing`)
    if (typeof value !== 'number') throw this.fail(`${name}: expected a number, got ${describe(value)}`)
    return value
  }

  /** @param {string} key @returns {number | undefined} */
  optional(key) {
    return this.get(key) === undefined ? undefined : this.number(key)
  }

  /** Returns a whole number above 0, such as a size. @param {string} key @param {number} [fallback] */
  count(key, fallback) {
    const value = this.number(key, fallback)
    if (this.get(key) !== undefined && !(Number.isInteger(value) && value > 0))
      throw this.fail(`${this.architecture}.${key}: expected a whole number above 0, got ${value}`)
    return value
  }

  /** Throws if a key has another value. A missing key is accepted. @param {string} key @param {unknown} value @param {string} [why] */
  only(key, value, why = `${describe(value)} is covered`) {
    const given = this.get(key) ?? value
    if (given !== value) throw this.fail(`${this.architecture}.${key} is ${describe(given)}, ${why}`)
  }

  /** Throws for unread keys that may change the network. A head size, head count or mask that was not read must have its usual value. */
  end() {
    const heads = this.count('attention.head_count')
    const size = this.count('embedding_length') / heads
    for (const [key, usual] of Object.entries({
      'attention.key_length': size,
      'attention.value_length': size,
      'attention.head_count_kv': heads,
      'attention.causal': true,
    }))
      if (!this.#read.has(key)) this.only(key, usual)
    const start = `${this.architecture}.`
    const rest = [...this.metadata].filter(([name, value]) => {
      const key = name.slice(start.length)
      if (!name.startsWith(start) || this.#read.has(key) || HARMLESS.test(key)) return false
      // Keys ..._swa are for layers with a window: llama.cpp uses them even if they are 0.
      const isAbsent = (value === 0 || value === false) && !key.endsWith('_swa')
      return !isAbsent && mayMatter(key.replaceAll('.', '_'))
    })
    if (rest.length)
      throw this.fail(`not covered: ${rest.map(([name, value]) => `${name} = ${describe(value)}`).join(', ')}`)
  }
}
