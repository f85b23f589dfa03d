/* peak.c: measures the limits of the machine for one thread of WebAssembly. */
#include <stddef.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

typedef float f4 __attribute__((vector_size(16)));
enum { STEPS = 128, ROWS = 4, COLUMNS = 2 };

#ifdef __wasm_relaxed_simd__
static inline f4 mul_add(f4 a, f4 b, f4 c) { return __builtin_wasm_relaxed_madd_f32x4(a, b, c); }
#else
static inline f4 mul_add(f4 a, f4 b, f4 c) { return a * b + c; }
#endif

/* The numbers that one step of a 4x8 tile reads. They are side by side, so one pointer with constant offsets runs through
 * 6 KB of L1. */
struct step {
  float a[ROWS];
  f4 b[COLUMNS];
};

/* Does 2 * 4 * 8 * 128 operations `times` times: 128 steps, each a multiplication and an addition for the 4 x 8 numbers of the tile.
 * `panel` (128 steps) comes from the caller, so that the compiler cannot know its numbers. */
float EXPORT(tiles)(const struct step *panel, size_t times) {
  f4 total = {0};
  for (size_t t = 0; t < times; t++) {
    f4 c[ROWS][COLUMNS] = {{{0}}};
    const struct step *p = panel;
    for (size_t k = 0; k < STEPS; k++, p++)
#pragma unroll
      for (size_t row = 0; row < ROWS; row++) {
        float x = p->a[row];
#pragma unroll
        for (size_t column = 0; column < COLUMNS; column++)
          c[row][column] = mul_add((f4){x, x, x, x}, p->b[column], c[row][column]);
      }
#pragma unroll
    for (size_t row = 0; row < ROWS; row++)
      total += c[row][0] + c[row][1];
  }
  return total[0];
}

/* Reads n floats, a multiple of 32, once and in order. */
float EXPORT(sum)(const f4 *x, size_t n) {
  f4 s[8] = {{0}};
  for (const f4 *end = x + n / 4; x < end; x += 8)
#pragma unroll
    for (size_t i = 0; i < 8; i++)
      s[i] += x[i];
  f4 all = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
  return all[0] + all[1] + all[2] + all[3];
}

/* Reads four streams of n / 4 floats, n a multiple of 128, side by side, as a product with a packed weight does. */
float EXPORT(streams)(const f4 *x, size_t n) {
  f4 s[8] = {{0}};
  size_t part = n / 16;
  for (const f4 *end = x + part; x < end; x += 2)
#pragma unroll
    for (size_t i = 0; i < 8; i++)
      s[i] += x[i / 2 * part + i % 2];
  f4 all = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
  return all[0] + all[1] + all[2] + all[3];
}

typedef int i4 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));

/* Reads the streams of `streams` as float16 numbers, widens them as src/kernel/simd.h does and adds them: the cost of reading and widening alone. */
float EXPORT(widened)(const i4 *x, size_t n) {
  f4 s[8] = {{0}};
  size_t part = n / 16;
  const s8 up = {1 << 13, 0, 1 << 13, 0, 1 << 13, 0, 1 << 13, 0};
  for (const i4 *end = x + part; x < end; x++)
#pragma unroll
    for (size_t i = 0; i < 4; i++) {
      s[2 * i] += (f4)(__builtin_wasm_dot_s_i32x4_i16x8((s8)x[i * part], up) & (int)0x8fffe000u);
      s[2 * i + 1] += (f4)((x[i * part] >> 3) & (int)0x8fffe000u);
    }
  f4 all = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
  return all[0] + all[1] + all[2] + all[3];
}

/* Copies n floats, a multiple of 32, in order. */
void EXPORT(copy)(f4 *restrict to, const f4 *restrict from, size_t n) {
  for (const f4 *end = from + n / 4; from < end; from += 8, to += 8)
#pragma unroll
    for (size_t i = 0; i < 8; i++)
      to[i] = from[i];
}
