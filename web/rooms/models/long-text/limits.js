// Checks a long text before it is run: its number of tokens, how many of them the model can read on this computer, and how long that takes.
// No DOM.

import { MOST_KEPT, MOST_MAPS } from './summary-run.js'

/** @import { OpenModel, View } from '../models.js' */

/** Characters above which a text is tokenized and counted before it is run. */
export const LONG = 2000
/** Seconds above which a run needs the reader's consent. */
export const PATIENCE = 5

/**
 * Estimates the multiplications of a run: linear layers for each token, attention with its maps and scores for each pair of tokens, and the
 * logits after each layer for one token.
 * @param {Pick<OpenModel, 'stacks' | 'parameters' | 'vocab'>} model
 * @param {number} tokens
 */
export function workOf({ stacks: { encoder, decoder }, parameters, vocab }, tokens) {
  const { layers, numHeads: heads, headDim } = decoder ?? encoder ?? { layers: 0, numHeads: 0, headDim: 0 }
  const table = vocab * heads * headDim
  const linear = Math.max(parameters - table, table / 8)
  return tokens * linear + tokens * tokens * layers * heads * (2 * headDim + 16) + (layers + 1) * table
}

/** Maximum number of tokens for which a run time is extrapolated, as a multiple of the tokens of the longest run. */
const FAR = 100

/** Speed of runs and graphs relative to a plain matrix product. Measured: 0.9 with 12 layers of width 384, at 64 and 128 tokens. */
export const REACHED = 0.8

/**
 * Estimates the seconds that a text takes from the time of the longest run. The time of the fastest run counts as a fixed cost, the rest as
 * proportional to the work. The first run of a model is slower than later ones, so the rate of a measured product is used if it gives
 * fewer seconds.
 * @param {OpenModel} model
 * @param {View['timed']} timed
 * @param {number} tokens
 * @param {number} [rate] multiplications per second of a measured product
 * @returns {number | undefined} undefined if the model has not run yet, or only on much shorter texts
 */
export function secondsOf(model, timed, tokens, rate = 0) {
  if (timed?.model !== model.id || tokens > FAR * timed.tokens) return undefined
  const { milliseconds, least = 0 } = timed
  const fixed = least < milliseconds ? least : 0
  const work = workOf(model, tokens)
  const ofRuns = (fixed + ((milliseconds - fixed) * work) / workOf(model, timed.tokens)) / 1000
  return Math.min(ofRuns, work / (REACHED * rate))
}

/** Working memory of a layer, in multiples of the residual stream: its input, q, k, v and the neurons of its MLP. */
const OF_LAYER = 20
/** Bytes per token of a head's summary: the largest weights with their keys, and the logSumExp. */
const OF_HEAD = 68

/**
 * Returns the number of tokens that the model can read on this computer, limited by its positions and by memory. Memory holds each layer's
 * output, the summaries and maps of its heads, and q and k as far as they are cached, but not the weights of all pairs of tokens.
 * @param {OpenModel} model
 * @param {number} mostBytes
 */
export function mostTokens({ positions, stacks: { encoder, decoder }, bytes }, mostBytes) {
  const {
    layers,
    numHeads: heads,
    numKvHeads,
    headDim,
  } = decoder ?? encoder ?? { layers: 0, numHeads: 1, numKvHeads: 1, headDim: 1 }
  const own = 4 * heads * headDim * (layers + 1 + OF_LAYER) + OF_HEAD * layers * heads
  const kept = 4 * (heads + numKvHeads) * headDim * layers
  const room = Math.max(0, mostBytes - bytes - MOST_MAPS)
  return Math.min(positions, Math.floor(Math.max(room / (own + kept), (room - MOST_KEPT) / own)))
}

/** Formats a duration, such as "12 s" or "3 min". @param {import('../models.js').Room['t']} t @param {number} seconds */
export const duration = (t, seconds) =>
  seconds > 90
    ? t('modelsLeft.minutes', { count: Math.ceil(seconds / 60) })
    : t('modelsLeft.seconds', { count: Math.ceil(seconds) })
