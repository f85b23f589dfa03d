// The JavaScript side of src/kernel/qkv.h: the same version, words and enums. A test compares the two.

export const ABI = 11

/** @template {string} N @param {N} name */
export const tensorWords = name =>
  /** @type {const} */ ([`${name}.data`, `${name}.batch`, `${name}.head`, `${name}.row`])
/** @template {string} N @param {N} name */
const maskWords = name => /** @type {const} */ ([...tensorWords(name), `${name}.column`])

/** struct qkv_attention, one 32-bit word each. */
export const ATTENTION_WORDS = /** @type {const} */ ([
  'B',
  'H',
  'G',
  'L',
  'S',
  'D',
  'E',
  ...tensorWords('q'),
  ...tensorWords('k'),
  ...tensorWords('v'),
  ...tensorWords('out'),
  'score',
  'scale',
  'sigma',
  'w_v',
  'softcap',
  'past',
  'left',
  'right',
  'key_lengths',
  ...maskWords('mask'),
  ...maskWords('bias'),
  'alibi',
  'sinks',
  'dropout',
  'generator',
  'cu_seqlens_q',
  'cu_seqlens_k',
  'scratch',
])

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

/** struct qkv_trace. */
export const TRACE_WORDS = /** @type {const} */ ([...ATTENTION_WORDS, 'softmax_axis', 'masking', ...TRACE_STEPS])

/** struct qkv_summary. */
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

/** struct qkv_rope. */
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

/** struct qkv_linear. */
export const LINEAR_WORDS = [
  'x',
  'w',
  'scales',
  'bias',
  'residual',
  'y',
  'M',
  'K',
  'N',
  'weights',
  'w_row',
  'w_column',
  'activation',
]

/** Of enum qkv_weights: how a weight lies in memory. */
export const WEIGHTS = { strided: 0, float32: 1, float16: 2, int8: 3, int4: 4 }

export const SCORE = { dot: 0, gaussian: 1, additive: 2 }
export const SOFTMAX_AXIS = { keys: 0, queries: 1 }
export const MASKING = { before: 0, after: 1 }
export const ACTIVATION = { none: 0, gelu: 1, gelu_tanh: 2, relu: 3, silu: 4 }
export const STREAM = { vector: 0, scalar: 1 }
export const OPEN = 0xffffffff

/** sizeof(struct qkv_generator) */
export const GENERATOR_BYTES = 624 * 4 + 4 * 4 + 8

/** What each status code says is out of range. The JavaScript layer checks first, so an error with one of these is a bug of this package. */
export const STATUS = ['', 'heads', 'score', 'softmax axis', 'masking', 'id', 'range', 'rope', 'weights']

/**
 * The index of each word of a struct, by its name: a misspelt one does not compile.
 * @template {string} W
 * @param {readonly W[]} words
 */
export const indices = words =>
  /** @type {{ readonly [K in W]: number }} */ (Object.fromEntries(words.map((word, index) => [word, index])))
