/* linear.c: y = x W^T + bias. x (M,K), W (N,K) by any two strides (a transposed W is a plain matrix
 * product), bias (N) or 0, y (M,N). torch.nn.Linear, torch.matmul. */
#include "tile.h"

/* Eight columns of y at a time: their weights are packed once and meet every row of x. */
uint32_t QKV_EXPORT(qkv_linear)(const float *x, const float *w, size_t w_row, size_t w_column, const float *bias,
                                float *y, size_t M, size_t K, size_t N, float *scratch) {
  for (size_t n = 0; n < N; n += 8) {
    size_t columns = at_most(N - n, 8);
    pack_panel(scratch, w + n * w_row, K, w_column, w_row, columns);
    float b[8] = {0};
    for (size_t c = 0; bias && c < columns; c++)
      b[c] = bias[n + c];
    struct matrix panel = {scratch, 8, 1};
    float tile[4 * 8];
    for (size_t m = 0; m < M; m += 4) {
      size_t count = at_most(M - m, 4);
      score_tile(QKV_SCORE_DOT, tile, 8, (struct matrix){x + m * K, K, 1}, count, panel, K, 0, 1.0f);
      for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < columns; c++)
          y[(m + r) * N + n + c] = tile[r * 8 + c] + b[c];
    }
  }
  return QKV_OK;
}
