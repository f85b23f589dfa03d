/* softmax.c: softmax over one axis. x, y (rows, columns, inner): the values of a line are `inner` floats apart. A unit
 * is one line if inner is 1, else four adjacent lines. The maximum is subtracted first. A line of -infinity gives
 * zeros. */
#include "exp.h"
#include "qkv.h"

static const float lowest = -__builtin_inff();
/* The four floats from index 4 - n on are 0 for the n values of a vector and -infinity for its other lanes. */
static const float padding[8] = {
    0, 0, 0, 0, -__builtin_inff(), -__builtin_inff(), -__builtin_inff(), -__builtin_inff()};

INLINE f4 load_padded(const float *x, size_t n) { return add(load_some(x, n), load(padding + 4 - n)); }

uint32_t QKV_EXPORT(qkv_softmax)(const float *x, float *y, size_t columns, size_t inner, uint32_t first,
                                 uint32_t count) {
  size_t units = (inner + 3) / 4; /* per row */
  for (uint32_t unit = first; unit < first + count; unit++) {
    size_t i = unit % units * 4, at = unit / units * columns * inner + i;
    /* If inner is 1, a vector holds four values of one line; else one value from each of up to four lines. */
    size_t step = inner == 1 ? 4 : inner, end = at + columns * inner, lines = inner == 1 ? 4 : at_most(inner - i, 4);
    f4 maxima = splat(lowest), sum = zeros();
    for (size_t n = at; n < end; n += step)
      maxima = pmax(maxima, load_padded(x + n, at_most(end - n, lines)));
    if (inner == 1)
      maxima = splat(max_lane(maxima));
    f4 base = blend(equal(maxima, splat(lowest)), zeros(), maxima);
    for (size_t n = at; n < end; n += step) {
      f4 e = exp_weight(sub(load_padded(x + n, at_most(end - n, lines)), base));
      store_some(y + n, at_most(end - n, lines), e);
      sum = add(sum, e);
    }
    if (inner == 1)
      sum = splat(sum_lanes(sum));
    sum = blend(equal(sum, zeros()), splat(1.0f), sum);
    for (size_t n = at; n < end; n += step) {
      size_t some = at_most(end - n, lines);
      store_some(y + n, some, quotient(load_some(y + n, some), sum));
    }
  }
  return QKV_OK;
}

/* dx = y * (dy - sum(dy * y)), line by line; dx may be dy. */
uint32_t QKV_EXPORT(qkv_softmax_backward)(const float *y, const float *dy, float *dx, size_t columns, size_t inner,
                                          uint32_t accumulate, uint32_t first, uint32_t count) {
  size_t units = (inner + 3) / 4;
  for (uint32_t unit = first; unit < first + count; unit++) {
    size_t i = unit % units * 4, at = unit / units * columns * inner + i;
    size_t step = inner == 1 ? 4 : inner, end = at + columns * inner, lines = inner == 1 ? 4 : at_most(inner - i, 4);
    f4 sum = zeros();
    for (size_t n = at; n < end; n += step) {
      size_t some = at_most(end - n, lines);
      sum = mul_add(load_some(y + n, some), load_some(dy + n, some), sum);
    }
    if (inner == 1)
      sum = splat(sum_lanes(sum));
    for (size_t n = at; n < end; n += step) {
      size_t some = at_most(end - n, lines);
      f4 d = mul(load_some(y + n, some), sub(load_some(dy + n, some), sum));
      store_some(dx + n, some, accumulate ? add(load_some(dx + n, some), d) : d);
    }
  }
  return QKV_OK;
}
