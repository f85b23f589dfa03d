// What the graph of heads costs: time and memory, said before it is computed. Pure.

import { REACHED, workOf } from './long-text.js'

/** @typedef {Pick<import('./models.js').OpenModel, 'stacks' | 'parameters' | 'vocab'>} Sizes */

/** Multiplications beyond which the graph waits for the reader: some seconds, by which a model that is small is never asked about. */
const MOST_WORK = 2 ** 35
/** So many runs the passes take, and so many multiplications of a run one of what heads read; both were measured at GPT-2 small's size. */
const [PASSES, READ] = [7, 1.3]
/** Bytes of what all parts wrote, beyond which there is no graph. */
const MOST_BYTES = 2 ** 29

/**
 * Seconds and bytes, or that there is no graph. The first run of a model is slower than later ones, so a long graph has the rate of a
 * measured product where that is higher. Each layer makes keys and values of what each part before it wrote, and
 * multiplies them with the queries and gradients of its heads.
 * @param {Sizes} model
 * @param {number} tokens
 * @param {number} milliseconds of the run
 * @param {() => number} rateOf multiplications a second of a product; called for a long graph
 * @param {number} [written] tokens of the decoder, of an encoder-decoder
 * @returns {{ isTooLong: true } | { isTooLong?: undefined, isLong: boolean, takes: { seconds: number, bytes: number } }}
 */
export function graphCost(model, tokens, milliseconds, rateOf, written = tokens) {
  const { encoder, decoder } = model.stacks
  const both = encoder && decoder
  /** The parts of a stack, and the products of its heads with what is read: of its own parts those before, of an encoder all. */
  const sizeOf = (/** @type {typeof encoder} */ stack, /** @type {number} */ rows, encoded = 0) => {
    const { layers, heads, headDim } = stack ?? { layers: 0, heads: 0, headDim: 0 }
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
