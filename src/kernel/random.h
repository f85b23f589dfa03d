/* random.h: dropout and log for other kernels. */
#ifndef RANDOM_H
#define RANDOM_H

#include "qkv.h"

/* keep[n] = 1 with probability 1 - p: the draws of dropout(p). */
void draw_keep_mask(struct qkv_generator *g, uint8_t *keep, size_t n, double p);

/* log x, to about 1e-16. */
double log_double(double x);

/* The dropout factor: 0, or 1/(1-p) in float32. */
static inline float keep_factor(uint8_t keep, double p) { return keep ? 1.0f / (float)(1.0 - p) : 0.0f; }

#endif
