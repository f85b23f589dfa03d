/* query_rows.h: a block of query rows and its scores, for attention.c and backward.c.
 *
 * Scores are transposed: a row per key, a column per query, in panels of PANEL queries, the width of a register tile.
 * So keys and values are read in place, and row maxima and row sums are vertical, four queries per vector. */
#ifndef QUERY_ROWS_H
#define QUERY_ROWS_H

#include "mask.h"
#include "random.h"
#include "tile.h"

/* Taller blocks read keys and values less often. The size was measured, see docs/kernel-measurements.md. */
enum { BLOCK_ROWS = 64, PANEL = 8 };

/* The keys from <= j < to that any row of a panel sees, relative to `first` of its block. Every row sees open_from <= j
 * < open_to by its span. `from` is a multiple of 4, where a register tile starts. */
struct panel {
  uint32_t from, to, open_from, open_to;
};

struct query_rows {
  const struct qkv_attention *a;
  uint32_t b, h, row, rows; /* query rows row <= i < row + rows of head h of batch b */
  uint32_t first;           /* the key that is number 0 in the panels */
  size_t lanes;             /* rows, rounded up to whole panels */
  size_t pitch;             /* floats from panel to panel of `scores` */
  struct panel panels[BLOCK_ROWS / PANEL];
  float *q_panels;      /* (lanes/PANEL, D, PANEL) */
  float *scores;        /* (lanes/PANEL, keys, PANEL), panels `pitch` apart */
  float *d_cap;         /* laid out as scores: d softcap(s) / ds; 0: not computed */
  float *powers;        /* (keys, 4) */
  float *maxima, *sums; /* (lanes) */
  float *value_panel;   /* (keys of a tile, 8) */
  uint8_t *keep;        /* (rows, S), dropout only: 1 keeps the weight */
};

static inline float *row_of(const struct qkv_tensor *x, uint32_t b, uint32_t h, uint32_t row) {
  return x->data + (size_t)b * x->batch + (size_t)h * x->head + (size_t)row * x->row;
}

/* Returns the offset of query r and key 0 in `scores`; key j is j * PANEL further. */
static inline size_t column_of(const struct query_rows *block, size_t r) {
  return r / PANEL * block->pitch + r % PANEL;
}

/* Starts block number `n` of head h: sets its rows, q_panels and dropout mask. */
void start_block(struct query_rows *block, uint32_t b, uint32_t h, uint32_t n);

/* Sets the initial maxima and sums: the logit of the sink and 1, or without a sink -infinity and 0. */
void start_statistics(struct query_rows *block);

/* Sets block->first to `from`, and each panel to those of the keys from <= j < to that its rows see by span, mask and
 * bias. Returns true if any panel sees a key. */
int find_visible_keys(struct query_rows *block, uint32_t from, uint32_t to);

/* panels (lanes/PANEL, columns, PANEL) = the transposed `rows` (block->rows, columns), which are `row` floats apart;
 * zeros beyond the block's rows. */
void pack_rows(const struct query_rows *block, float *panels, const float *rows, size_t row, size_t columns);

/* out[j][0..7] = sum_d keys[j][d] * panels[d][0..7] for keys from <= j < to, which are `row` floats apart. `out` is
 * laid out as scores. May also write the scores of up to three keys from `to` on. */
void multiply_keys(const struct query_rows *block, float *out, const float *panels, const float *keys, size_t row,
                   size_t columns, size_t from, size_t to);

/* scores = mask(softcap(scale * score(q, k))) for keys from <= j < to, relative to `first`. */
void compute_scores(struct query_rows *block, size_t from, size_t to);

/* Updates the online softmax of four queries by one tile. m and m' are the maximum before and after the tile, l and l'
 * the sum, e_j the exponential of key j:
 *   m' = max(m, max_j score_j),  e_j = exp(score_j - m'),  l' = l * exp(m - m') + sum_j e_j.
 * Replaces scores by e, maxima by m' and sums by l'. Returns exp(m - m'), by which the caller rescales its output. */
f4 online_softmax_column(float *scores, size_t keys, float *maxima, float *sums, float *powers);

/* weights *= dropout factor, for all keys of the panels. */
void apply_dropout(const struct query_rows *block, float *weights);

/* output (lanes, width) += weights (lanes, keys) y (keys, columns) for keys from <= j < to; y points to the row of
 * key `first`. */
void accumulate_rows(const struct query_rows *block, const float *weights, float *output, size_t width, const float *y,
                     size_t row, size_t columns, size_t from, size_t to);

#endif
