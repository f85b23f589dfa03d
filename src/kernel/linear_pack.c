/* linear_pack.c: weights in panels of eight rows, W (N,K) -> (N/8 rounded up, K, 8), as float32 or float16.
 *
 * float16: each row is multiplied by the power of 2 that brings its largest value to 2^14 ... 2^15, so that hardly any
 * value is subnormal; scale = 2^112 / that power, because load_float16 returns 2^-112 times a number. As scale is a
 * float, 2^127 at most, no value may be above 65504 * 2^15. The error of a value w is at most 2^-11 |w|, or 2^-39 of
 * the row's largest if that is more. Values that are float16 already are exact, and so are bfloat16 down to 2^-31 of
 * the row's largest. */
#include "linear_pack.h"
#include "tile.h"

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

/* Returns the scale of a row whose largest |w| is `largest`. Sets *factor to the power of 2 by which its values are
 * multiplied before they are rounded. */
static float scale_of(float largest, float *factor) {
  int power = 14 + 127 - (int)(bits_of(largest) >> 23);  /* largest * 2^power is in [2^14, 2^15) */
  power = power > 112 ? 112 : power < -15 ? -15 : power; /* scale is a float: at most 2^127 */
  *factor = power2(power);
  return power2(112 - power);
}

uint32_t QKV_EXPORT(qkv_pack_linear)(const struct qkv_pack_linear *a) {
  const float *w = a->w;
  size_t w_row = a->w_row, w_column = a->w_column, K = a->K, N = a->N, panel_size = a->panel_size;
  uint32_t weights = a->weights;
  char *out = a->packed;
  if (weights == QKV_WEIGHTS_FLOAT32 && w_row == 1) {
    size_t n = 0;
    for (; n + 32 <= N; n += 32, out += 4 * panel_size) /* whole cache lines of a row of w */
      for (size_t k = 0; k < K; k++)
        for (size_t c = 0; c < 32; c += 4)
          store((float *)(void *)(out + c / 8 * panel_size) + k * 8 + c % 8, load(w + k * w_column + n + c));
    w += n, N -= n;
  }
  for (size_t n = 0; n < N; n += 8, out += panel_size) {
    float *panel = weights == QKV_WEIGHTS_FLOAT32 ? (float *)(void *)out : a->scratch;
    pack_panel(panel, w + n * w_row, K, w_column, w_row, at_most(N - n, 8));
    if (weights == QKV_WEIGHTS_FLOAT32)
      continue;
    f4 size[2] = {zeros(), zeros()}, by[2];
    for (size_t k = 0; k < K; k++)
      for (size_t half = 0; half < 2; half++)
        size[half] = larger_size(size[half], load(panel + k * 8 + half * 4));
    float largest[8], factor[8];
    for (size_t half = 0; half < 2; half++)
      store(largest + half * 4, size[half]);
    for (size_t c = 0; c < 8; c++) {
      if (!(largest[c] <= 65504.0f * 0x1p15f))
        return QKV_WEIGHTS_OUT_OF_RANGE;
      a->scales[n + c] = scale_of(largest[c], factor + c);
    }
    for (size_t half = 0; half < 2; half++)
      by[half] = load(factor + half * 4);
    for (size_t k = 0; k < K; k++, panel += 8) {
      i4 numbers[2];
      for (size_t half = 0; half < 2; half++)
        numbers[half] = to_float16(mul(load(panel + half * 4), by[half]));
      store_halves(out + k * 16, numbers);
    }
  }
  return QKV_OK;
}

const float *panel_of(const struct qkv_linear *a, size_t n, float *panel) {
  const char *w = (const char *)a->w + n / 8 * panel_bytes(a->weights, a->K);
  if (a->weights == QKV_WEIGHTS_FLOAT32)
    return (const float *)(const void *)w;
  if (a->weights == QKV_WEIGHTS_STRIDED) {
    pack_panel(panel, (const float *)a->w + n * a->w_row, a->K, a->w_column, a->w_row, at_most(a->N - n, 8));
    return panel;
  }
  f4 scale[2] = {load(a->scales + n), load(a->scales + n + 4)};
  for (size_t k = 0; k < a->K; k++) {
    f4 left, right;
    load_float16(w + k * 16, &left, &right);
    store(panel + k * 8, mul(left, scale[0]));
    store(panel + k * 8 + 4, mul(right, scale[1]));
  }
  return panel;
}
