/* summary.h: statistics that attention.c collects of its weights: see struct qkv_summary. A block of query rows begins
 * with start_summary, each of its tiles of keys with start_summary_tile, and each four queries of a tile go through
 * summarize_column. finish_summary divides the sums of a block. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "query_rows.h"

/* Sums of a query that are rescaled when its maximum grows, like its output. Each bin has a sum at the end. */
enum { SUM_ENTROPY, SUM_PREVIOUS, SUM_FIRST, SUM_DUPLICATE, SUM_INDUCTION, SUM_DISTANCE };

/* A tile's part of a column of the map. It begins where the one before it ends. */
struct segment {
  uint32_t tile, column, end; /* keys before `end`, relative to `first` of the block */
};

struct summary {
  const struct qkv_summary *s;
  uint32_t tiles, segments, tile_segments; /* so far; the first segment of the tile */
  uint32_t tile_end;                       /* the first key after the tile */
  float *sums;                             /* (segments, BLOCK_ROWS): of exp(score - the maximum at that time) */
  float *tile_maxima;                      /* (tiles, BLOCK_ROWS): the maximum at that time */
  float *running;                          /* (SUM_DISTANCE + bins, BLOCK_ROWS) */
  float *seen;                             /* (BLOCK_ROWS): visible keys so far */
  float *least;                            /* (BLOCK_ROWS): only larger scores are among the largest */
  uint32_t *cursors;                       /* (2, BLOCK_ROWS): next key with the query's token: duplicate, induction */
  float *copies;                           /* (keys of a tile, 4) */
  float *top_scores, *top_keys;            /* (BLOCK_ROWS, 4 + top rounded up to 4): in order; keys as bits */
  struct segment *parts;                   /* (segments) */
};

/* Floats of scratch, for tiles of at least `least` and at most `most` keys. */
double summary_scratch(const struct qkv_summary *s, uint32_t least, uint32_t most);
struct summary carve_summary(const struct qkv_summary *s, uint32_t least, uint32_t most, float *scratch);

void start_summary(struct summary *x, const struct query_rows *block);
void start_summary_tile(struct summary *x, const struct query_rows *block, uint32_t keys);

/* online_softmax_column of queries c to c + 3 of the block, whose weights are added to the sums. */
f4 summarize_column(struct summary *x, struct query_rows *block, size_t c);

/* Writes what the block reports; part: its sums for qkv_summary_finish. */
void finish_summary(struct summary *x, struct query_rows *block, float *part);

/* Floats of such a part: a row of the map that began in an earlier block, the running sums, the number of queries with
 * an entropy. */
static inline size_t summary_part_size(const struct qkv_summary *s) { return s->columns + SUM_DISTANCE + s->bins + 1; }

#endif
