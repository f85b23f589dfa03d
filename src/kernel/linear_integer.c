/* linear_integer.c: y = activation(x W^T + bias) + residual with integer W. x (M,K), W (N,K), bias (N), residual and y
 * (M,N). It is compiled into qkv.integers.wasm.
 *
 * x is rounded to int16 in blocks of BLOCK values, x = step q, because the integer product of SIMD128 takes 16 bits.
 * With x_int8 and int8 weights it is rounded to int8, which doubles the speed in engines with an instruction for
 * products of bytes (see linear_bytes.c). In other engines the speed is that of int16, and the result has the same
 * bits. The rounding error is at most step / 2, in addition to the error of the weights.
 *
 * int8: W[n][k] = scale[n] w[n][k], |w| <= 127, scale = max |W[n]| / 127; the error is at most scale / 2. A row whose
 * largest value is at most 1e-36 becomes 0, so that 127 / max does not overflow.
 *   y[m][n] = bias[n] + sum_b (scale[n] step[m][b]) (sum_{k in b} q[m][k] w[n][k])
 * The inner sums are exact: |sum| <= 256 * 32767 * 127 < 2^31. For the layout of a panel see store_int8_pairs.
 *
 * int4: W[n][k] = scale[n][i] w[n][k] + minimum[n][i] in blocks i of 32 values, 0 <= w <= 15. The minimum is the
 * largest bfloat16 not above the block's values, the scale the smallest that reaches the block's largest value, so the
 * error is at most scale / 2. A scale below 1e-36 becomes 0, with an error of at most 1.5e-35. A panel holds eight
 * rows: for each block eight words, each with scale and minimum as bfloat16, then the values, see store_nibbles.
 *   y[m][n] = bias[n] + sum_b step[m][b] sum_{i in b} (scale[n][i] dot[m][n][i] + minimum[n][i] sum_{k in i} q[m][k])
 *   dot[m][n][i] = sum_{k in i} q[m][k] w[n][k]
 * The inner sums are exact as floats, |sum q w| < 2^24, and as integers, even where load_nibbles joins two columns,
 * |sum q (w + 16 w')| <= 32 * 32767 * 255 < 2^31.
 *
 * Blocks of GGUF files: see linear_blocks.c.
 *
 * The outer sums run in order, and each product and sum is rounded separately. So a row of y has the same bits for any
 * number of rows and threads and in every engine. */
#include "linear_integer.h"
#include "linear_blocks.h"
#include "linear_bytes.h"
#include "linear_output.h"
#include "rows.h"
#include "tile.h"

/* Up to FEW_ROWS rows, reading W takes longer than the products. For more rows, BLOCK inputs of PANELS panels of W are
 * widened to int16 once for all rows: 16 KB, which fits into L1. LINE: bytes of a cache line. */
enum { FEW_ROWS = 8, LINE = 64 };

/* Limits of a block of rows: x takes at most 1 MB as integers, which fits into L2. */
enum { X_NUMBERS = 1 << 19, ROWS = 512 };

/* LARGEST_INT4: the largest weight that is packed as int4; times 2^24 and summed over 8 blocks, it does not overflow.
 * LEAST_SCALE: smaller scales become 0. */
static const float LARGEST_INT4 = 0x1p100f, LEAST_SCALE = 1e-36f;

/* Returns the largest integer that x is rounded to. */
static float most_of(const struct qkv_linear *a) { return a->x_int8 ? 127.0f : 32767.0f; }

static size_t blocks_of(size_t K) { return K / BLOCK + 1; }

/* Returns the number of integers in a row of q: K rounded up to a block of int4. */
static size_t pitch_of(size_t K) { return round_up(K, INT4_BLOCK); }
static size_t totals_of(size_t K) { return pitch_of(K) / INT4_BLOCK; }

/* Returns the number of units per block of rows. */
static size_t groups_of(size_t N) { return (N + ROW_SUMS - 1) / ROW_SUMS; }

/* Returns the number of rows per block, which is not 0 even if M is 0. Only the last block may have fewer. */
static size_t block_rows(const struct qkv_linear *a) {
  size_t most = at_most(X_NUMBERS / (a->K + 1), ROWS);
  most = most < 64 ? 64 : most;
  size_t blocks = (a->M + most - 1) / most + !a->M;
  return round_up((a->M + blocks - 1) / blocks, TILE) + TILE * !a->M;
}

double QKV_EXPORT(qkv_integer_scratch)(const struct qkv_linear *a) {
  double pitch = (double)pitch_of(a->K), rows = (double)block_rows(a) + (double)FEW_ROWS;
  double of_row = (double)ROW_SUMS + (double)(blocks_of(a->K) + totals_of(a->K)) + pitch / 2.0 + 4.0;
  return (rows * of_row + (double)TILE * (pitch + 8.0)) * (double)sizeof(float) +
         (double)(PANELS * sizeof(struct wide_panel));
}

uint32_t QKV_EXPORT(qkv_integer_units)(const struct qkv_linear *a) {
  size_t blocks = (a->M + block_rows(a) - 1) / block_rows(a);
  return (uint32_t)(blocks * groups_of(a->N));
}

/* Rounds x (K) to integers q with |q| <= most: x = q * step. Each BLOCK values have a step, which is 0 if the largest
 * |x| is below 1e-33, NaN if an x is NaN or infinite. Writes q, padded with zeros to a multiple of INT4_BLOCK, and
 * steps (blocks); unless totals is null, also the sums of each INT4_BLOCK values of q. The eight numbers after q may be
 * overwritten. */
static void quantize_row(const float *x, size_t K, float most, int16_t *q, float *steps, int32_t *totals) {
  for (size_t k = 0; k < K; k += BLOCK) {
    size_t end = at_most(K, k + BLOCK), i = k;
    float largest = largest_size(x + k, end - k);
    f4 inverse = splat(most / largest); /* if the step is 0 or NaN, any q will do */
    for (; i + 8 <= end; i += 8)
      store_int16s(q + i, join_int16s(nearest_integers(mul(load(x + i), inverse)),
                                      nearest_integers(mul(load(x + i + 4), inverse))));
    for (; i < end; i += 4)
      store_int16(q + i, nearest_integers(mul(get(x + i, K - i), inverse)));
    steps[k / BLOCK] = largest < 1e-33f ? 0.0f : largest / most + largest * 0.0f;
  }
  for (size_t k = round_up(K, 4); k < pitch_of(K); k += 4)
    store_int16(q + k, zeros());
  for (size_t k = 0; k < K && totals; k += INT4_BLOCK) {
    i4 sum = zeros();
    for (size_t i = k; i < k + INT4_BLOCK; i += 8)
      sum = add_integers(sum, pairs_of(q + i));
    totals[k / INT4_BLOCK] = lane0_integer(lanes_together(sum));
  }
}

/* sums (count, 8) += units (count, 8) * (q (K) . panels), K <= BLOCK; units are scale * step, totals the sums of each
 * INT4_BLOCK values of q.
 * The axes of panels (count, K/2, 4, 2, 2) are panel, pair of k, column c, k of the pair, and byte. The two bytes are
 * an int16, 256 v + w + 128, with v of column c + 4 and w of column c, so that one load serves two columns. Adding 128
 * makes w unsigned, so that the high byte is v:
 *   sum q w = sum q (256 v + w + 128) - 256 sum q v - 128 sum q
 * The sums wrap around, modulo 2^32; as |sum q w| < 2^31, the difference is exact. */
static NOINLINE void dot_panels(const int16_t *q, const int32_t *totals, const float *units, size_t K,
                                const struct streams *s, const char *w, float *sums) {
  i4 acc[PANELS][2];
  size_t at[PANELS];
#pragma unroll
  for (size_t p = 0; p < PANELS; p++) {
    at[p] = p ? at[p - 1] + (p < s->count ? s->bytes : 0) : 0; /* missing panels repeat the last one */
    acc[p][0] = acc[p][1] = zeros();
  }
  i4 total = zeros();
  for (const int32_t *end = totals + totals_of(K); totals < end; totals++)
    total = add_integers(total, splat_int32(totals));
  i4 offset = times_power(total, 7);
  for (const int16_t *end = q + K; q < end; q += 2, w += 16) {
    i4 pair = splat_from((const float *)(const void *)q);
#pragma unroll
    for (size_t p = 0; p < PANELS; p++) {
      i4 both = load_int16s((const int16_t *)(const void *)(w + at[p]));
      acc[p][0] = add_products(acc[p][0], pair, both);
      acc[p][1] = add_products(acc[p][1], pair, high_bytes(both));
    }
  }
#pragma unroll
  for (size_t p = 0; p < PANELS; p++) {
    acc[p][0] = subtract_integers(acc[p][0], add_integers(times_power(acc[p][1], 8), offset));
#pragma unroll
    for (size_t half = 0; half < 2; half++) {
      size_t c = p * 8 + half * 4;
      store(sums + c, add(load(sums + c), mul(load(units + c), from_integers(acc[p][half]))));
    }
  }
}

/* Returns sum (4) + scale (q w) + minimum total for four columns of a block of int4; words (4) hold scales and
 * minima. */
INLINE f4 add_block(f4 sum, i4 words, i4 dot, f4 total) {
  f4 product = mul(low_bfloat16(words), from_integers(dot));
  return add(add(sum, product), mul(high_bfloat16(words), total));
}

/* As dot_panels, for int4: sums (count, 8) += step * sum_i (scale (q . w) + minimum total) over `blocks` blocks. */
static NOINLINE void dot_int4(const int16_t *q, const int32_t *totals, float step, size_t blocks,
                              const struct streams *s, const char *w, float *sums) {
  float parts[ROW_SUMS] = {0};
  size_t at[PANELS];
#pragma unroll
  for (size_t p = 0; p < PANELS; p++)
    at[p] = p ? at[p - 1] + (p < s->count ? s->bytes : 0) : 0;
  for (const int32_t *end = totals + blocks; totals < end; totals++, w += INT4_BYTES) {
    i4 acc[PANELS][2];
#pragma unroll
    for (size_t p = 0; p < PANELS; p++)
      acc[p][0] = acc[p][1] = zeros();
    const char *from = w + 32;
    for (const char *last = w + INT4_BYTES; from < last; from += 16, q += 4) {
      i4 first = splat_from((const float *)(const void *)q), second = splat_from((const float *)(const void *)(q + 2));
#pragma unroll
      for (size_t p = 0; p < PANELS; p++) {
        i4 lower[2], upper[2];
        load_nibbles(from + at[p], lower, upper);
#pragma unroll
        for (size_t half = 0; half < 2; half++)
          acc[p][half] = add_products(add_products(acc[p][half], first, lower[half]), second, upper[half]);
      }
    }
    f4 total = splat_integer(totals);
#pragma unroll
    for (size_t p = 0; p < PANELS; p++) {
      const float *words = (const float *)(const void *)(w + at[p]);
      float *part = parts + p * 8;
      store(part, add_block(load(part), load(words), subtract_integers(acc[p][0], acc[p][1]), total));
      store(part + 4, add_block(load(part + 4), load(words + 4), by_power(acc[p][1], 4), total));
    }
  }
  for (size_t c = 0; c < ROW_SUMS; c += 4)
    store(sums + c, add(load(sums + c), mul(splat(step), load(parts + c))));
}

/* The scratch of a product with few rows of x, which are rounded to integers: sums (M, ROW_SUMS), steps (M, blocks),
 * totals of each INT4_BLOCK values (M, lines), and q (M, pitch). */
struct few_rows {
  float *sums, *steps;
  int32_t *totals;
  int16_t *q;
  size_t blocks, lines, pitch;
};

static struct few_rows quantize_few(const struct qkv_linear *a, float *scratch) {
  size_t M = a->M, K = a->K;
  struct few_rows f = {.sums = scratch, .blocks = blocks_of(K), .lines = totals_of(K), .pitch = pitch_of(K) + 8};
  f.steps = f.sums + M * ROW_SUMS, f.totals = (int32_t *)(void *)(f.steps + M * f.blocks);
  f.q = (int16_t *)(void *)(f.totals + M * f.lines);
  for (size_t m = 0; m < M; m++)
    quantize_row(a->x + m * K, K, most_of(a), f.q + m * f.pitch, f.steps + m * f.blocks, f.totals + m * f.lines);
  return f;
}

/* Computes columns n <= c < end of y for few rows, at the speed of reading W. */
static void multiply_few(const struct qkv_linear *a, const struct few_rows *f, size_t n, size_t end) {
  size_t K = a->K, M = a->M, panels = (end - n + 7) / 8;
  int is_int4 = a->weights == QKV_WEIGHTS_INT4, is_block = a->weights > QKV_WEIGHTS_INT4;
  float *sums = f->sums;
  for (size_t i = 0; i < steps_of(panels); i++) {
    struct streams s = streams_at(a, n, panels, i);
    for (size_t m = 0; m < M; m++)
      for (size_t c = 0; c < ROW_SUMS; c += 4)
        store(sums + m * ROW_SUMS + c, biases_of(a, column_of(&s, c)));
    for (size_t b = 0; b * BLOCK < K; b++) {
      size_t count = at_most(K - b * BLOCK, BLOCK);
      const char *w = s.w + panel_bytes(a->weights, b * BLOCK);
      for (size_t m = 0; m < M; m++) {
        const int16_t *from = f->q + m * f->pitch + b * BLOCK;
        const int32_t *totals = f->totals + m * f->lines + b * (BLOCK / INT4_BLOCK);
        float step = f->steps[m * f->blocks + b], *to = sums + m * ROW_SUMS;
        if (is_int4) {
          dot_int4(from, totals, step, totals_of(count), &s, w, to);
          continue;
        }
        if (is_block) {
          dot_blocks(a, from, totals, step, count, &s, w, to);
          continue;
        }
        float units[ROW_SUMS] = {0};
        for (size_t c = 0; c < s.count * 8; c += 4)
          store(units + c, mul(load(a->scales + column_of(&s, c)), splat(step)));
        dot_panels(from, totals, units, count, &s, w, to);
      }
    }
    for (size_t m = 0; m < M; m++)
      for (size_t p = 0; p < s.count; p++)
        write_outputs(a, m, s.column + p * s.columns, 8, sums + m * ROW_SUMS + p * 8);
  }
}

/* Interleaves tile (K/2, TILE, 2) = rows (TILE, K), which are `width` numbers apart, four pairs at a time. */
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

/* Widens `count` > 0 values of each row of a panel of int8 (in pairs), int4 or blocks. */
static void widen_panel(uint32_t weights, struct wide_panel *to, const char *w, size_t count) {
  int16_t *wide = to->numbers, *end = wide + round_up(count, 2) * 8;
  if (weights > QKV_WEIGHTS_INT4) {
    widen_blocks(weights, w, count, to);
    return;
  }
  if (weights == QKV_WEIGHTS_INT8) {
    for (; wide < end; wide += 16, w += 16) {
      i4 both = load_int16s((const int16_t *)(const void *)w);
      store_int16s(wide, low_bytes(both)), store_int16s(wide + 8, high_bytes(both));
    }
    return;
  }
  for (float *scale = to->scales, *minimum = to->minima; wide < end; w += INT4_BYTES, scale += 8, minimum += 8) {
    for (size_t half = 0; half < 8; half += 4) {
      i4 words = load((const float *)(const void *)w + half);
      store(scale + half, low_bfloat16(words)), store(minimum + half, high_bfloat16(words));
    }
    for (const char *from = w + 32; from < w + INT4_BYTES; from += 16, wide += 32)
      widen_nibbles(wide, from);
  }
}

/* acc (TILE,8) = q W^T for the first pair of k; q (pairs, TILE, 2) and W (pairs, 8, 2). */
INLINE void multiply_pair(i4 acc[TILE][2], const int16_t *q, const int16_t *w) {
  i4 left = load_int16s(w), right = load_int16s(w + 8);
#pragma unroll
  for (size_t r = 0; r < TILE; r++) {
    i4 x = splat_from((const float *)(const void *)(q + r * 2));
    acc[r][0] = products_of(x, left);
    acc[r][1] = products_of(x, right);
  }
}

/* acc (TILE,8) += q W^T, q (pairs, TILE, 2), W (pairs, 8, 2) from w to `end`. Unrolling by four does not speed up int8
 * and slows down int4. */
INLINE void add_pairs(i4 acc[TILE][2], const int16_t *q, const int16_t *w, const int16_t *end) {
  for (; w != end; w += 16, q += TILE * 2) {
    i4 left = load_int16s(w), right = load_int16s(w + 8);
#pragma unroll
    for (size_t r = 0; r < TILE; r++) {
      i4 x = splat_from((const float *)(const void *)(q + r * 2));
      acc[r][0] = add_products(acc[r][0], x, left);
      acc[r][1] = add_products(acc[r][1], x, right);
    }
  }
}

/* sums += (scales (8) * step) * (q W^T) over a block of K > 0 values; the steps of adjacent rows are `pitch` floats
 * apart. */
static NOINLINE void multiply_tile(const int16_t *q, const float *steps, size_t pitch, const int16_t *w,
                                   const float *scales, size_t K, const struct tile_sums *sums) {
  i4 acc[TILE][2];
#pragma unroll
  for (size_t r = 0; r < TILE; r++)
    acc[r][0] = acc[r][1] = zeros();
  add_pairs(acc, q, w, w + round_up(K, 2) * 8);
  add_tile(acc, steps, pitch, scales, sums);
}

/* What belongs to the groups of values: a scale; a scale and a minimum; or, for types with a head, integers: a scale,
 * which is a factor of the numbers, and possibly a minimum. */
enum groups { SCALES, SCALES_AND_MINIMA, INTEGERS };

/* sums (TILE,8) = sum_i m[i] total[i] over the eight groups of 256 values. */
INLINE void multiply_minima(const int32_t *totals, size_t lines, const float *minima, i4 sums[TILE][2]) {
#pragma unroll
  for (size_t r = 0; r < TILE; r++)
    sums[r][0] = sums[r][1] = zeros();
  for (const float *end = minima + BLOCK / SMALL_BLOCK * 8; minima != end; minima += 8, totals++) {
    i4 left = load(minima), right = load(minima + 4);
#pragma unroll
    for (size_t r = 0; r < TILE; r++) {
      i4 total = splat_int32(totals + r * lines);
      sums[r][0] = add_integers(sums[r][0], multiply_integers(total, left));
      sums[r][1] = add_integers(sums[r][1], multiply_integers(total, right));
    }
  }
}

/* sums += step (sum_i scale (q W^T) + minimum total), or += step (d (q W^T) + e sum_i m total), over K values, in
 * groups of `group` values whose products are summed as integers. Rows of steps are `pitch` floats apart, rows of
 * totals `lines` integers; totals of 0: no minima. */
INLINE void multiply_groups(enum groups kind, const int16_t *q, const float *steps, size_t pitch, const int32_t *totals,
                            size_t lines, const struct wide_panel *w, size_t group, size_t K,
                            const struct tile_sums *sums) {
  float parts[TILE][8] = {{0}};
  const int16_t *wide = w->numbers;
  const float *scales = w->scales, *minima = w->minima;
  for (const int16_t *end = wide + round_up(K, group) * 8; wide < end; scales += 8) {
    i4 acc[TILE][2];
    multiply_pair(acc, q, wide);
    add_pairs(acc, q + TILE * 2, wide + 16, wide + group * 8);
    q += TILE * group, wide += group * 8;
#pragma unroll
    for (size_t r = 0; r < TILE; r++)
#pragma unroll
      for (size_t half = 0; half < 8; half += 4) {
        f4 product = from_integers(acc[r][half / 4]);
        f4 sum = add(load(parts[r] + half), kind == INTEGERS ? product : mul(load(scales + half), product));
        if (kind == SCALES_AND_MINIMA)
          sum = add(sum, mul(load(minima + half), splat_integer(totals + r * lines)));
        store(parts[r] + half, sum);
      }
    if (kind == SCALES_AND_MINIMA)
      totals++, minima += 8;
  }
  const int has_minima = kind == INTEGERS && totals;
  i4 below[TILE][2];
  if (has_minima)
    multiply_minima(totals, lines, minima, below);
#pragma unroll
  for (size_t r = 0; r < TILE; r++)
#pragma unroll
    for (size_t c = 0; c < 8; c += 4) {
      f4 sum = load(parts[r] + c);
      if (kind == INTEGERS)
        sum = mul(load(w->d + c), sum);
      if (has_minima)
        sum = add(sum, mul(load(w->e + c), from_integers(below[r][c / 4])));
      add_to_sums(sums, r, c, mul(splat_from(steps + r * pitch), sum));
    }
}

static NOINLINE void multiply_with_minima(const int16_t *q, const float *steps, size_t pitch, const int32_t *totals,
                                          size_t lines, const struct wide_panel *w, size_t K,
                                          const struct tile_sums *sums) {
  multiply_groups(SCALES_AND_MINIMA, q, steps, pitch, totals, lines, w, SMALL_BLOCK, K, sums);
}

static NOINLINE void multiply_with_scales(const int16_t *q, const float *steps, size_t pitch,
                                          const struct wide_panel *w, size_t K, const struct tile_sums *sums) {
  multiply_groups(SCALES, q, steps, pitch, 0, 0, w, SMALL_BLOCK, K, sums);
}

static NOINLINE void multiply_with_integers(const int16_t *q, const float *steps, size_t pitch, const int32_t *totals,
                                            size_t lines, const struct wide_panel *w, size_t group,
                                            const struct tile_sums *sums) {
  multiply_groups(INTEGERS, q, steps, pitch, totals, lines, w, group, BLOCK, sums);
}

/* Prefetches up to `count` bytes from p + from on, but none beyond p + bytes. It is called between tiles, for a few
 * cache lines at a time. */
static void prefetch_part(const char *p, size_t bytes, size_t from, size_t count) {
  for (size_t at = from; at < at_most(bytes, from + count); at += LINE)
    prefetch((const float *)(const void *)(p + at));
}

/* `tall` rows of x rounded to integers, in groups of TILE rows: steps (tall, blocks), totals (tall, lines), q (tall /
 * TILE, pitch / 2, TILE, 2). With byte products of int8: bytes (tall / TILE, pitch / 4, TILE, 4) instead of q, and
 * starts (tall, blocks) instead of totals. */
struct many_rows {
  float *steps;
  int32_t *totals;
  int16_t *q;
  size_t tall, blocks, lines, pitch;
  enum byte_products bytes;
};

INLINE int8_t *bytes_at(const struct many_rows *x, size_t r, size_t k) {
  return (int8_t *)x->q + r * x->pitch + k * TILE;
}
INLINE int32_t *starts_at(const struct many_rows *x, size_t r, size_t k) {
  return x->totals + r * x->blocks + k / BLOCK;
}

/* Adds the products of up to BLOCK inputs, from input k on, to sums (tall, ROW_SUMS): those of all rows of `x` and of
 * `panels` panels of columns, from column n of y on. For k = 0 the sums start from the biases (ROW_SUMS). If
 * `is_direct`, the sums after the last inputs go straight to y, from row m on. */
static void add_inputs(const struct qkv_linear *a, const struct many_rows *x, size_t m, size_t n, size_t panels,
                       size_t k, struct wide_panel *wide, const float *biases, float *sums, int is_direct) {
  size_t count = at_most(a->K - k, BLOCK), bytes = panel_step(a);
  int is_last = k + BLOCK >= a->K;
  const char *w = (const char *)a->w + n / 8 * bytes, *stop = (const char *)a->w + (a->N + 7) / 8 * bytes;
  w += panel_bytes(a->weights, k);
  size_t of_block = panel_bytes(a->weights, BLOCK);
  for (size_t p = 0; p < panels; p++)
    if (HAS_BYTE_PRODUCTS && x->bytes)
      widen_bytes(x->bytes, w + p * bytes, count, (uint8_t *)wide[p].numbers);
    else
      widen_panel(a->weights, wide + p, w + p * bytes, count);
  size_t ahead = round_up(of_block / (x->tall / TILE) + 1, LINE); /* bytes to prefetch per tile */
  for (size_t r = 0; r < x->tall; r += TILE)
    for (size_t p = 0; p < panels; p++) {
      const int16_t *q = x->q + r * x->pitch + k * TILE;
      const float *step = x->steps + r * x->blocks + k / BLOCK;
      const int32_t *total = x->totals + r * x->lines + k / INT4_BLOCK;
      float *sum = sums + r * ROW_SUMS + p * 8;
      struct tile_sums to = {sum, sum, 0, ROW_SUMS, ROW_SUMS};
      if (k == 0)
        to.start = biases + p * 8, to.start_row = 0;
      if (is_last && is_direct) {
        size_t at = (m + r) * a->N + n + p * 8;
        to.to = a->y + at, to.to_row = a->N, to.residual = a->residual ? a->residual + at : 0;
      }
      /* the weights to widen next: the next inputs of these panels, or the first of the following panels */
      const char *next = w + p * bytes + of_block;
      if (is_last)
        next = (const char *)a->w + (n / 8 + PANELS + p) * bytes;
      if (next + of_block <= stop)
        prefetch_part(next, of_block, r / TILE * ahead, ahead);
      if (HAS_BYTE_PRODUCTS && x->bytes)
        multiply_bytes(bytes_at(x, r, k), step, starts_at(x, r, k), x->blocks, (const uint8_t *)wide[p].numbers,
                       a->scales + n + p * 8, count, &to);
      else if (a->weights >= QKV_WEIGHTS_Q4_K)
        multiply_with_integers(q, step, x->blocks, has_minima(a->weights) ? total : 0, x->lines, wide + p,
                               values_of_sum(a->weights), &to);
      else if (has_minima(a->weights))
        multiply_with_minima(q, step, x->blocks, total, x->lines, wide + p, count, &to);
      else if (a->weights > QKV_WEIGHTS_INT4)
        multiply_with_scales(q, step, x->blocks, wide + p, count, &to);
      else
        multiply_tile(q, step, x->blocks, wide[p].numbers, a->scales + n + p * 8, count, &to);
    }
}

/* Rounds rows m <= r < m + rows of x to integers, and pads them to `tall` rows by repeating the last one. Stores them
 * in the scratch after the sums (tall, ROW_SUMS) of multiply_many. */
static struct many_rows quantize_many(const struct qkv_linear *a, size_t m, size_t rows, int has_totals,
                                      float *scratch) {
  size_t K = a->K, pitch = pitch_of(K), width = pitch + 8, tall = round_up(rows, TILE);
  struct many_rows q = {.tall = tall, .blocks = blocks_of(K), .lines = totals_of(K), .pitch = pitch};
  q.steps = scratch + tall * ROW_SUMS, q.totals = (int32_t *)(void *)(q.steps + tall * q.blocks);
  q.q = (int16_t *)(void *)(q.totals + tall * q.lines);
  int16_t *four = q.q + tall * pitch;
  if (HAS_BYTE_PRODUCTS && a->x_int8)
    q.bytes = try_byte_products();
  for (size_t r = 0; r < tall; r += TILE) {
    for (size_t i = 0; i < TILE; i++)
      quantize_row(a->x + (m + at_most(r + i, rows - 1)) * K, K, most_of(a), four + i * width,
                   q.steps + (r + i) * q.blocks, has_totals ? q.totals + (r + i) * q.lines : 0);
    if (HAS_BYTE_PRODUCTS && q.bytes)
      interleave_bytes(q.bytes, four, width, K, bytes_at(&q, r, 0), starts_at(&q, r, 0), q.blocks);
    else
      interleave_rows(four, width, pitch, q.q + r * pitch);
  }
  return q;
}

/* Computes columns n <= c < end of y in rows m <= r < m + rows. `sums` is the scratch that was passed to
 * quantize_many. */
static void multiply_many(const struct qkv_linear *a, const struct many_rows *x, size_t m, size_t rows, size_t n,
                          size_t end, float *sums) {
  size_t K = a->K, tall = x->tall;
  struct wide_panel *wide = (void *)(x->q + tall * x->pitch + TILE * (x->pitch + 8));
  for (; n < end; n += ROW_SUMS) {
    size_t panels = at_most((end - n + 7) / 8, PANELS);
    /* whole tiles without an activation are written straight from registers */
    int is_direct = !a->activation && rows == tall && n + panels * 8 <= a->N && K > 0;
    float biases[ROW_SUMS];
    for (size_t c = 0; c < ROW_SUMS; c += 4)
      store(biases + c, biases_of(a, n + c));
    for (size_t i = 0; i < tall * ROW_SUMS && K == 0; i += 4)
      store(sums + i, load(biases + i % ROW_SUMS));
    /* sums = biases + sum_b (scale step) (q w) */
    for (size_t k = 0; k < K; k += BLOCK)
      add_inputs(a, x, m, n, panels, k, wide, biases, sums, is_direct);
    for (size_t r = 0; r < rows && !is_direct; r++)
      write_outputs(a, m + r, n, panels * 8, sums + r * ROW_SUMS);
  }
}

uint32_t QKV_EXPORT(qkv_integer_part)(const struct qkv_linear *a, uint32_t first, uint32_t count, void *scratch) {
  size_t groups = groups_of(a->N), rows = block_rows(a);
  struct few_rows few = {0};
  if (a->M <= FEW_ROWS)
    few = quantize_few(a, scratch);
  for (size_t unit = first, next; unit < (size_t)first + count; unit = next) {
    size_t block = unit / groups;
    /* the units of this block of rows: columns n to `end` */
    next = at_most((size_t)first + count, (block + 1) * groups);
    size_t n = (unit - block * groups) * ROW_SUMS, end = at_most(a->N, (next - block * groups) * ROW_SUMS);
    if (a->M <= FEW_ROWS) {
      multiply_few(a, &few, n, end);
      continue;
    }
    size_t m = block * rows, own = at_most(a->M - m, rows);
    struct many_rows many = quantize_many(a, m, own, has_minima(a->weights), scratch);
    multiply_many(a, &many, m, own, n, end, scratch);
  }
  return QKV_OK;
}

void multiply_int8(struct qkv_linear product, void *scratch) {
  product.weights = QKV_WEIGHTS_INT8;
  qkv_integer_part(&product, 0, qkv_integer_units(&product), scratch);
}

/* Returns one of the products that share x, as the arguments of a separate product. */
static struct qkv_linear product_of(const struct qkv_products *a, const struct qkv_product *p) {
  struct qkv_linear one = {.x = a->x, .w = p->w, .scales = p->scales, .bias = p->bias, .y = p->y};
  one.M = a->M, one.K = a->K, one.N = p->N, one.weights = p->weights, one.activation = p->activation;
  one.x_int8 = a->x_int8;
  return one;
}

double QKV_EXPORT(qkv_products_scratch)(const struct qkv_products *a) {
  struct qkv_linear one = product_of(a, &a->first);
  return qkv_integer_scratch(&one);
}

/* Returns the number of units per block of rows, over all products. */
static size_t groups_of_all(const struct qkv_products *a) {
  return groups_of(a->first.N) + groups_of(a->second.N) + groups_of(a->third.N);
}

uint32_t QKV_EXPORT(qkv_products_units)(const struct qkv_products *a) {
  struct qkv_linear one = product_of(a, &a->first);
  size_t rows = block_rows(&one);
  return (uint32_t)((a->M + rows - 1) / rows * groups_of_all(a));
}

uint32_t QKV_EXPORT(qkv_products_part)(const struct qkv_products *a, uint32_t first, uint32_t count, void *scratch) {
  const struct qkv_linear products[] = {product_of(a, &a->first), product_of(a, &a->second), product_of(a, &a->third)};
  int has_totals = 0, is_few = a->M <= FEW_ROWS;
  for (size_t i = 0; i < 3; i++)
    has_totals |= has_minima(products[i].weights);
  size_t all = groups_of_all(a), rows = block_rows(products), stop = (size_t)first + count;
  for (size_t unit = first, next; unit < stop; unit = next) {
    size_t block = unit / all, m = block * rows, own = at_most(a->M - m, rows);
    next = at_most(stop, (block + 1) * all);
    struct few_rows few = {0};
    struct many_rows many = {0};
    if (is_few)
      few = quantize_few(products, scratch);
    else
      many = quantize_many(products, m, own, has_totals, scratch);
    size_t from = unit - block * all, to = next - block * all; /* units, counted from the first unit of product i */
    for (size_t i = 0; i < 3; i++) {
      const struct qkv_linear *one = products + i;
      size_t groups = groups_of(one->N), n = from * ROW_SUMS, end = at_most(one->N, to * ROW_SUMS);
      if (n < end && is_few)
        multiply_few(one, &few, n, end);
      else if (n < end)
        multiply_many(one, &many, m, own, n, end, scratch);
      from -= at_most(from, groups), to -= at_most(to, groups);
    }
  }
  return QKV_OK;
}

/* Packs a panel (K,8) as blocks of int4. */
static uint32_t pack_int4(float *panel, size_t K, char *out) {
  for (size_t i = 0; i < K; i += INT4_BLOCK, panel += INT4_BLOCK * 8, out += INT4_BYTES) {
    size_t count = at_most(K - i, INT4_BLOCK);
    f4 low[2], inverse[2];
    for (size_t half = 0; half < 2; half++) {
      const float *from = panel + half * 4;
      f4 high = low[half] = load(from), size = zeros();
      for (size_t k = 0; k < count; k++) {
        f4 x = load(from + k * 8);
        low[half] = pmin(low[half], x);
        high = pmax(high, x);
        size = larger_size(size, x);
      }
      if (any_lane(not_equal(pmin(size, splat(LARGEST_INT4)), size)))
        return QKV_WEIGHTS_OUT_OF_RANGE;
      low[half] = bfloat16_below(low[half]);
      f4 scale = bfloat16_above(mul(sub(high, low[half]), splat(1.0f / 15.0f)));
      m4 tiny = less(scale, splat(LEAST_SCALE));
      scale = zero_where(tiny, scale);
      inverse[half] = zero_where(tiny, quotient(splat(1.0f), scale));
      store((float *)(void *)(out + half * 16), join_bfloat16(scale, low[half]));
    }
    for (size_t k = 0; k < INT4_BLOCK; k += 4) {
      i4 numbers[8];
      for (size_t c = 0; c < 8; c++) {
        f4 x = k + c / 2 < count ? load(panel + k * 8 + c * 4) : low[c % 2];
        numbers[c] = to_integers(mul(sub(x, low[c % 2]), inverse[c % 2]));
      }
      store_nibbles(out + 32 + k * 4, numbers);
    }
  }
  return QKV_OK;
}

/* W (N,K) -> panels; those of int8 are (N/8 rounded up, K/2 rounded up, 4, 2, 2) */
uint32_t QKV_EXPORT(qkv_pack_integer)(const struct qkv_pack_linear *a) {
  size_t K = a->K;
  char *out = a->packed;
  for (size_t n = 0; n < a->N; n += 8, out += a->panel_size) {
    float *panel = a->scratch, factor[8];
    pack_panel(panel, a->w + n * a->w_row, K, a->w_column, a->w_row, at_most(a->N - n, 8));
    if (a->weights == QKV_WEIGHTS_INT4) {
      if (pack_int4(panel, K, out) != QKV_OK)
        return QKV_WEIGHTS_OUT_OF_RANGE;
      continue;
    }
    float *scales = a->scales + n;
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
      panel[K * 8 + c] = 0.0f; /* the missing half of the last pair */
    for (size_t k = 0; k < K; k += 2) {
      i4 numbers[4];
      for (size_t i = 0; i < 4; i++)
        numbers[i] = to_integers(mul(load(panel + k * 8 + i * 4), load(factor + i % 2 * 4)));
      store_int8_pairs(out + k * 8, numbers, numbers + 2);
    }
  }
  return QKV_OK;
}
