// Tests that no text, number or name of a control is cut off, at three widths, in both languages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled } from './browser.js'
import { becomes, choose, chooseView, page, set, usePage } from './open.js'
import { words } from './typing.js'

usePage()

/**
 * Lists texts that are clipped and cannot be scrolled into view, and controls that are narrower than their text. Skips elements with a title,
 * because they are shortened on purpose.
 */
function cutOff() {
  /** @type {string[]} */
  const found = []
  const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'))
  const widthOf = (/** @type {string} */ text, /** @type {Element} */ of) => {
    const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(of)
    pen.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`
    return pen.measureText(text).width
  }
  const roomOf = (/** @type {Element} */ box) => {
    const { paddingLeft, paddingRight } = getComputedStyle(box)
    return box.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
  }
  /** @type {Map<Element, Pick<CSSStyleDeclaration, 'overflowX' | 'overflowY' | 'clipPath' | 'position' | 'display'> & { box: DOMRect }>} */
  const known = new Map()
  const layoutOf = (/** @type {Element} */ element) => {
    let layout = known.get(element)
    if (!layout) {
      const { overflowX, overflowY, clipPath, position, display } = getComputedStyle(element)
      layout = { overflowX, overflowY, clipPath, position, display, box: element.getBoundingClientRect() }
      known.set(element, layout)
    }
    return layout
  }
  /** @param {Text} text */
  const look = text => {
    const element = text.parentElement
    if (!element || !text.data.trim() || !element.checkVisibility()) return
    if (element.closest('[title], .visually-hidden, .skip')) return
    const range = document.createRange()
    range.selectNodeContents(text)
    const { left, right, top, bottom, width } = range.getBoundingClientRect()
    if (width === 0) return
    const cell = element.closest('.number')?.getBoundingClientRect()
    if (cell && width > cell.width) found.push(`“${text.data.trim()}” in a cell of ${cell.width} px`)
    for (let at = element; at !== document.body && at.parentElement; at = at.parentElement) {
      const { overflowX, overflowY, clipPath, position, display, box } = layoutOf(at)
      if (clipPath !== 'none') return
      if (display === 'inline') continue
      const isCut = (/** @type {string} */ overflow, /** @type {boolean} */ isBeyond) =>
        isBeyond && (overflow === 'hidden' || overflow === 'clip')
      if (
        isCut(overflowX, right > box.right + 1 || left < box.left - 1) ||
        isCut(overflowY, bottom > box.bottom + 3 || top < box.top - 3)
      ) {
        found.push(`“${text.data.trim().slice(0, 40)}” in ${at.localName}.${at.className}`)
        return
      }
      if (overflowX === 'auto' || overflowY === 'auto' || position === 'fixed') return
    }
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) look(/** @type {Text} */ (walker.currentNode))
  for (const box of document.querySelectorAll('input:not([type=range]):not([type=file]), select')) {
    if (!box.checkVisibility()) continue
    const text =
      box instanceof HTMLSelectElement
        ? (box.selectedOptions[0]?.text ?? '')
        : /** @type {HTMLInputElement} */ (box).value || /** @type {HTMLInputElement} */ (box).placeholder
    const arrow = box instanceof HTMLSelectElement ? 12 : 0
    if (widthOf(text, box) > roomOf(box) - arrow + 1) found.push(`“${text}” in ${box.localName}#${box.id}`)
  }
  return found
}

const SIZES = [
  [360, 740],
  [1024, 768],
  [1440, 900],
]

// A text that fits at 1024 px also fits into the wider columns of 1440 px, so only `heads` is checked there. Chinese texts are shorter, so presets
// that differ only in numbers are checked on a phone alone.
for (const language of ['en', 'zh'])
  test(`nothing is cut off on a phone or in wider windows, in any view, in the drawer and the inspector: ${language}`, async () => {
    /** @param {string} what @param {number} sizes */
    const look = async (what, sizes) => {
      for (const [width, height] of SIZES.slice(0, sizes)) {
        await page.setViewportSize({ width, height })
        await settled(page)
        await becomes(() => page.evaluate(cutOff), [], `${what}, ${width} px`)
      }
    }
    await set('language', language)
    for (const preset of ['heads', 'waistline', 'cross', 'embedding', 'handBuilt', 'layer']) {
      await choose(preset)
      const hasViews = preset === 'heads' || preset === 'waistline'
      const sizes = language === 'en' ? (preset === 'heads' ? 3 : 2) : hasViews ? 2 : 1
      const views = hasViews ? ['flow', 'difference', 'numbers', 'map'] : ['map']
      for (const view of views) {
        await chooseView(view)
        await look(`${preset}, ${view}`, sizes)
      }
      await page.click('[data-word="queries:0"] >> nth=0')
      await look(`${preset}, a word`, sizes)
      await page.click('#inspector-close')
      await page.click('#settings-open')
      await look(`${preset}, the drawer`, sizes)
      await page.keyboard.press('Escape')
    }
    await page.evaluate(() => localStorage.clear())
  })

/** Waits until a map of `count` words is shown whole above the dock. @param {number} count */
const endsAboveDock = count =>
  page.waitForFunction(rows => {
    const map = /** @type {any} */ (document.querySelector('#map'))
    const end = map?.shadowRoot?.querySelector('canvas')?.getBoundingClientRect().bottom ?? Infinity
    return map?.matrix.dims[0] === rows && end <= (document.querySelector('.dock')?.getBoundingClientRect().top ?? 0)
  }, count)

test('the first screen holds a map of 6 and of 60 words, in windows of 1440 x 900 and 1024 x 768; the drawer covers no cell and moves nothing', async () => {
  await endsAboveDock(6)
  await page.setViewportSize({ width: 1024, height: 768 })
  await endsAboveDock(6)
  await page.fill('#sentence', words(60))
  await page.locator('#sentence').blur()
  await endsAboveDock(60)
  await page.setViewportSize({ width: 1440, height: 900 })
  await endsAboveDock(60)

  for (const preset of ['heads', 'self', 'waistline']) {
    await choose(preset)
    const before = await page.locator('#map').boundingBox()
    await page.click('#settings-open')
    await becomes(() => page.locator('#map').boundingBox(), before, `${preset}: nothing moved`)
    const first = await page.locator('#map').evaluate(map => /** @type {any} */ (map).where({ row: 0, column: 0 }).left)
    const drawer = await page.locator('#settings').boundingBox()
    assert.ok(drawer && drawer.x + drawer.width <= first, `${preset}: ${JSON.stringify(drawer)}, cells from ${first}`)
    await page.keyboard.press('Escape')
  }
})
