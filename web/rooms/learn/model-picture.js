// Computes the picture of a model: its answer to the reader's input, with the weights of every head. Shapes: H heads, L queries, S keys.

import { weightsOfFirst } from './attention-parts.js'
import { sharesOf } from './logit-shares.js'
import { answerInPlace, argmax } from './tasks/batch.js'

/** @import { Run } from './tasks/task.js' */

/** @typedef {{ data: Float32Array, dims: readonly number[] }} Weights */
/** Attention weights of a layer, (H, L, S) and per head (L, S), with the labels of their rows and columns. @typedef {Weights & { heads: Weights[], rows: string[], columns: string[] }} LayerShown */

/**
 * A model's answer to an input.
 * @typedef {object} Shown
 * @property {string} probe the input as it was parsed
 * @property {string[]} tokens of the input
 * @property {string[]} answers a token for each answering position
 * @property {{ token: string, share: number }[]} next the most likely tokens at the last answering position, with their probabilities
 * @property {LayerShown[]} layers
 * @property {string} [continued] tokens that the model generates after the input
 * @property {import('./logit-shares.js').Why} [why] explanation of one answer, if requested
 * @property {import('./tasks/task.js').TaskProblem} [trouble] why the input was rejected, in which case the default input is shown
 */

/** A forward pass with its picture. @typedef {import('./tasks/task.js').Answered & { shown: Shown }} ShownForward */

/** Number of most likely tokens shown. */
const MOST = 5

/** Sorts all tokens by probability, the most likely first. @param {Float32Array} data @param {number} from @param {number} n */
function likeliest(data, from, n) {
  const values = data.subarray(from, from + n)
  const most = values.reduce((a, b) => Math.max(a, b))
  const sum = values.reduce((total, value) => total + Math.exp(value - most), 0)
  return Array.from(values, (value, id) => ({ id, share: Math.exp(value - most) / sum })).sort(
    (a, b) => b.share - a.share,
  )
}

/**
 * Runs the model on an input.
 * @param {import('qkv').Qkv} qkv
 * @param {Run} run
 * @param {string} given
 * @param {{ why?: number | null, write?: number }} [asked] why: index of the answer to explain; write: number of tokens to generate
 * @returns {Shown}
 */
export const shownOf = (qkv, run, given, asked = {}) => forwardShown(qkv, run, given, asked).shown

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Run} run
 * @param {string} given
 * @param {{ why?: number | null, write?: number }} [asked]
 * @returns {ShownForward}
 */
export function forwardShown(qkv, run, given, { why = null, write = 0 } = {}) {
  const { task, shape } = run
  const tokens = task.tokens(shape)
  const read = tokens.read(given || tokens.first)
  const isRead = Array.isArray(read)
  const ids = isRead ? read : /** @type {number[]} */ (tokens.read(tokens.first))
  const { name, inputName = name } = tokens
  const written = write && task.write ? task.write(run, ids, write).map(name).join('') : undefined
  const answered = (task.answer ?? answerInPlace)(run, ids)
  const { forward, from, to } = answered
  const { data } = forward.logits
  const V = shape.outputs
  const inputs = Array.from(answered.inputs, inputName)
  const answers = Array.from({ length: to - from }, (_, i) => name(argmax(data, (from + i) * V, V)))
  /** @type {Shown} */
  const shown = {
    probe: isRead && given ? given.trim() || given : tokens.first,
    tokens: inputs,
    answers,
    next: likeliest(data, Math.max(from, to - 1) * V, V)
      .slice(0, MOST)
      .map(({ id, share }) => ({ token: name(id), share })),
    layers: forward.layers.map((layer, l) => {
      const rows = run.blocks[l] === 'cross' ? answers : inputs
      const { data, dims } = weightsOfFirst(qkv, layer).slice(1, 0, rows.length).slice(2, 0, inputs.length)
      const size = rows.length * inputs.length
      const heads = Array.from({ length: dims[0] }, (_, head) => ({
        data: data.subarray(head * size, (head + 1) * size),
        dims: dims.slice(1),
      }))
      return { data, dims, heads, rows, columns: inputs }
    }),
  }
  if (written !== undefined) shown.continued = written
  if (why !== null) shown.why = explained(qkv, run, answered, shown, why)
  if (!isRead) shown.trouble = read
  return { ...answered, shown }
}

/** @param {import('qkv').Qkv} qkv @param {Run} run @param {import('./tasks/task.js').Answered} answered @param {Shown} shown @param {number} why */
function explained(qkv, run, { forward, from }, { answers, layers }, why) {
  const answer = Math.min(Math.max(0, why), answers.length - 1)
  const row = from + answer
  const { shape, task } = run
  const all = likeliest(forward.logits.data, row * shape.outputs, shape.outputs)
  const { columns } = layers[layers.length - 1]
  const { name } = task.tokens(shape)
  const { logits, shares } = sharesOf(qkv, run, forward, row, columns.length, all)
  const tokens = logits.map((logit, i) => ({ token: name(all[i].id), share: all[i].share, logit }))
  return { answer, tokens, shares, columns }
}
