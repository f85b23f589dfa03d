// Tests, without a room, the pictures of a head: each is drawn from data, and responds to pointer, finger and keyboard in the same way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { headView, pictureSelector, viewTabs } from '../../web/attention-head/head-view.js'
import { differenceWords } from '../../web/attention-head/views/difference-words.js'
import { VIEW_NAMES, VIEWS } from '../../web/attention-head/views/index.js'
import { pointable } from '../../web/ui/pointing.js'
import { elementsOf, having, keyOf, ofClass } from './template.js'

/** @import { HeadActions, HeadView } from '../../web/attention-head/head.js' */

const t = /** @type {any} */ (Object.assign(keyOf, { elements: {} }))

/** Makes actions that record their calls. */
function noted() {
  /** @type {unknown[][]} */
  const done = []
  const act = /** @type {Required<HeadActions>} */ (
    new Proxy({}, { get: (_, name) => (/** @type {unknown[]} */ ...args) => done.push([name, ...args.filter(x => x !== undefined)]) }) // biome-ignore format: one line
  )
  return { act, done }
}

/** @type {HeadView} */
const view = {
  prefix: 'a-',
  label: 'Weights',
  weights: { data: Float32Array.of(1, 0, 0.25, 0.75), dims: [2, 2] },
  visible: { data: Uint8Array.of(1, 0, 1, 1), dims: [2, 2] },
  queries: ['x', 'y'],
  keys: ['x', 'y'],
  view: 'map',
  mode: 'read',
  domain: [0, 1],
  selected: { row: 1, column: 0 },
  subtracted: { row: 0, column: 0 },
  word: { side: 'queries', position: 1 },
  less: { choices: [{ value: '1', name: 'head 2' }, { value: 'text', name: 'other text' }], chosen: 'text', of: 'this minus that', weights: { data: Float32Array.of(1, 0, 0, 1), dims: [2, 2] } }, // biome-ignore format: one line
  scores: [{ name: 'entropy', value: 0.5 }],
}

test('every view has a tab, a picture with its words, and exports', () => {
  const { act, done } = noted()
  assert.equal(new Set(VIEW_NAMES).size, VIEWS.length)
  const tabs = elementsOf(viewTabs('map', act.show, t))
  assert.deepEqual(
    tabs.map(({ attributes }) => [attributes['data-view'], attributes['aria-pressed']]),
    VIEW_NAMES.map(name => [name, name === 'map']),
  )
  tabs[VIEW_NAMES.indexOf('numbers')].listeners.click({})
  assert.deepEqual(done, [['show', 'numbers']])
  for (const [name, selector] of [
    ['map', '#a-map'],
    ['difference', '#a-difference'],
    ['numbers', ''],
  ]) {
    // biome-ignore format: one line
    assert.equal(pictureSelector({ prefix: 'a-', view: name }), selector)
    const drawn = headView({ ...view, view: name }, act, t)
    const [picture] = elementsOf(drawn).filter(({ tag }) => tag.startsWith('qkv-'))
    assert.deepEqual(picture.attributes['.rowTokens'] ?? picture.attributes['.queryTokens'], ['x', 'y'], name)
    assert.deepEqual(picture.attributes['.mask'] ?? view.visible, view.visible, name)
  }
  assert.match(elementsOf(headView(undefined, act, t))[0].text, /loading/)
})

test('the flow needs the steps of a head: without them it shows a message', () => {
  const { act, done } = noted()
  assert.equal(pictureSelector({ prefix: 'a-', view: 'flow' }), '#a-flow')
  const [, note] = elementsOf(headView({ ...view, view: 'flow' }, act, t))
  assert.match(note.text, /flowNone/)
  const flow = { trace: /** @type {any} */ ({}), head: 1, query: 1 }
  const drawn = elementsOf(headView({ ...view, view: 'flow', flow }, act, t))
  const [picture] = drawn.filter(({ tag }) => tag === 'qkv-flow')
  assert.deepEqual([picture.attributes['.head'], picture.attributes['.query']], [1, 1])
  const place = { word: { side: 'queries', position: 0 } }
  picture.listeners['flow-query']({ detail: { query: 0, isPassing: true } })
  assert.deepEqual(done.splice(0), [['point', place]], 'a word that “All words” passes is no step back')
  picture.listeners['flow-query']({ detail: { query: 0 } })
  assert.deepEqual(done.splice(0), [['point'], ['select', place]])
  picture.listeners['flow-all']({})
  assert.deepEqual(done, [['point'], ['show', 'map']])
})

/** Events that a picture dispatches, each with its detail and the action that it must call. @type {[event: string, detail: object | null, asks: unknown[]][]} */
const BEHAVIOURS = [
  ['cell-focus', { row: 1, column: 0 }, ['point', { cell: { matrix: 'weights', row: 1, column: 0 } }]],
  ['cell-leave', null, ['point']],
  ['cell-pin', { row: 0, column: 1 }, ['select', { cell: { matrix: 'weights', row: 0, column: 1 } }]],
  [
    'cell-pin',
    { row: 0, column: 1, isSecond: true },
    ['select', { cell: { matrix: 'weights', row: 0, column: 1 } }, true],
  ],
  ['token-focus', { side: 'row', index: 1 }, ['point', { word: { side: 'queries', position: 1 } }]],
  ['token-focus', null, ['point']],
  ['token-pin', { side: 'column', index: 0 }, ['select', { word: { side: 'keys', position: 0 } }]],
  [
    'token-pin',
    { side: 'row', index: 0, isSecond: true },
    ['select', { word: { side: 'queries', position: 0 } }, true],
  ],
  ['cell-edit', { row: 1, column: 1, value: 0.5, isFirst: false }, ['edit', 1, 1, 0.5, 'drag 0']],
  ['cell-paint', { row: 1, column: 1, hide: true }, ['hide', 1, 1, true]],
  ['token-range', { side: 'row', from: 0, to: 1 }, ['chooseRows', { from: 0, to: 1 }]],
]

test('pointing, selecting and a second one are the same in every picture that has words or cells', () => {
  const answered = { map: 11, difference: 8, numbers: 5 }
  for (const [name, count] of Object.entries(answered)) {
    let found = 0
    for (const [event, detail, asks] of BEHAVIOURS) {
      const { act, done } = noted()
      const [picture] = elementsOf(headView({ ...view, view: name }, act, t)).filter(({ tag }) =>
        tag.startsWith('qkv-'),
      )
      if (!picture.listeners[event]) continue
      picture.listeners[event]({ detail })
      assert.deepEqual(done, [asks], `${name}: ${event}`)
      found++
    }
    assert.equal(found, count, name)
  }
})

test('the current word and the subtracted cell are marked, by the same object while they do not change', () => {
  const marks = (/** @type {Partial<HeadView>} */ more) =>
    having(headView({ ...view, ...more }, noted().act, t), '.highlight')[0].attributes['.highlight']
  assert.deepEqual(marks({}), { rows: [1], columns: [1], cells: [{ row: 0, column: 0 }] })
  assert.deepEqual(marks({ isCross: true, subtracted: undefined }), { rows: [1], columns: [], cells: [] })
  assert.equal(marks({}), marks({ weights: { ...view.weights } }))
})

test('of many rows some are chosen: cells keep their row, and a magnifier shows those around the current one', own => {
  const n = 30
  const names = Array.from({ length: n }, (_, i) => `w${i}`)
  const many = {
    ...view,
    queries: names,
    keys: names,
    weights: { data: Float32Array.from({ length: n * n }, (_, i) => i), dims: [n, n] },
    visible: undefined,
    selected: { row: 12, column: 29 },
    rows: { filter: '', range: { from: 10, to: 12 } },
  }
  globalThis.document = /** @type {any} */ ({ getElementById: () => null })
  own.after(() => Reflect.deleteProperty(globalThis, 'document'))
  const { act, done } = noted()
  const drawn = headView(many, act, t)
  const [map] = having(drawn, 'id', 'a-map')
  assert.deepEqual(map.attributes['.rowTokens'], ['w10', 'w11', 'w12'])
  assert.deepEqual(map.attributes['.pinned'], { row: 2, column: 29 })
  assert.equal(map.attributes['.matrix'].data[0], 300)
  map.listeners['cell-pin']({ detail: { row: 1, column: 3 } })
  assert.deepEqual(done, [['select', { cell: { matrix: 'weights', row: 11, column: 3 } }]])
  const [lens] = having(drawn, 'id', 'a-lens')
  assert.deepEqual(lens.attributes['.cell'], { row: 12, column: 23 })
  assert.deepEqual(lens.attributes['.matrix'].dims, [24, 24])
  having(drawn, 'id', 'range-none')[0].listeners.click({})
  assert.deepEqual(done[1], ['chooseRows'])
  const filtered = headView({ ...many, rows: { filter: 'W2' } }, act, t)
  assert.equal(having(filtered, 'id', 'a-map')[0].attributes['.rowTokens'].length, 11)
  assert.match(ofClass(filtered, 'row-filter')[0].text, /filteredRows {"count":11,"of":30}/)
  assert.equal(having(headView({ ...many, rows: undefined }, act, t), 'id', 'a-lens').length, 0)
})

test('the difference explains its numbers and names the largest', () => {
  const drawn = differenceWords(view, /** @type {any} */ (view.less), t)
  assert.match(having(drawn, 'id', 'a-difference-says')[0].text, /^this minus that.*differenceSays/)
  const [largest] = having(drawn, 'id', 'a-largest-differences')
  assert.match(largest.text, /^largestDifferences \S+differenceAt [^}]*y[^}]*x[^}]*\+0\.2500/)
  assert.doesNotMatch(largest.text, /0\.0000/, 'equal cells are not named')
})

test('without a second head the difference shows the reason, and its list is requested', () => {
  const { act, done } = noted()
  const drawn = headView({ ...view, view: 'difference' }, act, t)
  assert.equal(having(drawn, 'id', 'a-difference')[0].attributes['.minus'], view.less?.weights)
  const [choice] = having(drawn, 'id', 'a-minus')
  choice.listeners.change({ target: { value: '1' } })
  assert.deepEqual(done, [['subtract', '1']])
  assert.deepEqual(having(drawn, 'selected', true).map(({ text }) => text), ['other text']) // biome-ignore format: one line
  const less = { choices: [], chosen: '', of: '', problem: 'other words' }
  assert.match(ofClass(headView({ ...view, view: 'difference', less }, act, t), 'note')[0].text, /other words/)
})

test('numbers are the scores of the head, or the numbers of all heads', () => {
  const { act, done } = noted()
  assert.match(elementsOf(headView({ ...view, view: 'numbers' }, act, t))[0].text, /entropy ?0\.5000/)
  const rows = [0, 1].map(head => ({ name: `h${head}`, head, values: ['1.5'], note: 'looks back', isOwn: head === 1 }))
  const heads = { caption: 'all', head: 'head', columns: ['entropy'], rows }
  const drawn = headView({ ...view, view: 'numbers', heads }, act, t)
  const buttons = having(drawn, 'aria-pressed')
  assert.deepEqual(buttons.map(({ text, attributes }) => [text, attributes['aria-pressed']]), [['h0', false], ['h1', true]]) // biome-ignore format: one line
  buttons[0].listeners.click({})
  assert.deepEqual(done, [['open', 0]])
})

test('a button responds to pointing and clicks, and Shift or a long press makes it the second one', async () => {
  const page = new EventTarget()
  const { addEventListener: add, removeEventListener: remove } = globalThis
  globalThis.addEventListener = page.addEventListener.bind(page)
  globalThis.removeEventListener = page.removeEventListener.bind(page)
  const isSwallowed = () => !page.dispatchEvent(new Event('click', { cancelable: true }))
  /** @type {unknown[]} */
  const done = []
  const on = pointable({ point: is => done.push(is), select: isSecond => done.push(isSecond ? 'second' : 'first') })
  on.enter()
  on.leave()
  on.click(/** @type {any} */ ({ shiftKey: false }))
  on.click(/** @type {any} */ ({ shiftKey: true }))
  assert.deepEqual(done.splice(0), [true, false, 'first', 'second'])
  on.down(/** @type {any} */ ({ pointerType: 'touch' }))
  await wait(700)
  on.up()
  assert.deepEqual([isSwallowed(), isSwallowed()], [true, false], 'the click that ends the press, wherever it is')
  assert.deepEqual(done.splice(0), ['second'])
  on.down(/** @type {any} */ ({ pointerType: 'touch' }))
  await wait(700)
  page.dispatchEvent(new Event('pointerdown'))
  assert.equal(isSwallowed(), false, 'a press without a click takes none from the next one')
  done.length = 0
  on.down(/** @type {any} */ ({ pointerType: 'touch' }))
  on.up()
  on.click(/** @type {any} */ ({ shiftKey: false }))
  on.down(/** @type {any} */ ({ pointerType: 'mouse' }))
  await wait(700)
  on.click(/** @type {any} */ ({ shiftKey: false }))
  assert.deepEqual(done, ['first', 'first'])
  globalThis.addEventListener = add
  globalThis.removeEventListener = remove
})
