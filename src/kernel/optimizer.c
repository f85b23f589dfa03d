/* optimizer.c: steps of torch.optim.SGD, Adam and AdamW over n parameters p with gradients g, and the gradients' norm.
 * A unit is 1024 values. */
#include "qkv.h"
#include "rows.h"

enum { UNIT = 1024 };

/* Adam (Kingma, Ba 2015) and AdamW (Loshchilov, Hutter 2019):
 *   g += decay p,  p *= keep,  m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
 *   p -= rate m / (sqrt(v) / root + eps),  rate = lr / (1 - beta1^t),  root = sqrt(1 - beta2^t)
 * rest1 and rest2 are 1 - beta, subtracted in double as PyTorch does. */
uint32_t QKV_EXPORT(qkv_adam)(float *p, const float *g, float *m, float *v, size_t n, float beta1, float rest1,
                              float beta2, float rest2, float decay, float keep, float rate, float root, float eps,
                              uint32_t first, uint32_t count) {
  size_t end = end_of(first, count, UNIT, n);
  for (size_t i = (size_t)first * UNIT; i < end; i += 4) {
    size_t left = end - i;
    f4 value = get(p + i, left), slope = get(g + i, left);
    if (decay != 0.0f)
      slope = mul_add(value, splat(decay), slope);
    f4 mean = mul_add(slope, splat(rest1), mul(get(m + i, left), splat(beta1)));
    f4 square = mul_add(mul(slope, slope), splat(rest2), mul(get(v + i, left), splat(beta2)));
    put(m + i, left, mean);
    put(v + i, left, square);
    f4 divisor = add(quotient(square_root(square), splat(root)), splat(eps));
    f4 step = mul(quotient(mean, divisor), splat(rate));
    put(p + i, left, sub(mul(value, splat(keep)), step));
  }
  return QKV_OK;
}

/* g += decay p,  b = momentum b + take g,  p -= rate (ahead g + back b);  buffer 0: p -= rate g. */
uint32_t QKV_EXPORT(qkv_sgd)(float *p, const float *g, float *buffer, size_t n, float decay, float momentum, float take,
                             float ahead, float back, float rate, uint32_t first, uint32_t count) {
  size_t end = end_of(first, count, UNIT, n);
  for (size_t i = (size_t)first * UNIT; i < end; i += 4) {
    size_t left = end - i;
    f4 value = get(p + i, left), slope = mul_add(value, splat(decay), get(g + i, left));
    if (buffer) {
      f4 b = mul_add(slope, splat(take), mul(get(buffer + i, left), splat(momentum)));
      put(buffer + i, left, b);
      slope = mul_add(slope, splat(ahead), mul(b, splat(back)));
    }
    put(p + i, left, sub(value, mul(slope, splat(rate))));
  }
  return QKV_OK;
}

/* sums[u] = sum of the squares of unit u of x (n). */
uint32_t QKV_EXPORT(qkv_sum_squares)(const float *x, float *sums, size_t n, uint32_t first, uint32_t count) {
  for (size_t u = first; u < (size_t)first + count; u++) {
    f4 sum = zeros();
    for (size_t i = u * UNIT, end = at_most(n, i + UNIT); i < end; i += 4) {
      f4 a = get(x + i, end - i);
      sum = mul_add(a, a, sum);
    }
    sums[u] = sum_lanes(sum);
  }
  return QKV_OK;
}
