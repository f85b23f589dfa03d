// Describes encoders with post-norm layers and a masked-language-model head.

import { ACTIVATIONS, ALL, anyOf, attentionOf, EPS, headDimOf, layersOf, slices, times } from './parts.js'

/** @import { Config } from '../config/config.js' */
/** @import { ActivationName, NormSpec } from './parts.js' */

/**
 * Describes an encoder.
 * @param {Config} c
 * @param {object} names
 * @param {string} names.prefix of tensor names, which a checkpoint may omit
 * @param {Record<'width' | 'layers' | 'heads' | 'inner' | 'activation', string>} names.keys
 * @param {string | number} [names.eps] eps of the norms, or its config key; default 'layer_norm_eps'
 * @param {ActivationName} [names.act] activation of the MLP, instead of that in the config
 * @param {(i: number) => string} names.at prefix of the names in layer i
 * @param {readonly string[]} names.attention four names: q, k, v, o; or two names: a weight that contains q, k and v, and o
 * @param {boolean} [names.attentionBias] default true
 * @param {readonly string[]} names.mlp names of up, down and, if present, gate
 * @param {'gate' | 'up'} [names.fusedMlp] which of gate and up comes first, if the weight `up` contains both
 * @param {readonly boolean[]} [names.mlpBias] [true if up and gate have a bias, true if down has one]; default both
 * @param {string} [names.embeddingNorm] default 'embeddings.LayerNorm'
 * @param {boolean} [names.learned] true for learned positions; default true
 * @param {Partial<import('./parts.js').StackSpec>} [names.stack] further fields of the stack
 * @param {(i: number) => number} [names.window] number of keys visible to a query of layer i; default all
 * @param {readonly string[]} [names.global] names of q, k, v for tokens with global attention
 * @param {string} [names.positionType] supported value of position_embedding_type; default 'absolute'
 * @param {readonly [string, string]} names.norms after attention and after the MLP
 * @param {boolean} [names.types] true for token types
 * @param {boolean} [names.counts] true if positions start after pad_token_id
 * @param {number} [names.narrow] width of the embeddings, if it differs from the model's
 * @param {string} [names.mapping] name of the layer that projects them to the model's width
 * @param {number} [names.padding] id of padding, overriding the config
 * @param {import('./parts.js').StackSpec['relative']} [names.relative] relative position biases
 * @param {{ dense: string, norm: string, bias: string, own?: string, optional: RegExp, activation?: ActivationName }} names.head
 * @param {string} [names.pooler]
 * @param {readonly string[]} [names.ignored]
 * @returns {import('./parts.js').Description}
 */
export function bertLike(c, names) {
  const { prefix, keys, at } = names
  const d = c.size(keys.width)
  const heads = c.size(keys.heads)
  const headDim = headDimOf(d, heads)
  const inner = c.size(keys.inner)
  const activation = names.act ?? c.choice(keys.activation, ACTIVATIONS)
  const {
    eps: epsOf = 'layer_norm_eps',
    learned = true,
    attentionBias = true,
    mlpBias = [true, true],
    fusedMlp,
  } = names
  const eps = typeof epsOf === 'number' ? epsOf : c.number(epsOf, EPS)
  const vocab = c.size('vocab_size')
  const narrow = names.narrow ?? d
  c.only({
    position_embedding_type: names.positionType ?? 'absolute',
    is_decoder: false,
    add_cross_attention: false,
    tie_word_embeddings: true,
  })
  /** @type {(name: string, size?: number) => NormSpec} */
  const norm = (name, size = d) => ({ name, size, kind: 'layer', eps, bias: true })
  const table = (/** @type {string} */ name, /** @type {number} */ rows) => ({
    name: `embeddings.${name}_embeddings`,
    rows,
    columns: narrow,
  })
  const all = { numHeads: heads, numKvHeads: heads, headDim }
  const { dense, bias, own, optional } = names.head
  /** @type {(at: string) => import('./parts.js').AttentionSpec} */
  const attentionAt = at => {
    const biases = ALL.map(() => attentionBias)
    if (names.attention.length === 4) return attentionOf(at, names.attention, d, all, biases)
    const [q, k, v] = slices(at + names.attention[0], [d, d, d], d, attentionBias)
    return { q, k, v, o: { name: at + names.attention[1], out: d, in: d, bias: attentionBias } }
  }
  const globalAt = (/** @type {string} */ at) => {
    const [q, k, v] = (names.global ?? []).map(name => ({ name: at + name, out: d, in: d, bias: attentionBias }))
    return v && { q, k, v }
  }
  const mlpAt = (/** @type {string} */ at) => {
    const [one, down, other] = names.mlp
    const linear = (/** @type {string} */ name) => ({ name: at + name, out: inner, in: d, bias: mlpBias[0] })
    const two = fusedMlp && slices(at + one, [inner, inner], d, mlpBias[0])
    return {
      up: two ? two[fusedMlp === 'up' ? 0 : 1] : linear(one),
      gate: two ? two[fusedMlp === 'up' ? 1 : 0] : other === undefined ? undefined : linear(other),
      down: { name: at + down, out: d, in: inner, bias: mlpBias[1] },
      activation,
    }
  }
  return {
    width: d,
    vocab,
    prefix,
    embedding: {
      tokens: table('word', vocab),
      positions: learned ? table('position', c.size('max_position_embeddings')) : undefined,
      padding: names.counts ? (names.padding ?? c.number('pad_token_id', { least: 0, whole: true })) : undefined,
      types: names.types ? table('token_type', c.size('type_vocab_size')) : undefined,
      norm: norm(names.embeddingNorm ?? 'embeddings.LayerNorm', narrow),
      project: names.narrow === undefined ? undefined : { name: names.mapping ?? '', out: d, in: narrow, bias: true },
    },
    encoder: {
      causal: false,
      relative: names.relative,
      heads: { ...all, scale: headDim ** -0.5, softcap: 0 },
      ...names.stack,
      layers: times(layersOf(c, keys.layers), i => [
        {
          kind: 'attention',
          attention: { ...attentionAt(at(i)), window: names.window?.(i), global: globalAt(at(i)) },
          post: norm(at(i) + names.norms[0]),
        },
        {
          kind: 'mlp',
          mlp: mlpAt(at(i)),
          post: norm(at(i) + names.norms[1]),
        },
      ]),
    },
    head: {
      transform: { name: dense, out: narrow, in: d, bias: true },
      activation: names.head.activation ?? activation,
      norm: norm(names.head.norm, narrow),
      tied: 'embeddings.word_embeddings',
      own,
      bias,
      optional,
    },
    pooler: names.pooler ? { name: names.pooler, out: d, in: d, bias: true } : undefined,
    ignored: anyOf('embeddings\\.position_ids$', 'embeddings\\.token_type_ids$', ...(names.ignored ?? [])),
  }
}

/** Defaults of BERT's config class, for the keys that are read. */
export const DEFAULTS = {
  vocab_size: 30522,
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  hidden_act: 'gelu',
  max_position_embeddings: 512,
  type_vocab_size: 2,
  layer_norm_eps: 1e-12,
}

/** RoBERTa's masked-language-model head, and copies of its weights that a checkpoint may contain. */
export const ROBERTA_HEAD = {
  head: {
    dense: 'lm_head.dense',
    norm: 'lm_head.layer_norm',
    bias: 'lm_head.bias',
    own: 'lm_head.decoder',
    optional: /^lm_head\./,
    activation: /** @type {const} */ ('gelu'),
  },
  ignored: ['^lm_head\\.decoder\\.(weight|bias)$'],
}

export const BERT_KEYS = {
  width: 'hidden_size',
  layers: 'num_hidden_layers',
  heads: 'num_attention_heads',
  inner: 'intermediate_size',
  activation: 'hidden_act',
}
export const BERT_LAYER = /** @type {const} */ ({
  keys: BERT_KEYS,
  attention: ['attention.self.query', 'attention.self.key', 'attention.self.value', 'attention.output.dense'],
  mlp: ['intermediate.dense', 'output.dense'],
  norms: ['attention.output.LayerNorm', 'output.LayerNorm'],
  types: true,
  pooler: 'pooler.dense',
})
export const inEncoder = (/** @type {number} */ i) => `encoder.layer.${i}.`
