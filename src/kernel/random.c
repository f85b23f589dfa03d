/* random.c: PyTorch's CPU random streams, bit for bit. out (n), in the order of the stream.
 *
 * The generator is MT19937 (Matsumoto & Nishimura 1998). Its words become numbers as in ATen: DistributionTemplates.h,
 * cpu/DistributionTemplates.h, TransformationHelper.h. PyTorch has two builds, which differ in the transformation of 16
 * or more normals and in the last rounding of uniform: one for AVX2 and FMA, called vector here, and a portable one,
 * called scalar. `stream` chooses between them. */
#include "random.h"

/* state[0] = seed,  state[j] = 1812433253 (state[j-1] ^ (state[j-1] >> 30)) + j */
uint32_t QKV_EXPORT(qkv_seed)(struct qkv_generator *g, uint32_t seed, uint32_t stream) {
  g->state[0] = seed;
  for (uint32_t j = 1; j < 624; j++)
    g->state[j] = 1812433253u * (g->state[j - 1] ^ (g->state[j - 1] >> 30)) + j;
  g->next = 624;
  g->stream = stream;
  g->has_spare = 0;
  g->unused = 0;
  g->spare = 0.0;
  return QKV_OK;
}

/* Replaces the 624 words of the state by the next 624:
 *   s[j] = s[j + 397] ^ (y >> 1) ^ (y odd ? 0x9908b0df : 0),  y = the top bit of s[j] and the other bits of s[j + 1] */
static void twist(uint32_t *s) {
  for (uint32_t j = 0; j < 624; j++) {
    uint32_t y = (s[j] & 0x80000000u) | (s[(j + 1) % 624] & 0x7fffffffu);
    s[j] = s[(j + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
  }
}

/* Returns the next word of the stream: a word of the state, tempered. */
static uint32_t word(struct qkv_generator *g) {
  if (g->next == 624) {
    twist(g->state);
    g->next = 0;
  }
  uint32_t y = g->state[g->next++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

/* Returns a number that is uniform in [0, 1), made of 24 bits of one word. */
static float unit(struct qkv_generator *g) { return (float)(word(g) & 0xffffffu) * 0x1p-24f; }

/* Returns a double that is uniform in [0, 1), made of 53 bits of two words, the first with the higher bits. */
static double unit64(struct qkv_generator *g) {
  uint64_t high = word(g), bits = high << 32 | word(g);
  return (double)(bits & 0x1fffffffffffffu) * 0x1p-53;
}

/* Returns a * b + c as the FMA instruction of the vector build does; the product is exact in double. */
static float fused(float a, float b, float c) { return (float)((double)a * b + c); }

/* The next two functions compute in double, with a relative error of about 1e-16. They are used for fewer than 16
 * normals and for all float64 normals. Other kernels use log_double, too. */

double log_double(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, 8);
  if (!(x > 0 && x < __builtin_inf()))
    return x == 0 ? -__builtin_inf() : x > 0 ? x : __builtin_nan("");
  int exponent = (int)(bits >> 52) - 1022; /* x = m * 2^exponent, m in [0.5, 1) */
  bits = (bits & 0xfffffffffffffu) | 0x3fe0000000000000u;
  double m;
  __builtin_memcpy(&m, &bits, 8);
  if (m < 0.70710678118654752)
    m *= 2, exponent--;
  /* log m = 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172 */
  double s = (m - 1) / (m + 1), z = s * s, sum = 0;
  for (int k = 21; k >= 3; k -= 2)
    sum = z * (sum + 1.0 / k);
  return exponent * 6.93147180369123816490e-01 + (exponent * 1.90821492927058770002e-10 + 2 * (s + s * sum));
}

/* Computes sin and cos of 0 <= x <= 2 pi by Taylor's series of r, x = quadrant * pi/2 + r, |r| <= pi/4. */
static void sin_cos_double(double x, double *sine, double *cosine) {
  int quadrant = (int)(x * 0.63661977236758134 + 0.5);
  double r = x - quadrant * 1.57079632673412561417 - quadrant * 6.07710050650619224932e-11;
  double z = r * r, s = 1, c = 1;
  for (int k = 18; k >= 2; k -= 2) {
    s = 1 - s * z / (k * (k + 1));
    c = 1 - c * z / (k * (k - 1));
  }
  s *= r;
  double sines[4] = {s, c, -s, -c}, cosines[4] = {c, -s, -c, s};
  *sine = sines[quadrant & 3];
  *cosine = cosines[quadrant & 3];
}

/* The next two functions match PyTorch's vectorized builds: Cephes in single precision, as in ATen's avx_mathfun.h. */

static float log_vector(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  float e = (float)((int)(bits >> 23) - 126);
  bits = (bits & 0x7fffffu) | 0x3f000000u;
  __builtin_memcpy(&x, &bits, 4);
  if (x < 0.707106781186547524f) {
    e -= 1.0f;
    x = (x - 1.0f) + x;
  } else {
    x = x - 1.0f;
  }
  static const float p[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                            -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                            2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  float z = x * x, y = p[0];
  for (int k = 1; k < 9; k++)
    y = fused(y, x, p[k]);
  y = fused(y * x, z, e * -2.12194440e-4f);
  y = fused(-z, 0.5f, y);
  return fused(e, 0.693359375f, x + y);
}

static void sin_cos_vector(float x, float *sine, float *cosine) {
  int j = ((int)(x * 1.27323954473516f) + 1) & ~1;
  float y = (float)j;
  x = fused(y, -0.78515625f, x);
  x = fused(y, -2.4187564849853515625e-4f, x);
  x = fused(y, -3.77489497744594108e-8f, x);
  float z = x * x;
  float c = 2.443315711809948e-5f;
  c = fused(c, z, -1.388731625493765e-3f);
  c = fused(c, z, 4.166664568298827e-2f) * z;
  c = fused(c, z, -z * 0.5f) + 1.0f;
  float s = -1.9515295891e-4f;
  s = fused(s, z, 8.3321608736e-3f);
  s = fused(s, z, -1.6666654611e-1f) * z;
  s = fused(s, x, x);
  *sine = (j & 2 ? c : s) * (j & 4 ? -1.0f : 1.0f);
  *cosine = (j & 2 ? s : c) * ((j - 2) & 4 ? 1.0f : -1.0f);
}

/* The next two functions are those of the scalar build: the C library's logf, sinf and cosf, which compute in double
 * and do not always return the nearest float. Steps and constants are those of glibc 2.28 and later (Arm Optimized
 * Routines, MIT license). */

static float log_scalar(float x) {
  /* row i: 1/c and log c, with c in the middle of the i-th of 16 parts of [0.7, 1.4), but c = 1 in the part around 1 */
  static const double rows[16][2] = {
      {0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2}, {0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2},
      {0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2},  {0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3},
      {0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3}, {0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3},
      {0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4}, {0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4},
      {0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5}, {0x1p+0, 0x0p+0},
      {0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5},  {0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4},
      {0x1.b2036576afce6p-1, 0x1.526e57720db08p-3},  {0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3},
      {0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2},  {0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2}};
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  uint32_t above = bits - 0x3f330000u; /* x = z * 2^exponent, z in [0.7, 1.4) */
  const double *row = rows[above >> 19 & 15];
  int exponent = (int)above >> 23;
  bits -= above & 0xff800000u;
  float z;
  __builtin_memcpy(&z, &bits, 4);
  double r = z * row[0] - 1, square = r * r;
  double y = -0x1.00ea348b88334p-2 * square + (0x1.5575b0be00b6ap-2 * r - 0x1.ffffef20a4123p-2);
  return (float)(y * square + (row[1] + exponent * 0x1.62e42fefa39efp-1 + r));
}

/* Computes sin and cos of x >= 0. */
static void sin_cos_scalar(float x, float *sine, float *cosine) {
  int quadrant = ((int)(x * 0x1.45f306dc9c883p+23) + 0x800000) >> 24;
  double r = x - quadrant * 0x1.921fb54442d18p+0, z = r * r;
  double s = r + r * z * -0x1.555545995a603p-3 + r * z * z * (0x1.1107605230bc4p-7 + z * -0x1.994eb3774cf24p-13);
  double c = 1 + z * -0x1.ffffffd0c621cp-2 + z * z * 0x1.55553e1068f19p-5 +
             z * z * z * (-0x1.6c087e89a359dp-10 + z * 0x1.99343027bf8c3p-16);
  double sines[4] = {s, c, -s, -c}, cosines[4] = {c, -s, -c, s};
  *sine = (float)sines[quadrant & 3];
  *cosine = (float)cosines[quadrant & 3];
}

/* Replaces sixteen uniforms by sixteen normals with the Box-Muller transformation, in pairs d[j] and d[j + 8]:
 *   radius = sqrt(-2 log(1 - d[j])),  d[j] = radius cos(2 pi d[j + 8]),  d[j + 8] = radius sin(2 pi d[j + 8]) */
static void normal_block(const struct qkv_generator *g, float *d, double mean, double std) {
  for (int j = 0; j < 8; j++) {
    float u1 = 1.0f - d[j], u2 = d[j + 8];
    if (g->stream == QKV_STREAM_VECTOR) {
      float radius = __builtin_sqrtf(-2.0f * log_vector(u1)), sine, cosine;
      sin_cos_vector(6.28318530717958647692f * u2, &sine, &cosine);
      d[j] = fused(radius * cosine, (float)std, (float)mean);
      d[j + 8] = fused(radius * sine, (float)std, (float)mean);
    } else {
      float radius = __builtin_sqrtf(-2.0f * log_scalar(u1)), sine, cosine;
      sin_cos_scalar((float)(6.28318530717958647692 * u2), &sine, &cosine);
      d[j] = radius * cosine * (float)std + (float)mean;
      d[j + 8] = radius * sine * (float)std + (float)mean;
    }
  }
}

/* Does the same as normal_block in double. */
static void normal_block64(double *d, double mean, double std) {
  for (int j = 0; j < 8; j++) {
    double radius = __builtin_sqrt(-2 * log_double(1 - d[j])), sine, cosine;
    sin_cos_double(6.28318530717958647692 * d[j + 8], &sine, &cosine);
    d[j] = radius * cosine * std + mean;
    d[j + 8] = radius * sine * std + mean;
  }
}

/* Returns one normal. The transformation makes two, so every second call returns the spare one. */
static double normal_value(struct qkv_generator *g, double mean, double std) {
  if (g->has_spare) {
    g->has_spare = 0;
    return g->spare * std + mean;
  }
  double u1 = unit64(g), u2 = unit64(g), sine, cosine;
  double radius = __builtin_sqrt(-2 * log_double(1 - u2));
  sin_cos_double(6.28318530717958647692 * u1, &sine, &cosine);
  g->spare = radius * sine;
  g->has_spare = 1;
  return radius * cosine * std + mean;
}

/* Writes the next n words. */
uint32_t QKV_EXPORT(qkv_words)(struct qkv_generator *g, uint32_t *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = word(g);
  return QKV_OK;
}

/* Writes what torch.rand draws. */
uint32_t QKV_EXPORT(qkv_rand)(struct qkv_generator *g, float *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = unit(g);
  return QKV_OK;
}

/* Writes what torch.rand draws with dtype float64. */
uint32_t QKV_EXPORT(qkv_rand64)(struct qkv_generator *g, double *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = unit64(g);
  return QKV_OK;
}

/* Writes what Tensor.uniform_(from, to) draws. Both ends are rounded to float32 first. */
uint32_t QKV_EXPORT(qkv_uniform)(struct qkv_generator *g, float *out, size_t n, double from, double to) {
  float low = (float)from, width = (float)to - low;
  for (size_t i = 0; i < n; i++) {
    float u = unit(g);
    out[i] = g->stream == QKV_STREAM_VECTOR ? fused(u, width, low) : u * width + low;
  }
  return QKV_OK;
}

/* Writes what Tensor.normal_(mean, std) draws. Fewer than 16 values are drawn in pairs, others in blocks of 16. If n is
 * not a multiple of 16, the last 16 values are drawn again as a separate block. */
uint32_t QKV_EXPORT(qkv_normal)(struct qkv_generator *g, float *out, size_t n, double mean, double std) {
  if (n < 16) {
    for (size_t i = 0; i < n; i++)
      out[i] = (float)normal_value(g, mean, std);
    return QKV_OK;
  }
  qkv_rand(g, out, n);
  for (size_t i = 0; i + 16 <= n; i += 16)
    normal_block(g, out + i, mean, std);
  if (n % 16) {
    qkv_rand(g, out + n - 16, 16);
    normal_block(g, out + n - 16, mean, std);
  }
  return QKV_OK;
}

/* Writes what Tensor.normal_(mean, std) draws in a float64 tensor. */
uint32_t QKV_EXPORT(qkv_normal64)(struct qkv_generator *g, double *out, size_t n, double mean, double std) {
  if (n < 16) {
    for (size_t i = 0; i < n; i++)
      out[i] = normal_value(g, mean, std);
    return QKV_OK;
  }
  qkv_rand64(g, out, n);
  for (size_t i = 0; i + 16 <= n; i += 16)
    normal_block64(out + i, mean, std);
  if (n % 16) {
    qkv_rand64(g, out + n - 16, 16);
    normal_block64(out + n - 16, mean, std);
  }
  return QKV_OK;
}

/* Writes what Tensor.bernoulli_(p) draws in the builds without MKL. */
uint32_t QKV_EXPORT(qkv_bernoulli)(struct qkv_generator *g, float *out, size_t n, double p) {
  for (size_t i = 0; i < n; i++)
    out[i] = unit64(g) < p ? 1.0f : 0.0f;
  return QKV_OK;
}

void draw_keep_mask(struct qkv_generator *g, uint8_t *keep, size_t n, double p) {
  for (size_t i = 0; i < n; i++)
    keep[i] = unit64(g) < 1.0 - p;
}

/* torch.nn.functional.dropout(x, p): y = x * keep / (1 - p). y may be x. Without x, y = keep / (1 - p). */
uint32_t QKV_EXPORT(qkv_dropout)(struct qkv_generator *g, const float *x, float *y, size_t n, double p) {
  for (size_t i = 0; i < n; i++)
    y[i] = (x ? x[i] : 1.0f) * keep_factor(unit64(g) < 1.0 - p, p);
  return QKV_OK;
}

/* Writes what torch.randint(low, low + range) draws. */
uint32_t QKV_EXPORT(qkv_randint)(struct qkv_generator *g, int32_t *out, size_t n, int32_t low, uint32_t range) {
  if (range == 0)
    return QKV_EMPTY_RANGE;
  for (size_t i = 0; i < n; i++)
    out[i] = (int32_t)((uint32_t)low + word(g) % range);
  return QKV_OK;
}
