// Twelve questions of a first-time reader, each answered within three clicks; numbers are compared with the core.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { plain, printed, settled } from './browser.js'
import { near } from './golden.js'
import { usePage } from './open.js'

const qkv = await load()
const open = usePage()
const SENTENCE = ['Life', 'is', 'short', 'eat', 'dessert', 'first']

/** The weights of the large map. */
const weights = () =>
  open.page.locator('#map').evaluate(map => Array.from(/** @type {any} */ (map).matrix.data, Number))
/** A share as the page writes it. @param {number} x */
const share = x => `${(100 * x).toFixed(1)}%`
/** Goes to a stop of the tour, by its link. @param {number} stop */
const tour = stop => open.go(`#1&tour=${stop}`)

test('1. which word does eat attend to most? Point at it (0 clicks), or tap it (1)', async () => {
  const { page } = open
  const row = (await weights()).slice(18, 24)
  const order = [0, 1, 2, 3, 4, 5].sort((a, b) => row[b] - row[a])
  await page.hover('[data-word="queries:3"] >> nth=0')
  await page.waitForFunction(() => document.querySelector('.answer-first')?.textContent?.startsWith('eat'))
  const said = await open.text('.answer-first')
  const [first, second] = order
  assert.equal(
    said,
    `eat looks at all almost evenly, most at ${SENTENCE[first]} (${share(row[first])}), then ${SENTENCE[second]} (${share(row[second])}). Even share: 16.7%.`,
  )
  await page.mouse.move(2, 2)
  await page.waitForFunction(() => document.querySelector('.answer-first')?.textContent?.startsWith('is'))
  await page.click('[data-word="queries:3"] >> nth=0')
  const listed = (await page.locator('.shares').first().locator('.share-name').allTextContents()).map(plain)
  assert.deepEqual(
    listed,
    order.slice(0, 5).map(i => SENTENCE[i]),
  )
})

test('2. where does 0.6870 come from? Three clicks down to a random number of the seed, and Back', async () => {
  const { page } = open
  assert.equal(await open.text('.panel .total'), '= 0.6870')
  const path = []
  for (const at of ['.terms .is-own .factor', '.line .factor', '.line .factor', '.factor', '.factor']) {
    await page.locator(`.panel-body ${at}`).first().click()
    await settled(page)
    path.push(await open.text('.panel .total'))
  }
  assert.equal(path[0], '= 2.4542')
  assert.match(await open.text('.panel .steps'), /random number|row .* of the table/i)
  for (let i = path.length - 2; i >= 0; i--) {
    await page.click('#back')
    await settled(page)
    assert.equal(await open.text('.panel .total'), path[i])
  }
  await page.click('#forward')
  await settled(page)
  assert.equal(await open.text('.panel .total'), path[1])
})

test('3. why divide by sqrt(d)? A slider: the measured spread grows as sqrt(d), softmax saturates, the gradient fades', async () => {
  const { page } = open
  await tour(3)
  const read = async () => {
    const [deviation] = (await open.text('#spread-deviation')).match(/by [\d.]+/) ?? []
    const of = async (/** @type {string} */ side) => ({
      most: Number.parseFloat(await open.text(`[data-side="${side}"] .spread-most`)),
      gradient: Number((await open.text(`[data-side="${side}"] .spread-gradient`)).replace('−', '-')),
    })
    return { deviation: Number(deviation?.slice(3)), plain: await of('plain'), scaled: await of('scaled') }
  }
  for (const [step, d] of [
    [2, 4],
    [10, 1024],
  ]) {
    await page.locator('#spread-d').fill(String(step))
    await settled(page)
    const generator = qkv.generator(123)
    const scores = qkv.matmul(generator.randn([64, d]), generator.randn([64, d]).T)
    const want = Math.sqrt(scores.data.reduce((sum, x) => sum + x * x, 0) / scores.data.length)
    near([(await read()).deviation], [want], 0.006, `spread at d = ${d}`)
  }
  const { plain, scaled } = await read()
  assert.ok(plain.most > 99 && scaled.most < 80, `${plain.most} and ${scaled.most}`)
  assert.ok(plain.gradient < scaled.gradient / 10, `${plain.gradient} and ${scaled.gradient}`)
})

test('4. what does the mask remove, and why do both ways agree? Three rows, exponential by exponential', async () => {
  const { page } = open
  await tour(4)
  const rows = await page.locator('.algebra-row').all()
  assert.equal(rows.length, 3)
  const want = (await printed(page, 'weights')).map(Number)
  for (const [i, row] of rows.entries()) {
    const cells = (await row.locator('tbody tr').allTextContents()).map(plain)
    assert.equal(cells.length, 6)
    const last = (await row.locator('tbody td:last-child').allTextContents()).map(Number)
    near(last, want.slice(6 * i, 6 * i + 6), 1e-4, `row ${i}`)
    const [exponentials, sums] = [await row.locator('tbody td:nth-of-type(1)').allTextContents(), (await row.locator('thead th').allTextContents()).map(text => Number(text.replace('÷', '')))] // biome-ignore format: pairs
    const kept = exponentials.map(Number).filter((_, n) => n <= i)
    near([kept.reduce((a, b) => a + b)], [sums[2]], 5e-4, 'the sum of what is left')
    near([exponentials.map(Number).reduce((a, b) => a + b)], [sums[1]], 5e-4, 'the sum of all')
  }
  const extremes = await page.locator('#extremes tbody tr').allTextContents()
  assert.deepEqual(extremes.map(plain), ['NaN1.0000nan', '1e301.00000.0000'], 'before: not touched; after: lost')
})

test('5. does short see dessert? Two clicks: no, the rule, and the proof', async () => {
  const { page } = open
  await open.go('#1&mask=causal')
  await page.click('[data-word="queries:2"] >> nth=0')
  await page.selectOption('#sees', '4')
  await settled(page)
  assert.match(
    await open.text('#sees-answer'),
    /^No\. Key “?dessert.* comes after query.*does not move, not even in the last bit/,
  )
  await page.selectOption('#sees', '0')
  await settled(page)
  assert.match(await open.text('#sees-answer'), /^Yes\. short sees Life.*moves by \d/)
})

test('6. what differs between heads? A sentence each, with no click; the largest differences, with one', async () => {
  const { page } = open
  const notes = await page.locator('qkv-heads').evaluate(heads => /** @type {any} */ (heads).notes)
  assert.equal(notes.length, 4)
  assert.match(notes[1], /looks most at itself \(33\.8%\); sharpest: 2\.07 bit/)
  const both = await page.locator('qkv-heads').evaluate(heads => {
    const { data } = /** @type {any} */ (heads).weights
    return Array.from(data.slice(0, 36), (x, i) => Number(x) - data[36 + i])
  })
  await page.click('[data-view="difference"]')
  await settled(page)
  const most = Math.max(...both.map(Math.abs))
  const at = both.findIndex(x => Math.abs(x) === most)
  assert.ok(
    (await open.text('#largest-differences')).startsWith(
      `Most: ${SENTENCE[Math.floor(at / 6)]} to ${SENTENCE[at % 6]} (${both[at] < 0 ? '−' : '+'}${most.toFixed(4)})`,
    ),
  )
})

test('7. which shapes? Two clicks to sizes where key and value differ; the shapes are those of the tensors', async () => {
  const { page } = open
  await page.click('[data-value="heads"]')
  await page.fill('#dKey', '4')
  await page.fill('#dValue', '5')
  await settled(page)
  const shapes = (await page.locator('.shape-walk .dims').allTextContents()).map(plain)
  assert.ok(shapes.includes('1×4×6×4') && shapes.includes('1×4×6×5') && shapes.includes('1×6×20'), shapes.join())
  assert.equal((await printed(page, 'joined')).length, 6 * 20)
})

test('8. cross-attention: rows are words that ask, columns words that answer', async () => {
  await open.choose('translation')
  const { rowTokens, columnTokens, rowTitle, columnTitle } = await open.page.locator('#map').evaluate(map => {
    const { rowTokens, columnTokens, rowTitle, columnTitle } = /** @type {any} */ (map)
    return { rowTokens, columnTokens, rowTitle, columnTitle }
  })
  assert.deepEqual(rowTokens, ['an', 'autonomous', 'driving', 'solution'])
  assert.deepEqual(columnTokens, ['一套', '自动', '驾驶', '解决', '方案'])
  assert.match(`${rowTitle} ${columnTitle}`, /queries.*keys/)
})

test('9. a waist of 62 gives 112.5', async () => {
  await open.choose('waistline')
  assert.deepEqual(await printed(open.page, 'output'), ['112.5000'])
  assert.match(await open.text('.plot-answer'), /62 → 112\.5000/)
})

test('10. what does an induction head do? By its name, on a sentence of one’s own', async () => {
  const { page } = open
  await open.choose('zoo')
  await open.type('#sentence', 'red fox ran red')
  const said = await open.text('#induction')
  assert.match(said, /induction head/)
  const at = await page
    .locator('qkv-heads')
    .evaluate(heads => Number(/** @type {any} */ (heads).weights.data[3 * 16 + 3 * 4 + 1]))
  assert.match(
    said,
    new RegExp(
      `red₁ stood there first; fox followed\\. At red₄ the head gives ${share(at).replace('.', '\\.')} to fox`,
    ),
  )
  assert.ok(at > 0.9)
})

test('11. what happens if a weight of W_q grows? The rule says by how much; typing it moves the scores so far', async () => {
  const { page } = open
  await tour(11)
  const scaled = async () => (await printed(page, 'scaled')).map(Number)
  const was = await scaled()
  const rows = (await page.locator('#grows tbody tr').allTextContents()).map(plain)
  const text = await open.text('#grows')
  const row = SENTENCE.findIndex(each => text.includes(`the query ${each} grows`))
  assert.ok(row >= 0 && rows.length === 6, text)
  const value = Number((await page.locator('#set').inputValue()).replace('−', '-'))
  await page.fill('#set', String(value + 1))
  await page.keyboard.press('Enter')
  await settled(page)
  const now = await scaled()
  for (const line of rows) {
    const [, name, by] = /^(\D+?)([+−][\d.]+)$/.exec(line) ?? []
    const column = SENTENCE.indexOf(name)
    near([now[6 * row + column] - was[6 * row + column]], [Number(by.replace('−', '-'))], 3e-4, line)
  }
})

test('12. how to get these numbers in PyTorch? The code stands there before it is copied', async () => {
  await open.choose('causal')
  const code = (await open.page.locator('#code-pytorch').textContent()) ?? ''
  assert.match(code, /^import torch/m)
  assert.match(code, /manual_seed\(123\)/)
  await open.set('seed', '7')
  assert.match((await open.page.locator('#code-pytorch').textContent()) ?? '', /manual_seed\(7\)/, 'it follows')
})

test('the tour has twelve stops, each with a link, a question and live words, in both languages', async () => {
  const { page } = open
  for (const language of ['en', 'zh']) {
    await open.set('language', language)
    await page.click('#tour-start')
    for (let stop = 1; stop <= 12; stop++) {
      await page.locator(`#tour[data-stop="${stop}"]`).waitFor()
      const text = await open.text('#tour')
      assert.ok(text.length > 30 && !/undefined|\{\w+\}|NaN/.test(text), text)
      if (stop < 12) await page.click('#tour-next')
    }
    await page.locator('#tour[data-stop="12"]').waitFor()
    assert.equal(await page.locator('#tour-next').count(), 0)
    await page.waitForFunction(() => /tour=12/.test(location.hash))
    await page.click('#tour-leave')
    await page.locator('#tour').waitFor({ state: 'detached' })
  }
  await page.evaluate(() => localStorage.clear())
  await tour(5)
  assert.match(await open.text('#tour-text'), /Does short \(word 3\) see dessert \(word 5\)\? No\./)
})
