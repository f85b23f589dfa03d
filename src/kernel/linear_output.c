/* linear_output.c: the functions of linear_output.h. y (M,N), bias (N), residual (M,N). */
#include "linear_output.h"
#include "activation.h"
#include "rows.h"

f4 biases_of(const struct qkv_linear *a, size_t n) {
  return a->bias && n < a->N ? get(a->bias + n, a->N - n) : zeros();
}

void write_outputs(const struct qkv_linear *a, size_t m, size_t n, size_t columns, float *sums) {
  float *y = a->y + m * a->N + n;
  const float *residual = a->residual ? a->residual + m * a->N + n : 0;
  if (a->activation)
    activate(a->activation, sums, sums, 0, columns);
  columns = at_most(a->N - n, columns);
  for (size_t c = 0; c < columns; c += 4) {
    f4 value = load(sums + c);
    if (residual)
      value = add(value, get(residual + c, columns - c));
    put(y + c, columns - c, value);
  }
}
