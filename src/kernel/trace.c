/* trace.c: attention step by step, every step written out. q (B,H,L,D), k (B,G,S,D), v (B,G,S,E) -> out (B,H,L,E), and
 * scores, weights and all steps between them (B,H,L,S).
 *   out = dropout(softmax(mask(softcap(scale * score(q, k))))) v
 * Each step is one plain loop. */
#include "mask.h"
#include "random.h"
#include "rows.h"
#include "score.h"

/* Copies n values of a step to its output, if requested. */
static void save_step(float *step, size_t at, const float *x, size_t n) {
  if (step)
    __builtin_memcpy(step + at, x, n * sizeof *x);
}

/* Writes one value of a step, if requested. */
static void save_value(float *step, size_t at, float x) {
  if (step)
    step[at] = x;
}

/* Returns the keys whose scores row i needs: its span, or all keys if a requested step shows hidden ones, too. */
static struct span scored_keys(const struct qkv_trace *t, uint32_t b, uint32_t i) {
  const struct qkv_attention *a = &t->attention;
  if (t->scores || t->scaled || t->capped || t->masking == QKV_MASKING_AFTER)
    return (struct span){0, a->S};
  return visible_span(a, b, i);
}

/* Computes row i of head h in place: weights[at ...] (S) = mask(softcap(scale * score(q, k))). */
static void score_row(const struct qkv_trace *t, uint32_t b, uint32_t h, uint32_t i, size_t at) {
  const struct qkv_attention *a = &t->attention;
  uint32_t g = h / (a->H / a->G);
  const float *q = a->q.data + (size_t)b * a->q.batch + (size_t)h * a->q.head + (size_t)i * a->q.row;
  const float *k = a->k.data + (size_t)b * a->k.batch + (size_t)g * a->k.head;
  float *row = t->weights + at;
  struct span span = scored_keys(t, b, i);
  /* scores = score(q, k) */
  for (size_t j = span.from; j < span.to; j++)
    row[j] = score_pair(a, q, k + j * a->k.row);
  save_step(t->scores, at, row, a->S);
  /* scaled = scale * scores */
  for (size_t j = span.from; j < span.to; j++)
    row[j] *= a->scale;
  save_step(t->scaled, at, row, a->S);
  /* capped = softcap * tanh(scaled / softcap) */
  if (a->softcap > 0.0f)
    for (size_t j = span.from; j < span.to; j++)
      row[j] = a->softcap * tanh1(row[j] / a->softcap);
  save_step(t->capped, at, row, a->S);
  /* masked = capped + alibi + bias, hidden keys -inf */
  for (uint32_t j = span.from; a->alibi && j < span.to; j++)
    row[j] += alibi_at(a, b, h, i, j);
  if (t->masking == QKV_MASKING_BEFORE)
    mask_scores(a, b, h, i, 0, a->S, row, 1);
  else
    for (uint32_t j = 0; j < a->S; j++)
      row[j] += bias_at(a, b, h, i, j);
  save_step(t->masked, at, row, a->S);
}

/* Computes the softmax of a line of n values of t->weights in place. The values start at `at` and are `stride`
 * apart; `line` is the index of the line in maxima and sums. */
static void softmax_line(const struct qkv_trace *t, float sink, size_t at, size_t n, size_t stride, size_t line) {
  /* maximum = max(sink, x) */
  float maximum = sink;
  for (size_t c = 0; c < n; c++) {
    float x = t->weights[at + c * stride];
    if (!(x <= maximum))
      maximum = x; /* NaN propagates */
    if (maximum != maximum)
      break;
  }
  /* e = exp(x - maximum), sum = exp(sink - maximum) + sum(e) */
  double sink_weight = sink == HIDDEN ? 0.0 : (double)exp1(sink - maximum), sum = sink_weight;
  for (size_t c = 0; c < n; c++) {
    float *x = t->weights + at + c * stride;
    *x = *x == HIDDEN && maximum == maximum ? 0.0f : exp1(*x - maximum); /* a NaN spreads to the whole line */
    save_value(t->exponentials, at + c * stride, *x);
    sum += (double)*x;
  }
  /* weights = e / sum */
  for (size_t c = 0; c < n; c++)
    if (sum != 0.0)
      t->weights[at + c * stride] = (float)(t->weights[at + c * stride] / sum);
  save_value(t->maxima, line, maximum);
  save_value(t->sums, line, (float)sum);
  /* The sink keeps its weight when hidden weights become 0; renormalise_line adds the other weights to it. */
  save_value(t->zeroed_sums, line, sum == 0.0 ? 0.0f : (float)(sink_weight / sum));
}

/* Sets the weights of hidden keys to 0 in rows row <= i < end of a head: `full_weights` becomes `zeroed`. */
static void zero_hidden(const struct qkv_trace *t, uint32_t b, uint32_t h, size_t at, uint32_t row, uint32_t end) {
  const struct qkv_attention *a = &t->attention;
  for (uint32_t i = row; i < end; i++)
    for (uint32_t j = 0; j < a->S; j++)
      if (!is_visible(a, b, h, i, j))
        t->weights[at + (size_t)i * a->S + j] = 0.0f;
}

/* weights = zeroed / (weight of the sink + sum(zeroed)) in a line, see softmax_line. */
static void renormalise_line(const struct qkv_trace *t, size_t at, size_t n, size_t stride, size_t line) {
  double sum = t->attention.sinks ? (double)t->zeroed_sums[line] : 0.0;
  for (size_t c = 0; c < n; c++)
    sum += (double)t->weights[at + c * stride];
  for (size_t c = 0; c < n; c++)
    if (sum != 0.0)
      t->weights[at + c * stride] = (float)(t->weights[at + c * stride] / sum);
  save_value(t->zeroed_sums, line, (float)sum);
}

/* weights = softmax(masked) in rows row <= i < end of a head. If softmax runs over the queries, these must be all rows
 * of the head. */
static void compute_weights(const struct qkv_trace *t, size_t head, uint32_t row, uint32_t end) {
  const struct qkv_attention *a = &t->attention;
  uint32_t b = (uint32_t)(head / a->H), h = (uint32_t)(head % a->H);
  int over_keys = t->softmax_axis == QKV_SOFTMAX_KEYS;
  size_t from = over_keys ? row : 0, lines = over_keys ? a->L : a->S, n = over_keys ? a->S : a->L;
  size_t step = over_keys ? a->S : 1, stride = over_keys ? 1 : a->S, to = over_keys ? end : lines;
  size_t at = head * a->L * a->S, first = at + (size_t)row * a->S, all = (size_t)(end - row) * a->S;
  for (uint32_t i = row; i < end; i++)
    score_row(t, b, h, i, at + (size_t)i * a->S);
  for (size_t c = from; c < to; c++)
    softmax_line(t, over_keys ? sink_logit(a, h) : HIDDEN, at + c * step, n, stride, head * lines + c);
  if (t->masking == QKV_MASKING_AFTER) {
    save_step(t->full_weights, first, t->weights + first, all);
    zero_hidden(t, b, h, at, row, end);
    save_step(t->zeroed, first, t->weights + first, all);
    for (size_t c = from; c < to; c++)
      renormalise_line(t, at + c * step, n, stride, head * lines + c);
  }
}

/* out (L,E) = weights (L,S) v (S,E) in rows row <= i < end. Only visible keys are added, because 0 times a hidden
 * NaN would be NaN. */
static void weighted_sum(const struct qkv_trace *t, const float *weights, size_t head, uint32_t row, uint32_t end) {
  const struct qkv_attention *a = &t->attention;
  if (a->E == 0)
    return; // no values to write
  uint32_t b = (uint32_t)(head / a->H), h = (uint32_t)(head % a->H);
  const float *v = a->v.data + (size_t)b * a->v.batch + (size_t)(h / (a->H / a->G)) * a->v.head;
  for (uint32_t i = row; i < end; i++) {
    float *out = a->out.data + (size_t)b * a->out.batch + (size_t)h * a->out.head + (size_t)i * a->out.row;
    for (size_t e = 0; e < a->E; e++)
      out[e] = 0.0f;
    struct span span = visible_span(a, b, i);
    for (uint32_t j = span.from; j < span.to; j++) {
      if (passes_mask(a, b, h, i, j))
        add_scaled(out, v + j * a->v.row, weights[(size_t)i * a->S + j], a->E);
    }
  }
}

enum { UNIT_ROWS = 16 };

/* Returns the number of rows per unit. */
static uint32_t unit_rows(const struct qkv_trace *t) {
  const struct qkv_attention *a = &t->attention;
  return t->softmax_axis == QKV_SOFTMAX_KEYS && !a->generator ? UNIT_ROWS : a->L + !a->L;
}

uint32_t QKV_EXPORT(qkv_trace_units)(const struct qkv_trace *t) {
  const struct qkv_attention *a = &t->attention;
  uint32_t rows = unit_rows(t);
  return a->generator ? 1 : a->B * a->H * ((a->L + rows - 1) / rows + !a->L);
}

uint32_t QKV_EXPORT(qkv_trace_part)(const struct qkv_trace *t, uint32_t first, uint32_t count) {
  const struct qkv_attention *a = &t->attention;
  size_t map = (size_t)a->L * a->S, heads = (size_t)a->B * a->H;
  uint32_t rows = unit_rows(t), blocks = (a->L + rows - 1) / rows + !a->L;
  if (a->generator) {
    for (size_t head = 0; head < heads; head++)
      compute_weights(t, head, 0, a->L);
    qkv_dropout(a->generator, t->weights, t->dropped, heads * map, a->dropout);
    for (size_t head = 0; head < heads; head++)
      weighted_sum(t, t->dropped + head * map, head, 0, a->L);
    return QKV_OK;
  }
  for (uint32_t unit = first; unit < first + count; unit++) {
    uint32_t head = unit / blocks, row = unit % blocks * rows, end = row + (uint32_t)at_most(a->L - row, rows);
    compute_weights(t, head, row, end);
    weighted_sum(t, t->weights + head * map, head, row, end);
  }
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_trace)(const struct qkv_trace *t) {
  const struct qkv_attention *a = &t->attention;
  if (a->score > QKV_SCORE_ADDITIVE)
    return QKV_UNKNOWN_SCORE;
  if (t->softmax_axis > QKV_SOFTMAX_QUERIES)
    return QKV_UNKNOWN_SOFTMAX_AXIS;
  if (t->masking > QKV_MASKING_AFTER)
    return QKV_UNKNOWN_MASKING;
  if (a->G ? a->H % a->G : a->H)
    return QKV_HEADS_DO_NOT_DIVIDE;
  return qkv_trace_part(t, 0, qkv_trace_units(t));
}
