/* random.h: dropout and log for other kernels. keep (n). */
#ifndef RANDOM_H
#define RANDOM_H

#include "qkv.h"

/* Sets each of n values of keep to 1 with probability 1 - p, else to 0. Advances the generator as qkv_dropout does. */
void draw_keep_mask(struct qkv_generator *g, uint8_t *keep, size_t n, double p);

/* Returns log x with a relative error of about 1e-16. */
double log_double(double x);

/* Returns the factor of a weight under dropout: 1 / (1 - p) in float32 if it is kept, else 0. */
static inline float keep_factor(uint8_t keep, double p) { return keep ? 1.0f / (float)(1.0 - p) : 0.0f; }

#endif
