// The models that are trained on the page: attention layers, and for translation an encoder with one cross-attention.
// Weights are (out, in), drawn from N(0, 1/in); embeddings from N(0, 1/d), as torch.randn(...) * std in this order.

import { tensor } from 'qkv'

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
  { inputs, outputs, previous, T },
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
  if (positions === 'learned') draw('position', T, d)
  const blocks = previous ? ['encoder', 'cross'] : Array.from({ length: layers }, (_, layer) => `${layer}`)
  for (const block of blocks) {
    if (norm) ones(`${block}.norm1`)
    for (const part of ['q', 'k', 'v', 'o']) draw(`${block}.${part}`, d, d)
    if (positions === 'distance') weights[`${block}.bias`] = tensor(new Float32Array(heads * T), [heads, T])
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
 * A decoder, or with `causal` false an encoder, that answers at each position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {boolean} causal
 * @param {readonly Touch[]} touches of each layer
 * @returns {Forward}
 */
export function layersForward(t, p, { ids, T }, { layers, heads, positions, norm, mlp }, causal, touches) {
  const rope = { numHeads: heads, base: ROPE_BASE, interleaved: true }
  const turned = (/** @type {FloatTensor} */ x) => (positions === 'rope' ? t.rope(x, rope) : x)
  const normed = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
    norm ? t.layerNorm(x, p[`${name}.weight`], p[`${name}.bias`]) : x
  /** @type {Attended[]} */
  const attended = []
  const inputs = []
  let h = t.embedding(inRows(ids, T), p.embed)
  if (positions === 'learned') h = t.add(h, p.position)
  /** @type {Part[]} */
  const parts = [{ kind: 'embedding', layer: -1, x: h }]
  for (let l = 0; l < layers; l++) {
    const x = normed(h, `${l}.norm1`)
    const q = turned(t.linear(x, p[`${l}.q`]))
    const k = turned(t.linear(x, p[`${l}.k`]))
    const v = t.linear(x, p[`${l}.v`])
    const mask = touches[l]?.mask
    const bias = positions === 'distance' ? t.relativeBias(p[`${l}.bias`], T) : undefined
    const options = { numHeads: heads, causal, ...(mask && { mask }), ...(bias && { bias }) }
    inputs.push(x)
    attended.push({ q, k, v, options })
    const out = touched(t, p, `${l}`, t.attention(q, k, v, options), touches[l])
    parts.push({ kind: 'attention', layer: l, x: out })
    h = t.add(h, t.linear(out, p[`${l}.o`]))
    if (!mlp) continue
    const more = t.linear(t.relu(t.linear(normed(h, `${l}.norm2`), p[`${l}.up`])), p[`${l}.down`])
    parts.push({ kind: 'mlp', layer: l, x: more })
    h = t.add(h, more)
  }
  return { logits: t.linear(normed(h, 'norm'), p.unembed), layers: attended, parts, last: h, inputs }
}

/**
 * Translation: keys see their sentence by one self-attention, values are the words themselves, queries know the word
 * before and their position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {{ source: FloatTensor, target: FloatTensor }} positions
 * @param {readonly Touch[]} touches of the encoder, of the cross-attention
 * @returns {Forward}
 */
export function translationForward(t, p, { ids, previous, T, L, lengths }, { heads, norm }, positions, touches) {
  const normed = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
    norm ? t.layerNorm(x, p[`${name}.weight`], p[`${name}.bias`]) : x
  /** @type {Part[]} */
  const parts = []
  /** @type {FloatTensor[]} */
  const inputs = []
  const attend = (/** @type {string} */ block, /** @type {FloatTensor[]} */ [queries, keys, values]) => {
    const touch = touches[attended.length]
    const options = { numHeads: heads, keyLengths: lengths, ...(touch?.mask && { mask: touch.mask }) }
    const q = t.linear(queries, p[`${block}.q`])
    const k = t.linear(keys, p[`${block}.k`])
    const v = t.linear(values, p[`${block}.v`])
    const x = touched(t, p, block, t.attention(q, k, v, options), touch)
    inputs.push(queries)
    parts.push({ kind: 'attention', layer: attended.length, x })
    attended.push({ q, k, v, options })
    return t.linear(x, p[`${block}.o`])
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
  const logits = t.linear(normed(context, 'norm'), p.unembed)
  return { logits, layers: attended, parts: parts.slice(1), last: context, inputs }
}
