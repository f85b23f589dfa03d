// Tests that a map is drawn only when it comes near the viewport, and that nothing below it moves then.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomes, choose, page, usePage } from './open.js'

usePage()

/** Returns the heights of the steps that have a map, in pixels. */
const heights = () =>
  page
    .locator('.step:has(lazy-map)')
    .evaluateAll(all => all.map(step => Math.round(step.getBoundingClientRect().height)))

/** Waits until the heights are the same in two readings. */
async function restingHeights() {
  let last = await heights()
  await becomes(async () => {
    const [before, now] = [last, await heights()]
    last = now
    return String(now) === String(before)
  }, true)
  return last
}

test('a map has its height before it is near, also after an example with other dims', async () => {
  for (const preset of ['layer', 'translation', 'layer']) {
    await choose(preset)
    await page.evaluate(() => scrollTo(0, 0))
    await becomes(async () => (await heights()).length > 0, preset !== 'translation')
    const far = await restingHeights()
    for (const map of await page.locator('lazy-map:visible').all()) await map.scrollIntoViewIfNeeded()
    assert.deepEqual(await restingHeights(), far, preset)
  }
})
