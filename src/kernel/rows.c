/* rows.c: the functions of rows.h that are not inlined, and qkv_column_sums: x (rows, C) -> to (C). */
#include "rows.h"
#include "qkv.h"

void prefetch_burst(const float *p, size_t n) {
  if (n >= BURST)
#pragma unroll
    for (size_t i = 0; i < BURST; i += 16)
      prefetch(p + i);
}

float largest_size(const float *x, size_t n) {
  f4 most = zeros(), more = zeros();
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    most = larger_size(larger_size(most, load(x + i)), load(x + i + 4));
    more = larger_size(larger_size(more, load(x + i + 8)), load(x + i + 12));
  }
  for (; i < n; i += 4)
    most = larger_size(most, get(x + i, n - i));
  most = larger_size(most, more);
  for (size_t lane = 1; lane < 4; lane++)
    most = larger_size(most, next_lane(most));
  return lane0(most);
}

void add_scaled(float *y, const float *x, float factor, size_t n) {
  f4 factors = splat(factor);
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    store(y + i, mul_add(factors, load(x + i), load(y + i)));
  if (i < n)
    store_tail(y + i, n - i, mul_add(factors, load_tail(x + i, n - i), load_tail(y + i, n - i)));
}

/* to[c] = the sum of `rows` <= 4 rows of x, or += with `accumulate`; one row is added at a time */
INLINE void sum_rows(float *to, const float *x, size_t rows, size_t C, uint32_t accumulate, size_t c, size_t left) {
  f4 sum = accumulate ? get(to + c, left) : zeros();
  for (size_t i = 0; i < rows; i++)
    sum = add(sum, get(x + i * C + c, left));
  put(to + c, left, sum);
}

/* SUM_ROWS: rows per block. SUM_COLUMNS: columns that are summed at a time, on the stack, in blocks after the first. */
enum { SUM_ROWS = 1024, SUM_COLUMNS = 512 };

/* to (columns) = the sums of the rows of x (rows, columns), or += with `accumulate`; rows are C floats apart. */
static void sum_columns(const float *x, float *to, size_t rows, size_t C, size_t columns, uint32_t accumulate) {
  for (size_t r = 0; r < rows; r += 4, accumulate = 1) {
    size_t c = 0, some = at_most(rows - r, 4);
    for (; some == 4 && c + 4 <= columns; c += 4)
      sum_rows(to, x + r * C, 4, C, accumulate, c, 4);
    for (; c < columns; c += 4)
      sum_rows(to, x + r * C, some, C, accumulate, c, columns - c);
  }
}

/* to (C) = the column sums of x (rows, C), in blocks of SUM_ROWS rows. A unit is 64 columns. */
uint32_t QKV_EXPORT(qkv_column_sums)(const float *x, float *to, size_t rows, size_t C, uint32_t accumulate,
                                     uint32_t first, uint32_t count) {
  size_t from = (size_t)first * 64, columns = end_of(first, count, 64, C) - from;
  sum_columns(x + from, to + from, at_most(rows, SUM_ROWS), C, columns, accumulate);
  for (size_t r = SUM_ROWS; r < rows; r += SUM_ROWS)
    for (size_t c = 0; c < columns; c += SUM_COLUMNS) {
      float later[SUM_COLUMNS];
      size_t some = at_most(columns - c, SUM_COLUMNS);
      sum_columns(x + r * C + from + c, later, at_most(rows - r, SUM_ROWS), C, some, 0);
      add_scaled(to + from + c, later, 1.0f, some);
    }
  return QKV_OK;
}
