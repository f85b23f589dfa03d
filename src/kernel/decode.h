/* decode.h: attention of few queries, see decode.c. */
#ifndef DECODE_H
#define DECODE_H

#include "qkv.h"

enum { DECODE_QUERIES = 6 }; /* measured: from 6 queries on the tiled kernel is as fast */

/* Dropout is drawn row by row, in the tiled kernel only. */
static inline int is_decode(const struct qkv_attention *a) { return a->L < DECODE_QUERIES && !a->generator; }

/* Bytes of scratch for decode_part, 16-byte aligned. */
double decode_scratch(const struct qkv_attention *a);

/* Units first <= u < first + count of B * G: unit u is kv head u % G of batch u / G. */
void decode_part(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch);

#endif
