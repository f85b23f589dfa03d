// Tests the walk through all steps of One layer: formulas, shapes, texts and keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, printed, settled } from './browser.js'
import { becomes, choose, follow, LAYER, page, reads, SMALL_LAYER, set, type, usePage } from './open.js'

usePage()

const current = () => page.locator('.rail [aria-current="step"]').getAttribute('data-step')

test('the text of a step is true for the settings: hidden after softmax, two sentences, random rows; hiding after softmax has separate steps, with the same weights', async () => {
  const says = async (/** @type {string} */ hash, /** @type {string} */ step, /** @type {RegExp} */ what) => {
    await follow(hash)
    await reads(`.step-${step} .text`, what)
  }
  await says('#2&mask=causal', 'masked', /−∞ if it is hidden/)
  await says('#2&mask=causal&masking=after', 'masked', /becomes 0\. Then each weight/)
  await says(LAYER, 'project', /^Each vector becomes three others/)
  await says('#2&kind=cross&second=one+two', 'project', /^Each vector that asks/)
  await says('#2&kind=cross&second=one+two', 'embed', /from a table/)
  await says('#2&kind=cross&second=one+two&keysFrom=random', 'embed', /rows that answer are random/)

  await choose('causal')
  const weights = await printed(page, 'weights')
  await set('masking', 'after')
  await becomes(async () => (await printed(page, 'fullWeights')).length, 36)
  await becomes(async () => (await printed(page, 'zeroed')).slice(0, 2), ['0.1772', '0.0000'])
  await becomes(() => printed(page, 'weights'), weights)
})

test('every step of multi-head attention has its formula, its shapes and its matrix; the shapes of a batch are drawn with the reader’s numbers', async () => {
  await follow(SMALL_LAYER)
  const steps = () => page.locator('.step').evaluateAll(all => all.map(step => step.id.replace('step-', '')))
  await becomes(steps, ['embed', 'project', 'scores', 'scaled', 'masked', 'softmax', 'mix', 'join', 'out'])
  const sizes = async () => (await page.locator('.step .sizes').allTextContents()).map(plain)
  await becomes(sizes, [
    '6×8',
    '6×8 · 8×4 + 1×4 = 6×4',
    '6×8 · 8×4 + 1×4 = 6×4',
    '6×8 · 8×4 + 1×4 = 6×4',
    '6×4 · 4×6 = 6×6',
    '6×6 → 6×6',
    '6×6 → 6×6',
    '6×6 → 6×6',
    '6×6 · 6×4 = 6×4',
    '2 · (6×4) → 6×8',
    '6×8 · 8×8 + 1×8 = 6×8',
  ])
  const formulas = await page.locator('.formula math').evaluateAll(all => all.map(math => math.textContent))
  assert.deepEqual(formulas.slice(0, 2), ['X', 'Q=XWq+bq'])
  await reads('.step-scaled math mfrac', 'S√dk') // a fraction with a root
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
    await becomes(async () => (await printed(page, id)).length, count, id)

  await page.click('#cost summary')
  await page.locator('.shape-steps').waitFor()
  const walk = async () => {
    await settled(page)
    return (await page.locator('.shape-steps .dims').allTextContents()).map(plain)
  }
  await becomes(walk, ['1×6×8', '1×6×8', '1×6×2×4', '1×2×6×4', '1×2×6×6', '1×2×6×4', '1×6×2×4', '1×6×8', '1×6×8'])
  await set('heads', '4')
  await type('#sentence', 'three words only')
  await becomes(async () => (await walk()).slice(2, 5), ['1×3×4×2', '1×4×3×2', '1×4×3×3'])
  await set('batch', '7')
  await becomes(async () => (await walk()).slice(2, 5), ['7×3×4×2', '7×4×3×2', '7×4×3×3'])
  await reads('#one-of-batch', /^Sequence 1 of a batch of 7/)
})

test('buttons and keys go on and back', async () => {
  await becomes(current, 'embed')
  await page.click('#next')
  await becomes(current, 'project')
  await page.keyboard.press('n')
  await becomes(current, 'scores')
  await page.keyboard.press('p')
  await page.click('#previous')
  await becomes(current, 'embed')
  await becomes(() => page.locator('#previous').isDisabled(), true)
  await page.locator('#sentence').press('n')
  await becomes(current, 'embed', 'a letter in a box is a letter')
})

test('a subscript is lower than its letter, and a word in a formula is set apart', async () => {
  const heights = await page.locator('msub:visible').evaluateAll(all =>
    all.map(({ children: [base, index], textContent }) => ({
      text: textContent,
      below: index.getBoundingClientRect().bottom - base.getBoundingClientRect().bottom,
    })),
  )
  assert.ok(heights.length > 3, `${heights.length} subscripts`)
  assert.deepEqual(
    heights.filter(({ below }) => !(below >= 1)),
    [],
  )
  const gaps = await page.locator('#step-masked .formula math').evaluate(formula => {
    const boxes = [...formula.querySelectorAll('mi, mn, mo, mtext')].map(each => each.getBoundingClientRect())
    const at = [...formula.querySelectorAll('mi, mn, mo, mtext')].findIndex(each => each.textContent?.trim() === 'or')
    return [boxes[at].left - boxes[at - 1].right, boxes[at + 1].left - boxes[at].right]
  })
  const text = await page.locator('#step-masked .formula math').textContent()
  assert.match(String(text), /0\s+or\s+−∞/, String(gaps))
})

test('the marker follows the scroll', async () => {
  await page.locator('#step-scores').evaluate(step => step.scrollIntoView())
  await page.waitForFunction(
    () => document.querySelector('.rail [aria-current]')?.getAttribute('data-step') === 'scores',
  )
  await page.evaluate(() => scrollTo(0, 0))
})

test('in a window of 1280 by 800 the bar of steps is whole, an answer moves no map, the guide covers no row, and the buttons of the flow are above the bar', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const hash of ['#2&view=map', `${SMALL_LAYER}&view=map`]) {
    await follow(hash)
    await page.locator('#map').waitFor()
    const isCut = () => page.locator('.rail').evaluate(rail => rail.scrollWidth > rail.clientWidth)
    await becomes(isCut, false, hash)
  }
  const top = async () => (await page.locator('#map').boundingBox())?.y
  const before = await top()
  for (const word of [1, 4]) {
    await page.hover(`[data-word="queries:${word}"]`)
    await settled(page)
    assert.equal(await top(), before)
  }
  for (const stop of [4, 5]) {
    await follow(LAYER)
    await page.click('#tour-start > summary')
    await page.click(`#tour-start [data-item="${stop}"]`)
    const map = page.locator(stop === 4 ? '.picture qkv-heatmap' : '#map').first()
    await map.waitFor()
    await page.locator(`#tour[data-stop="${stop}"]`).waitFor()
    const isFree = async () => {
      const [picture, guide] = [
        await map.locator('canvas').first().boundingBox(),
        await page.locator('#tour').boundingBox(),
      ]
      return picture && guide && picture.y + picture.height <= guide.y + 1
    }
    await becomes(isFree, true)
  }

  await follow('#2&view=flow')
  await page.locator('#flow .caption', { hasText: 'The output of' }).waitFor()
  const isWhole = () =>
    page.evaluate(() => {
      const player = document.querySelector('#flow')?.shadowRoot?.querySelector('.controls')?.getBoundingClientRect()
      const dock = document.querySelector('.dock')?.getBoundingClientRect()
      return player !== undefined && dock !== undefined && player.height > 0 && player.bottom <= dock.top
    })
  await becomes(isWhole, true, 'the bar covers no button of the player')
  await page.setViewportSize({ width: 1440, height: 900 })
})
