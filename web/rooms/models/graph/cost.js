// Estimates the time and memory of the graph of heads before it is computed. Pure.

import { REACHED, workOf } from '../long-text/limits.js'

/** @typedef {Pick<import('../models.js').OpenModel, 'stacks' | 'parameters' | 'vocab'>} Sizes */

/** Number of multiplications (a few seconds) above which the graph needs the reader's consent; small models never reach it. */
const MOST_WORK = 2 ** 35
/**
 * Factors of the work of a graph, measured at the size of GPT-2 small: PASSES * work of a run + READ * work of multiplying the heads with
 * the outputs that they read.
 */
const [PASSES, READ] = [7, 1.3]
/** Maximum bytes for the outputs of all parts; with more, no graph is offered. */
const MOST_BYTES = 2 ** 29

/**
 * Estimates seconds and bytes, or reports that the graph is too large. In each layer, a graph projects the outputs of all earlier parts to
 * keys and values, and multiplies them with the queries and gradients of the layer's heads. The rate is that of the run. Since the first
 * run of a model is slower than later ones, a long graph is estimated with the rate of a measured product if that is higher.
 * @param {Sizes} model
 * @param {number} tokens
 * @param {number} milliseconds time of the run
 * @param {() => number} rateOf measures multiplications per second; called only for a long graph
 * @param {number} [written] tokens of the decoder, for an encoder-decoder
 * @returns {{ isTooLong: true } | { isTooLong?: undefined, isLong: boolean, takes: { seconds: number, bytes: number } }}
 */
export function graphCost(model, tokens, milliseconds, rateOf, written = tokens) {
  const { encoder, decoder } = model.stacks
  const both = encoder && decoder
  /**
   * Returns the number of parts of a stack, the bytes of their outputs, and the work of multiplying its heads with the outputs that they
   * read. A head reads the outputs of all earlier parts; in cross-attention, those of all `encoded` parts of the encoder.
   */
  const sizeOf = (/** @type {typeof encoder} */ stack, /** @type {number} */ rows, encoded = 0) => {
    const { layers, numHeads: heads, headDim } = stack ?? { layers: 0, numHeads: 0, headDim: 0 }
    const width = heads * headDim
    const parts = stack ? 1 + layers * ((encoded ? 2 : 1) * heads + 1) : 0
    const own = (parts / 2) * rows * (width + rows)
    return {
      parts,
      bytes: 4 * parts * rows * width,
      work: 2 * layers * width * (own + encoded * tokens * (width + rows)),
    }
  }
  const first = sizeOf(encoder, tokens)
  const second = sizeOf(decoder, both ? written : tokens, both && first.parts)
  const bytes = first.bytes + second.bytes
  if (bytes > MOST_BYTES) return { isTooLong: true }
  const run = workOf(model, tokens)
  const work = PASSES * run + READ * (first.work + second.work)
  const isLong = work > MOST_WORK
  const ofRun = run / (milliseconds / 1000)
  const rate = isLong ? Math.max(ofRun, REACHED * rateOf()) : ofRun
  return { isLong, takes: { seconds: work / rate, bytes } }
}
