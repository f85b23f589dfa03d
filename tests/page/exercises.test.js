// Tests exercises without a browser: the start does not pass, each wrong answer gets its hint, the solution passes, and locked settings cannot
// change. Also tests scores, rules, links and exercises that teachers make.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { filesOf } from '../../build/train/english/measure.js'
import {
  answerOf,
  begun,
  canShow,
  guardOf,
  isOver,
  judged,
  rulesOf,
  startOf,
  withParameters,
} from '../../web/exercises/attempt.js'
import { elementOf, frameOf } from '../../web/exercises/figure-text.js'
import { exerciseOf, GROUPS, IDS, idsOf } from '../../web/exercises/index.js'
import { ownExercise, readMade, writeMade } from '../../web/exercises/own-exercise.js'
import { room as list } from '../../web/exercises/room.js'
import { createScoreBook, csvOf } from '../../web/exercises/score-book.js'
import { asParameter, keepSlides, moved, readSlides, storedSlides } from '../../web/exercises/slides.js'
import { textsOf } from '../../web/exercises/teachers-page.js'
import { shareOf } from '../../web/exercises/verdict.js'
import { LANGUAGES } from '../../web/i18n/languages.js'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { room as layer } from '../../web/rooms/layer/room.js'
import { room as models } from '../../web/rooms/models/room.js'
import { fromLink, toLink } from '../../web/shell/settings-link.js'
import { createStore } from '../../web/shell/store.js'
import { openLearn } from './learn-store.js'

/** @import { Exercise } from '../../web/exercises/exercise.js' */

const qkv = await load()
const SEEDS = [0, 1, 12345]
const exercises = /** @type {Exercise[]} */ (await Promise.all(IDS.map(exerciseOf)))

/** The numbers in hints and solutions, by exercise and hint. They depend on the weights of the shipped models. @type {Record<string, object>} */
const MEASURED = {
  'e10 one': { n: 0.5, first: '0.007', second: '0.993' },
  'e11 none': { share: '83.4%' },
  'e11 shared': { copies: 2, share: '0.498' },
  'e11 done': { word: 'cat', share: '99.2%' },
  'e17 still': { head: '1.1', word: 'tom', share: '23.7%' },
  'e17 done': { head: '1.2', word: 'max', share: '48.4%' },
  'e18 both': { head: '1.1', he: '23.7%', she: '10.6%' },
  'e19 copies': { on: 2, word: 'ta', share: '83.3%' },
  'e19 done': { on: 3, word: 'mo', share: '99.7%' },
  'e20 done': { word: 'ben', share: '99.9%', layer: 1 },
  'e21 higher': { layer: 3, word: 'gloves', share: '45.0%' },
  'e21 done': { layer: 2, word: 'gloves', share: '41.8%' },
  'e22 done': { word: 'snow', layer: 3 },
  'e23 still': { head: '1.1', rank: 18, word: 'u' },
  'e23 done': { head: '3.1', rank: 61, word: 'sun' },
}

/** Checks that a verdict has the expected numbers. @param {Exercise} exercise @param {import('../../web/exercises/exercise.js').Verdict | undefined} verdict */
function measures({ id }, verdict) {
  const wanted = MEASURED[`${id} ${verdict?.hint}`]
  if (wanted) assert.deepEqual(verdict?.params, wanted, `${id} ${verdict?.hint}`)
}

/** Returns the verdict on an attempt in One layer. @param {Exercise} exercise @param {import('../../web/exercises/exercise.js').Attempt} attempt @param {number} seed */
function verdictInLayer(exercise, attempt, seed) {
  const { set } = attempt
  const link = withParameters(startOf(exercise, seed), set)
  const store = createStore(layer, { qkv, link })
  try {
    assert.deepEqual(store.state.problems, {}, link)
    const refusal = guardOf(exercise, layer.fields, { key: 'locked' })(
      createStore(layer, { qkv, link: startOf(exercise, seed) }).state.settings,
      store.state.settings,
    )
    // An attempt may change only settings that are not locked. In an exercise with a typed answer, it may also change locked ones, to show something.
    assert.ok(exercise.answer || !refusal, `${exercise.id}: the reader may do so`)
    const given = { state: store.state, answer: undefined, memory: undefined, qkv }
    return exercise.check({ ...given, answer: answerOf(attempt, given) })
  } finally {
    store.close()
  }
}

test('imported weights, which have no queries, keys or values, break no exercise of One layer', () => {
  const imported = { weights: { dims: [1, 2], data: [0.5, 0.5] }, tokens: ['a'] }
  const link = toLink(layer.fields, { ...settingsOf('layer'), model: 'imported', imported })
  const store = createStore(layer, { qkv, link })
  const given = { state: store.state, answer: '1', memory: undefined, qkv }
  for (const exercise of exercises.filter(({ room }) => room === 'layer')) {
    assert.doesNotThrow(() => exercise.check(given), exercise.id)
    assert.doesNotThrow(() => exercise.measured?.(given), exercise.id)
  }
  store.close()
})

for (const exercise of exercises.filter(({ room }) => room === 'layer'))
  test(`${exercise.id}: the start does not pass, each wrong answer gets its hint, the solution passes`, () => {
    for (const seed of SEEDS) {
      assert.equal(verdictInLayer(exercise, { answer: '' }, seed)?.passed, false)
      for (const wrong of exercise.wrong) {
        const verdict = verdictInLayer(exercise, wrong, seed)
        assert.deepEqual([verdict?.passed, verdict?.hint], [false, wrong.hint], JSON.stringify(wrong))
        measures(exercise, verdict)
      }
      const verdict = verdictInLayer(exercise, exercise.solution, seed)
      assert.equal(verdict?.passed, true)
      measures(exercise, verdict)
    }
  })

/** Lists the exercises of a room. @param {string} id */
const inRoom = id => exercises.filter(({ room }) => room === id)

/** @param {Exercise} exercise @param {import('../../web/exercises/exercise.js').Attempt} attempt @param {object} state */
const checked = (exercise, { answer = '', memory }, state) =>
  exercise.check({ state: /** @type {any} */ (state), answer, memory, qkv })

test('exercises of Learn: wrong answers get their hints, solutions pass', async () => {
  for (const exercise of inRoom('learn').filter(({ watch }) => watch)) {
    const own = openLearn(startOf(exercise, 0))
    assert.deepEqual(own.store.state.problems, {})
    assert.equal(checked(exercise, {}, own.store.state)?.passed, false)
    for (const wrong of exercise.wrong) {
      const verdict = checked(exercise, wrong, own.store.state)
      assert.deepEqual([verdict?.passed, verdict?.hint], [false, wrong.hint], JSON.stringify(wrong))
    }
    assert.equal(checked(exercise, exercise.solution, own.store.state)?.passed, true, exercise.id)
    own.close()
  }
})

/** Makes a store of Models with a model that ships with the page. @param {string} name of its folder */
async function openModel(name) {
  const folder = new URL(`../../web/trained/${name}/`, import.meta.url)
  const files = Object.entries({
    'about.json': readFileSync(new URL('about.json', folder)),
    ...filesOf(fileURLToPath(folder)),
  })
  const store = createStore(models, { qkv })
  const isOpen = () =>
    Object.values(store.state.got).some(got => got?.is === 'waiting' || (got?.is === 'here' && !got.isLast))
  const settled = async () => {
    do await new Promise(resolve => setTimeout(resolve))
    while (isOpen())
  }
  store.act.bring(files.map(([file, bytes]) => new File([bytes], file)))
  await settled()
  /** Applies the settings of a link, except the model's name: in Node no model ships, and the store has opened it from files. @param {string} link */
  async function show(link) {
    const { checkpoint: _, ...set } = fromLink(models.fields, link)
    store.update({ set })
    await settled()
    return store.state
  }
  return { store, show }
}

for (const name of ['stories', 'translation', 'english'])
  test(`exercises of Models with the model ${name}: the start does not pass, each wrong answer gets its hint, the solution passes`, async () => {
    const { store, show } = await openModel(name)
    for (const exercise of inRoom('models')) {
      const start = startOf(exercise, 0)
      if (!start.includes(`checkpoint=${name}`)) continue
      store.update({ view: exercise.view })
      /** @param {import('../../web/exercises/exercise.js').Attempt} attempt */
      const verdictOf = async attempt => {
        const state = await show(withParameters(start, attempt.set))
        const first = await show(start)
        const locked = guardOf(exercise, models.fields, { key: 'locked' })(first.settings, state.settings)
        assert.equal(locked, undefined, `${exercise.id}: the reader may do so`)
        return exercise.check({ state, answer: '', memory: undefined, qkv })
      }
      assert.equal((await verdictOf({}))?.passed, false)
      for (const wrong of exercise.wrong) {
        const verdict = await verdictOf(wrong)
        assert.deepEqual(
          [verdict?.passed, verdict?.hint],
          [false, wrong.hint],
          `${exercise.id} ${JSON.stringify(wrong)}`,
        )
        measures(exercise, verdict)
      }
      const verdict = await verdictOf(exercise.solution)
      assert.equal(verdict?.passed, true, exercise.id)
      measures(exercise, verdict)
    }
    store.close()
  })

test('e18 shows both texts with the same heads switched off, and both predictions; it waits for both', async () => {
  const { store, show } = await openModel('stories')
  const exercise = exercises[17]
  const first = await show(startOf(exercise, 0))
  assert.equal(checked(exercise, {}, first), undefined, 'the other text was not read')
  store.update({ view: exercise.view })
  const state = await show(withParameters(startOf(exercise, 0), 'changes=3.1=0'))
  const [he, she] = exercise.pair?.(/** @type {any} */ (state)) ?? []
  assert.deepEqual(
    [he.text, she.text],
    ['he', 'she'].map(word => `Lily and Tom are friends . Is ${word}`),
  )
  assert.deepEqual(he.says?.[0], { word: 'tom', share: '>99.9%' })
  assert.ok(
    she.says?.some(({ word, share }) => word === 'lily' && share === '10.4%'),
    JSON.stringify(she),
  )
  store.update({ set: fromLink(models.fields, withParameters(startOf(exercise, 0), 'changes=1.1=0')) })
  assert.equal(checked(exercise, {}, store.state), undefined, 'what was computed with other heads does not count')
  store.close()
})

test('of all sets of three heads, exactly one solves e19', async () => {
  const { store, show } = await openModel('stories')
  const exercise = exercises[18]
  const heads = ['1.1', '1.2', '2.1', '2.2', '3.1', '3.2']
  const sets = heads.flatMap((a, i) => heads.slice(i + 1).flatMap((b, j) => heads.slice(i + j + 2).map(c => [a, b, c])))
  assert.equal(sets.length, 20)
  /** @type {string[]} */
  const passed = []
  for (const off of sets) {
    const changes = off.map(head => `${head}=0`).join('+')
    const state = await show(withParameters(startOf(exercise, 0), `changes=${changes}`))
    const on = heads.filter(head => !off.includes(head)).join(' ')
    if (checked(exercise, {}, state)?.passed) passed.push(on)
  }
  assert.deepEqual(passed, ['1.1 2.2 3.1'])
  store.close()
})

test('the query of e1 gives key 2 0.9993; one head of e10 is at best 0.32 off, and 0.35 by its sliders', () => {
  const [e1] = exercises
  const store = createStore(layer, { qkv, link: withParameters(startOf(e1, 0), e1.solution.set) })
  const { weights } = /** @type {any} */ (store.state.got.trace).value.tensors
  assert.equal(weights.data[1].toFixed(4), '0.9993')
  store.close()
  /** Returns how far e10's output is from (0.5, 0.5) if key 1 has length n. The weights are softmax(n a, b, c). @param {number} n @param {readonly number[]} q the query (a, b, c) */
  const off = (n, [a, b, c]) => {
    const [x, y, z] = [n * a, b, c].map(Math.exp)
    const sum = x + y + z
    return Math.max(Math.abs((x - z) / sum - 0.5), Math.abs((y - z) / sum - 0.5))
  }
  /** Returns the error of the best query on a grid. A query's error is its largest for n = 0.5, 1 and 1.5. @param {number} step of the grid @param {number} most the largest c */
  function best(step, most) {
    let least = 1
    for (let a = 0; a <= 20; a += step)
      for (let b = 0; b <= 20; b += step)
        for (let c = 0; c <= most; c += step)
          least = Math.min(least, Math.max(...[0.5, 1, 1.5].map(n => off(n, [a, b, c]))))
    return least.toFixed(2)
  }
  assert.deepEqual([best(1, 20), best(0.25, 1)], ['0.35', '0.32'])
})

test('e20 scores a later layer less', async () => {
  const { store, show } = await openModel('stories')
  const exercise = exercises[19]
  const scoreOf = async (/** @type {number} */ layer) => {
    const state = await show(withParameters(startOf(exercise, 0), `changes=${layer}:9=patch`))
    return exercise.check({ state, answer: '', memory: undefined, qkv })?.score
  }
  assert.deepEqual([await scoreOf(1), await scoreOf(2), await scoreOf(3)], [1, 0.8, 0.8])
  store.close()
})

test('every exercise has its texts in every language, with the numbers that its hints have', async () => {
  for (const tag of Object.keys(LANGUAGES)) {
    const frame = await import(`../../web/i18n/${tag}/exercises.js`)
    const pages = await import(`../../web/i18n/${tag}/exercise-pages.js`)
    /** @type {Record<string, string>} */
    const texts = { ...frame.texts, ...pages.texts }
    for (const { name, texts: file } of GROUPS) {
      assert.ok(texts[`group.${name}`], name)
      Object.assign(texts, (await import(`../../web/i18n/${tag}/${file}.js`)).texts)
    }
    for (const { id, answer, wrong, measured } of exercises) {
      const hints = wrong.map(({ hint }) => hint).filter(hint => hint !== 'notYet')
      const parts = [
        ...hints.map(hint => `hint.${hint}`),
        ...(answer ? ['answer'] : []),
        ...(measured ? ['measured'] : []),
      ]
      for (const part of ['title', 'task', 'may', 'done', 'notYet', ...parts])
        assert.ok(texts[`${id}.${part}`], `${tag} ${id}.${part}`)
    }
    for (const [key, text] of Object.entries(texts))
      if (text.includes('{count}')) assert.ok(texts[`${key}.one`], `${tag} ${key}.one`)
  }
})

test('settings that an exercise keeps are locked, with a reason; those that it names, and display settings, may change', () => {
  const [first] = exercises
  /** @type {any[]} */
  const effects = []
  const store = createStore(layer, { qkv, link: startOf(first, 0), perform: effect => effects.push(effect) })
  store.restrict(guardOf(first, layer.fields, { key: 'locked', params: { may: 'x' } }))
  const before = store.link()
  store.act.change({ mask: 'causal' })
  store.act.choose('heads')
  store.act.edit({ matrix: 'K', head: 0, row: 0, column: 0 }, 3)
  assert.equal(store.link(), before)
  assert.deepEqual(
    effects.map(({ problem }) => problem.key),
    ['locked', 'locked', 'locked'],
  )
  store.act.edit({ matrix: 'Q', head: 0, row: 0, column: 1 }, 8)
  store.act.look({ view: 'numbers' })
  assert.match(store.link(), /edits=Q.0.0.1%3A8.*view=numbers/)
  store.restrict()
  store.act.change({ mask: 'causal' })
  assert.match(store.link(), /mask=causal/)
  store.close()
})

test('tries are counted, a solution is offered after three, and then scores half; the rules are those of the link', () => {
  const no = { passed: false, score: 0, hint: 'notYet', params: {} }
  const yes = { passed: true, score: 1, hint: 'done', params: {} }
  const free = rulesOf({})
  let attempt = begun()
  for (const _ of [1, 2]) attempt = judged(attempt, no)
  assert.equal(canShow(attempt, free), false)
  attempt = judged(attempt, no)
  assert.equal(canShow(attempt, free), true)
  assert.equal(canShow(attempt, rulesOf({ solution: 'off' })), false)
  assert.equal(canShow({ ...attempt, isShown: true, tries: 0 }, free), true, 'what was shown once can be shown again')
  assert.equal(isOver(attempt, free), false)
  assert.equal(isOver(attempt, rulesOf({ attempts: '3' })), true)
  assert.equal(isOver(attempt, rulesOf({ attempts: 'many' })), false)
  assert.equal(judged(attempt, yes).score, 1)
  assert.equal(judged({ ...attempt, isShown: true }, yes).score, 0.5)
  assert.equal(judged(judged(attempt, yes), no).score, 1, 'a later try takes nothing away')
})

test('a share is typed as a number or in percent, with a point or a comma, in the signs of either language', () => {
  for (const typed of ['0.665', '.665', '0,665', '66.5%', '66,5 %', ' 66.5 % ', '６６．５％', '66，5％'])
    assert.ok(Math.abs(shareOf(typed) - 0.665) < 1e-12, typed)
  for (const typed of ['', '%', 'two thirds', '66.5%%', '1,000.5']) assert.ok(Number.isNaN(shareOf(typed)), typed)
})

test('exercises of a link that do not exist are named; the others open', () => {
  assert.deepEqual(idsOf('e1,e99,e2,,x'), { known: ['e1', 'e2'], unknown: ['e99', 'x'] })
  assert.deepEqual(idsOf(''), { known: [], unknown: [] })
})

test("a teacher's exercise: each of the six checks fails at the start and passes; invalid exercises are refused", async () => {
  const start = 'heads=1'
  /** @type {[(string | number)[], string][]} */
  const checks = [
    [['cell', 'weights', 1, 1, 1, 0.99, 1], 'mask=causal'],
    [['weight', 1, 1, 1, 0.99], 'mask=causal'],
    [['mask', '100000', '110000', '111000', '111100', '111110', '111111'], 'mask=causal'],
    [['output', 1, 0.01, -0.1055], 'mask=causal'],
  ]
  for (const [check, set] of checks) {
    const made = readMade(writeMade({ room: 'layer', start, may: ['mask'], task: 'Do it.', check }))
    assert.ok(made)
    const exercise = await ownExercise(made)
    assert.equal(verdictInLayer(exercise, {}, 0)?.passed, false, String(check))
    assert.equal(verdictInLayer(exercise, { set }, 0)?.passed, true, String(check))
  }
  const first = writeMade({
    room: 'models',
    start: 'prompt=Is+he',
    may: ['changes'],
    task: 'Do it.',
    check: ['top', 'max'],
  })
  const { store, show } = await openModel('stories')
  const names = await ownExercise(/** @type {any} */ (readMade(first)))
  const prompt = 'prompt=Lily+and+Tom+are+friends+.+Is+he'
  assert.equal(checked(names, {}, await show(prompt))?.passed, false)
  assert.deepEqual(checked(names, {}, await show(`${prompt}&changes=1.2=0`)), {
    passed: true,
    score: 1,
    hint: 'done',
    params: { got: 'max (48.4%)' },
  })
  store.close()
  const learned = writeMade({ room: 'learn', start: 'task=sort', may: [], task: 'Do it.', check: ['accuracy', 0.95] })
  const own = openLearn('task=sort&seed=0')
  const trains = await ownExercise(/** @type {any} */ (readMade(learned)))
  assert.deepEqual(checked(trains, {}, own.store.state)?.params, { got: '–' })
  await own.train()
  assert.equal(checked(trains, {}, own.store.state)?.passed, true)
  own.close()
  const good = { room: 'layer', start, may: [], task: 'Do it.', check: ['weight', 1, 9, 9, 0.5] }
  const missing = /** @type {import('../../web/exercises/own-exercise.js').Made} */ (readMade(JSON.stringify(good)))
  assert.equal(verdictInLayer(await ownExercise(missing), {}, 0)?.passed, false, 'a cell that is not there')
  for (const wrong of [{ room: 'x' }, { check: ['top', 'a'] }, { check: ['weight', 1] }, { task: '' }, { may: 'all' }])
    assert.equal(readMade(JSON.stringify({ ...good, ...wrong })), undefined, JSON.stringify(wrong))
  for (const wrong of ['', '{', 'null', '[]', '3']) assert.equal(readMade(wrong), undefined)
})

test('a figure is a frame, or an element whose script makes the numbers of the head; nothing in a word ends the script', () => {
  const store = createStore(layer, { qkv, link: 'heads=2&sentence=a </script> b' })
  const { value } = /** @type {any} */ (store.state.got.trace)
  assert.equal(
    frameOf('https://a/#2&x="1"'),
    '<iframe src="https://a/#2&amp;x=&quot;1&quot;" width="100%" height="560" title="qkv"></iframe>',
  )
  for (const view of ['map', 'flow']) {
    const text = String(elementOf(value, 1, 0, view))
    assert.equal(text.match(/<\/script/g)?.length, 1)
    const [, literal] = /Object\.assign\(.*?, (\{[\s\S]*\})\)\n/.exec(text) ?? []
    const made = new Function(`return ${literal}`)()
    const { data, dims } = view === 'map' ? made.matrix : made.trace.weights
    const n = value.settings.queries.tokens.length
    assert.deepEqual(dims, view === 'map' ? [n, n] : [2, n, n])
    const own = value.tensors.weights.data.subarray(view === 'map' ? n * n : 0)
    assert.ok(data.every((/** @type {number} */ x, /** @type {number} */ i) => Math.abs(x - own[i]) <= 1e-6))
    assert.deepEqual(view === 'map' ? made.rowTokens : made.queryTokens, value.settings.queries.tokens)
  }
  store.close()
  const large = createStore(layer, { qkv, link: toLink(/** @type {any} */ (layer.fields), settingsOf('layer')) })
  assert.equal(elementOf(/** @type {any} */ (large.state.got.trace).value, 0, 0, 'flow'), undefined)
  large.close()
})

test('slides survive saving and moving, and invalid ones are refused; storage may refuse', () => {
  const slides = ['#2&', '#2~x&room=learn', '#2&mask=causal'].map((hash, i) => ({ name: `slide ${i}`, hash }))
  assert.deepEqual(readSlides(asParameter(slides)), slides)
  assert.deepEqual(
    moved(slides, 0, 1).map(({ name }) => name),
    ['slide 1', 'slide 0', 'slide 2'],
  )
  assert.deepEqual(moved(slides, 0, -1), slides)
  for (const wrong of ['', '{}', '[1]', '[{"name":"x","hash":"https://elsewhere"}]', 'null'])
    assert.throws(() => readSlides(wrong))
  /** @type {Record<string, string>} */
  const stored = {}
  assert.equal(
    keepSlides(() => storage(stored), slides),
    true,
  )
  assert.deepEqual(
    storedSlides(() => storage(stored)),
    slides,
  )
  const refuses = () => {
    throw new DOMException('refused', 'SecurityError')
  }
  assert.deepEqual([keepSlides(refuses, slides), storedSlides(refuses)], [false, []])
})

test('a teacher ticks exercises and rules; link, frame and element agree', () => {
  const store = createStore(list, { qkv, link: 'part=teachers' })
  assert.match(textsOf(store.state.settings, 'https://a/').link, /exercise=e1,e2,.*e23$/, 'without a choice all')
  for (const id of ['e10', 'e5', 'e6', 'e6']) store.act.pick(id)
  store.act.set({ lang: 'en', hints: false, solution: false, attempts: 3 })
  const { link, frame, element } = textsOf(store.state.settings, 'https://a/?x="1"')
  assert.equal(link, 'https://a/?x="1"#2&exercise=e5,e10&lang=en&hints=off&solution=off&attempts=3')
  assert.match(frame, /src="https:\/\/a\/\?x=&quot;1&quot;#2&amp;exercise=e5,e10&amp;.*&amp;embed=1"/)
  assert.match(
    element,
    /^<qkv-exercise src="[^"]+" exercise="e5,e10" lang="en" hints="off" solution="off" attempts="3">/,
  )
  store.travel('undo', 0)
  assert.equal(store.state.settings.hints, true)
  store.close()
})

/** @param {Record<string, string>} stored */
const storage = stored => ({
  getItem: (/** @type {string} */ name) => stored[name] ?? null,
  setItem(/** @type {string} */ name, /** @type {string} */ text) {
    stored[name] = text
  },
  removeItem(/** @type {string} */ name) {
    delete stored[name]
  },
})

test('scores are kept with their tries; the best stays; forged or unknown ones are neither shown nor lost', () => {
  const forged = { e1: { score: 7 }, e2: { score: 1, tries: 1, state: '', when: 'today' }, later: { x: 1 } }
  /** @type {Record<string, string>} */
  const stored = { 'qkv.exercises': JSON.stringify(forged) }
  const book = createScoreBook(() => storage(stored))
  assert.equal(book.of('e1'), undefined, 'a score above 1 is none')
  assert.equal(book.of('e2')?.score, 1, 'a right one is taken as it is')
  assert.equal(book.of('constructor'), undefined)
  book.note('e1', 0.5, 'a=1')
  book.note('e1', 0, 'a=2')
  const { score, tries, state } = /** @type {any} */ (book.of('e1'))
  assert.deepEqual({ score, tries, state }, { score: 0.5, tries: 2, state: 'a=1' })
  assert.deepEqual(JSON.parse(stored['qkv.exercises']).later, { x: 1 })
  assert.match(csvOf(book, ['e1', 'e3']), /^exercise,score,tries,when\ne1,0.5,2,\d{4}-.*Z\ne3,,0,$/)
  book.forget()
  assert.deepEqual([book.of('e1'), stored], [undefined, {}])
})

test('storage that cannot be read, or that refuses, is reported; nothing is lost', () => {
  for (const text of ['{', '[]', 'null', '3']) {
    /** @type {Record<string, string>} */
    const stored = { 'qkv.exercises': text }
    const book = createScoreBook(() => storage(stored))
    assert.equal(book.trouble, 'unreadable')
    book.note('e1', 1, '')
    assert.equal(stored['qkv.exercises.unread'], text)
    assert.equal(book.of('e1')?.score, 1)
  }
  const book = createScoreBook(() => {
    throw new DOMException('refused', 'SecurityError')
  })
  assert.equal(book.trouble, 'refused')
  book.note('e1', 1, '')
  assert.equal(book.of('e1')?.score, 1, 'it lasts for the visit')
})
