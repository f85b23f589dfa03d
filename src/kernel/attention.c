/* attention.c: fused attention. q (B,H,L,D), k (B,G,S,D), v (B,G,S,E) -> out (B,H,L,E).
 *
 * For each block of query rows, loop over tiles of keys with an online softmax (Milakov & Gimelshein 2018;
 * FlashAttention, Dao et al. 2022): each row has a running maximum m, a running sum l of exp(score - m) and a running
 * sum o of exp(score - m) * v. No L x S matrix is stored. A tile that is hidden from every row of the block is
 * skipped; a tile that every row sees wholly is not masked. */
#include "decode.h"
#include "mask.h"
#include "random.h"
#include "tile.h"

/* A panel is PANEL queries, the width of a register tile. Its scores against TILE_KEYS keys (8 KB) and its packed
 * queries (2 KB for D = 64) stay in L1. Longer tiles load and store the output less often; taller blocks read keys and
 * values less often. Sizes by measurement, see docs/kernels.md. */
enum { BLOCK_ROWS = 64, TILE_KEYS = 256, PANEL = 8 };

/* Keys from <= j < to. Every row of the block (or panel) sees all of open_from <= j < open_to. */
struct tile {
  uint32_t from, to, open_from, open_to;
};

/* A block of query rows and its buffers in the caller's scratch. Scores are transposed: one row a key, one column a
 * query. So keys and values are read in place, and row maxima and row sums are vertical, four queries a vector. */
struct block {
  const struct qkv_attention *a;
  uint32_t b, h, row, rows;               /* query rows row <= i < row + rows of head h of batch b */
  size_t lanes;                           /* rows, rounded up to whole panels */
  struct tile panels[BLOCK_ROWS / PANEL]; /* keys of each panel, relative to the tile's first key */
  size_t width;                           /* E, rounded up to a multiple of 8 */
  float *q_panels;                        /* (lanes/PANEL, D, 8) */
  float *scores;                          /* (lanes/PANEL, TILE_KEYS, PANEL) */
  float *tail;          /* (8, 8): copy of the last columns of the last values, if E is no multiple of 8 */
  float *output;        /* (lanes, width) */
  float *maxima, *sums; /* (lanes) */
  float *powers;        /* (TILE_KEYS, 4) */
  uint8_t *keep;        /* (rows, S), dropout only: 1 keeps a weight */
};

double QKV_EXPORT(qkv_attention_scratch)(const struct qkv_attention *a) {
  if (is_decode(a))
    return decode_scratch(a);
  double width = (double)round_up(a->E, 8), rows = BLOCK_ROWS;
  double floats = rows * a->D + (rows + 4) * TILE_KEYS + 8 * 8 + rows * width + 2 * rows;
  return floats * (double)sizeof(float) + (a->generator ? rows * a->S : 0.0);
}

static struct block carve_scratch(const struct qkv_attention *a, void *scratch) {
  struct block x = {.a = a, .width = round_up(a->E, 8)};
  float *p = scratch;
  x.q_panels = p, p += BLOCK_ROWS * a->D;
  x.scores = p, p += TILE_KEYS * BLOCK_ROWS;
  x.tail = p, p += 8 * 8;
  x.output = p, p += BLOCK_ROWS * x.width;
  x.maxima = p, p += BLOCK_ROWS;
  x.sums = p, p += BLOCK_ROWS;
  x.powers = p, p += TILE_KEYS * 4;
  x.keep = (uint8_t *)p;
  return x;
}

/* Address of the score of query r and the tile's first key; key j is j * PANEL further. */
static inline float *scores_of(const struct block *x, size_t r) {
  return x->scores + r / PANEL * PANEL * TILE_KEYS + r % PANEL;
}

static uint32_t clamp(uint32_t n, uint32_t least, uint32_t tile_keys) {
  return n < least ? least : n > tile_keys ? tile_keys : n;
}

/* The part of keys from <= j < to that rows r <= i < r + rows of the block see; it starts at a multiple of 4 from
 * `from`, where a register tile starts. */
static struct tile visible_tile(const struct block *x, uint32_t from, uint32_t to, size_t r, size_t rows) {
  const struct qkv_attention *a = x->a;
  uint32_t row = x->row + (uint32_t)r;
  struct span first = visible_span(a, x->b, row), last = visible_span(a, x->b, row + (uint32_t)rows - 1);
  struct tile tile;
  tile.from = from + ((clamp(first.from, from, to) - from) & ~3u);
  tile.to = clamp(last.to, tile.from, to);
  tile.open_from = has_mask(a) ? tile.to : clamp(last.from, tile.from, tile.to);
  tile.open_to = clamp(first.to, tile.open_from, tile.to);
  return tile;
}

/* scores[j][0..7] = scale * score(q, k[j]) of one panel; writes up to three rows beyond the last key. */
INLINE void score_panel(enum qkv_score score, struct block *x, size_t panel, const float *k, size_t from, size_t to,
                        float factor) {
  const struct qkv_attention *a = x->a;
  struct matrix queries = {x->q_panels + panel * a->D, PANEL, 1};
  float *out = scores_of(x, panel);
  for (size_t j = from; j < to; j += 4)
    score_4x8(score, out + j * PANEL, PANEL, (struct matrix){k + j * a->k.row, a->k.row, 1}, at_most(to - j, 4),
              queries, a->D, a->w_v, factor);
}

static void score_keys(struct block *x, const float *k) {
  const struct qkv_attention *a = x->a;
  float factor = score_factor(a) * a->scale;
  for (size_t r = 0; r < x->lanes; r += PANEL) {
    size_t from = x->panels[r / PANEL].from, to = x->panels[r / PANEL].to;
    switch (a->score) {
    case QKV_SCORE_GAUSSIAN:
      score_panel(QKV_SCORE_GAUSSIAN, x, r, k, from, to, factor);
      break;
    case QKV_SCORE_ADDITIVE:
      score_panel(QKV_SCORE_ADDITIVE, x, r, k, from, to, factor);
      break;
    default:
      score_panel(QKV_SCORE_DOT, x, r, k, from, to, factor);
    }
    f4 cap = splat(a->softcap);
    for (float *s = scores_of(x, r) + from * PANEL, *end = scores_of(x, r) + to * PANEL; a->softcap > 0.0f && s < end;
         s += 4)
      store(s, mul(cap, tanh4(quotient(load(s), cap))));
  }
}

/* One tile of four queries:
 *   m' = max(m, max_j score_j),  e_j = exp(score_j - m'),  l' = l * exp(m - m') + sum_j e_j.
 * Scores become e. Returns exp(m - m'), by which the caller rescales the output so far.
 * exp(x) = 2^(x log2 e) in two passes with `powers` (keys, 4) between them: in one pass the dependency chain is too
 * long for out-of-order execution to overlap enough keys. */
INLINE f4 online_softmax_column(float *scores, size_t keys, float *maxima, float *sums, float *powers) {
  const f4 log2_e = splat(LOG2_E);
  f4 before = load(maxima), maximum = before, sum = zeros();
  for (size_t j = 0; j < keys; j++)
    maximum = pmax(maximum, load(scores + j * PANEL));
  /* If all scores so far are -inf, subtract 0: -inf - -inf would be NaN, -inf - 0 gives the weight 0. */
  f4 base = select(equal(maximum, splat(HIDDEN)), zeros(), maximum);
  for (size_t j = 0; j < keys; j++) {
    f4 fraction, power = power2_split(mul(sub(load(scores + j * PANEL), base), log2_e), &fraction);
    store(scores + j * PANEL, fraction);
    store(powers + j * 4, power);
  }
  for (size_t j = 0; j < keys; j++) {
    f4 e = mul(power2_fraction(load(scores + j * PANEL)), load(powers + j * 4));
    store(scores + j * PANEL, e);
    sum = add(sum, e);
  }
  /* First visible keys: exp(m - m') = 1, the output is still 0. */
  before = select(equal(before, splat(HIDDEN)), base, before);
  f4 rescale = power2_4(mul(sub(before, base), log2_e));
  store(maxima, maximum);
  store(sums, mul_add(load(sums), rescale, sum));
  return rescale;
}

static void online_softmax(struct block *x) {
  for (size_t c = 0; c < x->lanes; c += 4) {
    const struct tile *panel = x->panels + c / PANEL;
    f4 rescale = online_softmax_column(scores_of(x, c) + panel->from * PANEL, panel->to - panel->from, x->maxima + c,
                                       x->sums + c, x->powers);
    if (!any_lane(not_equal(rescale, splat(1.0f))))
      continue;
    float factors[4];
    store(factors, rescale);
    for (size_t r = 0; r < 4; r++) {
      float *output = x->output + (c + r) * x->width;
      for (size_t e = 0; e < x->width; e += 4)
        store(output + e, mul(load(output + e), splat_from(factors + r)));
    }
  }
}

/* scores -= slope * |position - j| (ALiBi). */
static void add_alibi(struct block *x, uint32_t from, uint32_t keys) {
  f4 slope = splat(-x->a->alibi[x->h]);
  for (size_t r = 0; r < x->lanes; r += 4) {
    float first = (float)position_of(x->a, x->b, x->row + (uint32_t)r),
          rows[4] = {first, first + 1, first + 2, first + 3};
    float *scores = scores_of(x, r);
    for (uint32_t j = 0; j < keys; j++, scores += PANEL)
      store(scores, mul_add(slope, absolute(sub(load(rows), splat((float)(from + j)))), load(scores)));
  }
}

/* output += weights . v; v is the row of key tile.from. If a value that some row does not see is NaN or Inf, the
 * product 0 * v would make that row NaN: then sum over visible keys only. */
static void add_values(struct block *x, const float *v, struct tile tile) {
  const struct qkv_attention *a = x->a;
  size_t keys = tile.to - tile.from;
  if (all_finite(v, a->v.row, tile.open_from - tile.from, a->E) &&
      all_finite(v + (size_t)(tile.open_to - tile.from) * a->v.row, a->v.row, tile.to - tile.open_to, a->E)) {
    for (size_t e = 0; e < a->E; e += 8) {
      struct matrix values = {v + e, a->v.row, 1};
      /* The last panel of columns may be narrower than 8. It is read 8 wide in place, except for the last 8 keys, whose
       * copy is padded: a read there could leave the tensor. */
      size_t copied = e + 8 > a->E ? at_most(keys, 8) : 0;
      pack_panel(x->tail, v + e + (keys - copied) * a->v.row, copied, a->v.row, 1, at_most(a->E - e, 8));
      for (size_t j = 0, n = keys - copied; j < keys; j += n, n = copied) {
        for (size_t r = 0; r < x->lanes; r += PANEL) {
          size_t from = x->panels[r / PANEL].from, to = at_most(x->panels[r / PANEL].to, j + n);
          from = from < j ? j : from;
          struct matrix seen = {values.data + (from - j) * values.row, values.row, 1};
          for (size_t c = r; from < to && c < r + PANEL; c += 4)
            gemm_4x8(x->output + c * x->width + e, x->width, (struct matrix){scores_of(x, c) + from * PANEL, 1, PANEL},
                     4, seen, to - from);
        }
        values = (struct matrix){x->tail, 8, 1};
      }
    }
    return;
  }
  for (uint32_t r = 0; r < x->rows; r++)
    for (uint32_t j = 0; j < keys; j++) {
      if (!is_visible(a, x->b, x->h, x->row + r, tile.from + j))
        continue;
      float weight = scores_of(x, r)[j * PANEL];
      for (size_t e = 0; e < a->E; e++)
        x->output[r * x->width + e] += weight * v[j * a->v.row + e];
    }
}

/* Does any row of the block see any key of the tile, by mask and bias? */
static int any_visible(const struct block *x, struct tile tile) {
  for (uint32_t r = 0; r < x->rows; r++)
    for (uint32_t j = tile.from; j < tile.to; j++)
      if (passes_mask(x->a, x->b, x->h, x->row + r, j))
        return 1;
  return 0;
}

/* scores = -inf where hidden, + bias elsewhere; the part that every row of a panel sees is skipped. j: the tile's
 * first key. */
static void mask_tile(struct block *x, uint32_t j) {
  for (uint32_t r = 0; r < x->rows; r++) {
    const struct tile *panel = x->panels + r / PANEL;
    float *scores = scores_of(x, r);
    if (panel->from < panel->open_from)
      mask_scores(x->a, x->b, x->h, x->row + r, j + panel->from, j + panel->open_from, scores + panel->from * PANEL,
                  PANEL);
    if (panel->open_to < panel->to)
      mask_scores(x->a, x->b, x->h, x->row + r, j + panel->open_to, j + panel->to, scores + panel->open_to * PANEL,
                  PANEL);
  }
}

/* out (E) = output / sum; zeros for a row without visible keys. */
static void normalize_row(const struct block *x, size_t r, float *out) {
  const float *output = x->output + r * x->width;
  float inv_sum = x->sums[r] == 0.0f ? 0.0f : 1.0f / x->sums[r];
  size_t E = x->a->E, e = 0;
  for (; e + 4 <= E; e += 4)
    store(out + e, mul(load(output + e), splat(inv_sum)));
  store_some(out + e, E - e, mul(load(output + e), splat(inv_sum)));
}

static void attend_block(struct block *x) {
  const struct qkv_attention *a = x->a;
  uint32_t g = x->h / (a->H / a->G);
  const float *q = a->q.data + (size_t)x->b * a->q.batch + (size_t)x->h * a->q.head + (size_t)x->row * a->q.row;
  const float *k = a->k.data + (size_t)x->b * a->k.batch + (size_t)g * a->k.head;
  const float *v = a->v.data + (size_t)x->b * a->v.batch + (size_t)g * a->v.head;
  float *out = a->out.data + (size_t)x->b * a->out.batch + (size_t)x->h * a->out.head + (size_t)x->row * a->out.row;

  for (size_t r = 0; r < x->lanes; r += PANEL)
    pack_panel(x->q_panels + r * a->D, q + r * a->q.row, a->D, 1, a->q.row, at_most(x->rows - r, 8));
  for (size_t i = 0; i < x->lanes * x->width; i += 4)
    store(x->output + i, zeros());
  float sink = sink_logit(a, x->h);
  for (size_t r = 0; r < x->lanes; r++)
    x->maxima[r] = sink, x->sums[r] = sink == HIDDEN ? 0.0f : 1.0f;
  if (a->generator)
    draw_keep_mask(a->generator, x->keep, (size_t)x->rows * a->S, (double)a->dropout);

  uint32_t end = visible_span(a, x->b, x->row + x->rows - 1).to;
  /* If rows are no multiple of 32 bytes, eight columns of values take two cache lines instead of one. */
  uint32_t tile_keys = a->v.row % 8 ? TILE_KEYS / 2 : TILE_KEYS;
  for (uint32_t j = visible_span(a, x->b, x->row).from; j < end; j += tile_keys) {
    struct tile tile = visible_tile(x, j, j + (uint32_t)at_most(end - j, tile_keys), 0, x->rows);
    if (has_mask(a) && !any_visible(x, tile))
      continue;
    uint32_t keys = tile.to - tile.from;
    for (size_t r = 0; r < x->rows; r += PANEL) {
      struct tile panel = visible_tile(x, j, tile.to, r, at_most(x->rows - r, PANEL));
      x->panels[r / PANEL] = (struct tile){panel.from - j, panel.to - j, panel.open_from - j, panel.open_to - j};
    }
    score_keys(x, k + (size_t)j * a->k.row);
    if (a->alibi)
      add_alibi(x, j, keys);
    mask_tile(x, j);
    online_softmax(x);
    if (a->generator)
      for (size_t r = 0; r < x->rows; r++)
        for (size_t c = 0; c < keys; c++)
          scores_of(x, r)[c * PANEL] *= keep_factor(x->keep[r * a->S + j + c], (double)a->dropout);
    add_values(x, v + (size_t)j * a->v.row, tile);
  }
  for (size_t r = 0; r < x->rows; r++)
    normalize_row(x, r, out + r * a->out.row);
  size_t line = ((size_t)x->b * a->H + x->h) * a->L + x->row;
  for (size_t r = 0; a->row_maxima && r < x->rows; r++)
    a->row_maxima[line + r] = x->maxima[r], a->row_sums[line + r] = x->sums[r];
}

static uint32_t blocks_of_rows(const struct qkv_attention *a) { return (a->L - 1) / BLOCK_ROWS + 1; }

/* No output, and no random numbers to draw. */
static int is_empty(const struct qkv_attention *a) {
  return a->B == 0 || a->H == 0 || a->L == 0 || (a->E == 0 && !a->generator);
}

uint32_t QKV_EXPORT(qkv_attention_units)(const struct qkv_attention *a) {
  if (is_empty(a))
    return 0;
  return is_decode(a) ? a->B * a->G : a->B * a->H * blocks_of_rows(a);
}

uint32_t QKV_EXPORT(qkv_attention_part)(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch) {
  if (is_decode(a)) {
    decode_part(a, first, count, scratch);
    return QKV_OK;
  }
  struct block x = carve_scratch(a, scratch);
  uint32_t blocks = blocks_of_rows(a);
  for (uint32_t unit = first; unit < first + count; unit++) {
    x.b = unit / blocks / a->H, x.h = unit / blocks % a->H, x.row = unit % blocks * BLOCK_ROWS;
    x.rows = (uint32_t)at_most(a->L - x.row, BLOCK_ROWS);
    x.lanes = round_up(x.rows, PANEL);
    attend_block(&x);
  }
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_attention)(const struct qkv_attention *a) {
  if (a->score > QKV_SCORE_ADDITIVE)
    return QKV_UNKNOWN_SCORE;
  if (a->G ? a->H % a->G : a->H)
    return QKV_HEADS_DO_NOT_DIVIDE;
  return is_empty(a) ? QKV_OK : qkv_attention_part(a, 0, qkv_attention_units(a), a->scratch);
}
