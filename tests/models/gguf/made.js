// Makes small models with random weights as GGUF files, one of each architecture, and the same weights under Hugging Face's names.

import { writeBlocks } from './blocks.js'
import { writeGguf } from './write-gguf.js'

/** @import { Random } from '../tokenizers/random-files.js' */
/** @import { Value } from './write-gguf.js' */
/** @typedef {Map<string, { values: Float32Array, dims: readonly number[] }>} Weights */

export const D = 256
export const VOCAB = 288
const [LAYERS, HEADS, KV, INNER, POSITIONS] = [2, 4, 2, 256, 64]
const HEAD = D / HEADS

/**
 * @typedef {object} Made
 * @property {string} of the name of the architecture
 * @property {string} title
 * @property {Record<string, unknown>} config config.json of the folder
 * @property {Record<string, Value>} keys metadata without the prefix of the architecture
 * @property {[string, readonly number[]][]} tensors names and dims in the GGUF file
 * @property {(name: string) => string} rename maps a GGUF name to Hugging Face's; both without .weight or .bias
 * @property {(name: string, tensor: { values: Float32Array, dims: readonly number[] }, weights: Weights) => void} [change] converts a tensor of the
 *   file to that of the folder, and adds it to `weights`
 */

const layer = (/** @type {[string, readonly number[]][]} */ list) =>
  Array.from({ length: LAYERS }, (_, i) =>
    list.map(([name, dims]) => /** @type {[string, readonly number[]]} */ ([`blk.${i}.${name}`, dims])),
  ).flat()

/** Makes a `rename`. @param {Record<string, string>} names new names of a layer's parts; # is the layer @param {Record<string, string>} others new names outside the layers */
const renamer = (names, others) => (/** @type {string} */ name) => {
  const [, i, part] = /^blk\.(\d+)\.(.+)$/.exec(name) ?? []
  return part ? names[part].replace('#', i) : others[name]
}

const AT = 'model.layers.#.'
const LLAMA_NAMES = {
  attn_norm: `${AT}input_layernorm`,
  attn_q: `${AT}self_attn.q_proj`,
  attn_k: `${AT}self_attn.k_proj`,
  attn_v: `${AT}self_attn.v_proj`,
  attn_output: `${AT}self_attn.o_proj`,
  attn_q_norm: `${AT}self_attn.q_norm`,
  attn_k_norm: `${AT}self_attn.k_norm`,
  ffn_norm: `${AT}post_attention_layernorm`,
  ffn_gate: `${AT}mlp.gate_proj`,
  ffn_up: `${AT}mlp.up_proj`,
  ffn_down: `${AT}mlp.down_proj`,
  post_attention_norm: `${AT}post_attention_layernorm`,
  post_ffw_norm: `${AT}post_feedforward_layernorm`,
}
const OTHERS = { token_embd: 'model.embed_tokens', output_norm: 'model.norm', output: 'lm_head' }

const ATTENTION = /** @type {[string, readonly number[]][]} */ ([
  ['attn_q.weight', [D, D]],
  ['attn_k.weight', [KV * HEAD, D]],
  ['attn_v.weight', [KV * HEAD, D]],
  ['attn_output.weight', [D, D]],
])
const MLP = /** @type {[string, readonly number[]][]} */ ([
  ['ffn_gate.weight', [INNER, D]],
  ['ffn_up.weight', [INNER, D]],
  ['ffn_down.weight', [D, INNER]],
])
const norm = (/** @type {string} */ name, size = D) =>
  /** @type {[string, readonly number[]]} */ ([`${name}.weight`, [size]])
const biased = (/** @type {string} */ name, /** @type {number} */ out, size = D) =>
  /** @type {[string, readonly number[]][]} */ ([
    [`${name}.weight`, [out, size]],
    [`${name}.bias`, [out]],
  ])
const layerNorm = (/** @type {string} */ name) => [
  norm(name),
  /** @type {[string, readonly number[]]} */ ([`${name}.bias`, [D]]),
]
const table = /** @type {[string, readonly number[]]} */ (['token_embd.weight', [VOCAB, D]])
const head = /** @type {[string, readonly number[]]} */ (['output.weight', [VOCAB, D]])

/** @param {string} of */
const llamaKeys = of => ({
  context_length: POSITIONS,
  embedding_length: D,
  block_count: LAYERS,
  feed_forward_length: INNER,
  'attention.head_count': HEADS,
  'attention.head_count_kv': KV,
  'attention.layer_norm_rms_epsilon': { type: /** @type {const} */ ('float32'), value: 1e-5 },
  'rope.freq_base': { type: /** @type {const} */ ('float32'), value: 10000 },
  ...(/gemma/.test(of) ? {} : { 'rope.dimension_count': HEAD }),
})
/** Returns the metadata keys of a Llama with LayerNorm in place of RMS norm. @param {string} of */
const layerKeys = of => {
  const { 'attention.layer_norm_rms_epsilon': eps, ...keys } = llamaKeys(of)
  return { ...keys, 'attention.layer_norm_epsilon': eps }
}
const llamaConfig = (/** @type {string} */ type, /** @type {boolean} */ isTied, /** @type {object} */ more = {}) => ({
  model_type: type,
  vocab_size: VOCAB,
  hidden_size: D,
  intermediate_size: INNER,
  num_hidden_layers: LAYERS,
  num_attention_heads: HEADS,
  num_key_value_heads: KV,
  head_dim: HEAD,
  max_position_embeddings: POSITIONS,
  rms_norm_eps: Math.fround(1e-5),
  rope_theta: 10000,
  hidden_act: 'silu',
  tie_word_embeddings: isTied,
  ...more,
})

/** Undoes Meta's order of the rows of q and k: in the file, the two rows of a rotated pair are neighbours; in the folder, half a head apart. @type {NonNullable<Made['change']>} */
function halves(name, { values, dims }, weights) {
  const own = values.slice()
  if (/self_attn\.[qk]_proj/.test(name)) {
    const width = values.length / dims[0]
    for (let h = 0; h < dims[0] / HEAD; h++)
      for (let i = 0; i < HEAD / 2; i++)
        for (const half of [0, 1]) {
          const from = (h * HEAD + 2 * i + half) * width
          own.set(values.subarray(from, from + width), (h * HEAD + (half * HEAD) / 2 + i) * width)
        }
  }
  weights.set(name, { values: own, dims })
}

/** Subtracts the 1 that converters add to the weights of norms. @type {NonNullable<Made['change']>} */
function lessOne(name, { values, dims }, weights) {
  weights.set(name, { values: name.includes('norm') ? values.map(one => one - 1) : values, dims })
}

const GEMMA_NAMES = { ...LLAMA_NAMES, ffn_norm: `${AT}pre_feedforward_layernorm` }
const GEMMA_LAYER = [
  norm('attn_norm'),
  ...ATTENTION,
  norm('post_attention_norm'),
  norm('ffn_norm'),
  ...MLP,
  norm('post_ffw_norm'),
]
const QK_NORMS = [norm('attn_q_norm', HEAD), norm('attn_k_norm', HEAD)]

const BIASES = /** @type {[string, readonly number[]][]} */ ([
  ['attn_q.bias', [D]],
  ['attn_k.bias', [KV * HEAD]],
  ['attn_v.bias', [KV * HEAD]],
])
const LLAMA_LAYERS = layer([norm('attn_norm'), ...ATTENTION, norm('ffn_norm'), ...MLP])

/** Reorders the rows of query_key_value. The file has those of all q, all k, all v; the folder has q, k and v of head 0, then of head 1, ... @type {NonNullable<Made['change']>} */
function perHead(name, { values, dims }, weights) {
  const own = values.slice()
  const width = values.length / dims[0]
  if (/query_key_value/.test(name))
    for (let part = 0; part < 3; part++)
      for (let h = 0; h < HEADS; h++) {
        const from = (part * D + h * HEAD) * width
        own.set(values.subarray(from, from + HEAD * width), (h * 3 + part) * HEAD * width)
      }
  weights.set(name, { values: own, dims })
}

/** Returns the metadata keys of a model with LayerNorm: its sizes, and the epsilon. */
const plainKeys = () => ({
  context_length: POSITIONS,
  embedding_length: D,
  block_count: LAYERS,
  feed_forward_length: INNER,
  'attention.head_count': HEADS,
  'attention.layer_norm_epsilon': { type: /** @type {const} */ ('float32'), value: 1e-5 },
})

const FALCON = {
  model_type: 'falcon',
  vocab_size: VOCAB,
  hidden_size: D,
  num_hidden_layers: LAYERS,
  num_attention_heads: HEADS,
  ffn_hidden_size: INNER,
  layer_norm_epsilon: Math.fround(1e-5),
  max_position_embeddings: POSITIONS,
}
const FALCON_NAMES = {
  attn_norm: 'transformer.h.#.input_layernorm',
  attn_qkv: 'transformer.h.#.self_attention.query_key_value',
  attn_output: 'transformer.h.#.self_attention.dense',
  ffn_up: 'transformer.h.#.mlp.dense_h_to_4h',
  ffn_down: 'transformer.h.#.mlp.dense_4h_to_h',
}
const FALCON_OTHERS = { token_embd: 'transformer.word_embeddings', output_norm: 'transformer.ln_f' }

/** Reorders the rows of query_key_value. The file has those of all q, all k, all v; the folder has each group's query heads, key head and value head. @type {NonNullable<Made['change']>} */
function perGroup(name, { values, dims }, weights) {
  if (!/query_key_value/.test(name)) return void weights.set(name, { values, dims })
  const size = HEAD * D
  const heads = Array.from({ length: HEADS + 2 * KV }, (_, h) => values.subarray(h * size, (h + 1) * size))
  const own = new Float32Array(values.length)
  let at = 0
  for (let g = 0; g < KV; g++)
    for (const one of [
      ...heads.slice((g * HEADS) / KV, ((g + 1) * HEADS) / KV),
      heads[HEADS + g],
      heads[HEADS + KV + g],
    ]) {
      own.set(one, at)
      at += size
    }
  weights.set(name, { values: own, dims })
}

const f32 = (/** @type {number} */ value) => ({ type: /** @type {const} */ ('float32'), value })

/** @type {Omit<Made, 'title'>[]} */
const ALL = [
  {
    of: 'llama',
    keys: llamaKeys('llama'),
    config: llamaConfig('llama', false),
    tensors: [table, ...layer([norm('attn_norm'), ...ATTENTION, norm('ffn_norm'), ...MLP]), norm('output_norm'), head],
    rename: renamer(LLAMA_NAMES, OTHERS),
    change: halves,
  },
  {
    of: 'qwen2',
    keys: llamaKeys('qwen2'),
    config: llamaConfig('qwen2', true, { head_dim: undefined }),
    tensors: [
      table,
      ...layer([
        norm('attn_norm'),
        ...ATTENTION,
        ['attn_q.bias', [D]],
        ['attn_k.bias', [KV * HEAD]],
        ['attn_v.bias', [KV * HEAD]],
        norm('ffn_norm'),
        ...MLP,
      ]),
      norm('output_norm'),
    ],
    rename: renamer(LLAMA_NAMES, OTHERS),
  },
  {
    of: 'qwen3',
    keys: { ...llamaKeys('qwen3'), 'attention.key_length': HEAD, 'attention.value_length': HEAD },
    config: llamaConfig('qwen3', true),
    tensors: [
      table,
      ...layer([norm('attn_norm'), ...ATTENTION, ...QK_NORMS, norm('ffn_norm'), ...MLP]),
      norm('output_norm'),
    ],
    rename: renamer(LLAMA_NAMES, OTHERS),
  },
  {
    of: 'olmo2',
    keys: { ...llamaKeys('olmo2'), 'attention.head_count_kv': HEADS },
    config: llamaConfig('olmo2', false, { num_key_value_heads: HEADS, head_dim: undefined }),
    tensors: [
      table,
      ...layer([
        ['attn_q.weight', [D, D]],
        ['attn_k.weight', [D, D]],
        ['attn_v.weight', [D, D]],
        ['attn_output.weight', [D, D]],
        norm('attn_q_norm'),
        norm('attn_k_norm'),
        norm('post_attention_norm'),
        ...MLP,
        norm('post_ffw_norm'),
      ]),
      norm('output_norm'),
      head,
    ],
    rename: renamer(LLAMA_NAMES, OTHERS),
  },
  {
    of: 'smollm3',
    keys: llamaKeys('smollm3'),
    config: llamaConfig('smollm3', true, { head_dim: undefined }),
    tensors: [table, ...layer([norm('attn_norm'), ...ATTENTION, norm('ffn_norm'), ...MLP]), norm('output_norm')],
    rename: renamer(LLAMA_NAMES, OTHERS),
    change: halves,
  },
  {
    of: 'gemma2',
    keys: {
      ...llamaKeys('gemma2'),
      'attention.key_length': HEAD,
      'attention.value_length': HEAD,
      'attention.sliding_window': 5,
      attn_logit_softcapping: { type: 'float32', value: 4 },
      final_logit_softcapping: { type: 'float32', value: 3 },
    },
    config: llamaConfig('gemma2', true, {
      hidden_act: undefined,
      hidden_activation: 'gelu_pytorch_tanh',
      query_pre_attn_scalar: HEAD,
      sliding_window: 5,
      attn_logit_softcapping: 4,
      final_logit_softcapping: 3,
    }),
    tensors: [table, ...layer(GEMMA_LAYER), norm('output_norm')],
    rename: renamer(GEMMA_NAMES, OTHERS),
    change: lessOne,
  },
  {
    of: 'gemma3',
    keys: {
      ...llamaKeys('gemma3'),
      'rope.freq_base': { type: 'float32', value: 1e6 },
      'rope.scaling.type': 'linear',
      'rope.scaling.factor': { type: 'float32', value: 8 },
      'attention.key_length': HEAD,
      'attention.value_length': HEAD,
      'attention.sliding_window': 5,
    },
    config: llamaConfig('gemma3_text', true, {
      hidden_act: undefined,
      hidden_activation: 'gelu_pytorch_tanh',
      query_pre_attn_scalar: HEAD,
      sliding_window: 5,
      rope_theta: 1e6,
      rope_scaling: { rope_type: 'linear', factor: 8 },
      rope_local_base_freq: 10000,
    }),
    tensors: [table, ...layer([...GEMMA_LAYER, ...QK_NORMS]), norm('output_norm')],
    rename: renamer(GEMMA_NAMES, OTHERS),
    change: lessOne,
  },
  {
    of: 'phi2',
    keys: {
      context_length: POSITIONS,
      embedding_length: D,
      block_count: LAYERS,
      feed_forward_length: INNER,
      'attention.head_count': HEADS,
      'attention.head_count_kv': HEADS,
      'attention.layer_norm_epsilon': { type: 'float32', value: 1e-5 },
      'rope.dimension_count': HEAD / 2,
      'tokenizer.ggml.add_bos_token': false,
    },
    config: {
      model_type: 'phi',
      vocab_size: VOCAB,
      hidden_size: D,
      intermediate_size: INNER,
      num_hidden_layers: LAYERS,
      num_attention_heads: HEADS,
      max_position_embeddings: POSITIONS,
      layer_norm_eps: Math.fround(1e-5),
      partial_rotary_factor: 0.5,
      hidden_act: 'gelu_new',
    },
    tensors: [
      table,
      ...layer([
        ...layerNorm('attn_norm'),
        ...biased('attn_qkv', 3 * D),
        ...biased('attn_output', D),
        ...biased('ffn_up', INNER),
        ...biased('ffn_down', D, INNER),
      ]),
      ...layerNorm('output_norm'),
      ...biased('output', VOCAB),
    ],
    rename: renamer(
      {
        attn_norm: `${AT}input_layernorm`,
        attn_qkv: `${AT}qkv`,
        attn_output: `${AT}self_attn.dense`,
        ffn_up: `${AT}mlp.fc1`,
        ffn_down: `${AT}mlp.fc2`,
      },
      { token_embd: 'model.embed_tokens', output_norm: 'model.final_layernorm', output: 'lm_head' },
    ),
    change(name, tensor, weights) {
      if (!/\.qkv\./.test(name)) return void weights.set(name, tensor)
      const third = tensor.values.length / 3
      for (const [n, part] of ['q_proj', 'k_proj', 'v_proj'].entries())
        weights.set(name.replace('qkv', `self_attn.${part}`), {
          values: tensor.values.slice(n * third, (n + 1) * third),
          dims: [D, ...tensor.dims.slice(1)],
        })
    },
  },
  {
    of: 'gptneox',
    keys: {
      context_length: POSITIONS,
      embedding_length: D,
      block_count: LAYERS,
      feed_forward_length: INNER,
      'attention.head_count': HEADS,
      'attention.layer_norm_epsilon': { type: 'float32', value: 1e-5 },
      'rope.dimension_count': HEAD / 4,
      use_parallel_residual: true,
    },
    config: {
      model_type: 'gpt_neox',
      vocab_size: VOCAB,
      hidden_size: D,
      intermediate_size: INNER,
      num_hidden_layers: LAYERS,
      num_attention_heads: HEADS,
      max_position_embeddings: POSITIONS,
      layer_norm_eps: Math.fround(1e-5),
      rotary_pct: 0.25,
      hidden_act: 'gelu',
    },
    tensors: [
      table,
      ...layer([
        ...layerNorm('attn_norm'),
        ...biased('attn_qkv', 3 * D),
        ...biased('attn_output', D),
        ...layerNorm('ffn_norm'),
        ...biased('ffn_up', INNER),
        ...biased('ffn_down', D, INNER),
      ]),
      ...layerNorm('output_norm'),
      head,
    ],
    rename: renamer(
      {
        attn_norm: 'gpt_neox.layers.#.input_layernorm',
        attn_qkv: 'gpt_neox.layers.#.attention.query_key_value',
        attn_output: 'gpt_neox.layers.#.attention.dense',
        ffn_norm: 'gpt_neox.layers.#.post_attention_layernorm',
        ffn_up: 'gpt_neox.layers.#.mlp.dense_h_to_4h',
        ffn_down: 'gpt_neox.layers.#.mlp.dense_4h_to_h',
      },
      { token_embd: 'gpt_neox.embed_in', output_norm: 'gpt_neox.final_layer_norm', output: 'embed_out' },
    ),
    change: perHead,
  },
  {
    of: 'gpt2',
    keys: {
      context_length: POSITIONS,
      embedding_length: D,
      block_count: LAYERS,
      feed_forward_length: INNER,
      'attention.head_count': HEADS,
      'attention.layer_norm_epsilon': { type: 'float32', value: 1e-5 },
    },
    config: {
      model_type: 'gpt2',
      vocab_size: VOCAB,
      n_positions: POSITIONS,
      n_embd: D,
      n_inner: INNER,
      n_layer: LAYERS,
      n_head: HEADS,
      layer_norm_epsilon: Math.fround(1e-5),
      activation_function: 'gelu_new',
    },
    tensors: [
      table,
      ['position_embd.weight', [POSITIONS, D]],
      ...layer([
        ...layerNorm('attn_norm'),
        ...biased('attn_qkv', 3 * D),
        ...biased('attn_output', D),
        ...layerNorm('ffn_norm'),
        ...biased('ffn_up', INNER),
        ...biased('ffn_down', D, INNER),
      ]),
      ...layerNorm('output_norm'),
    ],
    rename: renamer(
      {
        attn_norm: 'transformer.h.#.ln_1',
        attn_qkv: 'transformer.h.#.attn.c_attn',
        attn_output: 'transformer.h.#.attn.c_proj',
        ffn_norm: 'transformer.h.#.ln_2',
        ffn_up: 'transformer.h.#.mlp.c_fc',
        ffn_down: 'transformer.h.#.mlp.c_proj',
      },
      { token_embd: 'transformer.wte', position_embd: 'transformer.wpe', output_norm: 'transformer.ln_f' },
    ),
    change(name, { values, dims }, weights) {
      if (!/c_\w+\.weight/.test(name)) return void weights.set(name, { values, dims })
      const [rows, columns] = dims
      const own = Float32Array.from(values, (_, i) => values[(i % rows) * columns + Math.floor(i / rows)])
      weights.set(name, { values: own, dims: [columns, rows] })
    },
  },
  {
    of: 'bert',
    keys: {
      context_length: POSITIONS,
      embedding_length: D,
      block_count: LAYERS,
      feed_forward_length: INNER,
      'attention.head_count': HEADS,
      'attention.layer_norm_epsilon': { type: 'float32', value: 1e-12 },
      'attention.causal': false,
      pooling_type: 1,
      'tokenizer.ggml.token_type_count': 2,
    },
    config: {
      model_type: 'bert',
      vocab_size: VOCAB,
      hidden_size: D,
      intermediate_size: INNER,
      num_hidden_layers: LAYERS,
      num_attention_heads: HEADS,
      max_position_embeddings: POSITIONS,
      type_vocab_size: 2,
      layer_norm_eps: Math.fround(1e-12),
      hidden_act: 'gelu',
    },
    tensors: [
      table,
      ['position_embd.weight', [POSITIONS, D]],
      ['token_types.weight', [2, D]],
      ...layerNorm('token_embd_norm'),
      ...layer([
        ...biased('attn_q', D),
        ...biased('attn_k', D),
        ...biased('attn_v', D),
        ...biased('attn_output', D),
        ...layerNorm('attn_output_norm'),
        ...biased('ffn_up', INNER),
        ...biased('ffn_down', D, INNER),
        ...layerNorm('layer_output_norm'),
      ]),
    ],
    rename: renamer(
      {
        attn_q: 'bert.encoder.layer.#.attention.self.query',
        attn_k: 'bert.encoder.layer.#.attention.self.key',
        attn_v: 'bert.encoder.layer.#.attention.self.value',
        attn_output: 'bert.encoder.layer.#.attention.output.dense',
        attn_output_norm: 'bert.encoder.layer.#.attention.output.LayerNorm',
        ffn_up: 'bert.encoder.layer.#.intermediate.dense',
        ffn_down: 'bert.encoder.layer.#.output.dense',
        layer_output_norm: 'bert.encoder.layer.#.output.LayerNorm',
      },
      {
        token_embd: 'bert.embeddings.word_embeddings',
        position_embd: 'bert.embeddings.position_embeddings',
        token_types: 'bert.embeddings.token_type_embeddings',
        token_embd_norm: 'bert.embeddings.LayerNorm',
      },
    ),
  },
  {
    of: 'gemma',
    keys: { ...llamaKeys('gemma'), 'attention.key_length': HEAD, 'attention.value_length': HEAD },
    config: llamaConfig('gemma', true, { hidden_act: 'gelu_pytorch_tanh' }),
    tensors: [table, ...LLAMA_LAYERS, norm('output_norm')],
    rename: renamer(LLAMA_NAMES, OTHERS),
    change: lessOne,
  },
  {
    of: 'phi3',
    keys: { ...llamaKeys('phi3'), 'rope.scaling.original_context_length': POSITIONS, 'attention.sliding_window': 100 },
    config: llamaConfig('phi3', false, {
      head_dim: undefined,
      sliding_window: 100,
      original_max_position_embeddings: POSITIONS,
    }),
    tensors: [
      table,
      ...layer([
        norm('attn_norm'),
        ['attn_qkv.weight', [D + 2 * KV * HEAD, D]],
        ['attn_output.weight', [D, D]],
        norm('ffn_norm'),
        ['ffn_up.weight', [2 * INNER, D]],
        ['ffn_down.weight', [D, INNER]],
      ]),
      norm('output_norm'),
      head,
    ],
    rename: renamer({ ...LLAMA_NAMES, attn_qkv: `${AT}self_attn.qkv_proj`, ffn_up: `${AT}mlp.gate_up_proj` }, OTHERS),
  },
  {
    of: 'olmo',
    keys: { ...layerKeys('olmo'), 'attention.clamp_kqv': { type: 'float32', value: 0 } },
    config: llamaConfig('olmo', false, { head_dim: undefined, rms_norm_eps: undefined }),
    tensors: [table, ...layer([...ATTENTION, ...MLP]), head],
    rename: renamer(LLAMA_NAMES, OTHERS),
    change: halves,
  },
  {
    of: 'granite',
    keys: {
      ...llamaKeys('granite'),
      embedding_scale: { type: 'float32', value: 2 },
      residual_scale: { type: 'float32', value: 0.5 },
      'attention.scale': { type: 'float32', value: 0.25 },
      logit_scale: { type: 'float32', value: 4 },
    },
    config: llamaConfig('granite', true, {
      head_dim: undefined,
      embedding_multiplier: 2,
      residual_multiplier: 0.5,
      attention_multiplier: 0.25,
      logits_scaling: 4,
    }),
    tensors: [table, ...LLAMA_LAYERS, norm('output_norm')],
    rename: renamer(LLAMA_NAMES, OTHERS),
    change: halves,
  },
  {
    of: 'exaone4',
    keys: llamaKeys('exaone4'),
    config: llamaConfig('exaone4', true, { head_dim: undefined, sliding_window: null }),
    tensors: [
      table,
      ...layer([...ATTENTION, ...QK_NORMS, norm('post_attention_norm'), ...MLP, norm('post_ffw_norm')]),
      norm('output_norm'),
    ],
    rename: renamer(LLAMA_NAMES, OTHERS),
  },
  {
    of: 'stablelm',
    keys: { ...layerKeys('stablelm'), 'rope.dimension_count': HEAD / 4, use_parallel_residual: false },
    config: llamaConfig('stablelm', false, {
      head_dim: undefined,
      rms_norm_eps: undefined,
      layer_norm_eps: Math.fround(1e-5),
      partial_rotary_factor: 0.25,
      use_qkv_bias: true,
    }),
    tensors: [
      table,
      ...layer([...layerNorm('attn_norm'), ...ATTENTION, ...BIASES, ...layerNorm('ffn_norm'), ...MLP]),
      ...layerNorm('output_norm'),
      head,
    ],
    rename: renamer(LLAMA_NAMES, OTHERS),
  },
  {
    of: 'starcoder2',
    keys: layerKeys('starcoder2'),
    config: llamaConfig('starcoder2', true, {
      head_dim: undefined,
      rms_norm_eps: undefined,
      norm_epsilon: Math.fround(1e-5),
      hidden_act: 'gelu_pytorch_tanh',
    }),
    tensors: [
      table,
      ...layer([
        ...layerNorm('attn_norm'),
        ...ATTENTION,
        ...BIASES,
        ['attn_output.bias', [D]],
        ...layerNorm('ffn_norm'),
        ...biased('ffn_up', INNER),
        ...biased('ffn_down', D, INNER),
      ]),
      ...layerNorm('output_norm'),
    ],
    rename: renamer({ ...LLAMA_NAMES, ffn_up: `${AT}mlp.c_fc`, ffn_down: `${AT}mlp.c_proj` }, OTHERS),
  },
  {
    of: 'command-r',
    keys: { ...layerKeys('command-r'), logit_scale: { type: 'float32', value: 0.25 } },
    config: llamaConfig('cohere', true, {
      head_dim: undefined,
      rms_norm_eps: undefined,
      layer_norm_eps: Math.fround(1e-5),
      logit_scale: 0.25,
    }),
    tensors: [table, ...layer([norm('attn_norm'), ...ATTENTION, ...MLP]), norm('output_norm')],
    rename: renamer(LLAMA_NAMES, OTHERS),
  },
  {
    of: 'cohere2',
    keys: { ...layerKeys('cohere2'), logit_scale: { type: 'float32', value: 0.25 }, 'attention.sliding_window': 5 },
    config: llamaConfig('cohere2', true, {
      head_dim: undefined,
      rms_norm_eps: undefined,
      layer_norm_eps: Math.fround(1e-5),
      logit_scale: 0.25,
      sliding_window: 5,
      sliding_window_pattern: 4,
    }),
    tensors: [table, ...layer([norm('attn_norm'), ...ATTENTION, ...MLP]), norm('output_norm')],
    rename: renamer(LLAMA_NAMES, OTHERS),
  },
  {
    of: 'glm4',
    keys: { ...llamaKeys('glm4'), 'rope.dimension_count': HEAD / 2 },
    config: llamaConfig('glm4', false, { partial_rotary_factor: 0.5 }),
    tensors: [
      table,
      ...layer([
        norm('attn_norm'),
        ...ATTENTION,
        ...BIASES,
        norm('post_attention_norm'),
        norm('ffn_norm'),
        ['ffn_up.weight', [2 * INNER, D]],
        ['ffn_down.weight', [D, INNER]],
        norm('post_ffw_norm'),
      ]),
      norm('output_norm'),
      head,
    ],
    rename: renamer(
      {
        ...LLAMA_NAMES,
        post_attention_norm: `${AT}post_self_attn_layernorm`,
        post_ffw_norm: `${AT}post_mlp_layernorm`,
        ffn_up: `${AT}mlp.gate_up_proj`,
      },
      OTHERS,
    ),
  },
  {
    of: 'starcoder',
    keys: { ...plainKeys(), 'attention.head_count_kv': 1 },
    config: {
      model_type: 'gpt_bigcode',
      vocab_size: VOCAB,
      n_positions: POSITIONS,
      n_embd: D,
      n_inner: INNER,
      n_layer: LAYERS,
      n_head: HEADS,
      layer_norm_epsilon: Math.fround(1e-5),
    },
    tensors: [
      table,
      ['position_embd.weight', [POSITIONS, D]],
      ...layer([
        ...layerNorm('attn_norm'),
        ...biased('attn_qkv', D + 2 * HEAD),
        ...biased('attn_output', D),
        ...layerNorm('ffn_norm'),
        ...biased('ffn_up', INNER),
        ...biased('ffn_down', D, INNER),
      ]),
      ...layerNorm('output_norm'),
    ],
    rename: renamer(
      {
        attn_norm: 'transformer.h.#.ln_1',
        attn_qkv: 'transformer.h.#.attn.c_attn',
        attn_output: 'transformer.h.#.attn.c_proj',
        ffn_norm: 'transformer.h.#.ln_2',
        ffn_up: 'transformer.h.#.mlp.c_fc',
        ffn_down: 'transformer.h.#.mlp.c_proj',
      },
      { token_embd: 'transformer.wte', position_embd: 'transformer.wpe', output_norm: 'transformer.ln_f' },
    ),
  },
  {
    of: 'falcon',
    keys: { ...plainKeys(), 'attention.head_count_kv': 1 },
    config: { ...FALCON, multi_query: true },
    tensors: [
      table,
      ...layer([
        ...layerNorm('attn_norm'),
        ['attn_qkv.weight', [D + 2 * HEAD, D]],
        ['attn_output.weight', [D, D]],
        ['ffn_up.weight', [INNER, D]],
        ['ffn_down.weight', [D, INNER]],
      ]),
      ...layerNorm('output_norm'),
    ],
    rename: renamer(FALCON_NAMES, FALCON_OTHERS),
  },
  {
    of: 'bloom',
    keys: { ...plainKeys(), feed_forward_length: 4 * D },
    config: {
      model_type: 'bloom',
      vocab_size: VOCAB,
      hidden_size: D,
      n_layer: LAYERS,
      n_head: HEADS,
      layer_norm_epsilon: Math.fround(1e-5),
    },
    tensors: [
      table,
      ...layerNorm('token_embd_norm'),
      ...layer([
        ...layerNorm('attn_norm'),
        ...biased('attn_qkv', 3 * D),
        ...biased('attn_output', D),
        ...layerNorm('ffn_norm'),
        ...biased('ffn_up', 4 * D),
        ...biased('ffn_down', D, 4 * D),
      ]),
      ...layerNorm('output_norm'),
    ],
    rename: renamer(
      { ...FALCON_NAMES, ffn_norm: 'transformer.h.#.post_attention_layernorm' },
      { ...FALCON_OTHERS, token_embd_norm: 'transformer.word_embeddings_layernorm' },
    ),
    change: perHead,
  },
  {
    of: 'mpt',
    keys: { ...plainKeys(), feed_forward_length: 4 * D, 'attention.max_alibi_bias': { type: 'float32', value: 8 } },
    config: {
      model_type: 'mpt',
      vocab_size: VOCAB,
      d_model: D,
      n_layers: LAYERS,
      n_heads: HEADS,
      max_seq_len: POSITIONS,
      layer_norm_epsilon: Math.fround(1e-5),
    },
    tensors: [
      table,
      ...layer([
        norm('attn_norm'),
        ['attn_qkv.weight', [3 * D, D]],
        ['attn_output.weight', [D, D]],
        norm('ffn_norm'),
        ['ffn_up.weight', [4 * D, D]],
        ['ffn_down.weight', [D, 4 * D]],
      ]),
      norm('output_norm'),
    ],
    rename: renamer(
      {
        attn_norm: 'transformer.blocks.#.norm_1',
        attn_qkv: 'transformer.blocks.#.attn.Wqkv',
        attn_output: 'transformer.blocks.#.attn.out_proj',
        ffn_norm: 'transformer.blocks.#.norm_2',
        ffn_up: 'transformer.blocks.#.ffn.up_proj',
        ffn_down: 'transformer.blocks.#.ffn.down_proj',
      },
      { token_embd: 'transformer.wte', output_norm: 'transformer.norm_f' },
    ),
  },
  {
    of: 'nomic-bert',
    keys: {
      ...plainKeys(),
      'attention.causal': false,
      'rope.freq_base': { type: 'float32', value: 1000 },
      pooling_type: 1,
      'tokenizer.ggml.token_type_count': 2,
    },
    config: {
      model_type: 'nomic_bert',
      vocab_size: VOCAB,
      n_positions: POSITIONS,
      n_embd: D,
      n_inner: INNER,
      n_layer: LAYERS,
      n_head: HEADS,
      layer_norm_epsilon: Math.fround(1e-5),
      activation_function: 'swiglu',
      rotary_emb_base: 1000,
      rotary_emb_fraction: 1,
      rotary_scaling_factor: null,
      qkv_proj_bias: false,
      mlp_fc1_bias: false,
      mlp_fc2_bias: false,
    },
    tensors: [
      table,
      ['token_types.weight', [2, D]],
      ...layerNorm('token_embd_norm'),
      ...layer([
        ['attn_qkv.weight', [3 * D, D]],
        ['attn_output.weight', [D, D]],
        ...layerNorm('attn_output_norm'),
        ...MLP,
        ...layerNorm('layer_output_norm'),
      ]),
    ],
    rename: renamer(
      {
        attn_qkv: 'encoder.layers.#.attn.Wqkv',
        attn_output: 'encoder.layers.#.attn.out_proj',
        attn_output_norm: 'encoder.layers.#.norm1',
        ffn_up: 'encoder.layers.#.mlp.fc11',
        ffn_gate: 'encoder.layers.#.mlp.fc12',
        ffn_down: 'encoder.layers.#.mlp.fc2',
        layer_output_norm: 'encoder.layers.#.norm2',
      },
      {
        token_embd: 'embeddings.word_embeddings',
        token_types: 'embeddings.token_type_embeddings',
        token_embd_norm: 'emb_ln',
      },
    ),
  },
]

const JINA = {
  attn_q: 'bert.encoder.layer.#.attention.self.query',
  attn_k: 'bert.encoder.layer.#.attention.self.key',
  attn_v: 'bert.encoder.layer.#.attention.self.value',
  attn_output: 'bert.encoder.layer.#.attention.output.dense',
  attn_output_norm: 'bert.encoder.layer.#.attention.output.LayerNorm',
  ffn_up: 'bert.encoder.layer.#.mlp.gated_layers',
  ffn_down: 'bert.encoder.layer.#.mlp.wo',
  layer_output_norm: 'bert.encoder.layer.#.mlp.layernorm',
}

const T5_KEYS = {
  context_length: POSITIONS,
  embedding_length: D,
  feed_forward_length: INNER,
  block_count: LAYERS,
  'attention.head_count': HEADS,
  'attention.key_length': HEAD,
  'attention.value_length': HEAD,
  'attention.layer_norm_epsilon': f32(1e-6),
  'attention.layer_norm_rms_epsilon': f32(1e-6),
  'attention.relative_buckets_count': 32,
}
const T5_CONFIG = {
  model_type: 't5',
  vocab_size: VOCAB,
  d_model: D,
  d_kv: HEAD,
  d_ff: INNER,
  num_layers: LAYERS,
  num_heads: HEADS,
  relative_attention_num_buckets: 32,
  layer_norm_epsilon: Math.fround(1e-6),
  decoder_start_token_id: 0,
}

/** Lists the GGUF tensors of T5's encoder or decoder, with their dims. @param {'enc' | 'dec'} stack @param {number} layers @param {boolean} isGated @returns {[string, readonly number[]][]} */
function t5Stack(stack, layers, isGated) {
  const attention = (/** @type {string} */ at, /** @type {string} */ kind) => [
    norm(`${at}${kind}_norm`),
    ...['q', 'k', 'v', 'o'].map(
      one => /** @type {[string, readonly number[]]} */ ([`${at}${kind}_${one}.weight`, [D, D]]),
    ),
  ]
  return [
    ...Array.from({ length: layers }, (_, i) => {
      const at = `${stack}.blk.${i}.`
      return [
        ...attention(at, 'attn'),
        .../** @type {[string, readonly number[]][]} */ (i ? [] : [[`${at}attn_rel_b.weight`, [32, HEADS]]]),
        ...(stack === 'dec' ? attention(at, 'cross_attn') : []),
        norm(`${at}ffn_norm`),
        ...MLP.slice(isGated ? 0 : 1).map(
          ([name, dims]) => /** @type {[string, readonly number[]]} */ ([at + name, dims]),
        ),
      ]
    }).flat(),
    norm(`${stack}.output_norm`),
  ]
}

/** Returns a function that maps GGUF's names of T5 tensors to Hugging Face's. @param {boolean} isGated true if the MLP has a gate */
const t5Name = isGated => (/** @type {string} */ name) => {
  if (!/^(enc|dec)/.test(name)) return { token_embd: 'shared', output: 'lm_head' }[name] ?? name
  const [, short, i, part] = /^(enc|dec)\.(?:blk\.(\d+)\.)?(.+)$/.exec(name) ?? []
  const stack = short === 'enc' ? 'encoder' : 'decoder'
  if (i === undefined) return `${stack}.final_layer_norm`
  const at = `${stack}.block.${i}.layer.`
  const last = `${at}${short === 'enc' ? 1 : 2}`
  const [, cross, one] = /^(cross_)?attn_(.+)$/.exec(part) ?? []
  if (one === 'norm') return `${at}${cross ? 1 : 0}.layer_norm`
  const own = one === 'rel_b' ? 'relative_attention_bias' : one
  if (one) return `${at}${cross ? '1.EncDecAttention' : '0.SelfAttention'}.${own}`
  if (part === 'ffn_norm') return `${last}.layer_norm`
  const up = isGated ? 'wi_1' : 'wi'
  return `${last}.DenseReluDense.${{ ffn_gate: 'wi_0', ffn_up: up, ffn_down: 'wo' }[part]}`
}

ALL.push(
  {
    of: 'exaone',
    keys: llamaKeys('exaone'),
    config: {
      model_type: 'exaone',
      vocab_size: VOCAB,
      hidden_size: D,
      intermediate_size: INNER,
      num_layers: LAYERS,
      num_attention_heads: HEADS,
      num_key_value_heads: KV,
      max_position_embeddings: POSITIONS,
      layer_norm_epsilon: Math.fround(1e-5),
      rope_theta: 10000,
      tie_word_embeddings: false,
    },
    tensors: [table, ...LLAMA_LAYERS, norm('output_norm'), head],
    rename: renamer(
      {
        attn_norm: 'transformer.h.#.ln_1',
        attn_q: 'transformer.h.#.attn.attention.q_proj',
        attn_k: 'transformer.h.#.attn.attention.k_proj',
        attn_v: 'transformer.h.#.attn.attention.v_proj',
        attn_output: 'transformer.h.#.attn.attention.out_proj',
        ffn_norm: 'transformer.h.#.ln_2',
        ffn_gate: 'transformer.h.#.mlp.c_fc_0',
        ffn_up: 'transformer.h.#.mlp.c_fc_1',
        ffn_down: 'transformer.h.#.mlp.c_proj',
      },
      { token_embd: 'transformer.wte', output_norm: 'transformer.ln_f', output: 'lm_head' },
    ),
  },
  {
    of: 'chatglm',
    keys: { ...llamaKeys('chatglm'), 'rope.dimension_count': HEAD / 2 },
    config: llamaConfig('glm', false, { partial_rotary_factor: 0.5, attention_bias: true }),
    tensors: [
      table,
      ...layer([
        norm('attn_norm'),
        ...biased('attn_qkv', D + 2 * KV * HEAD),
        ['attn_output.weight', [D, D]],
        norm('ffn_norm'),
        ['ffn_up.weight', [2 * INNER, D]],
        ['ffn_down.weight', [D, INNER]],
      ]),
      norm('output_norm'),
      head,
    ],
    rename: renamer({ ...LLAMA_NAMES, attn_qkv: `${AT}qkv`, ffn_up: `${AT}mlp.gate_up_proj` }, OTHERS),
    change(name, { values, dims }, weights) {
      if (!name.includes('qkv')) return void weights.set(name, { values, dims })
      const width = values.length / dims[0]
      let from = 0
      for (const [part, rows] of /** @type {const} */ ([
        ['q_proj', D],
        ['k_proj', KV * HEAD],
        ['v_proj', KV * HEAD],
      ])) {
        const own = values.slice(from * width, (from + rows) * width)
        weights.set(name.replace('qkv', `self_attn.${part}`), { values: own, dims: [rows, ...dims.slice(1)] })
        from += rows
      }
    },
  },
  {
    of: 'jina-bert-v2',
    keys: { ...plainKeys(), 'attention.causal': false, pooling_type: 1, 'tokenizer.ggml.token_type_count': 2 },
    config: {
      model_type: 'bert',
      vocab_size: VOCAB,
      hidden_size: D,
      intermediate_size: INNER,
      num_hidden_layers: LAYERS,
      num_attention_heads: HEADS,
      max_position_embeddings: POSITIONS,
      layer_norm_eps: Math.fround(1e-5),
      position_embedding_type: 'alibi',
      feed_forward_type: 'geglu',
    },
    tensors: [
      table,
      ['token_types.weight', [2, D]],
      ...layerNorm('token_embd_norm'),
      ...layer([
        ...biased('attn_q', D),
        ...biased('attn_k', D),
        ...biased('attn_v', D),
        ...biased('attn_output', D),
        ...layerNorm('attn_output_norm'),
        ['ffn_up.weight', [2 * INNER, D]],
        ...biased('ffn_down', D, INNER),
        ...layerNorm('layer_output_norm'),
      ]),
    ],
    rename: renamer(JINA, {
      token_embd: 'bert.embeddings.word_embeddings',
      token_types: 'bert.embeddings.token_type_embeddings',
      token_embd_norm: 'bert.embeddings.LayerNorm',
    }),
  },
  {
    of: 'modern-bert',
    keys: {
      ...plainKeys(),
      'attention.causal': false,
      'attention.sliding_window': 6,
      'rope.freq_base': f32(2000),
      'rope.freq_base_swa': f32(100),
      'rope.scaling.type': 'none',
      pooling_type: 1,
    },
    config: {
      model_type: 'modernbert',
      vocab_size: VOCAB,
      hidden_size: D,
      intermediate_size: INNER,
      num_hidden_layers: LAYERS,
      num_attention_heads: HEADS,
      max_position_embeddings: POSITIONS,
      norm_eps: Math.fround(1e-5),
      global_rope_theta: 2000,
      local_rope_theta: 100,
      local_attention: 6,
    },
    tensors: [
      table,
      norm('token_embd_norm'),
      ...layer([
        norm('attn_norm'),
        ['attn_qkv.weight', [3 * D, D]],
        ['attn_output.weight', [D, D]],
        norm('ffn_norm'),
        ['ffn_up.weight', [2 * INNER, D]],
        ['ffn_down.weight', [D, INNER]],
      ]).filter(([name]) => name !== 'blk.0.attn_norm.weight'),
      norm('output_norm'),
    ],
    rename: renamer(
      {
        attn_norm: `${AT}attn_norm`,
        attn_qkv: `${AT}attn.Wqkv`,
        attn_output: `${AT}attn.Wo`,
        ffn_norm: `${AT}mlp_norm`,
        ffn_up: `${AT}mlp.Wi`,
        ffn_down: `${AT}mlp.Wo`,
      },
      {
        token_embd: 'model.embeddings.tok_embeddings',
        token_embd_norm: 'model.embeddings.norm',
        output_norm: 'model.final_norm',
      },
    ),
  },
  {
    of: 't5',
    keys: { ...T5_KEYS, decoder_block_count: 1, decoder_start_token_id: 0 },
    config: {
      ...T5_CONFIG,
      num_decoder_layers: 1,
      feed_forward_proj: 'gated-gelu',
      tie_word_embeddings: false,
    },
    tensors: [table, ...t5Stack('enc', LAYERS, true), ...t5Stack('dec', 1, true), head],
    rename: t5Name(true),
  },
  {
    of: 't5encoder',
    // Converters do not write attention.causal. It is written here because node-llama-cpp calls llama_decode, which otherwise hides later tokens.
    keys: { ...T5_KEYS, pooling_type: 1, 'attention.causal': false },
    config: { ...T5_CONFIG, feed_forward_proj: 'gated-gelu', architectures: ['T5EncoderModel'] },
    tensors: [table, ...t5Stack('enc', LAYERS, true)],
    rename: t5Name(true),
  },
)

const [LLAMA] = ALL
const T5_ENCODER = ALL.find(({ of }) => of === 't5encoder') ?? LLAMA
const [QWEN2, , OLMO2] = ALL.slice(1)
const GEMMA3 = ALL[6]
const PHI3 = ALL.find(({ of }) => of === 'phi3') ?? LLAMA
const FALCON_7B = ALL.find(({ of }) => of === 'falcon') ?? LLAMA
const BERT = ALL.find(({ of }) => of === 'bert') ?? LLAMA
const T5 = ALL.find(({ of }) => of === 't5') ?? LLAMA
const MODERN = ALL.find(({ of }) => of === 'modern-bert') ?? LLAMA
const QWEN3 = ALL.find(({ of }) => of === 'qwen3') ?? LLAMA
/** Returns a `rename` that also maps the tensors of a head. @param {Made['rename']} rename @param {Record<string, string>} head new names by GGUF name */
const andHead = (rename, head) => (/** @type {string} */ name) => head[name] ?? rename(name)
/** Makes matrices of one row from vectors, as which llama-quantize writes them. @type {NonNullable<Made['change']>} */
const oneRow = (name, { values, dims }, weights) =>
  void weights.set(name, {
    values,
    dims: dims.length === 1 && /(token_type_embeddings|classifier)\.weight$/.test(name) ? [1, ...dims] : dims,
  })
const ENCODER_PAIRS = {
  pooling_type: 4,
  'tokenizer.ggml.add_bos_token': true,
  'tokenizer.ggml.add_eos_token': true,
  'tokenizer.ggml.seperator_token_id': 2,
}
const { 'rope.scaling.type': _type, 'rope.scaling.factor': _factor, ...unscaled } = GEMMA3.keys
const factors = /** @type {[string, readonly number[]]} */ (['rope_freqs.weight', [HEAD / 2]])
const longAndShort = ['long', 'short'].map(
  length => /** @type {[string, readonly number[]]} */ ([`rope_factors_${length}.weight`, [HEAD / 2]]),
)
/** @type {Made[]} */
export const MADE = [
  ...ALL.map(made => ({ title: made.of, ...made })),
  {
    ...GEMMA3,
    of: 'gemma-embedding',
    title: 'gemma-embedding',
    keys: {
      ...unscaled,
      'attention.causal': false,
      'attention.sliding_window': 4,
      'attention.sliding_window_pattern': 2,
      pooling_type: 1,
    },
    config: {
      ...GEMMA3.config,
      rope_scaling: undefined,
      sliding_window: 4,
      sliding_window_pattern: 2,
      use_bidirectional_attention: true,
      architectures: ['Gemma3TextModel'],
    },
  },
  {
    ...FALCON_7B,
    title: 'falcon, groups',
    keys: { ...FALCON_7B.keys, 'attention.head_count_kv': KV },
    config: { ...FALCON, new_decoder_architecture: true, num_kv_heads: KV },
    tensors: [
      table,
      ...layer([
        ...layerNorm('attn_norm'),
        ...layerNorm('attn_norm_2'),
        ['attn_qkv.weight', [D + 2 * KV * HEAD, D]],
        ['attn_output.weight', [D, D]],
        ['ffn_up.weight', [INNER, D]],
        ['ffn_down.weight', [D, INNER]],
      ]),
      ...layerNorm('output_norm'),
    ],
    rename: renamer(
      { ...FALCON_NAMES, attn_norm: 'transformer.h.#.ln_mlp', attn_norm_2: 'transformer.h.#.ln_attn' },
      FALCON_OTHERS,
    ),
    change: perGroup,
  },
  { ...LLAMA, title: 'llama, factors of frequencies', tensors: [factors, ...LLAMA.tensors] },
  {
    ...PHI3,
    title: 'phi3, factors of frequencies',
    tensors: [...longAndShort, ...PHI3.tensors],
    keys: {
      ...PHI3.keys,
      context_length: 1024,
      'rope.scaling.original_context_length': 512,
      'rope.scaling.attn_factor': f32(1.25),
    },
    config: { ...PHI3.config, max_position_embeddings: 1024, original_max_position_embeddings: 512 },
  },
  {
    ...LLAMA,
    title: 'llama, biases',
    tensors: [...LLAMA.tensors, ...layer([...BIASES, ['attn_output.bias', [D]]])],
    config: { ...LLAMA.config, attention_bias: true },
  },
  {
    ...LLAMA,
    title: 'llama, linear scaling',
    keys: { ...LLAMA.keys, 'rope.scaling.type': 'linear', 'rope.scaling.factor': f32(4) },
    config: { ...LLAMA.config, rope_scaling: { rope_type: 'linear', factor: 4 } },
  },
  { ...LLAMA, of: 'mistral3', title: 'mistral3' },
  {
    ...BERT,
    title: 'bert, without token types: DistilBERT',
    config: {
      model_type: 'distilbert',
      vocab_size: VOCAB,
      dim: D,
      hidden_dim: INNER,
      n_layers: LAYERS,
      n_heads: HEADS,
      max_position_embeddings: POSITIONS,
    },
    tensors: BERT.tensors.filter(([name]) => name !== 'token_types.weight'),
    rename: renamer(
      {
        attn_q: 'distilbert.transformer.layer.#.attention.q_lin',
        attn_k: 'distilbert.transformer.layer.#.attention.k_lin',
        attn_v: 'distilbert.transformer.layer.#.attention.v_lin',
        attn_output: 'distilbert.transformer.layer.#.attention.out_lin',
        attn_output_norm: 'distilbert.transformer.layer.#.sa_layer_norm',
        ffn_up: 'distilbert.transformer.layer.#.ffn.lin1',
        ffn_down: 'distilbert.transformer.layer.#.ffn.lin2',
        layer_output_norm: 'distilbert.transformer.layer.#.output_layer_norm',
      },
      {
        token_embd: 'distilbert.embeddings.word_embeddings',
        position_embd: 'distilbert.embeddings.position_embeddings',
        token_embd_norm: 'distilbert.embeddings.LayerNorm',
      },
    ),
  },
  {
    ...BERT,
    title: 'bert, a reranker: XLM-RoBERTa',
    keys: {
      ...BERT.keys,
      ...ENCODER_PAIRS,
      'tokenizer.ggml.token_type_count': 1,
      'classifier.output_labels': ['LABEL_0'],
    },
    config: {
      ...BERT.config,
      type_vocab_size: 1,
      architectures: ['BertForSequenceClassification'],
      id2label: { 0: 'LABEL_0' },
    },
    tensors: [
      ...BERT.tensors.map(tensor =>
        tensor[0] === 'token_types.weight'
          ? /** @type {[string, readonly number[]]} */ (['token_types.weight', [D]])
          : tensor,
      ),
      ...biased('cls', D),
      ['cls.output.weight', [D]],
      ['cls.output.bias', [1]],
    ],
    rename: andHead(BERT.rename, { cls: 'bert.pooler.dense', 'cls.output': 'classifier' }),
    change: oneRow,
  },
  {
    ...MODERN,
    title: 'modern-bert, a reranker',
    keys: { ...MODERN.keys, ...ENCODER_PAIRS, 'classifier.output_labels': ['LABEL_0'] },
    config: {
      ...MODERN.config,
      architectures: ['ModernBertForSequenceClassification'],
      id2label: { 0: 'LABEL_0' },
      classifier_pooling: 'mean',
    },
    tensors: [
      ...MODERN.tensors,
      ['cls.weight', [D, D]],
      norm('cls.norm'),
      ['cls.output.weight', [D]],
      ['cls.output.bias', [1]],
    ],
    rename: andHead(MODERN.rename, { cls: 'head.dense', 'cls.norm': 'head.norm', 'cls.output': 'classifier' }),
    change: oneRow,
  },
  {
    ...QWEN3,
    title: 'qwen3, a reranker',
    keys: {
      ...QWEN3.keys,
      pooling_type: 4,
      'classifier.output_labels': ['yes', 'no'],
      'tokenizer.ggml.add_bos_token': false,
      'tokenizer.chat_templates': ['rerank'],
      'tokenizer.chat_template.rerank': '<s>{query} of {document}</s>{query}',
    },
    config: {
      ...QWEN3.config,
      architectures: ['Qwen3ForSequenceClassification'],
      id2label: { 0: 'yes', 1: 'no' },
    },
    tensors: [...QWEN3.tensors, ['cls.output.weight', [2, D]]],
    rename: andHead(QWEN3.rename, { 'cls.output': 'score' }),
  },
  {
    ...T5,
    title: 't5, without a gate, tied',
    keys: { ...T5_KEYS, decoder_start_token_id: 0 },
    config: T5_CONFIG,
    tensors: [table, ...t5Stack('enc', LAYERS, false), ...t5Stack('dec', LAYERS, false)],
    rename: t5Name(false),
  },
  {
    ...QWEN2,
    title: 'qwen2, yarn',
    keys: {
      ...QWEN2.keys,
      'rope.scaling.type': 'yarn',
      'rope.scaling.factor': f32(4),
      'rope.scaling.original_context_length': 16,
    },
    config: {
      ...QWEN2.config,
      rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 16 },
    },
  },
  {
    ...OLMO2,
    title: 'olmo2, a window',
    keys: {
      ...OLMO2.keys,
      'attention.sliding_window': 5,
      'attention.sliding_window_pattern': { type: /** @type {const} */ ('bool'), value: [true, true] },
    },
    config: {
      ...OLMO2.config,
      model_type: 'olmo3',
      rope_theta: undefined,
      rope_parameters: Object.fromEntries(
        ['full_attention', 'sliding_attention'].map(kind => [kind, { rope_type: 'default', rope_theta: 10000 }]),
      ),
      sliding_window: 5,
      layer_types: ['sliding_attention', 'sliding_attention'],
    },
  },
  {
    ...T5_ENCODER,
    title: 't5encoder, as converters write it',
    keys: { ...T5_KEYS, pooling_type: 1 },
  },
]

/** Makes a vocabulary of made-up words, in the order that llama.cpp requires. @type {Record<string, Value>} */
const TOKENIZER = (() => {
  const bytes = Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`)
  const words = Array.from({ length: VOCAB - 259 }, (_, n) => `\u2581word${n}`)
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...words]
  return {
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': { type: 'float32', value: tokens.map((_, n) => -n) },
    'tokenizer.ggml.token_type': {
      type: 'int32',
      value: tokens.map((_, n) => (n === 0 ? 2 : n < 3 ? 3 : n < 259 ? 6 : 1)),
    },
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
  }
})()

/** Returns the rope_scaling of config.json that divides the frequencies by the factors in `values`. @param {Float32Array} values */
const longRope = values => ({
  rope_type: 'longrope',
  short_factor: [...values],
  long_factor: [...values],
  attention_factor: 1,
  original_max_position_embeddings: POSITIONS,
})

/**
 * Makes the metadata and tensors of a GGUF file, and the weights and rope scaling of the folder.
 * @param {Made} made
 * @param {string} type of all matrices
 * @param {Random} random
 * @param {string} [tableType] of the table of tokens
 */
export function contentsOf({ of, keys, tensors, rename, change }, type, random, tableType = type) {
  /** @type {Weights} */
  const weights = new Map()
  /** @type {object | undefined} */
  let scaling
  const written = tensors.map(([name, dims]) => {
    const isMatrix = dims.length > 1 && !/position|token_types|rel_b/.test(name)
    const own = name === 'token_embd.weight' ? tableType : isMatrix ? type : 'F32'
    const count = dims.reduce((a, b) => a * b)
    const { bytes, values } = writeBlocks(own, count, random, /norm\.weight/.test(name) ? 0.3 : 0.1)
    if (/norm\.weight|rope_f/.test(name)) for (const i of values.keys()) values[i] += 1
    const [, stem, kind] = /^(.*)\.(weight|bias)$/.exec(name) ?? []
    const tensor = { values, dims }
    if (name === 'rope_freqs.weight') scaling = longRope(values)
    else if (/rope_factors/.test(name))
      scaling = {
        ...scaling,
        rope_type: 'longrope',
        [name.includes('long') ? 'long_factor' : 'short_factor']: [...values],
        attention_factor: 1.25,
      }
    else if (change) change(`${rename(stem)}.${kind}`, tensor, weights)
    else weights.set(`${rename(stem)}.${kind}`, tensor)
    return { name, dims, type: own, bytes }
  })
  const metadata = Object.entries(keys).map(
    ([key, value]) => /** @type {[string, Value]} */ ([key.startsWith('tokenizer') ? key : `${of}.${key}`, value]),
  )
  /** @type {[string, Value][]} */
  const all = [['general.architecture', of], ...metadata, ...Object.entries(TOKENIZER)]
  return { metadata: all, written, weights, scaling }
}

/**
 * Makes a model as one GGUF file, and the config and weights of its folder.
 * @param {Made} made
 * @param {string} type
 * @param {Random} random
 * @param {string} [tableType] of the table of tokens
 * @returns {{ gguf: Uint8Array<ArrayBuffer>, config: Record<string, unknown>, weights: Weights }}
 */
export function make(made, type, random, tableType) {
  const { metadata, written, weights, scaling } = contentsOf(made, type, random, tableType)
  const config = JSON.parse(JSON.stringify({ ...made.config, ...(scaling && { rope_scaling: scaling }) }))
  return { gguf: writeGguf(metadata, written), config, weights }
}

/**
 * Makes the model of `make` as `count` GGUF files.
 * @param {Made} made
 * @param {string} type
 * @param {Random} random
 * @param {number} count
 */
export function parts(made, type, random, count) {
  const { metadata, written } = contentsOf(made, type, random)
  const size = Math.ceil(written.length / count)
  return Array.from({ length: count }, (_, n) =>
    writeGguf(
      [
        ...(n ? [] : metadata),
        ['split.no', { type: 'uint16', value: n }],
        ['split.count', { type: 'uint16', value: count }],
        ['split.tensors.count', { type: 'int32', value: written.length }],
      ],
      written.slice(n * size, (n + 1) * size),
    ),
  )
}
