/* query_rows.c: the functions of query_rows.h. q (B,H,L,D), k (B,G,S,D). */
#include "query_rows.h"
#include "rows.h"

void pack_rows(const struct query_rows *block, float *panels, const float *rows, size_t row, size_t columns) {
  for (size_t r = 0; r < block->lanes; r += PANEL)
    pack_panel(panels + r * columns, rows + r * row, columns, 1, row, at_most(block->rows - r, PANEL));
}

void start_block(struct query_rows *block, uint32_t b, uint32_t h, uint32_t n) {
  const struct qkv_attention *a = block->a;
  block->b = b, block->h = h, block->row = n * BLOCK_ROWS;
  block->rows = (uint32_t)at_most(a->L - block->row, BLOCK_ROWS);
  block->lanes = round_up(block->rows, PANEL);
  pack_rows(block, block->q_panels, row_of(&a->q, b, h, block->row), a->q.row, a->D);
  if (a->generator)
    draw_keep_mask(a->generator, block->keep, (size_t)block->rows * a->S, (double)a->dropout);
}

void start_statistics(struct query_rows *block) {
  float sink = sink_logit(block->a, block->h);
  for (size_t r = 0; r < block->lanes; r++)
    block->maxima[r] = sink, block->sums[r] = sink == HIDDEN ? 0.0f : 1.0f;
}

/* Returns n <= 4 bytes of a row of a boolean mask, from column j on, as a word; its other bytes are 0. */
static NOINLINE uint32_t gather_mask(const struct qkv_mask *mask, const uint8_t *row, uint32_t j, size_t n) {
  uint32_t word = 0;
  for (size_t c = 0; c < n; c++)
    word |= (uint32_t)row[(size_t)(j + c) * mask->column] << 8 * c;
  return word;
}

INLINE uint32_t mask_word(const struct qkv_mask *mask, const uint8_t *row, uint32_t j, size_t n) {
  if (n < 4 || mask->column != 1)
    return gather_mask(mask, row, j, n);
  uint32_t word;
  __builtin_memcpy(&word, row + j, 4);
  return word;
}

/* Returns n <= 4 values of a row of a bias, from column j on, as a vector; its other lanes are -infinity. */
static NOINLINE f4 gather_bias(const struct qkv_bias *bias, const float *row, uint32_t j, size_t n) {
  float x[4] = {HIDDEN, HIDDEN, HIDDEN, HIDDEN};
  for (size_t c = 0; c < n; c++)
    x[c] = row[(size_t)(j + c) * bias->column];
  return load(x);
}

INLINE f4 bias_vector(const struct qkv_bias *bias, const float *row, uint32_t j, size_t n) {
  return n < 4 || bias->column != 1 ? gather_bias(bias, row, j, n) : load(row + j);
}

static const uint8_t *mask_row(const struct query_rows *block, size_t r) {
  const struct qkv_mask *m = &block->a->mask;
  return !m->data ? 0 : m->data + (size_t)block->b * m->batch + (size_t)block->h * m->head + (block->row + r) * m->row;
}

static const float *bias_row(const struct query_rows *block, size_t r) {
  const struct qkv_bias *m = &block->a->bias;
  return !m->data ? 0 : m->data + (size_t)block->b * m->batch + (size_t)block->h * m->head + (block->row + r) * m->row;
}

/* True if mask and bias let any of `rows` rows from r on see any of the n <= 4 keys from j on. */
static NOINLINE int any_visible(const struct query_rows *block, size_t r, size_t rows, uint32_t j, size_t n) {
  const struct qkv_attention *a = block->a;
  uint32_t word = 0;
  f4 seen = zeros();
  for (size_t i = 0; a->mask.data && i < (a->mask.row ? rows : 1); i++)
    word |= mask_word(&a->mask, mask_row(block, r + i), j, n);
  for (size_t i = 0; a->bias.data && i < (a->bias.row ? rows : 1); i++)
    seen = either(seen, not_equal(bias_vector(&a->bias, bias_row(block, r + i), j, n), splat(HIDDEN)));
  return (!a->mask.data || word) && (!a->bias.data || any_lane(seen));
}

static uint32_t clamp(uint32_t n, uint32_t least, uint32_t most) { return n < least ? least : n > most ? most : n; }

/* Both ends of a span are monotonic in the row. So the first and the last row of a panel bound what its rows see:
 * keys from first_row.from to last_row.to are seen by some, those from last_row.from to first_row.to by all. */
int find_visible_keys(struct query_rows *block, uint32_t first, uint32_t end) {
  const struct qkv_attention *a = block->a;
  int any = 0;
  block->first = first;
  for (size_t r = 0; r < block->rows; r += PANEL) {
    uint32_t rows = (uint32_t)at_most(block->rows - r, PANEL), row = block->row + (uint32_t)r;
    struct span first_row = visible_span(a, block->b, row), last_row = visible_span(a, block->b, row + rows - 1);
    uint32_t from = (clamp(first_row.from, first, end) - first) & ~3u, to = clamp(last_row.to, first, end) - first;
    if (has_mask(a)) { /* drop keys that no row sees, four at a time, first from the start, then from the end */
      while (from < to && !any_visible(block, r, rows, first + from, at_most(to - from, 4)))
        from += 4;
      for (uint32_t last; from < to; to = last) {
        last = (to - 1) & ~3u;
        if (any_visible(block, r, rows, first + last, to - last))
          break;
      }
    }
    to = to < from ? from : to;
    uint32_t open_from = clamp(last_row.from, first + from, first + to) - first;
    uint32_t open_to = clamp(first_row.to, first + open_from, first + to) - first;
    block->panels[r / PANEL] = (struct panel){from, to, open_from, open_to};
    any |= from < to;
  }
  return any;
}

/* Arguments of score_panel: out (keys,PANEL) = factor * score(keys, panel) for keys from <= j < to. */
struct panel_scores {
  float *out;
  const float *panel; /* (columns,PANEL) */
  const float *keys;  /* rows of `columns` floats that are `row` floats apart */
  size_t row, columns;
  size_t from, to;
  const float *w_v; /* (columns), additive score only */
  float factor;
};

INLINE void score_panel(enum qkv_score score, const struct panel_scores *p) {
  for (size_t j = p->from; j < p->to; j += 4)
    score_4x8(score, p->out + j * PANEL, PANEL, (struct matrix){p->keys + j * p->row, p->row, 1}, at_most(p->to - j, 4),
              (struct matrix){p->panel, PANEL, 1}, p->columns, p->w_v, p->factor);
}

static void dot_panel(const struct panel_scores *p) { score_panel(QKV_SCORE_DOT, p); }

void multiply_keys(const struct query_rows *block, float *out, const float *panels, const float *keys, size_t row,
                   size_t columns, size_t from, size_t to) {
  for (size_t r = 0; r < block->lanes; r += PANEL) {
    const struct panel *p = block->panels + r / PANEL;
    dot_panel(&(struct panel_scores){
        .out = out + column_of(block, r),
        .panel = panels + r * columns,
        .keys = keys,
        .row = row,
        .columns = columns,
        .from = from < p->from ? p->from : from,
        .to = at_most(to, p->to),
        .factor = 1.0f,
    });
  }
}

/* scores = softcap * tanh(scores / softcap), d_cap = 1 - tanh^2 */
static void cap_scores(const struct query_rows *block, size_t from, size_t to) {
  f4 cap = splat(block->a->softcap);
  for (size_t i = from; i < to; i += 4) {
    f4 t = tanh4(quotient(load(block->scores + i), cap));
    store(block->scores + i, mul(cap, t));
    if (block->d_cap)
      store(block->d_cap + i, sub(splat(1.0f), mul(t, t)));
  }
}

/* scores -= slope * |position - j| (ALiBi). */
static void add_alibi(const struct query_rows *block, size_t r, size_t from, size_t to) {
  f4 slope = splat(-block->a->alibi[block->h]);
  for (size_t c = r; c < r + PANEL; c += 4) {
    float rows[4]; /* each rounded separately, as in alibi_at: beyond 2^24, rows[0] + 1 would round differently */
    for (uint32_t lane = 0; lane < 4; lane++)
      rows[lane] = (float)position_of(block->a, block->b, block->row + (uint32_t)c + lane);
    float *scores = block->scores + column_of(block, c);
    for (size_t j = from; j < to; j++)
      store(scores + j * PANEL, mul_add(slope, absolute(sub(load(rows), splat((float)(block->first + (uint32_t)j)))),
                                        load(scores + j * PANEL)));
  }
}

/* scores = -infinity where mask or bias hide the key, scores + bias elsewhere. It works on 4 queries and 4 keys at a
 * time, so it may write up to three keys from `to` on, as a register tile does. The mask comes last, because -infinity
 * plus a bias of infinity is NaN. */
static void mask_panel(const struct query_rows *block, size_t r, size_t from, size_t to) {
  const struct qkv_mask *mask = &block->a->mask;
  const struct qkv_bias *bias = &block->a->bias;
  const f4 hidden = splat(HIDDEN);
  for (size_t c = r; c < r + PANEL; c += 4) {
    const uint8_t *mask_rows[4];
    const float *bias_rows[4];
    for (size_t i = 0; i < 4; i++) {
      size_t row = at_most(c + i, block->rows - 1);
      mask_rows[i] = mask_row(block, row), bias_rows[i] = bias_row(block, row);
      if (bias->data && bias->column == 1)
        prefetch_burst(bias_rows[i] + block->first + from, to - from);
    }
    float *scores = block->scores + column_of(block, c);
    for (size_t j = from; bias->data && j < to; j += 4) {
      f4 b[4];
      size_t n = at_most(to - j, 4);
#pragma unroll
      for (size_t i = 0; i < 4; i++)
        b[i] = bias_vector(bias, bias_rows[i], block->first + (uint32_t)j, n);
      transpose(b);
#pragma unroll
      for (size_t i = 0; i < 4; i++) {
        f4 sum = add(load(scores + (j + i) * PANEL), b[i]);
        store(scores + (j + i) * PANEL, blend(equal(b[i], hidden), hidden, sum));
      }
    }
    for (size_t j = from; mask->data && j < to; j += 4) {
      uint32_t words[4], key = block->first + (uint32_t)j;
      size_t n = at_most(to - j, 4);
#pragma unroll
      for (size_t i = 0; i < 4; i++)
        words[i] = mask_word(mask, mask_rows[i], key, n);
      m4 where[4];
      zero_bytes(where, words);
#pragma unroll
      for (size_t i = 0; i < 4; i++)
        store(scores + (j + i) * PANEL, blend(where[i], hidden, load(scores + (j + i) * PANEL)));
    }
  }
}

/* scores = -infinity for keys from <= j < to outside the span of a row of the panel. A span moves by at most one key
 * from row to row, so these keys are few. */
static void hide_keys(const struct query_rows *block, size_t r, uint32_t from, uint32_t to) {
  for (size_t c = r; from < to && c < r + PANEL; c += 4) {
    float starts[4], ends[4]; /* relative to `from` */
    for (uint32_t i = 0; i < 4; i++) {
      struct span span = visible_span(block->a, block->b, block->row + (uint32_t)c + i);
      starts[i] = (float)(clamp(span.from, block->first + from, block->first + to) - block->first - from);
      ends[i] = (float)(clamp(span.to, block->first + from, block->first + to) - block->first - from);
    }
    float *scores = block->scores + column_of(block, c) + from * PANEL;
    for (uint32_t j = 0; j < to - from; j++) {
      f4 key = splat((float)j), hidden = splat(HIDDEN);
      f4 score = blend(less(key, load(ends)), load(scores + j * PANEL), hidden);
      store(scores + j * PANEL, blend(less(key, load(starts)), hidden, score));
    }
  }
}

void compute_scores(struct query_rows *block, size_t start, size_t end) {
  const struct qkv_attention *a = block->a;
  const float *k = row_of(&a->k, block->b, block->h / (a->H / a->G), block->first);
  float factor = score_factor(a) * a->scale;
  for (size_t r = 0; r < block->rows; r += PANEL) {
    struct panel p = block->panels[r / PANEL];
    uint32_t from = clamp((uint32_t)start, p.from, p.to), to = clamp((uint32_t)end, p.from, p.to);
    if (from >= to)
      continue;
    const struct panel_scores s = {
        .out = block->scores + column_of(block, r),
        .panel = block->q_panels + r * a->D,
        .keys = k,
        .row = a->k.row,
        .columns = a->D,
        .from = from,
        .to = to,
        .w_v = a->w_v,
        .factor = factor,
    };
    switch (a->score) {
    case QKV_SCORE_GAUSSIAN:
      score_panel(QKV_SCORE_GAUSSIAN, &s);
      break;
    case QKV_SCORE_ADDITIVE:
      score_panel(QKV_SCORE_ADDITIVE, &s);
      break;
    default:
      dot_panel(&s);
    }
    if (a->softcap > 0.0f)
      cap_scores(block, column_of(block, r) + from * PANEL, column_of(block, r) + to * PANEL);
    if (a->alibi)
      add_alibi(block, r, from, to);
    if (has_mask(a))
      mask_panel(block, r, from, to);
    hide_keys(block, r, from, clamp(p.open_from, from, to));
    hide_keys(block, r, clamp(p.open_to, from, to), to);
  }
}

/* exp(x) = 2^(x log2 e) in two passes with `powers` (keys, 4) between them. In a single pass, the dependency chain
 * would be too long for out-of-order execution to overlap enough keys. */
f4 online_softmax_column(float *scores, size_t keys, float *maxima, float *sums, float *powers) {
  const f4 log2_e = splat_from(&stored_power2.log2_e);
  f4 before = load(maxima), maximum = before, sum = zeros();
  for (size_t j = 0; j < keys; j++)
    maximum = pmax(maximum, load(scores + j * PANEL));
  /* If all scores so far are -infinity, 0 is subtracted: -inf - -inf would be NaN, but -inf - 0 gives the weight 0. */
  f4 base = blend(equal(maximum, splat(HIDDEN)), zeros(), maximum);
  for (size_t j = 0; j < keys; j++) {
    f4 fraction, power = power2_split(&stored_power2, mul(sub(load(scores + j * PANEL), base), log2_e), &fraction);
    store(scores + j * PANEL, fraction);
    store(powers + j * 4, power);
  }
  for (size_t j = 0; j < keys; j++) {
    f4 e = mul(power2_fraction(&stored_power2, load(scores + j * PANEL)), load(powers + j * 4));
    store(scores + j * PANEL, e);
    sum = add(sum, e);
  }
  /* If no key was visible so far, `before` is -infinity and nothing has been summed; with `base` in its place,
   * rescale is 1. */
  before = blend(equal(before, splat(HIDDEN)), base, before);
  f4 rescale = exp_weight4(sub(before, base));
  store(maxima, maximum);
  store(sums, mul_add(load(sums), rescale, sum));
  return rescale;
}

void apply_dropout(const struct query_rows *block, float *weights) {
  for (size_t r = 0; r < block->rows; r++) {
    const struct panel *p = block->panels + r / PANEL;
    for (size_t j = p->from; j < p->to; j++)
      weights[column_of(block, r) + j * PANEL] *=
          keep_factor(block->keep[r * block->a->S + block->first + j], (double)block->a->dropout);
  }
}

/* Values are copied eight columns at a time if there are more than COPY_KEYS keys and at least COPY_LANES queries. */
enum { COPY_KEYS = 64, COPY_LANES = 32 };

void accumulate_rows(const struct query_rows *block, const float *weights, float *output, size_t width, const float *y,
                     size_t row, size_t columns, size_t from, size_t to) {
  struct product product = {.rows = PANEL, .columns = 8, .out_row = width};
  size_t keys = to - from;
  for (size_t e = 0; e < columns; e += 8) {
    const float *values = y + e + from * row;
    product.b_row = row;
    /* Many queries read a contiguous copy of eight columns, because rows that are a multiple of 256 bytes apart share a
     * quarter of the sets of L1. The last copy may have fewer than 8 columns. It still reads 8 per row, except for the
     * last 8 keys, where this could read beyond the tensor. */
    size_t edge = e + 8 > columns ? at_most(keys, 8) : 0;
    if (edge || (keys > COPY_KEYS && block->lanes >= COPY_LANES)) {
      float *copy = block->value_panel;
      pack_panel(copy, values, keys - edge, row, 1, 8);
      pack_panel(copy + (keys - edge) * 8, values + (keys - edge) * row, edge, row, 1, at_most(columns - e, 8));
      values = copy, product.b_row = 8;
    }
    for (size_t r = 0; r < block->lanes; r += PANEL) {
      const struct panel *p = block->panels + r / PANEL;
      size_t start = from < p->from ? p->from : from, end = at_most(p->to, to);
      if (start >= end)
        continue;
      product.out = output + r * width + e;
      product.a = weights + column_of(block, r) + start * PANEL;
      product.b = values + (start - from) * product.b_row;
      product.n = end - start;
      gemm_panels(&product);
    }
  }
}
