// Traces how one attention weight was computed: the layer's input, query and key before and after rotation, their products, scale, softcap,
// bias, mask and softmax. Hooks read the vectors, scores and weights from the run itself; the steps between them are computed again.

import { attentionOf, readAt, specOf } from '../run/hooks.js'

/** @import { Stack } from '../../../attention-head/head.js' */
/** @import { Hook } from '../run/hooks.js' */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */

/** Number of weights in a layer above which only one row of one head is computed. */
const MOST_WEIGHTS = 2 ** 26

/**
 * @typedef {object} CellTrace
 * @property {Stack} stack
 * @property {number} layer
 * @property {number} head
 * @property {number} query
 * @property {number} key
 * @property {number} kvHead the key/value head, which several query heads may share
 * @property {Float32Array} q the query as used in the score
 * @property {Float32Array} k
 * @property {Float32Array} [qBare] the query before its rotation
 * @property {Float32Array} [kBare]
 * @property {Float32Array} xq input of the query projection: q = W_q xq + b
 * @property {Float32Array} xk
 * @property {number} dot product of q and k
 * @property {number} scale
 * @property {number} scaled
 * @property {number} [cap]
 * @property {number} [capped]
 * @property {number} [bias] added for the distance between query and key
 * @property {number} score input of the softmax; -Infinity if hidden
 * @property {number} largest score of the row
 * @property {number} sum of exp(score - largest) over the row
 * @property {number} weight
 * @property {boolean} isSet True if weights of the row were set by hand after the softmax
 * @property {Float32Array} scores of the row
 * @property {Float32Array} weights of the row
 */

/** @typedef {{ stack: Stack, layer: number, head: number, query: number, key: number }} CellAt */
/** @typedef {NonNullable<import('qkv/models').Model['stacks']['encoder']>} OwnStack */
/** Values that hooks recorded for the cell. @typedef {Record<string, Float32Array>} Seen */

/** Returns the index of the key/value head of a query head; several query heads may share one. @param {OwnStack} own @param {CellAt} at */
const kvHeadOf = ({ numHeads: heads, numKvHeads }, { head }) => Math.floor(head / (heads / numKvHeads))

/**
 * Copies the vector at one position, either of one head or of the whole layer.
 * @param {Numbers} values
 * @param {number} row
 * @param {number} size
 * @param {number} [n] index of the head
 */
function vectorOf({ data, dims }, row, size, n = 0) {
  const from = row * dims[dims.length - 1] + n * size
  return data.slice(from, from + size)
}

/**
 * Adds hooks that record the values of the cell. With `isAlone`, for a layer with too many weights, they record all keys of the head
 * instead of the row of weights.
 * @param {Record<string, Hook>} hooks the reader's hooks
 * @param {OwnStack} own
 * @param {CellAt} at
 * @param {boolean} isAlone
 * @returns {{ all: Record<string, Hook>, seen: Seen }} hooks, and `seen`, which the run fills
 */
function watch(hooks, own, at, isAlone) {
  const { stack, layer, head, query, key } = at
  const { headDim: D } = own
  const place = attentionOf(stack, layer)
  const kvHead = kvHeadOf(own, at)
  /** @type {Seen} */
  const seen = {}
  const all = { ...hooks }
  const see = (/** @type {string} */ name, /** @type {(values: Numbers) => Float32Array} */ read) =>
    readAt(all, place + name, values => {
      seen[name] = read(values)
    })
  const row = (/** @type {Numbers} */ { data, dims: [, , L, S] }) =>
    data.slice((head * L + query) * S, (head * L + query + 1) * S)

  see('input', values => {
    const [, , d] = values.dims
    if (stack !== 'cross') seen.xk = vectorOf(values, key, d)
    return vectorOf(values, query, d)
  })
  see('q', values => vectorOf(values, query, D, head))
  see('k', values => vectorOf(values, key, D, kvHead))
  if (own.rope && stack !== 'cross') {
    see('qBare', values => vectorOf(values, query, D, head))
    see('kBare', values => vectorOf(values, key, D, kvHead))
  }
  if (isAlone)
    readAt(all, `${place}k`, values => {
      const S = values.dims[1]
      seen.keys = new Float32Array(S * D)
      for (let i = 0; i < S; i++) seen.keys.set(vectorOf(values, i, D, kvHead), i * D)
    })
  else {
    const set = /** @type {((values: Numbers) => void) | undefined} */ (hooks[`${place}weights`])
    see('scores', row)
    all[`${place}weights`] = values => {
      seen.softmax = row(values)
      set?.(values)
      seen.weights = row(values)
    }
  }
  return { all, seen }
}

/**
 * Computes scores and weights of one row from its query and all keys.
 * @param {import('qkv').Qkv} qkv
 * @param {OwnStack} own
 * @param {CellAt} at
 * @param {Seen} seen
 * @returns {Seen}
 */
function rowAlone(qkv, own, { stack, layer, query }, seen) {
  const { headDim: D, scale, softcap } = own
  const isCross = stack === 'cross'
  const window = isCross ? undefined : own.windows[layer]
  const sides = window && (own.causal ? [window - 1, Infinity] : [(window - 1) / 2, (window - 1) / 2])
  const keys = { data: seen.keys, dims: [seen.keys.length / D, D] }
  const { masked, weights } = qkv.trace({ data: seen.q, dims: [1, D] }, keys, keys, {
    scale,
    softcap,
    causal: own.causal && !isCross,
    pastLength: query,
    window: /** @type {[number, number] | undefined} */ (sides),
    keep: ['masked', 'weights'],
  })
  return { scores: masked.data, softmax: weights.data, weights: weights.data }
}

/**
 * Returns the numbers of each step from query and key to the weight.
 * @param {import('qkv').Qkv} qkv
 * @param {OwnStack} own
 * @param {CellAt} at
 * @param {Seen} seen
 * @returns {CellTrace}
 */
function stepsOf(qkv, own, at, seen) {
  const { headDim: D, scale, softcap } = own
  const { q, k, scores, weights } = seen
  const dot = qkv.matmul({ data: q, dims: [1, D] }, { data: k, dims: [D, 1] }).data[0]
  const scaled = dot * scale
  const capped = softcap ? softcap * qkv.tanh({ data: Float32Array.of(scaled / softcap), dims: [1] }).data[0] : scaled
  const score = scores[at.key]
  const largest = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  // The largest score has the share exp(0) / sum, so the reciprocal of that share is the sum.
  const shares = qkv.softmax({ data: scores, dims: [1, scores.length] }).data
  const top = shares[scores.indexOf(largest)]
  const hasBias = own.relativeBias && at.stack !== 'cross' && Number.isFinite(score)
  return {
    ...at,
    kvHead: kvHeadOf(own, at),
    q,
    k,
    qBare: seen.qBare,
    kBare: seen.kBare,
    xq: seen.input,
    xk: seen.xk,
    dot,
    scale,
    scaled,
    cap: softcap || undefined,
    capped: softcap ? capped : undefined,
    bias: hasBias ? score - capped : undefined,
    score,
    largest,
    sum: top > 0 ? 1 / top : 0,
    weight: weights[at.key],
    isSet: weights.some((value, i) => value !== seen.softmax[i]),
    scores,
    weights,
  }
}

/**
 * Runs the model once and records how a weight was computed.
 * @param {import('qkv').Qkv} qkv
 * @param {import('qkv/models').Model} model
 * @param {import('qkv/models').ModelInput} input
 * @param {Record<string, Hook>} hooks
 * @param {CellAt} cell
 * @param {AbortSignal} [signal]
 * @param {number} [most] maximum weights of a layer; with more, only the row of the cell is computed, from its query and all keys
 * @returns {Promise<CellTrace>}
 */
export async function traceCell(qkv, model, input, hooks, cell, signal, most = MOST_WEIGHTS) {
  const { stack, layer, head, query, key } = cell
  const at = { stack, layer, head, query, key }
  const own = specOf(model, stack)
  const place = attentionOf(stack, layer)
  const [N, T] = [input.ids, input.decoderIds].map(
    ids => /** @type {ArrayLike<number> | undefined} */ (ids)?.length ?? 0,
  )
  const count = own.numHeads * (stack === 'cross' || stack === 'decoder' ? T : N) * (stack === 'decoder' ? T : N)
  const isSet = hooks[`${place}weights`] || hooks[`${place}scores`]
  const isAlone = count > most && !own.relativeBias && !isSet
  const { all, seen } = watch(hooks, own, at, isAlone)
  const { encoderLastHiddenState: encoded } = await model.forward(input, {
    hooks: all,
    logits: 'none',
    signal,
  })
  if (stack === 'cross' && encoded) seen.xk = vectorOf(encoded, key, encoded.dims[2])
  if (isAlone) Object.assign(seen, rowAlone(qkv, own, at, seen))
  return stepsOf(qkv, own, at, seen)
}
