/* softmax.c: softmax over the last axis. */
#include "exp.h"
#include "qkv.h"

/* x (rows, columns) -> y (rows, columns). The row maximum is always subtracted. A row of -infinity
 * has nothing to weigh: zeros. */
uint32_t QKV_EXPORT(qkv_softmax)(const float *x, float *y, size_t rows, size_t columns) {
  const float lowest = -__builtin_inff();
  for (size_t r = 0; r < rows; r++, x += columns, y += columns) {
    size_t whole = columns & ~(size_t)3;
    f4 most = splat(lowest);
    for (size_t c = 0; c < whole; c += 4)
      most = larger(most, load(x + c));
    for (size_t c = whole; c < columns; c++)
      most = larger(most, splat(x[c]));
    float maximum = largest_lane(most), base = maximum == lowest ? 0.0f : maximum;
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
  return QKV_OK;
}
