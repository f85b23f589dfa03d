/* simd.c: the functions of simd.h that are not inlined. */
#include "simd.h"

f4 load_tail(const float *p, size_t n) {
  float x[4] = {0};
  for (size_t i = 0; i < n; i++)
    x[i] = p[i];
  return load(x);
}

void store_tail(float *p, size_t n, f4 x) {
  float lanes[4];
  store(lanes, x);
  for (size_t i = 0; i < n; i++)
    p[i] = lanes[i];
}
