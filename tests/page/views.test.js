// Tests the views of a head: the difference of two heads or of two settings, the numbers, and the flow.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressHash, becomes, chooseView, go, page, reads, set, type, until, usePage } from './open.js'

usePage()

/** @param {string} name */
async function look(name) {
  await chooseView(name)
}

/** Reads the numbers of a map from its table. @param {string} map */
async function shown(map) {
  await page.locator(map).evaluate(each => Object.assign(each, { asTable: true }))
  await page.locator(`${map} table`).waitFor() // loaded on demand
  const cells = await page.locator(`${map} tbody td`).allTextContents()
  return cells.map(text => Number(text.replace('−', '-')))
}

/** Reads the weights of a head from the small maps. @param {number} head */
const weightsOf = head =>
  page.locator('qkv-heads').evaluate((heads, h) => {
    const { data, dims } = /** @type {any} */ (heads).weights
    const size = dims[1] * dims[2]
    return Array.from(data.slice(h * size, (h + 1) * size), Number)
  }, head)

/** @param {number[]} got @param {number[]} want */
function near(got, want) {
  assert.equal(got.length, want.length)
  got.forEach((x, i) => {
    assert.ok(Math.abs(x - want[i]) <= 6e-5, `number ${i}: ${x} for ${want[i]}`)
  })
}

test('the difference of two heads is one less the other', async () => {
  await look('difference')
  await page.locator('#difference').waitFor()
  const [first, second, third] = [await weightsOf(0), await weightsOf(1), await weightsOf(2)]
  const isLess = (/** @type {number[]} */ other) =>
    until(async () =>
      near(
        await shown('#difference'),
        first.map((x, i) => x - other[i]),
      ),
    )
  await isLess(second)
  await page.selectOption('#minus', '2')
  await isLess(third)
  await page.locator('qkv-heads').getByRole('radio').nth(2).click()
  await becomes(
    async () => (await page.locator('#minus').inputValue()) === '2',
    false,
    'a head is not compared with itself',
  )
})

test('kept settings minus the present ones, and the link contains both', async () => {
  await look('difference')
  await page.locator('#difference').waitFor()
  const kept = await weightsOf(0)
  await page.click('#keep')
  await set('mask', 'causal')
  await becomes(async () => (await weightsOf(0))[1], 0)
  const now = await weightsOf(0)
  assert.notDeepEqual(now, kept)
  const want = kept.map((x, i) => x - now[i])
  await until(async () => near(await shown('#difference'), want))
  await page.waitForFunction(() => location.hash.includes('baseline') && location.hash.includes('causal'))
  const hash = await addressHash()
  await go(hash)
  await until(async () => near(await shown('#difference'), want))
  await type('#sentence', 'one two')
  await reads('#incomparable', /6 × 6 in the kept settings, 2 × 2 now/)
})

test('the numbers of each head follow from its weights', async () => {
  await look('numbers')
  await becomes(() => page.locator('#head-numbers tbody tr').count(), 4)
  const rows = await page.locator('#head-numbers tbody tr').all()
  for (const [head, row] of rows.entries()) {
    const weights = await weightsOf(head)
    const mean = (/** @type {(i: number) => number} */ of, from = 0) =>
      Array.from({ length: 6 - from }, (_, i) => of(i + from)).reduce((a, b) => a + b) / (6 - from)
    const bits = (/** @type {number} */ i) =>
      weights.slice(6 * i, 6 * i + 6).reduce((sum, x) => sum - x * Math.log2(x), 0)
    near((await row.locator('[data-number]').allTextContents()).map(Number), [
      mean(bits),
      mean(i => weights[6 * i]),
      mean(i => weights[7 * i - 1], 1),
      mean(i => weights[7 * i]),
    ])
  }
})

test('the flow shows the steps of the selected word; its output is that of the layer, and the next word is selected', async () => {
  await look('flow')
  const flow = page.locator('#flow')
  await flow.locator('.caption', { hasText: 'The output of is begins with' }).waitFor() // the flow opens at its last frame
  await flow.locator('input[type="range"]').focus()
  await page.keyboard.press('Home')
  await flow.locator('.caption', { hasText: 'is is a row of 3 numbers.' }).waitFor()
  await flow.locator('.more summary').click()
  await flow.locator('[data-act="next"]').click()
  await flow.locator('.caption', { hasText: 'short is a row of 3 numbers.' }).waitFor()
  await page.locator('.answer-first', { hasText: /^short/ }).waitFor()
  const got = await flow.evaluate(own => {
    const { trace, partials, query, head } = /** @type {any} */ (own)
    const { data, dims } = trace.output
    const [e] = partials.dims.slice(-1)
    return {
      output: Array.from(data.slice((head * dims[1] + query) * e, (head * dims[1] + query + 1) * e)),
      last: Array.from(partials.data.slice(-e)),
    }
  })
  near(got.last, got.output)
  await flow.locator('input[type="range"]').focus()
  await page.keyboard.press('End')
  await flow.locator('.caption', { hasText: 'The output of short begins with' }).waitFor()
  await page.waitForFunction(() => location.hash.includes('view=flow'))
})
