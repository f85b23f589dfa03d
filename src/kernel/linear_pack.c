/* linear_pack.c: weights in panels of eight rows, W (N,K) -> (N/8 rounded up, K, 8), as float32 or narrower.
 *
 * float16: each row times the power of 2 that brings its largest value to 2^14 ... 2^15, so that hardly any value is
 *   subnormal; scale = 2^112 / that power. A value w is off by at most 2^-11 |w| (2^-39 of the row's largest, if that
 * is more), and what is a float16 or a bfloat16 already by nothing (for bfloat16 down to 2^-31 of the row's largest).
 * int8: scale = max |w| / 127 of the row. A value is off by at most scale / 2. */
#include "linear.h"

static uint32_t bits_of(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static float power2(int n) { /* 2^n, -126 <= n <= 127 */
  uint32_t bits = (uint32_t)(n + 127) << 23;
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/* The nearest float16, ties to even, of |x| < 65520. */
static uint16_t to_float16(float x) {
  uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size >= 0x38800000)
    return (uint16_t)(sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
  float shifted = (x < 0.0f ? -x : x) + 0.5f; /* its last bit is worth 2^-24, as that of a subnormal float16 */
  return (uint16_t)(sign | (bits_of(shifted) - 0x3f000000));
}

/* The row's scale, and in *factor what its values are multiplied with before they are rounded. */
static float scale_of(float largest, uint32_t weights, float *factor) {
  if (weights == QKV_WEIGHTS_INT8) {
    *factor = largest > 1e-36f ? 127.0f / largest : 0.0f;
    return largest / 127.0f;
  }
  int power = 14 + 127 - (int)(bits_of(largest) >> 23); /* largest * 2^power is 2^14 or more, but below 2^15 */
  power = power > 112 ? 112 : power;
  *factor = power2(power);
  return power2(112 - power);
}

uint32_t QKV_EXPORT(qkv_pack_linear)(const float *w, size_t w_row, size_t w_column, size_t K, size_t N,
                                     uint32_t weights, uint32_t is_quantized, void *packed, float *scales,
                                     float *scratch) {
  char *out = packed;
  for (size_t n = 0; n < N; n += 8, out += panel_bytes(weights, K)) {
    float *panel = weights == QKV_WEIGHTS_FLOAT32 ? (float *)(void *)out : scratch;
    pack_panel(panel, w + n * w_row, K, w_column, w_row, at_most(N - n, 8));
    if (weights == QKV_WEIGHTS_FLOAT32)
      continue;
    float factor[8];
    for (size_t c = 0; c < 8; c++) {
      factor[c] = 1.0f;
      if (is_quantized)
        continue;
      float largest = 0.0f;
      for (size_t k = 0; k < K; k++) {
        float size = panel[k * 8 + c] < 0.0f ? -panel[k * 8 + c] : panel[k * 8 + c];
        largest = larger(largest, size);
      }
      if (!(largest <= (weights == QKV_WEIGHTS_INT8 ? 3.4e38f : 0x1p29f)))
        return QKV_WEIGHTS_OUT_OF_RANGE;
      scales[n + c] = scale_of(largest, weights, factor + c);
    }
    if (weights == QKV_WEIGHTS_INT8) {
      int8_t *to = (int8_t *)out;
      for (size_t k = 0; k < round_up(K, 2); k++)
        for (size_t c = 0; c < 8; c++) {
          float value = k < K ? panel[k * 8 + c] * factor[c] : 0.0f;
          to[k / 2 * 16 + c * 2 + k % 2] = (int8_t)(value < 0.0f ? value - 0.5f : value + 0.5f);
        }
      continue;
    }
    uint16_t *to = (uint16_t *)(void *)out;
    for (size_t i = 0; i < K * 8; i++)
      to[i] = to_float16(panel[i] * factor[i % 8]);
  }
  return QKV_OK;
}

void widen_panel(const struct qkv_linear *a, size_t n, float *panel) {
  const char *w = (const char *)a->w + n / 8 * panel_bytes(a->weights, a->K);
  if (a->weights == QKV_WEIGHTS_STRIDED) {
    pack_panel(panel, (const float *)a->w + n * a->w_row, a->K, a->w_column, a->w_row, at_most(a->N - n, 8));
    return;
  }
  f4 scale[2] = {load(a->scales + n), load(a->scales + n + 4)};
  if (a->weights == QKV_WEIGHTS_FLOAT16) {
    for (size_t k = 0; k < a->K; k++) {
      f4 left, right;
      load_float16(w + k * 16, &left, &right);
      store(panel + k * 8, mul(left, scale[0]));
      store(panel + k * 8 + 4, mul(right, scale[1]));
    }
    return;
  }
  for (size_t k = 0; k < a->K; k += 2) {
    f4 first[2], second[2];
    load_int8_pairs(w + k * 8, first, second);
    for (size_t half = 0; half < 2; half++) {
      store(panel + k * 8 + half * 4, mul(first[half], scale[half]));
      if (k + 1 < a->K)
        store(panel + k * 8 + 8 + half * 4, mul(second[half], scale[half]));
    }
  }
}
