/* fuzz.c: makes shapes, options and data, also hostile data, from the bytes of the fuzzer. The fused kernel and the
 * trace are compared with the formula of attention in float64. Every tensor is an allocation of exactly its size, so
 * that the sanitizer stops a kernel that reads or writes beyond it. */
#include "fuzz.h"
#include "mask.h"

unsigned char __heap_base; /* set by the linker in the wasm */

/* Draws which axes of a mask (B, H, L, S) are broadcast, and computes its strides; returns its number of elements. */
static size_t broadcast(struct input *in, const struct qkv_attention *a, uint32_t strides[4]) {
  const uint32_t sizes[4] = {a->B, a->H, a->L, a->S};
  uint8_t own = byte(in);
  size_t count = 1;
  for (int axis = 3; axis >= 0; axis--) {
    strides[axis] = own >> axis & 1 ? (uint32_t)count : 0;
    count *= own >> axis & 1 ? sizes[axis] : 1;
  }
  return count;
}

static double score64(const struct qkv_attention *a, const float *q, const float *k, double *size) {
  double sum = 0;
  for (uint32_t d = 0; d < a->D; d++) {
    double x = q[d], y = k[d];
    double term = a->score == QKV_SCORE_DOT        ? x * y
                  : a->score == QKV_SCORE_GAUSSIAN ? (x - y) * (x - y) * (-0.5 / (double)a->sigma / (double)a->sigma)
                                                   : (double)a->w_v[d] * tanh(x + y);
    sum += term;
    *size += fabs(term) + fabs(x * x) + fabs(y * y);
  }
  sum *= (double)a->scale;
  return a->softcap > 0 ? (double)a->softcap * tanh(sum / (double)a->softcap) : sum;
}

/* True if query i of batch b sees key j of head h, by the rules of docs/attention.md. */
static int visible(const struct qkv_attention *a, uint32_t b, uint32_t h, uint32_t i, uint32_t j) {
  int64_t position = (int64_t)i + a->past[b], distance = (int64_t)j - position;
  if (a->left < QKV_OPEN && -distance > (int64_t)a->left)
    return 0;
  if (a->right < QKV_OPEN && distance > (int64_t)a->right)
    return 0;
  if (a->key_lengths && j >= a->key_lengths[b])
    return 0;
  if (a->mask.data && !a->mask.data[b * a->mask.batch + h * a->mask.head + i * a->mask.row + j * a->mask.column])
    return 0;
  return bias_at(a, b, h, i, j) != HIDDEN;
}

static void check(const struct qkv_attention *a, const char *kernel, const float *out, uint32_t b, uint32_t h,
                  uint32_t i) {
  const float *q = a->q.data + b * a->q.batch + h * a->q.head + i * a->q.row;
  uint32_t g = h / (a->H / a->G);
  double *scores = malloc(a->S * sizeof *scores), total = 0, size = 0;
  double sink = a->sinks ? (double)a->sinks[h] : -INFINITY, maximum = sink;
  int strange = 0;
  for (uint32_t j = 0; j < a->S; j++) {
    if (!visible(a, b, h, i, j))
      continue;
    scores[j] = score64(a, q, a->k.data + b * a->k.batch + g * a->k.head + j * a->k.row, &size) +
                (double)bias_at(a, b, h, i, j);
    if (a->alibi)
      scores[j] -= (double)a->alibi[h] * fabs((double)i + a->past[b] - j);
    size += fabs((double)bias_at(a, b, h, i, j)) + (a->alibi ? fabs((double)a->alibi[h]) * (a->S + 400) : 0);
    maximum = scores[j] > maximum ? scores[j] : maximum;
    strange |= isnan(scores[j]) || scores[j] == INFINITY;
  }
  for (uint32_t j = 0; j < a->S; j++)
    total += visible(a, b, h, i, j) ? exp(scores[j] - (maximum == -INFINITY ? 0 : maximum)) : 0;
  total += a->sinks && sink > -INFINITY ? exp(sink - maximum) : 0;
  for (uint32_t e = 0; e < a->E; e++) {
    double want = 0, largest = 0;
    for (uint32_t j = 0; j < a->S; j++) {
      if (!visible(a, b, h, i, j))
        continue;
      double v = (double)a->v.data[b * a->v.batch + g * a->v.head + j * a->v.row + e];
      want += (maximum == -INFINITY ? 0 : exp(scores[j] - maximum) / total) * v;
      largest = fmax(largest, isnan(v) ? INFINITY : fabs(v));
    }
    double got = (double)out[e], error = 2e-6 * (1 + size * (1 + fabs((double)a->scale))) * (1 + largest);
    if (strange ? !isnan(got) : error < 1 && !(fabs(got - want) <= error)) {
      fprintf(stderr, "%s: b %u h %u i %u e %u: %g, %g expected, error up to %g\n", kernel, b, h, i, e, got, want,
              error);
      abort();
    }
  }
  free(scores);
}

static void check_all(const struct qkv_attention *a, const char *kernel) {
  for (uint32_t b = 0; b < a->B && !a->generator; b++)
    for (uint32_t h = 0; h < a->H; h++)
      for (uint32_t i = 0; i < a->L; i++)
        check(a, kernel, a->out.data + b * a->out.batch + h * a->out.head + i * a->out.row, b, h, i);
}

static void attend(struct qkv_attention *a, const char *kernel) {
  a->scratch = allocate((size_t)qkv_attention_scratch(a));
  if (qkv_attention(a) != QKV_OK)
    abort();
  free(a->scratch);
  check_all(a, kernel);
}

/* Computes gradients of the sum of the output. They are finite if no input is hostile. Packed texts are one batch. */
static void differentiate(const struct qkv_attention *a, size_t batches, int hostile, int is_apart) {
  struct qkv_backward back = {.attention = *a, .d_out = a->out, .dq = a->q, .dk = a->k, .dv = a->v};
  size_t sizes[] = {
      batches * a->out.batch, batches * a->q.batch, batches * a->k.batch, batches * a->v.batch, a->D, a->H};
  float *parts[6];
  for (int n = 0; n < 6; n++) {
    parts[n] = malloc(sizes[n] * 4);
    for (size_t i = 0; i < sizes[n]; i++)
      parts[n][i] = n == 0;
  }
  back.d_out.data = parts[0], back.dq.data = parts[1], back.dk.data = parts[2], back.dv.data = parts[3];
  back.d_w_v = a->score == QKV_SCORE_ADDITIVE ? parts[4] : 0;
  back.d_sinks = a->sinks ? parts[5] : 0;
  back.attention.scratch = allocate((size_t)qkv_backward_scratch(&back));
  if (is_apart) { /* unit by unit, from the last one down, as threads may */
    for (uint32_t unit = qkv_backward_units(&back); unit-- > 0;)
      if (qkv_backward_part(&back, unit, 1, back.attention.scratch) != QKV_OK)
        abort();
  } else if (qkv_backward(&back) != QKV_OK)
    abort();
  for (int n = 1; n < 6; n++)
    for (size_t i = 0; i < sizes[n] && !hostile; i++)
      if (!isfinite(parts[n][i]))
        abort();
  free(back.attention.scratch);
  for (int n = 0; n < 6; n++)
    free(parts[n]);
}

/* Runs the rows of the first batch as two packed texts, each with its keys, unit by unit from the last one down. Then
 * computes the gradients of the two texts. */
static void attend_texts(struct input *in, const struct qkv_attention *a, int hostile) {
  struct qkv_attention texts = *a;
  uint32_t *starts = malloc(6 * sizeof *starts), q = below(in, a->L + 1), k = below(in, a->S + 1);
  uint32_t cut[6] = {0, q, a->L, 0, k, a->S};
  memcpy(starts, cut, sizeof cut);
  texts.B = 2, texts.L = q > a->L - q ? q : a->L - q, texts.S = k > a->S - k ? k : a->S - k;
  texts.cu_seqlens_q = starts, texts.cu_seqlens_k = starts + 3;
  int32_t past[2] = {2, -1};
  texts.past = past, texts.key_lengths = 0;
  texts.mask.batch = texts.bias.batch = 0;
  float *before = malloc(a->out.batch * sizeof *before);
  memcpy(before, a->out.data, a->out.batch * sizeof *before);
  texts.scratch = allocate((size_t)qkv_attention_scratch(&texts));
  for (uint32_t unit = qkv_attention_units(&texts); unit-- > 0;)
    if (qkv_attention_part(&texts, unit, 1, texts.scratch) != QKV_OK)
      abort();
  free(texts.scratch);
  for (int b = 0; b < 2; b++) {
    struct qkv_attention own = texts;
    own.B = 1, own.L = cut[b + 1] - cut[b], own.S = cut[b + 4] - cut[b + 3];
    own.q.data += cut[b] * a->q.row, own.out.data += cut[b] * a->out.row;
    own.k.data += cut[b + 3] * a->k.row, own.v.data += cut[b + 3] * a->v.row;
    own.past += b, own.cu_seqlens_q = own.cu_seqlens_k = 0;
    check_all(&own, "packed texts");
  }
  memcpy(a->out.data, before, a->out.batch * sizeof *before);
  texts.bias.data = 0; /* the gradient of a bias is not computed here */
  differentiate(&texts, 1, hostile, 1);
  free(before), free(starts);
}

/* Checks summaries without dropout: the weights of a query that is not hostile add up to 1 in every statistic. */
static void summarize(struct input *in, const struct qkv_attention *a, int hostile) {
  struct qkv_summary s = {.attention = *a};
  s.rows = a->L ? 1 + below(in, a->L) : 0, s.columns = a->S ? 1 + below(in, a->S) : 0;
  s.top = a->S ? 1 + below(in, a->S < 20 ? a->S : 20) : 0, s.bins = 2 + below(in, 12);
  size_t heads = (size_t)a->B * a->H, queries = heads * a->L, n = 0;
  uint32_t *same = malloc((size_t)a->B * 2 * a->S * 4);
  for (uint32_t b = 0; b < a->B; b++)
    for (uint32_t j = 0; j < a->S; j++) {
      same[(size_t)b * 2 * a->S + j] = j % 3;
      same[(size_t)b * 2 * a->S + a->S + j] = j + 3 < a->S ? j + 3 : a->S;
    }
  s.same = below(in, 2) ? same : 0;
  struct {
    float **data;
    size_t count;
  } outputs[] = {{&s.log_sum_exp, queries},         {&s.entropy, queries},
                 {&s.sink_weight, queries},         {&s.map, heads * s.rows * s.columns},
                 {&s.top_weights, queries * s.top}, {(float **)&s.top_keys, queries * s.top},
                 {&s.distance, heads * s.bins},     {&s.scores, heads * 5}};
  uint8_t wanted = byte(in);
  for (int i = 0; i < 8; i++)
    *outputs[i].data = wanted >> i & 1 ? malloc(outputs[i].count * 4) : 0;
  if (!s.top_weights != !s.top_keys || !s.top_weights)
    free(s.top_weights), free(s.top_keys), s.top_weights = 0, s.top_keys = 0, s.top = 0;
  if (!s.map)
    s.rows = s.columns = 0;
  if (!s.distance)
    s.bins = 0;
  s.parts = malloc((size_t)qkv_summary_parts(&s) * 4);
  void *scratch = allocate((size_t)qkv_summary_scratch(&s));
  for (uint32_t unit = qkv_summary_units(&s); unit-- > 0;) /* from the last one down, as threads may */
    if (qkv_summary_part(&s, unit, 1, scratch) != QKV_OK)
      abort();
  if (qkv_summary_finish(&s) != QKV_OK)
    abort();
  check_all(a, "summary");
  for (; s.map && s.columns && !hostile && !a->sinks && n < heads * s.rows; n++) {
    double sum = 0;
    for (size_t c = 0; c < s.columns; c++)
      sum += (double)s.map[n * s.columns + c];
    if (!(sum > -1e-5 && sum < 1 + 1e-5))
      abort();
  }
  for (size_t i = 0; s.top && i < queries * s.top; i++)
    if (s.top_keys[i] < -1 || s.top_keys[i] >= (int32_t)a->S || (i % s.top && s.top_weights[i] > s.top_weights[i - 1]))
      abort();
  free(scratch), free(s.parts), free(same);
  for (int i = 0; i < 8; i++)
    free(*outputs[i].data);
}

/* Runs qkv_trace, which writes every step. Bits of choices: 1 softmax over the queries, 2 masking after softmax. */
static void trace(const struct qkv_attention *a, int choices) {
  struct qkv_trace t = {.attention = *a, .softmax_axis = choices & 1, .masking = choices >> 1 & 1};
  if (t.softmax_axis == QKV_SOFTMAX_QUERIES)
    t.attention.sinks = 0;
  float **steps[] = {&t.scores, &t.scaled,       &t.capped, &t.masked,      &t.maxima,  &t.exponentials,
                     &t.sums,   &t.full_weights, &t.zeroed, &t.zeroed_sums, &t.weights, &t.dropped};
  size_t lines = t.softmax_axis == QKV_SOFTMAX_KEYS ? a->L : a->S;
  for (int n = 0; n < 12; n++) {
    int is_line = n == 4 || n == 6 || n == 9;
    *steps[n] = malloc((size_t)a->B * a->H * (is_line ? lines : (size_t)a->L * a->S) * 4);
  }
  if (qkv_trace(&t) != QKV_OK)
    abort();
  if (!choices)
    check_all(a, "trace");
  for (int n = 0; n < 12; n++)
    free(*steps[n]);
}

/* Compares attention over a cache of int8 with attention over its content as floats. */
static void attend_cached(const struct qkv_attention *a, int hostile) {
  size_t heads = (size_t)a->B * a->G, rows = ((size_t)a->S + 127) / 128 * 128, no = (size_t)a->B * a->H * a->L * a->E;
  size_t nk = heads * a->S * a->D, nv = heads * a->S * a->E;
  struct qkv_cache c = {.heads = (uint32_t)heads, .rows = (uint32_t)rows, .D = a->D, .E = a->E};
  c.keys = malloc(heads * rows * ((a->D + 1) / 2 * 2)), c.values = malloc(heads * rows * ((a->E + 7) / 8 * 8));
  c.key_scales = malloc(heads * rows * 4), c.value_scales = malloc(heads * rows * 4);
  struct qkv_cache_rows all = {.cache = c, .k = a->k.data, .v = a->v.data, .count = a->S};
  float *k = malloc(nk * 4), *v = malloc(nv * 4), *out = malloc(no * 4), *want = malloc(no * 4);
  if (qkv_cache_write(&all) != QKV_OK)
    abort();
  all.k = k, all.v = v;
  if (qkv_cache_read(&all) != QKV_OK)
    abort();
  struct qkv_cached own = {.attention = *a, .cache = c};
  own.attention.score = QKV_SCORE_DOT, own.attention.out.data = out;
  void *scratch = allocate((size_t)qkv_cached_scratch(&own));
  for (uint32_t unit = qkv_cached_units(&own); unit-- > 0;)
    if (qkv_cached_part(&own, unit, 1, scratch) != QKV_OK)
      abort();
  free(scratch);
  struct qkv_attention floats = own.attention;
  floats.k.data = k, floats.v.data = v, floats.out.data = want;
  floats.scratch = scratch = allocate((size_t)qkv_attention_scratch(&floats));
  if (qkv_attention(&floats) != QKV_OK)
    abort();
  for (size_t i = 0; i < no && !hostile; i++)
    if (!(fabsf(out[i] - want[i]) <= 2e-3f)) {
      fprintf(stderr, "cached: %zu: %g, %g expected\n", i, (double)out[i], (double)want[i]);
      abort();
    }
  free(c.keys), free(c.values), free(c.key_scales), free(c.value_scales);
  free(k), free(v), free(out), free(want), free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
  struct input in = {data, length};
  uint8_t flags = byte(&in), more = byte(&in);
  int hostile = more & 1;
  if (more >> 3 >= 28) { /* 4 of 32 values: one input in eight */
    fuzz_layers(&in, hostile);
    return 0;
  }
  struct qkv_attention a = {.B = 1 + below(&in, 2), .G = 1 + below(&in, 2), .L = below(&in, flags & 1 ? 70 : 9)};
  a.H = a.G * (1 + below(&in, 3));
  a.S = below(&in, a.L > 9 ? 300 : 600);
  a.D = below(&in, 20), a.E = below(&in, 20);
  if ((size_t)a.B * a.H * a.L * a.S * (a.D + a.E) > 400000)
    return -1;
  a.score = below(&in, 3);
  a.scale = flags & 2 ? -0.5f : 0.7f;
  a.sigma = 1.5f;
  a.softcap = flags & 4 ? 2.0f : 0.0f;
  a.left = flags & 16 ? below(&in, 300) : QKV_OPEN;
  a.right = flags & 32 ? below(&in, 40) : QKV_OPEN;
  int32_t *past = malloc(a.B * sizeof *past);
  for (uint32_t b = 0; b < a.B; b++)
    past[b] = (int32_t)below(&in, flags & 8 ? 400 : 2) - (more & 8 ? 40 : 0);
  a.past = past;
  size_t nq = (size_t)a.B * a.H * a.L * a.D, nk = (size_t)a.B * a.G * a.S * a.D, nv = (size_t)a.B * a.G * a.S * a.E;
  size_t no = (size_t)a.B * a.H * a.L * a.E;
  float *q = some(&in, nq, hostile), *k = some(&in, nk, hostile), *v = some(&in, nv, hostile), *out = malloc(no * 4);
  float *w_v = some(&in, a.D, 0), *bias = 0;
  uint8_t *mask = 0;
  uint32_t *lengths = 0, strides[4];
  a.q = (struct qkv_tensor){q, a.H * a.L * a.D, a.L * a.D, a.D};
  a.k = (struct qkv_tensor){k, a.G * a.S * a.D, a.S * a.D, a.D};
  a.v = (struct qkv_tensor){v, a.G * a.S * a.E, a.S * a.E, a.E};
  a.out = (struct qkv_tensor){out, a.H * a.L * a.E, a.L * a.E, a.E};
  a.w_v = w_v;
  if (flags & 64) {
    size_t n = broadcast(&in, &a, strides);
    mask = malloc(n);
    for (size_t i = 0; i < n; i++)
      mask[i] = i % 256 < 250 && byte(&in) % 4 != 0;
    a.mask = (struct qkv_mask){mask, strides[0], strides[1], strides[2], strides[3]};
  }
  if (flags & 128) {
    size_t n = broadcast(&in, &a, strides);
    bias = some(&in, n, hostile);
    for (size_t i = 0; i < n; i += 5)
      bias[i] = HIDDEN;
    a.bias = (struct qkv_bias){bias, strides[0], strides[1], strides[2], strides[3]};
  }
  if (more & 2) {
    lengths = malloc(a.B * sizeof *lengths);
    for (uint32_t b = 0; b < a.B; b++)
      lengths[b] = below(&in, a.S + 2);
    a.key_lengths = lengths;
  }
  float *alibi = some(&in, a.H, 0), *sinks = some(&in, a.H, 0);
  if (more & 16)
    a.alibi = alibi;
  if (more & 32)
    a.sinks = sinks;
  struct qkv_generator generator;
  qkv_seed(&generator, byte(&in), QKV_STREAM_VECTOR);
  if (more & 4)
    a.dropout = 0.3f, a.generator = &generator;
  struct qkv_generator before = generator;
  attend(&a, "attention");
  if (!a.generator)
    summarize(&in, &a, hostile);
  if (!a.generator && a.D && a.E)
    attend_cached(&a, hostile);
  generator = before;
  differentiate(&a, a.B, hostile, more & 2);
  if (!a.generator)
    attend_texts(&in, &a, hostile);
  generator = before;
  trace(&a, more >> 6);
  free(q), free(k), free(v), free(out), free(w_v), free(mask), free(bias), free(lengths), free(past), free(alibi),
      free(sinks);
  return 0;
}
