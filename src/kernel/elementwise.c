/* elementwise.c: activations, gated products, sums and products, element by element. x (n), up (n) -> y (n). */
#include "activation.h"
#include "qkv.h"
#include "random.h"
#include "rows.h"

/* Values per block: their activations and slopes fit into L1. */
enum { PART = BURST };

/* Computes y = f(x) for n values, and slopes = f'(x) unless slopes is null. f is one of enum qkv_activation or
 * qkv_function; y may be x. */
static void evaluate(uint32_t kind, const float *x, float *y, float *slopes, size_t n) {
  if (kind < QKV_FUNCTION_SIGMOID) {
    activate(kind, x, y, slopes, n);
    return;
  }
  for (size_t i = 0; i < n; i += 4) {
    f4 one = splat(1.0f), z = get(x + i, n - i), value, slope;
    if (kind == QKV_FUNCTION_SIGMOID) {
      value = quotient(one, add(one, any_exp4(sub(zeros(), z))));
      slope = mul(value, sub(one, value));
    } else if (kind == QKV_FUNCTION_TANH) {
      value = tanh4(z);
      slope = sub(one, mul(value, value));
    } else if (kind == QKV_FUNCTION_EXP) {
      value = slope = any_exp4(z);
    } else {
      float lanes[4];
      store(lanes, z);
      for (size_t lane = 0; lane < 4; lane++)
        lanes[lane] = (float)log_double((double)lanes[lane]);
      value = load(lanes);
      slope = quotient(one, z);
    }
    put(y + i, n - i, value);
    if (slopes)
      put(slopes + i, n - i, slope);
  }
}

uint32_t QKV_EXPORT(qkv_exp)(const float *x, float *y, size_t n) {
  evaluate(QKV_FUNCTION_EXP, x, y, 0, n);
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_tanh)(const float *x, float *y, size_t n) {
  evaluate(QKV_FUNCTION_TANH, x, y, 0, n);
  return QKV_OK;
}

/* y = f(x), or y = f(x) * up (Shazeer 2020: GEGLU, SwiGLU). A unit is C values of y; the last may be shorter. `row` is
 * 2 C if x and up are interleaved row by row. */
uint32_t QKV_EXPORT(qkv_activate)(const struct qkv_activate *args, uint32_t first, uint32_t count) {
  const struct qkv_activate a = *args;
  for (size_t u = first, C = a.C, end = end_of(first, count, C, a.n); u * C < end; u++) {
    size_t width = at_most(end - u * C, C);
    for (size_t c = 0, part; c < width; c += part) {
      float values[PART];
      const float *from = a.x + u * a.row + c;
      part = at_most(width - c, PART);
      prefetch_burst(from + PART, end - at_most(end, u * C + c + PART));
      evaluate(a.kind, from, a.up ? values : a.y + u * C + c, 0, part);
      for (size_t i = 0; a.up && i < part; i += 4)
        put(a.y + u * C + c + i, part - i, mul(load(values + i), get(a.up + u * a.row + c + i, part - i)));
    }
  }
  return QKV_OK;
}

/* dx = dy * up * f'(x), d_up = dy * f(x) */
uint32_t QKV_EXPORT(qkv_activate_backward)(const struct qkv_activate_backward *args, uint32_t first, uint32_t count) {
  const struct qkv_activate_backward a = *args;
  for (size_t u = first, C = a.C, end = end_of(first, count, C, a.n); u * C < end; u++)
    for (size_t c = 0, part, width = at_most(end - u * C, C); c < width; c += part) {
      float values[PART], slopes[PART];
      part = at_most(width - c, PART);
      evaluate(a.kind, a.x + u * a.row + c, values, slopes, part);
      for (size_t i = 0; i < part; i += 4) {
        size_t left = part - i, at = u * a.row + c + i;
        f4 d = get(a.dy + u * C + c + i, left), slope = mul(load(slopes + i), d);
        if (a.up) {
          slope = mul(slope, get(a.up + at, left));
          put_gradient(a.d_up + at, left, mul(load(values + i), d), a.accumulate);
        }
        put_gradient(a.dx + at, left, slope, a.accumulate);
      }
    }
  return QKV_OK;
}

/* y = a * b if `product` is 1, else y = a + factor * b. A unit is C values of y; the last may be shorter. b repeats
 * after `period` units. */
uint32_t QKV_EXPORT(qkv_combine)(const struct qkv_combine *args, uint32_t first, uint32_t count) {
  const struct qkv_combine o = *args;
  for (size_t u = first, C = o.C, end = end_of(first, count, C, o.n); u * C < end; u++)
    for (size_t c = 0, width = at_most(end - u * C, C); c < width; c += 4) {
      size_t left = width - c, at = u * C + c;
      f4 x = get(o.b + u % o.period * C + c, left);
      if (o.product)
        x = mul(get(o.a + at, left), x);
      else {
        x = mul(x, splat(o.factor));
        if (o.a)
          x = add(get(o.a + at, left), x);
      }
      put_gradient(o.y + at, left, x, o.accumulate);
    }
  return QKV_OK;
}
