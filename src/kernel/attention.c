/* attention.c: fused attention. q (B,H,L,D), k (B,G,S,D), v (B,G,S,E) -> out (B,H,L,E).
 *
 * A block of query rows meets the keys tile by tile and keeps, per row, the running maximum, the
 * running sum of exponentials and the running weighted sum of values (Milakov & Gimelshein 2018;
 * FlashAttention, Dao et al. 2022), so that no L x S matrix ever exists. Tiles that no row of the
 * block can see are never visited; tiles that every row sees entirely are never masked. */
#include "mask.h"
#include "random.h"
#include "tile.h"

/* 64 x 64: scores, packed keys and packed values of D = E = 64 are 16 KB each and stay in L2, a
 * panel of 8 keys (2 KB) and four query rows in L1. */
enum { BLOCK_ROWS = 64, TILE_KEYS = 64 };

/* What one block of rows works in; carved from the caller's scratch. */
struct block {
  const struct qkv_attention *a;
  uint32_t b, h, row, rows; /* query rows row <= i < row + rows of head h of batch b */
  size_t tile, width;       /* keys a tile, floats a row of output: multiples of 8 */
  float *keys, *values;     /* (tile/8, D, 8) and (width/8, tile, 8) */
  float *scores, *output;   /* (rows, tile) and (rows, width) */
  float *maxima, *sums;     /* (rows) */
  uint8_t *keep;            /* (rows, S), dropout only: which weights stay */
};

static size_t tile_keys(const struct qkv_attention *a) { return at_most(round_up(a->S, 8), TILE_KEYS); }

double QKV_EXPORT(qkv_attention_scratch)(const struct qkv_attention *a) {
  double tile = (double)tile_keys(a), width = (double)round_up(a->E, 8), rows = BLOCK_ROWS;
  double floats = tile * a->D + tile * width + rows * tile + rows * width + 2 * rows;
  return floats * (double)sizeof(float) + (a->generator ? rows * a->S : 0.0);
}

static struct block carve(const struct qkv_attention *a) {
  struct block x = {.a = a, .tile = tile_keys(a), .width = round_up(a->E, 8)};
  float *p = a->scratch;
  x.keys = p, p += x.tile * a->D;
  x.values = p, p += x.tile * x.width;
  x.scores = p, p += BLOCK_ROWS * x.tile;
  x.output = p, p += BLOCK_ROWS * x.width;
  x.maxima = p, p += BLOCK_ROWS;
  x.sums = p, p += BLOCK_ROWS;
  x.keep = (uint8_t *)p;
  return x;
}

/* scores (rows, keys): score(q, k), scaled and capped; columns up to the next multiple of 8 hidden. */
static void score_tile(struct block *x, const float *q, const float *k, size_t keys) {
  const struct qkv_attention *a = x->a;
  float factor = score_factor(a) * a->scale;
  for (size_t j = 0; j < keys; j += 8) {
    float *panel = x->keys + j * a->D, *out = x->scores + j;
    pack_panel(panel, k + j * a->k.row, a->D, 1, a->k.row, at_most(keys - j, 8));
    switch (a->score) {
    case QKV_SCORE_GAUSSIAN:
      tiles_of(QKV_SCORE_GAUSSIAN, x->rows, 0, out, x->tile, q, a->q.row, panel, a->D, 0, factor);
      break;
    case QKV_SCORE_ADDITIVE:
      tiles_of(QKV_SCORE_ADDITIVE, x->rows, 0, out, x->tile, q, a->q.row, panel, a->D, a->w_v, factor);
      break;
    default:
      tiles_of(QKV_SCORE_DOT, x->rows, 0, out, x->tile, q, a->q.row, panel, a->D, 0, factor);
    }
  }
  f4 cap = splat(a->softcap);
  for (size_t r = 0; r < x->rows; r++) {
    float *row = x->scores + r * x->tile;
    if (a->softcap > 0.0f)
      for (size_t j = 0; j < keys; j += 4)
        store(row + j, mul(cap, tanh4(quotient(load(row + j), cap))));
    for (size_t j = keys; j < round_up(keys, 8); j++)
      row[j] = HIDDEN;
  }
}

/* One row of scores becomes exponentials under the new maximum; what was summed before shrinks to it. */
static void update_row(struct block *x, size_t r, size_t keys) {
  float *row = x->scores + r * x->tile, *output = x->output + r * x->width;
  f4 most = splat(x->maxima[r]);
  for (size_t j = 0; j < keys; j += 4)
    most = larger(most, load(row + j));
  float maximum = largest_lane(most);
  if (maximum == HIDDEN) { /* nothing seen yet, and -inf - -inf is NaN */
    for (size_t j = 0; j < keys; j += 4)
      store(row + j, zeros());
    return;
  }
  f4 sum = zeros();
  for (size_t j = 0; j < keys; j += 4) {
    f4 e = exp4(sub(load(row + j), splat(maximum)));
    store(row + j, e);
    sum = add(sum, e);
  }
  float shrink = exp1(x->maxima[r] - maximum);
  x->sums[r] = x->sums[r] * shrink + sum_lanes(sum);
  x->maxima[r] = maximum;
  if (shrink != 1.0f)
    for (size_t e = 0; e < x->width; e += 4)
      store(output + e, mul(load(output + e), splat(shrink)));
}

static int all_finite(const float *x, size_t n) {
  f4 sum = zeros(); /* x * 0 is 0 if x is finite, else NaN; n is a multiple of 8 */
  for (size_t i = 0; i < n; i += 4)
    sum = mul_add(load(x + i), zeros(), sum);
  return sum_lanes(sum) == 0.0f;
}

/* output += weights . values. Where a hidden value is NaN or Inf, 0 times it would spoil rows that do
 * not see it: then the sum runs over seen keys only. */
static void add_values(struct block *x, const float *v, uint32_t from, size_t keys, int all_seen) {
  const struct qkv_attention *a = x->a;
  for (size_t e = 0; e < a->E; e += 8)
    pack_panel(x->values + e * keys, v + e, keys, a->v.row, 1, at_most(a->E - e, 8));
  if (all_seen || all_finite(x->values, x->width * keys)) {
    for (size_t e = 0; e < a->E; e += 8)
      tiles_of(QKV_SCORE_DOT, x->rows, 1, x->output + e, x->width, x->scores, x->tile, x->values + e * keys, keys, 0,
               1.0f);
    return;
  }
  for (uint32_t r = 0; r < x->rows; r++)
    for (uint32_t j = 0; j < keys; j++) {
      if (!sees(a, x->b, x->h, x->row + r, from + j))
        continue;
      float weight = x->scores[r * x->tile + j];
      for (size_t e = 0; e < a->E; e++)
        x->output[r * x->width + e] += weight * v[j * a->v.row + e];
    }
}

static void attend(struct block *x) {
  const struct qkv_attention *a = x->a;
  uint32_t g = x->h / (a->H / a->G);
  const float *q = a->q.data + (size_t)x->b * a->q.batch + (size_t)x->h * a->q.head + (size_t)x->row * a->q.row;
  const float *k = a->k.data + (size_t)x->b * a->k.batch + (size_t)g * a->k.head;
  const float *v = a->v.data + (size_t)x->b * a->v.batch + (size_t)g * a->v.head;
  float *out = a->out.data + (size_t)x->b * a->out.batch + (size_t)x->h * a->out.head + (size_t)x->row * a->out.row;

  for (size_t i = 0; i < x->rows * x->width; i++)
    x->output[i] = 0.0f;
  for (size_t r = 0; r < x->rows; r++)
    x->maxima[r] = HIDDEN, x->sums[r] = 0.0f;
  if (a->generator)
    draw_keep(a->generator, x->keep, (size_t)x->rows * a->S, a->dropout);

  struct span first = visible_span(a, x->b, x->row), last = visible_span(a, x->b, x->row + x->rows - 1);
  for (uint32_t j = first.from; j < last.to; j += TILE_KEYS) {
    uint32_t keys = (uint32_t)at_most(last.to - j, x->tile);
    int all_seen = !has_mask(a) && j >= last.from && j + keys <= first.to;
    score_tile(x, q, k + (size_t)j * a->k.row, keys);
    for (uint32_t r = 0; r < x->rows; r++) {
      if (!all_seen)
        mask_row(a, x->b, x->h, x->row + r, j, j + keys, x->scores + r * x->tile);
      update_row(x, r, keys);
    }
    if (a->generator)
      for (size_t r = 0; r < x->rows; r++)
        for (size_t c = 0; c < keys; c++)
          x->scores[r * x->tile + c] *= keep_factor(x->keep[r * a->S + j + c], a->dropout);
    add_values(x, v + (size_t)j * a->v.row, j, keys, all_seen);
  }
  for (size_t r = 0; r < x->rows; r++)
    for (size_t e = 0; e < a->E; e++)
      out[r * a->out.row + e] = x->sums[r] == 0.0f ? 0.0f : x->output[r * x->width + e] / x->sums[r];
}

uint32_t QKV_EXPORT(qkv_attention)(const struct qkv_attention *a) {
  if (a->score > QKV_SCORE_ADDITIVE)
    return QKV_UNKNOWN_SCORE;
  if (a->G ? a->H % a->G : a->H)
    return QKV_HEADS_DO_NOT_DIVIDE;
  if (a->E == 0)
    return QKV_OK;
  struct block x = carve(a);
  for (x.b = 0; x.b < a->B; x.b++)
    for (x.h = 0; x.h < a->H; x.h++)
      for (x.row = 0; x.row < a->L; x.row += x.rows) {
        x.rows = (uint32_t)at_most(a->L - x.row, BLOCK_ROWS);
        attend(&x);
      }
  return QKV_OK;
}
