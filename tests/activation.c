/* activation.c: the inline functions of src/kernel/activation.h over arrays, for their test. n is a multiple of 4. */
#include "activation.h"

static f4 slope;
static f4 gelu_tanh4(f4 x) { return times_sigmoid(QKV_ACTIVATION_GELU_TANH, x, &slope); }
static f4 silu4(f4 x) { return times_sigmoid(QKV_ACTIVATION_SILU, x, &slope); }
static f4 d_gelu_tanh4(f4 x) { return gelu_tanh4(x), slope; }
static f4 d_silu4(f4 x) { return silu4(x), slope; }

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
