// Decides which unread keys of config.json may change a network. Loaded with a family.

/**
 * Matches keys of published configs that do not change the network, even if they match NETWORK: keys for training, generation and labels,
 * notes, and copies of tensor sizes.
 */
const HARMLESS =
  /^(_|initializer_|transformers|unsloth_|neftune_|num_beam|early_|encoder_no_|pooler_|summary_|task_|output_|is_(en|de)coder|unk_|bos_|eos_)|drop|_(token_ids?|labels?|penalty|ngram_size|length)$|^(architectures|attn_implementation|is_llama_config|(torch_)?dtype|use_cache|pretraining_tp|cache_implementation|n_ctx|n_positions|tie_weights_|num_memory_blocks|down_scale_factor|chunk_size_feed_forward|num_hidden_layers|max_position_embeddings|reorder_and_upcast_attn|pruned_heads|type_vocab_size|extra_pos_embeddings|n_special|predict_special_tokens|sliding_window_size|sbert_ce_default_activation_function|layers_to_keep|((train|eval)_)?batch_size|dataset_size|vocab_type|use_flash_attn|(mask|sep|cls|pad)_token|vocab_parallel_embedding|make_vocab_size_divisible_by)$/

/**
 * Matches words in keys that may change a network. transformers ignores every key that a config class does not have. Here, keys with such
 * words are refused, because they may belong to a later version, or to code shipped with the model.
 */
const NETWORK =
  /(^|_)(attn|attentions?|alibi|m?rope|rotary|(layer_?|rms_?)?norm|scal(e|es|ing)|multiplier|factor|theta|window|bias|soft_?cap(ping)?|cap(s|ping)?|clip|layers?|heads?|experts?|moe|router|gat(e|ed|ing)|positions?|positional|relative|quant\w*|act|activation|proj\w*|emb|embd|embed\w*|intermediate|residual|mlp|ffn?|dim|size|width|depth|mask\w*|causal|bidirectional|hidden|inner|kv|qkv?|conv\w*|kernel|ssm|mamba|recurrent|parallel|shared?|sparse|block|chunk|vocab|tied?|interval|eps|epsilon|fusion|sinusoid\w*|force)(_|$)/

/** True if a key that was not read may change the network. @param {string} key */
export const mayMatter = key => NETWORK.test(key) && !HARMLESS.test(key)
