// Splits the computation for one word in one head into frames with content, duration and text. Pure.

import { check, part } from './tensor-input.js'

/** @import { Checked, TensorLike } from './tensor-input.js' */
/** @typedef {'word' | 'query' | 'keys' | 'scores' | 'scale' | 'mask' | 'exponentials' | 'softmax' | 'values' | 'output'} FlowStep */

/**
 * The intermediate tensors of one head (matrices), or of several (heads, rows, columns). L queries, S keys; d: size of a query or key; e:
 * size of a value.
 * @typedef {object} FlowTrace
 * @property {TensorLike} [embeddings] (L, d): input of the query projection
 * @property {TensorLike} queries (L, d)
 * @property {TensorLike} keys (S, d)
 * @property {TensorLike} values (S, e)
 * @property {TensorLike} scores (L, S)
 * @property {TensorLike} [scaled] (L, S)
 * @property {TensorLike} [masked] (L, S): -Infinity if hidden
 * @property {TensorLike} [exponentials] (L, S)
 * @property {TensorLike} [sums] (L) or (L, 1): sum of the exponentials of each query
 * @property {TensorLike} weights (L, S)
 * @property {TensorLike} output (L, e)
 */

/** The tensors' rows for one query, and the keys and values of the head. @typedef {{ embedding?: ArrayLike<number>, query: ArrayLike<number>, scores: ArrayLike<number>, scaled?: ArrayLike<number>, exponentials?: ArrayLike<number>, sum?: number, weights: ArrayLike<number>, output: ArrayLike<number>, keys: Checked, values: Checked, isHidden: (key: number) => boolean }} FlowRows */

/**
 * @typedef {object} Frame
 * @property {FlowStep} step
 * @property {number} lasts milliseconds at pace 1
 * @property {number} [key] the key that the frame is about
 * @property {readonly number[]} done keys already processed in this step, including the current one
 * @property {boolean} [isWhole] true if all values are summed
 * @property {keyof typeof import('./flow-texts.js').flowTexts} text key of the frame's text
 * @property {Record<string, number>} [numbers] numbers in the text
 * @property {readonly number[]} [words] positions of keys named in the text
 */

/** The steps in order. @type {readonly FlowStep[]} */
const ORDER = ['word', 'query', 'keys', 'scores', 'scale', 'mask', 'exponentials', 'softmax', 'values', 'output']

/** True if a frame belongs to this step or a later one. @param {Frame} frame @param {FlowStep} step */
export const isFrom = (frame, step) => ORDER.indexOf(frame.step) >= ORDER.indexOf(step)

/** Duration of each step in milliseconds. */
const LASTS = { word: 800, query: 700, keys: 700, scale: 600, mask: 600, exponentials: 700, softmax: 700, output: 800 }
const [SCORE, SCORES, MOST_SCORES] = [200, 2400, 12]
const [VALUE, VALUES] = [250, 2000]

/**
 * Returns the rows of a query in one head.
 * @param {FlowTrace} trace
 * @param {number} head
 * @param {number} query
 * @returns {FlowRows}
 */
export function rowsOf(trace, head, query) {
  const matrix = (/** @type {TensorLike} */ tensor) => {
    const rank = (tensor?.dims ?? tensor?.shape ?? []).length
    const { data, dims } = check(tensor, rank < 3 ? 2 : 3)
    if (dims.length === 2) return { data, dims }
    return { data: part(data, Math.min(head, dims[0] - 1), dims[1] * dims[2]), dims: dims.slice(1) }
  }
  const row = (/** @type {TensorLike} */ tensor) => {
    const { data, dims } = matrix(tensor)
    return part(data, Math.min(query, dims[0] - 1), dims[1])
  }
  const optional = (/** @type {TensorLike | undefined} */ tensor) => (tensor === undefined ? undefined : row(tensor))
  const masked = optional(trace.masked)
  const L = matrix(trace.queries).dims[0]
  const weights = row(trace.weights)
  return {
    embedding: optional(trace.embeddings),
    query: row(trace.queries),
    keys: matrix(trace.keys),
    values: matrix(trace.values),
    scores: row(trace.scores),
    scaled: optional(trace.scaled),
    exponentials: optional(trace.exponentials),
    sum: trace.sums && Number(trace.sums.data[head * L + query]),
    weights,
    output: row(trace.output),
    // A hidden key whose weight was set by hand counts as visible.
    isHidden: key => masked?.[key] === Number.NEGATIVE_INFINITY && weights[key] === 0,
  }
}

/** Returns how the scores are scaled: by 1 / √d, by another number, or not at all. @param {FlowRows} rows @returns {'root' | 'factor' | undefined} */
export function scalingOf({ scores, scaled, keys }) {
  const size = keys.dims[1]
  if (!scaled || size < 2) return undefined
  const [most] = byWeight(Array.from(scores, x => (Number.isFinite(x) ? Math.abs(x) : 0)))
  const by = scaled[most] / scores[most]
  return Number.isNaN(by) || Math.abs(by * Math.sqrt(size) - 1) < 1e-3 ? 'root' : 'factor'
}

/** Returns the indices of the numbers in descending order. @param {ArrayLike<number>} numbers */
const byWeight = numbers => Array.from(numbers, (_, i) => i).sort((a, b) => numbers[b] - numbers[a] || a - b)

/**
 * Returns the frames of a query. In the steps 'scores' and 'values', the keys with the largest scores or weights have a frame each; the
 * remaining keys share the last of these frames.
 * @param {FlowRows} rows
 * @param {number} query
 * @returns {Frame[]}
 */
export function framesOf(rows, query) {
  const { embedding, scores, scaled, sum, weights, output, keys, isHidden } = rows
  const S = scores.length
  const all = Array.from({ length: S }, (_, key) => key)
  const seen = all.filter(key => !isHidden(key))
  /** @type {Frame[]} */
  const frames = []
  if (embedding)
    frames.push({ step: 'word', lasts: LASTS.word, done: [], text: 'flowWord', numbers: { count: embedding.length } })
  frames.push({ step: 'query', lasts: LASTS.query, done: [], text: 'flowQuery' })
  frames.push({ step: 'keys', lasts: LASTS.keys, done: [], text: 'flowKeys' })
  const largest = byWeight(scores)
    .slice(0, MOST_SCORES)
    .sort((a, b) => a - b)
  const each = Math.min(SCORE, SCORES / largest.length)
  largest.forEach((key, i) => {
    const isLast = i === largest.length - 1
    frames.push({
      step: 'scores',
      lasts: each,
      key,
      done: isLast ? all : largest.slice(0, i + 1),
      text: 'flowScore',
      numbers: { score: scores[key] },
      words: [key],
    })
  })
  const scaling = scalingOf(rows)
  if (scaled && scaling) {
    const [key] = largest
    const numbers = { size: keys.dims[1], score: scaled[key] }
    const text = scaling === 'root' ? 'flowScale' : 'flowFactor'
    frames.push({ step: 'scale', lasts: LASTS.scale, done: all, text, numbers, words: [key] })
  }
  const count = S - seen.length
  const isLater = seen.every(key => key <= query)
  if (count)
    frames.push({
      step: 'mask',
      lasts: LASTS.mask,
      done: all,
      text: isLater ? 'flowLater' : 'flowMask',
      numbers: { count },
    })
  if (rows.exponentials && sum !== undefined)
    frames.push({
      step: 'exponentials',
      lasts: LASTS.exponentials,
      done: all,
      text: 'flowExponentials',
      numbers: { sum },
    })
  frames.push({ step: 'softmax', lasts: LASTS.softmax, done: all, text: 'flowSoftmax' })
  const order = byWeight(weights).filter(key => weights[key] > 0)
  const parts = order.slice(0, Math.floor(VALUES / VALUE))
  parts.forEach((key, i) => {
    const isLast = i === parts.length - 1
    frames.push({
      step: 'values',
      lasts: VALUE,
      key,
      done: isLast ? order : parts.slice(0, i + 1),
      isWhole: isLast,
      text: 'flowValue',
      numbers: { weight: weights[key] },
      words: [key],
    })
  })
  const [most, second = most] = order
  frames.push({
    step: 'output',
    lasts: LASTS.output,
    done: all,
    text: order.length ? (order.length > 1 ? 'flowOutput' : 'flowOutputOne') : 'flowOutputNone',
    numbers: { output: output[0], first: weights[most], second: weights[second] },
    words: [most, second],
  })
  return frames
}
