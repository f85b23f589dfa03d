/* activation.c: exports the inline functions of src/kernel/activation.h for their test. Each one maps an array of n floats; n is a multiple of 4. */
#include "activation.h"

INLINE f4 sigmoid_activation(uint32_t kind, int is_slope, f4 x) {
  f4 e, sum, y = times_sigmoid(sigmoid_of(kind), x, &e, &sum);
  return is_slope ? d_times_sigmoid(sigmoid_of(kind), x, y, e, sum) : y;
}
static f4 gelu_tanh4(f4 x) { return sigmoid_activation(QKV_ACTIVATION_GELU_TANH, 0, x); }
static f4 silu4(f4 x) { return sigmoid_activation(QKV_ACTIVATION_SILU, 0, x); }
static f4 d_gelu_tanh4(f4 x) { return sigmoid_activation(QKV_ACTIVATION_GELU_TANH, 1, x); }
static f4 d_silu4(f4 x) { return sigmoid_activation(QKV_ACTIVATION_SILU, 1, x); }

#define OVER_ARRAYS(function)                                                                                          \
  void __attribute__((export_name(#function))) function##_over(const float *x, float *y, size_t n) {                   \
    for (size_t i = 0; i < n; i += 4)                                                                                  \
      store(y + i, function(load(x + i)));                                                                             \
  }

OVER_ARRAYS(gelu4)
OVER_ARRAYS(gelu_tanh4)
OVER_ARRAYS(silu4)
OVER_ARRAYS(relu4)
OVER_ARRAYS(d_gelu4)
OVER_ARRAYS(d_gelu_tanh4)
OVER_ARRAYS(d_silu4)
OVER_ARRAYS(d_relu4)
