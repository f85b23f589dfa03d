/* fuzz_layers.c: compares linear layers, softmax, norms, activations, losses, optimisers, embeddings and RoPE with
 * their formulas in float64. Units run one by one, from the last one down, as threads may run them. Every tensor is an
 * allocation of exactly its size. With hostile numbers only memory errors are detected. */
#include "fuzz.h"
#include "qkv.h"

int engine_bytes = 0; /* see wasm_simd128.h */

static float *room(size_t n) { return malloc(n * sizeof(float)); }

static void expect(const char *name, size_t i, float got, double want, double error) {
  if (!(fabs((double)got - want) <= error)) {
    fprintf(stderr, "%s: %zu: %g, %g expected, error up to %g\n", name, i, (double)got, want, error);
    abort();
  }
}

/* Makes a call for each unit, from the last one down. */
#define EACH_UNIT(units, call)                                                                                         \
  for (uint32_t unit = (uint32_t)(units); unit-- > 0;)                                                                 \
    if ((call) != QKV_OK)                                                                                              \
  abort()

/* Compares a linear layer, its weight strided or packed as each dtype, and its gradients with the formula. */
static void linear(struct input *in, int hostile) {
  struct qkv_linear a = {.M = below(in, 12), .K = below(in, 300), .N = below(in, 45)};
  a.weights = below(in, 5), a.activation = below(in, 2) * QKV_ACTIVATION_RELU;
  a.x_int8 = a.weights == QKV_WEIGHTS_INT8 && byte(in) & 1;
  size_t M = a.M, K = a.K, N = a.N, panels = (N + 7) / 8;
  int is_transposed = byte(in) & 1;
  float *x = some(in, M * K, hostile), *w = some(in, N * K, hostile && !a.weights), *bias = some(in, N, 0);
  float *residual = some(in, M * N, 0), *y = malloc(M * N * 4), *tail = allocate(32 * (K + 31));
  size_t row = is_transposed ? 1 : K, column = is_transposed ? N : 1;
  a.x = x, a.bias = bias, a.residual = residual, a.y = y, a.w = w;
  a.w_row = (uint32_t)row, a.w_column = (uint32_t)column;
  const size_t bytes[] = {0, 32 * K, 16 * K, (K + 1) / 2 * 16, (K + 31) / 32 * 160};
  void *packed = malloc(panels * bytes[a.weights]);
  float *scales = malloc(panels * 32);
  if (a.weights) {
    struct qkv_pack_linear pack = {.w = w, .w_row = a.w_row, .w_column = a.w_column, .K = a.K, .N = a.N};
    pack.weights = a.weights, pack.packed = packed, pack.panel_size = (uint32_t)bytes[a.weights];
    pack.scales = scales, pack.scratch = tail;
    if ((a.weights >= QKV_WEIGHTS_INT8 ? qkv_pack_integer : qkv_pack_linear)(&pack) != QKV_OK)
      abort();
    a.w = packed, a.scales = scales, a.w_column = 1; /* panels are contiguous */
  }
  int is_integer = a.weights >= QKV_WEIGHTS_INT8;
  void *scratch = allocate((size_t)(is_integer ? qkv_integer_scratch : qkv_linear_scratch)(&a));
  uint32_t units = (is_integer ? qkv_integer_units : qkv_linear_units)(&a);
  if ((is_integer ? qkv_integer_part : qkv_linear_part)(&a, 0, units, scratch) != QKV_OK)
    abort();
  float *other = malloc(M * N * 4);
  for (engine_bytes = 2; a.x_int8 && engine_bytes > 0; engine_bytes--) { /* y is the same in every engine */
    struct qkv_linear one = a;
    one.y = other;
    EACH_UNIT(units, qkv_integer_part(&one, unit, 1, scratch));
    for (size_t i = 0; i < M * N; i++)
      if (memcmp(other + i, y + i, 4) && !(isnan(other[i]) && isnan(y[i])))
        abort();
  }
  engine_bytes = 0, free(other);
  if (is_integer) { /* the second product of qkv_products must be y without the residual */
    float *again = malloc(M * N * 4), *sums = malloc(M * N * 4);
    struct qkv_product product = {
        .w = packed, .scales = scales, .bias = bias, .y = again, .N = a.N, .weights = a.weights};
    struct qkv_products all = {.x = x, .M = a.M, .K = a.K, .x_int8 = a.x_int8, .first = product, .second = product};
    all.first.y = sums, all.second.activation = a.activation;
    void *own = allocate((size_t)qkv_products_scratch(&all));
    EACH_UNIT(qkv_products_units(&all), qkv_products_part(&all, unit, 1, own));
    for (size_t i = 0; i < M * N; i++) {
      float sum = again[i] + residual[i];
      if (memcmp(&sum, y + i, 4) && !isnan(sum))
        abort();
    }
    free(again), free(sums), free(own);
  }
  if (is_integer) { /* qkv_dequantized does not round x */
    float *exact = malloc(M * N * 4);
    struct qkv_linear one = a;
    one.y = exact;
    void *own = allocate((size_t)qkv_dequantized_scratch(&one));
    EACH_UNIT(qkv_dequantized_units(&one), qkv_dequantized_part(&one, unit, 1, own));
    for (size_t m = 0; m < M && !hostile; m++) {
      double size = 1;
      for (size_t k = 0; k < K; k++)
        size += fabs((double)x[m * K + k]);
      for (size_t n = 0; n < N; n++)
        expect("dequantized", m * N + n, exact[m * N + n], (double)y[m * N + n], (a.x_int8 ? 2e-2 : 1e-3) * size);
    }
    free(exact), free(own);
  }
  const double bounds[] = {1e-6, 1e-6, 1e-3, 1e-2, 0.1};
  for (size_t m = 0; m < M; m++)
    for (size_t n = 0; n < N; n++) {
      double want = (double)bias[n], size = 1;
      for (size_t k = 0; k < K; k++) {
        want += (double)x[m * K + k] * (double)w[n * row + k * column];
        size += fabs((double)x[m * K + k]) * (a.weights ? 1 : 1 + fabs((double)w[n * row + k * column]));
      }
      if (a.activation && want < 0)
        want = 0;
      double error = fabs((double)y[m * N + n] - want - (double)residual[m * N + n]);
      if (isnan(want) ? !isnan(y[m * N + n])
                      : size < 1e30 && !(error <= (bounds[a.weights] + (a.x_int8 ? 1e-2 : 0)) * size * 2)) {
        fprintf(stderr, "linear %u: m %zu n %zu: off by %g of %g\n", a.weights, m, n, error, size);
        abort();
      }
    }
  struct qkv_linear_backward b = {.x = x, .w = w, .dy = residual, .M = a.M, .K = a.K, .N = a.N};
  b.dx = malloc(M * K * 4), b.dw = malloc(N * K * 4), b.d_bias = malloc(N * 4);
  void *more = allocate((size_t)qkv_linear_backward_scratch(&b));
  if (qkv_linear_backward_part(&b, 0, qkv_linear_backward_units(&b), more) != QKV_OK)
    abort();
  for (size_t n = 0; n < N; n++) {
    double want = 0;
    for (size_t m = 0; m < M; m++)
      want += (double)residual[m * N + n];
    if (!(fabs((double)b.d_bias[n] - want) <= 1e-5))
      abort();
  }
  free(x), free(w), free(bias), free(residual), free(y), free(tail), free(packed), free(scales), free(scratch);
  free(b.dx), free(b.dw), free(b.d_bias), free(more);
}

static void softmax(struct input *in, int hostile) {
  size_t rows = below(in, 5), columns = below(in, 40), inner = byte(in) & 1 ? 1 : 1 + below(in, 9);
  size_t n = rows * columns * inner, units = rows * ((inner + 3) / 4);
  float *x = some(in, n, hostile), *dy = some(in, n, hostile), *y = room(n), *dx = room(n);
  for (size_t i = 0; i < n; i += 7)
    x[i] = -INFINITY;
  EACH_UNIT(units, qkv_softmax(x, y, columns, inner, unit, 1));
  EACH_UNIT(units, qkv_softmax_backward(y, dy, dx, columns, inner, 0, unit, 1));
  for (size_t line = 0; line < rows * inner && !hostile; line++) {
    size_t at = line / inner * columns * inner + line % inner;
    double sum = 0, dot = 0;
    for (size_t c = 0; c < columns; c++)
      sum += exp((double)x[at + c * inner]);
    for (size_t c = 0; c < columns; c++) {
      size_t i = at + c * inner;
      expect("softmax", i, y[i], sum > 0 ? exp((double)x[i]) / sum : 0, 1e-6);
      dot += (double)y[i] * (double)dy[i];
    }
    for (size_t c = 0; c < columns; c++)
      expect("softmax_backward", at + c * inner, dx[at + c * inner],
             (double)y[at + c * inner] * ((double)dy[at + c * inner] - dot), 1e-6);
  }
  free(x), free(dy), free(y), free(dx);
}

static void norm(struct input *in, int hostile) {
  uint8_t flags = byte(in);
  size_t rows = below(in, 6) + (flags & 32 ? 126 : 0), C = 1 + below(in, 150), n = rows * C;
  uint32_t center = flags & 1, accumulate = flags >> 1 & 1;
  float *x = some(in, n, hostile), *dy = some(in, n, hostile), *w = some(in, C, 0), *b = some(in, C, 0);
  float *y = room(n), *stats = room(2 * rows), *dx = some(in, n, 0), *dw = some(in, C, 0), *db = some(in, C, 0);
  float *dx_before = room(n), *dw_before = room(C), *db_before = room(C), eps = 1e-3f, shift = flags & 4 ? 1.0f : 0.0f;
  memcpy(dx_before, dx, n * 4), memcpy(dw_before, dw, C * 4), memcpy(db_before, db, C * 4);
  const float *weight = flags & 8 ? w : 0, *bias = flags & 16 ? b : 0;
  const struct qkv_norm forward = {x, weight, bias, y, stats, (uint32_t)C, center, eps, shift};
  EACH_UNIT(rows, qkv_norm(&forward, unit, 1));
  size_t units = (rows + 127) / 128;
  float *sums = room(2 * units * C);
  const struct qkv_norm_backward back = {.x = x,
                                         .weight = weight,
                                         .stats = stats,
                                         .dy = dy,
                                         .dx = dx,
                                         .sums = sums,
                                         .rows = (uint32_t)rows,
                                         .C = (uint32_t)C,
                                         .center = center,
                                         .shift = shift,
                                         .accumulate = accumulate};
  EACH_UNIT(units, qkv_norm_backward(&back, unit, 1));
  EACH_UNIT((C + 63) / 64, qkv_column_sums(sums, dw, units, C, accumulate, unit, 1));
  EACH_UNIT((C + 63) / 64, qkv_column_sums(sums + units * C, db, units, C, accumulate, unit, 1));
  double *sum_w = calloc(C, sizeof *sum_w), *sum_b = calloc(C, sizeof *sum_b);
  for (size_t r = 0; r < rows && !hostile; r++) {
    const float *from = x + r * C, *d = dy + r * C;
    double mean = 0, square = 0, of_g = 0, of_dot = 0;
    for (size_t c = 0; c < C && center; c++)
      mean += (double)from[c] / (double)C;
    for (size_t c = 0; c < C; c++)
      square += ((double)from[c] - mean) * ((double)from[c] - mean) / (double)C;
    double rstd = 1 / sqrt(square + (double)eps);
    for (size_t c = 0; c < C; c++) {
      double x_hat = ((double)from[c] - mean) * rstd, gain = weight ? (double)w[c] + (double)shift : 1;
      expect("norm", r * C + c, y[r * C + c], x_hat * gain + (bias ? (double)b[c] : 0), 1e-4);
      of_g += center ? (double)d[c] * gain / (double)C : 0;
      of_dot += (double)d[c] * gain * x_hat / (double)C;
      sum_w[c] += (double)d[c] * x_hat;
      sum_b[c] += (double)d[c];
    }
    for (size_t c = 0; c < C; c++) {
      double x_hat = ((double)from[c] - mean) * rstd, gain = weight ? (double)w[c] + (double)shift : 1;
      double want = rstd * ((double)d[c] * gain - of_g - x_hat * of_dot);
      expect("norm_backward", r * C + c, dx[r * C + c], want + (accumulate ? (double)dx_before[r * C + c] : 0), 1e-3);
    }
  }
  for (size_t c = 0; c < C && rows && !hostile; c++) {
    expect("column_sums", c, dw[c], sum_w[c] + (accumulate ? (double)dw_before[c] : 0), 1e-3);
    expect("column_sums", c, db[c], sum_b[c] + (accumulate ? (double)db_before[c] : 0), 1e-4);
  }
  free(x), free(dy), free(w), free(b), free(y), free(stats), free(sums), free(dx), free(dw), free(db), free(dx_before),
      free(dw_before), free(db_before), free(sum_w), free(sum_b);
}

static double activation(uint32_t kind, double x, double *slope) {
  double s = 1 / (1 + exp(-x)), phi = 0.5 * erfc(-x / sqrt(2));
  double z = 2 * sqrt(2 / M_PI) * (x + 0.044715 * x * x * x), t = 1 / (1 + exp(-z));
  switch (kind) {
  case QKV_ACTIVATION_GELU:
    *slope = phi + x * exp(-x * x / 2) / sqrt(2 * M_PI);
    return x * phi;
  case QKV_ACTIVATION_GELU_TANH:
    *slope = t + x * t * (1 - t) * 2 * sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
    return x * t;
  case QKV_ACTIVATION_RELU:
    *slope = x > 0;
    return x > 0 ? x : 0;
  case QKV_FUNCTION_SIGMOID:
    *slope = s * (1 - s);
    return s;
  case QKV_FUNCTION_TANH:
    *slope = 1 - tanh(x) * tanh(x);
    return tanh(x);
  case QKV_FUNCTION_EXP:
    return *slope = exp(x);
  case QKV_FUNCTION_LOG:
    *slope = 1 / x;
    return log(x);
  default:
    *slope = s + x * s * (1 - s);
    return x * s;
  }
}

static void activations(struct input *in, int hostile) {
  uint32_t kind = 1 + below(in, 8), accumulate;
  uint8_t flags = byte(in);
  int is_packed = (flags & 3) == 3, is_gated = flags & 1;
  size_t C = 1 + below(in, 600), rows = below(in, 4), n = rows * C, row = is_packed ? 2 * C : C;
  if (!is_packed && n)
    n -= below(in, (uint32_t)C); /* the last unit may be shorter */
  size_t size = is_packed ? 2 * n : n;
  accumulate = flags >> 2 & 1;
  float *x = some(in, size, hostile), *other = some(in, n, hostile), *dy = some(in, n, hostile);
  for (size_t i = 0; i < size && kind == QKV_FUNCTION_LOG && !hostile; i++)
    x[i] = fabsf(x[i]) + 0.5f;
  float *y = room(n), *dx = some(in, size, 0), *d_other = some(in, n, 0);
  float *dx_before = room(size), *d_other_before = room(n);
  memcpy(dx_before, dx, size * 4), memcpy(d_other_before, d_other, n * 4);
  const float *up = is_packed ? x + C : is_gated ? other : 0;
  float *d_up = is_packed ? dx + C : d_other;
  const float *d_up_before = is_packed ? dx_before + C : d_other_before;
  uint32_t values = (uint32_t)n, width = (uint32_t)C, pitch = (uint32_t)row;
  const struct qkv_activate forward = {kind, x, up, y, values, width, pitch};
  const struct qkv_activate_backward back = {kind, x, up, dy, dx, d_up, values, width, pitch, accumulate};
  EACH_UNIT((n + C - 1) / C, qkv_activate(&forward, unit, 1));
  EACH_UNIT((n + C - 1) / C, qkv_activate_backward(&back, unit, 1));
  for (size_t i = 0; i < n && !hostile; i++) {
    size_t at = i / C * row + i % C;
    double slope, value = activation(kind, (double)x[at], &slope), gate = up ? (double)up[at] : 1;
    expect("activate", i, y[i], value * gate, 1e-6);
    expect("activate_backward", i, dx[at], slope * gate * (double)dy[i] + (accumulate ? (double)dx_before[at] : 0),
           2e-6);
    if (up)
      expect("activate_backward", i, d_up[at], value * (double)dy[i] + (accumulate ? (double)d_up_before[at] : 0),
             2e-6);
  }
  free(x), free(other), free(dy), free(y), free(dx), free(d_other), free(dx_before), free(d_other_before);
}

static void combine(struct input *in, int hostile) {
  size_t C = 1 + below(in, 40), period = 1 + below(in, 3), n = below(in, 300);
  uint8_t flags = byte(in);
  uint32_t product = flags & 1, accumulate = flags >> 1 & 1;
  size_t size = n < C * period ? n : C * period;
  float *a = some(in, n, hostile), *b = some(in, size, hostile), *y = some(in, n, 0), *before = room(n);
  memcpy(before, y, n * 4);
  const float *left = product || flags & 4 ? a : 0;
  const struct qkv_combine args = {product, left, b, y, (uint32_t)n, (uint32_t)C, (uint32_t)period, 0.5f, accumulate};
  EACH_UNIT((n + C - 1) / C, qkv_combine(&args, unit, 1));
  for (size_t i = 0; i < n && !hostile; i++) {
    double right = (double)b[i % (C * period)];
    double want = product ? (double)a[i] * right : (left ? (double)a[i] : 0) + 0.5 * right;
    expect("combine", i, y[i], want + (accumulate ? (double)before[i] : 0), 1e-6);
  }
  free(a), free(b), free(y), free(before);
}

static void cross_entropy(struct input *in, int hostile) {
  size_t rows = below(in, 6), V = 1 + below(in, 90), n = rows * V;
  uint8_t flags = byte(in);
  float *z = some(in, n, hostile), *shares = some(in, rows, 0), *losses = room(rows), *dz = room(n);
  float smoothing = flags & 1 ? 0.1f : 0.0f;
  int32_t *targets = malloc(rows * sizeof *targets);
  for (size_t r = 0; r < rows; r++)
    targets[r] = (int32_t)below(in, (uint32_t)V + 1) - 1; /* -1 is ignored */
  const float *weights = flags & 2 ? shares : 0;
  float *d = flags & 4 ? 0 : dz;
  struct qkv_cross_entropy args = {z, targets, weights, losses, d, (uint32_t)V, -1, smoothing, 0.5f};
  EACH_UNIT(rows, qkv_cross_entropy(&args, unit, 1));
  for (size_t r = 0; r < rows && !hostile; r++) {
    double sum = 0, mean = 0, w = targets[r] < 0 ? 0 : weights ? (double)weights[r] : 1, s = (double)smoothing;
    for (size_t c = 0; c < V; c++)
      sum += exp((double)z[r * V + c]), mean += (double)z[r * V + c] / (double)V;
    double target = targets[r] < 0 ? 0 : (double)z[r * V + (size_t)targets[r]];
    expect("cross_entropy", r, losses[r], w * (log(sum) - (1 - s) * target - s * mean), 1e-5);
    for (size_t c = 0; c < V && d; c++) {
      double want = exp((double)z[r * V + c]) / sum - (targets[r] == (int32_t)c ? 1 - s : 0) - s / (double)V;
      expect("cross_entropy: gradient", r * V + c, d[r * V + c], 0.5 * w * want, 1e-6);
    }
  }
  int32_t outside = (int32_t)V;
  args.targets = &outside;
  if (rows && qkv_cross_entropy(&args, 0, 1) != QKV_ID_OUT_OF_RANGE)
    abort();
  free(z), free(shares), free(losses), free(dz), free(targets);
}

/* True if z[a] comes before z[b] when the row z is sorted from the largest value down, equal values by index. */
static int is_before(const float *z, size_t a, size_t b) { return z[a] > z[b] || (z[a] == z[b] && a < b); }

static void read_logits(struct input *in, int hostile) {
  size_t rows = 1 + below(in, 5), V = 1 + below(in, 2500), K = 1 + below(in, (uint32_t)(V < 12 ? V : 12));
  size_t others = 1 + below(in, (uint32_t)rows);
  float *z = some(in, rows * V, hostile), *p = some(in, others * V, hostile), *sums = room(rows * 4);
  int32_t *top = malloc(rows * K * sizeof *top);
  for (size_t i = 0; i < rows * V && !hostile; i++)
    z[i] = i % 7 ? roundf(z[i] * 64.0f) / 4.0f : -INFINITY; /* rounded, so that many values are equal */
  for (size_t i = 0; i < others * V && !hostile; i++)
    p[i] = i % V % 7 ? fabsf(p[i]) : 0.0f;
  struct qkv_read_logits args = {z, p, sums, top, (uint32_t)V, (uint32_t)K, (uint32_t)others};
  EACH_UNIT(rows, qkv_read_logits(&args, unit, 1));
  for (size_t r = 0; r < rows; r++) {
    const float *row = z + r * V, *share = p + r % others * V;
    double sum = 0, mean = 0, cross = 0, maximum = -INFINITY, size = 1e-6;
    for (size_t c = 0; c < V; c++)
      maximum = fmax(maximum, (double)row[c]);
    if (hostile || !isfinite(maximum))
      continue;
    for (size_t c = 0; c < V; c++) {
      double x = (double)row[c] - maximum, e = exp(x);
      sum += e, mean += e > 0 ? e * x : 0, cross += share[c] > 0.0f ? (double)share[c] * x : 0;
      size += share[c] > 0.0f && isfinite(x) ? -(double)share[c] * x : 0;
    }
    expect("read_logits: maximum", r, sums[r * 4], maximum, 0);
    expect("read_logits: log", r, sums[r * 4 + 1], log(sum), 3e-6);
    expect("read_logits: mean", r, sums[r * 4 + 2], mean / sum, 1e-5);
    if (isfinite(cross))
      expect("read_logits: cross", r, sums[r * 4 + 3], cross, 1e-5 * size);
    for (size_t k = 0; k < K; k++) { /* the indices follow the order of is_before, and none is left out */
      size_t at = (size_t)top[r * K + k], before = k ? (size_t)top[r * K + k - 1] : at;
      if (k && !is_before(row, before, at))
        abort();
      for (size_t c = 0; c < V; c++)
        if (c != at && is_before(row, c, at) && (!k || is_before(row, before, c)))
          abort();
    }
  }
  free(z), free(p), free(sums), free(top);
}

static void optimize(struct input *in, int hostile) {
  size_t n = below(in, 2500), units = (n + 1023) / 1024;
  uint8_t flags = byte(in);
  float *p = some(in, n, 0), *g = some(in, n, hostile), *m = some(in, n, 0), *v = some(in, n, 0), *sums = room(units);
  float *q = room(n), *buffer = room(n), decay = flags & 1 ? 0.1f : 0.0f;
  double total = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    v[i] = fabsf(v[i]), q[i] = p[i], buffer[i] = m[i], squares += (double)g[i] * (double)g[i];
  EACH_UNIT(units, qkv_sum_squares(g, sums, n, unit, 1));
  const struct qkv_sgd sgd = {.p = q,
                              .g = g,
                              .buffer = flags & 2 ? buffer : 0,
                              .n = (uint32_t)n,
                              .decay = decay,
                              .momentum = 0.9f,
                              .take = 0.5f,
                              .ahead = 0.25f,
                              .back = 1.0f,
                              .rate = 0.01f};
  EACH_UNIT(units, qkv_sgd(&sgd, unit, 1));
  float *p_before = room(n), *m_before = room(n), *v_before = room(n);
  memcpy(p_before, p, n * 4), memcpy(m_before, m, n * 4), memcpy(v_before, v, n * 4);
  const struct qkv_adam adam = {.p = p,
                                .g = g,
                                .m = m,
                                .v = v,
                                .n = (uint32_t)n,
                                .beta1 = 0.9f,
                                .rest1 = 0.1f,
                                .beta2 = 0.99f,
                                .rest2 = 0.01f,
                                .decay = decay,
                                .keep = 0.999f,
                                .rate = 0.01f,
                                .root = 0.5f,
                                .eps = 1e-3f};
  EACH_UNIT(units, qkv_adam(&adam, unit, 1));
  for (size_t u = 0; u < units; u++)
    total += (double)sums[u];
  for (size_t i = 0; i < n && !hostile; i++) {
    double slope = (double)g[i] + (double)decay * (double)p_before[i],
           momentum = 0.9 * (double)m_before[i] + 0.5 * slope;
    double step = flags & 2 ? 0.25 * slope + momentum : slope;
    expect("sgd", i, q[i], (double)p_before[i] - 0.01 * step, 1e-6);
    double mean = 0.9 * (double)m_before[i] + 0.1 * slope, square = 0.99 * (double)v_before[i] + 0.01 * slope * slope;
    double want = 0.999 * (double)p_before[i] - 0.01 * mean / (sqrt(square) / 0.5 + 1e-3);
    expect("adam", i, p[i], want, 1e-5);
  }
  if (!hostile)
    expect("sum_squares", 0, (float)total, squares, 1e-5 * squares + 1e-9);
  free(p), free(g), free(m), free(v), free(sums), free(q), free(buffer), free(p_before), free(m_before), free(v_before);
}

static void embed(struct input *in, int hostile) {
  size_t rows = 1 + below(in, 9), columns = below(in, 150), N = below(in, 20);
  float *table = some(in, rows * columns, hostile), *dy = some(in, N * columns, hostile), *out = room(N * columns);
  float *d_table = calloc(rows * columns + 1, sizeof(float));
  int32_t *ids = malloc(N * sizeof *ids), padding = (int32_t)below(in, 3) - 1;
  int is_bad = 0;
  for (size_t i = 0; i < N; i++) {
    ids[i] = (int32_t)below(in, (uint32_t)rows + (byte(in) > 250)) - (byte(in) > 250);
    is_bad |= ids[i] < 0 || (size_t)ids[i] >= rows;
  }
  uint32_t status = is_bad ? QKV_ID_OUT_OF_RANGE : QKV_OK;
  if (qkv_embedding(table, rows, columns, ids, N, out) != status)
    abort();
  for (uint32_t unit = (uint32_t)(columns + 63) / 64; unit-- > 0;)
    if (qkv_embedding_backward(dy, ids, d_table, rows, columns, N, padding, unit, 1) != status)
      abort();
  for (size_t i = 0; i < N * columns && !is_bad && !hostile; i++)
    expect("embedding", i, out[i], (double)table[(size_t)ids[i / columns] * columns + i % columns], 0);
  for (size_t i = 0; i < rows * columns && !hostile; i++) {
    double want = 0;
    for (size_t r = 0; r < N && !is_bad; r++)
      want += ids[r] == (int32_t)(i / columns) && ids[r] != padding ? (double)dy[r * columns + i % columns] : 0;
    expect("embedding_backward", i, d_table[i], want, 1e-5);
  }
  free(table), free(dy), free(out), free(d_table), free(ids);
}

static void rotate(struct input *in, int hostile) {
  struct qkv_rope a = {.B = 1 + below(in, 2), .A = 1 + below(in, 2), .L = below(in, 6), .C = 1 + below(in, 3)};
  a.D = below(in, 40), a.half = below(in, a.D / 2 + 2), a.table = 1 + below(in, 5), a.interleaved = byte(in) & 1;
  size_t n = (size_t)a.B * a.A * a.L * a.C * a.D, size = (size_t)a.table * a.half;
  float *x = some(in, n, hostile), *cosine = some(in, size, 0), *sine = some(in, size, 0), *y = room(n);
  uint32_t *rows = malloc((size_t)a.B * a.L * sizeof *rows);
  int is_bad = 0;
  for (size_t i = 0; i < (size_t)a.B * a.L; i++) {
    rows[i] = below(in, a.table + (byte(in) > 250));
    is_bad |= rows[i] >= a.table;
  }
  a.x = x, a.y = y, a.cosine = cosine, a.sine = sine, a.rows = rows;
  uint32_t want = a.half > a.D / 2 ? QKV_ROPE_TOO_WIDE : is_bad ? QKV_ID_OUT_OF_RANGE : QKV_OK;
  if (qkv_rope(&a) != want)
    abort();
  for (size_t i = 0; i < n && want == QKV_OK && !hostile; i++) {
    size_t d = i % a.D, unit = i / a.D / a.C, b = unit / a.L / a.A, row = (size_t)rows[b * a.L + unit % a.L] * a.half;
    if (d >= 2 * (size_t)a.half) {
      expect("rope", i, y[i], (double)x[i], 0);
      continue;
    }
    size_t pair = a.interleaved ? d / 2 : d % a.half, is_second = a.interleaved ? d % 2 : d >= a.half;
    size_t first = i - d + (a.interleaved ? 2 * pair : pair), second = first + (a.interleaved ? 1 : a.half);
    double c = (double)cosine[row + pair], s = (double)sine[row + pair], x1 = (double)x[first], x2 = (double)x[second];
    expect("rope", i, y[i], is_second ? s * x1 + c * x2 : c * x1 - s * x2, 1e-6);
  }
  free(x), free(cosine), free(sine), free(y), free(rows);
}

/* Multiplies rounded and unrounded x with a weight in blocks of random bytes, and compares with its rows as floats. */
static void blocks(struct input *in, int hostile) {
  struct qkv_linear a = {.M = below(in, 12), .N = below(in, 45), .weights = QKV_WEIGHTS_Q8_0 + below(in, 8)};
  static const uint32_t bytes[] = {34, 18, 20, 22, 24, 144, 176, 210},
                        panels[] = {272, 144, 160, 176, 192, 1184, 1440, 1680};
  uint32_t type = a.weights - QKV_WEIGHTS_Q8_0, values = type < 5 ? 32 : 256, count = below(in, type < 5 ? 12 : 3);
  a.K = count * values;
  size_t M = a.M, K = a.K, N = a.N, size = N * count * bytes[type], of_eight = (N + 7) / 8 * count * panels[type];
  uint8_t *w = malloc(size);
  float *x = some(in, M * K, hostile), *y = malloc(M * N * 4), *exact = malloc(M * N * 4), *rows = malloc(N * K * 4);
  uint32_t state = below(in, 65536) + 1;
  for (size_t i = 0; i < size; i++)
    w[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
  for (size_t i = 0; i < size && !hostile; i++) /* gives every float16 of a block a size of about 1 */
    if (i % bytes[type] == (type == 7 ? 209 : 1) || (i % bytes[type] == 3 && type < 7))
      w[i] = (uint8_t)((w[i] & 0x83) | 0x38);
  void *packed = aligned_alloc(16, of_eight + !of_eight * 16);
  struct qkv_pack_linear pack = {.w = (const float *)(const void *)w,
                                 .w_row = count * bytes[type],
                                 .w_column = 1,
                                 .K = a.K,
                                 .N = a.N,
                                 .weights = a.weights,
                                 .packed = packed};
  pack.panel_size = count * panels[type];
  if (qkv_pack_blocks(&pack) == QKV_OK) {
    a.x = x, a.w = packed, a.y = y, a.w_row = a.K, a.w_column = 1;
    void *scratch = allocate((size_t)qkv_integer_scratch(&a));
    EACH_UNIT(qkv_integer_units(&a), qkv_integer_part(&a, unit, 1, scratch));
    a.y = exact;
    void *own = allocate((size_t)qkv_dequantized_scratch(&a));
    EACH_UNIT(qkv_dequantized_units(&a), qkv_dequantized_part(&a, unit, 1, own));
    for (size_t n = 0; n < N; n++)
      if (qkv_unpack_blocks((char *)packed + n / 8 * pack.panel_size, a.weights, a.K, n % 8, 1, rows + n * K) != QKV_OK)
        abort();
    for (size_t m = 0; m < M && !hostile; m++)
      for (size_t n = 0; n < N; n++) {
        double want = 0, most = 1e-6;
        for (size_t k = 0; k < K; k++) {
          want += (double)x[m * K + k] * (double)rows[n * K + k];
          most += fabs((double)rows[n * K + k]);
        }
        expect("blocks", m * N + n, exact[m * N + n], want, 1e-5 * most);
        expect("blocks, x rounded", m * N + n, y[m * N + n], want, 3e-5 * most);
      }
    free(scratch), free(own);
  } else if (!hostile)
    abort();
  free(w), free(x), free(y), free(exact), free(rows), free(packed);
}

void fuzz_layers(struct input *in, int hostile) {
  static void (*const all[])(struct input *, int) = {linear,      softmax,  norm,  activations, combine, cross_entropy,
                                                     read_logits, optimize, embed, rotate,      blocks};
  all[below(in, sizeof all / sizeof *all)](in, hostile);
}
