/* integer_tile.h: adds the integer products of a register tile to its float sums, for linear_integer.c and
 * linear_bytes.c. A tile is TILE rows of x by eight columns of y. */
#ifndef INTEGER_TILE_H
#define INTEGER_TILE_H

#include "simd.h"

enum { TILE = 4 };

/* Where the sums of a tile (TILE,8) start and where they are written: to = start + products + residual. Rows of start
 * are `start_row` floats apart, those of `to` and residual `to_row`. */
struct tile_sums {
  const float *start;
  float *to;
  const float *residual; /* 0: none */
  size_t start_row, to_row;
};

INLINE void add_to_sums(const struct tile_sums *t, size_t r, size_t c, f4 product) {
  f4 sum = add(load(t->start + r * t->start_row + c), product);
  store(t->to + r * t->to_row + c, t->residual ? add(sum, load(t->residual + r * t->to_row + c)) : sum);
}

/* sums += (scales (8) * step) * products (TILE,8). Each row has one step; those of adjacent rows are `pitch` floats
 * apart. */
INLINE void add_tile(i4 products[TILE][2], const float *steps, size_t pitch, const float *scales,
                     const struct tile_sums *sums) {
  const struct tile_sums to = *sums;
  f4 left = load(scales), right = load(scales + 4);
#pragma unroll
  for (size_t r = 0; r < TILE; r++) {
    f4 step = splat_from(steps + r * pitch);
    add_to_sums(&to, r, 0, mul(mul(left, step), from_integers(products[r][0])));
    add_to_sums(&to, r, 4, mul(mul(right, step), from_integers(products[r][1])));
  }
}

#endif
