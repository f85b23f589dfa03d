// The keys that adapter_config.json may have. Loaded with an adapter.

/** Keys of PEFT 0.18 that adapter.js reads, and keys that do not change how weights are merged. */
export const KNOWN =
  /^(peft_(type|version)|task_type|base_model_name_or_path|base_model_class|parent_library|revision|auto_mapping|inference_mode|r|lora_(alpha|dropout)|(target|exclude)_modules|fan_in_fan_out|bias|use_rslora|modules_to_save|init_lora_weights|layers_(to_transform|pattern)|(rank|alpha)_pattern|megatron_(config|core)|(loftq|eva|corda|lora_ga|velora|runtime)_config|qalora_group_size|ensure_weight_tying)$/
