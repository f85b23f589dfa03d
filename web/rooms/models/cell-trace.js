// How one attention weight was computed: what the layer reads, query and key before and after their rotation, their products,
// what the score is multiplied with, cap, bias, mask, softmax. Every number is read from the run itself, at the places of its
// hooks, or is a weight of the model.

import { attentionOf, readAt } from './hooks.js'

/** @typedef {import('./hooks.js').Stack} Stack */
/** @typedef {import('./hooks.js').Hook} Hook */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */

/** Weights of a layer that are computed for one of them. */
const MOST_WEIGHTS = 2 ** 26

/**
 * @typedef {object} CellTrace
 * @property {Stack} stack
 * @property {number} layer
 * @property {number} head
 * @property {number} query
 * @property {number} key
 * @property {number} kvHead the head of the keys, which several query heads may share
 * @property {Float32Array} q as it enters the score
 * @property {Float32Array} k
 * @property {Float32Array} [qBare] before its rotation
 * @property {Float32Array} [kBare]
 * @property {Float32Array} xq what the projection of the query reads: W_q xq + b
 * @property {Float32Array} xk
 * @property {number} dot of q and k
 * @property {number} scale
 * @property {number} scaled
 * @property {number} [cap]
 * @property {number} [capped]
 * @property {number} [bias] of the distance
 * @property {number} score as softmax reads it; -Infinity is hidden
 * @property {number} largest score of the row
 * @property {number} sum of exp(score - largest) over the row
 * @property {number} weight
 * @property {boolean} isSet were weights of the row set by hand after the softmax?
 * @property {Float32Array} scores of the row
 * @property {Float32Array} weights of the row
 */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {import('qkv/models').Model} model
 * @param {import('qkv/models').ModelInput} input
 * @param {Record<string, Hook>} hooks
 * @param {{ stack: Stack, layer: number, head: number, query: number, key: number }} at
 * @param {AbortSignal} [signal]
 * @param {number} [most] weights of a layer; of one with more, the row alone is computed, from its query and all keys
 * @returns {Promise<CellTrace>}
 */
export async function traceCell(
  qkv,
  model,
  input,
  hooks,
  { stack, layer, head, query, key },
  signal,
  most = MOST_WEIGHTS,
) {
  const place = attentionOf(stack, layer)
  const { encoder, decoder } = model.stacks
  const own = /** @type {NonNullable<typeof encoder>} */ (stack === 'encoder' ? encoder : (decoder ?? encoder))
  const { headDim: D, heads: H, kvHeads: G, scale, softcap } = own
  const kvHead = Math.floor(head / (H / G))
  /** @type {Record<string, Float32Array>} */
  const seen = {}
  const all = { ...hooks }
  const see = (/** @type {string} */ name, /** @type {(values: Numbers) => Float32Array} */ read) =>
    readAt(all, place + name, values => {
      seen[name] = read(values)
    })
  const vector =
    (/** @type {number} */ row, /** @type {number} */ n) =>
    (/** @type {Numbers} */ { data, dims }) => {
      const from = row * dims[dims.length - 1] + n * D
      return data.slice(from, from + D)
    }
  const inputs =
    (/** @type {number} */ row) =>
    (/** @type {Numbers} */ { data, dims: [, , d] }) =>
      data.slice(row * d, (row + 1) * d)
  const row = (/** @type {Numbers} */ { data, dims: [, , L, S] }) =>
    data.slice((head * L + query) * S, (head * L + query + 1) * S)
  const isCross = stack === 'cross'
  see('input', values => {
    if (!isCross) seen.xk = inputs(key)(values)
    return inputs(query)(values)
  })
  see('q', vector(query, head))
  see('k', vector(key, kvHead))
  const isRotated = own.rope && !isCross
  if (isRotated) {
    see('qBare', vector(query, head))
    see('kBare', vector(key, kvHead))
  }
  const set = /** @type {((values: Numbers) => void) | undefined} */ (hooks[`${place}weights`])
  const [N, T] = [input.ids, input.decoderIds].map(
    ids => /** @type {ArrayLike<number> | undefined} */ (ids)?.length ?? 0,
  )
  const count = H * (isCross || stack === 'decoder' ? T : N) * (stack === 'decoder' ? T : N)
  const isAlone = count > most && !own.relativeBias && !set && !hooks[`${place}scores`]
  if (isAlone) {
    readAt(all, `${place}k`, values => {
      const S = values.dims[1]
      const keys = new Float32Array(S * D)
      for (let i = 0; i < S; i++) keys.set(vector(i, kvHead)(values), i * D)
      seen.keys = keys
    })
  } else {
    see('scores', row)
    all[`${place}weights`] = values => {
      seen.softmax = row(values)
      set?.(values)
      seen.weights = row(values)
    }
  }
  const { encoderLastHiddenState: encoded } = await model.forwardAsync(input, {
    hooks: /** @type {any} */ (all),
    logits: 'none',
    signal,
  })
  if (isCross && encoded) seen.xk = inputs(key)(/** @type {Numbers} */ (encoded))
  if (isAlone) {
    const window = isCross ? undefined : own.windows[layer]
    const sides = window && (own.causal ? [window - 1, Infinity] : [(window - 1) / 2, (window - 1) / 2])
    const keys = { data: seen.keys, dims: [seen.keys.length / D, D] }
    const made = qkv.trace({ data: seen.q, dims: [1, D] }, keys, keys, {
      scale,
      softcap,
      causal: own.causal && !isCross,
      pastLength: query,
      window: /** @type {[number, number] | undefined} */ (sides),
      keep: ['masked', 'weights'],
    })
    Object.assign(seen, { scores: made.masked.data, softmax: made.weights.data, weights: made.weights.data })
  }
  const { q, k, scores, weights } = seen
  const dot = qkv.matmul({ data: q, dims: [1, D] }, { data: k, dims: [D, 1] }).data[0]
  const scaled = dot * scale
  const capped = softcap ? softcap * qkv.tanh({ data: Float32Array.of(scaled / softcap), dims: [1] }).data[0] : scaled
  const score = scores[key]
  const largest = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  // Softmax of the row, by the core: exp(0) of its largest score is one share, so the sum is its reciprocal.
  const shares = qkv.softmax({ data: scores, dims: [1, scores.length] }).data
  const top = shares[scores.indexOf(largest)]
  const bias = own.relativeBias && !isCross && Number.isFinite(score) ? score - capped : undefined
  return {
    stack,
    layer,
    head,
    query,
    key,
    kvHead,
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
    bias,
    score,
    largest,
    sum: top > 0 ? 1 / top : 0,
    weight: weights[key],
    isSet: weights.some((value, i) => value !== seen.softmax[i]),
    scores,
    weights,
  }
}
