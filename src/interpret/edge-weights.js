// What edges into queries and keys do to the weights of attention, exactly: a saturated softmax has almost no gradient, although a large
// change of a query or a key moves its weights (the QK fix of AtP*, Kramár et al. 2024).

import { splitHeads } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'
import { copyOf } from '../models/model-hooks.js'
import { finish, lastNorm, runLayer, scoreOptions } from '../models/network.js'
import { BranchingOperations, quiet } from './resume.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../models/family-shapes/parts.js').PartSpec} PartSpec */
/** @typedef {import('../models/network.js').Layer} Layer */
/** @typedef {import('../models/network.js').Projected} Projected */
/** @typedef {import('./edge-task.js').EdgeTask} EdgeTask */
/** @typedef {import('./edge-task.js').Stream} Stream */

/** So many positions are projected at a time. */
const MOST_ROWS = 512

/** The operations of a layer up to its scores: it stops there. */
class ProjectingOperations extends BranchingOperations {
  /** @type {Projected | undefined} */
  made;

  /** @override @param {Layer} own @param {PartSpec} _ @param {Projected} projected @returns {import('../models/network.js').RunSteps<FloatTensor>} */
  *mix(own, _, { q, k, v }) {
    this.made = { q: copyOf(q), k: copyOf(k), v: copyOf(v) }
    const { heads: H, headDim: D } = own.stack.heads
    yield []
    return this.qkv.alloc([q.dims[0], q.dims[1], H * D])
  }
}

/**
 * Replaces the estimates of edges into q and k by (weights that the reader would have - its weights) times the gradient by the weights.
 * @param {EdgeTask} task
 * @param {(place: string) => FloatTensor} gradientAt
 * @param {FloatTensor} effects (writers, readers)
 * @returns {import('../models/network.js').RunSteps<void>}
 */
export function* throughWeights(task, gradientAt, effects) {
  const { parts, streams, width: d, writers, readers } = task
  const { qkv, weights } = parts
  const R = readers.length
  /** The changed residual streams of the writers so far, by stack. @type {Map<Stream, { writer: number, x: Float32Array }[]>} */
  const changed = new Map()
  for (const stream of streams) {
    const { stack, spec, run, L } = stream
    const own = [...writers.keys()].filter(n => task.streamOf(writers[n]) === stream)
    const isBoth = streams.length > 1
    /** The first reader of a kind of a part. @param {string} kind @param {number} layer @param {string} [place] */
    const readerOf = (kind, layer, place) =>
      task.indexOf(readers, { kind, layer, head: 0, ...(isBoth && { place: place ?? stack.slice(0, -1) }) })
    const first = own.shift() ?? 0
    const delta = task.deltaOf(writers[first])
    const list = [{ writer: first, x: run.first.data.map((value, n) => value + delta[n]) }]
    changed.set(stream, list)
    for (const [layer, all] of run.parts.entries()) {
      const entered = list.map(one => Object.assign({}, one))
      for (const { part, before, added, weights: maps } of all) {
        const seen = spec.parallel ? entered : list
        if (part.kind !== 'mlp') {
          const isCross = part.kind === 'cross'
          const layerOf = run.layers[layer]
          const name = `${stack}layers.${layer}.${part.kind}`
          const gradient = gradientAt(`${name}.weights`)
          /** @param {{ writer: number, x: Float32Array }[]} chunk @param {number} L @returns {FloatTensor} (n, L, d) */
          const joined = (chunk, L) => {
            const x = new Float32Array(chunk.length * L * d)
            chunk.forEach((one, n) => {
              x.set(one.x, n * L * d)
            })
            return new Tensor(x, [chunk.length, L, d])
          }
          /** Queries, keys and values for residual streams. @param {FloatTensor} x */
          const project = x =>
            qkv.scope(() => {
              const ops = new ProjectingOperations(qkv, weights)
              finish(runLayer({ ...layerOf, call: quiet(layerOf.call, ops) }, [part], x))
              return /** @type {Projected} */ (ops.made)
            })
          const base = project(new Tensor(spec.parallel ? all[0].before.data : before.data, [1, L, d]))
          /** @param {{ writer: number, x: Float32Array }[]} chunk @param {'q' | 'k'} kind @param {FloatTensor} made (n, rows, heads * D) */
          const score = (chunk, kind, made) => {
            const { heads: H, kvHeads: G } = spec.heads
            const heads = kind === 'q' ? H : G
            const to = readerOf(kind, layer, isCross ? 'cross' : undefined)
            const rows = { q: base.q, k: base.k, [kind]: made }
            const [q, k] = [splitHeads(rows.q, H), splitHeads(rows.k, G)]
            const values = splitHeads(base.v, G)
            const size = gradient.data.length / H // of a head
            const held = /** @type {FloatTensor} */ (maps).data
            chunk.forEach(({ writer }, n) => {
              const at = (/** @type {FloatTensor} */ x) => (x.dims[0] === 1 ? x : x.slice(0, n, n + 1))
              const options = scoreOptions(layerOf, part)
              const { data } = qkv.trace(at(q), at(k), values, { ...options, keep: ['weights'] }).weights
              for (let h = 0; h < H; h++) {
                let sum = 0
                for (let i = h * size; i < (h + 1) * size; i++) sum += (data[i] - held[i]) * gradient.data[i]
                const reader = writer * R + to + Math.floor(h / (H / heads))
                effects.data[reader] = (h % (H / heads) === 0 ? 0 : effects.data[reader]) + sum
              }
            })
          }
          const most = Math.max(1, Math.floor(MOST_ROWS / L))
          for (let n = 0; n < seen.length; n += most) {
            const chunk = seen.slice(n, n + most)
            const { q, k } = project(joined(chunk, L))
            score(chunk, 'q', q)
            if (!isCross) score(chunk, 'k', k)
            yield []
          }
          if (isCross) {
            const [encoder] = streams
            const { k } = /** @type {NonNullable<PartSpec['attention']>} */ (part.attention)
            for (const one of changed.get(encoder) ?? []) {
              const made = qkv.scope(() => {
                const ops = new BranchingOperations(qkv, weights)
                return copyOf(weights.linear(k).forward(lastNorm(encoder.spec, '', ops, joined([one], encoder.L))))
              })
              score([one], 'k', made)
              yield []
            }
          }
        }
        for (const one of list) one.x = one.x.map((value, n) => value + added.data[n])
        const count = part.kind === 'mlp' ? 1 : spec.heads.heads
        for (const writer of own.splice(0, count)) {
          const delta = task.deltaOf(writers[writer])
          list.push({ writer, x: before.data.map((value, n) => value + added.data[n] + delta[n]) })
        }
        if (part.post) {
          const { post } = part
          for (const one of list)
            one.x = qkv.scope(() =>
              new BranchingOperations(qkv, weights).norm(post, new Tensor(one.x, [1, L, d])).data.slice(),
            )
        }
      }
    }
  }
}
