/* qkv.h: the binary interface of the core.
 *
 * Letters: B batch, H query heads, G key/value heads, L query length, S key length, D head size of q and k, E head size
 * of v. All tensors are float32, row-major, innermost axis last and contiguous.
 *
 * Ownership: the caller owns all memory. Kernels allocate nothing, keep nothing between calls and import nothing. They
 * read their inputs, write their outputs and `scratch`, and return a status.
 *
 * The fields of a struct are 32-bit words, in the order written here; only struct qkv_generator also has a double. `npm
 * run abi` generates the field lists of the JavaScript side (src/runtime/abi.js) from this file. If a field, an enum or
 * a signature changes, increment QKV_ABI. */
#ifndef QKV_H
#define QKV_H

#include <stddef.h>
#include <stdint.h>

#define QKV_ABI 13

/* Exports a function from the wasm module; no effect elsewhere. Functions that both modules need are exported by
 * qkv.wasm alone: build.sh compiles them for qkv.integers.wasm with QKV_NO_EXPORTS. */
#if defined(__wasm__) && !defined(QKV_NO_EXPORTS)
#define QKV_EXPORT(name) __attribute__((export_name(#name))) name
#else
#define QKV_EXPORT(name) name
#endif

enum qkv_status {
  QKV_OK = 0,
  QKV_HEADS_DO_NOT_DIVIDE = 1,
  QKV_UNKNOWN_SCORE = 2,
  QKV_UNKNOWN_SOFTMAX_AXIS = 3,
  QKV_UNKNOWN_MASKING = 4,
  QKV_ID_OUT_OF_RANGE = 5,
  QKV_EMPTY_RANGE = 6,
  QKV_ROPE_TOO_WIDE = 7,
  QKV_WEIGHTS_OUT_OF_RANGE = 8,
};

/* How query and key are compared, before scale, softcap and mask. */
enum qkv_score {
  QKV_SCORE_DOT = 0,      /* q . k                                    Vaswani et al. 2017 */
  QKV_SCORE_GAUSSIAN = 1, /* -|q - k|^2 / (2 sigma^2)                 Nadaraya, Watson 1964 */
  QKV_SCORE_ADDITIVE = 2, /* w_v . tanh(q + k), q and k projected     Bahdanau et al. 2015 */
};

/* The axis along which weights sum to one. */
enum qkv_softmax_axis { QKV_SOFTMAX_KEYS = 0, QKV_SOFTMAX_QUERIES = 1 };

/* How a key is hidden: before softmax, its score becomes -infinity; after softmax, its weight becomes 0 and the
 * other weights are renormalised. */
enum qkv_masking { QKV_MASKING_BEFORE = 0, QKV_MASKING_AFTER = 1 };

/* The elementwise activation, see activation.h. */
enum qkv_activation {
  QKV_ACTIVATION_NONE = 0,
  QKV_ACTIVATION_GELU = 1,
  QKV_ACTIVATION_GELU_TANH = 2,
  QKV_ACTIVATION_RELU = 3,
  QKV_ACTIVATION_SILU = 4,
};

/* Functions that qkv_activate computes besides the activations. */
enum qkv_function {
  QKV_FUNCTION_SIGMOID = 5,
  QKV_FUNCTION_TANH = 6,
  QKV_FUNCTION_EXP = 7,
  QKV_FUNCTION_LOG = 8,
};

/* The layout of a weight in memory. */
enum qkv_weights {
  QKV_WEIGHTS_STRIDED = 0, /* float32, not packed */
  QKV_WEIGHTS_FLOAT32 = 1, /* packed by qkv_pack_linear, as is float16 */
  QKV_WEIGHTS_FLOAT16 = 2, /* float16, each row scaled by a power of 2 */
  QKV_WEIGHTS_INT8 = 3,    /* integers from -127 to 127 times a scale per row; packed by qkv_pack_integer */
  QKV_WEIGHTS_INT4 = 4,    /* integers from 0 to 15 with scales and minima; packed by qkv_pack_integer */
  QKV_WEIGHTS_Q8_0 = 5,    /* GGUF blocks with the values of the file; packed by qkv_pack_blocks, as are all below */
  QKV_WEIGHTS_Q4_0 = 6,
  QKV_WEIGHTS_Q4_1 = 7,
  QKV_WEIGHTS_Q5_0 = 8,
  QKV_WEIGHTS_Q5_1 = 9,
  QKV_WEIGHTS_Q4_K = 10,
  QKV_WEIGHTS_Q5_K = 11,
  QKV_WEIGHTS_Q6_K = 12,
};

/* The PyTorch build whose random stream is reproduced. VECTOR: the build with AVX2 kernels, which nearly every machine
 * runs. SCALAR: the portable build. */
enum qkv_stream { QKV_STREAM_VECTOR = 0, QKV_STREAM_SCALAR = 1 };

/* The value of `left` or `right` that sets no limit on that side. */
#define QKV_OPEN 0xffffffffu

/* A tensor (B, heads, rows, columns). `batch`, `head` and `row` are strides in elements; the stride of columns is 1. */
struct qkv_tensor {
  float *data;
  uint32_t batch, head, row;
};

/* A mask or bias, broadcast to (B, H, L, S): a repeated axis has stride 0. Without a mask or bias, data is 0. */
struct qkv_mask {
  const uint8_t *data; /* 0 hides the key */
  uint32_t batch, head, row, column;
};
struct qkv_bias {
  const float *data; /* added to the score; -infinity hides the key */
  uint32_t batch, head, row, column;
};

/* out = softmax(mask(softcap(scale * score(q, k)))) v
 * q (B,H,L,D), k (B,G,S,D), v (B,G,S,E), out (B,H,L,E); query head h reads kv head h / (H/G).
 * Query i of batch b has position p = i + past[b]; it sees key j if p - left <= j <= p + right (causal: right = 0),
 * j < key_lengths[b], mask != 0 and bias > -infinity. A query that sees no key gives zeros.
 * Bias and alibi, -alibi[h] * |p - j|, are added to the capped score. A sink is one more logit in the softmax of every
 * row of its head; its value vector is zero. */
struct qkv_attention {
  uint32_t B, H, G, L, S, D, E;
  struct qkv_tensor q, k, v, out;
  uint32_t score;
  float scale;
  float sigma;         /* Gaussian score only */
  const float *w_v;    /* (D), additive score only */
  float softcap;       /* softcap * tanh(score / softcap); 0: none */
  const int32_t *past; /* (B), entries may be negative; null: none */
  uint32_t left, right;
  const uint32_t *key_lengths; /* (B), null: all S keys */
  struct qkv_mask mask;
  struct qkv_bias bias;
  const float *alibi; /* (H), slopes; null: none. Press et al. 2022 */
  const float *sinks; /* (H), logits; null: none */
  float dropout;      /* probability of zeroing a weight; 0: none */
  struct qkv_generator *generator;
  /* (B + 1), null: texts are not packed. Otherwise B texts lie one after the other in q (T,H,D), out (T,H,E), k (T,G,D)
   * and v (T,G,E), where T counts the rows of all texts. Text b has the queries cu_seqlens_q[b] <= i < cu_seqlens_q[b +
   * 1] and the keys cu_seqlens_k[b] <= j < cu_seqlens_k[b + 1]. L and S are the lengths of the longest text, and
   * tensors have no batch stride. */
  const uint32_t *cu_seqlens_q, *cu_seqlens_k;
  void *scratch; /* qkv_attention_scratch() bytes, 16-byte aligned */
};

/* Attention with every step written to memory. A step whose pointer is 0 is not written. `weights` is required, with
 * dropout also `dropped`, with sinks and masking after softmax also `zeroed_sums`. maxima, sums and zeroed_sums are
 * (B,H,L), or (B,H,S) if softmax runs over the queries; all other steps are (B,H,L,S). */
struct qkv_trace {
  struct qkv_attention attention;
  uint32_t softmax_axis, masking;
  float *scores;       /* score(q, k) */
  float *scaled;       /* scale * scores */
  float *capped;       /* softcap(scaled) */
  float *masked;       /* capped + bias; with QKV_MASKING_BEFORE, -infinity for hidden keys */
  float *maxima;       /* of masked, along the softmax axis */
  float *exponentials; /* exp(masked - maxima) */
  float *sums;         /* of exponentials, plus exp(sink - maxima) with sinks */
  float *full_weights; /* with QKV_MASKING_AFTER only: exponentials / sums */
  float *zeroed;       /* with QKV_MASKING_AFTER only: full_weights, hidden keys 0 */
  float *zeroed_sums;  /* with QKV_MASKING_AFTER only: sums of zeroed plus the sink's weight; required with sinks */
  float *weights;      /* after softmax: sum to one */
  float *dropped;      /* weights after dropout, by which v is multiplied */
};

/* Statistics of the attention weights w (B,H,L,S) before dropout. A statistic whose pointer is 0 is not computed. p is
 * the position of a query, as in qkv_attention.
 */
struct qkv_summary {
  struct qkv_attention attention; /* its scratch is not used */
  float *log_sum_exp;             /* (B,H,L): of the scores before softmax, including the sink */
  float *entropy;                 /* (B,H,L): -sum_j w log w */
  float *sink_weight;             /* (B,H,L) */
  float *map;         /* (B,H,rows,columns): query i is in row i * rows / L, key j in column j * columns / S; a cell is
                       * the sum of a query's weights in the column, averaged over the queries of the row */
  int32_t *top_keys;  /* (B,H,L,top): keys of the largest weights, -1 where fewer are visible */
  float *top_weights; /* (B,H,L,top): descending; of equal weights, that of the smaller key is first */
  float *distance;    /* (B,H,bins): shares of the total weight at |p - j| = 0, 1, 2 to 3, 4 to 7, ... */
  float *scores;      /* (5,B,H): entropy, previous, first, duplicate, induction, see docs/attention.md */
  const uint32_t *same; /* (B,2,S): each key's first key with the same token, and its next one or S; null: no tokens */
  float *parts;         /* qkv_summary_parts() floats: partial sums of the units, added by qkv_summary_finish */
  /* rows <= L, columns <= S, top <= S. 0 rows: no map, 0 top: no top keys, 0 bins: no distances */
  uint32_t rows, columns, top, bins;
};

struct qkv_rope {
  const float *x;
  float *y;
  const float *cosine, *sine;
  const uint32_t *rows;
  uint32_t B, A, L, C, D, table, half, interleaved;
};

/* Arguments for packing a weight W (N,K) into panels of eight rows, with zeros beyond row N. float32 and float16: (N/8
 * rounded up, K, 8). int8: pairs of k, (N/8 rounded up, K/2 rounded up, 4, 2, 2). int4: blocks, see linear_integer.c.
 * GGUF blocks: see linear_blocks.c. */
struct qkv_pack_linear {
  const float *w;           /* W[n][k] = w[n * w_row + k * w_column]; of GGUF blocks, each row is w_row bytes */
  uint32_t w_row, w_column; /* one of them is 1 */
  uint32_t K, N;
  uint32_t weights;
  uint32_t is_quantized; /* int8 only; 1: w contains the integers as floats, and scales are not written */
  void *packed;
  uint32_t panel_size; /* bytes between panels; more than K values need if w is some columns of a float32 weight */
  float *scales;       /* (N rounded up to 8), for float16 and int8 */
  float *scratch;      /* 8 * (K + 31) floats */
};

struct qkv_linear {
  const float *x;        /* (M,K) */
  const void *w;         /* (N,K), of type `weights` */
  const float *scales;   /* (N rounded up to 8), for float16 and int8 */
  const float *bias;     /* (N), null: none */
  const float *residual; /* (M,N), may be y; null: none */
  float *y;              /* (M,N) */
  uint32_t M, K, N;
  uint32_t weights;
  uint32_t w_row, w_column; /* strided: W[n][k] = w[n * w_row + k * w_column]; one of them is 1. int8: a w_column above
                             * 1 is the bytes from panel to panel */
  uint32_t activation;
  uint32_t x_int8; /* int8 weights only; 1: x is rounded to int8, not int16 */
};

/* Up to three products of the same x, such as queries, keys and values; unused ones have N = 0. */
struct qkv_product {
  const void *w;       /* (N,K), of int8, int4 or blocks */
  const float *scales; /* as in qkv_linear */
  const float *bias;   /* (N), null: none */
  float *y;            /* (M,N) */
  uint32_t N, weights, activation;
};
struct qkv_products {
  const float *x; /* (M,K) */
  uint32_t M, K;
  uint32_t x_int8; /* as in qkv_linear */
  struct qkv_product first, second, third;
};

/* Keys and values as int8 in the memory of a cache, see attention_cached.c. Each of `heads` heads (batches times kv
 * heads) has `rows` rows, a multiple of 128, of D values (keys) and E values (values). */
struct qkv_cache {
  void *keys, *values;
  float *key_scales, *value_scales; /* (heads, rows) */
  uint32_t heads, rows, D, E;
};

/* Attention over the first S rows of a cache, with dot scores and without dropout. k, v and scratch of `attention`
 * are not used. */
struct qkv_cached {
  struct qkv_attention attention;
  struct qkv_cache cache;
};

/* Rows from <= t < from + count of a cache as floats, to be written into it or read from it: k (heads, count, D) and v
 * (heads, count, E). If G > 0, k is (heads / G, count, G, D) and v (heads / G, count, G, E). */
struct qkv_cache_rows {
  struct qkv_cache cache;
  float *k, *v;
  uint32_t from, count, G;
};

struct qkv_linear_backward {
  const float *x, *w, *dy;
  float *dx, *dw, *d_bias; /* null: not computed */
  uint32_t M, K, N;
  uint32_t accumulate; /* bit mask of gradients that are added to the present values; 1: dx, 2: dw, 4: d_bias */
};

/* Layer norm (center 1) or RMS norm (center 0) of rows, see norm.c. */
struct qkv_norm {
  const float *x;      /* (rows, C) */
  const float *weight; /* (C), null: none */
  const float *bias;   /* (C), null: none */
  float *y;            /* (rows, C) */
  float *stats;        /* (rows, 2), mean and rstd for the gradients; null: not written */
  uint32_t C, center;
  float eps, shift; /* the factor is weight + shift */
};

struct qkv_norm_backward {
  const float *x, *weight, *stats;
  const float *dy; /* (rows, C) */
  float *dx;       /* (rows, C) */
  float *sums;     /* (2, units, C): partial sums of d_weight and d_bias, one row per unit */
  uint32_t rows, C, center;
  float shift;
  uint32_t accumulate;
};

/* y = f(x), or f(x) * up; `kind` selects f from qkv_activation or qkv_function. y has n values, C per unit; the inputs
 * of one unit begin `row` floats after those of the previous one. */
struct qkv_activate {
  uint32_t kind;
  const float *x, *up; /* up null: none */
  float *y;
  uint32_t n, C, row;
};

struct qkv_activate_backward {
  uint32_t kind;
  const float *x, *up;
  const float *dy;  /* (n) */
  float *dx, *d_up; /* laid out as x and up */
  uint32_t n, C, row, accumulate;
};

/* y = a * b if `product` is 1, else y = a + factor * b. y has n values, C per unit; b repeats after `period` units. */
struct qkv_combine {
  uint32_t product;
  const float *a; /* (n), null: none */
  const float *b;
  float *y; /* (n), may be a */
  uint32_t n, C, period;
  float factor;
  uint32_t accumulate;
};

/* The loss and its gradient for each row of logits, see loss.c. */
struct qkv_cross_entropy {
  const float *logits;    /* (rows, V) */
  const int32_t *targets; /* (rows) */
  const float *weights;   /* (rows); null: every row has weight 1 */
  float *losses;          /* (rows) */
  float *d_logits;        /* (rows, V), may be logits; null: not computed */
  uint32_t V;
  int32_t ignore; /* rows with this target have no loss and no gradient */
  float smoothing, scale;
};

/* Statistics of each row of logits, alone and compared with other probabilities, see loss.c. */
struct qkv_read_logits {
  const float *logits;        /* (rows, V) */
  const float *probabilities; /* (others, V); row r is compared with row r % others */
  float *sums;                /* (rows, 4) */
  int32_t *top;               /* (rows, K), K <= V: indices of the largest logits, descending; equal ones by index */
  uint32_t V, K, others;
};

/* Steps of optimizers over n parameters, see optimizer.c. */
struct qkv_adam {
  float *p;
  const float *g;
  float *m, *v;
  uint32_t n;
  float beta1, rest1, beta2, rest2, decay, keep, rate, root, eps;
};
struct qkv_sgd {
  float *p;
  const float *g;
  float *buffer; /* null: no momentum */
  uint32_t n;
  float decay, momentum, take, ahead, back, rate;
};

/* The gradients of q, k and v, given d_out. Those of w_v, sinks and bias are added to the values in d_w_v, d_sinks and
 * d_bias. `attention` has the arguments of the forward call. Its `out` is not used; its generator must be in the state
 * before the forward call. */
struct qkv_backward {
  struct qkv_attention attention; /* scratch: qkv_backward_scratch() bytes */
  struct qkv_tensor d_out, dq, dk, dv;
  float *d_w_v;        /* (D), for the additive score */
  float *d_sinks;      /* (H), if there are sinks */
  float *d_bias;       /* by the strides of attention.bias; null: not computed */
  uint32_t accumulate; /* bit mask of gradients that are added to the present values; 1: dq, 2: dk, 4: dv */
};

/* PyTorch's CPU generator: MT19937, and the second normal of a pair until it is used. */
struct qkv_generator {
  uint32_t state[624];
  uint32_t next;   /* index of the next word; 624: twist first */
  uint32_t stream; /* of enum qkv_stream */
  uint32_t has_spare;
  uint32_t unused; /* keeps spare 8-byte aligned */
  double spare;
};

uint32_t qkv_abi(void);
void *qkv_heap(void); /* first free byte: the caller's memory starts here */

/* Sets the stack of a thread within the shared memory; `top` is 16-byte aligned. */
void qkv_stack(void *top);

uint32_t qkv_attention(const struct qkv_attention *args);
double qkv_attention_scratch(const struct qkv_attention *args);

/* Kernels that threads share end in _part. They compute units first <= u < first + count of the work. Units may run in
 * any order, each thread with its own scratch. A kernel without _part checks the arguments and runs all units; its
 * result has the same bits. */
uint32_t qkv_attention_units(const struct qkv_attention *args);
uint32_t qkv_attention_part(const struct qkv_attention *args, uint32_t first, uint32_t count, void *scratch);

/* qkv_attention that also computes a summary. Run all units, in one or more threads, then qkv_summary_finish. Arguments
 * are not checked. */
double qkv_summary_scratch(const struct qkv_summary *args);
uint32_t qkv_summary_units(const struct qkv_summary *args);
double qkv_summary_parts(const struct qkv_summary *args);
uint32_t qkv_summary_part(const struct qkv_summary *args, uint32_t first, uint32_t count, void *scratch);
uint32_t qkv_summary_finish(const struct qkv_summary *args);

uint32_t qkv_trace(const struct qkv_trace *args);
/* A unit is a few rows of a head, or a whole head if softmax runs over the queries. With dropout there is only one
 * unit. */
uint32_t qkv_trace_units(const struct qkv_trace *args);
uint32_t qkv_trace_part(const struct qkv_trace *args, uint32_t first, uint32_t count);
uint32_t qkv_backward(const struct qkv_backward *args);
double qkv_backward_scratch(const struct qkv_backward *args);

/* A unit is one kv head of one batch. If batches share a gradient (sinks, bias), it is one kv head of all batches.
 * There is only one unit if kv heads share a gradient, too (w_v, bias), or with dropout, whose random numbers are drawn
 * in order. */
uint32_t qkv_backward_units(const struct qkv_backward *args);
uint32_t qkv_backward_part(const struct qkv_backward *args, uint32_t first, uint32_t count, void *scratch);

/* y = softmax(x) over the middle axis of (rows, columns, inner); y may be x. A line is the `columns` values along that
 * axis; if all are -infinity, y is 0. A unit is one line if inner is 1, else four adjacent lines; there are rows *
 * ceil(inner/4) units. */
uint32_t qkv_softmax(const float *x, float *y, size_t columns, size_t inner, uint32_t first, uint32_t count);
uint32_t qkv_softmax_backward(const float *y, const float *dy, float *dx, size_t columns, size_t inner,
                              uint32_t accumulate, uint32_t first, uint32_t count);

/* Rotary position embedding, see rope.c. x, y (B,A,L,C,D), y may be x; cosine, sine (table, half); rows (B,L): the
 * row of the table for position (b, i); 2 * half <= D. */
uint32_t qkv_rope(const struct qkv_rope *args);
uint32_t qkv_rope_part(const struct qkv_rope *args, uint32_t first, uint32_t count); /* B A L units; no checks */

/* y = activation(x W^T + bias) + residual, see linear.c. W is packed by qkv_pack_linear or strided. Units 0 to
 * qkv_linear_units() - 1 are the whole product; the scratch has qkv_linear_scratch() bytes. */
double qkv_linear_scratch(const struct qkv_linear *args);
uint32_t qkv_linear_units(const struct qkv_linear *args);
uint32_t qkv_linear_part(const struct qkv_linear *args, uint32_t first, uint32_t count, void *scratch);

/* Packs W as float32 or float16. Returns QKV_WEIGHTS_OUT_OF_RANGE if float16 cannot hold a value. */
uint32_t qkv_pack_linear(const struct qkv_pack_linear *args);

/* The product of qkv_linear for weights of int8, int4 and GGUF blocks, see linear_integer.c. These functions are in a
 * second module, qkv.integers.wasm, which imports the memory of the first. */
double qkv_integer_scratch(const struct qkv_linear *args);
uint32_t qkv_integer_units(const struct qkv_linear *args);
uint32_t qkv_integer_part(const struct qkv_linear *args, uint32_t first, uint32_t count, void *scratch);
double qkv_products_scratch(const struct qkv_products *args);
uint32_t qkv_products_units(const struct qkv_products *args);
uint32_t qkv_products_part(const struct qkv_products *args, uint32_t first, uint32_t count, void *scratch);
uint32_t qkv_pack_integer(const struct qkv_pack_linear *args);

/* Weights in GGUF blocks, see linear_blocks.c. qkv_pack_blocks returns QKV_WEIGHTS_OUT_OF_RANGE if a scale is not
 * finite or too large. qkv_unpack_blocks writes rows row <= r < row + rows of a panel (r < 8) to out (rows, K) as
 * floats. */
uint32_t qkv_pack_blocks(const struct qkv_pack_linear *args);
uint32_t qkv_unpack_blocks(const void *panel, uint32_t weights, uint32_t K, uint32_t row, uint32_t rows, float *out);

/* The same product as qkv_integer_part, but with x in float32, not quantized, see linear_dequantized.c. */
double qkv_dequantized_scratch(const struct qkv_linear *args);
uint32_t qkv_dequantized_units(const struct qkv_linear *args);
uint32_t qkv_dequantized_part(const struct qkv_linear *args, uint32_t first, uint32_t count, void *scratch);

/* Attention over a cache of int8. qkv_cache_write rounds rows into a cache, qkv_cache_read reads them back.
 * qkv_cache_copy copies rows into a cache of float32, whose `rows` may be any number. */
double qkv_cached_scratch(const struct qkv_cached *args);
uint32_t qkv_cached_units(const struct qkv_cached *args);
uint32_t qkv_cached_part(const struct qkv_cached *args, uint32_t first, uint32_t count, void *scratch);
uint32_t qkv_cache_write(const struct qkv_cache_rows *args);
uint32_t qkv_cache_read(const struct qkv_cache_rows *args);
uint32_t qkv_cache_copy(const struct qkv_cache_rows *args);

/* Gradients of y = x W^T + bias, W (N,K) contiguous: dx (M,K), dw (N,K) and d_bias (N) from dy (M,N), see
 * linear_backward.c. The scratch has qkv_linear_backward_scratch() bytes. */
double qkv_linear_backward_scratch(const struct qkv_linear_backward *args);
uint32_t qkv_linear_backward_units(const struct qkv_linear_backward *args);
uint32_t qkv_linear_backward_part(const struct qkv_linear_backward *args, uint32_t first, uint32_t count,
                                  void *scratch);

/* out[n] = table[ids[n]]; table (rows, columns), ids (N), out (N, columns). */
uint32_t qkv_embedding(const float *table, size_t rows, size_t columns, const int32_t *ids, size_t N, float *out);

/* Adds each row of dy (N, columns) to the row of d_table (rows, columns) that its id names, unless the id is
 * `padding`. */
uint32_t qkv_embedding_backward(const float *dy, const int32_t *ids, float *d_table, size_t rows, size_t columns,
                                size_t N, int32_t padding, uint32_t first, uint32_t count);

/* Kernels whose last parameters are `first` and `count` run units first <= u < first + count of their work; threads may
 * share them. With `accumulate` they add to a gradient. An output may overwrite an input of the same dims. */

/* A unit is a row; for the gradients, 128 rows. */
uint32_t qkv_norm(const struct qkv_norm *args, uint32_t first, uint32_t count);
uint32_t qkv_norm_backward(const struct qkv_norm_backward *args, uint32_t first, uint32_t count);

/* rows.c: to (C) = sum of the rows of x (rows, C). A unit is 64 columns. */
uint32_t qkv_column_sums(const float *x, float *to, size_t rows, size_t C, uint32_t accumulate, uint32_t first,
                         uint32_t count);

/* A unit is C values. */
uint32_t qkv_activate(const struct qkv_activate *args, uint32_t first, uint32_t count);
uint32_t qkv_activate_backward(const struct qkv_activate_backward *args, uint32_t first, uint32_t count);
uint32_t qkv_combine(const struct qkv_combine *args, uint32_t first, uint32_t count);

/* A unit is a row. */
uint32_t qkv_cross_entropy(const struct qkv_cross_entropy *args, uint32_t first, uint32_t count);
uint32_t qkv_read_logits(const struct qkv_read_logits *args, uint32_t first, uint32_t count);

/* A unit is 1024 values. */
uint32_t qkv_adam(const struct qkv_adam *args, uint32_t first, uint32_t count);
uint32_t qkv_sgd(const struct qkv_sgd *args, uint32_t first, uint32_t count);
uint32_t qkv_sum_squares(const float *x, float *sums, size_t n, uint32_t first, uint32_t count);

/* y = exp(x) and y = tanh(x), element by element; n values. Error bounds in exp.h. */
uint32_t qkv_exp(const float *x, float *y, size_t n);
uint32_t qkv_tanh(const float *x, float *y, size_t n);

/* Random streams, n values each; see random.c. */
uint32_t qkv_seed(struct qkv_generator *g, uint32_t seed, uint32_t stream);
uint32_t qkv_words(struct qkv_generator *g, uint32_t *out, size_t n);
uint32_t qkv_rand(struct qkv_generator *g, float *out, size_t n);
uint32_t qkv_rand64(struct qkv_generator *g, double *out, size_t n);
uint32_t qkv_uniform(struct qkv_generator *g, float *out, size_t n, double from, double to);
uint32_t qkv_normal(struct qkv_generator *g, float *out, size_t n, double mean, double std);
uint32_t qkv_normal64(struct qkv_generator *g, double *out, size_t n, double mean, double std);
uint32_t qkv_bernoulli(struct qkv_generator *g, float *out, size_t n, double p);
uint32_t qkv_dropout(struct qkv_generator *g, const float *x, float *y, size_t n, double p);
uint32_t qkv_randint(struct qkv_generator *g, int32_t *out, size_t n, int32_t low, uint32_t range);

#endif
