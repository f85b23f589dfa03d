// A long text before it is read: how many tokens it has, how many the model can read here, and how long that takes. No DOM.

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

/** The seconds that a text takes, from the time of another one. @param {OpenModel} model @param {View['timed']} timed @param {number} tokens @returns {number | undefined} */
export const secondsOf = (model, timed, tokens) =>
  timed?.model === model.id
    ? ((timed.milliseconds / 1000) * workOf(model, tokens)) / workOf(model, timed.tokens)
    : undefined

/**
 * The number of tokens that the model can read here: by its positions, and by memory, which holds the weights of one layer.
 * @param {OpenModel} model
 * @param {number} mostBytes
 */
export function mostTokens({ positions, stacks: { encoder, decoder }, bytes }, mostBytes) {
  const { heads } = decoder ?? encoder ?? { heads: 1 }
  return Math.min(positions, Math.floor(Math.sqrt(Math.max(0, mostBytes - bytes) / (8 * heads))))
}
