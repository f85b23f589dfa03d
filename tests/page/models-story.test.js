// Walks the guided story of the stories model to its end in both languages. Its numbers must match about.json, which training writes beside the
// weights.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { texts as en } from '../../web/i18n/en/head.js'
import { texts as shellEn } from '../../web/i18n/en/shell.js'
import { texts as zh } from '../../web/i18n/zh/head.js'
import { texts as shellZh } from '../../web/i18n/zh/shell.js'
import { opened } from './golden-models.js'
import { becomes, page, reads, set, usePage } from './open.js'

usePage({ hash: '#2&room=models&models.checkpoint=stories' })
const folder = new URL('../../web/trained/stories/', import.meta.url)
/**
 * @typedef {object} Stop
 * @property {string} kind
 * @property {string} prompt
 * @property {string} answer
 * @property {number} layer
 * @property {number} head
 * @property {number} weight
 * @property {string} looksAt
 * @property {number} probability of the answer
 * @property {{ probability: number, says: string }} without the head
 */
/** @type {{ tour: Stop[] }} */
const { tour } = JSON.parse(readFileSync(new URL('about.json', folder), 'utf8'))
const TEXTS = { en, zh }
const SHELL = { en: shellEn, zh: shellZh }
/** The tolerance for recorded numbers, which have three decimals and were computed in float32 by another build. */
const ROUNDING = 2e-3

/** @param {string} selector @param {string} name */
const attribute = async (selector, name) => (await page.getAttribute(selector, name)) ?? ''

/** Waits until a value equals the recorded one. @param {string} selector @param {number} recorded */
const isNear = (selector, recorded) =>
  becomes(async () => {
    const value = Number(await attribute(selector, 'data-value'))
    return Math.abs(value - recorded) <= ROUNDING || `${selector}: ${value}, ${recorded} recorded`
  }, true)

for (const language of /** @type {const} */ (['en', 'zh']))
  test(`the guided story goes through its stops to the end: each head is switched off, and the prediction breaks (${language})`, async () => {
    const texts = TEXTS[language]
    await opened('')
    await set('language', language)
    assert.ok(tour.length === 4 && new Set(tour.map(({ layer, head }) => `${layer}.${head}`)).size > 1)
    await page.click('#models-stories')
    await page.click('#models-stories [data-item="0"]')
    for (const [n, stop] of tour.entries()) {
      const name = `${stop.layer + 1}.${stop.head + 1}`
      const at = SHELL[language].guideAt.replace('{at}', String(n + 1)).replace('{of}', String(tour.length))
      await reads('#models-story', new RegExp(at))
      await becomes(() => page.inputValue('#models-text'), stop.prompt)
      await reads('#models-answer', new RegExp(stop.answer))
      await becomes(() => attribute('#models-answer', 'data-token'), stop.answer)
      await isNear('#models-answer', stop.probability)
      await reads('.models-title', new RegExp(`${texts.headTitle.replace('{name}', name)}`))
      await page.click('#models-story-off')
      await page.locator('#models-effect').waitFor()
      await becomes(() => attribute('#models-answer', 'data-token'), stop.without.says, `stop ${n + 1}`)
      await isNear('#models-effect', stop.without.probability)
      assert.ok(stop.without.probability < stop.probability / 2 - ROUNDING, 'the prediction breaks')
      await reads('#models-story .is-changed', new RegExp(`${name}.*${stop.answer}.*${stop.without.says}`))
      await becomes(() => page.locator('.change').count(), 1)
      const isLast = n + 1 === 4
      await becomes(() => page.locator('#models-story-next').count(), isLast ? 0 : 1)
      if (!isLast) await page.click('#models-story-next')
    }
    await set('language', 'en')
  })

test('a head is shown once by its number; known words are under the pointer; a dragged bar shows what it follows from', async () => {
  await opened('')
  await page.click('#models-stories')
  await reads('#models-stories [data-item="0"]', /^Head 1\.2 knows who “she” or “he” is/, 'the story of the front door')
  await reads('#models-stories [data-item="1"]', /^Head 1\.1 looks at the word before/)
  await reads('#models-stories [data-item="2"]', /^Head 1\.1 also decides/)
  await page.keyboard.press('Escape')
  const ball = page.locator('.word-button', { hasText: 'ball' })
  await becomes(() => ball.getAttribute('title'), /^In place of “ball”: .*\bkite\b/)
  await page.fill('#models-text', 'Lily has a zebra')
  const zebra = page.locator('.word-button.is-unknown')
  await becomes(() => zebra.getAttribute('title'), /\blily\b.*\bkite\b.*\bpark\b/, 'of an unknown word, all')
  await zebra.click()
  await page.selectOption('#models-words', 'kite')
  await becomes(() => page.inputValue('#models-text'), /\bkite\b/)
  const bar = (await page.locator('#models-top .bar-cell').first().boundingBox()) ?? assert.fail()
  await page.mouse.move(bar.x + 8, bar.y + 8)
  await page.mouse.down()
  await page.mouse.move(bar.x + 30, bar.y + 8, { steps: 3 })
  await page.mouse.up()
  await reads('#models-pulled', 'A probability cannot be set: change a head or a weight, and it follows.')
})
