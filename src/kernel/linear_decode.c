/* linear_decode.c: y = x W^T + bias for few rows of x, (M,K), as fast as W, (N,K), is read. The rows are independent;
 * each sums in the order of k, as in linear.c.
 *
 * The packed panels of a call are read as PANELS streams side by side, each from its first panel to its last: the
 * hardware prefetches further ahead for several streams than for one, and for long streams than for those that end
 * after a panel. It prefetches within a page of memory only, so of float16 and int8 the first lines of the next page
 * are loaded ahead; float32 gains nothing from that.
 *
 * float16: y = (sum_k (2^64 x_k) (2^-112 w_k)) (2^-64 scale). The factor 2^64 keeps the products from being subnormal.
 *
 * int8: x is rounded to int16 in blocks of 256, q_k = x_k / step; y = scale sum_blocks step (sum_k q_k w_k) with exact
 * inner sums. |error| <= scale sum_blocks 127 * 256 step / 2, in addition to the error of the weights. */
#include "activation.h"
#include "linear.h"
#include "rows.h"

enum { PANELS = 4, BLOCK = 256, PART = 64, PAGE = 4096 };

/* Loads the first two cache lines of the page that follows w in half a page or more, and of the other streams' pages;
 * no byte beyond `last`. */
static void prefetch_pages(const char *w, size_t bytes, size_t panels, const char *last) {
  for (size_t p = 0; p < panels; p++, w += bytes) {
    size_t page = round_up((size_t)w + PAGE / 2, PAGE);
    prefetch((const float *)at_most(page, (size_t)last));
    prefetch((const float *)at_most(page + 64, (size_t)last));
  }
}

/* sums (panels <= PANELS, 8) += x . panels, panel p at w + p * bytes; `weights` is a constant. */
INLINE void dot_panels(enum qkv_weights weights, const float *x, size_t K, const char *w, size_t bytes, size_t panels,
                       float *sums) {
  const size_t step = weights == QKV_WEIGHTS_FLOAT32 ? 32 : 16;
  f4 acc[PANELS][2];
  size_t at[PANELS];
#pragma unroll
  for (size_t p = 0; p < PANELS; p++) {
    at[p] = p ? at[p - 1] + (p < panels ? bytes : 0) : 0; /* missing panels repeat the last one */
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

static void dot_float32(const void *x, float step, size_t K, const char *w, size_t bytes, size_t panels, float *sums) {
  (void)step; /* of int8 only */
  dot_panels(QKV_WEIGHTS_FLOAT32, x, K, w, bytes, panels, sums);
}
static void dot_float16(const void *x, float step, size_t K, const char *w, size_t bytes, size_t panels, float *sums) {
  (void)step;
  dot_panels(QKV_WEIGHTS_FLOAT16, x, K, w, bytes, panels, sums);
}

/* max |x|; NaN if some x is NaN. */
static float largest_size(const float *x, size_t n) {
  f4 most = zeros();
  for (size_t i = 0; i < n; i += 4)
    most = larger_size(most, get(x + i, n - i));
  for (size_t lane = 1; lane < 4; lane++)
    most = larger_size(most, next_lane(most));
  return lane0(most);
}

/* Is x 0, or least <= x < most? False for NaN. */
static int is_between(float x, float least, float most) { return x < most && (x == 0.0f || x >= least); }

/* q (K rounded up to BLOCK) and steps (blocks): x = q * step, rounded. False: some x is NaN, infinite or tiny. */
static int quantize(const float *x, size_t K, int16_t *q, float *steps) {
  for (size_t k = 0; k < K; k += BLOCK) {
    float largest = largest_size(x + k, at_most(K - k, BLOCK));
    if (!is_between(largest, 1e-30f, 1e30f))
      return 0;
    float inverse = 32767.0f / largest; /* of zeros: 0 * inf = NaN, which to_integers makes 0 */
    for (size_t i = k; i < at_most(K, k + BLOCK); i += 4)
      store_int16(q + i, to_integers(mul(get(x + i, K - i), splat(inverse))));
    steps[k / BLOCK] = largest / 32767.0f;
  }
  return 1;
}

/* The same for K <= BLOCK inputs, step * q. */
static void dot_int8(const void *x, float step, size_t K, const char *w, size_t bytes, size_t panels, float *sums) {
  const int16_t *q = x;
  i4 acc[PANELS][2];
  size_t at[PANELS];
#pragma unroll
  for (size_t p = 0; p < PANELS; p++) {
    at[p] = p ? at[p - 1] + (p < panels ? bytes : 0) : 0;
    acc[p][0] = acc[p][1] = zeros();
  }
  for (const int16_t *end = q + K; q < end; q += 2, w += 16) {
    i4 pair = splat_from((const float *)(const void *)q);
#pragma unroll
    for (size_t p = 0; p < PANELS; p++) {
      acc[p][0] = add_pairs(pair, (const int8_t *)w + at[p], acc[p][0]);
      acc[p][1] = add_pairs(pair, (const int8_t *)w + at[p] + 8, acc[p][1]);
    }
  }
#pragma unroll
  for (size_t p = 0; p < PANELS; p++)
#pragma unroll
    for (size_t half = 0; half < 2; half++) {
      float *sum = sums + p * 8 + half * 4;
      store(sum, mul_add(splat(step), from_integers(acc[p][half]), load(sum)));
    }
}

/* sums (4) += x W^T for four rows of W that are not packed, `stride` floats apart; only `columns` <= 4 of them are
 * used. */
static void dot_rows(const float *x, size_t K, const float *w, size_t stride, size_t columns, float *sums) {
  const float *row[4];
#pragma unroll
  for (size_t c = 0; c < 4; c++)
    row[c] = w + at_most(c, columns - 1) * stride;
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
    for (size_t c = 0; c < columns; c++)
      sums[c] += x[k] * w[c * stride + k];
}

/* sums (rows, n), `pitch` floats apart, += x W^T for W (K,N), not packed: row after row of W */
static void add_rows(const float *x, size_t rows, size_t K, const float *w, size_t stride, float *sums, size_t pitch,
                     size_t n) {
  for (size_t k = 0; k < K; k++, w += stride)
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < n; c += 4)
        store(sums + r * pitch + c, mul_add(splat(x[r * K + k]), get(w + c, n - c), load(sums + r * pitch + c)));
}

/* sums (rows, panels * 8), PANELS * 8 floats apart, += x W^T for whole groups of four rows of x, `pitch` floats apart,
 * by register tiles: a part of each panel in turn, so that the hardware prefetches all of them. */
static void multiply_panels(int is_float16, const float *x, size_t pitch, size_t rows, size_t K, const char *w,
                            size_t bytes, size_t panels, float *sums) {
  float wide[PART * 8];
  for (size_t k = 0; k < K; k += PART)
    for (size_t p = 0, n = at_most(K - k, PART); p < panels; p++) {
      const char *from = w + p * bytes + k * (is_float16 ? 16 : 32);
      for (size_t i = 0; is_float16 && i < n; i++) {
        f4 left, right;
        load_float16(from + i * 16, &left, &right);
        store(wide + i * 8, left);
        store(wide + i * 8 + 4, right);
      }
      gemm_panel(sums + p * 8, PANELS * 8, rows, 8, 0, x + k, pitch, is_float16 ? wide : (const float *)from, 8, n, 0);
    }
}

/* Column i of the sums, whose panels of eight are `part` panels apart, the first one at column n. */
INLINE size_t column_of(size_t n, size_t i, size_t part) { return n + i / 8 * 8 * part + i % 8; }

/* By enum qkv_weights. Called by pointer, so that each loop has the registers to itself. */
static void (*const DOT[])(const void *, float, size_t, const char *, size_t, size_t,
                           float *) = {0, dot_float32, dot_float16, dot_int8};

int decode_rows(const struct qkv_linear *a, size_t n, size_t end, float *scratch) {
  size_t K = a->K, M = a->M, blocks = K / BLOCK + 1, pitch = PANELS * 8;
  float *sums = scratch, *steps = sums + FEW_ROWS * PANELS * 8,
        *rows = steps + M * blocks; /* of x, rounded or scaled */
  const float *scales = a->weights >= QKV_WEIGHTS_FLOAT16 ? a->scales : 0;
  int is_strided = a->weights == QKV_WEIGHTS_STRIDED, is_int8 = a->weights == QKV_WEIGHTS_INT8;
  float unit = is_int8 ? 1.0f : 0x1p-64f;
  for (size_t m = 0; m < M && scales; m++) {
    const float *x = a->x + m * K;
    float *to = rows + m * blocks * BLOCK;
    if (is_int8 && !quantize(x, K, (int16_t *)(void *)to, steps + m * blocks))
      return 0;
    if (is_int8)
      continue;
    float largest = largest_size(x, K);
    for (size_t k = 0; k < K; k += 4)
      store(to + k, mul(get(x + k, K - k), splat(0x1p64f)));
    if (!is_between(largest, 0x1p-40f, 0x1p60f))
      return 0;
  }
  if (is_strided) { /* as many columns at a time as there is room for */
    pitch = K + FEW_ROWS * PANELS;
    pitch -= pitch % 8;
  }
  size_t bytes = panel_bytes(a->weights, K), input = panel_bytes(a->weights, 2) / 2; /* bytes of an input in a panel */
  const char *last = (const char *)a->w + (a->N + 7) / 8 * bytes - 4;
  size_t first = n, all = (end - n + 7) / 8;
  size_t part = is_strided ? 1 : (all + PANELS - 1) / PANELS; /* panels from a column of sums to the eighth after it */
  if (!is_strided)
    end = n + part * 8;
  for (size_t width, step; n < end; n += step) {
    size_t panels = (all - (n - first) / 8 + part - 1) / part;
    width = is_strided ? at_most(end - n, pitch) : panels * 8;
    step = is_strided ? width : 8;
    const char *w = (const char *)a->w + n / 8 * bytes;
    const float *from = (const float *)a->w + n * a->w_row;
    for (size_t m = 0; m < M; m++)
      for (size_t c = 0; c < width; c += 4)
        store(sums + m * pitch + c, scales ? zeros() : biases_of(a, column_of(n, c, part)));
    if (is_strided && a->w_column != 1)
      add_rows(a->x, M, K, from, a->w_column, sums, pitch, width);
    size_t tiled = is_strided || is_int8 ? 0 : M & ~(size_t)3; /* rows that are done */
    if (tiled)
      multiply_panels(scales != 0, scales ? rows : a->x, scales ? blocks * BLOCK : K, tiled, K, w, part * bytes, panels,
                      sums);
    for (size_t k = 0; k < K && tiled < M && !is_strided; k += BLOCK, w += BLOCK * input) {
      if (scales)
        prefetch_pages(w, part * bytes, panels, last);
      for (size_t m = tiled, inputs = at_most(K - k, BLOCK); m < M; m++) {
        const float *x = scales ? rows + m * blocks * BLOCK : a->x + m * K;
        const void *from_k = is_int8 ? (const void *)((const int16_t *)(const void *)x + k) : x + k;
        DOT[a->weights](from_k, steps[m * blocks + k / BLOCK], inputs, w, part * bytes, panels, sums + m * pitch);
      }
    }
    for (size_t m = 0; m < M; m++) {
      float *sum = sums + m * pitch;
      for (size_t c = 0; c < width && is_strided && a->w_column == 1; c += 4)
        dot_rows(a->x + m * K, K, from + c * a->w_row, a->w_row, at_most(width - c, 4), sum + c);
      for (size_t c = 0; scales && c < width; c += 4) {
        size_t column = column_of(n, c, part);
        f4 scale = mul(load(scales + column), splat(unit));
        store(sum + c, add(mul(load(sum + c), scale), biases_of(a, column)));
      }
      if (a->activation)
        activate(a->activation, sum, sum, 0, width);
      for (size_t c = 0; c < width; c += 8)
        store_columns(a, m, column_of(n, c, part), 8, sum + c);
    }
  }
  return 1;
}
