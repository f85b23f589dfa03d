/* mask.h: which keys a query sees. mask and bias broadcast to (B,H,L,S), past and key_lengths (B). Causal, window and
 * key lengths leave each query one span of keys; the boolean mask and the bias can hide any key within it. */
#ifndef MASK_H
#define MASK_H

#include "qkv.h"

#define HIDDEN (-__builtin_inff())

struct span {
  uint32_t from, to; /* visible keys: from <= j < to */
};

/* Returns the position of query i of batch b: i + past[b]. */
static inline int64_t position_of(const struct qkv_attention *a, uint32_t b, uint32_t i) {
  return (int64_t)i + (a->past ? a->past[b] : 0);
}

/* Returns the span of existing keys with position - left <= j <= position + right. Both ends are monotonic in i, so the
 * spans of the first and the last row of a block bound the spans of the rows between them. */
struct span visible_span(const struct qkv_attention *a, uint32_t b, uint32_t i);

static inline int has_mask(const struct qkv_attention *a) { return a->mask.data || a->bias.data; }

/* Returns the bias of query i and key j; 0 without a bias. */
static inline float bias_at(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  const struct qkv_bias *x = &a->bias;
  if (!x->data)
    return 0.0f;
  return x->data[(size_t)b * x->batch + (size_t)h * x->head + (size_t)i * x->row + (size_t)j * x->column];
}

/* True if mask and bias let query i see key j. j must be in the span of query i. */
static inline int passes_mask(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  const struct qkv_mask *x = &a->mask;
  if (x->data && !x->data[(size_t)b * x->batch + (size_t)h * x->head + (size_t)i * x->row + (size_t)j * x->column])
    return 0;
  return bias_at(a, b, h, i, j) != HIDDEN;
}

/* True if query i sees key j. */
static inline int is_visible(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  struct span span = visible_span(a, b, i);
  return j >= span.from && j < span.to && passes_mask(a, b, h, i, j);
}

/* Returns the ALiBi term -slope * |position - j|; 0 without slopes. Hidden keys get it, too. */
static inline float alibi_at(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  return a->alibi ? -a->alibi[h] * __builtin_fabsf((float)position_of(a, b, i) - (float)j) : 0.0f;
}

/* Returns the initial maximum of a row: the logit of its sink, or -infinity. The initial sum of the row is exp(sink -
 * sink) = 1, or 0 without a sink. */
static inline float sink_logit(const struct qkv_attention *a, uint32_t h) { return a->sinks ? a->sinks[h] : HIDDEN; }

/* Adds the bias to the scores of the keys that query i sees, and sets all others to -infinity, even NaN. The score of
 * key from <= j < to is scores[(j - from) * stride]. */
void mask_scores(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t from, uint32_t to,
                 float *scores, size_t stride);

#endif
