/* linear_blocks.h: weights in the blocks of GGUF files, see linear_blocks.c. */
#ifndef LINEAR_BLOCKS_H
#define LINEAR_BLOCKS_H

#include "linear_streams.h"

/* BLOCK values of x share a step; SMALL_BLOCK is the smallest block of weights. */
enum { BLOCK = 256, SMALL_BLOCK = 32 };

/* sums (count, 8) += step * (x W^T) for the columns of the streams, over `count` <= BLOCK values of x = step q.
 * totals are the sums of each 32 values of q; W starts at w. */
void dot_blocks(const struct qkv_linear *a, const int16_t *q, const float *totals, float step, size_t count,
                const struct streams *s, const char *w, float *sums);

/* Widens `count` <= BLOCK values of each row of a panel, W = scale w + minimum: wide (count/2, 8, 2) = w in pairs,
 * scales and minima (count / values_of_scale, 8). Minima are written only for blocks that have them. */
void widen_blocks(uint32_t weights, const char *w, size_t count, int16_t *wide, float *scales, float *minima);

/* Returns how many values of a row share a scale. */
INLINE size_t values_of_scale(uint32_t weights) { return weights == QKV_WEIGHTS_Q6_K ? 16 : SMALL_BLOCK; }

/* True if these blocks have minima. */
INLINE int has_minima(uint32_t weights) {
  return weights == QKV_WEIGHTS_INT4 || weights == QKV_WEIGHTS_Q4_1 || weights == QKV_WEIGHTS_Q5_1 ||
         weights == QKV_WEIGHTS_Q4_K || weights == QKV_WEIGHTS_Q5_K;
}

/* Writes rows `row` ... row + rows <= 8 of a panel as floats, out[r * out_row + k * out_column], bit for bit as
 * llama.cpp dequantizes them. */
void unpack_rows(const char *panel, uint32_t weights, size_t K, size_t row, size_t rows, float *out, size_t out_row,
                 size_t out_column);

#endif
