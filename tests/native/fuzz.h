/* fuzz.h: makes shapes, options and data, also hostile data, from the bytes of the fuzzer. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
  const uint8_t *next;
  size_t left;
};

static inline uint8_t byte(struct input *in) { return in->left ? in->left--, *in->next++ : 0; }
static inline uint32_t below(struct input *in, uint32_t n) { return (byte(in) | (uint32_t)byte(in) << 8) % n; }

static inline void *allocate(size_t bytes) {
  void *p = aligned_alloc(16, (bytes + 15) / 16 * 16); /* some() poisons the bytes from the end of the tensor on */
  if (!p)
    abort();
  return p;
}

/* Makes n floats in an allocation of exactly their size. Hostile ones may be NaN, infinite, denormal, huge or tiny. */
static inline float *some(struct input *in, size_t n, int hostile) {
  static const float strange[] = {NAN, INFINITY, -INFINITY, 1e-41f, -0.0f, 3e38f, -3e38f, 1e-30f};
  float *x = malloc(n * sizeof *x);
  uint32_t state = below(in, 65536) + 1; /* a seed, so that a few bytes of input make many numbers */
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)((int32_t)state >> 8) * 0x1p-23f;
    if (hostile && state % 61 == 0)
      x[i] = strange[state >> 29];
  }
  return x;
}

/* Runs one of the operations other than attention, and compares it with its formula in float64. */
void fuzz_layers(struct input *in, int hostile);

#endif
