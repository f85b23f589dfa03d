/* linear.c: y = activation(x W^T + bias) + residual. x (M,K), W (N,K), bias (N), residual and y (M,N).
 * As torch.nn.Linear; with a transposed W, as torch.matmul. W is packed, or has two strides, one of which is 1.
 *
 * float32: y[m][n] = (bias[n] + x[m][0] W[n][0]) + x[m][1] W[n][1] + ... over the first SUM_BLOCK values of k. The sums
 * of later blocks are added to y[m][n] one after the other. This order, and so the bits of the result, do not depend on
 * the number of rows and threads or on the layout of W. */
#include "linear_decode.h"
#include "linear_output.h"
#include "linear_pack.h"
#include "tile.h"

/* A block of rows has at most X_FLOATS floats of x: 1 MB, which fits into L2. A W of at most W_FEW values is cheap to
 * pack again for each block, so with such a W a block has at most X_FEW floats of x. With these small blocks, each
 * thread computes whole rows of y, which are still in its cache when the next kernel reads them. */
enum {
  X_FLOATS = 1 << 18,
  X_FEW = 1 << 15,
  W_FEW = 1 << 16,
  ROWS = 512,  /* most rows of a block */
  COLUMNS = 64 /* activated and written together: 256 bytes of a row of y and of residual */
};

static size_t parts_of(size_t n, size_t most) { return (n + most - 1) / most; }

/* Returns the number of rows per block, which is not 0 even if M is 0. Only the last block may have fewer. */
static size_t block_rows(const struct qkv_linear *a) {
  size_t most = at_most(((size_t)a->K * a->N > W_FEW ? X_FLOATS : X_FEW) / (a->K + 1), ROWS);
  size_t blocks = parts_of(a->M, most < 64 ? 64 : most);
  return round_up(parts_of(a->M + 1, blocks + !blocks), 4);
}

double QKV_EXPORT(qkv_linear_scratch)(const struct qkv_linear *a) {
  return ((double)FEW_ROWS * a->K + 2.0 * a->K + 4096 + (double)(block_rows(a) * COLUMNS)) * (double)sizeof(float);
}

/* Returns the number of columns per unit. For few rows these are four panels, which are read as parallel streams. */
static size_t unit_columns(const struct qkv_linear *a) { return a->M <= FEW_ROWS ? 32 : 8; }

uint32_t QKV_EXPORT(qkv_linear_units)(const struct qkv_linear *a) {
  size_t blocks = (a->M + block_rows(a) - 1) / block_rows(a), columns = unit_columns(a);
  return (uint32_t)(blocks * ((a->N + columns - 1) / columns));
}

/* Computes eight columns of x W^T + bias, out (rows, columns). Their weights are read or packed once (24 KB for K =
 * 768, in L1) and multiplied with every row of x, while those of the next eight columns are prefetched. */
static void tile_rows(const struct qkv_linear *a, float *out, size_t stride, size_t columns, const float *x,
                      size_t rows, size_t n, float *scratch) {
  size_t K = a->K, bytes = panel_bytes(a->weights, K);
  int is_last = n + 8 >= a->N || a->weights == QKV_WEIGHTS_STRIDED;
  const float *panel = panel_of(a, n, scratch);
  const char *next = (const char *)a->w + (n / 8 + 1) * bytes;
  struct ahead ahead = {(const float *)(const void *)next, (const float *)(const void *)(next + bytes),
                        rows * 64 * K / (bytes + 1) + 1};
  float bias[8];
  for (size_t c = 0; c < 8; c += 4)
    store(bias + c, biases_of(a, n + c));
  gemm_blocks(&(struct product){
      .out = out,
      .start = bias,
      .a = x,
      .b = panel,
      .rows = rows,
      .columns = columns,
      .n = K,
      .out_row = stride,
      .a_row = K,
      .b_row = 8,
      .ahead = is_last ? 0 : &ahead,
  });
}

/* Computes columns n <= c < end of y in rows m <= r < m + rows. */
static void multiply_rows(const struct qkv_linear *a, size_t m, size_t rows, size_t n, size_t end, float *scratch) {
  float *sums = scratch + 8 * a->K;
  int is_direct = !a->activation && !a->residual;
  for (size_t from = n; n < end; n += 8) {
    tile_rows(a, is_direct ? a->y + m * a->N + n : sums + (n - from), is_direct ? a->N : COLUMNS,
              is_direct ? at_most(a->N - n, 8) : 8, a->x + m * a->K, rows, n, scratch);
    if (is_direct || (n + 8 < end && n + 8 < from + COLUMNS))
      continue;
    size_t width = at_most(end, n + 8) - from;
    for (size_t r = 0; r < rows; r++)
      write_outputs(a, m + r, from, width, sums + r * COLUMNS);
    from = n + 8;
  }
}

uint32_t QKV_EXPORT(qkv_linear_part)(const struct qkv_linear *a, uint32_t first, uint32_t count, void *scratch) {
  size_t columns = unit_columns(a), groups = (a->N + columns - 1) / columns, rows = block_rows(a);
  for (size_t unit = first, next; unit < (size_t)first + count; unit = next) {
    size_t block = unit / groups;
    next = at_most((size_t)first + count, (block + 1) * groups); /* the units of this block of rows: columns n to `to`
                                                                  * */
    size_t n = (unit - block * groups) * columns, to = at_most(a->N, (next - block * groups) * columns);
    if (a->M <= (a->weights == QKV_WEIGHTS_STRIDED && a->w_column == 1 ? 3 : FEW_ROWS) &&
        decode_rows(a, n, to, scratch))
      continue;
    multiply_rows(a, block * rows, at_most(a->M - block * rows, rows), n, to, scratch);
  }
  return QKV_OK;
}
