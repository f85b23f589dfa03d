// Computes the results for the texts of one part of a corpus. A batch packs the rows of several texts without padding. For head scores,
// texts of equal length run together. The results have the same bits for any batches: those of a text do not depend on its batch, and
// means and variances are accumulated in the order of the texts.

import { describe, shape } from '../base/errors.js'
import { present } from '../base/present.js'
import { Tensor } from '../base/tensor.js'
import { crossEntropy } from '../ops/loss/cross-entropy.js'

/** @import { FloatTensor } from '../base/tensor.js' */
/** @import { Model } from '../models/model.js' */
/** @import { Tokenized } from '../models/tokenizers/tokenizer.js' */
/** @import { PartArray, PartResult } from './part-file.js' */
/**
 * A custom function of a text. It returns numbers and tensors by key, with the same dims for every text. A result is named `NAME.KEY`,
 * where NAME is the file name of the function's module.
 * @typedef {(input: { text: string, n: number, ids: readonly number[], tokens: readonly string[], model: Model, qkv: import('../qkv.js').Qkv }) =>
 *   Record<string, number | { data: ArrayLike<number>, dims?: readonly number[] }> | Promise<Record<string, number | { data: ArrayLike<number>, dims?: readonly number[] }>>} TextFunction
 */
/**
 * @typedef {object} Opened
 * @property {import('../qkv.js').Qkv} qkv
 * @property {Model} model
 * @property {{ name: string, call: TextFunction }[]} functions
 */

/** Maximum rows of a batch; a longer text runs alone. */
const ROWS = 384
/** Maximum texts per call of model.headScores. Between calls, other tasks of the event loop run. */
const SCORED = 64

/** Yields to other tasks of the event loop, such as a queue worker that renews its lock. */
const turn = () => new Promise(resolve => setImmediate(resolve))

/**
 * @param {Opened} opened
 * @param {import('./run-part.js').CorpusPart} part
 * @param {AbortSignal} [signal]
 * @returns {Promise<PartResult>}
 */
export async function measurePart(opened, { id, first, texts, settings: { what } }, signal) {
  const { model } = opened
  /** @type {PartArray[]} */
  const arrays = []
  /** @type {PartArray['data'][]} */
  const [lengths, cut] = [new Int32Array(texts.length), new Uint8Array(texts.length)]
  const inputs = texts.map((text, n) => {
    const input = readText(model, text)
    lengths[n] = input.ids.length
    cut[n] = Number(input.isCut)
    return input
  })
  /** Indices of texts that have tokens; the results of texts without tokens are NaN. */
  const read = Array.from(texts.keys()).filter(n => inputs[n].ids.length)
  const rows = (
    /** @type {string} */ name,
    /** @type {PartArray['data']} */ data,
    /** @type {readonly number[]} */ dims = [],
  ) => arrays.push({ name, kind: 'rows', data, dims: [texts.length, ...dims] })
  rows('tokens', lengths)
  rows('truncated', cut)
  if (what.embeddings) {
    const { data, dims } = read.length
      ? await model.embed(
          read.map(n => texts[n]),
          { ...what.embeddings, signal },
        )
      : new Tensor(new Float32Array(0), [0, 0])
    const [, d] = dims
    const all = new Float32Array(texts.length * d).fill(Number.NaN)
    for (const [at, n] of read.entries()) all.set(data.subarray(at * d, (at + 1) * d), n * d)
    rows('embeddings', all, [d])
  }
  /** @type {Map<string, Sums>} */
  const sums = new Map()
  /** @type {Map<string, Top>} */
  const tops = new Map()
  if (what.losses || what.means.length || what.top.length) {
    const losses = new Float32Array(texts.length).fill(Number.NaN)
    for (const batch of batchesOf(opened, read, inputs)) {
      signal?.throwIfAborted()
      const { kept, logits, startsOf } = runBatch(
        opened,
        batch.map(n => inputs[n]),
        what,
      )
      if (logits)
        for (const [b, n] of batch.entries()) losses[n] = lossOf(opened, logits, inputs[n].ids, startsOf(logits)[b])
      for (const [name, x] of Object.entries(kept)) {
        if (matches(what.means, name)) getOr(sums, name, () => new Sums(x.dims[2])).add(x)
        if (!matches(what.top, name)) continue
        const top = getOr(tops, name, () => new Top(name, x, model, what.topCount))
        const starts = startsOf(x)
        for (const [b, n] of batch.entries()) top.add(x, n, starts[b], starts[b + 1])
      }
      await turn()
    }
    if (what.losses) rows('losses', losses)
  }
  if (what.headScores) await addHeadScores(model, inputs, read, rows, signal)
  for (const { name, call } of opened.functions)
    await callEach(opened, call, name, { first, texts, inputs }, rows, signal)
  /** @type {Record<string, number>} */
  const counts = {}
  for (const [name, { n, mean, squares }] of sums) {
    counts[name] = n
    arrays.push({ name: `mean.${name}`, kind: 'sums', data: mean, dims: [mean.length] })
    arrays.push({ name: `squares.${name}`, kind: 'sums', data: squares, dims: [squares.length] })
  }
  for (const [name, { values, at, positions, units, count }] of tops) {
    const ids = Int32Array.from(at, (n, i) => (n < 0 ? -1 : (inputs[n].ids[positions[i]] ?? -1)))
    for (const [key, data] of Object.entries({ values, texts: at.map(n => (n < 0 ? n : n + first)), positions, ids }))
      arrays.push({ name: `${key}.${name}`, kind: 'top', data, dims: [units, count] })
  }
  return { id, texts: texts.length, counts, arrays, ...(tops.size && { lines: texts }) }
}

/** Tokenizes a text, truncated to the maximum length of the model. @param {Model} model @param {string} text */
function readText(model, text) {
  const whole = model.tokenize(text)
  const { most } = internalsOf(model)
  if (!(whole.ids.length > most)) return { ...whole, isCut: false }
  return { ...model.tokenize(text, { truncation: true }), isCut: true }
}

/**
 * Returns the internals of a model, by a static method of its class. The class is not imported, because that would split the bundle of
 * qkv/models.
 * @param {Model} model
 * @returns {ReturnType<typeof import('../models/model.js').Model.parts>}
 */
const internalsOf = model => /** @type {typeof import('../models/model.js').Model} */ (model.constructor).parts(model)

/** True if `places` has a place, or one with a star that matches it. @param {readonly string[]} places @param {string} name of the place */
const matches = (places, name) =>
  places.some(each => each === name || (each.includes('*') && toPattern(each).test(name)))

/** Converts a place with a star, such as layers.*.heads, to a regular expression. @param {string} place */
const toPattern = place => new RegExp(`^${place.replaceAll('.', '\\.').replace('*', '\\d+')}$`)

/** @template K, V @param {Map<K, V>} map @param {K} key @param {() => V} make @returns {V} */
function getOr(map, key, make) {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

/**
 * Groups texts into batches of at most ROWS rows. If the model cannot run packed rows, each batch is one text.
 * @param {Opened} opened
 * @param {readonly number[]} read indices of texts
 * @param {readonly Tokenized[]} inputs
 */
function* batchesOf({ model }, read, inputs) {
  const most = internalsOf(model).packs ? ROWS : 0
  /** @type {number[]} */
  let batch = []
  let rows = 0
  for (const n of read) {
    const { length } = inputs[n].ids
    if (batch.length && rows + length > most) {
      yield batch
      batch = []
      rows = 0
    }
    batch.push(n)
    rows += length
  }
  if (batch.length) yield batch
}

/**
 * Runs a batch of texts. Returns the numbers at the places of `means` and `top`, the logits if `losses` needs them, and `startsOf`.
 * @param {Opened} opened
 * @param {readonly (Tokenized & { isCut: boolean })[]} inputs
 * @param {import('./what.js').CheckedWhat} what
 */
function runBatch({ qkv, model }, inputs, { means, top, losses }) {
  const places = [...new Set([...means, ...top])]
  const layers = places.map(name => /^layers\.(\d+)\./.exec(name)?.[1])
  const isCut = !losses && layers.every(layer => layer !== undefined)
  /** @type {import('../models/model.js').ModelOptions} */
  const options = {
    keep: places,
    logits: losses ? 'all' : 'none',
    ...(isCut && { until: Math.max(...layers.map(Number)) }),
  }
  const bare = inputs.map(({ ids, tokenTypeIds }) => ({ ids, ...(tokenTypeIds && { tokenTypeIds }) }))
  const { steps } = internalsOf(model)
  const output = qkv.scope(() => {
    const run = bare.length === 1 ? steps(bare[0], options, {}) : steps({}, options, { texts: bare })
    for (;;) {
      const { done, value } = run.next()
      if (done) return value
    }
  })
  const starts = [0]
  for (const { ids } of bare) starts.push(starts[starts.length - 1] + ids.length)
  /**
   * Returns the first row of each text in a tensor, then the number of rows. For a single text, the tensor gives that number: in an
   * encoder-decoder, encoder and decoder differ in it.
   * @param {FloatTensor} x
   */
  const startsOf = x => (bare.length === 1 ? [0, x.dims[1]] : starts)
  return {
    kept: /** @type {Record<string, FloatTensor>} */ (output.kept),
    logits: losses ? output.logits : undefined,
    startsOf,
  }
}

/**
 * Returns the mean cross-entropy of a text's tokens, each predicted from those before it; NaN for a text of one token.
 * @param {Opened} opened
 * @param {FloatTensor} logits
 * @param {readonly number[]} ids
 * @param {number} start first row of the text in the logits
 */
function lossOf({ qkv }, { data, dims }, ids, start) {
  const V = dims[2]
  const rows = ids.length - 1
  if (rows < 1) return Number.NaN
  const own = new Tensor(data.subarray(start * V, (start + rows) * V), [rows, V])
  return crossEntropy(qkv, own, { data: Int32Array.from(ids.slice(1)), dims: [rows] }).loss
}

/** The mean of rows and the sum of their squared differences from it, in float64. */
export class Sums {
  n = 0

  /** @param {number} size */
  constructor(size) {
    this.mean = new Float64Array(size)
    this.squares = new Float64Array(size)
  }

  /** Adds the rows of a tensor (B, L, size). @param {FloatTensor} x */
  add({ data, dims }) {
    const size = this.mean.length
    const rows = data.length / size
    if (dims.length !== 3 || dims[2] !== size)
      throw new RangeError(`corpus: what: means: expected rows of ${size} numbers, got dims ${shape(dims)}`)
    const [mean, squares] = [new Float64Array(size), new Float64Array(size)]
    for (let at = 0; at < data.length; at += size) for (let c = 0; c < size; c++) mean[c] += data[at + c]
    for (let c = 0; c < size; c++) mean[c] /= rows
    for (let at = 0; at < data.length; at += size)
      for (let c = 0; c < size; c++) {
        const distance = data[at + c] - mean[c]
        squares[c] += distance * distance
      }
    this.merge(rows, mean, squares)
  }

  /**
   * Adds other rows, of which only count, mean and squares are known (Chan, Golub, LeVeque). With d = mean - this.mean, the new squares are
   * this.squares + squares + d^2 this.n n / (this.n + n).
   * @param {number} n number of the other rows
   * @param {ArrayLike<number>} mean mean of the other rows
   * @param {ArrayLike<number>} squares sums of their squared differences from `mean`
   */
  merge(n, mean, squares) {
    const all = this.n + n
    if (!n) return
    for (let c = 0; c < this.mean.length; c++) {
      const distance = mean[c] - this.mean[c]
      this.mean[c] += (distance * n) / all
      this.squares[c] += squares[c] + (distance * distance * this.n * n) / all
    }
    this.n = all
  }
}

/**
 * For each unit (neuron or head) of a place, the texts with the largest activations. A text counts once, at its maximum. Ties keep the
 * first.
 */
class Top {
  /** @param {string} name @param {FloatTensor} x @param {Model} model @param {number} count */
  constructor(name, { dims }, model, count) {
    if (dims.length !== 3)
      throw new RangeError(`corpus: what: top: ${name}: expected rows of numbers, got dims ${shape(dims)}`)
    const isHeads = /heads(?:\.\d+)?$/.test(name)
    const { encoder, decoder } = model.stacks
    const stack = /^encoder/.test(name) ? encoder : (decoder ?? encoder)
    /** Numbers per unit: headDim for a head, 1 for a neuron. */
    this.size = isHeads ? Number(stack?.headDim) : 1
    this.units = dims[2] / this.size
    this.count = count
    this.values = new Float32Array(this.units * count).fill(-Infinity)
    this.at = new Int32Array(this.units * count).fill(-1)
    this.positions = new Int32Array(this.units * count).fill(-1)
    this.best = new Float32Array(this.units)
    this.where = new Int32Array(this.units)
  }

  /**
   * Adds a text.
   * @param {FloatTensor} x
   * @param {number} n index of the text
   * @param {number} from its first row in x
   * @param {number} to the row after its last one
   */
  add({ data }, n, from, to) {
    const { best, where, units, size } = this
    best.fill(-Infinity)
    for (let row = from; row < to; row++)
      for (let u = 0, at = row * units * size; u < units; u++, at += size) {
        const value = size === 1 ? data[at] : lengthOf(data, at, size)
        if (value > best[u]) {
          best[u] = value
          where[u] = row - from
        }
      }
    for (let u = 0; u < units; u++) if (best[u] > -Infinity) insert(this, u, best[u], n, where[u])
  }
}

/** @param {ArrayLike<number>} data @param {number} at @param {number} size */
function lengthOf(data, at, size) {
  let sum = 0
  for (let c = at; c < at + size; c++) sum += data[c] * data[c]
  return Math.fround(Math.sqrt(sum))
}

/**
 * Inserts an entry into the list of a unit, after entries of equal value.
 * @param {{ count: number, values: Float32Array, at: Int32Array, positions: Int32Array }} top
 * @param {number} unit
 * @param {number} value
 * @param {number} text
 * @param {number} position
 */
export function insert({ count, values, at, positions }, unit, value, text, position) {
  const first = unit * count
  let n = first + count - 1
  if (!(value > values[n])) return
  for (; n > first && value > values[n - 1]; n--) {
    values[n] = values[n - 1]
    at[n] = at[n - 1]
    positions[n] = positions[n - 1]
  }
  values[n] = value
  at[n] = text
  positions[n] = position
}

/**
 * @param {Model} model
 * @param {readonly Tokenized[]} inputs
 * @param {readonly number[]} read
 * @param {(name: string, data: PartArray['data'], dims?: readonly number[]) => void} rows
 * @param {AbortSignal} [signal]
 */
async function addHeadScores(model, inputs, read, rows, signal) {
  const byLength = [...read].sort((a, b) => inputs[a].ids.length - inputs[b].ids.length || a - b)
  const { encoder, decoder } = model.stacks
  const stack = present(encoder ?? decoder)
  const size = stack.layers * stack.numHeads
  const made = Object.fromEntries(
    ['previous', 'first', 'duplicate', 'induction', 'entropy'].map(name => [
      name,
      new Float32Array(inputs.length * size).fill(Number.NaN),
    ]),
  )
  for (let at = 0; at < byLength.length; at += SCORED) {
    signal?.throwIfAborted()
    const texts = byLength.slice(at, at + SCORED)
    const { each } = await model.headScores(texts.map(n => inputs[n].ids))
    for (const [b, n] of texts.entries())
      for (const [name, all] of Object.entries(made)) all.set(each[b][/** @type {'first'} */ (name)].data, n * size)
    await turn()
  }
  for (const [name, data] of Object.entries(made)) rows(`headScores.${name}`, data, [stack.layers, stack.numHeads])
}

/**
 * Calls a custom function with each text, and adds its results to the part.
 * @param {Opened} opened
 * @param {TextFunction} call
 * @param {string} name file name of its module
 * @param {{ first: number, texts: readonly string[], inputs: readonly Tokenized[] }} part
 * @param {(name: string, data: PartArray['data'], dims?: readonly number[]) => void} rows adds a result to the part
 * @param {AbortSignal} [signal]
 */
async function callEach({ qkv, model }, call, name, { first, texts, inputs }, rows, signal) {
  /** @type {Map<string, { data: Float64Array | Float32Array, dims: readonly number[] }>} */
  const made = new Map()
  for (const [n, text] of texts.entries()) {
    signal?.throwIfAborted()
    const { ids, tokens } = inputs[n]
    const given = await call({ text, n: first + n, ids, tokens, model, qkv })
    const where = `corpus: ${name}: text ${first + n}`
    if (typeof given !== 'object' || given === null)
      throw new TypeError(`${where}: expected an object of numbers and tensors by name, got ${describe(given)}`)
    for (const [key, value] of Object.entries(given)) {
      const isNumber = typeof value === 'number'
      const data = isNumber ? [value] : value?.data
      if (data?.length === undefined)
        throw new TypeError(`${where}: ${key}: expected a number or a tensor, got ${describe(value)}`)
      const dims = isNumber ? [] : (value.dims ?? [data.length])
      const all = getOr(made, key, () => ({
        data: isNumber
          ? new Float64Array(texts.length).fill(Number.NaN)
          : new Float32Array(texts.length * data.length).fill(Number.NaN),
        dims,
      }))
      if (String(all.dims) !== String(dims))
        throw new RangeError(
          `${where}: ${key}: expected dims ${shape(all.dims)}, as for the earlier texts, got ${shape(dims)}`,
        )
      all.data.set(Float64Array.from(data), n * data.length)
    }
  }
  for (const [key, { data, dims }] of made) rows(`${name}.${key}`, data, dims)
}
