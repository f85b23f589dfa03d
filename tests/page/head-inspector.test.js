// Tests the inspector without a room: it draws a page from data, and a click on a number in the page opens another page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellPage } from '../../web/rooms/models/cell/pages.js'
import { inspector } from '../../web/ui/inspector.js'
import { elementsOf, having, keyOf, ofClass } from './template.js'

/** @import { Page, Place } from '../../web/attention-head/head.js' */

const t = /** @type {any} */ (keyOf)

/** Opens the inspector with a page, and records what its buttons did. @param {Page | 'waiting'} page @param {object} [more] */
function inspect(page, more = {}) {
  /** @type {unknown[]} */
  const done = []
  const act = {
    open: (/** @type {Place} */ place) => done.push(place),
    back: () => done.push('back'),
    forward: () => done.push('forward'),
    close: () => done.push('close'),
    redraw: () => done.push('redraw'),
  }
  const given = {
    t,
    isDark: false,
    act,
    id: 'the',
    className: 'panel',
    label: 'Inspector',
    hasBack: true,
    hasForward: false,
  }
  return { done, drawn: inspector({ ...given, page, ...more }) }
}

const own = /** @type {Place} */ ({ cell: { matrix: 'weights', row: 1, column: 2 } })

test('a page has its title, its result and the way back; a number that opens is a button with its name', () => {
  const { drawn, done } = inspect({
    title: 'Weight',
    result: -0.5,
    parts: [
      { type: 'heading', text: 'Score' },
      { type: 'equation', side: 'q', terms: ['=', { value: 2, name: 'q 1', opens: own }, '× 3'] },
      { type: 'list', rows: [{ name: 'scaled', value: { value: Number.NEGATIVE_INFINITY } }] },
      { type: 'text', text: 'why', tone: 'note' },
      { type: 'links', id: 'maskOrder', items: [['K', { value: 1, opens: own }], ['X']] },
    ],
    row: [{ name: 'cat', isOwn: true, value: { value: 0.25, scale: 'share', opens: own } }],
    status: 'cat 0.25',
  })
  const text = elementsOf(drawn)[0].text
  assert.match(text, /Weight.*cat.*0\.2500.*= −0\.5000.*Score.*= 2\.0000 × 3.*scaled.*−∞.*why.*K 1\.0000.*X.*cat 0\.25/)
  assert.equal(having(drawn, 'data-side', 'q').length, 1)
  const [inRow, factor] = ofClass(drawn, 'factor')
  assert.equal(inRow.attributes['data-value'], 0.25)
  assert.equal(factor.attributes['aria-label'], 'goTo {"value":"q 1 2.0000"}')
  factor.listeners.click({})
  for (const id of ['the-back', 'the-close']) having(drawn, 'id', id)[0].listeners.click({})
  assert.deepEqual(done, [own, 'back', 'close'])
  assert.equal(having(drawn, 'id', 'the-back')[0].attributes.disabled, false)
  assert.equal(having(drawn, 'id', 'the-forward')[0].attributes.disabled, true)
})

test('of a long sum the ten largest terms and the selected one are shown, in order; the rest can be opened', () => {
  const sizes = Array.from({ length: 40 }, (_, i) => i)
  const page = /** @type {Page} */ ({
    title: 'Sum',
    parts: [
      {
        type: 'sum',
        id: 'terms',
        key: `a sum of ${Math.random()}`,
        label: 'Terms',
        columns: ['x'],
        name: (/** @type {number} */ i) => `term ${i}`,
        cells: (/** @type {number} */ i) => [{ value: sizes[i], opens: { detail: ['term', i] } }],
        sizes,
        own: 3,
        foot: [{ name: 'all', cells: [{ value: 780 }] }],
      },
    ],
  })
  const { drawn, done } = inspect(page)
  const names = ofClass(drawn, 'term-name').map(({ text }) => text)
  assert.deepEqual(names, ['term 3', ...Array.from({ length: 10 }, (_, i) => `term ${i + 30}`), 'all'])
  const [more] = having(drawn, 'id', 'terms-more')
  assert.equal(more.text, 'moreTerms {"count":29,"sum":"432.0000"}')
  more.listeners.click({})
  assert.deepEqual(done, ['redraw'])
  assert.equal(ofClass(inspect(page).drawn, 'term-name').length, 41)
})

test('shares are bars, five at first; a typed number is set, other text is not', () => {
  /** @type {number[]} */
  const typed = []
  let held = 0
  const page = /** @type {Page} */ ({
    title: 'Token',
    parts: [
      {
        type: 'bars',
        key: `bars of ${Math.random()}`,
        rows: [0.4, 0.2, 0.1, 0.1, 0.1, 0.06, 0.04].map((share, i) => ({
          name: `w${i}`,
          share,
          place: { detail: [i] },
        })),
        written: (/** @type {number} */ share) => share.toFixed(2),
        more: (/** @type {number} */ count, /** @type {number} */ share) => `${count} more, ${share.toFixed(2)}`,
      },
      { type: 'input', id: 'set', label: 'Set to', value: 0.25, set: value => typed.push(value), hold: () => held++ },
    ],
  })
  const { drawn, done } = inspect(page)
  const bars = ofClass(drawn, 'share')
  assert.equal(bars.length, 5)
  bars[1].listeners.click({})
  const [more] = ofClass(drawn, 'more-shares')
  assert.equal(more.text, '2 more, 0.10')
  more.listeners.click({})
  assert.deepEqual(done, [{ detail: [1] }, 'redraw'])
  assert.equal(ofClass(inspect(page).drawn, 'share').length, 7)
  const [field] = having(drawn, 'id', 'set')
  for (const value of ['0.5', '−1', 'x', '', '0.2500']) {
    const target = { value }
    field.listeners.change({ target, timeStamp: 1 })
    if (value === 'x') assert.equal(target.value, '0.2500')
  }
  assert.deepEqual(typed, [0.5, -1])
  field.listeners.focus({})
  assert.equal(held, 6, 'the page stays with the number that is typed')
})

test('a page that is not loaded yet has its title; without a page there is no inspector', () => {
  const { drawn } = inspect('waiting', { title: 'Soon' })
  assert.match(elementsOf(drawn)[0].text, /Soon.*loading/)
  assert.equal(elementsOf(drawn)[0].attributes['aria-busy'], 'true')
  assert.equal(elementsOf(inspect(/** @type {any} */ (undefined)).drawn).length, 0)
})

/** A cell of a small head. @type {import('../../web/rooms/models/cell/trace.js').CellTrace} */
const trace = {
  stack: '',
  layer: 0,
  head: 1,
  query: 1,
  key: 0,
  kvHead: 0,
  q: Float32Array.of(1, -2),
  k: Float32Array.of(3, 0.5),
  qBare: Float32Array.of(1, 2),
  kBare: Float32Array.of(0.5, 3),
  xq: Float32Array.of(1, 1),
  xk: Float32Array.of(2, 1),
  dot: 2,
  scale: 0.5,
  scaled: 1,
  score: 1,
  largest: 1,
  sum: 2,
  weight: 0.5,
  isSet: false,
  scores: Float32Array.of(1, 1, Number.NEGATIVE_INFINITY),
  weights: Float32Array.of(0.5, 0.5, 0),
}
const state = { t, trace, words: { queries: ['a', 'b'], keys: ['c', 'd'] }, stack: { rope: { frequencies: [0.25] } } }

test('Models: the page of a weight leads to other keys and to its products; those to the numbers before their rotation', () => {
  const { drawn, done } = inspect(cellPage(state, 'a cell', undefined))
  const text = elementsOf(drawn)[0].text
  assert.match(text, /= 0\.5000.*= exp\(1\.0000 − 1\.0000\) \/ 2\.0000.*modelsShared \{"head":1\}/)
  assert.equal(ofClass(drawn, 'sheet-cell').length, 2, 'hidden keys have no cell')
  const buttons = ofClass(drawn, 'factor')
  assert.deepEqual(
    buttons.map(({ attributes }) => attributes['data-value']),
    [0.5, 0.5, 3, -1, 1, 1, Number.NEGATIVE_INFINITY],
  )
  buttons[3].listeners.click({})
  const at = { stack: '', layer: 0, head: 1 }
  const cell = { matrix: 'weights', row: 1, column: 0 }
  assert.deepEqual(done, [{ head: at, cell, detail: ['term', 1] }])
  buttons[5].listeners.click({})
  assert.deepEqual(done[1], { head: at, cell: { ...cell, column: 1 } })

  const term = inspect(cellPage(state, 'a cell', ['term', 0]))
  const sides = having(term.drawn, 'data-side').map(({ text }) => text.trim())
  assert.equal(sides[0], '1.0000 = 1.0000 cos(0.2500) − 2.0000 sin(0.2500)')
  assert.equal(sides[1], '3.0000 = 0.5000 cos(0.0000) − 3.0000 sin(0.0000)')
  // Interleaved RoPE rotates neighbouring numbers as a pair: number 3 with number 4, by the second frequency.
  const four = Float32Array.of(1, 2, 3, 4)
  const wide = { ...trace, q: four, k: four, qBare: four, kBare: four }
  const turned = { ...state, trace: wide, stack: { rope: { frequencies: [0.25, 0.5], interleaved: true } } }
  const third = having(inspect(cellPage(turned, 'a cell', ['term', 2])).drawn, 'data-side').map(({ text }) =>
    text.trim(),
  )
  assert.equal(third[0], '3.0000 = 3.0000 cos(0.5000) − 4.0000 sin(0.5000)')
  ofClass(term.drawn, 'factor').at(-1)?.listeners.click({})
  assert.deepEqual(term.done, [{ head: at, cell, detail: ['k', 1] }])

  const waiting = inspect(cellPage(state, 'a cell', ['k', 1]))
  assert.match(elementsOf(waiting.drawn)[0].text, /= 3\.0000.*loading/)
  const weightRow = { weight: Float32Array.of(1, 0.75), bias: 0.25 }
  const number = inspect(cellPage({ ...state, weightRow }, 'a cell', ['k', 1]))
  assert.match(elementsOf(number.drawn)[0].text, /"row":2,.*1\.0000×2\.0000=2\.0000.*modelsBiasTerm0\.2500sum3\.0000/)
})
