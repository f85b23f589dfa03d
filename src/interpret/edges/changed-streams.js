// Computes the residual stream that would result if one writer (the embedding, a head, an MLP) wrote other numbers and all other writers
// wrote what they wrote in the run. Computes it for all writers at once, layer by layer, either exactly or to first order (tangents).

import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { finish, lastNorm, projectionsOf, runLayer } from '../../models/run/network.js'
import { keyOf } from '../../models/weights/weights.js'
import { afterNorm } from '../gradients/norm-gradient.js'
import { BranchingOperations, quiet } from '../patching/resume.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { PartSpec } from '../../models/family-shapes/parts.js' */
/** @import { Layer, Projected } from '../../models/run/network.js' */
/** @import { EdgeTask, Stream, Writer } from './edge-task.js' */
/** @import { RecordedPart } from '../parts/recorded-run.js' */
/** The residual stream after the change of one writer, or its tangent, (L, d). @typedef {{ writer: number, x: Float32Array }} Changed */
/**
 * The attention of a layer and the changed streams that it reads.
 * @typedef {object} Reading
 * @property {Stream} stream
 * @property {Stream} source stream that the keys read; for cross-attention that of the encoder
 * @property {number} layer
 * @property {RecordedPart} one
 * @property {Layer} own
 * @property {Projected} base queries, keys and values of the unchanged run, (1, L, ...)
 * @property {Changed[]} changed the streams that the queries read
 * @property {Changed[]} changedKeys the streams that the keys and values read
 * @property {(chunk: Changed[]) => Projected} project projects some of `changed`; for cross-attention, k and v are the unchanged k and v of the run
 * @property {(chunk: Changed[]) => { k: FloatTensor, v: FloatTensor }} projectKeys projects some of `changedKeys`, (n, S, ...); for tangents, without the bias, since a derivative has none
 */

/** Maximum number of positions projected in one batch. */
const MOST_ROWS = 512

/** Splits a list into batches of at most MOST_ROWS positions. @param {Changed[]} list @param {number} L */
export function chunksOf(list, L) {
  const size = Math.max(1, Math.floor(MOST_ROWS / L))
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size))
}

/** Operations that keep a layer's queries, keys and values in `made` and skip the attention itself. */
class ProjectingOperations extends BranchingOperations {
  /** @type {Projected | undefined} */
  made;

  /** @override @param {Layer} own @param {PartSpec} _ @param {Projected} projected @returns {import('../../models/run/network.js').RunSteps<FloatTensor>} */
  *mix(own, _, { q, k, v }) {
    this.made = { q: copyOf(q), k: copyOf(k), v: copyOf(v) }
    const { numHeads: H, headDim: D } = own.stack.heads
    yield []
    return this.qkv.alloc([q.dims[0], q.dims[1], H * D])
  }
}

/** @param {Float32Array} a @param {Float32Array} b */
const plus = (a, b) => a.map((value, n) => value + b[n])

/** Stacks changed streams into one tensor, (n, L, d). @param {Changed[]} list @param {number} d */
function joined(list, d) {
  const size = list[0].x.length
  const data = new Float32Array(list.length * size)
  list.forEach(({ x }, n) => {
    data.set(x, n * size)
  })
  return new Tensor(data, [list.length, size / d, d])
}

/**
 * Visits the attention of each layer in the order of the run, with the residual streams that each earlier writer's change would cause.
 * @param {EdgeTask} task
 * @param {boolean} isTangent
 * @param {(reading: Reading) => import('../../models/run/network.js').RunSteps<void>} visit
 * @returns {import('../../models/run/network.js').RunSteps<void>} yields a tensor after each layer
 */
export function* changedStreams(task, isTangent, visit) {
  const { parts, streams, width: d, writers } = task
  const { qkv, weights } = parts
  const tangent = afterNorm(parts)
  /** For each finished stack, its last residual stream after the change of each writer. @type {Map<Stream, Changed[]>} */
  const all = new Map()
  for (const stream of streams) {
    const { spec, run, L } = stream
    const waiting = [...writers.keys()].filter(n => task.streamOf(writers[n]) === stream)
    const first = waiting.shift() ?? 0
    const delta = task.deltaOf(writers[first])
    let changed = [{ writer: first, x: isTangent ? delta : plus(run.first.data, delta) }]
    for (const [layer, list] of run.parts.entries()) {
      const entered = changed
      for (const one of list) {
        const { part, before, added } = one
        if (part.kind !== 'mlp') {
          const attention = attentionOf(task, stream, layer, one, isTangent)
          const read = spec.parallel ? entered : changed
          const changedKeys = part.kind === 'cross' ? (all.get(attention.source) ?? []) : read
          yield* visit({ ...attention, changed: read, changedKeys })
        }
        if (!isTangent) changed = changed.map(({ writer, x }) => ({ writer, x: plus(x, added.data) }))
        const written = waiting.splice(0, part.kind === 'mlp' ? 1 : spec.heads.numHeads).map(writer => {
          const delta = isTangent ? tangentOf(task, stream, one, writers[writer]) : task.deltaOf(writers[writer])
          return { writer, x: isTangent ? delta : plus(plus(before.data, added.data), delta) }
        })
        changed = [...changed, ...written]
        const { post } = part
        if (!post) continue
        const summed = plus(before.data, added.data)
        const behind = (/** @type {Float32Array} */ x) =>
          isTangent
            ? tangent(post, summed, x)
            : qkv.scope(() => new BranchingOperations(qkv, weights).norm(post, new Tensor(x, [1, L, d])).data.slice())
        changed = changed.map(({ writer, x }) => ({ writer, x: behind(x) }))
      }
      yield new Tensor(new Float32Array(0), [0])
    }
    all.set(stream, changed)
  }
}

/**
 * Returns the attention of a layer and the functions that project changed streams to its queries, keys and values.
 * @param {EdgeTask} task
 * @param {Stream} stream
 * @param {number} layer
 * @param {RecordedPart} one
 * @param {boolean} isTangent
 * @returns {Omit<Reading, 'changed' | 'changedKeys'>}
 */
function attentionOf({ parts, streams, width: d }, stream, layer, one, isTangent) {
  const { qkv, weights } = parts
  const { spec, run, L } = stream
  const { part, before } = one
  const { k, v } = projectionsOf(part)
  const own = run.layers[layer]
  const isCross = part.kind === 'cross'
  const source = isCross ? streams[0] : stream
  const reads = spec.parallel ? run.parts[layer][0].before : before
  /** Projects residual streams to queries, keys and values. @param {FloatTensor} x */
  const through = x =>
    qkv.scope(() => {
      const ops = new ProjectingOperations(qkv, weights)
      finish(runLayer({ ...own, call: quiet(own.call, ops) }, [part], x))
      return present(ops.made)
    })
  const project = (/** @type {Changed[]} */ chunk) => through(joined(chunk, d))
  /** Projects changed outputs of the encoder to keys and values. @param {Changed[]} chunk */
  const ofEncoder = chunk =>
    qkv.scope(() => {
      const x = lastNorm(source.spec, '', new BranchingOperations(qkv, weights), joined(chunk, d))
      const [ofK, ofV] = [k, v].map(linear => copyOf(weights.linear(linear).forward(x)))
      return { k: ofK, v: ofV }
    })
  const base = through(new Tensor(reads.data, [1, L, d]))
  const projectKeys = isTangent ? tangentsOf(parts, source, own, part, reads, d) : isCross ? ofEncoder : project
  return { stream, source, layer, one, own, base, project, projectKeys }
}

/**
 * Returns a function that makes tangents of keys and values from tangents of their input.
 * @param {EdgeTask['parts']} parts
 * @param {Stream} source
 * @param {Layer} own
 * @param {PartSpec} part
 * @param {FloatTensor} reads input of the part in the run, (L, d)
 * @param {number} d
 * @returns {Reading['projectKeys']}
 */
function tangentsOf(parts, source, own, part, reads, d) {
  const { qkv, weights } = parts
  const tangent = afterNorm(parts)
  const isCross = part.kind === 'cross'
  const { k, v, kNorm } = projectionsOf(part)
  const keys = () => {
    const x = part.before ? new BranchingOperations(qkv, weights).norm(part.before, reads) : reads
    return weights.linear(k).forward(x).data.slice()
  }
  const raw = kNorm ? qkv.scope(keys) : new Float32Array(0)
  const learned = [k, v].map(linear => weights.read(keyOf(linear)))
  const norm = isCross ? source.spec.norm : part.before
  const entering = isCross ? source.run.last : reads
  return chunk =>
    qkv.scope(() => {
      const { data: given, dims } = joined(chunk, d)
      const [n, S] = dims
      const x = { data: norm ? tangent(norm, entering.data, given) : given, dims: [n * S, d] }
      const [ofK, ofV] = learned.map(data => {
        const columns = data.length / d
        return new Tensor(qkv.linear(x, { data, dims: [columns, d] }).data.slice(), [n, S, columns])
      })
      if (kNorm) ofK.data.set(tangent(kNorm, raw, ofK.data))
      if (!own.turns || isCross) return { k: ofK, v: ofV }
      const { dim: rotaryDim, cos, sin, interleaved } = own.turns
      const ops = new BranchingOperations(qkv, weights)
      const numHeads = own.stack.heads.numKvHeads
      return { k: copyOf(ops.rope(ofK, { numHeads, rotaryDim, cos, sin, interleaved })), v: ofV }
    })
}

/**
 * Returns the change of what a writer adds to the residual stream. If its part has a norm after it, the change passes through this norm to
 * first order, as in the estimates of `edges`.
 * @param {EdgeTask} task
 * @param {Stream} stream
 * @param {RecordedPart} one
 * @param {Writer} writer
 */
function tangentOf(task, stream, { part: { kind, after, attention }, heads }, writer) {
  const { qkv, weights } = task.parts
  if (writer.kind !== 'head' || !heads || !after || !attention) return task.deltaOf(writer)
  const other = task.headsOf(stream, writer.layer, kind, writer.head)
  const [made, own] = [other, heads.data].map(data =>
    qkv.scope(() =>
      weights
        .linear(attention.o)
        .forward({ data, dims: [...heads.dims] })
        .data.slice(),
    ),
  )
  return afterNorm(task.parts)(
    after,
    own,
    made.map((value, n) => value - own[n]),
  )
}
