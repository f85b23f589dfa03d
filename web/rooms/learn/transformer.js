// The models that are trained on the page: layers of self-attention, for translation with one cross-attention behind them.
// Weights are (out, in), drawn from N(0, 1/in); embeddings from N(0, 1/d), as torch.randn(...) * std in this order.

import { tensor } from 'qkv'
import { blocksOf } from './recipes.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./recipes.js').Shape} Shape */
/** @typedef {import('./tasks/batch.js').Batch} Batch */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {Record<string, FloatTensor>} Weights */
/** @typedef {import('qkv/train').Tape} Tape */
/** @typedef {{ q: FloatTensor, k: FloatTensor, v: FloatTensor, options: { numHeads: number, causal?: boolean, keyLengths?: readonly number[], mask?: import('qkv').TensorLike, bias?: FloatTensor } }} Attended what an attention was given */

/**
 * What the reader changes in the heads of one attention.
 * @typedef {object} Touch
 * @property {Float32Array} [factors] (d): factors of the heads' outputs
 * @property {Float32Array} [added] (d): added to them
 * @property {import('qkv').TensorLike} [mask] (heads, L, S), boolean
 */

/**
 * An addend of the logits: (B, L, d), for an attention before its output weights.
 * @typedef {{ kind: 'embedding' | 'attention' | 'mlp', layer: number, x: FloatTensor }} Part
 */

/**
 * @typedef {object} Forward
 * @property {FloatTensor} logits
 * @property {Attended[]} layers
 * @property {Part[]} parts whose sum is the last hidden state
 * @property {FloatTensor} last that state, before the last LayerNorm
 * @property {FloatTensor[]} inputs of each attention, (B, T, d): what its queries are computed from
 */

const ROPE_BASE = 100

/**
 * @param {import('qkv').Generator} generator
 * @param {LearnSettings} settings
 * @param {Shape} shape
 * @returns {Weights}
 */
export function initialWeights(
  generator,
  { layers, heads, d, mlp, norm, positions },
  { inputs, outputs, previous, T, L },
) {
  /** @type {Weights} */
  const weights = {}
  const draw = (/** @type {string} */ name, /** @type {number} */ rows, /** @type {number} */ columns) => {
    weights[name] = generator.normal([rows, columns], 0, 1 / Math.sqrt(columns))
  }
  const ones = (/** @type {string} */ name) => {
    weights[`${name}.weight`] = tensor(new Float32Array(d).fill(1), [d])
    weights[`${name}.bias`] = tensor(new Float32Array(d), [d])
  }
  draw('embed', inputs, d)
  if (previous) draw('embedTarget', previous, d)
  if (positions === 'learned') {
    draw('position', T, d)
    if (previous) draw('positionTarget', L, d)
  }
  for (const block of blocksOf(previous !== undefined, layers)) {
    if (norm) ones(`${block}.norm1`)
    for (const part of ['q', 'k', 'v', 'o']) draw(`${block}.${part}`, d, d)
    if (positions === 'distance') weights[`${block}.bias`] = tensor(new Float32Array(heads * T), [heads, T])
    if (!mlp) continue
    if (norm) ones(`${block}.norm2`)
    draw(`${block}.up`, mlp, d)
    draw(`${block}.down`, d, mlp)
  }
  if (norm) ones('norm')
  draw('unembed', outputs, d)
  return weights
}

/**
 * Sine and cosine of the positions, (T, d), with a root mean square of 1/sqrt(d).
 * @param {number} T
 * @param {number} d
 */
export function sinusoids(T, d) {
  const data = Float32Array.from({ length: T * d }, (_, i) => {
    const column = i % d
    const angle = Math.floor(i / d) * Math.exp((-Math.log(1000) * (column - (column % 2))) / d)
    return Math.sqrt(2 / d) * (column % 2 ? Math.cos(angle) : Math.sin(angle))
  })
  return tensor(data, [T, d])
}

/** @param {Int32Array} ids @param {number} rows */
const inRows = (ids, rows) => ({ data: ids, dims: [ids.length / rows, rows] })

/**
 * The outputs of heads with the reader's changes; `out.NAME` is a parameter of zeros whose gradient is asked for.
 * @param {Tape} t
 * @param {Weights} p
 * @param {string} name of the attention
 * @param {FloatTensor} out
 * @param {Touch} [touch]
 */
function touched(t, p, name, out, { factors, added } = {}) {
  const { length } = factors ?? []
  let y = out
  if (factors) y = t.mul(y, { data: factors, dims: [length] })
  if (added) y = t.add(y, { data: added, dims: [added.length] })
  return p[`out.${name}`] ? t.add(y, p[`out.${name}`]) : y
}

/**
 * What the models are made of, and what is known of it afterwards.
 * @param {Tape} t
 * @param {Weights} p
 * @param {LearnSettings} settings
 * @param {{ causal: boolean } | { keyLengths: readonly number[] | undefined }} seen
 * @param {readonly Touch[]} touches of each attention
 */
function partsOf(t, p, { heads, positions, norm, mlp }, seen, touches) {
  const rope = { numHeads: heads, base: ROPE_BASE, interleaved: true }
  const turned = (/** @type {FloatTensor} */ x) => (positions === 'rope' ? t.rope(x, rope) : x)
  /** @type {Attended[]} */
  const layers = []
  /** @type {FloatTensor[]} */
  const inputs = []
  /** @type {Part[]} */
  const parts = []
  const normed = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
    norm ? t.layerNorm(x, p[`${name}.weight`], p[`${name}.bias`]) : x
  const placed = (/** @type {FloatTensor} */ x, /** @type {string} */ name, /** @type {FloatTensor} */ waves) =>
    positions === 'sinusoids' ? t.add(x, waves) : positions === 'learned' ? t.add(x, p[name]) : x
  const attend = (/** @type {string} */ block, /** @type {FloatTensor[]} */ [queries, keys, values]) => {
    const layer = layers.length
    const q = turned(t.linear(queries, p[`${block}.q`]))
    const k = turned(t.linear(keys, p[`${block}.k`]))
    const v = t.linear(values, p[`${block}.v`])
    const mask = touches[layer]?.mask
    const [L, S] = [q.dims[1], k.dims[1]]
    const bias = positions === 'distance' ? t.relativeBias(p[`${block}.bias`], L, S) : undefined
    const options = { numHeads: heads, ...seen, ...(mask && { mask }), ...(bias && { bias }) }
    inputs.push(queries)
    layers.push({ q, k, v, options })
    const x = touched(t, p, block, t.attention(q, k, v, options), touches[layer])
    parts.push({ kind: 'attention', layer, x })
    return t.linear(x, p[`${block}.o`])
  }
  const fed = (/** @type {string} */ block, /** @type {FloatTensor} */ h) => {
    if (!mlp) return h
    const x = t.linear(t.relu(t.linear(normed(h, `${block}.norm2`), p[`${block}.up`])), p[`${block}.down`])
    parts.push({ kind: 'mlp', layer: layers.length - 1, x })
    return t.add(h, x)
  }
  const layer = (/** @type {string} */ block, /** @type {FloatTensor} */ h) => {
    const x = normed(h, `${block}.norm1`)
    return fed(block, t.add(h, attend(block, [x, x, x])))
  }
  const logitsOf = (/** @type {FloatTensor} */ last) => t.linear(normed(last, 'norm'), p.unembed)
  return { normed, placed, attend, fed, layer, logitsOf, layers, inputs, parts }
}

/**
 * A decoder, or with `causal` false an encoder, that answers at each position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {boolean} causal
 * @param {{ source: FloatTensor }} waves sinusoids
 * @param {readonly Touch[]} touches of each layer
 * @returns {Forward}
 */
export function layersForward(t, p, { ids, T }, settings, causal, waves, touches) {
  const { placed, layer, logitsOf, layers, inputs, parts } = partsOf(t, p, settings, { causal }, touches)
  let h = placed(t.embedding(inRows(ids, T), p.embed), 'position', waves.source)
  parts.push({ kind: 'embedding', layer: -1, x: h })
  for (const block of blocksOf(false, settings.layers)) h = layer(block, h)
  return { logits: logitsOf(h), layers, parts, last: h, inputs }
}

/**
 * Translation: keys see their sentence by self-attention, values are the words themselves, queries know the word before
 * and their position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {{ source: FloatTensor, target: FloatTensor }} waves sinusoids
 * @param {readonly Touch[]} touches of the encoder, of the cross-attention
 * @returns {Forward}
 */
export function translationForward(t, p, { ids, previous, T, L, lengths }, settings, waves, touches) {
  const seen = { keyLengths: lengths }
  const { normed, placed, attend, fed, layer, logitsOf, layers, inputs, parts } = partsOf(t, p, settings, seen, touches)
  const words = t.embedding(inRows(ids, T), p.embed)
  let h = placed(words, 'position', waves.source)
  for (const block of blocksOf(true, settings.layers).slice(0, -1)) h = layer(block, h)
  const before = t.embedding(inRows(/** @type {Int32Array} */ (previous), L), p.embedTarget)
  const queries = normed(placed(before, 'positionTarget', waves.target), 'cross.norm1')
  parts.length = 0 // the encoder's add to no logit directly
  const context = fed('cross', attend('cross', [queries, h, words]))
  return { logits: logitsOf(context), layers, parts, last: context, inputs }
}
