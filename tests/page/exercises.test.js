// The exercises without a browser: the start does not pass, each wrong answer gets its hint, the solution passes, and what an
// exercise keeps is locked. Then scores, rules and links.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from 'qkv'
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
import { idsOf } from '../../web/exercises/exercise-companion.js'
import { exerciseOf, GROUPS, IDS } from '../../web/exercises/index.js'
import { createScoreBook, csvOf } from '../../web/exercises/score-book.js'
import { LANGUAGES } from '../../web/i18n/languages.js'
import { room as layer } from '../../web/rooms/layer/room.js'
import { room as models } from '../../web/rooms/models/room.js'
import { createStore, fromLink } from '../../web/shell/store.js'
import { openLearn } from './learn-store.js'

/** @typedef {import('../../web/exercises/exercise.js').Exercise} Exercise */

const qkv = await load()
const SEEDS = [0, 1, 12345]
const exercises = /** @type {Exercise[]} */ (await Promise.all(IDS.map(exerciseOf)))

/** What a check says of an attempt in One layer. @param {Exercise} exercise @param {import('../../web/exercises/exercise.js').Attempt} attempt @param {number} seed */
function verdictInLayer(exercise, attempt, seed) {
  const { set } = attempt
  const link = withParameters(startOf(exercise, seed), set)
  const store = createStore(layer, { qkv, link })
  try {
    assert.deepEqual(store.state.problems, {}, link)
    const isAllowed = guardOf(exercise, layer.fields, { key: 'locked' })(
      createStore(layer, { qkv, link: startOf(exercise, seed) }).state.settings,
      store.state.settings,
    )
    // A solution of what is typed may show what the reader could not.
    assert.ok(exercise.answer || !isAllowed, `${exercise.id}: the reader may do so`)
    const given = { state: store.state, answer: undefined, memory: undefined, qkv }
    return exercise.check({ ...given, answer: answerOf(attempt, given) })
  } finally {
    store.close()
  }
}

for (const exercise of exercises.filter(({ room }) => room === 'layer'))
  test(`${exercise.id}: the start does not pass, each wrong answer gets its hint, the solution passes`, () => {
    for (const seed of SEEDS) {
      assert.equal(verdictInLayer(exercise, { answer: '' }, seed)?.passed, false)
      for (const wrong of exercise.wrong) {
        const verdict = verdictInLayer(exercise, wrong, seed)
        assert.deepEqual([verdict?.passed, verdict?.hint], [false, wrong.hint], JSON.stringify(wrong))
      }
      assert.deepEqual(verdictInLayer(exercise, exercise.solution, seed)?.passed, true)
    }
  })

/** Exercises of a room. @param {string} id */
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

test('e13 remembers both runs, each when it has stopped, and then sorting passes', async () => {
  const exercise = exercises[12]
  const own = openLearn(startOf(exercise, 0))
  let memory = exercise.watch?.(own.store.state, undefined)
  assert.equal(memory, undefined)
  for (const { set } of exercise.parts ?? []) {
    own.store.follow(withParameters(own.store.link(), set))
    await own.train()
    memory = exercise.watch?.(own.store.state, memory)
    assert.equal(exercise.watch?.(own.store.state, memory), memory, 'nothing new')
  }
  const { sort, reverse } = /** @type {any} */ (memory)
  assert.ok(sort.accuracy >= 0.95 && reverse.accuracy < 0.5, JSON.stringify(memory))
  assert.equal(checked(exercise, { answer: 'sort', memory }, own.store.state)?.passed, true)
  own.close()
})

test('e15 opens a trained run; the moment is found by the cursor, one snapshot more or less', async () => {
  const exercise = exercises[14]
  const own = openLearn(startOf(exercise, 0))
  assert.equal(checked(exercise, {}, own.store.state), undefined, 'it is still being trained')
  await own.until(({ view }) => view.steps > 0 && !view.isTraining)
  assert.equal(own.view.reachedAt, own.view.steps, 'the run ends at its goal')
  for (const { set, hint } of exercise.wrong) {
    own.act.goTo(set === undefined ? null : Number(set.replace('at=', '')))
    const verdict = checked(exercise, {}, own.store.state)
    assert.deepEqual([verdict?.passed, verdict?.hint], [false, hint], `${set}`)
  }
  const at = Number(exercise.solution.set?.replace('at=', ''))
  for (const step of [at - 20, at, at + 20]) {
    own.act.goTo(step)
    assert.equal(checked(exercise, {}, own.store.state)?.passed, true, `${step}`)
  }
  own.close()
})

/** A store of Models with a model that ships with the page. @param {string} name of its folder */
async function openModel(name) {
  const folder = new URL(`../../web/trained/${name}/`, import.meta.url)
  const store = createStore(models, { qkv })
  const isOpen = () =>
    Object.values(store.state.got).some(got => got?.is === 'waiting' || (got?.is === 'here' && !got.isLast))
  const settled = async () => {
    do await new Promise(resolve => setTimeout(resolve))
    while (isOpen())
  }
  store.act.bring(readdirSync(folder).map(file => new File([readFileSync(new URL(file, folder))], file)))
  await settled()
  /** Shows the settings of a link, but for the name of the model: in Node none ships with the page. @param {string} link */
  async function show(link) {
    const { checkpoint: _, ...set } = fromLink(models.fields, link)
    store.update({ set })
    await settled()
    return store.state
  }
  return { store, show }
}

for (const name of ['stories', 'translation'])
  test(`exercises of Models with the model ${name}: the start does not pass, each wrong answer gets its hint, the solution passes`, async () => {
    const { store, show } = await openModel(name)
    for (const exercise of inRoom('models')) {
      const start = startOf(exercise, 0)
      if (start.includes('checkpoint=translation') !== (name === 'translation')) continue
      /** @param {import('../../web/exercises/exercise.js').Attempt} attempt */
      const verdictOf = async attempt => {
        /** @type {unknown} */
        let memory
        for (const visit of attempt.visits ?? []) {
          const state = await show(withParameters(start, visit))
          memory = exercise.watch?.(state, memory)
        }
        const state = await show(withParameters(start, attempt.set ?? attempt.visits?.at(-1)))
        if (!attempt.visits) memory = exercise.watch?.(state, memory)
        const first = await show(start)
        const locked = guardOf(exercise, models.fields, { key: 'locked' })(first.settings, state.settings)
        assert.equal(locked, undefined, `${exercise.id}: the reader may do so`)
        return exercise.check({ state, answer: '', memory, qkv })
      }
      assert.equal((await verdictOf({}))?.passed, false)
      for (const wrong of exercise.wrong) {
        const verdict = await verdictOf(wrong)
        assert.deepEqual(
          [verdict?.passed, verdict?.hint],
          [false, wrong.hint],
          `${exercise.id} ${JSON.stringify(wrong)}`,
        )
      }
      assert.equal((await verdictOf(exercise.solution))?.passed, true, exercise.id)
    }
    store.close()
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
    /** @type {Record<string, string>} */
    const texts = { ...frame.texts }
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
  }
})

test('what an exercise keeps is locked, with a reason; what it names and what is only shown may change', () => {
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
  assert.equal(isOver(attempt, free), false)
  assert.equal(isOver(attempt, rulesOf({ attempts: '3' })), true)
  assert.equal(isOver(attempt, rulesOf({ attempts: 'many' })), false)
  assert.equal(judged(attempt, yes).score, 1)
  assert.equal(judged({ ...attempt, isShown: true }, yes).score, 0.5)
  assert.equal(judged(judged(attempt, yes), no).score, 1, 'a later try takes nothing away')
})

test('exercises of a link that do not exist are named; the others open', () => {
  assert.deepEqual(idsOf('e1,e99,e2,,x'), { known: ['e1', 'e2'], unknown: ['e99', 'x'] })
  assert.deepEqual(idsOf(''), { known: [], unknown: [] })
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

test('scores are kept with their tries; the best stays; what is forged or unknown is neither shown nor lost', () => {
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

test('storage that cannot be read, or that refuses, is said; nothing is lost', () => {
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
