// One description for each family of models: the names of its weights and how its blocks are put together. What they
// have in common is run in network.js. https://github.com/huggingface/transformers, src/transformers/models

import { describe } from '../base/errors.js'
import { ropeFrequencies } from './rope-scaling.js'

/** @typedef {import('./config.js').Config} Config */
/** @typedef {'gelu' | 'gelu_tanh' | 'relu' | 'silu'} ActivationName */

/**
 * A linear layer: weight (out, in), and bias (out). In a fused weight of `of` rows, row n of this layer is `row(n)`.
 * @typedef {{ name: string, out: number, in: number, bias?: boolean, layout?: 'in,out', of?: number, part?: number, row?: (n: number) => number }} LinearSpec
 *
 * @typedef {{ name: string, size: number, kind: 'layer' | 'rms', eps: number, bias?: boolean, plusOne?: boolean }} NormSpec
 *
 * @typedef {{ name: string, rows: number, columns: number }} TableSpec
 *
 * @typedef {object} AttentionSpec
 * @property {LinearSpec} q
 * @property {LinearSpec} k
 * @property {LinearSpec} v
 * @property {LinearSpec} o
 * @property {NormSpec} [qNorm] over each head
 * @property {NormSpec} [kNorm]
 * @property {number} [window] keys that a query sees, its own among them
 *
 * A part of a block: x becomes post(x + after(run(before(x)))).
 * @typedef {object} PartSpec
 * @property {'attention' | 'cross' | 'mlp'} kind
 * @property {AttentionSpec} [attention] of the first two
 * @property {{ up: LinearSpec, gate?: LinearSpec, down: LinearSpec, activation: ActivationName }} [mlp]
 * @property {NormSpec} [before]
 * @property {NormSpec} [after]
 * @property {NormSpec} [post]
 *
 * @typedef {object} StackSpec
 * @property {PartSpec[][]} layers the parts of each
 * @property {boolean} [parallel] all parts read what enters the layer
 * @property {boolean} causal
 * @property {{ heads: number, kvHeads: number, headDim: number, scale: number, softcap: number }} heads
 * @property {{ dim: number, frequencies: Float64Array, most: number }} [rope]
 * @property {{ table: TableSpec, maxDistance: number, bidirectional: boolean }} [relative]
 * @property {NormSpec} [norm] after the last layer
 *
 * @typedef {object} EmbeddingSpec
 * @property {TableSpec} tokens
 * @property {TableSpec} [positions] learned
 * @property {number} [padding] position = this + the running count of other ids (RoBERTa)
 * @property {number} [sinusoids] so many fixed positions
 * @property {TableSpec} [types]
 * @property {number} [scale]
 * @property {NormSpec} [norm]
 * @property {LinearSpec} [project]
 *
 * @typedef {object} HeadSpec
 * @property {LinearSpec} [transform] a layer before it, with activation and norm
 * @property {ActivationName} [activation]
 * @property {NormSpec} [norm]
 * @property {string} [tied] the table whose rows are the weight, ...
 * @property {LinearSpec} [project] ... or a weight of its own
 * @property {string} [bias] added to the logits
 * @property {number} [scale] of what comes in
 * @property {number} [softcap]
 * @property {RegExp} [optional] without any tensor of such a name there is no head
 *
 * @typedef {object} Family
 * @property {string} type model_type
 * @property {number} width
 * @property {number} vocab
 * @property {EmbeddingSpec} embedding
 * @property {StackSpec} [encoder]
 * @property {StackSpec} [decoder]
 * @property {HeadSpec} head
 * @property {LinearSpec} [pooler] tanh of the first row
 * @property {string} [prefix] that all names may have
 * @property {RegExp} ignored tensors that do nothing here
 * @property {number} [startId] of an encoder-decoder
 */

/** @type {Record<string, ActivationName>} */
const ACTIVATIONS = {
  ...{ gelu: 'gelu', gelu_new: 'gelu_tanh', gelu_pytorch_tanh: 'gelu_tanh', gelu_fast: 'gelu_tanh' },
  ...{ relu: 'relu', silu: 'silu', swish: 'silu' },
}
const EPS = { least: 0, most: 1 }
/** Heads of tasks on top of a model, whose logits are not made here. */
const TASKS = /^(classifier|pre_classifier|qa_outputs|score|sop_classifier|cls\.seq_relationship)\b/

/** @template T @param {number} n @param {(i: number) => T} make @returns {T[]} */
const times = (n, make) => Array.from({ length: n }, (_, i) => make(i))

/** @param {string[]} patterns */
const anyOf = (...patterns) => new RegExp([TASKS.source, ...patterns].join('|'))

/** @param {Config} c @param {string} key */
const layersOf = (c, key) => c.number(key, undefined, { least: 1, most: 1024, whole: true })

/**
 * @param {number} width
 * @param {number} heads
 */
function headSize(width, heads) {
  if (width % heads) throw new RangeError(`config.json: ${heads} heads do not divide the width ${width}`)
  return width / heads
}

/**
 * q, k, v and o under four names.
 * @param {string} at
 * @param {readonly string[]} names
 * @param {number} width
 * @param {{ heads: number, kvHeads: number, headDim: number }} heads
 * @param {readonly boolean[]} bias of each
 * @returns {AttentionSpec}
 */
function attentionOf(at, [q, k, v, o], width, { heads, kvHeads, headDim }, bias) {
  const [all, few] = [heads * headDim, kvHeads * headDim]
  return {
    q: { name: at + q, out: all, in: width, bias: bias[0] },
    k: { name: at + k, out: few, in: width, bias: bias[1] },
    v: { name: at + v, out: few, in: width, bias: bias[2] },
    o: { name: at + o, out: width, in: all, bias: bias[3] },
  }
}

const ALL = [true, true, true, true]
const NONE = [false, false, false, false]

/**
 * A decoder that predicts the next token: its norms stand before attention and MLP, some also behind.
 * @param {Config} c
 * @param {object} f
 * @param {string} f.type
 * @param {string} f.prefix
 * @param {number} f.d width
 * @param {{ heads: number, kvHeads: number, headDim: number }} f.heads
 * @param {string} f.tokens the table of embeddings
 * @param {Partial<EmbeddingSpec>} [f.embedding] what else there is
 * @param {Partial<StackSpec>} [f.stack] the same of the stack
 * @param {string} f.layers key of the config
 * @param {string} f.at what names of a layer begin with; N stands for its number
 * @param {(at: string, i: number) => AttentionSpec} f.attention
 * @param {readonly string[]} f.mlp up, down and, if there is one, gate
 * @param {number} f.inner
 * @param {ActivationName} f.activation
 * @param {(name: string, out: number, size: number) => LinearSpec} f.linear of the MLP
 * @param {(name: string, size?: number) => NormSpec} f.norm
 * @param {readonly (string | undefined)[]} f.norms before and behind attention, before and behind the MLP
 * @param {string} f.last the norm after all layers
 * @param {string} f.head
 * @param {boolean} f.tied is the table of embeddings the head?
 * @param {Partial<HeadSpec>} [f.logits]
 * @param {boolean} [f.headBias]
 * @param {readonly string[]} [f.ignored]
 * @returns {Family}
 */
function decoderOnly(c, f) {
  const { d, heads, norm, linear, mlp, inner, activation, norms, head, ignored = [] } = f
  const vocab = c.size('vocab_size')
  const normed = (/** @type {string} */ at, /** @type {number} */ n) => ({
    before: norm(at + norms[n]),
    ...(norms[n + 1] && { after: norm(at + norms[n + 1]) }),
  })
  return {
    ...{ type: f.type, width: d, vocab, prefix: f.prefix },
    embedding: { tokens: { name: f.tokens, rows: vocab, columns: d }, ...f.embedding },
    decoder: {
      causal: true,
      heads: { ...heads, scale: heads.headDim ** -0.5, softcap: 0 },
      norm: norm(f.last),
      ...f.stack,
      layers: times(layersOf(c, f.layers), i => {
        const at = f.at.replace('N', String(i))
        const [up, down, gate] = mlp.map((name, n) => linear(at + name, n === 1 ? d : inner, n === 1 ? inner : d))
        return [
          { kind: 'attention', attention: f.attention(at, i), ...normed(at, 0) },
          { kind: 'mlp', mlp: { up, down, gate, activation }, ...normed(at, 2) },
        ]
      }),
    },
    head: {
      ...(f.tied ? { tied: f.tokens } : { project: { name: head, out: vocab, in: d, bias: f.headBias } }),
      ...f.logits,
    },
    ignored: anyOf(...ignored, 'rotary_emb\\.inv_freq$', ...(f.tied ? [`^${head}\\.weight$`] : [])),
  }
}

/** @type {(size: number, eps: number) => (name: string) => NormSpec} */
const layerNorm = (size, eps) => name => ({ name, size, kind: 'layer', eps, bias: true })

/** @param {number} width @param {number} heads @param {number} [kvHeads] */
const equalHeads = (width, heads, kvHeads = heads) => ({ heads, kvHeads, headDim: headSize(width, heads) })

/** @param {Config} c */
function gpt2(c) {
  const d = c.size('n_embd')
  c.only({ scale_attn_by_inverse_layer_idx: false, scale_attn_weights: true, add_cross_attention: false })
  /** @type {(name: string, out: number, size: number) => LinearSpec} */
  const linear = (name, out, size) => ({ name, out, in: size, bias: true, layout: 'in,out' })
  return decoderOnly(c, {
    ...{ type: 'gpt2', prefix: 'transformer.', d, heads: equalHeads(d, c.size('n_head')), tokens: 'wte' },
    embedding: { positions: { name: 'wpe', rows: c.size('n_positions'), columns: d } },
    ...{ layers: 'n_layer', at: 'h.N.', linear, mlp: ['mlp.c_fc', 'mlp.c_proj'], inner: c.size('n_inner', 4 * d) },
    attention: at => {
      // q, k and v side by side.
      const [q, k, v] = times(3, part => ({
        ...{ ...linear(`${at}attn.c_attn`, d, d), of: 3 * d, part },
        row: (/** @type {number} */ n) => part * d + n,
      }))
      return { q, k, v, o: linear(`${at}attn.c_proj`, d, d) }
    },
    activation: c.choice('activation_function', ACTIVATIONS, 'gelu_new'),
    norm: layerNorm(d, c.number('layer_norm_epsilon', 1e-5, EPS)),
    ...{ norms: ['ln_1', undefined, 'ln_2'], last: 'ln_f', head: 'lm_head', tied: c.flag('tie_word_embeddings', true) },
    ignored: ['^h\\.\\d+\\.attn\\.(bias|masked_bias)$'],
  })
}

/**
 * llama, mistral, qwen2, qwen3, gemma2: RMSNorm, rotary positions, gated MLP.
 * @param {Config} c
 * @param {{ type: string, kvHeads?: number, headDim?: number, bias?: 'qkv', qkNorm?: boolean, gemma?: boolean,
 *   window?: 'all' | 'upper' | 'even' }} options
 */
function llamaLike(c, { type, kvHeads: usualKvHeads, headDim: usualHeadDim, bias, qkNorm, gemma = false, window }) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const kvHeads = c.size('num_key_value_heads', usualKvHeads ?? H)
  if (H % kvHeads) throw new RangeError(`config.json: ${kvHeads} key heads do not divide ${H} heads`)
  const headDim = c.size('head_dim', usualHeadDim ?? headSize(d, H))
  const heads = { heads: H, kvHeads, headDim }
  const eps = c.number('rms_norm_eps', 1e-6, EPS)
  const biases = bias ? [true, true, true, false] : c.flag('attention_bias', false) ? ALL : NONE
  const mlpBias = type === 'llama' && c.flag('mlp_bias', false)
  const windows = windowsOf(c, layersOf(c, 'num_hidden_layers'), window)
  /** @type {(name: string, size?: number) => NormSpec} */
  const norm = (name, size = d) => ({ name, size, kind: 'rms', eps, plusOne: gemma })
  if (gemma) c.get('hidden_act') // is not asked
  return decoderOnly(c, {
    ...{ type, prefix: 'model.', d, heads, tokens: 'embed_tokens', layers: 'num_hidden_layers', at: 'layers.N.', norm },
    embedding: { scale: gemma ? Math.sqrt(d) : 1 },
    stack: {
      rope: ropeFrequencies(c, headDim, 1),
      ...(gemma && {
        heads: {
          ...heads,
          scale: c.number('query_pre_attn_scalar', 256, { least: 1e-6 }) ** -0.5,
          softcap: capOf(c, 'attn_logit_softcapping', 50),
        },
      }),
    },
    attention: (at, i) => ({
      ...attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'o_proj'], d, heads, biases),
      ...(qkNorm && {
        qNorm: norm(`${at}self_attn.q_norm`, headDim),
        kNorm: norm(`${at}self_attn.k_norm`, headDim),
      }),
      window: windows[i],
    }),
    ...{ mlp: ['mlp.up_proj', 'mlp.down_proj', 'mlp.gate_proj'], inner: c.size('intermediate_size') },
    linear: (name, out, size) => ({ name, out, in: size, bias: mlpBias }),
    activation: c.choice(gemma ? 'hidden_activation' : 'hidden_act', ACTIVATIONS, gemma ? 'gelu_pytorch_tanh' : 'silu'),
    norms: gemma
      ? ['input', 'post_attention', 'pre_feedforward', 'post_feedforward'].map(name => `${name}_layernorm`)
      : ['input_layernorm', undefined, 'post_attention_layernorm'],
    ...{ last: 'norm', head: 'lm_head', tied: c.flag('tie_word_embeddings', gemma) },
    logits: gemma ? { softcap: capOf(c, 'final_logit_softcapping', 30) } : {},
  })
}

/** Null is no cap, as in the original. @param {Config} c @param {string} key @param {number} fallback */
const capOf = (c, key, fallback) => c.number(key, c.has(key) ? 0 : fallback, { least: 0 })

/**
 * The window of each layer.
 * @param {Config} c
 * @param {number} layers
 * @param {'all' | 'upper' | 'even' | undefined} rule
 * @returns {(number | undefined)[]}
 */
function windowsOf(c, layers, rule) {
  if (!rule) c.only({ sliding_window: undefined, use_sliding_window: false })
  // Mistral and Gemma 2 have a window unless the key is there and null.
  const size = c.has('sliding_window') || rule === 'upper' ? c.get('sliding_window') : rule && 4096
  const isOn = rule === 'upper' ? c.flag('use_sliding_window', false) : rule !== undefined
  const first = rule === 'upper' ? c.number('max_window_layers', 28, { least: 0, whole: true }) : 0
  const window = isOn && size !== undefined ? c.size('sliding_window', size) : undefined
  const types = c.get('layer_types')
  if (types !== undefined) {
    if (!Array.isArray(types) || types.length !== layers)
      throw new TypeError(
        `config.json: layer_types: ${describe(types)} given, a type for each of ${layers} layers expected`,
      )
    return types.map(type => {
      if (type === 'full_attention') return undefined
      if (type === 'sliding_attention' && window) return window
      throw new RangeError(`config.json: layer_types: ${describe(type)} is not covered here`)
    })
  }
  return times(layers, i => {
    const has = rule === 'even' ? i % 2 === 0 : i >= first
    return has ? window : undefined
  })
}

/** @param {Config} c */
function gptNeox(c) {
  const d = c.size('hidden_size')
  const heads = equalHeads(d, c.size('num_attention_heads'))
  const D = heads.headDim
  const bias = c.flag('attention_bias', true)
  return decoderOnly(c, {
    ...{
      type: 'gpt_neox',
      prefix: 'gpt_neox.',
      d,
      heads,
      tokens: 'embed_in',
      layers: 'num_hidden_layers',
      at: 'layers.N.',
    },
    stack: { parallel: c.flag('use_parallel_residual', true), rope: ropeFrequencies(c, D, 0.25) },
    attention: at => {
      // Rows in groups of 3 D: q, k and v of head 0, then of head 1, ...
      const [q, k, v] = times(3, part => ({
        ...{ name: `${at}attention.query_key_value`, out: d, in: d, bias, of: 3 * d, part },
        row: (/** @type {number} */ n) => (Math.floor(n / D) * 3 + part) * D + (n % D),
      }))
      return { q, k, v, o: { name: `${at}attention.dense`, out: d, in: d, bias } }
    },
    ...{ mlp: ['mlp.dense_h_to_4h', 'mlp.dense_4h_to_h'], inner: c.size('intermediate_size'), linear: biased },
    activation: c.choice('hidden_act', ACTIVATIONS, 'gelu'),
    norm: layerNorm(d, c.number('layer_norm_eps', 1e-5, EPS)),
    norms: ['input_layernorm', undefined, 'post_attention_layernorm'],
    ...{ last: 'final_layer_norm', head: 'embed_out', tied: c.flag('tie_word_embeddings', false) },
    ignored: ['attention\\.(bias|masked_bias)$'],
  })
}

/** @type {(name: string, out: number, size: number) => LinearSpec} */
const biased = (name, out, size) => ({ name, out, in: size, bias: true })

/** @param {Config} c */
function phi(c) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const heads = equalHeads(d, H, c.size('num_key_value_heads', H))
  c.only({ qk_layernorm: false, tie_word_embeddings: false })
  return decoderOnly(c, {
    ...{
      type: 'phi',
      prefix: 'model.',
      d,
      heads,
      tokens: 'embed_tokens',
      layers: 'num_hidden_layers',
      at: 'layers.N.',
    },
    stack: { parallel: true, rope: ropeFrequencies(c, heads.headDim, 0.5) },
    attention: at => attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'dense'], d, heads, ALL),
    ...{ mlp: ['mlp.fc1', 'mlp.fc2'], inner: c.size('intermediate_size'), linear: biased },
    activation: c.choice('hidden_act', ACTIVATIONS, 'gelu_new'),
    norm: layerNorm(d, c.number('layer_norm_eps', 1e-5, EPS)),
    norms: ['input_layernorm', undefined, 'input_layernorm'], // one for both
    ...{ last: 'final_layernorm', head: 'lm_head', tied: false, headBias: true },
  })
}

/**
 * bert, roberta, distilbert, albert: encoders with the norm after the sum, and a head that fills masks.
 * @param {Config} c
 * @param {object} names
 * @param {string} names.type
 * @param {Record<'width' | 'layers' | 'heads' | 'inner' | 'activation', string>} names.keys
 * @param {string} names.act the default activation
 * @param {number} [names.eps] where the config does not say it
 * @param {(i: number) => string} names.at
 * @param {readonly string[]} names.attention q, k, v, o
 * @param {readonly [string, string]} names.mlp up, down
 * @param {readonly [string, string]} names.norms after attention, after the MLP
 * @param {boolean} [names.types] are there token types?
 * @param {boolean} [names.counts] do positions count on from pad_token_id?
 * @param {number} [names.narrow] the width of the embeddings, where it is another one
 * @param {{ dense: string, norm: string, bias: string, optional: RegExp, activation?: ActivationName }} names.head
 * @param {string} [names.pooler]
 * @param {readonly string[]} [names.ignored]
 * @returns {Family}
 */
function bertLike(c, names) {
  const { type, keys, at } = names
  const d = c.size(keys.width)
  const heads = c.size(keys.heads)
  const headDim = headSize(d, heads)
  const inner = c.size(keys.inner)
  const activation = c.choice(keys.activation, ACTIVATIONS, names.act)
  const eps = names.eps ?? c.number('layer_norm_eps', 1e-12, EPS)
  const vocab = c.size('vocab_size')
  const narrow = names.narrow ?? d
  c.only({
    ...{
      position_embedding_type: 'absolute',
      is_decoder: false,
      add_cross_attention: false,
      tie_word_embeddings: true,
    },
  })
  /** @type {(name: string, size?: number) => NormSpec} */
  const norm = (name, size = d) => ({ name, size, kind: 'layer', eps, bias: true })
  const table = (/** @type {string} */ name, /** @type {number} */ rows) => ({
    ...{ name: `embeddings.${name}_embeddings`, rows, columns: narrow },
  })
  const all = { heads, kvHeads: heads, headDim }
  const { dense, bias, optional } = names.head
  return {
    ...{ type, width: d, vocab, prefix: `${type}.` },
    embedding: {
      tokens: table('word', vocab),
      positions: table('position', c.size('max_position_embeddings')),
      padding: names.counts ? c.number('pad_token_id', 1, { least: 0, whole: true }) : undefined,
      types: names.types ? table('token_type', c.size('type_vocab_size', 2)) : undefined,
      norm: norm('embeddings.LayerNorm', narrow),
      project:
        names.narrow === undefined
          ? undefined
          : { name: 'encoder.embedding_hidden_mapping_in', out: d, in: narrow, bias: true },
    },
    encoder: {
      causal: false,
      heads: { ...all, scale: headDim ** -0.5, softcap: 0 },
      layers: times(layersOf(c, keys.layers), i => [
        {
          kind: 'attention',
          attention: attentionOf(at(i), names.attention, d, all, ALL),
          post: norm(at(i) + names.norms[0]),
        },
        {
          kind: 'mlp',
          mlp: {
            up: { name: at(i) + names.mlp[0], out: inner, in: d, bias: true },
            down: { name: at(i) + names.mlp[1], out: d, in: inner, bias: true },
            activation,
          },
          post: norm(at(i) + names.norms[1]),
        },
      ]),
    },
    head: {
      transform: { name: dense, out: narrow, in: d, bias: true },
      activation: names.head.activation ?? activation,
      norm: norm(names.head.norm, narrow),
      tied: 'embeddings.word_embeddings',
      bias,
      optional,
    },
    pooler: names.pooler ? { name: names.pooler, out: d, in: d, bias: true } : undefined,
    ignored: anyOf('embeddings\\.position_ids$', 'embeddings\\.token_type_ids$', ...(names.ignored ?? [])),
  }
}

const BERT_KEYS = {
  ...{ width: 'hidden_size', layers: 'num_hidden_layers', heads: 'num_attention_heads' },
  ...{ inner: 'intermediate_size', activation: 'hidden_act' },
}
const BERT_LAYER = /** @type {const} */ ({
  keys: BERT_KEYS,
  act: 'gelu',
  attention: ['attention.self.query', 'attention.self.key', 'attention.self.value', 'attention.output.dense'],
  mlp: ['intermediate.dense', 'output.dense'],
  norms: ['attention.output.LayerNorm', 'output.LayerNorm'],
  types: true,
  pooler: 'pooler.dense',
})
const inEncoder = (/** @type {number} */ i) => `encoder.layer.${i}.`

/** @param {Config} c */
const bert = c =>
  bertLike(c, {
    ...{ ...BERT_LAYER, type: 'bert', at: inEncoder },
    head: {
      dense: 'cls.predictions.transform.dense',
      norm: 'cls.predictions.transform.LayerNorm',
      bias: 'cls.predictions.bias',
      optional: /^cls\.predictions\./,
    },
    ignored: ['^cls\\.predictions\\.decoder\\.(weight|bias)$'],
  })

/** @param {Config} c */
const roberta = c =>
  bertLike(c, {
    ...{ ...BERT_LAYER, type: 'roberta', at: inEncoder, counts: true },
    head: {
      ...{ dense: 'lm_head.dense', norm: 'lm_head.layer_norm', bias: 'lm_head.bias', optional: /^lm_head\./ },
      activation: 'gelu',
    },
    ignored: ['^lm_head\\.decoder\\.(weight|bias)$'],
  })

/** @param {Config} c */
function distilbert(c) {
  c.get('sinusoidal_pos_embds') // positions are stored either way
  return bertLike(c, {
    ...{ type: 'distilbert', act: 'gelu', eps: 1e-12, at: i => `transformer.layer.${i}.` },
    keys: { width: 'dim', layers: 'n_layers', heads: 'n_heads', inner: 'hidden_dim', activation: 'activation' },
    attention: ['attention.q_lin', 'attention.k_lin', 'attention.v_lin', 'attention.out_lin'],
    mlp: ['ffn.lin1', 'ffn.lin2'],
    norms: ['sa_layer_norm', 'output_layer_norm'],
    head: {
      ...{ dense: 'vocab_transform', norm: 'vocab_layer_norm', bias: 'vocab_projector.bias', optional: /^vocab_/ },
    },
    ignored: ['^vocab_projector\\.weight$'],
  })
}

/** @param {Config} c */
function albert(c) {
  const layers = layersOf(c, 'num_hidden_layers')
  const groups = c.size('num_hidden_groups', 1)
  const inner = c.size('inner_group_num', 1)
  if (inner !== 1 || layers % groups)
    throw new RangeError(
      `config.json: inner_group_num ${inner} with ${groups} groups of ${layers} layers is not covered`,
    )
  return bertLike(c, {
    ...{ type: 'albert', act: 'gelu_new', types: true, narrow: c.size('embedding_size', 128), keys: BERT_KEYS },
    // The layers of a group share their weights.
    at: i => `encoder.albert_layer_groups.${Math.floor(i / (layers / groups))}.albert_layers.0.`,
    attention: ['attention.query', 'attention.key', 'attention.value', 'attention.dense'],
    mlp: ['ffn', 'ffn_output'],
    norms: ['attention.LayerNorm', 'full_layer_layer_norm'],
    head: {
      ...{ dense: 'predictions.dense', norm: 'predictions.LayerNorm', bias: 'predictions.bias' },
      optional: /^predictions\./,
    },
    pooler: 'pooler',
    ignored: ['^predictions\\.decoder\\.(weight|bias)$', '^sop_classifier\\.'],
  })
}

/** @param {Config} c @returns {Family} */
function t5(c) {
  const d = c.size('d_model')
  const heads = c.size('num_heads')
  const headDim = c.size('d_kv')
  const inner = c.size('d_ff')
  const eps = c.number('layer_norm_epsilon', 1e-6, EPS)
  const vocab = c.size('vocab_size')
  const buckets = c.number('relative_attention_num_buckets', 32, { least: 4, most: 2 ** 16, whole: true })
  const maxDistance = c.size('relative_attention_max_distance', 128)
  const kind = c.choice('feed_forward_proj', { relu: 'relu', 'gated-gelu': 'gated', 'gated-silu': 'silu' }, 'relu')
  c.get('dense_act_fn') // both follow from feed_forward_proj
  c.get('is_gated_act')
  const tied = c.flag('tie_word_embeddings', true)
  const layers = layersOf(c, 'num_layers')
  const all = { heads, kvHeads: heads, headDim }
  /** @type {(name: string) => NormSpec} */
  const norm = name => ({ name, size: d, kind: 'rms', eps })
  /** @type {(stack: 'encoder' | 'decoder', n: number) => StackSpec} */
  const stack = (name, n) => ({
    causal: name === 'decoder',
    heads: { ...all, scale: 1, softcap: 0 },
    relative: {
      table: {
        name: `${name}.block.0.layer.0.SelfAttention.relative_attention_bias`,
        rows: buckets,
        columns: heads,
      },
      maxDistance,
      bidirectional: name === 'encoder',
    },
    norm: norm(`${name}.final_layer_norm`),
    layers: times(n, i => {
      const at = `${name}.block.${i}.layer.`
      const last = name === 'encoder' ? 1 : 2
      const mlp = `${at}${last}.DenseReluDense.`
      /** @type {(n: number, kind: 'attention' | 'cross', part: string) => PartSpec} */
      const attention = (n, kind, part) => ({
        kind,
        attention: attentionOf(`${at}${n}.${part}.`, ['q', 'k', 'v', 'o'], d, all, NONE),
        before: norm(`${at}${n}.layer_norm`),
      })
      return [
        attention(0, 'attention', 'SelfAttention'),
        ...(name === 'decoder' ? [attention(1, 'cross', 'EncDecAttention')] : []),
        {
          kind: /** @type {const} */ ('mlp'),
          mlp: {
            up: { name: `${mlp}${kind === 'relu' ? 'wi' : 'wi_1'}`, out: inner, in: d },
            gate: kind === 'relu' ? undefined : { name: `${mlp}wi_0`, out: inner, in: d },
            down: { name: `${mlp}wo`, out: d, in: inner },
            activation: /** @type {ActivationName} */ (kind === 'gated' ? 'gelu_tanh' : kind),
          },
          before: norm(`${at}${last}.layer_norm`),
        },
      ]
    }),
  })
  return {
    ...{ type: 't5', width: d, vocab },
    embedding: { tokens: { name: 'shared', rows: vocab, columns: d } },
    encoder: stack('encoder', layers),
    decoder: stack('decoder', c.size('num_decoder_layers', layers)),
    head: tied ? { tied: 'shared', scale: d ** -0.5 } : { project: { name: 'lm_head', out: vocab, in: d } },
    ignored: anyOf(
      '^(encoder|decoder)\\.embed_tokens\\.weight$',
      'EncDecAttention\\.relative_attention_bias\\.weight$',
      ...(tied ? ['^lm_head\\.weight$'] : []),
    ),
    startId: c.number('decoder_start_token_id', 0, { least: 0, whole: true }),
  }
}

/** @param {Config} c @returns {Family} */
function marian(c) {
  const d = c.size('d_model')
  const vocab = c.size('vocab_size')
  const activation = c.choice('activation_function', ACTIVATIONS, 'gelu')
  c.only({
    ...{ decoder_vocab_size: vocab, share_encoder_decoder_embeddings: true, static_position_embeddings: true },
    ...{ normalize_before: false, normalize_embedding: false, add_final_layer_norm: false },
    ...{ add_bias_logits: false, tie_word_embeddings: true },
  })
  const pad = c.number('pad_token_id', 58100, { least: 0, whole: true })
  /** @type {(name: string) => NormSpec} */
  const norm = name => ({ name, size: d, kind: 'layer', eps: 1e-5, bias: true })
  const names = ['q_proj', 'k_proj', 'v_proj', 'out_proj']
  /** @type {(stack: 'encoder' | 'decoder') => StackSpec} */
  const stack = name => {
    const heads = c.size(`${name}_attention_heads`)
    const inner = c.size(`${name}_ffn_dim`)
    const all = { heads, kvHeads: heads, headDim: headSize(d, heads) }
    return {
      causal: name === 'decoder',
      heads: { ...all, scale: all.headDim ** -0.5, softcap: 0 },
      layers: times(layersOf(c, `${name}_layers`), i => {
        const at = `${name}.layers.${i}.`
        /** @type {(kind: 'attention' | 'cross', part: string) => PartSpec} */
        const attention = (kind, part) => ({
          kind,
          attention: attentionOf(`${at}${part}.`, names, d, all, ALL),
          post: norm(`${at}${part}_layer_norm`),
        })
        return [
          attention('attention', 'self_attn'),
          ...(name === 'decoder' ? [attention('cross', 'encoder_attn')] : []),
          {
            kind: /** @type {const} */ ('mlp'),
            mlp: {
              up: { name: `${at}fc1`, out: inner, in: d, bias: true },
              down: { name: `${at}fc2`, out: d, in: inner, bias: true },
              activation,
            },
            post: norm(`${at}final_layer_norm`),
          },
        ]
      }),
    }
  }
  return {
    ...{ type: 'marian', width: d, vocab, prefix: 'model.' },
    embedding: {
      tokens: { name: 'shared', rows: vocab, columns: d },
      sinusoids: c.size('max_position_embeddings', 1024),
      scale: c.flag('scale_embedding', false) ? Math.sqrt(d) : 1,
    },
    encoder: stack('encoder'),
    decoder: stack('decoder'),
    head: { tied: 'shared', bias: 'final_logits_bias' },
    ignored: anyOf('^(encoder|decoder)\\.embed_(positions|tokens)\\.weight$', '^lm_head\\.weight$'),
    startId: c.number('decoder_start_token_id', pad, { least: 0, whole: true }),
  }
}

/** @type {Record<string, (c: Config) => Family>} */
const FAMILIES = {
  gpt2,
  gpt_neox: gptNeox,
  phi,
  llama: c => llamaLike(c, { type: 'llama' }),
  mistral: c => llamaLike(c, { type: 'mistral', kvHeads: 8, window: 'all' }),
  qwen2: c => llamaLike(c, { type: 'qwen2', bias: 'qkv', window: 'upper' }),
  qwen3: c => llamaLike(c, { type: 'qwen3', headDim: 128, qkNorm: true, window: 'upper' }),
  gemma2: c => llamaLike(c, { type: 'gemma2', headDim: 256, gemma: true, window: 'even' }),
  bert,
  roberta,
  distilbert,
  albert,
  t5,
  marian,
}

/**
 * The description of a model.
 * @param {Config} config
 * @returns {Family}
 * @throws {RangeError} the config asks for something that is not covered
 */
export function familyOf(config) {
  const type = config.get('model_type')
  if (typeof type !== 'string' || !Object.hasOwn(FAMILIES, type))
    throw new RangeError(
      `config.json: model_type ${describe(type)} is not covered; covered: ${Object.keys(FAMILIES).join(', ')}`,
    )
  config.only({ quantization_config: undefined })
  const family = FAMILIES[type](config)
  config.end()
  return family
}
