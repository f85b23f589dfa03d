/* simd.h includes this header when the kernels are built natively: the same intrinsics, by SIMDe. */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>

/* The relaxed dot product of int8. engine_bytes, which the fuzzer changes, selects how the eight bits of the second
 * operand are read: unsigned, signed, or with sums of two products that saturate. */
extern int engine_bytes;
static inline v128_t dot_bytes(v128_t sum, v128_t a, v128_t b) {
  int8_t x[16], y[16];
  int32_t sums[4];
  wasm_v128_store(x, a), wasm_v128_store(y, b), wasm_v128_store(sums, sum);
  for (int i = 0; i < 16; i += 2) {
    int two = 0;
    for (int j = i; j < i + 2; j++)
      two += x[j] * (engine_bytes == 1 ? y[j] : (uint8_t)y[j]);
    if (engine_bytes == 2)
      two = two > 32767 ? 32767 : two < -32768 ? -32768 : two;
    sums[i / 4] += two;
  }
  return wasm_v128_load(sums);
}
#define QKV_BYTE_PRODUCTS dot_bytes
