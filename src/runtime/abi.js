// Made from src/kernel/qkv.h by `npm run abi`: edit the header, not this file.

export const ABI = 13

/** Fields of struct qkv_attention in order, each a 32-bit word. */
export const ATTENTION_WORDS = /** @type {const} */ ([
  'B',
  'H',
  'G',
  'L',
  'S',
  'D',
  'E',
  'q.data',
  'q.batch',
  'q.head',
  'q.row',
  'k.data',
  'k.batch',
  'k.head',
  'k.row',
  'v.data',
  'v.batch',
  'v.head',
  'v.row',
  'out.data',
  'out.batch',
  'out.head',
  'out.row',
  'score',
  'scale',
  'sigma',
  'w_v',
  'softcap',
  'past',
  'left',
  'right',
  'key_lengths',
  'mask.data',
  'mask.batch',
  'mask.head',
  'mask.row',
  'mask.column',
  'bias.data',
  'bias.batch',
  'bias.head',
  'bias.row',
  'bias.column',
  'alibi',
  'sinks',
  'dropout',
  'generator',
  'cu_seqlens_q',
  'cu_seqlens_k',
  'scratch',
])

/** Fields of struct qkv_trace in order, each a 32-bit word. */
export const TRACE_WORDS = /** @type {const} */ ([
  ...ATTENTION_WORDS,
  'softmax_axis',
  'masking',
  'scores',
  'scaled',
  'capped',
  'masked',
  'maxima',
  'exponentials',
  'sums',
  'full_weights',
  'zeroed',
  'zeroed_sums',
  'weights',
  'dropped',
])

/** Fields of struct qkv_summary in order, each a 32-bit word. */
export const SUMMARY_WORDS = /** @type {const} */ ([
  ...ATTENTION_WORDS,
  'log_sum_exp',
  'entropy',
  'sink_weight',
  'map',
  'top_keys',
  'top_weights',
  'distance',
  'scores',
  'same',
  'parts',
  'rows',
  'columns',
  'top',
  'bins',
])

/** Fields of struct qkv_rope in order, each a 32-bit word. */
export const ROPE_WORDS = /** @type {const} */ ([
  'x',
  'y',
  'cosine',
  'sine',
  'rows',
  'B',
  'A',
  'L',
  'C',
  'D',
  'table',
  'half',
  'interleaved',
])

/** Fields of struct qkv_cached in order, each a 32-bit word. */
export const CACHED_WORDS = /** @type {const} */ ([
  ...ATTENTION_WORDS,
  'cache.keys',
  'cache.values',
  'cache.key_scales',
  'cache.value_scales',
  'cache.heads',
  'cache.rows',
  'cache.D',
  'cache.E',
])

/** enum qkv_score. */
export const SCORE = { dot: 0, gaussian: 1, additive: 2 }

/** enum qkv_softmax_axis. */
export const SOFTMAX_AXIS = { keys: 0, queries: 1 }

/** enum qkv_masking. */
export const MASKING = { before: 0, after: 1 }

/** enum qkv_activation. */
export const ACTIVATION = { none: 0, gelu: 1, gelu_tanh: 2, relu: 3, silu: 4 }

/** enum qkv_weights. */
export const WEIGHTS = {
  strided: 0,
  float32: 1,
  float16: 2,
  int8: 3,
  int4: 4,
  q8_0: 5,
  q4_0: 6,
  q4_1: 7,
  q5_0: 8,
  q5_1: 9,
  q4_k: 10,
  q5_k: 11,
  q6_k: 12,
}

/** enum qkv_stream. */
export const STREAM = { vector: 0, scalar: 1 }

/** The steps of a trace, in the order in which they are computed. */
export const TRACE_STEPS = /** @type {const} */ ([
  'scores',
  'scaled',
  'capped',
  'masked',
  'maxima',
  'exponentials',
  'sums',
  'full_weights',
  'zeroed',
  'zeroed_sums',
  'weights',
  'dropped',
])

/** Window size without a limit (QKV_OPEN). */
export const OPEN = 0xffffffff

/** sizeof(struct qkv_generator) */
export const GENERATOR_BYTES = 2520
