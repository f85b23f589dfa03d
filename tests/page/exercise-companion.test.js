// Tests the exercise bar, its frame and its element without a browser: steps that race, tries, and the state that a host keeps.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { load } from 'qkv'
import { begun, begunAgain, judged, withParameters } from '../../web/exercises/attempt.js'
import { exerciseBar } from '../../web/exercises/exercise-bar.js'
import { companion } from '../../web/exercises/exercise-companion.js'
import { exerciseOf } from '../../web/exercises/index.js'
import { companion as make } from '../../web/exercises/make-companion.js'
import { companion as present } from '../../web/exercises/present-companion.js'
import { shownAfterMove, shownAfterRemoval } from '../../web/exercises/slides.js'
import { createSplice } from '../../web/exercises/splice.js'
import { room as layer } from '../../web/rooms/layer/room.js'
import { room as models } from '../../web/rooms/models/room.js'
import { createStore } from '../../web/shell/store.js'

const qkv = await load()
/** Globals of a browser that Node lacks. @type {any} */
const globals = globalThis
const own = Object.getOwnPropertyDescriptors(globalThis)
globals.ResizeObserver = class {}
globals.HTMLDetailsElement = class {}
after(() => {
  for (const name of Object.keys(globals)) if (!(name in own)) delete globals[name]
  Object.defineProperties(globals, own)
})

/** Lists the texts and values of a template, in order. @param {any} template @returns {string} */
function textOf(template) {
  if (Array.isArray(template)) return template.map(textOf).join('')
  if (!template?.strings) return ['string', 'number'].includes(typeof template) ? String(template) : ''
  return template.strings
    .map((/** @type {string} */ text, /** @type {number} */ i) => text + textOf(template.values[i]))
    .join('')
}

/** Waits until the drawn text matches. @param {() => unknown} draw */
const waitingFor = draw => async (/** @type {RegExp} */ wanted) => {
  const end = Date.now() + 60_000
  while (!wanted.test(textOf(draw()))) {
    assert.ok(Date.now() < end, `${wanted}: ${textOf(draw())}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return textOf(draw())
}

/** Makes the exercise companion, and as much of a page with one room as it uses. @param {() => Promise<void>} [open] opens the room @param {import('../../web/shell/room.js').Room<any>} [room] */
function openPage(open = async () => {}, room = layer, loaded = Promise.resolve(qkv)) {
  const store = createStore(room, { qkv })
  const shell = {
    state: { language: 'en' },
    rooms: { store: () => store, open },
    enter: async () => {},
    load: () => loaded,
    schedule() {},
  }
  const own = companion(/** @type {any} */ (shell))
  const draw = () => own.draw(/** @type {any} */ ({}))
  return { store, own, draw, reads: waitingFor(draw) }
}

/** Returns the click listener of the element with this id in a template: the first function after `id`. @param {any} template @param {string} id @returns {((event?: object) => unknown) | undefined} */
function clickOf(template, id) {
  if (Array.isArray(template)) return template.map(each => clickOf(each, id)).find(Boolean)
  if (!template?.strings) return undefined
  const own = template.values.find(
    (/** @type {unknown} */ value, /** @type {number} */ i) =>
      typeof value === 'function' &&
      textOf({ strings: template.strings.slice(0, i + 1), values: template.values.slice(0, i) }).includes(id),
  )
  const inner = template.values.map((/** @type {any} */ value) => clickOf(value, id)).find(Boolean)
  return inner ?? own
}

test('the last link wins, and Leave ends pending requests', async () => {
  /** Functions that let the waiting links open, the oldest first. @type {(() => void)[]} */
  const waiting = []
  const { own, store, draw, reads } = openPage(() => new Promise(resolve => waiting.push(resolve)))
  const before = store.link()
  /** @param {number} count */
  const arrive = async count => {
    while (waiting.length < count) await new Promise(resolve => setTimeout(resolve))
  }
  const first = own.follow({ exercise: 'e1' }, {})
  await arrive(1)
  const second = own.follow({ exercise: 'e9' }, {})
  await arrive(2)
  waiting[1]()
  await second
  waiting[0]()
  await first
  assert.match(await reads(/data-exercise=/), /data-exercise=e9/)
  const third = own.follow({ exercise: 'e1' }, {})
  await arrive(3)
  await own.follow({}, {})
  waiting[2]()
  await third
  assert.equal(draw(), '')
  assert.equal(store.link(), before, 'the room shows what it showed before')
  store.close()
})

test('Next twice in a moment is one step, and none beyond the end', async () => {
  const { own, store, draw, reads } = openPage()
  await own.follow({ exercise: 'e1,e9,e10' }, {})
  await reads(/exercise-skip/)
  const event = { target: { closest: () => null } }
  const next = clickOf(draw(), 'exercise-skip')
  next?.(event)
  next?.(event)
  await reads(/data-exercise=(e9|e10)/)
  await new Promise(resolve => setTimeout(resolve, 50)) // as long as the second step would take
  await reads(/data-exercise=e9/)
  const last = clickOf(draw(), 'exercise-skip')
  last?.(event)
  await reads(/data-exercise=e10/)
  last?.(event)
  await new Promise(resolve => setTimeout(resolve, 50))
  await reads(/data-exercise=e10/)
  assert.deepEqual(own.link(), { exercise: 'e1,e9,e10', nr: '3' })
  store.close()
})

test('two presses of Check while the core is loaded are one try', async () => {
  let arrive = () => {}
  const loaded = new Promise(resolve => {
    arrive = () => resolve(qkv)
  })
  const { own, store, draw, reads } = openPage(undefined, undefined, /** @type {any} */ (loaded))
  await own.follow({ exercise: 'e1' }, {})
  await reads(/exercise-check/)
  const check = clickOf(draw(), 'exercise-check')
  const checks = [check?.(), check?.()]
  arrive()
  await Promise.all(checks)
  await reads(/After 2 more tries a solution can be shown/)
  store.close()
})

test('parts that a room shows for an exercise disappear with it', async () => {
  const { own, store, draw, reads } = openPage(undefined, models)
  const beside = () => /** @type {any} */ (store.state.view).beside
  await own.follow({ exercise: 'e18,e17' }, {})
  await reads(/data-exercise=e18/)
  assert.equal(beside(), 'Lily and Tom are friends . Is he')
  clickOf(draw(), 'exercise-skip')?.({ target: { closest: () => null } })
  await reads(/data-exercise=e17/)
  assert.equal(beside(), '')
  await own.follow({ exercise: 'e18' }, {})
  await reads(/data-exercise=e18/)
  await own.follow({}, {})
  assert.equal(beside(), '')
  store.close()
})

test('when a solution is shown, the hint of the last wrong try disappears', async () => {
  const { own, store, draw, reads } = openPage()
  await own.follow({ exercise: 'e1' }, {})
  await reads(/exercise-check/)
  const check = clickOf(draw(), 'exercise-check')
  for (let tries = 0; tries < 3; tries++) await check?.()
  assert.match(textOf(draw()), /exercise-hint/)
  clickOf(draw(), 'exercise-solution')?.()
  assert.doesNotMatch(textOf(draw()), /exercise-hint/)
  store.close()
})

test('no more than the tries of the link are counted, also by Enter', async () => {
  const { own, store, draw, reads } = openPage()
  await own.follow({ exercise: 'e1', attempts: '1' }, {})
  await reads(/exercise-check/)
  const check = clickOf(draw(), 'exercise-check')
  await Promise.all([check?.(), check?.()])
  store.act.edit({ matrix: 'Q', head: 0, row: 0, column: 1 }, 8)
  await check?.()
  assert.match(textOf(draw()), /data-state=failed/)
  store.close()
})

test('leaving an exercise brings back settings that no link holds', async () => {
  const { own, store, reads } = openPage()
  const link = store.link
  store.link = () => ''
  store.act.change({ mask: 'causal' })
  const kept = store.state.settings
  await own.follow({ exercise: 'e1' }, {})
  await reads(/data-exercise=e1/)
  assert.notEqual(store.state.settings.mask, kept.mask)
  store.link = link
  await own.follow({}, {})
  assert.deepEqual(store.state.settings, kept)
  store.close()
})

test('after it was solved, a wrong try is a hint and no “Right.”; a new start keeps that the solution was shown', async () => {
  const exercise = /** @type {import('../../web/exercises/exercise.js').Exercise} */ (await exerciseOf('e18'))
  const yes = { passed: true, score: 1, hint: 'done', params: { head: '1.2' } }
  const no = { passed: false, score: 0, hint: 'none', params: {} }
  /** @type {string[]} */
  const said = []
  const t = (/** @type {string} */ key) => {
    said.push(key)
    return key
  }
  const attempt = judged(judged(begun(), yes), no)
  const { controls: _, pair: __, ...plain } = exercise
  const bar = {
    t,
    exercise: plain,
    attempt,
    rules: { hints: true, solution: true, most: 9 },
    state: { settings: { text: '' } },
    said: '',
    place: { at: 0, of: 1 },
    isEmbedded: false,
    isFolded: false,
    act: {},
  }
  textOf(exerciseBar(/** @type {any} */ (bar)))
  assert.deepEqual(
    said.filter(key => /done|hint\.|exerciseTries/.test(key)),
    ['e18.hint.none'],
  )
  const again = begunAgain({ ...attempt, isShown: true })
  assert.deepEqual(again, { ...begun(), score: 1, tries: 1, isShown: true })
})

test('a closed frame handles no messages, and answers with no state', async () => {
  /** @type {((event: { source: unknown, data: any }) => void)[]} */
  let listeners = []
  const parent = { postMessage() {} }
  const frame = {
    parent,
    addEventListener: (/** @type {string} */ _, /** @type {any} */ listener) => listeners.push(listener),
    removeEventListener(/** @type {string} */ _, /** @type {any} */ listener) {
      listeners = listeners.filter(each => each !== listener)
    },
  }
  let heard = 0
  const splices = ['qkv.e1', 'qkv.e2'].map(id => createSplice(frame, id, () => heard++))
  const state = splices[0].getState()
  splices[0].close()
  assert.equal(await state, undefined)
  for (const listener of listeners) listener({ source: parent, data: { subject: 'qkv.check' } })
  assert.equal(heard, 1)
})

test('<qkv-exercise> keeps attempts and scores of a list by exercise', async () => {
  /** @type {any[]} */
  const posted = []
  const contentWindow = { postMessage: (/** @type {any} */ message) => posted.push(message) }
  /** @type {(event: object) => void} */
  let say = () => {}
  globals.addEventListener = (/** @type {string} */ _, /** @type {any} */ listener) => {
    say = listener
  }
  globals.removeEventListener = () => {}
  globals.document = { createElement: () => ({ contentWindow, style: {}, remove() {} }) }
  globals.HTMLElement = class extends EventTarget {
    title = ''
    getAttribute(/** @type {string} */ name) {
      return name === 'exercise' ? 'e5,e6' : null
    }
    attachShadow() {
      return { replaceChildren() {} }
    }
  }
  const { QkvExercise } = await import('../../web/elements/exercise.js')
  const own = new QkvExercise()
  own.connectedCallback()
  /** @type {number[]} */
  const scores = []
  own.addEventListener('qkv-score', event => scores.push(/** @type {any} */ (event).detail.score))
  const hear = (/** @type {object} */ data) => say({ source: contentWindow, data })
  const ask = (/** @type {string} */ activity_id) => {
    hear({ subject: 'SPLICE.getState', message_id: '1', activity_id })
    return posted.at(-1).state
  }
  const [five, six] = [{ exercise: 'e5' }, { exercise: 'e6' }]
  assert.equal(ask('qkv.e5'), null)
  hear({ subject: 'SPLICE.reportScoreAndState', activity_id: 'qkv.e5', score: 1, state: five })
  assert.equal(ask('qkv.e6'), null, 'the attempt of the other exercise is not its own')
  hear({ subject: 'SPLICE.reportScoreAndState', activity_id: 'qkv.e6', score: 0.5, state: six })
  assert.deepEqual(scores, [0.5, 0.75])
  assert.deepEqual([own.score, own.getState()], [0.75, six])
  const set = { exercise: 'e5', tries: 3 }
  posted.length = 0
  own.setState(set)
  assert.deepEqual(posted, [], 'e6 is open')
  assert.equal(ask('qkv.e5'), set)
  own.setState(set)
  assert.deepEqual(posted.at(-1), { subject: 'qkv.setState', state: set })
  own.disconnectedCallback()
})

test('an exercise is made with a check of the open room; an impossible one gives a message', async () => {
  globals.location = { href: 'https://a/#2', hash: '' }
  const store = createStore(layer, { qkv })
  let room = 'learn'
  let isReady = true
  let loaded = Promise.resolve(qkv)
  const shell = {
    state: {
      language: 'en',
      get room() {
        return room
      },
    },
    rooms: { store: () => (isReady ? store : { ...store, state: { ...store.state, got: {} } }) },
    load: () => loaded,
    schedule() {},
  }
  const own = make(/** @type {any} */ (shell))
  const draw = () => own.draw(/** @type {any} */ ({}))
  const reads = waitingFor(draw)
  own.open?.()
  await reads(/make-check/)
  const set = (/** @type {string} */ id, /** @type {string} */ value) => clickOf(draw(), id)?.({ target: { value } })
  set('make-check', 'accuracy')
  room = 'layer'
  await reads(/make-check/)
  set('make-task', 'Do it.')
  await clickOf(draw(), 'make-try')?.()
  await reads(/data-made=make(Good|Passes)/)
  let arrive = () => {}
  loaded = new Promise(resolve => {
    arrive = () => resolve(qkv)
  })
  const trying = clickOf(draw(), 'make-try')?.()
  set('make-task', 'Do something else.')
  arrive()
  await trying
  assert.doesNotMatch(textOf(draw()), /data-made=make/, 'a link with the older task is not offered')
  isReady = false
  await clickOf(draw(), 'make-try')?.()
  await reads(/data-made=exerciseWait/)
  isReady = true
  store.canLink = () => false
  await clickOf(draw(), 'make-try')?.()
  await reads(/data-made=linkLarge/)
  room = 'front'
  await reads(/makeNoRoom/)
  store.close()
})

test("slides of a link stay in the address, and do not change the reader's slides; the address follows the current one", async () => {
  const stored = new Map([['qkv.slides', '[]']])
  globals.localStorage = {
    getItem: (/** @type {string} */ name) => stored.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ text) => stored.set(name, text),
  }
  globals.location = { href: 'https://a/#2', hash: '' }
  globals.addEventListener = () => {}
  globals.document = { createElement: () => ({}), body: {} }
  globals.Element = class {}
  const shell = {
    state: { language: 'en', room: 'layer', t: String },
    rooms: { store: () => ({ canLink: () => false }) },
    linkWith: () => '#2&x=1',
    schedule() {},
  }
  const own = present(/** @type {any} */ (shell))
  const draw = () => own.draw(/** @type {any} */ ({}))
  const slides = ['a', 'b', 'c'].map(name => ({ name, hash: `#2&sentence=${name}` }))
  own.follow({ present: JSON.stringify(slides) }, {})
  const end = Date.now() + 60_000
  while (!/present-list/.test(textOf(draw()))) {
    assert.ok(Date.now() < end)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  clickOf(draw(), 'type="text"')?.({ target: { value: 'z' } })
  const [first, ...others] = slides
  assert.deepEqual(JSON.parse(own.link().present), [{ name: 'z', hash: first.hash }, ...others])
  assert.equal(stored.get('qkv.slides'), '[]')
  for (const _ of slides) own.press?.(/** @type {any} */ ({ key: 'ArrowRight', target: document.body }))
  own.follow({ present: own.link().present }, {})
  assert.match(textOf(draw()), /data-at=2/, 'Back in the browser leaves the place in the same slides')
  clickOf(draw(), 'Remove')?.()
  assert.match(textOf(draw()), /data-at=1 data-slides=2/)
  clickOf(draw(), 'present-add')?.()
  assert.match(textOf(draw()), /data-slides=2[\s\S]*There are too many numbers/)
  assert.deepEqual([shownAfterMove(1, 1, 1), shownAfterMove(2, 1, 1), shownAfterMove(0, 1, 1)], [2, 1, 0])
  assert.deepEqual([shownAfterRemoval(2, 2), shownAfterRemoval(1, 2), shownAfterRemoval(-1, 0)], [1, 1, -1])
})

test('a host that never answers is reported, and the exercise continues; a late answer is used until the reader has begun', async () => {
  /** @type {((event: { source: unknown, data: any }) => void)[]} */
  const listeners = []
  /** @type {any[]} */
  const heard = []
  const parent = { postMessage: (/** @type {any} */ message) => heard.push(message) }
  globals.window = {
    parent,
    addEventListener: (/** @type {string} */ _, /** @type {any} */ listener) => listeners.push(listener),
    removeEventListener() {},
  }
  const answer = (/** @type {object} */ state) => {
    const { message_id } = heard.find(({ subject }) => subject === 'SPLICE.getState')
    const data = { subject: 'SPLICE.getState.response', message_id, state }
    for (const listener of listeners) listener({ source: parent, data })
  }
  const silent = /The page around this exercise does not answer/
  try {
    for (const hasBegun of [false, true]) {
      heard.length = listeners.length = 0
      const { own, store, draw, reads } = openPage()
      await own.follow({ exercise: 'e1', embed: '1' }, {})
      await reads(silent)
      const query = () =>
        store.state.settings.edits.map((/** @type {{ column: number, value: number }} */ { column, value }) => [
          column,
          value,
        ])
      const link = withParameters(store.link(), 'edits=Q.0.0.1:2')
      const edit = /** @type {const} */ ({ matrix: 'Q', head: 0, row: 0, column: 1, value: 8 })
      if (hasBegun) store.update({ set: { edits: [edit] } })
      answer({ exercise: 'e1', link, answer: '', tries: 1, isShown: false, isPassed: false, score: 0 })
      while (silent.test(textOf(draw()))) await new Promise(resolve => setTimeout(resolve))
      assert.deepEqual(query(), [[1, hasBegun ? 8 : 2]])
      clickOf(draw(), 'exercise-check')?.()
      await reads(hasBegun ? /Right\./ : /the query is too short/)
      await own.follow({}, {})
      store.close()
    }
  } finally {
    delete globals.window
  }
})
