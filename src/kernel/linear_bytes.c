/* linear_bytes.c: products of x (M,K) and W (N,K), both of int8, by the relaxed dot product, which adds the products of
 * four bytes of x and four of W to each of four sums.
 *
 * Its result is defined only if the second operand has 7-bit values. With the eighth bit set, an engine may treat the
 * operand as unsigned (x64 with AVX-VNNI) or signed (ARM), or the sum may be inexact (x64 without AVX-VNNI).
 * try_byte_products detects which. Both kinds of engines with an exact sum give the same integers:
 *   sum x w = sum x (w + 128) - 128 sum x if unsigned, or sum x w if signed,
 * with |sum x (w + 128)| <= 256 * 127 * 255 < 2^24 for the 256 values of a block. Where the sum is inexact,
 * linear_integer.c multiplies the same numbers as int16. */
#include "linear_bytes.h"
#include "linear_blocks.h"

/* Factors of four dot products. In the first one, the sum of two products does not fit into 16 bits, which exposes an
 * engine that saturates it. */
static const int8_t TRIED_X[16] = {127, 127, 127, 127, -128, -128, -128, -128, 127, -128, 1, -127, -1, 77, -128, 127};
static const uint8_t TRIED_W[16] = {255, 255, 255, 255, 255, 255, 255, 255, 128, 129, 255, 254, 1, 128, 200, 129};

enum byte_products try_byte_products(void) {
  int32_t got[4], without[4] = {0}, with[4] = {0}, off[2] = {0};
  i4 sum = add_byte_products(zeros(), load_bytes((const uint8_t *)TRIED_X), load_bytes(TRIED_W));
  store((float *)(void *)got, sum);
  for (size_t i = 0; i < 16; i++)
    without[i / 4] += TRIED_X[i] * TRIED_W[i], with[i / 4] += TRIED_X[i] * (int8_t)TRIED_W[i];
  for (size_t i = 0; i < 4; i++)
    off[0] |= got[i] ^ without[i], off[1] |= got[i] ^ with[i];
  return !off[0] ? UNSIGNED_BYTES : !off[1] ? SIGNED_BYTES : NO_BYTE_PRODUCTS;
}

void interleave_bytes(enum byte_products products, const int16_t *rows, size_t width, size_t K, int8_t *tile,
                      int32_t *starts, size_t pitch) {
  for (size_t k = 0; k < K; k += BLOCK, starts++) {
    i4 sums[TILE] = {zeros(), zeros(), zeros(), zeros()};
    for (size_t i = k; i < at_most(K, k + BLOCK); i += 16, tile += 16 * TILE) {
      f4 fours[TILE];
      for (size_t r = 0; r < TILE; r++) {
        const int16_t *from = rows + r * width + i;
        fours[r] = join_int8s(load_int16s(from), load_int16s(from + 8));
        sums[r] = add_integers(sums[r], add_integers(pairs_of(from), pairs_of(from + 8)));
      }
      transpose(fours);
      for (size_t j = 0; j < TILE; j++)
        store_bytes((uint8_t *)tile + j * 16, fours[j]);
    }
    for (size_t r = 0; r < TILE; r++)
      starts[r * pitch] = products == UNSIGNED_BYTES ? -128 * lane0_integer(lanes_together(sums[r])) : 0;
  }
}

void widen_bytes(enum byte_products products, const char *w, size_t count, uint8_t *bytes) {
  /* in a panel, columns 0 to 3 are the even bytes, plus 128, and columns 4 to 7 the odd ones: see int8_place */
  i4 even = sixteen_bytes(products == SIGNED_BYTES ? 128 : 0), odd = sixteen_bytes(products == SIGNED_BYTES ? 0 : 128);
  for (size_t k = 0; k < count; k += 4, w += 32, bytes += 32) {
    i4 first = load_bytes((const uint8_t *)w), second = zeros();
    if (k + 2 < count)
      second = load_bytes((const uint8_t *)w + 16);
    store_bytes(bytes, differing_bits(even_bytes(first, second), even));
    store_bytes(bytes + 16, differing_bits(odd_bytes(first, second), odd));
  }
}

void multiply_bytes(const int8_t *x, const float *steps, const int32_t *starts, size_t pitch, const uint8_t *w,
                    const float *scales, size_t K, const struct tile_sums *sums) {
  i4 acc[TILE][2];
#pragma unroll
  for (size_t r = 0; r < TILE; r++)
    acc[r][0] = acc[r][1] = splat_from((const float *)(const void *)(starts + r * pitch));
  for (const uint8_t *end = w + round_up(K, 4) * 8; w != end; w += 32, x += TILE * 4) {
    i4 left = load_bytes(w), right = load_bytes(w + 16);
#pragma unroll
    for (size_t r = 0; r < TILE; r++) {
      i4 four = splat_from((const float *)(const void *)(x + r * 4));
      acc[r][0] = add_byte_products(acc[r][0], four, left);
      acc[r][1] = add_byte_products(acc[r][1], four, right);
    }
  }
  add_tile(acc, steps, pitch, scales, sums);
}
