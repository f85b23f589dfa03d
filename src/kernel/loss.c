/* loss.c: cross entropy and its gradient. logits z (rows,V), targets t (rows), weights w (rows) -> losses (rows),
 * d_logits (rows,V).
 *   loss = w (log sum exp(z) - (1 - s) z[t] - s mean(z)),  d_logits = scale w (softmax(z) - (1 - s) onehot(t) - s / V)
 * This is torch.nn.functional.cross_entropy. s is the label smoothing of Szegedy et al. 2016; `scale` is 1 over the sum
 * of the weights for a mean loss, else 1.
 *
 * qkv_read_logits computes statistics of logits: z (rows,V), probabilities p (others,V) -> sums (rows,4), top (rows,K).
 * `top` has the indices of the K largest logits of a row. Row r of z is compared with row r % others of p. With x = z -
 * max(z) and e = exp(x), the four sums are max(z), log(sum(e)), sum(e x) / sum(e) and sum(p x). */
#include "exp.h"
#include "qkv.h"
#include "random.h"

/* Values per block of a long sum: LONG in qkv_cross_entropy, SHORT in qkv_read_logits. */
enum { LONG = 4096, SHORT = 1024 };

/* Returns the largest value of a row; NaNs are skipped. */
static float largest(const float *z, size_t V) {
  f4 most[2] = {splat(-__builtin_inff()), splat(-__builtin_inff())};
  size_t c = 0;
  for (; c + 8 <= V; c += 8) {
    most[0] = pmax(most[0], load(z + c));
    most[1] = pmax(most[1], load(z + c + 4));
  }
  for (; c < V; c++)
    most[0] = pmax(most[0], splat(z[c]));
  return max_lane(pmax(most[0], most[1]));
}

/* A unit is a row. `d`, the row of d_logits, holds exp(z - maximum) until the gradient overwrites it. */
uint32_t QKV_EXPORT(qkv_cross_entropy)(const struct qkv_cross_entropy *args, uint32_t first, uint32_t count) {
  const struct qkv_cross_entropy a = *args;
  const int32_t *targets = a.targets;
  size_t V = a.V;
  for (size_t r = first; r < (size_t)first + count; r++)
    if (targets[r] != a.ignore && (targets[r] < 0 || (size_t)targets[r] >= V))
      return QKV_ID_OUT_OF_RANGE;
  for (size_t r = first; r < (size_t)first + count; r++) {
    const float *z = a.logits + r * V;
    float *d = a.d_logits ? a.d_logits + r * V : 0;
    size_t t = (size_t)targets[r], whole = V & ~(size_t)3;
    if (targets[r] == a.ignore) {
      a.losses[r] = 0.0f;
      for (size_t c = 0; d && c < V; c++)
        d[c] = 0.0f;
      continue;
    }
    /* maximum = max(z) */
    float maximum = largest(z, V), target = z[t] - maximum, w = a.weights ? a.weights[r] : 1.0f;
    /* d = exp(z - maximum), sum = sum(d), distance = sum(z - maximum) */
    float sum = 0.0f, distance = 0.0f;
    for (size_t c = 0; c < whole;) {
      f4 sums = zeros(), distances = zeros();
      for (size_t end = at_most(whole, c + LONG); c < end; c += 4) {
        f4 x = sub(load(z + c), splat(maximum)), e = exp_weight(x);
        sums = add(sums, e);
        distances = add(distances, x);
        if (d)
          store(d + c, e);
      }
      sum += sum_lanes(sums);
      distance += sum_lanes(distances);
    }
    for (size_t c = whole; c < V; c++) {
      float x = z[c] - maximum, e = exp1(x);
      sum += e;
      distance += x;
      if (d)
        d[c] = e;
    }
    /* loss = w (log sum - (1 - s) (z[t] - maximum) - s / V distance). Without smoothing the last term is 0, even if
     * distance is -infinity. */
    float s = a.smoothing, even = s > 0.0f ? s / (float)V * distance : 0.0f;
    a.losses[r] = w * ((float)log_double((double)sum) - (1.0f - s) * target - even);
    if (!d)
      continue;
    /* d = scale w (d / sum - s / V - (1 - s) onehot(t)) */
    float factor = a.scale * w / sum, less = a.scale * w * s / (float)V;
    for (size_t c = 0; c < whole; c += 4)
      store(d + c, sub(mul(load(d + c), splat(factor)), splat(less)));
    for (size_t c = whole; c < V; c++)
      d[c] = d[c] * factor - less;
    d[t] -= a.scale * w * (1.0f - s);
  }
  return QKV_OK;
}

/* Writes the indices of the K largest values of a row in descending order; among equal values, the lower index comes
 * first. */
static void find_largest(const float *z, size_t V, size_t K, int32_t *top) {
  size_t n = 0;
  for (size_t c = 0; c < V;) {
    size_t end = at_most(V, c + 16);
    if (n == K && end - c == 16) {
      f4 least = splat(z[top[K - 1]]), most = least;
      for (size_t i = 0; i < 16; i += 4)
        most = pmax(most, load(z + c + i));
      if (!any_lane(less(least, most)))
        c = end;
    }
    for (; c < end; c++) {
      if (n == K && !(z[c] > z[top[K - 1]]))
        continue;
      size_t at = n < K ? n++ : K - 1;
      for (; at > 0 && z[c] > z[top[at - 1]]; at--)
        top[at] = top[at - 1];
      top[at] = (int32_t)c;
    }
  }
}

/* A unit is a row. */
uint32_t QKV_EXPORT(qkv_read_logits)(const struct qkv_read_logits *args, uint32_t first, uint32_t count) {
  const struct qkv_read_logits a = *args;
  size_t V = a.V, whole = V & ~(size_t)3;
  for (size_t r = first; r < (size_t)first + count; r++) {
    const float *z = a.logits + r * V, *p = a.probabilities + r % a.others * V;
    int32_t *top = a.top + r * a.K;
    find_largest(z, V, a.K, top);
    float maximum = z[top[0]];
    double total = 0.0, mean = 0.0, cross = 0.0;
    /* A term with weight 0 counts as 0, even if x is -infinity. */
    for (size_t c = 0; c < whole;) {
      f4 sum = zeros(), product = zeros(), other = zeros();
      for (size_t end = at_most(whole, c + SHORT); c < end; c += 4) {
        f4 x = sub(load(z + c), splat(maximum)), e = exp_weight(x), q = load(p + c);
        sum = add(sum, e);
        product = add(product, zero_where(equal(e, zeros()), mul(e, x)));
        other = add(other, zero_where(equal(q, zeros()), mul(q, x)));
      }
      total += (double)sum_lanes(sum);
      mean += (double)sum_lanes(product);
      cross += (double)sum_lanes(other);
    }
    for (size_t c = whole; c < V; c++) {
      float x = z[c] - maximum, e = exp1(x);
      total += (double)e;
      mean += e == 0.0f ? 0.0 : (double)(e * x);
      cross += p[c] == 0.0f ? 0.0 : (double)(p[c] * x);
    }
    float *sums = a.sums + r * 4;
    sums[0] = maximum;
    sums[1] = (float)log_double(total);
    sums[2] = (float)(mean / total);
    sums[3] = (float)cross;
  }
  return QKV_OK;
}
