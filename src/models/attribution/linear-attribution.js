// Computes how much each part of a model adds to a number that is read from the output of its last norm. The residual stream is the sum of
// the outputs of the embedding, the heads and the MLPs. With the deviations of all norms held fixed, the number is linear in that stream.
// Its gradient is passed back through the norms, and a part adds the dot product of its output with the gradient. Computed in float64.

import { Tensor } from '../../base/tensor.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { LinearSpec, NormSpec, PartSpec } from '../family-shapes/parts.js' */
/** @import { ModelWeights } from '../weights/weights.js' */
/** @import { ModelInput, ModelOutput } from '../model.js' */
/**
 * @typedef {object} Attributed the parts of a model that attribution uses
 * @property {import('../family-shapes/parts.js').Family} family
 * @property {ModelWeights} weights
 * @property {(input: string | ModelInput, options: import('../model.js').ModelOptions & { signal?: AbortSignal },
 *   record: (seen: import('../run/network.js').Seen) => void) => Promise<ModelOutput>} forward
 * @property {unknown} [padding] id of padding
 * @property {(given: unknown, where: string) => number} tokenOf returns the id of a token, given as an id or a text
 *
 * A number to explain, and its gradient with respect to the rows that it is read from.
 * @typedef {{ value: number, rows: Float64Array[] }} Readout
 *
 * The output y of a linearised function, and `pull`, which multiplies a gradient of y by the function's Jacobian.
 * @typedef {{ y: Float64Array, pull: (g: Float64Array) => Float64Array }} Linearized
 *
 * The contributions to T numbers, with H heads per layer. The `heads`, `crossHeads`, `mlps`, `embedding` and `rest` of each number sum to
 * its value.
 * @typedef {object} Contributions
 * @property {number[]} logits the T numbers
 * @property {FloatTensor} heads (T, layers, H)
 * @property {FloatTensor} [crossHeads] (T, layers, H), for an encoder-decoder
 * @property {FloatTensor} mlps (T, layers)
 * @property {FloatTensor} embedding (T): the input of layer 0
 * @property {FloatTensor} rest (T): biases, and what hooks have added to the residual stream
 */

/**
 * Computes how much each head, each MLP and the embedding add to numbers that are read from rows after the last norm.
 * @param {Attributed} model
 * @param {string | ModelInput} input a single text
 * @param {object} asked
 * @param {import('../model.js').Hooks} [asked.hooks]
 * @param {AbortSignal} [asked.signal]
 * @param {string} asked.where prefix of errors
 * @param {'all' | 'last' | 'none'} [asked.logits]
 * @param {(L: number) => number[]} asked.positions returns the indices of the rows to read, in a text of L tokens
 * @param {(output: ModelOutput, rows: Float64Array[], positions: number[]) => Readout[]} asked.readouts returns the numbers to explain
 * @param {{ layer: number, carried: (row: Float64Array) => Linearized }} [asked.state] reads the output of `layer`, mapped by
 *   `carried`, instead of that of the last layer
 * @returns {Promise<Contributions>}
 */
export async function contributions(
  { family, weights, forward },
  input,
  { hooks, signal, where, logits = 'none', positions, readouts, state },
) {
  const { encoder, decoder } = family
  const isBoth = encoder !== undefined && decoder !== undefined
  const stack = decoder ?? encoder
  const place = isBoth ? 'decoder.' : ''
  /** @type {{ part: PartSpec, layer: number, heads: Float64Array[], before: Float64Array[], added: Float64Array[] }[]} */
  const parts = []
  /** @type {number[] | undefined} */
  let at
  /** @type {Float64Array[]} */
  let heads = []
  /** @type {Float64Array[]} */
  let last = []
  const rowsOf = (/** @type {FloatTensor} */ x) => {
    const [B, L, d] = x.dims
    if (B !== 1) throw new RangeError(`${where}: expected one text, got ${B}`)
    at ??= positions(L)
    return at.map(i => Float64Array.from(x.data.subarray(i * d, (i + 1) * d)))
  }
  const options = { hooks, logits, signal, ...(state && { until: state.layer }) }
  const output = await forward(input, options, seen => {
    const { part, layer = 0, before, added } = seen
    if (seen.place !== place) return
    if (part && seen.heads) heads = rowsOf(seen.heads)
    else if (part && before && added) parts.push({ part, layer, heads, before: rowsOf(before), added: rowsOf(added) })
    else if (before) last = rowsOf(before)
  })
  if (state) last = rowsOf(output.lastHiddenState)
  const ends = last.map(row => {
    const carried = state?.carried(row) ?? { y: row, pull: same }
    const after = stack.norm ? normed(stack.norm, weights, carried.y) : { y: carried.y, pull: same }
    return { y: after.y, pull: (/** @type {Float64Array} */ g) => carried.pull(after.pull(g)) }
  })
  const given = ends.map(({ y }) => y)
  const targets = readouts(output, given, at ?? [])
  const [layers, H] = [stack.layers.length, stack.heads.numHeads]
  const make = (/** @type {number[]} */ ...dims) =>
    new Tensor(new Float32Array(dims.reduce((a, b) => a * b, targets.length)), [targets.length, ...dims])
  const found = {
    logits: targets.map(({ value }) => value),
    heads: make(layers, H),
    ...(isBoth && { crossHeads: make(layers, H) }),
    mlps: make(layers),
    embedding: make(),
    rest: make(),
  }
  const rests = targets.map(({ value }) => value)
  const put = (
    /** @type {FloatTensor | undefined} */ tensor,
    /** @type {number} */ t,
    /** @type {number} */ n,
    /** @type {number} */ value,
  ) => {
    if (!tensor) return
    tensor.data[t * (tensor.data.length / targets.length) + n] = value
    rests[t] -= value
  }
  /** Gradients of each number with respect to the rows of the residual stream. */
  let gradients = targets.map(({ rows }) => rows.map((g, n) => ends[n].pull(g)))
  const through = (/** @type {Linearized[]} */ norms) => gradients.map(rows => rows.map((g, n) => norms[n].pull(g)))
  for (const { part, layer, heads, before, added } of parts.reverse()) {
    const { kind, post, after, attention } = part
    if (post) gradients = through(before.map((row, n) => normed(post, weights, plus(row, added[n]))))
    if (kind === 'mlp' || !attention) {
      for (const [t, rows] of gradients.entries()) put(found.mlps, t, layer, dots(rows, added))
      continue
    }
    const { o } = attention
    const own = after ? through(heads.map(row => normed(after, weights, multiplied(weights, o, row)))) : gradients
    const byHeads = pulled(weights, o, own.flat())
    const [D, P] = [heads[0].length / H, heads.length]
    for (const t of targets.keys())
      for (let h = 0; h < H; h++) {
        const cut = (/** @type {Float64Array[]} */ rows) => rows.map(row => row.subarray(h * D, (h + 1) * D))
        const value = dots(cut(byHeads.slice(t * P, (t + 1) * P)), cut(heads))
        put(kind === 'cross' ? found.crossHeads : found.heads, t, layer * H + h, value)
      }
  }
  const [first] = parts.slice(-1)
  for (const [t, rows] of gradients.entries()) put(found.embedding, t, 0, first ? dots(rows, first.before) : 0)
  rests.forEach((value, t) => {
    found.rest.data[t] = value
  })
  return found
}

const same = (/** @type {Float64Array} */ g) => g

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function dot(a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

/** Returns the sum of the dot products of corresponding rows. @param {readonly Float64Array[]} a @param {readonly Float64Array[]} b */
const dots = (a, b) => a.reduce((sum, row, n) => sum + dot(row, b[n]), 0)

/** @param {Float64Array} a @param {Float64Array} b */
const plus = (a, b) => a.map((value, i) => value + b[i])

/** Computes W x + b. @param {ModelWeights} weights @param {LinearSpec} spec @param {Float64Array} x */
export function multiplied(weights, spec, x) {
  const layer = weights.linear(spec)
  return Float64Array.from({ length: spec.out }, (_, n) => {
    const { weight, bias } = layer.row(n)
    return dot(weight, x) + bias
  })
}

/** Computes g W for each row g of `list`, with the weight W of `spec`. @param {ModelWeights} weights @param {LinearSpec} spec @param {readonly Float64Array[]} list */
export function pulled(weights, spec, list) {
  const { out, in: size } = spec
  const layer = weights.linear(spec)
  const made = list.map(() => new Float64Array(size))
  for (let n = 0; n < out; n++) {
    const { weight } = layer.row(n)
    list.forEach((g, t) => {
      const factor = g[n]
      if (factor !== 0) for (let i = 0; i < size; i++) made[t][i] += factor * weight[i]
    })
  }
  return made
}

/**
 * Linearises a norm at x by freezing its deviation.
 * @param {NormSpec} spec
 * @param {ModelWeights} weights
 * @param {ArrayLike<number>} x
 * @returns {Linearized & { factors: Float64Array }} factors: what the values of x, less their mean, are multiplied by
 */
export function normed(spec, weights, x) {
  const { kind, eps, plusOne } = spec
  const { weight, bias } = weights.norm(spec)
  const size = x.length
  const mean = (/** @type {ArrayLike<number>} */ row) => {
    let sum = 0
    if (kind === 'layer') for (let c = 0; c < size; c++) sum += row[c]
    return sum / size
  }
  const middle = mean(x)
  let squares = 0
  for (let c = 0; c < size; c++) squares += (x[c] - middle) ** 2
  const deviation = kind === 'scale' ? 1 : Math.sqrt(squares / size + eps)
  const [w, b] = [weight.data, bias?.data]
  const factors = Float64Array.from({ length: size }, (_, c) => (w[c] + Number(plusOne ?? false)) / deviation)
  return {
    y: factors.map((factor, c) => (x[c] - middle) * factor + (b?.[c] ?? 0)),
    factors,
    pull(g) {
      const out = new Float64Array(size)
      for (let c = 0; c < size; c++) out[c] = g[c] * factors[c]
      const own = mean(out)
      for (let c = 0; c < size; c++) out[c] -= own
      return out
    },
  }
}
