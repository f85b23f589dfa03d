// Builds the pages that explain one attention weight: its softmax and score, one product of query and key elements, one element of
// the query or key. Pure.

import { format } from '../../../files/number-format.js'
import { behindSign, reachOf } from '../../../ui/inspector.js'

/** @import { CellTrace } from './trace.js' */
/** @import { Page, Part, Place, Value } from '../../../attention-head/head.js' */

/**
 * @typedef {object} CellState
 * @property {import('../models.js').Context['t']} t
 * @property {CellTrace} trace
 * @property {{ queries: readonly string[], keys: readonly string[] }} words
 * @property {{ rope?: { frequencies: ArrayLike<number>, gain?: number, interleaved?: boolean }, qkNorm?: unknown }} stack description of
 *   the layer, from the model
 * @property {Part} [why] why the head looks at this key
 * @property {{ weight: Float32Array, bias: number }} [weightRow] the weight row and the bias of the projection, which compute the number
 *   whose page is open
 */

/** On a phone: number of keys shown before the selected one, and maximum number shown. */
const [BEFORE, MOST_CELLS] = [2, 24]

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0)

/** Returns the place of the weight on a key in the traced row. @param {CellTrace} trace @param {number} key @returns {Place} */
const cellPlace = ({ stack, layer, head, query }, key) => ({
  head: { stack, layer, head },
  cell: { matrix: 'weights', row: query, column: key },
})

/**
 * Returns the place of a product, or of an element of the query or key, within the traced cell.
 * @param {CellTrace} trace
 * @param {'term' | 'q' | 'k'} kind
 * @param {number} i
 * @returns {Place}
 */
const detailPlace = (trace, kind, i) => ({ ...cellPlace(trace, trace.key), detail: [kind, i] })

/** @param {CellState} state @param {number} key */
const keyName = ({ words }, key) => words.keys[key] ?? String(key + 1)

/**
 * Builds the page of the traced weight, or of a product or element that it was computed from.
 * @param {CellState} state
 * @param {string} title
 * @param {Place['detail']} detail
 * @returns {Page}
 */
export function cellPage(state, title, detail) {
  const [kind, i] = detail ?? []
  const row = rowOf(state)
  if (kind === 'q' || kind === 'k') return { title, row, ...numberPage(state, kind, Number(i)) }
  if (kind === 'term') return { title, row, ...termPage(state, Number(i)) }
  return { title, row, ...weightPage(state) }
}

/** @param {CellState} state @returns {NonNullable<Page['row']>} */
function rowOf(state) {
  const { trace } = state
  const { key, weights, scores } = trace
  const visible = Array.from(scores.keys()).filter(i => scores[i] !== Number.NEGATIVE_INFINITY)
  const start = Math.max(0, visible.indexOf(key) - BEFORE)
  return visible.slice(start, start + MOST_CELLS).map(i => {
    const name = keyName(state, i)
    return { name, isOwn: i === key, value: { value: weights[i], name, scale: 'share', opens: cellPlace(trace, i) } }
  })
}

/** Builds the page of the weight: the softmax of its row, and its score step by step. @param {CellState} state @returns {Pick<Page, 'result' | 'parts'>} */
function weightPage(state) {
  const { t, trace } = state
  const { weight, score, largest, sum, dot, scale, scaled, cap, capped, bias, isSet } = trace
  const isHidden = score === Number.NEGATIVE_INFINITY
  /** @type {Part[]} */
  const softmax = isHidden
    ? [{ type: 'text', text: t('modelsCellHidden') }]
    : [
        { type: 'equation', terms: [`= exp(${format(score)} − ${behindSign(largest)}) / ${format(sum)}`] },
        { type: 'text', text: t('modelsSoftmax'), tone: 'note' },
      ]
  /** @type {Part[]} */
  const set = isSet ? [{ type: 'text', text: t('modelsRowSet'), tone: 'changed' }] : []
  const steps = [
    { name: t('modelsDot'), value: dot },
    { name: t('modelsScaled', { scale: Number(scale.toPrecision(5)) }), value: scaled },
    { name: t('modelsCapped', { cap: cap ?? 0 }), value: capped },
    { name: t('modelsBias'), value: bias },
    { name: t(isHidden ? 'modelsMaskHides' : 'modelsMaskShows'), value: score },
  ]
  return {
    result: weight,
    parts: [
      ...set,
      ...softmax,
      ...(isHidden || !state.why ? [] : [state.why]),
      { type: 'heading', text: t('modelsScore') },
      {
        type: 'list',
        rows: steps.flatMap(({ name, value }) => (value === undefined ? [] : { name, value: { value } })),
      },
      ...products(state),
      ...softmaxRow(state),
    ],
  }
}

/**
 * Lists the scores of the row that the softmax normalises; each opens the page of its weight.
 * @param {CellState} state
 * @returns {Part[]}
 */
function softmaxRow(state) {
  const { t, words, trace } = state
  const { query, key, scores, weights, largest, sum: total } = trace
  const reach = reachOf(scores)
  const shares = Array.from(scores, score => (score === Number.NEGATIVE_INFINITY ? 0 : Math.exp(score - largest)))
  const label = t('modelsRow', { query: words.queries[query] ?? '' })
  return [
    { type: 'heading', text: label },
    {
      type: 'sum',
      id: 'models-row',
      key: keyOf(trace, 'row'),
      label,
      columns: [t('modelsScore'), 'exp', t('modelsWeight')],
      name: i => keyName(state, i),
      cells: i => [
        { value: scores[i], name: keyName(state, i), reach, opens: cellPlace(trace, i) },
        { value: shares[i] },
        { value: weights[i] },
      ],
      sizes: shares,
      own: key,
      foot: [{ name: t('sum'), cells: ['', { value: total }, ''] }],
    },
  ]
}

/** Returns the key by which the page remembers whether a collapsible sum of a cell is open. @param {CellTrace} trace @param {string} name */
const keyOf = ({ stack, layer, head, query, key }, name) => `${stack} ${layer}.${head} ${query}>${key} ${name}`

/** Lists the products of the elements of q and k, the largest first; each opens its page. @param {CellState} state @returns {Part[]} */
function products({ t, trace }) {
  const { q, k, kvHead, head } = trace
  const sizes = Array.from(q, (value, i) => value * k[i])
  const reach = reachOf(sizes)
  /** @type {Part[]} */
  const shared = kvHead === head ? [] : [{ type: 'text', text: t('modelsShared', { head: kvHead + 1 }), tone: 'note' }]
  return [
    { type: 'heading', text: t('modelsProducts') },
    ...shared,
    {
      type: 'sum',
      id: 'models-products',
      key: keyOf(trace, 'products'),
      label: t('modelsProducts'),
      columns: ['q', '', 'k', '', 'q × k'],
      name: i => String(i + 1),
      cells: i => [
        { value: q[i] },
        '×',
        { value: k[i] },
        '=',
        { value: sizes[i], name: `${t('modelsNumber')} ${i + 1}`, reach, opens: detailPlace(trace, 'term', i) },
      ],
      sizes,
    },
  ]
}

/** Builds the page of one product: its two factors, and the rotation behind each. @param {CellState} state @param {number} i @returns {Pick<Page, 'result' | 'parts'>} */
function termPage(state, i) {
  const { t, trace } = state
  const { q, k } = trace
  return {
    result: q[i] * k[i],
    parts: [
      { type: 'equation', terms: [`= ${behindSign(q[i])} × ${behindSign(k[i])}`] },
      { type: 'text', text: t('modelsTerm', { i: i + 1 }), tone: 'note' },
      ...sideOf(state, 'q', i),
      ...sideOf(state, 'k', i),
    ],
  }
}

/**
 * Explains a number of the query or key as it enters the score. The numbers that it was rotated from open further pages.
 * @param {CellState} state
 * @param {'q' | 'k'} letter
 * @param {number} i
 * @returns {Part[]}
 */
function sideOf({ t, trace, words, stack: { rope } }, letter, i) {
  const isQuery = letter === 'q'
  const [turned, bare, position] = isQuery ? [trace.q, trace.qBare, trace.query] : [trace.k, trace.kBare, trace.key]
  const word = (isQuery ? words.queries : words.keys)[position] ?? ''
  const half = rope?.frequencies.length ?? 0
  const from = bare ?? turned
  /** @param {number} n @returns {Value} */
  const opens = n => ({
    value: from[n],
    name: t('modelsNumberAt', { letter, i: n + 1, word }),
    reach: reachOf(from),
    opens: detailPlace(trace, letter, n),
  })
  /** @type {Part} */
  const heading = { type: 'heading', text: t('modelsNumberAt', { letter, i: i + 1, word }) }
  if (!bare || !rope || i >= 2 * half)
    return [
      heading,
      { type: 'equation', side: letter, terms: [opens(i)] },
      { type: 'text', text: t('modelsNotTurned'), tone: 'note' },
    ]
  const isFirst = rope.interleaved ? i % 2 === 0 : i < half
  const other = i + (isFirst ? 1 : -1) * (rope.interleaved ? 1 : half)
  const angle = format(position * rope.frequencies[rope.interleaved ? Math.floor(i / 2) : i % half])
  const gain = rope.gain === undefined ? '' : `${format(rope.gain)} `
  return [
    heading,
    {
      type: 'equation',
      side: letter,
      terms: [
        `${format(turned[i])} =`,
        opens(i),
        `${gain}cos(${angle}) ${isFirst ? '−' : '+'}`,
        opens(other),
        `${gain}sin(${angle})`,
      ],
    },
    { type: 'text', text: t('modelsTurned', { i: i + 1, other: other + 1, position }), tone: 'note' },
  ]
}

/**
 * Explains a number of the query or key before its rotation: a row of the weight times the layer's input, plus the bias.
 * @param {CellState} state
 * @param {'q' | 'k'} letter
 * @param {number} i
 * @returns {Pick<Page, 'result' | 'parts'>}
 */
function numberPage({ t, trace, words, weightRow, stack }, letter, i) {
  const isQuery = letter === 'q'
  const [made, x] = isQuery ? [trace.qBare ?? trace.q, trace.xq] : [trace.kBare ?? trace.k, trace.xk]
  const word = (isQuery ? words.queries[trace.query] : words.keys[trace.key]) ?? ''
  const isTurned = trace.qBare !== undefined
  /** @type {Part} */
  const heading = {
    type: 'heading',
    text: t(isTurned ? 'modelsNumberBare' : 'modelsNumberAt', { letter, i: i + 1, word }),
  }
  if (!weightRow) return { result: made[i], parts: [heading, { type: 'text', text: t('loading'), tone: 'note' }] }
  const { weight, bias } = weightRow
  const sizes = Array.from(weight, (w, n) => w * x[n])
  const product = sum(sizes) + bias
  const row = (isQuery ? trace.head : trace.kvHead) * made.length + i + 1
  const projection = t('modelsProjection', { letter, row, word })
  const norm = stack.qkNorm ? ` ${t('modelsProjectionNorm', { factor: format(made[i] / product) })}` : ''
  const footRow = (/** @type {string} */ name, /** @type {number} */ value) => ({
    name,
    cells: ['', '', '', '', { value }],
  })
  const total = footRow(t('sum'), product)
  return {
    result: made[i],
    parts: [
      heading,
      { type: 'text', text: `${projection}${norm}`, tone: 'note' },
      {
        type: 'sum',
        id: 'models-projection',
        key: keyOf(trace, `${letter} ${i}`),
        label: projection,
        columns: ['W', '', 'x', '', 'W × x'],
        name: n => String(n + 1),
        cells: n => [{ value: weight[n] }, '×', { value: x[n] }, '=', { value: sizes[n] }],
        sizes,
        foot: bias ? [footRow(t('modelsBiasTerm'), bias), total] : [total],
      },
    ],
  }
}
