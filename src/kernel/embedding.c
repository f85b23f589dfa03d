/* embedding.c: rows of a table. torch.nn.Embedding. */
#include "qkv.h"

/* table (rows, columns), ids (N) -> out (N, columns); nothing is written if an id has no row. */
uint32_t QKV_EXPORT(qkv_embedding)(const float *table, size_t rows, size_t columns, const int32_t *ids, size_t N,
                                   float *out) {
  for (size_t n = 0; n < N; n++)
    if (ids[n] < 0 || (size_t)ids[n] >= rows)
      return QKV_ID_OUT_OF_RANGE;
  for (size_t n = 0; n < N; n++)
    for (size_t c = 0; c < columns; c++)
      out[n * columns + c] = table[(size_t)ids[n] * columns + c];
  return QKV_OK;
}
