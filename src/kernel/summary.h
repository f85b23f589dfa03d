/* summary.h: statistics of attention weights, which attention.c collects, see struct qkv_summary. Call start_summary at
 * each block of query rows, start_summary_tile at each tile of keys, summarize_column for every four queries of a tile,
 * and finish_summary at the end of the block. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "query_rows.h"

/* Indices in `running` of a query's sums. They are rescaled when its maximum grows, as its output is. The sums of the
 * bins begin at SUM_DISTANCE. */
enum { SUM_ENTROPY, SUM_PREVIOUS, SUM_FIRST, SUM_DUPLICATE, SUM_INDUCTION, SUM_DISTANCE };

/* The keys of a tile that are in one column of the map. They begin where the previous segment ends. */
struct segment {
  uint32_t tile, column, end; /* keys before `end`, relative to `first` of the block */
};

struct summary {
  const struct qkv_summary *s;
  uint32_t tiles, segments, tile_segments; /* counts so far; tile_segments: segments before this tile */
  uint32_t tile_end;                       /* the first key after the tile */
  float *sums;                             /* (segments, BLOCK_ROWS): sums of exp(score - running maximum) */
  float *tile_maxima;                      /* (tiles, BLOCK_ROWS): the running maximum */
  float *running;                          /* (SUM_DISTANCE + bins, BLOCK_ROWS) */
  float *seen;                             /* (BLOCK_ROWS): number of visible keys so far */
  float *least;                            /* (BLOCK_ROWS): only scores above this can be among the largest */
  uint32_t *cursors;            /* (2, BLOCK_ROWS): next key with the query's token, for duplicate and for induction */
  float *copies;                /* (keys of a tile, 4): scores before softmax */
  float *top_scores, *top_keys; /* (BLOCK_ROWS, top rounded up to 4), sorted; keys are stored as bits */
  struct segment *parts;        /* (segments) */
};

/* Returns the size of the scratch in floats, for tiles of `least` to `most` keys. */
double summary_scratch(const struct qkv_summary *s, uint32_t least, uint32_t most);
struct summary carve_summary(const struct qkv_summary *s, uint32_t least, uint32_t most, float *scratch);

void start_summary(struct summary *x, const struct query_rows *block);
void start_summary_tile(struct summary *x, const struct query_rows *block, uint32_t keys);

/* Runs online_softmax_column for queries c to c + 3 of the block and adds their weights to the sums. */
f4 summarize_column(struct summary *x, struct query_rows *block, size_t c);

/* Writes the statistics of the block, and to `part` its sums for qkv_summary_finish. */
void finish_summary(struct summary *x, struct query_rows *block, float *part);

/* Returns the size of `part` in floats. It has a row of the map that began in an earlier block, the running sums, and
 * the number of queries with an entropy. */
static inline size_t summary_part_size(const struct qkv_summary *s) { return s->columns + SUM_DISTANCE + s->bins + 1; }

#endif
