// Runs one text and records what each part of each layer read from the residual stream and added to it, in arrays outside the module's
// memory.

import { readOptions } from '../../base/arguments.js'
import { entryOf } from '../../base/entry.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { applyHook, checkHooks } from '../../models/run/model-hooks.js'
import { finish, projectionsOf } from '../../models/run/network.js'
import { stackNames } from '../../models/run/stacks.js'
import { keyOf } from '../../models/weights/weights.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Hooks, ModelInput } from '../../models/model.js' */
/** @import { Layer } from '../../models/run/network.js' */
/** @import { PartSpec } from '../../models/family-shapes/parts.js' */
/** @typedef {ReturnType<typeof Model.parts>} Parts */

/**
 * The record of one part of a layer; dims without the batch.
 * @typedef {object} RecordedPart
 * @property {PartSpec} part
 * @property {FloatTensor} before the residual stream before the part (L, d)
 * @property {FloatTensor} added what the part added to the residual stream (L, d)
 * @property {FloatTensor} heads outputs of the heads (L, H * D); heads, v and weights exist for attention only
 * @property {FloatTensor} v values (S, G * D)
 * @property {FloatTensor} weights (H, L, S)
 * @property {FloatTensor} [written] what each head would write if it attended to one key alone (H, S, d), computed at first use
 *
 * @typedef {object} RecordedStack
 * @property {import('../../models/family-shapes/parts.js').StackSpec} spec
 * @property {Layer[]} layers
 * @property {RecordedPart[][]} parts of each layer that ran
 * @property {FloatTensor} first input of the first layer (L, d)
 * @property {FloatTensor} last output of the last layer, if it ran
 */

/** A recorded run for scoreAttribution. Its fields are not public. */
export class RecordedRun {
  /** @internal @param {Model} model @param {Map<string, RecordedStack>} stacks @param {string[]} hooked */
  constructor(model, stacks, hooked) {
    /** @internal */
    this.model = model
    /** @internal */
    this.stacks = stacks
    /** @internal The places that had hooks, which may have changed the residual stream. */
    this.hooked = hooked
  }
}

/** Copies a tensor and drops its batch dimension. @param {FloatTensor} x */
const own = x => new Tensor(x.data.slice(), x.dims.slice(1))

/**
 * Runs a model on one text and keeps what scoreAttribution needs, outside the module's memory. Many attention weights of the text can then
 * be explained without another run.
 * @param {Model} model
 * @param {string | ModelInput} input
 * @param {{ hooks?: Hooks, until?: number }} [options] as in forward
 * @returns {Promise<RecordedRun>}
 */
export async function recordRun(model, input, options = {}) {
  const { hooks, until } = readOptions(options, ['hooks', 'until'], 'recordRun')
  return recorded(model, input, { hooks, until }, 'recordRun')
}

/**
 * Runs a model on one text and records what each part read and added.
 * @param {Model} model
 * @param {string | ModelInput} input
 * @param {{ hooks?: Hooks, until?: number }} options
 * @param {string} where
 */
export function recorded(model, input, { hooks, until }, where) {
  const parts = Model.parts(model)
  const { qkv, family } = parts
  const names = stackNames(family)
  const given = checkHooks(hooks, names) ?? {}
  /** @type {Map<string, RecordedStack>} */
  const stacks = new Map()
  /** @type {Map<string, FloatTensor>} */
  const values = new Map()
  const all = { ...given }
  for (const { stack, spec } of names)
    for (const [layer, parts] of spec.layers.entries())
      for (const { kind } of parts) {
        if (kind === 'mlp') continue
        const place = `${stack}layers.${layer}.${kind}.v`
        all[place] = x => {
          const made = applyHook(given, place, () => x) ?? x
          values.set(place, own(made))
          return made
        }
      }
  const entered = (/** @type {Layer} */ layer, /** @type {FloatTensor} */ h) => {
    const { place } = layer.call
    if (h.dims[0] !== 1) throw new RangeError(`${where}: expected one text, got ${h.dims[0]}`)
    if (layer.call.read.marked)
      throw new RangeError(
        `${where}: expected a globalAttentionMask of 0 for all tokens; tokens with global attention are not covered`,
      )
    const stack = stacks.get(place)
    if (!stack) {
      /** @type {Omit<RecordedStack, 'last'>} */
      const made = { spec: layer.stack, layers: [layer], parts: [], first: own(h) }
      stacks.set(place, /** @type {RecordedStack} */ (made))
    } else if (layer.layer < layer.stack.layers.length) stack.layers.push(layer)
    else stack.last = own(h)
  }
  /** @type {FloatTensor | undefined} */
  let heads
  const record = (/** @type {import('../../models/run/network.js').Seen} */ seen) => {
    const { part, layer = 0, place } = seen
    if (part && seen.heads) heads = own(seen.heads)
    else if (part && seen.before && seen.added) {
      const stack = entryOf(stacks, place)
      stack.parts[layer] ??= []
      const kept = {
        part,
        before: own(seen.before),
        added: own(seen.added),
        heads: part.kind === 'mlp' ? undefined : heads,
      }
      const v = values.get(`${place}layers.${layer}.${part.kind}.v`)
      stack.parts[layer].push(/** @type {RecordedPart} */ ({ ...kept, v }))
    }
  }
  const ran = qkv.scope(() =>
    finish(
      parts.steps(
        input,
        { hooks: all, until, keep: ['attentions', 'crossAttentions', 'encoderAttentions'], logits: 'none' },
        { record, entered },
      ),
    ),
  )
  for (const [place, { parts }] of stacks)
    for (const [layer, list] of parts.entries())
      for (const one of list) {
        const { kind } = one.part
        const maps =
          kind === 'cross' ? ran.crossAttentions : place === 'encoder.' ? ran.encoderAttentions : ran.attentions
        if (kind !== 'mlp') one.weights = own(/** @type {FloatTensor} */ (maps[layer]))
      }
  return new RecordedRun(model, stacks, Object.keys(given))
}

/**
 * Returns what each head of a part would write to the residual stream if it attended only to one key, without the bias, (H, S, d).
 * @param {Parts} parts
 * @param {RecordedStack} stack
 * @param {RecordedPart} one
 * @returns {FloatTensor}
 */
export function writtenBy({ qkv, weights }, { spec }, one) {
  if (one.written) return one.written
  const { numHeads: H, numKvHeads: G, headDim: D } = spec.heads
  const { o } = projectionsOf(one.part)
  const rows = weights.read(keyOf(o)) // (d, H * D)
  const [S, width] = one.v.dims
  const values = one.v.data
  const d = o.out
  const out = new Float32Array(H * S * d)
  const column = new Float32Array(d * D)
  const value = new Float32Array(S * D)
  for (let h = 0; h < H; h++) {
    for (let n = 0; n < d; n++) column.set(rows.subarray(n * H * D + h * D, n * H * D + (h + 1) * D), n * D)
    const from = Math.floor(h / (H / G)) * D
    for (let s = 0; s < S; s++) value.set(values.subarray(s * width + from, s * width + from + D), s * D)
    out.set(qkv.linear({ data: value, dims: [S, D] }, { data: column, dims: [d, D] }).data, h * S * d)
  }
  one.written = new Tensor(out, [H, S, d])
  return one.written
}
