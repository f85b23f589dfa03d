/* rope.c: rotary position embedding (Su et al. 2021). x, y (B,A,L,C,D): the axis of heads is before the rows (A) or
 * within them (C). The first 2 * half values of each head are rotated in pairs, the others copied:
 *   y1 = cos x1 - sin x2,  y2 = sin x1 + cos x2.
 * Pairs are (d, d + half), or (2d, 2d + 1) when interleaved. */
#include "qkv.h"
#include "simd.h"

static void rotate(const struct qkv_rope *a, const float *x, float *y, const float *cosine, const float *sine) {
  size_t first = a->interleaved ? 2 : 1, second = a->interleaved ? 1 : a->half, d = 0;
  for (; d + 4 <= a->half; d += 4) {
    size_t next = a->interleaved ? 4 : second;
    f4 c = load(cosine + d), s = load(sine + d), x1 = load(x + d * first), x2 = load(x + d * first + next);
    if (a->interleaved)
      unzip(&x1, &x2);
    f4 y1 = sub(mul(c, x1), mul(s, x2)), y2 = add(mul(s, x1), mul(c, x2));
    if (a->interleaved)
      zip(&y1, &y2);
    store(y + d * first, y1);
    store(y + d * first + next, y2);
  }
  for (; d < a->half; d++) {
    float c = cosine[d], s = sine[d], x1 = x[d * first], x2 = x[d * first + second];
    y[d * first] = c * x1 - s * x2;
    y[d * first + second] = s * x1 + c * x2;
  }
  for (d = 2 * (size_t)a->half; d < a->D; d++)
    y[d] = x[d];
}

uint32_t QKV_EXPORT(qkv_rope_part)(const struct qkv_rope *a, uint32_t first, uint32_t count) {
  for (size_t unit = first; unit < (size_t)first + count; unit++) {
    size_t b = unit / a->L / a->A, i = unit % a->L, row = (size_t)a->rows[b * a->L + i] * a->half;
    for (size_t c = 0; c < a->C; c++) {
      size_t at = (unit * a->C + c) * a->D;
      rotate(a, a->x + at, a->y + at, a->cosine + row, a->sine + row);
    }
  }
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_rope)(const struct qkv_rope *a) {
  if (a->half > a->D / 2)
    return QKV_ROPE_TOO_WIDE;
  for (size_t n = 0; n < (size_t)a->B * a->L; n++)
    if (a->rows[n] >= a->table)
      return QKV_ID_OUT_OF_RANGE;
  return qkv_rope_part(a, 0, a->B * a->A * a->L);
}
