// Tests that no state breaks a room: tries actions in any order, with arguments in and out of range. `npm run states` tries others, for hours.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { giveEnglishModel } from '../english-model.js'
import { giveBrowser, holds } from './harness.js'
import { layerSubject } from './layer.js'
import { learnSubject } from './learn.js'
import { modelsSubject } from './models.js'
import { pageSubject } from './page.js'
import { answered, turn } from './values.js'

giveBrowser() // never removed, because timers of a closed page may still end
/** Adds the shipped English model, which One layer uses, until all tests have run. The tests of Models open files instead. */
after(giveEnglishModel().end)

const LONG = { timeout: 2 ** 31 - 1 }

test('One layer shows every state, and draws no cell otherwise than its number', LONG, () =>
  holds(layerSubject(), { runs: 10, seed: 1 }),
)

test('Learn shows every state', LONG, () => holds(learnSubject(), { runs: 10, seed: 1 }))

test('Models shows every state', LONG, () => holds(modelsSubject(), { runs: 10, seed: 1 }))

test('the whole page shows every state', LONG, () => holds(pageSubject(), { runs: 5, seed: 1 }))

test('a head in Learn hides only what its numbers were computed without', async () => {
  const own = await learnSubject().open()
  await answered(own)
  await own.draw()
  const hide = (/** @type {number} */ head) => ({
    kind: 'hide',
    isOn: true,
    stack: '',
    layer: 0,
    head,
    query: 1,
    key: 0,
  })
  own.act.change([hide(0), hide(1)])
  await own.draw() // before its numbers arrive
  await answered(own)
  await own.draw()
  own.close()
})

test('a wrong setting of Learn ends the run before, and what is shown is answered', async () => {
  const own = await learnSubject().open()
  await answered(own)
  own.act.train()
  await turn()
  own.act.set({ heads: 0 })
  await answered(own)
  assert.deepEqual(Object.keys(own.store.state.problems), ['heads'])
  assert.equal(own.store.state.view.steps, 0)
  own.close()
})

test('a page in a frame is not presented, by the key of the presenter neither', async () => {
  const { open, check } = pageSubject()
  const own = await open()
  location.hash = '#2&embed=1'
  await check(own)
  await own.shell.summon('present')
  await check(own)
  assert.deepEqual(own.shell.companions.link(), { embed: '1' })
  own.close()
})

test('a figure is not made of settings that the room has not checked yet', async () => {
  const { open, check } = pageSubject()
  const own = await open()
  for (const step of ['present', '#2&room=layer', 'figure', '#2&scale=4&head=99999&room=layer']) {
    if (step.startsWith('#')) location.hash = step
    else await own.shell.summon(step)
    await check(own)
  }
  own.close()
})
