// Tests the page in Chromium, Firefox and WebKit: it loads, takes text, shows presets and opens links, and its numbers are those of the articles.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { load } from 'qkv'
import { shownOf } from '../../web/rooms/learn/model-picture.js'
import { createRun } from '../../web/rooms/learn/training-run.js'
import { BROWSERS, launch } from '../browser/browsers.js'
import { expectNumbers } from './article-goldens.js'
import { serve } from './browser.js'
import { serveAll } from './elements.js'
import { LAYER } from './open.js'

const qkv = await load()
/** @type {Awaited<ReturnType<typeof serve>>} */
let server
/** @type {Awaited<ReturnType<typeof serveAll>>} */
let all
before(async () => {
  server = await serve()
  all = await serveAll()
})
after(() => {
  server?.close()
  all?.close()
})

/** @param {string} id */
const numbersOf = id =>
  Array.from(document.querySelectorAll(`[data-matrix="${id}"] [data-row]`), ({ textContent }) =>
    String(textContent).replace('−', '-'),
  )
const isThere = () => Boolean(document.querySelector('#map')?.shadowRoot?.querySelector('canvas'))
const isPressed = (/** @type {string} */ preset) =>
  document.querySelector(`#examples [data-item="${preset}"]`)?.getAttribute('aria-pressed') === 'true'
const hasCells = (/** @type {string} */ id, /** @type {number} */ count) =>
  document.querySelectorAll(`[data-matrix="${id}"] [data-row]`).length === count

const isLive = () => document.querySelector('.front')?.getAttribute('data-live') === 'true'
/** Training steps of a run, enough for a difference in rounding to show. */
const STEPS = 40
const isReady = () => document.querySelector('#learn-train:not([disabled])') !== null
const hasEnded = (/** @type {number} */ steps) =>
  Number(/** @type {HTMLElement | null} */ (document.querySelector('#learn-steps'))?.dataset.step) === steps
/** True if the head of the untrained model is drawn. */
const isDrawn = () => Boolean(/** @type {any} */ (document.querySelector('#learn-map'))?.matrix)
/** True if the picture shows the last step. */
const isPictured = () =>
  document.querySelector('.learn-at output')?.textContent ===
  /** @type {HTMLElement | null} */ (document.querySelector('#learn-steps'))?.dataset.step
const shownHead = () => ({
  step: Number(/\d+/.exec(document.querySelector('#learn-steps')?.textContent ?? '')?.[0]),
  weights: Array.from(/** @type {any} */ (document.querySelector('#learn-map')).matrix.data),
})

/** @import { Page } from '../browser/browsers.js' */

/** Checks that the page loads, takes text, shows presets, opens links and trains. @param {Page} page */
async function usesPage(page) {
  const choose = async (/** @type {string} */ preset) => {
    await page.click('#examples > summary')
    await page.click(`#examples [data-item="${preset}"]`)
  }
  await page.until(isThere)
  assert.equal(
    await page.evaluate(() => document.querySelector('.answer-first')?.textContent?.trim()),
    'is looks mostly at itself (68.7%), then dessert (14.7%). Even share: 16.7%.',
  )
  await page.until(hasCells, 'weights', 36) // the steps are loaded after the first picture
  expectNumbers(await page.evaluate(numbersOf, 'weights'), 'attn_weights')
  expectNumbers(await page.evaluate(numbersOf, 'joined'), 'MultiHeadAttentionWrapper-4')

  for (const [preset, id, golden, count] of /** @type {[string, string, string, number][]} */ ([
    ['self', 'output', 'SelfAttention-3-2-4', 24],
    ['causal', 'weights', 'causal_attn_weights', 36],
    ['cross', 'output', 'CrossAttention-6x3-8x3', 24],
  ])) {
    await choose(preset)
    await page.until(isPressed, preset)
    await page.until(hasCells, id, count)
    expectNumbers(await page.evaluate(numbersOf, id), golden)
  }
  await choose('waistline')
  await page.until(hasCells, 'output', 1)
  assert.deepEqual(await page.evaluate(numbersOf, 'output'), ['112.5000'])

  await choose('self')
  await page.until(hasCells, 'weights', 36)
  await page.type('#sentence', 'eat 语 dessert')
  await page.until(hasCells, 'weights', 9)
  const typed = await page.evaluate(numbersOf, 'weights')
  await page.until(() => location.hash.includes('+dessert'))
  const hash = await page.evaluate(() => location.hash)

  // Reopens the page in the same tab, because a tab in the background paints nothing in WebKit.
  const reopen = async (/** @type {string} */ hash) => {
    await page.goto('about:blank')
    await page.goto(server.url + hash)
    await page.until(isThere)
  }
  await reopen(hash)
  await page.until(hasCells, 'weights', 9)
  assert.equal(await page.evaluate(() => document.querySelector('textarea')?.value), 'eat 语 dessert')
  assert.deepEqual(await page.evaluate(numbersOf, 'weights'), typed)

  await reopen('#3~abc&planes=7')
  await page.until(hasCells, 'weights', 36)
  assert.match(await page.evaluate(() => String(document.querySelector('.notice')?.textContent)), /newer/)

  await page.evaluate(() => document.querySelector('#import')?.setAttribute('open', ''))
  await page.click('#import-example')
  await page.until(hasCells, 'weights', 9)
  assert.deepEqual((await page.evaluate(numbersOf, 'output')).slice(0, 2), ['1.0000', '0.0000'])

  // A link to the room "Learn" repeats a run with the same bits in this browser as in Node.
  for (const task of /** @type {const} */ (['sort', 'translation'])) {
    await page.goto('about:blank')
    await page.goto(`${server.url}#2&room=learn&learn.task=${task}&learn.seed=3&learn.steps=${STEPS}`)
    await page.until(isReady)
    await page.until(isDrawn)
    await page.click('#learn-train')
    await page.until(hasEnded, STEPS)
    await page.until(isPictured)
    const { step, weights } = await page.evaluate(shownHead)
    const run = createRun(qkv, task, { seed: 3, steps: STEPS })
    while (run.steps < STEPS) run.step()
    const want = shownOf(qkv, run, '').layers.at(-1)
    run.dispose()
    assert.equal(step, STEPS, task)
    assert.deepEqual(weights, Array.from(want?.data ?? []), task)
  }
  await page.goto('about:blank')
  await page.goto(server.url)
  await page.until(isLive)
  assert.equal(await page.evaluate(() => document.querySelector('.front-answer')?.textContent), 'Tom')
}

/** Checks that the elements show weights that were read from a file. @param {Page} page */
async function usesElements(page) {
  const { data, dims } = JSON.parse(await readFile(new URL('../../web/elements/example.json', import.meta.url), 'utf8'))
  const isDrawn = () => {
    const canvas = document.querySelector('qkv-heatmap')?.shadowRoot?.querySelector('canvas')
    const { data } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
    return new Set(new Uint32Array(/** @type {any} */ (data).buffer ?? [])).size > 20
  }
  await page.until(isDrawn)
  for (const head of [1, 0]) {
    await page.evaluate(h => {
      const heads = document.querySelector('qkv-heads')?.shadowRoot?.querySelectorAll('[role=radio]')
      const one = /** @type {HTMLElement | undefined} */ (heads?.[h])
      one?.click()
    }, head)
    const want = `it to animal: ${data[(head * dims[1] + 8) * dims[2] + 1].toFixed(4)}`
    await page.until(
      text => /** @type {any} */ (document.querySelector('qkv-heatmap')).describe({ row: 8, column: 1 }) === text,
      want,
    )
  }
}

// The page and the elements are tested in one tab: a browser takes seconds to start, and a tab in the background paints nothing in WebKit.
for (const name of BROWSERS)
  test(`in ${name}`, async t => {
    const browser = await launch(name)
    t.after(() => browser.close())
    const page = await browser.open(server.url + LAYER)
    await t.test(
      'the page loads, is typed into, shows presets, opens links and trains with the bits of Node',
      async () => {
        await usesPage(page)
        assert.deepEqual(browser.complaints.splice(0), [])
      },
    )
    await t.test('the elements show weights from elsewhere', async () => {
      await page.goto(`${all.origin}/web/elements/example.html`)
      await usesElements(page)
      assert.deepEqual(browser.complaints, [])
    })
  })
