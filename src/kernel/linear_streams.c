/* linear_streams.c: the functions of linear_streams.h that are not inlined. W (N,K). */
#include "linear_streams.h"

struct streams streams_at(const struct qkv_linear *a, size_t n, size_t panels, size_t i) {
  size_t part = steps_of(panels), bytes = panel_step(a);
  const char *w = a->w;
  return (struct streams){
      .w = w + (n / 8 + i) * bytes,
      .bytes = part * bytes,
      .count = (panels - i + part - 1) / part,
      .column = n + i * 8,
      .columns = part * 8,
      .last = w + (a->N + 7) / 8 * bytes - 4,
  };
}

void prefetch_pages(struct streams s) {
  for (size_t p = 0; p < s.count; p++, s.w += s.bytes) {
    size_t page = round_up((size_t)s.w + PAGE / 2, PAGE);
    prefetch((const float *)at_most(page, (size_t)s.last));
    prefetch((const float *)at_most(page + 64, (size_t)s.last));
  }
}
