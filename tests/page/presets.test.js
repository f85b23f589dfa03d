// Tests the presets from the articles: notes where the page differs from the printed numbers, and the shapes of a batch. layer-numbers.test.js tests
// their numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, settled } from './browser.js'
import { becomes, choose, page, reads, set, usePage } from './open.js'

usePage()

test('only an example of a document lists differences from its print', async () => {
  const texts = new Set()
  for (const preset of ['embedding', 'heads', 'layer', 'translation', 'waistline']) {
    await choose(preset)
    await page.click('#examples > summary')
    const details = page.locator('#differs')
    if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
    await becomes(async () => plain(await details.innerText()), /.{100}/, preset)
    await becomes(async () => texts.has(plain(await details.innerText())), false, `${preset}: a text of its own`)
    texts.add(plain(await details.innerText()))
    await page.keyboard.press('Escape')
  }
  assert.equal(texts.size, 5, 'a text for each document')
  await choose('handBuilt')
  await becomes(() => page.locator('#differs').count(), 0, 'no document')
  await page.fill('#sentence', 'something else')
  await becomes(() => page.locator('#differs').count(), 0, 'no example')
})

test('document 002 opens with its printed shapes, and the core has run its whole batch', async t => {
  const before = await page.evaluate(() => performance.now())
  await choose('layer')
  await page.locator('#one-of-batch').waitFor()
  await settled(page)
  const took = (await page.evaluate(() => performance.now())) - before
  t.diagnostic(`open after ${took.toFixed(0)} ms`)
  const isOpen = () => page.locator('#cost').evaluate(details => /** @type {HTMLDetailsElement} */ (details).open)
  // Clicks again if the first click did not open it. This happened once while other tests ran, for an unknown reason.
  await becomes(async () => {
    if (!(await isOpen())) await page.click('#cost summary')
    return isOpen()
  }, true)
  await page.locator('.shape-steps').waitFor()
  const walk = async () => (await page.locator('.shape-steps .dims').allTextContents()).map(plain)
  await becomes(walk, [
    '10×60×512',
    '10×60×512',
    '10×60×8×64',
    '10×8×60×64',
    '10×8×60×60',
    '10×8×60×64',
    '10×60×8×64',
    '10×60×512',
    '10×60×512',
  ])
  await reads('#one-of-batch', /^Sequence 1 of a batch of 10/)
  const ran = page.locator('#batch-ran').getByText('the output has the shape (10, 60, 512)')
  await ran.waitFor()
  // A batch that is too large for a page is not run. Its shapes are still shown, with a note.
  await set('batch', '64')
  await becomes(async () => plain((await page.locator('.shape-steps .dims').last().textContent()) ?? ''), '64×60×512')
  await reads('#batch-ran', /too large to compute here/)
  await set('batch', '65')
  await reads('#batch-problem', /1 to 64/)
})
