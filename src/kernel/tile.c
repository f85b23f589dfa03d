/* tile.c: the functions of tile.h that are not inlined. a (rows,n), b (n,columns) -> out (rows,columns). */
#include "tile.h"
#include "rows.h"

enum { APART_ROWS = 64 };

void pack_panel(float *panel, const float *b, size_t n, size_t step, size_t column, size_t columns) {
  size_t k = 0;
  if (columns == 8 && column == 1) {
    for (; k < n; k++) {
      store(panel + k * 8, load(b + k * step));
      store(panel + k * 8 + 4, load(b + k * step + 4));
    }
  } else if (columns == 8 && step == 1) {
    for (; k + 4 <= n; k += 4)
      for (size_t half = 0; half < 8; half += 4) {
        f4 x[4];
#pragma unroll
        for (size_t c = 0; c < 4; c++)
          x[c] = load(b + (half + c) * column + k);
        transpose(x);
#pragma unroll
        for (size_t c = 0; c < 4; c++)
          store(panel + (k + c) * 8 + half, x[c]);
      }
  }
  for (; k < n; k++)
    for (size_t c = 0; c < 8; c++)
      panel[k * 8 + c] = c < columns ? b[c * column + k * step] : 0.0f;
}

int all_finite(const float *x, size_t row, size_t rows, size_t columns) {
  f4 most = zeros();
  for (size_t r = 0; r < rows; r++) {
    const float *p = x + r * row;
    size_t c = 0;
    for (; c + 4 <= columns; c += 4)
      most = larger_size(most, load(p + c));
    if (c < columns)
      most = larger_size(most, load_tail(p + c, columns - c));
  }
  return sum_lanes(mul(most, zeros())) == 0.0f; /* infinity and NaN times 0 are NaN */
}

static void load_ahead(struct ahead *ahead) {
  if (ahead->end - ahead->next < 64)
    return;
  for (size_t i = 0; i < 4; i++, ahead->next += 16)
    prefetch(ahead->next);
}

/* out (4,8) = start (4,8) + a (4,n) b (n,8); rows of out are `stride` floats apart, those of start `start_row`. Only
 * `rows` <= 4 rows of a exist. */
INLINE void gemm_4x8(float *out, size_t stride, const float *start, size_t start_row, struct matrix a, size_t rows,
                     const struct product *p, struct ahead *ahead) {
  f4 acc[4][2];
  struct matrix b = {p->b, p->b_row, 1};
#pragma unroll
  for (size_t r = 0; r < 4; r++) {
    acc[r][0] = load(start + r * start_row);
    acc[r][1] = load(start + r * start_row + 4);
  }
  for (size_t k = 0, depth = p->n; k < p->n; k += depth) {
    if (ahead) {
      load_ahead(ahead);
      depth = at_most(p->n - k, ahead->interval);
    }
    accumulate_4x8(QKV_SCORE_DOT, acc, a, rows, b, depth, 0);
    a.data += depth * a.column;
    b.data += depth * b.row;
  }
#pragma unroll
  for (size_t r = 0; r < 4; r++) {
    store(out + r * stride, acc[r][0]);
    store(out + r * stride + 4, acc[r][1]);
  }
}

NOINLINE void load_edge(float *tile, const float *x, size_t row, size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++, x += row, tile += 8) {
    store(tile, get(x, columns));
    store(tile + 4, get(x + 4, columns - at_most(columns, 4)));
  }
}

NOINLINE void store_edge(float *x, size_t row, const float *tile, size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++, x += row, tile += 8) {
    put(x, columns, load(tile));
    put(x + 4, columns - at_most(columns, 4), load(tile + 4));
  }
}

/* `panels`, a compile-time constant, is true if a is (rows/8, n, 8), false if it is (rows, n). */
INLINE void gemm_rows(int panels, const struct product *p) {
  const struct product x = *p; /* a local copy stays in registers: no store can change it */
  float *out = x.out, edge[4 * 8];
  for (size_t r = 0; r < x.rows; r += 4, out += 4 * x.out_row) {
    struct matrix a = {x.a + r * x.a_row, x.a_row, 1};
    if (panels)
      a = (struct matrix){x.a + r / 8 * 8 * x.n + r % 8, 1, 8};
    size_t height = at_most(x.rows - r, 4), stride = x.out_row;
    float *tile = out;
    int is_edge = height < 4 || x.columns < 8;
    if (is_edge)
      tile = edge, stride = 8;
    if (is_edge && !x.start)
      load_edge(edge, out, x.out_row, height, x.columns);
    gemm_4x8(tile, stride, x.start ? x.start : tile, x.start ? 0 : stride, a, panels ? 4 : height, &x,
             panels ? 0 : x.ahead);
    if (is_edge)
      store_edge(out, x.out_row, edge, height, x.columns);
  }
}

void gemm_panel(const struct product *p) { gemm_rows(0, p); }

void gemm_panels(const struct product *p) { gemm_rows(1, p); }

void gemm_apart(void (*multiply)(const struct product *), const struct product *p) {
  static const float none[8];
  float sums[APART_ROWS * 8];
  struct product x = *p;
  x.out = sums, x.out_row = x.columns = 8, x.start = none;
  for (size_t r = 0; r < p->rows; r += APART_ROWS) {
    x.rows = at_most(p->rows - r, APART_ROWS);
    x.a = p->a + r * (multiply == gemm_panels ? p->n : p->a_row);
    multiply(&x);
    for (size_t i = 0; i < x.rows; i++) {
      float *out = p->out + (r + i) * p->out_row;
      if (p->columns < 8) {
        add_scaled(out, sums + i * 8, 1.0f, p->columns);
        continue;
      }
      store(out, add(load(out), load(sums + i * 8)));
      store(out + 4, add(load(out + 4), load(sums + i * 8 + 4)));
    }
  }
}

void gemm_blocks(const struct product *p) {
  struct product x = *p;
  x.n = at_most(p->n, SUM_BLOCK);
  gemm_panel(&x);
  for (size_t k = x.n; k < p->n; k += x.n) {
    x.a = p->a + k, x.b = p->b + k * p->b_row, x.n = at_most(p->n - k, SUM_BLOCK);
    gemm_apart(gemm_panel, &x);
  }
}
