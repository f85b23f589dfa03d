// Computes the words that a lens reads from each layer at each position, and the parts that wrote them. No DOM; loaded on demand.

import { lensAttribution, readout } from 'qkv/interpret'
import { tokenText } from '../run/read-text.js'
import { lensOf } from './sources.js'

/** @import { Hooks, Model, ModelInput } from 'qkv/models' */
/** @import { LensAsked } from '../models.js' */
/** @import { Watch } from './sources.js' */

/** Number of words listed for a state, and of parts listed as writers of a word. */
const TOP = 10
const WRITERS = 8

/**
 * Reads the states of the layers through a lens.
 * @param {Model} model a decoder
 * @param {ModelInput} input
 * @param {Hooks} hooks
 * @param {LensAsked & { pins: readonly number[], first: number }} asked first: index of the first word to read
 * @param {number} most number of words to read
 * @param {Watch} watch
 * @returns {Promise<import('../models.js').LensRead>}
 */
export async function lensGrid(model, input, hooks, { pins, first, ...asked }, most, watch) {
  const own = await lensOf(model, asked, watch)
  if (!own) return { isTooLarge: true }
  const count = /** @type {ArrayLike<number>} */ (input.ids).length
  const positions = Array.from({ length: Math.min(most, count - first) }, (_, n) => first + n)
  const { layers, topIds, topProbabilities, ranks, ids } = await readout(model, own.lens, input, {
    positions,
    topK: Math.min(TOP, Number(model.config.vocab_size)),
    tokens: pins.length ? pins : undefined,
    hooks,
    signal: watch.signal,
  })
  const named = new Set([...topIds.data, ...pins])
  return {
    isTooLarge: false,
    lens: asked.lens,
    first,
    count,
    words: positions.map(at => tokenText(model, ids[at])),
    layers,
    top: topIds.dims[2],
    ids: topIds.data,
    shares: topProbabilities.data,
    ranks: ranks?.data ?? new Int32Array(0),
    names: new Map(Array.from(named, id => [id, tokenText(model, id)])),
    pins: [...pins],
    origin: own.origin,
  }
}

/**
 * Returns the parts that add most to the score of a word, or take most from it, in the state that a lens reads. Also returns the rank of
 * the word in each layer.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Hooks} hooks
 * @param {LensAsked & { layer: number, position: number, token: number }} asked
 * @param {Watch} watch
 * @returns {Promise<import('../models.js').LensWriters>}
 */
export async function lensWriters(model, input, hooks, { layer, position, token, ...asked }, watch) {
  const lens = (await lensOf(model, asked, watch))?.lens ?? 'logit'
  const own = { hooks, signal: watch.signal, tokens: [token] }
  const { layers, ranks } = await readout(model, lens, input, { ...own, positions: [position], topK: 1 })
  const { logits, heads, mlps, embedding } = await lensAttribution(model, lens, input, { ...own, layer, position })
  const H = heads.dims[2]
  // Later layers write nothing into this state.
  const [ofHeads, ofMlps] = [heads.data.subarray(0, (layer + 1) * H), mlps.data.subarray(0, layer + 1)]
  /** @type {import('../models.js').LensWriters['parts']} */
  const parts = [{ kind: 'embedding', layer: 0, head: 0, share: embedding.data[0] }]
  ofHeads.forEach((share, n) => {
    parts.push({ kind: 'head', layer: Math.floor(n / H), head: n % H, share })
  })
  ofMlps.forEach((share, n) => {
    parts.push({ kind: 'mlp', layer: n, head: 0, share })
  })
  const shown = parts.sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, WRITERS)
  const rest = logits[0] - shown.reduce((sum, { share }) => sum + share, 0)
  const ofRanks = /** @type {{ data: Int32Array }} */ (ranks).data
  return { id: token, token: tokenText(model, token), score: logits[0], parts: shown, rest, layers, ranks: ofRanks }
}
