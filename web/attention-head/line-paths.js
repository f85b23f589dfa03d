// Groups the lines between two columns of words into few SVG paths: one per head and opacity level. Pure.

/**
 * Lines of one head that have the same opacity. `pairs`: query and key of the first line, of the second, and so on.
 * @typedef {{ head: number, opacity: number, pairs: number[], path: string }} LinePath
 */

/** Number of opacity levels. */
const LEVELS = 12
/** Minimum weight for which a line is drawn. */
const LEAST = 0.01
/** Maximum number of cached results per weights array. */
const MOST_KNOWN = 8

/** Caches results of `linesOf` by weights array, so that a redraw of the page reuses them. @type {WeakMap<object, Map<string, LinePath[]>>} */
const known = new WeakMap()

/**
 * Returns the lines of some heads, for all words or for one. A word is 10 units high, and the columns are 100 units apart.
 * @param {{ weights: Float32Array, from: number, heads: readonly number[], queries: number, keys: number }} of `from`: index in
 *   `weights` at which the layer, (heads, queries, keys), begins
 * @param {{ side: 'queries' | 'keys', position: number }} [word]
 * @returns {LinePath[]} weak lines first, so that strong ones are drawn on top
 */
export function linesOf({ weights, from, heads, queries, keys }, word) {
  const key = [from, queries, keys, word?.side, word?.position, ...heads].join(' ')
  const own = known.get(weights) ?? new Map()
  known.set(weights, own)
  const found = own.get(key)
  if (found) return found
  if (own.size >= MOST_KNOWN) own.clear()
  /** @type {Map<number, number[]>} */
  const levels = new Map()
  const [firstQuery, lastQuery] = word?.side === 'queries' ? [word.position, word.position] : [0, queries - 1]
  const [firstKey, lastKey] = word?.side === 'keys' ? [word.position, word.position] : [0, keys - 1]
  for (const head of heads)
    for (let query = firstQuery; query <= lastQuery; query++)
      for (let key = firstKey; key <= lastKey; key++) {
        const weight = weights[from + (head * queries + query) * keys + key]
        if (!(weight >= LEAST)) continue
        const level = Math.min(LEVELS, Math.max(1, Math.round(weight * LEVELS)))
        const at = level * 1024 + head
        const list = levels.get(at) ?? []
        levels.set(at, list)
        list.push(query, key)
      }
  const made = Array.from(levels)
    .sort(([a], [b]) => a - b)
    .map(([at, pairs]) => ({
      head: at % 1024,
      opacity: Number((Math.floor(at / 1024) / LEVELS).toFixed(3)),
      pairs,
      path: pathOf(pairs),
    }))
  own.set(key, made)
  return made
}

/** @param {readonly number[]} pairs */
function pathOf(pairs) {
  let path = ''
  for (let i = 0; i < pairs.length; i += 2) path += `M0 ${pairs[i] * 10 + 5}L100 ${pairs[i + 1] * 10 + 5}`
  return path
}

/** Returns the largest of some weights with its index. @param {number} count @param {(at: number) => number} weightOf */
export function strongest(count, weightOf) {
  let most = { at: 0, weight: weightOf(0) }
  for (let at = 1; at < count; at++) {
    const weight = weightOf(at)
    if (weight > most.weight) most = { at, weight }
  }
  return most
}
