// Import your own: what is dropped, chosen or pasted is shown in every view, or a message says why not.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writeNpy } from '../../web/files/npy.js'
import { printed, settled } from './browser.js'
import { expectNumbers } from './golden.js'
import { becomes, choose, go, page, set, text, usePage } from './open.js'

usePage()

/** @typedef {{ name: string, buffer: Buffer }} File */

const folder = mkdtempSync(join(tmpdir(), 'qkv import '))
after(() => rmSync(folder, { recursive: true }))

/** Chooses files from a disk: so a large one does not go to the browser as text. @param {...File} files */
async function give(...files) {
  const paths = files.map(({ name }) => join(folder, name))
  for (const [i, { buffer }] of files.entries()) writeFileSync(paths[i], buffer)
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
  await page.fill('#paste', text)
  await page.click('#import-pasted')
  return said()
}
/** @param {unknown} value @param {string} [name] @returns {File} */
const json = (value, name = 'own.json') => ({ name, buffer: Buffer.from(JSON.stringify(value)) })
/** @param {number[]} dims @param {ArrayLike<number>} data @param {string} [name] @returns {File} */
const npy = (dims, data, name = 'own.npy') => ({ name, buffer: Buffer.from(writeNpy({ dims, data })) })

/**
 * A .npy file with a header of its own.
 * @param {string} header
 * @param {ArrayLike<number>} bytes
 * @param {string} [name]
 * @returns {File}
 */
function raw(header, bytes, name = 'own.npy') {
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length & 255, header.length >> 8])
  return { name, buffer: Buffer.concat([start, Buffer.from(header), Buffer.from(Array.from(bytes))]) }
}
/** @param {string} descr @param {string} shape @param {boolean} [isFortran] */
const header = (descr, shape, isFortran = false) =>
  `{'descr': '${descr}', 'fortran_order': ${isFortran ? 'True' : 'False'}, 'shape': ${shape}, }\n`

/** The numbers of a matrix, whether shown as numbers or as a map. @param {string} matrix */
const matrixOf = async matrix => (await printed(page, matrix)).map(Number)

test('the example on the page is tried by one press', async () => {
  await page.click('#import-example')
  await becomes(said, 'Read. Heads: 2.')
  await becomes(() => page.locator('qkv-heads').getByRole('radio').count(), 2)
  await becomes(() => matrixOf('weights'), [1, 0, 0, 0.3, 0.7, 0, 0.1, 0.6, 0.3])
  await becomes(() => matrixOf('output'), [1, 0, 0.3, 0.7, 0.7, 0.3], 'weights times v')
  await becomes(
    async () => (await page.locator('.text-strip').first().locator('.token').allTextContents()).map(String),
    ['the', 'cat', 'sat'],
  )
})

test('Q, K and V of the article, brought as .npy, give the article’s weights', async () => {
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
  expectNumbers(await printed(page, 'weights'), 'attn_weights')
  expectNumbers(await printed(page, 'output'), 'SelfAttention-3-2-4')
  await becomes(
    () => page.locator('.text-strip').first().locator('.token').allTextContents(),
    ['a', 'b', 'c', 'd,', 'e f', ''],
    'tokens stay as they were brought',
  )
  await page.clock.install()
  await set('mask', 'causal')
  expectNumbers(await printed(page, 'weights'), 'causal_attn_weights')
  await page.clock.runFor(1000) // the address follows after a pause
  await go(new URL(page.url()).hash)
  expectNumbers(await printed(page, 'weights'), 'causal_attn_weights')
})

test('files dropped anywhere and JSON pasted anywhere are taken', async () => {
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
  await becomes(() => matrixOf('weights'), [0.25, 0.75], 'what was brought can be undone')
})

test('other types and orders of .npy are read as their numbers', async () => {
  const bytesOf = (/** @type {ArrayBufferView} */ view) => new Uint8Array(view.buffer)
  for (const [name, file, want] of /** @type {[string, File, number[]][]} */ ([
    ['f2', raw(header('<f2', '(1, 2)'), bytesOf(Uint16Array.of(0x3400, 0x3a00))), [0.25, 0.75]],
    ['big-endian f4', raw(header('>f4', '(1, 1)'), [0x3f, 0x40, 0, 0]), [0.75]],
    ['f8', raw(header('<f8', '(1, 2)'), bytesOf(Float64Array.of(0.125, 0.875))), [0.125, 0.875]],
    ['i4', raw(header('<i4', '(2, 2)'), bytesOf(Int32Array.of(1, 0, 0, 1))), [1, 0, 0, 1]],
    ['i8', raw(header('<i8', '(1, 2L)'), bytesOf(BigInt64Array.of(1n, 0n))), [1, 0]],
    ['booleans', raw(header('|b1', '(1, 3)'), [0, 1, 0]), [0, 1, 0]],
    [
      'Fortran order',
      raw(header('<f4', '(2, 3)', true), bytesOf(Float32Array.of(0.5, 0.25, 0.25, 0.5, 0.25, 0.25))),
      [0.5, 0.25, 0.25, 0.25, 0.5, 0.25],
    ],
    ['leading axes of one', npy([1, 1, 1, 2], [0.5, 0.5]), [0.5, 0.5]],
  ])) {
    assert.equal(await give(file), 'Read. Heads: 1.', name)
    await becomes(() => matrixOf('weights'), want, name)
    await page.click('.said button')
  }
})

const MARKUP = '<img src=x onerror=alert(1)>'
/** @type {[string, File[], RegExp][]} */
const BAD = [
  [
    'a truncated .npy',
    [{ name: 'a.npy', buffer: npy([2, 2], [1, 0, 0, 1]).buffer.subarray(0, 140) }],
    /says \(2, 2\), 4 numbers; the file holds 3/,
  ],
  [
    'a .npy that ends in its header',
    [{ name: 'a.npy', buffer: npy([2, 2], [1, 0, 0, 1]).buffer.subarray(0, 40) }],
    /ends within its header/,
  ],
  ['a .npy of two bytes', [{ name: 'a.npy', buffer: Buffer.from([0x93, 0x4e]) }], /does not begin/],
  [
    'a .npy of eight bytes',
    [{ name: 'a.npy', buffer: Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]) }],
    /ends within its header/,
  ],
  ['an empty .npy', [{ name: 'a.npy', buffer: Buffer.alloc(0) }], /does not begin/],
  ['a picture called .npy', [{ name: 'a.npy', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]) }], /does not begin/],
  ['a header that lies', [raw(header('<f4', '(1000, 1000)'), [0, 0, 0, 0])], /1000000 numbers; the file holds 1/],
  ['huge dims', [raw(header('<f4', '(4294967296, 4294967296, 4294967296)'), [0, 0, 0, 0])], /the file holds 1/],
  [
    'a header of an endless number',
    [raw(header('<f4', `(${'9'.repeat(400)}, 1)`), [0, 0, 0, 0])],
    /Infinity|the file holds 1/,
  ],
  ['zero dims', [raw(header('<f4', '(0, 4)'), [])], /sizes \(0, 4\)\. Expected/],
  ['one axis', [npy([4], [1, 0, 0, 0])], /sizes \(4\)\. Expected/],
  ['a batch', [npy([2, 1, 1, 1], [1, 1])], /sizes \(2, 1, 1, 1\)\. Expected.*Take one/],
  ['complex numbers', [raw(header('<c8', '(1, 1)'), [0, 0, 0, 0, 0, 0, 0, 0])], /holds “<c8”.*astype/],
  ['Python objects', [raw(header('|O', '(1, 1)'), [1, 2, 3])], /holds “\|O”/],
  [
    'records',
    [raw("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1, 1), }\n", [0, 0, 0, 0])],
    /holds “struct”/,
  ],
  ['a header that says nothing', [raw('{}\n', [])], /does not say type/],
  [
    'a later version',
    [{ name: 'a.npy', buffer: Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 9, 0, 0, 0, 0, 0]) }],
    /version 9/,
  ],
  ['NaN in .npy', [npy([1, 2], [0.5, Number.NaN])], /Number 2 of weights is “NaN”/],
  ['NaN in JSON', [{ name: 'a.json', buffer: Buffer.from('{"weights": [[NaN]]}') }], /NaN or Infinity/],
  ['numbers beyond float32', [json({ weights: [[1e300]] })], /Number 1 of weights is “1e\+300”/],
  ['null in JSON', [json({ weights: [[null]] })], /is “null”/],
  ['truncated JSON', [{ name: 'a.json', buffer: Buffer.from('{"weights": [[1, 0') }], /This is not JSON/],
  ['a picture', [{ name: 'a.png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) }], /neither JSON nor \.npy/],
  ['a number', [json(7)], /tensor is expected/],
  ['an object of something else', [json({ planes: 7 })], /Found: —\. Expected/],
  ['Q alone', [json({ q: [[1]] })], /Found: q\. Expected/],
  ['ragged rows', [json([[1, 0], [1]])], /ragged/],
  ['dims that lie', [json({ dims: [2, 2], data: [1] })], /should hold 4 numbers.*holds 1/],
  ['dims that are no numbers', [json({ dims: ['2', -1], data: [1] })], /sizes \(2, -1\)/],
  ['keys of another size', [json({ q: [[1, 2]], k: [[1]], v: [[1]] })], /k has sizes \(1, 1\), but \(S, 2\) fits/],
  ['values of another count', [json({ weights: [[1]], v: [[1], [2]] })], /v has sizes \(2, 1\), but \(1, d\)/],
  ['scores for weights', [json([[-1, 2]])], /weights are shares/],
  ['markup for a number', [json([[MARKUP]])], /is “<img src=x/],
  [
    'markup for a name',
    [
      { name: `${MARKUP.replace('x', 'y')}.npy`.replaceAll('/', ''), buffer: npy([1, 1], [1]).buffer },
      npy([1, 1], [1], 'q.npy'),
    ],
    /“<img.* does not say what it holds/,
  ],
  ['tokens that are none', [json({ weights: [[1]], tokens: [1] })], /list of texts/],
  ['too many tokens', [json({ weights: [[1]], tokens: ['a', 'b'] })], /2 tokens for 1/],
  ['a hundred heads', [npy([100, 1, 1], new Float32Array(100).fill(1))], /100 heads are too many/],
  ['three thousand keys', [npy([1, 3000], new Float32Array(3000).fill(1))], /up to 2048 tokens, but there are 3000/],
  ['deep JSON', [{ name: 'a.json', buffer: Buffer.from('['.repeat(100_000) + ']'.repeat(100_000)) }], /is “\[…\]”/],
  [
    '50 MB of JSON',
    [{ name: 'a.json', buffer: Buffer.alloc(50e6 - 1, 32) }],
    /That is 50 MB; this page reads up to 32 MB/,
  ],
  ['a link of the page that is damaged', [json({ link: '#2~x&sentence=b' })], /damaged/],
]

test('what cannot be shown is answered in words, and the page stays as it was', async () => {
  const before = await printed(page, 'weights')
  for (const [name, files, message] of BAD) {
    assert.match(await give(...files), message, name)
    await becomes(() => page.locator('.said.is-bad').count(), 1, name)
    await page.click('.said button')
  }
  await becomes(() => page.locator('img').count(), 0)
  await becomes(() => printed(page, 'weights'), before)
  assert.match(await paste(''), /not JSON/)
  assert.match(await paste(MARKUP), /not JSON/)
})

test('hostile tokens are text in every view', async () => {
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
  const shown = await page.locator('.text-strip').first().locator('.token').allTextContents()
  assert.equal(shown[0], MARKUP)
  await becomes(() => page.locator('img').count(), 0)
  const { scrollWidth, innerWidth } = await page.evaluate(() => ({
    scrollWidth: document.documentElement.scrollWidth,
    innerWidth: window.innerWidth,
  }))
  assert.ok(scrollWidth <= innerWidth, `${scrollWidth} px wide`)
})

test('weights of 8 heads and 512 tokens can be looked at, and are too many for a link', async () => {
  const [H, L] = [8, 512]
  const data = new Float32Array(H * L * L)
  for (let row = 0; row < H * L; row++) data[row * L + ((row * 7) % L)] = 1
  assert.equal(await give(npy([H, L, L], data)), 'Read. Heads: 8.')
  await becomes(() => page.locator('qkv-heads').getByRole('radio').count(), 8)
  const map = await page
    .locator('#map')
    .evaluate(own => Array.from(/** @type {any} */ (own).matrix.data.slice(512, 1024)))
  assert.equal(map.indexOf(1), 7)
  await page.clock.install()
  await page.click('#copy-link')
  await becomes(said, /too many for a link/)
  await page.clock.fastForward(1000) // the address follows after a pause
  assert.equal(new URL(page.url()).hash, '#2&')
})
