// Tests "Import your own": dropped, chosen or pasted data is shown in every view, or a message gives the reason why not.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { expectNumbers } from './article-goldens.js'
import { printed, settled } from './browser.js'
import { json, npy } from './files.js'
import { addressHash, becomes, choose, go, page, set, text, unfold, until, usePage } from './open.js'

usePage()

/** @import { GivenFile as File } from './files.js' */

const folder = mkdtempSync(join(tmpdir(), 'qkv import '))
after(() => rmSync(folder, { recursive: true }))

/** Writes files to disk and chooses them there, so that a large one is not sent to the browser as text. @param {...File} files */
async function give(...files) {
  const paths = files.map(({ name }) => join(folder, name))
  for (const [i, { buffer }] of files.entries()) writeFileSync(paths[i], buffer)
  if (!(await page.locator('#import-files').count())) await unfold('import')
  await page.setInputFiles('#import-files', paths)
  return said()
}
async function said() {
  await page.locator('.said span').waitFor()
  await settled(page)
  return text('.said span')
}
/** @param {string} text */
async function paste(text) {
  if (!(await page.locator('#paste').isVisible())) await unfold('import')
  await page.fill('#paste', text)
  await page.click('#import-pasted')
  return said()
}
/** Reads the numbers of a matrix, whether shown as numbers or as a map. @param {string} matrix */
const matrixOf = async matrix => (await printed(page, matrix)).map(Number)

test('the example on the page is tried by one press; files dropped anywhere and JSON pasted anywhere are taken', async () => {
  await unfold('import')
  await page.click('#import-example')
  await becomes(said, 'Read. Heads: 2.')
  await becomes(() => page.locator('qkv-heads').getByRole('radio').count(), 2)
  await becomes(() => matrixOf('weights'), [1, 0, 0, 0.3, 0.7, 0, 0.1, 0.6, 0.3])
  await becomes(() => matrixOf('output'), [1, 0, 0.3, 0.7, 0.7, 0.3], 'weights times v')
  await becomes(
    async () => (await page.locator('.token-row').first().locator('.token').allTextContents()).map(String),
    ['the', 'cat', 'sat'],
  )
  await page.click('.said button')
  const drop = (/** @type {string} */ text) =>
    page.evaluate(content => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([content], 'weights.json', { type: 'application/json' }))
      for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }, text)
  await drop('[[0.25, 0.75]]')
  await becomes(said, 'Read. Heads: 1.')
  await becomes(() => matrixOf('weights'), [0.25, 0.75])
  await becomes(() => page.locator('.is-dropping').count(), 0)
  await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ' {"weights": {"shape": [1, 1, 2], "data": [0.5, 0.5]}}')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await settled(page)
  await becomes(() => matrixOf('weights'), [0.5, 0.5])
  await page.keyboard.press('Control+z')
  await becomes(() => matrixOf('weights'), [0.25, 0.75], 'an import can be undone')
})

test('Q, K and V of the article, imported as .npy, give the article’s weights', async () => {
  await choose('self')
  const files = []
  for (const [id, width] of /** @type {const} */ ([
    ['Q', 2],
    ['K', 2],
    ['V', 4],
  ])) {
    const data = await page
      .locator(`[data-matrix="${id}"] matrix-grid`)
      .evaluate(grid => Array.from(/** @type {any} */ (grid).matrix.tensor.data, Number))
    files.push(npy([6, width], data, `layer-0_${id}.npy`))
  }
  assert.equal(await give(...files, json({ tokens: ['a', 'b', 'c', 'd,', 'e f', ''] })), 'Read. Heads: 1.')
  await until(async () => expectNumbers(await printed(page, 'weights'), 'attn_weights'))
  await until(async () => expectNumbers(await printed(page, 'output'), 'SelfAttention-3-2-4'))
  await becomes(
    () => page.locator('.token-row').first().locator('.token').allTextContents(),
    ['a', 'b', 'c', 'd,', 'e f', ''],
    'tokens stay as they were imported',
  )
  await set('mask', 'causal')
  await until(async () => expectNumbers(await printed(page, 'weights'), 'causal_attn_weights'))
  await page.waitForFunction(() => /mask=causal/.test(location.hash)) // the address is written after a pause
  await go(await addressHash())
  await until(async () => expectNumbers(await printed(page, 'weights'), 'causal_attn_weights'))
})

const MARKUP = '<img src=x onerror=alert(1)>'

test('unusable data gives a message, and the page stays as it was; hostile tokens are text in every view', async () => {
  await becomes(async () => (await printed(page, 'weights')).length, 36)
  const before = await printed(page, 'weights')
  for (const [file, message] of /** @type {const} */ ([
    [npy([1, 2], [0.5, Number.NaN]), /Number 2 of weights is “NaN”/],
    [json([[MARKUP]]), /is “<img src=x/],
  ])) {
    assert.match(await give(file), message)
    await becomes(() => page.locator('.said.is-bad').count(), 1)
    await page.click('.said button')
  }
  await becomes(() => page.locator('img').count(), 0)
  await becomes(() => printed(page, 'weights'), before)
  assert.match(await paste(''), /not JSON/)
  assert.match(await paste(MARKUP), /not JSON/)
  await page.click('.said button')
  const tokens = [
    MARKUP,
    '"><script>alert(1)</script>',
    'שָׁלוֹם',
    'e\u0301\u0301\u0301\u200b\u200d',
    '👩‍👩‍👧‍👦',
    '\u0000\u0007\u202e &amp; ]]>',
    '',
    'x'.repeat(20_000),
  ]
  const n = tokens.length
  const weights = tokens.map((_, i) => tokens.map((_, j) => (i === j ? 1 : 0)))
  assert.equal(await give(json({ weights, v: weights, tokens })), 'Read. Heads: 1.')
  await becomes(async () => (await matrixOf('weights')).length, n * n)
  await becomes(() => page.locator('.token-row').first().locator('.token').first().textContent(), MARKUP)
  await becomes(() => page.locator('img').count(), 0)
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true)
})

test('weights of two heads and 512 tokens can be looked at, and are too many for a link', async () => {
  const [H, L] = [2, 512]
  const data = new Float32Array(H * L * L)
  for (let row = 0; row < H * L; row++) data[row * L + ((row * 7) % L)] = 1
  assert.equal(await give(npy([H, L, L], data)), 'Read. Heads: 2.')
  await becomes(() => page.locator('qkv-heads').getByRole('radio').count(), 2)
  const second = () =>
    page.locator('#map').evaluate(own => Array.from(/** @type {any} */ (own).matrix.data.slice(512, 1024)).indexOf(1))
  await becomes(second, 7)
  await page.clock.install()
  await page.click('#copy-link')
  await becomes(said, /too many numbers for a link/)
  await page.clock.fastForward(1000) // the address is written after a pause
  await settled(page)
  assert.equal(await addressHash(), '#2&')
})
