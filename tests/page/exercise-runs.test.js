// Tests, without a browser, the exercises in which the reader trains models. Each run takes seconds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { guardOf, startOf, withParameters } from '../../web/exercises/attempt.js'
import { exerciseOf } from '../../web/exercises/index.js'
import { openLearn } from './learn-store.js'

/** @import { Exercise } from '../../web/exercises/exercise.js' */

const qkv = await load()

/** Opens Learn with an exercise, its locked settings included. @param {Exercise} exercise */
function openLocked(exercise) {
  const own = openLearn(startOf(exercise, 0))
  own.store.restrict(guardOf(exercise, own.store.room.fields, { key: 'locked' }))
  return own
}

/** Returns an exercise's verdict on the present state of Learn. @param {Exercise} exercise @param {ReturnType<typeof openLearn>} own @param {string} [answer] @param {unknown} [memory] */
const verdictOf = (exercise, own, answer = '', memory = undefined) =>
  exercise.check({ state: /** @type {any} */ (own.store.state), answer, memory: /** @type {any} */ (memory), qkv })

test('e13 remembers both runs, each when it has stopped, and then sorting passes', async () => {
  const exercise = await exerciseOf('e13')
  assert.ok(exercise)
  const own = openLocked(exercise)
  let memory = exercise.watch?.(own.store.state, undefined)
  assert.equal(memory, undefined)
  for (const { set } of exercise.parts ?? []) {
    own.store.restrict()
    own.store.follow(withParameters(own.store.link(), set))
    own.store.restrict(guardOf(exercise, own.store.room.fields, { key: 'locked' }))
    await own.train()
    memory = exercise.watch?.(own.store.state, memory)
    assert.equal(exercise.watch?.(own.store.state, memory), memory, 'nothing new')
  }
  const { sort, reverse } = /** @type {any} */ (memory)
  assert.ok(sort.accuracy >= 0.95 && reverse.accuracy < 0.5, JSON.stringify(memory))
  assert.equal(verdictOf(exercise, own, 'sort', memory)?.passed, true)
  own.close()
})

test('e15 opens a trained run; the moment is found by the cursor, one snapshot more or less', async () => {
  const exercise = await exerciseOf('e15')
  assert.ok(exercise)
  const own = openLocked(exercise)
  assert.equal(verdictOf(exercise, own), undefined, 'it is still being trained')
  await own.until(({ view }) => view.steps > 0 && !view.isTraining)
  assert.equal(own.view.reachedAt, own.view.steps, 'the run ends at its goal')
  for (const { set, hint } of exercise.wrong) {
    own.act.goTo(set === undefined ? null : Number(set.replace('at=', '')))
    const verdict = verdictOf(exercise, own)
    assert.deepEqual([verdict?.passed, verdict?.hint], [false, hint], `${set}`)
  }
  const at = Number(exercise.solution.set?.replace('at=', ''))
  for (const step of [at - 20, at, at + 20]) {
    own.act.goTo(step)
    assert.equal(verdictOf(exercise, own)?.passed, true, `${step}`)
  }
  own.close()
})
