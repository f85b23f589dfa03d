// Labels for tokens. Pure.

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉'
/** @param {number} n */
const subscript = n => String(n).replace(/\d/g, digit => SUBSCRIPTS[Number(digit)])

/** @type {WeakMap<readonly string[], string[]>} */
const known = new WeakMap()

/**
 * Returns the tokens; repeated ones get their position as an index, from 1: the₁, the₅.
 * @param {readonly string[]} tokens
 * @returns {string[]}
 */
export function labelsOf(tokens) {
  const made = known.get(tokens)
  if (made) return made
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1)
  const labels = tokens.map((token, i) => (Number(counts.get(token)) > 1 ? `${token}${subscript(i + 1)}` : token))
  known.set(tokens, labels)
  return labels
}

/**
 * Returns the labels of queries and keys.
 * @param {{ settings: { queries: { tokens: readonly string[] }, keys: { tokens: readonly string[] } } }} result
 */
export const namesOf = ({ settings: { queries, keys } }) => ({
  queries: labelsOf(queries.tokens),
  keys: labelsOf(keys.tokens),
})
