// Scores heads that attend one position further than an induction head does: two positions after the earlier occurrence of the token.

/**
 * Returns the score of each head h: weights[h][i][j] summed over the keys j <= i with ids[j - 2] = ids[i], averaged over the queries i that
 * have such keys.
 * @param {{ data: Float32Array, dims: readonly number[] }} weights (1, H, L, L): H heads, L tokens
 * @param {readonly number[]} ids ids of the tokens
 * @returns {{ data: Float32Array }} (H)
 */
export function furtherScores({ data, dims: [, H, L] }, ids) {
  const scores = new Float32Array(H)
  const keys = ids.map((id, i) => ids.slice(0, Math.max(0, i - 1)).flatMap((other, j) => (other === id ? [j + 2] : [])))
  const queries = keys.filter(({ length }) => length).length
  if (queries)
    for (let h = 0; h < H; h++) {
      let sum = 0
      for (let i = 0; i < L; i++) for (const j of keys[i]) sum += data[(h * L + i) * L + j]
      scores[h] = sum / queries
    }
  return { data: scores }
}
