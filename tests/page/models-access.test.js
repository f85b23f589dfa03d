// Tests the accessibility of the room "Models": keyboard, phone, and axe in both themes and languages. Also tests selecting heads by a marquee.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beyond } from './browser.js'
import { open, opened, selectCell, typeText } from './golden-models.js'
import { becomes, go, page, reads, set, THEME_AND_LANGUAGE, usePage, violations } from './open.js'

usePage({ hash: '#2&room=models&models.checkpoint=stories' })
const TEXT = 'The cat that chased the dog'

test('by keyboard: arrows move between heads, Enter opens one, Escape returns; the focus follows, in a window of 390 and of 1440 px', async () => {
  await open('gpt2-tiny', 'gpt2')
  await page.focus('.atlas-maps')
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
  await reads('#models-pointed', /^Head 2\.3/)
  await page.keyboard.press('Enter')
  await reads('.models-title', /Head 2\.3/)
  await page.keyboard.press('Escape')
  await page.locator('#models-ranked').waitFor()

  const focused = () =>
    page.evaluate(() => {
      const { id, dataset, className, tagName } = /** @type {HTMLElement} */ (document.activeElement)
      return id || dataset.head || className || tagName
    })
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 780 })
    const back = ['Escape', 'Enter']
    for (const from of ['.atlas-maps', '#models-ranked [data-head="1.1"]'])
      for (const key of back) {
        await page.focus(from)
        await page.keyboard.press('Enter')
        await reads('.models-title', /Head 1\.1/)
        await becomes(focused, 'models-back')
        await page.keyboard.press(key)
        await page.locator('#models-ranked').waitFor()
        await becomes(focused, '1.1')
      }
    await page.keyboard.press('Enter')
    await becomes(focused, 'models-back')
    await page.focus('#models-text')
    await page.keyboard.press('Escape')
    await page.locator('#models-ranked').waitFor()
    assert.equal(await focused(), 'models-text', 'it stays where the reader writes')
  }
})

test('a marquee switches heads off together; heads are ranked by the weight between two words; nothing covers the arithmetic of a weight', async () => {
  await open('gpt2-tiny', 'gpt2')
  const box = await page.locator('.atlas-maps').boundingBox()
  assert.ok(box)
  const [width, height] = [box.width / 4, box.height / 3]
  await page.mouse.move(box.x + width * 0.5, box.y + height * 0.5)
  await page.mouse.down()
  await page.mouse.move(box.x + width * 2.5, box.y + height * 1.5, { steps: 4 })
  await page.mouse.up()
  await reads('.models-chosen', /6 heads/)
  await page.click('.models-chosen [data-how="off"]')
  await page.locator('#models-effect').waitFor()
  await becomes(() => page.locator('.change').count(), 6)
  await becomes(() => page.locator('.atlas-frame.is-changed').count(), 6)
  await page.click('#changes-undo')
  await page.locator('#models-effect').waitFor({ state: 'detached' })

  await typeText(TEXT)
  await reads('.token-row-label', /10 tokens/)
  await page.locator('.word-button').nth(7).click()
  await reads('.models-hint', /Hold or Shift-click a second word/)
  await page
    .locator('.word-button')
    .nth(2)
    .click({ modifiers: ['Shift'] })
  await reads('.models-hint', /look from “the” at “at”/)
  const want = await page.evaluate(() => {
    const { data, rows, columns } = /** @type {any} */ (document.querySelector('models-atlas')).maps
    const all = Array.from({ length: 12 }, (_, n) => data[(n * rows + 7) * columns + 2])
    return all.sort((a, b) => b - a).map(weight => weight.toFixed(3))
  })
  await becomes(() => page.locator('#models-ranked span').allTextContents(), want)

  await page.locator('#models-ranked button').first().click()
  await page.locator('#models-map canvas').click()
  await page.locator('#models-products tr').first().waitFor()
  await page.setViewportSize({ width: 1440, height: 700 })
  for (const selector of ['.total output', '#models-products', '#models-row'])
    for (const block of /** @type {const} */ (['start', 'end'])) {
      const covered = () =>
        page.locator(selector).evaluate((element, block) => {
          element.scrollIntoView({ block })
          const { left, width, top, bottom } = element.getBoundingClientRect()
          const y = block === 'end' ? bottom - 3 : top + 3
          const found = document.elementFromPoint(left + width / 2, y)
          return found && element.contains(found) ? '' : (found?.outerHTML.slice(0, 80) ?? 'nothing')
        }, block)
      await becomes(covered, '', `${selector}, ${block}`)
    }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('a long text pushes no row of the map of all heads below the bar with “Continue”', async () => {
  await open('qwen3-tiny-bf16', 'qwen3')
  for (const [width, height] of [
    [1280, 720],
    [360, 740],
  ]) {
    await page.setViewportSize({ width, height })
    await page.fill('#models-text', 'a '.repeat(44 + width / 160))
    const seen = () =>
      page.evaluate(() => {
        const tokens = document.querySelectorAll('.word-button').length
        const [maps, bar] = ['.atlas-maps', '.models-dock'].map(selector => document.querySelector(selector))
        if (!maps || !bar || tokens < 44) return `${tokens} tokens`
        maps.scrollIntoView({ block: 'end' })
        const box = maps.getBoundingClientRect()
        const above = document.elementFromPoint(box.left + box.width / 2, box.bottom - 4)
        if (!above?.closest('models-atlas')) return `${above?.className} lies over the last row`
        return bar.getBoundingClientRect().top >= box.bottom - 1 ? 'the last row' : 'the bar begins above its end'
      })
    await becomes(seen, 'the last row')
  }
})

test('axe finds nothing in a model and in a head, in both languages, each in another theme', async () => {
  await open('qwen3-tiny-bf16', 'qwen3')
  for (const language of ['en', 'zh']) {
    await set('language', language)
    await set('theme', language === 'zh' ? 'dark' : 'light')
    const rules = language === 'zh' ? THEME_AND_LANGUAGE : undefined
    const look = async (/** @type {string} */ where) =>
      assert.deepEqual(await violations(undefined, page, rules), [], `${where}, ${language}`)
    await look('all heads')
    await page.locator('#models-ranked button').first().click()
    if (language === 'en') await page.click('[data-how="mean"]')
    await page.locator('#models-effect').waitFor()
    await selectCell(2, 1)
    await page.locator('.total output').waitFor()
    await look('a head')
    await page.click('#models-back')
  }
  await page.evaluate(() => localStorage.clear())
})

test('at 360 and 390 px nothing is wider than the window, in any part', async () => {
  await open('gpt2-tiny', 'gpt2')
  await page.fill('#models-text', TEXT)
  await reads('.token-row-label', /10 tokens/)
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 780 })
    for (const tab of [0, 1, 2]) {
      await page.locator('.models-tabs button').nth(tab).click()
      await becomes(() => beyond(page), [], `${width} px, part ${tab}`)
    }
    await page.locator('.models-tabs button').first().click()
    await page.locator('#models-ranked button').first().click()
    await page.locator('#models-map').waitFor()
    await becomes(() => beyond(page), [], `${width} px, a head`)
    await page.click('#models-back')
  }
})

test('a word of 60 letters makes nothing wider than a window of 360 and of 1440 px', async () => {
  await opened('')
  const word = 'supercalifragilistic'.repeat(3)
  await page.fill('#models-text', `Lily has a ${word}`)
  await reads('.models-prediction .note', new RegExp(word))
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const tab of width < 900 ? [0, 1, 2] : []) {
      await page.locator('.models-tabs button').nth(tab).click()
      await becomes(() => beyond(page), [], `part ${tab}`)
    }
    if (width < 900) await page.locator('.models-tabs button').first().click()
    else await becomes(() => beyond(page), [], 'all heads')
    await page.locator('#models-ranked button').first().click()
    await page.locator('#models-map canvas').waitFor()
    await becomes(() => beyond(page), [], 'a head')
    await page.click('#models-back')
  }
})

test('the sentence has arcs and ends in the prediction; a text without repeated words can be read twice', async () => {
  await go('#2&room=models')
  await page.fill('#models-text', 'The old man gave the boy a')
  await becomes(() => page.locator('.models-token-rows word-arcs path').count(), 8)
  await reads('#models-together', /^All 16 heads together look from “a” mostly at “boy” \(\d\d\.\d%\)/)
  await reads('.next-answer', /^friend \d\d\.\d%$/)
  await page
    .locator('models-atlas canvas')
    .first()
    .hover({ position: { x: 20, y: 20 } })
  await reads('#models-together', /^Head 1\.1 looks from “a” mostly at /)
  await page.selectOption('#models-rank', 'induction')
  await reads('#models-no-repeat', /Nothing occurs twice/)
  await page.click('#models-repeat')
  await becomes(() => page.inputValue('#models-text'), 'The old man gave the boy a The old man gave the boy a')
  await becomes(() => page.locator('#models-no-repeat').count(), 0)
})
