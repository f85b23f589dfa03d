// What each layer says at each word, through a lens, and who wrote it. No DOM; loaded when it is asked for.

import { lensAttribution, readout } from 'qkv/interpret'
import { lensOf } from './lens-sources.js'
import { tokenText } from './read-text.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('qkv/models').ModelInput} ModelInput */
/** @typedef {import('qkv/models').Hooks} Hooks */
/** @typedef {import('./models.js').LensAsked} LensAsked */
/** @typedef {import('./lens-sources.js').Watch} Watch */

/** Words of a state that are named, and parts that wrote one. */
const TOP = 10
const WRITERS = 8

/**
 * @param {Model} model a decoder
 * @param {ModelInput} input
 * @param {Hooks} hooks
 * @param {LensAsked & { pins: readonly number[], first: number }} asked first: the first word that is read
 * @param {number} most words that are read
 * @param {Watch} watch
 * @returns {Promise<import('./models.js').LensRead>}
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
 * Who wrote a word that a lens reads from a state: the parts that add most to its score, or take most from it. With the rank of the word in
 * each layer.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Hooks} hooks
 * @param {LensAsked & { layer: number, position: number, token: number }} asked
 * @param {Watch} watch
 * @returns {Promise<import('./models.js').LensWriters>}
 */
export async function lensWriters(model, input, hooks, { layer, position, token, ...asked }, watch) {
  const lens = (await lensOf(model, asked, watch))?.lens ?? 'logit'
  const own = { hooks, signal: watch.signal, tokens: [token] }
  const { layers, ranks } = await readout(model, lens, input, { ...own, positions: [position], topK: 1 })
  const { logits, heads, mlps, embedding } = await lensAttribution(model, lens, input, { ...own, layer, position })
  const H = heads.dims[2]
  /** @type {import('./models.js').LensWriters['parts']} */
  const parts = [{ kind: 'embedding', layer: 0, head: 0, share: embedding.data[0] }]
  heads.data.forEach((share, n) => {
    parts.push({ kind: 'head', layer: Math.floor(n / H), head: n % H, share })
  })
  mlps.data.forEach((share, n) => {
    parts.push({ kind: 'mlp', layer: n, head: 0, share })
  })
  const shown = parts.sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, WRITERS)
  const rest = logits[0] - shown.reduce((sum, { share }) => sum + share, 0)
  const ofRanks = /** @type {{ data: Int32Array }} */ (ranks).data
  return { id: token, token: tokenText(model, token), score: logits[0], parts: shown, rest, layers, ranks: ofRanks }
}
