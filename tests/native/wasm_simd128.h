/* The header that simd.h includes when the kernels are built natively: the same intrinsics, by SIMDe. */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
