/* embedding.c: rows of a table, torch.nn.Embedding. table (rows,columns), ids (N) -> out (N,columns). */
#include "qkv.h"
#include "rows.h"

/* Writes nothing if an id is out of range. */
uint32_t QKV_EXPORT(qkv_embedding)(const float *table, size_t rows, size_t columns, const int32_t *ids, size_t N,
                                   float *out) {
  for (size_t n = 0; n < N; n++)
    if (ids[n] < 0 || (size_t)ids[n] >= rows)
      return QKV_ID_OUT_OF_RANGE;
  for (size_t n = 0; n < N; n++)
    __builtin_memcpy(out + n * columns, table + (size_t)ids[n] * columns, columns * sizeof(float));
  return QKV_OK;
}

/* d_table[ids[n]] += dy[n] in the order of n; dy (N, columns). The row of id `padding` gets no gradient. A unit is
 * 64 columns, because narrower units would write to the same cache lines. */
uint32_t QKV_EXPORT(qkv_embedding_backward)(const float *dy, const int32_t *ids, float *d_table, size_t rows,
                                            size_t columns, size_t N, int32_t padding, uint32_t first, uint32_t count) {
  for (size_t n = 0; n < N; n++)
    if (ids[n] < 0 || (size_t)ids[n] >= rows)
      return QKV_ID_OUT_OF_RANGE;
  size_t end = end_of(first, count, 64, columns);
  for (size_t n = 0; n < N; n++)
    for (size_t c = (size_t)first * 64; ids[n] != padding && c < end; c += 4)
      put_gradient(d_table + (size_t)ids[n] * columns + c, end - c, get(dy + n * columns + c, end - c), 1);
  return QKV_OK;
}
