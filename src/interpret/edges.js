// Which part reads what another part has written: edge attribution for all edges from one backward pass (Syed et al. 2023), and the exact
// effect of one edge (path patching, Wang et al. 2022).

import { oneOf, readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { Tensor } from '../base/tensor.js'
import { checkSignal } from '../models/inputs.js'
import { copyOf } from '../models/model-hooks.js'
import { finish, lastNorm, runLayer } from '../models/network.js'
import { inTurns } from '../models/turns.js'
import { keyOf } from '../models/weights.js'
import { partKind, prepareEdges, readsEncoded, say } from './edge-task.js'
import { throughWeights } from './edge-weights.js'
import { GradientRecorder } from './gradient-recorder.js'
import { gradientSteps } from './model-gradients.js'
import { beforeNorm } from './norm-gradient.js'
import { BranchingOperations, quiet, resume, valuesOf } from './resume.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../models/model.js').Model} Model */
/** @typedef {import('../models/model.js').ModelInput} ModelInput */
/** @typedef {import('../models/family-shapes/parts.js').NormSpec} NormSpec */
/** @typedef {import('../models/family-shapes/parts.js').LinearSpec} LinearSpec */
/** @typedef {import('../models/family-shapes/parts.js').PartSpec} PartSpec */
/** @typedef {import('./edge-task.js').EdgeSettings} EdgeSettings */
/** @typedef {import('./edge-task.js').EdgeTask} EdgeTask */
/** @typedef {import('./edge-task.js').Reader} Reader */
/** @typedef {import('./edge-task.js').Stream} Stream */
/** @typedef {import('./edge-task.js').Writer} Writer */
/**
 * @typedef {EdgeSettings & { byPosition?: boolean, weights?: 'gradient' | 'exact', signal?: AbortSignal }} EdgesOptions byPosition: an
 *   estimate for each position; default false, their sum. weights: how a change of q or k changes the weights of attention: by the gradient of
 *   the softmax (default), or exactly, which takes longer
 * @typedef {EdgeSettings & { from: Writer, to: Reader, position?: number }} EdgeOptions position: only what was written there; default all
 *
 * @typedef {object} Edges
 * @property {FloatTensor} effects (writers, readers), or (writers, readers, L), of an encoder-decoder with the L of the longer text:
 *   first-order estimates of the change of the objective if only this reader reads other numbers of this writer; 0 where the writer is not
 *   before the reader
 * @property {Writer[]} writers
 * @property {Reader[]} readers
 * @property {number} value of the objective
 */

const SETTINGS = ['of', 'targets', 'clean', 'by']
const MOST = 2 ** 28 // floats of the gradients of all readers

/**
 * The effects of all edges, estimated by the gradient.
 * @param {Model} model
 * @param {ModelInput | string} input
 * @param {EdgesOptions} options
 * @returns {Promise<Edges>}
 */
export async function edges(model, input, options) {
  const where = 'edges'
  const given = readOptions(options, [...SETTINGS, 'byPosition', 'weights', 'signal'], where)
  const { byPosition = false, weights = 'gradient', signal } = given
  toBoolean(byPosition, `${where}: byPosition`)
  oneOf(weights, ['gradient', 'exact'], `${where}: weights`)
  if (byPosition && weights === 'exact')
    throw new RangeError(
      `${where}: byPosition: changes of keys at several positions do not sum in a softmax: weights: 'gradient' expected`,
    )
  checkSignal(signal, where)
  const task = prepareEdges(model, input, given, where)
  return inTurns(task.parts.qkv, edgeSteps(task, given, byPosition, where), { signal, layers: 0 })
}

/**
 * The effect of one edge: this reader alone reads other numbers of the writer, what follows runs again.
 * @param {Model} model
 * @param {ModelInput | string} input
 * @param {EdgeOptions} options
 * @returns {{ effect: number, value: number }} value: of the objective without the change
 */
export function edge(model, input, options) {
  const where = 'edge'
  const given = readOptions(options, [...SETTINGS, 'from', 'to', 'position'], where)
  const task = prepareEdges(model, input, given, where)
  const { parts, rows } = task
  const [writer, reader] = [task.indexOf(task.writers, given.from), task.indexOf(task.readers, given.to)]
  if (writer < 0)
    throw new RangeError(
      `${where}: from: ${say(given.from)} is no writer of this model, such as ${JSON.stringify(task.writers[1])}`,
    )
  if (reader < 0)
    throw new RangeError(
      `${where}: to: ${say(given.to)} is no reader of this model, such as ${JSON.stringify(task.readers[0])}`,
    )
  const [from, to] = [task.writers[writer], task.readers[reader]]
  if (!task.isBefore(from, to)) throw new RangeError(`${where}: ${say(from)} does not write before ${say(to)} reads`)
  const { L } = task.streamOf(from)
  const p =
    given.position === undefined
      ? undefined
      : toNumber(given.position, `${where}: position`, { least: -L, most: L - 1, whole: true })
  const { qkv, weights } = parts
  return qkv.scope(() => {
    const { stacks, objective, value } = task.entered()
    const ops = new BranchingOperations(qkv, weights)
    const { spec, x } = readBy(task, ops, from, to, p)
    if (to.kind === 'logits') {
      const [changed] = valuesOf(parts, objective, lastNorm(spec, '', ops, x), rows)
      return { effect: changed - value, value }
    }
    const own = task.streamOf(to)
    const { layer } = to
    const kind = partKind(to)
    const part = /** @type {PartSpec} */ (own.spec.layers[layer].find(one => one.kind === kind))
    const name = `${own.stack}layers.${layer}.${kind}.${to.kind === 'mlp' ? 'output' : to.kind}`
    /** What the reader makes of it. @type {Float32Array} */
    let made
    if (readsEncoded(to)) {
      const { k, v } = /** @type {NonNullable<PartSpec['attention']>} */ (part.attention)
      made = weights.linear(to.kind === 'k' ? k : v).forward(lastNorm(spec, '', ops, x)).data
    } else {
      const reading = new BranchingOperations(qkv, weights, {
        [name]: y => {
          made = copyOf(y).data
          return y
        },
      })
      const asked = own.run.layers[layer]
      qkv.scope(() => finish(runLayer({ ...asked, call: quiet(asked.call, reading) }, [part], x)))
    }
    const { headDim: D } = own.spec.heads
    const change = (/** @type {FloatTensor} */ y) => {
      const out = copyOf(y)
      if (to.kind === 'mlp') out.data.set(made)
      else {
        const [, rows, width] = y.dims
        for (let r = 0; r < rows; r++) {
          const at = r * width + to.head * D
          out.data.set(made.subarray(at, at + D), at)
        }
      }
      return out
    }
    const y = finish(resume(parts, stacks, { place: own.stack, layer, changes: { [name]: change } }))
    const [changed] = valuesOf(parts, objective, y, rows)
    return { effect: changed - value, value }
  })
}

/**
 * The residual stream before a reader if the writer had written other numbers, and all others the same.
 * @param {EdgeTask} task
 * @param {BranchingOperations} ops
 * @param {Writer} from
 * @param {Reader} to
 * @param {number} [p] only what was written there
 */
export function readBy(task, ops, from, to, p) {
  const { spec, run, L } = task.streamOf(from)
  const { layers } = spec
  const d = task.width
  const delta = task.deltaOf(from)
  const end = to.kind === 'logits' || readsEncoded(to) ? layers.length : to.layer
  /** The changed residual stream, from the writer on. @type {Float32Array | undefined} */
  let h
  if (from.kind === 'embedding') h = added(run.first.data, delta, d, p)
  let read = h
  for (let layer = 0; layer <= Math.min(end, layers.length - 1); layer++) {
    const entered = h
    for (const { part, before, added: own } of run.parts[layer]) {
      read = spec.parallel ? entered : h
      if (layer === end && part.kind === partKind(to)) break
      const isWriter = from.kind !== 'embedding' && layer === from.layer && part.kind === partKind(from)
      if (!h && !isWriter) continue
      h = added(h ?? before.data, own.data, d)
      if (isWriter) h = added(h, delta, d, p)
      if (part.post) h = ops.norm(part.post, new Tensor(h, [1, L, d])).data.slice()
    }
    if (layer < end) read = h
  }
  return { spec, x: new Tensor(/** @type {Float32Array} */ (read), [1, L, d]) }
}

/** x + rows, or only one of the rows. @param {Float32Array} x @param {Float32Array} rows @param {number} d @param {number} [p] */
function added(x, rows, d, p) {
  const at = p === undefined ? undefined : (p + x.length / d) % (x.length / d)
  return x.map((value, n) => (at === undefined || Math.floor(n / d) === at ? value + rows[n] : value))
}

/**
 * @param {EdgeTask} task
 * @param {EdgesOptions} options
 * @param {boolean} byPosition
 * @param {string} where
 * @returns {import('../models/network.js').RunSteps<Edges>}
 */
function* edgeSteps(task, options, byPosition, where) {
  const { parts, streams, width: d, writers, readers } = task
  const { qkv, weights } = parts
  /** The readers of each stream, and the gradients by what they read: of those from `first` on. */
  const read = streams.map(stream => {
    const own = [...readers.keys()].filter(r => task.readFrom(readers[r]) === stream)
    return { own, size: stream.L * d, first: own.length, all: new Float32Array(0) }
  })
  const floats = read.reduce((sum, { own, size }) => sum + own.length * size, 0)
  if (floats > MOST)
    throw new RangeError(
      `${where}: the gradients of ${readers.length} readers of ${streams.map(({ L }) => L).join(' and ')} tokens take ${floats * 4} bytes, more than ${MOST * 4}: give a shorter text`,
    )
  for (const one of read) one.all = new Float32Array(one.own.length * one.size)
  const isExact = options.weights === 'exact'
  const maps = (/** @type {string} */ kind) => (isExact ? [`${kind}.weights`] : [])
  const at = /** @type {any} */ (
    streams.flatMap(({ stack, spec }) =>
      spec.layers.flatMap((list, layer) => [
        ...list.flatMap(({ kind }) =>
          kind === 'mlp' ? [] : [...READ[kind], ...maps(kind)].map(name => `${stack}layers.${layer}.${name}`),
        ),
        `${stack}layers.${layer}.output`,
      ]),
    )
  )
  const { of, targets } = options
  task.entered() // checks the objective
  const { gradients, value } = yield* gradientSteps(parts, task.input, { of, targets, at }, where, true)
  const [W, R] = [writers.length, readers.length]
  const P = byPosition ? Math.max(...streams.map(({ L }) => L)) : 1
  const effects = new Tensor(new Float32Array(W * R * P), byPosition ? [W, R, P] : [W, R])

  const back = beforeNorm(parts)

  /** dY W of some of the rows of W, for each of n heads. @param {LinearSpec} linear @param {Float32Array} dY (rows, n * D) @param {number} n */
  const throughHeads = (linear, dY, n) => {
    const D = linear.out / n
    const rows = dY.length / linear.out
    const learned = weights.read(keyOf(linear)) // (n * D, d)
    const out = new Float32Array(n * rows * d)
    for (let h = 0; h < n; h++) {
      const own = new Float32Array(rows * D)
      for (let p = 0; p < rows; p++) own.set(dY.subarray((p * n + h) * D, (p * n + h + 1) * D), p * D)
      const made = qkv.matmul(
        { data: own, dims: [rows, D] },
        { data: learned.subarray(h * D * d, (h + 1) * D * d), dims: [D, d] },
      )
      out.set(made.data, h * rows * d)
    }
    return out
  }
  /** The same behind a norm over all heads, which makes each head read the rows of all. @param {LinearSpec} linear @param {NormSpec} norm @param {Float32Array} raw @param {Float32Array} dY @param {number} n */
  const throughAll = (linear, norm, raw, dY, n) => {
    const D = linear.out / n
    const rows = dY.length / linear.out
    const only = new Float32Array(n * dY.length)
    for (let h = 0; h < n; h++)
      for (let p = 0; p < rows; p++) {
        const at = (p * n + h) * D
        only.set(dY.subarray(at, at + D), h * dY.length + at)
      }
    const made = back(norm, raw, only)
    const learned = { data: weights.read(keyOf(linear)), dims: [linear.out, d] }
    return qkv.matmul({ data: made, dims: [n * rows, linear.out] }, learned).data
  }

  let writer = W
  for (const [n, stream] of [...streams.entries()].reverse()) {
    const { stack, spec, run, L } = stream
    const { heads: H, kvHeads: G, headDim: D } = spec.heads
    const after = (/** @type {number} */ layer) => gradients[`${stack}layers.${layer}.output`].data
    const mine = read[n]
    const { size, all } = mine
    const push = (/** @type {Float32Array} */ rows, to = mine) => {
      to.first -= rows.length / to.size
      to.all.set(rows, to.first * to.size)
    }
    /** The gradients of all readers so far, at the place in the residual stream that is looked at: from the last reader on. */
    const soFar = () => all.subarray(mine.first * size)
    const backAll = (/** @type {NormSpec} */ norm, /** @type {Float32Array} */ x) =>
      all.set(back(norm, x, soFar()), mine.first * size)
    /** Products of differences with the gradients of readers. @param {Float32Array} left (count, L, d) @param {number} count @param {Float32Array} right */
    const score = (left, count, right) => {
      writer -= count
      const own = mine.own.slice(mine.first)
      if (!own.length) return
      for (let p = 0; p < (byPosition ? L : 1); p++) {
        const cut = (/** @type {Float32Array} */ x, /** @type {number} */ n) => {
          if (!byPosition) return { data: x, dims: [n, size] }
          const data = new Float32Array(n * d)
          for (let i = 0; i < n; i++) data.set(x.subarray(i * size + p * d, i * size + (p + 1) * d), i * d)
          return { data, dims: [n, d] }
        }
        const { data } = qkv.linear(cut(left, count), cut(right, own.length))
        for (let w = 0; w < count; w++)
          for (const [i, r] of own.entries()) effects.data[((writer + w) * R + r) * P + p] = data[w * own.length + i]
      }
    }
    if (n === streams.length - 1) push(after(spec.layers.length - 1))
    else if (spec.norm) backAll(spec.norm, /** @type {FloatTensor} */ (run.last).data)
    for (let layer = spec.layers.length - 1; layer >= 0; layer--) {
      const list = run.parts[layer]
      /** Readers of a layer whose parts all read its input: they come after all writers. @type {(() => void)[]} */
      const waiting = []
      for (const one of [...list].reverse()) {
        const { part, before, added } = one
        const entering = spec.parallel ? list[0].before : before
        const summed = () => before.data.map((value, n) => value + added.data[n])
        if (part.post) backAll(part.post, summed())
        /** @type {() => void} */
        let reads
        if (part.kind === 'mlp') {
          score(task.deltaOf(writers[writer - 1]), 1, soFar())
          reads = () => {
            const own = run.layers[layer]
            const none = { outcomes: new Map(), wanted: new Set(), found: new Map(), learned: new Map() }
            const made = qkv.scope(() => {
              const recorder = new GradientRecorder(qkv, weights, none)
              const x = recorder.resident({ data: entering.data, dims: [1, L, d] })
              const y = finish(runLayer({ ...own, call: quiet(own.call, recorder) }, [part], x))
              recorder.give(y, recorder.resident({ data: after(layer), dims: [1, L, d] }))
              recorder.backward()
              return copyOf(/** @type {FloatTensor} */ (recorder.gradient(x))).data
            })
            // The residual itself is no reader.
            const direct = part.post ? back(part.post, summed(), after(layer)) : after(layer)
            push(made.map((value, n) => value - direct[n]))
          }
        } else {
          const { q, k, v, o, qNorm, kNorm } = /** @type {NonNullable<PartSpec['attention']>} */ (part.attention)
          const isCross = part.kind === 'cross'
          const heads = task.headsOf(stream, layer, part.kind)
          const current = /** @type {FloatTensor} */ (one.heads).data
          const rows = weights.read(keyOf(o)) // (d, H * D)
          const left = new Float32Array(H * size)
          const [delta, columns] = [new Float32Array(L * D), new Float32Array(d * D)]
          for (let h = 0; h < H; h++) {
            for (let p = 0; p < L; p++)
              for (let i = 0; i < D; i++) {
                const from = (p * H + h) * D + i
                delta[p * D + i] = heads[from] - current[from]
              }
            for (let n = 0; n < d; n++) columns.set(rows.subarray((n * H + h) * D, (n * H + h + 1) * D), n * D)
            left.set(qkv.linear({ data: delta, dims: [L, D] }, { data: columns, dims: [d, D] }).data, h * size)
          }
          let right = soFar()
          if (part.after) {
            const x = weights.linear(o).forward({ data: current, dims: [L, H * D] })
            right = back(part.after, x.data, right)
          }
          score(left, H, right)
          reads = () => {
            const x = part.before ? new BranchingOperations(qkv, weights).norm(part.before, before) : before
            const input = { data: x.data.slice(), dims: [L, d] }
            const made = /** @type {const} */ ([
              [q, qNorm, H],
              [k, kNorm, G],
              [v, undefined, G],
            ]).map(([linear, norm, n], i) => {
              const dY = gradients[`${stack}layers.${layer}.${READ[isCross ? 'cross' : 'attention'][i]}`].data
              if (isCross && i > 0) return throughHeads(linear, dY, n) // they read what leaves the encoder
              const raw = norm && weights.linear(linear).forward(input).data
              const dX =
                raw && norm.size > D
                  ? throughAll(linear, norm, raw, dY, n)
                  : throughHeads(linear, raw ? back(norm, raw, dY) : dY, n)
              return part.before ? back(part.before, before.data, dX) : dX
            })
            const [ofQ, ofK, ofV] = made
            for (const rows of [ofV, ofK]) push(rows, isCross ? read[0] : mine)
            push(ofQ)
          }
        }
        if (spec.parallel) waiting.push(reads)
        else reads()
        yield []
      }
      for (const reads of waiting) reads()
    }
    score(task.deltaOf(writers[writer - 1]), 1, all)
  }
  if (isExact) yield* throughWeights(task, place => gradients[place], effects)
  return { effects, writers, readers, value: /** @type {number} */ (value) }
}

/** The places whose gradients are those of what a head reads, before rotary positions. */
const READ = {
  attention: ['attention.qBare', 'attention.kBare', 'attention.v'],
  cross: ['cross.q', 'cross.k', 'cross.v'],
}
