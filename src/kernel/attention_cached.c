/* attention_cached.c: attention over a cache of int8. q (B,H,L,D), keys (B,G,S,D), values (B,G,S,E) -> out (B,H,L,E).
 * It is part of qkv.integers.wasm and qkv.relaxed.integers.wasm.
 *
 * Each key and each value of a head has a scale, its largest |x| / 127. The rounding error is at most half a scale. The
 * products are those of linear_integer.c, with keys and values as weights W of int8, and x rounded in steps of `step`:
 *
 *   score[j] = scale (key_scale[j] step) (q . k[j])          x = q, W = k (S,D)
 *   w[j] = exp(score[j] - m)                               m = the largest score
 *   out = sum_j (w[j] value_scale[j]) v[j] / sum_j w[j]      x = w value_scale, W = v^T (E,CACHE_ROWS), block by block
 *
 * The kernel of the product rounds |x| below 1e-33 to 0. So if all value scales of a block are below 2^-64, x is
 * multiplied by 2^64 and the sums by 2^-64.
 *
 * Scores are scaled, masked and summed in the order of the keys. So the result for a query is bit for bit the same for
 * any number of queries and threads, in both builds and in every engine.
 *
 * Layout of a head: keys in panels (rows/8, D/2 rounded up, 4, 2, 2), values in blocks (rows/CACHE_ROWS, E/8 rounded
 * up, CACHE_ROWS/2, 4, 2, 2). So appending a row never moves the rows before it. */
#include "exp.h"
#include "linear_integer.h"
#include "mask.h"
#include "rows.h"

/* CACHE_ROWS: keys per block of values. A block of queries has as many as SCORES scores allow, which fit into L2, but
 * at least FEWEST_QUERIES and at most MOST_QUERIES. */
enum { CACHE_ROWS = 128, FEWEST_QUERIES = 16, MOST_QUERIES = 32, SCORES = 1 << 18 };

static size_t key_bytes(const struct qkv_cache *c) { return round_up(c->D, 2); }
static size_t value_bytes(const struct qkv_cache *c) { return round_up(c->E, 8); }

/* A key or a value in the cache. Its i-th number is at the address number_at(row, i), with the bits of flip_at(row, i)
 * inverted, see int8_place. */
struct int8_row {
  uint8_t *p, flip;
  int is_value;
};

static struct int8_row key_at(const struct qkv_cache *c, size_t head, size_t row) {
  uint8_t *panel = (uint8_t *)c->keys + (head * c->rows + row / 8 * 8) * key_bytes(c);
  return (struct int8_row){.p = panel + int8_place(0, row % 8), .flip = int8_flip(row % 8)};
}

static struct int8_row value_at(const struct qkv_cache *c, size_t head, size_t row) {
  size_t block = row / CACHE_ROWS * CACHE_ROWS;
  uint8_t *panels = (uint8_t *)c->values + (head * c->rows + block) * value_bytes(c);
  return (struct int8_row){.p = panels + int8_place(row - block, 0), .is_value = 1};
}

static uint8_t *number_at(struct int8_row r, size_t i) {
  return r.p + (r.is_value ? i / 8 * 8 * CACHE_ROWS + int8_place(0, i % 8) : int8_place(i, 0));
}

static uint8_t flip_at(struct int8_row r, size_t i) { return r.is_value ? int8_flip(i % 8) : r.flip; }

static float read_number(struct int8_row r, size_t i) { return (float)(int8_t)(*number_at(r, i) ^ flip_at(r, i)); }

/* Writes x (n) / scale as int8. Returns the scale: 0 if the largest |x| is at most 1e-36, NaN if an x is NaN or
 * infinite. */
static float quantize_values(const float *x, size_t n, struct int8_row to) {
  float largest = largest_size(x, n);
  f4 factor = splat(largest > 1e-36f ? 127.0f / largest : 0.0f);
  for (size_t i = 0; i < n; i += 4) {
    int32_t numbers[4];
    store((float *)(void *)numbers, nearest_integers(mul(get(x + i, n - i), factor)));
    for (size_t lane = 0; lane < at_most(n - i, 4); lane++)
      *number_at(to, i + lane) = (uint8_t)((numbers[lane] & 0xff) ^ flip_at(to, i + lane));
  }
  return largest > 1e-36f ? largest / 127.0f + largest * 0.0f : largest * 0.0f;
}

/* Returns a pointer to row t of head n in x, which is k or v; a row has `size` values. */
static float *row_of(const struct qkv_cache_rows *a, float *x, size_t size, size_t n, size_t t) {
  size_t row = a->G ? (n / a->G * a->count + t) * a->G + n % a->G : n * a->count + t;
  return x + row * size;
}

uint32_t QKV_EXPORT(qkv_cache_write)(const struct qkv_cache_rows *a) {
  const struct qkv_cache *c = &a->cache;
  for (size_t n = 0; n < c->heads; n++)
    for (size_t t = 0, row = a->from; t < a->count; t++, row++) {
      size_t scale = n * c->rows + row;
      c->key_scales[scale] = quantize_values(row_of(a, a->k, c->D, n, t), c->D, key_at(c, n, row));
      c->value_scales[scale] = quantize_values(row_of(a, a->v, c->E, n, t), c->E, value_at(c, n, row));
    }
  return QKV_OK;
}

/* Copies rows into a cache of float32: keys (heads, rows, D) and values (heads, rows, E), without scales. */
uint32_t QKV_EXPORT(qkv_cache_copy)(const struct qkv_cache_rows *a) {
  const struct qkv_cache *c = &a->cache;
  for (size_t n = 0; n < c->heads; n++)
    for (size_t t = 0, row = n * c->rows + a->from; t < a->count; t++, row++) {
      float *key = (float *)c->keys + row * c->D, *value = (float *)c->values + row * c->E;
      for (size_t i = 0; i < c->D; i += 4)
        put(key + i, c->D - i, get(row_of(a, a->k, c->D, n, t) + i, c->D - i));
      for (size_t i = 0; i < c->E; i += 4)
        put(value + i, c->E - i, get(row_of(a, a->v, c->E, n, t) + i, c->E - i));
    }
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_cache_read)(const struct qkv_cache_rows *a) {
  const struct qkv_cache *c = &a->cache;
  for (size_t n = 0; n < c->heads; n++)
    for (size_t t = 0, row = a->from; t < a->count; t++, row++) {
      struct int8_row key = key_at(c, n, row), value = value_at(c, n, row);
      float *k = row_of(a, a->k, c->D, n, t), *v = row_of(a, a->v, c->E, n, t);
      float key_scale = c->key_scales[n * c->rows + row], value_scale = c->value_scales[n * c->rows + row];
      for (size_t i = 0; i < c->D; i++)
        k[i] = key_scale * read_number(key, i);
      for (size_t i = 0; i < c->E; i++)
        v[i] = value_scale * read_number(value, i);
    }
  return QKV_OK;
}

/* Returns how many query rows share a kv head. Row r is query r / (H/G) of query head r % (H/G) of this kv head. */
static size_t all_queries(const struct qkv_attention *a) { return a->G ? (size_t)(a->H / a->G) * a->L : 0; }

static size_t block_queries(const struct qkv_attention *a) {
  size_t most = at_most(SCORES / (round_up(a->S, CACHE_ROWS) + 1), MOST_QUERIES);
  return at_most(all_queries(a), most < FEWEST_QUERIES ? FEWEST_QUERIES : most);
}

double QKV_EXPORT(qkv_cached_scratch)(const struct qkv_cached *args) {
  const struct qkv_attention *a = &args->attention;
  size_t rows = block_queries(a), keys = round_up(a->S, CACHE_ROWS), E = round_up(a->E, 8);
  struct qkv_linear one = {.M = (uint32_t)rows, .K = a->D, .weights = QKV_WEIGHTS_INT8}, two = one;
  two.K = CACHE_ROWS;
  double floats = (double)rows * ((double)a->D + (double)keys + (double)CACHE_ROWS + (double)a->E + 6.0) + (double)E;
  double first = qkv_integer_scratch(&one), second = qkv_integer_scratch(&two);
  return floats * (double)sizeof(float) + (first > second ? first : second) + 64.0;
}

uint32_t QKV_EXPORT(qkv_cached_units)(const struct qkv_cached *args) {
  const struct qkv_attention *a = &args->attention;
  size_t rows = block_queries(a);
  return rows ? (uint32_t)((size_t)a->B * a->G * ((all_queries(a) + rows - 1) / rows)) : 0;
}

/* Query i of head h in batch b. */
struct query {
  const struct qkv_attention *a;
  uint32_t b, h, i;
};

/* Computes scores = mask(softcap(scale * scores)) for `keys` keys from j0 on, -infinity outside the query's span.
 * Returns the largest score, or the logit of the sink if that is larger. */
static float mask_query(struct query x, float *scores, uint32_t j0, size_t keys) {
  const struct qkv_attention *a = x.a;
  struct span span = visible_span(a, x.b, x.i);
  uint32_t from = span.from < j0 ? j0 : span.from, to = span.to < from ? from : span.to;
  for (size_t j = 0; j < keys; j += 4) {
    f4 score = mul(load(scores + j), splat(a->scale));
    if (a->softcap > 0.0f)
      score = mul(splat(a->softcap), tanh4(quotient(score, splat(a->softcap))));
    store(scores + j, score);
  }
  for (uint32_t j = from; j < to && a->alibi; j++)
    scores[j - j0] += alibi_at(a, x.b, x.h, x.i, j);
  if (has_mask(a))
    mask_scores(a, x.b, x.h, x.i, from, to, scores + (from - j0), 1);
  for (size_t j = 0; j < from - j0; j++)
    scores[j] = HIDDEN;
  for (size_t j = to - j0; j < keys; j++)
    scores[j] = HIDDEN;
  f4 largest = splat(sink_logit(a, x.h));
  for (size_t j = 0; j < keys; j += 4)
    largest = pmax(largest, load(scores + j));
  return max_lane(largest);
}

/* weights (keys) = exp(scores - base) * value_scales * lift, 0 for hidden keys; sums (4) += exp(scores - base), four
 * keys at a time. `lift` is 2^64 if all value scales are tiny, else 1. */
static void weigh_values(const float *scores, size_t keys, const float *value_scales, float lift, float base,
                         float *weights, float *sums) {
  f4 sum = load(sums);
  for (size_t j = 0; j < keys; j += 4) {
    f4 score = load(scores + j), e = exp_weight(sub(score, splat(base)));
    sum = add(sum, e);
    store(weights + j, zero_where(equal(score, splat(HIDDEN)), mul(e, mul(load(value_scales + j), splat(lift)))));
  }
  store(sums, sum);
}

/* Computes the output of query rows from <= r < from + rows, which share kv head g of batch b, see all_queries. */
static void attend_rows(const struct qkv_cached *args, uint32_t b, uint32_t g, size_t from, size_t rows,
                        float *scratch) {
  const struct qkv_attention *a = &args->attention;
  const struct qkv_cache *c = &args->cache;
  size_t heads = a->H / a->G, D = a->D, E = a->E, head = (size_t)b * a->G + g;
  struct span first = visible_span(a, b, (uint32_t)(from / heads));
  struct span last = visible_span(a, b, (uint32_t)((from + rows - 1) / heads));
  uint32_t j0 = first.from / CACHE_ROWS * CACHE_ROWS;
  size_t keys = last.to > j0 ? round_up(last.to - j0, 4) : 0;
  float *x = scratch, *scores = x + rows * D, *weights = scores + rows * keys, *output = weights + rows * CACHE_ROWS;
  float *sums = output + rows * E, *maxima = sums + rows * 4, *lowers = maxima + rows, *rest = lowers + round_up(E, 8);
  for (size_t r = 0; r < rows; r++) {
    size_t i = (from + r) / heads, h = g * heads + (from + r) % heads;
    const float *q = a->q.data + b * (size_t)a->q.batch + h * a->q.head + i * a->q.row;
    for (size_t k = 0; k < D; k += 4)
      put(x + r * D + k, D - k, get(q + k, D - k));
    store(sums + r * 4, zeros());
  }
  const float *key_scales = c->key_scales + head * c->rows + j0, *value_scales = c->value_scales + head * c->rows + j0;
  if (keys)
    multiply_int8((struct qkv_linear){.x = x,
                                      .w = key_at(c, head, j0).p,
                                      .scales = key_scales,
                                      .y = scores,
                                      .M = (uint32_t)rows,
                                      .K = a->D,
                                      .N = (uint32_t)keys},
                  rest);
  for (size_t r = 0; r < rows; r++) {
    struct query one = {a, b, (uint32_t)(g * heads + (from + r) % heads), (uint32_t)((from + r) / heads)};
    maxima[r] = mask_query(one, scores + r * keys, j0, keys);
  }
  for (size_t e = 0; e < rows * E; e++)
    output[e] = 0.0f;
  for (size_t j = 0; j < keys; j += CACHE_ROWS) {
    size_t count = at_most(keys - j, CACHE_ROWS);
    float lift = largest_size(value_scales + j, count) < 0x1p-64f ? 0x1p64f : 1.0f;
    for (size_t e = 0; e < round_up(E, 8); e++)
      lowers[e] = 1.0f / lift;
    for (size_t r = 0; r < rows; r++) {
      float base = maxima[r] == HIDDEN ? 0.0f : maxima[r];
      weigh_values(scores + r * keys + j, count, value_scales + j, lift, base, weights + r * count, sums + r * 4);
    }
    multiply_int8((struct qkv_linear){.x = weights,
                                      .w = value_at(c, head, j0 + j).p,
                                      .scales = lowers,
                                      .residual = output,
                                      .y = output,
                                      .M = (uint32_t)rows,
                                      .K = (uint32_t)count,
                                      .N = a->E,
                                      .w_column = CACHE_ROWS * 8},
                  rest);
  }
  for (size_t r = 0; r < rows; r++) {
    size_t i = (from + r) / heads, h = g * heads + (from + r) % heads;
    float *out = a->out.data + b * (size_t)a->out.batch + h * a->out.head + i * a->out.row;
    float sink = sink_logit(a, (uint32_t)h), base = maxima[r] == HIDDEN ? 0.0f : maxima[r];
    float sum = sum_lanes(load(sums + r * 4)) + (sink == HIDDEN ? 0.0f : lane0(exp_weight(splat(sink - base))));
    float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t e = 0; e < E; e++)
      out[e] = output[r * E + e] * inverse;
  }
}

uint32_t QKV_EXPORT(qkv_cached_part)(const struct qkv_cached *args, uint32_t first, uint32_t count, void *scratch) {
  const struct qkv_attention *a = &args->attention;
  size_t rows = block_queries(a), all = all_queries(a), blocks = rows ? (all + rows - 1) / rows : 1;
  for (size_t unit = first; unit < (size_t)first + count; unit++) {
    size_t head = unit / blocks, from = unit % blocks * rows;
    attend_rows(args, (uint32_t)(head / a->G), (uint32_t)(head % a->G), from, at_most(all - from, rows), scratch);
  }
  return QKV_OK;
}
