/* score.c: the function of score.h that is not inlined. q (D), k (D). */
#include "score.h"

float score_pair(const struct qkv_attention *a, const float *q, const float *k) {
  if (a->score == QKV_SCORE_DOT)
    return dot(q, k, a->D);
  f4 sum = zeros();
  for (size_t d = 0; d < a->D; d += 4) {
    size_t n = at_most(a->D - d, 4);
    f4 w = a->score == QKV_SCORE_ADDITIVE ? load_some(a->w_v + d, n) : zeros();
    sum = add_term(a->score, sum, load_some(q + d, n), load_some(k + d, n), w);
  }
  return score_factor(a) * sum_lanes(sum);
}
