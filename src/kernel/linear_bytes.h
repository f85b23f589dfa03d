/* linear_bytes.h: products of x (M,K) and W (N,K), both of int8, by one instruction for sixteen multiplications, see
 * linear_bytes.c. */
#ifndef LINEAR_BYTES_H
#define LINEAR_BYTES_H

#include "integer_tile.h"

/* How the engine multiplies int8 by eight bits: as a number without a sign, with one, or not exactly. */
enum byte_products { NO_BYTE_PRODUCTS, UNSIGNED_BYTES, SIGNED_BYTES };

/* Tries it. The result is the same as long as a program runs. */
enum byte_products try_byte_products(void);

/* x of TILE rows as bytes: tile (K/4, TILE, 4) = rows (TILE, K) of int16 from -127 to 127, which are `width` numbers
 * apart and followed by zeros up to a multiple of 16. starts: where the sums of each 256 values begin, TILE rows that
 * are `pitch` numbers apart. */
void interleave_bytes(enum byte_products products, const int16_t *rows, size_t width, size_t K, int8_t *tile,
                      int32_t *starts, size_t pitch);

/* `count` > 0 values of each row of a panel of int8 as bytes (count/4 rounded up, 8, 4). */
void widen_bytes(enum byte_products products, const char *w, size_t count, uint8_t *bytes);

/* sums += (scales (8) step) (x W^T) in K <= 256 values; steps and starts are `pitch` numbers apart. */
void multiply_bytes(const int8_t *x, const float *steps, const int32_t *starts, size_t pitch, const uint8_t *w,
                    const float *scales, size_t K, const struct tile_sums *sums);

#endif
