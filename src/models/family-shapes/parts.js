// The types of a family's description, and functions that several descriptions share.

/** @typedef {import('../config.js').Config} Config */
/** @typedef {'gelu' | 'gelu_tanh' | 'relu' | 'silu'} ActivationName */

/**
 * A linear layer: weight (out, in), and bias (out). In a fused weight of `of` rows, row n of this layer is `row(n)`.
 * @typedef {{ name: string, out: number, in: number, bias?: boolean, layout?: 'in,out', of?: number, part?: number, row?: (n: number) => number }} LinearSpec
 *
 * @typedef {{ name: string, size: number, kind: 'layer' | 'rms' | 'scale', eps: number, bias?: boolean, plusOne?: boolean, constant?: number }} NormSpec
 *   'scale': the product with the weight, without a deviation; constant: all numbers of the weight, which the file does not hold
 *
 * A table whose rows begin after `skip` others.
 * @typedef {{ name: string, rows: number, columns: number, skip?: number, copies?: readonly string[] }} TableSpec copies: other names under which
 *   a file may hold it
 *
 * @typedef {object} AttentionSpec
 * @property {LinearSpec} q
 * @property {LinearSpec} k
 * @property {LinearSpec} v
 * @property {LinearSpec} o
 * @property {NormSpec} [qNorm] over each head, or over all heads side by side
 * @property {NormSpec} [kNorm]
 * @property {{ q: LinearSpec, k: LinearSpec }} [positions] what makes queries and keys of distances, in a stack with `disentangled`
 * @property {number} [window] keys that a query sees, its own among them; without the causal rule half of the others lie on each side
 * @property {Rope | false} [rope] if it is not that of the stack; false: nothing turns
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
 * The rotation of q and k.
 * @typedef {object} Rope
 * @property {number} dim the numbers of each head that turn
 * @property {Float64Array} frequencies pair i turns by position * frequencies[i]
 * @property {number} most positions
 * @property {number} [gain] factor of cosines and sines, default 1
 * @property {boolean} [interleaved] pairs are neighbours (2i, 2i + 1), else (i, i + dim / 2)
 * @property {{ length: number, theta: number, factor: number } | { length: number, frequencies: Float64Array }} [dynamic] a text that is longer
 *   than `length` has frequencies of a larger theta, or these
 *
 * The distances of DeBERTa, rows of a table (2 span, d): the scores are those of content, of content with the distance of the key, and of
 * the distance with the content of the key. Distances up to `buckets` / 2 have a row each, larger ones up to `most` share rows; buckets 0: each has one.
 * @typedef {{ table: TableSpec, norm?: NormSpec, span: number, buckets: number, most: number }} Disentangled
 *
 * @typedef {object} StackSpec
 * @property {PartSpec[][]} layers the parts of each
 * @property {boolean} [parallel] all parts read the input of the layer
 * @property {boolean} causal
 * @property {{ numHeads: number, numKvHeads: number, headDim: number, scale: number, softcap: number }} heads
 * @property {Rope} [rope] of all layers that do not say otherwise
 * @property {Partial<EmbeddingSpec>} [embedding] what it has of its own, in an encoder-decoder
 * @property {{ table: TableSpec, maxDistance: number, bidirectional: boolean }} [relative]
 * @property {Disentangled} [disentangled]
 * @property {import('../../base/tensor.js').FloatTensor} [alibi] slopes (H): slope * distance is subtracted from the scores
 * @property {number} [most] positions, where no table and no rotation says how many
 * @property {NormSpec} [norm] after the last layer
 *
 * @typedef {object} EmbeddingSpec
 * @property {TableSpec} tokens
 * @property {TableSpec} [positions] learned
 * @property {number} [padding] position = this + the running count of other ids (RoBERTa); padding itself has no sinusoids
 * @property {{ most?: number, steps?: number }} [sinusoids] fixed, sinusoidal positions: how many there are, and in how many steps
 *   frequencies go from 1 to 1 / 10000 (default half of the columns)
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
 * @property {LinearSpec} [project] ... or a separate weight
 * @property {string} [own] the name of its own weight, where a file has one although it is tied
 * @property {boolean} [scaled] of T5: false where a head that the file lacks is the table without `scale`
 * @property {string} [bias] added to the logits
 * @property {number} [scale] factor of the input
 * @property {number} [softcap]
 * @property {RegExp} [optional] names of its tensors; a checkpoint without any of them has no head
 *
 * What a family says about a model, from its config.
 * @typedef {object} Description
 * @property {number} width
 * @property {number} vocab
 * @property {EmbeddingSpec} embedding
 * @property {StackSpec} [encoder]
 * @property {StackSpec} [decoder]
 * @property {HeadSpec} head
 * @property {LinearSpec} [pooler] tanh of the first row
 * @property {string} [prefix] optional prefix of all names
 * @property {RegExp} ignored names of tensors that are not used
 * @property {number} [startId] first id of the decoder, in an encoder-decoder
 *
 * The classes that a checkpoint tells apart: layers on the first row of a text, its last one, the mean of its rows, or what the
 * pooler makes; without `row` on the rows of all tokens.
 * @typedef {object} ClassesSpec
 * @property {readonly string[]} labels
 * @property {'softmax' | 'sigmoid' | 'none'} scores what makes scores of the logits; 'none': they are numbers, of a regression
 * @property {'first' | 'last' | 'mean' | 'pooled'} [row]
 * @property {{ layer: LinearSpec, activation?: ActivationName | 'tanh', norm?: NormSpec }[]} layers
 *
 * The description of a model of a family, with what its checkpoint says.
 * @typedef {object} Checkpoint
 * @property {string} type the model_type
 * @property {string} [textPartOf] the model_type of the multimodal model of which this is the text part
 * @property {ClassesSpec} [classes]
 * @property {boolean} isHeadless it has no logits of tokens, whatever its family has
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
/** Task heads on top of a model, whose logits are not computed here. */
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
 * q, k, v and o under four names.
 * @param {string} at
 * @param {readonly string[]} names
 * @param {number} width
 * @param {{ numHeads: number, numKvHeads: number, headDim: number }} heads
 * @param {readonly boolean[]} bias of each
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
 * Linear layers whose rows lie one after the other in one weight.
 * @param {string} name
 * @param {readonly number[]} sizes rows of each
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
 * q, k and v in one weight whose rows come in groups of 3 D: q, k and v of head 0, then of head 1, ...
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

/** The product with a factor, as a norm that has no deviation and no stored weight. @param {number} factor @param {number} size @returns {NormSpec} */
export const scaledBy = (factor, size) => ({ name: `times ${factor}`, size, kind: 'scale', eps: 0, constant: factor })

export const ALL = [true, true, true, true]
export const NONE = [false, false, false, false]

/** @type {(size: number, eps: number) => (name: string) => NormSpec} */
export const layerNormOf = (size, eps) => name => ({ name, size, kind: 'layer', eps, bias: true })

/** @type {(name: string, out: number, size: number) => LinearSpec} */
export const biased = (name, out, size) => ({ name, out, in: size, bias: true })
