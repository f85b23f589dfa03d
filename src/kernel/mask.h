/* mask.h: which keys a query sees. Causal, window and key lengths leave each query one span of keys;
 * the boolean mask and the bias are asked key by key within it. */
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

/* Both ends grow with i, so the first and the last row of a block bound all between. */
struct span visible_span(const struct qkv_attention *a, uint32_t b, uint32_t i);

static inline int has_mask(const struct qkv_attention *a) { return a->mask.data || a->bias.data; }

static inline float bias_at(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  const struct qkv_bias *x = &a->bias;
  if (!x->data)
    return 0.0f;
  return x->data[(size_t)b * x->batch + (size_t)h * x->head + (size_t)i * x->row + (size_t)j * x->column];
}

/* Key j of the span of query i: do the boolean mask and the bias let it through? */
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

/* What distance costs: linear biases (ALiBi), of every key, seen or not. */
static inline float alibi_at(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  return a->alibi ? -a->alibi[h] * __builtin_fabsf((float)position_of(a, b, i) - (float)j) : 0.0f;
}

/* Where the maximum of a row starts; its sum of exponentials starts with 1, or with 0 where there is no sink. */
static inline float sink_logit(const struct qkv_attention *a, uint32_t h) { return a->sinks ? a->sinks[h] : HIDDEN; }

/* scores[(j - from) * stride] is that of query i with key from <= j < to: adds the bias and hides what
 * may not be seen. A hidden score is overwritten, so that a NaN there does not count. */
void mask_scores(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t from, uint32_t to,
                 float *scores, size_t stride);

#endif
