/* tile.h: the register tile that scores, value sums and projections share: 4 rows by 8 columns,
 * eight accumulators and three operands, so that nothing spills from 16 registers. */
#ifndef TILE_H
#define TILE_H

#include "exp.h"
#include "qkv.h"

enum { TILE_ROWS = 4, TILE_COLUMNS = 8 };

static inline size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }
static inline size_t at_most(size_t n, size_t limit) { return n < limit ? n : limit; }

/* panel (n,8): panel[k][c] = b[c * column + k * step] for c < columns, zeros beyond. */
static inline void pack_panel(float *panel, const float *b, size_t n, size_t step, size_t column, size_t columns) {
  size_t k = 0;
  if (columns == TILE_COLUMNS && column == 1) {
    for (; k < n; k++) {
      store(panel + k * 8, load(b + k * step));
      store(panel + k * 8 + 4, load(b + k * step + 4));
    }
  } else if (columns == TILE_COLUMNS && step == 1) {
    for (; k + 4 <= n; k += 4)
      for (size_t half = 0; half < 8; half += 4) {
        f4 x[4];
        for (size_t c = 0; c < 4; c++)
          x[c] = load(b + (half + c) * column + k);
        transpose(x);
        for (size_t c = 0; c < 4; c++)
          store(panel + (k + c) * 8 + half, x[c]);
      }
  }
  for (; k < n; k++)
    for (size_t c = 0; c < 8; c++)
      panel[k * 8 + c] = c < columns ? b[c * column + k * step] : 0.0f;
}

/* One term of a score's sum over the head: score = factor * sum_d term(q[d], k[d]). */
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

/* acc[r][c] += sum_k term(a[r * stride + k], panel[k][c]), r < rows <= 4, c < 8. `rows` and `score`
 * are constants where this is called, so that the loops over them unroll. */
INLINE void add_terms(enum qkv_score score, size_t rows, f4 acc[TILE_ROWS][2], const float *a, size_t stride,
                      const float *panel, size_t n, const float *w_v) {
  for (size_t k = 0; k < n; k++, panel += 8) {
    f4 left = load(panel), right = load(panel + 4);
    f4 w = score == QKV_SCORE_ADDITIVE ? splat_from(w_v + k) : zeros();
    for (size_t r = 0; r < rows; r++) {
      f4 x = splat_from(a + r * stride + k);
      acc[r][0] = add_term(score, acc[r][0], x, left, w);
      acc[r][1] = add_term(score, acc[r][1], x, right, w);
    }
  }
}

/* out[r][0..8) = (add ? out : 0) + factor * (a . panel), r < rows; stride_out floats a row. */
INLINE void tile_of(enum qkv_score score, size_t rows, int accumulate, float *out, size_t stride_out, const float *a,
                    size_t stride, const float *panel, size_t n, const float *w_v, float factor) {
  f4 acc[TILE_ROWS][2];
  for (size_t r = 0; r < rows; r++) {
    acc[r][0] = accumulate ? load(out + r * stride_out) : zeros();
    acc[r][1] = accumulate ? load(out + r * stride_out + 4) : zeros();
  }
  add_terms(score, rows, acc, a, stride, panel, n, w_v);
  for (size_t r = 0; r < rows; r++) {
    store(out + r * stride_out, mul(acc[r][0], splat(factor)));
    store(out + r * stride_out + 4, mul(acc[r][1], splat(factor)));
  }
}

/* The same for any number of rows. */
INLINE void tiles_of(enum qkv_score score, size_t rows, int accumulate, float *out, size_t stride_out, const float *a,
                     size_t stride, const float *panel, size_t n, const float *w_v, float factor) {
  size_t r = 0;
  for (; r + 4 <= rows; r += 4)
    tile_of(score, 4, accumulate, out + r * stride_out, stride_out, a + r * stride, stride, panel, n, w_v, factor);
  for (; r < rows; r++)
    tile_of(score, 1, accumulate, out + r * stride_out, stride_out, a + r * stride, stride, panel, n, w_v, factor);
}

#endif
