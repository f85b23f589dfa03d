/* linear_dequantized.c: y = activation(x W^T + bias) + residual with W of int8, int4 or blocks and x not rounded, for
 * studies of the effect of rounding W alone. x (M,K), W (N,K), bias (N), residual and y (M,N).
 *
 * Eight rows of W are converted to float32 (int8: scale w; int4: scale w + minimum; each operation rounded) and
 * multiplied by the float32 tile; the products are summed in the order of linear.c. qkv.integers.wasm and
 * qkv.relaxed.integers.wasm are both compiled with QKV_UNFUSED, so a row of y has the same bits in both, for any number
 * of rows and threads. */
#include "linear_blocks.h"
#include "linear_output.h"
#include "linear_pack.h"
#include "tile.h"

/* Rows of x whose outputs are written together. */
enum { ROWS = 64 };

double QKV_EXPORT(qkv_dequantized_scratch)(const struct qkv_linear *a) {
  return (8.0 * a->K + 8.0 * (double)ROWS) * (double)sizeof(float);
}

/* Returns the number of units; a unit is eight columns. */
uint32_t QKV_EXPORT(qkv_dequantized_units)(const struct qkv_linear *a) { return (a->N + 7) / 8; }

static float low_half(uint32_t word) { return lane0(low_bfloat16(splat_from((const float *)(const void *)&word))); }
static float high_half(uint32_t word) { return lane0(high_bfloat16(splat_from((const float *)(const void *)&word))); }

/* panel (K,8) = W^T, columns n to n + 8. For the layout of int4 see store_nibbles. */
static void dequantize_panel(const struct qkv_linear *a, size_t n, float *panel) {
  size_t K = a->K;
  const char *w = (const char *)a->w + n / 8 * panel_bytes(a->weights, K);
  if (a->weights > QKV_WEIGHTS_INT4) {
    unpack_rows(w, a->weights, K, 0, 8, panel, 1, 8);
    return;
  }
  if (a->weights == QKV_WEIGHTS_INT8) {
    for (size_t k = 0; k < K; k++)
      for (size_t c = 0; c < 8; c++)
        panel[k * 8 + c] = a->scales[n + c] * (float)(int8_t)((uint8_t)w[int8_place(k, c)] ^ int8_flip(c));
    return;
  }
  for (size_t k = 0; k < K; k++) {
    const uint32_t *block = (const uint32_t *)(const void *)(w + k / INT4_BLOCK * INT4_BYTES);
    const uint32_t *four = block + 8 + k % INT4_BLOCK / 4 * 4;
    for (size_t c = 0; c < 8; c++) {
      uint32_t number = four[c % 4] >> (c / 4 * 4 + k % 2 * 16 + k / 2 % 2 * 8) & 15;
      panel[k * 8 + c] = low_half(block[c]) * (float)number + high_half(block[c]);
    }
  }
}

uint32_t QKV_EXPORT(qkv_dequantized_part)(const struct qkv_linear *a, uint32_t first, uint32_t count, void *scratch) {
  float *panel = scratch, *sums = panel + (size_t)a->K * 8, bias[8];
  for (size_t n = (size_t)first * 8; n < at_most(a->N, ((size_t)first + count) * 8); n += 8) {
    dequantize_panel(a, n, panel);
    for (size_t c = 0; c < 8; c += 4)
      store(bias + c, biases_of(a, n + c));
    for (size_t m = 0; m < a->M; m += ROWS) {
      size_t rows = at_most(a->M - m, ROWS);
      struct product p = {.out = sums, .start = bias, .a = a->x + m * a->K, .b = panel, .rows = rows, .columns = 8};
      p.n = a->K, p.out_row = 8, p.a_row = a->K, p.b_row = 8;
      gemm_blocks(&p);
      for (size_t r = 0; r < rows; r++)
        write_outputs(a, m + r, n, 8, sums + r * 8);
    }
  }
  return QKV_OK;
}
