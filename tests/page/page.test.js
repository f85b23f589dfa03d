import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { cell, launch, plain, printed, serve, settled } from './browser.js'
import { expectNumbers } from './golden.js'

/** @typedef {import('playwright-core').Page} Page */

const SENTENCE = 'Life is short, eat dessert first'

/** @type {Awaited<ReturnType<typeof serve>>} */
let server
/** @type {Awaited<ReturnType<typeof launch>>} */
let browser
/** @type {Page} */
let page

before(async () => {
  server = await serve()
  browser = await launch(server.origin)
})
after(async () => {
  await browser?.close()
  server?.close()
})
beforeEach(async () => {
  page = await browser.context.newPage()
  await page.goto(server.url)
  await page.locator('main').waitFor()
})
afterEach(async () => {
  await page.close()
  assert.deepEqual(browser.complaints.splice(0), [], 'no console error, failed request or request elsewhere')
})

/** @param {string} selector */
const text = async selector => plain((await page.locator(selector).textContent()) ?? '')

/** @param {string} selector @param {string} letters */
async function type(selector, letters) {
  const box = page.locator(selector)
  await box.click()
  await box.press('ControlOrMeta+A')
  await box.press('Delete')
  await box.pressSequentially(letters)
  await settled(page)
}

const panel = () => text('.panel .steps')

test("the article's sentence, typed by hand, gives the article's weights, without a mask and with a causal one", async () => {
  await type('#sentence', 'one two') // something else first, so that the numbers must change
  assert.equal((await printed(page, 'weights')).length, 4)
  await type('#sentence', SENTENCE)
  const tokens = await page.locator('.tokens li').allTextContents()
  assert.deepEqual(tokens.map(plain), ['Life 0', 'is 4', 'short 5', 'eat 2', 'dessert 1', 'first 3'])
  expectNumbers(await printed(page, 'weights'), 'attn_weights')
  expectNumbers(await printed(page, 'scores'), 'attn_scores')
  expectNumbers(await printed(page, 'output'), 'SelfAttention-3-2-4')

  await page.selectOption('#mask', 'causal')
  expectNumbers(await printed(page, 'weights'), 'causal_attn_weights')
  const masked = await printed(page, 'masked')
  assert.deepEqual(
    masked.map(text => text === '-inf'),
    masked.map((_, i) => i % 6 > Math.floor(i / 6)),
    'keys after the query are -inf, no others',
  )
  assert.equal(await page.locator('[data-matrix="weights"] td.is-hidden').count(), 15, 'hidden cells are marked')
})

test("four heads give the outputs of the article's wrapper, and a click shows another head", async () => {
  await page.click('[data-preset="heads"]')
  expectNumbers(await printed(page, 'joined'), 'MultiHeadAttentionWrapper-4')
  const column = (/** @type {string[]} */ all, /** @type {number} */ c) => all.filter((_, i) => i % 4 === c)
  assert.equal(await page.locator('.head').count(), 4)
  for (const head of [0, 2]) {
    await page.click(`[data-head="${head}"]`)
    assert.deepEqual(
      await printed(page, 'output'),
      column(await printed(page, 'joined'), head),
      `output of head ${head}`,
    )
  }
})

test('a click on a cell shows the factors it was made of', async () => {
  await cell(page, 'scores', 1, 4).click()
  await settled(page)
  const q = await Promise.all([0, 1].map(i => cell(page, 'Q', 1, i).textContent()))
  const k = await Promise.all([0, 1].map(i => cell(page, 'K', 4, i).textContent()))
  const factors = await page.locator('.panel .factor').allTextContents()
  assert.deepEqual(factors, [q[0], k[0], q[1], k[1]])
  assert.deepEqual(factors, ['0.5667', '0.1920', '1.8269', '0.6467'], 'query_2 and keys[4] of the article')
  assert.match(await panel(), /=\s*1\.2903\s*$/, 'omega_24 of the article')

  await cell(page, 'Wq', 0, 0).click()
  await cell(page, 'Q', 0, 0).click()
  await settled(page)
  assert.deepEqual(
    (await page.locator('.panel .factor').allTextContents()).slice(0, 2),
    ['0.3374', '0.2961'],
    'x times W, the first pair',
  )

  await cell(page, 'weights', 1, 1).click()
  await settled(page)
  assert.match(await panel(), /1\.0000 ÷ 1\.4556\s+=\s*0\.6870\s*$/)
  await page.locator('.panel .factor').first().click() // and back to where the number came from
  await settled(page)
  assert.match(await panel(), /mask lets query “is” see key “Life”/)
})

test('the keyboard moves through a matrix, keeps a cell and lets it go', async () => {
  await cell(page, 'scores', 0, 0).focus()
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key)
  await settled(page)
  assert.match(await panel(), /=\s*3\.4707\s*$/, 'the panel follows the focus')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await settled(page)
  assert.match(await panel(), /=\s*3\.4707\s*$/, 'a kept cell stays')
  assert.equal(await page.locator('td[aria-selected="true"]').count(), 1)
  await page.keyboard.press('Escape')
  await settled(page)
  assert.match(await panel(), /=\s*-1\.3934\s*$/, 'let go, the panel follows again')
  assert.equal(await page.locator('[data-matrix="scores"] td[tabindex="0"]').count(), 1, 'one tab stop a grid')
})

test('one sentence names the strongest link', async () => {
  assert.equal(await text('.strongest-text'), '“is” gives 69% of its attention to itself.')
  await page.click('[data-preset="cross"]')
  await settled(page)
  assert.equal(await text('.strongest-text'), '“short” gives 71% of its attention to “ist”.')
})

test('cross-attention takes its keys from the second sentence and numbers both together', async () => {
  await page.click('[data-preset="cross"]')
  await type('#second', 'Life goes on')
  assert.equal((await printed(page, 'weights')).length, 6 * 3)
  const [asks, answers] = (await page.locator('.tokens ol').allTextContents()).map(plain)
  assert.match(asks, /^Life 1\s?is 6/, 'of a repeated token the last number stays')
  assert.match(answers, /^Life 1\s?goes 5\s?on 7$/)
  const first = (await printed(page, 'X')).slice(0, 3)
  assert.deepEqual((await printed(page, 'X2')).slice(0, 3), first, 'one table for both sentences')
})

test('a window hides all but the neighbours', async () => {
  await page.selectOption('#mask', 'window')
  await page.fill('#left', '1')
  await page.fill('#right', '0')
  const isHidden = (await printed(page, 'masked')).map(text => text === '-inf')
  assert.deepEqual(
    isHidden,
    isHidden.map((_, i) => ![0, 1].includes(Math.floor(i / 6) - (i % 6))),
  )
})

test('bad inputs are answered beside their control, and the page stays', async () => {
  await type('#sentence', '')
  assert.equal(await text('#sentence-problem'), 'Type at least one word.')
  assert.equal(await page.locator('#sentence').getAttribute('aria-invalid'), 'true')
  assert.equal((await printed(page, 'weights')).length, 36, 'the last input that worked is still there')
  await type('#sentence', ' , ,')
  assert.equal(await text('#sentence-problem'), 'Type at least one word.')
  await page.fill('#sentence', 'word '.repeat(65))
  await settled(page)
  assert.match(await text('#sentence-problem'), /up to 64 tokens; here are 65/)
  await page.fill('#sentence', 'a'.repeat(100_000))
  await settled(page)
  assert.match(await text('#sentence-problem'), /up to 4000 characters; here are 100000/)
  await type('#sentence', SENTENCE)
  assert.equal(await text('#sentence-problem'), '')

  for (const seed of ['', 'x', '1.5', '1e3', '18446744073709551616', '-9223372036854775809']) {
    await type('#seed', seed)
    assert.match(await text('#seed-problem'), /whole number/, `seed ${seed}`)
  }
  for (const seed of ['0', '-1', '18446744073709551615', '123']) {
    await type('#seed', seed)
    assert.equal(await text('#seed-problem'), '', `seed ${seed}`)
  }
  for (const field of ['dModel', 'dKey', 'dValue', 'heads']) {
    for (const value of ['', '0', '17', '-1', '1.5']) {
      await page.fill(`#${field}`, value)
      await settled(page)
      assert.match(await text(`#${field}-problem`), /from 1 to/, `${field} ${value}`)
    }
    await page.fill(`#${field}`, '2')
    await settled(page)
    assert.equal(await text(`#${field}-problem`), '')
  }
})

test('markup in a sentence is text', async () => {
  const markup = '<img src=x onerror=alert(1)>'
  await type('#sentence', markup)
  const tokens = await page.locator('.token').allTextContents()
  assert.deepEqual(tokens, markup.split(' '))
  assert.equal(await page.locator('img').count(), 0)
})

test('64 tokens in 8 heads are drawn as maps and answer each key within a blink', async () => {
  const words = Array.from({ length: 63 }, (_, i) => `w${i}`).join(' ')
  await page.fill('#heads', '8')
  await page.fill('#sentence', words)
  await page.locator('#sentence').press('End')
  await page.keyboard.type(' ')
  await settled(page)
  const slowest = await page.evaluate(async () => {
    const box = /** @type {HTMLTextAreaElement} */ (document.querySelector('#sentence'))
    const nextFrame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
    let most = 0
    for (const letter of 'typing') {
      box.value += letter
      const start = performance.now()
      box.dispatchEvent(new Event('input', { bubbles: true }))
      await nextFrame()
      most = Math.max(most, performance.now() - start)
    }
    return most
  })
  assert.ok(slowest < 500, `a key stroke took ${slowest.toFixed(0)} ms`) // generous: CI machines have no GPU
  const grid = page.locator('[data-matrix="weights"] [role="grid"]')
  assert.equal(await grid.getAttribute('aria-rowcount'), '64')
  assert.equal(await page.locator('[data-matrix="weights"] td').count(), 0, 'no numbers')

  await grid.locator('[role="gridcell"]').focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowDown')
  await settled(page)
  const label = await grid.locator('[role="gridcell"]').getAttribute('aria-label')
  assert.match(label ?? '', /^row w1, column w0: 0\.\d{4}$/)
  await page.keyboard.press('Enter')
  await settled(page)
  assert.ok((await panel()).endsWith((label ?? '').slice(-6)), 'the panel explains the cell in focus')
})

test('nothing is wider than a phone', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  for (const preset of ['self', 'heads', 'causal', 'cross']) {
    await page.click(`[data-preset="${preset}"]`)
    await page.fill('#sentence', `${SENTENCE} ${'long'.repeat(40)} ${preset === 'causal' ? 'word '.repeat(40) : ''}`)
    await settled(page)
    const { scrollWidth, innerWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      innerWidth: window.innerWidth,
    }))
    assert.ok(scrollWidth <= innerWidth, `${preset}: ${scrollWidth} px wide`)
  }
  await page.click('[data-preset="self"]')
  await cell(page, 'weights', 1, 1).click()
  await settled(page)
  const cellBox = await cell(page, 'weights', 1, 1).boundingBox()
  const panelBox = await page.locator('.panel').boundingBox()
  assert.ok(cellBox && panelBox && cellBox.y + cellBox.height <= panelBox.y, 'the panel does not cover its cell')
})

test('every control has a name, every grid a title', async () => {
  for (const preset of ['heads', 'cross']) {
    await page.click(`[data-preset="${preset}"]`)
    await page.selectOption('#mask', 'window')
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select, textarea, [role="grid"]')]
        .filter(element => {
          const label = /** @type {HTMLInputElement} */ (element).labels?.[0]?.textContent
          const by = document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent
          return !(label ?? by ?? element.getAttribute('aria-label') ?? element.textContent)?.trim()
        })
        .map(element => element.outerHTML),
    )
    assert.deepEqual(nameless, [])
  }
})

test('the language can be changed', async () => {
  const title = await text('h1')
  await page.getByRole('button', { name: '中文' }).click()
  await settled(page)
  assert.notEqual(await text('h1'), title)
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh')
  assert.equal(await text('.strongest-text'), '“is”把 69% 的注意力给了自己。')
})
