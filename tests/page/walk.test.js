// Walk the path: steps, formulas, shapes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, printed, settled } from './browser.js'
import { SMALL_LAYER, usePage } from './open.js'

const open = usePage()

const current = () => open.page.locator('.rail [aria-current="step"]').getAttribute('data-step')

test('every step of multi-head attention has its formula, its shapes and its matrix', async () => {
  const { page } = open
  await open.go(SMALL_LAYER)
  const steps = await page.locator('.step').evaluateAll(all => all.map(step => step.id.replace('step-', '')))
  assert.deepEqual(steps, ['embed', 'project', 'scores', 'scaled', 'masked', 'softmax', 'mix', 'join', 'out'])
  const sizes = (await page.locator('.step .sizes').allTextContents()).map(plain)
  assert.deepEqual(sizes, [
    ...['6×8', '6×8 · 8×4 + 1×4 = 6×4', '6×8 · 8×4 + 1×4 = 6×4', '6×8 · 8×4 + 1×4 = 6×4'],
    ...['6×4 · 4×6 = 6×6', '6×6 → 6×6', '6×6 → 6×6', '6×6 → 6×6', '6×6 · 6×4 = 6×4', '2 · (6×4) → 6×8'],
    '6×8 · 8×8 + 1×8 = 6×8',
  ])
  const formulas = await page.locator('.formula math').evaluateAll(all => all.map(math => math.textContent))
  assert.deepEqual(formulas.slice(0, 2), ['X', 'Q=XWq+bq'])
  assert.ok(await page.locator('.step-scaled math mfrac msqrt').count(), 'a fraction with a root')
  const namespace = await page
    .locator('.formula math mi')
    .first()
    .evaluate(element => element.namespaceURI)
  assert.equal(namespace, 'http://www.w3.org/1998/Math/MathML')
  for (const [id, count] of /** @type {const} */ ([
    ['X', 48],
    ['Q', 24],
    ['scores', 36],
    ['scaled', 36],
    ['masked', 36],
    ['weights', 36],
    ['output', 24],
    ['joined', 48],
    ['final', 48],
  ]))
    assert.equal((await printed(page, id)).length, count, id)
})

test('buttons and keys go on and back', async () => {
  const { page } = open
  assert.equal(await current(), 'embed')
  await page.click('#next')
  await settled(page)
  assert.equal(await current(), 'project')
  await page.keyboard.press('n')
  await settled(page)
  assert.equal(await current(), 'scores')
  await page.keyboard.press('p')
  await page.click('#previous')
  await settled(page)
  assert.equal(await current(), 'embed')
  assert.ok(await page.locator('#previous').isDisabled())
  await page.locator('#sentence').press('n')
  await settled(page)
  assert.equal(await current(), 'embed', 'a letter in a box is a letter')
})

test('play computes a step cell by cell before the reader’s eyes, then the next step; Space stops it', async () => {
  const { page } = open
  await page.click('[data-step="scores"]')
  await settled(page)
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000) // else time also goes by itself
  await page.click('#play')
  await page.clock.runFor(320)
  const own = () =>
    page.locator('[data-matrix="scores"] .mark-own').evaluate(mark => /** @type {any} */ (mark).style.gridArea)
  const [first] = await printed(page, 'scores')
  assert.equal(await open.text('.panel .total'), `= ${first}`, 'the first cell is explained')
  assert.match(await own(), /^2 .* 2/)
  assert.equal(await page.locator('[data-matrix="scores"] .blank').count(), 2, 'the rest is not written yet')
  await page.clock.runFor(300)
  assert.match(await own(), /^2 .* 3/, 'one cell further')
  assert.equal(await page.locator('[data-matrix="Q"] .mark-source').count(), 1, 'its row and its column are banded')
  await page.clock.runFor(300 * 11)
  assert.equal(await current(), 'scaled', 'two rows play, the rest fills at once, the next step begins')
  assert.equal(await page.locator('[data-matrix="scores"] .blank').count(), 0)
  await page.keyboard.press(' ')
  await page.clock.runFor(9000)
  assert.equal(await current(), 'scaled')
  assert.equal(await page.locator('#play').getAttribute('aria-pressed'), 'false')
  await page.clock.resume()
})

test('the marker follows the scroll', async () => {
  const { page } = open
  await page.locator('#step-scores').evaluate(step => step.scrollIntoView())
  await page.waitForFunction(
    () => document.querySelector('.rail [aria-current]')?.getAttribute('data-step') === 'scores',
  )
  await page.evaluate(() => scrollTo(0, 0))
})

test('the shapes of a batch are drawn with the reader’s numbers', async () => {
  await open.go(SMALL_LAYER)
  const walk = async () => {
    await settled(open.page)
    return (await open.page.locator('.shape-walk .dims').allTextContents()).map(plain)
  }
  assert.deepEqual(await walk(), [
    ...['1×6×8', '1×6×8', '1×6×2×4', '1×2×6×4', '1×2×6×6', '1×2×6×4', '1×6×2×4', '1×6×8', '1×6×8'],
  ])
  await open.set('heads', '4')
  await open.type('#sentence', 'three words only')
  assert.deepEqual((await walk()).slice(2, 5), ['1×3×4×2', '1×4×3×2', '1×4×3×3'])
  await open.set('batch', '7')
  assert.deepEqual((await walk()).slice(2, 5), ['7×3×4×2', '7×4×3×2', '7×4×3×3'])
  assert.match(await open.text('#one-of-batch'), /sequence 1 of a batch of 7/)
})

test('hiding after softmax has steps of its own, with the same weights', async () => {
  const { page } = open
  await open.choose('causal')
  const weights = await printed(page, 'weights')
  await open.set('masking', 'after')
  assert.equal((await printed(page, 'fullWeights')).length, 36)
  assert.deepEqual((await printed(page, 'zeroed')).slice(0, 2), ['0.1772', '0.0000'])
  assert.deepEqual(await printed(page, 'weights'), weights)
})
