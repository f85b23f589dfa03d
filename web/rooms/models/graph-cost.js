// What the graph of heads costs: time and memory, said before it is computed. Pure.

import { workOf } from './long-text.js'

/** @typedef {Pick<import('./models.js').OpenModel, 'stacks' | 'parameters' | 'vocab'>} Sizes */

/** Multiplications beyond which the graph waits for the reader: some seconds, by which a model that is small is never asked about. */
const MOST_WORK = 2 ** 35
/** So many runs the passes take, and so many multiplications of a run one for a pair of positions; both were measured at GPT-2 small's size. */
const [PASSES, PAIR] = [20, 4]
/** Bytes of what all parts wrote, beyond which there is no graph. */
const MOST_BYTES = 2 ** 29

/**
 * Seconds, from the time of the run, and bytes, or why there is no graph. A head has a gradient for each pair of positions, which is multiplied
 * with what each part before it wrote.
 * @param {Sizes} model
 * @param {number} tokens
 * @param {number} milliseconds of the run
 * @returns {{ none: import('./models.js').NoGraph } | { isLong: boolean, takes: { seconds: number, bytes: number } }}
 */
export function graphCost(model, tokens, milliseconds) {
  const { encoder, decoder } = model.stacks
  if (encoder && decoder) return { none: 'stacks' }
  const { layers, heads, headDim } = decoder ?? encoder ?? { layers: 0, heads: 0, headDim: 0 }
  const parts = 1 + layers * (heads + 1)
  const width = heads * headDim
  const bytes = 4 * parts * tokens * width
  if (bytes > MOST_BYTES) return { none: 'long' }
  const pairs = layers * heads * tokens * tokens * width * (headDim + parts / 2)
  const run = workOf(model, tokens)
  const work = PASSES * run + PAIR * pairs
  return { isLong: work > MOST_WORK, takes: { seconds: ((milliseconds / 1000) * work) / run, bytes } }
}
