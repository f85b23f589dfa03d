/* norm.c: layer norm and RMS norm of rows, and their gradients. x (rows, C) -> y alike, w (C) or 1, b (C) or 0.
 *   y = x_hat w + b,  x_hat = (x - mean) rstd,  rstd = 1 / sqrt(mean((x - mean)^2) + eps)
 * Ba et al. 2016, torch.nn.LayerNorm. RMS norm (Zhang, Sennrich 2019) has mean = 0: `center` 0. w is weight + shift:
 * Gemma stores w - 1. stats (rows, 2) holds mean and rstd of each row for the gradients. */
#include "qkv.h"
#include "rows.h"

/* The sum of x, or of (x - mean)^2. Four accumulators hide the latency of the additions. */
INLINE float sum_row(int squared, const float *x, size_t C, float mean) {
  f4 sum[4] = {zeros(), zeros(), zeros(), zeros()}, m = splat(mean);
  size_t c = 0;
  for (; c + 16 <= C; c += 16)
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      f4 d = load(x + c + 4 * j);
      if (squared)
        d = sub(d, m), d = mul(d, d);
      sum[j] = add(sum[j], d);
    }
  float total = sum_lanes(add(add(sum[0], sum[1]), add(sum[2], sum[3])));
  for (; c < C; c++)
    total += squared ? (x[c] - mean) * (x[c] - mean) : x[c];
  return total;
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
    for (size_t c = 0; c < C; c += 4) {
      f4 z = mul(sub(get(x + c, C - c), splat(mean)), splat(rstd));
      if (weight)
        z = mul(z, add(get(weight + c, C - c), splat(shift)));
      if (bias)
        z = add(z, get(bias + c, C - c));
      put(y + c, C - c, z);
    }
  }
  return QKV_OK;
}

/* dx = rstd (g - mean(g) - x_hat mean(g x_hat)), g = dy w; without mean(g) where the mean was not subtracted. */
uint32_t QKV_EXPORT(qkv_norm_backward)(const float *x, const float *weight, const float *stats, const float *dy,
                                       float *dx, size_t C, uint32_t center, float shift, uint32_t accumulate,
                                       uint32_t first, uint32_t count) {
  x += first * C, dy += first * C, dx += first * C;
  for (size_t r = first; r < (size_t)first + count; r++, x += C, dy += C, dx += C) {
    f4 mean = splat(stats[2 * r]), rstd = splat(stats[2 * r + 1]), of_g = zeros(), of_dot = zeros();
    for (int pass = 0; pass < 2; pass++) {
      f4 sum = zeros(), dot = zeros();
      for (size_t c = 0; c < C; c += 4) {
        f4 g = get(dy + c, C - c), x_hat = mul(sub(get(x + c, C - c), mean), rstd);
        if (weight)
          g = mul(g, add(get(weight + c, C - c), splat(shift)));
        if (pass) {
          put_gradient(dx + c, C - c, mul(rstd, sub(sub(g, of_g), mul(x_hat, of_dot))), accumulate);
        } else {
          sum = add(sum, g); /* g is 0 beyond C */
          dot = mul_add(g, x_hat, dot);
        }
      }
      of_g = splat(center ? sum_lanes(sum) / (float)C : 0.0f);
      of_dot = splat(sum_lanes(dot) / (float)C);
    }
  }
  return QKV_OK;
}

/* d_bias = sum of the rows of dy, d_weight = sum of those of dy x_hat; either may be 0. A unit is 64 columns. */
uint32_t QKV_EXPORT(qkv_column_sums)(const float *x, const float *stats, const float *dy, float *d_weight,
                                     float *d_bias, size_t rows, size_t C, uint32_t accumulate, uint32_t first,
                                     uint32_t count) {
  size_t end = end_of(first, count, 64, C);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = (size_t)first * 64; c < end; c += 4) {
      f4 d = get(dy + r * C + c, end - c);
      uint32_t is_sum = accumulate | (r > 0);
      if (d_bias)
        put_gradient(d_bias + c, end - c, d, is_sum);
      if (d_weight) {
        f4 x_hat = mul(sub(get(x + r * C + c, end - c), splat(stats[2 * r])), splat(stats[2 * r + 1]));
        put_gradient(d_weight + c, end - c, mul(d, x_hat), is_sum);
      }
    }
  return QKV_OK;
}
