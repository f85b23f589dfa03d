// Reads a model's config.json: each key is checked when it is read, and what nobody has read is refused by name.

import { toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'

/** Keys that change nothing in the network as it is run here. */
const HARMLESS =
  /^(_.*|architectures|model_type|vocab_size|(torch_)?dtype|transformers(_|\.js_).*|use_cache|.*dropout.*|.*_pdrop|initializer_.*|init_std|.*_token_ids?|bad_words_ids|id2label|label2id|num_labels|problem_type|task_specific_params|finetuning_task|gradient_checkpointing|output_(attentions|hidden_states)|return_dict.*|tokenizer_class|pretraining_tp|cache_implementation|is_decoder|is_encoder_decoder|summary_.*|n_ctx|n_positions|max_length|min_length|num_beams|length_penalty|early_stopping|no_repeat_ngram_size|prefix|embd_layer_norm_eps|directionality|pooler_.*|sinusoidal_pos_embds|tie_weights_|qa_dropout|seq_classif_dropout|net_structure_type|num_memory_blocks|gap_size|down_scale_factor|chunk_size_feed_forward|layerdrop|(encoder|decoder)_layerdrop|classif.*_dropout|classifier_dropout|num_hidden_layers|max_position_embeddings|reorder_and_upcast_attn|intermediate_size|use_bfloat16|torchscript|pruned_heads|typical_p|top_[kp]|temperature|do_sample|repetition_penalty|diversity_penalty|num_return_sequences|num_beam_groups|encoder_no_repeat_ngram_size|remove_invalid_values|unk_token|type_vocab_size|decoder_vocab_size|static_position_embeddings|share_encoder_decoder_embeddings|normalize_embedding|extra_pos_embeddings|output_past|relax_projection|scale_attn_weights|bos_token|eos_token|quantization_config_)$/

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

  /** Whatever is there; null counts as absent. @param {string} key */
  get(key) {
    this.#read.add(key)
    return this.#values.get(key) ?? undefined
  }

  /** Is it there, null included? @param {string} key */
  has(key) {
    return this.#values.has(key)
  }

  /**
   * @param {string} key
   * @param {number} [fallback]
   * @returns {number} a size of something: 1 to 2^24
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
    const value = String(this.get(key) ?? fallback)
    if (!Object.hasOwn(choices, value))
      throw new RangeError(
        `config.json: ${key} ${describe(value)} is not covered; covered: ${Object.keys(choices).join(', ')}`,
      )
    return choices[value]
  }

  /**
   * Refuses a key whose value is not the one that this family has here.
   * @param {string} key
   * @param {...unknown} covered the default first
   */
  only(key, ...covered) {
    const value = this.get(key) ?? covered[0]
    if (!covered.includes(value))
      throw new RangeError(
        `config.json: ${key} ${describe(value)} is not covered; covered: ${covered.map(String).join(', ')}`,
      )
  }

  /** Refuses what nobody has read and what is not known to be harmless. */
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
