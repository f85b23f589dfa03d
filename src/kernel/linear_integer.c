/* linear_integer.c: y = activation(x W^T + bias) + residual with W of whole numbers. x (M,K), W (N,K), bias (N),
 * residual and y (M,N). It is the content of qkv.integers.wasm.
 *
 * int8: W[n][k] = scale[n] w[n][k], |w| <= 127, scale = max |W[n]| / 127; a value is off by at most scale / 2.
 * x is rounded to int16 in blocks of BLOCK values, x = step q. It has 16 bits, because the integer product of SIMD128
 * takes 16 bits: 8 would be as slow.
 *   y[m][n] = bias[n] + sum_b (scale[n] step[m][b]) (sum_{k in b} q[m][k] w[n][k])
 * The inner sums are exact: |sum| <= 256 * 32767 * 127 < 2^31. The outer sum runs in the order of b; each of its
 * products and sums is rounded by itself. So a row of y has the same bits for any number of rows and threads and in
 * every engine. |error| <= scale sum_b 127 * 256 step / 2, in addition to the error of the weights. */
#include "linear_output.h"
#include "linear_streams.h"
#include "rows.h"
#include "tile.h"

/* A register tile has TILE rows of x and 8 columns. Up to FEW_ROWS rows, reading W takes longer than the products. */
enum { BLOCK = 256, TILE = 4, FEW_ROWS = 8 };

/* x of a block of rows: 1 MB of whole numbers at most, in L2. */
enum { X_NUMBERS = 1 << 19, ROWS = 512 };

static size_t blocks_of(size_t K) { return K / BLOCK + 1; }

/* Rows of a block: all blocks but the last are equal; without rows there is one. */
static size_t block_rows(const struct qkv_linear *a) {
  size_t most = at_most(X_NUMBERS / (a->K + 1), ROWS);
  most = most < 64 ? 64 : most;
  size_t blocks = (a->M + most - 1) / most + !a->M;
  return round_up((a->M + blocks - 1) / blocks, TILE) + TILE * !a->M;
}

double QKV_EXPORT(qkv_integer_scratch)(const struct qkv_linear *a) {
  double K = (double)round_up(a->K, 8), rows = (double)block_rows(a) + FEW_ROWS;
  return (rows * (ROW_SUMS + (double)blocks_of(a->K) + K / 2.0) + TILE * (K + 8.0)) * (double)sizeof(float);
}

uint32_t QKV_EXPORT(qkv_integer_units)(const struct qkv_linear *a) {
  size_t blocks = (a->M + block_rows(a) - 1) / block_rows(a);
  return (uint32_t)(blocks * ((a->N + ROW_SUMS - 1) / ROW_SUMS));
}

/* Rounds x (K) to int16: x = q * step, with a step for each BLOCK values: 0 if the largest is below 1e-33, NaN if one
 * is NaN or infinite. q (K rounded up to 4, and four more), steps (blocks). */
static void quantize_row(const float *x, size_t K, int16_t *q, float *steps) {
  for (size_t k = 0; k < K; k += BLOCK) {
    float largest = largest_size(x + k, at_most(K - k, BLOCK));
    float inverse = 32767.0f / largest; /* of zeros: 0 * inf = NaN, which to_integers makes 0 */
    for (size_t i = k; i < at_most(K, k + BLOCK); i += 4)
      store_int16(q + i, to_integers(mul(get(x + i, K - i), splat(inverse))));
    steps[k / BLOCK] = largest < 1e-33f ? 0.0f : largest / 32767.0f + largest * 0.0f;
  }
}

/* sums (count, 8) += units (count, 8) * (q (K) . panels (count, K/2, 8, 2)), K <= BLOCK. */
static NOINLINE void dot_panels(const int16_t *q, const float *units, size_t K, const struct streams *s, const char *w,
                                float *sums) {
  i4 acc[PANELS][2];
  size_t at[PANELS];
#pragma unroll
  for (size_t p = 0; p < PANELS; p++) {
    at[p] = p ? at[p - 1] + (p < s->count ? s->bytes : 0) : 0; /* missing panels repeat the last one */
    acc[p][0] = acc[p][1] = zeros();
  }
  for (const int16_t *end = q + K; q < end; q += 2, w += 16) {
    i4 pair = splat_from((const float *)(const void *)q);
#pragma unroll
    for (size_t p = 0; p < PANELS; p++) {
      acc[p][0] = add_products(acc[p][0], pair, widen(w + at[p]));
      acc[p][1] = add_products(acc[p][1], pair, widen(w + at[p] + 8));
    }
  }
#pragma unroll
  for (size_t p = 0; p < PANELS; p++)
#pragma unroll
    for (size_t half = 0; half < 2; half++) {
      size_t c = p * 8 + half * 4;
      store(sums + c, add(load(sums + c), mul(load(units + c), from_integers(acc[p][half]))));
    }
}

/* Columns n to `end` of y for few rows, as fast as W is read. */
static void multiply_few(const struct qkv_linear *a, size_t n, size_t end, float *sums) {
  size_t K = a->K, M = a->M, blocks = blocks_of(K), pitch = round_up(K, 8) + 8, panels = (end - n + 7) / 8;
  float *steps = sums + M * ROW_SUMS;
  int16_t *q = (int16_t *)(void *)(steps + M * blocks);
  for (size_t m = 0; m < M; m++)
    quantize_row(a->x + m * K, K, q + m * pitch, steps + m * blocks);
  for (size_t i = 0; i < steps_of(panels); i++) {
    struct streams s = streams_at(a, n, panels, i);
    for (size_t m = 0; m < M; m++)
      for (size_t c = 0; c < ROW_SUMS; c += 4)
        store(sums + m * ROW_SUMS + c, biases_of(a, column_of(&s, c)));
    for (size_t b = 0; b * BLOCK < K; b++) {
      struct streams part = s;
      part.w += b * BLOCK * 8;
      prefetch_pages(part);
      for (size_t m = 0; m < M; m++) {
        float units[ROW_SUMS] = {0};
        for (size_t c = 0; c < s.count * 8; c += 4)
          store(units + c, mul(load(a->scales + column_of(&s, c)), splat(steps[m * blocks + b])));
        dot_panels(q + m * pitch + b * BLOCK, units, at_most(K - b * BLOCK, BLOCK), &s, part.w, sums + m * ROW_SUMS);
      }
    }
    for (size_t m = 0; m < M; m++)
      for (size_t p = 0; p < s.count; p++)
        write_outputs(a, m, s.column + p * s.columns, 8, sums + m * ROW_SUMS + p * 8);
  }
}

/* tile (K/2, TILE, 2) = rows (TILE, K), `width` numbers apart, in steps of four pairs. */
static void interleave_rows(const int16_t *rows, size_t width, size_t K, int16_t *tile) {
  for (size_t k = 0; k < K; k += 8, tile += 8 * TILE) {
    f4 pairs[TILE];
    for (size_t r = 0; r < TILE; r++)
      pairs[r] = load((const float *)(const void *)(rows + r * width + k));
    transpose(pairs);
    for (size_t i = 0; i < TILE; i++)
      store((float *)(void *)(tile + i * 8), pairs[i]);
  }
}

/* acc (TILE,8) = q W^T, q (pairs, TILE, 2), W (pairs, 8, 2) from w to `end`. The exit after each pair stops the
 * compiler from loading four pairs at once, which would spill. */
INLINE void multiply_pairs(i4 acc[TILE][2], const int16_t *q, const char *w, const char *end) {
#pragma unroll
  for (size_t r = 0; r < TILE; r++)
    acc[r][0] = acc[r][1] = zeros();
  for (; w != end; w += 16, q += TILE * 2) {
    i4 left = widen(w), right = widen(w + 8);
#pragma unroll
    for (size_t r = 0; r < TILE; r++) {
      i4 x = splat_from((const float *)(const void *)(q + r * 2));
      acc[r][0] = add_products(acc[r][0], x, left);
      acc[r][1] = add_products(acc[r][1], x, right);
    }
  }
}

/* sums (TILE,8), ROW_SUMS floats apart, += (scales (8) step) (q W^T) in a block of K > 0 values; steps are `pitch`
 * floats apart. */
static NOINLINE void multiply_tile(const int16_t *q, const float *steps, size_t pitch, const char *w,
                                   const float *scales, size_t K, float *sums) {
  i4 acc[TILE][2];
  multiply_pairs(acc, q, w, w + (K + 1) / 2 * 16);
#pragma unroll
  for (size_t r = 0; r < TILE; r++)
#pragma unroll
    for (size_t half = 0; half < 2; half++) {
      float *sum = sums + r * ROW_SUMS + half * 4;
      f4 unit = mul(load(scales + half * 4), splat_from(steps + r * pitch));
      store(sum, add(load(sum), mul(unit, from_integers(acc[r][half]))));
    }
}

/* Columns n to `end` of y in rows m ... m + rows. */
static void multiply_many(const struct qkv_linear *a, size_t m, size_t rows, size_t n, size_t end, float *sums) {
  size_t K = a->K, blocks = blocks_of(K), pitch = round_up(K, 8), width = pitch + 8, tall = round_up(rows, TILE);
  float *steps = sums + tall * ROW_SUMS;
  int16_t *q = (int16_t *)(void *)(steps + tall * blocks), *four = q + tall * pitch;
  /* x = step q; rows beyond the last one repeat it */
  for (size_t r = 0; r < tall; r += TILE) {
    for (size_t i = 0; i < TILE; i++)
      quantize_row(a->x + (m + at_most(r + i, rows - 1)) * K, K, four + i * width, steps + (r + i) * blocks);
    interleave_rows(four, width, K, q + r * pitch);
  }
  for (size_t bytes = panel_bytes(QKV_WEIGHTS_INT8, K); n < end; n += ROW_SUMS) {
    const char *w = (const char *)a->w + n / 8 * bytes;
    size_t panels = at_most((end - n + 7) / 8, PANELS);
    for (size_t i = 0; i < tall * ROW_SUMS; i += 4)
      store(sums + i, biases_of(a, n + i % ROW_SUMS));
    /* sums += sum_b (scale step) (q w) */
    for (size_t r = 0; r < tall; r += TILE)
      for (size_t k = 0; k < K; k += BLOCK)
        for (size_t p = 0; p < panels; p++)
          multiply_tile(q + r * pitch + k * TILE, steps + r * blocks + k / BLOCK, blocks, w + p * bytes + k * 8,
                        a->scales + n + p * 8, at_most(K - k, BLOCK), sums + r * ROW_SUMS + p * 8);
    for (size_t r = 0; r < rows; r++)
      write_outputs(a, m + r, n, panels * 8, sums + r * ROW_SUMS);
  }
}

uint32_t QKV_EXPORT(qkv_integer_part)(const struct qkv_linear *a, uint32_t first, uint32_t count, void *scratch) {
  size_t groups = (a->N + ROW_SUMS - 1) / ROW_SUMS, rows = block_rows(a);
  for (size_t unit = first, next; unit < (size_t)first + count; unit = next) {
    size_t block = unit / groups;
    next = at_most((size_t)first + count, (block + 1) * groups); /* units of one block of rows: columns n to `end` */
    size_t n = (unit - block * groups) * ROW_SUMS, end = at_most(a->N, (next - block * groups) * ROW_SUMS);
    if (a->M <= FEW_ROWS)
      multiply_few(a, n, end, scratch);
    else
      multiply_many(a, block * rows, at_most(a->M - block * rows, rows), n, end, scratch);
  }
  return QKV_OK;
}

/* W (N,K) -> panels (N/8 rounded up, K/2 rounded up, 8, 2) */
uint32_t QKV_EXPORT(qkv_pack_integer)(const struct qkv_pack_linear *a) {
  size_t K = a->K;
  char *out = a->packed;
  for (size_t n = 0; n < a->N; n += 8, out += a->panel_size) {
    float *panel = a->scratch, factor[8], *scales = a->scales + n;
    pack_panel(panel, a->w + n * a->w_row, K, a->w_column, a->w_row, at_most(a->N - n, 8));
    for (size_t c = 0; c < 8; c += 4) {
      f4 size = zeros();
      for (size_t k = 0; k < K && !a->is_quantized; k++)
        size = larger_size(size, load(panel + k * 8 + c));
      store(factor + c, size);
    }
    for (size_t c = 0; c < 8; c++) {
      float largest = factor[c];
      if (!(largest <= 3.4e38f))
        return QKV_WEIGHTS_OUT_OF_RANGE;
      factor[c] = a->is_quantized ? 1.0f : largest > 1e-36f ? 127.0f / largest : 0.0f;
      if (!a->is_quantized)
        scales[c] = largest / 127.0f;
    }
    for (size_t c = 0; c < 8 && K % 2; c++)
      panel[K * 8 + c] = 0.0f; /* half of the last pair */
    for (size_t k = 0; k < K; k += 2) {
      i4 numbers[4];
      for (size_t i = 0; i < 4; i++)
        numbers[i] = to_integers(mul(load(panel + k * 8 + i * 4), load(factor + i % 2 * 4)));
      store_int8_pairs(out + k * 8, numbers, numbers + 2);
    }
  }
  return QKV_OK;
}
