// Tests what a first-time reader meets: layouts that stay still, maps large enough for a class, texts to begin with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beyond } from './browser.js'
import { becomes, page, reads, until, url, usePage } from './open.js'

usePage({ hash: null })

/** Opens a link in a fresh page. @param {string} link */
async function open(link) {
  await page.goto('about:blank')
  await page.goto(url + link)
}
const topOf = (/** @type {string} */ selector) =>
  page.locator(selector).evaluate(each => each.getBoundingClientRect().top)

test('with an open head, the large sentence stays when a word is selected, and nothing below it moves', async () => {
  await open('#2&room=models&models.at=2.3')
  await reads('#models-together', /^Head 2\.3 looks from “was” mostly at “the” \(21\.8%\)/)
  const before = await topOf('.models-stage')
  await page.locator('[data-word="both:9"]').click()
  await reads('#models-together', /^Head 2\.3 looks from “it” mostly at “because” \(86\.0%\)/)
  assert.equal(await topOf('.models-stage'), before)
})

test('a presented room of models shows its maps large, then one head with its map, and returns to all', async () => {
  await open('#2&room=models&present=1')
  const atlas = page.locator('.atlas-maps')
  await until(async () => {
    const box = await atlas.boundingBox()
    assert.ok(box && box.height >= 300 && box.y + box.height <= 900, JSON.stringify(box))
  })
  await open('#2&room=models&models.at=2.3&present=1')
  await page.locator('.models-head qkv-heatmap').waitFor()
  await until(async () => {
    const inSight = await page
      .locator('.models-head qkv-heatmap')
      .evaluate(map => innerHeight - map.getBoundingClientRect().top)
    assert.ok(inSight >= 360, `${inSight} px of the map are in sight`)
    const [mask, side] = await Promise.all(
      ['#models-paint', '.models-side'].map(name => page.locator(name).boundingBox()),
    )
    assert.ok(mask && side && mask.x + mask.width <= side.x, 'the button is beside the prediction, not over it')
  })
  await page.locator('#models-back').click()
  await atlas.waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await until(async () => assert.ok(((await atlas.boundingBox())?.width ?? 0) >= 280, 'on a phone, too'))
})

test('on a phone the selected head is whole in the row of heads', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open('#2&room=layer')
  await page.locator('#numbers-trained').click()
  await page.locator('#layers').waitFor()
  await until(async () => {
    const [box, head] = await Promise.all(
      ['.heads-column', 'qkv-heads [aria-checked=true]'].map(name => page.locator(name).boundingBox()),
    )
    assert.match((await page.locator('qkv-heads [aria-checked=true]').textContent()) ?? '', /Head 2\.3/)
    assert.ok(
      box && head && head.x >= box.x - 1 && head.x + head.width <= box.x + box.width + 1,
      JSON.stringify({ box, head }),
    )
  })
  assert.deepEqual(await beyond(page), [])
})

test('a reader without a text to learn takes a nursery rhyme, and trains on it', async () => {
  await open('#2&room=learn&learn.task=text')
  await reads('#learn-short', /at least 500 characters; this text has 0/)
  await page.locator('#learn-sample').click()
  await becomes(() => page.locator('#learn-own').inputValue(), /^Twinkle, twinkle/)
  await becomes(() => page.locator('#learn-train').isEnabled(), true)
  assert.equal(await page.locator('#learn-short').count(), 0)
  await page.locator('#learn-probe').fill('Twinkle,')
  await page.locator('#learn-probe').blur()
  await page.locator('#learn-train').click()
  await reads('#learn-answer', /says ␣ \(/, 'a space can be seen')
})

test('at the end that the model gave to a text, the reader is told that, not that it may be too long', async () => {
  await open('#2&room=models')
  await page.locator('#models-next > summary').click()
  const take = async (/** @type {string} */ word) => {
    const button = page.locator('[data-take]', { hasText: word }).first()
    await button.click()
  }
  await take('tired')
  await reads('#next-text', /was tired \?$/)
  await take('.')
  await reads('#next-text', /was tired\. \?$/)
  await take('<s>')
  await reads('.next-word', /The model has ended the text here\./)
})

test('where the model’s answer is the end of the text, the reader is told so; a space at the end of a text can be left out', async () => {
  await open('#2&room=models')
  const text = page.locator('#models-text')
  await text.fill('The old man sat by the river and told a long story about a boat that never came back home again')
  await reads('#models-says-end', 'As an answer, <s> means that the text ends here.')
  await text.fill('The teacher said that the answer was wrong. He ')
  await reads('#models-space', /^The text ends with a space, .* Leave it out$/s)
  assert.equal(await page.locator('#models-says-end').count(), 0)
  await page.locator('#models-space button').click()
  await page.locator('#models-space').waitFor({ state: 'detached' })
  assert.equal(await text.inputValue(), 'The teacher said that the answer was wrong. He')
  await reads('.next-answer', /^(?!.*Vienna)/)
})
