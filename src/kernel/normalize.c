/* normalize.c: rows divided by their lengths, and the gradient. x (rows,C) -> y (rows,C).
 *   y = x s,  s = 1 / max(|x|, 1e-12)
 * This is torch.nn.functional.normalize. */
#include "qkv.h"
#include "rows.h"

static const float least = 1e-12f;

/* Returns the sum of a b over C columns. */
static NOINLINE float dot_rows(const float *a, const float *b, size_t C) {
  f4 sum = zeros();
  for (size_t c = 0; c < C; c += 4)
    sum = mul_add(get(a + c, C - c), get(b + c, C - c), sum);
  return sum_lanes(sum);
}

/* y = x s; with dy, y is the gradient of x: (dy - x s^2 (x . dy)) s, and dy s where |x| is below the least. y may be x.
 * A unit is a row. */
uint32_t QKV_EXPORT(qkv_normalize)(const float *x, const float *dy, float *y, size_t C, uint32_t accumulate,
                                   uint32_t first, uint32_t count) {
  for (size_t r = first; r < (size_t)first + count; r++) {
    const float *row = x + r * C, *from = dy ? dy + r * C : row;
    float length = __builtin_sqrtf(dot_rows(row, row, C)), s = 1.0f / (length < least ? least : length);
    f4 slope = splat(dy && length >= least ? s * dot_rows(row, from, C) * s : 0.0f);
    for (size_t c = 0; c < C; c += 4) {
      f4 z = sub(get(from + c, C - c), mul(get(row + c, C - c), slope));
      put_gradient(y + r * C + c, C - c, mul(z, splat(s)), accumulate);
    }
  }
  return QKV_OK;
}
