// Tests how the page explains where the number in a cell comes from.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cell, plain, printed, settled } from './browser.js'
import { becomes, choose, follow, page, SMALL_LAYER, set, text, until, usePage } from './open.js'

usePage()
/** Reads the steps of the arithmetic, and their result. */
const panel = async () => `${await text('.panel .steps')} ${await text('.panel .total')}`.replaceAll('−', '-')
const factors = async () => (await page.locator('.steps .factor').allTextContents()).map(text => text.replace('−', '-'))
/** @param {string} matrix @param {number} row @param {number} column */
async function ask(matrix, row, column) {
  await settled(page)
  await cell(page, matrix, row, column).click()
}

test('a score is shown as a sum of products, a weight as a share of exponentials with a link to its origin; row and column light up in every matrix that a cell comes from or goes to', async () => {
  await ask('scores', 1, 4)
  await becomes(factors, ['0.5667', '0.1920', '1.8269', '0.6467'], 'query_2 and keys[4] of the article')
  await becomes(panel, /= 1\.2903$/, 'omega_24 of the article')

  await ask('weights', 1, 1)
  await becomes(panel, /1\.0000 ÷ 1\.4556\s?= 0\.6870$/)
  await page.locator('.panel-body .factor').first().click()
  await becomes(panel, /mask lets query “is” see key “Life”/)

  const marks = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.matrix[data-matrix] .mark:not(.mark-own)')].map(mark => {
        const matrix = mark.closest('.matrix')?.getAttribute('data-matrix')
        const { gridRow, gridColumn } = /** @type {HTMLElement} */ (mark).style
        return `${matrix} ${mark.className.replace('mark mark-', '')} ${gridRow} | ${gridColumn}`
      }),
    )
  await ask('scores', 1, 4)
  await becomes(marks, ['Q source 3 / 4 | 2 / 4', 'K source 6 / 7 | 2 / 4', 'scaled target 3 / 4 | 6 / 7'])
  await ask('X', 0, 2)
  await becomes(marks, ['Q target 2 / 3 | 2 / 4', 'K target 2 / 3 | 2 / 4', 'V target 2 / 3 | 2 / 3'])
  await ask('V', 3, 0)
  await until(async () => {
    const [mark, own] = await Promise.all([
      page.locator('[data-matrix="V"] .mark-own').boundingBox(),
      cell(page, 'V', 3, 0).boundingBox(),
    ])
    assert.deepEqual(mark, own, 'the mark lies on its cell')
  })
  await becomes(marks, ['X source 5 / 6 | 2 / 5', 'Wv source 2 / 5 | 2 / 3', 'output target 2 / 8 | 2 / 3'])
})

test('biases, W_O, Gaussian and additive scores are explained with their own numbers; long numbers fit into the panel', async () => {
  await follow(SMALL_LAYER)
  await ask('final', 2, 3)
  await becomes(async () => (await factors()).length, 17, 'eight pairs and a bias')
  const numbers = (await factors()).map(Number)
  const sum =
    numbers[16] + Array.from({ length: 8 }, (_, i) => numbers[2 * i] * numbers[2 * i + 1]).reduce((a, b) => a + b)
  await becomes(async () => Math.abs(sum - Number((await panel()).match(/= (-?[\d.]+)$/)?.[1])) < 2e-3, true)

  await choose('waistline')
  await ask('scores', 0, 1)
  await becomes(factors, ['62.0000', '60.0000'])
  await becomes(panel, /= -2\.0000$/)

  await choose('heads')
  await set('score', 'additive')
  await ask('scores', 1, 1)
  await becomes(async () => (await factors()).length, 6)
  const [v0, q0, k0, v1, q1, k1] = (await factors()).map(Number)
  const score = v0 * Math.tanh(q0 + k0) + v1 * Math.tanh(q1 + k1)
  await becomes(async () => Math.abs(score - Number((await panel()).match(/= (-?[\d.]+)$/)?.[1])) < 2e-4, true)

  await follow('#2&scale=300&sentence=Unpronounceable words are short, eat dessert first')
  for (const matrix of ['scores', 'scaled', 'masked', 'weights', 'output']) {
    await ask(matrix, 1, 0)
    const isWhole = () =>
      page.locator('.panel-body').evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)
    await becomes(isWhole, true, matrix)
  }
})

test('the keyboard moves through a matrix, selects a cell and lets it go; every grid and control has a name; rows of weights show their sums', async () => {
  await cell(page, 'scores', 0, 0).focus()
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key)
  await becomes(panel, /= 0\.6870$/, 'the focus alone selects nothing')
  await page.keyboard.press('Enter')
  await becomes(panel, /= 3\.4707$/)
  await page.keyboard.press('ArrowDown')
  await becomes(panel, /= -1\.3934$/, 'arrows take the selection along')
  await becomes(() => page.locator('#inspector-back').isDisabled(), true, 'as one place, not as many')
  await page.keyboard.press('Escape')
  await becomes(panel, /= 0\.6870$/, 'closed, it shows the strongest weight again')
  await becomes(() => page.locator('[data-matrix="scores"] [tabindex="0"]').count(), 1, 'one tab stop a grid')

  const sums = () => page.locator('[data-matrix="weights"] .row-sum').allTextContents()
  await becomes(sums, Array(6).fill('1.0000'))
  await set('softmaxAxis', 'queries')
  await becomes(
    async () => (await sums()).map(Number).some(sum => Math.abs(sum - 1) > 0.1),
    true,
    'over the queries they are not one',
  )

  for (const preset of ['heads', 'translation']) {
    await choose(preset)
    const nameless = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('button, input, select, textarea, summary, [role="grid"]')]
          .filter(element => {
            const label = /** @type {HTMLInputElement} */ (element).labels?.[0]?.textContent
            return !(label ?? element.getAttribute('aria-label') ?? element.textContent)?.trim()
          })
          .map(element => element.outerHTML),
      )
    await becomes(nameless, [])
  }
  await becomes(async () => plain((await printed(page, 'X')).join()) !== '', true)
})

test('a badge shows the difference from float64, live', async () => {
  const most = async () => {
    await page.locator('#badge[data-most]').waitFor()
    return Number(await page.locator('#badge').getAttribute('data-most'))
  }
  const first = await most()
  assert.ok(first > 0 && first < 2e-6, `${first}`)
  await set('seed', '7')
  await page.waitForFunction(was => document.querySelector('#badge')?.getAttribute('data-most') !== was, String(first))
  const next = await most()
  assert.ok(next > 0 && next < 2e-6 && next !== first, `${next}`)
  await becomes(
    async () => (await page.locator('body').innerText()).match(/\d(\.\d)?e−\d+/g),
    [next.toExponential(1).replace('-', '−')],
    'no other difference stands beside it',
  )
})

test('the weight of a hidden key is an exact 0, and not 0.0000, before and after another number is set', async () => {
  await follow('#2&mask=causal&view=map&cell=weights.0.1.2')
  await becomes(() => text('.panel .total'), /^= 0$/)
  await page.getByLabel('Set to').first().fill('0.3')
  await page.keyboard.press('Enter')
  await becomes(() => text('.before-after'), /short00\.3000eat00dessert/)
  await becomes(() => text('.answer-first'), /is gives 30\.0% to short, set by you \(it was hidden\)/)
})
