// Edges between parts at positions: which head, where it writes, reads what another part wrote at which position. Estimated by the gradient,
// as edges does; its effects on keys and values are split here by the query that reads them. And the exact effect of one of them.

import { oneOf, readOptions, toNumber } from '../base/arguments.js'
import { Tensor } from '../base/tensor.js'
import { checkSignal } from '../models/inputs.js'
import { copyOf } from '../models/model-hooks.js'
import { finish, lastNorm, runLayer } from '../models/network.js'
import { inTurns } from '../models/turns.js'
import { keyOf } from '../models/weights.js'
import { layerNormBackward, rmsNormBackward } from '../nn.js'
import { prepareEdges, say } from './edge-task.js'
import { edges, readBy } from './edges.js'
import { GradientRecorder } from './gradient-recorder.js'
import { READS } from './head-graph.js'
import { gradientSteps } from './model-gradients.js'
import { beforeNorm } from './norm-gradient.js'
import { BranchingOperations, quiet, resume, valuesOf } from './resume.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../models/model.js').Model} Model */
/** @typedef {import('../models/model.js').ModelInput} ModelInput */
/** @typedef {import('../models/family-shapes/parts.js').PartSpec} PartSpec */
/** @typedef {import('./edge-task.js').EdgeSettings} EdgeSettings */
/** @typedef {import('./edge-task.js').EdgeTask} EdgeTask */
/** @typedef {import('./edge-task.js').Writer} Writer */
/**
 * A part at a position; 'logits' is the answer, which has none.
 * @typedef {object} PositionNode
 * @property {'embedding' | 'head' | 'mlp' | 'logits'} kind
 * @property {number} [layer] of a head or an MLP
 * @property {number} [head]
 * @property {number} [position] where it writes; of a head that of its query
 */
/**
 * By what a head reads: as its query, at its own position, as a key or as a value; 'input': what an MLP or the answer reads.
 * @typedef {'q' | 'k' | 'v' | 'input'} Reads
 *
 * @typedef {EdgeSettings & { most?: number, signal?: AbortSignal, onLayer?: (progress: { layer: number, layers: number }) => void }} PositionEdgesOptions
 *   most: so many edges are kept, those with the largest effects; default 65,536
 * @typedef {EdgeSettings & { from: PositionNode, to: PositionNode, reads: Reads }} PositionEdgeOptions
 *
 * The edges, the largest effect first. Node n is writer floor(n / positions) at position n mod positions; the answer is the node behind all.
 * Plain data, which a worker can post.
 * @typedef {object} PositionEdges
 * @property {Writer[]} writers
 * @property {number} positions
 * @property {number} value of the objective
 * @property {Uint32Array} from nodes
 * @property {Uint32Array} to nodes
 * @property {Uint8Array} reads 0 'q', 1 'k', 2 'v', 3 'input'
 * @property {Float32Array} effects first-order estimates of the change of the objective if only this reader reads other numbers there
 * @property {Float64Array} incoming of each node the sum of |effect| over all edges to it, also those that were not kept
 */

const SETTINGS = ['of', 'targets', 'clean', 'by']
/** Floats of a batch of attention, and of what all writers wrote. */
const [MOST_BATCH, MOST_WRITTEN] = [2 ** 22, 2 ** 28]

/**
 * The effects of all edges between parts at positions, estimated by the gradient.
 * @param {Model} model of one stack
 * @param {ModelInput | string} input
 * @param {PositionEdgesOptions} options
 * @returns {Promise<PositionEdges>}
 */
export async function positionEdges(model, input, options) {
  const where = 'positionEdges'
  const given = readOptions(options, [...SETTINGS, 'most', 'signal', 'onLayer'], where)
  const { most = 2 ** 16, signal, onLayer, ...settings } = given
  checkSignal(signal, where)
  const kept = collect(toNumber(most, `${where}: most`, { least: 1, most: 2 ** 22, whole: true }))
  const task = prepare(model, input, settings, where)
  const { rows: L, writers, width, parts } = task
  if (writers.length * L * width > MOST_WRITTEN)
    throw new RangeError(
      `${where}: what ${writers.length} parts wrote at ${L} tokens takes ${writers.length * L * width * 4} bytes: give a shorter text`,
    )
  const { effects, readers, value } = await edges(model, input, { ...settings, byPosition: true, signal })
  const layers = 3 * task.streams[0].spec.layers.length
  const incoming = new Float64Array(writers.length * L + 1)
  /** @param {number} writer @param {number} at @param {number} to @param {number} reads @param {number} effect */
  const add = (writer, at, to, reads, effect) => {
    if (effect === 0) return
    incoming[to] += Math.abs(effect)
    kept.add(writer * L + at, to, reads, effect)
  }
  // Queries, MLPs and the answer read at their own position.
  for (const [r, reader] of readers.entries()) {
    if (reader.kind === 'k' || reader.kind === 'v') continue
    const own = reader.kind === 'q' ? { ...reader, kind: /** @type {const} */ ('head') } : reader
    const n = reader.kind === 'logits' ? writers.length : task.indexOf(writers, own)
    for (let w = 0; w < writers.length; w++)
      for (let p = 0; p < L; p++)
        add(w, p, reader.kind === 'logits' ? n * L : n * L + p, reader.kind === 'q' ? 0 : 3, effects.at(w, r, p))
  }
  await inTurns(parts.qkv, keyAndValueSteps(task, settings, add, where), { signal, onLayer, layers })
  return { writers, positions: L, value, ...kept.sorted(), incoming }
}

/**
 * The effect of one edge: this head alone, at one position, reads other numbers of the writer at another; what follows runs again.
 * @param {Model} model of one stack
 * @param {ModelInput | string} input
 * @param {PositionEdgeOptions} options
 * @returns {{ effect: number, value: number }} value: of the objective without the change
 */
export function positionEdge(model, input, options) {
  const where = 'positionEdge'
  const { from, to, reads, ...settings } = readOptions(options, [...SETTINGS, 'from', 'to', 'reads'], where)
  oneOf(reads, READS, `${where}: reads`)
  const task = prepare(model, input, settings, where)
  const { parts, rows: L, writers } = task
  const { qkv } = parts
  const isHead = to?.kind === 'head'
  if (isHead === (reads === 'input'))
    throw new RangeError(`${where}: reads: '${reads}' given, but a head reads 'q', 'k' or 'v', all others 'input'`)
  const writer = writers[task.indexOf(writers, from)]
  if (!writer || (to?.kind !== 'logits' && (to?.kind === 'embedding' || task.indexOf(writers, to) < 0)))
    throw new RangeError(`${where}: ${say(writer ? to : from)} is no part of this model`)
  const position = (/** @type {unknown} */ given, /** @type {string} */ name) =>
    toNumber(given, `${where}: ${name}: position`, { least: 0, most: L - 1, whole: true })
  const p = position(from.position, 'from')
  const r = to.kind === 'logits' ? p : position(to.position, 'to')
  if (p !== r && reads !== 'k' && reads !== 'v')
    throw new RangeError(`${where}: ${say(to)} reads at its own position, ${r}, not at ${p}`)
  const reader = /** @type {import('./edge-task.js').Reader} */ (isHead ? { ...to, kind: 'q' } : to)
  if (!task.isBefore(writer, reader))
    throw new RangeError(`${where}: ${say(writer)} does not write before ${say(to)} reads`)
  return qkv.scope(() => {
    const { stacks, objective, value } = task.entered()
    const { spec, run } = task.streams[0]
    const ops = new BranchingOperations(qkv, parts.weights)
    const { x } = readBy(task, ops, writer, reader, p)
    if (to.kind === 'logits') {
      const [changed] = valuesOf(parts, objective, lastNorm(spec, '', ops, x), L)
      return { effect: changed - value, value }
    }
    const layer = /** @type {number} */ (to.layer)
    const part = /** @type {PartSpec} */ (
      spec.layers[layer].find(({ kind }) => (kind === 'mlp') === (to.kind === 'mlp'))
    )
    /** The numbers of a place of the layer, if its part reads x. @param {string} name @param {FloatTensor} x @param {Record<string, (y: FloatTensor) => FloatTensor>} [changes] */
    const seen = (name, x, changes = {}) => {
      /** @type {FloatTensor | undefined} */
      let found
      const look = (/** @type {FloatTensor} */ y) => {
        found = copyOf(y)
        return y
      }
      const reading = new BranchingOperations(qkv, parts.weights, { ...changes, [name]: look })
      const own = run.layers[layer]
      qkv.scope(() => finish(runLayer({ ...own, call: quiet(own.call, reading) }, [part], x)))
      return /** @type {FloatTensor} */ (/** @type {unknown} */ (found))
    }
    /** Some columns of a row are those of other numbers. @param {FloatTensor} other @param {number} row @param {number} at @param {number} width */
    const withRow = (other, row, at, width) => (/** @type {FloatTensor} */ y) => {
      const out = copyOf(y)
      const from = row * y.dims[2] + at
      out.data.set(other.data.subarray(from, from + width), from)
      return out
    }
    const at = `layers.${layer}.`
    /** @type {Record<string, (y: FloatTensor) => FloatTensor>} */
    let changes
    if (to.kind === 'mlp') {
      const name = `${at}mlp.output`
      const made = seen(name, x)
      changes = { [name]: withRow(made, r, 0, made.dims[2]) }
    } else {
      const { heads: H, kvHeads: G, headDim: D } = spec.heads
      const head = /** @type {number} */ (to.head)
      const name = `${at}attention.${reads}`
      const column = (reads === 'q' ? head : Math.floor(head / (H / G))) * D
      const other = withRow(seen(name, x), p, column, D)
      const { data, dims } = run.parts[layer].find(one => one.part === part)?.before ?? x
      const before = new Tensor(data, [1, ...dims])
      const made = seen(`${at}heads`, before, { [name]: other })
      changes = { [`${at}heads`]: withRow(made, r, head * D, D) }
    }
    const y = finish(resume(parts, stacks, { place: '', layer, changes }))
    const [changed] = valuesOf(parts, objective, y, L)
    return { effect: changed - value, value }
  })
}

/** @param {Model} model @param {unknown} input @param {EdgeSettings} settings @param {string} where */
function prepare(model, input, settings, where) {
  const task = prepareEdges(model, input, settings, where)
  const { family } = task.parts
  if (task.streams.length > 1)
    throw new RangeError(`${where}: ${family.type} is an encoder-decoder, a model with one stack expected`)
  return task
}

/**
 * The edges to keys and values, split by the query that reads them. A head at query r has a gradient of its own by each key and value: that of
 * its output at r alone. It goes back through rotary positions, the projection and the norms.
 * @param {EdgeTask} task
 * @param {EdgeSettings} settings
 * @param {(writer: number, at: number, to: number, reads: number, effect: number) => void} add
 * @param {string} where
 * @returns {import('../models/network.js').RunSteps<void>}
 */
function* keyAndValueSteps(task, { of, targets }, add, where) {
  const { parts, rows: L, width: d, writers } = task
  const { qkv, weights } = parts
  const [{ spec, run }] = task.streams
  const { heads: H, kvHeads: G, headDim: D } = spec.heads
  const group = H / G
  const at = /** @type {any} */ (spec.layers.map((_, layer) => `layers.${layer}.heads`))
  const { gradients } = yield* gradientSteps(parts, task.input, { of, targets, at }, where, true)
  /** Of each position what all writers wrote, less what replaces it: (writers, d). */
  const deltas = Array.from({ length: L }, () => new Float32Array(writers.length * d))
  for (const [w, writer] of writers.entries()) {
    const delta = writtenBy(task, writer)
    for (let p = 0; p < L; p++) deltas[p].set(delta.subarray(p * d, (p + 1) * d), w * d)
  }
  const back = beforeNorm(parts)
  for (const [layer, list] of spec.layers.entries()) {
    const index = list.findIndex(({ kind }) => kind === 'attention')
    const part = list[index]
    const { k, v, kNorm } = /** @type {NonNullable<PartSpec['attention']>} */ (part.attention)
    const { before } = run.parts[layer][index]
    const own = run.layers[layer]
    const name = `layers.${layer}.`
    /** @type {Record<string, FloatTensor>} */
    const values = {}
    const raw = qkv.scope(() => {
      const places = ['q', 'kBare', 'v'].map(what => `${name}attention.${what}`)
      const look = places.map(place => [
        place,
        (/** @type {FloatTensor} */ y) => {
          values[place.slice(place.lastIndexOf('.') + 1)] = copyOf(y)
          return y
        },
      ])
      const ops = new BranchingOperations(qkv, weights, Object.fromEntries(look))
      const x = new Tensor(before.data, [1, L, d])
      finish(runLayer({ ...own, call: quiet(own.call, ops) }, [part], x))
      if (!kNorm) return new Float32Array(0)
      return ops.dense(k, part.before ? ops.norm(part.before, x) : x).data.slice()
    })
    const dHeads = gradients[at[layer]].data
    const queries = Array.from({ length: L }, (_, r) => r).filter(r =>
      dHeads.subarray(r * H * D, (r + 1) * H * D).some(one => one !== 0),
    )
    const first = writers.findIndex(one => one.kind === 'head' && one.layer === layer)
    const heads = Array.from({ length: H }, (_, h) => h)
    const most = Math.max(1, Math.floor(MOST_BATCH / (L * H * D)))
    for (let m = 0; m < group; m++) {
      for (let start = 0; start < queries.length; start += most) {
        const rows = queries.slice(start, start + most)
        const R = rows.length
        const both = Array.from({ length: 2 * R }, (_, n) => n)
        const found = qkv.scope(() => throughMix(task, part, own, values, dHeads, rows, m))
        for (const h of heads.filter(h => h % group === m)) {
          const g = Math.floor(h / group)
          /** The gradients by what is read, of keys and then of values: (2 R, L, d). */
          let all = new Float32Array(2 * R * L * d)
          qkv.scope(() => {
            for (const [i, linear] of [k, v].entries()) {
              const norm = i === 0 ? kNorm : undefined
              // Behind a norm over all heads each head reads the rows of all.
              const isWide = norm !== undefined && norm.size > D
              const [width, from] = isWide ? [G * D, 0] : [D, g * D]
              let dY = new Float32Array(R * L * width)
              for (let n = 0; n < R * L; n++) {
                const head = found[i].subarray(n * G * D + g * D, n * G * D + (g + 1) * D)
                dY.set(head, n * width + g * D - from)
              }
              if (norm) {
                const x = new Float32Array(L * width)
                for (let p = 0; p < L; p++) x.set(raw.subarray(p * G * D + from, p * G * D + from + width), p * width)
                dY = /** @type {Float32Array<ArrayBuffer>} */ (back(norm, x, dY))
              }
              const learned = weights.read(keyOf(linear)).subarray(from * d, (from + width) * d)
              const made = qkv.matmul({ data: dY, dims: [R * L, width] }, { data: learned, dims: [width, d] })
              all.set(part.before ? back(part.before, before.data, made.data) : made.data, i * R * L * d)
            }
          })
          /** Products with what the writers between two numbers wrote. @param {number} from @param {number} to */
          const score = (from, to) => {
            if (from === to) return
            for (let p = 0; p < L; p++) {
              // A key or value behind the query is not read.
              const own = both.filter(n => !spec.causal || rows[n % R] >= p)
              if (!own.length) continue
              const right = new Float32Array(own.length * d)
              for (const [i, n] of own.entries()) right.set(all.subarray((n * L + p) * d, (n * L + p + 1) * d), i * d)
              const left = { data: deltas[p].subarray(from * d, to * d), dims: [to - from, d] }
              const { data } = qkv.linear(left, { data: right, dims: [own.length, d] })
              for (let w = from; w < to; w++)
                for (const [i, n] of own.entries())
                  add(w, p, (first + h) * L + rows[n % R], n < R ? 1 : 2, data[(w - from) * own.length + i])
            }
          }
          // A norm behind a part changes what was written before it.
          let end = spec.parallel ? writers.findIndex(one => 'layer' in one && one.layer === layer) : first
          for (let l = layer; l >= 0; l--)
            for (const one of [...run.parts[l]].reverse()) {
              const { post } = one.part
              if (!post || (l === layer && run.parts[l].indexOf(one) >= index)) continue
              const kind = one.part.kind === 'mlp' ? 'mlp' : 'head'
              const behind = 1 + writers.reduce((last, own, n) => (own.kind === kind && own.layer === l ? n : last), 0)
              qkv.scope(() => {
                score(behind, end)
                const summed = one.before.data.map((value, n) => value + one.added.data[n])
                all = /** @type {Float32Array<ArrayBuffer>} */ (back(post, summed, all))
              })
              end = behind
            }
          qkv.scope(() => score(0, end))
          yield []
        }
      }
    }
    yield new Tensor(new Float32Array(0), [0])
  }
}

/**
 * What a writer adds, less what replaces it; behind a norm of what its part adds, to first order, as in edges.
 * @param {EdgeTask} task
 * @param {Writer} writer
 */
function writtenBy(task, writer) {
  const { qkv, weights } = task.parts
  const [stream] = task.streams
  const list = writer.kind === 'head' ? stream.run.parts[writer.layer] : []
  const one = list.find(({ part }) => part.kind === 'attention')
  const { after, attention } = one?.part ?? {}
  if (writer.kind !== 'head' || !one?.heads || !after || !attention) return task.deltaOf(writer)
  return qkv.scope(() => {
    const dims = [.../** @type {FloatTensor} */ (one.heads).dims]
    const other = task.headsOf(stream, writer.layer, 'attention', writer.head)
    const [made, own] = [other, /** @type {FloatTensor} */ (one.heads).data].map(data =>
      weights.linear(attention.o).forward({ data, dims }).data.slice(),
    )
    const weight = weights.norm(after).weight.data
    const { eps, plusOne } = after
    // Without its weight the derivative of a norm is symmetric.
    const bare = new Float32Array(weight.length).fill(plusOne ? 0 : 1)
    const [x, dY] = [own, made.map((value, n) => value - own[n])].map(data => ({
      data,
      dims: [data.length / after.size, after.size],
    }))
    const given = { data: bare, dims: [bare.length] }
    const { dX } =
      after.kind === 'layer'
        ? layerNormBackward(qkv, x, given, dY, { eps })
        : rmsNormBackward(qkv, x, given, dY, { eps, plusOne })
    return dX.data.map((value, n) => value * (weight[n % weight.length] + (plusOne ? 1 : 0)))
  })
}

/**
 * The gradients by keys before rotary positions, and by values: for each of some queries that of its output alone, of one head of each group.
 * @param {EdgeTask} task
 * @param {PartSpec} part
 * @param {import('../models/network.js').Layer} own
 * @param {Record<string, FloatTensor>} values q, kBare and v, (1, L, ...)
 * @param {Float32Array} dHeads (L, H * D)
 * @param {number[]} rows the queries
 * @param {number} member of the group
 * @returns {Float32Array[]} (queries, L, G * D) each
 */
function throughMix({ parts, streams: [{ spec }] }, part, own, values, dHeads, rows, member) {
  const { qkv, weights } = parts
  const { heads: H, kvHeads: G, headDim: D } = spec.heads
  const none = { outcomes: new Map(), wanted: new Set(), found: new Map(), learned: new Map() }
  const recorder = new GradientRecorder(qkv, weights, none)
  const B = rows.length
  const wide = (/** @type {FloatTensor} */ { data, dims }) => {
    const made = qkv.alloc([B, ...dims.slice(1)])
    for (let b = 0; b < B; b++) made.data.set(data, b * data.length)
    return made
  }
  const [q, bare, v] = [values.q, values.kBare, values.v].map(wide)
  const { turns } = own
  const k = turns
    ? recorder.rope(bare, { numHeads: G, rotaryDim: turns.dim, cos: wide(turns.cos), sin: wide(turns.sin) })
    : bare
  const y = finish(recorder.mix({ ...own, call: quiet(own.call, recorder) }, part, { q, k, v }))
  const width = H * D
  const dY = qkv.alloc(y.dims)
  for (const [b, r] of rows.entries())
    for (let h = member; h < H; h += H / G) {
      const from = r * width + h * D
      dY.data.set(dHeads.subarray(from, from + D), b * dHeads.length + from)
    }
  recorder.give(y, dY)
  recorder.backward()
  return [bare, v].map(x => /** @type {FloatTensor} */ (recorder.gradient(x)).data.slice())
}

/** Keeps the edges with the largest effects. @param {number} most */
function collect(most) {
  const size = 2 * most
  const [from, to] = [new Uint32Array(size), new Uint32Array(size)]
  const reads = new Uint8Array(size)
  const effects = new Float32Array(size)
  let count = 0
  /** An edge with a smaller effect is not among the largest. */
  let least = 0
  /** Drops all but the largest. */
  function drop() {
    if (count <= most) return
    const sizes = effects.slice(0, count).map(Math.abs).sort()
    least = sizes[count - most]
    let equal = sizes.subarray(count - most).lastIndexOf(least) + 1
    let kept = 0
    for (let n = 0; n < count; n++) {
      const own = Math.abs(effects[n])
      if (own < least || (own === least && equal-- <= 0)) continue
      from[kept] = from[n]
      to[kept] = to[n]
      reads[kept] = reads[n]
      effects[kept++] = effects[n]
    }
    count = kept
  }
  return {
    /** @param {number} a @param {number} b @param {number} read @param {number} effect */
    add(a, b, read, effect) {
      if (Math.abs(effect) < least) return
      if (count === size) drop()
      from[count] = a
      to[count] = b
      reads[count] = read
      effects[count++] = effect
    },
    /** The largest first. */
    sorted() {
      drop()
      const order = Uint32Array.from({ length: count }, (_, n) => n).sort(
        (a, b) =>
          Math.abs(effects[b]) - Math.abs(effects[a]) || from[a] - from[b] || to[a] - to[b] || reads[a] - reads[b],
      )
      return {
        from: Uint32Array.from(order, n => from[n]),
        to: Uint32Array.from(order, n => to[n]),
        reads: Uint8Array.from(order, n => reads[n]),
        effects: Float32Array.from(order, n => effects[n]),
      }
    },
  }
}
