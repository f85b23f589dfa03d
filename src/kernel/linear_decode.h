/* linear_decode.h: y = activation(x W^T + bias) + residual for few rows of x, see linear_decode.c. x (M,K), W (N,K). */
#ifndef LINEAR_DECODE_H
#define LINEAR_DECODE_H

#include "qkv.h"

/* Up to this number of rows, reading W takes longer than multiplying with it. */
enum { FEW_ROWS = 8 };

/* Computes columns n <= c < end of y, M <= FEW_ROWS. Returns 0, before writing anything, if an x is NaN or infinite,
 * or too large or small for the arithmetic of float16. The scratch is that of qkv_linear_part. */
int decode_rows(const struct qkv_linear *a, size_t n, size_t end, float *scratch);

#endif
