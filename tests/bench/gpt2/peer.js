// The model of checkpoint.js for onnxruntime-web: a graph with a KV cache. Past keys and values are inputs; the outputs are the present ones and the
// logits of the last row.

import { encodeModel } from '../peers/onnx.js'
import { SIZES } from './checkpoint.js'

/** @import { Node, Value } from '../peers/onnx.js' */

const PACKAGE = 'onnxruntime-web'
const FILE = 'weights.bin'
const domain = 'com.microsoft'

/**
 * @param {import('./checkpoint.js').Weights} weights
 * @returns {Uint8Array} the graph, whose weights are in a separate file
 */
function encode({ places }) {
  const { layers, heads, d, vocab } = SIZES
  const D = d / heads
  /** @type {Node[]} */
  const nodes = []
  /** @param {string} op @param {string[]} inputs @param {string} output @param {Node['attributes']} [attributes] */
  const node = (op, inputs, output, attributes) => {
    const own = { Gemm: '', Gather: '', Add: '', LayerNormalization: '', MatMul: '' }
    nodes.push({ op, inputs, outputs: [output], attributes, domain: op in own ? '' : domain })
    return output
  }
  const norm = (/** @type {string} */ x, /** @type {string} */ name) =>
    node('LayerNormalization', [x, `${name}.weight`, `${name}.bias`], `${name}.y`, {
      axis: -1,
      epsilon: { float: 1e-5 },
    })
  const linear = (/** @type {string} */ x, /** @type {string} */ name) =>
    node('Add', [node('MatMul', [x, `${name}.weight`], `${name}.xw`), `${name}.bias`], `${name}.y`)
  /** @type {Value[]} */
  const inputs = [
    { name: 'ids', dims: [1, 'L'], type: 'int32' },
    { name: 'positions', dims: [1, 'L'], type: 'int32' },
  ]
  /** @type {Value[]} */
  const outputs = [{ name: 'logits', dims: [1, vocab] }]
  const tokens = node('Gather', ['wte.weight', 'ids'], 'tokens', { axis: 0 })
  let h = node('Add', [tokens, node('Gather', ['wpe.weight', 'positions'], 'places', { axis: 0 })], 'h')
  for (let i = 0; i < layers; i++) {
    const at = `h.${i}.`
    const qkv = linear(norm(h, `${at}ln_1`), `${at}attn.c_attn`)
    const [q, k, v] = ['q', 'k', 'v'].map(name => at + name)
    nodes.push({ op: 'Split', inputs: [qkv], outputs: [q, k, v], attributes: { axis: 2, num_outputs: 3 } })
    const z = `${at}z`
    nodes.push({
      op: 'MultiHeadAttention',
      domain,
      attributes: { num_heads: heads, unidirectional: 1 },
      inputs: [q, k, v, '', '', '', `${at}pastK`, `${at}pastV`],
      outputs: [z, `${at}presentK`, `${at}presentV`],
    })
    for (const name of ['K', 'V']) {
      inputs.push({ name: `${at}past${name}`, dims: [1, heads, 'P', D] })
      outputs.push({ name: `${at}present${name}`, dims: [1, heads, 'S', D] })
    }
    const added = node('Add', [h, linear(z, `${at}attn.c_proj`)], `${at}added`)
    const inner = node('FastGelu', [linear(norm(added, `${at}ln_2`), `${at}mlp.c_fc`)], `${at}inner`)
    h = node('Add', [added, linear(inner, `${at}mlp.c_proj`)], `${at}out`)
  }
  const last = node('Gather', [norm(h, 'ln_f'), 'last'], 'lastRow', { axis: 1 })
  node('Gemm', [last, 'wte.weight'], 'logits', { transB: 1 })
  const constants = [...places].map(([name, { dims, from, length }]) => ({
    name,
    dims,
    external: { location: FILE, offset: from * 4, length: length * 4 },
  }))
  const one = { name: 'last', dims: [], data: Int32Array.of(-1) }
  return encodeModel({ nodes, inputs, outputs, constants: [...constants, one] })
}

/**
 * @param {import('./checkpoint.js').Weights} weights
 * @returns {Promise<{ step: (ids: number[], past?: Past) => Promise<{ logits: Float32Array, past: Past }>, dispose: () => Promise<void> }>}
 * @typedef {{ length: number, tensors: Record<string, any> }} Past
 */
export async function openPeer(weights) {
  const ort = await import(PACKAGE)
  ort.env.wasm.numThreads = 1
  ort.env.logLevel = 'fatal'
  const { layers, heads, d } = SIZES
  const data = new Uint8Array(weights.data.buffer)
  const session = await ort.InferenceSession.create(encode(weights), { externalData: [{ path: FILE, data }] })
  const empty = () => new ort.Tensor('float32', new Float32Array(0), [1, heads, 0, d / heads])
  return {
    async step(ids, past) {
      const from = past?.length ?? 0
      const whole = (/** @type {number[]} */ list) => new ort.Tensor('int32', Int32Array.from(list), [1, list.length])
      /** @type {Record<string, any>} */
      const feeds = { ids: whole(ids), positions: whole(ids.map((_, i) => from + i)) }
      for (let i = 0; i < layers; i++)
        for (const name of ['K', 'V'])
          feeds[`h.${i}.past${name}`] = past ? past.tensors[`h.${i}.present${name}`] : empty()
      const { logits, ...tensors } = await session.run(feeds)
      return { logits: logits.data, past: { length: from + ids.length, tensors } }
    },
    dispose: () => session.release(),
  }
}
