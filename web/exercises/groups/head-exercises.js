// Heads: four exercises in "One layer".

import { percent } from '../../files/number-format.js'
import { FIELDS } from '../../rooms/layer/fields.js'
import { settingsOf } from '../../rooms/layer/presets.js'
import { toLink } from '../../shell/settings-link.js'
import {
  cell,
  cellControl,
  distance,
  editsOnly,
  KEYS,
  largestAt,
  rowOf,
  shownTrace,
  tensor,
  traceWith,
  VALUES,
} from '../layer-numbers.js'
import { digits, link, verdict } from '../verdict.js'

/** @import { Given, LayerExercise } from '../layer-numbers.js' */
/** @import { Result } from '../../rooms/layer/trace/layer-trace.js' */
/** @typedef {'previous' | 'first' | 'same' | 'induction' | 'even'} Kind */

const mean = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0) / list.length

const WORDS = ['the', 'cat', 'sat', 'and', 'the', 'cat']
/** @type {readonly Kind[]} */
const KINDS = ['previous', 'first', 'same', 'induction', 'even']

/**
 * Returns the position that a head of this kind attends to from word i; undefined if it has no preference.
 * @param {Kind} kind
 * @param {number} i
 */
function targetOf(kind, i) {
  if (kind === 'previous') return Math.max(0, i - 1)
  if (kind === 'first') return 0
  if (kind === 'same') return i
  if (kind === 'even') return undefined
  const before = WORDS.slice(0, i).lastIndexOf(WORDS[i])
  return before < 0 ? 0 : before + 1
}

/** Returns the weights of a head of a kind: 0.9 on its target, the rest spread over all words up to the query. @param {Kind} kind */
const weightsOf = kind =>
  WORDS.flatMap((_, i) =>
    WORDS.map((_, j) => {
      const even = 1 / (i + 1)
      if (j > i) return 0
      const target = targetOf(kind, i)
      return Number((target === undefined ? even : 0.1 * even + (j === target ? 0.9 : 0)).toFixed(4))
    }),
  )

/** Returns an order of the kinds, determined by a seed. @param {number} seed */
function orderOf(seed) {
  const left = [...KINDS]
  let rest = seed
  return KINDS.map(() => {
    const at = rest % left.length
    rest = Math.floor(rest / left.length)
    return left.splice(at, 1)[0]
  })
}

/** Classifies a head by its weights. @param {Result} result @param {number} head @returns {Kind} */
function kindOf(result, head) {
  const w = WORDS.map((_, i) => rowOf(result, 'weights', i, head))
  const rows = WORDS.map((_, i) => i).slice(2)
  const repeated = rows.filter(i => WORDS.indexOf(WORDS[i]) < i)
  if (mean(rows.map(i => w[i][i - 1])) > 0.5) return 'previous'
  if (mean(repeated.map(i => w[i][WORDS.lastIndexOf(WORDS[i], i - 1) + 1])) > 0.5) return 'induction'
  if (mean(rows.map(i => w[i][i])) > 0.5) return 'same'
  return mean(rows.map(i => w[i][0])) > 0.5 ? 'first' : 'even'
}

/** Returns a function that finds the head of a kind in the trace. Its result is the number of the head, from 1. @param {Kind} kind @returns {(given: Given) => string} */
const headOf = kind => given => {
  const result = shownTrace(given)
  return String(result ? KINDS.findIndex((_, h) => kindOf(result, h) === kind) + 1 : 0)
}

/** @type {LayerExercise} */
const previousHead = {
  id: 'e9',
  room: 'layer',
  start: seed =>
    link({
      model: 'imported',
      sentence: WORDS.join(' '),
      second: WORDS.join(' '),
      mask: 'causal',
      imported: JSON.stringify({
        weights: tensor([KINDS.length, WORDS.length, WORDS.length], orderOf(seed).flatMap(weightsOf)),
      }),
    }),
  may: [],
  answer: { type: 'choice', choices: ['1', '2', '3', '4', '5'] },
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const before = KINDS.map((_, h) => mean(WORDS.slice(1).map((_, i) => rowOf(result, 'weights', i + 1, h)[i])))
    const head = Number(given.answer) - 1
    const own = given.answer === '' ? undefined : kindOf(result, head)
    return verdict(head === largestAt(before), [
      ['first', own === 'first', { share: percent(rowOf(result, 'weights', 4, Math.max(0, head))[0]) }],
      ['same', own === 'same'],
      ['induction', own === 'induction'],
      ['even', own === 'even'],
    ])
  },
  wrong: /** @type {const} */ (['first', 'same', 'induction', 'even']).map(kind => ({
    answer: headOf(kind),
    hint: kind,
  })),
  solution: { answer: headOf('previous') },
}

/** Returns the tensors, as JSON, of a layer with one head, or with two whose outputs W_O averages. @param {number} heads */
function averaged(heads) {
  const of = (/** @type {number[]} */ list) => Array.from({ length: heads }, () => list).flat()
  const half = 1 / heads
  return JSON.stringify({
    q: tensor([heads, 1, 3], of([0, 0, 0])),
    k: tensor([heads, 3, 3], of(KEYS)),
    v: tensor([heads, 3, 2], of(VALUES)),
    wo: tensor([2 * heads, 2], of([half, 0, 0, half])),
  })
}
const [ONE, TWO] = [averaged(1), averaged(2)]
const hasTwo = (/** @type {{ imported: unknown }} */ { imported }) => JSON.stringify(imported) === TWO

/** Lengths of key 1 that the exercise offers. */
const LENGTHS = [0.5, 1, 1.5]
const KEY = [0, 1].map(head => cell('K', head, 0, 0))
const NUMBER = { least: 0, most: 20, step: 1, isSlider: true }

/** Formats the query of each head as edits in link notation. @param {number[][]} q */
const queries = q => q.flatMap((own, head) => own.map((value, column) => `Q.${head}.0.${column}:${value}`)).join(' ')

/** @type {LayerExercise} */
const keyThatGrows = {
  id: 'e10',
  room: 'layer',
  start: link({
    model: 'imported',
    sentence: 'query',
    second: 'key1 key2 key3',
    score: 'plain',
    imported: ONE,
  }),
  may: ['edits', 'imported'],
  allows: settings =>
    editsOnly(['Q', 'K'])(settings) &&
    settings.edits.every(({ matrix, row, column }) => matrix === 'Q' || (row === 0 && column === 0)) &&
    [ONE, TWO].includes(JSON.stringify(settings.imported)),
  parts: [
    { name: 'one', set: link({ imported: ONE, edits: '' }), isOn: settings => !hasTwo(settings) },
    { name: 'two', set: link({ imported: TWO, edits: '' }), isOn: hasTwo },
  ],
  controls: [
    ...[0, 1, 2].map(column => cellControl(`q${column + 1}`, [cell('Q', 0, 0, column)], NUMBER)),
    ...[0, 1, 2].map(column =>
      cellControl(`p${column + 1}`, [cell('Q', 1, 0, column)], { ...NUMBER, applies: hasTwo }),
    ),
    cellControl('n', KEY, { least: 0.5, most: 1.5, step: 0.5, isSlider: true }, 1),
  ],
  measured(given) {
    const result = shownTrace(given)
    const { tensors } = result ?? {}
    if (!result || !tensors?.final) return undefined
    const of = (/** @type {number} */ head) => rowOf(result, 'weights', 0, head).map(digits).join(', ')
    const weights = Array.from({ length: result.heads }, (_, head) => of(head)).join(' · ')
    return { weights, output: rowOf(result, 'final', 0).map(digits).join(', ') }
  },
  check(given) {
    const { settings } = given.state
    if (!shownTrace(given)) return undefined
    const own = settings.edits.filter(({ matrix }) => matrix === 'Q')
    const runs = LENGTHS.map(value => traceWith(given, { edits: [...own, ...KEY.map(at => ({ ...at, value }))] }))
    const far = runs.map(run => (run ? distance(rowOf(run, 'final', 0), [0.5, 0.5]) : 1))
    const worst = largestAt(far)
    const run = /** @type {Result} */ (runs[worst])
    const heads = Array.from({ length: run.heads }, (_, head) => rowOf(run, 'weights', 0, head))
    const most = heads.map(row => Math.max(...row))
    const weakest = most.indexOf(Math.min(...most))
    const n = LENGTHS[worst]
    const [first, second] = heads
    const areEqual = heads.length === 2 && distance(rowOf(run, 'Q', 0, 0), rowOf(run, 'Q', 0, 1)) < 1e-6
    return verdict(
      far[worst] <= 0.1,
      [
        ['one', heads.length === 1, { n, first: digits(first[0]), second: digits(first[1]) }],
        ['equal', areEqual],
        ['sameKey', second !== undefined && largestAt(first) === largestAt(second), { key: largestAt(first) + 1 }],
        ['short', most[weakest] < 0.9, { n, head: weakest + 1, share: digits(most[weakest]) }],
      ],
      { n, far: digits(far[worst]) },
    )
  },
  wrong: [
    { set: link({ edits: queries([[10, 10, 0]]) }), hint: 'one' },
    { set: link({ imported: TWO, edits: queries([[9, 9, 0], [9, 9, 0]]) }), hint: 'equal' }, // biome-ignore format: one line
    { set: link({ imported: TWO, edits: queries([[9, 0, 0], [8, 0, 0]]) }), hint: 'sameKey' }, // biome-ignore format: one line
    { set: link({ imported: TWO, edits: queries([[3, 0, 0], [0, 3, 0]]) }), hint: 'short' }, // biome-ignore format: one line
    { set: link({ imported: TWO, edits: queries([[20, 0, 0], [0, 0, 20]]) }), hint: 'notYet' }, // biome-ignore format: one line
  ],
  solution: { set: link({ imported: TWO, edits: queries([[20, 0, 0], [0, 20, 0]]) }) }, // biome-ignore format: one line
}

/** Index of the hand-built induction head. */
const INDUCTION = 3

/** @type {LayerExercise} */
const sentenceForInduction = {
  id: 'e11',
  room: 'layer',
  start: link({
    model: 'handBuilt',
    sentence: 'red cat blue dog green',
    mask: 'causal',
    score: 'plain',
    heads: 5,
    head: INDUCTION,
  }),
  may: ['sentence', 'tokenizer', 'edits', 'painted'],
  allows: ({ edits, painted }) => edits.length + painted.length === 0,
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const { tokens } = result.settings.queries
    const last = tokens.length - 1
    const row = rowOf(result, 'weights', last, INDUCTION)
    const j = largestAt(row)
    const copies = tokens.slice(0, last).filter(token => token === tokens[last]).length
    const isBehind = j > 0 && tokens[j - 1] === tokens[last]
    return verdict(
      row[j] >= 0.9 && j < last && isBehind,
      [
        ['none', copies === 0, { share: percent(row[0]) }],
        ['itself', j === last],
        ['shared', copies > 1, { copies, share: digits(row[j]) }],
      ],
      { word: tokens[j], share: percent(row[j]) },
    )
  },
  wrong: [
    { hint: 'none' },
    { set: link({ sentence: 'red cat blue red dog red' }), hint: 'shared' },
    { set: link({ sentence: 'cat dog dog' }), hint: 'itself' },
  ],
  solution: { set: link({ sentence: 'red cat blue dog red' }) },
}

/** Parses a whole number, also with thousands separators. @param {unknown} typed */
function wholeOf(typed) {
  const text = String(typed).trim()
  return /^\d+$|^\d{1,3}([,.’' \u00a0\u202f]\d{3})+$/.test(text) ? Number(text.replace(/\D/g, '')) : Number.NaN
}

/** @type {LayerExercise} */
const howManyWeights = {
  id: 'e12',
  room: 'layer',
  start: toLink(FIELDS, settingsOf('layer')),
  may: [],
  answer: { type: 'number' },
  check(given) {
    const result = shownTrace(given)
    if (!result) return undefined
    const { dims } = result.tensors.weights
    const [heads, L, S] = dims
    const { batch, dModel } = result.settings
    const x = wholeOf(given.answer)
    return verdict(
      x === batch * heads * L * S,
      [
        ['whole', Number.isNaN(x)],
        ['sequence', x === heads * L * S],
        ['head', x === batch * L * S],
        ['both', x === L * S],
        ['output', x === batch * L * dModel],
      ],
      { typed: String(given.answer) },
    )
  },
  wrong: [
    { answer: 'many', hint: 'whole' },
    { answer: '28,800', hint: 'sequence' },
    { answer: '36000', hint: 'head' },
    { answer: '3600', hint: 'both' },
    { answer: '307 200', hint: 'output' },
    { answer: '1', hint: 'notYet' },
  ],
  solution: { answer: '288000' },
}

export const exercises = [previousHead, keyThatGrows, sentenceForInduction, howManyWeights]
