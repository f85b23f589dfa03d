/* linear.h: what the parts of linear share. */
#ifndef LINEAR_H
#define LINEAR_H

#include "tile.h"

enum { FEW_ROWS = 8 }; /* up to which W is read faster than it is multiplied */

/* Bytes of a packed panel of eight rows, K values each. */
INLINE size_t panel_bytes(uint32_t weights, size_t K) {
  return weights == QKV_WEIGHTS_INT8 ? round_up(K, 2) * 8 : K * (weights == QKV_WEIGHTS_FLOAT16 ? 16 : 32);
}

/* bias[n ... n + 4); 0 without a bias, and from N on. */
f4 biases_of(const struct qkv_linear *a, size_t n);

/* Columns n to n + 8 of W^T, (K,8), as floats: in place if they are packed as float32, else converted into `panel`. */
const float *panel_of(const struct qkv_linear *a, size_t n, float *panel);

/* y[m][n ... n + columns) = values + residual, values (columns). */
void store_columns(const struct qkv_linear *a, size_t m, size_t n, size_t columns, const float *values);

/* Columns n to `end` of y, M <= FEW_ROWS. False: nothing is done, because some x is NaN, infinite, or too large or
 * small for the arithmetic of float16 or int8. */
int decode_rows(const struct qkv_linear *a, size_t n, size_t end, float *scratch);

#endif
