/* optimizer.c: steps of torch.optim.SGD, Adam and AdamW, and the norm of the gradients. p (n), gradients g (n). A unit
 * is 1024 values. */
#include "qkv.h"
#include "rows.h"

enum { UNIT = 1024 };

/* Adam (Kingma, Ba 2015) and AdamW (Loshchilov, Hutter 2019):
 *   g += decay p,  p *= keep,  m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
 *   p -= rate m / (sqrt(v) / root + eps),  rate = lr / (1 - beta1^t),  root = sqrt(1 - beta2^t)
 * in step t. For Adam keep is 1; for AdamW decay is 0 and keep is 1 - lr times the weight decay. rest1 and rest2 are 1
 * - beta1 and 1 - beta2, subtracted in double as PyTorch does. */
uint32_t QKV_EXPORT(qkv_adam)(const struct qkv_adam *args, uint32_t first, uint32_t count) {
  const struct qkv_adam a = *args;
  size_t end = end_of(first, count, UNIT, a.n);
  for (size_t i = (size_t)first * UNIT; i < end; i += 4) {
    size_t left = end - i;
    f4 value = get(a.p + i, left), slope = get(a.g + i, left);
    if (a.decay != 0.0f)
      slope = mul_add(value, splat(a.decay), slope);
    f4 mean = mul_add(slope, splat(a.rest1), mul(get(a.m + i, left), splat(a.beta1)));
    f4 square = mul_add(mul(slope, slope), splat(a.rest2), mul(get(a.v + i, left), splat(a.beta2)));
    put(a.m + i, left, mean);
    put(a.v + i, left, square);
    f4 divisor = add(quotient(square_root(square), splat(a.root)), splat(a.eps));
    f4 step = mul(quotient(mean, divisor), splat(a.rate));
    put(a.p + i, left, sub(mul(value, splat(a.keep)), step));
  }
  return QKV_OK;
}

/* SGD: g += decay p,  b = momentum b + take g,  p -= rate (ahead g + back b). b is `buffer`; without it, p -= rate g.
 * (ahead, back) is (0, 1), or (1, momentum) for Nesterov's momentum. take is 1 - dampening. In the first step b = g. */
uint32_t QKV_EXPORT(qkv_sgd)(const struct qkv_sgd *args, uint32_t first, uint32_t count) {
  const struct qkv_sgd a = *args;
  size_t end = end_of(first, count, UNIT, a.n);
  for (size_t i = (size_t)first * UNIT; i < end; i += 4) {
    size_t left = end - i;
    f4 value = get(a.p + i, left), slope = mul_add(value, splat(a.decay), get(a.g + i, left));
    if (a.buffer) {
      f4 b = mul_add(slope, splat(a.take), mul(get(a.buffer + i, left), splat(a.momentum)));
      put(a.buffer + i, left, b);
      slope = mul_add(slope, splat(a.ahead), mul(b, splat(a.back)));
    }
    put(a.p + i, left, sub(value, mul(slope, splat(a.rate))));
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
