/* score.h: score(q, k) = factor * sum_d term(q[d], k[d]). In register tiles `score` is a compile-time constant, so
 * their loops do not branch. compute_scores of query_rows.c switches on the score outside its loops. */
#ifndef SCORE_H
#define SCORE_H

#include "exp.h"
#include "qkv.h"

/* sum + term(q, k) */
INLINE f4 add_term(enum qkv_score score, f4 sum, f4 q, f4 k, f4 w_v) {
  switch (score) {
  case QKV_SCORE_GAUSSIAN: {
    f4 difference = sub(q, k);
    return mul_add(difference, difference, sum);
  }
  case QKV_SCORE_ADDITIVE:
    return mul_add(w_v, tanh4(add(q, k)), sum);
  case QKV_SCORE_DOT:
  default:
    return mul_add(q, k, sum);
  }
}

static inline float score_factor(const struct qkv_attention *a) {
  return a->score == QKV_SCORE_GAUSSIAN ? -0.5f / (a->sigma * a->sigma) : 1.0f;
}

/* Returns q . k, in two accumulators to hide the latency of the additions. */
INLINE float dot(const float *q, const float *k, size_t D) {
  f4 even = zeros(), odd = zeros();
  size_t d = 0;
  for (; d + 8 <= D; d += 8) {
    even = mul_add(load(q + d), load(k + d), even);
    odd = mul_add(load(q + d + 4), load(k + d + 4), odd);
  }
  for (; d < D; d += 4) {
    size_t n = at_most(D - d, 4);
    even = mul_add(load_some(q + d, n), load_some(k + d, n), even);
  }
  return sum_lanes(add(even, odd));
}

/* Returns score(q, k) over a head of size D, without the scale. */
float score_pair(const struct qkv_attention *a, const float *q, const float *k);

#endif
