// Tests how words and cells in every view react to a resting pointer, a click, a second click and a stroke; also with many words, and on a phone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PRESETS, settingsOf } from '../../web/rooms/layer/presets.js'
import { cell, plain, settled } from './browser.js'
import { traced } from './cases.js'
import { becomes, choose, follow, LAYER, page, reads, still, text, type, usePage } from './open.js'
import { words } from './typing.js'

usePage()
const WEIGHTS = traced(settingsOf('heads')).tensors.weights
assert.ok(WEIGHTS && PRESETS.heads)
/** Returns the viewport coordinates of the middle of a map's cell. @param {number} row @param {number} column @param {string} [map] */
const middle = (row, column, map = '#map') =>
  page.locator(map).evaluate(
    (element, at) => {
      const { x, y, width, height } = /** @type {any} */ (element).where(at)
      return { x: x + width / 2, y: y + height / 2 }
    },
    { row, column },
  )
/** @param {number} row @param {number} column @param {boolean} [isSecond] */
async function clickMap(row, column, isSecond = false) {
  const { x, y } = await middle(row, column)
  if (isSecond) await page.keyboard.down('Shift')
  await page.mouse.click(x, y)
  if (isSecond) await page.keyboard.up('Shift')
  await settled(page)
}
const word = (/** @type {number} */ position) => page.locator(`[data-word="queries:${position}"]`).first()

test('a head under the pointer or the focus shows its sentence, leaving restores the answer, and nothing moves', async () => {
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    await settled(page)
    const map = await page.locator('#map').boundingBox()
    const second = page.locator('qkv-heads').getByRole('radio').nth(1)
    await second.hover()
    await reads('.answer-first', /^Head 2: looks most at itself \(33\.8%\); sharpest: 2\.07 bit\.$/)
    await reads('.answer-second', /^is looks mostly at itself/, 'the head that is shown stays')
    await becomes(() => page.locator('#map').boundingBox(), map)
    await page.mouse.move(700, 20)
    await reads('.answer-first', /^is looks mostly/)
  }
  await page.locator('qkv-heads').getByRole('radio').first().focus()
  await reads('.answer-first', /^Head 1: /)
  await page.keyboard.press('ArrowRight')
  await reads('.answer-first', /^Head 2: /)
  await becomes(() => page.locator('qkv-heads').evaluate(heads => /** @type {any} */ (heads).selected), 1)
})

test('a pointer that rests 80 ms is answered, on a word, a cell, a label, a line and a number; not before', async () => {
  /** Starts to measure the milliseconds from the last move of the pointer to the last change of the answer. */
  const watch = () =>
    page.evaluate(() => {
      const times = { moved: 0, waited: 0 }
      Object.assign(window, { times })
      addEventListener('pointermove', () => (times.moved = performance.now()), true) // biome-ignore format: one line
      new MutationObserver(() => {
        times.waited = performance.now() - times.moved
      }).observe(/** @type {Node} */ (document.querySelector('.answer')), {
        subtree: true,
        childList: true,
        characterData: true,
      })
    })
  await watch()
  const rests = async (
    /** @type {string} */ what,
    /** @type {() => Promise<{ x: number, y: number }>} */ place,
    /** @type {RegExp} */ says,
  ) => {
    await page.mouse.move(700, 20)
    await reads('.answer-first', /^is looks mostly/)
    const { x, y } = await place()
    await page.mouse.move(x, y)
    await reads('.answer-first', says)
    const waited = await page.evaluate(() => /** @type {any} */ (window).times.waited)
    assert.ok(waited >= 75, `${what}: after ${waited.toFixed(0)} ms`)
  }
  const centre = (/** @type {import('playwright-core').Locator} */ at) => async () => {
    const box = await at.boundingBox()
    assert.ok(box)
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  await rests('a word', centre(word(3)), /^eat looks/)
  await becomes(async () => {
    const { rows, columns } = await page.locator('#map').evaluate(map => /** @type {any} */ (map).highlight)
    return [rows, columns]
  }, [[3], [3]])
  const arcs = () =>
    page
      .locator('word-arcs path')
      .evaluateAll(all =>
        all.map(path =>
          [path.getAttribute('data-from'), path.getAttribute('data-to'), path.getAttribute('class')].join(' '),
        ),
      )
  await becomes(async () => (await arcs()).filter(arc => arc.startsWith('queries:3 queries:')).length, 6)
  assert.ok((await arcs()).includes('queries:1 queries:3 is-from'), 'and dotted from those that look at it')
  const grounds = () =>
    page
      .locator('.token-row-words .token')
      .evaluateAll(tokens => new Set(tokens.map(token => getComputedStyle(token).backgroundColor)).size)
  await becomes(async () => (await grounds()) > 3, true)
  await rests('a cell', () => middle(4, 1), /^dessert gives 27\.6% to is/)
  const label = await middle(5, 0)
  const left = await page.locator('#map').evaluate(map => map.getBoundingClientRect().left)
  await rests('a label', async () => ({ x: left + 50, y: label.y }), /^first looks/)
})

test('arcs end only at words that are in sight: a long text scrolls in its own lines, and no arc lies over the picture', async () => {
  const sentence = Array.from({ length: 200 }, (_, i) => `w${i + 1}`).join(' ')
  await follow(`#2&${new URLSearchParams({ sentence, view: 'flow', mask: 'causal', word: 'queries.140' })}`)
  await page.locator('qkv-flow canvas').waitFor()
  const below = () =>
    page.evaluate(() => {
      const { bottom } = /** @type {Element} */ (document.querySelector('.token-rows')).getBoundingClientRect()
      return Array.from(document.querySelectorAll('word-arcs path')).filter(
        path => path.getBoundingClientRect().bottom > bottom + 8,
      ).length
    })
  await becomes(below, 0)
})

test('Shift-click on a second cell subtracts it; the link contains both; Escape restores the first', async () => {
  await clickMap(3, 1)
  await clickMap(2, 2, true)
  const want = Number(WEIGHTS.at(0, 3, 1)) - Number(WEIGHTS.at(0, 2, 2))
  const shown = async () => Number((await text('.panel .total')).replace('= ', '').replace('−', '-'))
  await becomes(async () => Math.abs((await shown()) - want) <= 5e-5, true)
  const terms = (await page.locator('.subtracted th').allTextContents()).map(plain)
  assert.deepEqual(terms, ['eat → is', 'short → short'])
  const marked = await page.locator('#map').evaluate(map => /** @type {any} */ (map).highlight.cells)
  assert.deepEqual(
    marked.map((/** @type {any} */ { row, column }) => [row, column]),
    [[2, 2]],
  )
  await page.waitForFunction(() => location.hash.includes('less=weights.0.2.2'))
  await page.reload()
  await page.locator('.subtracted').waitFor()
  await becomes(async () => Math.abs((await shown()) - want) <= 5e-5, true)
  await page.keyboard.press('Escape')
  await becomes(shown, Number(Number(WEIGHTS.at(0, 3, 1)).toFixed(4)))
  await cell(page, 'X', 0, 1).click({ modifiers: ['Shift'] })
  await reads('#inspector h2', /^Embeddings/, 'of another matrix it is selected')
  await cell(page, 'X', 0, 0).click({ modifiers: ['Shift'] })
  await reads('.subtracted', /Life → 2.*Life → 1/, 'numbers of the walk subtract, too')
})

test('Shift-click, or a long press of a finger, is the second one: a cell is subtracted, a word asks whether the first sees it', async () => {
  /** Holds a finger on an element until the page has answered. @param {string} selector @param {{ x: number, y: number }} at @param {() => Promise<unknown>} answer */
  const hold = async (selector, at, answer) => {
    const touch = (/** @type {string} */ type) =>
      page.evaluate(
        ([query, kind, x, y]) => {
          const host = document.querySelector(/** @type {string} */ (query))
          const target = host?.shadowRoot?.querySelector('.map') ?? host
          const init = {
            pointerType: 'touch',
            pointerId: 7,
            clientX: Number(x),
            clientY: Number(y),
            bubbles: true,
            composed: true,
            isPrimary: true,
          }
          target?.dispatchEvent(new PointerEvent(String(kind), init))
          if (kind === 'pointerup' && host?.localName === 'button') /** @type {HTMLElement} */ (host).click()
        },
        [selector, type, at.x, at.y],
      )
    await touch('pointerdown')
    await answer()
    await touch('pointerup')
    await settled(page)
  }
  await word(0).click()
  await hold('[data-word="queries:3"]', { x: 0, y: 0 }, () => page.locator('#sees-answer').waitFor())
  await reads('#inspector h2', /^Life/, 'the click that ends the press selects nothing')
  await becomes(() => page.locator('#sees').inputValue(), '3')
  await clickMap(1, 1)
  await hold('#map', await middle(4, 4), () => page.locator('.subtracted').waitFor())
  const want = Number(WEIGHTS.at(0, 1, 1)) - Number(WEIGHTS.at(0, 4, 4))
  await reads('.panel .total', `= ${want.toFixed(4)}`)
  await hold('[data-word="queries:5"]', { x: 0, y: 0 }, async () => {})
  await reads('#inspector h2', /^first/)

  await follow('#2&heads=1&dValue=4&mask=causal')
  await word(2).click()
  await word(4).click({ modifiers: ['Shift'] })
  await reads('#sees-answer', /^No\./)
  await reads('#inspector h2', /^short/, 'the first one stays selected')
  const top = await middle(0, 0)
  const left = await page.locator('#map').evaluate(map => map.getBoundingClientRect().left)
  await page.keyboard.down('Shift')
  await page.mouse.click(left + 50, top.y) // the row label "Life"
  await page.keyboard.up('Shift')
  await reads('#sees-answer', /^Yes\./)
})

test('a click on a head keeps word and cell; Shift-click, or a long press, subtracts it from the head that is shown', async () => {
  const heads = page.locator('qkv-heads').getByRole('radio')
  const shown = () =>
    page.evaluate(() => ({
      selected: /** @type {any} */ (document.querySelector('qkv-heads')).selected,
      view: document.querySelector('#views [aria-pressed=true]')?.getAttribute('data-item'),
      minus: document.querySelector('#minus option:checked')?.textContent,
    }))
  await word(3).click()
  await clickMap(2, 2)
  await heads.nth(2).click()
  await reads('#inspector h2', /^Attention weights: short → short$/)
  await reads('.panel .total', new RegExp(Number(WEIGHTS.at(2, 2, 2)).toFixed(4)))
  await becomes(() => page.locator('.word-button.is-selected').first().getAttribute('data-word'), 'queries:2') // the word of the cell's row
  await heads.nth(0).click({ modifiers: ['Shift'] })
  await page.locator('#difference').waitFor()
  await becomes(shown, { selected: 2, view: 'difference', minus: 'head 1 from head 3' })
  const { data } = await page.locator('#difference').evaluate(map => {
    const { matrix, minus } = /** @type {any} */ (map)
    return { data: Array.from(matrix.data, (x, i) => Number(x) - (minus ? Number(minus.data[i]) : 0)) }
  })
  for (let i = 0; i < 36; i++) {
    const [row, column] = [Math.floor(i / 6), i % 6]
    /** @type {number} */
    const less = Number(WEIGHTS.at(2, row, column)) - Number(WEIGHTS.at(0, row, column))
    assert.ok(Math.abs(data[i] - less) <= 1e-6, `cell ${i}: ${data[i]} for ${less}`)
  }
  await heads.nth(3).evaluate(radio => {
    const init = { pointerType: 'touch', pointerId: 9, bubbles: true, composed: true, isPrimary: true }
    radio.dispatchEvent(new PointerEvent('pointerdown', init))
  })
  await reads('#minus option:checked', 'head 4 from head 3')
  await heads.nth(3).evaluate(radio => {
    radio.dispatchEvent(new PointerEvent('pointerup', { pointerType: 'touch', pointerId: 9, bubbles: true, composed: true })) // biome-ignore format: one line
    radio.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
  })
  await settled(page)
  await becomes(async () => (await shown()).selected, 2, 'the click that ends the press selects nothing')
})

test('arrows, Home and End go from word to word; F2, or a double click, selects the word in its field', async () => {
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-word'))
  const chosen = () =>
    page.evaluate(() => {
      const { id, value, selectionStart, selectionEnd } = /** @type {HTMLTextAreaElement} */ (document.activeElement)
      return `${id}: ${value.slice(selectionStart, selectionEnd)}`
    })
  await word(0).focus()
  for (const [key, at] of [
    ['ArrowRight', 1],
    ['End', 5],
    ['ArrowLeft', 4],
    ['Home', 0],
  ]) {
    await page.keyboard.press(String(key))
    await becomes(focused, `queries:${at}`)
  }
  await reads('.answer-first', /^Life/)
  await type('#sentence', 'the cat and the dog')
  await word(3).focus()
  await page.keyboard.press('F2')
  await becomes(chosen, 'sentence: the')
  await becomes(() => page.locator('#sentence').evaluate(box => /** @type {any} */ (box).selectionStart), 12)
  await page.keyboard.type('a')
  await reads('[data-word="queries:3"] .token', 'a')
  await choose('translation')
  await page.locator('[data-word="keys:2"]').first().dblclick()
  await becomes(chosen, 'second: 驾驶')
})

test('a stroke over words, or over labels of rows, shows only their rows; a button shows all again', async () => {
  const rows = () => page.locator('#map').evaluate(map => /** @type {any} */ (map).rowTokens)
  const centre = async (/** @type {number} */ position) => {
    const box = await word(position).boundingBox()
    assert.ok(box)
    return /** @type {const} */ ([box.x + box.width / 2, box.y + box.height / 2])
  }
  const stroke = async (/** @type {readonly [number, number]} */ from, /** @type {readonly [number, number]} */ to) => {
    await page.mouse.move(...from)
    await page.mouse.down()
    await page.mouse.move(...to, { steps: 4 })
    await page.mouse.up()
    await settled(page)
  }
  await stroke(await centre(4), await centre(2))
  await becomes(rows, ['short', 'eat', 'dessert'])
  await reads('.row-range', /Rows short to dessert/)
  await becomes(() => page.evaluate(() => String(getSelection())), '', 'no text is selected')
  await becomes(() => page.locator('.word-button.is-selected').count(), 0, 'and no word')
  await clickMap(0, 1)
  await reads('.panel .total', `= ${Number(WEIGHTS.at(0, 2, 1)).toFixed(4)}`, 'cells know their rows')
  await page.click('#range-none')
  await becomes(async () => (await rows()).length, 6)
  const left = await page.locator('#map').evaluate(map => map.getBoundingClientRect().left)
  const [first, last] = [await middle(0, 0), await middle(1, 0)]
  await stroke([left + 50, first.y], [left + 50, last.y])
  await becomes(rows, ['Life', 'is'])
  await page.fill('#sentence', 'one two three')
  await becomes(async () => (await rows()).length, 3, 'another sentence has all its rows')
})

test('with 200 words a magnifier labels 24 by 24 cells around the pointer, on a phone above the finger; a note lists the labels that are left out', async () => {
  await page.fill('#sentence', words(200))
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#map'))?.rowTokens.length === 200)
  await reads('#map .labels', /One label in ([3-9]|\d\d+) is shown/)
  const row = await page.locator('.token-row').first().boundingBox()
  assert.ok(row && row.height <= 4 * 36, `the words stand in four lines that scroll: ${row?.height}`)
  for (const [row, column] of [
    [120, 40],
    [0, 199],
  ]) {
    const { x, y } = await middle(row, column)
    await page.mouse.move(x, y)
    await page.waitForFunction(at => {
      const [map, lens] = /** @type {any[]} */ ([document.querySelector('#map'), document.querySelector('#lens')])
      return lens && map.cell && lens.rowTokens[lens.cell.row] === map.rowTokens[at]
    }, row)
    const found = await page.evaluate(
      at => {
        const [map, lens] = /** @type {any[]} */ ([document.querySelector('#map'), document.querySelector('#lens')])
        const from = { row: at.row - lens.cell.row, column: at.column - lens.cell.column }
        const value = (/** @type {any} */ x, /** @type {number} */ r, /** @type {number} */ c) =>
          x.data[r * x.dims[1] + c]
        let same = 0
        for (let r = 0; r < 24; r++)
          for (let c = 0; c < 24; c++)
            if (value(lens.matrix, r, c) === value(map.matrix, from.row + r, from.column + c)) same++
        const box = lens.getBoundingClientRect()
        const { cell } = lens
        const own = map.where({ row: at.row, column: at.column })
        const covers = box.left < own.right && box.right > own.left && box.top < own.bottom && box.bottom > own.top
        return {
          same,
          covers,
          dims: Array.from(lens.matrix.dims, Number),
          names: [lens.rowTokens[cell.row], map.rowTokens[at.row]],
        }
      },
      { row, column },
    )
    assert.deepEqual(found.dims, [24, 24])
    assert.equal(found.same, 576, 'its cells are those of the map')
    assert.equal(found.names[0], found.names[1])
    assert.ok(!found.covers, 'the cell that is meant stays in sight')
  }

  await page.setViewportSize({ width: 390, height: 844 })
  await page.mouse.move(0, 0)
  await settled(page)
  for (const [row, column] of [
    [3, 5],
    [90, 197],
  ]) {
    const { x, y } = await middle(row, column)
    // Runs within the page, so that the events follow each other at once. A finger that rests for a while would select the cell and scroll the page.
    const box = await page.locator('#map').evaluate(
      async (element, { row, x, y }) => {
        const map = /** @type {any} */ (element)
        const touch = (/** @type {string} */ type) => {
          const init = { pointerType: 'touch', pointerId: 5, bubbles: true, composed: true, isPrimary: true }
          const at = { clientX: x, clientY: y }
          map.shadowRoot.querySelector('.map').dispatchEvent(new PointerEvent(type, Object.assign(init, at)))
        }
        touch('pointerdown')
        /** @type {any} */
        let lens
        do {
          await new Promise(requestAnimationFrame)
          lens = document.querySelector('#lens')
        } while (lens?.rowTokens[lens.cell.row] !== map.rowTokens[row])
        await new Promise(requestAnimationFrame)
        const { left, right, top, bottom } = lens.getBoundingClientRect()
        touch('pointercancel')
        return { left, right, top, bottom }
      },
      { row, x, y },
    )
    assert.ok(box.left >= 0 && box.right <= 390 && box.top >= 0, JSON.stringify(box))
    assert.ok(box.bottom <= y, `the lens ends at ${box.bottom}, the finger is at ${y}`)
  }
})

test('on a phone a menu opens at the tapped place, whole; the bar of steps scrolls sideways with their names, the current one stays in sight', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const [hash, menu] of [
    [LAYER, '#more'],
    [LAYER, '#examples'],
    [LAYER, '#tour-start'],
    [LAYER, '[data-matrix="Wk"] .save'],
    ['#2&room=models', '#models-open'],
    ['', '#front-boy'],
  ]) {
    if (hash !== LAYER) await follow(hash)
    await page.locator(`${menu} > summary`).first().click()
    const near = () =>
      page
        .locator(menu)
        .first()
        .evaluate(own => {
          const [button, list] = [...own.children].map(each => each.getBoundingClientRect())
          const isWhole = list.left >= 0 && list.right <= innerWidth && list.top >= 0 && list.bottom <= innerHeight
          return isWhole && list.width > 100 && Math.abs(list.top - button.bottom) <= 8
        })
    await becomes(near, true, `${hash} ${menu}`)
    await page.keyboard.press('Escape')
  }

  await follow('#2&view=map')
  const rail = page.locator('.rail')
  await becomes(() => rail.locator('.name-of:visible').count(), await rail.locator('a').count())
  const link = rail.locator('a').last()
  await link.evaluate(own => own.scrollIntoView({ inline: 'end' }))
  await link.click()
  await rail.evaluate(own => own.scrollTo({ left: 0 }))
  const isSeen = () =>
    rail.evaluate(own => {
      const [bar, current] = [own, own.querySelector('[aria-current]')].map(each => each?.getBoundingClientRect())
      return (
        bar !== undefined && current !== undefined && current.left >= bar.left - 1 && current.right <= bar.right + 1
      )
    })
  await becomes(isSeen, true)
})

test('on a phone the sheet is dragged to 96 px, 45 % and 90 %, and the tour folds below it', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await follow('#2&tour=3')
  const panel = page.locator('#inspector')
  const height = async () => Math.round((await panel.boundingBox())?.height ?? 0)
  const is = (/** @type {number} */ want) =>
    page.waitForFunction(
      at => Math.abs((document.querySelector('#inspector')?.getBoundingClientRect().height ?? 0) - at) < 3,
      want,
    )
  const drag = async (/** @type {number} */ by) => {
    const box = await page.locator('.sheet-handle').boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + box.width / 2, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2, box.y + 8 + by, { steps: 4 })
    await page.mouse.up()
  }
  await becomes(async () => (await height()) <= 0.45 * 844 + 2, true)
  await page.locator('#tour').waitFor()
  await still('.sheet-handle')
  await drag(-300)
  await is(0.9 * 844)
  await drag(340)
  await is(0.45 * 844)
  await drag(260)
  await is(96)
  await page.locator('.sheet-handle').click()
  await is(0.45 * 844)
  const [sheet, tour] = await Promise.all([panel.boundingBox(), page.locator('#tour').boundingBox()])
  assert.ok(sheet && tour && Math.abs(tour.height - 48) <= 2, `the tour is ${tour?.height} px high`)
  assert.ok(sheet.y + sheet.height <= tour.y + 1, 'the sheet does not cover it')
  const task = page.locator('.guide-task')
  await becomes(() => task.isVisible(), true, 'what there is to do')
  const { y = 0, height: high = 0 } = (await task.boundingBox()) ?? {}
  assert.ok(y >= tour.y - 1 && y + high <= tour.y + tour.height + 1, `the task is whole: ${y}, ${high}`)
  await page.selectOption('#sees', '0')
  await reads('#tour-done', 'Done.')
  await becomes(
    () => task.evaluate(own => own.getBoundingClientRect().bottom <= innerHeight && own.scrollHeight <= 48),
    true,
    'nor is a line of it out of sight when it is done',
  )
  await page.click('#inspector-close')
  await page.locator('.guide-text').waitFor()
  const open5 = await page.locator('#tour').boundingBox()
  assert.ok(open5 && open5.height > 48 && open5.height <= 0.4 * 844 + 1, `${open5?.height}`)
})

test('a finger on a map marks and describes only its own cell', async () => {
  await follow('#2&view=map')
  const at = await middle(3, 2)
  const session = await page.context().newCDPSession(page)
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await reads('.answer-first', /^eat gives \d+\.\d% to short/)
  const marks = () =>
    page.locator('#map').evaluate(map => {
      const { cell, pinned, isFocused } = /** @type {any} */ (map)
      return [cell?.row ?? pinned.row, cell?.column ?? pinned.column, isFocused]
    })
  await becomes(marks, [3, 2, true])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await becomes(marks, [3, 2, true])
})

test('on a phone the page scrolls so that the sheet does not cover the tapped cell of a map or of the steps', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await follow('#2&')
  const sheet = page.locator('#inspector')
  /** True if the element is in the viewport above the sheet, and the sheet covers at most 45 % of the viewport. @param {string} selector */
  const isAbove = async selector => {
    const [own, covers] = await Promise.all([page.locator(selector).boundingBox(), sheet.boundingBox()])
    return own && covers && own.y >= 0 && own.y + own.height <= covers.y && covers.height <= 0.45 * 740 + 1
  }
  const map = page.locator('#map canvas').first()
  await still('#map canvas')
  /** Scrolls the map to the lower edge of the viewport and taps one of its cells. */
  const tap = async () => {
    await map.evaluate(own => own.scrollIntoView({ block: 'end' }))
    const box = (await map.boundingBox()) ?? assert.fail()
    await page.mouse.click(box.x + 0.7 * box.width, box.y + 0.7 * box.height)
    await page.locator('#inspector.is-open').waitFor()
    await becomes(() => isAbove('#map canvas'), true, 'the whole map')
  }
  await tap()
  await page.click('#inspector-close')
  await tap()
  await page.click('#inspector-close')
  const cell = page.locator('#step-scores [data-row="5"][data-column="5"]').first()
  await cell.evaluate(own => own.scrollIntoView({ block: 'end' }))
  await cell.click()
  await becomes(() => isAbove('#step-scores [data-row="5"][data-column="5"] >> nth=0'), true, 'the cell')
})

test('a failed computation can be retried; the legend and the choice beside it show the same end of the scale', async () => {
  await page.evaluate(() => dispatchEvent(new ErrorEvent('error', { error: new Error('a picture was lost') })))
  await page.locator('.failure').waitFor()
  await reads('.failure', /cannot be shown \(a picture was lost\).*Try again/)
  await becomes(() => page.locator('#map').count(), 1, 'the numbers before it stay')
  await page.locator('.failure button').click()
  await page.locator('.failure').waitFor({ state: 'detached' })
  await reads('.panel .total', '= 0.6870')

  await follow('#2&scale=0.1&view=map')
  for (const end of ['shared', 'one', 'own']) {
    await page.selectOption('#scale-end', end)
    await becomes(async () => {
      const [from, to] = await page.locator('#map').evaluate(map => /** @type {any} */ (map).domain)
      const said = await text('#scale-end option:checked')
      return said.startsWith(`${from} to ${Number(to.toPrecision(3))} (`) || `${said}: ${from} to ${to}`
    }, true)
  }
  await becomes(async () => (await page.locator('#map').evaluate(map => /** @type {any} */ (map).domain[1])) < 1, true)
})

test('a weight is dragged without a mode: the number stays, the answer shows its old value, one drag is one step, Escape takes it back', async () => {
  const { x, y } = await middle(3, 1)
  const shown = () => page.locator('#map').evaluate(map => /** @type {any} */ (map).matrix.data[19].toFixed(4))
  const own = Number(WEIGHTS.at(0, 3, 1)).toFixed(4)
  const drag = async (/** @type {number} */ up) => {
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x, y - up, { steps: 3 })
    await settled(page)
  }
  await drag(37)
  const during = (Number(own) + 37 / 200).toFixed(4)
  await becomes(shown, during)
  await page.mouse.up()
  await becomes(shown, during)
  await becomes(
    async () => plain((await cell(page, 'weights', 3, 1).textContent()) ?? ''),
    during,
    'in the walk as well',
  )
  await reads(
    '.answer-first',
    /^eat gives 40\.4% to is, set by you \(it was 21\.9%\)\. The rest shares 59\.6%\. Output: 0\.\d+, now 0\.\d+\./,
  )
  // The page writes the link after a pause, and a slow drag may contain pauses. In the end the link has the last number.
  await becomes(
    () => page.evaluate(() => Number(/edits=[^&]*:([\d.]+)/.exec(decodeURIComponent(location.hash))?.[1]).toFixed(4)),
    during,
  )
  await page.reload()
  await page.locator('#map canvas').waitFor()
  await becomes(shown, during, 'and in the link')
  await drag(-20)
  await becomes(async () => (await shown()) !== during, true)
  await page.keyboard.press('Escape')
  await becomes(shown, during, 'Escape takes the drag back')
  await page.mouse.up()
})

test('turning a phone in the middle of a drag keeps the dragged value, as one step; the rest of the stroke changes nothing', async () => {
  const [upright, lying] = [
    { width: 390, height: 844 },
    { width: 844, height: 390 },
  ]
  const shown = async (/** @type {string} */ selector) =>
    Number(await page.locator(selector).evaluate(map => /** @type {any} */ (map).matrix.data[19]))
  await page.setViewportSize(upright)
  await follow('#2&cell=weights.0.3.1')
  const own = Number(WEIGHTS.at(0, 3, 1))
  await becomes(() => shown('#map'), own)
  // Scrolls the cell above the sheet, again and again until it stays, because the page may scroll, too.
  await becomes(async () => {
    const { y } = await middle(3, 1)
    await page.evaluate(by => scrollBy({ top: by, behavior: 'instant' }), y - 300)
    return Math.abs(y - 300) < 2
  }, true)
  const { x, y } = await middle(3, 1)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y - 40, { steps: 4 })
  await becomes(async () => (await shown('#map')).toFixed(4), (own + 40 / 200).toFixed(4))
  const during = await shown('#map')
  await page.setViewportSize(lying)
  await page.waitForFunction(() => innerWidth === 844)
  await page.mouse.move(300, 60)
  await page.mouse.move(320, 20, { steps: 3 })
  await page.mouse.up()
  await page.mouse.move(1, 1)
  await settled(page)
  assert.equal(await shown('#map'), during, 'what was dragged stays')
  await reads('.answer-first', /^eat gives 41\.9% to is, set by you \(it was 21\.9%\)/)
  // A sheet as high as the upright phone: after the phone is turned, the top of the sheet is still within the viewport.
  await page.setViewportSize(upright)
  await page
    .locator('#inspector')
    .evaluate(sheet => /** @type {HTMLElement} */ (sheet).style.setProperty('--sheet', '760px'))
  await page.setViewportSize(lying)
  await becomes(async () => ((await page.locator('.sheet-handle').boundingBox())?.y ?? -1) >= 0, true)
  await page.keyboard.press('ControlOrMeta+z')
  await becomes(() => shown('#map'), own, 'one drag is one step')
})
