// The model of sentence-model.js for onnxruntime, with the operators that onnxruntime's optimiser makes of a BERT. It fuses bias and gelu, residual
// and norm, and the attention of all heads; int8 becomes DynamicQuantizeMatMul. The graph computes the mean over a text's tokens as a product with
// `share`.

import { encodeModel } from '../peers/onnx.js'
import { SIZES } from './sentence-model.js'

/** @import { Node, Value } from '../peers/onnx.js' */
/** @import { Weights } from '../gpt2/checkpoint.js' */

const domain = 'com.microsoft'
const OWN = ['Gather', 'Add', 'MatMul', 'LayerNormalization', 'Gelu', 'Cast', 'Shape', 'Range']
const INT32 = 6 // ONNX's code of the type, for Cast

/**
 * @param {Weights} weights
 * @param {boolean} isInt8
 * @param {boolean} [isUsual] true for the inputs and the output of published models: input_ids, attention_mask and last_hidden_state
 */
export function encode({ data, places }, isInt8, isUsual = false) {
  const { layers, heads, d } = SIZES
  /** @type {Node[]} */
  const nodes = []
  /** @type {Value[]} */
  const constants = []
  /** @param {string} name @param {number[]} dims @param {Value['data']} values */
  const constant = (name, dims, values) => {
    constants.push({ name, dims, data: values })
    return name
  }
  const stored = (/** @type {string} */ name) => {
    const { dims, from, length } = /** @type {import('../gpt2/checkpoint.js').Place} */ (places.get(name))
    return { dims, values: data.subarray(from, from + length) }
  }
  const weight = (/** @type {string} */ name) => constant(name, stored(name).dims, stored(name).values)
  /** @param {string} op @param {string[]} inputs @param {string} output @param {Node['attributes']} [attributes] */
  const node = (op, inputs, output, attributes) => {
    nodes.push({ op, inputs, outputs: [output], attributes, domain: OWN.includes(op) ? '' : domain })
    return output
  }
  const epsilon = { epsilon: { float: 1e-12 } }
  /** Adds a node for x W^T, without the bias. @param {string} x @param {string} name */
  const product = (x, name) => {
    const { dims, values } = stored(`${name}.weight`)
    const [N, K] = dims
    const turned = new Float32Array(N * K)
    for (let n = 0; n < N; n++) for (let k = 0; k < K; k++) turned[k * N + n] = values[n * K + k]
    if (!isInt8) return node('MatMul', [x, constant(`${name}.w`, [K, N], turned)], `${name}.xw`)
    const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
    const whole = Int8Array.from(turned, value => Math.round(value / scale))
    const inputs = [x, constant(`${name}.w`, [K, N], whole), constant(`${name}.s`, [1], Float32Array.of(scale))]
    return node('DynamicQuantizeMatMul', inputs, `${name}.xw`)
  }
  const linear = (/** @type {string} */ x, /** @type {string} */ name) =>
    node('Add', [product(x, name), weight(`${name}.bias`)], `${name}.y`)
  /** Adds a node for the norm of x + y + bias. @param {string} x @param {string} y @param {string} bias @param {string} name */
  const added = (x, y, bias, name) =>
    node(
      'SkipLayerNormalization',
      [x, y, weight(`${name}.weight`), weight(`${name}.bias`), weight(bias)],
      `${name}.y`,
      epsilon,
    )
  const ids = isUsual ? 'input_ids' : 'ids'
  if (isUsual) {
    const whole = (/** @type {number} */ value) => constant(`whole.${value}`, [], Int32Array.of(value))
    node('Cast', ['attention_mask'], 'mask', { to: INT32 })
    const length = node('Gather', [node('Shape', [ids], 'shape'), whole(1)], 'length', { axis: 0 })
    node('Range', [whole(0), node('Cast', [length], 'limit', { to: INT32 }), whole(1)], 'positions')
  }
  const tokens = node('Gather', [weight('embeddings.word_embeddings.weight'), ids], 'tokens', { axis: 0 })
  const places2 = node('Gather', [weight('embeddings.position_embeddings.weight'), 'positions'], 'places', { axis: 0 })
  const type = stored('embeddings.token_type_embeddings.weight').values.slice(0, d)
  const sum = node('Add', [node('Add', [tokens, places2], 'sum'), constant('type', [d], type)], 'embedded')
  const at = 'embeddings.LayerNorm'
  let h = node('LayerNormalization', [sum, weight(`${at}.weight`), weight(`${at}.bias`)], 'h', { axis: -1, ...epsilon })
  for (let i = 0; i < layers; i++) {
    const at = `encoder.layer.${i}.`
    const [q, k, v] = ['query', 'key', 'value'].map(name => linear(h, `${at}attention.self.${name}`))
    const mixed = node('MultiHeadAttention', [q, k, v, '', 'mask'], `${at}mixed`, { num_heads: heads })
    const out = `${at}attention.output`
    h = added(product(mixed, `${out}.dense`), h, `${out}.dense.bias`, `${out}.LayerNorm`)
    const up = `${at}intermediate.dense`
    const inner = node('BiasGelu', [product(h, up), weight(`${up}.bias`)], `${at}inner`)
    h = added(product(inner, `${at}output.dense`), h, `${at}output.dense.bias`, `${at}output.LayerNorm`)
  }
  if (isUsual) {
    const inputs = ['input_ids', 'attention_mask'].map(name => ({
      name,
      dims: ['B', 'L'],
      type: /** @type {const} */ ('int64'),
    }))
    const last = /** @type {Node} */ (nodes.find(({ outputs }) => outputs[0] === h))
    last.outputs = ['last_hidden_state']
    return encodeModel({ nodes, inputs, outputs: [{ name: 'last_hidden_state', dims: ['B', 'L', d] }], constants })
  }
  node('MatMul', ['share', h], 'mean')
  /** @type {Value[]} */
  const inputs = [
    { name: 'ids', dims: ['B', 'L'], type: 'int32' },
    { name: 'positions', dims: ['B', 'L'], type: 'int32' },
    { name: 'mask', dims: ['B', 'L'], type: 'int32' },
    { name: 'share', dims: ['B', 1, 'L'] },
  ]
  return encodeModel({ nodes, inputs, outputs: [{ name: 'mean', dims: ['B', 1, d] }], constants })
}

/**
 * @param {string} name of the package
 * @param {Weights} weights
 * @param {boolean} isInt8
 */
export async function openMiniLM(name, weights, isInt8) {
  const ort = await import(name)
  ort.env.wasm.numThreads = 1
  ort.env.logLevel = 'fatal'
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 }
  const session = await ort.InferenceSession.create(encode(weights, isInt8), options)
  /** Returns the embeddings of a batch, padded to its longest text. @param {number[][]} rows @returns {Promise<Float32Array>} */
  const batch = async rows => {
    const [B, L] = [rows.length, Math.max(...rows.map(ids => ids.length))]
    const [ids, positions, mask] = [0, 1, 2].map(() => new Int32Array(B * L))
    const share = new Float32Array(B * L)
    for (const [b, row] of rows.entries())
      for (let i = 0; i < L; i++) {
        positions[b * L + i] = i
        if (i >= row.length) continue
        ids[b * L + i] = row[i]
        mask[b * L + i] = 1
        share[b * L + i] = 1 / row.length
      }
    const whole = (/** @type {Int32Array} */ data) => new ort.Tensor('int32', data, [B, L])
    const feeds = { ids: whole(ids), positions: whole(positions), mask: whole(mask) }
    return (await session.run({ ...feeds, share: new ort.Tensor('float32', share, [B, 1, L]) })).mean.data
  }
  return { ways: waysOf(batch), dispose: () => session.release() }
}

/**
 * Returns three functions that run texts through `batch`, by name: one by one, in batches of 32, in batches of 32 after sorting by length.
 * @param {(texts: number[][]) => Promise<Float32Array>} batch
 * @returns {Record<string, (texts: number[][]) => Promise<Float32Array>>}
 */
export function waysOf(batch) {
  /** Runs texts in batches of `size`. @param {number[][]} texts @param {number} size */
  const inBatches = async (texts, size) => {
    const out = new Float32Array(texts.length * SIZES.d)
    for (let n = 0; n < texts.length; n += size) out.set(await batch(texts.slice(n, n + size)), n * SIZES.d)
    return out
  }
  const sorted = (/** @type {number[][]} */ texts) => [...texts].sort((a, b) => a.length - b.length)
  return {
    'one by one': texts => inBatches(texts, 1),
    'batches of 32': texts => inBatches(texts, 32),
    'sorted batches of 32': texts => inBatches(sorted(texts), 32),
  }
}
