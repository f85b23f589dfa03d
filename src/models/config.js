// Reads a model's config.json: each key is checked when it is read, and keys that were not read are refused by name.

import { toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'

/**
 * Keys of published configs that sound as if they changed the network and do not: those of training, generation, labels and
 * notes, and copies of sizes that the tensors have.
 */
const HARMLESS =
  /^(_|initializer_|transformers|unsloth_|neftune_|num_beam|early_|encoder_no_|pooler_|summary_|task_|output_|is_(en|de)coder|unk_|bos_|eos_)|drop|_(token_ids?|labels?|penalty|ngram_size|length)$|^(architectures|attn_implementation|is_llama_config|(torch_)?dtype|use_cache|pretraining_tp|cache_implementation|n_ctx|n_positions|tie_weights_|num_memory_blocks|down_scale_factor|chunk_size_feed_forward|num_hidden_layers|max_position_embeddings|reorder_and_upcast_attn|pruned_heads|type_vocab_size|extra_pos_embeddings|n_special|predict_special_tokens|sliding_window_size|sbert_ce_default_activation_function|layers_to_keep|((train|eval)_)?batch_size|dataset_size|vocab_type|use_flash_attn|(mask|sep|cls|pad)_token|vocab_parallel_embedding|make_vocab_size_divisible_by)$/

/**
 * Words of keys that may change a network. transformers ignores every key that the class of a config does not have; here a key
 * with such a word is refused, because it may be one of a later version, or of code that comes with the model.
 */
const NETWORK =
  /(^|_)(attn|attentions?|alibi|m?rope|rotary|(layer_?|rms_?)?norm|scal(e|es|ing)|multiplier|factor|theta|window|bias|soft_?cap(ping)?|cap(s|ping)?|clip|layers?|heads?|experts?|moe|router|gat(e|ed|ing)|positions?|positional|relative|quant\w*|act|activation|proj\w*|emb|embd|embed\w*|intermediate|residual|mlp|ffn?|dim|size|width|depth|mask\w*|causal|bidirectional|hidden|inner|kv|qkv?|conv\w*|kernel|ssm|mamba|recurrent|parallel|shared?|sparse|block|chunk|vocab|tied?|interval|eps|epsilon|fusion|sinusoid\w*|force)(_|$)/

/** True if a key that nothing has read may change the network. @param {string} key */
export const mayMatter = key => NETWORK.test(key) && !HARMLESS.test(key)

export class Config {
  #values
  /** What the config class of the family has where the file has no such key. @type {Record<string, unknown>} */
  #defaults = {}
  /** @type {Set<string>} */
  #read = new Set()

  /** @param {unknown} json @param {string} [file] its name, in errors */
  constructor(json, file = 'config.json') {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new TypeError(`${file}: ${describe(json)} given, an object expected`)
    this.#values = new Map(Object.entries(json))
    this.file = file
  }

  /**
   * Sets what the config class of a family has where the file has no such key, and the names under which it also takes some keys.
   * @param {Record<string, unknown>} defaults
   * @param {Record<string, string>} [aliases] the key that is meant, by the other name
   */
  assume(defaults, aliases = {}) {
    this.#defaults = defaults
    for (const [other, key] of Object.entries(aliases)) {
      const [value, own] = [this.get(other), this.#values.get(key)]
      if (value !== undefined && own !== undefined && value !== own)
        throw new RangeError(
          `${this.file}: ${other} ${describe(value)} and ${key} ${describe(own)} mean the same: leave one of them out`,
        )
      if (value !== undefined) this.#values.set(key, value)
    }
  }

  /** Returns the value of a key, or where the file has no such key the default of the family; undefined if it is null. @param {string} key */
  get(key) {
    this.#read.add(key)
    return (this.#values.has(key) ? this.#values.get(key) : this.#defaults[key]) ?? undefined
  }

  /** True if the key is there, perhaps with null. @param {string} key */
  has(key) {
    return this.#values.has(key)
  }

  /**
   * @param {string} key
   * @param {number} [fallback] if it is null, or absent and the family has no default
   * @returns {number} a size: 1 to 2^24
   */
  size(key, fallback) {
    return this.number(key, { least: 1, most: 2 ** 24, whole: true }, fallback)
  }

  /**
   * @param {string} key
   * @param {Parameters<typeof toNumber>[2]} [range]
   * @param {number} [fallback] if it is null, or absent and the family has no default
   */
  number(key, range, fallback) {
    const value = this.get(key) ?? fallback
    if (value === undefined) throw new TypeError(`${this.file}: ${key} is missing`)
    return toNumber(value, `${this.file}: ${key}`, range)
  }

  /**
   * @param {string} key of an id, or of a list of ids
   * @returns {number[]} empty if the key is absent
   */
  ids(key) {
    const value = this.get(key)
    const ids = value === undefined ? [] : Array.isArray(value) ? value : [value]
    return ids.map(id => toNumber(id, `${this.file}: ${key}`, { whole: true }))
  }

  /** @param {string} key @param {boolean} [fallback] default: false, as null is in Python */
  flag(key, fallback = false) {
    const value = this.get(key) ?? fallback
    if (typeof value !== 'boolean')
      throw new TypeError(`${this.file}: ${key}: ${describe(value)} given, true or false expected`)
    return value
  }

  /**
   * @template T
   * @param {string} key
   * @param {Record<string, T>} choices
   * @returns {T}
   */
  choice(key, choices) {
    const value = this.get(key)
    if (typeof value !== 'string' || !Object.hasOwn(choices, value))
      throw new RangeError(
        `${this.file}: ${key} ${describe(value)} is not covered; covered: ${Object.keys(choices).join(', ')}`,
      )
    return choices[value]
  }

  /**
   * Refuses keys whose values are not the covered ones; an absent key has the covered value.
   * @param {Record<string, unknown>} covered
   */
  only(covered) {
    for (const [key, one] of Object.entries(covered)) {
      const value = this.get(key) ?? one
      if (value !== one)
        throw new RangeError(`${this.file}: ${key} ${describe(value)} is not covered; covered: ${one ?? 'none'}`)
    }
  }

  /** Refuses keys that were not read. @param {(key: string) => boolean} [isRefused] which of them; default all */
  end(isRefused = () => true) {
    const rest = [...this.#values].filter(
      ([key, value]) => !this.#read.has(key) && value !== null && value !== false && isRefused(key),
    )
    if (rest.length)
      throw new RangeError(
        `${this.file}: not covered: ${rest.map(([key, value]) => `${key} = ${describe(value)}`).join(', ')}`,
      )
  }
}
