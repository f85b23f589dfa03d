/* tile.h: the 4x8 register tile of all matrix products: eight accumulators and three operands fit into 16 vector
 * registers. */
#ifndef TILE_H
#define TILE_H

#include "score.h"

/* panel (n,8): panel[k][c] = b[c * column + k * step] for c < columns, zeros beyond. */
void pack_panel(float *panel, const float *b, size_t n, size_t step, size_t column, size_t columns);

/* Is every value of (rows, columns), `row` floats apart, finite? */
int all_finite(const float *x, size_t row, size_t rows, size_t columns);

/* A matrix by its two strides, in floats. */
struct matrix {
  const float *data;
  size_t row, column;
};

/* acc[r][c] += sum_k term(a[r][k], b[k][c]), r < 4, c < 8; the columns of b are contiguous. If rows < 4, the last row
 * is repeated. `score` is a compile-time constant at every call. Unrolled by four: one pointer update for four k. The
 * exit after each k stops the engine from hoisting the loads of all four, which would spill. */
INLINE void accumulate_4x8(enum qkv_score score, f4 acc[4][2], struct matrix a, size_t rows, struct matrix b, size_t n,
                           const float *w_v) {
  const float *x[4], *y = b.data, *end = b.data + n * b.row;
#pragma unroll
  for (size_t r = 0; r < 4; r++)
    x[r] = a.data + at_most(r, rows - 1) * a.row;
  const size_t steps = score == QKV_SCORE_DOT ? 4 : 1;
  while (y != end) {
#pragma unroll
    for (size_t step = 0; step < steps; step++) {
      f4 left = load(y), right = load(y + 4);
      f4 w = score == QKV_SCORE_ADDITIVE ? splat_from(w_v + step) : zeros();
#pragma unroll
      for (size_t r = 0; r < 4; r++) {
        f4 z = splat_from(x[r] + step * a.column);
        acc[r][0] = add_term(score, acc[r][0], z, left, w);
        acc[r][1] = add_term(score, acc[r][1], z, right, w);
      }
      y += b.row;
      if (y == end)
        return;
    }
#pragma unroll
    for (size_t r = 0; r < 4; r++)
      x[r] += steps * a.column;
    if (score == QKV_SCORE_ADDITIVE)
      w_v += steps;
  }
}

/* out (4,8) = factor * score(a, b), rows `stride` floats apart; a has `rows` <= 4 rows. */
INLINE void score_4x8(enum qkv_score score, float *out, size_t stride, struct matrix a, size_t rows, struct matrix b,
                      size_t n, const float *w_v, float factor) {
  f4 acc[4][2];
#pragma unroll
  for (size_t r = 0; r < 4; r++)
    acc[r][0] = acc[r][1] = zeros();
  accumulate_4x8(score, acc, a, rows, b, n, w_v);
#pragma unroll
  for (size_t r = 0; r < 4; r++) {
    store(out + r * stride, mul(acc[r][0], splat(factor)));
    store(out + r * stride + 4, mul(acc[r][1], splat(factor)));
  }
}

/* What a product loads into the cache meanwhile: four cache lines every `interval` k. Few at a time and far apart, the
 * hardware prefetches most of them; the loads of more at once would fill the window of instructions and wait. */
struct ahead {
  const float *next, *end;
  size_t interval;
};

INLINE void load_ahead(struct ahead *ahead) {
  if (ahead->end - ahead->next < 64)
    return;
  for (size_t i = 0; i < 4; i++, ahead->next += 16)
    prefetch(ahead->next);
}

/* out (4,8) = start + a (4,n) b (n,8); a has `rows` <= 4 rows, those of start are `pitch` floats apart. ahead: 0 for
 * none. */
INLINE void gemm_4x8_from(const float *start, size_t pitch, float *out, size_t stride, struct matrix a, size_t rows,
                          struct matrix b, size_t n, struct ahead *ahead) {
  f4 acc[4][2];
#pragma unroll
  for (size_t r = 0; r < 4; r++) {
    acc[r][0] = load(start + r * pitch);
    acc[r][1] = load(start + r * pitch + 4);
  }
  for (size_t k = 0, depth = n; k < n; k += depth) {
    if (ahead) {
      load_ahead(ahead);
      depth = at_most(n - k, ahead->interval);
    }
    accumulate_4x8(QKV_SCORE_DOT, acc, a, rows, b, depth, 0);
    a.data += depth * a.column;
    b.data += depth * b.row;
  }
#pragma unroll
  for (size_t r = 0; r < 4; r++) {
    store(out + r * stride, acc[r][0]);
    store(out + r * stride + 4, acc[r][1]);
  }
}

/* out (rows,columns) = start (columns), repeated, + a (rows,n) b (n,columns), columns <= 8; start 0: += instead. Rows
 * of b are `b_row` floats apart and have eight that may be read. */
void gemm_panel(float *out, size_t stride, size_t rows, size_t columns, const float *start, const float *a,
                size_t a_row, const float *b, size_t b_row, size_t n, struct ahead *ahead);

/* The same, a (rows/8 rounded up, n, 8). */
void gemm_panels(float *out, size_t stride, size_t rows, size_t columns, const float *start, const float *a,
                 const float *b, size_t b_row, size_t n);

#endif
