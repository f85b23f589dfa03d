/* rows.h: arrays of any length, four values at a time, for kernels that are bound by memory. */
#ifndef ROWS_H
#define ROWS_H

#include "simd.h"

/* Returns the next four of `left` values, zeros beyond the last. */
INLINE f4 get(const float *p, size_t left) { return left >= 4 ? load(p) : load_tail(p, left); }
INLINE void put(float *p, size_t left, f4 x) {
  if (left >= 4)
    store(p, x);
  else
    store_tail(p, left, x);
}

/* Prefetches BURST floats, cache line by cache line, if n >= BURST. Several lines then arrive from memory at once, and
 * the hardware prefetch continues after the last. Loads between arithmetic would wait for each line. */
enum { BURST = 256 };
void prefetch_burst(const float *p, size_t n);

/* Returns max |x|; NaN if an x is NaN. */
float largest_size(const float *x, size_t n);

/* y (n) += factor * x (n) */
void add_scaled(float *y, const float *x, float factor, size_t n);

/* Writes a gradient; with `accumulate`, adds it to the present value. */
INLINE void put_gradient(float *p, size_t left, f4 x, uint32_t accumulate) {
  put(p, left, accumulate ? add(get(p, left), x) : x);
}

/* Returns the end, at most n, of the values of units first <= u < first + count. A unit has `unit` values. */
INLINE size_t end_of(uint32_t first, uint32_t count, size_t unit, size_t n) {
  return at_most(n, ((size_t)first + count) * unit);
}

#endif
