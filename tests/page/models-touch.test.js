// Tests the room "Models" by touch: the inspector is a sheet, and long presses replace Shift-click. Also tests undo and redo by keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beyond } from './browser.js'
import { open, typeText } from './golden-models.js'
import { becomes, follow, page, reads, usePage } from './open.js'

usePage({ hash: '#2&room=models&models.checkpoint=stories' })
const TEXT = 'The cat that chased the dog'

/** Opens a model with a text, in a viewport of a phone's size. @param {number} [width] */
async function onPhone(width = 390) {
  await page.setViewportSize({ width, height: 780 })
  await open('gpt2-tiny', 'gpt2')
  await typeText(TEXT)
  await reads('.token-row-label', /10 tokens/)
}

/** Holds a finger on a point until `isSo` resolves, with the browser's own touch events. @param {{ x: number, y: number }} at @param {() => Promise<unknown>} isSo */
async function hold({ x, y }, isSo) {
  const session = await page.context().newCDPSession(page)
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  await isSo()
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await session.detach()
}

/** Scrolls an element into view, and returns a point in it. @param {string} selector @param {[number, number]} [share] where, as shares of its width and height */
async function placeOf(selector, [across, down] = [0.5, 0.5]) {
  const element = page.locator(selector)
  await element.evaluate(own => own.scrollIntoView({ block: 'center' }))
  const box = await element.boundingBox()
  assert.ok(box)
  return { x: box.x + across * box.width, y: box.y + down * box.height }
}

for (const width of [360, 390])
  test(`at ${width} px the inspector is a sheet, which repeats the row that it covers; its handle makes it higher`, async () => {
    await onPhone(width)
    await page.locator('#models-ranked button', { hasText: '2.2' }).click()
    await page.locator('#models-map canvas').waitFor()
    const cell = await placeOf('#models-map canvas', [0.3, 0.8])
    await page.mouse.click(cell.x, cell.y)
    await page.locator('.total output').waitFor()
    const sheet = page.locator('#models-inspector')
    const isPlaced = async () => {
      const box = await sheet.boundingBox()
      return (
        box && Math.abs(box.y + box.height - 780) <= 1 && Math.abs(box.width - width) <= 1 && box.height <= 0.46 * 780
      )
    }
    await becomes(isPlaced, true, 'at the lower edge, as wide as the window')
    await becomes(() => beyond(page), [])
    const isUncovered = async () => {
      const [map, own] = await Promise.all([page.locator('#models-map canvas').boundingBox(), sheet.boundingBox()])
      return map && own && map.y + map.height <= own.y
    }
    await becomes(isUncovered, true, 'the page has scrolled: the sheet covers nothing of the map that it speaks of')
    const own = page.locator('.sheet-cell.is-own')
    const result = async () => (await page.innerText('.total output')).trim()
    const isRepeated = async () => (await own.locator('.factor').innerText()).trim() === (await result())
    await becomes(isRepeated, true)
    const title = await page.innerText('#models-inspector h2')
    await page.locator('.sheet-cell:not(.is-own) .factor').first().click()
    await page.waitForFunction(
      title =>
        document.querySelector('#models-inspector h2')?.textContent !== title && document.querySelector('.is-own'),
      title,
    )
    await becomes(isRepeated, true, 'its cells open')
    await page.click('#models-inspector .sheet-handle')
    await page.waitForFunction(
      () => /** @type {HTMLElement} */ (document.querySelector('#models-inspector')).clientHeight > 0.85 * innerHeight,
    )
    await page.locator('#models-products .factor').first().click()
    await page.locator('#models-inspector h3').first().waitFor()
    await page.click('#models-inspector-close')
    await sheet.waitFor({ state: 'detached' })
  })

test('a finger that rests on a head marks it; on a second one, it is subtracted from the first', async () => {
  await onPhone()
  await hold(await placeOf('.atlas-maps', [1 / 8, 1 / 6]), () =>
    reads('#models-pointed', /^Head 1\.1 is marked: hold another head/),
  )
  await becomes(() => page.locator('.models-title').count(), 0, 'lifting the finger opens no head')
  await hold(await placeOf('.atlas-maps', [3 / 8, 1 / 2]), () => page.locator('#models-difference').waitFor())
  await reads('.models-title', /^Head 1\.1/)
  await becomes(() => page.locator('#models-minus').inputValue(), '1.1')
})

test('on a phone the new prediction is beside the switch of a head, and a word shows where it looks most', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await follow('#2&room=models&models.checkpoint=stories&models.prompt=Lily+and+Tom+are+friends+.+Is+he&models.at=1.2')
  await page.locator('.models-head [data-how="off"]').click()
  await reads('#models-effect', /^tom: 99\.9% before, 0\.1% after/)
  await reads('#models-says-now', 'The model now says “max” (48.4%).')
  await becomes(() => page.locator('#models-says-now').isVisible(), true)
  await becomes(() => page.locator('#changes-restore').isVisible(), false, 'all else of the changes is in its tab')
  await page.locator('.word-button', { hasText: 'he' }).last().click()
  await reads(
    '#models-together',
    /^Head 1\.2 looks from “he” mostly at “tom” \(84\.8%\)/,
    'where the head looked before',
  )
  await reads('.models-hint', /^Hold or Shift-click a second word/)
})

test('on a phone each button of a guided story is in sight', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await follow('#2&room=models&models.checkpoint=stories')
  await page.click('#models-stories')
  await page.click('#models-stories [data-item="1"]')
  await page.locator('#models-story-graph').waitFor()
  const outside = () =>
    page
      .locator('#models-story button')
      .evaluateAll(all => all.filter(each => each.getBoundingClientRect().right > innerWidth).map(({ id }) => id))
  await becomes(outside, [])
})

test('a link to a cell on a phone shows the map and the cell’s page below it', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await follow(
    '#2&room=models&models.checkpoint=stories&models.prompt=Lily+and+Tom+are+friends+.+Is+he&models.at=1.2%3A9%3E4',
  )
  await page.locator('#models-inspector .total output').waitFor()
  await becomes(async () => {
    const [map, own] = await Promise.all(
      ['#models-map canvas', '#models-inspector'].map(each => page.locator(each).boundingBox()),
    )
    return map && own && map.y >= 0 && map.y + map.height <= own.y
  }, true)
})

test('a finger that rests on a second word asks for the heads between the two', async () => {
  await onPhone()
  const word = (/** @type {number} */ n) => `.word-button:nth-of-type(${n})`
  await page.locator(word(4)).click()
  await reads('.models-hint', /^Hold or Shift-click a second word/)
  await hold(await placeOf(word(2)), () => reads('.models-hint', /^Heads that look from “.+” at “.+”/))
  const said = await page.innerText('.models-hint')
  await becomes(() => page.locator('#models-rank').inputValue(), 'example')
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve)))
  await becomes(() => page.innerText('.models-hint'), said, 'lifting the finger selects no other word')
})

test('Ctrl+Z in the text restores the previous one; in a field that is not a setting it is the browser’s', async () => {
  await onPhone(1280)
  await page.waitForTimeout(1100) // a pause, because Undo takes back all typing without a pause as one step
  await typeText('The dog')
  await page.press('#models-text', 'Control+z')
  await becomes(() => page.inputValue('#models-text'), TEXT)
  await reads('.token-row-label', /10 tokens/)
  await page.press('#models-text', 'Control+Shift+Z')
  await becomes(() => page.inputValue('#models-text'), 'The dog')
  await page.locator('#models-ranked button').first().click()
  await page.click('.models-many > summary')
  const box = page.locator('#models-many-text')
  const before = await box.inputValue()
  await box.focus()
  await page.keyboard.type('cats')
  assert.notEqual(await box.inputValue(), before)
  // In this field the browser itself undoes, some letters at a time.
  for (let n = 0; n < 4 && (await box.inputValue()) !== before; n++) await page.keyboard.press('Control+z')
  assert.equal(await box.inputValue(), before)
  assert.equal(await page.inputValue('#models-text'), 'The dog')
})

test('Ctrl+Z undoes a change, Ctrl+Shift+Z makes it again', async () => {
  await onPhone(1280)
  await page.locator('#models-ranked button', { hasText: '2.2' }).click()
  await page.click('[data-how="off"]')
  await page.locator('#models-effect').waitFor()
  await reads('#models-answer', /5\.3%/)
  const after = await page.innerText('#models-answer')
  await page.keyboard.press('Control+z')
  await page.locator('#models-effect').waitFor({ state: 'detached' })
  await becomes(async () => (await page.innerText('#models-answer')) !== after, true)
  await page.keyboard.press('Control+Shift+Z')
  await page.locator('#models-effect').waitFor()
  await becomes(() => page.innerText('#models-answer'), after)
  await page.keyboard.press('Control+z')
  await page.locator('.change').waitFor({ state: 'detached' })
})
