// The mask: paint it, hide in both ways, change a token and see which outputs move.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { printed, settled } from './browser.js'
import { expectNumbers, near } from './golden.js'
import { becomes, choose, go, mode, page, reads, set, usePage } from './open.js'

usePage()
const qkv = await load()

/** The numbers of a map beside the others. @param {string} way */
const numbersOf = way =>
  page
    .locator(`[data-masking="${way}"] qkv-heatmap`)
    .evaluate(map => Array.from(/** @type {any} */ (map).matrix.data, Number))

const amounts = () =>
  page.locator('.strip li').evaluateAll(items => items.map(item => Number(/** @type {any} */ (item).dataset.amount)))

/** Where a cell of the large map is, by the places that the map itself gives. @param {number} row @param {number} column */
async function placeOf(row, column) {
  await page.locator('#map').scrollIntoViewIfNeeded()
  const box = await page.locator('#map canvas').boundingBox()
  assert.ok(box)
  // The map says which cell lies where: search it along its middle lines.
  const at = await page.locator('#map').evaluate(
    (map, [row, column, width, height, left, top]) => {
      const found = { x: 0, y: 0 }
      const seen = (/** @type {number} */ x, /** @type {number} */ y) => {
        /** @type {any} */
        let cell
        const listen = (/** @type {Event} */ event) => {
          cell = /** @type {CustomEvent} */ (event).detail
        }
        map.addEventListener('cell-focus', listen)
        const canvas = map.shadowRoot?.querySelector('canvas')
        canvas?.dispatchEvent(
          new PointerEvent('pointermove', { clientX: left + x, clientY: top + y, bubbles: true, composed: true }),
        )
        map.removeEventListener('cell-focus', listen)
        return cell
      }
      for (let x = 0; x < width; x += 9)
        for (let y = 0; y < height; y += 9) {
          const cell = seen(x, y)
          if (cell?.row === row && cell.column === column) return { x: x + 9, y: y + 9 }
        }
      return found
    },
    [row, column, box.width, box.height, box.x, box.y],
  )
  assert.ok(at.x > 0, `cell ${row}, ${column} is on the map`)
  return { x: box.x + at.x, y: box.y + at.y }
}

test('each mask hides what it says', async () => {
  await choose('self')
  /** @type {Record<string, (i: number, j: number) => boolean>} */
  const sees = {
    causal: (i, j) => j <= i,
    window: (i, j) => Math.abs(i - j) <= 1,
    padding: (_, j) => j < 4,
    prefix: (i, j) => j < 2 || j <= i,
  }
  for (const [mask, isSeen] of Object.entries(sees)) {
    await set('mask', mask)
    const scaled = (await printed(page, 'scaled')).map(Number)
    const want = [0, 1, 2, 3, 4, 5].flatMap(i => {
      const row = [0, 1, 2, 3, 4, 5].map(j => (isSeen(i, j) ? Math.exp(scaled[6 * i + j]) : 0))
      const sum = row.reduce((a, b) => a + b)
      return row.map(x => x / sum)
    })
    near(await printed(page, 'weights'), want, 1.6e-4, mask)
  }
})

test('both ways to hide are side by side: the document’s numbers, and their difference', async () => {
  await choose('self')
  await becomes(() => page.locator('#mask-order').count(), 0, 'nothing is hidden')
  await choose('causal')
  await page.click('#mask-order summary')
  await page.locator('[data-masking="difference"] canvas').waitFor()
  const [before, after] = [await numbersOf('before'), await numbersOf('after')]
  expectNumbers(
    before.map(x => x.toFixed(4)),
    'causal_attn_weights',
  )
  expectNumbers(
    after.map(x => x.toFixed(4)),
    'masked_simple_norm',
  )
  const most = Number(await page.locator('.mask-order-most').getAttribute('data-most'))
  const apart = after.map((x, i) => x - before[i])
  assert.equal(most, Math.max(...apart.map(Math.abs)))
  assert.ok(most > 0 && most < 1e-6, `${most}`)
  const shown = await numbersOf('difference')
  const unit = Math.max(...shown.map(Math.abs)) / most
  near(
    shown,
    apart.map(x => x * unit),
    1e-5,
    'the map of the difference',
  )
})

test('with masking after softmax, a hidden score far above all others leaves weights of zero', async () => {
  await choose('causal')
  await page.click('#mask-order summary')
  await page.locator('[data-matrix="K"]').scrollIntoViewIfNeeded()
  await page.locator('[data-matrix="X"] [data-row="5"][data-column="1"]').click()
  await page.fill('#set', '900')
  await page.keyboard.press('Enter')
  const [before, after] = [await numbersOf('before'), await numbersOf('after')]
  const sumOf = (/** @type {number[]} */ all) => all.slice(6, 12).reduce((a, b) => a + b)
  near([sumOf(before), sumOf(after)], [1, 0], 1e-6, 'what the second word pays')
  const most = Number(await page.locator('.mask-order-most').getAttribute('data-most'))
  assert.ok(most > 0.5, `${most}`)
})

test('under a causal mask a changed token moves no output before it, and the others as far as the core computes', async () => {
  await choose('causal')
  await page.click('#token-swap summary')
  await page.click('[data-probe="3"]')
  const got = await amounts()
  assert.deepEqual(got.slice(0, 3), [0, 0, 0])
  await reads('.token-swap-moved', /changes 3 of 6 outputs. Of the 3 before it, none changes, not even in the last bit/)

  // The word is not in the sentence: it takes the next row of the table, and no other word another one.
  const output = (/** @type {number[]} */ ids) => {
    const x = qkv.generator(123).embedding(50_000, 3).forward(ids)
    const g = qkv.generator(123)
    const [q, k, v] = [2, 2, 4].map(size => qkv.matmul(x, g.rand([3, size])))
    return qkv.attention(q, k, v, { causal: true }).output.data
  }
  const [old, moved] = [output([0, 4, 5, 2, 1, 3]), output([0, 4, 5, 6, 1, 3])]
  const want = [0, 1, 2, 3, 4, 5].map(i =>
    Math.max(...[0, 1, 2, 3].map(c => Math.abs(moved[4 * i + c] - old[4 * i + c]))),
  )
  near(got, want, 1e-5, 'how far the outputs moved')

  await set('mask', 'none')
  await becomes(async () => (await amounts()).every(x => x > 0), true)
  await reads('.token-swap-moved', /changes 6 of 6 outputs. Of the 3 before it, 3 change/)
  await page.fill('#probeWord', 'eat')
  await becomes(amounts, [0, 0, 0, 0, 0, 0], 'the same word again')
  await page.click('[data-probe="3"]')
  await becomes(() => page.locator('.strip').count(), 0, 'given up')
  await page.locator('[data-probe="3"]').waitFor()
})

test('a token is changed by keyboard alone, the try travels in a link and leaves the preset as it is', async () => {
  await choose('handBuilt')
  await page.locator('#token-swap summary').focus()
  await page.keyboard.press('Enter')
  await page.locator('[data-probe="1"]').focus()
  await page.keyboard.press('Space')
  const got = await amounts()
  assert.equal(got[0], 0)
  assert.ok(got[1] > 0.5, 'the word itself')
  assert.ok(got[4] > 0.5, 'the second “the” is no longer followed by “cat” in what the head saw')
  await becomes(() => page.locator('#examples [data-item="handBuilt"]').getAttribute('aria-pressed'), 'true')
  await page.waitForFunction(() => location.hash.includes('probe=1'))
  await go(new URL(page.url()).hash)
  await becomes(amounts, got)
})

test('in cross-attention a word of the sentence that answers moves every query that sees it', async () => {
  await choose('translation')
  await page.click('#token-swap summary')
  await becomes(() => page.locator('[data-probe]').count(), 5)
  await page.click('[data-probe="2"]')
  await becomes(async () => (await amounts()).every(x => x > 0), true)
  await set('mask', 'padding')
  await set('padding', '2')
  await becomes(amounts, [0, 0, 0, 0], 'hidden from all')
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
  await becomes(() => page.locator('#mask-order').count(), 1, 'painted cells can be hidden in both ways, too')

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
