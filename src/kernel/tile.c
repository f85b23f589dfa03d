/* tile.c: the functions of tile.h and score.h that are not inlined. */
#include "tile.h"

void pack_panel(float *panel, const float *b, size_t n, size_t step, size_t column, size_t columns) {
  size_t k = 0;
  if (columns == 8 && column == 1) {
    for (; k < n; k++) {
      store(panel + k * 8, load(b + k * step));
      store(panel + k * 8 + 4, load(b + k * step + 4));
    }
  } else if (columns == 8 && step == 1) {
    for (; k + 4 <= n; k += 4)
      for (size_t half = 0; half < 8; half += 4) {
        f4 x[4];
#pragma unroll
        for (size_t c = 0; c < 4; c++)
          x[c] = load(b + (half + c) * column + k);
        transpose(x);
#pragma unroll
        for (size_t c = 0; c < 4; c++)
          store(panel + (k + c) * 8 + half, x[c]);
      }
  }
  for (; k < n; k++)
    for (size_t c = 0; c < 8; c++)
      panel[k * 8 + c] = c < columns ? b[c * column + k * step] : 0.0f;
}

int all_finite(const float *x, size_t row, size_t rows, size_t columns) {
  f4 most = zeros();
  for (size_t r = 0; r < rows; r++) {
    const float *p = x + r * row;
    size_t c = 0;
    for (; c + 4 <= columns; c += 4)
      most = larger_size(most, load(p + c));
    if (c < columns)
      most = larger_size(most, load_tail(p + c, columns - c));
  }
  return sum_lanes(mul(most, zeros())) == 0.0f; /* infinity and NaN times 0 are NaN */
}

/* `panels` is a constant: where a is (rows/8, n, 8), not (rows, n). */
INLINE void gemm_rows(int panels, float *out, size_t stride, size_t rows, size_t columns, const float *start,
                      const float *a, size_t a_row, const float *b, size_t b_row, size_t n, struct ahead *ahead) {
  struct matrix right = {b, b_row, 1};
  for (size_t r = 0; r < rows; r += 4, out += 4 * stride) {
    struct matrix left = {panels ? a + r / 8 * 8 * n + r % 8 : a + r * a_row, panels ? 1 : a_row, panels ? 8 : 1};
    size_t height = at_most(rows - r, 4);
    float edge[4 * 8]; /* a whole tile where `out` has less */
    int is_whole = height == 4 && columns == 8;
    for (size_t i = 0; !is_whole && i < 4 * 8; i++)
      edge[i] = i / 8 < height && i % 8 < columns ? start ? start[i % 8] : out[i / 8 * stride + i % 8] : 0.0f;
    float *to = is_whole ? out : edge;
    size_t pitch = is_whole ? stride : 8;
    const float *from = is_whole && start ? start : to;
    gemm_4x8_from(from, from == start ? 0 : pitch, to, pitch, left, panels ? 4 : height, right, n, ahead);
    for (size_t i = 0; !is_whole && i < height; i++)
      for (size_t j = 0; j < columns; j++)
        out[i * stride + j] = edge[i * 8 + j];
  }
}

void gemm_panel(float *out, size_t stride, size_t rows, size_t columns, const float *start, const float *a,
                size_t a_row, const float *b, size_t b_row, size_t n, struct ahead *ahead) {
  gemm_rows(0, out, stride, rows, columns, start, a, a_row, b, b_row, n, ahead);
}

void gemm_panels(float *out, size_t stride, size_t rows, size_t columns, const float *start, const float *a,
                 const float *b, size_t b_row, size_t n) {
  gemm_rows(1, out, stride, rows, columns, start, a, 0, b, b_row, n, 0);
}

float score_pair(const struct qkv_attention *a, const float *q, const float *k) {
  if (a->score == QKV_SCORE_DOT)
    return dot(q, k, a->D);
  f4 sum = zeros();
  for (size_t d = 0; d < a->D; d += 4) {
    size_t n = at_most(a->D - d, 4);
    f4 w = a->score == QKV_SCORE_ADDITIVE ? load_some(a->w_v + d, n) : zeros();
    sum = add_term(a->score, sum, load_some(q + d, n), load_some(k + d, n), w);
  }
  return score_factor(a) * sum_lanes(sum);
}
