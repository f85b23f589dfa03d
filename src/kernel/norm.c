/* norm.c: layer norm and RMS norm of rows, and their gradients. x (rows,C), weight (C), bias (C) -> y (rows,C).
 *   y = x_hat w + b,  x_hat = (x - mean) rstd,  rstd = 1 / sqrt(mean((x - mean)^2) + eps)
 * This is torch.nn.LayerNorm (Ba et al. 2016). RMS norm (Zhang, Sennrich 2019, `center` 0) is the same with mean = 0.
 * The factor w is weight + shift, because Gemma stores w - 1. stats (rows,2) holds mean and rstd of each row for the
 * gradients. */
#include "qkv.h"
#include "rows.h"

enum { ROWS = 128, LONG = 16384 };

/* Returns the sum of x (n) or of (x - mean)^2; n is a multiple of 16. Four accumulators hide the latency of the
 * additions. */
INLINE float sum_sixteens(int squared, const float *x, size_t n, f4 mean) {
  f4 sum[4] = {zeros(), zeros(), zeros(), zeros()};
  for (size_t c = 0; c < n; c += 16) {
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      f4 d = load(x + c + 4 * j);
      if (squared)
        d = sub(d, mean), d = mul(d, d);
      sum[j] = add(sum[j], d);
    }
  }
  return sum_lanes(add(add(sum[0], sum[1]), add(sum[2], sum[3])));
}

/* Returns the sum of x (C), or of (x - mean)^2, in blocks of LONG values. */
INLINE float sum_row(int squared, const float *x, size_t C, float mean) {
  size_t most = C & ~(size_t)15;
  float total = 0.0f;
  for (size_t c = 0; c < most; c += LONG)
    total += sum_sixteens(squared, x + c, at_most(most - c, LONG), splat(mean));
  for (size_t c = most; c < C; c++)
    total += squared ? (x[c] - mean) * (x[c] - mean) : x[c];
  return total;
}

/* The parameters that normalise a row. weight and bias may be null. */
struct row {
  const float *weight, *bias;
  f4 mean, rstd, shift;
};

/* Returns x_hat = (x - mean) rstd of four columns. */
INLINE f4 normalized(const struct row *a, const float *x, size_t c, size_t left) {
  return mul(sub(get(x + c, left), a->mean), a->rstd);
}
/* Returns z w in four columns; z if there is no weight. */
INLINE f4 scaled(const struct row *a, f4 z, size_t c, size_t left) {
  return a->weight ? mul(z, add(get(a->weight + c, left), a->shift)) : z;
}

/* y = x_hat w + b in four columns */
INLINE void write_norm(const struct row *a, const float *x, float *y, size_t c, size_t left) {
  f4 z = scaled(a, normalized(a, x, c, left), c, left);
  put(y + c, left, a->bias ? add(z, get(a->bias + c, left)) : z);
}

/* A unit is a row. While a row is written, the next one is prefetched. */
uint32_t QKV_EXPORT(qkv_norm)(const struct qkv_norm *args, uint32_t first, uint32_t count) {
  const struct qkv_norm n = *args;
  size_t C = n.C;
  const float *x = n.x + first * C;
  float *y = n.y + first * C;
  for (size_t r = first; r < (size_t)first + count; r++, x += C, y += C) {
    float mean = n.center ? sum_row(0, x, C, 0.0f) / (float)C : 0.0f;
    float rstd = 1.0f / __builtin_sqrtf(sum_row(1, x, C, mean) / (float)C + n.eps);
    if (n.stats) {
      n.stats[2 * r] = mean;
      n.stats[2 * r + 1] = rstd;
    }
    const struct row a = {n.weight, n.bias, splat(mean), splat(rstd), splat(n.shift)};
    size_t c = 0, whole = C & ~(size_t)3, left = (first + count - r - 1) * C; /* values in the rows that follow */
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

/* sum += g, dot += g x_hat in four columns, with g = dy w, which is 0 beyond column C. */
INLINE void sum_gradients(const struct row *a, const float *x, const float *dy, f4 *sum, f4 *dot, size_t c,
                          size_t left) {
  f4 g = scaled(a, get(dy + c, left), c, left);
  *sum = add(*sum, g);
  *dot = mul_add(g, normalized(a, x, c, left), *dot);
}

/* One row of the backward pass: its arrays, (C) each, and two means over its columns. g = dy w. */
struct row_gradient {
  const float *x, *dy;
  float *dx, *d_weight, *d_bias;
  f4 mean_g, mean_dot; /* mean(g) and mean(g x_hat) */
  uint32_t accumulate;
};

/* dx = rstd (g - mean(g) - x_hat mean(g x_hat)), d_weight += dy x_hat, d_bias += dy in four columns */
INLINE void write_gradient(const struct row *a, const struct row_gradient *to, size_t c, size_t left) {
  f4 d = get(to->dy + c, left), z = normalized(a, to->x, c, left), g = scaled(a, d, c, left);
  put_gradient(to->d_weight + c, left, mul(d, z), 1);
  put_gradient(to->d_bias + c, left, d, 1);
  put_gradient(to->dx + c, left, mul(a->rstd, sub(sub(g, to->mean_g), mul(z, to->mean_dot))), to->accumulate);
}

/* A unit is ROWS rows. It writes its part of d_weight and d_bias to its own two rows of sums (2,units,C), because units
 * must not write to the same address. mean(g) is 0 for RMS norm, which subtracts no mean. */
uint32_t QKV_EXPORT(qkv_norm_backward)(const struct qkv_norm_backward *args, uint32_t first, uint32_t count) {
  const struct qkv_norm_backward n = *args;
  size_t C = n.C, units = ((size_t)n.rows + ROWS - 1) / ROWS;
  for (size_t r = (size_t)first * ROWS, end = end_of(first, count, ROWS, n.rows); r < end; r++) {
    const struct row a = {n.weight, 0, splat(n.stats[2 * r]), splat(n.stats[2 * r + 1]), splat(n.shift)};
    const float *z = n.x + r * C, *d = n.dy + r * C;
    struct row_gradient to = {.x = z, .dy = d, .dx = n.dx + r * C, .accumulate = n.accumulate};
    to.d_weight = n.sums + r / ROWS * C, to.d_bias = to.d_weight + units * C;
    if (r % ROWS == 0) {
      __builtin_memset(to.d_weight, 0, C * sizeof(float));
      __builtin_memset(to.d_bias, 0, C * sizeof(float));
    }
    /* mean(g), mean(g x_hat) */
    f4 sum[2] = {zeros(), zeros()}, dot[2] = {zeros(), zeros()};
    size_t c = 0;
    for (; c + 8 <= C; c += 8) {
      sum_gradients(&a, z, d, sum, dot, c, 4);
      sum_gradients(&a, z, d, sum + 1, dot + 1, c + 4, 4);
    }
    for (; c < C; c += 4)
      sum_gradients(&a, z, d, sum, dot, c, C - c);
    to.mean_g = splat(n.center ? sum_lanes(add(sum[0], sum[1])) / (float)C : 0.0f);
    to.mean_dot = splat(sum_lanes(add(dot[0], dot[1])) / (float)C);
    /* dx, d_weight, d_bias */
    for (c = 0; c + 4 <= C; c += 4)
      write_gradient(&a, &to, c, 4);
    if (c < C)
      write_gradient(&a, &to, c, C - c);
  }
  return QKV_OK;
}
