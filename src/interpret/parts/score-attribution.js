// Explains why a head attends to a key. With the deviations of all norms held fixed, query and key are linear in the residual stream, so a
// score is a sum over pairs of sources, one of the query and one of the key.

import { readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'
import { Tensor } from '../../base/tensor.js'
import { normed } from '../../models/attribution/linear-attribution.js'
import { Model } from '../../models/model.js'
import { ofDistances } from '../../models/run/disentangled.js'
import { embed, ModelOperations, projectionsOf } from '../../models/run/network.js'
import { embeddingOf, keyOf } from '../../models/weights/weights.js'
import { stackOf } from '../stack-of.js'
import { RecordedRun, recorded, writtenBy } from './recorded-run.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { ModelInput } from '../../models/model.js' */
/** @import { LinearSpec, NormSpec } from '../../models/family-shapes/parts.js' */
/** @import { Parts, RecordedStack } from './recorded-run.js' */

/**
 * A source of the residual stream at a position. 'token', 'position' and 'type' are embeddings. 'head' and 'cross' are heads, with `from`,
 * the position that the head attended to. 'biases' are those of all parts, 'changes' those made by hooks. 'relative position' exists if
 * scores depend on the distance (T5, MPNet, ALiBi, DeBERTa); it is not part of the residual stream.
 * @typedef {object} Source
 * @property {'token' | 'position' | 'type' | 'head' | 'cross' | 'mlp' | 'biases' | 'changes' | 'relative position'} kind
 * @property {string} name such as 'head 1.2 from 3'
 * @property {number} [layer]
 * @property {number} [head]
 * @property {number} [from]
 *
 * @typedef {object} ScoreAttributionOptions
 * @property {number} layer
 * @property {number} head
 * @property {number} query position, from the end if negative
 * @property {number} key position, from the end if negative
 * @property {'decoder' | 'encoder' | 'cross'} [place] of an encoder-decoder; default the decoder
 * @property {boolean} [byToken] true (default) to split a head by the positions it attended to; false for one source per head
 * @property {import('../../models/model.js').Hooks} [hooks] if `input` is not a recorded run; hooks on the input, q or k of the explained
 *   attention are not allowed
 *
 * @typedef {object} ScoreAttribution
 * @property {number} score sum of all terms, before the soft cap, the mask and a hook on scores
 * @property {number} weight attention weight of the head from the query to the key
 * @property {FloatTensor} terms (queries, keys)
 * @property {Source[]} queries what was written at the query
 * @property {Source[]} keys what was written at the key
 */

const MOST_TERMS = 2 ** 24
/**
 * Places between the residual stream and the scores. Hooks are not allowed there, because the numbers at these places are recomputed from
 * the weights alone.
 */
const SCORES = /^(input|q|k|qBare|kBare)$/

/**
 * Splits the score of a query and a key into the contributions of all pairs of sources.
 * @param {Model} model
 * @param {string | ModelInput | RecordedRun} input one text, or the result of recordRun for it
 * @param {ScoreAttributionOptions} options
 * @returns {Promise<ScoreAttribution>}
 */
export async function scoreAttribution(model, input, options) {
  const where = 'scoreAttribution'
  const parts = Model.parts(model)
  const known = ['layer', 'head', 'query', 'key', 'place', 'byToken', 'hooks']
  const { layer, head, query, key, place, byToken = true, hooks } = readOptions(options, known, where)
  toBoolean(byToken, `${where}: byToken`)
  const { stack, spec, isCross } = stackOf(parts, place, where)
  const { numHeads: H, numKvHeads: G, headDim: D, scale } = spec.heads
  toNumber(layer, `${where}: layer`, { least: 0, most: spec.layers.length - 1, whole: true })
  toNumber(head, `${where}: head`, { least: 0, most: H - 1, whole: true })
  const isRun = input instanceof RecordedRun
  if (isRun && input.model !== model) throw new TypeError(`${where}: the run is one of another model`)
  if (isRun && hooks) throw new TypeError(`${where}: hooks: give them to recordRun`)
  const until = stack === 'encoder.' ? 0 : layer
  const run = isRun ? input : recorded(model, input, { hooks, until }, where)
  const own = entryOf(run.stacks, stack)
  const kind = isCross ? 'cross' : 'attention'
  const at = own.parts[layer]?.findIndex(({ part }) => part.kind === kind)
  if (at === undefined)
    throw new RangeError(
      `${where}: layer: expected a layer within the recorded run, got ${layer}; the run ends before it`,
    )
  const inside = `${stack}layers.${layer}.${kind}.`
  const changed = run.hooked.find(name => name.startsWith(inside) && SCORES.test(name.slice(inside.length)))
  if (changed)
    throw new RangeError(
      `${where}: hooks: expected hooks before this layer, got ${describe(changed)}, a place between the residual stream and the score that is decomposed`,
    )
  const { part, before, weights } = own.parts[layer][at]
  const maps = weights
  const [, L, S] = maps.dims
  const i = (toNumber(query, `${where}: query`, { least: -L, most: L - 1, whole: true }) + L) % L
  const j = (toNumber(key, `${where}: key`, { least: -S, most: S - 1, whole: true }) + S) % S
  const { q, k, qNorm, kNorm } = projectionsOf(part)
  const given = { parts, isHooked: run.hooked.length > 0, byToken }

  const row = before.row(i)
  const left = new Pulled(parts, q, head, D)
  left.prepare(part.before, row, qNorm)
  const queries = left.collect(given, own, { layer, part: at }, i, row)
  const keyHead = Math.floor(head / (H / G))
  const right = new Pulled(parts, k, keyHead, D)
  /** @type {Sourced[]} */
  let keys
  if (isCross) {
    const encoder = entryOf(run.stacks, 'encoder.')
    const last = encoder.last.row(j)
    right.prepare(encoder.spec.norm, last, kNorm)
    keys = right.collect(given, encoder, { layer: encoder.parts.length, part: 0 }, j, last)
  } else {
    right.prepare(part.before, before.row(j), kNorm)
    keys = right.collect(given, own, { layer, part: at }, j, before.row(j))
    const { turns } = own.layers[layer]
    if (turns) {
      turn(queries, turns, i)
      turn(keys, turns, j)
    }
  }
  const { disentangled } = own.spec
  const { positions } = part.attention ?? {}
  if (disentangled && positions) {
    // DeBERTa makes a second query and a second key from the embedding of the distance, and multiplies them with the key and the query.
    const vectors = parts.qkv.scope(() => {
      const made = ofDistances(new ModelOperations(parts.qkv, parts.weights), disentangled, positions, L)
      const at = made.index[i - j + L - 1]
      return [made.q, made.k].map(x =>
        x
          .row(0)
          .row(at)
          .data.slice(head * D, (head + 1) * D),
      )
    })
    for (const [n, list] of [queries, keys].entries())
      list.push({ source: { kind: 'relative position', name: 'relative position' }, vector: vectors[n] })
  }
  const {
    bias: biases,
    stack: { alibi },
  } = own.layers[layer]
  const ofDistance = isCross ? undefined : (biases?.at(head, i, j) ?? (alibi && -alibi.at(head) * Math.abs(i - j)))
  const bias = ofDistance !== undefined
  const [Q, K] = [queries, keys].map(list => list.length + Number(bias))
  if (Q * K > MOST_TERMS)
    throw new RangeError(
      `${where}: expected at most ${MOST_TERMS} terms, got ${Q} x ${K}: set byToken to false, which makes each head a single source`,
    )
  for (const { vector } of queries) for (let n = 0; n < D; n++) vector[n] *= scale
  const [a, b] = [queries, keys].map(list => ({ data: joined(list, D), dims: [list.length, D] }))
  let terms = parts.qkv.linear(a, b)
  if (disentangled) terms.data[Q * K - 1] = 0 // there is no distance-to-distance term
  const sources = [queries, keys].map(list => list.map(({ source }) => source))
  if (bias) {
    const more = new Tensor(new Float32Array(Q * K), [Q, K])
    for (let n = 0; n < queries.length; n++) more.data.set(terms.row(n).data, n * K)
    more.data[Q * K - 1] = ofDistance
    terms = more
    for (const list of sources) list.push({ kind: 'relative position', name: 'relative position' })
  }
  let score = 0
  for (let n = 0; n < Q * K; n++) score += terms.data[n]
  return { score, weight: maps.at(head, i, j), terms, queries: sources[0], keys: sources[1] }
}

/** A source and its contribution to the query or the key. @typedef {{ source: Source, vector: Float64Array | Float32Array }} Sourced */

/** @param {Sourced[]} list @param {number} D */
function joined(list, D) {
  const data = new Float32Array(list.length * D)
  for (const [n, { vector }] of list.entries()) data.set(vector, n * D)
  return data
}

/**
 * Applies rotary positions in place, to the pairs (i, i + dim / 2), or (2i, 2i + 1) if interleaved.
 * @param {Sourced[]} list
 * @param {import('../../models/run/network.js').Turns} turns (1, L, dim / 2)
 * @param {number} position
 */
function turn(list, turns, position) {
  const half = turns.dim / 2
  const [cos, sin] = [turns.cos, turns.sin].map(({ data }) => data.subarray(position * half, (position + 1) * half))
  for (const { vector } of list)
    for (let i = 0; i < half; i++) {
      const [first, second] = turns.interleaved ? [2 * i, 2 * i + 1] : [i, i + half]
      const [a, b] = [vector[first], vector[second]]
      vector[first] = a * cos[i] - b * sin[i]
      vector[second] = b * cos[i] + a * sin[i]
    }
}

/**
 * The linear map G (D, width) from the residual stream at some place to a query or key. It starts as a head's rows of the weight of q or k.
 * Pulled back through the norms, it also sums what their biases contribute.
 */
class Pulled {
  #parts
  #spec
  #D
  #head
  #width
  #rows
  #biases
  /** Scale factors of the norm of q or k, if the model has one. @type {Float64Array | undefined} */
  #factors

  /** @param {Parts} parts @param {LinearSpec} spec of q or k @param {number} head @param {number} D */
  constructor(parts, spec, head, D) {
    this.#parts = parts
    this.#spec = spec
    this.#D = D
    this.#head = head
    this.#width = spec.in
    this.#rows = new Float64Array(D * spec.in)
    this.#biases = new Float64Array(D)
    const linear = parts.weights.linear(spec)
    for (let i = 0; i < D; i++) {
      const { weight, bias } = linear.row(head * D + i)
      this.#rows.set(weight, i * spec.in)
      this.#biases[i] = bias
    }
  }

  /**
   * Pulls the map back through the norm before the projection, and keeps the factors of the norm of q or k.
   * @param {NormSpec | undefined} before the norm before the projection
   * @param {FloatTensor} row of the residual stream
   * @param {NormSpec | undefined} after the norm of q or k
   */
  prepare(before, row, after) {
    const { weights } = this.#parts
    if (after) {
      const x = before ? normed(before, weights, row.data).y : row.data
      const isOne = after.size === this.#D
      const linear = weights.linear(this.#spec)
      const all = linear.forward({ data: new Float32Array(x), dims: [1, x.length] }).data
      const raw = isOne ? all.subarray(this.#head * this.#D, (this.#head + 1) * this.#D) : all
      const from = isOne ? 0 : this.#head * this.#D
      this.#factors = normed(after, weights, raw).factors.slice(from, from + this.#D)
    }
    if (before) this.through(before, row.data)
  }

  /** Computes G x. @param {ArrayLike<number>} x */
  apply(x) {
    return apply(this.#rows, x, this.#D, this.#width)
  }

  /**
   * Pulls the map back through a norm whose input was x.
   * @param {NormSpec} spec
   * @param {ArrayLike<number>} x
   */
  through(spec, x) {
    const { weights } = this.#parts
    const { bias } = weights.norm(spec)
    if (bias) this.add(this.apply(bias.data))
    this.#rows = pulled(this.#rows, this.#D, normed(spec, weights, x))
  }

  /** Adds a vector to the contribution of the biases. @param {Float64Array} vector */
  add(vector) {
    for (let i = 0; i < this.#D; i++) this.#biases[i] += vector[i]
  }

  /**
   * Collects all sources at a position before a part of a layer, with their contributions.
   * @param {{ parts: Parts, isHooked: boolean, byToken: boolean }} given
   * @param {RecordedStack} stack
   * @param {{ layer: number, part: number }} until
   * @param {number} p the position
   * @param {FloatTensor} row the residual stream at p
   * @returns {Sourced[]}
   */
  collect({ parts, isHooked, byToken }, stack, until, p, row) {
    const { qkv, family, weights } = parts
    const D = this.#D
    const biases = this.#biases.slice()
    const whole = this.apply(row.data)
    /** @type {Sourced[]} */
    const found = []
    for (let layer = Math.min(until.layer, stack.parts.length - 1); layer >= 0; layer--) {
      const all = stack.parts[layer]
      const list = layer === until.layer ? (stack.spec.parallel ? [] : all.slice(0, until.part)) : all
      for (const one of [...list].reverse()) {
        const { part, before, added } = one
        if (part.post)
          this.through(
            part.post,
            before.row(p).data.map((value, c) => value + added.row(p).data[c]),
          )
        if (part.kind === 'mlp') {
          found.push({ source: { kind: 'mlp', name: `MLP ${layer}`, layer }, vector: this.apply(added.row(p).data) })
          continue
        }
        const { sources, biases: more } = this.#heads(qkv, stack, one, layer, p, byToken)
        found.push(...sources)
        this.add(more)
      }
    }
    const embedding = embeddingOf(family, stack.spec)
    if (embedding.project) {
      const { project } = embedding
      const linear = weights.linear(project)
      if (linear.bias) this.add(this.apply(linear.bias))
      const columns = weights.read(keyOf(project)) // (d, C)
      const made = new Float64Array(D * project.in)
      for (let i = 0; i < D; i++)
        for (let n = 0; n < project.out; n++) {
          const factor = this.#rows[i * project.out + n]
          for (let c = 0; c < project.in; c++) made[i * project.in + c] += factor * columns[n * project.in + c]
        }
      this.#rows = made
      this.#width = project.in
    }
    const { read } = stack.layers[0].call
    const ops = new ModelOperations(qkv, weights)
    const only = (/** @type {object} */ changed) => ({
      ...read,
      ids: read.ids.slice(p, p + 1),
      rows: read.rows?.slice(1, p, p + 1),
      types: read.types?.slice(p, p + 1),
      positions: read.positions.slice(p, p + 1),
      L: 1,
      ...changed,
    })
    const sum = embed(embedding, ops, only({})).data
    if (embedding.norm) this.through(embedding.norm, sum)
    const C = embedding.tokens.columns
    const zeros = new Tensor(new Float32Array(C), [1, 1, C])
    /** Returns the contribution of one embedding table alone. @param {Partial<typeof embedding>} other */
    const alone = other =>
      this.apply(embed({ tokens: embedding.tokens, ...other }, ops, only(other.scale ? {} : { rows: zeros })).data)
    found.push({ source: { kind: 'token', name: 'token' }, vector: alone({ scale: embedding.scale ?? 1 }) })
    const { positions, sinusoids, padding, types } = embedding
    if (positions || sinusoids)
      found.push({ source: { kind: 'position', name: 'position' }, vector: alone({ positions, sinusoids, padding }) })
    if (types) found.push({ source: { kind: 'type', name: 'token type' }, vector: alone({ types }) })
    found.push({ source: { kind: 'biases', name: 'biases' }, vector: this.#biases })
    if (isHooked) {
      const rest = whole.map((value, i) => value + biases[i])
      for (const { vector } of found) for (let i = 0; i < D; i++) rest[i] -= vector[i]
      found.push({ source: { kind: 'changes', name: 'changes' }, vector: rest })
    }
    const factors = this.#factors
    if (factors) for (const { vector } of found) for (let i = 0; i < D; i++) vector[i] *= factors[i]
    return found.reverse()
  }

  /**
   * Collects what the heads of a part wrote at a position.
   * @param {import('../../qkv.js').Qkv} qkv
   * @param {RecordedStack} stack
   * @param {import('./recorded-run.js').RecordedPart} one
   * @param {number} layer
   * @param {number} p
   * @param {boolean} byToken
   */
  #heads(qkv, stack, one, layer, p, byToken) {
    const { weights } = this.#parts
    const D = this.#D
    const { numHeads: H, numKvHeads: G, headDim } = stack.spec.heads
    const { part } = one
    const { o } = projectionsOf(part)
    const written = writtenBy(this.#parts, stack, one)
    const [, S, d] = written.dims
    const maps = one.weights
    const outputs = one.heads.row(p).data
    const values = one.v
    const { bias } = weights.linear(o)
    const L = maps.dims[1]
    const mapOf = (/** @type {number} */ h) => maps.data.subarray((h * L + p) * S, (h * L + p + 1) * S)
    /** True if a hook changed the output of head h, which is then no longer the weighted sum of its values. @param {number} h */
    const isChanged = h => {
      const from = Math.floor(h / (H / G)) * headDim
      const map = mapOf(h)
      for (let i = 0; i < headDim; i++) {
        let sum = 0
        let size = 0
        for (let s = 0; s < S; s++) {
          const term = map[s] * values.data[s * values.dims[1] + from + i]
          sum += term
          size += Math.abs(term)
        }
        if (!(Math.abs(sum - outputs[h * headDim + i]) <= 1e-4 * size + 1e-6)) return true
      }
      return false
    }
    let rows = this.#rows
    const biases = new Float64Array(D)
    const write = (/** @type {Float64Array} */ vector) => {
      for (let i = 0; i < D; i++) biases[i] += vector[i]
    }
    if (part.after) {
      const { data } = weights.linear(o).forward({ data: new Float32Array(outputs), dims: [1, outputs.length] })
      const norm = weights.norm(part.after)
      if (norm.bias) write(apply(rows, norm.bias.data, D, d))
      rows = pulled(rows, D, normed(part.after, weights, data))
    }
    if (bias) write(apply(rows, bias, D, d))
    const kind = part.kind === 'cross' ? 'cross' : 'head'
    const label = kind === 'cross' ? 'cross head' : 'head'
    /** The source of each row in `held`, and the weight by which it is scaled. @type {{ source: Source, weight: number }[]} */
    const list = []
    const held = new Float32Array(byToken ? H * S * d : H * d)
    for (let h = H - 1; h >= 0; h--) {
      const name = `${label} ${layer}.${h}`
      const map = mapOf(h)
      const hasOther = isChanged(h)
      if (byToken && !hasOther) {
        for (let s = S - 1; s >= 0; s--) {
          if (map[s] === 0) continue
          held.set(written.data.subarray((h * S + s) * d, (h * S + s + 1) * d), list.length * d)
          list.push({ source: { kind, name: `${name} from ${s}`, layer, head: h, from: s }, weight: map[s] })
        }
        continue
      }
      const sum = held.subarray(list.length * d, (list.length + 1) * d)
      list.push({ source: { kind, name, layer, head: h }, weight: 1 })
      if (hasOther) {
        const only = new Float32Array(outputs.length)
        only.set(outputs.subarray(h * headDim, (h + 1) * headDim), h * headDim)
        const { data } = weights.linear(o).forward({ data: only, dims: [1, only.length] })
        for (let c = 0; c < d; c++) sum[c] = data[c] - (bias ? bias[c] : 0)
      } else
        for (let s = 0; s < S; s++) {
          if (map[s] === 0) continue
          const from = (h * S + s) * d
          for (let c = 0; c < d; c++) sum[c] += map[s] * written.data[from + c]
        }
    }
    const { data } = qkv.linear(
      { data: held.subarray(0, list.length * d), dims: [list.length, d] },
      { data: new Float32Array(rows), dims: [D, d] },
    )
    const sources = list.map(({ source, weight }, n) => {
      const vector = data.subarray(n * D, (n + 1) * D)
      for (let i = 0; i < D; i++) vector[i] *= weight
      return { source, vector }
    })
    return { sources, biases }
  }
}

/** Returns the product of a matrix (D, width) and a vector x (width). @param {Float64Array} rows (D, width) @param {ArrayLike<number>} x @param {number} D @param {number} width */
function apply(rows, x, D, width) {
  const out = new Float64Array(D)
  for (let i = 0; i < D; i++) {
    let sum = 0
    for (let c = 0; c < width; c++) sum += rows[i * width + c] * x[c]
    out[i] = sum
  }
  return out
}

/**
 * Multiplies rows by the linear part of a norm.
 * @param {Float64Array} rows (D, width)
 * @param {number} D
 * @param {import('../../models/attribution/linear-attribution.js').Linearized} norm
 */
function pulled(rows, D, norm) {
  const width = rows.length / D
  const out = new Float64Array(rows.length)
  for (let i = 0; i < D; i++) out.set(norm.pull(rows.subarray(i * width, (i + 1) * width)), i * width)
  return out
}
