// Finds which part uses the output of which earlier part: estimates the effects of all edges from one backward pass (Syed et al. 2023), or
// computes the exact effect of one edge (path patching, Wang et al. 2022).

import { oneOf, readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { checkSignal } from '../../models/run/inputs.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { finish, lastNorm, projectionsOf, runLayer } from '../../models/run/network.js'
import { inTurns } from '../../models/run/turns.js'
import { BranchingOperations, quiet, resume, valuesOf } from '../patching/resume.js'
import { edgeSteps } from './edge-estimates.js'
import { EdgeTask, partKind, readsEncoded, say } from './edge-task.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Model, ModelInput } from '../../models/model.js' */

/** @import { EdgeSettings, Reader, Writer } from './edge-task.js' */
/**
 * @typedef {EdgeSettings & { byPosition?: boolean, weights?: 'gradient' | 'exact', signal?: AbortSignal }} EdgesOptions byPosition: true
 *   for an estimate at each position instead of the sum over positions. weights: how the effect of q and k on attention weights is
 *   computed, by the gradient of the softmax (default) or exactly, which takes longer
 * @typedef {EdgeSettings & { from: Writer, to: Reader, position?: number }} EdgeOptions position: changes only what the writer wrote there;
 *   default all positions
 *
 * @typedef {object} Edges
 * @property {FloatTensor} effects (writers, readers), or (writers, readers, L) where L is that of the longer text of an encoder-decoder. An
 *   effect is a first-order estimate of the change of the objective if only this reader gets other numbers from this writer; 0 if the
 *   writer does not come before the reader
 * @property {Writer[]} writers
 * @property {Reader[]} readers
 * @property {number} value of the objective
 */

const SETTINGS = ['of', 'targets', 'clean', 'by']

/**
 * Estimates the effects of all edges by gradients.
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
      `${where}: byPosition: changes of keys at several positions do not sum in a softmax: use weights: 'gradient'`,
    )
  checkSignal(signal, where)
  const task = new EdgeTask(model, input, given, where)
  const { gradients: _, ...found } = await inTurns(task.parts.qkv, edgeSteps(task, given, byPosition, where), {
    signal,
    layers: 0,
  })
  return found
}

/**
 * Computes the exact effect of one edge: only the reader gets other numbers from the writer, and everything after the reader runs again.
 * @param {Model} model
 * @param {ModelInput | string} input
 * @param {EdgeOptions} options
 * @returns {Promise<{ effect: number, value: number }>} value: the objective without the change
 */
export async function edge(model, input, options) {
  const where = 'edge'
  const given = readOptions(options, [...SETTINGS, 'from', 'to', 'position'], where)
  const task = new EdgeTask(model, input, given, where)
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
    const part = present(own.spec.layers[layer].find(one => one.kind === kind))
    const name = `${own.stack}layers.${layer}.${kind}.${to.kind === 'mlp' ? 'output' : to.kind}`
    /** Output of the reader on the changed stream. @type {Float32Array} */
    let made
    if (readsEncoded(to)) {
      const { k, v } = projectionsOf(part)
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
 * Returns what the input of a reader would be if the writer had written other numbers and every other part had written what it wrote in the
 * run.
 * @param {EdgeTask} task
 * @param {BranchingOperations} ops
 * @param {Writer} from
 * @param {Reader} to
 * @param {number} [p] if given, only what was written at this position changes
 */
export function readBy(task, ops, from, to, p) {
  const { spec, run, L } = task.streamOf(from)
  const { layers } = spec
  const d = task.width
  const delta = task.deltaOf(from)
  const end = to.kind === 'logits' || readsEncoded(to) ? layers.length : to.layer
  /** The changed residual stream, starting at the writer. @type {Float32Array | undefined} */
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
  return { spec, x: new Tensor(read, [1, L, d]) }
}

/**
 * Returns x + rows, or x with only row p of `rows` added.
 * @param {Float32Array} x
 * @param {Float32Array} rows
 * @param {number} d
 * @param {number} [p]
 */
function added(x, rows, d, p) {
  const at = p === undefined ? undefined : (p + x.length / d) % (x.length / d)
  return x.map((value, n) => (at === undefined || Math.floor(n / d) === at ? value + rows[n] : value))
}
