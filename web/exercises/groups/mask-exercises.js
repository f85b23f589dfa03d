// Masks: four exercises in "One layer".

import { fieldControl, rowOf, shownTrace, tensor, traceWith } from '../layer-numbers.js'
import { digits, link, shareOf, verdict } from '../verdict.js'

/** @import { LayerExercise } from '../layer-numbers.js' */
/** @import { Result } from '../../rooms/layer/trace/layer-trace.js' */

/** Returns helpers that examine which keys each query sees. @param {Result} result */
function sightOf({ visible, settings }) {
  const { tokens } = settings.queries
  const n = tokens.length
  const sees = (/** @type {number} */ i, /** @type {number} */ j) => !visible || visible[i * n + j] > 0
  /** Returns the words of the first pair (query, key) that satisfies a predicate. @param {(i: number, j: number) => boolean} isSo */
  const first = isSo => {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (isSo(i, j)) return { query: tokens[i], key: tokens[j] }
    return undefined
  }
  /** Counts the visible keys before a query. @param {number} i */
  const before = i => Array.from({ length: i }, (_, j) => j).filter(j => sees(i, j)).length
  return { n, tokens, sees, first, before }
}

/** Returns parameters that hide cells, given as (row, column). @param {readonly [number, number][]} pairs */
const hiding = pairs => link({ painted: pairs.map(([i, j]) => `${i}.${j}.0`).join(' ') })

/** Lists the pairs (query, key) of four words that satisfy a predicate. @param {(i: number, j: number) => boolean} isSo */
const pairs = isSo =>
  Array.from({ length: 16 }, (_, n) => /** @type {[number, number]} */ ([Math.floor(n / 4), n % 4])).filter(([i, j]) =>
    isSo(i, j),
  )

/** @type {LayerExercise} */
const paintCausal = {
  id: 'e5',
  room: 'layer',
  start: link({ sentence: 'we read the book', heads: 1 }),
  may: ['painted'],
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const { sees, first } = sightOf(result)
    const later = first((i, j) => j > i && sees(i, j))
    const itself = first((i, j) => i === j && !sees(i, j))
    const earlier = first((i, j) => j < i && !sees(i, j))
    return verdict(!later && !itself && !earlier, [
      ['itself', itself !== undefined, itself],
      ['past', earlier !== undefined && !first((i, j) => j > i && !sees(i, j))],
      ['later', later !== undefined, later],
      ['earlier', true, earlier],
    ])
  },
  wrong: [
    { set: hiding(pairs((i, j) => j < i)), hint: 'past' },
    { set: hiding(pairs((i, j) => j >= i && i < 3)), hint: 'itself' },
    { set: hiding([[0, 1]]), hint: 'later' },
    { set: hiding(pairs((i, j) => j > i || (i === 3 && j === 0))), hint: 'earlier' },
  ],
  solution: { set: hiding(pairs((i, j) => j > i)) },
}

const isWindow = (/** @type {{ mask: string }} */ { mask }) => mask === 'window'

/** @type {LayerExercise} */
const windowOfThree = {
  id: 'e6',
  room: 'layer',
  start: link({ heads: 1 }),
  may: ['mask', 'left', 'right'],
  controls: [fieldControl('mask'), fieldControl('left', isWindow), fieldControl('right', isWindow)],
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const { n, tokens, sees, first, before } = sightOf(result)
    const later = first((i, j) => j > i && sees(i, j))
    const wrong = first((i, j) => sees(i, j) !== (i >= j && i - j <= 2))
    const last = n - 1
    const params = { query: tokens[last], count: before(last) }
    return verdict(!wrong, [
      ['later', later !== undefined, later],
      ['itself', isWindow(given.state.settings) && before(last) === 3],
      ['more', before(last) > 2, params],
      ['fewer', before(last) < 2, params],
    ])
  },
  wrong: [
    { set: 'mask=window&left=2&right=1', hint: 'later' },
    { set: 'mask=window&left=3&right=0', hint: 'itself' },
    { set: 'mask=causal', hint: 'more' },
    { set: 'mask=window&left=1&right=0', hint: 'fewer' },
  ],
  solution: { set: 'mask=window&left=2&right=0' },
}

/** The cell to hide: row 0, column 2. @type {[number, number, 0][]} */
const THIRD = [[0, 2, 0]]

/** @type {LayerExercise} */
const afterHiding = {
  id: 'e7',
  room: 'layer',
  start: link({
    model: 'imported',
    sentence: 'query',
    second: 'key1 key2 key3',
    score: 'plain',
    masking: 'after',
    imported: JSON.stringify({
      q: tensor([1, 1], [1]),
      k: tensor([3, 1], [0.2, 0.5, 0.3].map(Math.log)),
      v: tensor([3, 1], [1, 2, 3]),
    }),
  }),
  may: [],
  answer: { type: 'number' },
  check(given) {
    const shown = shownTrace(given)
    const hidden = traceWith(given, { painted: THIRD })
    if (!shown || !hidden) return undefined
    const [first] = rowOf(hidden, 'weights', 0)
    const [a, b, c] = rowOf(shown, 'fullWeights', 0)
    const x = shareOf(given.answer)
    const isAbout = (/** @type {number} */ of) => Math.abs(x - of) < 0.003
    return verdict(
      Math.abs(x - first) <= 0.0005,
      [
        ['sum', isAbout(a), { sum: digits(a + b) }],
        ['evenly', isAbout(a + c / 2)],
        ['ratio', isAbout(a / b)],
      ],
      { typed: String(given.answer) },
    )
  },
  wrong: [
    { answer: '0.2', hint: 'sum' },
    { answer: '0.35', hint: 'evenly' },
    { answer: '0.4', hint: 'ratio' },
    { answer: '0.9', hint: 'notYet' },
  ],
  solution: { answer: '0.2857', set: 'painted=0.2.0' },
}

/** Index of the replaced word. */
const REPLACED = 3

/** @type {LayerExercise} */
const whoseOutput = {
  id: 'e8',
  room: 'layer',
  start: link({ heads: 1, mask: 'causal' }),
  may: [],
  answer: {
    type: 'marks',
    words: state => shownTrace({ state })?.settings.queries.tokens ?? [],
  },
  check(given) {
    const swapped = traceWith(given, { probe: REPLACED, probeWord: 'pizza' })?.tokenSwap
    const result = shownTrace(given)
    if (!swapped || !result) return undefined
    const marks = /** @type {number[]} */ (Array.isArray(given.answer) ? given.answer : [])
    const moved = swapped.moved.flatMap((change, i) => (change > 1e-5 ? [i] : []))
    const { tokens } = result.settings.queries
    const cannot = marks.find(i => !moved.includes(i))
    const missing = moved.find(i => !marks.includes(i))
    return verdict(cannot === undefined && missing === undefined, [
      ['cannot', cannot !== undefined, { word: tokens[cannot ?? 0] }],
      ['none', marks.length === 0],
      ['own', missing === REPLACED],
      ['looks', marks.length === 1],
      ['missing', true],
    ])
  },
  wrong: [
    { answer: [], hint: 'none' },
    { answer: [REPLACED], hint: 'looks' },
    { answer: [4, 5], hint: 'own' },
    { answer: [0, 3, 4, 5], hint: 'cannot' },
    { answer: [3, 5], hint: 'missing' },
  ],
  solution: { answer: [3, 4, 5], set: `probe=${REPLACED}` },
}

export const exercises = [paintCausal, windowOfThree, afterHiding, whoseOutput]
