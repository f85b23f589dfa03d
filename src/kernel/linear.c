/* linear.c: y = activation(x W^T + bias) + residual. x (M,K), W (N,K), bias (N), residual and y (M,N).
 * torch.nn.Linear, torch.matmul. W is packed, or lies by any two strides: a transposed W is a plain matrix product.
 *
 * float32: y[m][n] = (bias[n] + x[m][0] W[n][0]) + x[m][1] W[n][1] + ..., in this order whatever the
 * number of rows, of threads and the way W lies: the same bits. */
#include "linear.h"
#include "activation.h"
#include "rows.h"

/* x of a block of rows: 1 MB, in L2. With a small W, which is packed for each block, less, so that threads share rows:
 * what they read next of y is in their caches. */
enum { X_FLOATS = 1 << 18, X_FEW = 1 << 15, W_FEW = 1 << 16, ROWS = 64, DEPTH = 256 };

double QKV_EXPORT(qkv_linear_scratch)(const struct qkv_linear *a) {
  return ((double)FEW_ROWS * a->K + 2.0 * a->K + 4096) * (double)sizeof(float);
}

static size_t block_rows(const struct qkv_linear *a) {
  size_t rows = ((size_t)a->K * a->N > W_FEW ? X_FLOATS : X_FEW) / (a->K + 1) / 4 * 4;
  return rows < 64 ? 64 : rows;
}

/* Columns of a unit: of few rows four panels, which are read side by side. */
static size_t unit_columns(const struct qkv_linear *a) { return a->M <= FEW_ROWS ? 32 : 8; }

uint32_t QKV_EXPORT(qkv_linear_units)(const struct qkv_linear *a) {
  size_t blocks = (a->M + block_rows(a) - 1) / block_rows(a), columns = unit_columns(a);
  return (uint32_t)(blocks * ((a->N + columns - 1) / columns));
}

void store_columns(const struct qkv_linear *a, size_t m, size_t n, const float *values) {
  float *y = a->y + m * a->N + n;
  const float *residual = a->residual ? a->residual + m * a->N + n : 0;
  for (size_t c = 0, columns = at_most(a->N - n, 8); c < columns; c += 4) {
    f4 value = load(values + c);
    if (residual)
      value = add(value, get(residual + c, columns - c));
    put(y + c, columns - c, value);
  }
}

f4 biases_of(const struct qkv_linear *a, size_t n) {
  return a->bias && n < a->N ? get(a->bias + n, a->N - n) : zeros();
}

/* Eight columns: their weights are read or packed once (K = 768: 24 KB, in L1) and multiplied with every row of x.
 * With few rows the loads of a packed W dominate: the product is computed DEPTH inputs at a time, and each group of
 * four rows prefetches a part of the next DEPTH. */
static void tile_rows(const struct qkv_linear *a, size_t m, size_t end, size_t n, float *scratch) {
  size_t K = a->K, N = a->N, columns = at_most(N - n, 8);
  int is_plain = !a->activation && !a->residual;
  int is_ahead = a->weights == QKV_WEIGHTS_FLOAT32 && end - m >= ROWS / 2 && end - m <= ROWS * 2;
  const float *panel = panel_of(a, n, scratch), *last = (const float *)a->w + (N - 1) / 8 * 8 * K;
  float bias[8], sums[ROWS * 8];
  for (size_t c = 0; c < 8; c += 4)
    store(bias + c, biases_of(a, n + c));
  for (size_t rows; m < end; m += rows) {
    rows = at_most(end - m, ROWS);
    float *y = is_plain ? a->y + m * N + n : sums;
    size_t stride = is_plain ? N : 8, depth = is_ahead ? DEPTH : K + 1, group = is_ahead ? 4 : rows;
    const float *next = panel + DEPTH * 8;
    for (size_t k = 0; k == 0 || k < K; k += depth)
      for (size_t r = 0; r < rows; r += group) {
        for (size_t i = 0; is_ahead && i * rows < DEPTH * 2 && next < last; i++, next += 16)
          prefetch(next);
        gemm_panel(y + r * stride, stride, at_most(rows - r, group), is_plain ? columns : 8, k ? 0 : bias,
                   a->x + (m + r) * K + k, K, panel + k * 8, 8, at_most(K - k, depth));
      }
    if (is_plain)
      continue;
    if (a->activation)
      activate(a->activation, sums, sums, 0, 8 * rows);
    for (size_t r = 0; r < rows; r++)
      store_columns(a, m + r, n, sums + r * 8);
  }
}

uint32_t QKV_EXPORT(qkv_linear_part)(const struct qkv_linear *a, uint32_t first, uint32_t count, void *scratch) {
  size_t columns = unit_columns(a), groups = (a->N + columns - 1) / columns, rows = block_rows(a);
  for (size_t unit = first, next; unit < (size_t)first + count; unit = next) {
    size_t block = unit / groups;
    next = at_most((size_t)first + count, (block + 1) * groups); /* units of one block of rows: columns n to `to` */
    size_t n = (unit - block * groups) * columns, to = at_most(a->N, (next - block * groups) * columns);
    if (a->M <= (a->weights == QKV_WEIGHTS_STRIDED && a->w_column == 1 ? 3 : FEW_ROWS) &&
        decode_rows(a, n, to, scratch))
      continue;
    for (; n < to; n += 8)
      tile_rows(a, block * rows, at_most(a->M, (block + 1) * rows), n, scratch);
  }
  return QKV_OK;
}
