// Walks each guided story of the room "Learn" to its end. Reads each stop in both languages, and checks that a ring is around the stop's subject.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import * as stops from '../../web/rooms/learn/tasks/stops.js'
import { beyond } from './browser.js'
import { becomes, go, page, set, usePage } from './open.js'

usePage({ hash: null })
/** How long a test waits for training, on a busy machine. */
const PATIENCE = { timeout: 120_000 }
const room = (/** @type {string} */ selector) => page.locator(selector)
const TEXT = 'The cat sat on the mat. The dog sat on the log. '.repeat(40)

/** A reader's action at a stop. head: the one that the text names. @typedef {(head: string) => Promise<unknown>} Act */

/** @param {string} [id] */
async function train(id = '#learn-train') {
  await room(`${id}:not([disabled])`).waitFor(PATIENCE)
  await page.click(id)
}
const nothing = async () => {}
const select = (/** @type {string} */ head) => {
  const [layer, index] = head.split('.').map(Number)
  return page.click(`[data-layer="${layer}"] qkv-heads [role=radio] >> nth=${index - 1}`)
}
const switchOff = (/** @type {string} */ head) => page.selectOption(`[data-head="${head}"]`, 'off')
const probe = (/** @type {string} */ text) => async () => {
  await page.fill('#learn-probe', text)
  await page.keyboard.press('Enter')
}
const goTo = (/** @type {string} */ step) => () => room('#learn-at').fill(step)
const explain = () => page.click('#learn-answer .answer-token >> nth=0')

/** The reader's actions at the stops that stories share. @type {Map<import('../../web/rooms/learn/tasks/task.js').Stop, Act>} */
const SHARED = new Map()
  .set(stops.train, () => train())
  .set(stops.untilGoal, nothing)
  .set(stops.askWhy, explain)
  .set(stops.answerOff, switchOff)
  .set(stops.ownProbe, async () => {
    const words = await room('#learn-probe').inputValue()
    await probe(words.split(' ').reverse().join(' '))()
  })
/** The reader's actions at all other stops, by story and number of the stop. They take precedence over the shared ones. @type {Record<string, Record<number, Act>>} */
const OWN = {
  induction: {
    2: nothing,
    3: select,
    4: select,
    5: goTo('40'),
    6: async head => {
      await page.click('#learn-live')
      await switchOff(head)
    },
    7: async () => {
      await train('#learn-one-layer')
      await train()
    },
  },
  translation: { 3: select, 5: probe('she buys a car today') },
  sort: { 4: goTo('20') },
  reverse: {
    4: async () => {
      await goTo('20')()
      await page.click('.learn-gradients summary')
      await page.click('#learn-gradient')
    },
    5: async () => {
      await page.click('.learn-settings summary')
      await page.selectOption('#learn-positions', 'none')
      await page.click('.learn-settings summary')
      await train()
    },
  },
  text: {
    1: async () => {
      await room('#learn-own').fill(TEXT)
      await room('#learn-own').blur()
    },
    3: nothing,
    4: probe('The ca'),
    5: select,
  },
}
/** Reads the stop in the page's language and then in the other one, which stays selected. @param {string[]} order @param {(language: string) => Promise<string>} read */
async function inBoth([own, other], read) {
  const texts = [await read(own)]
  await set('language', other)
  texts.push(await read(other))
  return texts
}

/** Settings that make a story shorter. @type {Record<string, string>} */
const LESS = { text: '&learn.d=16&learn.mlp=16&learn.batch=4&learn.steps=220' }

for (const [task, { story: itsStops }] of Object.entries(TASKS))
  test(`the story of ${task} is walked to its end, in English and Chinese`, async () => {
    await go(`#2&room=learn&learn.task=${task}&lang=en${LESS[task] ?? ''}`)
    await page.click('#story-start')
    for (const [n, stop] of itsStops.entries()) {
      const act = OWN[task]?.[n + 1] ?? SHARED.get(stop)
      assert.ok(act, `stop ${n + 1} of ${task} is no shared one: OWN says what a reader does there`)
      const story = room(`#story[data-stop="${n + 1}"]`)
      await story.waitFor()
      const ring = room('[data-tour]')
      await becomes(() => ring.count(), 1, `stop ${n + 1}`)
      await ring.waitFor()
      const done = await room('#story .guide-task').innerText()
      await act(/\d\.\d/.exec(done)?.[0] ?? '')
      await room(`#story[data-stop="${n + 1}"][data-done="true"]`).waitFor(PATIENCE)
      // Each stop is read in the language of the previous stop, then in the other one.
      const order = n % 2 ? ['zh', 'en'] : ['en', 'zh']
      const read = await inBoth(order, async language => {
        await becomes(
          async () => /[\u4e00-\u9fff]{5}/.test(await story.innerText()),
          language === 'zh',
          `stop ${n + 1}`,
        )
        return story.innerText()
      })
      for (const text of read) assert.doesNotMatch(text, /[{}…]|NaN|undefined/)
      const [numbers, same] = read.map(text => (text.match(/\d+(\.\d+)?%|\d\.\d/g) ?? []).sort())
      assert.deepEqual(numbers, same, `stop ${n + 1}`)
      if (n + 1 < itsStops.length) await page.click('#story-next')
    }
    await becomes(() => room('#story-next').count(), 0)
    await page.click('#story-leave')
    await becomes(() => room('[data-tour]').count(), 0)
    await becomes(() => beyond(page), [])
  })
