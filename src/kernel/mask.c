/* mask.c: the functions of mask.h that are not inlined. mask and bias broadcast to (B,H,L,S), scores (S). */
#include "mask.h"

struct span visible_span(const struct qkv_attention *a, uint32_t b, uint32_t i) {
  int64_t position = position_of(a, b, i);
  int64_t from = a->left == QKV_OPEN ? 0 : position - a->left;
  int64_t to = a->right == QKV_OPEN ? a->S : position + a->right + 1;
  int64_t length = a->key_lengths && a->key_lengths[b] < a->S ? a->key_lengths[b] : a->S;
  to = to < 0 ? 0 : to < length ? to : length;
  from = from < 0 ? 0 : from < to ? from : to;
  return (struct span){(uint32_t)from, (uint32_t)to};
}

void mask_scores(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t from, uint32_t to,
                 float *scores, size_t stride) {
  struct span span = visible_span(a, b, i);
  for (uint32_t j = from; j < to; j++) {
    float *s = scores + (j - from) * stride;
    int seen = j >= span.from && j < span.to && passes_mask(a, b, h, i, j);
    *s = seen ? *s + bias_at(a, b, h, i, j) : HIDDEN;
  }
}
