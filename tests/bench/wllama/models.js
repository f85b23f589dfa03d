// Writes the models that are compared with llama.cpp: GPT-2 small and SmolLM2 135M with random weights, each as a folder for loadModel and as two
// GGUF files.

import { join } from 'node:path'
import { makeWeights, SIZES, writeFolder } from '../gpt2/checkpoint.js'
import { writeGguf } from './gguf.js'

/** @import { Weights } from '../gpt2/checkpoint.js' */
/** @import { GgufValue } from './gguf.js' */
/** @typedef {[name: string, dims: number[]][]} Names */
/** How a tensor of the checkpoint is written: its GGUF name; isTransposed if the checkpoint has (in, out); heads if llama.cpp's rope needs its rows reordered. @typedef {{ name: string, isTransposed?: boolean, heads?: number }} Renamed */

const SMOL = { layers: 30, heads: 9, kvHeads: 3, d: 576, inner: 1536, vocab: 49152, positions: 8192 }

/** @param {Renamed['name']} name @param {boolean} [isTransposed] @param {number} [heads] @returns {Renamed} */
const renamed = (name, isTransposed = false, heads = 0) => ({ name, isTransposed, heads })

/** @param {string} name @returns {Renamed} */
function gpt2Name(name) {
  const [, layer, part, kind] = /^h\.(\d+)\.([\w.]+)\.(weight|bias)$/.exec(name) ?? []
  if (layer === undefined)
    return renamed(name.replace('wte', 'token_embd').replace('wpe', 'position_embd').replace('ln_f', 'output_norm'))
  const parts = {
    ln_1: 'attn_norm',
    'attn.c_attn': 'attn_qkv',
    'attn.c_proj': 'attn_output',
    ln_2: 'ffn_norm',
    'mlp.c_fc': 'ffn_up',
    'mlp.c_proj': 'ffn_down',
  }
  const given = parts[/** @type {'ln_1'} */ (part)]
  return renamed(`blk.${layer}.${given}.${kind}`, kind === 'weight' && /c_/.test(part))
}

/** @param {string} name @returns {Renamed} */
function llamaName(name) {
  const [, layer, part] = /^model\.layers\.(\d+)\.([\w.]+)\.weight$/.exec(name) ?? []
  if (layer === undefined)
    return renamed(name.replace('model.embed_tokens', 'token_embd').replace('model.norm', 'output_norm'))
  const parts = {
    input_layernorm: 'attn_norm',
    'self_attn.q_proj': 'attn_q',
    'self_attn.k_proj': 'attn_k',
    'self_attn.v_proj': 'attn_v',
    'self_attn.o_proj': 'attn_output',
    post_attention_layernorm: 'ffn_norm',
    'mlp.gate_proj': 'ffn_gate',
    'mlp.up_proj': 'ffn_up',
    'mlp.down_proj': 'ffn_down',
  }
  const heads = { attn_q: SMOL.heads, attn_k: SMOL.kvHeads }
  const given = parts[/** @type {'input_layernorm'} */ (part)]
  return renamed(`blk.${layer}.${given}.weight`, false, heads[/** @type {'attn_q'} */ (given)])
}

/** @returns {Names} */
function smolNames() {
  const { layers, d, inner, vocab, heads, kvHeads } = SMOL
  const kv = (d / heads) * kvHeads
  const layer = (/** @type {number} */ n) =>
    /** @type {Names} */ ([
      ['input_layernorm', [d]],
      ['self_attn.q_proj', [d, d]],
      ['self_attn.k_proj', [kv, d]],
      ['self_attn.v_proj', [kv, d]],
      ['self_attn.o_proj', [d, d]],
      ['post_attention_layernorm', [d]],
      ['mlp.gate_proj', [inner, d]],
      ['mlp.up_proj', [inner, d]],
      ['mlp.down_proj', [d, inner]],
    ]).map(([name, dims]) => /** @type {Names[0]} */ ([`model.layers.${n}.${name}.weight`, dims]))
  return [
    ['model.embed_tokens.weight', [vocab, d]],
    ...Array.from({ length: layers }, (_, n) => layer(n)).flat(),
    ['model.norm.weight', [d]],
  ]
}

/** Returns a tokenizer's metadata: tokens of bytes, then made-up names, in the order that llama.cpp requires. @param {number} vocab @returns {Record<string, GgufValue>} */
function tokenizerOf(vocab) {
  const special = ['<unk>', '<s>', '</s>']
  const bytes = Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`)
  const tokens = [...special, ...bytes].concat(Array.from({ length: vocab - 259 }, (_, n) => `token${n}`))
  return {
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': { strings: tokens },
    'tokenizer.ggml.scores': { floats: tokens.map((_, n) => -n) },
    'tokenizer.ggml.token_type': { integers: tokens.map((_, n) => (n === 0 ? 2 : n < 3 ? 3 : n < 259 ? 6 : 1)) },
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
  }
}

/** Returns the values as (out, in). Rows of rotated heads get llama.cpp's order: the two rows of a rotated pair are neighbours instead of half a head apart. @param {Weights} weights @param {string} name @param {Renamed} how */
function valuesOf({ data, places }, name, { isTransposed, heads }) {
  const { dims, from, length } = /** @type {import('../gpt2/checkpoint.js').Place} */ (places.get(name))
  const values = data.subarray(from, from + length)
  const [rows, columns] = dims
  if (isTransposed) return Float32Array.from(values, (_, n) => values[(n % rows) * columns + Math.floor(n / rows)])
  if (!heads) return values
  const size = rows / heads
  const rowOf = (/** @type {number} */ n) => {
    const i = n % size
    return n - i + (i % 2) * (size / 2) + (i >> 1)
  }
  const out = new Float32Array(length)
  for (let n = 0; n < rows; n++) out.set(values.subarray(rowOf(n) * columns, (rowOf(n) + 1) * columns), n * columns)
  return out
}

const GPT2 = {
  name: "GPT-2 small's shape",
  make: (/** @type {import('../../../src/ops/random/generator.js').Generator} */ generator) => makeWeights(generator),
  rename: gpt2Name,
  metadata: {
    'general.architecture': 'gpt2',
    'gpt2.block_count': SIZES.layers,
    'gpt2.context_length': SIZES.positions,
    'gpt2.embedding_length': SIZES.d,
    'gpt2.feed_forward_length': 4 * SIZES.d,
    'gpt2.attention.head_count': SIZES.heads,
    'gpt2.attention.layer_norm_epsilon': { float: 1e-5 },
  },
  vocab: SIZES.vocab,
}

const SMOLLM2 = {
  name: "SmolLM2 135M's shape",
  make: (/** @type {import('../../../src/ops/random/generator.js').Generator} */ generator) =>
    makeWeights(generator, undefined, { config: SMOLLM2.config, names: smolNames() }),
  config: {
    model_type: 'llama',
    hidden_size: SMOL.d,
    num_hidden_layers: SMOL.layers,
    num_attention_heads: SMOL.heads,
    num_key_value_heads: SMOL.kvHeads,
    intermediate_size: SMOL.inner,
    vocab_size: SMOL.vocab,
    max_position_embeddings: SMOL.positions,
    rms_norm_eps: 1e-5,
    rope_theta: 100000,
    tie_word_embeddings: true,
    hidden_act: 'silu',
  },
  rename: llamaName,
  metadata: {
    'general.architecture': 'llama',
    'llama.block_count': SMOL.layers,
    'llama.context_length': SMOL.positions,
    'llama.embedding_length': SMOL.d,
    'llama.feed_forward_length': SMOL.inner,
    'llama.attention.head_count': SMOL.heads,
    'llama.attention.head_count_kv': SMOL.kvHeads,
    'llama.attention.layer_norm_rms_epsilon': { float: 1e-5 },
    'llama.rope.dimension_count': SMOL.d / SMOL.heads,
    'llama.rope.freq_base': { float: 100000 },
  },
  vocab: SMOL.vocab,
}

export const MODELS = [GPT2, SMOLLM2]

/**
 * Writes model.safetensors, Q8_0.gguf and Q4_0.gguf into a folder.
 * @param {typeof GPT2 | typeof SMOLLM2} model
 * @param {import('../../../src/ops/random/generator.js').Generator} generator
 */
export function writeModel({ make, rename, metadata, vocab }, generator) {
  const weights = make(generator)
  const folder = writeFolder(weights)
  for (const type of /** @type {const} */ (['Q8_0', 'Q4_0'])) {
    const tensors = [...weights.places].map(([from, { dims }]) => {
      const how = rename(from)
      const isNarrow = dims.length > 1 && !/position/.test(how.name)
      return {
        name: how.name,
        dims: how.isTransposed ? [...dims].reverse() : dims,
        values: () => valuesOf(weights, from, how),
        type: isNarrow ? type : /** @type {const} */ ('F32'),
      }
    })
    writeGguf(join(folder.path, `${type}.gguf`), { ...metadata, ...tokenizerOf(vocab) }, tensors)
  }
  return folder
}
