/* texts.h: packed texts, one after the other in the rows of q (T,H,D) and k (T,G,D), where T counts the rows of all
 * texts. */
#ifndef TEXTS_H
#define TEXTS_H

#include "qkv.h"

/* Returns the arguments for text b, as a batch of one, or a copy of `a` if texts are not packed. */
struct qkv_attention text_of(const struct qkv_attention *a, uint32_t b);

/* Returns the number of texts that text_of can return. */
static inline uint32_t texts_of(const struct qkv_attention *a) { return a->cu_seqlens_q ? a->B : 1; }

#endif
