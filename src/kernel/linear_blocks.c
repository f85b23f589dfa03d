/* linear_blocks.c: weights as GGUF files have them, W (N,K) in blocks of 32 or 256 values of a row, without a second
 * rounding. https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-quants.c
 *
 * Q8_0:             W = d w, -128 <= w <= 127, with float16 d for 32 values
 * Q4_0, Q5_0:       W = d (w - 2^(bits - 1)), with float16 d for 32 values
 * Q4_1, Q5_1:       W = d w + m, with float16 d and m for 32 values
 * Q4_K, Q5_K:       W = (d s) w - (e m), with float16 d and e for 256 values, s and m of 6 bits for 32
 * Q6_K:             W = (d s) (w - 32), with float16 d for 256 values, signed s of 8 bits for 16
 *
 * With blocks b of 256 values of x = step q, and groups i of values that share a scale,
 *   y[n] = bias[n] + sum_b step[b] part[n][b],   dot[n][i] = sum_{k in i} q[k] (w[n][k] - offset)
 *   part = sum_{i in b} (d[n][i] dot[n][i] + m[n][i] total[i]),   total[i] = sum_{k in i} q[k]
 * and for Q4_K, Q5_K and Q6_K, with one d and e for each n and b,
 *   part = d sum_{i in b} s[n][i] dot[n][i] - e sum_{i in b} m[n][i] total[i]
 * dot, total, s dot (of two groups for Q4_K, see values_of_sum) and sum m total are exact as integers: |dot| <= 32 *
 * 32767 * 128 < 2^27.
 *
 * A panel holds eight rows in the layout of `block_form`. It takes as many bytes as in the file, except that Q4_K and
 * Q5_K take 2.8 and 2.3 % more, because s and m are stored in 8 bits. A float16 is stored with its exponent raised by
 * 10, so that none is subnormal, and load_float16 returns 2^-102 times its value. A scale must therefore be below 2^7.
 * The order of the numbers is that of load_pairs. */
#include "linear_blocks.h"
#include "rows.h"

static const float LIFT = 0x1p102f;

/* Reads s of group i from the head of 256 values: scale[0] is of columns 0 to 3, scale[1] of columns 4 to 7. */
INLINE void read_scales(uint32_t weights, const char *head, size_t i, i4 scale[2]) {
  /* A word holds two columns' scales of two groups. The load is offset so that the scales of group i are the upper two
   * bytes. */
  const char *at = head + halves_bytes(weights) + i / 2 * 16 + i % 2 * 2 - 2;
  i4 bytes = load_int16s((const int16_t *)(const void *)at);
  scale[0] = signed_byte(bytes, 2);
  scale[1] = signed_byte(bytes, 3);
}

/* Multiplies dot (8), sums of q w over group i, by s. dot[1] is 2^bits times too large before. */
INLINE void scale_dots(uint32_t weights, const char *head, size_t i, i4 dot[2]) {
  i4 scale[2];
  read_scales(weights, head, i, scale);
  dot[0] = multiply_integers(scale[0], dot[0]);
  dot[1] = multiply_integers(scale[1], by_power(dot[1], block_form(weights).bits));
}

/* Splits eight integers into int16: total = 1024 high + low, |total| <= 2^20. */
INLINE void split_totals(const int32_t *totals, int16_t *high, int16_t *low) {
  i4 parts[2][2];
#pragma unroll
  for (size_t i = 0; i < 2; i++) {
    i4 total = load((const float *)(const void *)(totals + i * 4));
    parts[0][i] = by_power(total, 10);
    parts[1][i] = subtract_integers(total, times_power(parts[0][i], 10));
  }
  store_int16s(high, join_int16s(parts[0][0], parts[0][1]));
  store_int16s(low, join_int16s(parts[1][0], parts[1][1]));
}

/* sums (8) = sum_i m[i] total[i] over the eight groups of 256 values. An int16 of `minima` is m + 256 m', m of column c
 * and m' of column c + 4. The sums are exact, below 8 * 63 * 2^20 < 2^29. */
INLINE void dot_minima(const char *minima, const int16_t *high, const int16_t *low, i4 sums[2]) {
  i4 upper[2] = {zeros(), zeros()}, lower[2] = {zeros(), zeros()};
#pragma unroll
  for (size_t i = 0; i < 8; i += 2) {
    i4 both = load_int16s((const int16_t *)(const void *)(minima + i * 8));
    i4 pair[2] = {both, high_bytes(both)};
    i4 h = splat_from((const float *)(const void *)(high + i)), l = splat_from((const float *)(const void *)(low + i));
#pragma unroll
    for (size_t half = 0; half < 2; half++) {
      upper[half] = add_products(upper[half], h, pair[half]);
      lower[half] = add_products(lower[half], l, pair[half]);
    }
  }
#pragma unroll
  for (size_t half = 0; half < 2; half++)
    sums[half] = add_integers(times_power(upper[half], 10), lower[half]);
  sums[0] = subtract_integers(sums[0], times_power(sums[1], 8));
}

/* sums (PANELS, 8) += step * (q (count) . W). The type of blocks, `weights`, is a compile-time constant. An int16 of W
 * holds the numbers v and w of two columns as v + 2^bits w, and sum q v = sum q (v + 2^bits w) - sum q 2^bits w. These
 * sums may wrap around, but the difference is exact. */
INLINE void dot_type(uint32_t weights, const int16_t *q, const int32_t *totals, float step, size_t count,
                     const struct streams *s, const char *w, float *sums) {
  const struct block_form f = block_form(weights);
  const size_t bits = f.bits, group = values_of_scale(weights);
  const size_t values = bits == 5 ? 16 : bits == 6 ? 8 : bits == 4 ? 4 : 2; /* values read at a time (whole vectors) */
  const int has_own_minima = has_minima(weights) && !f.head;
  size_t at[PANELS];
#pragma unroll
  for (size_t p = 0; p < PANELS; p++)
    at[p] = p ? at[p - 1] + (p < s->count ? s->bytes : 0) : 0; /* missing panels repeat the last one */
  /* Without a head, except with 8 bits, the sums of columns 4 to 7 are 2^bits times too large until the end. */
  const float power = bits == 8 ? 1.0f : 1.0f / (float)(1 << bits);
  const int has_pairs = values_of_sum(weights) > group; /* two groups become one sum of integers */
  float parts[ROW_SUMS] = {0};
  i4 first[PANELS][2]; /* the scaled sums of the first group of a pair */
  const char *own = w + f.head;
  for (size_t i = 0; i < count / group; i++) {
    const char *scales = own;
    own += f.scales;
    i4 acc[PANELS][2], start[2] = {zeros(), zeros()};
    const size_t offset = bits == 8 ? 128 : f.offset;
    if (offset) { /* sum q (w - offset) starts from -offset sum q */
      i4 sum =
          group == SMALL_BLOCK ? splat_int32(totals + i) : lanes_together(add_integers(pairs_of(q), pairs_of(q + 8)));
      start[0] = subtract_integers(zeros(), times_power(sum, (uint32_t)lowest_bit(offset)));
      if (bits != 8)
        start[1] = times_power(start[0], (uint32_t)bits), start[0] = add_integers(start[0], start[1]);
    }
#pragma unroll
    for (size_t p = 0; p < PANELS; p++)
      acc[p][0] = start[0], acc[p][1] = start[1];
    for (const char *end = own + group * bits; own < end; q += values, own += values * bits) {
      i4 x[8];
#pragma unroll
      for (size_t k = 0; k < values / 2; k++)
        x[k] = splat_from((const float *)(const void *)(q + k * 2));
#pragma unroll
      for (size_t p = 0; p < PANELS; p++) {
        i4 pairs[2][8];
        load_pairs(bits, own + at[p], pairs);
#pragma unroll
        for (size_t half = 0; half < 2; half++)
#pragma unroll
          for (size_t k = 0; k < values / 2; k++)
            acc[p][half] = add_products(acc[p][half], x[k], pairs[half][k]);
      }
    }
    f4 total[2];
    if (has_own_minima) {
      total[0] = splat_integer(totals + i);
      total[1] = mul(total[0], splat(1.0f / power));
    }
#pragma unroll
    for (size_t p = 0; p < PANELS; p++) {
      acc[p][0] = subtract_integers(acc[p][0], bits == 8 ? times_power(acc[p][1], 8) : acc[p][1]);
      f4 scale[2], minimum[2];
      if (f.head)
        scale_dots(weights, w + at[p], i, acc[p]);
      else
        load_float16(scales + at[p], &scale[0], &scale[1]);
      if (has_own_minima)
        load_float16(scales + at[p] + 16, &minimum[0], &minimum[1]);
      if (has_pairs && i % 2 == 0) {
        first[p][0] = acc[p][0], first[p][1] = acc[p][1];
        continue;
      }
#pragma unroll
      for (size_t half = 0; half < 2; half++) {
        float *part = parts + p * 8 + half * 4;
        f4 product = from_integers(has_pairs ? add_integers(first[p][half], acc[p][half]) : acc[p][half]);
        f4 sum = add(load(part), f.head ? product : mul(scale[half], product));
        if (has_own_minima)
          sum = add(sum, mul(minimum[half], total[half]));
        store(part, sum);
      }
    }
  }
  int16_t high[8], low[8];
  if (has_integer_minima(weights))
    split_totals(totals, high, low);
  const float *part = parts;
  for (const float *end = sums + s->count * 8; sums != end; w += s->bytes, part += 8, sums += 8) {
    f4 d[2], e[2];
    i4 minima[2];
    if (f.head)
      load_float16(w, &d[0], &d[1]);
    if (has_integer_minima(weights)) {
      load_float16(w + 16, &e[0], &e[1]); /* -e */
      dot_minima(w + minima_at(weights), high, low, minima);
    }
#pragma unroll
    for (size_t half = 0; half < 2; half++) {
      f4 sum = load(part + half * 4);
      if (f.head)
        sum = mul(d[half], sum);
      else if (half && bits != 8)
        sum = mul(sum, splat(power));
      if (has_integer_minima(weights))
        sum = add(sum, mul(e[half], from_integers(minima[half])));
      store(sums + half * 4, add(load(sums + half * 4), mul(splat(step), mul(sum, splat(LIFT)))));
    }
  }
}

static NOINLINE void dot_q8_0(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q8_0, q, totals, step, count, s, w, sums);
}
static NOINLINE void dot_q4_0(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q4_0, q, totals, step, count, s, w, sums);
}
static NOINLINE void dot_q4_1(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q4_1, q, totals, step, count, s, w, sums);
}
static NOINLINE void dot_q5_0(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q5_0, q, totals, step, count, s, w, sums);
}
static NOINLINE void dot_q5_1(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q5_1, q, totals, step, count, s, w, sums);
}
static NOINLINE void dot_q4_k(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q4_K, q, totals, step, count, s, w, sums);
}
static NOINLINE void dot_q5_k(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q5_K, q, totals, step, count, s, w, sums);
}
static NOINLINE void dot_q6_k(const int16_t *q, const int32_t *totals, float step, size_t count,
                              const struct streams *s, const char *w, float *sums) {
  dot_type(QKV_WEIGHTS_Q6_K, q, totals, step, count, s, w, sums);
}

/* Indexed by enum qkv_weights from QKV_WEIGHTS_Q8_0 on. */
static void (*const DOT[])(const int16_t *, const int32_t *, float, size_t, const struct streams *, const char *,
                           float *) = {dot_q8_0, dot_q4_0, dot_q4_1, dot_q5_0, dot_q5_1, dot_q4_k, dot_q5_k, dot_q6_k};

void dot_blocks(const struct qkv_linear *a, const int16_t *q, const int32_t *totals, float step, size_t count,
                const struct streams *s, const char *w, float *sums) {
  DOT[a->weights - QKV_WEIGHTS_Q8_0](q, totals, step, count, s, w, sums);
}

/* wide (count/2, 8, 2) = numbers - offset, times the scales of their columns unless `scale` is 0. `bits` is a
 * compile-time constant. */
INLINE void widen_numbers(size_t bits, const char *w, size_t count, uint32_t offset, const i4 *scale, int16_t *wide) {
  const size_t step = bits == 5 ? 16 : bits == 6 ? 8 : bits == 4 ? 4 : 2;
  for (const int16_t *end = wide + count * 8; wide != end; w += step * bits) {
    i4 pairs[2][8];
    load_pairs(bits, w, pairs);
#pragma unroll
    for (size_t i = 0; i < step / 2; i++, wide += 16)
      widen_pair(bits, wide, pairs[0][i], offset, scale);
  }
}

/* Widens types with a head. The numbers are multiplied by their scales only if `is_scaled`. */
static void widen_with_head(uint32_t weights, const char *w, size_t count, int is_scaled, struct wide_panel *to) {
  struct block_form f = block_form(weights);
  size_t group = values_of_scale(weights);
  const char *numbers = w + f.head;
  int16_t *wide = to->numbers;
  for (size_t i = 0; i < count / group; i++, numbers += f.bits * group, wide += group * 8) {
    i4 scale[2];
    read_scales(weights, w, i, scale);
    for (size_t half = 0; half < 2; half++)
      scale[half] = is_scaled ? both_halves(scale[half]) : int16_ones();
    if (f.bits == 4)
      widen_numbers(4, numbers, SMALL_BLOCK, 0, scale, wide);
    else if (f.bits == 5)
      widen_numbers(5, numbers, SMALL_BLOCK, 0, scale, wide);
    else
      widen_numbers(6, numbers, group, f.offset, scale, wide);
  }
  f4 halves[2];
  load_float16(w, &halves[0], &halves[1]);
  for (size_t half = 0; half < 2; half++)
    store(to->d + half * 4, mul(halves[half], splat(LIFT)));
  if (!has_integer_minima(weights))
    return;
  load_float16(w + 16, &halves[0], &halves[1]);
  for (size_t half = 0; half < 2; half++)
    store(to->e + half * 4, mul(halves[half], splat(LIFT)));
  for (size_t i = 0; i < 4; i++) {
    i4 bytes = load_int16s((const int16_t *)(const void *)(w + minima_at(weights) + i * 16));
    float *minima = to->minima + i * 16;
    store(minima, signed_byte(bytes, 0)), store(minima + 4, signed_byte(bytes, 1));
    store(minima + 8, signed_byte(bytes, 2)), store(minima + 12, signed_byte(bytes, 3));
  }
}

void widen_blocks(uint32_t weights, const char *w, size_t count, struct wide_panel *to) {
  struct block_form f = block_form(weights);
  if (f.head) {
    widen_with_head(weights, w, count, 1, to);
    return;
  }
  for (size_t k = 0; k < count; k += SMALL_BLOCK, w += f.scales + f.bits * 32u) {
    const char *numbers = w + f.scales;
    int16_t *wide = to->numbers + k * 8;
    if (f.bits == 4)
      widen_numbers(4, numbers, SMALL_BLOCK, f.offset, 0, wide);
    else if (f.bits == 5)
      widen_numbers(5, numbers, SMALL_BLOCK, f.offset, 0, wide);
    else
      widen_numbers(8, numbers, SMALL_BLOCK, 0, 0, wide);
    for (size_t n = 0; n < 2; n++) { /* the scales, then the minima, of types that have them */
      float *floats = (n ? to->minima : to->scales) + k / SMALL_BLOCK * 8;
      f4 halves[2];
      load_float16(w + n * 16, &halves[0], &halves[1]);
      for (size_t half = 0; half < 2; half++)
        store(floats + half * 4, mul(halves[half], splat(LIFT)));
    }
  }
}

/* Returns s of row c and group i of 256 values, see read_scales. */
static float scale_at(uint32_t weights, const char *head, size_t i, size_t c) {
  const int8_t *scales = (const int8_t *)(head + halves_bytes(weights));
  return scales[i / 2 * 16 + c % 4 * 4 + i % 2 * 2 + c / 4];
}

void unpack_rows(const char *panel, uint32_t weights, size_t K, size_t row, size_t rows, float *out, size_t out_row,
                 size_t out_column) {
  struct wide_panel wide;
  size_t group = values_of_scale(weights);
  int has_head = block_form(weights).head != 0;
  for (size_t from = 0; from < K; from += BLOCK) {
    size_t count = at_most(K - from, BLOCK);
    const char *w = panel + panel_bytes(weights, from);
    if (has_head)
      widen_with_head(weights, w, count, 0, &wide);
    else
      widen_blocks(weights, w, count, &wide);
    for (size_t r = 0; r < rows; r++)
      for (size_t k = 0; k < count; k++) {
        size_t c = row + r, i = k / SMALL_BLOCK * 8 + c;
        float scale = has_head ? wide.d[c] * scale_at(weights, w, k / group, c) : wide.scales[i];
        float product = scale * (float)wide.numbers[(k / 2 * 8 + c) * 2 + k % 2];
        if (has_integer_minima(weights))
          product += wide.e[c] * (float)((const int32_t *)(const void *)wide.minima)[i];
        else if (has_minima(weights))
          product += wide.minima[i];
        out[r * out_row + (from + k) * out_column] = product;
      }
  }
}

uint32_t QKV_EXPORT(qkv_unpack_blocks)(const void *panel, uint32_t weights, uint32_t K, uint32_t row, uint32_t rows,
                                       float *out) {
  unpack_rows(panel, weights, K, row, rows, out, K, 1);
  return QKV_OK;
}

static uint32_t half_at(const uint8_t *p) { return (uint32_t)(p[0] | p[1] << 8); }

/* Raises the exponent of a float16, given by its bits, by 10. Returns 0 if the number is 2^7 or more, infinite or
 * NaN. */
static int raise_exponent(uint32_t *half) {
  uint32_t sign = *half & 0x8000, size = *half & 0x7fff, exponent = size >> 10;
  if (exponent > 21)
    return 0;
  if (exponent == 0 && size > 0) { /* subnormal: the value is size * 2^-24 */
    uint32_t top = 31 - (uint32_t)__builtin_clz(size);
    *half = sign | (top + 1) << 10 | ((size << (10 - top)) & 1023);
  } else
    *half = sign | size + (exponent ? 10u << 10 : 0);
  return 1;
}

/* Returns the size in bytes of a block in the file. */
static size_t file_bytes(uint32_t weights) {
  static const uint8_t BYTES[] = {34, 18, 20, 22, 24, 144, 176, 210};
  return BYTES[weights - QKV_WEIGHTS_Q8_0];
}

/* Unpacks the n-th 32 values of eight blocks to numbers (8, 32), one per byte. */
static void read_numbers(uint32_t weights, const uint8_t *const blocks[8], size_t n, uint8_t *numbers) {
  size_t low = 0, high = 0; /* offsets of the four low bits and of the higher bits */
  uint32_t shift = n % 2 * 4, high_shift = n % 4 * 2;
  switch (weights) {
  case QKV_WEIGHTS_Q8_0:
  case QKV_WEIGHTS_Q4_0:
    low = 2;
    break;
  case QKV_WEIGHTS_Q4_1:
    low = 4;
    break;
  case QKV_WEIGHTS_Q5_0:
    low = 6, high = 2;
    break;
  case QKV_WEIGHTS_Q5_1:
    low = 8, high = 4;
    break;
  case QKV_WEIGHTS_Q4_K:
    low = 16 + n / 2 * 32;
    break;
  case QKV_WEIGHTS_Q5_K:
    low = 48 + n / 2 * 32, high = 16;
    break;
  default: /* Q6_K */
    low = n / 4 * 64 + n % 2 * 32, shift = n % 4 / 2 * 4, high = 128 + n / 4 * 32;
  }
  for (size_t c = 0; c < 8; c++, numbers += SMALL_BLOCK) {
    const uint8_t *from = blocks[c] + low, *above = blocks[c] + high;
    i4 first = load_bytes(from), second;
    if (weights >= QKV_WEIGHTS_Q4_K) { /* four bits of each of 32 bytes */
      second = bits_of_bytes(load_bytes(from + 16), 15u << shift, 4 - shift, 4);
      first = bits_of_bytes(first, 15u << shift, 4 - shift, 4);
    } else if (weights == QKV_WEIGHTS_Q8_0)
      second = load_bytes(from + 16);
    else { /* 16 bytes hold 32 numbers of 4 bits */
      second = bits_of_bytes(first, 0xf0, 0, 4);
      first = bits_of_bytes(first, 0x0f, 0, 0);
    }
    if (weights == QKV_WEIGHTS_Q5_K) {
      first = either(first, sixteens_where(load_bytes(above), splat_byte(1u << n)));
      second = either(second, sixteens_where(load_bytes(above + 16), splat_byte(1u << n)));
    } else if (weights == QKV_WEIGHTS_Q6_K) {
      first = either(first, bits_of_bytes(load_bytes(above), 3u << high_shift, 6 - high_shift, 2));
      second = either(second, bits_of_bytes(load_bytes(above + 16), 3u << high_shift, 6 - high_shift, 2));
    } else if (high) {
      first = either(first, sixteens(half_at(above)));
      second = either(second, sixteens(half_at(above + 2)));
    }
    store_bytes(numbers, first);
    store_bytes(numbers + 16, second);
  }
}

/* Packs sixteen columns of numbers (8, 32) into a panel; `bits` is a compile-time constant. */
INLINE void pack_sixteen(size_t bits, const uint8_t *numbers, char *to) {
  i4 pairs[8];
  for (size_t c = 0; c < 4; c++) {
    i4 low = load_bytes(numbers + c * SMALL_BLOCK), high = load_bytes(numbers + (c + 4) * SMALL_BLOCK);
    join_columns(bits, low, high, &pairs[c], &pairs[c + 4]);
  }
  transpose(pairs);
  transpose(pairs + 4);
  store_pairs(bits, to, pairs);
}

static void pack_numbers(size_t bits, const uint8_t *numbers, char *to) {
  for (size_t k = 0; k < SMALL_BLOCK; k += 16, numbers += 16, to += 16 * bits)
    if (bits == 4)
      pack_sixteen(4, numbers, to);
    else if (bits == 5)
      pack_sixteen(5, numbers, to);
    else if (bits == 6)
      pack_sixteen(6, numbers, to);
    else
      pack_sixteen(8, numbers, to);
}

/* Unpacks 12 bytes with the scales and minima of 256 values, eight of each with 6 bits. Returns the scales, then the
 * minima, one per byte. */
static i4 six_bits(const uint8_t *b) {
  uint32_t words[3], low = 0x3f3f3f3f, four = 0x0f0f0f0f, two = 0x30303030;
  __builtin_memcpy(words, b, sizeof words);
  uint32_t apart[4] = {words[0] & low, (words[2] & four) | (words[0] >> 2 & two), words[1] & low,
                       (words[2] >> 4 & four) | (words[1] >> 2 & two)};
  return load_bytes((const uint8_t *)(const void *)apart);
}

/* Packs the scales and minima of 256 values of eight rows into 128 bytes. Lane c of a vector holds those of columns c
 * and c + 4 for two groups. */
static void pack_scales(uint32_t weights, const uint8_t *const blocks[8], char *to) {
  i4 words[8];
  for (size_t c = 0; c < 4; c++) {
    const uint8_t *low = blocks[c], *high = blocks[c + 4];
    if (weights == QKV_WEIGHTS_Q6_K)
      zip_bytes(load_bytes(low + 192), load_bytes(high + 192), &words[c], &words[c + 4]);
    else
      zip_bytes(six_bits(low + 4), six_bits(high + 4), &words[c], &words[c + 4]);
  }
  transpose(words);
  transpose(words + 4);
  for (size_t n = 0; n < 8; n++)
    store_bytes((uint8_t *)(void *)(to + n * 16), words[n]);
}

/* Packs the float16 at offset `at` of each of the first `rows` blocks, and 0 for the others. Columns c and c + 4 share
 * a word. Flips the sign bits if `sign` is 0x8000. Returns 0 if a number is out of range. */
static int pack_halves(const uint8_t *blocks[8], size_t rows, size_t at, uint32_t sign, char *out) {
  uint32_t words[4] = {0};
  for (size_t c = 0; c < rows; c++) {
    uint32_t half = half_at(blocks[c] + at);
    if (!raise_exponent(&half))
      return 0;
    words[c % 4] |= (half ^ sign) << (c / 4 * 16);
  }
  __builtin_memcpy(out, words, sizeof words);
  return 1;
}

uint32_t QKV_EXPORT(qkv_pack_blocks)(const struct qkv_pack_linear *a) {
  uint32_t weights = a->weights;
  struct block_form f = block_form(weights);
  size_t values = f.head ? BLOCK : SMALL_BLOCK, bytes = file_bytes(weights);
  char *panel = a->packed;
  for (size_t n = 0; n < a->N; n += 8, panel += a->panel_size) {
    const uint8_t *blocks[8];
    size_t rows = at_most(a->N - n, 8);
    for (size_t c = 0; c < 8; c++) /* missing rows repeat the last one, with scales of 0 */
      blocks[c] = (const uint8_t *)(const void *)a->w + (n + at_most(c, rows - 1)) * a->w_row;
    char *out = panel;
    for (size_t k = 0; k < a->K; k += values) {
      size_t from = weights == QKV_WEIGHTS_Q6_K ? 208 : 0;
      char *scales = out;
      out += f.head;
      if (!pack_halves(blocks, rows, from, 0, scales))
        return QKV_WEIGHTS_OUT_OF_RANGE;
      if (has_minima(weights) && !pack_halves(blocks, rows, 2, f.head ? 0x8000 : 0, scales + 16))
        return QKV_WEIGHTS_OUT_OF_RANGE;
      if (f.head)
        pack_scales(weights, blocks, scales + halves_bytes(weights));
      for (size_t i = 0; i < values / SMALL_BLOCK; i++, out += f.scales + f.bits * 32u) {
        uint8_t numbers[8 * SMALL_BLOCK];
        read_numbers(weights, blocks, i, numbers);
        pack_numbers(f.bits, numbers, out + f.scales);
      }
      for (size_t c = 0; c < 8; c++)
        blocks[c] += bytes;
    }
  }
  return QKV_OK;
}
