// Which part reads what another part has written: edge attribution for all edges from one backward pass (Syed et al. 2023), and the exact
// effect of one edge (path patching, Wang et al. 2022).

import { readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { Tensor } from '../base/tensor.js'
import { checkSignal } from '../models/inputs.js'
import { Model } from '../models/model.js'
import { copyOf, meanOverRows } from '../models/model-hooks.js'
import { finish, lastNorm, runLayer } from '../models/network.js'
import { inTurns } from '../models/turns.js'
import { keyOf } from '../models/weights.js'
import { layerNormBackward, rmsNormBackward } from '../nn.js'
import { GradientRecorder } from './gradient-recorder.js'
import { inputOf } from './input-of.js'
import { gradientSteps, sizesOf } from './model-gradients.js'
import { readObjective } from './objective.js'
import { recorded } from './recorded-run.js'
import { BranchingOperations, resume, valuesOf } from './resume.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../models/model.js').ModelInput} ModelInput */
/** @typedef {import('../models/network.js').Layer} Layer */
/** @typedef {import('../models/family-shapes/parts.js').NormSpec} NormSpec */
/** @typedef {import('../models/family-shapes/parts.js').LinearSpec} LinearSpec */
/** @typedef {import('../models/family-shapes/parts.js').PartSpec} PartSpec */
/** @typedef {import('./model-gradients.js').Parts} Parts */
/** @typedef {import('./recorded-run.js').RecordedStack} RecordedStack */
/** @typedef {import('./recorded-run.js').RecordedPart} RecordedPart */
/**
 * What writes to the residual stream: the embedding, a head, an MLP.
 * @typedef {{ kind: 'embedding' } | { kind: 'head', layer: number, head: number } | { kind: 'mlp', layer: number }} Writer
 *
 * What reads it: the queries of a head; the keys or values of a key head, which several heads may share; an MLP; the logits.
 * @typedef {{ kind: 'q' | 'k' | 'v', layer: number, head: number } | { kind: 'mlp', layer: number } | { kind: 'logits' }} Reader
 *
 * @typedef {object} EdgeSettings
 * @property {import('./objective.js').Objective} of as of backward
 * @property {import('../models/model.js').Ids} [targets]
 * @property {ModelInput | string} [clean] a text of the same length: what a part wrote there replaces what it wrote here
 * @property {0 | 'mean'} [by] without a clean text: zeros (default), or the mean over the positions
 *
 * @typedef {EdgeSettings & { byPosition?: boolean, signal?: AbortSignal }} EdgesOptions byPosition: an estimate for each position; default
 *   false, their sum
 * @typedef {EdgeSettings & { from: Writer, to: Reader, position?: number }} EdgeOptions position: only what was written there; default all
 *
 * @typedef {object} Edges
 * @property {FloatTensor} effects (writers, readers), or (writers, readers, L): first-order estimates of the change of the objective if only
 *   this reader reads other numbers of this writer; 0 where the writer is not before the reader
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
  const given = readOptions(options, [...SETTINGS, 'byPosition', 'signal'], where)
  const { byPosition = false, signal } = given
  toBoolean(byPosition, `${where}: byPosition`)
  checkSignal(signal, where)
  const task = prepare(model, input, given, where)
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
  const task = prepare(model, input, given, where)
  const { parts, run, L, spec } = task
  const { from, to, position } = given
  const writer = task.writers.findIndex(one => isEqual(one, from))
  const reader = task.readers.findIndex(one => isEqual(one, to))
  if (writer < 0)
    throw new RangeError(
      `${where}: from: ${say(from)} is no writer of this model, such as { kind: 'head', layer: 0, head: 1 }`,
    )
  if (reader < 0)
    throw new RangeError(
      `${where}: to: ${say(to)} is no reader of this model, such as { kind: 'q', layer: 1, head: 0 }`,
    )
  if (!task.isBefore(from, to)) throw new RangeError(`${where}: ${say(from)} does not write before ${say(to)} reads`)
  const p =
    position === undefined
      ? undefined
      : toNumber(position, `${where}: position`, { least: -L, most: L - 1, whole: true })
  const { qkv, weights } = parts
  const d = task.width
  return qkv.scope(() => {
    const { own, stacks, objective, value } = task.entered(where)
    const ops = new BranchingOperations(qkv, weights)
    // What would enter the reader if the writer had written other numbers, and all others the same.
    const delta = task.deltaOf(from)
    const end = to.kind === 'logits' ? spec.layers.length : to.layer
    /** The changed residual stream, from the writer on. @type {Float32Array | undefined} */
    let h
    if (from.kind === 'embedding') h = added(run.first.data, delta, d, p)
    let read = h
    for (let layer = 0; layer <= Math.min(end, spec.layers.length - 1); layer++) {
      const entered = h
      for (const { part, before, added: own } of run.parts[layer]) {
        read = spec.parallel ? entered : h
        const isMlp = part.kind === 'mlp'
        if (layer === end && isMlp === (to.kind === 'mlp')) break
        const isWriter = from.kind !== 'embedding' && layer === from.layer && isMlp === (from.kind === 'mlp')
        if (!h && !isWriter) continue
        h = added(h ?? before.data, own.data, d)
        if (isWriter) h = added(h, delta, d, p)
        if (part.post) h = ops.norm(part.post, new Tensor(h, [1, L, d])).data.slice()
      }
      if (layer < end) read = h
    }
    const x = new Tensor(/** @type {Float32Array} */ (read), [1, L, d])
    if (to.kind === 'logits') {
      const [changed] = valuesOf(parts, objective, lastNorm(spec, '', ops, x), L)
      return { effect: changed - value, value }
    }
    const layer = own[to.layer].own
    const part = /** @type {PartSpec} */ (
      spec.layers[to.layer].find(({ kind }) => (kind === 'mlp') === (to.kind === 'mlp'))
    )
    const name = `layers.${to.layer}.${to.kind === 'mlp' ? 'mlp.output' : `attention.${to.kind}`}`
    /** @type {FloatTensor | undefined} */
    let seen
    const reading = new BranchingOperations(qkv, weights, {
      [name]: y => {
        seen = copyOf(y)
        return y
      },
    })
    const again = { ...layer, call: quiet(layer.call, reading) }
    qkv.scope(() => finish(runLayer(again, [part], x)))
    const made = /** @type {FloatTensor} */ (/** @type {unknown} */ (seen)).data
    const { headDim: D } = spec.heads
    const change = (/** @type {FloatTensor} */ y) => {
      const out = copyOf(y)
      if (to.kind === 'mlp') out.data.set(made)
      else {
        const width = y.dims[2]
        for (let r = 0; r < L; r++) {
          const at = r * width + to.head * D
          out.data.set(made.subarray(at, at + D), at)
        }
      }
      return out
    }
    const y = finish(resume(parts, stacks, { place: '', layer: to.layer, changes: { [name]: change } }))
    const [changed] = valuesOf(parts, objective, y, L)
    return { effect: changed - value, value }
  })
}

/** @param {import('../models/network.js').Call} call @param {import('../models/network.js').ModelOperations} ops */
function quiet(call, ops) {
  const never = () => false
  return {
    ...call,
    ops,
    record: undefined,
    entered: undefined,
    keepWeights: never,
    keepHidden: never,
    keepCross: never,
    lastOnly: false,
  }
}

/** @param {unknown} one @param {any} other */
const isEqual = (one, other) => {
  const { kind, layer, head } = /** @type {any} */ (one)
  return kind === other?.kind && layer === other?.layer && head === other?.head
}

/** @param {any} node */
const say = node =>
  node?.kind ? [node.kind, node.layer, node.head].filter(x => x !== undefined).join(' ') : describe(node)

/** x + rows, or only one of the rows. @param {Float32Array} x @param {Float32Array} rows @param {number} d @param {number} [p] */
function added(x, rows, d, p) {
  const at = p === undefined ? undefined : (p + x.length / d) % (x.length / d)
  return x.map((value, n) => (at === undefined || Math.floor(n / d) === at ? value + rows[n] : value))
}

/** @typedef {ReturnType<typeof prepare>} Task */

/**
 * The run of the text, and how what each part wrote there differs from what replaces it.
 * @param {Model} model
 * @param {unknown} input
 * @param {EdgeSettings} settings
 * @param {string} where
 */
function prepare(model, input, { of, targets, clean, by = 0 }, where) {
  const parts = Model.parts(model)
  const { qkv, family, weights } = parts
  if (family.encoder && family.decoder)
    throw new RangeError(`${where}: ${family.type} is an encoder-decoder, a model with one stack expected`)
  if (!weights.hasHead)
    throw new Error(`${where}: this ${family.type} checkpoint has no head, so it has no answer to explain`)
  if (by !== 0 && by !== 'mean') throw new RangeError(`${where}: by: ${describe(by)} given, 0 or "mean" expected`)
  const spec = /** @type {import('../models/family-shapes/parts.js').StackSpec} */ (family.decoder ?? family.encoder)
  const { heads: H, kvHeads: G, headDim: D } = spec.heads
  const checked = inputOf(model, input, `${where}: input`)
  const recordOf = (/** @type {ModelInput} */ text) =>
    /** @type {RecordedStack} */ (recorded(model, text, {}, where).stacks.get(''))
  const run = recordOf(checked)
  const source = clean === undefined ? undefined : recordOf(inputOf(model, clean, `${where}: clean`))
  const [L, width] = run.first.dims
  if (source && source.first.dims[0] !== L)
    throw new RangeError(
      `${where}: the clean text has ${source.first.dims[0]} tokens, the other one ${L}: give texts of the same length`,
    )
  const replaced = (/** @type {FloatTensor} */ own, /** @type {FloatTensor | undefined} */ other) =>
    other?.data ?? (by === 0 ? new Float32Array(own.data.length) : meanOverRows(own).data)
  const layers = spec.layers.map((_, n) => n)
  const heads = (/** @type {number} */ n) => Array.from({ length: n }, (_, head) => head)
  /** @type {Writer[]} */
  const writers = [
    { kind: 'embedding' },
    ...layers.flatMap(layer => [
      ...heads(H).map(head => ({ kind: /** @type {const} */ ('head'), layer, head })),
      { kind: /** @type {const} */ ('mlp'), layer },
    ]),
  ]
  /** @type {Reader[]} */
  const readers = [
    ...layers.flatMap(layer => [
      ...heads(H).map(head => ({ kind: /** @type {const} */ ('q'), layer, head })),
      ...heads(G).map(head => ({ kind: /** @type {const} */ ('k'), layer, head })),
      ...heads(G).map(head => ({ kind: /** @type {const} */ ('v'), layer, head })),
      { kind: /** @type {const} */ ('mlp'), layer },
    ]),
    { kind: 'logits' },
  ]
  /** Outputs of the heads of a layer with those of one, or of all, replaced. @param {number} layer @param {number} [head] */
  const headsOf = (layer, head) => {
    const [own, other] = [run, source].map(one => one?.parts[layer].find(({ part }) => part.kind !== 'mlp')?.heads)
    const from = replaced(/** @type {FloatTensor} */ (own), other)
    const to = /** @type {FloatTensor} */ (own).data.slice()
    for (let n = 0; n < to.length; n++)
      if (head === undefined || Math.floor((n % (H * D)) / D) === head) to[n] = from[n]
    return to
  }
  /** The difference of what a writer adds. @param {Writer} writer @returns {Float32Array} (L, d) */
  const deltaOf = writer => {
    if (writer.kind === 'embedding') {
      const other = replaced(run.first, source?.first)
      return run.first.data.map((x, n) => other[n] - x)
    }
    const [own, other] = [run, source].map(one =>
      one?.parts[writer.layer].find(({ part }) => (part.kind === 'mlp') === (writer.kind === 'mlp')),
    )
    const { part, added } = /** @type {RecordedPart} */ (own)
    if (writer.kind === 'mlp') {
      const made = replaced(added, other?.added)
      return added.data.map((x, n) => made[n] - x)
    }
    const { o } = /** @type {NonNullable<PartSpec['attention']>} */ (part.attention)
    const made = qkv.scope(() => {
      let y = weights.linear(o).forward({ data: headsOf(writer.layer, writer.head), dims: [L, H * D] })
      if (part.after) y = new BranchingOperations(qkv, weights).norm(part.after, y)
      return copyOf(y)
    })
    return added.data.map((x, n) => made.data[n] - x)
  }
  /** @param {Writer} from @param {Reader} to */
  const isBefore = (from, to) => {
    if (from.kind === 'embedding' || to.kind === 'logits') return true
    if (from.layer !== to.layer) return from.layer < to.layer
    return from.kind === 'head' && to.kind === 'mlp' && !spec.parallel
  }
  /** The run's layers for resume, and the objective. @param {string} where */
  const entered = where => {
    const own = run.layers.map((layer, n) => {
      const h = run.parts[n][0].before
      return { own: layer, h: new Tensor(h.data, [1, ...h.dims]) }
    })
    const objective = readObjective(of, targets, sizesOf(own[0].own, family.vocab), where)
    const ops = new BranchingOperations(qkv, weights)
    const last = /** @type {FloatTensor} */ (run.last)
    const y = lastNorm(spec, '', ops, new Tensor(last.data, [1, ...last.dims]))
    const [value] = valuesOf(parts, objective, y, L)
    return { own, stacks: new Map([['', own]]), objective, value }
  }
  return {
    parts,
    spec,
    input: checked,
    run,
    source,
    L,
    width,
    writers,
    readers,
    deltaOf,
    headsOf,
    isBefore,
    entered,
    of,
    targets,
  }
}

/**
 * @param {Task} task
 * @param {EdgesOptions} options
 * @param {boolean} byPosition
 * @param {string} where
 * @returns {import('../models/network.js').RunSteps<Edges>}
 */
function* edgeSteps(task, options, byPosition, where) {
  const { parts, spec, run, L, width: d, writers, readers } = task
  const { qkv, weights } = parts
  const { heads: H, kvHeads: G, headDim: D } = spec.heads
  if (readers.length * L * d > MOST)
    throw new RangeError(
      `${where}: the gradients of ${readers.length} readers of ${L} tokens take ${readers.length * L * d * 4} bytes: give a shorter text`,
    )
  const bare = spec.layers.map((_, layer) => [`qBare`, `kBare`, `v`].map(what => `layers.${layer}.attention.${what}`))
  const outputs = spec.layers.map((_, layer) => `layers.${layer}.output`)
  const at = /** @type {any} */ ([...bare.flat(), ...outputs])
  const { of, targets } = options
  task.entered(where) // checks the objective
  const { gradients, value } = yield* gradientSteps(parts, task.input, { of, targets, at }, where, true)
  const R = readers.length
  const effects = new Tensor(new Float32Array(writers.length * R * (byPosition ? L : 1)), [
    writers.length,
    R,
    ...(byPosition ? [L] : []),
  ])
  const size = L * d
  /** The gradients by what each reader reads, at the place in the residual stream that is looked at: from the last reader on. */
  const all = new Float32Array(R * size)
  let first = R
  const push = (/** @type {Float32Array} */ rows) => {
    first -= rows.length / size
    all.set(rows, first * size)
  }
  /** Products of differences with the gradients of all readers so far. @param {Float32Array} left (W, L, d) @param {number} W @param {Float32Array} right @param {number} from index of the first writer */
  const score = (left, W, right, from) => {
    const count = R - first
    for (let p = 0; p < (byPosition ? L : 1); p++) {
      const cut = (/** @type {Float32Array} */ x, /** @type {number} */ n) => {
        if (!byPosition) return { data: x, dims: [n, size] }
        const data = new Float32Array(n * d)
        for (let i = 0; i < n; i++) data.set(x.subarray(i * size + p * d, i * size + (p + 1) * d), i * d)
        return { data, dims: [n, d] }
      }
      const { data } = qkv.linear(cut(left, W), cut(right, count))
      for (let w = 0; w < W; w++)
        for (let r = 0; r < count; r++) {
          const to = (from + w) * R + first + r
          effects.data[byPosition ? to * L + p : to] = data[w * count + r]
        }
    }
  }
  /** Gradients before a norm whose input was x. @param {NormSpec} norm @param {Float32Array} x (L, d) @param {Float32Array} g (n, L, d) */
  const back = (norm, x, g) =>
    qkv.scope(() => {
      const n = g.length / x.length
      const wide = new Float32Array(g.length)
      for (let i = 0; i < n; i++) wide.set(x, i * x.length)
      const dims = [g.length / norm.size, norm.size]
      const { weight } = weights.norm(norm)
      const { eps, plusOne } = norm
      const [input, dY] = [wide, g].map(data => ({ data, dims }))
      const { dX } =
        norm.kind === 'layer'
          ? layerNormBackward(qkv, input, weight, dY, { eps })
          : rmsNormBackward(qkv, input, weight, dY, { eps, plusOne })
      return dX.data.slice()
    })
  /** dY W of some of the rows of W, for each head. @param {LinearSpec} linear @param {Float32Array} dY (L, n * D) @param {number} n */
  const throughHeads = (linear, dY, n) => {
    const rows = weights.read(keyOf(linear)) // (n * D, d)
    const out = new Float32Array(n * size)
    for (let h = 0; h < n; h++) {
      const own = new Float32Array(L * D)
      for (let p = 0; p < L; p++) own.set(dY.subarray((p * n + h) * D, (p * n + h + 1) * D), p * D)
      const made = qkv.matmul(
        { data: own, dims: [L, D] },
        { data: rows.subarray(h * D * d, (h + 1) * D * d), dims: [D, d] },
      )
      out.set(made.data, h * size)
    }
    return out
  }
  /** The same behind a norm over all heads, which makes each head read the rows of all. @param {LinearSpec} linear @param {NormSpec} norm @param {Float32Array} raw @param {Float32Array} dY @param {number} n */
  const throughAll = (linear, norm, raw, dY, n) => {
    const only = new Float32Array(n * dY.length)
    for (let h = 0; h < n; h++)
      for (let p = 0; p < L; p++) {
        const at = (p * n + h) * D
        only.set(dY.subarray(at, at + D), h * dY.length + at)
      }
    const made = back(norm, raw, only)
    const rows = { data: weights.read(keyOf(linear)), dims: [linear.out, d] }
    return qkv.matmul({ data: made, dims: [n * L, linear.out] }, rows).data
  }
  const after = (/** @type {number} */ layer) => gradients[outputs[layer]].data
  push(after(spec.layers.length - 1))
  let writer = writers.length
  for (let layer = spec.layers.length - 1; layer >= 0; layer--) {
    const list = run.parts[layer]
    /** Readers of a layer whose parts all read its input: they come after all writers. @type {(() => void)[]} */
    const waiting = []
    for (const one of [...list].reverse()) {
      const { part, before, added } = one
      const entering = spec.parallel ? list[0].before : before
      if (part.post) {
        const x = before.data.map((value, n) => value + added.data[n])
        all.set(back(part.post, x, all.subarray(first * size)), first * size)
      }
      const ofReaders = all.subarray(first * size)
      /** @type {() => void} */
      let read
      if (part.kind === 'mlp') {
        writer--
        score(task.deltaOf({ kind: 'mlp', layer }), 1, ofReaders, writer)
        read = () => {
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
          const direct = part.post
            ? back(
                part.post,
                before.data.map((value, n) => value + added.data[n]),
                after(layer),
              )
            : after(layer)
          push(made.map((value, n) => value - direct[n]))
        }
      } else {
        const { q, k, v, o, qNorm, kNorm } = /** @type {NonNullable<PartSpec['attention']>} */ (part.attention)
        writer -= H
        const heads = task.headsOf(layer)
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
        let right = ofReaders
        if (part.after) {
          const x = weights.linear(o).forward({ data: current, dims: [L, H * D] })
          right = back(part.after, x.data, ofReaders)
        }
        score(left, H, right, writer)
        read = () => {
          const x = part.before ? new BranchingOperations(qkv, weights).norm(part.before, before) : before
          const input = { data: x.data.slice(), dims: [L, d] }
          const made = /** @type {const} */ ([
            [q, qNorm, H],
            [k, kNorm, G],
            [v, undefined, G],
          ]).map(([linear, norm, n], i) => {
            const dY = gradients[bare[layer][i]].data
            const raw = norm && weights.linear(linear).forward(input).data
            const dX =
              raw && norm.size > D
                ? throughAll(linear, norm, raw, dY, n)
                : throughHeads(linear, raw ? back(norm, raw, dY) : dY, n)
            return part.before ? back(part.before, before.data, dX) : dX
          })
          for (const rows of made.reverse()) push(rows)
        }
      }
      if (spec.parallel) waiting.push(read)
      else read()
      yield []
    }
    for (const read of waiting) read()
  }
  score(task.deltaOf({ kind: 'embedding' }), 1, all, 0)
  return { effects, writers, readers, value: /** @type {number} */ (value) }
}
