// Accessibility: axe finds nothing in any room, in both languages, each in another theme. Contrast alone depends on the theme.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pinWeight } from './browser.js'
import { choose, page, set, unfold, usePage } from './open.js'

usePage()
const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const CHECKPOINT = fileURLToPath(new URL('../goldens/models/gpt2-tiny/', import.meta.url))

/** @param {string} where */
async function expectNothing(where) {
  const found = await page.evaluate(async () => {
    // What fades in has less contrast until it stands.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
    const { violations } = await /** @type {any} */ (globalThis).axe.run(document)
    return violations.map(
      (/** @type {any} */ { id, nodes }) =>
        `${id}: ${nodes.map((/** @type {any} */ node) => node.html.slice(0, 120)).join('\n  ')}`,
    )
  })
  assert.deepEqual(found, [], where)
}

for (const [theme, language] of [
  ['light', 'en'],
  ['dark', 'zh'],
]) {
  test(`axe finds nothing in One layer: ${theme}, ${language}`, async () => {
    await set('theme', theme)
    await set('language', language)
    await page.evaluate(axe)
    for (const preset of ['heads', 'layer', 'causal', 'waistline']) {
      await choose(preset)
      await pinWeight(page)
      await page.click('[data-matrix="weights"] .save-open') // an open menu, and a message
      if (preset === 'waistline') {
        await unfold('import')
        await page.click('#import-pasted')
      }
      await expectNothing(preset)
    }
    await page.evaluate(() => localStorage.clear())
  })

  test(`axe finds nothing in the tour, in Learn, in Models and at the front door: ${theme}, ${language}`, async () => {
    await set('theme', theme)
    await set('language', language)
    await page.evaluate(axe)
    await page.click('#tour-start > summary')
    await expectNothing('the questions')
    await page.click('#tour-start [data-item="3"]')
    await page.click('[data-view="difference"]')
    await page.click('#settings-open')
    await expectNothing('a stop of the tour, a word, the settings')
    await page.click('[data-room="learn"]')
    await page.locator('main.learn canvas').first().waitFor()
    await expectNothing('Learn')
    await page.click('[data-room="models"]')
    await page.locator('#models-files').waitFor({ state: 'attached' })
    const files = readdirSync(CHECKPOINT).filter(file => /json$|safetensors$/.test(file) && !/^expected/.test(file))
    await page.setInputFiles(
      '#models-files',
      files.map(file => CHECKPOINT + file),
    )
    await page.locator('#models-top tr').first().waitFor()
    await expectNothing('Models')
    await page.click('#to-front')
    await page.locator('.front[data-live="true"]').waitFor()
    await page.click('#front-isOn')
    await page.locator('#front-othersOn').waitFor()
    await page.click('#front-boy > summary')
    await expectNothing('the front door')
    await page.evaluate(() => localStorage.clear())
  })
}
