// The names that ONNX gives to the inputs and attributes of its operator Attention, in ONNX's order.

export const ATTENTION_INPUTS = ['Q', 'K', 'V', 'attn_mask', 'past_key', 'past_value', 'nonpad_kv_seqlen']
export const ATTENTION_ATTRIBUTES = [
  'is_causal',
  'scale',
  'softcap',
  'q_num_heads',
  'kv_num_heads',
  'qk_matmul_output_mode',
  'left_window_size',
  'right_window_size',
  'softmax_precision',
]
