/* loss.c: cross entropy and its gradient. logits z (rows, V), targets t (rows) -> losses (rows), d_logits (rows, V).
 *   loss = w (log sum exp(z) - (1 - s) z[t] - s mean(z)),  d_logits = scale w (softmax(z) - (1 - s) onehot(t) - s / V)
 * torch.nn.functional.cross_entropy; label smoothing s: Szegedy et al. 2016. */
#include "exp.h"
#include "qkv.h"
#include "random.h"

/* The largest of a row; a NaN does not count. */
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

uint32_t QKV_EXPORT(qkv_cross_entropy)(const float *logits, const int32_t *targets, const float *weights, float *losses,
                                       float *d_logits, size_t V, int32_t ignore, float smoothing, float scale,
                                       uint32_t first, uint32_t count) {
  for (size_t r = first; r < (size_t)first + count; r++)
    if (targets[r] != ignore && (targets[r] < 0 || (size_t)targets[r] >= V))
      return QKV_ID_OUT_OF_RANGE;
  for (size_t r = first; r < (size_t)first + count; r++) {
    const float *z = logits + r * V;
    float *d = d_logits ? d_logits + r * V : 0;
    size_t t = (size_t)targets[r], whole = V & ~(size_t)3;
    if (targets[r] == ignore) {
      losses[r] = 0.0f;
      for (size_t c = 0; d && c < V; c++)
        d[c] = 0.0f;
      continue;
    }
    /* pass 1: the maximum; pass 2: d = exp(z - maximum), sum of d and of z - maximum */
    float maximum = largest(z, V), target = z[t] - maximum, w = weights ? weights[r] : 1.0f;
    f4 sums = zeros(), distances = zeros();
    for (size_t c = 0; c < whole; c += 4) {
      f4 x = sub(load(z + c), splat(maximum)), e = exp_weight(x);
      sums = add(sums, e);
      distances = add(distances, x);
      if (d)
        store(d + c, e);
    }
    float sum = sum_lanes(sums), distance = sum_lanes(distances);
    for (size_t c = whole; c < V; c++) {
      float x = z[c] - maximum, e = exp1(x);
      sum += e;
      distance += x;
      if (d)
        d[c] = e;
    }
    float even = smoothing > 0.0f ? smoothing / (float)V * distance : 0.0f; /* not 0 times -infinity */
    losses[r] = w * ((float)log_double((double)sum) - (1.0f - smoothing) * target - even);
    if (!d)
      continue;
    /* pass 3: d = scale w (d / sum - s / V), and the target's share */
    float factor = scale * w / sum, less = scale * w * smoothing / (float)V;
    for (size_t c = 0; c < whole; c += 4)
      store(d + c, sub(mul(load(d + c), splat(factor)), splat(less)));
    for (size_t c = whole; c < V; c++)
      d[c] = d[c] * factor - less;
    d[t] -= scale * w * (1.0f - smoothing);
  }
  return QKV_OK;
}
