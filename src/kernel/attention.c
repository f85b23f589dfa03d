/* attention.c: fused attention. q (B,H,L,D), k (B,G,S,D), v (B,G,S,E) -> out (B,H,L,E).
 *
 * For each block of query rows, loop over tiles of keys with an online softmax (Milakov & Gimelshein 2018;
 * FlashAttention, Dao et al. 2022): each row has a running maximum m, a running sum l of exp(score - m) and a running
 * sum o of exp(score - m) * v. No L x S matrix is stored. A tile is skipped if spans, masks or biases hide it from
 * every row of the block. Keys that every row of a panel sees need no masking. */
#include "decode.h"
#include "query_rows.h"
#include "rows.h"
#include "summary.h"
#include "texts.h"

/* The scores of a panel against TILE_KEYS keys (8 KB) and its packed queries (2 KB for D = 64) stay in L1. Longer tiles
 * load and store the output less often. */
enum { TILE_KEYS = 256 };

struct output {
  struct query_rows block;
  size_t width; /* E, rounded up to a multiple of 8 */
  float *o;     /* (lanes, width): the sum of exp(score - m) * v */
  int has_hidden, is_careful;
  struct summary *summary; /* 0: no summary */
};

static double tiled_scratch(const struct qkv_attention *a) {
  double width = (double)round_up(a->E, 8), rows = BLOCK_ROWS;
  double floats = rows * a->D + (rows + 4 + 8) * (double)TILE_KEYS + rows * width + 2 * rows;
  return floats * (double)sizeof(float) + (a->generator ? rows * a->S : 0.0);
}

double QKV_EXPORT(qkv_attention_scratch)(const struct qkv_attention *a) {
  double most = 0.0;
  for (uint32_t b = 0; b < texts_of(a); b++) {
    struct qkv_attention text = text_of(a, b);
    double bytes = is_decode(&text) ? decode_scratch(&text) : tiled_scratch(&text);
    most = bytes > most ? bytes : most;
  }
  return most;
}

static struct output carve_scratch(const struct qkv_attention *a, void *scratch) {
  struct output x = {.block = {.a = a, .pitch = TILE_KEYS * PANEL}, .width = round_up(a->E, 8)};
  float *p = scratch;
  x.block.q_panels = p, p += BLOCK_ROWS * a->D;
  x.block.scores = p, p += TILE_KEYS * BLOCK_ROWS;
  x.block.value_panel = p, p += TILE_KEYS * 8;
  x.o = p, p += BLOCK_ROWS * x.width;
  x.block.maxima = p, p += BLOCK_ROWS;
  x.block.sums = p, p += BLOCK_ROWS;
  x.block.powers = p, p += TILE_KEYS * 4;
  x.block.keep = (uint8_t *)p;
  return x;
}

/* Replaces scores by exp(score - m') and rescales the output, o *= exp(m - m'), where m' is the running maximum after
 * this tile. */
static void online_softmax(struct output *output) {
  struct query_rows *block = &output->block;
  size_t columns = output->summary ? block->lanes : block->rows; /* a summary reads the lanes beyond the rows, too */
  for (size_t c = 0; c < columns; c += 4) {
    const struct panel *p = block->panels + c / PANEL;
    f4 rescale = output->summary
                     ? summarize_column(output->summary, block, c)
                     : online_softmax_column(block->scores + column_of(block, c) + p->from * PANEL, p->to - p->from,
                                             block->maxima + c, block->sums + c, block->powers);
    if (!any_lane(not_equal(rescale, splat(1.0f))))
      continue;
    float factors[4];
    store(factors, rescale);
    for (size_t r = 0; r < 4; r++) {
      float *o = output->o + (c + r) * output->width;
      for (size_t e = 0; e < output->width; e += 4)
        store(o + e, mul(load(o + e), splat_from(factors + r)));
    }
  }
}

/* o += weights v, over visible keys only, because the weight 0 of a hidden key times NaN or infinity would be NaN. */
static void accumulate_visible(struct output *output, const float *v) {
  const struct query_rows *block = &output->block;
  const struct qkv_attention *a = block->a;
  for (uint32_t r = 0; r < block->rows; r++) {
    const struct panel *p = block->panels + r / PANEL;
    for (uint32_t j = p->from; j < p->to; j++) {
      if (!is_visible(a, block->b, block->h, block->row + r, block->first + j))
        continue;
      add_scaled(output->o + r * output->width, v + j * a->v.row, block->scores[column_of(block, r) + j * PANEL], a->E);
    }
  }
}

/* out (E) = o / sums[r]; zeros for a row without visible keys. */
static void normalize_row(const struct output *output, size_t r, float *out) {
  const float *o = output->o + r * output->width;
  float inv_sum = output->block.sums[r] == 0.0f ? 0.0f : 1.0f / output->block.sums[r];
  size_t E = output->block.a->E, e = 0;
  for (; e + 4 <= E; e += 4)
    store(out + e, mul(load(o + e), splat(inv_sum)));
  store_some(out + e, E - e, mul(load(o + e), splat(inv_sum)));
}

static void attend_tiles(struct output *output) {
  struct query_rows *block = &output->block;
  const struct qkv_attention *a = block->a;
  const float *v = row_of(&a->v, block->b, block->h / (a->H / a->G), 0);
  for (size_t i = 0; i < block->lanes * output->width; i += 4)
    store(output->o + i, zeros());
  start_statistics(block);
  if (output->summary)
    start_summary(output->summary, block);
  output->has_hidden = has_mask(a);
  uint32_t end = visible_span(a, block->b, block->row + block->rows - 1).to;
  /* If rows of v are not a multiple of 32 bytes apart, eight columns of a row can straddle two cache lines. Tiles then
   * have half as many keys. */
  uint32_t tile_keys = a->v.row % 8 ? TILE_KEYS / 2 : TILE_KEYS;
  for (uint32_t j = visible_span(a, block->b, block->row).from; j < end; j += tile_keys) {
    uint32_t keys = (uint32_t)at_most(end - j, tile_keys);
    if (!find_visible_keys(block, j, j + keys))
      continue;
    compute_scores(block, 0, keys);
    if (output->summary)
      start_summary_tile(output->summary, block, keys);
    online_softmax(output);
    if (a->generator)
      apply_dropout(block, block->scores);
    for (size_t r = 0; r < block->rows; r += PANEL) {
      const struct panel *p = block->panels + r / PANEL;
      output->has_hidden |= p->from < p->open_from || p->open_to < p->to;
    }
    const float *values = v + (size_t)j * a->v.row;
    if (output->is_careful && !all_finite(values, a->v.row, keys, a->E))
      accumulate_visible(output, values);
    else
      accumulate_rows(block, block->scores, output->o, output->width, values, a->v.row, a->E, 0, keys);
  }
}

static void attend_block(struct output *output) {
  struct query_rows *block = &output->block;
  const struct qkv_attention *a = block->a;
  output->is_careful = 0;
  attend_tiles(output);
  /* A hidden value that is NaN or infinite may have reached rows that do not see it. If so, the block is computed
   * again over visible keys only. */
  output->is_careful = output->has_hidden && !all_finite(output->o, output->width, block->rows, a->E);
  if (output->is_careful)
    attend_tiles(output);
  float *out = row_of(&a->out, block->b, block->h, block->row);
  for (size_t r = 0; r < block->rows; r++)
    normalize_row(output, r, out + r * a->out.row);
}

static uint32_t blocks_of_rows(const struct qkv_attention *a) { return (a->L - 1) / BLOCK_ROWS + 1; }

/* True if there is no output to write and no random number to draw. */
static int is_empty(const struct qkv_attention *a) {
  return a->B == 0 || a->H == 0 || a->L == 0 || (a->E == 0 && !a->generator);
}

static uint32_t units_of(const struct qkv_attention *a) {
  if (is_empty(a))
    return 0;
  return is_decode(a) ? a->B * a->G : a->B * a->H * blocks_of_rows(a);
}

uint32_t QKV_EXPORT(qkv_attention_units)(const struct qkv_attention *a) {
  uint32_t units = 0;
  for (uint32_t b = 0; b < texts_of(a); b++) {
    struct qkv_attention text = text_of(a, b);
    units += units_of(&text);
  }
  return units;
}

static void start_unit(struct output *x, uint32_t unit) {
  const struct qkv_attention *a = x->block.a;
  uint32_t blocks = blocks_of_rows(a);
  start_block(&x->block, unit / blocks / a->H, unit / blocks % a->H, unit % blocks);
}

static void attend_units(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch) {
  if (is_decode(a)) {
    decode_part(a, first, count, scratch);
    return;
  }
  struct output x = carve_scratch(a, scratch);
  for (uint32_t unit = first; unit < first + count; unit++) {
    start_unit(&x, unit);
    attend_block(&x);
  }
}

uint32_t QKV_EXPORT(qkv_attention_part)(const struct qkv_attention *a, uint32_t first, uint32_t count, void *scratch) {
  for (uint32_t b = 0; count > 0; b++) {
    struct qkv_attention text = text_of(a, b);
    uint32_t units = units_of(&text), from = (uint32_t)at_most(first, units),
             own = (uint32_t)at_most(units - from, count);
    if (own > 0)
      attend_units(&text, from, own, scratch);
    first -= from, count -= own;
  }
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_attention)(const struct qkv_attention *a) {
  if (a->score > QKV_SCORE_ADDITIVE)
    return QKV_UNKNOWN_SCORE;
  if (a->G ? a->H % a->G : a->H)
    return QKV_HEADS_DO_NOT_DIVIDE;
  return qkv_attention_part(a, 0, qkv_attention_units(a), a->scratch);
}

double QKV_EXPORT(qkv_summary_scratch)(const struct qkv_summary *s) {
  return tiled_scratch(&s->attention) + summary_scratch(s, TILE_KEYS / 2, TILE_KEYS) * (double)sizeof(float);
}

uint32_t QKV_EXPORT(qkv_summary_units)(const struct qkv_summary *s) {
  const struct qkv_attention *a = &s->attention;
  return a->L == 0 ? 0 : a->B * a->H * blocks_of_rows(a);
}

double QKV_EXPORT(qkv_summary_parts)(const struct qkv_summary *s) {
  return (double)qkv_summary_units(s) * (double)summary_part_size(s);
}

uint32_t QKV_EXPORT(qkv_summary_part)(const struct qkv_summary *s, uint32_t first, uint32_t count, void *scratch) {
  struct output x = carve_scratch(&s->attention, scratch);
  struct summary summary = carve_summary(s, TILE_KEYS / 2, TILE_KEYS, (float *)x.block.keep);
  x.summary = &summary;
  for (uint32_t unit = first; unit < first + count; unit++) {
    start_unit(&x, unit);
    attend_block(&x);
    finish_summary(&summary, &x.block, s->parts + unit * summary_part_size(s));
  }
  return QKV_OK;
}
