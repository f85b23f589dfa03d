/* exp.h: exp and tanh of four floats.
 *
 * exp4:  relative error <= 1.2e-7 on [-87.33, 88], exactly 0 below, 1 at 0, NaN for NaN; arguments
 *        above 88 are not for it (softmax subtracts the maximum first).
 * tanh4: relative error <= 2e-7 everywhere, +-1 beyond +-10, NaN for NaN.
 * Polynomials: S. L. Moshier, Cephes Math Library 2.2, expf and tanhf. Both bounds are tested. */
#ifndef EXP_H
#define EXP_H

#include "simd.h"

#define EXP_LOWEST -87.33f

INLINE f4 exp4(f4 x) {
  /* x = n ln 2 + r with |r| <= ln(2)/2. Adding 1.5 * 2^23 rounds x / ln 2 to the integer n and leaves
   * n in the low bits; 127 more makes those bits the exponent of 2^n. ln 2 in two parts keeps r exact. */
  const f4 shift = splat(12582912.0f + 127.0f);
  f4 shifted = mul_add(x, splat(1.44269504088896341f), shift);
  f4 n = sub(shifted, shift);
  f4 r = sub(sub(x, mul(n, splat(0.693359375f))), mul(n, splat(-2.12194440e-4f)));
  f4 p = splat(1.9875691500e-4f);
  p = mul_add(p, r, splat(1.3981999507e-3f));
  p = mul_add(p, r, splat(8.3334519073e-3f));
  p = mul_add(p, r, splat(4.1665795894e-2f));
  p = mul_add(p, r, splat(1.6666665459e-1f));
  p = mul_add(p, r, splat(5.0000001201e-1f));
  p = add(mul_add(mul(r, r), p, r), splat(1.0f));
  return zero_where(less(x, splat(EXP_LOWEST)), mul(p, low_bits_to_exponent(shifted)));
}

INLINE f4 tanh4(f4 x) {
  f4 z = mul(x, x);
  f4 p = splat(-5.70498872745e-3f);
  p = mul_add(p, z, splat(2.06390887954e-2f));
  p = mul_add(p, z, splat(-5.37397155531e-2f));
  p = mul_add(p, z, splat(1.33314422036e-1f));
  p = mul_add(p, z, splat(-3.33332819422e-1f));
  f4 near = mul_add(mul(p, z), x, x);
  f4 size = smaller(absolute(x), splat(10.0f));
  f4 far = sub(splat(1.0f), quotient(splat(2.0f), add(exp4(add(size, size)), splat(1.0f))));
  return choose(less(size, splat(0.625f)), near, with_sign_of(far, x));
}

/* One float: the same bits as a lane of the above. */
INLINE float exp1(float x) { return lane0(exp4(splat(x))); }
INLINE float tanh1(float x) { return lane0(tanh4(splat(x))); }

#endif
