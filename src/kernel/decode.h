/* decode.h: attention of few queries, see decode.c. */
#ifndef DECODE_H
#define DECODE_H

#include "qkv.h"

enum { DECODE_QUERIES = 6 }; /* measured: from 6 queries on the tiled kernel is at least as fast */

/* True if decode_part computes this call. Calls with dropout need the tiled kernel, which draws the random numbers
 * row by row. */
static inline int is_decode(const struct qkv_attention *a) { return a->L < DECODE_QUERIES && !a->generator; }

/* Returns the size in bytes of decode_part's scratch. The scratch must be 16-byte aligned. */
double decode_scratch(const struct qkv_attention *a);

/* Computes units first <= u < first + count, of B * G in all: unit u is kv head u % G of batch u / G. */
void decode_part(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch);

#endif
