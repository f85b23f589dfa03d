/* activation.h: activations of four floats and their derivatives; torch.nn.functional.gelu, silu, relu.
 *
 *   gelu      x Phi(x), Phi the normal distribution          Hendrycks, Gimpel 2016
 *   gelu_tanh x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) = x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))
 *   silu      x sigmoid(x)
 *   relu      max(x, 0)
 *
 * Bounds, tested over the whole range: a value y is off by at most 4e-7 |y| + 4e-8, a derivative by 4e-7 |y| + 1.5e-7.
 * For x < 0 nothing cancels: gelu(-5) has a relative error of 2e-6, where 1 + erf(x) has 0.1.
 *
 * NaN and infinities as in PyTorch: NaN gives NaN, infinity gives infinity, -infinity gives NaN (but relu 0); the
 * derivatives at both infinities are NaN (but relu 1 and 0; its derivative of NaN is 1, so that a gradient goes on). */
#ifndef ACTIVATION_H
#define ACTIVATION_H

#include "exp.h"
#include "qkv.h"

/* Phi(x), the normal distribution, and *density, its derivative. With t = |x| and u = (t - 3) / (t + 3),
 * 1 - Phi(t) = exp(-t^2 / 2) p(u): p is minimax in relative error, 7e-9 for t <= 13.3, beyond which exp is 0. */
INLINE f4 normal_distribution(f4 x, f4 *density) {
  f4 t = pmin(absolute(x), splat(14.0f)), three = splat(3.0f);
  f4 e = power2_4(mul(mul(t, t), splat(-0.5f * LOG2_E)));
  f4 u = quotient(sub(t, three), add(t, three));
  f4 u2 = mul(u, u), u4 = mul(u2, u2);
  f4 a = mul_add(splat(-0.20640261f), u, splat(0.12151395f)), b = mul_add(splat(-0.046213314f), u, splat(0.12322502f));
  f4 c = mul_add(splat(0.0029047027f), u, splat(0.0061321831f)),
     d = mul_add(splat(-0.00033991135f), u, splat(-0.00098418281f));
  f4 f = mul_add(splat(5.4150860e-5f), u, splat(0.00011603738f));
  f4 p = mul_add(mul_add(f, u4, mul_add(d, u2, c)), u4, mul_add(b, u2, a));
  f4 tail = mul(e, p);
  *density = mul(e, splat(0.39894228f));
  return blend(less(x, zeros()), tail, sub(splat(1.0f), tail));
}

/* 1 / (1 + exp(-x)), and *rest = 1 - that, both without cancellation. */
INLINE f4 sigmoid4(f4 x, f4 *rest) {
  f4 one = splat(1.0f), e = power2_4(mul(absolute(x), splat(-LOG2_E)));
  f4 large = quotient(one, add(one, e)), small = mul(e, large);
  m4 is_negative = less(x, zeros());
  *rest = blend(is_negative, large, small);
  return blend(is_negative, small, large);
}

/* The argument of gelu_tanh's sigmoid. */
INLINE f4 gelu_tanh_argument(f4 x) { return mul(x, mul_add(mul(x, x), splat(0.071354816f), splat(1.5957691f))); }

INLINE f4 gelu4(f4 x) {
  f4 density;
  return mul(x, normal_distribution(x, &density));
}
/* x s(z) and *slope = d (x s(z)) / dx = s + x s (1 - s) dz/dx: silu, where z = x, and gelu_tanh. dz/dx stays finite, so
 * that 0 times it is 0. */
INLINE f4 times_sigmoid(uint32_t activation, f4 x, f4 *slope) {
  f4 z = x, dz = splat(1.0f);
  if (activation == QKV_ACTIVATION_GELU_TANH) {
    z = gelu_tanh_argument(x);
    dz = pmin(mul_add(mul(x, x), splat(3.0f * 0.071354816f), splat(1.5957691f)), splat(1e30f));
  }
  f4 rest, s = sigmoid4(z, &rest), y = mul(x, s);
  *slope = mul_add(mul(y, rest), dz, s);
  return y;
}
INLINE f4 relu4(f4 x) { return pmax(x, zeros()); }

/* d gelu / dx = Phi(x) + x Phi'(x) */
INLINE f4 d_gelu4(f4 x) {
  f4 density, phi = normal_distribution(x, &density);
  return mul_add(x, density, phi);
}
INLINE f4 d_relu4(f4 x) { return blend(less(zeros(), x), splat(1.0f), blend(equal(x, x), zeros(), splat(1.0f))); }

/* y = f(x) for n values, and slopes = f'(x) unless it is 0; f is one of enum qkv_activation. y may be x. In
 * elementwise.c. */
void activate(uint32_t activation, const float *x, float *y, float *slopes, size_t n);

#endif
