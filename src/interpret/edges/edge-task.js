// Collects what edges are computed from: the recorded run of a text, its writers and readers, and how much each writer's output changes.

import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { copyOf, meanOverRows } from '../../models/run/model-hooks.js'
import { lastNorm, projectionsOf } from '../../models/run/network.js'
import { stackNames } from '../../models/run/stacks.js'
import { sizesOf } from '../gradients/model-gradients.js'
import { readObjective } from '../gradients/objective.js'
import { inputOf } from '../input-of.js'
import { recorded } from '../parts/recorded-run.js'
import { BranchingOperations, valuesOf } from '../patching/resume.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { ModelInput } from '../../models/model.js' */
/** @import { RecordedPart, RecordedStack } from '../parts/recorded-run.js' */
/**
 * A part that writes to a residual stream: the embedding, a head or an MLP. For an encoder-decoder, `place` is the part's stack, or 'cross'
 * for a head of cross-attention; default 'decoder'.
 * @typedef {{ kind: 'embedding', place?: 'encoder' | 'decoder' } | { kind: 'head', layer: number, head: number, place?: 'encoder' | 'decoder' | 'cross' }
 *   | { kind: 'mlp', layer: number, place?: 'encoder' | 'decoder' }} Writer
 *
 * A part that reads the residual stream: the queries of a head; the keys or values of a key head, which several heads may share; an MLP;
 * the logits. Keys and values of cross-attention read the output of the encoder.
 * @typedef {{ kind: 'q' | 'k' | 'v', layer: number, head: number, place?: 'encoder' | 'decoder' | 'cross' }
 *   | { kind: 'mlp', layer: number, place?: 'encoder' | 'decoder' } | { kind: 'logits' }} Reader
 *
 * @typedef {object} EdgeSettings
 * @property {import('../gradients/objective.js').LogitObjective} of as in backward
 * @property {import('../../models/model.js').Ids} [targets]
 * @property {ModelInput | string} [clean] a text of the same length as `input`. What a writer writes in the run of `clean` replaces what it
 *   writes in the run of `input`
 * @property {0 | 'mean'} [by] the replacement without a clean text: zeros (default), or the mean over the positions
 */
/**
 * The residual stream of a stack.
 * @typedef {object} Stream
 * @property {string} stack prefix of its places: '', 'encoder.' or 'decoder.'
 * @property {import('../../models/family-shapes/parts.js').StackSpec} spec
 * @property {RecordedStack} run
 * @property {RecordedStack} [source] the run of the clean text
 * @property {number} L number of positions
 */

/** True if a reader reads the output of the encoder. @param {Reader} to */
export const readsEncoded = to => (to.kind === 'k' || to.kind === 'v') && to.place === 'cross'

/** Returns the kind of part that a writer or reader belongs to. @param {Writer | Reader} node */
export const partKind = node =>
  node.kind === 'mlp' ? 'mlp' : 'place' in node && node.place === 'cross' ? 'cross' : 'attention'

/** @param {unknown} node */
export function say(node) {
  const { place, kind, layer, head } = Object(node)
  if (!kind) return describe(node)
  return [place, kind, [layer, head].filter(x => x !== undefined).join('.')].filter(Boolean).join(' ')
}

/** Returns the place of a node of an encoder-decoder. @param {Writer | Reader} node */
const placeOf = node => ('place' in node ? node.place : undefined)

/** Runs a text, lists its writers and readers, and computes the change of what each writer adds. */
export class EdgeTask {
  #settings
  #where

  /**
   * @param {Model} model
   * @param {unknown} input
   * @param {EdgeSettings} settings
   * @param {string} where
   */
  constructor(model, input, settings, where) {
    this.#settings = settings
    this.#where = where
    const { clean, by = 0 } = settings
    this.parts = Model.parts(model)
    const { family, weights } = this.parts
    if (!weights.hasHead)
      throw new Error(`${where}: this ${family.type} checkpoint has no head, so it has no answer to explain`)
    if (by !== 0 && by !== 'mean') throw new RangeError(`${where}: by: expected 0 or "mean", got ${describe(by)}`)
    this.input = inputOf(input, `${where}: input`)
    const run = recorded(model, this.input, {}, where)
    const other = clean === undefined ? undefined : recorded(model, inputOf(clean, `${where}: clean`), {}, where)
    /** @type {Stream[]} */
    this.streams = stackNames(family).map(({ stack, spec }) => {
      const own = entryOf(run.stacks, stack)
      const source = other?.stacks.get(stack)
      const [L] = own.first.dims
      if (source && source.first.dims[0] !== L)
        throw new RangeError(
          `${where}: ${stack ? `in the ${stack.slice(0, -1)} ` : ''}the clean text has ${source.first.dims[0]} tokens, the other one ${L}: give texts of the same length`,
        )
      return { stack, spec, run: own, source, L }
    })
    const { writers, readers } = nodesOf(this.streams)
    this.writers = writers
    this.readers = readers
    this.width = family.width
  }

  /** Returns the stream of the stack that computes the logits. */
  get #last() {
    return this.streams[this.streams.length - 1]
  }

  /** Returns the number of positions of the stack that computes the logits. */
  get rows() {
    return this.#last.L
  }

  /** Returns the index in `list` of the writer or reader that an option describes; -1 if there is none. @param {(Writer | Reader)[]} list @param {unknown} node */
  indexOf(list, node) {
    const asked = Object(node)
    const isBoth = this.streams.length > 1
    const place = isBoth && asked.kind !== 'logits' ? (asked.place ?? 'decoder') : asked.place
    return list.findIndex(one => {
      /** @type {{ kind: string, layer?: number, head?: number }} */
      const { kind, layer, head } = one
      return kind === asked.kind && layer === asked.layer && head === asked.head && placeOf(one) === place
    })
  }

  /** Returns the stream of the stack to which a node belongs. @param {Writer | Reader} node */
  streamOf(node) {
    return placeOf(node) === 'encoder' ? this.streams[0] : this.#last
  }

  /** Returns the stream that a reader reads. @param {Reader} to */
  readFrom(to) {
    return readsEncoded(to) ? this.streams[0] : this.streamOf(to)
  }

  /** True if a writer writes before a reader reads, in the same stream. @param {Writer} from @param {Reader} to */
  isBefore(from, to) {
    const stream = this.streamOf(from)
    if (stream !== this.readFrom(to)) return false
    if (from.kind === 'embedding' || to.kind === 'logits' || readsEncoded(to)) return true
    if (from.layer !== to.layer) return from.layer < to.layer
    const [a, b] = [from, to].map(node => stream.spec.layers[to.layer].findIndex(({ kind }) => kind === partKind(node)))
    return a < b && !stream.spec.parallel
  }

  /**
   * Returns the numbers that replace `own`: those of the clean text, the mean of `own` over the positions, or zeros.
   * @param {FloatTensor} own numbers of the run
   * @param {FloatTensor | undefined} clean the numbers at the same place in the run of the clean text
   */
  #replaced(own, clean) {
    if (clean) return clean.data
    return this.#settings.by === 'mean' ? meanOverRows(own).data : new Float32Array(own.data.length)
  }

  /**
   * Returns the head outputs of a part after replacing those of `head`, or those of all heads if none is given.
   * @param {Stream} stream
   * @param {number} layer
   * @param {string} kind
   * @param {number} [head]
   */
  headsOf(stream, layer, kind, head) {
    const [{ heads: own }, other] = recordsOf(stream, layer, kind)
    const clean = other?.heads
    const { numHeads: H, headDim: D } = stream.spec.heads
    const from = this.#replaced(own, clean)
    const to = own.data.slice()
    for (let n = 0; n < to.length; n++)
      if (head === undefined || Math.floor((n % (H * D)) / D) === head) to[n] = from[n]
    return to
  }

  /** Returns the change of what a writer adds to the residual stream. @param {Writer} writer @returns {Float32Array} (L, d) */
  deltaOf(writer) {
    const { qkv, weights } = this.parts
    const stream = this.streamOf(writer)
    const { run, source, L } = stream
    if (writer.kind === 'embedding') {
      const made = this.#replaced(run.first, source?.first)
      return run.first.data.map((x, n) => made[n] - x)
    }
    const kind = partKind(writer)
    const [own, clean] = recordsOf(stream, writer.layer, kind)
    const { part, added } = own
    if (writer.kind === 'mlp') {
      const made = this.#replaced(added, clean?.added)
      return added.data.map((x, n) => made[n] - x)
    }
    const { o } = projectionsOf(part)
    const data = this.headsOf(stream, writer.layer, kind, writer.head)
    const made = qkv.scope(() => {
      let y = weights.linear(o).forward({ data, dims: [L, data.length / L] })
      if (part.after) y = new BranchingOperations(qkv, weights).norm(part.after, y)
      return copyOf(y)
    })
    return added.data.map((x, n) => made.data[n] - x)
  }

  /** Returns the inputs of the layers for `resume`, the objective, and its value. */
  entered() {
    const { parts } = this
    const { qkv, family, weights } = parts
    const { of, targets } = this.#settings
    const last = this.#last
    const stacks = new Map(
      this.streams.map(({ stack, run }) => [
        stack,
        run.layers.map((own, n) => {
          const { data, dims } = run.parts[n][0].before
          return { own, h: new Tensor(data, [1, ...dims]) }
        }),
      ]),
    )
    const objective = readObjective(of, targets, sizesOf(last.run.layers[0], family.vocab), this.#where, parts, false)
    const value = qkv.scope(() => {
      const { data, dims } = last.run.last
      const y = lastNorm(last.spec, '', new BranchingOperations(qkv, weights), new Tensor(data, [1, ...dims]))
      return valuesOf(parts, objective, y, last.L)[0]
    })
    return { stacks, objective, value }
  }
}

/**
 * Returns the records of a part in the run of the text and in the run of the clean text, if there is one.
 * @param {Stream} stream
 * @param {number} layer
 * @param {string} kind
 * @returns {[RecordedPart, RecordedPart | undefined]}
 */
function recordsOf({ run, source }, layer, kind) {
  const [own, clean] = [run, source].map(one => one?.parts[layer].find(({ part }) => part.kind === kind))
  return [present(own), clean]
}

/** The three inputs of an attention, each of which is a reader. @type {('q' | 'k' | 'v')[]} */
const INPUTS = ['q', 'k', 'v']

/** Lists all writers and readers, in the order in which they write and read. @param {Stream[]} streams */
function nodesOf(streams) {
  /** @type {Writer[]} */
  const writers = []
  /** @type {Reader[]} */
  const readers = []
  for (const { stack, spec } of streams) {
    /** @template {'encoder' | 'decoder' | 'cross'} P @param {P} place @returns {{ place?: P }} */
    const at = place => (stack ? { place } : {})
    const own = stack === 'encoder.' ? 'encoder' : 'decoder'
    const { numHeads: H, numKvHeads: G } = spec.heads
    writers.push({ kind: 'embedding', ...at(own) })
    for (const [layer, list] of spec.layers.entries())
      for (const part of list) {
        if (part.kind === 'mlp') {
          writers.push({ kind: 'mlp', layer, ...at(own) })
          readers.push({ kind: 'mlp', layer, ...at(own) })
          continue
        }
        const place = at(part.kind === 'cross' ? 'cross' : own)
        for (let head = 0; head < H; head++) writers.push({ kind: 'head', layer, head, ...place })
        for (const kind of INPUTS)
          for (let head = 0; head < (kind === 'q' ? H : G); head++) readers.push({ kind, layer, head, ...place })
      }
  }
  readers.push({ kind: 'logits' })
  return { writers, readers }
}
