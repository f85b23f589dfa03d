/* linear_bytes.h: products of x (M,K) and W (N,K), both of int8, by one instruction for sixteen multiplications, see
 * linear_bytes.c. */
#ifndef LINEAR_BYTES_H
#define LINEAR_BYTES_H

#include "integer_tile.h"

/* How the engine treats the second operand of a byte product: as unsigned or signed bytes, or inexactly, so that byte
 * products are not used. */
enum byte_products { NO_BYTE_PRODUCTS, UNSIGNED_BYTES, SIGNED_BYTES };

/* Detects how the engine treats the second operand, by a product of known bytes. The result does not change while the
 * program runs. */
enum byte_products try_byte_products(void);

/* Converts TILE rows of x to bytes: tile (K/4, TILE, 4) = rows (TILE, K) of int16 from -127 to 127. Rows are `width`
 * numbers apart and padded with zeros to a multiple of 16. `starts` gets the initial sums: one number for each 256
 * values of a row, rows `pitch` numbers apart. */
void interleave_bytes(enum byte_products products, const int16_t *rows, size_t width, size_t K, int8_t *tile,
                      int32_t *starts, size_t pitch);

/* Converts `count` > 0 values of each row of an int8 panel to bytes (count/4 rounded up, 8, 4). */
void widen_bytes(enum byte_products products, const char *w, size_t count, uint8_t *bytes);

/* sums += (scales (8) * step) * (x W^T) over K <= 256 values; rows of steps and of starts are `pitch` numbers apart. */
void multiply_bytes(const int8_t *x, const float *steps, const int32_t *starts, size_t pitch, const uint8_t *w,
                    const float *scales, size_t K, const struct tile_sums *sums);

#endif
