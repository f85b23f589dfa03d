// No state breaks a room: actions in any order, with arguments in and out of range. `npm run states` tries others, for hours.

import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { giveEnglishModel } from './english-model.js'
import { giveBrowser, holds } from './states/harness.js'
import { layerSubject } from './states/layer.js'
import { learnSubject } from './states/learn.js'
import { modelsSubject } from './states/models.js'
import { pageSubject } from './states/page.js'
import { answered } from './states/values.js'

const takeBrowser = giveBrowser()
after(async () => {
  await wait(300) // the address of the last page is written
  takeBrowser()
})
/** The first model of the page, for One layer; Models is given files. */
after(giveEnglishModel().end)

const LONG = { timeout: 2 ** 31 - 1 }

test('One layer shows every state, and draws no cell otherwise than its number', LONG, () =>
  holds(layerSubject(), { runs: 10, seed: 1 }),
)

test('Learn shows every state', LONG, () => holds(learnSubject(), { runs: 10, seed: 1 }))

test('Models shows every state', LONG, () => holds(modelsSubject(), { runs: 10, seed: 1 }))

test('the whole page shows every state', LONG, () => holds(pageSubject(), { runs: 5, seed: 1 }))

test('a head in Learn hides only what its numbers were computed without', async () => {
  const { open, check } = learnSubject()
  const own = await open()
  await answered(own)
  // The rate is refused, so that nothing is computed anew.
  own.store.follow('layers=1&d=8&rate=0&changes=1.1%3A1%3E1%3Dhide')
  await check(own)
  own.close()
})
