/* linear_decode.h: y = activation(x W^T + bias) + residual for few rows of x, see linear_decode.c. x (M,K), W (N,K). */
#ifndef LINEAR_DECODE_H
#define LINEAR_DECODE_H

#include "qkv.h"

/* Up to this number of rows, reading W takes longer than multiplying with it. */
enum { FEW_ROWS = 8 };

/* Computes columns n <= c < end of y, M <= FEW_ROWS. With float16 weights, returns 0 before it writes to y if an x is
 * NaN, infinite, or too large or small for float16 weights; otherwise returns 1. The scratch is that of
 * qkv_linear_part. */
int decode_rows(const struct qkv_linear *a, size_t n, size_t end, float *scratch);

#endif
