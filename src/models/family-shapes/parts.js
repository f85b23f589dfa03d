// The types of a family's description, and functions that several descriptions share.

/** @import { Config } from '../config/config.js' */
/** @typedef {'gelu' | 'gelu_tanh' | 'relu' | 'silu'} ActivationName */

/**
 * A linear layer: weight (out, in), and bias (out). In a fused weight with `of` rows, `row(n)` is where row n of this layer is, and
 * `part` is the index of this layer.
 * @typedef {{ name: string, out: number, in: number, bias?: boolean, layout?: 'in,out', of?: number, part?: number, row?: (n: number) => number }} LinearSpec
 *
 * @typedef {{ name: string, size: number, kind: 'layer' | 'rms' | 'scale', eps: number, bias?: boolean, plusOne?: boolean, constant?: number }} NormSpec
 *   'scale': multiplies by the weight without dividing by a deviation; constant: value of a weight that is not stored
 *
 * A table whose first `skip` rows are unused.
 * @typedef {{ name: string, rows: number, columns: number, skip?: number, copies?: readonly string[] }} TableSpec copies: other names that
 *   a file may use for it
 *
 * @typedef {object} AttentionSpec
 * @property {LinearSpec} q
 * @property {LinearSpec} k
 * @property {LinearSpec} v
 * @property {LinearSpec} o
 * @property {NormSpec} [qNorm] per head, or over all heads concatenated
 * @property {NormSpec} [kNorm]
 * @property {{ q: LinearSpec, k: LinearSpec }} [positions] projections of distances, in a stack with `disentangled`
 * @property {{ q: LinearSpec, k: LinearSpec, v: LinearSpec }} [global] projections of marked tokens, in a stack with `global`
 * @property {number} [window] number of visible keys, including the query's own; without a causal mask, centred on the query
 * @property {Rope | false} [rope] the rotation, if it differs from the stack's; false: no rotation
 *
 * A part of a layer, attention or MLP: x becomes post(x + after(part(before(x)))).
 * @typedef {PartOptions & (
 *   { kind: 'attention' | 'cross', attention: AttentionSpec, mlp?: undefined } |
 *   { kind: 'mlp', mlp: MlpSpec, attention?: undefined })} PartSpec
 * @typedef {{ up: LinearSpec, gate?: LinearSpec, down: LinearSpec, activation: ActivationName }} MlpSpec
 *
 * @typedef {object} PartOptions
 * @property {boolean} [isGlobal] True while the attention of marked tokens runs
 * @property {NormSpec} [before]
 * @property {NormSpec} [after]
 * @property {NormSpec} [post]
 *
 * The rotation of q and k.
 * @typedef {object} Rope
 * @property {number} dim number of rotated values per head
 * @property {Float64Array} frequencies pair i is rotated by position * frequencies[i]
 * @property {number} most maximum number of positions
 * @property {number} [gain] factor of cosines and sines, default 1
 * @property {boolean} [interleaved] pairs are (2i, 2i + 1), else (i, i + dim / 2)
 * @property {{ length: number, theta: number, factor: number } | { length: number, frequencies: Float64Array }} [dynamic] for texts longer
 *   than `length`: the theta and factor to compute frequencies from, or the frequencies
 *
 * DeBERTa's relative positions. A score is the sum of content-to-content, content-to-position and position-to-content. Distances select
 * rows of a table (2 span, width). Those up to `buckets` / 2 have one row each, larger ones up to `most` share rows. With 0 buckets, each
 * distance has its own row.
 * @typedef {{ table: TableSpec, norm?: NormSpec, span: number, buckets: number, most: number }} Disentangled
 *
 * @typedef {object} StackSpec
 * @property {PartSpec[][]} layers parts of each layer
 * @property {boolean} [parallel] True if all parts read the input of the layer
 * @property {boolean} causal
 * @property {{ numHeads: number, numKvHeads: number, headDim: number, scale: number, softcap: number }} heads
 * @property {Rope} [rope] default of the layers
 * @property {Partial<EmbeddingSpec>} [embedding] how this stack's embedding differs from Architecture.embedding, in an encoder-decoder
 * @property {{ table: TableSpec, maxDistance: number, bidirectional: boolean }} [relative]
 * @property {Disentangled} [disentangled]
 * @property {typeof import('../run/global-attention.js')} [global] attention of marked tokens
 * @property {import('../../base/tensor.js').FloatTensor} [alibi] slopes of the H heads: slope * distance is subtracted from the scores
 * @property {number} [most] maximum positions, if neither a table nor a rotation limits them
 * @property {NormSpec} [norm] after the last layer
 *
 * @typedef {object} EmbeddingSpec
 * @property {TableSpec} tokens
 * @property {TableSpec} [positions] learned
 * @property {number} [padding] id of padding, if positions start after it (RoBERTa): position n is `padding` + the number of ids up to n
 *   that are not padding. Padding has no sinusoids
 * @property {{ most?: number, steps?: number }} [sinusoids] sinusoidal positions: their maximum number, and the number of steps in which
 *   frequencies go from 1 to 1 / 10000 (default half of the columns)
 * @property {TableSpec} [types]
 * @property {number} [scale]
 * @property {NormSpec} [norm]
 * @property {LinearSpec} [project]
 *
 * @typedef {object} HeadSpec
 * @property {LinearSpec} [transform] a layer before the projection, with activation and norm
 * @property {ActivationName} [activation]
 * @property {NormSpec} [norm]
 * @property {string} [tied] name of the embedding table that is also the head's weight; undefined if `project` is given
 * @property {LinearSpec} [project] a separate weight
 * @property {string} [own] name of a separate weight, if a file has one although the head is tied
 * @property {boolean} [scaled] false in an untied T5: if the file has no separate weight, the embedding table is used without `scale`
 * @property {string} [bias] added to the logits
 * @property {number} [scale] factor of the input
 * @property {number} [softcap]
 * @property {RegExp} [optional] names of its tensors; a checkpoint without any of them has no head
 *
 * A family's description of a model, derived from its config.
 * @typedef {object} Architecture
 * @property {number} width
 * @property {number} vocab
 * @property {EmbeddingSpec} embedding
 * @property {HeadSpec} head
 * @property {LinearSpec} [pooler] applied to the first row, followed by tanh
 * @property {string} [prefix] optional prefix of all names
 * @property {RegExp} ignored names of tensors that are not used
 * @property {number} [startId] first id of the decoder, in an encoder-decoder
 *
 * @typedef {Architecture & Stacks} Description
 * @typedef {{ encoder: StackSpec, decoder?: undefined } | { encoder?: undefined, decoder: StackSpec }
 *   | { encoder: StackSpec, decoder: StackSpec }} Stacks one of them, or both
 *
 * The classes of a checkpoint. `row` selects what `layers` are applied to: a text's first row, its last one, the mean of its rows, or the
 * pooler's output. Without `row` they are applied to the row of each token.
 * @typedef {object} ClassesSpec
 * @property {readonly string[]} labels
 * @property {'softmax' | 'sigmoid' | 'none'} scores function from logits to scores; 'none' for regression
 * @property {'first' | 'last' | 'mean' | 'pooled'} [row]
 * @property {{ layer: LinearSpec, activation?: ActivationName | 'tanh', norm?: NormSpec }[]} layers
 *
 * A description together with facts of the checkpoint.
 * @typedef {object} Checkpoint
 * @property {string} type the model_type
 * @property {string} [textPartOf] model_type of the multimodal model whose text part this is
 * @property {ClassesSpec} [classes]
 * @property {boolean} isHeadless True if the checkpoint has no logits of tokens, even if its family has
 *
 * @typedef {Description & Checkpoint} Family
 */

/** @type {Record<string, ActivationName>} */
export const ACTIVATIONS = {
  gelu: 'gelu',
  gelu_new: 'gelu_tanh',
  gelu_pytorch_tanh: 'gelu_tanh',
  gelu_fast: 'gelu_tanh',
  relu: 'relu',
  silu: 'silu',
  swish: 'silu',
}
export const EPS = { least: 0, most: 1 }
/** Matches the tensor names of task heads whose logits are not computed. */
export const TASKS = /^(classifier|pre_classifier|qa_outputs|score|sop_classifier|cls\.seq_relationship)\b/

/** @template T @param {number} n @param {(i: number) => T} make @returns {T[]} */
export const times = (n, make) => Array.from({ length: n }, (_, i) => make(i))

/** @param {string[]} patterns */
export const anyOf = (...patterns) => new RegExp([TASKS.source, ...patterns].join('|'))

/** @param {Config} c @param {string} key */
export const layersOf = (c, key) => c.number(key, { least: 1, most: 1024, whole: true })

/**
 * @param {number} width
 * @param {number} heads
 */
export function headDimOf(width, heads) {
  if (width % heads) throw new RangeError(`config.json: ${heads} heads do not divide the width ${width}`)
  return width / heads
}

/**
 * Describes q, k, v and o with separate names.
 * @param {string} at
 * @param {readonly string[]} names
 * @param {number} width
 * @param {{ numHeads: number, numKvHeads: number, headDim: number }} heads
 * @param {readonly boolean[]} bias True for each that has a bias
 * @returns {AttentionSpec}
 */
export function attentionOf(at, [q, k, v, o], width, { numHeads: heads, numKvHeads, headDim }, bias) {
  const [all, few] = [heads * headDim, numKvHeads * headDim]
  return {
    q: { name: at + q, out: all, in: width, bias: bias[0] },
    k: { name: at + k, out: few, in: width, bias: bias[1] },
    v: { name: at + v, out: few, in: width, bias: bias[2] },
    o: { name: at + o, out: width, in: all, bias: bias[3] },
  }
}

/**
 * Describes linear layers whose rows are stacked in one weight.
 * @param {string} name
 * @param {readonly number[]} sizes number of rows of each layer
 * @param {number} width
 * @param {boolean} [bias]
 * @returns {LinearSpec[]}
 */
export function slices(name, sizes, width, bias) {
  const of = sizes.reduce((sum, size) => sum + size, 0)
  let from = 0
  return sizes.map((out, part) => {
    const start = from
    from += out
    return { name, out, in: width, bias, of, part, row: n => start + n }
  })
}

/**
 * Describes q, k and v in one weight, for H heads of size D. The weight has the rows of q, k and v of head 0, then those of head 1, ...
 * @param {string} name
 * @param {number} H
 * @param {number} D
 * @param {number} width
 * @param {boolean} bias
 * @returns {LinearSpec[]}
 */
export const byHeads = (name, H, D, width, bias) =>
  times(3, part => ({
    name,
    out: H * D,
    in: width,
    bias,
    of: 3 * H * D,
    part,
    row: n => (Math.floor(n / D) * 3 + part) * D + (n % D),
  }))

/** Describes a multiplication by a factor, as a norm of kind 'scale' whose weight is not stored. @param {number} factor @param {number} size @returns {NormSpec} */
export const scaledBy = (factor, size) => ({ name: `times ${factor}`, size, kind: 'scale', eps: 0, constant: factor })

export const ALL = [true, true, true, true]
export const NONE = [false, false, false, false]

/** @type {(size: number, eps: number) => (name: string) => NormSpec} */
export const layerNormOf = (size, eps) => name => ({ name, size, kind: 'layer', eps, bias: true })

/** @type {(name: string, out: number, size: number) => LinearSpec} */
export const biased = (name, out, size) => ({ name, out, in: size, bias: true })
