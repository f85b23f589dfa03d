/* norm.c: layer norm and RMS norm of rows, and their gradients. x (rows, C) -> y alike, w (C) or 1, b (C) or 0.
 *   y = x_hat w + b,  x_hat = (x - mean) rstd,  rstd = 1 / sqrt(mean((x - mean)^2) + eps)
 * Ba et al. 2016, torch.nn.LayerNorm. RMS norm (Zhang, Sennrich 2019) has mean = 0: `center` 0. w is weight + shift:
 * Gemma stores w - 1. stats (rows, 2) holds mean and rstd of each row for the gradients. */
#include "qkv.h"
#include "rows.h"

enum { ROWS = 128 };

/* The sum of x, or of (x - mean)^2. Four accumulators hide the latency of the additions. */
INLINE float sum_row(int squared, const float *x, size_t C, float mean) {
  f4 sum[4] = {zeros(), zeros(), zeros(), zeros()}, m = splat(mean);
  size_t c = 0;
  for (; c + 16 <= C; c += 16) {
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      f4 d = load(x + c + 4 * j);
      if (squared)
        d = sub(d, m), d = mul(d, d);
      sum[j] = add(sum[j], d);
    }
  }
  float total = sum_lanes(add(add(sum[0], sum[1]), add(sum[2], sum[3])));
  for (; c < C; c++)
    total += squared ? (x[c] - mean) * (x[c] - mean) : x[c];
  return total;
}

/* A row's statistics, and the weight and bias of the norm; these may be 0. */
struct row {
  const float *weight, *bias;
  f4 mean, rstd, shift;
};

INLINE f4 normalized(const struct row *a, const float *x, size_t c, size_t left) {
  return mul(sub(get(x + c, left), a->mean), a->rstd);
}
INLINE f4 scaled(const struct row *a, f4 z, size_t c, size_t left) {
  return a->weight ? mul(z, add(get(a->weight + c, left), a->shift)) : z;
}

INLINE void write_norm(const struct row *a, const float *x, float *y, size_t c, size_t left) {
  f4 z = scaled(a, normalized(a, x, c, left), c, left);
  put(y + c, left, a->bias ? add(z, get(a->bias + c, left)) : z);
}

uint32_t QKV_EXPORT(qkv_norm)(const float *x, const float *weight, const float *bias, float *y, float *stats, size_t C,
                              uint32_t center, float eps, float shift, uint32_t first, uint32_t count) {
  x += first * C, y += first * C;
  for (size_t r = first; r < (size_t)first + count; r++, x += C, y += C) {
    float mean = center ? sum_row(0, x, C, 0.0f) / (float)C : 0.0f;
    float rstd = 1.0f / __builtin_sqrtf(sum_row(1, x, C, mean) / (float)C + eps);
    if (stats) {
      stats[2 * r] = mean;
      stats[2 * r + 1] = rstd;
    }
    const struct row a = {weight, bias, splat(mean), splat(rstd), splat(shift)};
    size_t c = 0, whole = C & ~(size_t)3, left = (first + count - r - 1) * C; /* in the next rows */
    while (c < whole) {
      prefetch_burst(x + C + c, left - at_most(left, c));
      for (size_t end = at_most(c + BURST, whole); c < end; c += 4)
        write_norm(&a, x, y, c, 4);
    }
    if (c < C)
      write_norm(&a, x, y, c, C - c);
  }
  return QKV_OK;
}

/* sum += g, dot += g x_hat */
INLINE void sum_gradients(const struct row *a, const float *x, const float *dy, f4 *sum, f4 *dot, size_t c,
                          size_t left) {
  f4 g = scaled(a, get(dy + c, left), c, left); /* 0 beyond C */
  *sum = add(*sum, g);
  *dot = mul_add(g, normalized(a, x, c, left), *dot);
}

/* dx, and d_weight += dy x_hat, d_bias += dy */
INLINE void write_gradient(const struct row *a, const float *x, const float *dy, float *dx, float *d_weight,
                           float *d_bias, f4 of_g, f4 of_dot, uint32_t accumulate, size_t c, size_t left) {
  f4 d = get(dy + c, left), z = normalized(a, x, c, left), g = scaled(a, d, c, left);
  put_gradient(d_weight + c, left, mul(d, z), 1);
  put_gradient(d_bias + c, left, d, 1);
  put_gradient(dx + c, left, mul(a->rstd, sub(sub(g, of_g), mul(z, of_dot))), accumulate);
}

/* dx = rstd (g - mean(g) - x_hat mean(g x_hat)), g = dy w; without mean(g) where the mean was not subtracted. A unit is
 * ROWS rows, whose sums for d_weight and d_bias are its rows of `sums` (2, units, C). */
uint32_t QKV_EXPORT(qkv_norm_backward)(const float *x, const float *weight, const float *stats, const float *dy,
                                       float *dx, float *sums, size_t rows, size_t C, uint32_t center, float shift,
                                       uint32_t accumulate, uint32_t first, uint32_t count) {
  for (size_t r = (size_t)first * ROWS, end = end_of(first, count, ROWS, rows); r < end; r++) {
    const struct row a = {weight, 0, splat(stats[2 * r]), splat(stats[2 * r + 1]), splat(shift)};
    const float *z = x + r * C, *d = dy + r * C;
    float *to = dx + r * C, *d_weight = sums + r / ROWS * C, *d_bias = d_weight + (rows + ROWS - 1) / ROWS * C;
    if (r % ROWS == 0) {
      __builtin_memset(d_weight, 0, C * sizeof(float));
      __builtin_memset(d_bias, 0, C * sizeof(float));
    }
    f4 sum[2] = {zeros(), zeros()}, dot[2] = {zeros(), zeros()};
    size_t c = 0;
    for (; c + 8 <= C; c += 8) {
      sum_gradients(&a, z, d, sum, dot, c, 4);
      sum_gradients(&a, z, d, sum + 1, dot + 1, c + 4, 4);
    }
    for (; c < C; c += 4)
      sum_gradients(&a, z, d, sum, dot, c, C - c);
    f4 of_g = splat(center ? sum_lanes(add(sum[0], sum[1])) / (float)C : 0.0f);
    f4 of_dot = splat(sum_lanes(add(dot[0], dot[1])) / (float)C);
    for (c = 0; c + 4 <= C; c += 4)
      write_gradient(&a, z, d, to, d_weight, d_bias, of_g, of_dot, accumulate, c, 4);
    if (c < C)
      write_gradient(&a, z, d, to, d_weight, d_bias, of_g, of_dot, accumulate, c, C - c);
  }
  return QKV_OK;
}
