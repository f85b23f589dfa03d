// A long text before it is read: how many tokens it has, how many the model can read here, and how long that takes. No DOM.

import { MOST_KEPT, MOST_MAPS } from './summary-run.js'

/** @typedef {import('./models.js').OpenModel} OpenModel */
/** @typedef {import('./models.js').View} View */

/** A text with more characters is counted before it is read. */
export const LONG = 2000
/** A text that takes more seconds is read when the reader says so. */
export const PATIENCE = 5

/**
 * What a run computes, in multiplications: linear layers for each token, attention for each pair of tokens with what makes its map
 * and scores, and the logits after each layer for one token.
 * @param {Pick<OpenModel, 'stacks' | 'parameters' | 'vocab'>} model
 * @param {number} tokens
 */
export function workOf({ stacks: { encoder, decoder }, parameters, vocab }, tokens) {
  const { layers, heads, headDim } = decoder ?? encoder ?? { layers: 0, heads: 0, headDim: 0 }
  const table = vocab * heads * headDim
  const linear = Math.max(parameters - table, table / 8)
  return tokens * linear + tokens * tokens * layers * heads * (2 * headDim + 16) + (layers + 1) * table
}

/** A text of more tokens than so many times those of the longest run has no time that follows from it. */
const FAR = 100

/** The share of the rate of one product that runs and graphs reach; 0.9 was measured at 12 layers of 384, 64 and 128 tokens. */
export const REACHED = 0.8

/**
 * The seconds that a text takes, from the time of another one: what the shortest run has taken does not grow with the text. The first run
 * of a model is slower than later ones, so the rate of a measured product counts where it is higher.
 * @param {OpenModel} model
 * @param {View['timed']} timed
 * @param {number} tokens
 * @param {number} [rate] multiplications a second of a product
 * @returns {number | undefined}
 */
export function secondsOf(model, timed, tokens, rate = 0) {
  if (timed?.model !== model.id || tokens > FAR * timed.tokens) return undefined
  const { milliseconds, least = 0 } = timed
  const fixed = least < milliseconds ? least : 0
  const work = workOf(model, tokens)
  const ofRuns = (fixed + ((milliseconds - fixed) * work) / workOf(model, timed.tokens)) / 1000
  return Math.min(ofRuns, work / (REACHED * rate))
}

/** Residual streams that a layer holds beside those that are kept: its input, q, k, v, the neurons of its MLP. */
const OF_LAYER = 20
/** Bytes of what a head reports of a token: its largest weights with their keys, and its logSumExp. */
const OF_HEAD = 68

/**
 * The number of tokens that the model can read here: by its positions, and by memory, which holds what leaves each layer, what its
 * heads report and their maps, q and k of all layers as far as they are kept, but no weight of a pair of tokens.
 * @param {OpenModel} model
 * @param {number} mostBytes
 */
export function mostTokens({ positions, stacks: { encoder, decoder }, bytes }, mostBytes) {
  const { layers, heads, kvHeads, headDim } = decoder ?? encoder ?? { layers: 0, heads: 1, kvHeads: 1, headDim: 1 }
  const own = 4 * heads * headDim * (layers + 1 + OF_LAYER) + OF_HEAD * layers * heads
  const kept = 4 * (heads + kvHeads) * headDim * layers
  const room = Math.max(0, mostBytes - bytes - MOST_MAPS)
  return Math.min(positions, Math.floor(Math.max(room / (own + kept), (room - MOST_KEPT) / own)))
}

/** "12 s", "3 min". @param {import('./models.js').Room['t']} t @param {number} seconds */
export const duration = (t, seconds) =>
  seconds > 90
    ? t('modelsLeft.minutes', { count: Math.ceil(seconds / 60) })
    : t('modelsLeft.seconds', { count: Math.ceil(seconds) })
