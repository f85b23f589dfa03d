/* mask.h: which keys a query sees. Causal, window and key lengths leave each query one span of keys; the boolean mask
 * and the bias can hide any key within it. */
#ifndef MASK_H
#define MASK_H

#include "qkv.h"

#define HIDDEN (-__builtin_inff())

struct span {
  uint32_t from, to; /* keys from <= j < to */
};

static inline int64_t position_of(const struct qkv_attention *a, uint32_t b, uint32_t i) {
  return (int64_t)i + (a->past ? a->past[b] : 0);
}

/* Both ends are monotonic in i, so the first and the last row of a block bound the rows between them. */
struct span visible_span(const struct qkv_attention *a, uint32_t b, uint32_t i);

static inline int has_mask(const struct qkv_attention *a) { return a->mask.data || a->bias.data; }

static inline float bias_at(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  const struct qkv_bias *x = &a->bias;
  if (!x->data)
    return 0.0f;
  return x->data[(size_t)b * x->batch + (size_t)h * x->head + (size_t)i * x->row + (size_t)j * x->column];
}

/* Is key j, within the span of query i, visible by mask and bias? */
static inline int passes_mask(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  const struct qkv_mask *x = &a->mask;
  if (x->data && !x->data[(size_t)b * x->batch + (size_t)h * x->head + (size_t)i * x->row + (size_t)j * x->column])
    return 0;
  return bias_at(a, b, h, i, j) != HIDDEN;
}

static inline int is_visible(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  struct span span = visible_span(a, b, i);
  return j >= span.from && j < span.to && passes_mask(a, b, h, i, j);
}

/* ALiBi: -slope * |position - j|, for hidden keys too. */
static inline float alibi_at(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  return a->alibi ? -a->alibi[h] * __builtin_fabsf((float)position_of(a, b, i) - (float)j) : 0.0f;
}

/* The initial row maximum; the initial row sum is 1 with a sink, 0 without. */
static inline float sink_logit(const struct qkv_attention *a, uint32_t h) { return a->sinks ? a->sinks[h] : HIDDEN; }

/* scores[(j - from) * stride], from <= j < to, of query i: += bias if visible, = -inf if hidden (a NaN is overwritten,
 * too). */
void mask_scores(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t from, uint32_t to,
                 float *scores, size_t stride);

#endif
