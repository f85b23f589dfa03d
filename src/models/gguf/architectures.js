// Converts the metadata of a GGUF file to config.json, and its tensor names to those of Hugging Face.
// https://github.com/ggml-org/llama.cpp: names are in src/llama-arch.cpp, the converter's changes to weights in conversion/

import { describe } from '../../base/errors.js'

/** @import { Keys } from './keys.js' */
/** @import { StoredTensor } from '../weights/safetensors.js' */
/** @typedef {Map<string, StoredTensor>} Tensors */

/**
 * A change that llama.cpp's converter made to a tensor, and that reading undoes.
 * @typedef {object} Change
 * @property {string} [name] Hugging Face name; undefined if the tensor is not used
 * @property {(n: number) => number} [row] returns where the file has row n of the Hugging Face tensor
 * @property {[from: number, count: number]} [rows] the rows that are read from a fused tensor; default: all
 * @property {boolean} [isTurned] True if the matrix is transposed
 * @property {boolean} [isPlusOne] True if 1 was added to the weights of a norm
 */

/**
 * @typedef {object} Architecture
 * @property {(k: Keys, tensors: Tensors) => Record<string, unknown>} config
 * @property {Record<string, string>} names Hugging Face names (N is the layer's number), by the file's names without blk., the layer's
 *   number, .weight and .bias
 * @property {(name: string, kind: string, config: any) => Omit<Change, 'name'>} [change] returns the change of the file's tensor `name`
 * @property {(name: string, config: any) => [string, Omit<Change, 'name'>][] | undefined} [split] returns name and change of each part of
 *   a fused tensor; undefined for other tensors
 */

const AT = 'model.layers.N.'
/** Llama's Hugging Face names by the file's names. */
const LLAMA = {
  token_embd: 'model.embed_tokens',
  output_norm: 'model.norm',
  output: 'lm_head',
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
}
/** Names of the norms after attention and after the MLP. */
const AFTER = {
  post_attention_norm: `${AT}post_attention_layernorm`,
  post_ffw_norm: `${AT}post_feedforward_layernorm`,
}
const GEMMA = { ...LLAMA, ...AFTER, ffn_norm: `${AT}pre_feedforward_layernorm` }

/** Returns the number of rows of the tensor `name`. @param {Keys} k @param {Tensors} tensors @param {string} name */
function rowsOf({ fail }, tensors, name) {
  const rows = tensors.get(name)?.dims[0]
  if (rows === undefined) throw fail(`tensor ${describe(name)} is missing`)
  return rows
}

/** Returns the number of tokens in the vocabulary. @param {Keys} k @param {Tensors} tensors */
function tokensOf(k, tensors) {
  const rows = rowsOf(k, tensors, 'token_embd.weight')
  const tokens = k.metadata.get('tokenizer.ggml.tokens')
  if (typeof tokens === 'object' && tokens.length !== rows)
    throw k.fail(`tensor "token_embd.weight": expected ${tokens.length} rows, one for each token, got ${rows}`)
  return rows
}

/** Returns the number of token types. @param {Keys} k @param {Tensors} tensors */
function typesOf(k, tensors) {
  const rows = rowsOf(k, tensors, 'token_types.weight')
  const count = k.metadata.get('tokenizer.ggml.token_type_count') ?? rows
  if (count !== rows)
    throw k.fail(
      `tensor "token_types.weight": expected tokenizer.ggml.token_type_count = ${describe(count)} rows, got ${rows}`,
    )
  return rows
}

/** Returns the number of learned positions. @param {Keys} k @param {Tensors} tensors */
function positionsOf(k, tensors) {
  const rows = rowsOf(k, tensors, 'position_embd.weight')
  k.only('context_length', rows, `there are ${rows} positions`)
  return rows
}

/** Returns the scaling of rotary positions, in the format of rope_scaling. @param {Keys} k @param {Tensors} tensors */
function scalingOf(k, tensors) {
  const most = k.count('context_length')
  const factor = k.optional('rope.scaling.factor') ?? k.optional('rope.scale_linear')
  const isUnscaled = factor === undefined || factor === 0 || factor === 1
  const given = k.get('rope.scaling.type') ?? 'linear'
  const type = given === 'linear' && isUnscaled ? 'none' : given
  const old = k.optional('rope.scaling.original_context_length')
  const gain = k.optional('rope.scaling.attn_factor')
  const [fast, slow] = [k.optional('rope.scaling.yarn_beta_fast'), k.optional('rope.scaling.yarn_beta_slow')]
  // llama.cpp reads rope_factors_* and rope_freqs only in these cases. It refuses a file with tensors that it does not read.
  const isLlama = /^(llama|mistral3|granite)$/.test(k.architecture)
  const isLong = isLlama ? type === 'longrope' : k.architecture === 'phi3'
  const [long, short] = ['long', 'short'].map(length =>
    isLong ? tensors.get(`rope_factors_${length}.weight`) : undefined,
  )
  const hasFactors = isLlama ? type !== 'longrope' : /^exaone4?$/.test(k.architecture)
  const factors = hasFactors ? tensors.get('rope_freqs.weight') : undefined
  if (factors || (long && short)) {
    if (type !== 'none' && type !== 'longrope')
      throw k.fail(`rope.scaling.type ${describe(type)} beside factors of frequencies is not covered`)
    return {
      rope_type: 'longrope',
      short_factor: factors ?? short,
      long_factor: factors ?? long,
      original_max_position_embeddings: factors ? most : (old ?? most),
      ...(factors && { attention_factor: 1 }),
      ...(!factors && gain !== undefined && { attention_factor: gain }),
    }
  }
  if (type === 'none') {
    k.only('rope.scaling.attn_factor', 1)
    return undefined
  }
  if (type === 'linear' && (gain ?? 1) === 1) return { rope_type: type, factor }
  if (type !== 'yarn')
    throw k.fail(`${k.architecture}.rope.scaling.type ${describe(type)} is not covered; covered: none, linear, yarn`)
  k.only('rope.scaling.yarn_ext_factor', 1)
  k.only('rope.scaling.yarn_attn_factor', 1)
  return {
    rope_type: 'yarn',
    factor,
    original_max_position_embeddings: old ?? most,
    ...(fast !== undefined && { beta_fast: fast }),
    ...(slow !== undefined && { beta_slow: slow }),
    ...(gain !== undefined && { attention_factor: gain * (0.1 * Math.log(Number(factor)) + 1) }),
  }
}

/** Returns the config keys that decoders share: sizes, heads and rotation. @param {Keys} k @param {Tensors} tensors */
function decoder(k, tensors) {
  const d = k.count('embedding_length')
  const heads = k.count('attention.head_count')
  const size = k.count('attention.key_length', d / heads)
  k.only('attention.causal', !/embedding$/.test(k.architecture))
  k.only('attention.value_length', size, `keys have ${size} numbers: values of another size are not covered`)
  return {
    vocab_size: tokensOf(k, tensors),
    hidden_size: d,
    intermediate_size: k.count('feed_forward_length'),
    num_hidden_layers: k.count('block_count'),
    num_attention_heads: heads,
    num_key_value_heads: k.count('attention.head_count_kv', heads),
    head_dim: size,
    max_position_embeddings: k.count('context_length'),
    tie_word_embeddings: !tensors.has('output.weight'),
    rope_theta: k.number('rope.freq_base', 10_000),
    rope_scaling: scalingOf(k, tensors),
  }
}

/** Throws if the head size is not width / heads. @param {Keys} k @param {{ hidden_size: number, num_attention_heads: number }} config */
const dividedWidth = (k, { hidden_size: d, num_attention_heads: heads }) => k.only('attention.key_length', d / heads)

/** Throws if only a part of each head is rotated. @param {Keys} k @param {{ head_dim: number }} config */
const wholeHeads = (k, { head_dim: size }) =>
  k.only('rope.dimension_count', size, `all ${size} numbers of a head turn here`)

/** Returns the config of a decoder with a gated MLP and fully rotated heads. The eps of its norms is left to the caller. @param {string} type @param {Keys} k @param {Tensors} tensors */
function gated(type, k, tensors) {
  const config = decoder(k, tensors)
  wholeHeads(k, config)
  return { model_type: type, ...config, hidden_act: 'silu' }
}

/** @param {string} type @param {Record<string, unknown>} [more] */
const llamaLike =
  (type, more = {}) =>
  (/** @type {Keys} */ k, /** @type {Tensors} */ tensors) => ({
    ...gated(type, k, tensors),
    rms_norm_eps: k.number('attention.layer_norm_rms_epsilon'),
    ...more,
  })

/** @param {Tensors} tensors @param {string} name */
const hasBias = (tensors, name) => tensors.has(`blk.0.${name}.bias`)

/** Returns a function that makes a Llama's config, with biases if the file contains them. @param {string} type @returns {Architecture['config']} */
const biasedLlama = type => (k, tensors) => ({
  ...llamaLike(type)(k, tensors),
  attention_bias: hasBias(tensors, 'attn_output'),
  mlp_bias: hasBias(tensors, 'ffn_up'),
})

/**
 * Undoes the order in which Llama's converter writes the rows of q and k. Pair i of a head's rows is (2i, 2i + 1) in the file, and
 * (i, i + size / 2) in Hugging Face's layout.
 * @type {NonNullable<Architecture['change']>}
 */
function pairs(
  name,
  _,
  { num_attention_heads: heads, num_key_value_heads: keyHeads, hidden_size: d, head_dim: size = d / heads },
) {
  if (name !== 'attn_q' && name !== 'attn_k') return {}
  const [half, of] = [size / 2, name === 'attn_q' ? heads : keyHeads]
  return {
    row: n => {
      const i = n % size
      return of && n - i + 2 * (i % half) + Math.floor(i / half)
    },
  }
}

/**
 * Undoes the row order of BLOOM's converter. The file has q of all heads, then k, then v. Hugging Face's layout has q, k and v of head 0,
 * then of head 1, ...
 * @type {NonNullable<Architecture['change']>}
 */
function byHeads(name, _, { hidden_size: d, num_attention_heads: heads }) {
  if (name !== 'attn_qkv') return {}
  const size = d / heads
  return { row: n => (Math.floor(n / size) % 3) * d + Math.floor(n / size / 3) * size + (n % size) }
}

/**
 * Undoes the row order of Falcon's converter. The file has all query heads, then all key heads, then all value heads. Hugging Face's layout
 * has groups: the query heads that share a key head, that key head, and its value head.
 * @type {NonNullable<Architecture['change']>}
 */
function byGroups(name, _, { hidden_size: d, num_attention_heads: heads, num_kv_heads: groups = 1 }) {
  if (name !== 'attn_qkv' || groups === 1) return {}
  const [size, each] = [d / heads, heads / groups]
  return {
    row: n => {
      const [head, i] = [Math.floor(n / size), n % size]
      const [group, part] = [Math.floor(head / (each + 2)), head % (each + 2)]
      const first = part < each ? group * each + part : heads + (part - each) * groups + group
      return first * size + i
    },
  }
}

/** @type {NonNullable<Architecture['change']>} */
const plusOne = name => ({ isPlusOne: name.endsWith('norm') })

/**
 * Returns Gemma's query_pre_attn_scalar: the head size, except in the one model size that uses width / heads.
 * @param {number} layers the number of layers by which that model size is recognised
 * @param {{ num_hidden_layers: number, hidden_size: number, num_attention_heads: number, head_dim: number }} config
 */
const gemmaScale = (layers, { num_hidden_layers, hidden_size, num_attention_heads, head_dim }) =>
  num_hidden_layers === layers ? hidden_size / num_attention_heads : head_dim

/** @param {string} type @param {number} layers @param {(k: Keys) => Record<string, unknown>} more @returns {Architecture['config']} */
const gemma = (type, layers, more) => (k, tensors) => {
  const { hidden_act: _, ...config } = llamaLike(type)(k, tensors)
  return {
    ...config,
    hidden_activation: 'gelu_pytorch_tanh',
    query_pre_attn_scalar: gemmaScale(layers, config),
    ...more(k),
  }
}

/** Returns a number by which llama.cpp divides; throws for 0. @param {Keys} k @param {string} key @param {number} fallback */
function divisor(k, key, fallback) {
  const value = k.number(key, fallback)
  if (value === 0)
    throw k.fail(`${k.architecture}.${key}: expected a number other than 0, got 0, by which llama.cpp divides`)
  return value
}

/** Returns the config keys that only Gemma 2 has. They have defaults, because early converters did not write them. @param {Keys} k */
function gemma2(k) {
  k.only('attention.sliding_window_pattern', 2)
  k.only('rope.freq_base_swa', k.number('rope.freq_base', 10_000))
  return {
    sliding_window: k.number('attention.sliding_window', 4096),
    attn_logit_softcapping: divisor(k, 'attn_logit_softcapping', 50),
    final_logit_softcapping: divisor(k, 'final_logit_softcapping', 30),
  }
}

/** Returns the config keys of Gemma 3. Refuses a softcap of attention scores, because llama.cpp ignores it. @param {Keys} k */
function gemma3(k) {
  k.only('attn_logit_softcapping', 0)
  return {
    sliding_window: k.number('attention.sliding_window'),
    attn_logit_softcapping: null,
    final_logit_softcapping: k.optional('final_logit_softcapping') || null, // 0 is no cap in llama.cpp
    sliding_window_pattern: k.number('attention.sliding_window_pattern', 6),
    rope_local_base_freq: k.number('rope.freq_base_swa', 10_000),
  }
}

/**
 * Returns an object with a checkpoint's tensor names by the GGUF file's names.
 * @param {Record<string, string>} first names outside the layers
 * @param {string} at prefix of the checkpoint's names within a layer
 * @param {Record<string, string>} layer names within a layer
 */
const namesOf = (first, at, layer) => ({
  ...first,
  ...Object.fromEntries(Object.entries(layer).map(([name, own]) => [name, at + own])),
})

/**
 * Returns names and rows of q, k and v in a fused tensor.
 * @param {{ num_attention_heads: number, num_key_value_heads?: number, hidden_size: number, head_dim?: number }} config
 * @param {readonly string[]} names
 * @returns {[string, Omit<Change, 'name'>][]}
 */
function threeOf(
  { num_attention_heads: heads, num_key_value_heads: keyHeads = heads, hidden_size: d, head_dim: size = d / heads },
  names,
) {
  const sizes = [heads * size, keyHeads * size, keyHeads * size]
  let from = 0
  return names.map((name, n) => {
    from += sizes[n]
    return [name, { rows: [from - sizes[n], sizes[n]] }]
  })
}

const GPT2 = namesOf(
  {
    token_embd: 'transformer.wte',
    position_embd: 'transformer.wpe',
    output_norm: 'transformer.ln_f',
    output: 'lm_head',
  },
  'transformer.h.N.',
  {
    attn_norm: 'ln_1',
    attn_qkv: 'attn.c_attn',
    attn_output: 'attn.c_proj',
    ffn_norm: 'ln_2',
    ffn_up: 'mlp.c_fc',
    ffn_down: 'mlp.c_proj',
  },
)

const BLOOM_AT = 'transformer.h.N.'
const BLOOM_TABLES = {
  token_embd: 'transformer.word_embeddings',
  output_norm: 'transformer.ln_f',
  output: 'lm_head',
}
const BLOOM_LAYER = {
  attn_norm: 'input_layernorm',
  attn_qkv: 'self_attention.query_key_value',
  attn_output: 'self_attention.dense',
  ffn_up: 'mlp.dense_h_to_4h',
  ffn_down: 'mlp.dense_4h_to_h',
}

/** Returns the rotated share of each head. @param {Keys} k @param {{ head_dim: number }} config */
const shareOf = (k, { head_dim: size }) => k.count('rope.dimension_count', size) / size

/** Returns layer_types. The file marks the layers with a window in a list, or gives n: then all except every n-th have one. @param {Keys} k @param {number} layers @param {number} usual default of n */
function windowedOf(k, layers, usual) {
  const list = k.perLayer('attention.sliding_window_pattern')
  const every = list ? usual : k.count('attention.sliding_window_pattern', usual)
  return Array.from({ length: layers }, (_, i) =>
    (list ? Boolean(list[i]) : (i + 1) % every > 0) ? 'sliding_attention' : 'full_attention',
  )
}

/** Like windowedOf, except that n makes layers 0, n, 2n, ... those without a window. @param {Keys} k @param {number} layers */
function firstIsFull(k, layers) {
  const list = k.perLayer('attention.sliding_window_pattern')
  const every = list ? 1 : k.count('attention.sliding_window_pattern', 3)
  return Array.from({ length: layers }, (_, i) =>
    (list ? list[i] : i % every > 0) ? 'sliding_attention' : 'full_attention',
  )
}

/** Returns the config of OLMo 2, or of OLMo 3 if there is a window. @type {Architecture['config']} */
function olmo2(k, tensors) {
  const window = k.optional('attention.sliding_window')
  const config = llamaLike(window ? 'olmo3' : 'olmo2')(k, tensors)
  if (!window) return config
  const { rope_theta: theta, rope_scaling: scaling, ...rest } = config
  const plain = { rope_type: 'default', rope_theta: theta }
  return {
    ...rest,
    rope_parameters: { full_attention: { ...plain, ...scaling }, sliding_attention: plain },
    sliding_window: window,
    layer_types: windowedOf(k, rest.num_hidden_layers, 4),
  }
}

/** Returns a function that makes Command R's config. @param {string} type @returns {Architecture['config']} */
const cohere = type => (k, tensors) => ({
  ...gated(type, k, tensors),
  layer_norm_eps: k.number('attention.layer_norm_epsilon'),
  logit_scale: k.number('logit_scale', 1) || 1, // 0 is no scale in llama.cpp
  attention_bias: hasBias(tensors, 'attn_q'),
})

/** Splits a tensor that contains q, k and v. @type {NonNullable<Architecture['split']>} */
const fusedQkv = (name, config) => (name === 'attn_qkv' ? threeOf(config, ['attn_q', 'attn_k', 'attn_v']) : undefined)

/** BERT's names outside of its layers. */
const BERT = {
  token_embd: 'bert.embeddings.word_embeddings',
  token_types: 'bert.embeddings.token_type_embeddings',
  token_embd_norm: 'bert.embeddings.LayerNorm',
}
/** Names for the head of a RoBERTa classifier: BERT's pooler and classifier, which compute the same function. */
const BERT_CLASSES = { cls: 'bert.pooler.dense', 'cls.output': 'classifier' }
const BERT_AT = 'bert.encoder.layer.N.'
const BERT_ATTENTION = {
  attn_q: 'attention.self.query',
  attn_k: 'attention.self.key',
  attn_v: 'attention.self.value',
  attn_output: 'attention.output.dense',
  attn_output_norm: 'attention.output.LayerNorm',
}

/** Returns the config that BERT-like encoders share. @param {Keys} k @param {Tensors} tensors */
function bertSizes(k, tensors) {
  k.only('attention.causal', false)
  k.get('pooling_type')
  return {
    model_type: 'bert',
    vocab_size: tokensOf(k, tensors),
    hidden_size: k.count('embedding_length'),
    intermediate_size: k.count('feed_forward_length'),
    num_hidden_layers: k.count('block_count'),
    num_attention_heads: k.count('attention.head_count'),
    type_vocab_size: typesOf(k, tensors),
    layer_norm_eps: k.number('attention.layer_norm_epsilon'),
    hidden_act: 'gelu',
  }
}

/** True if a file has the classes of a reranker or a classifier. @param {Tensors} tensors */
const hasClasses = tensors => [...tensors.keys()].some(name => /^cls\.(output\.)?weight$/.test(name))

/**
 * Returns the keys of config.json that describe the classes: architectures and id2label. Returns {} if the file has no classes.
 * @param {Keys} k
 * @param {Tensors} tensors
 * @param {string} architecture class with the same head in transformers
 * @param {readonly string[]} parts tensors of the head
 * @param {string} why what the file seems to be, for the error if one of `parts` is missing
 */
function classesOf(k, tensors, architecture, parts, why) {
  if (!hasClasses(tensors)) return {}
  const missing = parts.find(name => !tensors.has(`${name}.weight`))
  if (missing) throw k.fail(`tensor ${describe(`${missing}.weight`)} is missing: ${why}`)
  const count = rowsOf(k, tensors, 'cls.output.weight')
  const list = k.list('classifier.output_labels')
  const labels = list ? Array.from(list) : Array.from({ length: count }, (_, n) => `LABEL_${n}`)
  if (labels.length !== count || !labels.every(label => typeof label === 'string'))
    throw k.fail(
      `${k.architecture}.classifier.output_labels: expected ${count} texts, a label for each class, got ${describe(labels)}`,
    )
  return { architectures: [architecture], id2label: Object.fromEntries(labels.entries()) }
}

/** DistilBERT's names, for files without token types. */
const DISTILBERT = Object.fromEntries(
  Object.entries(
    namesOf(
      {
        token_embd: 'distilbert.embeddings.word_embeddings',
        position_embd: 'distilbert.embeddings.position_embeddings',
        token_embd_norm: 'distilbert.embeddings.LayerNorm',
      },
      'distilbert.transformer.layer.N.',
      {
        attn_q: 'attention.q_lin',
        attn_k: 'attention.k_lin',
        attn_v: 'attention.v_lin',
        attn_output: 'attention.out_lin',
        attn_output_norm: 'sa_layer_norm',
        ffn_up: 'ffn.lin1',
        ffn_down: 'ffn.lin2',
        layer_output_norm: 'output_layer_norm',
      },
    ),
  ).map(([name, own]) => [`distil_${name}`, own]),
)

/** Returns the config of DistilBERT. @param {Keys} k @param {Tensors} tensors */
function distilbert(k, tensors) {
  if (hasClasses(tensors))
    throw k.fail('classes of DistilBERT are not covered: llama.cpp applies tanh in its head, the model relu')
  k.only('attention.causal', false)
  k.only('attention.layer_norm_epsilon', Math.fround(1e-12))
  k.get('pooling_type')
  return {
    model_type: 'distilbert',
    vocab_size: tokensOf(k, tensors),
    hidden_size: k.count('embedding_length'),
    hidden_dim: k.count('feed_forward_length'),
    num_hidden_layers: k.count('block_count'),
    num_attention_heads: k.count('attention.head_count'),
    max_position_embeddings: positionsOf(k, tensors),
    activation: 'gelu',
  }
}

/** Returns the checkpoint's names of a T5 stack's tensors, by the GGUF file's names. @param {'enc' | 'dec'} short prefix in the GGUF file @param {string} name prefix in the checkpoint */
function t5Names(short, name) {
  const at = `${name}.block.N.layer.`
  const mlp = `${at}${short === 'enc' ? 1 : 2}.`
  const attention = (/** @type {string} */ prefix, /** @type {string} */ to, /** @type {string} */ part) => ({
    [`${prefix}attn_norm`]: `${to}layer_norm`,
    ...Object.fromEntries([...'qkvo'].map(one => [`${prefix}attn_${one}`, `${to}${part}.${one}`])),
    [`${prefix}attn_rel_b`]: `${to}${part}.relative_attention_bias`,
  })
  const names = {
    ...attention('', `${at}0.`, 'SelfAttention'),
    ...(short === 'dec' && attention('cross_', `${at}1.`, 'EncDecAttention')),
    ffn_norm: `${mlp}layer_norm`,
    ffn_gate: `${mlp}DenseReluDense.wi_0`,
    ffn_up: `${mlp}DenseReluDense.wi_1`,
    ffn_plain: `${mlp}DenseReluDense.wi`,
    ffn_down: `${mlp}DenseReluDense.wo`,
    output_norm: `${name}.final_layer_norm`,
  }
  return Object.fromEntries(Object.entries(names).map(([one, own]) => [`${short}.${one}`, own]))
}

/** Returns the architecture of T5, or of its encoder alone. @param {boolean} isEncoder @returns {Architecture} */
const t5 = isEncoder => ({
  config: (k, tensors) => {
    const size = k.count('attention.key_length')
    const eps = k.number('attention.layer_norm_rms_epsilon')
    k.only('attention.value_length', size, `keys have ${size} numbers: values of another size are not covered`)
    k.only('attention.layer_norm_epsilon', eps)
    k.only('attention.causal', false)
    k.get('pooling_type')
    if (tensors.has('enc.blk.1.attn_rel_b.weight'))
      throw k.fail('each layer has biases of relative positions (UMT5), which is not covered')
    const isGated = tensors.has('enc.blk.0.ffn_gate.weight')
    const layers = k.count('block_count')
    return {
      model_type: 't5',
      vocab_size: tokensOf(k, tensors),
      d_model: k.count('embedding_length'),
      d_kv: size,
      d_ff: k.count('feed_forward_length'),
      num_layers: layers,
      num_heads: k.count('attention.head_count'),
      relative_attention_num_buckets: k.count('attention.relative_buckets_count'),
      layer_norm_epsilon: eps,
      feed_forward_proj: isGated ? 'gated-gelu' : 'relu',
      // T5 without a gated MLP uses the embedding table as its output head, even if the file contains a copy as output.weight.
      tie_word_embeddings: isEncoder || !isGated || !tensors.has('output.weight'),
      ...(isEncoder
        ? { architectures: ['T5EncoderModel'], decoder_start_token_id: 0 }
        : {
            num_decoder_layers: k.count('decoder_block_count', layers),
            decoder_start_token_id: k.number('decoder_start_token_id'),
          }),
    }
  },
  names: {
    token_embd: 'shared',
    output: 'lm_head',
    ...t5Names('enc', 'encoder'),
    ...(!isEncoder && t5Names('dec', 'decoder')),
  },
  split: (name, { feed_forward_proj: kind }) =>
    kind === 'relu' && name.endsWith('ffn_up') ? [[name.replace('up', 'plain'), {}]] : undefined,
})

/** @type {Record<string, Architecture>} */
export const ARCHITECTURES = {
  llama: { config: biasedLlama('llama'), names: LLAMA, change: pairs },
  mistral3: { config: biasedLlama('llama'), names: LLAMA, change: pairs },
  qwen2: { config: llamaLike('qwen2'), names: LLAMA },
  qwen3: {
    config: (k, tensors) => ({
      ...llamaLike('qwen3')(k, tensors),
      ...classesOf(k, tensors, 'Qwen3ForSequenceClassification', ['cls.output'], 'a reranker has it'),
    }),
    names: { ...LLAMA, 'cls.output': 'score' },
  },
  olmo: {
    config: (k, tensors) => {
      k.only('attention.layer_norm_epsilon', Math.fround(1e-5))
      k.only('attention.clamp_kqv', 0)
      return gated('olmo', k, tensors)
    },
    names: LLAMA,
    change: pairs,
  },
  olmo2: { config: olmo2, names: { ...LLAMA, ...AFTER } },
  granite: {
    config: (k, tensors) => ({
      ...biasedLlama('granite')(k, tensors),
      // llama.cpp does not multiply by a scale of 0
      embedding_multiplier: k.number('embedding_scale', 1) || 1,
      attention_multiplier: k.number('attention.scale') || 1 / Math.sqrt(decoder(k, tensors).head_dim),
      residual_multiplier: k.number('residual_scale', 1) || 1,
      logits_scaling: divisor(k, 'logit_scale', 1),
    }),
    names: LLAMA,
    change: pairs,
  },
  exaone4: {
    config: (k, tensors) => {
      const window = k.optional('attention.sliding_window')
      const config = llamaLike('exaone4')(k, tensors)
      const types = window ? windowedOf(k, Number(config.num_hidden_layers), 4) : undefined
      return { ...config, sliding_window: window || null, ...(types && { layer_types: types }) }
    },
    names: { ...LLAMA, ...AFTER },
  },
  exaone: {
    config: (k, tensors) => {
      const config = decoder(k, tensors)
      wholeHeads(k, config)
      const eps = k.number('attention.layer_norm_rms_epsilon')
      return { model_type: 'exaone', ...config, layer_norm_epsilon: eps, activation_function: 'silu' }
    },
    names: namesOf(
      { token_embd: 'transformer.wte', output_norm: 'transformer.ln_f', output: 'lm_head' },
      'transformer.h.N.',
      {
        attn_norm: 'ln_1',
        attn_q: 'attn.attention.q_proj',
        attn_k: 'attn.attention.k_proj',
        attn_v: 'attn.attention.v_proj',
        attn_output: 'attn.attention.out_proj',
        ffn_norm: 'ln_2',
        ffn_gate: 'mlp.c_fc_0',
        ffn_up: 'mlp.c_fc_1',
        ffn_down: 'mlp.c_proj',
      },
    ),
  },
  stablelm: {
    config: (k, tensors) => {
      const config = decoder(k, tensors)
      return {
        model_type: 'stablelm',
        ...config,
        layer_norm_eps: k.number('attention.layer_norm_epsilon'),
        partial_rotary_factor: shareOf(k, config),
        use_parallel_residual: k.get('use_parallel_residual') ?? !tensors.has('blk.0.ffn_norm.weight'),
        use_qkv_bias: hasBias(tensors, 'attn_q'),
        hidden_act: 'silu',
      }
    },
    names: LLAMA,
  },
  starcoder2: {
    config: (k, tensors) => ({
      ...gated('starcoder2', k, tensors),
      norm_epsilon: k.number('attention.layer_norm_epsilon'),
      use_bias: hasBias(tensors, 'attn_output'),
      hidden_act: 'gelu_pytorch_tanh',
    }),
    names: { ...LLAMA, ffn_up: `${AT}mlp.c_fc`, ffn_down: `${AT}mlp.c_proj` },
  },
  'command-r': { config: cohere('cohere'), names: LLAMA },
  cohere2: {
    config: (k, tensors) => ({
      ...cohere('cohere2')(k, tensors),
      sliding_window: k.number('attention.sliding_window'),
      sliding_window_pattern: k.number('attention.sliding_window_pattern', 4),
    }),
    names: LLAMA,
  },
  glm4: {
    config: (k, tensors) => {
      const config = decoder(k, tensors)
      return {
        model_type: 'glm4',
        ...config,
        rms_norm_eps: k.number('attention.layer_norm_rms_epsilon'),
        partial_rotary_factor: shareOf(k, config),
        attention_bias: hasBias(tensors, 'attn_q'),
        hidden_act: 'silu',
      }
    },
    names: {
      ...LLAMA,
      post_attention_norm: `${AT}post_self_attn_layernorm`,
      post_ffw_norm: `${AT}post_mlp_layernorm`,
      ffn_up: `${AT}mlp.gate_up_proj`,
    },
  },
  chatglm: {
    config: (k, tensors) => {
      const config = decoder(k, tensors)
      dividedWidth(k, config)
      return {
        model_type: 'glm',
        ...config,
        rms_norm_eps: k.number('attention.layer_norm_rms_epsilon'),
        partial_rotary_factor: shareOf(k, config),
        attention_bias: hasBias(tensors, 'attn_q') || hasBias(tensors, 'attn_qkv'),
        hidden_act: 'silu',
      }
    },
    names: { ...LLAMA, ffn_up: `${AT}mlp.gate_up_proj` },
    split: fusedQkv,
  },
  phi3: {
    config: (k, tensors) => {
      const { head_dim: size, ...config } = decoder(k, tensors)
      dividedWidth(k, config)
      const old = k.optional('rope.scaling.original_context_length')
      if (old !== undefined) k.count('rope.scaling.original_context_length')
      return {
        model_type: 'phi3',
        ...config,
        rms_norm_eps: k.number('attention.layer_norm_rms_epsilon'),
        partial_rotary_factor: shareOf(k, { head_dim: size }),
        sliding_window: k.optional('attention.sliding_window') || null,
        hidden_act: 'silu',
        ...(old !== undefined && { original_max_position_embeddings: old }),
      }
    },
    names: { ...LLAMA, attn_qkv: `${AT}self_attn.qkv_proj`, ffn_up: `${AT}mlp.gate_up_proj` },
  },
  gemma: { config: llamaLike('gemma', { hidden_act: 'gelu_pytorch_tanh' }), names: LLAMA, change: plusOne },
  smollm3: { config: biasedLlama('smollm3'), names: LLAMA, change: pairs },
  gemma2: { config: gemma('gemma2', 46, gemma2), names: GEMMA, change: plusOne },
  gemma3: { config: gemma('gemma3_text', 62, gemma3), names: GEMMA, change: plusOne },
  'gemma-embedding': {
    config: (k, tensors) => {
      for (const size of ['2_feat_in', '2_feat_out', '3_feat_in', '3_feat_out'])
        k.only(`dense_${size}`, 0, 'dense layers are not covered')
      return {
        ...gemma('gemma3_text', 0, gemma3)(k, tensors),
        use_bidirectional_attention: true,
        architectures: ['Gemma3TextModel'],
      }
    },
    names: GEMMA,
    change: plusOne,
  },
  phi2: {
    config: (k, tensors) => {
      const { head_dim: size, tie_word_embeddings, ...config } = decoder(k, tensors)
      if (tie_word_embeddings) throw k.fail('tensor "output.weight" is missing')
      dividedWidth(k, config)
      return {
        model_type: 'phi',
        ...config,
        layer_norm_eps: k.number('attention.layer_norm_epsilon'),
        partial_rotary_factor: shareOf(k, { head_dim: size }),
        hidden_act: 'gelu_new',
      }
    },
    names: namesOf({ token_embd: 'model.embed_tokens', output_norm: 'model.final_layernorm', output: 'lm_head' }, AT, {
      attn_norm: 'input_layernorm',
      attn_q: 'self_attn.q_proj',
      attn_k: 'self_attn.k_proj',
      attn_v: 'self_attn.v_proj',
      attn_output: 'self_attn.dense',
      ffn_up: 'mlp.fc1',
      ffn_down: 'mlp.fc2',
    }),
    split: fusedQkv,
  },
  gptneox: {
    config: (k, tensors) => {
      const { head_dim: size, num_key_value_heads: _, rope_theta, ...config } = decoder(k, tensors)
      dividedWidth(k, config)
      k.only('attention.head_count_kv', config.num_attention_heads)
      return {
        model_type: 'gpt_neox',
        ...config,
        rotary_emb_base: rope_theta,
        layer_norm_eps: k.number('attention.layer_norm_epsilon'),
        use_parallel_residual: k.get('use_parallel_residual') ?? true,
        rotary_pct: shareOf(k, { head_dim: size }),
        attention_bias: hasBias(tensors, 'attn_qkv'),
        hidden_act: 'gelu',
      }
    },
    names: namesOf(
      { token_embd: 'gpt_neox.embed_in', output_norm: 'gpt_neox.final_layer_norm', output: 'embed_out' },
      'gpt_neox.layers.N.',
      {
        attn_norm: 'input_layernorm',
        attn_qkv: 'attention.query_key_value',
        attn_output: 'attention.dense',
        ffn_norm: 'post_attention_layernorm',
        ffn_up: 'mlp.dense_h_to_4h',
        ffn_down: 'mlp.dense_4h_to_h',
      },
    ),
    change: byHeads,
  },
  gpt2: {
    config: (k, tensors) => ({
      model_type: 'gpt2',
      vocab_size: tokensOf(k, tensors),
      n_positions: positionsOf(k, tensors),
      n_embd: k.count('embedding_length'),
      n_inner: k.count('feed_forward_length'),
      n_layer: k.count('block_count'),
      n_head: k.count('attention.head_count'),
      layer_norm_epsilon: k.number('attention.layer_norm_epsilon'),
      activation_function: 'gelu_new',
      tie_word_embeddings: !tensors.has('output.weight'),
    }),
    names: GPT2,
    change: (name, kind) => ({ isTurned: kind === 'weight' && /^(attn_(qkv|output)|ffn_(up|down))$/.test(name) }),
  },
  starcoder: {
    config: (k, tensors) => {
      const heads = k.count('attention.head_count')
      const keyHeads = k.count('attention.head_count_kv', heads)
      if (keyHeads !== 1) throw k.fail(`expected 1 key head, got ${keyHeads}`)
      return {
        model_type: 'gpt_bigcode',
        vocab_size: tokensOf(k, tensors),
        n_positions: positionsOf(k, tensors),
        n_embd: k.count('embedding_length'),
        n_inner: k.count('feed_forward_length'),
        n_layer: k.count('block_count'),
        n_head: heads,
        layer_norm_epsilon: k.number('attention.layer_norm_epsilon'),
        activation_function: 'gelu_pytorch_tanh',
        multi_query: true,
        tie_word_embeddings: !tensors.has('output.weight'),
      }
    },
    names: GPT2,
  },
  falcon: {
    config: (k, tensors) => {
      const { intermediate_size, num_key_value_heads: keyHeads, head_dim: size, ...config } = decoder(k, tensors)
      dividedWidth(k, config)
      wholeHeads(k, { head_dim: size })
      const hasTwo = tensors.has('blk.0.attn_norm_2.weight')
      const isNewer = hasTwo || keyHeads > 1
      return {
        model_type: 'falcon',
        ...config,
        ffn_hidden_size: intermediate_size,
        layer_norm_epsilon: k.number('attention.layer_norm_epsilon'),
        new_decoder_architecture: isNewer,
        ...(isNewer && { num_kv_heads: keyHeads, num_ln_in_parallel_attn: hasTwo ? 2 : 1 }),
        activation: 'gelu',
      }
    },
    names: namesOf(BLOOM_TABLES, BLOOM_AT, { ...BLOOM_LAYER, attn_norm_2: 'ln_attn', attn_norm_1: 'ln_mlp' }),
    change: byGroups,
    split: (name, config) =>
      name === 'attn_norm' && config.num_ln_in_parallel_attn === 2 ? [['attn_norm_1', {}]] : undefined,
  },
  bloom: {
    config: (k, tensors) => {
      const d = k.count('embedding_length')
      k.only('feed_forward_length', 4 * d)
      return {
        model_type: 'bloom',
        vocab_size: tokensOf(k, tensors),
        hidden_size: d,
        n_layer: k.count('block_count'),
        n_head: k.count('attention.head_count'),
        num_attention_heads: k.count('attention.head_count'),
        layer_norm_epsilon: k.number('attention.layer_norm_epsilon'),
        tie_word_embeddings: !tensors.has('output.weight'),
      }
    },
    names: namesOf({ ...BLOOM_TABLES, token_embd_norm: 'transformer.word_embeddings_layernorm' }, BLOOM_AT, {
      ...BLOOM_LAYER,
      ffn_norm: 'post_attention_layernorm',
    }),
    change: byHeads,
  },
  mpt: {
    config: (k, tensors) => {
      const d = k.count('embedding_length')
      k.only('attention.clamp_kqv', 0)
      return {
        model_type: 'mpt',
        vocab_size: tokensOf(k, tensors),
        d_model: d,
        n_layers: k.count('block_count'),
        n_heads: k.count('attention.head_count'),
        expansion_ratio: k.count('feed_forward_length') / d,
        max_seq_len: k.count('context_length'),
        layer_norm_epsilon: k.number('attention.layer_norm_epsilon'),
        attn_config: { alibi: true, alibi_bias_max: k.number('attention.max_alibi_bias') },
        tie_word_embeddings: !tensors.has('output.weight'),
      }
    },
    names: namesOf(
      { token_embd: 'transformer.wte', output_norm: 'transformer.norm_f', output: 'lm_head' },
      'transformer.blocks.N.',
      {
        attn_norm: 'norm_1',
        attn_qkv: 'attn.Wqkv',
        attn_output: 'attn.out_proj',
        ffn_norm: 'norm_2',
        ffn_up: 'ffn.up_proj',
        ffn_down: 'ffn.down_proj',
      },
    ),
  },
  'nomic-bert': {
    config: (k, tensors) => {
      k.only('attention.causal', false)
      const d = k.count('embedding_length')
      const heads = k.count('attention.head_count')
      k.only('rope.dimension_count', d / heads)
      k.only('rope.scaling.attn_factor', 1)
      return {
        model_type: 'nomic_bert',
        vocab_size: tokensOf(k, tensors),
        n_positions: k.count('context_length'),
        n_embd: d,
        n_inner: k.count('feed_forward_length'),
        n_layer: k.count('block_count'),
        n_head: heads,
        type_vocab_size: typesOf(k, tensors),
        layer_norm_epsilon: k.number('attention.layer_norm_epsilon'),
        activation_function: 'swiglu',
        rotary_emb_base: k.number('rope.freq_base', 10_000),
        rotary_emb_fraction: 1,
        rotary_scaling_factor: null,
        qkv_proj_bias: false,
        mlp_fc1_bias: false,
        mlp_fc2_bias: false,
      }
    },
    names: namesOf(
      {
        token_embd: 'embeddings.word_embeddings',
        token_types: 'embeddings.token_type_embeddings',
        token_embd_norm: 'emb_ln',
      },
      'encoder.layers.N.',
      {
        attn_qkv: 'attn.Wqkv',
        attn_output: 'attn.out_proj',
        attn_output_norm: 'norm1',
        ffn_up: 'mlp.fc11',
        ffn_gate: 'mlp.fc12',
        ffn_down: 'mlp.fc2',
        layer_output_norm: 'norm2',
      },
    ),
  },
  bert: {
    config: (k, tensors) =>
      tensors.has('token_types.weight')
        ? {
            ...bertSizes(k, tensors),
            max_position_embeddings: positionsOf(k, tensors),
            ...classesOf(
              k,
              tensors,
              'BertForSequenceClassification',
              ['cls', 'cls.output'],
              "llama.cpp's converter leaves out the pooler of a BERT with classes. Open the original folder",
            ),
          }
        : distilbert(k, tensors),
    names: {
      ...namesOf({ ...BERT, ...BERT_CLASSES, position_embd: 'bert.embeddings.position_embeddings' }, BERT_AT, {
        ...BERT_ATTENTION,
        ffn_up: 'intermediate.dense',
        ffn_down: 'output.dense',
        layer_output_norm: 'output.LayerNorm',
      }),
      ...DISTILBERT,
    },
    split: (name, config) => {
      const parts = fusedQkv(name, config)
      if (config.model_type === 'bert') return parts
      return (parts ?? [[name, {}]]).map(([part, change]) => [`distil_${part}`, change])
    },
  },
  'jina-bert-v2': {
    config: (k, tensors) => {
      if (tensors.has('blk.0.ffn_gate.weight'))
        throw k.fail(
          'gate and up in two tensors, as older converters wrote them, are not covered: convert the model again',
        )
      if (hasClasses(tensors)) throw k.fail('rerankers of Jina are not covered, its embedding models are')
      return {
        ...bertSizes(k, tensors),
        max_position_embeddings: k.count('context_length'),
        position_embedding_type: 'alibi',
        feed_forward_type: 'geglu',
      }
    },
    names: namesOf(BERT, BERT_AT, {
      ...BERT_ATTENTION,
      ffn_up: 'mlp.gated_layers',
      ffn_down: 'mlp.wo',
      layer_output_norm: 'mlp.layernorm',
    }),
    split: fusedQkv,
  },
  'modern-bert': {
    config: (k, tensors) => {
      k.only('attention.causal', false)
      k.only('rope.scaling.type', 'none')
      k.only('rope.scaling.attn_factor', 1)
      k.only('rope.dimension_count', k.count('embedding_length') / k.count('attention.head_count'))
      k.get('pooling_type')
      const layers = k.count('block_count')
      const theta = k.number('rope.freq_base', 10_000)
      const window = k.optional('attention.sliding_window')
      const types = window ? firstIsFull(k, layers) : Array(layers).fill('full_attention')
      return {
        model_type: 'modernbert',
        vocab_size: tokensOf(k, tensors),
        hidden_size: k.count('embedding_length'),
        intermediate_size: k.count('feed_forward_length'),
        num_hidden_layers: layers,
        num_attention_heads: k.count('attention.head_count'),
        max_position_embeddings: k.count('context_length'),
        norm_eps: k.optional('attention.layer_norm_rms_epsilon') ?? k.number('attention.layer_norm_epsilon'),
        hidden_activation: k.get('hidden_activation') ?? 'gelu',
        global_rope_theta: theta,
        local_rope_theta: k.number('rope.freq_base_swa', 10_000),
        ...(window && { local_attention: window }),
        layer_types: types,
        ...classesOf(
          k,
          tensors,
          'ModernBertForSequenceClassification',
          ['cls', 'cls.norm', 'cls.output'],
          'the head of ModernBERT has it',
        ),
        ...(hasClasses(tensors) && { classifier_pooling: 'mean', classifier_bias: tensors.has('cls.bias') }),
      }
    },
    names: namesOf(
      {
        cls: 'head.dense',
        'cls.norm': 'head.norm',
        'cls.output': 'classifier',
        token_embd: 'model.embeddings.tok_embeddings',
        token_embd_norm: 'model.embeddings.norm',
        output_norm: 'model.final_norm',
      },
      AT,
      {
        attn_norm: 'attn_norm',
        attn_qkv: 'attn.Wqkv',
        attn_output: 'attn.Wo',
        ffn_norm: 'mlp_norm',
        ffn_up: 'mlp.Wi',
        ffn_down: 'mlp.Wo',
      },
    ),
  },
  t5: t5(false),
  t5encoder: t5(true),
}

/**
 * Returns how a tensor of the file is converted. A fused tensor has several changes.
 * @param {Architecture} architecture
 * @param {string} given name of the tensor
 * @param {Record<string, unknown>} config
 * @returns {Change[]}
 */
export function changesOf({ names, change, split }, given, config) {
  const [, stack = '', layer, own = '', kind] = /^(enc\.|dec\.)?(?:blk\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(given) ?? []
  const name = stack + own
  const parts = split?.(name, config) ?? [[name, {}]]
  return parts.map(([part, fused]) => {
    const known = Object.hasOwn(names, part) && names[part]
    if (!known || known.includes('.N.') !== (layer !== undefined)) return { name: given }
    return { ...fused, ...change?.(part, kind, config), name: `${known.replace('.N.', `.${layer}.`)}.${kind}` }
  })
}
