/* linear_blocks.h: weights in the blocks of GGUF files, see linear_blocks.c. */
#ifndef LINEAR_BLOCKS_H
#define LINEAR_BLOCKS_H

#include "linear_streams.h"

/* BLOCK values of x share a step; SMALL_BLOCK is the smallest block of weights. */
enum { BLOCK = 256, SMALL_BLOCK = 32 };

/* sums (s->count, 8) += step * (q W^T) for the columns of the streams, over `count` <= BLOCK values of q. totals are
 * the sums of each 32 values of q; W starts at w. */
void dot_blocks(const struct qkv_linear *a, const int16_t *q, const int32_t *totals, float step, size_t count,
                const struct streams *s, const char *w, float *sums);

/* BLOCK values of eight rows of W. numbers (BLOCK/2, 8, 2), in pairs of k; scales and minima (groups, 8).
 * With a head: W = d (scale w) + e m; numbers are scale w, scales are not set, minima are m as int32. Else W = scale w
 * + minimum; numbers are w; d and e are not set. int8 has numbers only. */
struct wide_panel {
  int16_t numbers[BLOCK * 8];
  float scales[BLOCK / SMALL_BLOCK * 8], minima[BLOCK / SMALL_BLOCK * 8], d[8], e[8];
};

/* Widens `count` <= BLOCK values of each row of a panel. Without minima, to->minima is undefined. */
void widen_blocks(uint32_t weights, const char *w, size_t count, struct wide_panel *to);

/* Returns how many values of a row share a scale. */
INLINE size_t values_of_scale(uint32_t weights) { return weights == QKV_WEIGHTS_Q6_K ? 16 : SMALL_BLOCK; }

/* Returns how many products q (scale w) of a type with a head are summed as integers before the sum becomes a float.
 * The sums are exact: 64 * 32767 * 63 * 15 (Q4_K), 32 * 32767 * 63 * 31 (Q5_K), 16 * 32767 * 128 * 32 (Q6_K) < 2^31. */
INLINE size_t values_of_sum(uint32_t weights) { return weights == QKV_WEIGHTS_Q4_K ? 64 : values_of_scale(weights); }

/* True if this type of weights has minima. */
INLINE int has_minima(uint32_t weights) {
  return weights == QKV_WEIGHTS_INT4 || weights == QKV_WEIGHTS_Q4_1 || weights == QKV_WEIGHTS_Q5_1 ||
         weights == QKV_WEIGHTS_Q4_K || weights == QKV_WEIGHTS_Q5_K;
}

/* True if the minima are integers times a float16 that 256 values share. */
INLINE int has_integer_minima(uint32_t weights) { return weights == QKV_WEIGHTS_Q4_K || weights == QKV_WEIGHTS_Q5_K; }

/* The head of 256 values has float16 numbers (d and, with integer minima, -e), then scales of 8 bits, then integer
 * minima. halves_bytes returns the size of the float16 numbers, minima_at the offset of the minima, in bytes. */
INLINE size_t halves_bytes(uint32_t weights) { return has_integer_minima(weights) ? 32 : 16; }
INLINE size_t minima_at(uint32_t weights) { return halves_bytes(weights) + 64; }

/* Writes `rows` rows of a panel, from `row` on, as floats, bit for bit as llama.cpp dequantizes them: value k of row
 * row + r to out[r * out_row + k * out_column]. */
void unpack_rows(const char *panel, uint32_t weights, size_t K, size_t row, size_t rows, float *out, size_t out_row,
                 size_t out_column);

#endif
