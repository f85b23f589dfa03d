/* simd.c: the functions of simd.h that are not inlined. */
#include "simd.h"

f4 load_tail(const float *p, size_t n) {
  f4 x = zeros();
  if (n > 0)
    x = wasm_v128_load32_lane(p, x, 0);
  if (n > 1)
    x = wasm_v128_load32_lane(p + 1, x, 1);
  if (n > 2)
    x = wasm_v128_load32_lane(p + 2, x, 2);
  return x;
}

void store_tail(float *p, size_t n, f4 x) {
  if (n > 0)
    wasm_v128_store32_lane(p, x, 0);
  if (n > 1)
    wasm_v128_store32_lane(p + 1, x, 1);
  if (n > 2)
    wasm_v128_store32_lane(p + 2, x, 2);
}
