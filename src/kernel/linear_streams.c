/* linear_streams.c: the functions of linear_streams.h that are not inlined. W (N,K). */
#include "linear_streams.h"

struct streams streams_at(const struct qkv_linear *a, size_t n, size_t panels, size_t i) {
  size_t part = steps_of(panels), bytes = panel_step(a);
  return (struct streams){
      .w = (const char *)a->w + (n / 8 + i) * bytes,
      .bytes = part * bytes,
      .count = (panels - i + part - 1) / part,
      .column = n + i * 8,
      .columns = part * 8,
  };
}
