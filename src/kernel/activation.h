/* activation.h: activations of four floats and their derivatives, as torch.nn.functional's gelu, silu and relu.
 *
 *   gelu      x Phi(x), Phi the normal distribution          Hendrycks, Gimpel 2016
 *   gelu_tanh x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) = x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))
 *   silu      x sigmoid(x)
 *   relu      max(x, 0)
 *
 * Bounds, tested over the whole range: a value y is off by at most 4e-7 |y| + 4e-8, a derivative by 4e-7 |y| + 1.5e-7.
 *
 * NaN and infinities as in PyTorch: NaN gives NaN, infinity gives infinity, -infinity gives NaN. The derivatives at
 * both infinities are NaN. Exceptions: relu(-infinity) = 0, and the derivative of relu is 1 at infinity, 0 at -infinity
 * and 1 at NaN, so that a gradient passes. */
#ifndef ACTIVATION_H
#define ACTIVATION_H

#include "exp.h"
#include "qkv.h"

/* Constants of gelu in memory, see splat_from. */
struct tail {
  float most, c1, c2, c3, c4, c5, c6, c9; /* limit of the argument, coefficients of the polynomial */
  float first, second, third, root2;      /* constants of the four squarings */
};
extern const struct tail stored_tail;

/* Returns 1 / (1 - Phi(t)) for 0 <= t <= 1e18, infinity from about t = 1e3 on. It is the 16th power of a polynomial
 * fitted for the bounds above. Each squaring computes only p of 1 + p, by (1 + p)^2 - 1 = p (p + 2), so that rounding
 * errors do not grow. The constants include a factor of 2, because 1 / (1 - Phi(0)) = 2. */
INLINE f4 inverse_tail(f4 t) {
  f4 t2 = mul(t, t), t4 = mul(t2, t2);
  const struct tail *c = &stored_tail;
  f4 odd = mul_add(splat_from(&c->c9), t4, splat_from(&c->c5));
  odd = mul_add(odd, t2, splat_from(&c->c3));
  f4 even = mul_add(splat_from(&c->c6), t2, splat_from(&c->c4));
  even = mul_add(even, t2, splat_from(&c->c2));
  f4 p = mul(add(mul_add(even, t, mul(odd, t2)), splat_from(&c->c1)), t);
  p = mul(p, add(p, splat_from(&c->first)));
  p = mul(p, add(p, splat_from(&c->second)));
  p = mul_add(p, add(p, splat_from(&c->third)), splat_from(&c->root2));
  return mul(p, p);
}

/* Returns |x|. Positive x are clamped to 1e18, because infinity times the tail 1 - Phi = 0 would be NaN. */
INLINE f4 tail_argument(f4 x) { return absolute(pmin(x, splat_from(&stored_tail.most))); }

INLINE f4 relu4(f4 x) { return pmax(x, zeros()); }

/* x Phi(x) = max(x, 0) - |x| (1 - Phi(|x|)) */
INLINE f4 gelu4(f4 x) {
  f4 t = tail_argument(x);
  return sub(relu4(x), quotient(t, inverse_tail(t)));
}

/* d gelu / dx = Phi(x) + x Phi'(x) */
INLINE f4 d_gelu4(f4 x) {
  f4 one = splat(1.0f), tail = quotient(one, inverse_tail(tail_argument(x)));
  f4 density = mul(power2_4(&stored_power2, mul(mul(x, x), splat(-0.5f * LOG2_E))), splat(0.39894228f));
  return mul_add(x, density, blend(less(x, zeros()), tail, sub(one, tail)));
}

/* silu and gelu_tanh: x s(z) with s(z) = 1 / (1 + 2^-(z log2 e)), z = x (a + b x^2). */
struct sigmoid {
  float a, b;
};
INLINE struct sigmoid sigmoid_of(uint32_t activation) {
  return activation == QKV_ACTIVATION_SILU ? (struct sigmoid){1.0f, 0.0f} : (struct sigmoid){1.5957691f, 0.071354816f};
}
INLINE f4 finite_square(f4 x) { return pmin(mul(x, x), splat(1e30f)); } /* clamped, because 0 times infinity is NaN */

/* Returns x s(z). Sets *e to 2^-(z log2 e), infinity from 2^128 on, and *sum to 1 + *e. */
INLINE f4 times_sigmoid(struct sigmoid of, f4 x, f4 *e, f4 *sum) {
  f4 z = mul(x, mul_add(finite_square(x), splat(-LOG2_E * of.b), splat(-LOG2_E * of.a)));
  *e = power2_4(&stored_power2, pmin(z, splat(128.0f)));
  *sum = add(splat(1.0f), *e);
  return quotient(x, *sum);
}

/* d (x s) / dx = s + x s (1 - s) dz/dx; y = x s */
INLINE f4 d_times_sigmoid(struct sigmoid of, f4 x, f4 y, f4 e, f4 sum) {
  f4 s = quotient(splat(1.0f), sum), dz = mul_add(finite_square(x), splat(3.0f * of.b), splat(of.a));
  return mul_add(mul(y, mul(pmin(e, splat(3e38f)), s)), dz, s);
}

INLINE f4 d_relu4(f4 x) { return zero_where(either(less(x, zeros()), equal(x, zeros())), splat(1.0f)); } /* NaN: 1 */

/* y = f(x) for n values, and slopes = f'(x) unless slopes is null; f is one of enum qkv_activation. y may be x. */
void activate(uint32_t activation, const float *x, float *y, float *slopes, size_t n);

#endif
