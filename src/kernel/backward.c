/* backward.c: gradients of attention. q (B,H,L,D), k (B,G,S,D), v (B,G,S,E), d_out (B,H,L,E) -> dq, dk, dv shaped as q,
 * k, v.
 *
 * With P = softmax(S), S = mask(softcap(scale * score(q, k))), dropout factors keep and out = (P * keep) v:
 *   dv = (P * keep)^T d_out
 *   dP = (d_out v^T) * keep
 *   dS = P * (dP - delta),  delta = rowsum(P * dP)
 *   dq = scale * dS k,  dk = scale * dS^T q          (dot score without softcap)
 * P and dP of one block of query rows against all keys are kept in the scratch. So each is computed once, and neither
 * `out` nor the row statistics of the forward pass are needed. A key that is hidden, or whose score is -infinity, has P
 * = dS = 0 exactly, and adds nothing to any gradient. */
#include "query_rows.h"
#include "texts.h"

/* Keys per tile. k, v, P and dP of a tile (16 KB each for D = E = 64) stay in L1 or L2 between the products. */
enum { TILE_KEYS = 64 };

/* A weight below this share of its row's largest weight counts as 0. It is too small to change a sum of floats. Its dS,
 * and then dq and dk, would often be subnormal, which slows all later kernels down a hundredfold. */
#define LEAST_WEIGHT 0x1p-64f

struct gradients {
  struct query_rows block; /* P overwrites its scores */
  const struct qkv_backward *to;
  uint32_t g;
  float *d_out_panels; /* (lanes/PANEL, E, PANEL) */
  float *d_scores;     /* laid out as scores: dP, then dS */
  float *dq;           /* (lanes, width) */
  float *columns;      /* (BLOCK_ROWS, 8): the last columns of q or d_out if fewer than 8 are left */
  float *d_w_v;        /* (D): the contribution of this block */
  size_t width;        /* D, rounded up to a multiple of 8 */
  int is_finite;       /* true if k is finite, so that its products with 0 are 0; q and d_out are checked per block */
};

/* Returns how many lanes the tallest block has. */
static size_t lanes_of(const struct qkv_attention *a) { return round_up(at_most(a->L, BLOCK_ROWS), PANEL); }

/* Returns the distance between panels of scores, in floats: whole register tiles of keys plus one cache line. With a
 * power of two, all panels would compete for the same sets of L1. */
static size_t pitch_of(const struct qkv_attention *a) { return round_up(a->S, 4) * PANEL + 16; }

double QKV_EXPORT(qkv_backward_scratch)(const struct qkv_backward *to) {
  const struct qkv_attention *a = &to->attention;
  double lanes = (double)lanes_of(a), tiles = a->softcap > 0.0f ? 3.0 : 2.0;
  double floats = lanes * ((double)a->D + a->E + (double)round_up(a->D, 8) + 2.0) +
                  tiles * lanes / (double)PANEL * (double)pitch_of(a) + 4.0 * a->S + TILE_KEYS * 8 + BLOCK_ROWS * 8 +
                  (double)round_up(a->D, 4);
  return floats * (double)sizeof(float) + (a->generator ? lanes * a->S : 0.0);
}

static struct gradients carve_scratch(const struct qkv_backward *to, void *scratch) {
  const struct qkv_attention *a = &to->attention;
  struct gradients y = {.block = {.a = a, .pitch = pitch_of(a)}, .to = to, .width = round_up(a->D, 8)};
  float *p = scratch;
  size_t lanes = lanes_of(a), tiles = lanes / PANEL * pitch_of(a);
  y.block.scores = p, p += tiles;
  y.d_scores = p, p += tiles;
  if (a->softcap > 0.0f)
    y.block.d_cap = p, p += tiles;
  y.block.powers = p, p += 4 * (size_t)a->S;
  y.block.maxima = p, p += lanes;
  y.block.sums = p, p += lanes;
  y.block.q_panels = p, p += lanes * a->D;
  y.d_out_panels = p, p += lanes * a->E;
  y.dq = p, p += lanes * y.width;
  y.block.value_panel = p, p += TILE_KEYS * 8;
  y.columns = p, p += BLOCK_ROWS * 8;
  y.d_w_v = p, p += round_up(a->D, 4);
  y.block.keep = (uint8_t *)p;
  return y;
}

/* Returns x y, but 0 where x is 0, even if y is NaN or infinite. */
INLINE f4 mul_visible(f4 x, f4 y) { return zero_where(equal(x, zeros()), mul(x, y)); }

/* Computes P = softmax(S), delta = rowsum(P * dP) and dS = P * (dP - delta) for four queries; P overwrites the
 * scores, dS overwrites dP. Returns delta. */
static f4 softmax_backward(const struct gradients *y, size_t c) {
  const struct query_rows *block = &y->block;
  const struct panel *panel = block->panels + c / PANEL;
  size_t keys = panel->to - panel->from;
  float *p = block->scores + column_of(block, c) + panel->from * PANEL,
        *d = y->d_scores + column_of(block, c) + panel->from * PANEL;
  online_softmax_column(p, keys, block->maxima + c, block->sums + c, block->powers);
  f4 sum = load(block->sums + c), inv_sum = quotient(splat(1.0f), blend(equal(sum, zeros()), splat(1.0f), sum));
  /* delta = rowsum(e * dP) / sum(e), in two accumulators to hide the latency of the additions */
  f4 even = zeros(), odd = zeros();
  size_t j = 0;
  for (; j + 2 <= keys; j += 2) {
    even = add(even, mul_visible(load(p + j * PANEL), load(d + j * PANEL)));
    odd = add(odd, mul_visible(load(p + (j + 1) * PANEL), load(d + (j + 1) * PANEL)));
  }
  if (j < keys)
    even = add(even, mul_visible(load(p + j * PANEL), load(d + j * PANEL)));
  f4 delta = mul(add(even, odd), inv_sum);
  /* P = e / sum(e), dS = P * (dP - delta) */
  for (j = 0; j < keys; j++) {
    f4 e = load(p + j * PANEL), weight = zero_where(less(e, splat(LEAST_WEIGHT)), mul(e, inv_sum));
    store(p + j * PANEL, weight);
    store(d + j * PANEL, mul_visible(weight, sub(load(d + j * PANEL), delta)));
  }
  /* The last register tile may have fewer than four keys; P and dS of the missing ones are 0. */
  for (; (panel->from + j) % 4; j++) {
    store(p + j * PANEL, zeros());
    store(d + j * PANEL, zeros());
  }
  return delta;
}

/* d_sinks[h] -= sum_r P(r, sink) delta(r) over the four rows from c on, with P(r, sink) = exp(sink - maximum) / sum */
static void accumulate_d_sinks(const struct gradients *y, size_t c, f4 delta) {
  const struct query_rows *block = &y->block;
  float deltas[4], sink = block->a->sinks[block->h];
  store(deltas, delta);
  for (size_t r = c; r < c + 4 && r < block->rows; r++)
    if (block->sums[r] != 0.0f)
      y->to->d_sinks[block->h] -= exp1(sink - block->maxima[r]) / block->sums[r] * deltas[r - c];
}

/* d_bias += dS in the rows of the block */
static void accumulate_d_bias(const struct gradients *y) {
  const struct query_rows *block = &y->block;
  const struct qkv_bias *bias = &block->a->bias;
  float *d_bias = y->to->d_bias + (size_t)block->b * bias->batch + (size_t)block->h * bias->head;
  for (size_t r = 0; r < block->rows; r++)
    for (size_t j = block->panels[r / PANEL].from; j < block->panels[r / PANEL].to; j++)
      d_bias[(block->row + r) * bias->row + (block->first + j) * bias->column] +=
          y->d_scores[column_of(block, r) + j * PANEL];
}

/* dS *= scale, and with a softcap also by its derivative d_cap, in the block */
static void scale_d_scores(const struct gradients *y) {
  const struct query_rows *block = &y->block;
  for (size_t r = 0; r < block->lanes; r += PANEL) {
    size_t at = column_of(block, r);
    for (size_t n = at + block->panels[r / PANEL].from * PANEL; n < at + block->panels[r / PANEL].to * PANEL; n += 4) {
      f4 d = mul(load(y->d_scores + n), splat(block->a->scale));
      store(y->d_scores + n, block->d_cap ? mul(d, load(block->d_cap + n)) : d);
    }
  }
}

/* dz (keys,columns) += w^T z for keys from <= j < to. dz starts at key block->first, with rows `stride` floats apart; z
 * starts at query block->row, with rows `row` floats apart; w is laid out as scores are. A register tile is four keys
 * by eight columns. It skips panels that see none of its keys. */
static void accumulate_keys(const struct gradients *y, const float *w, float *dz, size_t stride, const float *z,
                            size_t row, size_t columns, size_t from, size_t to) {
  const struct query_rows *block = &y->block;
  size_t whole = columns & ~(size_t)7;
  if (whole < columns)
    pack_panel(y->columns, z + whole, block->rows, row, 1, columns - whole);
  for (size_t j = from; j < to; j += 4)
    for (size_t e = 0; e < columns; e += 8) {
      size_t height = at_most(to - j, 4), width = at_most(columns - e, 8), pitch = stride;
      float edge[4 * 8], *tile = dz + j * stride + e;
      int is_edge = height < 4 || width < 8;
      if (is_edge) {
        load_edge(edge, tile, stride, height, width);
        tile = edge, pitch = 8;
      }
      struct matrix right = e == whole ? (struct matrix){y->columns, 8, 1} : (struct matrix){z + e, row, 1};
      f4 acc[4][2];
#pragma unroll
      for (size_t i = 0; i < 4; i++)
        acc[i][0] = load(tile + i * pitch), acc[i][1] = load(tile + i * pitch + 4);
      const float *weights = w + j * PANEL;
      for (size_t r = 0; r < block->rows; r += PANEL, right.data += PANEL * right.row, weights += block->pitch)
        if (block->panels[r / PANEL].from <= j && j < block->panels[r / PANEL].to)
          accumulate_4x8(QKV_SCORE_DOT, acc, (struct matrix){weights, PANEL, 1}, 4, right,
                         at_most(block->rows - r, PANEL), 0);
#pragma unroll
      for (size_t i = 0; i < 4; i++)
        store(tile + i * pitch, acc[i][0]), store(tile + i * pitch + 4, acc[i][1]);
      if (is_edge)
        store_edge(dz + j * stride + e, stride, edge, height, width);
    }
}

/* Returns the offset of query r in panels (lanes/PANEL, columns, PANEL). */
static size_t lane_of(size_t r, size_t columns) { return r / PANEL * PANEL * columns + r % PANEL; }

/* Adds the gradients of key j, four queries per vector. Used if scores are not dot products, and if q, k or d_out has
 * NaN or infinity, whose product with the 0 of a hidden pair would be NaN:
 *   dv += P d_out,  dq += dS d score/d q,  dk += dS d score/d k,  d_w_v += dS d score/d w_v
 * dq_t (lanes/PANEL, D, PANEL) is dq transposed. */
static void accumulate_pairs(const struct gradients *y, float *dq_t, size_t j) {
  const struct query_rows *block = &y->block;
  const struct qkv_attention *a = block->a;
  uint32_t key = block->first + (uint32_t)j;
  const float *k = row_of(&a->k, block->b, y->g, key);
  float *dk = row_of(&y->to->dk, block->b, y->g, key), *dv = row_of(&y->to->dv, block->b, y->g, key);
  f4 shape = splat(a->score == QKV_SCORE_GAUSSIAN ? 1.0f / (a->sigma * a->sigma) : 1.0f);
  size_t lanes[BLOCK_ROWS / 4], n = 0; /* groups of four queries whose panel sees the key */
  for (size_t r = 0; r < block->lanes; r += 4)
    if (block->panels[r / PANEL].from <= j && j < block->panels[r / PANEL].to)
      lanes[n++] = r;
  for (size_t e = 0; e < a->E; e++) {
    f4 sum = zeros();
    for (size_t i = 0; i < n; i++)
      sum = add(sum, mul_visible(load(block->scores + column_of(block, lanes[i]) + j * PANEL),
                                 load(y->d_out_panels + lane_of(lanes[i], a->E) + e * PANEL)));
    dv[e] += sum_lanes(sum);
  }
  for (size_t d = 0; d < a->D; d++) {
    f4 right = splat(k[d]), sum = zeros(), sum_w = zeros();
    for (size_t i = 0; i < n; i++) {
      size_t at = lane_of(lanes[i], a->D) + d * PANEL;
      f4 g = mul(load(y->d_scores + column_of(block, lanes[i]) + j * PANEL), shape);
      f4 left = load(block->q_panels + at), to_q = right, to_k = left;
      if (a->score == QKV_SCORE_GAUSSIAN)
        to_q = sub(right, left), to_k = sub(left, right);
      if (a->score == QKV_SCORE_ADDITIVE) {
        f4 t = tanh4(add(left, right));
        to_q = to_k = mul(splat(a->w_v[d]), sub(splat(1.0f), mul(t, t)));
        sum_w = add(sum_w, mul_visible(g, t));
      }
      store(dq_t + at, add(load(dq_t + at), mul_visible(g, to_q)));
      sum = add(sum, mul_visible(g, to_k));
    }
    dk[d] += sum_lanes(sum);
    y->d_w_v[d] += sum_lanes(sum_w);
  }
}

/* Sets the weights of the padding lanes after the last row to 0. */
static void clear_padding(const struct query_rows *block, float *tile) {
  for (size_t r = block->rows; r < block->lanes; r++)
    for (size_t j = block->panels[r / PANEL].from; j < block->panels[r / PANEL].to; j++)
      tile[column_of(block, r) + j * PANEL] = 0.0f;
}

/* Calls accumulate_pairs for all keys, then adds dq and d_w_v to the outputs. */
static void accumulate_all_pairs(struct gradients *y, size_t keys) {
  const struct query_rows *block = &y->block;
  const struct qkv_attention *a = block->a;
  float *dq_t = y->dq; /* reuses the memory of dq, (lanes, width) */
  clear_padding(block, block->scores);
  clear_padding(block, y->d_scores);
  for (size_t d = 0; d < a->D; d++)
    y->d_w_v[d] = 0.0f;
  for (size_t j = 0; j < keys; j++)
    accumulate_pairs(y, dq_t, j);
  float *dq = row_of(&y->to->dq, block->b, block->h, block->row);
  for (size_t d = 0; d < a->D; d++) {
    for (size_t r = 0; r < block->rows; r++)
      dq[r * y->to->dq.row + d] += dq_t[lane_of(r, a->D) + d * PANEL];
    if (y->to->d_w_v)
      y->to->d_w_v[d] += y->d_w_v[d];
  }
}

/* Adds the gradients of one block of query rows. */
static void backward_block(struct gradients *y) {
  struct query_rows *block = &y->block;
  const struct qkv_attention *a = block->a;
  const struct qkv_backward *to = y->to;
  uint32_t first = visible_span(a, block->b, block->row).from,
           end = visible_span(a, block->b, block->row + block->rows - 1).to;
  if (first >= end || !find_visible_keys(block, first, end))
    return;
  size_t keys = end - first;
  const float *q = row_of(&a->q, block->b, block->h, block->row),
              *d_out = row_of(&to->d_out, block->b, block->h, block->row);
  const float *k = row_of(&a->k, block->b, y->g, first), *v = row_of(&a->v, block->b, y->g, first);
  float *dk = row_of(&to->dk, block->b, y->g, first), *dv = row_of(&to->dv, block->b, y->g, first);
  start_statistics(block);
  pack_rows(block, y->d_out_panels, d_out, to->d_out.row, a->E);
  for (size_t n = 0; n < block->lanes * y->width; n += 4)
    store(y->dq + n, zeros());

  /* S = mask(softcap(scale * score(q, k))), dP = (d_out v^T) * keep */
  for (size_t j = 0; j < keys; j += TILE_KEYS) {
    compute_scores(block, j, at_most(j + TILE_KEYS, keys));
    multiply_keys(block, y->d_scores, y->d_out_panels, v, a->v.row, a->E, j, at_most(j + TILE_KEYS, keys));
  }
  if (a->generator)
    apply_dropout(block, y->d_scores);
  /* P = softmax(S), dS = P * (dP - rowsum(P * dP)) */
  for (size_t c = 0; c < block->lanes; c += 4) {
    f4 delta = softmax_backward(y, c);
    if (to->d_sinks)
      accumulate_d_sinks(y, c, delta);
  }
  if (to->d_bias)
    accumulate_d_bias(y);
  scale_d_scores(y);
  if (a->generator)
    apply_dropout(block, block->scores);

  if (a->score != QKV_SCORE_DOT || !y->is_finite || !all_finite(q, a->q.row, block->rows, a->D) ||
      !all_finite(d_out, to->d_out.row, block->rows, a->E)) {
    accumulate_all_pairs(y, keys);
    return;
  }
  for (size_t j = 0; j < keys; j += TILE_KEYS) {
    size_t stop = at_most(j + TILE_KEYS, keys);
    /* dv += P^T d_out,  dk += dS^T q,  dq += dS k */
    accumulate_keys(y, block->scores, dv, to->dv.row, d_out, to->d_out.row, a->E, j, stop);
    accumulate_keys(y, y->d_scores, dk, to->dk.row, q, a->q.row, a->D, j, stop);
    accumulate_rows(block, y->d_scores, y->dq, y->width, k, a->k.row, a->D, j, stop);
  }
  float *dq = row_of(&to->dq, block->b, block->h, block->row);
  for (size_t r = 0; r < block->rows; r++)
    for (size_t d = 0; d < a->D; d += 4) {
      size_t n = at_most(a->D - d, 4);
      float *at = dq + r * to->dq.row + d;
      store_some(at, n, add(load_some(at, n), load(y->dq + r * y->width + d)));
    }
}

/* Sets head h of batch b of x, (rows, columns), to 0. */
static void clear(const struct qkv_tensor *x, uint32_t b, uint32_t h, uint32_t rows, uint32_t columns) {
  for (uint32_t r = 0; r < rows; r++)
    __builtin_memset(row_of(x, b, h, r), 0, columns * sizeof(float));
}

/* Computes the gradients of kv head g of batch b, summed over all blocks of its query heads. */
static void backward_group(struct gradients *y, uint32_t b, uint32_t g) {
  const struct qkv_attention *a = y->block.a;
  const struct qkv_backward *to = y->to;
  uint32_t heads = a->H / a->G;
  y->g = g;
  for (uint32_t h = g * heads; !(to->accumulate & 1) && h < (g + 1) * heads; h++)
    clear(&to->dq, b, h, a->L, a->D);
  if (!(to->accumulate & 2))
    clear(&to->dk, b, g, a->S, a->D);
  if (!(to->accumulate & 4))
    clear(&to->dv, b, g, a->S, a->E);
  if (a->E == 0) /* without columns, out has no gradient */
    return;
  y->is_finite = all_finite(row_of(&a->k, b, g, 0), a->k.row, a->S, a->D);
  for (uint32_t h = g * heads; h < (g + 1) * heads; h++)
    for (uint32_t n = 0; n * BLOCK_ROWS < a->L; n++) {
      start_block(&y->block, b, h, n);
      backward_block(y);
    }
}

/* Returns the arguments for text b alone, as a batch of one, or a copy of `to` if texts are not packed. */
static struct qkv_backward backward_of(const struct qkv_backward *to, uint32_t b) {
  const struct qkv_attention *a = &to->attention;
  struct qkv_backward text = *to;
  text.attention = text_of(a, b);
  if (!a->cu_seqlens_q)
    return text;
  size_t q = a->cu_seqlens_q[b], k = a->cu_seqlens_k[b];
  text.d_out.data += q * to->d_out.row, text.dq.data += q * to->dq.row;
  text.dk.data += k * to->dk.row, text.dv.data += k * to->dv.row;
  if (to->d_bias)
    text.d_bias += (size_t)b * a->bias.batch;
  return text;
}

/* Sets how many batches and how many kv heads one unit covers. */
static void unit_size(const struct qkv_backward *to, uint32_t *batches, uint32_t *heads) {
  const struct qkv_attention *a = &to->attention;
  int is_one = a->generator || to->d_w_v || (to->d_bias && a->bias.head == 0);
  *heads = is_one ? a->G : 1;
  *batches = is_one || to->d_sinks || (to->d_bias && a->bias.batch == 0) ? a->B : 1;
}

uint32_t QKV_EXPORT(qkv_backward_units)(const struct qkv_backward *to) {
  const struct qkv_attention *a = &to->attention;
  if (a->B == 0 || a->G == 0)
    return 0;
  uint32_t batches, heads;
  unit_size(to, &batches, &heads);
  return a->B / batches * (a->G / heads);
}

uint32_t QKV_EXPORT(qkv_backward_part)(const struct qkv_backward *to, uint32_t first, uint32_t count, void *scratch) {
  const struct qkv_attention *a = &to->attention;
  struct gradients y = carve_scratch(to, scratch);
  uint32_t batches, heads;
  unit_size(to, &batches, &heads);
  uint32_t columns = a->G / heads; /* units per batch */
  for (uint32_t unit = first; unit < first + count; unit++)
    for (uint32_t b = unit / columns * batches, n = 0; n < batches; n++) {
      struct qkv_backward text = backward_of(to, b + n);
      y.to = &text, y.block.a = &text.attention;
      for (uint32_t g = unit % columns * heads, m = 0; m < heads; m++)
        backward_group(&y, a->cu_seqlens_q ? 0 : b + n, g + m);
    }
  return QKV_OK;
}

uint32_t QKV_EXPORT(qkv_backward)(const struct qkv_backward *to) {
  const struct qkv_attention *a = &to->attention;
  if (a->score > QKV_SCORE_ADDITIVE)
    return QKV_UNKNOWN_SCORE;
  if (a->G ? a->H % a->G : a->H)
    return QKV_HEADS_DO_NOT_DIVIDE;
  uint32_t units = qkv_backward_units(to);
  return units ? qkv_backward_part(to, 0, units, a->scratch) : QKV_OK;
}
