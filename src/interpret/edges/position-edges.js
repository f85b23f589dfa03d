// Finds edges between parts at positions: which head at which position reads what another part wrote at which position. Effects are
// estimated by gradients, as in `edges`. Effects on keys and values are split by the query that reads them. positionEdge computes one edge
// exactly.

import { oneOf, readOptions, toNumber } from '../../base/arguments.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { ofDistances } from '../../models/run/disentangled.js'
import { checkSignal } from '../../models/run/inputs.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { finish, lastNorm, ModelOperations, projectionsOf, runLayer } from '../../models/run/network.js'
import { inTurns } from '../../models/run/turns.js'
import { BranchingOperations, quiet, resume, valuesOf } from '../patching/resume.js'
import { changedStreams, chunksOf } from './changed-streams.js'
import { edgeSteps } from './edge-estimates.js'
import { EdgeTask, partKind, readsEncoded, say } from './edge-task.js'
import { readBy } from './edges.js'
import { READS } from './head-graph.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Model, ModelInput } from '../../models/model.js' */

/** @import { EdgeSettings, Reader, Stream, Writer } from './edge-task.js' */
/** @import { Reading } from './changed-streams.js' */
/**
 * A part at a position; 'logits' is the answer, which has no position.
 * @typedef {object} PositionNode
 * @property {'embedding' | 'head' | 'mlp' | 'logits'} kind
 * @property {number} [layer] of a head or an MLP
 * @property {number} [head]
 * @property {'encoder' | 'decoder' | 'cross'} [place] of an encoder-decoder; default the decoder
 * @property {number} [position] the position at which it writes; for a head, that of its query
 */
/**
 * What a part reads. For a head: its query 'q', which is at its own position, a key 'k' or a value 'v'. For an MLP or the answer: 'input'.
 * @typedef {'q' | 'k' | 'v' | 'input'} Reads
 *
 * @typedef {EdgeSettings & { most?: number, weights?: 'gradient' | 'exact', signal?: AbortSignal, onLayer?: (progress: { layer: number,
 *   layers: number }) => void }} PositionEdgesOptions most: number of edges to keep, those with the largest |effect|; default 65,536.
 *   weights: as in edges
 * @typedef {EdgeSettings & { from: PositionNode, to: PositionNode, reads: Reads }} PositionEdgeOptions
 *
 * The edges, sorted by |effect|, largest first. Node n is writer floor(n / positions) at position n mod positions; the answer is the last
 * node. For an encoder-decoder, positions are those of the longer text. Plain data, which can be posted between workers.
 * @typedef {object} PositionEdges
 * @property {Writer[]} writers
 * @property {number} positions
 * @property {number} value of the objective
 * @property {Uint32Array} from for each edge, the node that writes
 * @property {Uint32Array} to for each edge, the node that reads
 * @property {Uint8Array} reads 0 'q', 1 'k', 2 'v', 3 'input'
 * @property {Float32Array} effects first-order estimates of the change of the objective if only node `to` gets other numbers from
 *   node `from`
 * @property {Float64Array} incoming for each node, the sum of |effect| over all edges to it, including those not kept
 */

const SETTINGS = ['of', 'targets', 'clean', 'by']
/** Maximum floats for the changed residual streams of all writers. */
const MOST_WRITTEN = 2 ** 28

/** Returns the place of the outputs of a part's heads. @param {Stream} stream @param {number} layer @param {string} kind */
const headsOf = ({ stack }, layer, kind) => `${stack}layers.${layer}.${kind === 'cross' ? 'cross.' : ''}heads`

/**
 * Estimates the effects of all edges between parts at positions by gradients.
 * @param {Model} model
 * @param {ModelInput | string} input
 * @param {PositionEdgesOptions} options
 * @returns {Promise<PositionEdges>}
 */
export async function positionEdges(model, input, options) {
  const where = 'positionEdges'
  const given = readOptions(options, [...SETTINGS, 'most', 'weights', 'signal', 'onLayer'], where)
  const { most = 2 ** 16, weights = 'gradient', signal, onLayer, ...settings } = given
  checkSignal(signal, where)
  oneOf(weights, ['gradient', 'exact'], `${where}: weights`)
  const kept = collect(toNumber(most, `${where}: most`, { least: 1, most: 2 ** 22, whole: true }))
  const task = new EdgeTask(model, input, settings, where)
  const { streams, writers, width, parts } = task
  const P = Math.max(...streams.map(({ L }) => L))
  const written = writers.reduce((sum, writer) => sum + task.streamOf(writer).L * width, 0)
  if (written > MOST_WRITTEN)
    throw new RangeError(
      `${where}: what ${writers.length} parts wrote at ${P} tokens takes ${written * 4} bytes: give a shorter text`,
    )
  const incoming = new Float64Array(writers.length * P + 1)
  /** @param {number} reads @param {number} writer @param {number} at @param {number} to @param {number} effect */
  const add = (reads, writer, at, to, effect) => {
    if (effect === 0) return
    incoming[to] += Math.abs(effect)
    kept.add(writer * P + at, to, reads, effect)
  }
  const layers = streams.reduce((sum, { spec }) => sum + spec.layers.length, 0)
  const passes = weights === 'exact' ? 4 : 3
  const steps = allSteps(task, settings, weights === 'exact', add, P, where)
  const value = await inTurns(parts.qkv, steps, { signal, onLayer, layers: passes * layers })
  return { writers, positions: P, value, ...kept.sorted(), incoming }
}

/**
 * Estimates the effect of each edge and passes it to `add`.
 * @param {EdgeTask} task
 * @param {EdgeSettings} settings
 * @param {boolean} isExact
 * @param {(reads: number, writer: number, at: number, to: number, effect: number) => void} add
 * @param {number} P positions per writer in the numbering of nodes
 * @param {string} where
 * @returns {import('../../models/run/network.js').RunSteps<number>} the value of the objective
 */
function* allSteps(task, settings, isExact, add, P, where) {
  const { streams, writers } = task
  const places = streams.flatMap(stream =>
    stream.spec.layers.flatMap((list, layer) =>
      list.filter(({ kind }) => kind !== 'mlp').map(({ kind }) => headsOf(stream, layer, kind)),
    ),
  )
  const { effects, readers, value, gradients } = yield* edgeSteps(task, settings, true, where, places)
  // Queries, MLPs and the answer read at their own position.
  for (const [r, reader] of readers.entries()) {
    const isQuery = reader.kind === 'q'
    if (reader.kind === 'k' || reader.kind === 'v' || (isQuery && isExact)) continue
    const own = isQuery ? { ...reader, kind: 'head' } : reader
    const n = reader.kind === 'logits' ? writers.length : task.indexOf(writers, own)
    for (let w = 0; w < writers.length; w++)
      for (let p = 0; p < P; p++)
        add(isQuery ? 0 : 3, w, p, reader.kind === 'logits' ? n * P : n * P + p, effects.at(w, r, p))
  }
  const values = (/** @type {number} */ reads, /** @type {[number, number, number, number]} */ ...edge) =>
    reads === 2 || !isExact ? add(reads, ...edge) : undefined
  yield* changedStreams(task, true, readByHeads(task, gradients, values, false, P))
  if (isExact) yield* changedStreams(task, false, readByHeads(task, gradients, add, true, P))
  return value
}

/**
 * Computes the exact effect of one edge: only one reader at one position gets other numbers from the writer at another position, and
 * everything after it runs again.
 * @param {Model} model of one stack
 * @param {ModelInput | string} input
 * @param {PositionEdgeOptions} options
 * @returns {Promise<{ effect: number, value: number }>} value: the objective without the change
 */
export async function positionEdge(model, input, options) {
  const where = 'positionEdge'
  const { from, to, reads, ...settings } = readOptions(options, [...SETTINGS, 'from', 'to', 'reads'], where)
  oneOf(reads, READS, `${where}: reads`)
  const task = new EdgeTask(model, input, settings, where)
  const edge = readEdge(task, { from, to, reads }, where)
  const { parts } = task
  return parts.qkv.scope(() => {
    const { stacks, objective, value } = task.entered()
    const ops = new BranchingOperations(parts.qkv, parts.weights)
    // `changed` is what the reader would read if the writer had written other numbers at position p.
    const changed = readBy(task, ops, edge.writer, edge.reader, edge.p)
    const effectOf = (/** @type {FloatTensor} */ y) => valuesOf(parts, objective, y, task.rows)[0] - value
    if (edge.reader.kind === 'logits') return { effect: effectOf(lastNorm(changed.spec, '', ops, changed.x)), value }
    const changes = edge.reader.kind === 'mlp' ? changesOfMLP(edge, changed) : changesOfHead(edge, changed, reads)
    const y = finish(resume(parts, stacks, { place: edge.stream.stack, layer: edge.layer, changes }))
    return { effect: effectOf(y), value }
  })
}

/** @typedef {Record<string, (y: FloatTensor) => FloatTensor>} Changes hooks by place */
/**
 * A validated edge between positions.
 * @typedef {object} CheckedEdge
 * @property {EdgeTask} task
 * @property {Writer} writer
 * @property {Reader} reader
 * @property {Stream} stream of the reader
 * @property {number} layer of the reader, 0 for the answer
 * @property {number} head of the reader, 0 for an MLP and the answer
 * @property {number} p position of the writer
 * @property {number} r position of the reader
 */

/**
 * Finds and validates the edge that the options describe.
 * @param {EdgeTask} task
 * @param {Pick<PositionEdgeOptions, 'from' | 'to' | 'reads'>} options
 * @param {string} where
 * @returns {CheckedEdge}
 */
function readEdge(task, { from, to, reads }, where) {
  const { writers } = task
  const isHead = to?.kind === 'head'
  if (isHead === (reads === 'input'))
    throw new RangeError(
      `${where}: reads: expected 'q', 'k' or 'v' for a head, and 'input' for the others, got '${reads}'`,
    )
  const writer = writers[task.indexOf(writers, from)]
  const part = writers[task.indexOf(writers, to)]
  if (!writer || (to?.kind !== 'logits' && (!part || part.kind === 'embedding')))
    throw new RangeError(`${where}: ${say(writer ? to : from)} is no part of this model`)
  const isWeight = reads === 'k' || reads === 'v'
  const reader = /** @type {Reader} */ (isHead ? { ...part, kind: isWeight ? reads : 'q' } : (part ?? to))
  const stream = task.streamOf(part ?? { kind: 'embedding' })
  const position = (/** @type {unknown} */ given, /** @type {Stream} */ { L }, /** @type {string} */ name) =>
    toNumber(given, `${where}: ${name}: position`, { least: 0, most: L - 1, whole: true })
  const p = position(from.position, task.streamOf(writer), 'from')
  const r = to.kind === 'logits' ? p : position(to.position, stream, 'to')
  if (p !== r && !isWeight) throw new RangeError(`${where}: ${say(to)} reads at its own position, ${r}, not at ${p}`)
  if (!task.isBefore(writer, reader))
    throw new RangeError(`${where}: ${say(writer)} does not write before ${say(to)} reads`)
  const layer = 'layer' in reader ? reader.layer : 0
  const head = 'head' in reader ? reader.head : 0
  return { task, writer, reader, stream, layer, head, p, r }
}

/** Returns the part to which the reader belongs. @param {CheckedEdge} edge */
const partOf = ({ reader, stream, layer }) =>
  present(stream.spec.layers[layer].find(({ kind }) => kind === partKind(reader)))

/**
 * Runs the part of the reader on x and returns its numbers at a place.
 * @param {CheckedEdge} edge
 * @param {string} place
 * @param {FloatTensor} x
 * @param {Changes} [changes]
 */
function numbersAt(edge, place, x, changes = {}) {
  const { task, stream } = edge
  const { qkv, weights } = task.parts
  /** @type {FloatTensor | undefined} */
  let found
  const look = (/** @type {FloatTensor} */ y) => {
    found = copyOf(y)
    return y
  }
  const ops = new BranchingOperations(qkv, weights, { ...changes, [place]: look })
  const own = stream.run.layers[edge.layer]
  qkv.scope(() => finish(runLayer({ ...own, call: quiet(own.call, ops) }, [partOf(edge)], x)))
  return present(found)
}

/** Returns a hook that replaces columns of one row by those of `other`. @param {FloatTensor} other @param {number} row @param {number} at @param {number} width */
const withColumns = (other, row, at, width) => (/** @type {FloatTensor} */ y) => {
  const out = copyOf(y)
  const from = row * y.dims[2] + at
  out.data.set(other.data.subarray(from, from + width), from)
  return out
}

/** Returns the hook that replaces the output of an MLP at position r by that for the input x. @param {CheckedEdge} edge @param {{ x: FloatTensor }} changed @returns {Changes} */
function changesOfMLP(edge, { x }) {
  const name = `${edge.stream.stack}layers.${edge.layer}.mlp.output`
  const made = numbersAt(edge, name, x)
  return { [name]: withColumns(made, edge.r, 0, made.dims[2]) }
}

/**
 * Returns the hook that replaces the output of a head at position r by that of a run in which only the head's query, key or value at
 * position p is computed from x.
 * @param {CheckedEdge} edge
 * @param {ReturnType<typeof readBy>} changed
 * @param {Reads} reads
 * @returns {Changes}
 */
function changesOfHead(edge, { spec, x }, reads) {
  const { task, stream, reader, layer, head, p, r } = edge
  const { weights, qkv } = task.parts
  const kind = partKind(reader)
  const read = partOf(edge)
  const { numHeads: H, numKvHeads: G, headDim: D } = stream.spec.heads
  const name = `${stream.stack}layers.${layer}.${kind}.${reads}`
  const column = (reads === 'q' ? head : Math.floor(head / (H / G))) * D
  const { k, v } = projectionsOf(read)
  // Keys and values of cross-attention come from the encoder, so running the layer does not compute them.
  const made = readsEncoded(reader)
    ? copyOf(
        weights.linear(reads === 'k' ? k : v).forward(lastNorm(spec, '', new BranchingOperations(qkv, weights), x)),
      )
    : numbersAt(edge, name, x)
  const { data, dims } = stream.run.parts[layer].find(({ part }) => part === read)?.before ?? x
  const before = new Tensor(data, [1, ...dims])
  const ofHeads = headsOf(stream, layer, kind)
  const mixed = numbersAt(edge, ofHeads, before, { [name]: withColumns(made, p, column, D) })
  return { [ofHeads]: withColumns(mixed, r, head * D, D) }
}

/** @typedef {(reads: 0 | 1 | 2, writer: number, at: number, to: number, effect: number) => void} AddEdge at: position of the writer; to: node that reads */
/** @typedef {{ data: Float32Array, dims: number[] }} Matrix */
/**
 * Data of one head, for the R queries of a layer that have a gradient.
 * @typedef {object} ReadHead
 * @property {number} h
 * @property {number} g the key head of head h
 * @property {Matrix} q (R, D)
 * @property {Matrix} k (S, D)
 * @property {Matrix} d (R, D) gradients of the head's outputs
 * @property {Float32Array} weights (R, S)
 * @property {Float32Array} moves (R, S) gradients of the weights minus their weighted mean
 * @property {Float64Array} rests (R) the sum of a row's weights without its largest one, which 1 - weight would round to 0
 * @property {Float32Array} scores (R, S) scores before the soft cap, with the distance terms that depend on the key
 * @property {number} to index of the node for its output at position 0
 * @property {{ q: Matrix, k: Matrix }} [far] queries and keys of distances (DeBERTa)
 * @property {Float32Array} queryScores (R, S) scores before the soft cap, with the distance terms that depend on the query
 */
/**
 * rows: the queries that have a gradient. farRow: the row in `far` for the distance between a query and a key.
 * @typedef {{ rows: number[], heads: ReadHead[], S: number, scale: number, softcap: number | undefined, farRow: (i: number, j: number) => number }} ReadLayer
 */

/**
 * Returns a visitor that adds the edges into the heads of a layer. Without isExact, it adds estimates for keys and values, split by the
 * query that reads them. For these, the gradient of a score is its weight times (gradient of the weight - weighted mean). With isExact, it
 * adds exact effects for queries and keys: (changed - unchanged weights) times the gradient with respect to the weights.
 * @param {EdgeTask} task
 * @param {Record<string, FloatTensor>} gradients at the outputs of heads
 * @param {AddEdge} add
 * @param {boolean} isExact
 * @param {number} P positions per writer in the numbering of nodes
 * @returns {(reading: Reading) => import('../../models/run/network.js').RunSteps<void>}
 */
function readByHeads(task, gradients, add, isExact, P) {
  const { qkv } = task.parts
  /** Computes A B^T. @param {Matrix} a @param {Matrix} b */
  const product = (a, b) => qkv.scope(() => qkv.linear(a, b).data.slice())
  return function* visit(reading) {
    const { stream, layer, one } = reading
    const dHeads = gradients[headsOf(stream, layer, one.part.kind)].data
    const read = readLayer(task, reading, dHeads, product, P)
    if (!read.rows.length) return
    yield* keyEdges(reading, read, product, add, isExact)
    if (isExact) yield* queryEdges(reading, read, product, add)
  }
}

/**
 * Copies the columns of one head, (n, D), of all rows or of the rows `some`.
 * @param {Float32Array} data (..., heads * D)
 * @param {number} D
 * @param {number} heads
 * @param {number} head
 * @param {number[]} [some]
 * @returns {Matrix}
 */
function cut(data, D, heads, head, some) {
  const width = heads * D
  const n = some?.length ?? data.length / width
  const out = new Float32Array(n * D)
  for (let i = 0; i < n; i++) {
    const from = (some?.[i] ?? i) * width + head * D
    out.set(data.subarray(from, from + D), i * D)
  }
  return { data: out, dims: [n, D] }
}

/**
 * Collects the data of all heads of a layer, for the queries that have a gradient.
 * @param {EdgeTask} task
 * @param {Reading} reading
 * @param {Float32Array} dHeads
 * @param {(a: Matrix, b: Matrix) => Float32Array} product
 * @param {number} P
 * @returns {ReadLayer}
 */
function readLayer({ writers, parts }, { stream, source, layer, one, base }, dHeads, product, P) {
  const { part, v, weights: ofWeights } = one
  const { numHeads: H, numKvHeads: G, headDim: D, scale = 1 / Math.sqrt(D), softcap } = stream.spec.heads
  const [L, S] = [stream.L, source.L]
  const place = part.kind === 'cross' ? 'cross' : stream.stack.slice(0, -1) || undefined
  const first = writers.findIndex(writer => writer.kind === 'head' && writer.layer === layer && writer.place === place)
  const maps = ofWeights.data
  const values = v.data
  const isRead = (/** @type {number} */ r) => dHeads.subarray(r * H * D, (r + 1) * H * D).some(one => one !== 0)
  const rows = Array.from({ length: L }, (_, r) => r).filter(isRead)
  const { disentangled } = stream.spec
  const { positions } = part.attention ?? {}
  const distances =
    disentangled && positions
      ? parts.qkv.scope(() => {
          const { q, k, index } = ofDistances(new ModelOperations(parts.qkv, parts.weights), disentangled, positions, L)
          return { q: q.data.slice(), k: k.data.slice(), index }
        })
      : undefined
  const farRow = (/** @type {number} */ i, /** @type {number} */ j) => distances?.index[i - j + L - 1] ?? 0
  const heads = Array.from({ length: rows.length ? H : 0 }, (_, h) => {
    const g = Math.floor(h / (H / G))
    const q = cut(base.q.data, D, H, h, rows)
    const k = cut(base.k.data, D, G, g)
    const d = cut(dHeads, D, H, h, rows)
    const moves = product(d, cut(values, D, G, g))
    const weights = new Float32Array(rows.length * S)
    const rests = new Float64Array(rows.length)
    for (const [n, r] of rows.entries()) {
      const own = maps.subarray((h * L + r) * S, (h * L + r + 1) * S)
      weights.set(own, n * S)
      // Of a weight near 1, the mean less its own gradient is a sum over the other keys.
      const p = Math.max(0, own.indexOf(Math.max(...own))) // -1 if there is a NaN
      let [mean, move] = [0, 0]
      for (let j = 0; j < S; j++) {
        mean += own[j] * moves[n * S + j]
        move += own[j] * (moves[n * S + p] - moves[n * S + j])
        if (j !== p) rests[n] += own[j]
      }
      for (let j = 0; j < S; j++) moves[n * S + j] -= mean
      moves[n * S + p] = move
    }
    const scores = product(q, k).map(z => z * scale)
    const queryScores = scores.slice()
    const far = distances && { q: cut(distances.q, D, H, h), k: cut(distances.k, D, H, h) }
    if (far) {
      const [ofQueries, ofKeys] = [product(q, far.k), product(k, far.q)]
      const count = far.k.dims[0]
      for (const [n, r] of rows.entries())
        for (let p = 0; p < S; p++) {
          queryScores[n * S + p] += scale * ofQueries[n * count + farRow(r, p)]
          scores[n * S + p] += scale * ofKeys[p * count + farRow(r, p)]
        }
    }
    return { h, g, q, k, d, weights, moves, rests, scores, queryScores, far, to: (first + h) * P }
  })
  return { rows, heads, S, scale, softcap, farRow }
}

/** Applies the soft cap to a score. @param {number} z @param {number | undefined} softcap */
const capped = (z, softcap) => (softcap ? softcap * Math.tanh(z / softcap) : z)

/**
 * Returns the fraction by which a row's weights move towards a key whose score grows by delta: w (e^delta - 1) / (rest + w e^delta). It is 0 if
 * no other key has a weight.
 * @param {number} weight of the key
 * @param {number} rest the sum of the other weights
 * @param {number} delta
 */
function shifted(weight, rest, delta) {
  const size = -Math.abs(delta)
  if (delta > 0) return (weight * -Math.expm1(size)) / (rest * Math.exp(size) + weight) // divided by e^delta, which may overflow
  return rest && (weight * Math.expm1(size)) / (rest + weight * Math.exp(size))
}

/**
 * Adds the edges to keys and, unless isExact, to values. With isExact, an earlier pass has added the edges to values by gradients, because
 * values do not change the attention weights.
 * @param {Reading} reading
 * @param {ReadLayer} read
 * @param {(a: Matrix, b: Matrix) => Float32Array} product
 * @param {AddEdge} add
 * @param {boolean} isExact
 */
function* keyEdges(reading, { rows, heads, S, scale, softcap, farRow }, product, add, isExact) {
  const { stream, changedKeys, projectKeys } = reading
  const { numKvHeads: G, headDim: D } = stream.spec.heads
  for (const chunk of chunksOf(changedKeys, S)) {
    const made = projectKeys(chunk)
    for (const { g, q, d, weights, moves, rests, scores, to, far } of heads) {
      const others = cut(made.k.data, D, G, g)
      const ofKeys = product(q, others) // (R, n * S)
      const ofFar = far && product(others, far.q)
      const ofValues = isExact ? ofKeys : product(d, cut(made.v.data, D, G, g))
      for (const [n, r] of rows.entries())
        for (const [i, { writer }] of chunk.entries())
          for (let p = 0; p < S; p++) {
            const weight = weights[n * S + p]
            if (weight === 0) continue
            const at = (n * chunk.length + i) * S + p
            if (far && ofFar) ofKeys[at] += ofFar[(i * S + p) * far.q.dims[0] + farRow(r, p)]
            const score = scores[n * S + p]
            const move = moves[n * S + p]
            if (isExact) {
              const delta = capped(ofKeys[at] * scale, softcap) - capped(score, softcap)
              add(1, writer, p, to + r, shifted(weight, weight > 0.5 ? rests[n] : 1 - weight, delta) * move)
            } else {
              const slope = softcap ? 1 - Math.tanh(score / softcap) ** 2 : 1
              add(1, writer, p, to + r, weight * move * slope * scale * ofKeys[at])
              add(2, writer, p, to + r, weight * ofValues[at])
            }
          }
    }
    yield []
  }
}

/**
 * Adds the exact edges to queries, which change all scores of a row.
 * @param {Reading} reading
 * @param {ReadLayer} read
 * @param {(a: Matrix, b: Matrix) => Float32Array} product
 * @param {AddEdge} add
 */
function* queryEdges({ stream, changed, project }, { rows, heads, S, scale, softcap, farRow }, product, add) {
  const { L, spec } = stream
  const { numHeads: H, headDim: D } = spec.heads
  for (const chunk of chunksOf(changed, L)) {
    const made = project(chunk)
    for (const { h, k, weights, moves, queryScores: scores, to, far } of heads)
      for (const [i, { writer }] of chunk.entries()) {
        const some = rows.map(r => i * L + r)
        const asking = cut(made.q.data, D, H, h, some)
        const others = product(asking, k) // (R, S)
        const ofFar = far && product(asking, far.k)
        for (const [n, r] of rows.entries())
          for (let p = 0; far && ofFar && p < S; p++) others[n * S + p] += ofFar[n * far.k.dims[0] + farRow(r, p)]
        for (const [n, r] of rows.entries()) {
          const shift = (/** @type {number} */ p) =>
            capped(others[n * S + p] * scale, softcap) - capped(scores[n * S + p], softcap)
          let most = -Infinity
          for (let p = 0; p < S; p++) if (weights[n * S + p]) most = Math.max(most, shift(p))
          let [all, sum] = [0, 0]
          for (let p = 0; p < S; p++) {
            const weight = weights[n * S + p] && weights[n * S + p] * Math.exp(shift(p) - most)
            all += weight
            sum += weight * moves[n * S + p]
          }
          add(0, writer, r, to + r, all && sum / all) // 0 for a query that sees no key
        }
      }
    yield []
  }
}

/** Returns a collector that keeps the edges with the largest |effect|. @param {number} most */
function collect(most) {
  const size = 2 * most
  const [from, to] = [new Uint32Array(size), new Uint32Array(size)]
  const reads = new Uint8Array(size)
  const effects = new Float32Array(size)
  let count = 0
  /** Edges with an |effect| below this are skipped. */
  let least = 0
  /** Drops all edges but the `most` largest. */
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
    /** Returns the kept edges, the largest |effect| first. */
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
