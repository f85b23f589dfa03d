/* linear_pack.h: packed weights. W (N,K) is stored in panels of eight rows, (N/8 rounded up, K, 8). */
#ifndef LINEAR_PACK_H
#define LINEAR_PACK_H

#include "qkv.h"
#include "simd.h"

/* int4 has a scale and a minimum for each 32 values of a row. For eight rows these take 32 bytes, the values 128. */
enum { INT4_BLOCK = 32, INT4_BYTES = 160 };

/* Layout of eight rows of GGUF blocks in a panel: `head` bytes for 256 values, then for each 32 values `scales`
 * bytes and numbers of `bits` bits, from which `offset` is subtracted. */
struct block_form {
  uint8_t bits, head, scales, offset;
};

/* Returns the layout of a type of blocks. */
INLINE struct block_form block_form(uint32_t weights) {
  switch (weights) {
  case QKV_WEIGHTS_Q8_0:
    return (struct block_form){8, 0, 16, 0};
  case QKV_WEIGHTS_Q4_0:
    return (struct block_form){4, 0, 16, 8};
  case QKV_WEIGHTS_Q4_1:
    return (struct block_form){4, 0, 32, 0};
  case QKV_WEIGHTS_Q5_0:
    return (struct block_form){5, 0, 16, 16};
  case QKV_WEIGHTS_Q5_1:
    return (struct block_form){5, 0, 32, 0};
  case QKV_WEIGHTS_Q4_K:
    return (struct block_form){4, 160, 0, 0};
  case QKV_WEIGHTS_Q5_K:
    return (struct block_form){5, 160, 0, 0};
  default:
    return (struct block_form){6, 144, 0, 32};
  }
}

/* Returns the size in bytes of a packed panel of eight rows with K values each. `weights` is of enum qkv_weights. */
INLINE size_t panel_bytes(uint32_t weights, size_t K) {
  if (weights > QKV_WEIGHTS_INT4) {
    struct block_form f = block_form(weights);
    return K / 256 * f.head + K / 32 * (f.scales + f.bits * 32u);
  }
  if (weights == QKV_WEIGHTS_INT4)
    return (K + INT4_BLOCK - 1) / INT4_BLOCK * INT4_BYTES;
  return weights == QKV_WEIGHTS_INT8 ? round_up(K, 2) * 8 : K * (weights == QKV_WEIGHTS_FLOAT16 ? 16 : 32);
}

/* Returns columns n to n + 8 of W^T, (K,8), as floats: in place if they are packed as float32, else converted into
 * `panel`. W must be strided, float32 or float16. */
const float *panel_of(const struct qkv_linear *a, size_t n, float *panel);

/* int8_place: offset of number k of column c < 8 in an int8 panel. int8_flip: the bits inverted there; inverting the
 * top bit adds 128. */
INLINE size_t int8_place(size_t k, size_t c) { return k / 2 * 16 + c % 4 * 4 + k % 2 * 2 + c / 4; }
INLINE uint8_t int8_flip(size_t c) { return c < 4 ? 0x80 : 0; }

#endif
