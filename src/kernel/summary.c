/* summary.c: the functions of summary.h. Weights w (B,H,L,S) arrive tile by tile, as exp(score - m) with the running
 * maximum m; shapes as in attention.c. */
#include "summary.h"
#include "rows.h"

/* The number of queries that finish_map adds at a time. Rows of the map can be a power of two apart, so the rows of
 * more queries would evict each other from L1. */
enum { MAP_QUERIES = 16 };
/* The largest `top` for which skip_small computes a lower bound of the largest scores before they are collected. */
enum { MOST_SORTED = 32 };

/* Returns the length of a row of top_scores and of top_keys. */
static size_t top_pitch(const struct qkv_summary *s) { return round_up(s->top, 4); }

double summary_scratch(const struct qkv_summary *s, uint32_t least, uint32_t most) {
  double tiles = s->columns ? (double)(s->attention.S / least) + 2.0 : 0.0, segments = tiles + s->columns;
  return (double)BLOCK_ROWS * (tiles + segments + (double)SUM_DISTANCE + s->bins + 5.0 + 2.0 * (double)top_pitch(s)) +
         3.0 * segments + 4.0 * most;
}

struct summary carve_summary(const struct qkv_summary *s, uint32_t least, uint32_t most, float *p) {
  size_t tiles = s->columns ? s->attention.S / least + 2 : 0, segments = tiles + s->columns;
  struct summary x = {.s = s, .sums = p};
  x.tile_maxima = x.sums + segments * BLOCK_ROWS;
  x.running = x.tile_maxima + tiles * BLOCK_ROWS;
  x.seen = x.running + (SUM_DISTANCE + s->bins) * BLOCK_ROWS;
  x.least = x.seen + BLOCK_ROWS;
  x.cursors = (uint32_t *)x.least + BLOCK_ROWS;
  x.copies = (float *)x.cursors + 2 * BLOCK_ROWS;
  x.top_scores = x.copies + 4 * most;
  x.top_keys = x.top_scores + BLOCK_ROWS * top_pitch(s);
  x.parts = (struct segment *)(x.top_keys + BLOCK_ROWS * top_pitch(s));
  return x;
}

static NOINLINE int64_t position_in(const struct query_rows *block, size_t r) {
  return position_of(block->a, block->b, block->row + (uint32_t)r);
}

/* Returns the first key with the token at this position, S if there is none. */
static NOINLINE uint32_t first_same(const struct qkv_summary *s, uint32_t b, int64_t position) {
  uint32_t S = s->attention.S;
  return s->same && position >= 0 && position < S ? s->same[2 * S * b + (uint32_t)position] : S;
}

void start_summary(struct summary *x, const struct query_rows *block) {
  x->tiles = x->segments = 0;
  __builtin_memset(x->running, 0, (size_t)(x->least - x->running) * sizeof(float));
  for (size_t r = 0; r < BLOCK_ROWS; r++) {
    x->least[r] = r < block->rows && x->s->top ? HIDDEN : -HIDDEN;
    float *scores = x->top_scores + r * top_pitch(x->s);
    for (size_t n = 0; n < top_pitch(x->s); n++)
      scores[n] = HIDDEN;
    x->cursors[r] = x->cursors[BLOCK_ROWS + r] = first_same(x->s, block->b, position_in(block, r));
  }
}

void start_summary_tile(struct summary *x, const struct query_rows *block, uint32_t keys) {
  uint64_t columns = x->s->columns, S = x->s->attention.S;
  x->tile_segments = x->segments;
  x->tile_end = block->first + keys;
  for (uint32_t end = 0; columns && end < keys;) {
    uint64_t column = (block->first + end) * columns / S, next = ((column + 1) * S + columns - 1) / columns;
    end = (uint32_t)at_most((size_t)next - block->first, keys);
    x->parts[x->segments++] = (struct segment){x->tiles, (uint32_t)column, end};
  }
  x->tiles++;
}

/* Returns the sums of n keys' weights, for four queries. */
INLINE f4 sum_keys(const float *weights, size_t n) {
  f4 even = zeros(), odd = zeros();
  for (; n > 1; n -= 2, weights += 2 * PANEL) {
    even = add(even, load(weights));
    odd = add(odd, load(weights + PANEL));
  }
  return n ? add(add(even, odd), load(weights)) : add(even, odd);
}

/* Inserts a score into the sorted largest scores of query r; equal scores keep the order of their keys. Four places are
 * updated at a time. A place takes the score of its left neighbour if that is smaller than the new score; otherwise it
 * takes the new score if its present one is smaller. */
INLINE void add_largest(struct summary *x, size_t r, float score, uint32_t key) {
  size_t pitch = top_pitch(x->s);
  float *scores = x->top_scores + r * pitch;
  float *keys = x->top_keys + r * pitch;
  const f4 new_score = splat(score), new_key = splat_from((const float *)&key);
  for (f4 last = splat(-HIDDEN), last_key = zeros(); pitch; pitch -= 4, scores += 4, keys += 4) {
    f4 here = load(scores), key_here = load(keys), before = after_last(last, here);
    m4 moves = less(before, new_score), stays = not_less(here, new_score);
    store(scores, pmax(here, pmin(before, new_score)));
    store(keys, blend(stays, key_here, blend(moves, after_last(last_key, key_here), new_key)));
    last = here;
    last_key = key_here;
  }
}

/* Divides the keys into 2 * top groups, and raises `least` to just below the `top`-th largest of their maxima. So at
 * least `top` scores are larger than `least`. */
static void skip_small(struct summary *x, size_t c, const float *scores, size_t keys) {
  size_t top = x->s->top;
  f4 largest[MOST_SORTED];
  for (size_t n = 0; n < top; n++)
    largest[n] = splat(HIDDEN);
  for (size_t n = 0; n < 2 * top; n++) {
    f4 most = splat(HIDDEN);
    for (size_t j = n; j < keys; j += 2 * top)
      most = pmax(most, load(scores + j * PANEL));
    for (size_t i = 0; i < top; i++) {
      f4 larger = pmax(largest[i], most);
      most = pmin(largest[i], most);
      largest[i] = larger;
    }
  }
  f4 bound = largest[top - 1], margin = mul_add(absolute(bound), splat(0x1p-22f), splat(0x1p-120f));
  store(x->least + c, pmax(load(x->least + c), sub(bound, margin)));
}

/* Writes the scores of a tile that are larger than `least` to `found`, each as 4 * key + query, and returns their
 * number. A branch per score would be mispredicted. So the comparisons of 16 keys become 64 bits, and the indices of
 * the set bits are written four at a time. Entries beyond `many` are overwritten by the next ones. */
static size_t find_larger(uint16_t *found, f4 least, const float *scores, size_t keys) {
  size_t count = 0;
  for (size_t j = 0; j < keys; j += 16) {
    uint64_t larger = 0; /* bit 4 i + r: key j + i of query r */
    for (size_t i = 0; i < 64; i += 16, scores += 4 * PANEL)
      larger |= (uint64_t)lane_bits4(less(least, load(scores)), less(least, load(scores + PANEL)),
                                     less(least, load(scores + 2 * PANEL)), less(least, load(scores + 3 * PANEL)))
                << i;
    if (keys - j < 16)
      larger &= ((uint64_t)1 << 4 * (keys - j)) - 1;
    size_t many = (size_t)__builtin_popcountll(larger), n = 0;
    do
      for (size_t i = 0; i < 4; i++, larger &= larger - 1)
        found[count + n++] = (uint16_t)(4 * j + lowest_bit(larger));
    while (n < many);
    count += many;
  }
  return count;
}

static void collect_largest(struct summary *x, size_t c, const float *scores, uint32_t first, size_t keys) {
  uint16_t *found = (uint16_t *)x->copies;
  size_t count = find_larger(found, load(x->least + c), scores, keys);
  for (size_t n = 0; n < count; n++)
    add_largest(x, c + found[n] % 4, scores[found[n] / 4 * PANEL + found[n] % 4], first + found[n] / 4);
  for (size_t r = c; r < c + 4; r++) {
    float least = x->top_scores[r * top_pitch(x->s) + x->s->top - 1];
    x->least[r] = least > x->least[r] ? least : x->least[r];
  }
}

/* Returns the bin of a distance. Bins are 0, 1, 2 to 3, 4 to 7, ...; the last one has all larger distances. */
static NOINLINE uint32_t bin_of(int64_t distance, uint32_t bins) {
  uint64_t size = (uint64_t)(distance < 0 ? -distance : distance);
  return (uint32_t)at_most(size ? 64 - (size_t)__builtin_clzll(size) : 0, bins - 1);
}

/* Adds the weights to the bins of their distances. `least` is the distance of the first query to the first key.
 * While the keys of all four queries are in one bin, four weights are added at a time. */
static void collect_distances(struct summary *x, size_t c, int64_t least, const float *weights, size_t keys) {
  uint32_t bins = x->s->bins;
  float *sums = x->running + SUM_DISTANCE * BLOCK_ROWS + c;
  for (size_t n; keys; keys -= n, weights += n * PANEL, least -= (int64_t)n) {
    uint32_t bin = bin_of(least, bins);
    n = 1;
    if (bin == bin_of(least + 3, bins) && (least >= 0 || least <= -3)) {
      int64_t lowest = (int64_t)1 << bin >> 1; /* smallest distance of the bin, which the first query leaves first */
      int64_t left = least >= 0 ? least - lowest + 1 : bin == bins - 1 ? INT64_MAX : 2 * lowest + least;
      n = left < (int64_t)keys ? (size_t)left : keys;
      store(sums + bin * BLOCK_ROWS, add(load(sums + bin * BLOCK_ROWS), sum_keys(weights, n)));
    } else
      for (uint32_t r = 0; r < 4; r++)
        sums[bin_of(least + r, bins) * BLOCK_ROWS + r] += weights[r];
  }
}

/* Adds weights of the query at position p, for keys first <= j < end, to the sums from which the scores of a head are
 * computed:
 *   SUM_FIRST of key 0, SUM_PREVIOUS of key p - 1,
 *   SUM_DUPLICATE of earlier keys with the token of p,
 *   SUM_INDUCTION of the keys right after those, if they are before p.
 * The last two walk the linked list of keys with the same token, j -> next_same[j]; `cursors` keep their places between
 * tiles. */
static void collect_scores(struct summary *x, const struct query_rows *block, size_t r, const float *weights,
                           uint32_t first, uint32_t end) {
  int64_t p = position_in(block, r);
  const uint32_t *same = x->s->same, S = x->s->attention.S;
  float *sums = x->running + r;
  if (first == 0 && end && (!same || p > 0)) /* with tokens, not of position 0, which sees no other key */
    sums[SUM_FIRST * BLOCK_ROWS] += weights[0];
  if (!same) /* no tokens, no other scores */
    return;
  if (p > first && p <= end)
    sums[SUM_PREVIOUS * BLOCK_ROWS] += weights[(size_t)(p - 1 - first) * PANEL];
  const uint32_t *next_same = same + (size_t)S * (2 * block->b + 1); /* same (B,2,S) */
  for (uint32_t after = 0; after < 2; after++) {                     /* 0: duplicates, 1: the keys after them */
    /* The cursor passes all keys of the tile, but only first <= j < end have weights. */
    uint32_t *cursor = x->cursors + after * BLOCK_ROWS + r;
    for (; *cursor + after < p && *cursor + after < x->tile_end; *cursor = next_same[*cursor]) {
      uint32_t j = *cursor + after;
      if (j >= first && j < end)
        sums[(SUM_DUPLICATE + after) * BLOCK_ROWS] += weights[(j - first) * PANEL];
    }
  }
}

/* Copies the scores of four queries before softmax overwrites them. */
static void copy_scores(struct summary *x, const float *scores, size_t keys) {
  for (size_t j = 0; j < keys; j++)
    store(x->copies + j * 4, load(scores + j * PANEL));
}

/* Counts the visible keys of four queries. */
static void count_visible(struct summary *x, size_t c, const float *scores, size_t keys) {
  f4 seen = load(x->seen + c);
  for (size_t j = 0; j < keys; j++)
    seen = add(seen, zero_where(equal(load(scores + j * PANEL), splat(HIDDEN)), splat(1.0f)));
  store(x->seen + c, seen);
}

/* sums += sum_j weight_j (score_j - maximum), in two alternating accumulators to hide the latency of the additions */
static void collect_entropies(const struct summary *x, float *sums, f4 maximum, const float *weights, size_t keys) {
  f4 sum = load(sums), other = zeros();
  maximum = zero_where(equal(maximum, splat(HIDDEN)), maximum); /* what softmax subtracts */
  for (size_t j = 0; j < keys; j++) {
    f4 log = pmax(sub(load(x->copies + j * 4), maximum), splat(LEAST_LOG2)); /* the weight is 0 below LEAST_LOG2 */
    f4 next = mul_add(load(weights + j * PANEL), log, other);
    other = sum;
    sum = next;
  }
  store(sums, add(sum, other));
}

/* Sums each segment of the tile for queries c - 4 to c + 3. */
static void sum_segments(struct summary *x, const struct panel *p, size_t c, const float *weights) {
  for (uint32_t n = x->tile_segments, from = p->from; n < x->segments; n++) {
    f4 left = zeros(), right = zeros();
    for (uint32_t to = (uint32_t)at_most(x->parts[n].end, p->to); from < to; from++, weights += PANEL) {
      left = add(left, load(weights - 4));
      right = add(right, load(weights));
    }
    store(x->sums + (size_t)n * BLOCK_ROWS + c - 4, left);
    store(x->sums + (size_t)n * BLOCK_ROWS + c, right);
  }
}

f4 summarize_column(struct summary *x, struct query_rows *block, size_t c) {
  const struct qkv_summary *s = x->s;
  const struct panel *p = block->panels + c / PANEL;
  float *scores = block->scores + column_of(block, c) + p->from * PANEL, *sum = x->running + c;
  f4 before = load(block->maxima + c), total = load(block->sums + c);
  size_t keys = p->to - p->from;
  uint32_t first = block->first + p->from;
  int has_entropy = s->entropy || s->scores;
  if (s->top && s->top <= MOST_SORTED && x->tiles == 1 && keys > 4 * s->top)
    skip_small(x, c, scores, keys);
  if (s->top)
    collect_largest(x, c, scores, first, keys);
  if (has_entropy)
    copy_scores(x, scores, keys);
  if (s->scores)
    count_visible(x, c, scores, keys);
  f4 rescale = online_softmax_column(scores, keys, block->maxima + c, block->sums + c, block->powers);
  f4 maximum = load(block->maxima + c);
  if (any_lane(not_equal(before, maximum))) {
    /* With the weights e_j so far, `sum` is sum_j e_j (score_j - before), and `total` is sum_j e_j. Adding total *
     * (before - maximum) makes `sum` sum_j e_j (score_j - maximum). Then all sums are rescaled to the new maximum. */
    f4 lower = zero_where(equal(before, maximum), pmax(sub(before, maximum), splat(LEAST_LOG2)));
    store(sum, mul_add(total, lower, load(sum)));
    for (size_t n = 0; n < SUM_DISTANCE + s->bins; n++)
      store(sum + n * BLOCK_ROWS, mul(load(sum + n * BLOCK_ROWS), rescale));
  }
  if (has_entropy)
    collect_entropies(x, sum, maximum, scores, keys);
  if (s->columns)
    store(x->tile_maxima + (x->tiles - 1) * BLOCK_ROWS + c, maximum);
  if (c % PANEL) /* both halves of the panel, four queries each, are weights now */
    sum_segments(x, p, c, scores);
  if (s->bins)
    collect_distances(x, c, position_in(block, c) - first, scores, keys);
  for (size_t r = 0; s->scores && r < 4; r++)
    collect_scores(x, block, c + r, scores + r, first, first + (uint32_t)keys);
  return rescale;
}

/* Writes the keys of the largest scores of query r, and their weights. Fills the other places with visible keys of
 * weight 0 in ascending order, then with -1. */
static void finish_largest(const struct summary *x, const struct query_rows *block, size_t r, size_t query,
                           float factor) {
  size_t top = x->s->top, n = 0, at = r * top_pitch(x->s);
  float *weights = x->s->top_weights + query * top;
  int32_t *keys = x->s->top_keys + query * top;
  for (size_t i = 0; i < top; i += 4) {
    f4 lower = sub(load(x->top_scores + at + i), splat(block->maxima[r]));
    store_some(weights + i, at_most(top - i, 4), mul(exp_weight4(lower), splat(factor)));
    store_some((float *)keys + i, at_most(top - i, 4), load(x->top_keys + at + i));
  }
  while (n < top && weights[n] > 0.0f)
    n++;
  size_t positive = n;
  if (n == top)
    return;
  struct span span = visible_span(block->a, block->b, block->row + (uint32_t)r);
  for (uint32_t j = span.from; n < top && j < span.to && factor == factor; j++) {
    size_t found = 0;
    while (found < positive && keys[found] != (int32_t)j)
      found++;
    if (found == positive && passes_mask(block->a, block->b, block->h, block->row + (uint32_t)r, j))
      weights[n] = 0.0f, keys[n++] = (int32_t)j;
  }
  for (; n < top; n++)
    weights[n] = factor - factor, keys[n] = -1; /* NaN if the row is NaN, else 0 */
}

/* Adds the first `many` of four sums to cells of the map. */
INLINE void add_cells(float *cells, size_t many, f4 sums) {
  if (many == 4)
    store(cells, add(load(cells), sums));
  else
    store_some(cells, many, add(load_some(cells, many), sums));
}

/* Adds the `sums` of a query to `before`, the sums of the previous query, if both queries belong to the same row of the
 * map (to[0] == to[-1]). Otherwise adds them to the cells of the query's row. Returns the sums of the previous
 * query. */
INLINE f4 join_rows(float *const *to, uint32_t column, size_t many, f4 before, f4 sums) {
  if (to[0] == to[-1])
    return add(before, sums);
  add_cells(to[0] + column, many, sums);
  return before;
}

/* Writes the rows of the map, each the mean of its queries' sums, 4 queries by 4 columns at a time. */
static void finish_map(const struct summary *x, const struct query_rows *block, const float *factors, float *part) {
  const struct qkv_summary *s = x->s;
  uint64_t rows = s->rows, L = block->a->L;
  float *map = s->map + ((size_t)block->b * block->a->H + block->h) * s->rows * s->columns, *to[BLOCK_ROWS];
  float shares[BLOCK_ROWS];
  for (uint32_t r = 0; r < BLOCK_ROWS; r++) {
    uint32_t i = block->row + (r < block->rows ? r : block->rows - 1);
    uint64_t row = i * rows / L, start = (row * L + rows - 1) / rows, stop = ((row + 1) * L + rows - 1) / rows;
    to[r] = start < block->row ? part : map + row * s->columns;
    shares[r] = factors[r] / (float)(stop - start);
    if (r == 0 || to[r] != to[r - 1])
      __builtin_memset(to[r], 0, s->columns * sizeof(float));
    if (shares[r] != shares[r]) /* all weights of a query with NaN are NaN, even of keys it does not see */
      add_scaled(to[r], to[r], shares[r], s->columns);
  }
  for (size_t n = 0; n < x->tiles * BLOCK_ROWS; n += 4) {
    f4 later = sub(load(x->tile_maxima + n), load(block->maxima + n % BLOCK_ROWS));
    store(x->tile_maxima + n, mul(exp_weight4(later), load(shares + n % BLOCK_ROWS)));
  }
  for (size_t from = 0; from < block->rows; from += MAP_QUERIES)
    for (size_t n = 0, many; n < x->segments; n += many) {
      const struct segment *parts = x->parts + n; /* consecutive segments of a tile are adjacent columns of the map */
      for (many = at_most(x->segments - n, 4); parts[many - 1].tile != parts->tile;)
        many--;
      for (size_t r = from; r < at_most(from + MAP_QUERIES, block->rows); r += 4) {
        const float *p = x->sums + n * BLOCK_ROWS + r;
        f4 share = load(x->tile_maxima + parts->tile * BLOCK_ROWS + r);
        f4 sums[4] = {mul(load(p), share), mul(load(p + BLOCK_ROWS), share), mul(load(p + 2 * BLOCK_ROWS), share),
                      mul(load(p + 3 * BLOCK_ROWS), share)};
        size_t left = block->rows - r;
        transpose(sums);
        if (left > 3)
          sums[2] = join_rows(to + r + 3, parts->column, many, sums[2], sums[3]);
        if (left > 2)
          sums[1] = join_rows(to + r + 2, parts->column, many, sums[1], sums[2]);
        if (left > 1)
          sums[0] = join_rows(to + r + 1, parts->column, many, sums[0], sums[1]);
        add_cells(to[r] + parts->column, many, sums[0]);
      }
    }
}

void finish_summary(struct summary *x, struct query_rows *block, float *part) {
  const struct qkv_summary *s = x->s;
  const struct qkv_attention *a = block->a;
  float factors[BLOCK_ROWS] = {0.0f}, sink = sink_logit(a, block->h), *sums = part + s->columns;
  int has_log = s->log_sum_exp || s->entropy || s->sink_weight || s->scores;
  size_t many = SUM_DISTANCE + s->bins, query = ((size_t)block->b * a->H + block->h) * a->L + block->row;
  __builtin_memset(sums, 0, (many + 1) * sizeof *sums);
  for (size_t r = 0; r < block->rows; r++, query++) {
    float sum = block->sums[r], maximum = block->maxima[r], factor = sum == 0.0f ? 0.0f : 1.0f / sum;
    block->maxima[r] = maximum = maximum == HIDDEN ? 0.0f : maximum; /* what softmax subtracts */
    factors[r] = factor;
    /* With e_j = exp(score_j - maximum) and sums over the keys, without the sink:
     *   entropy = (log(sum) * sum_j e_j - sum_j (e_j * (score_j - maximum))) / sum
     * `sum` and `running` also count the sink, so its terms are subtracted from both. */
    float lower = sink - maximum < LEAST_LOG2 ? LEAST_LOG2 : sink - maximum;
    double entropy = 0.0;
    if (has_log) {
      double log = log_double((double)sum), sink_sum = (double)lane0(exp_weight4(splat(lower)));
      entropy = ((double)sum - sink_sum) * log - ((double)x->running[r] - sink_sum * (double)lower);
      entropy = sum == 0.0f || entropy < 0.0 ? 0.0 : entropy * (double)factor;
      if (s->log_sum_exp)
        s->log_sum_exp[query] = (float)((double)maximum + log);
      if (s->entropy)
        s->entropy[query] = (float)entropy;
      if (s->sink_weight)
        s->sink_weight[query] = (float)sink_sum * factor;
    }
    if (s->top)
      finish_largest(x, block, r, query, factor);
    if (x->seen[r] > 1.0f)
      sums[SUM_ENTROPY] += (float)(entropy / log_double((double)x->seen[r])), sums[many] += 1.0f;
    for (size_t n = SUM_PREVIOUS; n < many; n++)
      sums[n] += factor * x->running[n * BLOCK_ROWS + r];
  }
  if (s->map)
    finish_map(x, block, factors, part);
}

uint32_t QKV_EXPORT(qkv_summary_finish)(const struct qkv_summary *s) {
  const struct qkv_attention *a = &s->attention;
  size_t heads = (size_t)a->B * a->H, size = summary_part_size(s), blocks = (a->L + BLOCK_ROWS - 1) / BLOCK_ROWS;
  const float *part = s->parts;
  for (size_t head = 0; head < heads; head++) {
    uint32_t b = (uint32_t)(head / a->H);
    double sums[SUM_DISTANCE + 64] = {0.0}, counts[SUM_DISTANCE] = {0.0}, all = 0.0;
    for (size_t n = 0; n < blocks; n++, part += size) {
      const float *sum = part + s->columns;
      for (size_t i = 0; i < SUM_DISTANCE + s->bins; i++)
        sums[i] += (double)sum[i];
      counts[SUM_ENTROPY] += (double)sum[SUM_DISTANCE + s->bins];
      uint64_t rows = s->rows, row = n * BLOCK_ROWS * rows / a->L;
      if (s->map && (row * a->L + rows - 1) / rows < n * BLOCK_ROWS)
        add_scaled(s->map + (head * s->rows + row) * s->columns, part, 1.0f, s->columns);
    }
    for (size_t i = 0; i < s->bins; i++)
      all += sums[SUM_DISTANCE + i];
    for (size_t i = 0; i < s->bins; i++)
      s->distance[head * s->bins + i] = (float)(all == 0.0 ? 0.0 : sums[SUM_DISTANCE + i] / all);
    for (uint32_t i = 0; s->scores && i < a->L; i++) {
      int64_t p = position_of(a, b, i);
      uint32_t first = first_same(s, b, p);
      counts[SUM_FIRST] += !s->same || p > 0;
      counts[SUM_PREVIOUS] += s->same && p > 0 && p <= a->S;
      counts[SUM_DUPLICATE] += first < a->S && first < p;
      counts[SUM_INDUCTION] += first < a->S && first + 1 < p;
    }
    for (size_t i = 0; s->scores && i < SUM_DISTANCE; i++)
      s->scores[i * heads + head] = (float)(counts[i] == 0.0 ? 0.0 : sums[i] / counts[i]);
  }
  return QKV_OK;
}
