/* exp.c: exp and tanh of four floats, x (4) -> y (4). */
#include "exp.h"

f4 exp_weight4(f4 x) { return exp_weight(x); }

/* exp(x) = 2^n exp(r), n = round(x / ln 2), r = x - n ln 2, |r| <= ln 2 / 2 */
f4 exp4(f4 x) {
  f4 n, scale = round_to_exponent(&known_power2, mul(x, splat(LOG2_E)), &n);
  /* ln 2 is split in two parts. The first has few bits, so that its product with n and the first difference are
   * exact. */
  f4 r = sub(sub(x, mul(n, splat(0.693359375f))), mul(n, splat(-2.12194440e-4f)));
  f4 power = mul(power2_fraction(&known_power2, mul(r, splat(LOG2_E))), scale);
  return zero_where(less(x, splat(-87.33f)), power);
}

f4 any_exp4(f4 x) {
  f4 y = exp4(x);
  m4 is_large = not_less(x, splat(88.0f));
  if (!any_lane(is_large))
    return y;
  f4 root = exp4(mul(pmin(x, splat(177.0f)), splat(0.5f))); /* exp(x) = exp(x / 2)^2 */
  return blend(is_large, mul(root, root), y);
}

/* tanh(x) = x + x z p(z), z = x^2, if |x| < 0.625, else sign(x) (1 - 2 / (exp(2 |x|) + 1)). The polynomial p is that of
 * tanhf in S. L. Moshier's Cephes Math Library 2.2. */
f4 tanh4(f4 x) {
  f4 z = mul(x, x);
  f4 p = splat(-5.70498872745e-3f);
  p = mul_add(p, z, splat(2.06390887954e-2f));
  p = mul_add(p, z, splat(-5.37397155531e-2f));
  p = mul_add(p, z, splat(1.33314422036e-1f));
  p = mul_add(p, z, splat(-3.33332819422e-1f));
  f4 near = mul_add(mul(p, z), x, x);
  f4 size = pmin(absolute(x), splat(10.0f));
  f4 far = sub(splat(1.0f), quotient(splat(2.0f), add(exp4(add(size, size)), splat(1.0f))));
  return with_sign_of(blend(less(size, splat(0.625f)), near, far), x);
}

float exp1(float x) { return lane0(exp4(splat(x))); }
