/* decode.h: attention of few queries; see decode.c. */
#ifndef DECODE_H
#define DECODE_H

#include "qkv.h"

enum { DECODE_QUERIES = 6 }; /* measured: from here on the tiles are as fast, half empty as they are */

/* Dropout draws row by row, which only the tiles keep in order; they also keep the statistics of the rows. */
static inline int is_decode(const struct qkv_attention *a) {
  return a->L < DECODE_QUERIES && !a->generator && !a->row_maxima;
}

/* Bytes of scratch, 16-byte aligned, that decode_part wants. */
double decode_scratch(const struct qkv_attention *a);

/* The groups of heads first <= unit < first + count, of B G in all. */
void decode_part(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch);

#endif
