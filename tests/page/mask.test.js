// The mask: what each hides, both ways to hide, whose outputs a changed token moves; painted by mouse and by touch.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { DEFAULTS } from '../../web/rooms/layer/fields.js'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { change, edit } from '../../web/rooms/layer/settings.js'
import { printed, settled } from './browser.js'
import { traced } from './cases.js'
import { expectNumbers, near } from './golden.js'
import { becomes, choose, go, mode, page, reads, usePage } from './open.js'

const qkv = await load()
/** @param {ArrayLike<number> | undefined} data */
const decimals = data => Array.from(data ?? [], x => x.toFixed(4))

test('each mask hides what it says', () => {
  /** @type {Record<string, (i: number, j: number) => boolean>} */
  const sees = {
    causal: (i, j) => j <= i,
    window: (i, j) => Math.abs(i - j) <= 1,
    padding: (_, j) => j < 4,
    prefix: (i, j) => j < 2 || j <= i,
  }
  for (const [mask, isSeen] of Object.entries(sees)) {
    const settings = change(settingsOf('self'), { mask: /** @type {'causal'} */ (mask) })
    const { scaled, weights } = traced(settings).tensors
    const want = [0, 1, 2, 3, 4, 5].flatMap(i => {
      const row = [0, 1, 2, 3, 4, 5].map(j => (isSeen(i, j) ? Math.exp(Number(scaled?.data[6 * i + j])) : 0))
      const sum = row.reduce((a, b) => a + b)
      return row.map(x => x / sum)
    })
    near(weights?.data ?? [], want, 1e-6, mask)
  }
})

test('both ways to hide give the document’s numbers, and differ by rounding', () => {
  assert.equal(traced(settingsOf('self')).maskOrder, undefined, 'nothing is hidden')
  const { before, after, most = 1 } = traced(settingsOf('causal')).maskOrder ?? {}
  expectNumbers(decimals(before?.data), 'causal_attn_weights')
  expectNumbers(decimals(after?.data), 'masked_simple_norm')
  assert.equal(most, Math.max(...Array.from(after?.data ?? [], (x, i) => Math.abs(x - Number(before?.data[i])))))
  assert.ok(most > 0 && most < 1e-6, `${most}`)
})

test('with masking after softmax, a hidden score far above all others leaves weights of zero', () => {
  const huge = edit(settingsOf('causal'), { matrix: 'X', head: 0, row: 5, column: 1 }, 900)
  const { before, after, most = 0 } = traced(huge).maskOrder ?? {}
  const sumOf = (/** @type {ArrayLike<number>} */ all) =>
    Array.from(all)
      .slice(6, 12)
      .reduce((a, b) => a + b)
  near([sumOf(before?.data ?? []), sumOf(after?.data ?? [])], [1, 0], 1e-6, 'the sums of the second row')
  assert.ok(most > 0.5, `${most}`)
})

/** How far each output moves when a token is another word. @param {import('./cases.js').Settings} settings @param {object} patch */
const moved = (settings, patch) => traced({ ...settings, ...patch }).tokenSwap?.moved ?? []

test('under a causal mask a changed token moves no output before it, and the others as far as the core computes', () => {
  const causal = settingsOf('causal')
  const got = moved(causal, { probe: 3 })
  assert.deepEqual(got.slice(0, 3), [0, 0, 0])
  // The word is not in the sentence: it takes the next row of the table, and no other word another one.
  const output = (/** @type {number[]} */ ids) => {
    const x = qkv.generator(123).embedding(50_000, 3).forward(ids)
    const g = qkv.generator(123)
    const [q, k, v] = [2, 2, 4].map(size => qkv.matmul(x, g.rand([3, size])))
    return qkv.attention(q, k, v, { causal: true }).output.data
  }
  const [old, other] = [output([0, 4, 5, 2, 1, 3]), output([0, 4, 5, 6, 1, 3])]
  const want = [0, 1, 2, 3, 4, 5].map(i =>
    Math.max(...[0, 1, 2, 3].map(c => Math.abs(other[4 * i + c] - old[4 * i + c]))),
  )
  near(got, want, 1e-5, 'how far the outputs moved')
  assert.ok(moved(causal, { probe: 3, mask: 'none' }).every(x => x > 0))
  assert.deepEqual(moved(causal, { probe: 3, probeWord: 'eat' }), [0, 0, 0, 0, 0, 0], 'the same word again')
})

test('in cross-attention a word of the sentence that answers moves every query that sees it', () => {
  const translation = settingsOf('translation')
  assert.ok(moved(translation, { probe: 2 }).every(x => x > 0))
  assert.deepEqual(moved(translation, { probe: 2, mask: 'padding', padding: 2 }), [0, 0, 0, 0], 'hidden from all')
  const built = moved(settingsOf('handBuilt'), { probe: 1 })
  assert.ok(built[0] === 0 && built[1] > 0.5 && built[4] > 0.5, 'the second “the” no longer has “cat” behind it')
  assert.equal(traced(DEFAULTS).tokenSwap, undefined)
})

usePage()

/** The middle of a cell of the large map. @param {number} row @param {number} column */
async function placeOf(row, column) {
  await page.locator('#map').scrollIntoViewIfNeeded()
  const box = await page
    .locator('#map')
    .evaluate((map, at) => /** @type {any} */ (map).where(at).toJSON(), { row, column })
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

test('the page of a word asks and proves: another key, another word instead of it; the link carries both', async () => {
  await go('#2&heads=1&dValue=4&mask=causal&word=queries.2')
  await page.locator('#sees').selectOption('4')
  await reads('#sees-answer', /^No\..*with pizza instead of dessert.*does not change, not even in the last bit/)
  await page.locator('#sees').selectOption('0')
  await reads('#sees-answer', /^Yes\..*with pizza instead of Life.*changes by \d/)
  await page.fill('#probeWord', 'Life')
  await reads('#sees-answer', /with Life instead of Life.*does not change/)
  await page.waitForFunction(() => /probe=0.*probeWord=Life/.test(location.hash))
})

test('the step of the mask shows why both ways agree, and by how much they differ', async () => {
  await choose('self')
  await becomes(() => page.locator('#algebra').count(), 0, 'nothing is hidden')
  await choose('causal')
  await page.locator('#step-masked #algebra').waitFor()
  await becomes(() => page.locator('.algebra-row').count(), 3)
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
    (await printed(page, 'masked')).flatMap((text, i) => (text === '-inf' ? [`${Math.floor(i / 6)},${i % 6}`] : []))
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
