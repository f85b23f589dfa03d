/* linear_backward.c: gradients of y = x W^T + bias. x (M,K), W (N,K), dy (M,N):
 *   dx (M,K) = dy W,  dw (N,K) = dy^T x,  d_bias (N) = column sums of dy.
 * Both products are summed in separate blocks of DEPTH terms. Their right-hand panels, packed COLUMNS at a time, stay
 * in L1 or L2 while ROWS rows of the left-hand matrix are multiplied with them. A unit is ROWS rows of dx, or ROWS rows
 * of dw and d_bias. */
#include "rows.h"
#include "tile.h"

enum {
  ROWS = 128 /* as many as the columns of two units of qkv_column_sums */,
  COLUMNS = 32,
  DEPTH = 520 /* not a power of two: with 512, rows would share a quarter of the sets of L1 */
};

double QKV_EXPORT(qkv_linear_backward_scratch)(const struct qkv_linear_backward *a) {
  (void)a;
  return (ROWS + COLUMNS) * DEPTH * (double)sizeof(float);
}

static uint32_t blocks(uint32_t rows) { return (rows + ROWS - 1) / ROWS; }

uint32_t QKV_EXPORT(qkv_linear_backward_units)(const struct qkv_linear_backward *a) {
  return (a->dx ? blocks(a->M) : 0) + (a->dw || a->d_bias ? blocks(a->N) : 0);
}

/* Packs from (rows, columns) into to (columns/8 rounded up, rows, 8), with zeros as padding, a cache line at a time. */
static void pack_columns(float *to, const float *from, size_t row, size_t rows, size_t columns) {
  size_t c = 0;
  for (; c + 16 <= columns; c += 16)
    for (size_t i = 0; i < rows; i++)
#pragma unroll
      for (size_t v = 0; v < 16; v += 4)
        store(to + (c + v / 8 * 8) * rows + i * 8 + v % 8, load(from + i * row + c + v));
  for (; c < columns; c += 8)
    pack_panel(to + c * rows, from + c, rows, row, 1, at_most(columns - c, 8));
}

/* out (rows <= ROWS, columns) = a b, or += a b with `accumulate`; a (rows, n), b (n, columns). The column strides of b
 * and out are 1. If the values of a row of a are not contiguous, DEPTH of them are packed at a time, (ROWS/8, DEPTH,
 * 8). */
static void multiply_block(float *out, size_t rows, size_t columns, struct matrix a, struct matrix b, size_t n,
                           uint32_t accumulate, float *scratch) {
  static const float none[8];
  float *panels = scratch, *packed = panels + COLUMNS * DEPTH;
  void (*multiply)(const struct product *) = a.column == 1 ? gemm_panel : gemm_panels;
  for (size_t k = 0, depth = 0; k == 0 || k < n; k += depth) {
    depth = at_most(n - k, DEPTH);
    struct product p = {.rows = rows, .n = depth, .out_row = columns, .a_row = a.row, .b_row = 8};
    p.start = accumulate ? 0 : none;
    p.a = a.data + k * a.column;
    if (a.column != 1) {
      pack_columns(packed, p.a, a.column, depth, rows);
      p.a = packed;
    }
    for (size_t c = 0; c < columns; c += 8) {
      if (c % COLUMNS == 0)
        pack_columns(panels, b.data + k * b.row + c, b.row, depth, at_most(columns - c, COLUMNS));
      p.out = out + c, p.columns = at_most(columns - c, 8), p.b = panels + c % COLUMNS * depth;
      if (k > 0)
        gemm_apart(multiply, &p);
      else
        multiply(&p);
    }
    if (n == 0)
      return;
  }
}

uint32_t QKV_EXPORT(qkv_linear_backward_part)(const struct qkv_linear_backward *a, uint32_t first, uint32_t count,
                                              void *scratch) {
  size_t M = a->M, K = a->K, N = a->N;
  uint32_t of_dx = a->dx ? blocks(a->M) : 0;
  for (uint32_t unit = first; unit < first + count; unit++) {
    if (unit < of_dx) {
      size_t m = (size_t)unit * ROWS;
      multiply_block(a->dx + m * K, at_most(M - m, ROWS), K, (struct matrix){a->dy + m * N, N, 1},
                     (struct matrix){a->w, K, 1}, N, a->accumulate & 1, scratch);
      continue;
    }
    size_t n = (size_t)(unit - of_dx) * ROWS, rows = at_most(N - n, ROWS);
    if (a->dw)
      multiply_block(a->dw + n * K, rows, K, (struct matrix){a->dy + n, 1, N}, (struct matrix){a->x, K, 1}, M,
                     a->accumulate & 2, scratch);
    for (size_t i = 0; a->d_bias && M == 0 && !(a->accumulate & 4) && i < rows; i++)
      a->d_bias[n + i] = 0.0f;
    if (a->d_bias)
      qkv_column_sums(a->dy, a->d_bias, M, N, a->accumulate & 4, (unit - of_dx) * 2, 2);
  }
  return QKV_OK;
}
