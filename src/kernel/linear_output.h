/* linear_output.h: how the sums of a product x W^T start and end. y (M,N), bias (N), residual (M,N). */
#ifndef LINEAR_OUTPUT_H
#define LINEAR_OUTPUT_H

#include "qkv.h"
#include "simd.h"

/* Returns bias[n ... n + 4), the initial sums; zeros without a bias and from column N on. */
f4 biases_of(const struct qkv_linear *a, size_t n);

/* y[m][n ... n + columns) = activation(sums) + residual[m][n ... n + columns), up to column N. Overwrites sums
 * (columns). */
void write_outputs(const struct qkv_linear *a, size_t m, size_t n, size_t columns, float *sums);

#endif
