// How much each part of a model adds to one number that it gives: a logit of a token, a logit of a class, the likeness of two texts.
// The residual stream is the sum of the outputs of the embedding, the heads and the MLPs. With the deviations of all norms and the
// factors of the activations behind it held fixed, the number is linear in the residual stream. Its gradient goes back through the
// norms; a part adds the product of its output with the gradient. Computed in float64.

import { readOptions, toNumber } from '../base/arguments.js'
import { toTensor } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./family-shapes/parts.js').NormSpec} NormSpec */
/** @typedef {import('./family-shapes/parts.js').PartSpec} PartSpec */
/** @typedef {import('./family-shapes/parts.js').ClassesSpec} ClassesSpec */
/** @typedef {import('./weights.js').ModelWeights} ModelWeights */
/** @typedef {import('./family-shapes/parts.js').LinearSpec} LinearSpec */
/** @typedef {import('./network.js').Seen} Seen */
/** @typedef {import('./model.js').ModelInput} ModelInput */
/** @typedef {import('./model.js').ModelOutput} ModelOutput */

/**
 * @typedef {object} AttributionOptions
 * @property {ArrayLike<number>} [tokens] ids of the tokens; default: the token with the largest logit
 * @property {ArrayLike<number>} [classes] of a checkpoint that tells classes apart, instead of tokens: their numbers; default: the class
 *   with the largest logit
 * @property {number} [position] of the query, from the end if negative; default -1, which predicts the next token. Not of classes of a
 *   whole text
 * @property {import('./model.js').Hooks} [hooks]
 * @property {AbortSignal} [signal]
 */
/**
 * For T tokens or classes; `heads`, `crossHeads`, `mlps`, `embedding` and `rest` of each sum to its logit.
 * @typedef {object} LogitAttribution
 * @property {number[]} tokens
 * @property {number[]} [classes]
 * @property {number[]} logits before a cap, if the model has one
 * @property {FloatTensor} heads (T, layers, H)
 * @property {FloatTensor} [crossHeads] (T, layers, H), of an encoder-decoder
 * @property {FloatTensor} mlps (T, layers)
 * @property {FloatTensor} embedding (T): the input of layer 0
 * @property {FloatTensor} rest (T): biases, and what hooks have added to the residual stream
 *
 * @typedef {object} Attributed what of a model is needed
 * @property {import('./family-shapes/parts.js').Family} family
 * @property {ModelWeights} weights
 * @property {(input: ModelInput, options: import('./model.js').ModelOptions & { signal?: AbortSignal },
 *   record: (seen: Seen) => void) => Promise<ModelOutput>} forward
 * @property {unknown} [padding] the id of padding
 *
 * A number, and its derivatives by the rows after the last norm.
 * @typedef {{ value: number, rows: Float64Array[] }} Readout
 *
 * A linear function with what it adds held apart: `pull` takes a derivative by what it gives to one by what it reads.
 * @typedef {{ y: Float64Array, pull: (g: Float64Array) => Float64Array }} Linearized
 */

/**
 * @param {Attributed} model
 * @param {ModelInput} input
 * @param {AttributionOptions} options
 * @returns {Promise<LogitAttribution>}
 */
export async function attribute(model, input, options) {
  const where = 'logitAttribution'
  const { family, weights } = model
  const known = ['tokens', 'classes', 'position', 'hooks', 'signal']
  const { hooks, position = -1, tokens, classes, signal } = readOptions(options, known, where)
  const { vocab, type, classes: told } = family
  if (!told && !weights.hasHead) throw new Error(`${where}: this ${type} checkpoint has no head, it has no logits`)
  if (told ? tokens !== undefined : classes !== undefined)
    throw new TypeError(
      `${where}: ${told ? 'tokens are given, but this checkpoint tells classes apart: give classes' : `classes are given, but this ${type} checkpoint tells none apart: give tokens`}`,
    )
  const [name, count] = told ? ['classes', told.labels.length] : ['tokens', vocab]
  const given = told ? classes : tokens
  const ids = given === undefined ? undefined : Array.from(toTensor(given, `${where}: ${name}`, true).data)
  for (const id of ids ?? []) toNumber(id, `${where}: ${name}`, { least: 0, most: count - 1, whole: true })
  /** @type {number[]} */
  let chosen = []
  const made = await contributions(model, input, {
    hooks,
    signal,
    where,
    logits: ids || told ? 'none' : position === -1 ? 'last' : 'all',
    positions(L) {
      if (told?.row) return rowsRead(told.row, model, input, L)
      return [(toNumber(position, `${where}: position`, { least: -L, most: L - 1, whole: true }) + L) % L]
    },
    readouts({ logits, classLogits }, rows, [at]) {
      const all = /** @type {FloatTensor} */ (told ? classLogits : logits)
      chosen = ids ?? [largest(told?.row ? all.data : all.dims[1] === 1 ? all.data : all.row(0).row(at).data)]
      return told ? readClasses(told, family, weights, rows, chosen) : readTokens(family, weights, rows[0], chosen)
    },
  })
  return { tokens: told ? [] : chosen, ...(told && { classes: chosen }), ...made }
}

/** The rows of a text from which classes are told. @param {'first' | 'last' | 'mean' | 'pooled'} which @param {Attributed} model @param {ModelInput} input @param {number} L */
function rowsRead(which, { padding }, { ids, attentionMask, embeddings }, L) {
  if (which === 'first' || which === 'pooled') return [0]
  const given = attentionMask ?? (embeddings ? undefined : ids)
  const numbers = given === undefined ? undefined : toTensor(given, 'logitAttribution: ids', true).data
  const isReal = (/** @type {number} */ i) =>
    !numbers || (attentionMask === undefined ? numbers[i] !== padding : numbers[i] === 1)
  const real = Array.from({ length: L }, (_, i) => i).filter(isReal)
  return which === 'mean' ? real : [real.at(-1) ?? 0]
}

/** @param {import('./family-shapes/parts.js').Family} family @param {ModelWeights} weights @param {Float64Array} row @param {readonly number[]} ids @returns {Readout[]} */
function readTokens({ head }, weights, row, ids) {
  const { transform, activation, norm, scale = 1 } = head
  const { y, pull } = chained(weights, transform ? [{ layer: transform, activation, norm }] : [], row)
  return ids.map(id => {
    const { weight, bias } = weights.head.row(id)
    return { value: scale * dot(weight, y) + bias, rows: [pull(Float64Array.from(weight, value => value * scale))] }
  })
}

/** @param {ClassesSpec} told @param {import('./family-shapes/parts.js').Family} family @param {ModelWeights} weights @param {Float64Array[]} rows whose mean is read @param {readonly number[]} chosen @returns {Readout[]} */
function readClasses({ row, layers }, { pooler }, weights, rows, chosen) {
  const mean = rows[0].map((_, c) => rows.reduce((sum, each) => sum + each[c], 0) / rows.length)
  const first = row === 'pooled' && pooler ? [{ layer: pooler, activation: /** @type {const} */ ('tanh') }] : []
  const { y, pull } = chained(weights, [...first, ...layers], mean)
  return chosen.map(n => {
    const g = pull(y.map((_, i) => Number(i === n))).map(value => value / rows.length)
    return { value: y[n], rows: rows.map(() => g) }
  })
}

/**
 * How much each head, each MLP and the embedding add to numbers that are read from rows after the last norm.
 * @param {Attributed} model
 * @param {ModelInput} input one text
 * @param {object} asked
 * @param {import('./model.js').Hooks} [asked.hooks]
 * @param {AbortSignal} [asked.signal]
 * @param {string} asked.where in errors
 * @param {'all' | 'last' | 'none'} [asked.logits]
 * @param {(L: number) => number[]} asked.positions of the rows that are read
 * @param {(output: ModelOutput, rows: Float64Array[], positions: number[]) => Readout[]} asked.readouts
 * @returns {Promise<Omit<LogitAttribution, 'tokens' | 'classes'>>}
 */
export async function contributions(
  { family, weights, forward },
  input,
  { hooks, signal, where, logits = 'none', positions, readouts },
) {
  const { encoder, decoder } = family
  const isBoth = encoder !== undefined && decoder !== undefined
  const stack = /** @type {import('./family-shapes/parts.js').StackSpec} */ (decoder ?? encoder)
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
    if (B !== 1) throw new RangeError(`${where}: one text expected, ${B} given`)
    at ??= positions(L)
    return at.map(i => Float64Array.from(x.data.subarray(i * d, (i + 1) * d)))
  }
  const output = await forward(input, { hooks, logits, signal }, seen => {
    const { part, layer = 0, before, added } = seen
    if (seen.place !== place) return
    if (part && seen.heads) heads = rowsOf(seen.heads)
    else if (part && before && added) parts.push({ part, layer, heads, before: rowsOf(before), added: rowsOf(added) })
    else if (before) last = rowsOf(before)
  })
  const ends = last.map(row => (stack.norm ? normed(stack.norm, weights, row) : { y: row, pull: same }))
  const given = ends.map(({ y }) => y)
  const targets = readouts(output, given, at ?? [])
  const [layers, H] = [stack.layers.length, stack.heads.heads]
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
  /** The derivatives of each number by the rows of the residual stream. */
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
function dot(a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

/** The sum of the products of rows. @param {readonly Float64Array[]} a @param {readonly Float64Array[]} b */
const dots = (a, b) => a.reduce((sum, row, n) => sum + dot(row, b[n]), 0)

/** @param {Float64Array} a @param {Float64Array} b */
const plus = (a, b) => a.map((value, i) => value + b[i])

/** W x + b. @param {ModelWeights} weights @param {LinearSpec} spec @param {Float64Array} x */
function multiplied(weights, spec, x) {
  const layer = weights.linear(spec)
  return Float64Array.from({ length: spec.out }, (_, n) => {
    const { weight, bias } = layer.row(n)
    return dot(weight, x) + bias
  })
}

/** g W of each g. @param {ModelWeights} weights @param {LinearSpec} spec @param {readonly Float64Array[]} list */
function pulled(weights, spec, list) {
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
 * Layers in a row, norm(activation(W x + b)): an activation is a factor of each number, which is held fixed.
 * @param {ModelWeights} weights
 * @param {ClassesSpec['layers']} layers
 * @param {Float64Array} x
 * @returns {Linearized}
 */
function chained(weights, layers, x) {
  /** @type {Linearized['pull'][]} */
  const pulls = []
  let y = x
  for (const { layer, activation, norm } of layers) {
    const sums = multiplied(weights, layer, y)
    const factors = activation ? sums.map(FACTORS[activation]) : undefined
    y = factors ? sums.map((value, i) => value * factors[i]) : sums
    pulls.push(g => pulled(weights, layer, [factors ? g.map((value, i) => value * factors[i]) : g])[0])
    if (!norm) continue
    const after = normed(norm, weights, y)
    y = after.y
    pulls.push(after.pull)
  }
  return { y, pull: g => pulls.reduceRight((own, pull) => pull(own), g) }
}

/** The distribution function of the normal distribution, by the complementary error function of Numerical Recipes (error below 1.2e-7). @param {number} x */
function normalShare(x) {
  const z = Math.abs(x) / Math.SQRT2
  const t = 1 / (1 + z / 2)
  const terms = [
    1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
  ]
  const sum = terms.reduceRight((own, term) => term + t * own, 0)
  const tail = (t * Math.exp(-z * z - 1.26551223 + t * sum)) / 2
  return x < 0 ? tail : 1 - tail
}

/** activation(x) / x. @type {Record<NonNullable<ClassesSpec['layers'][0]['activation']>, (x: number) => number>} */
const FACTORS = {
  tanh: x => (x === 0 ? 1 : Math.tanh(x) / x),
  relu: x => Number(x > 0),
  silu: x => 1 / (1 + Math.exp(-x)),
  gelu: normalShare,
  gelu_tanh: x => (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))) / 2,
}

/** The index of the largest value. @param {ArrayLike<number>} values */
function largest(values) {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i
  return best
}

/**
 * A norm of x, with the deviation of x held fixed, which makes it linear.
 * @param {NormSpec} spec
 * @param {ModelWeights} weights
 * @param {Float64Array} x
 * @returns {Linearized}
 */
function normed(spec, weights, x) {
  const { kind, eps, plusOne } = spec
  const { weight, bias } = weights.norm(spec)
  const mean = (/** @type {Float64Array} */ row) => (kind === 'rms' ? 0 : row.reduce((a, b) => a + b, 0) / row.length)
  const middle = mean(x)
  const variance = x.reduce((total, value) => total + (value - middle) ** 2, 0) / x.length
  const [w, b] = [weight.data, bias?.data]
  const factors = x.map((_, i) => (w[i] + (plusOne ? 1 : 0)) / Math.sqrt(variance + eps))
  return {
    y: x.map((value, i) => (value - middle) * factors[i] + (b?.[i] ?? 0)),
    pull(g) {
      const scaled = g.map((value, i) => value * factors[i])
      const own = mean(scaled)
      return scaled.map(value => value - own)
    },
  }
}
