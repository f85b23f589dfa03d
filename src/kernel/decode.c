/* decode.c: attention of few queries, as in a step of generation. q (B,H,L,D), k (B,G,S,D), v (B,G,S,E) -> out
 * (B,H,L,E), L < DECODE_QUERIES.
 *
 * A register tile computes eight queries, most of which would be padding. Instead, keys and values are read once, row
 * by row, and all queries of all heads that share a kv head use them while they are in cache. Reading k and v limits
 * the speed. Each query loops over its own span of keys only, so only mask and bias can hide one of them. */
#include "decode.h"
#include "mask.h"
#include "tile.h"

/* SINGLE_KEYS: keys per tile for one query; many, because each switch from keys to values interrupts the hardware
 * prefetch. SHARED_KEYS: keys per tile for several queries; few enough to stay in L2, with their values, from query to
 * query (512 KB for D = E = 128). VALUE_ROWS rows of values (8 KB) are in L1 while the next VALUE_ROWS are prefetched.
 * Values of at least LONG_VALUES numbers (256 KB) come from memory and are read row by row, because the hardware
 * prefetches whole rows best. KEY_STREAMS: see score_streams. */
enum { SINGLE_KEYS = 2048, SHARED_KEYS = 512, VALUE_ROWS = 16, LONG_VALUES = 1 << 16, KEY_STREAMS = 4 };

/* All queries that share a kv head. There are rows = H/G * L of them. */
struct group {
  const struct qkv_attention *a;
  uint32_t b, g, rows;
  float *scores;        /* (SINGLE_KEYS) */
  float *powers;        /* (SINGLE_KEYS) */
  float *output;        /* (rows, E) */
  float *maxima, *sums; /* (rows) */
};

double decode_scratch(const struct qkv_attention *a) {
  double rows = a->G ? (double)(a->H / a->G) * a->L : 0.0;
  return (2.0 * (double)SINGLE_KEYS + rows * (a->E + 2.0)) * (double)sizeof(float);
}

/* scores[j] = scale * q . k[j], summed as `dot` does, for the keys j, j + part, j + 2 * part and j + 3 * part at once.
 * The hardware prefetches further ahead for several parallel streams of whole rows than for one. */
static void score_streams(const struct qkv_attention *a, const float *q, const float *k, size_t part, float *scores) {
  size_t step = part * a->k.row;
  for (const float *end = scores + part; scores != end; k += a->k.row, scores++) {
    f4 even[KEY_STREAMS], odd[KEY_STREAMS];
#pragma unroll
    for (size_t s = 0; s < KEY_STREAMS; s++)
      even[s] = odd[s] = zeros();
    for (size_t d = 0; d < a->D; d += 8) {
      f4 left = load(q + d), right = load(q + d + 4);
#pragma unroll
      for (size_t s = 0; s < KEY_STREAMS; s++) {
        even[s] = mul_add(left, load(k + s * step + d), even[s]);
        odd[s] = mul_add(right, load(k + s * step + d + 4), odd[s]);
      }
    }
#pragma unroll
    for (size_t s = 0; s < KEY_STREAMS; s++)
      scores[s * part] = a->scale * sum_lanes(add(even[s], odd[s]));
  }
}

/* scores[j] = scale * score(q, k[j]). */
static void score_keys(const struct qkv_attention *a, const float *q, const float *k, size_t keys, float *scores) {
  size_t j = 0;
  if (a->score == QKV_SCORE_DOT && a->D % 8 == 0) {
    score_streams(a, q, k, keys / KEY_STREAMS, scores);
    j = keys / KEY_STREAMS * KEY_STREAMS;
  }
  for (; j < keys; j++) {
    const float *key = k + j * a->k.row;
    scores[j] = a->scale * (a->score == QKV_SCORE_DOT ? dot(q, key, a->D) : score_pair(a, q, key));
  }
}

/* A cursor over the cache lines of a matrix, row after row, for prefetching. */
struct prefetch_cursor {
  const float *next, *end; /* end of the current row */
  size_t width, row;
};

INLINE void prefetch_next(struct prefetch_cursor *x) {
  prefetch(x->next), x->next += 16;
  if (x->next >= x->end)
    x->end += x->row, x->next = x->end - x->width;
}

/* Updates the softmax of query `row` by one tile, as online_softmax_column of query_rows.h does: replaces scores by
 * exp(score - largest), and returns exp(old maximum - largest), by which the caller rescales its output. Meanwhile it
 * prefetches the first values, one cache line per four keys, never past the last row. */
static float online_softmax(const struct group *x, size_t row, size_t keys, const float *v) {
  struct prefetch_cursor values = {v, v + x->a->E, x->a->E, x->a->v.row};
  float *scores = x->scores, *powers = x->powers;
  f4 maximum = splat(x->maxima[row]);
  size_t j = 0;
  for (; j + 4 <= keys; j += 4)
    maximum = pmax(maximum, load(scores + j));
  for (; j < keys; j++)
    maximum = pmax(maximum, splat(scores[j]));
  float largest = max_lane(maximum), base = largest == HIDDEN ? 0.0f : largest;
  for (j = 0; j + 4 <= keys; j += 4) {
    f4 fraction,
        power = power2_split(&stored_power2, mul(sub(load(scores + j), splat(base)), splat_from(&stored_power2.log2_e)),
                             &fraction);
    store(scores + j, fraction);
    store(powers + j, power);
    prefetch_next(&values);
  }
  f4 sums = zeros();
  for (j = 0; j + 4 <= keys; j += 4) {
    f4 e = mul(power2_fraction(&stored_power2, load(scores + j)), load(powers + j));
    store(scores + j, e);
    sums = add(sums, e);
  }
  float total = sum_lanes(sums);
  for (; j < keys; j++)
    total += scores[j] = lane0(exp_weight4(splat(scores[j] - base)));
  float rescale = lane0(exp_weight4(splat(x->maxima[row] - base)));
  x->sums[row] = x->sums[row] * rescale + total;
  x->maxima[row] = largest;
  return rescale;
}

/* output (E) += weights (keys) . v (keys,E), row by row. */
static void add_value_rows(const struct qkv_attention *a, float *output, const float *weights, const float *v,
                           size_t keys) {
  for (size_t j = 0; j < keys; j++, v += a->v.row) {
    f4 weight = splat_from(weights + j);
    size_t e = 0;
    for (; e + 16 <= a->E; e += 16) {
#pragma unroll
      for (size_t c = 0; c < 16; c += 4)
        store(output + e + c, mul_add(weight, load(v + e + c), load(output + e + c)));
    }
    for (; e + 4 <= a->E; e += 4)
      store(output + e, mul_add(weight, load(v + e), load(output + e)));
    for (; e < a->E; e++)
      output[e] += weights[j] * v[e];
  }
}

/* Computes the same as add_value_rows, in the same order of additions, but 32 columns of VALUE_ROWS rows at a time,
 * with the output in registers. The hardware does not prefetch down a column, so the next VALUE_ROWS rows are
 * prefetched explicitly. */
static void add_values(const struct qkv_attention *a, float *output, const float *weights, const float *v,
                       size_t keys) {
  size_t row = a->v.row, E = a->E;
  if (E % 32 || keys * E >= LONG_VALUES) {
    add_value_rows(a, output, weights, v, keys);
    return;
  }
  for (size_t j = 0; j < keys; j += VALUE_ROWS, v += VALUE_ROWS * row) {
    const float *stop = weights + at_most(j + VALUE_ROWS, keys);
    struct prefetch_cursor next = {v + VALUE_ROWS * row, v + VALUE_ROWS * row + E, E, row};
    int has_next = j + 2 * VALUE_ROWS <= keys;
    for (size_t e = 0; e < E; e += 32) {
      const float *x = v + e;
      f4 sum[8];
#pragma unroll
      for (size_t c = 0; c < 8; c++)
        sum[c] = load(output + e + 4 * c);
      for (const float *w = weights + j; w != stop; w++, x += row) {
        f4 weight = splat_from(w);
        if (has_next)
          prefetch_next(&next), prefetch_next(&next);
#pragma unroll
        for (size_t c = 0; c < 8; c++)
          sum[c] = mul_add(weight, load(x + 4 * c), sum[c]);
      }
#pragma unroll
      for (size_t c = 0; c < 8; c++)
        store(output + e + 4 * c, sum[c]);
    }
  }
}

/* Adds the keys from <= j < to to the softmax and the output of query i of head h. */
static void attend_keys(struct group *x, uint32_t h, uint32_t i, uint32_t from, uint32_t to) {
  const struct qkv_attention *a = x->a;
  size_t row = (size_t)(h % (a->H / a->G)) * a->L + i, keys = to - from;
  const float *q = a->q.data + (size_t)x->b * a->q.batch + (size_t)h * a->q.head + (size_t)i * a->q.row;
  const float *k = a->k.data + (size_t)x->b * a->k.batch + (size_t)x->g * a->k.head + (size_t)from * a->k.row;
  const float *v = a->v.data + (size_t)x->b * a->v.batch + (size_t)x->g * a->v.head + (size_t)from * a->v.row;
  float *output = x->output + row * a->E;
  score_keys(a, q, k, keys, x->scores);
  for (size_t j = 0; a->softcap > 0.0f && j < keys; j++)
    x->scores[j] = a->softcap * tanh1(x->scores[j] / a->softcap);
  for (uint32_t j = 0; a->alibi && j < keys; j++)
    x->scores[j] += alibi_at(a, x->b, h, i, from + j);
  if (has_mask(a))
    mask_scores(a, x->b, h, i, from, to, x->scores, 1);
  float rescale = online_softmax(x, row, keys, v);
  for (size_t e = 0; rescale != 1.0f && e < a->E; e++)
    output[e] *= rescale;
  if (!has_mask(a) || all_finite(v, a->v.row, keys, a->E)) {
    add_values(a, output, x->scores, v, keys);
    return;
  }
  /* 0 * NaN of a hidden value would be NaN, so only visible keys are added */
  for (uint32_t j = from; j < to; j++)
    if (passes_mask(a, x->b, h, i, j))
      add_value_rows(a, output, x->scores + (j - from), v + (j - from) * a->v.row, 1);
}

static void attend_group(struct group *x) {
  const struct qkv_attention *a = x->a;
  uint32_t heads = a->H / a->G, first = x->g * heads;
  for (size_t n = 0; n < (size_t)x->rows * a->E; n++)
    x->output[n] = 0.0f;
  for (uint32_t r = 0; r < x->rows; r++) {
    x->maxima[r] = sink_logit(a, first + r / a->L);
    x->sums[r] = x->maxima[r] == HIDDEN ? 0.0f : 1.0f;
  }
  uint32_t end = visible_span(a, x->b, a->L - 1).to, tile = x->rows == 1 ? SINGLE_KEYS : SHARED_KEYS;
  for (uint32_t j = visible_span(a, x->b, 0).from; j < end; j += tile)
    for (uint32_t h = first; h < first + heads; h++)
      for (uint32_t i = 0; i < a->L; i++) {
        struct span span = visible_span(a, x->b, i);
        uint32_t from = span.from > j ? span.from : j, to = (uint32_t)at_most(span.to, (size_t)j + tile);
        if (from < to)
          attend_keys(x, h, i, from, to);
      }
  for (uint32_t r = 0; r < x->rows; r++) {
    float *out = a->out.data + (size_t)x->b * a->out.batch + (size_t)(first + r / a->L) * a->out.head +
                 (size_t)(r % a->L) * a->out.row;
    float inv_sum = x->sums[r] == 0.0f ? 0.0f : 1.0f / x->sums[r];
    for (size_t e = 0; e < a->E; e++)
      out[e] = x->output[r * a->E + e] * inv_sum;
  }
}

void decode_part(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch) {
  struct group x = {.a = a, .rows = a->H / a->G * a->L, .scores = scratch};
  x.powers = x.scores + SINGLE_KEYS;
  x.output = x.powers + SINGLE_KEYS;
  x.maxima = x.output + (size_t)x.rows * a->E;
  x.sums = x.maxima + x.rows;
  for (uint32_t unit = first; unit < first + count; unit++) {
    x.b = unit / a->G, x.g = unit % a->G;
    attend_group(&x);
  }
}
