// Estimates the effects of all edges to first order. Walks from the logits back to the embedding, carrying for each reader the gradient of
// the objective with respect to its input. At each writer, the dot product of this gradient with the change of the writer's output is the
// estimate.

import { Tensor } from '../../base/tensor.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { finish, projectionsOf, runLayer } from '../../models/run/network.js'
import { keyOf } from '../../models/weights/weights.js'
import { GradientRecorder } from '../gradients/gradient-recorder.js'
import { gradientSteps } from '../gradients/model-gradients.js'
import { beforeNorm } from '../gradients/norm-gradient.js'
import { BranchingOperations, quiet } from '../patching/resume.js'
import { throughWeights } from './edge-weights.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { LinearSpec, NormSpec } from '../../models/family-shapes/parts.js' */
/** @import { EdgeTask, Stream } from './edge-task.js' */
/** @import { Edges, EdgesOptions } from './edges.js' */
/** @import { RecordedPart } from '../parts/recorded-run.js' */
/** @typedef {EdgeTask['parts']} Parts */

const MOST = 2 ** 28 // maximum floats for the gradients of all readers

/** The places of queries, keys and values before rotary positions. The gradient of a head's input is computed from the gradients there. */
const READ = {
  attention: ['attention.qBare', 'attention.kBare', 'attention.v'],
  cross: ['cross.q', 'cross.k', 'cross.v'],
}

/**
 * Estimates the effects of all edges, and returns them with the gradients at `also`.
 * @param {EdgeTask} task
 * @param {EdgesOptions} options
 * @param {boolean} byPosition
 * @param {string} where
 * @param {string[]} [also] further places whose gradients are returned
 * @returns {import('../../models/run/network.js').RunSteps<Edges & { gradients: Record<string, FloatTensor> }>}
 */
export function* edgeSteps(task, options, byPosition, where, also = []) {
  const { parts, streams, width, writers, readers } = task
  const own = streams.map(stream => [...readers.keys()].filter(r => task.readFrom(readers[r]) === stream))
  const floats = streams.reduce((sum, { L }, n) => sum + own[n].length * L * width, 0)
  if (floats > MOST)
    throw new RangeError(
      `${where}: the gradients of ${readers.length} readers of ${streams.map(({ L }) => L).join(' and ')} tokens take ${floats * 4} bytes, more than ${MOST * 4}: give a shorter text`,
    )
  const read = streams.map(({ L }, n) => new ReadGradients(own[n], L * width))
  const isExact = options.weights === 'exact'
  const at = streams.flatMap(stream => placesOf(stream, isExact)).concat(also)
  const { of, targets } = options
  task.entered() // validates the objective
  const { gradients, value } = yield* gradientSteps(parts, task.input, { of, targets, at }, where, true)
  const walk = new Walk(task, read, gradients, byPosition)
  for (const n of [...streams.keys()].reverse()) yield* walk.through(n)
  const { effects } = walk
  if (isExact) yield* throughWeights(task, place => gradients[place], effects)
  return { effects, writers, readers, value: /** @type {number} */ (value), gradients }
}

/** Lists the places whose gradients the walk needs. @param {Stream} stream @param {boolean} isExact */
function placesOf({ stack, spec }, isExact) {
  const ofHeads = (/** @type {'attention' | 'cross'} */ kind) => [
    ...READ[kind],
    ...(isExact ? [`${kind}.weights`] : []),
  ]
  return spec.layers.flatMap((list, layer) => {
    const names = list.flatMap(({ kind }) => (kind === 'mlp' ? [] : ofHeads(kind)))
    return [...names, 'output'].map(name => `${stack}layers.${layer}.${name}`)
  })
}

/**
 * The gradients with respect to what each reader of a stream reads, filled from the last reader backwards. The walk passes them back
 * through the residual stream together.
 */
class ReadGradients {
  #all

  /**
   * @param {number[]} own indices of the readers
   * @param {number} size floats in the gradient of one reader
   */
  constructor(own, size) {
    this.own = own
    this.size = size
    /** Index of the earliest reader that the walk has reached. */
    this.first = own.length
    this.#all = new Float32Array(own.length * size)
  }

  /** Stores the gradients of the readers just before `first`. @param {Float32Array} rows */
  push(rows) {
    this.first -= rows.length / this.size
    this.#all.set(rows, this.first * this.size)
  }

  /** The gradients of all readers reached so far, at the current place in the residual stream. */
  get soFar() {
    return this.#all.subarray(this.first * this.size)
  }

  /** @param {Float32Array} gradients */
  set soFar(gradients) {
    this.#all.set(gradients, this.first * this.size)
  }
}

class Walk {
  #task
  #read
  #gradients
  #byPosition
  #back
  /** Index of the writer that the walk reached last. */
  #writer
  /** (writers, readers) or, with byPosition, (writers, readers, L) */
  effects

  /**
   * @param {EdgeTask} task
   * @param {ReadGradients[]} read of each stream
   * @param {Record<string, FloatTensor>} gradients of the objective by places
   * @param {boolean} byPosition
   */
  constructor(task, read, gradients, byPosition) {
    this.#task = task
    this.#read = read
    this.#gradients = gradients
    this.#byPosition = byPosition
    this.#back = beforeNorm(task.parts)
    this.#writer = task.writers.length
    const dims = [task.writers.length, task.readers.length]
    if (byPosition) dims.push(Math.max(...task.streams.map(({ L }) => L)))
    this.effects = new Tensor(new Float32Array(dims.reduce((a, b) => a * b)), dims)
  }

  /** Walks back through stream n. @param {number} n */
  *through(n) {
    const { streams } = this.#task
    const { spec, run } = streams[n]
    const mine = this.#read[n]
    if (n === streams.length - 1) mine.push(this.#behind(n, spec.layers.length - 1))
    else if (spec.norm) mine.soFar = this.#back(spec.norm, run.last.data, mine.soFar)
    for (let layer = spec.layers.length - 1; layer >= 0; layer--) {
      /**
       * Calls that store the gradients of a parallel layer's readers. They run after all its writers, because all parts read the input of
       * the layer.
       * @type {(() => void)[]}
       */
      const waiting = []
      for (const one of [...run.parts[layer]].reverse()) {
        const { part } = one
        const isMLP = part.kind === 'mlp'
        if (part.post) mine.soFar = this.#back(part.post, sumOf(one), mine.soFar)
        if (isMLP) this.#scoreNext(n)
        else this.#scoreHeads(n, layer, one)
        const reads = () => (isMLP ? this.#readByMLP(n, layer, one) : this.#readByHeads(n, layer, one))
        if (spec.parallel) waiting.push(reads)
        else reads()
        yield []
      }
      for (const reads of waiting) reads()
    }
    this.#scoreNext(n) // the embedding
  }

  /** Returns the gradient with respect to the output of a layer. @param {number} n @param {number} layer */
  #behind(n, layer) {
    return this.#gradients[`${this.#task.streams[n].stack}layers.${layer}.output`].data
  }

  /** Sets the effects of the next `count` writers on the readers reached so far: the dot products of their changes, `left`, and the gradients, `right`. @param {number} n @param {Float32Array} left (count, L, d) @param {number} count @param {Float32Array} right (readers, L, d) */
  #score(n, left, count, right) {
    this.#writer -= count
    const { own, first, size } = this.#read[n]
    const seen = own.slice(first)
    if (!seen.length) return
    const { parts, streams, width: d } = this.#task
    const { data: effects, dims } = this.effects
    const [, R, P = 1] = dims
    for (let p = 0; p < (this.#byPosition ? streams[n].L : 1); p++) {
      const cut = (/** @type {Float32Array} */ x, /** @type {number} */ n) => {
        if (!this.#byPosition) return { data: x, dims: [n, size] }
        const data = new Float32Array(n * d)
        for (let i = 0; i < n; i++) data.set(x.subarray(i * size + p * d, i * size + (p + 1) * d), i * d)
        return { data, dims: [n, d] }
      }
      const { data } = parts.qkv.linear(cut(left, count), cut(right, seen.length))
      for (let w = 0; w < count; w++)
        for (const [i, r] of seen.entries()) effects[((this.#writer + w) * R + r) * P + p] = data[w * seen.length + i]
    }
  }

  /** @param {number} n */
  #scoreNext(n) {
    const { writers } = this.#task
    this.#score(n, this.#task.deltaOf(writers[this.#writer - 1]), 1, this.#read[n].soFar)
  }

  /** Sets the effects of all heads of a part. The change of a head's output is multiplied by the head's columns of the output projection. @param {number} n @param {number} layer @param {RecordedPart} one */
  #scoreHeads(n, layer, { part, heads: recorded }) {
    const { parts, streams, width: d } = this.#task
    const { qkv, weights } = parts
    const { L, spec } = streams[n]
    const { numHeads: H, headDim: D } = spec.heads
    const { o } = projectionsOf(part)
    const heads = this.#task.headsOf(streams[n], layer, part.kind)
    const current = recorded.data
    const rows = weights.read(keyOf(o)) // (d, H * D)
    const left = new Float32Array(H * L * d)
    const [delta, columns] = [new Float32Array(L * D), new Float32Array(d * D)]
    for (let h = 0; h < H; h++) {
      for (let p = 0; p < L; p++)
        for (let i = 0; i < D; i++) {
          const from = (p * H + h) * D + i
          delta[p * D + i] = heads[from] - current[from]
        }
      for (let n = 0; n < d; n++) columns.set(rows.subarray((n * H + h) * D, (n * H + h + 1) * D), n * D)
      left.set(qkv.linear({ data: delta, dims: [L, D] }, { data: columns, dims: [d, D] }).data, h * L * d)
    }
    let right = this.#read[n].soFar
    if (part.after) {
      const x = weights.linear(o).forward({ data: current, dims: [L, H * D] })
      right = this.#back(part.after, x.data, right)
    }
    this.#score(n, left, H, right)
  }

  /**
   * Stores the gradient with respect to the input of an MLP. The residual connection is not a reader, so the gradient that passes along it
   * is subtracted.
   * @param {number} n
   * @param {number} layer
   * @param {RecordedPart} one
   */
  #readByMLP(n, layer, one) {
    const { parts, streams, width } = this.#task
    const { qkv, weights } = parts
    const { run, spec, L } = streams[n]
    const { part } = one
    const { data } = spec.parallel ? run.parts[layer][0].before : one.before
    const behind = this.#behind(n, layer)
    const own = run.layers[layer]
    const none = { outcomes: new Map(), wanted: new Set(), found: new Map(), learned: new Map() }
    const made = qkv.scope(() => {
      const recorder = new GradientRecorder(qkv, weights, none)
      const dims = [1, L, width]
      const x = recorder.resident({ data, dims })
      const y = finish(runLayer({ ...own, call: quiet(own.call, recorder) }, [part], x))
      recorder.give(y, recorder.resident({ data: behind, dims }))
      recorder.backward()
      return copyOf(recorder.reachedGradient(x)).data
    })
    const direct = part.post ? this.#back(part.post, sumOf(one), behind) : behind
    this.#read[n].push(made.map((value, i) => value - direct[i]))
  }

  /**
   * Stores the gradients with respect to the inputs of queries, keys and values of a part's heads.
   * @param {number} n
   * @param {number} layer
   * @param {RecordedPart} one
   */
  #readByHeads(n, layer, { part, before }) {
    const { parts, streams, width } = this.#task
    const { qkv, weights } = parts
    const { stack, spec, L } = streams[n]
    const { numHeads: H, numKvHeads: G, headDim: D } = spec.heads
    const { q, k, v, qNorm, kNorm } = projectionsOf(part)
    const isCross = part.kind === 'cross'
    const x = part.before ? new BranchingOperations(qkv, weights).norm(part.before, before) : before
    const input = { data: x.data.slice(), dims: [L, width] }
    /** @type {[typeof q, typeof qNorm, number][]} */
    const projections = [
      [q, qNorm, H],
      [k, kNorm, G],
      [v, undefined, G],
    ]
    const [ofQ, ofK, ofV] = projections.map(([linear, norm, heads], i) => {
      const dY = this.#gradients[`${stack}layers.${layer}.${READ[isCross ? 'cross' : 'attention'][i]}`].data
      if (isCross && i > 0) return throughHeads(parts, linear, dY, heads) // no norm comes between the encoder's output and these projections
      const raw = norm && weights.linear(linear).forward(input).data
      const dX =
        raw && norm.size > D
          ? throughAll(parts, linear, norm, raw, dY, heads)
          : throughHeads(parts, linear, raw ? this.#back(norm, raw, dY) : dY, heads)
      return part.before ? this.#back(part.before, before.data, dX) : dX
    })
    const source = this.#read[isCross ? 0 : n]
    source.push(ofV)
    source.push(ofK)
    this.#read[n].push(ofQ)
  }
}

/** Returns the residual stream after a part. @param {RecordedPart} part */
const sumOf = ({ before, added }) => before.data.map((value, n) => value + added.data[n])

/** Computes dY W for each of n heads, with the head's columns of dY and the head's rows of the weight W of `linear`. @param {Parts} parts @param {LinearSpec} linear @param {Float32Array} dY (rows, n * D) @param {number} n @returns {Float32Array} (n, rows, in) */
function throughHeads({ qkv, weights }, linear, dY, n) {
  const { in: d, out } = linear
  const D = out / n
  const rows = dY.length / out
  const learned = weights.read(keyOf(linear)) // (n * D, d)
  const made = new Float32Array(n * rows * d)
  for (let h = 0; h < n; h++) {
    const own = new Float32Array(rows * D)
    for (let p = 0; p < rows; p++) own.set(dY.subarray((p * n + h) * D, (p * n + h + 1) * D), p * D)
    const { data } = qkv.matmul(
      { data: own, dims: [rows, D] },
      { data: learned.subarray(h * D * d, (h + 1) * D * d), dims: [D, d] },
    )
    made.set(data, h * rows * d)
  }
  return made
}

/**
 * Does what throughHeads does, if a norm over all heads follows the projection, so that each head depends on all rows of the weight.
 * @param {Parts} parts
 * @param {LinearSpec} linear
 * @param {NormSpec} norm
 * @param {Float32Array} raw input of the norm
 * @param {Float32Array} dY
 * @param {number} n
 */
function throughAll(parts, linear, norm, raw, dY, n) {
  const { in: d, out } = linear
  const D = out / n
  const rows = dY.length / out
  const only = new Float32Array(n * dY.length)
  for (let h = 0; h < n; h++)
    for (let p = 0; p < rows; p++) {
      const at = (p * n + h) * D
      only.set(dY.subarray(at, at + D), h * dY.length + at)
    }
  const made = beforeNorm(parts)(norm, raw, only)
  const learned = { data: parts.weights.read(keyOf(linear)), dims: [out, d] }
  return parts.qkv.matmul({ data: made, dims: [n * rows, out] }, learned).data
}
