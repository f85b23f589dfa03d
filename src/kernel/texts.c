/* texts.c: the functions of texts.h. */
#include "texts.h"

struct qkv_attention text_of(const struct qkv_attention *a, uint32_t b) {
  struct qkv_attention text = *a;
  if (!a->cu_seqlens_q)
    return text;
  uint32_t q = a->cu_seqlens_q[b], k = a->cu_seqlens_k[b];
  text.B = 1, text.L = a->cu_seqlens_q[b + 1] - q, text.S = a->cu_seqlens_k[b + 1] - k;
  text.q.data += (size_t)q * a->q.row;
  if (a->out.data) // null in the backward pass
    text.out.data += (size_t)q * a->out.row;
  text.k.data += (size_t)k * a->k.row, text.v.data += (size_t)k * a->v.row;
  if (a->past)
    text.past += b;
  if (a->key_lengths)
    text.key_lengths += b;
  if (a->mask.data)
    text.mask.data += (size_t)b * a->mask.batch;
  if (a->bias.data)
    text.bias.data += (size_t)b * a->bias.batch;
  text.cu_seqlens_q = text.cu_seqlens_k = 0;
  return text;
}
