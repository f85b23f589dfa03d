// Tests traces of many tokens: a worker computes them, an outdated sentence does not block it, and only some of the numbers are kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { embeddingLayer } from '../../src/entries/nn.js'
import { tokenize } from '../../web/rooms/layer/tokenize.js'
import { settled } from './browser.js'
import { becomes, chooseView, go, page, reads, until, usePage } from './open.js'
import { hashOf, shows, words } from './typing.js'

usePage()

/** Opens a case and waits for its map. @param {import('./typing.js').Case} each */
async function openCase(each) {
  await go(hashOf(each))
  await shows(page, each.tokens)
}

/**
 * Returns the size of the shown weights, and some of their rows.
 * @param {number[]} rows
 */
const numbers = rows =>
  page.evaluate(wanted => {
    const list = (/** @type {any} */ x) => Array.from(x, Number)
    const map = /** @type {any} */ (document.querySelector('#map'))
    const { data, dims } = map.matrix
    return { dims: list(dims), rows: wanted.map(row => list(data.slice(row * dims[1], (row + 1) * dims[1]))) }
  }, rows)

/** Computes the weights of one head in Node, to compare them with the page's. @param {number} tokens @param {number} head @param {number} heads */
async function expected(tokens, head, heads) {
  const qkv = await load()
  const X = embeddingLayer(qkv.generator(123), 50_000, 64).forward(tokenize(words(tokens)).ids)
  const generator = qkv.generator(123)
  const drawn = Array.from({ length: heads }, () => [64, 64, 64].map(size => generator.rand([64, size])))
  const [Wq, Wk] = drawn[head]
  return qkv.trace(qkv.matmul(X, Wq), qkv.matmul(X, Wk), X).weights
}

/** @param {number[]} got @param {ArrayLike<number>} want */
function near(got, want) {
  assert.equal(got.length, want.length)
  for (let i = 0; i < got.length; i++)
    if (!(Math.abs(got[i] - want[i]) <= 1e-4)) assert.fail(`number ${i}: ${got[i]} for ${want[i]}`)
}

const WIDE = { heads: 8, dModel: 64, dKey: 64, dValue: 64 }

test('512 tokens and 8 heads come from a worker with the numbers of the trace, and any head can be chosen', async () => {
  await openCase({ name: '', tokens: 512, settings: WIDE })
  await becomes(() => page.workers().length > 0, true, 'a worker runs')
  for (const head of [0, 5]) {
    await page.locator('qkv-heads').getByRole('radio').nth(head).click()
    await reads('.left-out', new RegExp(`head ${head + 1}`))
    const want = await expected(512, head, 8)
    await until(async () => {
      const got = await numbers([0, 200, 511])
      assert.deepEqual(got.dims, [512, 512])
      for (const [i, row] of [0, 200, 511].entries()) near(got.rows[i], want.data.subarray(row * 512, (row + 1) * 512))
    })
  }
  await page.waitForFunction(() => Number(document.querySelector('#badge')?.getAttribute('data-most')) > 0)
  const most = Number(await page.locator('#badge').getAttribute('data-most'))
  assert.ok(most < 1e-3, `${most} from float64`)
})

test('2048 tokens and 8 heads can be opened, zoomed and read', async () => {
  await openCase({ name: '', tokens: 2048, settings: WIDE })
  const want = await expected(2048, 0, 8)
  await until(async () => {
    const got = await numbers([0, 2047])
    assert.deepEqual(got.dims, [2048, 2048])
    near(got.rows[1], want.data.subarray(2047 * 2048))
  })
  await reads('.left-out', /a small picture/)
  await becomes(() => page.locator('qkv-heads').getByRole('radio').count(), 8)
  await page.locator('#map .map').focus()
  await page.keyboard.press('Control+End')
  for (let i = 0; i < 14; i++) await page.keyboard.press('+')
  const list = words(2048).split(' ')
  const last = want.data[want.data.length - 1].toFixed(4)
  await becomes(async () => {
    const cell = await page.locator('#map [role=gridcell]').textContent()
    return (cell?.includes(list[2047]) && cell.includes(last)) || `${cell} with ${list[2047]} and ${last}`
  }, true)
  await chooseView('numbers')
  await page.locator('#head-numbers').waitFor()
  await becomes(() => page.locator('#head-numbers tbody tr').count(), 8)
})

test('further typing drops the outdated sentence', async () => {
  await openCase({ name: '', tokens: 1024, settings: WIDE })
  await page.evaluate(() => {
    /** @type {number[]} */
    const seen = []
    Object.assign(window, { seen })
    const look = () => {
      const count = /** @type {any} */ (document.querySelector('#map'))?.rowTokens.length
      if (seen.at(-1) !== count) seen.push(count)
      requestAnimationFrame(look)
    }
    look()
  })
  // Runs within the page, so that one sentence is typed per frame.
  await page.locator('#sentence').evaluate(async (/** @type {any} */ box, texts) => {
    for (const text of texts) {
      box.value = text
      box.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise(requestAnimationFrame)
    }
  }, [1100, 1000, 900, 40].map(words))
  await shows(page, 40)
  await page.fill('#sentence', words(41)) // the trace of this sentence comes after all earlier requests
  await shows(page, 41)
  await settled(page) // waits until the frame in which `look` records the count
  const seen = await page.evaluate(() => /** @type {any} */ (window).seen)
  assert.equal(seen.at(-1), 41, `what is shown last is what was typed last: ${seen}`)
  assert.ok(!seen.includes(1100), `no outdated sentence was shown: ${seen}`)
})
