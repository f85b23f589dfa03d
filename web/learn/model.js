// The models that learn on the page: attention layers, and for translation an encoder with one cross-attention.
// Weights are (out, in), drawn from N(0, 1/in); embeddings from N(0, 1/d), as torch.randn(...) * std in this order.

import { tensor } from 'qkv'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./recipes.js').Shape} Shape */
/** @typedef {import('./tasks/batch.js').Batch} Batch */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {Record<string, FloatTensor>} Weights */
/** @typedef {import('qkv/train').Tape} Tape */
/** @typedef {{ q: FloatTensor, k: FloatTensor, v: FloatTensor, options: { numHeads: number, causal?: boolean, keyLengths?: readonly number[] } }} Attended what an attention was given */
/** @typedef {{ logits: FloatTensor, layers: Attended[] }} Forward */

const ROPE_BASE = 100

/**
 * @param {import('qkv').Generator} generator
 * @param {LearnSettings} settings
 * @param {Shape} shape
 * @returns {Weights}
 */
export function initialWeights(generator, { layers, d, mlp, norm, positions }, { inputs, outputs, previous, T }) {
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
  if (positions === 'learned') draw('position', T, d)
  const blocks = previous ? ['encoder', 'cross'] : Array.from({ length: layers }, (_, layer) => `${layer}`)
  for (const block of blocks) {
    if (norm) ones(`${block}.norm1`)
    for (const part of ['q', 'k', 'v', 'o']) draw(`${block}.${part}`, d, d)
    if (!mlp || previous) continue
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
 * A decoder, or with `causal` false an encoder, that answers at each position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {boolean} causal
 * @returns {Forward}
 */
export function layersForward(t, p, { ids, T }, { layers, heads, positions, norm, mlp }, causal) {
  const options = { numHeads: heads, causal }
  const rope = { numHeads: heads, base: ROPE_BASE, interleaved: true }
  const turned = (/** @type {FloatTensor} */ x) => (positions === 'rope' ? t.rope(x, rope) : x)
  const normed = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
    norm ? t.layerNorm(x, p[`${name}.weight`], p[`${name}.bias`]) : x
  /** @type {Attended[]} */
  const attended = []
  let h = t.embedding(inRows(ids, T), p.embed)
  if (positions === 'learned') h = t.add(h, p.position)
  for (let l = 0; l < layers; l++) {
    const x = normed(h, `${l}.norm1`)
    const q = turned(t.linear(x, p[`${l}.q`]))
    const k = turned(t.linear(x, p[`${l}.k`]))
    const v = t.linear(x, p[`${l}.v`])
    attended.push({ q, k, v, options })
    h = t.add(h, t.linear(t.attention(q, k, v, options), p[`${l}.o`]))
    if (mlp) h = t.add(h, t.linear(t.relu(t.linear(normed(h, `${l}.norm2`), p[`${l}.up`])), p[`${l}.down`]))
  }
  return { logits: t.linear(normed(h, 'norm'), p.unembed), layers: attended }
}

/**
 * Translation: keys see their sentence by one self-attention, values are the words themselves, queries know the word
 * before and their position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {{ source: FloatTensor, target: FloatTensor }} positions
 * @returns {Forward}
 */
export function translationForward(t, p, { ids, previous, T, L, lengths }, { heads, norm }, positions) {
  const options = { numHeads: heads, keyLengths: lengths }
  const normed = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
    norm ? t.layerNorm(x, p[`${name}.weight`], p[`${name}.bias`]) : x
  const attend = (/** @type {string} */ block, /** @type {FloatTensor[]} */ [queries, keys, values]) => {
    const q = t.linear(queries, p[`${block}.q`])
    const k = t.linear(keys, p[`${block}.k`])
    const v = t.linear(values, p[`${block}.v`])
    attended.push({ q, k, v, options })
    return t.linear(t.attention(q, k, v, options), p[`${block}.o`])
  }
  /** @type {Attended[]} */
  const attended = []
  const words = t.embedding(inRows(ids, T), p.embed)
  const h = t.add(words, positions.source)
  const x = normed(h, 'encoder.norm1')
  const encoded = t.add(h, attend('encoder', [x, x, x]))
  const before = t.embedding(inRows(/** @type {Int32Array} */ (previous), L), p.embedTarget)
  const queries = normed(t.add(before, positions.target), 'cross.norm1')
  const context = attend('cross', [queries, encoded, words])
  return { logits: t.linear(normed(context, 'norm'), p.unembed), layers: attended }
}
