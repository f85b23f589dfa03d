// Tests masks on the page: which words a word sees, both ways to hide, painting. layer-numbers.test.js tests the numbers of masks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { printed, settled } from './browser.js'
import { traced } from './cases.js'
import { becomes, choose, go, mode, page, reads, usePage } from './open.js'

usePage()

/** Scrolls the large map into view. Returns the viewport coordinates of the middle of one of its cells. @param {number} row @param {number} column */
async function placeOf(row, column) {
  await page.locator('#map').scrollIntoViewIfNeeded()
  const box = await page
    .locator('#map')
    .evaluate((map, at) => /** @type {any} */ (map).where(at).toJSON(), { row, column })
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

test('the page of a word tries another key, or another word in its place; the link contains both', async () => {
  await go('#2&heads=1&dValue=4&mask=causal&word=queries.2')
  await page.locator('#sees').selectOption('4')
  await reads('#sees-answer', /^No\..*with pizza instead of dessert.*does not change, not even in the last bit/)
  await page.locator('#sees').selectOption('0')
  await reads('#sees-answer', /^Yes\..*with pizza instead of Life.*changes by \d/)
  await page.fill('#probeWord', 'Life')
  await reads('#sees-answer', /with Life instead of Life.*does not change/)
  await page.waitForFunction(() => /probe=0.*probeWord=Life/.test(location.hash))
})

test('the flow without a mask explains masks and offers one, which then hides the later words', async () => {
  await go('#2&view=flow&step=masked')
  await reads('qkv-flow .caption', /No word is hidden from .*: this step changes nothing\. A causal mask hides/)
  await page.click('#hide-later')
  await reads('qkv-flow .caption', /Later words are hidden: \d\./)
  await page.waitForFunction(() => location.hash.includes('mask=causal'))
  assert.equal(await page.locator('#hide-later').count(), 0)
})

test('the step of the mask shows why rows still sum to 1, and by how much they differ', async () => {
  await choose('self')
  await becomes(() => page.locator('#algebra').count(), 0, 'nothing is hidden')
  await choose('causal')
  await page.locator('#step-masked #algebra').waitFor()
  await becomes(() => page.locator('.algebra-row').count(), 3)
  for (const header of await page.locator('.algebra-row thead th:first-of-type').all())
    assert.equal((await header.innerHTML()).replace(/<!--.*?-->/g, ''), 'e<sup>m − max</sup>')
  const most = Number(await page.locator('.mask-order-most').getAttribute('data-most'))
  assert.equal(most, traced(settingsOf('causal')).maskOrder?.most)
})

test('cells are painted by mouse, in a stroke, and by touch', async () => {
  await choose('self')
  const [from, to] = [await placeOf(0, 1), await placeOf(0, 4)]
  await mode('paint')
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 2 })
  await page.mouse.up()
  const hidden = async () =>
    (await printed(page, 'masked')).flatMap((text, i) => (text === '-∞' ? [`${Math.floor(i / 6)},${i % 6}`] : []))
  await becomes(hidden, ['0,1', '0,2', '0,3', '0,4'])
  await page.locator('#algebra').waitFor({ state: 'attached' }) // painted cells can be hidden in both ways, too

  const client = await page.context().newCDPSession(page)
  const [start, end] = [await placeOf(2, 0), await placeOf(4, 0)]
  const touch = (/** @type {string} */ type, /** @type {{ x: number, y: number }[]} */ touchPoints) =>
    client.send('Input.dispatchTouchEvent', { type: /** @type {any} */ (type), touchPoints })
  await touch('touchStart', [start])
  await touch('touchMove', [{ x: start.x, y: (start.y + end.y) / 2 }])
  await touch('touchMove', [end])
  await touch('touchEnd', [])
  await settled(page)
  await becomes(hidden, ['0,1', '0,2', '0,3', '0,4', '2,0', '3,0', '4,0'])
  await page.click('#undo')
  await page.click('#undo')
  await becomes(hidden, [], 'a stroke is one thing to undo')
})
