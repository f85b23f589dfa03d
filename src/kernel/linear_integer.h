/* linear_integer.h: the product of linear_integer.c, for kernels that use it. x (M,K), W (N,K) of int8, y (M,N). */
#ifndef LINEAR_INTEGER_H
#define LINEAR_INTEGER_H

#include "linear_streams.h"

/* Computes the whole product; the scratch has qkv_integer_scratch() bytes. */
void multiply_int8(struct qkv_linear product, void *scratch);

#endif
