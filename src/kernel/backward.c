/* backward.c: gradients of attention. q (B,H,L,D), k (B,G,S,D), v (B,G,S,E), d_out (B,H,L,E) -> dq, dk, dv as q, k, v.
 *
 * With p = softmax(scores), w = p keep and out = w v:
 *   dv = w^T d_out,  dp = (d_out v^T) keep,  d_scores = p (dp - delta),  delta = sum_j p dp = d_out . out, row by row.
 * A block of query rows meets the keys tile by tile; the scores are computed anew from the row statistics that the
 * attention left (FlashAttention, Dao et al. 2022), so that nothing of size L x S is kept.
 * A hidden key, and one whose score is -infinity, has p = 0 and d_scores = 0 exactly, and adds nothing to any gradient.
 */
#include "mask.h"
#include "random.h"
#include "tile.h"

/* Scores and d_scores (18 KB each) come from L1 or L2; sums over 64 rows load and store dk and dv seldom enough. */
enum {
  BLOCK_ROWS = 64,
  TILE_KEYS = 64,
  PITCH = BLOCK_ROWS + 8, /* not a power of two, which would map columns onto a quarter of L1 */
};

/* A block of query rows and what it works in. Tiles are (TILE_KEYS, PITCH): keys down, queries across. */
struct block {
  const struct qkv_backward *to;
  const struct qkv_attention *a;
  uint32_t b, h, g, row, rows; /* query rows row <= i < row + rows of head h of batch b */
  size_t lanes;                /* rows, rounded up to a multiple of 8 */
  const float *q, *d_out;      /* of row `row` */
  float *dq;
  float *q_t, *d_out_t;              /* q and d_out transposed: (D, PITCH), (E, PITCH) */
  float *dq_t;                       /* what accumulate_pairs adds to dq, transposed: (D, PITCH) */
  float *scores;                     /* then weights */
  float *d_scores;                   /* the gradient of the weights, then of the scores */
  float *d_scaling;                  /* d(masked score) / d(score q k) */
  float *maxima, *inv_sums, *deltas; /* (PITCH) */
  float *tail;                       /* (BLOCK_ROWS, 8) */
  float *d_w_v;                      /* (D), of this block */
  uint8_t *keep;                     /* (rows, S), dropout only */
  int is_finite;                     /* q and d_out are */
};

double QKV_EXPORT(qkv_backward_scratch)(const struct qkv_backward *to) {
  const struct qkv_attention *a = &to->attention;
  double floats = PITCH * (2.0 * a->D + a->E + 3.0 * TILE_KEYS + 3) + BLOCK_ROWS * 8 + a->D;
  return floats * (double)sizeof(float) + (a->generator ? (double)BLOCK_ROWS * a->S : 0.0);
}

static struct block carve_scratch(const struct qkv_backward *to) {
  struct block x = {.to = to, .a = &to->attention};
  float *p = x.a->scratch;
  x.scores = p, p += TILE_KEYS * PITCH;
  x.d_scores = p, p += TILE_KEYS * PITCH;
  x.d_scaling = p, p += TILE_KEYS * PITCH;
  x.maxima = p, p += PITCH;
  x.inv_sums = p, p += PITCH;
  x.deltas = p, p += PITCH;
  x.q_t = p, p += PITCH * x.a->D;
  x.dq_t = p, p += PITCH * x.a->D;
  x.d_out_t = p, p += PITCH * x.a->E;
  x.tail = p, p += BLOCK_ROWS * 8;
  x.d_w_v = p, p += x.a->D;
  x.keep = (uint8_t *)p;
  return x;
}

static float *row_of(const struct qkv_tensor *x, uint32_t b, uint32_t h, uint32_t row) {
  return x->data + (size_t)b * x->batch + (size_t)h * x->head + (size_t)row * x->row;
}

/* y (columns, PITCH) = x^T, x (rows, columns); zeros from `rows` up to `lanes`. */
static void transpose_block(float *y, const struct block *x, const float *from, size_t row, size_t columns) {
  for (size_t r = 0; r < x->lanes; r++)
    for (size_t c = 0; c < columns; c++)
      y[c * PITCH + r] = r < x->rows ? from[r * row + c] : 0.0f;
}

/* tile *= what dropout multiplies with. */
static void apply_dropout(const struct block *x, float *tile, uint32_t from, uint32_t keys) {
  for (size_t r = 0; x->a->generator && r < x->rows; r++)
    for (size_t j = 0; j < keys; j++)
      tile[j * PITCH + r] *= keep_factor(x->keep[r * x->a->S + from + j], (double)x->a->dropout);
}

/* scores += the terms of queries and keys, four queries a vector: for scores that are no product. */
INLINE void accumulate_scores(enum qkv_score score, struct block *x, const float *k, uint32_t keys) {
  const struct qkv_attention *a = x->a;
  for (size_t j = 0; j < keys; j++)
    for (size_t r = 0; r < x->lanes; r += 4) {
      f4 sum = zeros();
      for (size_t d = 0; d < a->D; d++)
        sum = add_term(score, sum, load(x->q_t + d * PITCH + r), splat(k[j * a->k.row + d]),
                       score == QKV_SCORE_ADDITIVE ? splat(a->w_v[d]) : zeros());
      store(x->scores + j * PITCH + r, sum);
    }
}

/* scores: masked; d_scaling; d_scores: the gradient of the weights. k and v are the rows of key `from`. */
static void score_keys(struct block *x, const float *k, const float *v, uint32_t from, uint32_t keys) {
  const struct qkv_attention *a = x->a;
  for (size_t n = 0; n < keys * PITCH; n += 4) {
    store(x->scores + n, zeros());
    store(x->d_scores + n, zeros());
  }
  switch (a->score) {
  case QKV_SCORE_GAUSSIAN:
    accumulate_scores(QKV_SCORE_GAUSSIAN, x, k, keys);
    break;
  case QKV_SCORE_ADDITIVE:
    accumulate_scores(QKV_SCORE_ADDITIVE, x, k, keys);
    break;
  default:
    gemm_accumulate(x->scores, PITCH, keys, x->lanes, (struct matrix){k, a->k.row, 1},
                    (struct matrix){x->q_t, PITCH, 1}, a->D, x->tail);
  }
  gemm_accumulate(x->d_scores, PITCH, keys, x->lanes, (struct matrix){v, a->v.row, 1},
                  (struct matrix){x->d_out_t, PITCH, 1}, a->E, x->tail);
  apply_dropout(x, x->d_scores, from, keys);

  f4 cap = splat(a->softcap), scale = splat(a->scale), factor = splat(score_factor(a) * a->scale);
  for (size_t n = 0; n < keys * PITCH; n += 4) {
    f4 score = mul(load(x->scores + n), factor), d_scaling = scale;
    if (a->softcap > 0.0f) {
      f4 t = tanh4(quotient(score, cap));
      score = mul(cap, t);
      d_scaling = mul(scale, sub(splat(1.0f), mul(t, t)));
    }
    store(x->scores + n, score);
    store(x->d_scaling + n, d_scaling);
  }
  int is_unmasked = !has_mask(a) && from >= visible_span(a, x->b, x->row + x->rows - 1).from &&
                    from + keys <= visible_span(a, x->b, x->row).to; /* every row sees every key */
  for (uint32_t r = 0; r < x->rows; r++) {
    for (uint32_t j = 0; a->alibi && j < keys; j++)
      x->scores[j * PITCH + r] += alibi_at(a, x->b, x->h, x->row + r, from + j);
    if (!is_unmasked)
      mask_scores(a, x->b, x->h, x->row + r, from, from + keys, x->scores + r, PITCH);
  }
  for (size_t r = x->rows; r < x->lanes; r++) /* no queries */
    for (size_t j = 0; j < keys; j++)
      x->scores[j * PITCH + r] = HIDDEN;
}

/* scores become weights, d_scores the gradient of the masked scores. */
static void softmax_backward(struct block *x, size_t keys) {
  for (size_t j = 0; j < keys; j++)
    for (size_t r = 0; r < x->lanes; r += 4) {
      float *score = x->scores + j * PITCH + r, *d_score = x->d_scores + j * PITCH + r;
      f4 s = load(score), e = power2_4(mul(sub(s, load(x->maxima + r)), splat(LOG2_E)));
      m4 hidden = equal(s, splat(HIDDEN));
      f4 p = zero_where(hidden, mul(e, load(x->inv_sums + r)));
      store(score, p);
      store(d_score, zero_where(hidden, mul(p, sub(load(d_score), load(x->deltas + r)))));
    }
}

/* x y, but 0 where x is 0: NaN and Inf of what is hidden add nothing. */
INLINE f4 mul_visible(f4 x, f4 y) { return zero_where(equal(x, zeros()), mul(x, y)); }

/* What one key gives and gets, pair by pair, four queries a vector: for scores that are no product, and where NaN or
 * Inf times the 0 of a hidden pair would spoil what does not see it. */
static void accumulate_pairs(const struct block *x, const float *weights, const float *d_scores, const float *k,
                             float *dk, float *dv) {
  const struct qkv_attention *a = x->a;
  f4 shape = splat(a->score == QKV_SCORE_GAUSSIAN ? 1.0f / (a->sigma * a->sigma) : 1.0f);
  for (size_t e = 0; e < a->E; e++) {
    f4 sum = zeros();
    for (size_t r = 0; r < x->lanes; r += 4)
      sum = add(sum, mul_visible(load(weights + r), load(x->d_out_t + e * PITCH + r)));
    dv[e] += sum_lanes(sum);
  }
  for (size_t d = 0; d < a->D; d++) {
    f4 right = splat(k[d]), sum = zeros(), sum_w = zeros();
    for (size_t r = 0; r < x->lanes; r += 4) {
      float *dq = x->dq_t + d * PITCH + r;
      f4 g = mul(load(d_scores + r), shape), left = load(x->q_t + d * PITCH + r), to_q = right, to_k = left;
      if (a->score == QKV_SCORE_GAUSSIAN)
        to_q = sub(right, left), to_k = sub(left, right);
      if (a->score == QKV_SCORE_ADDITIVE) {
        f4 t = tanh4(add(left, right));
        to_q = to_k = mul(splat(a->w_v[d]), sub(splat(1.0f), mul(t, t)));
        sum_w = add(sum_w, mul_visible(g, t));
      }
      store(dq, add(load(dq), mul_visible(g, to_q)));
      sum = add(sum, mul_visible(g, to_k));
    }
    dk[d] += sum_lanes(sum);
    x->d_w_v[d] += sum_lanes(sum_w);
  }
}

/* Adds what weights and d_scores give: three products where that will do. */
static void accumulate_gradients(const struct block *x, const float *k, uint32_t from, uint32_t keys) {
  const struct qkv_attention *a = x->a;
  const struct qkv_backward *to = x->to;
  float *dk = row_of(&to->dk, x->b, x->g, from), *dv = row_of(&to->dv, x->b, x->g, from);
  if (a->score == QKV_SCORE_DOT && x->is_finite && all_finite(k, a->k.row, keys, a->D)) {
    gemm_accumulate(dv, to->dv.row, keys, a->E, (struct matrix){x->scores, PITCH, 1},
                    (struct matrix){x->d_out, to->d_out.row, 1}, x->rows, x->tail);
    gemm_accumulate(dk, to->dk.row, keys, a->D, (struct matrix){x->d_scores, PITCH, 1},
                    (struct matrix){x->q, a->q.row, 1}, x->rows, x->tail);
    gemm_accumulate(x->dq, to->dq.row, x->rows, a->D, (struct matrix){x->d_scores, 1, PITCH},
                    (struct matrix){k, a->k.row, 1}, keys, x->tail);
    return;
  }
  for (size_t j = 0; j < keys; j++)
    accumulate_pairs(x, x->scores + j * PITCH, x->d_scores + j * PITCH, k + j * a->k.row, dk + j * to->dk.row,
                     dv + j * to->dv.row);
}

static void accumulate_d_bias(const struct block *x, uint32_t from, uint32_t keys) {
  const struct qkv_bias *bias = &x->a->bias;
  float *d_bias = x->to->d_bias + (size_t)x->b * bias->batch + (size_t)x->h * bias->head;
  for (size_t r = 0; r < x->rows; r++)
    for (size_t j = 0; j < keys; j++)
      d_bias[(x->row + r) * bias->row + (from + j) * bias->column] += x->d_scores[j * PITCH + r];
}

static void backward_block(struct block *x) {
  const struct qkv_attention *a = x->a;
  const struct qkv_backward *to = x->to;
  const float *out = row_of(&a->out, x->b, x->h, x->row);
  size_t line = ((size_t)x->b * a->H + x->h) * a->L + x->row;
  transpose_block(x->q_t, x, x->q, a->q.row, a->D);
  transpose_block(x->d_out_t, x, x->d_out, to->d_out.row, a->E);
  x->is_finite = all_finite(x->q, a->q.row, x->rows, a->D) && all_finite(x->d_out, to->d_out.row, x->rows, a->E);
  for (size_t r = x->rows; r < x->lanes; r++)
    x->maxima[r] = x->inv_sums[r] = x->deltas[r] = 0.0f;
  for (size_t r = 0; r < x->rows; r++) {
    float maximum = a->row_maxima[line + r], sum = a->row_sums[line + r];
    x->maxima[r] = maximum == HIDDEN ? 0.0f : maximum;
    x->inv_sums[r] = sum == 0.0f ? 0.0f : 1.0f / sum;
    x->deltas[r] = 0.0f;
    for (size_t e = 0; e < a->E; e++)
      x->deltas[r] += x->d_out[r * to->d_out.row + e] * out[r * a->out.row + e];
  }
  for (size_t r = 0; to->d_sinks && r < x->rows; r++)
    to->d_sinks[x->h] -= exp1(a->sinks[x->h] - x->maxima[r]) * x->inv_sums[r] * x->deltas[r];
  for (size_t d = 0; d < a->D; d++)
    x->d_w_v[d] = 0.0f;
  for (size_t n = 0; n < a->D * PITCH; n += 4)
    store(x->dq_t + n, zeros());
  if (a->generator)
    draw_keep_mask(a->generator, x->keep, (size_t)x->rows * a->S, (double)a->dropout);

  uint32_t end = visible_span(a, x->b, x->row + x->rows - 1).to;
  for (uint32_t j = visible_span(a, x->b, x->row).from, keys; j < end; j += keys) {
    keys = (uint32_t)at_most(end - j, TILE_KEYS);
    const float *k = row_of(&a->k, x->b, x->g, j);
    score_keys(x, k, row_of(&a->v, x->b, x->g, j), j, keys);
    softmax_backward(x, keys);
    if (to->d_bias)
      accumulate_d_bias(x, j, keys);
    for (size_t n = 0; n < keys * PITCH; n += 4)
      store(x->d_scores + n, mul(load(x->d_scores + n), load(x->d_scaling + n)));
    apply_dropout(x, x->scores, j, keys);
    accumulate_gradients(x, k, j, keys);
  }
  for (size_t d = 0; d < a->D; d++) {
    for (size_t r = 0; r < x->rows; r++)
      x->dq[r * to->dq.row + d] += x->dq_t[d * PITCH + r];
    if (to->d_w_v)
      to->d_w_v[d] += x->d_w_v[d];
  }
}

uint32_t QKV_EXPORT(qkv_backward)(const struct qkv_backward *to) {
  const struct qkv_attention *a = &to->attention;
  if (a->score > QKV_SCORE_ADDITIVE)
    return QKV_UNKNOWN_SCORE;
  if (a->G ? a->H % a->G : a->H)
    return QKV_HEADS_DO_NOT_DIVIDE;
  if (a->E == 0) /* out is nothing and owes nothing */
    return QKV_OK;
  struct block x = carve_scratch(to);
  for (x.b = 0; x.b < a->B; x.b++)
    for (x.h = 0; x.h < a->H; x.h++)
      for (x.row = 0; x.row < a->L; x.row += x.rows) {
        x.g = x.h / (a->H / a->G);
        x.rows = (uint32_t)at_most(a->L - x.row, BLOCK_ROWS);
        x.lanes = round_up(x.rows, 8);
        x.q = row_of(&a->q, x.b, x.h, x.row);
        x.d_out = row_of(&to->d_out, x.b, x.h, x.row);
        x.dq = row_of(&to->dq, x.b, x.h, x.row);
        backward_block(&x);
      }
  return QKV_OK;
}
