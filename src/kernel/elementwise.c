/* elementwise.c: activations, gated products, sums and products, element by element; n values of y. */
#include "activation.h"
#include "qkv.h"
#include "rows.h"

enum { PART = BURST }; /* values whose activations and slopes are in L1 */

/* y = f(x), or f(x) up with `up` (Shazeer 2020: GEGLU, SwiGLU). A unit is a row of C values of y; those of x and up
 * begin `row` floats apart: 2 C where x and up lie side by side. The last row may be shorter. */
uint32_t QKV_EXPORT(qkv_activate)(uint32_t kind, const float *x, const float *up, float *y, size_t n, size_t C,
                                  size_t row, uint32_t first, uint32_t count) {
  for (size_t u = first, end = end_of(first, count, C, n); u * C < end; u++) {
    size_t width = at_most(end - u * C, C);
    for (size_t c = 0, part; c < width; c += part) {
      float values[PART];
      const float *from = x + u * row + c;
      part = at_most(width - c, PART);
      prefetch_burst(from + PART, end - at_most(end, u * C + c + PART));
      activate(kind, from, up ? values : y + u * C + c, 0, part);
      for (size_t i = 0; up && i < part; i += 4)
        put(y + u * C + c + i, part - i, mul(load(values + i), get(up + u * row + c + i, part - i)));
    }
  }
  return QKV_OK;
}

/* dx = dy up f'(x),  d_up = dy f(x);  dx and d_up begin `row` floats apart, too. */
uint32_t QKV_EXPORT(qkv_activate_backward)(uint32_t kind, const float *x, const float *up, const float *dy, float *dx,
                                           float *d_up, size_t n, size_t C, size_t row, uint32_t accumulate,
                                           uint32_t first, uint32_t count) {
  for (size_t u = first, end = end_of(first, count, C, n); u * C < end; u++)
    for (size_t c = 0, part, width = at_most(end - u * C, C); c < width; c += part) {
      float values[PART], slopes[PART];
      part = at_most(width - c, PART);
      activate(kind, x + u * row + c, values, slopes, part);
      for (size_t i = 0; i < part; i += 4) {
        size_t left = part - i, at = u * row + c + i;
        f4 d = get(dy + u * C + c + i, left), slope = mul(load(slopes + i), d);
        if (up) {
          slope = mul(slope, get(up + at, left));
          put_gradient(d_up + at, left, mul(load(values + i), d), accumulate);
        }
        put_gradient(dx + at, left, slope, accumulate);
      }
    }
  return QKV_OK;
}

/* y = a + factor b, or y = factor b without a; with `product` y = a b, or y += a b to accumulate.
 * b (period C) repeats; a unit is C values of y, the last may be shorter. y may be a. */
uint32_t QKV_EXPORT(qkv_combine)(uint32_t product, const float *a, const float *b, float *y, size_t n, size_t C,
                                 size_t period, float factor, uint32_t accumulate, uint32_t first, uint32_t count) {
  for (size_t u = first, end = end_of(first, count, C, n); u * C < end; u++)
    for (size_t c = 0, width = at_most(end - u * C, C); c < width; c += 4) {
      size_t left = width - c, at = u * C + c;
      f4 x = get(b + u % period * C + c, left);
      if (product)
        x = mul(get(a + at, left), x);
      else {
        x = mul(x, splat(factor));
        if (a)
          x = add(get(a + at, left), x);
      }
      put_gradient(y + at, left, x, accumulate);
    }
  return QKV_OK;
}
