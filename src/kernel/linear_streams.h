/* linear_streams.h: the order in which a product with few rows of x reads packed W (N,K).
 * W is stored in panels of eight rows.
 *
 * The panels of a call are read as PANELS parallel streams, each from its first panel to its last: the hardware
 * prefetches further ahead for several streams than for one, and for long streams than for streams of one panel.
 * Explicit prefetches of later lines would only stall the processor. */
#ifndef LINEAR_STREAMS_H
#define LINEAR_STREAMS_H

#include "linear_pack.h"

enum { PANELS = 4, ROW_SUMS = PANELS * 8 };

/* Panels that are read in parallel: panel p of `count` <= PANELS starts `p * bytes` bytes after w and holds the
 * eight columns of y from column + p * columns on. */
struct streams {
  const char *w;
  size_t bytes, count, column, columns;
};

/* Returns the column of y to which value i of the streams' sums belongs. */
INLINE size_t column_of(const struct streams *s, size_t i) { return s->column + i / 8 * s->columns + i % 8; }

/* Returns how many steps it takes to read all panels, PANELS at a time. */
INLINE size_t steps_of(size_t panels) { return (panels + PANELS - 1) / PANELS; }

/* Returns the distance between panels in bytes. */
INLINE size_t panel_step(const struct qkv_linear *a) {
  return a->weights == QKV_WEIGHTS_INT8 && a->w_column > 1 ? a->w_column : panel_bytes(a->weights, a->K);
}

/* Splits the panels from column n on into PANELS parts and returns the streams of step i < steps_of(panels): the i-th
 * panel of each part. */
struct streams streams_at(const struct qkv_linear *a, size_t n, size_t panels, size_t i);

#endif
