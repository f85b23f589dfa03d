// Each document opens with its numbers, and what differs from its print is said.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, printed, settled } from './browser.js'
import { expectNumbers, goldenCase, near } from './golden.js'
import { usePage } from './open.js'

const open = usePage()

test('every preset of a document says what differs from its print, in both languages', async () => {
  const { page } = open
  for (const language of ['en', 'zh']) {
    await page.selectOption('#language', language)
    const texts = new Set()
    for (const [preset, document] of Object.entries({
      ...{ embedding: '000', heads: '001', self: '001', causal: '001', cross: '001' },
      ...{ layer: '002', translation: '003', waistline: '004' },
    })) {
      await open.choose(preset)
      const details = page.locator('#differs')
      if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
      const text = plain(await details.innerText())
      assert.ok(text.length > 100, `${document}: ${text}`)
      texts.add(text)
    }
    assert.equal(texts.size, 5, 'a text for each document')
    await open.choose('zoo')
    assert.equal(await page.locator('#differs').count(), 0, 'no document')
    await page.fill('#sentence', 'something else')
    await settled(page)
    assert.equal(await page.locator('#differs').count(), 0, 'no preset')
  }
  await page.evaluate(() => localStorage.clear())
})

test('document 000 opens with its printed scores; with its own scale and axis the weights are those of its code', async () => {
  const { page } = open
  await open.choose('embedding')
  expectNumbers(await printed(page, 'scores'), '000/QKT')
  near(await printed(page, 'output'), goldenCase('000/Z-correct').oracle.out.data, 1e-3, 'the right Z')
  await page.click('.more summary')
  await page.fill('#scale', '0.25')
  await page.selectOption('#softmaxAxis', 'queries')
  const { expected, oracle } = goldenCase('000/Z-as-coded')
  const { weights, out } = /** @type {any} */ ({ ...oracle, ...expected })
  near(await printed(page, 'weights'), weights.data, 2e-4, 'weights as coded')
  near(await printed(page, 'output'), out.data, 1e-3, 'Z as coded')
})

test('document 001: the output differs from the print in one digit, as is said', async () => {
  await open.choose('self')
  const output = await printed(open.page, 'output')
  const { data } = goldenCase('001/SelfAttention-3-2-4').expected.out
  const others = output.filter((text, i) => text !== data[i].toFixed(4))
  assert.deepEqual(others, ['-0.2626'])
})
