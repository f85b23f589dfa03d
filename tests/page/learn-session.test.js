// Learn: a session trains, compares, changes heads, and answers each request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { readChanges } from '../../web/head/cell-changes.js'
import { createSession } from '../../web/rooms/learn/session.js'
import { createRun } from '../../web/rooms/learn/training-run.js'

const qkv = await load()

/** A session and what it posts. */
function session() {
  /** @type {any[]} */
  const posts = []
  const own = createSession(qkv, report => posts.push(report))
  let id = 0
  return {
    posts,
    close: own.close,
    /** @param {object} request */
    ask(request) {
      own.ask({ id: ++id, ...request })
      return posts[posts.length - 1]
    },
    async trained() {
      while (posts[posts.length - 1].isTraining) await new Promise(resolve => setTimeout(resolve, 5))
      return posts[posts.length - 1]
    },
  }
}

test('a session compares two seeds at one step, and two moments of one run', async () => {
  const own = session()
  own.ask({ open: { task: 'sort', settings: { seed: 1 } } })
  own.ask({ isTraining: true })
  const first = await own.trained()
  assert.ok(first.reachedAt !== null && first.kept === undefined)
  own.ask({ keep: 'run' })
  const second = own.ask({ open: { task: 'sort', settings: { seed: 2 } } })
  assert.deepEqual([second.shownAt, second.kept.shownAt], [0, 0])
  assert.notDeepEqual(second.shown.layers[0].data, second.kept.shown.layers[0].data)
  own.ask({ isTraining: true })
  const end = await own.trained()
  assert.equal(end.kept.shownAt, Math.min(end.shownAt, first.steps))
  const early = own.ask({ at: 20 })
  assert.deepEqual([early.shownAt, early.kept.shownAt], [20, 20])
  own.ask({ keep: 'step' })
  const moments = own.ask({ at: null })
  assert.deepEqual([moments.shownAt, moments.kept.shownAt], [end.steps, 20])
  assert.deepEqual(moments.kept.shown.layers[0].data, early.shown.layers[0].data)
  assert.equal(own.ask({ keep: null }).kept, undefined)
  own.close()
})

test('a rate that is far too high is reported to diverge; the last finite step is shown', async () => {
  const own = session()
  own.ask({ open: { task: 'induction', settings: { rate: 1 } } })
  own.ask({ isTraining: true })
  const { divergedAt, shownAt, steps, shown } = await own.trained()
  assert.ok(divergedAt > 1 && divergedAt < 100, String(divergedAt))
  assert.ok(shownAt < divergedAt && steps === divergedAt)
  assert.ok(shown.next.every((/** @type {any} */ { share }) => Number.isFinite(share)))
  assert.equal(own.ask({ isTraining: true }).steps, divergedAt)
  own.close()
})

test('changes of a session apply to the shown results, not to the training', async () => {
  const own = session()
  own.ask({ open: { task: 'sort', settings: {} } })
  const { changed } = own.ask({ changes: readChanges('1.1:off', { layers: 1, heads: 1 }) })
  own.ask({ isTraining: true })
  const { reachedAt, changed: later } = await own.trained()
  const run = createRun(qkv, 'sort')
  /** @param {typeof changed} effect */
  const expectEffect = effect => {
    assert.equal(effect.before, run.heldOutAccuracy())
    run.touch([{ layer: 0, head: 0, kind: 'off', isOn: true }])
    assert.equal(effect.accuracy, run.heldOutAccuracy())
    run.touch([])
  }
  expectEffect(changed)
  for (let n = 0; n < reachedAt; n++) run.step()
  expectEffect(later)
  run.dispose()
  own.close()
})

test('with reduced motion each evaluation posts a picture, and no other step does', async () => {
  const own = session()
  own.ask({ open: { task: 'sort', settings: {} }, isStill: true })
  const before = own.posts.length
  own.ask({ isTraining: true })
  const { reachedAt } = await own.trained()
  const later = own.posts.slice(before + 1) // the first one answers the request
  assert.ok(reachedAt >= 60 && later.length > 0 && later.length <= reachedAt / 20)
  for (const { evaluations } of later) assert.ok(evaluations.length > 0)
  own.close()
})

test('training keeps a pace in steps a second, and each step posts a picture', async () => {
  const own = session()
  own.ask({ open: { task: 'sort', settings: { steps: 20 } } })
  const start = performance.now()
  own.ask({ isTraining: true, pace: 100 })
  const { steps } = await own.trained()
  assert.equal(steps, 20)
  assert.ok(performance.now() - start >= 19 * 10 - 20, `${performance.now() - start} ms`)
  assert.deepEqual(
    [...new Set(own.posts.slice(2).map(post => post.steps))],
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
  own.close()
})

const SMALL = { d: 16, heads: 2, mlp: 16, batch: 4 }

test('a request that fails is answered with the reason, and the session works on', () => {
  const own = session()
  assert.match(own.ask({ open: { task: 'text', settings: {}, text: 'a' } }).failure, /1 characters given/)
  assert.match(own.ask({ open: { task: 'text', settings: {}, text: '' } }).failure, /0 characters given/)
  const large = 'abcdefgh '.repeat(600_000)
  assert.match(own.ask({ open: { task: 'text', settings: {}, text: large } }).failure, /5400000 characters given/)
  for (const script of ['日本語の文章。', '한국어 문장 ', 'Ελληνικά ', '🙂🙃 ', 'עברית '])
    assert.equal(own.ask({ open: { task: 'text', settings: SMALL, text: script.repeat(200) } }).steps, 0)
  assert.equal(own.ask({ open: { task: 'sort', settings: {} } }).steps, 0)
  assert.match(own.ask({ probe: '9 9 9' }).shown.trouble, /stands there twice/)
  assert.match(own.ask({ probe: '1 2 3 4 5 6 7 8 9' }).shown.trouble, /9 numbers given, at most 8 expected/)
  own.close()
})

test('opened sessions, one after the other, leave no memory in use', () => {
  const { resident } = qkv.memory
  for (let n = 0; n < 5; n++) {
    const own = session()
    own.ask({ open: { task: 'sort', settings: { seed: n } } })
    own.ask({ step: true, keep: 'step', why: 0, layer: 0 })
    own.ask({ get: { gradient: 0 } })
    own.close()
  }
  assert.equal(qkv.memory.resident, resident)
})
