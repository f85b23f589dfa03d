// Makes and runs a small encoder-decoder in Marian's layout, with the tensor names of Marian's checkpoints. It has sinusoidal positions,
// LayerNorm after attention and MLP, and logits from the embedding table.

import { tensor } from 'qkv'

/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {{ data: Int32Array, dims: number[] }} Ids */
/** @typedef {{ vocab: number, layers: number, heads: number, d: number, mlp: number, positions: number }} Sizes positions: maximum length of a text */

const STACKS = /** @type {const} */ (['encoder', 'decoder'])
const EPS = 1e-5

/**
 * Draws initial weights: matrices and embeddings from a normal distribution with variance 1 / inputs, norms 1, biases 0.
 * @param {import('qkv').Generator} generator
 * @param {Sizes} sizes
 * @returns {Record<string, FloatTensor>}
 */
export function initialWeights(generator, { vocab, layers, d, mlp }) {
  /** @type {Record<string, FloatTensor>} */
  const weights = {}
  const all = (/** @type {string} */ name, /** @type {number} */ value, n = d) => {
    weights[name] = tensor(new Float32Array(n).fill(value), [n])
  }
  const linear = (/** @type {string} */ name, /** @type {number} */ out, /** @type {number} */ size) => {
    weights[`${name}.weight`] = generator.normal([out, size], 0, 1 / Math.sqrt(size))
    all(`${name}.bias`, 0, out)
  }
  const norm = (/** @type {string} */ name) => {
    all(`${name}.weight`, 1)
    all(`${name}.bias`, 0)
  }
  weights['model.shared.weight'] = generator.normal([vocab, d], 0, 1 / Math.sqrt(d))
  weights.final_logits_bias = tensor(new Float32Array(vocab), [1, vocab])
  for (const stack of STACKS)
    for (let layer = 0; layer < layers; layer++) {
      const at = `model.${stack}.layers.${layer}.`
      for (const part of stack === 'encoder' ? ['self_attn'] : ['self_attn', 'encoder_attn']) {
        for (const name of ['q_proj', 'k_proj', 'v_proj', 'out_proj']) linear(`${at}${part}.${name}`, d, d)
        norm(`${at}${part}_layer_norm`)
      }
      linear(`${at}fc1`, mlp, d)
      linear(`${at}fc2`, d, mlp)
      norm(`${at}final_layer_norm`)
    }
  return weights
}

/** Returns the encodings of n positions, (n, d): in each row the sines, then the cosines. @param {number} n @param {number} d */
function sinusoids(n, d) {
  const data = Float32Array.from({ length: n * d }, (_, i) => {
    const column = i % d
    const angle = Math.floor(i / d) * 10000 ** ((-2 * (column % (d / 2))) / d)
    return column < d / 2 ? Math.sin(angle) : Math.cos(angle)
  })
  return tensor(data, [n, d])
}

/**
 * Runs the model.
 * @param {import('qkv/train').Tape} t
 * @param {Record<string, FloatTensor>} p
 * @param {{ ids: Ids, lengths: readonly number[], previous: Ids }} batch ids (B, S) padded beyond their lengths; previous (B, L): the
 *   target shifted by one
 * @param {Sizes} sizes
 * @returns {FloatTensor} logits (B, L, vocab)
 */
export function forward(t, p, { ids, lengths, previous }, { layers, heads, d }) {
  const linear = (/** @type {FloatTensor} */ x, /** @type {string} */ name) =>
    t.linear(x, p[`${name}.weight`], p[`${name}.bias`])
  /** @param {FloatTensor} h @param {FloatTensor} y @param {string} name */
  const added = (h, y, name) => t.layerNorm(t.add(h, y), p[`${name}.weight`], p[`${name}.bias`], { eps: EPS })
  /** @param {FloatTensor} h @param {FloatTensor} from @param {string} name @param {object} options */
  const attended = (h, from, name, options) => {
    const [q, k, v] = [linear(h, `${name}.q_proj`), linear(from, `${name}.k_proj`), linear(from, `${name}.v_proj`)]
    const y = linear(t.attention(q, k, v, { numHeads: heads, ...options }), `${name}.out_proj`)
    return added(h, y, `${name}_layer_norm`)
  }
  /** @param {typeof STACKS[number]} stack @param {Ids} tokens @param {FloatTensor} [encoded] */
  const run = (stack, tokens, encoded) => {
    const [, n] = tokens.dims
    const scale = tensor(new Float32Array(d).fill(Math.sqrt(d)), [d])
    let h = t.add(t.mul(t.embedding(tokens, p['model.shared.weight']), scale), sinusoids(n, d))
    for (let layer = 0; layer < layers; layer++) {
      const at = `model.${stack}.layers.${layer}.`
      h = attended(h, h, `${at}self_attn`, encoded ? { causal: true } : { keyLengths: lengths })
      if (encoded) h = attended(h, encoded, `${at}encoder_attn`, { keyLengths: lengths })
      h = added(h, linear(t.silu(linear(h, `${at}fc1`)), `${at}fc2`), `${at}final_layer_norm`)
    }
    return h
  }
  const bias = t.reshape(p.final_logits_bias, [p.final_logits_bias.data.length])
  return t.linear(run('decoder', previous, run('encoder', ids)), p['model.shared.weight'], bias)
}

/** Returns config.json of this model; ids 0, 1, 2 are padding (also start), end, unknown. @param {Sizes} sizes */
export const configOf = ({ vocab, layers, heads, d, mlp, positions }) => ({
  architectures: ['MarianMTModel'],
  model_type: 'marian',
  is_encoder_decoder: true,
  vocab_size: vocab,
  decoder_vocab_size: vocab,
  d_model: d,
  encoder_layers: layers,
  decoder_layers: layers,
  encoder_attention_heads: heads,
  decoder_attention_heads: heads,
  encoder_ffn_dim: mlp,
  decoder_ffn_dim: mlp,
  activation_function: 'swish',
  max_position_embeddings: positions,
  scale_embedding: true,
  static_position_embeddings: true,
  share_encoder_decoder_embeddings: true,
  tie_word_embeddings: true,
  normalize_before: false,
  normalize_embedding: false,
  add_final_layer_norm: false,
  pad_token_id: 0,
  eos_token_id: 1,
  forced_eos_token_id: null,
  decoder_start_token_id: 0,
  torch_dtype: 'float16',
})
