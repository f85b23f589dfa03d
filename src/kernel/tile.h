/* tile.h: the 4x8 register tile of all matrix products: eight accumulators and three operands fit into 16 vector
 * registers. */
#ifndef TILE_H
#define TILE_H

#include "score.h"

/* panel (n,8): panel[k][c] = b[c * column + k * step] for c < columns, zeros beyond. */
void pack_panel(float *panel, const float *b, size_t n, size_t step, size_t column, size_t columns);

/* True if every value of x (rows, columns), rows `row` floats apart, is finite. */
int all_finite(const float *x, size_t row, size_t rows, size_t columns);

/* tile (4,8) = x (rows,columns) at the edge of a matrix: rows <= 4, columns <= 8, rows of x `row` floats apart.
 * Missing columns become 0; missing rows are left as they are. */
void load_edge(float *tile, const float *x, size_t row, size_t rows, size_t columns);

/* x (rows,columns) = tile (4,8) */
void store_edge(float *x, size_t row, const float *tile, size_t rows, size_t columns);

/* A matrix with its two strides, in floats. */
struct matrix {
  const float *data;
  size_t row, column;
};

/* acc[r][c] += sum_k term(a[r][k], b[k][c]), r < 4, c < 8; the columns of b are contiguous. If rows < 4, the last row
 * is repeated. `score` is a compile-time constant at every call. The loop is unrolled by four to save pointer updates.
 * The exit after each k keeps the engine from hoisting all four loads, which would spill registers. */
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

/* Memory that a product prefetches while it computes: four cache lines every `interval` steps of k. As long as few
 * lines are loaded at a time, the hardware prefetches most of them. More loads at once would fill the instruction
 * window and stall. */
struct ahead {
  const float *next, *end;
  size_t interval;
};

/* A sum of more than SUM_BLOCK products is split into sums of SUM_BLOCK, added one after the other. Its error grows
 * with SUM_BLOCK plus the number of blocks, not with their product. */
enum { SUM_BLOCK = 1024 };

/* out (rows,columns) = start + a (rows,n) b (n,columns), columns <= 8. start (columns) is added to each row. Without
 * start: out += a b. */
struct product {
  float *out;
  const float *start, *a, *b;
  size_t rows, columns, n;
  size_t out_row, a_row, b_row; /* floats from row to row; each row of b has eight columns that can be read */
  struct ahead *ahead;          /* 0: no prefetch */
};

/* Computes the product with row-major `a`, n <= SUM_BLOCK. */
void gemm_panel(const struct product *p);

/* Computes the product with `a` in panels of eight rows, (rows/8 rounded up, n, 8), n <= SUM_BLOCK. a_row and ahead are
 * not used. */
void gemm_panels(const struct product *p);

/* out += a b, with a b summed separately first, for the later blocks of a long sum. `multiply` is gemm_panel or
 * gemm_panels; start is not used. */
void gemm_apart(void (*multiply)(const struct product *), const struct product *p);

/* Computes the product with row-major `a`, in blocks of SUM_BLOCK. */
void gemm_blocks(const struct product *p);

#endif
