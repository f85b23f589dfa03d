// Reads a model's config.json: each key is checked when it is read, and keys that were not read are refused by name.

import { toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'

/** Keys without influence on the network as it is run here: training, sampling, notes, and sizes that the tensors tell. */
const HARMLESS =
  /^(_|initializer_|transformers|unsloth_|neftune_|num_beam|early_|encoder_no_|pooler_|summary_|task_|output_|is_(en|de)coder|unk_|bos_|eos_)|drop|_(token_ids?|labels?|penalty|ngram_size|length)$|^(architectures|auto_map|attn_implementation|is_llama_config|(torch_)?dtype|use_cache|init_std|bad_words_ids|id2label|label2id|problem_type|finetuning_task|gradient_checkpointing|return_dict.*|tokenizer_class|pretraining_tp|cache_implementation|n_ctx|n_positions|prefix|directionality|tie_weights_|net_structure_type|num_memory_blocks|gap_size|down_scale_factor|chunk_size_feed_forward|num_hidden_layers|max_position_embeddings|reorder_and_upcast_attn|use_bfloat16|torchscript|pruned_heads|(typical|top)_[kp]|temperature|do_sample|num_return_sequences|remove_invalid_values|type_vocab_size|extra_pos_embeddings|n_special|predict_special_tokens)$/

export class Config {
  #values
  /** @type {Set<string>} */
  #read = new Set()

  /** @param {unknown} json */
  constructor(json) {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new TypeError(`config.json: ${describe(json)} given, an object expected`)
    this.#values = new Map(Object.entries(json))
  }

  /** The value of a key; null counts as absent. @param {string} key */
  get(key) {
    this.#read.add(key)
    return this.#values.get(key) ?? undefined
  }

  /** Is the key there, perhaps with null? @param {string} key */
  has(key) {
    return this.#values.has(key)
  }

  /**
   * @param {string} key
   * @param {number} [fallback]
   * @returns {number} a size: 1 to 2^24
   */
  size(key, fallback) {
    return this.number(key, fallback, { least: 1, most: 2 ** 24, whole: true })
  }

  /**
   * @param {string} key
   * @param {number} [fallback]
   * @param {Parameters<typeof toNumber>[2]} [range]
   */
  number(key, fallback, range) {
    const value = this.get(key) ?? fallback
    if (value === undefined) throw new TypeError(`config.json: ${key} is missing`)
    return toNumber(value, `config.json: ${key}`, range)
  }

  /**
   * @param {string} key of an id, or of a list of ids
   * @param {number} vocab
   * @returns {number[]} empty if the key is absent
   */
  ids(key, vocab) {
    const value = this.get(key)
    const ids = value === undefined ? [] : Array.isArray(value) ? value : [value]
    return ids.map(id => toNumber(id, `config.json: ${key}`, { least: 0, most: vocab - 1, whole: true }))
  }

  /** @param {string} key @param {boolean} fallback */
  flag(key, fallback) {
    const value = this.get(key) ?? fallback
    if (typeof value !== 'boolean')
      throw new TypeError(`config.json: ${key}: ${describe(value)} given, true or false expected`)
    return value
  }

  /**
   * @template T
   * @param {string} key
   * @param {Record<string, T>} choices
   * @param {string} [fallback]
   * @returns {T}
   */
  choice(key, choices, fallback) {
    const value = this.get(key) ?? fallback
    if (typeof value !== 'string' || !Object.hasOwn(choices, value))
      throw new RangeError(
        `config.json: ${key} ${describe(value)} is not covered; covered: ${Object.keys(choices).join(', ')}`,
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
        throw new RangeError(`config.json: ${key} ${describe(value)} is not covered; covered: ${one ?? 'none'}`)
    }
  }

  /** Refuses keys that were not read and are not known to be harmless. */
  end() {
    const rest = [...this.#values].filter(
      ([key, value]) => !this.#read.has(key) && !HARMLESS.test(key) && value !== null && value !== false,
    )
    if (rest.length)
      throw new RangeError(
        `config.json: not covered: ${rest.map(([key, value]) => `${key} = ${describe(value)}`).join(', ')}`,
      )
  }
}
