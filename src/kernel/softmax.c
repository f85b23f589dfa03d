/* softmax.c: softmax over one axis. x (rows, columns, inner) -> y alike: the values of a line are `inner` floats apart.
 * A unit is a line where inner is 1, four adjacent lines else. The maximum is subtracted first. A line of -infinity
 * gives zeros. */
#include "exp.h"
#include "qkv.h"

static const float lowest = -__builtin_inff();

/* One line of contiguous values, four at a time. */
static void softmax_row(const float *x, float *y, size_t columns) {
  f4 maxima = splat(lowest), sums = zeros();
  size_t whole = columns & ~(size_t)3;
  for (size_t c = 0; c < whole; c += 4)
    maxima = pmax(maxima, load(x + c));
  for (size_t c = whole; c < columns; c++)
    maxima = pmax(maxima, splat(x[c]));
  float maximum = max_lane(maxima);
  f4 base = splat(maximum == lowest ? 0.0f : maximum);
  for (size_t c = 0; c < columns; c += 4) {
    size_t n = at_most(columns - c, 4);
    store_some(y + c, n, exp4(sub(load_some(x + c, n), base)));
    sums = add(sums, load_some(y + c, n));
  }
  float sum = sum_lanes(sums);
  for (size_t c = 0; sum != 0.0f && c < columns; c += 4) {
    size_t n = at_most(columns - c, 4);
    store_some(y + c, n, quotient(load_some(y + c, n), splat(sum)));
  }
}

/* n <= 4 adjacent lines. */
static void softmax_lines(const float *x, float *y, size_t columns, size_t inner, size_t n) {
  f4 maxima = splat(lowest), sum = zeros();
  for (size_t c = 0; c < columns; c++)
    maxima = pmax(maxima, load_some(x + c * inner, n));
  f4 base = blend(equal(maxima, splat(lowest)), zeros(), maxima);
  for (size_t c = 0; c < columns; c++) {
    f4 e = exp4(sub(load_some(x + c * inner, n), base));
    store_some(y + c * inner, n, e);
    sum = add(sum, e);
  }
  sum = blend(equal(sum, zeros()), splat(1.0f), sum);
  for (size_t c = 0; c < columns; c++)
    store_some(y + c * inner, n, quotient(load_some(y + c * inner, n), sum));
}

uint32_t QKV_EXPORT(qkv_softmax)(const float *x, float *y, size_t columns, size_t inner, uint32_t first,
                                 uint32_t count) {
  size_t units = (inner + 3) / 4; /* of a row */
  for (uint32_t unit = first; unit < first + count; unit++) {
    size_t i = unit % units * 4, at = unit / units * columns * inner + i;
    if (inner == 1)
      softmax_row(x + at, y + at, columns);
    else
      softmax_lines(x + at, y + at, columns, inner, at_most(inner - i, 4));
  }
  return QKV_OK;
}

/* dx = y * (dy - sum(dy * y)), line by line; dx and dy may be one. */
uint32_t QKV_EXPORT(qkv_softmax_backward)(const float *y, const float *dy, float *dx, size_t columns, size_t inner,
                                          uint32_t accumulate, uint32_t first, uint32_t count) {
  size_t units = (inner + 3) / 4;
  for (uint32_t unit = first; unit < first + count; unit++) {
    size_t i = unit % units * 4, at = unit / units * columns * inner + i;
    /* Four values of a line (inner 1), or a value of up to four lines. */
    size_t step = inner == 1 ? 4 : inner, end = at + columns * inner, lines = at_most(inner - i, 4);
    f4 sum = zeros();
    for (size_t n = at; n < end; n += step) {
      size_t some = inner == 1 ? at_most(end - n, 4) : lines;
      sum = mul_add(load_some(y + n, some), load_some(dy + n, some), sum);
    }
    if (inner == 1)
      sum = splat(sum_lanes(sum));
    for (size_t n = at; n < end; n += step) {
      size_t some = inner == 1 ? at_most(end - n, 4) : lines;
      f4 d = mul(load_some(y + n, some), sub(load_some(dy + n, some), sum));
      store_some(dx + n, some, accumulate ? add(load_some(dx + n, some), d) : d);
    }
  }
  return QKV_OK;
}
