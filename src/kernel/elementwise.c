/* elementwise.c: activations, gated products, sums and products, element by element; n values of y. */
#include "activation.h"
#include "qkv.h"
#include "rows.h"

__attribute__((noinline)) f4 activate(uint32_t kind, f4 x, f4 *slope) {
  switch (kind) {
  case QKV_ACTIVATION_GELU:
    *slope = d_gelu4(x);
    return gelu4(x);
  case QKV_ACTIVATION_GELU_TANH:
    *slope = d_gelu_tanh4(x);
    return gelu_tanh4(x);
  case QKV_ACTIVATION_RELU:
    *slope = d_relu4(x);
    return relu4(x);
  default:
    *slope = d_silu4(x);
    return silu4(x);
  }
}

/* y = f(x), or f(x) up with `up` (Shazeer 2020: GEGLU, SwiGLU). A unit is a row of C values of y; those of x and up
 * begin `row` floats apart: 2 C where x and up lie side by side. The last row may be shorter. */
uint32_t QKV_EXPORT(qkv_activate)(uint32_t kind, const float *x, const float *up, float *y, size_t n, size_t C,
                                  size_t row, uint32_t first, uint32_t count) {
  for (size_t u = first, end = end_of(first, count, C, n); u * C < end; u++)
    for (size_t c = 0, width = at_most(end - u * C, C); c < width; c += 4) {
      f4 slope, a = activate(kind, get(x + u * row + c, width - c), &slope);
      if (up)
        a = mul(a, get(up + u * row + c, width - c));
      put(y + u * C + c, width - c, a);
    }
  return QKV_OK;
}

/* dx = dy up f'(x),  d_up = dy f(x);  dx and d_up begin `row` floats apart, too. */
uint32_t QKV_EXPORT(qkv_activate_backward)(uint32_t kind, const float *x, const float *up, const float *dy, float *dx,
                                           float *d_up, size_t n, size_t C, size_t row, uint32_t accumulate,
                                           uint32_t first, uint32_t count) {
  for (size_t u = first, end = end_of(first, count, C, n); u * C < end; u++)
    for (size_t c = 0, width = at_most(end - u * C, C); c < width; c += 4) {
      size_t left = width - c, at = u * row + c;
      f4 slope, a = activate(kind, get(x + at, left), &slope), d = get(dy + u * C + c, left);
      slope = mul(slope, d);
      if (up) {
        slope = mul(slope, get(up + at, left));
        put_gradient(d_up + at, left, mul(a, d), accumulate);
      }
      put_gradient(dx + at, left, slope, accumulate);
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
