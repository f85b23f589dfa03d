// Exports a layer's tensors for the room "One layer": queries, keys and values if that room can compute the same weights from them, else
// the weights and values. No DOM.

import { attentionOf, readAt, specOf } from './hooks.js'

/** @import { Stack } from '../../../attention-head/head.js' */
/** @import { Hook } from './hooks.js' */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */
/** @typedef {{ dims: number[], data: number[] }} Plain */

/**
 * @typedef {object} Matrices
 * @property {Record<string, Plain>} tensors q, k, v or weights, v: (heads, rows, columns)
 * @property {number} head index of the head in these tensors
 * @property {'causal' | 'window'} [mask]
 * @property {{ scale?: number, left?: number, right?: number }} settings other settings of the room "One layer"
 */

/** Maximum number of weights of a layer whose heads are all exported; of a larger layer, only one head is exported. */
const MOST_WEIGHTS = 2 ** 22

/**
 * @param {import('qkv/models').Model} model
 * @param {import('qkv/models').ModelInput} input
 * @param {Record<string, Hook>} hooks
 * @param {{ stack: Stack, layer: number, head: number }} at
 * @param {AbortSignal} [signal]
 * @returns {Promise<Matrices>}
 */
export async function matricesOf(model, input, hooks, { stack, layer, head }, signal) {
  const place = attentionOf(stack, layer)
  const spec = specOf(model, stack)
  const { numHeads: H, numKvHeads: G, headDim: D, scale, softcap, causal, windows, relativeBias } = spec
  /** @type {Record<string, Numbers>} */
  const seen = {}
  const all = { ...hooks }
  for (const name of ['q', 'k', 'v', 'weights'])
    readAt(all, place + name, values => {
      seen[name] = values
    })
  await model.forward(input, { hooks: all, logits: 'none', signal })
  const { q, k, v, weights } = seen
  const isCross = stack === 'cross'
  const window = isCross ? undefined : windows[layer]
  const isEdited = ['scores', 'weights'].some(name => Object.hasOwn(hooks, place + name))
  const isOther = isEdited || softcap || (relativeBias && !isCross)
  const chosen = weights.data.length <= MOST_WEIGHTS ? Array.from({ length: H }, (_, h) => h) : [head]
  /**
   * Splits rows, in which the heads lie side by side, into one matrix per head.
   * @param {Numbers} x
   * @param {number} count number of heads
   * @returns {Plain}
   */
  const split = ({ data, dims: [, L] }, count) => ({
    dims: [chosen.length, L, D],
    data: chosen.flatMap(h => {
      const from = Math.floor(h / (H / count)) * D
      return Array.from({ length: L }, (_, i) =>
        Array.from(data.subarray(i * count * D + from, i * count * D + from + D)),
      ).flat()
    }),
  })
  const [, , L, S] = weights.dims
  const maps = chosen.flatMap(h => Array.from(weights.data.subarray(h * L * S, (h + 1) * L * S)))
  const own = chosen.indexOf(head)
  if (isOther)
    return {
      tensors: { weights: { dims: [chosen.length, L, S], data: maps }, v: split(v, G) },
      head: own,
      settings: {},
    }
  /** @type {Matrices['settings']} */
  const settings = Math.abs(scale * Math.sqrt(D) - 1) > 1e-6 ? { scale } : {}
  const tensors = { q: split(q, H), k: split(k, G), v: split(v, G) }
  const sides = causal
    ? { left: Number(window) - 1, right: 0 }
    : { left: Number(window) >> 1, right: Number(window) >> 1 }
  if (window) return { tensors, head: own, mask: 'window', settings: { ...settings, ...sides } }
  return { tensors, head: own, mask: causal && !isCross ? 'causal' : undefined, settings }
}
