/* linear.c: y = x W^T + bias. x (M,K), W (N,K) by any two strides (a transposed W is a plain matrix
 * product), bias (N) or 0, y (M,N). torch.nn.Linear, torch.matmul. */
#include "tile.h"

/* Eight columns of y at a time: their weights are packed once (16 KB for K = 512, in L1) and used for every row of x.
 */
uint32_t QKV_EXPORT(qkv_linear_part)(const float *x, const float *w, size_t w_row, size_t w_column, const float *bias,
                                     float *y, size_t M, size_t K, size_t N, uint32_t first, uint32_t count,
                                     float *scratch) {
  for (size_t n = (size_t)first * 8, end = at_most(N, n + (size_t)count * 8); n < end; n += 8) {
    size_t columns = at_most(N - n, 8);
    struct matrix panel = {w + n * K, 8, 1};
    if (w_row) {
      pack_panel(scratch, w + n * w_row, K, w_column, w_row, columns);
      panel.data = scratch;
    }
    float b[8] = {0}, edge[4 * 8]; /* edge: a whole tile where y has less */
    for (size_t c = 0; bias && c < columns; c++)
      b[c] = bias[n + c];
    for (size_t m = 0; m < M; m += 4) {
      size_t rows = at_most(M - m, 4);
      int is_whole = rows == 4 && columns == 8;
      float *out = is_whole ? y + m * N + n : edge;
      size_t stride = is_whole ? N : 8;
      for (size_t r = 0; r < 4; r++)
        for (size_t c = 0; c < 8; c += 4)
          store(out + r * stride + c, load(b + c));
      gemm_4x8(out, stride, (struct matrix){x + m * K, K, 1}, rows, panel, K);
      for (size_t r = 0; !is_whole && r < rows; r++)
        for (size_t c = 0; c < columns; c++)
          y[(m + r) * N + n + c] = edge[r * 8 + c];
    }
  }
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_linear)(const float *x, const float *w, size_t w_row, size_t w_column, const float *bias,
                                float *y, size_t M, size_t K, size_t N, float *scratch) {
  return qkv_linear_part(x, w, w_row, w_column, bias, y, M, K, N, 0, (uint32_t)((N + 7) / 8), scratch);
}

/* W (N,K) in panels of eight rows, as qkv_linear wants it: packed (N/8 rounded up, K, 8), zeros beyond N. */
uint32_t QKV_EXPORT(qkv_pack_linear)(const float *w, float *packed, size_t K, size_t N) {
  for (size_t n = 0; n < N; n += 8)
    pack_panel(packed + n * K, w + n * K, K, 1, K, at_most(N - n, 8));
  return QKV_OK;
}

/* y = x W^T + bias, x (M,K), W (N,K): dx (M,K) = dy W, dw (N,K) = dy^T x, d_bias (N) = column sums of dy (M,N). */
uint32_t QKV_EXPORT(qkv_linear_backward)(const float *x, const float *w, const float *dy, float *dx, float *dw,
                                         float *d_bias, size_t M, size_t K, size_t N, float *scratch) {
  for (size_t i = 0; i < M * K; i++)
    dx[i] = 0.0f;
  for (size_t i = 0; i < N * K; i++)
    dw[i] = 0.0f;
  for (size_t n = 0; n < N; n++)
    d_bias[n] = 0.0f;
  gemm_accumulate(dx, K, M, K, (struct matrix){dy, N, 1}, (struct matrix){w, K, 1}, N, scratch);
  gemm_accumulate(dw, K, N, K, (struct matrix){dy, 1, N}, (struct matrix){x, K, 1}, M, scratch);
  for (size_t m = 0; m < M; m++)
    for (size_t n = 0; n < N; n++)
      d_bias[n] += dy[m * N + n];
  return QKV_OK;
}
