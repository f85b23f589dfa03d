// Makes and runs a small language model in Llama's layout, with the tensor names of Llama's checkpoints. It has RMSNorm, rotary positions
// by halves, SwiGLU, and logits from the embedding table.

import { tensor } from 'qkv'

/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @import { Tape } from 'qkv/train' */
/**
 * base: base of the rotary angles; rotary: 1 for each layer with rotary positions, 0 for one without (default: all have them)
 * @typedef {{ vocab: number, T: number, layers: number, heads: number, headDim: number, d: number, mlp: number, base: number, rotary?: readonly (0 | 1)[] }} Sizes
 */

const EPS = 1e-5
const at = (/** @type {number} */ layer) => `model.layers.${layer}.`

/**
 * Draws initial weights: matrices with variance 1 / inputs, norms 1. Heads start by copying (mimetic initialization,
 * https://arxiv.org/abs/2305.09828): the output projection is the transposed value projection. After the first layer the key projection
 * also equals the query projection, so that a head attends to similar tokens and copies them. In these layers, the output projections of
 * all heads but head 0 start at 0, so that the heads do not all learn the same.
 * @param {import('qkv').Generator} generator
 * @param {Sizes} sizes
 * @returns {Record<string, FloatTensor>}
 */
export function initialWeights(generator, { vocab, layers, heads, headDim, d, mlp }) {
  const inner = heads * headDim
  /** @type {Record<string, FloatTensor>} */
  const weights = {}
  const draw = (/** @type {string} */ name, /** @type {number} */ out, /** @type {number} */ size, scale = 1) => {
    weights[`${name}.weight`] = generator.normal([out, size], 0, scale / Math.sqrt(size))
  }
  const ones = (/** @type {string} */ name) => {
    weights[`${name}.weight`] = tensor(new Float32Array(d).fill(1), [d])
  }
  draw('model.embed_tokens', vocab, d)
  for (let layer = 0; layer < layers; layer++) {
    const self = `${at(layer)}self_attn.`
    ones(`${at(layer)}input_layernorm`)
    for (const part of ['q', 'k', 'v']) draw(`${self}${part}_proj`, inner, d)
    if (layer) weights[`${self}k_proj.weight`].data.set(weights[`${self}q_proj.weight`].data)
    const { data } = weights[`${self}v_proj.weight`]
    const turned = Float32Array.from({ length: d * inner }, (_, i) =>
      layer && i % inner >= headDim ? 0 : data[(i % inner) * d + Math.floor(i / inner)],
    )
    weights[`${self}o_proj.weight`] = tensor(turned, [d, inner])
    ones(`${at(layer)}post_attention_layernorm`)
    for (const part of ['gate', 'up']) draw(`${at(layer)}mlp.${part}_proj`, mlp, d)
    draw(`${at(layer)}mlp.down_proj`, d, mlp, 1 / Math.sqrt(2 * layers))
  }
  ones('model.norm')
  return weights
}

/**
 * Runs the model.
 * @param {Tape} t
 * @param {Record<string, FloatTensor>} p
 * @param {{ data: Int32Array, dims: number[] }} ids (B, T)
 * @param {Sizes} sizes
 */
export function forward(t, p, ids, { layers, heads, headDim, base, rotary }) {
  const norm = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
    t.rmsNorm(x, p[`${name}.weight`], { eps: EPS })
  const table = p['model.embed_tokens.weight']
  /** Outputs of the heads of each layer, side by side: (B, T, heads * headDim). @type {FloatTensor[]} */
  const mixed = []
  /** Queries and keys of each layer, after rotation. @type {[FloatTensor, FloatTensor][]} */
  const compared = []
  let h = t.embedding(ids, table)
  for (let layer = 0; layer < layers; layer++) {
    const linear = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
      t.linear(x, p[`${at(layer)}${name}_proj.weight`])
    const x = norm(h, `${at(layer)}input_layernorm`)
    const [q, k, v] = ['q', 'k', 'v'].map(part => linear(x, `self_attn.${part}`))
    const [turnedQ, turnedK] = rotary?.[layer] === 0 ? [q, k] : [q, k].map(y => t.rope(y, { numHeads: heads, base }))
    compared.push([turnedQ, turnedK])
    const y = t.attention(turnedQ, turnedK, v, { numHeads: heads, causal: true })
    mixed.push(y)
    h = t.add(h, linear(y, 'self_attn.o'))
    const z = norm(h, `${at(layer)}post_attention_layernorm`)
    h = t.add(h, linear(t.swiglu(linear(z, 'mlp.gate'), linear(z, 'mlp.up')), 'mlp.down'))
  }
  const masks = Array.from({ length: heads }, (_, head) => {
    const data = Float32Array.from({ length: heads * headDim }, (_, i) => Number(Math.floor(i / headDim) === head))
    return tensor(data, [heads * headDim])
  })
  return {
    logits: t.linear(norm(h, 'model.norm'), table),
    /** Returns the output of a single head. @param {number} layer @param {number} head */
    headOutput: (layer, head) => t.mul(mixed[layer], masks[head]),
    /** Applies the attention weights of a single head to `values`, (B, T, n), instead of its own. @param {number} layer @param {number} head @param {FloatTensor} values */
    headMix: (layer, head, values) =>
      t.attention(t.mul(compared[layer][0], masks[head]), compared[layer][1], values, {
        numHeads: 1,
        causal: true,
        scale: 1 / Math.sqrt(headDim),
      }),
  }
}

/** Returns config.json of this model; id 0 starts a text. @param {Sizes} sizes */
export const configOf = ({ vocab, T, layers, heads, headDim, d, mlp, base }) => ({
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: vocab,
  hidden_size: d,
  intermediate_size: mlp,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: heads,
  head_dim: headDim,
  hidden_act: 'silu',
  max_position_embeddings: T,
  rms_norm_eps: EPS,
  rope_theta: base,
  attention_bias: false,
  mlp_bias: false,
  tie_word_embeddings: true,
  bos_token_id: 0,
  eos_token_id: null,
  torch_dtype: 'float16',
})
