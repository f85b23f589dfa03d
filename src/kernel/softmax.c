/* softmax.c: softmax over one axis. x (rows, columns, inner) -> y alike, each line of `columns` values summing to one;
 * inner is 1 for the last axis. The maximum is subtracted first. A line of -infinity gives zeros. */
#include "exp.h"
#include "qkv.h"

static const float lowest = -__builtin_inff();

/* One line of contiguous values. */
static void softmax_row(const float *x, float *y, size_t columns) {
  size_t whole = columns & ~(size_t)3;
  f4 maxima = splat(lowest);
  for (size_t c = 0; c < whole; c += 4)
    maxima = pmax(maxima, load(x + c));
  for (size_t c = whole; c < columns; c++)
    maxima = pmax(maxima, splat(x[c]));
  float maximum = max_lane(maxima), base = maximum == lowest ? 0.0f : maximum;
  f4 sums = zeros();
  for (size_t c = 0; c < whole; c += 4) {
    f4 e = exp4(sub(load(x + c), splat(base)));
    store(y + c, e);
    sums = add(sums, e);
  }
  float sum = sum_lanes(sums);
  for (size_t c = whole; c < columns; c++)
    sum += y[c] = exp1(x[c] - base);
  for (size_t c = 0; sum != 0.0f && c < columns; c++)
    y[c] /= sum;
}

/* n <= 4 adjacent lines at once; the values of a line are `inner` floats apart. */
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

uint32_t QKV_EXPORT(qkv_softmax)(const float *x, float *y, size_t rows, size_t columns, size_t inner) {
  for (size_t r = 0; r < rows; r++, x += columns * inner, y += columns * inner) {
    if (inner == 1)
      softmax_row(x, y, columns);
    else
      for (size_t i = 0; i < inner; i += 4)
        softmax_lines(x + i, y + i, columns, inner, at_most(inner - i, 4));
  }
  return QKV_OK;
}
