// Accessibility: axe finds nothing in any room, in both languages, each in another theme. Contrast alone depends on the theme.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pinWeight } from './browser.js'
import { choose, page, set, unfold, usePage, violations } from './open.js'

usePage()
const CHECKPOINT = fileURLToPath(new URL('../goldens/models/gpt2-tiny/', import.meta.url))

/** @param {string} where */
const expectNothing = async where => assert.deepEqual(await violations(), [], where)

// The examples differ in their matrices; each is looked at once, those with menus and messages in both themes.
for (const [theme, language, presets] of /** @type {const} */ ([
  ['light', 'en', ['layer', 'waistline']],
  ['dark', 'zh', ['heads', 'causal', 'waistline']],
])) {
  test(`axe finds nothing in One layer: ${theme}, ${language}`, async () => {
    await set('theme', theme)
    await set('language', language)
    for (const preset of presets) {
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
