// Tests that exported links, programs, files and pictures have the page's numbers.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readNpy, writeNpy } from '../../web/files/npy.js'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { pytorchCode } from '../../web/rooms/layer/programs/pytorch.js'
import { expectNumbers } from './article-goldens.js'
import { cell, printed, settled } from './browser.js'
import { traced } from './cases.js'
import { becomes, choose, follow, go, LAYER, page, reads, text, unfold, usePage } from './open.js'

usePage()
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3'

/** Clicks and returns what was copied. Empties the clipboard before, so that an earlier copy is not taken for this one. @param {string} selector */
async function copied(selector) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.click(selector)
  const copy = () => page.evaluate(() => navigator.clipboard.readText())
  await becomes(copy, /./)
  return copy()
}

/** Returns the file that a click saves. @param {() => Promise<void>} click */
async function saved(click) {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** @param {string} matrix @param {string} kind */
const savedAs = (matrix, kind) =>
  saved(async () => {
    await page.click(`[data-matrix="${matrix}"] .save-open`)
    await page.click(`[data-matrix="${matrix}"] [data-item="${kind}"]`)
  })

test('the copied link opens the page as it is, without waiting', async () => {
  await page.fill('#sentence', 'eat dessert')
  const link = await copied('#copy-link')
  const weights = await printed(page, 'weights')
  await go(new URL(link).hash)
  await becomes(() => page.locator('#sentence').inputValue(), 'eat dessert')
  await becomes(() => printed(page, 'weights'), weights)
})

// code.test.js runs these programs in PyTorch and in Node.
test('the programs are copied as they are shown; that of qkv holds cells that were set by hand', async () => {
  await choose('self')
  await unfold('code')
  const code = await copied('[data-copy-as="pytorch"]')
  await reads('.said span', /PyTorch program is copied/)
  const topOf = async (/** @type {string} */ selector) => (await page.locator(selector).boundingBox())?.y ?? Number.NaN
  assert.ok(
    (await topOf('[data-copy-as="pytorch"]')) < (await topOf('#code-pytorch')),
    'the buttons stand above the code',
  )
  assert.match(code, /torch\.manual_seed\(123\)[\s\S]*@ W_q[\s\S]*softmax/)
  assert.equal(code, pytorchCode(traced(settingsOf('self'))))
  await follow(LAYER)
  await cell(page, 'Wk', 1, 0).click()
  await page.fill('#set', '-3')
  await page.keyboard.press('Enter')
  assert.match(await copied('[data-copy-as="qkv"]'), /W_k\[0\]\.data\[2\] = -3\n[\s\S]*qkv\.trace\(Q, K, V\)/)
})

test('all is saved as JSON, which the page takes back', async () => {
  await choose('causal')
  await cell(page, 'X', 0, 0).click()
  await page.fill('#set', '0.5')
  await page.keyboard.press('Enter')
  const weights = await printed(page, 'weights')
  await unfold('code')
  const { name, bytes } = await saved(() => page.click('#save-json'))
  assert.equal(name, 'qkv.json')
  const { settings, tokens, matrices } = JSON.parse(bytes.toString())
  assert.equal(settings.mask, 'causal')
  assert.deepEqual(tokens, ['Life', 'is', 'short', 'eat', 'dessert', 'first'])
  assert.deepEqual(matrices.weights.dims, [1, 6, 6])
  assert.deepEqual(
    matrices.weights.data.map((/** @type {number} */ x) => x.toFixed(4)),
    weights,
  )
  assert.equal(matrices.masked.data[1], '-Infinity')
  await choose('layer')
  await unfold('import')
  await page.setInputFiles('#import-files', { name, mimeType: 'application/json', buffer: bytes })
  await page.locator('.said span').waitFor()
  await becomes(() => printed(page, 'weights'), weights)
})

test('“Set to” stays with its cell: Enter, and Enter again, and a pointer elsewhere', async () => {
  const where = () => text('#inspector h2')
  const cell = await where()
  await page.fill('#set', '0.01') // no cell is selected, so this sets the strongest weight; then another weight is the strongest
  await page.press('#set', 'Enter')
  await becomes(where, cell)
  await becomes(() => page.inputValue('#set'), '0.0100')
  await page.locator('#map').hover({ position: { x: 200, y: 200 } })
  await page.fill('#set', '0.02')
  await page.press('#set', 'Enter')
  await becomes(where, cell)
  // One cell was set.
  const isOne = () => /^weights\.0\.\d\.\d:0\.02$/.test(new URLSearchParams(location.hash.slice(1)).get('edits') ?? '')
  await page.waitForFunction(isOne)
})

test('the menu of a matrix opens and closes by keyboard and by a press elsewhere', async () => {
  const menu = page.locator('[data-matrix="Q"] .save')
  const button = menu.locator('summary')
  await button.focus()
  await page.keyboard.press('Enter')
  await becomes(() => menu.getAttribute('open'), '')
  await page.keyboard.press('Tab')
  await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'CSV')
  await page.keyboard.press('Escape')
  await becomes(() => menu.getAttribute('open'), null)
  await becomes(() => button.evaluate(own => own === document.activeElement), true)
  await button.click()
  await page.mouse.click(5, 5)
  await settled(page)
  await becomes(() => menu.getAttribute('open'), null)
})

test('every picture is saved as SVG, with its numbers as text, and as PNG; a matrix as CSV, JSON and .npy with its numbers', async () => {
  const svg = (await savedAs('Q', 'svg')).bytes.toString()
  const shown = await printed(page, 'Q')
  const texts = await page.evaluate(text => {
    const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml')
    return [...documentElement.querySelectorAll('text')].map(({ textContent }) => textContent)
  }, svg)
  for (const word of ['Life', 'first', ...shown.map(number => number.replace('-', '−'))])
    assert.ok(texts.includes(word), `${word} in ${texts}`)
  for (const [place, name] of [
    ['.tabs .of-weights', 'weights-head-1'],
    ['.tabs .of-heads', 'qkvheads'],
    ['[data-matrix="masked"]', 'masked-head-1'],
  ])
    for (const kind of ['svg', 'png']) {
      const file = await saved(async () => {
        await page.click(`${place} .save-open`)
        await page.click(`${place} [data-item="${kind}"]`)
      })
      assert.equal(file.name, `${name}.${kind}`)
      if (kind === 'svg') assert.match(file.bytes.toString(), /^<svg[\s\S]*<text[\s\S]*<\/svg>/)
      else assert.deepEqual([...file.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47])
    }
  await becomes(() => page.locator('.offstage').count(), 0)
  await choose('self')
  const csv = await savedAs('weights', 'csv')
  assert.equal(csv.name, 'weights-head-1.csv')
  const lines = csv.bytes.toString().trimEnd().split('\r\n')
  assert.equal(lines[0], ',Life,is,short,eat,dessert,first')
  assert.match(lines[6], /^first,/)
  const numbers = lines.slice(1).flatMap(line => line.split(',').slice(1))
  expectNumbers(
    numbers.map(x => Number(x).toFixed(4)),
    'attn_weights',
  )
  const json = JSON.parse((await savedAs('scores', 'json')).bytes.toString())
  assert.deepEqual(json.columns, ['Life', 'is', 'short', 'eat', 'dessert', 'first'])
  expectNumbers(
    json.data.map((/** @type {number} */ x) => x.toFixed(4)),
    'attn_scores',
  )
  const npy = readNpy((await savedAs('output', 'npy')).bytes)
  assert.deepEqual(npy.dims, [6, 4])
  expectNumbers(
    npy.data.map(x => x.toFixed(4)),
    'SelfAttention-3-2-4',
  )
})

test('.npy is written as NumPy writes it', t => {
  const tensor = { dims: [2, 1, 3], data: [1, -2.5, 3, Number.NEGATIVE_INFINITY, 0, 1e-9] }
  const bytes = writeNpy(tensor)
  assert.equal((bytes.length - 24) % 64, 0, 'numbers begin at a multiple of 64')
  assert.deepEqual(readNpy(bytes), { dims: [2, 1, 3], data: tensor.data.map(Math.fround) })
  const script =
    'import io, sys, numpy; a = numpy.load(io.BytesIO(sys.stdin.buffer.read())); print(a.dtype, a.shape, a.ravel().tolist())'
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', script], { input: bytes, encoding: 'utf8' })
  if (status !== 0 && /No module named 'numpy'|^$/.test(stderr ?? '')) return t.skip(`could not run NumPy: ${stderr}`)
  assert.match(stdout, /^float32 \(2, 1, 3\) \[1\.0, -2\.5, 3\.0, -inf, 0\.0, 9\.99/)
})
