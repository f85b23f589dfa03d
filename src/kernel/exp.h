/* exp.h: 2^x, exp and tanh of four floats.
 *
 * power2_4: 2^x; relative error <= 1.3e-7 on [-126, 127], exactly 0 below -126.5, 1 at 0, NaN for NaN.
 * exp4:     relative error <= 1.3e-7 on [-87.33, 88], exactly 0 below, 1 at 0, NaN for NaN.
 *           Arguments above the range are not supported: softmax subtracts the maximum first.
 * tanh4:    relative error <= 1.5e-7 everywhere, +-1 beyond +-10, NaN for NaN.
 * The bounds are tested. */
#ifndef EXP_H
#define EXP_H

#include "simd.h"

#define LOG2_E 1.44269504088896341f

/* Adding 1.5 * 2^23 rounds x to the whole number n and leaves n in the low bits; 127 more makes those
 * bits the exponent field of 2^n. */
INLINE f4 round_to_exponent(f4 x, f4 *n) {
  const f4 shift = splat(12582912.0f + 127.0f);
  f4 shifted = add(x, shift);
  *n = sub(shifted, shift);
  return low_bits_to_exponent(shifted);
}

/* 2^r for |r| <= 1/2: minimax polynomial with p(0) = 1, error 1.6e-8; in pairs (Estrin), which is half as
 * deep as Horner and leaves more instructions to overlap. */
INLINE f4 power2_fraction(f4 r) {
  f4 r2 = mul(r, r);
  f4 low = mul_add(splat(0.69314718f), r, splat(1.0f));
  f4 middle = mul_add(splat(0.055503324f), r, splat(0.24022648f));
  f4 high = mul_add(splat(0.0013398875f), r, splat(0.0096184369f));
  high = mul_add(splat(0.00015353362f), r2, high);
  return mul_add(mul_add(high, r2, middle), r2, low);
}

/* 2^x = power2_fraction(fraction) * what is returned, 2 to the nearest whole number n. From -127 down n is -127,
 * whose exponent field is that of 0: -infinity gives 0 without a test. */
INLINE f4 power2_split(f4 x, f4 *fraction) {
  x = pmax(x, splat(-127.0f));
  f4 n, scale = round_to_exponent(x, &n);
  *fraction = sub(x, n);
  return scale;
}

INLINE f4 power2_4(f4 x) {
  f4 fraction, scale = power2_split(x, &fraction);
  return mul(power2_fraction(fraction), scale);
}

/* The weight exp(x), x <= 0, of a softmax. The rounding of the product makes an error of 6e-8 |x| more, relative to
 * exp(x): at most 3e-8 of the largest weight. */
INLINE f4 exp_weight(f4 x) { return power2_4(mul(x, splat(LOG2_E))); }

/* In exp.c, not inlined: each caller would be up to a kilobyte larger. */
f4 exp4(f4 x);
f4 tanh4(f4 x);

/* One float: the same bits as a lane of the above. */
float exp1(float x);
INLINE float tanh1(float x) { return lane0(tanh4(splat(x))); }

#endif
