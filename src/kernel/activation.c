/* activation.c: the functions of activation.h that are not inlined. x (n) -> y (n), slopes (n). */
#include "activation.h"

void activate(uint32_t kind, const float *x, float *y, float *slopes, size_t n) {
  size_t whole = n & ~(size_t)3, rest = n - whole, i = 0;
  if (kind == QKV_ACTIVATION_GELU && !slopes)
    for (; i < whole; i += 4)
      store(y + i, gelu4(load(x + i)));
  else if (kind == QKV_ACTIVATION_GELU)
    for (; i < whole; i += 4) {
      f4 z = load(x + i);
      store(y + i, gelu4(z));
      store(slopes + i, d_gelu4(z));
    }
  else if (kind == QKV_ACTIVATION_RELU)
    for (; i < whole; i += 4) {
      f4 z = load(x + i);
      store(y + i, relu4(z));
      if (slopes)
        store(slopes + i, d_relu4(z));
    }
  else {
    const struct sigmoid of = sigmoid_of(kind);
    for (; i < whole; i += 4) {
      f4 e, sum, z = load(x + i), value = times_sigmoid(of, z, &e, &sum);
      store(y + i, value);
      if (slopes)
        store(slopes + i, d_times_sigmoid(of, z, value, e, sum));
    }
  }
  if (!rest)
    return;
  float values[4], slopes_of[4];
  store(values, load_tail(x + whole, rest));
  activate(kind, values, values, slopes_of, 4);
  store_tail(y + whole, rest, load(values));
  if (slopes)
    store_tail(slopes + whole, rest, load(slopes_of));
}
