// Tests "What each layer says" of the room "Models" in a browser: the grid, the selected state, its keys, pins, a head that is switched off, files,
// the story.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { beyond } from './browser.js'
import { openMade } from './golden-models.js'
import { becomes, page, reads, text, until, url, usePage } from './open.js'

usePage({ hash: null })

const PLANE = 'models.prompt=The+plane+flies+high+in+the'

/** Opens a link of the room and waits for its grid. @param {string} settings */
async function open(settings) {
  await page.goto('about:blank')
  await page.goto(`${url}#2&room=models&${settings}`)
  await page.locator(':not(.is-coming) > .lens-scroll .lens-grid').waitFor({ state: 'attached' })
}

const state = (/** @type {number} */ layer, /** @type {number} */ position) =>
  page.locator(`[data-layer="${layer}"][data-position="${position}"]`)
const lensOf = async () => page.evaluate(() => new URLSearchParams(location.hash.slice(3)).get('models.lens'))

test('the maps lead to the grid, which opens with the lens that ships; a click shows words, ranks and writers', async () => {
  await page.goto(`${url}#2&room=models`)
  await page.locator('.models-atlas [data-opens-lens]').click()
  await page.locator('.lens-grid').waitFor()
  assert.equal(await page.locator('[data-lens="jacobian"]').getAttribute('aria-pressed'), 'true')
  await reads('#lens-status', /^It comes with the model, measured on 100 texts of 128 tokens/)
  await page.locator('[data-lens="logit"]').click()
  await becomes(() => state(2, 10).getAttribute('aria-label'), 'Layer 3, after “was”: hungry, 42.6%')
  await state(2, 10).click()
  await reads('#lens-details h3', 'Layer 3, after “was”')
  await reads('#lens-ranks', /“hungry” has the ranks 17 → 2 → 1 → 4\.$/)
  await reads('#lens-writers h3', 'Who wrote “hungry”?')
  assert.match(await text('#lens-sentences li:nth-child(2)'), /^Layer 3 says: .*; after was: hungry, 42\.6%$/)
  await page.locator('.lens-guesses [data-guess]').nth(1).click()
  await reads('#lens-writers h3', 'Who wrote “tired”?')
  await state(2, 10).focus()
  await page.keyboard.press('ArrowUp')
  await reads('#lens-details h3', 'The answer after “was” (layer 4)')
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-layer')), '3')
  assert.deepEqual(await beyond(page), [])
})

test('a pinned word colours the grid, and disappears when the head that wrote it is switched off; its map opens', async () => {
  await open(`${PLANE}&models.lens=logit+3.9`)
  await page.locator('[data-pin="1143"]').click()
  await reads('#lens-pins li', /^“street” comes first in 1 of 36 cells\./)
  const colour = () =>
    state(2, 8)
      .locator('.lens-pin-0')
      .evaluate(each => Number(getComputedStyle(each).opacity))
  assert.ok((await colour()) > 0.6)
  await page.locator('[data-off="3.1"]').click()
  await reads('#lens-pins li', /^“street” comes first in 0 of 36 cells; before your change in 1\./)
  assert.ok((await colour()) < 0.2)
  await reads('#lens-off', /^Head 3\.1 is off: switch it on In 7 of 36 cells/)
  assert.ok((await page.locator('.lens-state.is-other').count()) === 7)
  await becomes(lensOf, 'logit 3.9 p1143')
  await page.locator('#lens-off button').click()
  await page.locator('[data-writer="3.1"]').click()
  await page.locator('.models.has-head').waitFor()
})

test('the grid zooms by Ctrl and the wheel and by keys; larger cells have three words', async () => {
  await open(`${PLANE}&models.lens=logit+3.9`)
  const width = async () => (await page.locator('.lens-grid').boundingBox())?.width ?? 0
  const before = await width()
  assert.equal(await state(2, 8).locator('span').count(), 1)
  await state(2, 8).focus()
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  await becomes(() => state(2, 8).locator('span').count(), 3)
  const labels = (await page.locator('.lens-grid th').first().boundingBox())?.width ?? 0
  const ratio = ((await width()) - labels) / (before - labels)
  assert.ok(ratio > 2.15 && ratio < 3.5, String(ratio))
  await page.keyboard.press('0')
  await becomes(width, before)
  await state(2, 8).hover()
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, 400)
  await page.keyboard.up('Control')
  await becomes(() => state(2, 8).locator('span').count(), 0)
})

test('the grid of 12 layers fits a laptop; two fingers zoom it around their middle; a dropped lens of another width is refused', async () => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${url}#2&room=models`)
  await page.locator('#models-files').waitFor({ state: 'attached' })
  await openMade({ layers: 12, heads: 2, d: 16, vocab: 300, positions: 64 })
  await page.fill('#models-text', Array.from({ length: 20 }, (_, n) => 7 * n).join(' '))
  await page.locator('#models-lens > summary').click()
  await becomes(() => page.locator(':not(.is-coming) > .lens-scroll .lens-state').count(), 240)
  const grid = await page.locator('.lens-grid').boundingBox()
  assert.ok(grid && grid.width <= 1440 && grid.height <= 500, JSON.stringify(grid))

  const box = async () => {
    const { x = 0, y = 0, width = 0 } = (await state(6, 12).boundingBox()) ?? {}
    return { x: x + width / 2, y, width }
  }
  await state(6, 12).scrollIntoViewIfNeeded()
  const { x, y, width } = await box()
  const session = await page.context().newCDPSession(page)
  /** @param {'touchStart' | 'touchMove' | 'touchEnd'} type @param {number[]} places in pixels from the middle of the cell */
  const touch = (type, places) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: places.map((place, id) => ({ x: x + place, y: y + 8, id })),
    })
  await touch('touchStart', [-40])
  await touch('touchStart', [-40, 40])
  for (let apart = 45; apart <= 80; apart += 5) await touch('touchMove', [-apart, apart])
  await touch('touchEnd', [])
  await until(async () => {
    const now = await box()
    assert.ok(now.width > 1.5 * width && Math.abs(now.x - x) <= 2, JSON.stringify(now))
  })

  await state(6, 12).click()
  await page.locator('#lens-curve').waitFor()
  const names = await page.locator('#lens-curve text:not([text-anchor=end])').evaluateAll(all =>
    all
      .map(each => each.getBoundingClientRect())
      .filter(({ y }, _, list) => y === Math.max(...list.map(each => each.y)))
      .sort((a, b) => a.x - b.x)
      .map(({ left, right }) => [left, right]),
  )
  assert.ok(names.length > 4)
  for (const [n, [left]] of names.entries()) assert.ok(n === 0 || left > names[n - 1][1], `${n}: ${names}`)

  const lens = Array.from(readFileSync(new URL('../../web/trained/english/lens.pt', import.meta.url)))
  await page.evaluate(bytes => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([new Uint8Array(bytes)], 'other.pt'))
    const drop = { dataTransfer, bubbles: true, cancelable: true }
    for (const type of ['dragenter', 'dragover', 'drop']) document.body.dispatchEvent(new DragEvent(type, drop))
  }, lens)
  await reads(
    '#lens-file-said',
    /^This lens could not be opened: expected a lens of width 16, as the model's; got one of width 128/,
  )
})

test('on a phone the grid is a list of the layers of a word; nothing overflows', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(`${PLANE}&models.lens=logit`)
  assert.equal(await page.locator('.lens-scroll').isVisible(), false)
  await page.locator('[data-word="6"]').click()
  await reads('.lens-line[data-line="1"]', /^layer 2 , *66\.4%$/)
  await page.locator('[data-line="1"]').click()
  await reads('#lens-details h3', 'Layer 2, after “high”')
  await becomes(lensOf, 'logit 2.7')
  assert.deepEqual(await beyond(page), [])
})

test('a chosen file is read in place of the lens that ships, one of another kind is refused, and a link asks before the hub', async () => {
  await open('models.lens=jacobian')
  const buffer = readFileSync(new URL('../../web/trained/english/lens.pt', import.meta.url))
  await page.locator('#lens-file summary').click()
  await page.setInputFiles('#lens-files', { name: 'mine.pt', mimeType: '', buffer })
  await reads('#lens-status', 'From the file mine.pt, which was measured on 100 texts.')
  await page.setInputFiles('#lens-files', { name: 'bad.pt', mimeType: '', buffer: Buffer.from('no lens') })
  await reads('#lens-file-said', /^This lens could not be opened: it is no file of torch\.save/)
  await reads('#lens-status', /^It comes with the model/)
  await page.locator('#lens-own').click()
  await becomes(() => page.locator('#lens-file-said').count(), 0)
  await open('models.lens=jacobian&models.lensFile=hf:owner/name/lens.pt')
  await reads('#lens-file-said', /^The link names the lens owner\/name\/lens\.pt\. It is on huggingface\.co/)
})

test('the grid is saved as a picture and a table, and shown as a program', async () => {
  await open(`${PLANE}&models.lens=logit+3.9`)
  await page.locator('#lens-exports summary').click()
  const saved = async (/** @type {string} */ id) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(id).click()])
    return readFileSync((await download.path()) ?? '', 'utf8')
  }
  const svg = await saved('#lens-svg')
  const count = await page.evaluate(
    source => new DOMParser().parseFromString(source, 'image/svg+xml').querySelectorAll('g').length,
    svg,
  )
  assert.equal(count, 36)
  const rows = (await saved('#lens-csv')).trim().split('\r\n')
  assert.equal(rows.length, 1 + 36 * 10)
  assert.ok(rows.some(row => /^3,9,the,1,1143,street,0\.07[78]/.test(row)))
  assert.match((await page.locator('#lens-program').textContent()) ?? '', /model\.layers\.\{layer\}/)
})

test('the story has five stops in the grid, and a stop is done when its head is switched off', async () => {
  await open('models.lens=logit')
  await page.locator('#lens-story-begin').click()
  const said = [
    /^After “was” the model answers “cold” \(28\.7%\)\. If it stopped at layer 3, it would say “hungry” \(42\.6%\)\.$/,
    /^After “and”, layer 2 says “gloves” \(41\.8%\), a word that the text does not have\. The answer is “left” \(32\.4%\)\./,
    /^Layer 3 says “street” \(7\.8%\), and the answer is “sky”\. .*: of all heads, 3\.1 adds most to its score \(\+2\.86\)\.$/,
    /^At layer 3, “street” has rank 1\./,
    /^With this lens, \d+ of the 33 cells below the answers already say the answer of their column\./,
  ]
  for (const [n, pattern] of said.entries()) {
    await reads('#lens-story-text', pattern)
    if (n === 3) {
      await page.locator('#lens-story-off').click()
      await reads(
        '#lens-story-text',
        /^Without head 3\.1, “street” falls from rank 1 to rank 61 at layer 3, which says “sun” now\./,
      )
      assert.equal(await page.locator('#lens-story').getAttribute('data-done'), 'true')
    }
    if (n < 4) await page.locator('#lens-story-next').click()
  }
  await page.locator('[data-lens="logit"]').click()
  await becomes(() => page.locator('#lens-story').getAttribute('data-done'), 'true')
})

test('every cell shows its whole word, at 20 words on a laptop and at few words', async () => {
  await page.setViewportSize({ width: 1280, height: 720 })
  const long =
    'The little girl wanted to play with her beautiful butterfly because yesterday everything was wonderful and she remembered it'
  for (const text of [long, 'Yesterday everything was beautiful']) {
    await open(`models.prompt=${text.replaceAll(' ', '+')}&models.lens=jacobian`)
    await state(2, 3).waitFor()
    const cut = await page.evaluate(() => {
      const spans = [...document.querySelectorAll('.lens-scroll span')]
      if (spans.length < 20) throw new Error('the grid is not drawn')
      const isCut = (/** @type {Element} */ span) => {
        const { left, right } = span.getBoundingClientRect()
        const box = /** @type {Element} */ (span.parentElement).getBoundingClientRect()
        return span.scrollWidth > span.clientWidth || left < box.left - 1 || right > box.right + 1
      }
      return spans.filter(isCut).map(span => span.textContent)
    })
    assert.deepEqual(cut, [], text)
  }
  const box = await page.locator('.lens-scroll').evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
  assert.equal(box[0], box[1], 'few words do not scroll')
})

test('the parts below the maps open in one step, on a desktop and on a phone', async () => {
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ])
    for (const part of ['models-block', 'models-next', 'models-lens']) {
      await page.setViewportSize(size)
      await page.goto('about:blank')
      await page.goto(`${url}#2&room=models`)
      await page.locator(`#${part}`).waitFor()
      await page.evaluate(part => {
        const heights = new Set()
        Object.assign(globalThis, { heights })
        const look = () => {
          heights.add(document.getElementById(part)?.getBoundingClientRect().height)
          requestAnimationFrame(look)
        }
        look()
      }, part)
      await page.locator(`#${part} > summary`).click()
      const done = { 'models-block': '#block-says', 'models-next': '#next-v', 'models-lens': '#lens-choose' }[part]
      await page.locator(`${done}:visible`).first().waitFor({ state: 'visible' })
      await page.waitForTimeout(200)
      const [closed, ...open] = await page.evaluate(() => [.../** @type {any} */ (globalThis).heights])
      assert.ok(open.length > 0 && Math.min(...open) > closed + 100, `${part}: ${open}`)
      assert.ok(
        Math.max(...open) - Math.min(...open) <= 8,
        `${part} at ${size.width}: from ${closed} to ${open.join(', ')}`,
      )
    }
})
