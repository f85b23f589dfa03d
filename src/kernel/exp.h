/* exp.h: 2^x, exp and tanh of four floats, x (4) -> y (4).
 *
 * power2_4: 2^x; relative error <= 1.3e-7 on [-126, 127], exactly 0 below -126.5, 1 at 0, NaN for NaN.
 * exp4:     relative error <= 1.3e-7 on [-87.33, 88], exactly 0 below, 1 at 0, NaN for NaN.
 *           Undefined above 88: softmax subtracts the maximum first, so its arguments are at most 0.
 * any_exp4: equal to exp4 below 88; relative error <= 3e-7 above, infinity from 88.73 on.
 * tanh4:    relative error <= 1.5e-7 everywhere, +-1 beyond +-10, NaN for NaN.
 * The bounds are tested. */
#ifndef EXP_H
#define EXP_H

#include "simd.h"

#define LOG2_E 1.44269504088896341f

/* The smallest exponent: lower ones are clamped to it, and 2^LEAST_LOG2 is computed as 0. */
#define LEAST_LOG2 -127.0f

/* Constants of 2^x. known_power2 compiles to literals, which make shorter code; stored_power2 stays in memory, which
 * makes faster loops, see splat_from. */
struct power2 {
  float log2_e, least, shift;
  float one, c1, c2, c3, c4, c5, c6; /* polynomial */
};
#define POWER2                                                                                                         \
  {                                                                                                                    \
    LOG2_E, LEAST_LOG2, 12582912.0f + 127.0f, 1.0f, 0.69314718f, 0.24022648f, 0.055503324f, 0.0096184369f,             \
        0.0013398875f, 0.00015353362f                                                                                  \
  }
static const struct power2 known_power2 = POWER2;
extern const struct power2 stored_power2;

/* Returns 2^n, and sets *n to x rounded to an integer. The sum x + 1.5 * 2^23 holds n in its low bits; after
 * adding 127, these bits are the exponent field of 2^n. */
INLINE f4 round_to_exponent(const struct power2 *c, f4 x, f4 *n) {
  const f4 shift = splat_from(&c->shift);
  f4 shifted = add(x, shift);
  *n = sub(shifted, shift);
  return low_bits_to_exponent(shifted);
}

/* Returns 2^r, |r| <= 1/2, by a minimax polynomial p with p(0) = 1, whose error is 1.6e-8. Its terms are added in pairs
 * (Estrin's scheme), which halves the dependency chain of Horner's scheme. */
INLINE f4 power2_fraction(const struct power2 *c, f4 r) {
  f4 r2 = mul(r, r);
  f4 low = mul_add(splat_from(&c->c1), r, splat_from(&c->one));
  f4 middle = mul_add(splat_from(&c->c3), r, splat_from(&c->c2));
  f4 high = mul_add(splat_from(&c->c5), r, splat_from(&c->c4));
  high = mul_add(splat_from(&c->c6), r2, high);
  return mul_add(mul_add(high, r2, middle), r2, low);
}

/* Splits 2^x = 2^n 2^fraction, n the integer nearest to x, and returns 2^n. For x <= -127, n is -127, whose
 * exponent field is that of 0; so -infinity gives 0 without a comparison. */
INLINE f4 power2_split(const struct power2 *c, f4 x, f4 *fraction) {
  x = pmax(x, splat_from(&c->least));
  f4 n, scale = round_to_exponent(c, x, &n);
  *fraction = sub(x, n);
  return scale;
}

INLINE f4 power2_4(const struct power2 *c, f4 x) {
  f4 fraction, scale = power2_split(c, x, &fraction);
  return mul(power2_fraction(c, fraction), scale);
}

/* Returns the weight exp(x), x <= 0, of a softmax. The rounding of x log2(e) adds an error of 6e-8 |x| exp(x), which is
 * at most 3e-8 of the largest weight. */
INLINE f4 exp_weight(f4 x) { return power2_4(&stored_power2, mul(x, splat_from(&stored_power2.log2_e))); }

/* These are not inlined, because each caller would grow by up to a kilobyte. exp_weight4 equals exp_weight bit for
 * bit. */
f4 exp_weight4(f4 x);
f4 exp4(f4 x);
f4 any_exp4(f4 x);
f4 tanh4(f4 x);

/* exp and tanh of one float, bit for bit equal to a lane of exp4 and tanh4. */
float exp1(float x);
INLINE float tanh1(float x) { return lane0(tanh4(splat(x))); }

#endif
