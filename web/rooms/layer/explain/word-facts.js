// Determines from the weights of one head what a word attends to and what attends to it. Shapes: L queries, S keys. Pure.

/** @import { Word } from '../layer.js' */
/** @typedef {{ data: ArrayLike<number>, dims: readonly number[] }} Weights (L, S) */
/** @typedef {{ position: number, weight: number }} Share */

/**
 * Returns the keys of a query by descending weight, without hidden ones.
 * @param {Weights} weights
 * @param {number} row
 * @param {Uint8Array} [visible] (L, S); 1 if visible
 * @returns {Share[]}
 */
export function looksAt({ data, dims: [, S] }, row, visible) {
  const shares = []
  for (let column = 0; column < S; column++)
    if (!visible || visible[row * S + column]) shares.push({ position: column, weight: data[row * S + column] })
  return shares.sort((a, b) => b.weight - a.weight)
}

/**
 * Returns the queries of a key by descending weight, without queries that do not see the key.
 * @param {Weights} weights
 * @param {number} column
 * @param {Uint8Array} [visible]
 * @returns {Share[]}
 */
export function seenBy({ data, dims: [L, S] }, column, visible) {
  const shares = []
  for (let row = 0; row < L; row++)
    if (!visible || visible[row * S + column]) shares.push({ position: row, weight: data[row * S + column] })
  return shares.sort((a, b) => b.weight - a.weight)
}

/** Returns the weights between a query and all keys, or between a key and all queries, to shade a sentence. @param {Weights} weights @param {Word} word */
export function shades({ data, dims: [L, S] }, { side, position }) {
  return side === 'queries'
    ? Float32Array.from({ length: S }, (_, column) => data[position * S + column])
    : Float32Array.from({ length: L }, (_, row) => data[row * S + position])
}

/**
 * Classifies how strong the largest share is. Less than 1.5 times an even share counts as 'evenly'.
 * @param {number} share
 * @param {number} even one over the number of keys
 * @returns {'only' | 'mostly' | 'half' | 'evenly' | 'most'}
 */
export function strengthOf(share, even) {
  if (share >= 0.95) return 'only'
  if (share >= 0.45 && share <= 0.55) return 'half'
  if (share < 1.5 * even) return 'evenly'
  return share >= 0.6 ? 'mostly' : 'most'
}

/**
 * Returns the character range of a word in its text; the whole text if the text does not contain the words literally.
 * @param {string} text
 * @param {readonly string[]} words all words of the text
 * @param {number} position
 * @returns {[number, number]} start and end
 */
export function placeOf(text, words, position) {
  let [from, to] = [0, 0]
  for (const word of words.slice(0, position + 1)) {
    from = text.indexOf(word, to)
    if (from < 0) return [0, text.length]
    to = from + word.length
  }
  return [from, to]
}
