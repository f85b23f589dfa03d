/* few.c: attention of few queries, as in a step of generation. Shapes as in attention.c, L below FEW_QUERIES.
 *
 * Register tiles would compute eight queries where there is one. Here keys and values stream through once, row by
 * row, and every query of every head that shares them meets them while they are in the cache: the time is that of
 * reading k and v. Each query looks only at its own span of keys, so that only mask and bias hide anything. */
#include "few.h"
#include "mask.h"
#include "tile.h"

enum { TILE_KEYS = 256 }; /* keys and values of D = E = 128: 256 KB, in L2 while the heads of a group take turns */

/* All queries that share a kv head: rows = H/G * L. */
struct group {
  const struct qkv_attention *a;
  uint32_t b, g, rows;
  float *scores;        /* (TILE_KEYS) */
  float *output;        /* (rows, E) */
  float *maxima, *sums; /* (rows) */
};

double few_scratch(const struct qkv_attention *a) {
  double rows = a->G ? (double)(a->H / a->G) * a->L : 0.0;
  return (TILE_KEYS + rows * (a->E + 2.0)) * (double)sizeof(float);
}

/* scores (keys): score(q, k), scaled. Key by key: several rows at once share loads of q, but the processor fetches
 * ahead along one row only. */
INLINE void score_keys(enum qkv_score score, const struct qkv_attention *a, const float *q, const float *k, size_t keys,
                       float *scores) {
  float factor = score_factor(a) * a->scale;
  for (size_t j = 0; j < keys; j++)
    scores[j] = factor * sum_terms(score, q, k + j * a->k.row, a->w_v, a->D);
}

/* Scores become exponentials under the new maximum; returns by how much all that was summed before shrinks. */
static float update(float *scores, size_t keys, float *maximum, float *sum) {
  f4 most = splat(*maximum);
  size_t j = 0;
  for (; j + 4 <= keys; j += 4)
    most = larger(most, load(scores + j));
  for (; j < keys; j++)
    most = larger(most, splat(scores[j]));
  float largest = largest_lane(most), base = largest == HIDDEN ? 0.0f : largest;
  f4 sums = zeros();
  for (j = 0; j + 4 <= keys; j += 4) {
    f4 e = power2_4(mul(sub(load(scores + j), splat(base)), splat(LOG2_E)));
    store(scores + j, e);
    sums = add(sums, e);
  }
  float total = sum_lanes(sums);
  for (; j < keys; j++)
    total += scores[j] = lane0(power2_4(splat((scores[j] - base) * LOG2_E)));
  float shrink = lane0(power2_4(splat((*maximum - base) * LOG2_E)));
  *sum = *sum * shrink + total;
  *maximum = largest;
  return shrink;
}

/* output (E) = shrink * output + weights (keys) . values, row by row. */
static void add_values(const struct qkv_attention *a, float *output, float shrink, const float *weights, const float *v,
                       size_t keys) {
  for (size_t e = 0; shrink != 1.0f && e < a->E; e++)
    output[e] *= shrink;
  for (size_t j = 0; j < keys; j++, v += a->v.row) {
    f4 weight = splat_from(weights + j);
    size_t e = 0;
    for (; e + 4 <= a->E; e += 4)
      store(output + e, mul_add(weight, load(v + e), load(output + e)));
    for (; e < a->E; e++)
      output[e] += weights[j] * v[e];
  }
}

/* Query i of head h meets the keys from <= j < to of one tile. */
static void meet(struct group *x, uint32_t h, uint32_t i, uint32_t from, uint32_t to) {
  const struct qkv_attention *a = x->a;
  size_t row = (size_t)(h % (a->H / a->G)) * a->L + i, keys = to - from;
  const float *q = a->q.data + (size_t)x->b * a->q.batch + (size_t)h * a->q.head + (size_t)i * a->q.row;
  const float *k = a->k.data + (size_t)x->b * a->k.batch + (size_t)x->g * a->k.head + (size_t)from * a->k.row;
  const float *v = a->v.data + (size_t)x->b * a->v.batch + (size_t)x->g * a->v.head + (size_t)from * a->v.row;
  float *output = x->output + row * a->E;
  switch (a->score) {
  case QKV_SCORE_GAUSSIAN:
    score_keys(QKV_SCORE_GAUSSIAN, a, q, k, keys, x->scores);
    break;
  case QKV_SCORE_ADDITIVE:
    score_keys(QKV_SCORE_ADDITIVE, a, q, k, keys, x->scores);
    break;
  default:
    score_keys(QKV_SCORE_DOT, a, q, k, keys, x->scores);
  }
  for (size_t j = 0; a->softcap > 0.0f && j < keys; j++)
    x->scores[j] = a->softcap * tanh1(x->scores[j] / a->softcap);
  for (uint32_t j = 0; a->alibi && j < keys; j++)
    x->scores[j] += alibi_at(a, x->b, h, i, from + j);
  if (has_mask(a))
    mask_scores(a, x->b, h, i, from, to, x->scores, 1);
  float shrink = update(x->scores, keys, x->maxima + row, x->sums + row);
  if (!has_mask(a) || all_finite(v, a->v.row, keys, a->E)) {
    add_values(a, output, shrink, x->scores, v, keys);
    return;
  }
  /* 0 times a hidden NaN would spoil the sum: seen keys only */
  add_values(a, output, shrink, x->scores, v, 0);
  for (uint32_t j = from; j < to; j++)
    if (passes_mask(a, x->b, h, i, j))
      add_values(a, output, 1.0f, x->scores + (j - from), v + (j - from) * a->v.row, 1);
}

static void attend_group(struct group *x) {
  const struct qkv_attention *a = x->a;
  uint32_t heads = a->H / a->G, first = x->g * heads;
  for (size_t n = 0; n < (size_t)x->rows * a->E; n++)
    x->output[n] = 0.0f;
  for (uint32_t r = 0; r < x->rows; r++) {
    x->maxima[r] = sink_of(a, first + r / a->L);
    x->sums[r] = x->maxima[r] == HIDDEN ? 0.0f : 1.0f;
  }
  uint32_t end = visible_span(a, x->b, a->L - 1).to;
  for (uint32_t j = visible_span(a, x->b, 0).from; j < end; j += TILE_KEYS)
    for (uint32_t h = first; h < first + heads; h++)
      for (uint32_t i = 0; i < a->L; i++) {
        struct span span = visible_span(a, x->b, i);
        uint32_t from = span.from > j ? span.from : j, to = (uint32_t)at_most(span.to, (size_t)j + TILE_KEYS);
        if (from < to)
          meet(x, h, i, from, to);
      }
  for (uint32_t r = 0; r < x->rows; r++) {
    float *out = a->out.data + (size_t)x->b * a->out.batch + (size_t)(first + r / a->L) * a->out.head +
                 (size_t)(r % a->L) * a->out.row;
    float share = x->sums[r] == 0.0f ? 0.0f : 1.0f / x->sums[r];
    for (size_t e = 0; e < a->E; e++)
      out[e] = x->output[r * a->E + e] * share;
  }
}

void attend_few(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch) {
  struct group x = {.a = a, .rows = a->H / a->G * a->L, .scores = scratch};
  x.output = x.scores + TILE_KEYS;
  x.maxima = x.output + (size_t)x.rows * a->E;
  x.sums = x.maxima + x.rows;
  for (uint32_t unit = first; unit < first + count; unit++) {
    x.b = unit / a->G, x.g = unit % a->G;
    attend_group(&x);
  }
}
