// Computes how scores, attention weights or outputs change if one number of W_q, W_k or W_v grows by one. Pure.

import { Tensor } from 'qkv'
import { attentionBackward } from 'qkv/nn'
import { present } from '../../../shell/known.js'
import { ofHead } from '../numbers/tensors.js'
import { scaleOf } from '../trace/attention-options.js'

/** @import { Qkv } from 'qkv' */
/** @import { Arithmetic, Cell, FloatTensor, Result } from '../layer.js' */

/** Maximum number of changes listed. */
const MOST = 6

/**
 * Effect of increasing a weight by one, to first order. One dimension of a vector of `word` changes by `by`; `moves` lists the largest
 * changes that follow:
 * - query, key (a weight of W_q or W_k): the query or key of `word` changes. Scores change by `amount`, attention weights by `weight`.
 * - value (a weight of W_v): the value of `word` changes. The outputs of the queries change by `amount`.
 * @typedef {{ kind: 'query' | 'key' | 'value', word: number, by: number, along: 'keys' | 'queries', moves: { position: number, amount: number, weight?: number }[] }} Effect
 */

/**
 * Computes the effect of a weight.
 * @param {Qkv} qkv
 * @param {Result} result
 * @param {Cell} cell
 * @param {Arithmetic} arithmetic
 * @returns {Effect | undefined} undefined if no simple rule applies
 */
export function effectOf(qkv, result, { matrix, head, row, column }, arithmetic) {
  const { tensors, settings } = result
  if (!isWeightMatrix(matrix) || result.detailHead !== undefined) return undefined
  if (!tensors.X || !tensors.Q || !tensors.K || !tensors.V || !tensors.weights) return undefined
  if (matrix !== 'Wv' && tensors.Qr) return undefined // rotary positions spread one dimension of Q or K over two
  if (matrix !== 'Wv' && !['scaled', 'plain'].includes(settings.score)) return undefined
  const inputs = matrix === 'Wq' ? tensors.X : (tensors.X2 ?? tensors.X)
  // Find the word with the largest input in the dimension that the weight multiplies. Its query, key or value changes most.
  let word = 0
  for (let i = 1; i < inputs.dims[0]; i++) if (Math.abs(inputs.at(i, row)) > Math.abs(inputs.at(word, row))) word = i
  const by = inputs.at(word, row)
  const numbers = list(inputs.dims[0], i => inputs.at(i, row))
  const [Q, K, A] = [tensors.Q, tensors.K, tensors.weights].map(tensor => ofHead(tensor, head))
  const scale = scaleOf(settings, Q.dims[1])
  const times = (/** @type {ArrayLike<number>} */ x, /** @type {number} */ factor) =>
    arithmetic.products(
      x,
      list(x.length, () => factor),
    )
  // Returns the changes of the scores: dimension `column` of `other` (keys for W_q, queries for W_k), times `scale`, times `by`.
  const scores = (/** @type {FloatTensor} */ other) => {
    const dimension = list(other.dims[0], i => other.at(i, column))
    return times(times(dimension, scale), by)
  }
  const amounts = {
    Wq: () => scores(K),
    Wk: () => scores(Q),
    // Returns the changes of outputs: for each query, the sum of the inputs of all words, each times its attention weight.
    Wv: () => list(A.dims[0], i => arithmetic.sum(arithmetic.products(A.row(i).data, numbers))),
  }[matrix]()
  const largest = list(amounts.length, position => ({ position, amount: amounts[position] }))
    .sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
    .slice(0, MOST)
  const slopes =
    matrix === 'Wv'
      ? undefined
      : slopesOf(qkv, result, { matrix, head, column }, { word, numbers }, largest, arithmetic)
  const moves = largest.map((move, i) => ({ ...move, ...(slopes && { weight: slopes[i] }) }))
  const [kind, along] = KINDS[matrix]
  return { kind, word, by, along, moves }
}

/** @type {Record<'Wq' | 'Wk' | 'Wv', ['query' | 'key' | 'value', 'queries' | 'keys']>} */
const KINDS = { Wq: ['query', 'keys'], Wk: ['key', 'queries'], Wv: ['value', 'queries'] }

/** @param {string} matrix @returns {matrix is keyof typeof KINDS} */
const isWeightMatrix = matrix => matrix in KINDS

/**
 * Returns the changes of attention weights: their gradients with respect to the query (for W_k, all keys), times the inputs of the words.
 * @param {Qkv} qkv
 * @param {Result} result
 * @param {{ matrix: 'Wq' | 'Wk', head: number, column: number }} cell
 * @param {{ word: number, numbers: number[] }} moved the affected word, and for every word the input that the cell multiplies
 * @param {{ position: number }[]} moves
 * @param {Arithmetic} arithmetic
 * @returns {number[] | undefined} undefined unless weights are the softmax of their row
 */
function slopesOf(qkv, result, { matrix, head, column }, { word, numbers }, moves, arithmetic) {
  const { settings } = result
  const isSet = settings.edits.some(edit => edit.matrix === 'weights' && edit.head === head)
  if (settings.softmaxAxis !== 'keys' || isSet) return undefined
  const isQuery = matrix === 'Wq'
  /** @type {[number, number][]} */
  const pairs = moves.map(({ position }) => (isQuery ? [word, position] : [position, word]))
  const { dQ, dK } = slopes(qkv, result, head, pairs)
  const gradients = (/** @type {number} */ i) =>
    isQuery ? [dQ.at(i, 0, column)] : numbers.map((_, key) => dK.at(i, key, column))
  const own = isQuery ? [numbers[word]] : numbers
  return pairs.map((_, i) => arithmetic.sum(arithmetic.products(gradients(i), own)))
}

/**
 * Computes the gradients of single attention weights with respect to queries and keys, by attentionBackward.
 * @param {Qkv} qkv
 * @param {Result} result
 * @param {number} head
 * @param {readonly (readonly [number, number])[]} pairs query and key of each weight
 * @returns {{ dQ: FloatTensor, dK: FloatTensor }} dQ of the query: (pairs, 1, d); dK of all S keys: (pairs, S, d); d: head size
 */
function slopes(qkv, result, head, pairs) {
  const { settings, tensors, visible } = result
  const [Q, K] = [tensors.Q, tensors.K].map(tensor => ofHead(present(tensor), head))
  const [S, d] = K.dims
  const each = (
    /** @type {number[]} */ dims,
    /** @type {(pair: readonly [number, number]) => ArrayLike<number>} */ of,
  ) => {
    const data = new Float32Array(pairs.length * dims[0] * dims[1])
    pairs.forEach((pair, i) => {
      data.set(of(pair), i * dims[0] * dims[1])
    })
    return new Tensor(data, [pairs.length, ...dims])
  }
  const q = each([1, d], ([row]) => Q.row(row).data)
  const k = each([S, d], () => K.data)
  // If the value is 1 at the key of the pair and 0 elsewhere, the output equals the weight of the pair.
  const v = each([S, 1], ([, column]) => Float32Array.from({ length: S }, (_, i) => (i === column ? 1 : 0)))
  const ones = each([1, 1], () => [1])
  const seen = visible && each([1, S], ([row]) => visible.subarray(row * S, (row + 1) * S))
  const { dQ, dK } = attentionBackward(qkv, q, k, v, ones, {
    scale: scaleOf(settings, d),
    ...(seen && { mask: new Tensor(Uint8Array.from(seen.data), seen.dims) }),
  })
  return { dQ, dK }
}

/** @template T @param {number} length @param {(i: number) => T} of @returns {T[]} */
const list = (length, of) => Array.from({ length }, (_, i) => of(i))
