// The models trained on the page: layers of self-attention, for translation followed by one cross-attention. Weights are (out, in), drawn
// from N(0, 1/in). Embeddings of width d are drawn from N(0, 1/d). Each draw equals torch.randn(...) * std.
// Shapes: B sequences in the batch, L queries, S keys, T positions, d width of the residual stream.

import { tensor } from 'qkv'

/** @import { LearnSettings, Shape } from './tasks/task.js' */
/** @import { Batch } from './tasks/batch.js' */
/** @import { Tape } from 'qkv/train' */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {Record<string, FloatTensor>} Weights */
/** @typedef {{ q: FloatTensor, k: FloatTensor, v: FloatTensor, options: { numHeads: number, causal?: boolean, keyLengths?: readonly number[], mask?: import('qkv').TensorLike, bias?: FloatTensor } }} Attended inputs of an attention */

/**
 * Changes to heads during a forward pass.
 * @typedef {object} Hooks
 * @property {(layer: number) => import('qkv').TensorLike | undefined} [mask] returns a boolean mask (heads, L, S); true is visible
 * @property {(t: Tape, layer: number, out: FloatTensor) => FloatTensor} [output] returns the changed outputs of the heads
 *   of a layer, (B, L, d)
 */

/**
 * A part of the model that adds to the last hidden state. `x`, (B, L, d), is the tensor that it adds; for an attention, the concatenated
 * outputs of its heads before the output weights.
 * @typedef {{ kind: 'embedding' | 'attention' | 'mlp', layer: number, x: FloatTensor }} Part
 */

/**
 * @typedef {object} Forward
 * @property {FloatTensor} logits
 * @property {Attended[]} layers
 * @property {Part[]} parts the terms of the last hidden state
 * @property {FloatTensor} last the last hidden state, before the last LayerNorm
 * @property {FloatTensor[]} inputs for each attention, the tensor that its queries are projected from: (B, L, d)
 */

const ROPE_BASE = 100

/**
 * Lists the names of the attentions; with cross-attention, the encoder's first.
 * @param {boolean | undefined} hasCross
 * @param {number} layers
 */
export const blocksOf = (hasCross, layers) =>
  hasCross
    ? [...Array.from({ length: layers }, (_, layer) => `encoder${layer || ''}`), 'cross']
    : Array.from({ length: layers }, (_, layer) => `${layer}`)

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
 * Returns sines and cosines of the positions, (T, d), with a root mean square of 1/sqrt(d).
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
 * Returns the building blocks of both models. They record the attentions, their inputs and the terms of the last hidden state.
 * @param {Tape} t
 * @param {Weights} p
 * @param {LearnSettings} settings
 * @param {{ causal: boolean } | { keyLengths: readonly number[] | undefined }} seen
 * @param {Hooks} hooks
 */
function partsOf(t, p, { heads, positions, norm, mlp }, seen, hooks) {
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
  const placed = (/** @type {FloatTensor} */ x, /** @type {string} */ name, /** @type {FloatTensor} */ table) =>
    positions === 'sinusoids' ? t.add(x, table) : positions === 'learned' ? t.add(x, p[name]) : x
  const attend = (/** @type {string} */ block, /** @type {FloatTensor[]} */ [queries, keys, values]) => {
    const layer = layers.length
    const q = turned(t.linear(queries, p[`${block}.q`]))
    const k = turned(t.linear(keys, p[`${block}.k`]))
    const v = t.linear(values, p[`${block}.v`])
    const mask = hooks.mask?.(layer)
    const [L, S] = [q.dims[1], k.dims[1]]
    const bias = positions === 'distance' ? t.relativeBias(p[`${block}.bias`], L, S) : undefined
    /** @type {Attended['options']} */
    const options = { numHeads: heads, ...seen }
    if (mask) options.mask = mask
    if (bias) options.bias = bias
    inputs.push(queries)
    layers.push({ q, k, v, options })
    const out = t.attention(q, k, v, options)
    const x = hooks.output?.(t, layer, out) ?? out
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
 * Runs a decoder, or with `causal` false an encoder, that answers at each position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {boolean} causal
 * @param {{ source: FloatTensor }} table sinusoids of the positions
 * @param {Hooks} [hooks]
 * @returns {Forward}
 */
export function layersForward(t, p, { ids, T }, settings, causal, table, hooks = {}) {
  const { placed, layer, logitsOf, layers, inputs, parts } = partsOf(t, p, settings, { causal }, hooks)
  let h = placed(t.embedding(inRows(ids, T), p.embed), 'position', table.source)
  parts.push({ kind: 'embedding', layer: -1, x: h })
  for (const block of blocksOf(false, settings.layers)) h = layer(block, h)
  return { logits: logitsOf(h), layers, parts, last: h, inputs }
}

/**
 * Runs an encoder with cross-attention. Keys come from the encoder, which sees the whole sentence; values come from the embeddings of
 * single words; queries come from the previous word of the translation and the position.
 * @param {Tape} t
 * @param {Weights} p
 * @param {Batch} batch
 * @param {LearnSettings} settings
 * @param {boolean} _ unused, since the source is not causal
 * @param {{ source: FloatTensor, target: FloatTensor }} table sinusoids of the positions
 * @param {Hooks} [hooks]
 * @returns {Forward}
 */
export function crossForward(t, p, { ids, previous, T, L, lengths }, settings, _, table, hooks = {}) {
  const seen = { keyLengths: lengths }
  const { normed, placed, attend, fed, layer, logitsOf, layers, inputs, parts } = partsOf(t, p, settings, seen, hooks)
  const words = t.embedding(inRows(ids, T), p.embed)
  let h = placed(words, 'position', table.source)
  for (const block of blocksOf(true, settings.layers).slice(0, -1)) h = layer(block, h)
  const before = t.embedding(inRows(/** @type {Int32Array} */ (previous), L), p.embedTarget)
  const queries = normed(placed(before, 'positionTarget', table.target), 'cross.norm1')
  parts.length = 0 // the encoder's parts add nothing to a logit directly
  const context = fed('cross', attend('cross', [queries, h, words]))
  return { logits: logitsOf(context), layers, parts, last: context, inputs }
}
