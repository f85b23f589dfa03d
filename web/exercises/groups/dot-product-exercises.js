// Dot products and softmax: four exercises in "One layer", with given queries, keys and values.

import { toNumber } from '../../shell/kinds.js'
import {
  cell,
  cellControl,
  distance,
  editsOnly,
  fieldControl,
  KEYS,
  largestAt,
  rowOf,
  shownTrace,
  tensor,
  traceWith,
  VALUES,
} from '../layer-numbers.js'
import { digits, link, shareOf, verdict } from '../verdict.js'

/** @import { LayerExercise } from '../layer-numbers.js' */

const GIVEN = { model: 'imported', sentence: 'query', second: 'key1 key2 key3', score: 'plain' }
/** Link parameters of one query and three unit keys. */
const UNIT = link({
  ...GIVEN,
  imported: JSON.stringify({ q: tensor([1, 3], [0, 0, 0]), k: tensor([3, 3], KEYS), v: tensor([3, 2], VALUES) }),
})
/** Link parameters of a query and three keys whose scores are 2, 1 and 0. */
const SCORES = link({
  ...GIVEN,
  imported: JSON.stringify({ q: tensor([1, 1], [1]), k: tensor([3, 1], [2, 1, 0]), v: tensor([3, 1], [1, 2, 3]) }),
})

const QUERY = ['q1', 'q2', 'q3'].map((name, column) =>
  cellControl(name, [cell('Q', 0, 0, column)], { least: -20, most: 20, step: 1 }),
)
/** @param {number[]} q */
const query = q => link({ edits: q.flatMap((value, column) => (value ? `Q.0.0.${column}:${value}` : [])).join(' ') })

/** Returns the current weights and output as text. @param {import('../layer-numbers.js').Given} given */
function weightsAndOutput(given) {
  const result = shownTrace(given)
  if (!result) return undefined
  const text = (/** @type {'weights' | 'output'} */ matrix) => rowOf(result, matrix, 0).map(digits).join(', ')
  return { weights: text('weights'), output: text('output') }
}

/** True if all numbers of a list are equal. @param {readonly number[]} list */
const areEqual = list => Math.max(...list) - Math.min(...list) < 1e-6

/** @type {LayerExercise} */
const secondValue = {
  id: 'e1',
  room: 'layer',
  start: UNIT,
  may: ['edits'],
  allows: editsOnly(['Q']),
  controls: QUERY,
  measured: weightsAndOutput,
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const w = rowOf(result, 'weights', 0)
    const most = largestAt(w)
    const far = distance(rowOf(result, 'output', 0), rowOf(result, 'V', 1))
    return verdict(w[1] >= 0.985 && far <= 0.02, [
      ['equal', areEqual(w)],
      ['other', most !== 1, { key: most + 1 }],
      ['short', true, { weight: digits(w[1]) }],
    ])
  },
  wrong: [{ hint: 'equal' }, { set: query([8, 0, 0]), hint: 'other' }, { set: query([0, 2, 0]), hint: 'short' }],
  solution: { set: query([0, 8, 0]) },
}

/** @type {LayerExercise} */
const meanOfTwo = {
  id: 'e2',
  room: 'layer',
  start: UNIT,
  may: ['edits'],
  allows: editsOnly(['Q']),
  controls: QUERY,
  measured: weightsAndOutput,
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const w = rowOf(result, 'weights', 0)
    const scores = rowOf(result, 'scores', 0)
    const gap = Math.abs(scores[0] - scores[1])
    return verdict(distance(w, [0.5, 0.5, 0]) <= 0.01, [
      ['same', areEqual(w)],
      ['unequal', gap > 1e-6, { gap: digits(gap) }],
      ['third', true, { weight: digits(w[2]) }],
    ])
  },
  wrong: [
    { set: query([5, 5, 5]), hint: 'same' },
    { set: query([8, 6, 0]), hint: 'unequal' },
    { set: query([2, 2, 0]), hint: 'third' },
  ],
  solution: { set: query([8, 8, 0]) },
}

/** True if two numbers differ by less than 0.003, so that a rounded answer passes. @param {number} x @param {number} of */
const isAbout = (x, of) => Math.abs(x - of) < 0.003

/** @type {LayerExercise} */
const softmaxByHand = {
  id: 'e3',
  room: 'layer',
  start: SCORES,
  may: [],
  answer: { type: 'number' },
  isCovered: true,
  bars(state) {
    const result = shownTrace({ state })
    return result ? rowOf(result, 'scores', 0).map((value, key) => ({ name: `key${key + 1}`, value })) : []
  },
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const x = shareOf(given.answer)
    const scores = rowOf(result, 'scores', 0)
    const [first] = rowOf(result, 'weights', 0)
    const numerator = Math.exp(scores[0])
    return verdict(
      Math.abs(x - first) <= 0.0005,
      [
        ['divided', isAbout(x, scores[0] / scores.reduce((a, b) => a + b, 0))],
        ['two', isAbout(x, numerator / (numerator + Math.exp(scores[1])))],
        ['numerator', isAbout(x, numerator)],
      ],
      { typed: String(given.answer) },
    )
  },
  wrong: [
    { answer: '0.667', hint: 'divided' },
    { answer: '0.731', hint: 'two' },
    { answer: '7.389', hint: 'numerator' },
    { answer: '0.5', hint: 'notYet' },
  ],
  solution: { answer: '0.665' },
}

/** @type {LayerExercise} */
const smallestScale = {
  id: 'e4',
  room: 'layer',
  start: `${SCORES}&scale=1`,
  may: ['scale'],
  controls: [fieldControl('scale')],
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const scale = toNumber(given.state.settings.scale ?? 1)
    const [first] = rowOf(result, 'weights', 0)
    const smaller = traceWith(given, { scale: scale - 1 })
    const before = smaller ? rowOf(smaller, 'weights', 0)[0] : 0
    const isEnough = first >= 0.95
    return verdict(Number.isInteger(scale) && isEnough && before < 0.95, [
      ['whole', !Number.isInteger(scale)],
      ['even', scale < 1, { weight: digits(first) }],
      ['more', !isEnough, { weight: digits(first) }],
      ['smaller', true],
    ])
  },
  wrong: [
    { set: 'scale=2.5', hint: 'whole' },
    { set: 'scale=0', hint: 'even' },
    { set: 'scale=2', hint: 'more' },
    { set: 'scale=5', hint: 'smaller' },
  ],
  solution: { set: 'scale=3' },
}

export const exercises = [secondValue, meanOfTwo, softmaxByHand, smallestScale]
