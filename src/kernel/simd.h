/* simd.h: the vector operations of the kernels, four floats at a time. simd.h and simd.c are the only files that
 * name an intrinsic; a port to another instruction set rewrites them and no other. */
#ifndef SIMD_H
#define SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

static inline size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }
static inline size_t at_most(size_t n, size_t limit) { return n < limit ? n : limit; }

typedef v128_t f4; /* four floats */
typedef v128_t m4; /* four lanes of all ones or all zeros */

INLINE f4 load(const float *p) { return wasm_v128_load(p); }
INLINE void store(float *p, f4 x) { wasm_v128_store(p, x); }
INLINE f4 splat(float x) { return wasm_f32x4_splat(x); }
/* Broadcasts a constant from memory (constants.c), for loops. V8 12 and later rebuilds a constant vector with three
 * instructions wherever it is used, but hoists a load out of the loop. */
INLINE f4 splat_from(const float *p) { return wasm_v128_load32_splat(p); }
INLINE f4 zeros(void) { return splat(0.0f); }

INLINE f4 add(f4 a, f4 b) { return wasm_f32x4_add(a, b); }
INLINE f4 sub(f4 a, f4 b) { return wasm_f32x4_sub(a, b); }
INLINE f4 mul(f4 a, f4 b) { return wasm_f32x4_mul(a, b); }
INLINE f4 quotient(f4 a, f4 b) { return wasm_f32x4_div(a, b); }
INLINE f4 square_root(f4 a) { return wasm_f32x4_sqrt(a); }
INLINE f4 absolute(f4 a) { return wasm_f32x4_abs(a); }
/* Returns a * b + c; without relaxed SIMD, it is rounded twice. */
#if defined(__wasm_relaxed_simd__) &&                                                                                  \
    !defined(QKV_UNFUSED) /* one instruction; it rounds once or twice, depending on the processor */
INLINE f4 mul_add(f4 a, f4 b, f4 c) { return __builtin_wasm_relaxed_madd_f32x4((__f32x4)a, (__f32x4)b, (__f32x4)c); }
#else
INLINE f4 mul_add(f4 a, f4 b, f4 c) { return add(mul(a, b), c); }
#endif
/* b < a ? b : a and a < b ? b : a, one instruction each. If a is NaN, they return NaN; if only b is, they return a. */
INLINE f4 pmin(f4 a, f4 b) { return wasm_f32x4_pmin(a, b); }
INLINE f4 pmax(f4 a, f4 b) { return wasm_f32x4_pmax(a, b); }

INLINE m4 equal(f4 a, f4 b) { return wasm_f32x4_eq(a, b); }
INLINE m4 not_equal(f4 a, f4 b) { return wasm_f32x4_ne(a, b); }
INLINE int any_lane(m4 a) { return wasm_v128_any_true(a); }
INLINE uint32_t lane_bits4(m4 a, m4 b, m4 c, m4 d) { /* bit 4 n + i: lane i of mask n */
  return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(a, b), wasm_i16x8_narrow_i32x4(c, d)));
}
INLINE size_t lowest_bit(uint64_t bits) { return bits ? (size_t)__builtin_ctzll(bits) : 64; }
INLINE m4 not_less(f4 a, f4 b) { return wasm_f32x4_ge(a, b); } /* false for NaN, as is `less` */
INLINE m4 less(f4 a, f4 b) { return wasm_f32x4_lt(a, b); }
INLINE f4 blend(m4 where, f4 then, f4 otherwise) { return wasm_v128_bitselect(then, otherwise, where); }
INLINE m4 either(m4 a, m4 b) { return wasm_v128_or(a, b); }
INLINE f4 zero_where(m4 where, f4 a) { return wasm_v128_andnot(a, where); }
INLINE f4 with_sign_of(f4 magnitude, f4 sign) {
  return wasm_v128_bitselect(sign, magnitude, wasm_i32x4_splat((int)0x80000000u));
}
/* Returns the float whose exponent field is the low bits of a's pattern, see round_to_exponent. */
INLINE f4 low_bits_to_exponent(f4 a) { return wasm_i32x4_shl(a, 23); }

INLINE float lane0(f4 a) { return wasm_f32x4_extract_lane(a, 0); }
INLINE float sum_lanes(f4 a) {
  f4 pairs = add(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
  return lane0(add(pairs, wasm_i32x4_shuffle(pairs, pairs, 1, 0, 3, 2)));
}
INLINE float max_lane(f4 a) {
  f4 pairs = pmax(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
  return lane0(pmax(pairs, wasm_i32x4_shuffle(pairs, pairs, 1, 0, 3, 2)));
}

/* Loads the first n < 4 floats and 0 in the other lanes, without reading a byte beyond them. load_tail and store_tail
 * are in simd.c. */
f4 load_tail(const float *p, size_t n);
void store_tail(float *p, size_t n, f4 x);
INLINE f4 load_some(const float *p, size_t n) { return n == 4 ? load(p) : load_tail(p, n); }
INLINE void store_some(float *p, size_t n, f4 x) {
  if (n == 4)
    store(p, x);
  else
    store_tail(p, n, x);
}

/* Weights narrower than a float. An i4 is a vector of integers: four of 32 bits or eight of 16. */
typedef v128_t i4;

/* Constants that loops load from memory, see splat_from. A word holds one 32-bit or two equal 16-bit constants. */
extern const struct words {
  uint32_t float16_shift, float16_bits, low_bytes, high_nibbles, low_nibbles, ones, high_halves, rounding;
  uint32_t ten_bits, twelve_bits, high_five, high_six, bits_6_to_9, bits_6_to_7, bits_8_to_9, bits_8_to_11;
} WORDS;
INLINE i4 word_from(const uint32_t *p) { return wasm_v128_load32_splat(p); }

/* Loads eight finite float16 times 2^-112: `left` from the low halves of the words, `right` from the high halves. Their
 * bits are moved into a float's fields, whose exponent bias is larger by 112. The dot product serves as a
 * sign-extending shift of the low half. */
INLINE void load_float16(const void *p, f4 *left, f4 *right) {
  v128_t x = wasm_v128_load(p), bits = word_from(&WORDS.float16_bits);
  *left = wasm_v128_and(wasm_i32x4_dot_i16x8(x, word_from(&WORDS.float16_shift)), bits);
  *right = wasm_v128_and(wasm_i32x4_shr(x, 3), bits);
}
/* Rounds |x| < 65520 to the nearest float16, ties to even, and returns its bits as an integer. */
INLINE i4 to_float16(f4 x) {
  i4 size = absolute(x), odd = wasm_v128_and(wasm_u32x4_shr(size, 13), wasm_i32x4_splat(1));
  i4 rounded = wasm_u32x4_shr(wasm_i32x4_add(wasm_i32x4_add(size, wasm_i32x4_splat(0xfff - 0x38000000)), odd), 13);
  /* The last bit of |x| + 0.5 is worth 2^-24, as that of a subnormal float16. */
  i4 subnormal = wasm_i32x4_sub(add(size, splat(0.5f)), wasm_i32x4_splat(0x3f000000));
  i4 bits = blend(wasm_i32x4_ge(size, wasm_i32x4_splat(0x38800000)), rounded, subnormal);
  return either(bits, wasm_v128_and(wasm_u32x4_shr(x, 16), wasm_i32x4_splat(0x8000)));
}
/* Stores eight 16-bit numbers in the order that load_float16 reads: number i in the low half of word i, number i + 4 in
 * its high half. */
INLINE void store_halves(void *p, const i4 numbers[2]) {
  wasm_v128_store(p, either(numbers[0], wasm_i32x4_shl(numbers[1], 16)));
}
/* Stores four numbers as int16; the eight bytes after them are overwritten, too. */
INLINE void store_int16(void *p, i4 x) { wasm_v128_store(p, wasm_i16x8_narrow_i32x4(x, x)); }
/* Rounds to the nearest integers, halves away from zero. */
INLINE i4 to_integers(f4 x) { return wasm_i32x4_trunc_sat_f32x4(add(x, with_sign_of(splat(0.5f), x))); }
/* Rounds |x| <= 2^21 to the nearest integers, halves to even: they are in the low bits of x + 1.5 * 2^23. */
INLINE i4 nearest_integers(f4 x) {
  f4 shift = word_from(&WORDS.rounding);
  return wasm_i32x4_sub(add(x, shift), shift);
}
/* Narrows eight integers to int16, saturating. */
INLINE i4 join_int16s(i4 low, i4 high) { return wasm_i16x8_narrow_i32x4(low, high); }
/* Stores two int8 numbers, `first` and `second`, of each of eight columns. The low half of lane c holds `first`, the
 * high half `second`: that of column c, plus 128, in the low byte, that of column c + 4 in the high byte. */
INLINE void store_int8_pairs(void *p, const i4 first[2], const i4 second[2]) {
  i4 half = wasm_i32x4_splat(0xffff);
  i4 low = either(wasm_v128_and(first[0], half), wasm_i32x4_shl(second[0], 16));
  i4 high = either(wasm_v128_and(first[1], half), wasm_i32x4_shl(second[1], 16));
  low = wasm_v128_and(wasm_i16x8_add(low, wasm_i16x8_splat(128)), word_from(&WORDS.low_bytes));
  wasm_v128_store(p, either(low, wasm_i16x8_shl(high, 8)));
}
/* Returns the high bytes of int16: the numbers of columns 4 to 7. */
INLINE i4 high_bytes(i4 pairs) { return wasm_i16x8_shr(pairs, 8); }
/* Returns the low bytes of int16, minus 128: the numbers of columns 0 to 3. */
INLINE i4 low_bytes(i4 pairs) {
  return wasm_i16x8_sub(wasm_v128_and(pairs, word_from(&WORDS.low_bytes)), wasm_i16x8_splat(128));
}
/* Stores four 4-bit numbers of each of eight columns; numbers[even] are those of columns 0 to 3. Half h of lane c
 * holds, from the lowest bits on: number h of column c, number h of column c + 4, then number h + 2 of both. */
INLINE void store_nibbles(void *p, const i4 numbers[8]) {
  i4 x = numbers[0];
#pragma unroll
  for (uint32_t i = 1; i < 8; i++)
    x = either(x, wasm_i32x4_shl(numbers[i], i % 2 * 4 + i / 2 % 2 * 16 + i / 4 * 8));
  wasm_v128_store(p, x);
}
/* Returns the first two of the four numbers of each column (`lower`) and the last two (`upper`), in pairs of int16:
 * [0] is left + 16 right, [1] is 16 right, with left of columns 0 to 3 and right of columns 4 to 7. */
INLINE void load_nibbles(const void *p, i4 lower[2], i4 upper[2]) {
  i4 x = wasm_v128_load(p), high = wasm_u16x8_shr(x, 8);
  lower[0] = wasm_v128_and(x, word_from(&WORDS.low_bytes));
  lower[1] = wasm_v128_and(x, word_from(&WORDS.high_nibbles));
  upper[0] = high;
  upper[1] = wasm_v128_and(high, word_from(&WORDS.high_nibbles));
}
INLINE i4 load_int16s(const int16_t *p) { return wasm_v128_load(p); }
INLINE void store_int16s(int16_t *p, i4 x) { wasm_v128_store(p, x); }
INLINE i4 int16_ones(void) { return word_from(&WORDS.ones); }
/* Returns the low half of each word, in both halves. */
INLINE i4 both_halves(i4 x) { return wasm_i16x8_shuffle(x, x, 0, 0, 2, 2, 4, 4, 6, 6); }
/* Widens the four numbers of each column to int16, in two pairs of k. Each pair has first columns 0 to 3, then columns
 * 4 to 7. */
INLINE void widen_nibbles(int16_t *to, const void *p) {
  i4 x = wasm_v128_load(p), low = word_from(&WORDS.low_nibbles);
  store_int16s(to, wasm_v128_and(x, low));
  store_int16s(to + 8, wasm_v128_and(wasm_u16x8_shr(x, 4), low));
  store_int16s(to + 16, wasm_v128_and(wasm_u16x8_shr(x, 8), low));
  store_int16s(to + 24, wasm_u16x8_shr(x, 12));
}
/* Loads `bits`-bit numbers of eight columns, in pairs of k. Each int16 holds v, the number of column c, and w, that of
 * column c + 4: in pairs[0][i] as v + 2^bits w, in pairs[1][i] as 2^bits w alone. 8-bit numbers are signed, and the
 * int16 are 256 w + v + 128 and w. One 16-byte vector stores 1 pair of 8 bits or 2 pairs of 4 bits; five store 8 pairs
 * of 5 bits; three store 4 pairs of 6 bits, three of them in the low bits and one spread over the rest. */
INLINE void load_pairs(size_t bits, const char *p, i4 pairs[2][8]) {
  i4 *both = pairs[0], *high = pairs[1], x[5];
  if (bits == 8) {
    both[0] = wasm_v128_load(p);
    high[0] = wasm_i16x8_shr(both[0], 8);
  }
  if (bits == 4) {
    v128_t mask = word_from(&WORDS.high_nibbles);
    x[0] = wasm_v128_load(p);
    both[0] = wasm_v128_and(x[0], word_from(&WORDS.low_bytes)), high[0] = wasm_v128_and(x[0], mask);
    both[1] = wasm_u16x8_shr(x[0], 8), high[1] = wasm_v128_and(both[1], mask);
  }
  if (bits == 6) {
    v128_t low = word_from(&WORDS.twelve_bits), mask = word_from(&WORDS.high_six);
    x[0] = wasm_v128_load(p), x[1] = wasm_v128_load(p + 16), x[2] = wasm_v128_load(p + 32);
    both[0] = wasm_v128_and(x[0], low), high[0] = wasm_v128_and(x[0], mask);
    both[1] = wasm_v128_and(x[1], low), high[1] = wasm_v128_and(x[1], mask);
    both[2] = wasm_v128_and(x[2], low), high[2] = wasm_v128_and(x[2], mask);
    both[3] = either(wasm_u16x8_shr(x[0], 12),
                     either(wasm_v128_and(wasm_u16x8_shr(x[1], 8), word_from(&WORDS.high_nibbles)),
                            wasm_v128_and(wasm_u16x8_shr(x[2], 4), word_from(&WORDS.bits_8_to_11))));
    high[3] = wasm_v128_and(both[3], mask);
  }
  if (bits == 5) {
    v128_t low = word_from(&WORDS.ten_bits), mask = word_from(&WORDS.high_five);
    x[0] = wasm_v128_load(p), x[1] = wasm_v128_load(p + 16), x[2] = wasm_v128_load(p + 32);
    x[3] = wasm_v128_load(p + 48), x[4] = wasm_v128_load(p + 64);
    both[0] = wasm_v128_and(x[0], low), high[0] = wasm_v128_and(x[0], mask);
    both[1] = wasm_v128_and(x[1], low), high[1] = wasm_v128_and(x[1], mask);
    both[2] = wasm_v128_and(x[2], low), high[2] = wasm_v128_and(x[2], mask);
    both[3] = wasm_v128_and(x[3], low), high[3] = wasm_v128_and(x[3], mask);
    both[4] = wasm_v128_and(x[4], low), high[4] = wasm_v128_and(x[4], mask);
    both[5] = either(wasm_u16x8_shr(x[0], 10), wasm_v128_and(wasm_u16x8_shr(x[1], 4), word_from(&WORDS.bits_6_to_9)));
    both[6] = either(wasm_u16x8_shr(x[2], 10), wasm_v128_and(wasm_u16x8_shr(x[3], 4), word_from(&WORDS.bits_6_to_9)));
    both[7] =
        either(wasm_u16x8_shr(x[4], 10), either(wasm_v128_and(wasm_u16x8_shr(x[1], 8), word_from(&WORDS.bits_6_to_7)),
                                                wasm_v128_and(wasm_u16x8_shr(x[3], 6), word_from(&WORDS.bits_8_to_9))));
    high[5] = wasm_v128_and(both[5], mask), high[6] = wasm_v128_and(both[6], mask);
    high[7] = wasm_v128_and(both[7], mask);
  }
}
/* Writes v - offset and w - offset of a pair of load_pairs as int16: first columns 0 to 3, then columns 4 to 7. Unless
 * `scale` is 0, they are multiplied by scale[0] and scale[1], as int16. */
INLINE void widen_pair(size_t bits, int16_t *to, i4 pair, uint32_t offset, const i4 *scale) {
  v128_t low = wasm_v128_and(pair, wasm_i16x8_splat((short)((1 << bits) - 1)));
  v128_t high = wasm_u16x8_shr(pair, (uint32_t)bits), less = wasm_i16x8_splat((short)offset);
  low = bits == 8 ? low_bytes(pair) : wasm_i16x8_sub(low, less);
  high = bits == 8 ? high_bytes(pair) : wasm_i16x8_sub(high, less);
  store_int16s(to, scale ? wasm_i16x8_mul(low, scale[0]) : low);
  store_int16s(to + 8, scale ? wasm_i16x8_mul(high, scale[1]) : high);
}
/* Interleaves the bytes of two vectors. */
INLINE void zip_bytes(i4 a, i4 b, i4 *first, i4 *second) {
  *first = wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  *second = wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
/* Makes the int16 of load_pairs from sixteen numbers of column c (`low`) and of column c + 4 (`high`), one per byte.
 * *first gets the first eight numbers of each column, *second the others. */
INLINE void join_columns(size_t bits, i4 low, i4 high, i4 *first, i4 *second) {
  if (bits == 8)
    low = wasm_v128_xor(low, wasm_i8x16_splat(-128)); /* v + 128 */
  i4 x[2];
  zip_bytes(low, high, &x[0], &x[1]);
#pragma unroll
  for (size_t i = 0; i < 2 && bits != 8; i++)
    x[i] = either(wasm_v128_and(x[i], word_from(&WORDS.low_bytes)),
                  wasm_u16x8_shr(wasm_v128_and(x[i], wasm_i16x8_splat((short)0xff00)), (uint32_t)(8 - bits)));
  *first = x[0];
  *second = x[1];
}
/* Stores eight pairs as load_pairs reads them. */
INLINE void store_pairs(size_t bits, char *p, const i4 pairs[8]) {
#pragma unroll
  for (size_t i = 0; i < 8 && bits == 8; i++)
    wasm_v128_store(p + i * 16, pairs[i]);
#pragma unroll
  for (size_t i = 0; i < 4 && bits == 4; i++)
    wasm_v128_store(p + i * 16, either(pairs[i * 2], wasm_i16x8_shl(pairs[i * 2 + 1], 8)));
  v128_t top = wasm_i16x8_splat((short)0xf000);
#pragma unroll
  for (size_t i = 0; i < 2 && bits == 6; i++)
#pragma unroll
    for (uint32_t j = 0; j < 3; j++)
      wasm_v128_store(p + i * 48 + j * 16,
                      either(pairs[i * 4 + j], wasm_v128_and(wasm_i16x8_shl(pairs[i * 4 + 3], 12 - 4 * j), top)));
  if (bits != 5)
    return;
  v128_t last[5], four = wasm_i16x8_splat(0x3c00), two = wasm_i16x8_splat((short)0xc000);
  for (size_t i = 0; i < 2; i++) {
    last[i * 2] = wasm_i16x8_shl(pairs[5 + i], 10);
    last[i * 2 + 1] = either(wasm_v128_and(wasm_i16x8_shl(pairs[5 + i], 4), four),
                             wasm_v128_and(wasm_i16x8_shl(pairs[7], i ? 6 : 8), two));
  }
  last[4] = wasm_i16x8_shl(pairs[7], 10);
  for (size_t i = 0; i < 5; i++)
    wasm_v128_store(p + i * 16, either(pairs[i], last[i]));
}
/* Vectors of sixteen unsigned bytes. bits_of_bytes returns (x & mask) << up >> down, which must stay within a byte.
 * `down` is a compile-time constant. The left shift is a multiplication by 2^up, because clang would split a shift in a
 * loop. */
INLINE i4 load_bytes(const uint8_t *p) { return wasm_v128_load(p); }
INLINE void store_bytes(uint8_t *p, i4 x) { wasm_v128_store(p, x); }
INLINE i4 splat_byte(uint32_t byte) { return wasm_i8x16_splat((signed char)byte); }
INLINE i4 bits_of_bytes(i4 x, uint32_t mask, uint32_t up, uint32_t down) {
  return wasm_u16x8_shr(wasm_i16x8_mul(wasm_v128_and(x, splat_byte(mask)), wasm_i16x8_splat((short)(1 << up))), down);
}
/* Returns 16 in each byte where x has all the bits of `bits`, else 0. */
INLINE i4 sixteens_where(i4 x, i4 bits) {
  return wasm_v128_and(wasm_i8x16_eq(wasm_v128_and(x, bits), bits), splat_byte(16));
}
/* Returns sixteen bytes: 16 where a bit of `bits` is set, else 0. */
INLINE i4 sixteens(uint32_t bits) {
  v128_t x = wasm_i32x4_splat((int)bits), each = wasm_i64x2_splat((long long)0x8040201008040201ull);
  return sixteens_where(wasm_i8x16_shuffle(x, x, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1), each);
}
/* Returns byte n of each word, sign-extended. */
INLINE i4 signed_byte(i4 x, uint32_t n) { return wasm_i32x4_shr(wasm_i32x4_shl(x, 24 - n * 8), 24); }
/* Each word holds two bfloat16. */
INLINE f4 low_bfloat16(i4 a) { return wasm_i32x4_shl(a, 16); }
INLINE f4 high_bfloat16(i4 a) { return wasm_v128_and(a, word_from(&WORDS.high_halves)); }
INLINE i4 join_bfloat16(f4 low, f4 high) { return either(wasm_u32x4_shr(low, 16), high); }
/* bfloat16_below rounds x down to bfloat16, bfloat16_above rounds x >= 0 up. */
INLINE f4 bfloat16_below(f4 x) { return high_bfloat16(wasm_i32x4_add(x, wasm_u32x4_shr(wasm_i32x4_shr(x, 31), 16))); }
INLINE f4 bfloat16_above(f4 x) { return high_bfloat16(wasm_i32x4_add(x, wasm_i32x4_splat(0xffff))); }
/* Returns max(a, |b|) for a >= 0; NaN counts as the largest. */
INLINE f4 larger_size(f4 a, f4 b) { return wasm_i32x4_max(a, absolute(b)); }
INLINE f4 next_lane(f4 a) { return wasm_i32x4_shuffle(a, a, 1, 2, 3, 0); }
/* Returns the last lane of a and the first three of b. */
INLINE f4 after_last(f4 a, f4 b) { return wasm_i32x4_shuffle(a, b, 3, 4, 5, 6); }

/* Returns four sums of two products each, of adjacent int16; add_products adds them to sum. Both are exact. */
INLINE i4 products_of(i4 a, i4 b) { return wasm_i32x4_dot_i16x8(a, b); }
INLINE i4 add_products(i4 sum, i4 a, i4 b) { return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(a, b)); }
/* Returns sum + four dot products of four int8 each. The result is exact if no byte of b has its highest bit set;
 * else it depends on the engine. */
#ifdef __wasm_relaxed_simd__
enum { HAS_BYTE_PRODUCTS = 1 };
INLINE i4 add_byte_products(i4 sum, i4 a, i4 b) {
  return __builtin_wasm_relaxed_dot_i8x16_i7x16_add_s_i32x4((__i8x16)a, (__i8x16)b, (__i32x4)sum);
}
#elif defined(QKV_BYTE_PRODUCTS) /* tests/native */
enum { HAS_BYTE_PRODUCTS = 1 };
INLINE i4 add_byte_products(i4 sum, i4 a, i4 b) { return QKV_BYTE_PRODUCTS(sum, a, b); }
#else
enum { HAS_BYTE_PRODUCTS = 0 };
#endif
/* Narrows sixteen integers to int8, saturating. */
INLINE i4 join_int8s(i4 low, i4 high) { return wasm_i8x16_narrow_i16x8(low, high); }
/* Returns in each word the even (odd) bytes of that word of a, then of b. */
INLINE i4 even_bytes(i4 a, i4 b) {
  return wasm_i8x16_shuffle(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30);
}
INLINE i4 odd_bytes(i4 a, i4 b) {
  return wasm_i8x16_shuffle(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31);
}
INLINE i4 sixteen_bytes(uint32_t x) { return wasm_i8x16_splat((signed char)x); }
INLINE i4 differing_bits(i4 a, i4 b) { return wasm_v128_xor(a, b); }
INLINE int32_t lane0_integer(i4 a) { return wasm_i32x4_extract_lane(a, 0); }
INLINE i4 subtract_integers(i4 a, i4 b) { return wasm_i32x4_sub(a, b); }
INLINE i4 times_power(i4 a, uint32_t n) { return wasm_i32x4_shl(a, n); }
INLINE i4 by_power(i4 a, uint32_t n) { return wasm_i32x4_shr(a, n); }
/* Returns the sum of the lanes, in each lane. */
INLINE i4 lanes_together(i4 a) {
  a = wasm_i32x4_add(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
  return wasm_i32x4_add(a, wasm_i32x4_shuffle(a, a, 1, 0, 3, 2));
}
/* Returns four sums of two adjacent int16 each. */
INLINE i4 pairs_of(const int16_t *p) { return wasm_i32x4_dot_i16x8(wasm_v128_load(p), int16_ones()); }
INLINE i4 add_integers(i4 a, i4 b) { return wasm_i32x4_add(a, b); }
INLINE i4 multiply_integers(i4 a, i4 b) { return wasm_i32x4_mul(a, b); }
INLINE f4 from_integers(i4 a) { return wasm_f32x4_convert_i32x4(a); }
INLINE i4 splat_int32(const int32_t *p) { return wasm_v128_load32_splat(p); }
INLINE f4 splat_integer(const int32_t *p) { return from_integers(splat_int32(p)); }
/* Loads the cache line of p. The load is volatile, or the compiler would drop it. */
INLINE void prefetch(const float *p) { (void)*(const volatile float *)p; }

/* Sets lane r of where[c] if byte c of words[r] is zero. */
INLINE void zero_bytes(m4 where[4], const uint32_t words[4]) {
  m4 x =
      wasm_i8x16_eq(wasm_i32x4_make((int)words[0], (int)words[1], (int)words[2], (int)words[3]), wasm_i8x16_splat(0));
  where[0] = wasm_i8x16_shuffle(x, x, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
  where[1] = wasm_i8x16_shuffle(x, x, 1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13);
  where[2] = wasm_i8x16_shuffle(x, x, 2, 2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14);
  where[3] = wasm_i8x16_shuffle(x, x, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
}

/* a0 a1 a2 a3, b0 b1 b2 b3 -> a0 a2 b0 b2, a1 a3 b1 b3, and back. */
INLINE void unzip(f4 *a, f4 *b) {
  f4 odd = wasm_i32x4_shuffle(*a, *b, 1, 3, 5, 7);
  *a = wasm_i32x4_shuffle(*a, *b, 0, 2, 4, 6);
  *b = odd;
}
INLINE void zip(f4 *a, f4 *b) {
  f4 high = wasm_i32x4_shuffle(*a, *b, 2, 6, 3, 7);
  *a = wasm_i32x4_shuffle(*a, *b, 0, 4, 1, 5);
  *b = high;
}

/* Transposes four rows into four columns. */
INLINE void transpose(f4 x[4]) {
  f4 a = wasm_i32x4_shuffle(x[0], x[1], 0, 4, 1, 5), b = wasm_i32x4_shuffle(x[2], x[3], 0, 4, 1, 5);
  f4 c = wasm_i32x4_shuffle(x[0], x[1], 2, 6, 3, 7), d = wasm_i32x4_shuffle(x[2], x[3], 2, 6, 3, 7);
  x[0] = wasm_i64x2_shuffle(a, b, 0, 2);
  x[1] = wasm_i64x2_shuffle(a, b, 1, 3);
  x[2] = wasm_i64x2_shuffle(c, d, 0, 2);
  x[3] = wasm_i64x2_shuffle(c, d, 1, 3);
}

#endif
