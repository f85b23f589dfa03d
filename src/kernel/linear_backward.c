/* linear_backward.c: gradients of y = x W^T + bias. x (M,K), W (N,K), dy (M,N):
 *   dx (M,K) = dy W,  dw (N,K) = dy^T x,  d_bias (N) = column sums of dy.
 * Both products sum in blocks of DEPTH, whose right-hand panels, packed, stay in L1 while ROWS rows of the left-hand
 * matrix are multiplied with them. A unit is ROWS rows of dx, or ROWS rows of dw and d_bias. */
#include "rows.h"
#include "tile.h"

enum {
  ROWS = 128 /* columns of two units of qkv_column_sums */,
  DEPTH = 520 /* no power of two, whose rows share a quarter of L1 */
};

double QKV_EXPORT(qkv_linear_backward_scratch)(const struct qkv_linear_backward *a) {
  (void)a;
  return (ROWS + 8) * DEPTH * (double)sizeof(float);
}

static uint32_t blocks(uint32_t rows) { return (rows + ROWS - 1) / ROWS; }

uint32_t QKV_EXPORT(qkv_linear_backward_units)(const struct qkv_linear_backward *a) {
  return (a->dx ? blocks(a->M) : 0) + (a->dw || a->d_bias ? blocks(a->N) : 0);
}

/* out (rows <= ROWS, columns) = a b, or += a b to accumulate, a (rows, n), b (n, columns), the columns of b and those
 * of out contiguous. Where the values of a row of a lie apart, DEPTH of them are packed, (ROWS, DEPTH). */
static void multiply_block(float *out, size_t rows, size_t columns, struct matrix a, struct matrix b, size_t n,
                           uint32_t accumulate, float *scratch) {
  float *panel = scratch, *packed = panel + 8 * DEPTH;
  for (size_t k = 0, depth = 0; k == 0 || k < n; k += depth) {
    depth = at_most(n - k, DEPTH);
    const float *left = a.data + k * a.column;
    size_t stride = a.row;
    if (a.column != 1) {
      for (size_t r = 0; r < rows; r += 4)
        for (size_t i = 0; i < depth; i += 4) {
          f4 x[4];
          for (size_t j = 0; j < 4; j++)
            x[j] = get(left + at_most(i + j, depth - 1) * a.column + r, rows - r);
          transpose(x);
          for (size_t j = 0; j < 4; j++)
            store(packed + (r + j) * DEPTH + i, x[j]);
        }
      left = packed;
      stride = DEPTH;
    }
    for (size_t c = 0; c < columns; c += 8) {
      size_t width = at_most(columns - c, 8);
      pack_panel(panel, b.data + k * b.row + c, depth, b.row, 1, width);
      for (size_t r = 0; r < rows; r += 4) {
        float sums[4 * 8], *to = out + r * columns + c;
        size_t height = at_most(rows - r, 4);
        for (size_t i = 0; i < 32; i += 4) {
          int is_there = (accumulate || k > 0) && i / 8 < height && i % 8 < width;
          store(sums + i, is_there ? get(to + i / 8 * columns + i % 8, width - i % 8) : zeros());
        }
        gemm_panel(sums, left + r * stride, stride, height, panel, depth);
        for (size_t i = 0; i < height * 8; i += 4)
          if (i % 8 < width)
            put(to + i / 8 * columns + i % 8, width - i % 8, load(sums + i));
      }
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
      qkv_column_sums(0, 0, a->dy, 0, a->d_bias, M, N, a->accumulate & 4, (unit - of_dx) * 2, 2);
  }
  return QKV_OK;
}
