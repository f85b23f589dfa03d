// Tests the page on paper, with reduced motion and in a browser without workers, and that its layout is stable.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled, WINDOW } from './browser.js'
import { becomes, choose, chooseView, page, reads, until, url, usePage } from './open.js'
import { hashOf } from './typing.js'

usePage()

/** Lists visible controls, also those in shadow roots. Skips buttons that are also text on paper: factors, words and terms. */
const controls = () =>
  page.evaluate(() => {
    /** @type {string[]} */
    const found = []
    const look = (/** @type {ParentNode} */ root) => {
      for (const each of root.querySelectorAll('*')) {
        if (each.shadowRoot) look(each.shadowRoot)
        if (each.matches('button:not(.factor, .word-button, .term > button), input, select, summary, textarea') && each.checkVisibility()) found.push(each.id || each.textContent?.trim() || each.localName) // biome-ignore format: one line
      }
    }
    look(document)
    return found
  })

test('on paper the sentence is the only control, and the numbers stay', async () => {
  // Tries several views of one example, and the map of several kinds of layer.
  for (const [preset, view] of [
    ...['map', 'flow', 'difference'].map(view => ['heads', view]),
    ...['causal', 'layer', 'waistline'].map(preset => [preset, 'map']),
  ]) {
    await page.emulateMedia({ media: 'screen' })
    await choose(preset)
    await chooseView(view)
    await becomes(async () => (await controls()).length > 20, true)
    await page.emulateMedia({ media: 'print' })
    await settled(page)
    const left = async () => (await controls()).filter(id => id !== 'sentence' && id !== 'second')
    await becomes(left, [], `${preset}, ${view}`)
    const numbers = page.locator('[data-matrix="weights"] .number').first()
    if (preset !== 'layer') await numbers.waitFor()
    await page.locator('.answer-first').waitFor()
    const border = () => page.locator('#sentence').evaluate(box => getComputedStyle(box).borderTopWidth)
    await becomes(border, '0px', 'no field')
  }
})

test('with reduced motion the walk jumps, plays, and nothing is animated', async () => {
  /** Returns the `behavior` of each scrollIntoView since the last call. The effect is not measured, because the browser decides how long it takes. */
  const scrolls = () => page.evaluate(() => /** @type {any} */ (window).scrolls.splice(0))
  await page.evaluate(() => {
    const log = Object.assign(window, { scrolls: /** @type {unknown[]} */ ([]) })
    const scroll = Element.prototype.scrollIntoView
    Element.prototype.scrollIntoView = function (/** @type {ScrollIntoViewOptions} */ options) {
      log.scrolls.push(options.behavior)
      scroll.call(this, options)
    }
  })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.click('#next')
  await becomes(scrolls, ['smooth'], 'else it glides')
  const still = () =>
    page.evaluate(() => {
      const link = /** @type {Element} */ (document.querySelector('.rail a'))
      return getComputedStyle(link)
        .transitionDuration.split(', ')
        .every(time => time === '0s')
    })
  assert.ok(!(await still()))

  await page.emulateMedia({ reducedMotion: 'reduce' })
  while (!(await still())) await settled(page) // the page is notified in a later frame
  await page.click('#next')
  await becomes(scrolls, ['auto'], 'it is there at once')
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length)
  await becomes(moving, 0)
})

test('without workers large inputs are traced on the page, with progress', async () => {
  await page.goto('about:blank')
  await page.addInitScript(() => {
    Object.assign(window, { progress: 0 })
    Reflect.deleteProperty(window, 'Worker')
    const look = () => {
      if (document.querySelector('[role=progressbar]')) /** @type {any} */ (window).progress++
      requestAnimationFrame(look)
    }
    look()
  })
  await page.goto(url + hashOf({ name: '', tokens: 512, settings: { heads: 8, dModel: 64, dKey: 64, dValue: 64 } }))
  await page.locator('.left-out').waitFor({ timeout: 60_000 })
  await becomes(() => page.evaluate(() => typeof Worker), 'undefined')
  await until(async () => {
    const { dims, sum } = await page.locator('#map').evaluate(map => {
      const { matrix } = /** @type {any} */ (map)
      return {
        dims: [...matrix.dims],
        sum: matrix.data.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b),
      }
    })
    assert.deepEqual(dims, [512, 512])
    assert.ok(Math.abs(sum - 512) < 1e-2, `${sum} is what 512 queries pay`)
  })
  await becomes(
    async () => (await page.evaluate(() => /** @type {any} */ (window).progress)) > 0,
    true,
    'progress was shown',
  )
})

test('nothing jumps while a word is typed, or from step to step', async () => {
  await page.clock.install()
  const pause = async () => {
    await page.clock.fastForward(1000) // parts that wait for a pause are drawn
    await settled(page)
  }
  for (const preset of ['heads', 'layer']) {
    await choose(preset)
    await pause()
    await page.evaluate(() => {
      const log = Object.assign(window, { jumps: 0, what: /** @type {string[]} */ ([]) })
      new PerformanceObserver(list => {
        for (const entry of /** @type {any[]} */ (list.getEntries())) {
          log.jumps += entry.value
          for (const { node } of entry.sources) log.what.push(node?.id || node?.className || node?.nodeName)
        }
      }).observe({ type: 'layout-shift' })
    })
    const jumps = () =>
      page.evaluate(() => ({ sum: /** @type {any} */ (window).jumps, what: /** @type {any} */ (window).what }))
    await page.locator('#sentence').press('End')
    await page.locator('#sentence').pressSequentially('abc')
    await pause()
    const typed = await jumps()
    assert.ok(typed.sum < 0.02, `${preset}, typing: ${typed.sum} ${typed.what}`)
    for (let i = 0; i < 4; i++) await page.keyboard.press('n')
    await page.locator('.steps-panel').click({ position: { x: 1, y: 1 } })
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('n')
    }
    const walked = await jumps()
    // Some movement is allowed: the numbers of the bar move with the name of the step, and maps reserve only about their final height.
    assert.ok(walked.sum - typed.sum < 0.2, `${preset}, walking: ${walked.sum - typed.sum} ${walked.what}`)
  }
})

test('nothing moves when the pointer comes into a room, however late what it prepares is loaded', async () => {
  for (const hash of ['', '#2&', '#2&room=learn', '#2&room=models', '#2&room=models&models.checkpoint=translation']) {
    await page.goto('about:blank')
    await page.mouse.move(0, 0)
    await page.goto(url + hash)
    await page.locator('main').waitFor()
    await page.waitForLoadState('networkidle')
    if (hash.includes('models')) await page.locator('#models-why').waitFor()
    await page.evaluate(() => {
      const moved = Object.assign(globalThis, { moved: /** @type {string[]} */ ([]) }).moved
      const name = (/** @type {any} */ { node }) => node?.id || node?.className || node?.textContent || node?.nodeName
      new PerformanceObserver(list => {
        for (const { sources } of /** @type {any[]} */ (list.getEntries())) moved.push(...sources.map(name))
      }).observe({ type: 'layout-shift' })
    })
    await page.mouse.move(700, 450, { steps: 4 })
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(500)
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).moved), [], hash)
  }
})

/** Begins to record which controls, or elements with controls, move on the page. */
const watchControls = () =>
  page.evaluate(() => {
    const moves = Object.assign(globalThis, { moves: /** @type {string[]} */ ([]) }).moves
    const CONTROL = 'button, a, summary, input, select, textarea, label'
    new PerformanceObserver(list => {
      for (const { sources } of /** @type {any[]} */ (list.getEntries()))
        for (const { node, previousRect: from, currentRect: to } of sources) {
          const element = node instanceof Element ? node : node?.parentElement
          if (!from.height || !to.height || !(element?.closest(CONTROL) ?? element?.querySelector(CONTROL))) continue
          const far = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y))
          if (far > 1) moves.push(`${element.id || element.className || element.localName}: ${far.toFixed(0)} px`)
        }
    }).observe({ type: 'layout-shift' })
  })

const moves = () => page.evaluate(() => /** @type {any} */ (globalThis).moves)

test('nothing that can be pressed moves while a room opens and its late parts come', async () => {
  const english = '#2&room=models&models.checkpoint=english&models.prompt=My+dog+was+hungry%2C+so+I+gave+him+some'
  for (const hash of ['', '#2&', '#2&room=learn', english, '#2&room=models&models.checkpoint=translation']) {
    await page.goto('about:blank')
    await page.goto(url + hash, { waitUntil: 'commit' })
    await page.locator('main').waitFor()
    await watchControls()
    await page.waitForLoadState('networkidle')
    if (hash === english) await page.locator('#models-endings:not(.is-reserved)').waitFor()
    await page.waitForTimeout(500)
    assert.deepEqual(await moves(), [], hash)
  }
})

test('the buttons of Learn stay where they are until the run has reached its goal', async () => {
  for (const window of [WINDOW, { width: 390, height: 844 }]) {
    await page.setViewportSize(window)
    await page.goto('about:blank')
    await page.goto(`${url}#2&room=learn`)
    await page.locator('#learn-train:not([disabled])').waitFor()
    const places = () =>
      page.evaluate(() =>
        ['#learn-train', '#learn-step', '#learn-restart'].map(selector => {
          const { left, bottom } = /** @type {Element} */ (document.querySelector(selector)).getBoundingClientRect()
          return [left, innerHeight - bottom].map(Math.round).join(' ')
        }),
      )
    const { x = 0, y = 0 } = (await page.locator('#learn-train').boundingBox()) ?? {}
    await page.mouse.click(x + 9, y + 9) // page.click would scroll first
    await reads('#learn-train', 'Pause')
    const before = await places()
    await reads('#learn-train', 'Train on')
    await page.locator('#learn-happened').waitFor()
    assert.deepEqual(await places(), before, `${window.width}`)
  }
})
