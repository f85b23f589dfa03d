// The store: settings with undo, a selection with Back and Forward, and errors of a draw, which end in a sentence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { loadTexts } from '../../web/i18n/index.js'
import { createApp, TEXTS } from '../../web/rooms/layer/app.js'

const t = await loadTexts('en', TEXTS)

/** @typedef {import('../../web/rooms/layer/app.js').Drawing} Drawing */

/**
 * The store without a browser: frames are drawn when the test says so.
 * @param {string} [hash]
 * @param {import('qkv').Qkv} [qkv]
 */
async function start(hash = '', qkv = undefined) {
  /** @type {(() => void)[]} */
  const frames = []
  /** @type {{ drawing?: Drawing, thrown?: (drawing: Drawing) => void }} */
  const seen = {}
  const nothing = () => {}
  const app = createApp(
    {
      draw(drawing) {
        seen.thrown?.(drawing)
        seen.drawing = drawing
      },
      drawPlainly: assert.fail,
      frame: run => void frames.push(run),
      address: () => hash,
      setAddress: nothing,
      href: () => hash,
      remember: nothing,
      reveal: nothing,
      isStill: () => false,
      show: nothing,
      toTop: nothing,
      focus: nothing,
      around: () => ({ isHidden: false, isStill: true, isNarrow: false, sentence: '' }),
    },
    { language: 'en', theme: 'system', t },
  )
  app.connect(qkv ?? (await load()))
  const drawn = () => {
    while (frames.length) frames.shift()?.()
    return /** @type {Drawing} */ (seen.drawing)
  }
  return { ...app, seen, drawn }
}

const cell = (/** @type {number} */ row, /** @type {number} */ column, head = 0) =>
  /** @type {const} */ ({ matrix: 'weights', head, row, column })

test('what was selected before is visited by Back, and again by Forward', async () => {
  const { actions, drawn } = await start()
  actions.select({ cell: cell(1, 2) })
  actions.select({ word: { side: 'queries', position: 4 } })
  actions.select({ cell: cell(3, 3, 2) })
  assert.deepEqual(drawn().selection, {
    room: 'layer',
    head: 2,
    word: { side: 'queries', position: 4 },
    cell: cell(3, 3, 2),
    less: null,
  })
  actions.back()
  assert.deepEqual([drawn().selection.cell, drawn().selection.head], [cell(1, 2), 0])
  actions.back()
  assert.deepEqual([drawn().selection.word, drawn().visits], [null, { hasBack: false, hasForward: true }])
  actions.forward()
  actions.forward()
  assert.deepEqual(drawn().selection.cell, cell(3, 3, 2))
  assert.equal(drawn().scene?.head, 2)
})

test('Back goes through places only: no number changes, and undo goes through numbers only', async () => {
  const { actions, drawn } = await start()
  actions.select({ cell: cell(1, 2) })
  actions.change({ seed: '7' })
  actions.select({ cell: cell(0, 0) })
  actions.back()
  assert.deepEqual([drawn().settings.seed, drawn().selection.cell], ['7', cell(1, 2)])
  actions.undo()
  assert.deepEqual([drawn().settings.seed, drawn().selection.cell], ['123', cell(1, 2)])
})

test('arrow keys replace the place they leave, Escape clears the cell before the word', async () => {
  const { actions, drawn } = await start()
  actions.select({ word: { side: 'queries', position: 0 }, cell: cell(0, 0) })
  actions.select({ cell: cell(0, 1) }, { replace: true })
  assert.equal(drawn().visits.hasBack, false)
  actions.clear()
  assert.deepEqual([drawn().selection.cell, drawn().selection.word?.position], [null, 0])
  actions.clear()
  assert.equal(drawn().selection.word, null)
})

test('a link carries room, word and cell', async () => {
  const { drawn } = await start('#1&room=learn&word=keys.3&cell=weights.0.1.2')
  assert.deepEqual(drawn().selection, {
    room: 'learn',
    head: 0,
    word: { side: 'keys', position: 3 },
    cell: cell(1, 2),
    less: null,
  })
})

test('what a draw throws is a sentence beside the last good numbers, gone with the next good state', async () => {
  const { actions, drawn, seen } = await start()
  const { scene } = drawn()
  seen.thrown = ({ settings, failure }) => {
    if (settings.seed === '666' && !failure) throw new Error('no such seed')
  }
  actions.change({ seed: '666' })
  assert.deepEqual(drawn().failure, { key: 'cannotShow', params: { message: 'no such seed' } })
  assert.equal(drawn().scene?.result, scene?.result)
  actions.point(cell(1, 1))
  assert.ok(drawn().failure, 'it stays while nothing changes')
  actions.undo()
  assert.equal(drawn().failure, undefined)
  actions.redo()
  assert.ok(drawn().failure)
  seen.thrown = undefined
  actions.retry()
  assert.equal(drawn().failure, undefined)
  assert.equal(drawn().scene?.result.settings.seed, 666n)
})

test('when memory runs out, the page asks for fewer words', async () => {
  const { actions, drawn, seen } = await start()
  seen.thrown = ({ failure }) => {
    if (!failure) throw new RangeError('Array buffer allocation failed')
  }
  actions.change({ seed: '2' })
  assert.equal(drawn().failure?.key, 'tooLarge')
})

/** A module that behaves as one without memory while `fails.is`. */
async function short() {
  const qkv = await load()
  const fails = { is: false }
  const trace = /** @type {any} */ (qkv.trace.bind(qkv))
  qkv.trace = (/** @type {any[]} */ ...args) => {
    if (fails.is) throw new RangeError('trace: 1 GB more memory is needed')
    return trace(...args)
  }
  return { qkv, fails }
}

/** Words for a trace of more than 2^18 pairs: 4 heads, 300 queries and keys. */
const MANY = Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ')

test('a large trace that fails is a sentence, gone with the next settings, and tried again when they come back', async () => {
  const { qkv, fails } = await short()
  const own = await start('', qkv)
  own.drawn()
  const until = async (/** @type {(drawing: Drawing) => unknown} */ isTrue) => {
    for (let i = 0; !isTrue(own.drawn()); i++) {
      assert.ok(i < 10_000, 'it comes to pass')
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  fails.is = true
  own.actions.change({ sentence: MANY })
  await until(({ failure }) => failure)
  assert.equal(own.drawn().failure?.key, 'tooLarge')
  assert.equal(own.drawn().progress, undefined)
  assert.ok(own.drawn().scene, 'the numbers before it stay')
  own.actions.undo()
  fails.is = false
  assert.equal(own.drawn().failure, undefined)
  own.actions.redo()
  await until(({ scene }) => scene?.result.settings.queries.tokens.length === 300)
  assert.equal(own.drawn().failure, undefined)
})

test('a baseline that fails is a sentence, and is computed again after the next change', async () => {
  const { qkv, fails } = await short()
  const { actions, drawn } = await start('', qkv)
  actions.setBaseline()
  actions.look({ view: 'difference' })
  fails.is = true
  assert.equal(drawn().scene?.compared?.trouble, 'compareFailed')
  fails.is = false
  actions.change({ seed: '9' })
  assert.equal(drawn().scene?.compared?.trouble, undefined)
  assert.ok(drawn().scene?.compared?.tensor)
})

test('a step plays cell by cell wherever the pointer rests, and nothing moves after it is stopped', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { actions, drawn } = await start()
  actions.look({ step: 'scores' })
  drawn()
  actions.point({ matrix: 'scores', head: 0, row: 4, column: 4 })
  actions.play()
  /** @type {string[]} */
  const lit = []
  for (let i = 0; i < 3; i++) {
    t.mock.timers.tick(300)
    const { scene, pointed } = drawn()
    assert.equal(pointed, undefined)
    lit.push(`${scene?.lit.matrix} ${scene?.lit.row} ${scene?.lit.column}`)
  }
  assert.deepEqual(lit, ['scores 0 0', 'scores 0 1', 'scores 0 2'])
  actions.play()
  const stopped = drawn()
  assert.equal(stopped.isPlaying, false)
  t.mock.timers.tick(10_000)
  assert.equal(drawn(), stopped)
})
