// Hand-built heads. The embedding of a token has ones for its position, its word and the previous word, zeros elsewhere. W_q and W_k select
// some of these features for queries and keys. Scores, weights and outputs are computed as for any head.

import { Tensor } from 'qkv'
import { stack } from './tensors.js'

/** @import { Qkv } from 'qkv' */
/** @import { Tokens } from '../tokenize.js' */
/** @import { Axis, Checked, HandBuiltHead } from '../layer.js' */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/** Score so large that all other weights become 0: e^-200 is 0 in float32. */
const HARD = 200
/** Score of an induction head for the first token, as a fraction of the sharpness: the head attends to that token if no key matches. */
const REST = 0.375

/**
 * Returns the layout of a token's features: positions, then words, then previous words.
 * @param {Pick<Checked, 'queries' | 'keys'>} settings
 */
function featuresOf({ queries, keys }) {
  const ids = new Map([...queries.vocabulary, ...keys.vocabulary])
  const words = [...ids].sort(([, a], [, b]) => a - b).map(([word]) => word)
  const positions = Math.max(queries.tokens.length, keys.tokens.length)
  return { positions, words, size: positions + 2 * words.length, keySize: Math.max(positions, words.length) + 1 }
}

/**
 * Returns the labels of the dimensions of an axis, if they have a meaning.
 * @param {Checked} settings
 * @param {Axis} axis
 * @returns {string[] | undefined}
 */
export function handBuiltNames(settings, axis) {
  const { positions, words } = featuresOf(settings)
  if (axis === 'value') return words
  if (axis !== 'model') return undefined
  return [...Array.from({ length: positions }, (_, i) => `@${i + 1}`), ...words, ...words.map(word => `${word}→`)]
}

/**
 * Makes a matrix of zeros with some cells set.
 * @param {number} rows
 * @param {number} columns
 * @param {[number, number, number][]} cells row, column, value
 */
function sparse(rows, columns, cells) {
  const data = new Float32Array(rows * columns)
  for (const [row, column, value] of cells) data[row * columns + column] = value
  return new Tensor(data, [rows, columns])
}

/** @param {number} count @param {(i: number) => [number, number, number]} cell */
const each = (count, cell) => Array.from({ length: count }, (_, i) => cell(i))

/**
 * Nonzero cells (row, column, value) of W_q (`asks`, before the factor `sharpness`) and of W_k (`answers`) for each kind of head. The last
 * dimension of queries and keys marks the first token, which queries without a matching key attend to.
 * @type {Record<HandBuiltHead, (features: ReturnType<typeof featuresOf>) => { asks: [number, number, number][], answers: [number, number, number][] }>}
 */
const HEADS = {
  // Position i attends to position i - 1.
  previous: ({ positions }) => ({
    asks: each(positions - 1, i => [i + 1, i, 1]),
    answers: each(positions, i => [i, i, 1]),
  }),
  // Every position attends to the first.
  first: ({ positions }) => ({ asks: each(positions, i => [i, 0, 1]), answers: [[0, 0, 1]] }),
  // A word attends to the same word.
  same: ({ positions, words }) => ({
    asks: each(words.length, w => [positions + w, w, 1]),
    answers: each(words.length, w => [positions + w, w, 1]),
  }),
  // A word attends to keys whose previous word is this word, and with a smaller score to the first token.
  induction: ({ positions, words, keySize }) => ({
    asks: [...each(words.length, w => [positions + w, w, 1]), ...each(positions, i => [i, keySize - 1, REST])],
    answers: [...each(words.length, w => [positions + words.length + w, w, 1]), [0, keySize - 1, 1]],
  }),
  // All scores are 0.
  uniform: () => ({ asks: [], answers: [] }),
}

/**
 * Embeds tokens: ones for the position, the word and the previous word. A head that attends one token back computes the previous word, as a
 * head in a lower layer of a model would. The first token has no previous word.
 * @param {Qkv} qkv
 * @param {ReturnType<typeof featuresOf>} features
 * @param {Tokens} tokens
 */
function embed(qkv, features, { tokens }) {
  const { positions, words, size } = features
  const n = tokens.length
  const own = sparse(n, words.length, [])
  tokens.forEach((token, i) => {
    const word = words.indexOf(token)
    if (word >= 0) own.data[i * words.length + word] = 1
  })
  const queries = sparse(
    n,
    n,
    each(n - 1, i => [i + 1, i, HARD]),
  )
  const keys = sparse(
    n,
    n,
    each(n, i => [i, i, 1]),
  )
  const before = qkv.attention(queries, keys, own, { scale: 1, causal: true, pastLength: -1 }).output
  const X = sparse(
    n,
    size,
    each(n, i => [i, i, 1]),
  )
  for (let i = 0; i < n; i++) {
    X.data.set(own.row(i).data, i * size + positions)
    X.data.set(before.row(i).data, i * size + positions + words.length)
  }
  return X
}

/** @type {import('./index.js').Start} */
export function handBuilt(qkv, settings) {
  const { isCross, queries, keys, sharpness } = settings
  const features = featuresOf(settings)
  const { positions, words, size, keySize } = features
  const built = settings.handBuilt.map(name => {
    const { asks, answers } = HEADS[name](features)
    return [
      sparse(
        size,
        keySize,
        asks.map(([row, column, value]) => [row, column, value * sharpness]),
      ),
      sparse(size, keySize, answers),
      // The values of every head copy the word.
      sparse(
        size,
        words.length,
        each(words.length, w => [positions + w, w, 1]),
      ),
    ]
  })
  const [Wq, Wk, Wv] = [0, 1, 2].map(i => stack(built.map(matrices => matrices[i])))
  const X = embed(qkv, features, queries)
  return { tensors: { X, ...(isCross && { X2: embed(qkv, features, keys) }), Wq, Wk, Wv } }
}
