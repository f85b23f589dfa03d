// Tests that problems of first-time readers stay solved. The titles have the problems' numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cell, plain, printed, settled } from './browser.js'
import { becomes, choose, chooseView, follow, LAYER, mode, page, reads, set, text, until, usePage } from './open.js'
import { words } from './typing.js'

usePage()

/** Returns how far the page is scrolled, and the position of the map. */
const place = () =>
  page.evaluate(() => ({ scroll: scrollY, top: document.querySelector('#map')?.getBoundingClientRect().top }))

/** Clicks a cell of the large map. @param {number} row @param {number} column */
async function clickMap(row, column) {
  const { x, y } = await page.locator('#map').evaluate(
    (map, at) => {
      const box = /** @type {any} */ (map).where(at)
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    },
    { row, column },
  )
  await page.mouse.click(x, y)
  await settled(page)
}

for (const [device, scrolls, width, height] of /** @type {const} */ ([
  ['a desktop', 'by 0 px', 1440, 900],
  ['a phone', 'only what the sheet would cover', 390, 844],
]))
  test(`1. on ${device} a click on the map scrolls ${scrolls}; the inspector answers, with Back, Forward and terms`, async () => {
    await page.setViewportSize({ width, height })
    await settled(page)
    let before = await place()
    await clickMap(3, 1)
    await reads('.panel .total', '= 0.2187')
    if (width < 900) {
      await becomes(async () => {
        const [map, sheet] = await Promise.all(
          ['#map canvas', '#inspector'].map(each => page.locator(each).first().boundingBox()),
        )
        return map && sheet && map.y >= 0 && map.y + map.height <= sheet.y
      }, true)
      await becomes(async () => {
        const last = before
        before = await place()
        return before.top === last.top
      }, true)
    }
    // On a phone the sheet covers the row of the map and shows it again, so the click goes to the sheet.
    if (width < 900) await page.locator('.sheet-row .factor').first().click()
    else await clickMap(3, 0)
    await settled(page)
    await becomes(place, before, 'nothing moved')
    await reads('.panel .total', '= 0.1505')
    await page.locator('.panel .terms .factor').first().click()
    await reads('#inspector h2', /Masked scores: eat → Life/)
    await page.click('#inspector-back')
    await page.click('#inspector-back')
    await reads('.panel .total', '= 0.2187')
    await page.click('#inspector-forward')
    await reads('.panel .total', '= 0.1505')
    await becomes(place, before)
    await page.click('#inspector-close')
  })

test('2, 3. in every view a word responds and stays selected; repeated words carry their positions everywhere', async () => {
  await page.click('[data-word="queries:4"] >> nth=0')
  for (const view of ['map', 'flow', 'difference', 'numbers']) {
    await chooseView(view)
    await reads('.answer-first', /^dessert looks most at is \(27\.6%\)/, view)
    await reads('.answer-second', /^dessert is looked at most by /, view)
    await reads('#inspector h3', /^dessert$/, view)
  }
  await follow(LAYER)
  await page.fill('#sentence', 'the cat and the dog')
  const texts = async (/** @type {string} */ selector) => (await page.locator(selector).allTextContents()).map(plain)
  await becomes(() => texts('.token-row-words button'), ['the1', 'cat2', 'and3', 'the4', 'dog5'])
  const labels = ['the₁', 'cat', 'and', 'the₄', 'dog']
  await becomes(() => page.locator('#map').evaluate(map => /** @type {any} */ (map).rowTokens), labels)
  await becomes(() => texts('[data-matrix="weights"] .row-name'), labels)
  await page.click('[data-word="queries:3"] >> nth=0')
  await reads('#inspector', /the₄.*word 4 of 5/)
  await reads('.answer-first', /^the₄ /)
})

test('6. Chinese and Japanese are segmented automatically, as the choice beside the sentence shows', async () => {
  await page.fill('#sentence', '我喜欢喝咖啡')
  await becomes(async () => (await page.locator('.token-row-words .token').allTextContents()).join(''), '我喜欢喝咖啡')
  const segmented = await page.locator('.token-row-words .token').allTextContents()
  assert.ok(segmented.length > 1, segmented.join())
  await reads('#tokenizers > summary', new RegExp(`^words, by dictionary: ${segmented.length}`))
  await page.click('#tokenizers > summary')
  await page.click('#tokenizers [data-item="characters"]')
  await becomes(() => page.locator('.token-row-words .token').count(), 6)
  await page.fill('#sentence', '私は学生です')
  await becomes(() => page.locator('.token-row-words .token').count(), 6, 'a choice stays')
})

test('4. the first screen explains its picture, and that nothing is trained; examples have plain names, and sentences that depend on the settings are true', async () => {
  await reads(
    '#seen',
    /Each row shows how a word divides its attention.*Bits say how even a row is.*random: nothing here is trained/,
  )
  const visible = await page.evaluate(() => document.body.innerText)
  assert.ok(!/document 0|the print/i.test(visible))
  // On a phone the heads have no notes in bits, so the text does not explain bits.
  await page.setViewportSize({ width: 390, height: 844 })
  await becomes(() => page.innerText('#seen'), /^Each row shows(?!.*Bits say)/s)
  await page.setViewportSize({ width: 1440, height: 900 })
  await reads('.example-name', /^Four random heads$/)
  await choose('handBuilt')
  await reads('#seen', /built by hand: nothing here is trained/)
  for (const [hash, selector, text] of /** @type {const} */ ([
    ['#1', '#step-scaled', /from picking a single word/],
    ['#2&scale=0.1', '#step-scaled', /multiplied by the scale that was set/],
    ['#2&score=plain', '#step-scaled', /are not scaled/],
    ['#2&softmaxAxis=queries', '#seen', /each column sums to one.*nothing here is trained/],
  ])) {
    await follow(hash)
    await reads(selector, text, hash)
  }
})

test('7. dragging a number selects no text, and the map beside it follows', async () => {
  const number = cell(page, 'X', 0, 0)
  await number.scrollIntoViewIfNeeded()
  const box = await number.boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + 20, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + 120, box.y + 40, { steps: 5 })
  await settled(page)
  await until(async () => {
    const map = await page.locator('#live-map').boundingBox()
    assert.ok(map && map.height > 60 && map.y > 0 && map.y + map.height < 900, 'the map is on the screen')
  })
  await until(async () => {
    const shown = await page
      .locator('#live-map')
      .evaluate(live => Array.from(/** @type {any} */ (live).matrix.data, x => Number(x).toFixed(4)))
    assert.deepEqual(shown, await printed(page, 'weights'), 'with the weights that follow')
  })
  await becomes(() => page.evaluate(() => String(getSelection())), '')
  await page.mouse.up()
})

test('8. two hundred words: the scale ends where the weights do, rows are filtered, all terms open', async () => {
  await follow('#2&scale=0.1')
  await page.fill('#sentence', words(200))
  const look = () =>
    page.locator('#map').evaluate(map => {
      const { domain, rowTokens, matrix } = /** @type {any} */ (map)
      return { domain, rows: rowTokens.length, most: Math.max(...matrix.data) }
    })
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#map'))?.rowTokens.length > 100)
  await until(async () => {
    const shared = await look()
    assert.ok(shared.domain[1] < 1 && shared.domain[1] >= shared.most, JSON.stringify(shared))
  })
  await page.selectOption('#scale-end', 'one')
  await becomes(async () => (await look()).domain, [0, 1])
  const [name] = await page.locator('.token-row-words .token').allTextContents()
  await page.fill('#row-filter', name)
  await becomes(async () => {
    const { rows } = await look()
    return rows >= 1 && rows < 100
  }, true)
  await clickMap(0, 3)
  await reads('#inspector h2', new RegExp(`^Attention weights: ${name}`))
  const terms = () => page.locator('.panel .terms tbody tr').count()
  await becomes(async () => (await terms()) < 14, true)
  await page.click('#terms-more')
  await becomes(async () => (await terms()) >= 200, true)
})

test('9. by keyboard: a skip link, at most eight tab stops to the map, F2 types a weight', async () => {
  const isOnMap = () => page.evaluate(() => document.activeElement?.id === 'map')
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur())
  let stops = 0
  for (; stops < 12 && !(await isOnMap()); stops++) await page.keyboard.press('Tab')
  assert.ok(stops <= 8, `${stops} stops`)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('F2')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('0.5')
  await page.keyboard.press('Enter')
  await becomes(async () => (await printed(page, 'weights'))[0], '0.5000')
  await page.reload()
  await page.locator('#map canvas').waitFor()
  await page.keyboard.press('Tab')
  await becomes(() => page.evaluate(() => document.activeElement?.className), 'skip')
  await page.keyboard.press('Enter')
  await becomes(isOnMap, true, 'the link leads to the map')
})

test('10. controls show the real state: a painted mask, possible numbers of heads as buttons, parentheses, no empty statistics', async () => {
  await mode('paint')
  await clickMap(0, 3)
  await page.click('#settings-open')
  await becomes(() => page.locator('#mask').inputValue(), 'painted')
  await page.selectOption('#mask', 'none')
  await becomes(() => page.locator('#map').evaluate(map => /** @type {any} */ (map).mask), undefined)
  await page.selectOption('#model', 'multihead')
  await reads('#heads-problem', /4 heads do not divide a model of 3/)
  await becomes(
    async () => (await page.locator('.field-heads [data-offer]').allTextContents()).map(plain),
    ['Heads 3', 'Model size 4'],
  )
  await page.locator('.field-heads [data-offer]').first().click()
  await reads('#heads-problem', '')
  await page.keyboard.press('Escape')
  await choose('waistline')
  await cell(page, 'scores', 0, 0).click()
  await reads('.panel .terms tbody', /\(62\.0000−68\.0000\)2/)
  await choose('translation')
  await chooseView('numbers')
  assert.doesNotMatch(await text('#head-numbers'), /itself|previous/)
})

test('11. the first screen of 1440 x 900 holds sentence, answer, heads and the whole map, of 6 and of 60 words; that of a phone map and answer', async () => {
  for (const [width, height] of [
    [390, 844],
    [360, 740],
  ]) {
    await page.setViewportSize({ width, height })
    await settled(page)
    for (const [selector, latest] of /** @type {const} */ ([
      ['.answer-first', 340],
      ['#map', 420],
    ])) {
      await until(async () => {
        const box = await page.locator(selector).boundingBox()
        assert.ok(box && box.y < latest, `${selector} begins at ${box?.y} of ${width}`)
      })
    }
    await until(async () => {
      const end = await page
        .locator('#map')
        .evaluate(map => /** @type {any} */ (map).where({ row: 5, column: 5 }).bottom)
      assert.ok(end < height - 48, `the last cell ends at ${end} of ${height}`)
    })
    await page.locator('#settings').waitFor({ state: 'hidden' })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const count of [6, 60]) {
    if (count > 6) await page.fill('#sentence', words(count))
    await page.waitForFunction(n => /** @type {any} */ (document.querySelector('#map'))?.rowTokens.length === n, count)
    await settled(page)
    for (const selector of ['#sentence', '.answer-first', '.heads-column', '#map canvas', '#scale-end']) {
      await until(async () => {
        const [box, dock] = await Promise.all([selector, '.dock'].map(each => page.locator(each).boundingBox()))
        assert.ok(box && dock && box.y >= 0 && box.y + box.height <= dock.y + 1, `${count}: ${selector} ${box?.y} to ${Number(box?.y) + Number(box?.height)} of ${dock?.y}`) // biome-ignore format: one line
      })
    }
    if (count > 6) continue
    await until(async () => {
      const top = await page.locator('#map').evaluate(map => /** @type {any} */ (map).where({ row: 0, column: 0 }).top)
      assert.ok(top <= 360, `cells begin at ${top}`)
      const height = await page.evaluate(() => document.documentElement.scrollHeight)
      assert.ok(height <= 4800, `the page is ${height} px high`)
    })
  }
})

/** Returns by how many pixels a term's open explanation extends beyond the inspector, or else beyond the phone. @param {import('playwright-core').Locator} term */
const hidden = term =>
  term.evaluate(own => {
    const text = /** @type {Element} */ (own.querySelector('.term-text')).getBoundingClientRect()
    const column = own.closest('#inspector')?.getBoundingClientRect() ?? { left: 0, right: 390 }
    return text.width > 0 ? Math.max(text.right - column.right, column.left - text.left) : 1
  })

test('a term opens its explanation in place, in both languages', async () => {
  for (const [language, text] of [
    ['en', /What a word asks: a row of Q/],
    ['zh', /一个词问什么/],
  ]) {
    await set('language', String(language))
    const term = page.locator('#step-project [data-term="query"]')
    await term.locator('button').click()
    await becomes(async () => plain((await term.locator('.term-text').textContent()) ?? ''), text)
    await term.locator('.term-text').waitFor()
    // The inspector explains its terms, too.
    const own = page.locator('#inspector [data-term="score"]').first()
    await own.locator('button').click()
    await own.locator('.term-text').waitFor()
    await becomes(async () => (await hidden(own)) <= 0, true, 'the column of the inspector cuts nothing')
  }
  await set('language', 'en')
  await page.setViewportSize({ width: 390, height: 844 })
  const query = page.locator('#step-project [data-term="query"]')
  await query.locator('button').click()
  await becomes(async () => (await hidden(query)) <= 0, true, 'nor does the window of a phone')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.evaluate(() => localStorage.clear())
})
