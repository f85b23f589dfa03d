/* linear_decode.c: y = activation(x W^T + bias) + residual for few rows of x, at the speed of reading W. x (M,K), W
 * (N,K), bias (N), residual and y (M,N), M <= FEW_ROWS. Each row is summed as in linear.c, independently of the others.
 *
 * float16: y = (sum_k (2^64 x_k) (2^-112 w_k)) (2^-64 scale). The factor 2^64 keeps the products from being subnormal.
 */
#include "linear_decode.h"
#include "linear_output.h"
#include "linear_streams.h"
#include "rows.h"
#include "tile.h"

/* Rows of x outside of register tiles take turns, BLOCK values of K at a time, so that these values of W stay in cache.
 * In register tiles, PART values of K are converted to float32 at a time. */
enum { BLOCK = 256, PART = 64 };

/* sums (count, 8) += x (K) . panels (count, K, 8); `weights` is a compile-time constant. */
INLINE void dot_panels(enum qkv_weights weights, const float *x, size_t K, const char *w, size_t bytes, size_t count,
                       float *sums) {
  const size_t step = weights == QKV_WEIGHTS_FLOAT32 ? 32 : 16;
  f4 acc[PANELS][2];
  size_t at[PANELS];
#pragma unroll
  for (size_t p = 0; p < PANELS; p++) {
    at[p] = p ? at[p - 1] + (p < count ? bytes : 0) : 0; /* missing panels repeat the last one */
    acc[p][0] = load(sums + p * 8);
    acc[p][1] = load(sums + p * 8 + 4);
  }
  for (const float *end = x + K; x != end; x++, w += step) {
    f4 value = splat_from(x);
#pragma unroll
    for (size_t p = 0; p < PANELS; p++) {
      f4 left, right;
      if (weights == QKV_WEIGHTS_FLOAT32) {
        left = load((const float *)(w + at[p]));
        right = load((const float *)(w + at[p]) + 4);
      } else
        load_float16(w + at[p], &left, &right);
      acc[p][0] = mul_add(value, left, acc[p][0]);
      acc[p][1] = mul_add(value, right, acc[p][1]);
    }
  }
#pragma unroll
  for (size_t p = 0; p < PANELS; p++) {
    store(sums + p * 8, acc[p][0]);
    store(sums + p * 8 + 4, acc[p][1]);
  }
}

static void dot_float32(const float *x, size_t K, const char *w, size_t bytes, size_t count, float *sums) {
  dot_panels(QKV_WEIGHTS_FLOAT32, x, K, w, bytes, count, sums);
}
static void dot_float16(const float *x, size_t K, const char *w, size_t bytes, size_t count, float *sums) {
  dot_panels(QKV_WEIGHTS_FLOAT16, x, K, w, bytes, count, sums);
}

/* Indexed by enum qkv_weights. Calls by pointer keep the loops from being inlined, so that each has all registers to
 * itself. */
static void (*const DOT[])(const float *x, size_t K, const char *w, size_t bytes, size_t count,
                           float *sums) = {0, dot_float32, dot_float16};

/* Starts the sums with the bias, as in linear.c. Sums of float16 weights start with 0; write_sums adds the bias
 * after scaling. */
static void start_sums(const struct qkv_linear *a, const struct streams *s, float *sums) {
  for (size_t m = 0; m < a->M; m++, sums += ROW_SUMS)
    for (size_t c = 0; c < ROW_SUMS; c += 4)
      store(sums + c, a->weights == QKV_WEIGHTS_FLOAT16 ? zeros() : biases_of(a, column_of(s, c)));
}

/* y = activation(sums) + residual in the columns of the streams. For float16, sums = 2^-64 scale sums + bias first. */
static void write_sums(const struct qkv_linear *a, const struct streams *s, float *sums) {
  for (size_t m = 0; m < a->M; m++, sums += ROW_SUMS)
    for (size_t p = 0; p < s->count; p++) {
      size_t n = s->column + p * s->columns;
      float *sum = sums + p * 8;
      for (size_t c = 0; c < 8 && a->weights == QKV_WEIGHTS_FLOAT16; c += 4) {
        f4 scale = mul(load(a->scales + n + c), splat(0x1p-64f));
        store(sum + c, add(mul(load(sum + c), scale), biases_of(a, n + c)));
      }
      write_outputs(a, m, n, 8, sum);
    }
}

/* sums (rows, count * 8) += x W^T by register tiles; `rows` is a multiple of 4. Rows of sums are ROW_SUMS floats apart,
 * those of x `pitch`. The panels take turns, part by part, so that the hardware prefetches all streams. */
static void multiply_panels(int is_float16, const float *x, size_t pitch, size_t rows, size_t K,
                            const struct streams *s, float *sums) {
  float wide[PART * 8];
  struct product product = {.rows = rows, .columns = 8, .out_row = ROW_SUMS, .a_row = pitch, .b_row = 8};
  for (size_t k = 0; k < K; k += PART)
    for (size_t p = 0, n = at_most(K - k, PART); p < s->count; p++) {
      const char *from = s->w + p * s->bytes + k * (is_float16 ? 16 : 32);
      for (size_t i = 0; is_float16 && i < n; i++) {
        f4 left, right;
        load_float16(from + i * 16, &left, &right);
        store(wide + i * 8, left);
        store(wide + i * 8 + 4, right);
      }
      product.out = sums + p * 8, product.a = x + k, product.n = n;
      product.b = is_float16 ? wide : (const float *)from;
      gemm_panel(&product);
    }
}

/* True if x is 0 or least <= x < most. False for NaN. */
static int is_between(float x, float least, float most) { return x < most && (x == 0.0f || x >= least); }

/* Writes 2^64 x to `to` (K rounded up to 4). Returns 0 if an x is NaN, infinite, or too small or large for float16
 * weights. */
static int scale_row(const float *x, size_t K, float *to) {
  for (size_t k = 0; k < K; k += 4)
    store(to + k, mul(get(x + k, K - k), splat(0x1p64f)));
  return is_between(largest_size(x, K), 0x1p-40f, 0x1p60f);
}

/* sums (M, ROW_SUMS) += x W^T over K values of x, for the columns of the streams; rows of x are `pitch` floats
 * apart. */
static void add_inputs(const struct qkv_linear *a, const float *x, size_t pitch, size_t K, const struct streams *s,
                       float *sums) {
  size_t M = a->M, tiled = M & ~(size_t)3;
  int is_float16 = a->weights == QKV_WEIGHTS_FLOAT16;
  if (tiled)
    multiply_panels(is_float16, x, pitch, tiled, K, s, sums);
  const char *w = s->w;
  for (size_t k = 0; k < K && tiled < M; k += BLOCK, w += BLOCK * (is_float16 ? 16 : 32))
    for (size_t m = tiled; m < M; m++)
      DOT[a->weights](x + m * pitch + k, at_most(K - k, BLOCK), w, s->bytes, s->count, sums + m * ROW_SUMS);
}

/* Implements decode_rows for W packed as float32 or float16, with `sums` as scratch. Groups of four rows of x go
 * through register tiles, the others row by row. */
static int decode_floats(const struct qkv_linear *a, size_t n, size_t panels, float *sums) {
  size_t K = a->K, M = a->M, pitch = K;
  int is_float16 = a->weights == QKV_WEIGHTS_FLOAT16;
  const float *x = a->x;
  if (is_float16) {
    float *scaled = sums + FEW_ROWS * ROW_SUMS;
    x = scaled, pitch = round_up(K, 4);
    for (size_t m = 0; m < M; m++)
      if (!scale_row(a->x + m * K, K, scaled + m * pitch))
        return 0;
  }
  for (size_t i = 0; i < steps_of(panels); i++) {
    struct streams s = streams_at(a, n, panels, i);
    start_sums(a, &s, sums);
    float later[FEW_ROWS * ROW_SUMS], *to = sums;
    for (size_t k = 0; k < K; k += SUM_BLOCK, s.w += SUM_BLOCK * (is_float16 ? 16 : 32)) {
      if (k > 0)
        to = later, __builtin_memset(later, 0, sizeof later);
      add_inputs(a, x + k, pitch, at_most(K - k, SUM_BLOCK), &s, to);
      if (k > 0)
        add_scaled(sums, later, 1.0f, M * ROW_SUMS);
    }
    write_sums(a, &s, sums);
  }
  return 1;
}

/* sums (4) += x (K) W^T for four rows of W, `stride` floats apart; only the first `rows` <= 4 count. */
static void dot_rows(const float *x, size_t K, const float *w, size_t stride, size_t rows, float *sums) {
  const float *row[4];
#pragma unroll
  for (size_t c = 0; c < 4; c++)
    row[c] = w + at_most(c, rows - 1) * stride;
  f4 sum = load(sums);
  size_t k = 0;
  for (; k + 4 <= K; k += 4) {
    f4 t[4];
#pragma unroll
    for (size_t c = 0; c < 4; c++)
      t[c] = load(row[c] + k);
    transpose(t);
#pragma unroll
    for (size_t i = 0; i < 4; i++)
      sum = mul_add(splat_from(x + k + i), t[i], sum);
  }
  store(sums, sum);
  for (; k < K; k++)
    for (size_t c = 0; c < rows; c++)
      sums[c] += x[k] * w[c * stride + k];
}

/* Returns how many columns of sums for FEW_ROWS rows fit into the scratch. */
static size_t most_columns(size_t K) { return (K + FEW_ROWS * PANELS) & ~(size_t)7; }

/* Implements decode_rows for a strided W (N,K) with contiguous rows: reads four rows of W at a time. */
static void decode_by_rows(const struct qkv_linear *a, size_t n, size_t end, float *sums) {
  for (size_t width; n < end; n += width) {
    width = at_most(end - n, most_columns(a->K));
    const float *w = (const float *)a->w + n * a->w_row;
    for (size_t m = 0; m < a->M; m++) {
      for (size_t c = 0; c < width; c += 4) {
        store(sums + c, biases_of(a, n + c));
        for (size_t k = 0; k < a->K; k += SUM_BLOCK) {
          float later[4] = {0};
          dot_rows(a->x + m * a->K + k, at_most(a->K - k, SUM_BLOCK), w + c * a->w_row + k, a->w_row,
                   at_most(width - c, 4), k ? later : sums + c);
          if (k)
            store(sums + c, add(load(sums + c), load(later)));
        }
      }
      write_outputs(a, m, n, width, sums);
    }
  }
}

/* Implements decode_rows for a strided W (N,K) with contiguous columns: sums += x[k] W[:][k], one column of W after the
 * other. */
static void decode_by_columns(const struct qkv_linear *a, size_t n, size_t end, float *sums) {
  int is_long = a->K > SUM_BLOCK; /* blocks after the first are summed separately */
  size_t pitch = most_columns(a->K) / (is_long ? 2 : 1) & ~(size_t)7;
  float *later = sums + a->M * pitch;
  for (size_t width; n < end; n += width) {
    width = at_most(end - n, pitch);
    const float *w = (const float *)a->w + n;
    for (size_t m = 0; m < a->M; m++)
      for (size_t c = 0; c < width; c += 4)
        store(sums + m * pitch + c, biases_of(a, n + c));
    for (size_t k = 0; k < a->K; k++, w += a->w_column) {
      float *to = k < SUM_BLOCK ? sums : later;
      if (to == later && k % SUM_BLOCK == 0)
        __builtin_memset(later, 0, a->M * pitch * sizeof(float));
      for (size_t m = 0; m < a->M; m++)
        add_scaled(to + m * pitch, w, a->x[m * a->K + k], width);
      for (size_t m = 0; to == later && (k + 1 == a->K || (k + 1) % SUM_BLOCK == 0) && m < a->M; m++)
        add_scaled(sums + m * pitch, later + m * pitch, 1.0f, width);
    }
    for (size_t m = 0; m < a->M; m++)
      write_outputs(a, m, n, width, sums + m * pitch);
  }
}

int decode_rows(const struct qkv_linear *a, size_t n, size_t end, float *scratch) {
  switch (a->weights) {
  case QKV_WEIGHTS_FLOAT32:
  case QKV_WEIGHTS_FLOAT16:
    return decode_floats(a, n, (end - n + 7) / 8, scratch);
  default:
    (a->w_column == 1 ? decode_by_rows : decode_by_columns)(a, n, end, scratch);
    return 1;
  }
}
