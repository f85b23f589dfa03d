// Tests how numbers are changed: dragged, typed and undone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cell, printed, settled } from './browser.js'
import { becomes, choose, follow, mode, page, SMALL_LAYER, set, usePage } from './open.js'
import { words } from './typing.js'

usePage()
/** @param {string} matrix @param {number} row @param {number} column */
const at = (matrix, row, column) => cell(page, matrix, row, column)

/** @param {import('playwright-core').Locator} target @param {number} by */
async function drag(target, by) {
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  assert.ok(box)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + by / 2, y)
  await page.mouse.move(x + by, y)
  await page.mouse.up()
  await settled(page)
}

test('a dragged cell changes all that follows, shows the previous values beside them, and is undone at once', async () => {
  const before = { Wq: await printed(page, 'Wq'), Q: await printed(page, 'Q'), joined: await printed(page, 'joined') }
  await drag(at('Wq', 0, 0), 100)
  const W = await printed(page, 'Wq')
  assert.equal(Number(W[0]).toFixed(3), (Number(before.Wq[0]) + 0.5).toFixed(3), '100 pixels are half a unit')
  assert.deepEqual(W.slice(1), before.Wq.slice(1))
  const X = await printed(page, 'X')
  const Q = await printed(page, 'Q')
  for (let row = 0; row < 6; row++) {
    const want = Number(before.Q[2 * row]) + 0.5 * Number(X[3 * row])
    assert.ok(Math.abs(Number(Q[2 * row]) - want) < 2e-4, `row ${row} of Q: ${Q[2 * row]} for ${want}`)
  }
  await becomes(() => at('Wq', 0, 0).getAttribute('data-old'), before.Wq[0])
  await becomes(() => at('Q', 1, 0).getAttribute('data-old'), before.Q[2])
  await becomes(() => page.locator('[data-matrix="V"] .has-changed').count(), 0, 'values do not depend on W_q')
  await becomes(async () => (await page.locator('[data-matrix="joined"] .has-changed').count()) > 0, true)

  await page.click('#undo')
  await becomes(() => printed(page, 'joined'), before.joined)
  await becomes(() => page.locator('#undo').isDisabled(), true, 'a drag is one thing to undo')
  await page.keyboard.press('Control+Shift+Z')
  await becomes(() => printed(page, 'Q'), Q)
  await page.click('#more > summary')
  await page.click('#reset')
  await becomes(() => printed(page, 'joined'), before.joined)
  await page.keyboard.press('Control+z')
  await becomes(() => printed(page, 'Q'), Q, 'a reset can be undone')
})

test('Escape during a drag of a cell takes it back and closes nothing else, and so does the browser that ends it', async () => {
  for (const matrix of ['X', 'Wq']) {
    const before = await printed(page, matrix)
    await at(matrix, 0, 0).scrollIntoViewIfNeeded()
    for (const end of /** @type {const} */ (['Escape', 'pointercancel'])) {
      const { x, y, width, height } = (await at(matrix, 0, 0).boundingBox()) ?? assert.fail()
      await page.mouse.move(x + width / 2, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width / 2 + 60, y + height / 2, { steps: 3 })
      await becomes(async () => (await printed(page, matrix))[0] !== before[0], true)
      if (end === 'Escape') await page.keyboard.press(end)
      else await at(matrix, 0, 0).dispatchEvent(end)
      await becomes(() => printed(page, matrix), before, `${matrix}, ${end}`)
      await page.mouse.move(x + width / 2 + 90, y + height / 2)
      await page.mouse.up()
      await becomes(() => printed(page, matrix), before, 'the rest of the stroke does nothing')
      await becomes(() => page.locator('#undo').isDisabled(), true)
      await page.locator('#inspector h2').waitFor()
    }
  }
})

test('a typed weight stays, and the others of its row share the rest; on the large map weights are set and the mask is painted', async () => {
  await choose('causal')
  const before = (await printed(page, 'weights')).map(Number)
  await at('weights', 4, 1).focus()
  await page.keyboard.type('0.9')
  await page.keyboard.press('Enter')
  const after = (await printed(page, 'weights')).map(Number)
  assert.equal(after[25], 0.9)
  const rest = 0.1 / (1 - before[25])
  for (const column of [0, 2, 3, 4])
    assert.ok(Math.abs(after[24 + column] - before[24 + column] * rest) < 1e-4, `column ${column}`)
  assert.equal(after[29], 0, 'hidden keys stay hidden')
  await becomes(() => page.locator('[data-matrix="weights"] .row-sum').allTextContents(), Array(6).fill('1.0000'))
  const [V, output] = [(await printed(page, 'V')).map(Number), (await printed(page, 'output')).map(Number)]
  const want = [0, 1, 2, 3, 4, 5].reduce((sum, j) => sum + after[24 + j] * V[4 * j], 0)
  assert.ok(Math.abs(output[16] - want) < 4e-4, `${output[16]} for ${want}`)
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('data-row')), '4', 'the focus stays')
  await page.keyboard.press('Delete')
  await becomes(async () => (await printed(page, 'weights')).map(Number), before, 'given back')

  await choose('self')
  await mode('paint')
  await page.locator('#map [tabindex="0"]').first().focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Space')
  await becomes(async () => (await printed(page, 'masked'))[0], '-∞')
  await becomes(async () => (await printed(page, 'weights'))[0], '0.0000')
  await mode('read')
  await page.locator('#map [tabindex="0"]').first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('0.5')
  await page.keyboard.press('Enter')
  await becomes(async () => (await printed(page, 'weights'))[1], '0.5000')
})

test('X, biases, W_O, scale and sigma can be set as well', async () => {
  await follow(SMALL_LAYER)
  for (const [matrix, follows] of /** @type {const} */ ([
    ['X', 'V'],
    ['bq', 'scores'],
    ['bv', 'output'],
    ['Wo', 'final'],
    ['bo', 'final'],
  ])) {
    const old = await printed(page, follows)
    await at(matrix, 0, 0).click()
    await page.fill('#set', '2.5')
    await page.keyboard.press('Enter')
    await becomes(async () => (await printed(page, matrix))[0], '2.5000', matrix)
    await becomes(
      async () => (await printed(page, follows)).join() !== old.join(),
      true,
      `${follows} follows ${matrix}`,
    )
  }
  const [scores, scaled] = [await printed(page, 'scores'), await printed(page, 'scaled')]
  await set('scale', '0.25')
  const quarter = await printed(page, 'scaled')
  assert.ok(Math.abs(Number(quarter[0]) - Number(scores[0]) / 4) < 1e-4)
  assert.notDeepEqual(quarter, scaled)

  await choose('waistline')
  await set('sigma', '4')
  const [weight] = (await printed(page, 'weights')).map(Number)
  const terms = [68, 60, 64].map(k => Math.exp(-((62 - k) ** 2) / 32))
  assert.ok(Math.abs(weight - terms[0] / (terms[0] + terms[1] + terms[2])) < 1e-4, `${weight}`)
})

test('all follows within a frame', async () => {
  const { shown, after } = await page.evaluate(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    const grid = /** @type {any} */ (document.querySelector('[data-matrix="X"] matrix-grid'))
    const read = () => document.querySelector('[data-matrix="joined"] [data-row="1"]')?.textContent
    const shown = []
    for (let i = 0; i < 12; i++) {
      await frame()
      grid.set({ row: 1, column: 1 }, i / 10, 'test')
      await frame() // the page draws in the frame that it requested before
      await 0
      shown.push(read())
    }
    return { shown, after: read() }
  })
  assert.equal(after, (await printed(page, 'joined'))[4], 'nothing follows later')
  assert.equal(new Set(shown).size, 12, `each number is followed in its own frame: ${shown}`)
})

test('at 60 words and 8 heads a dragged weight changes map, row and output in its own frame, and repaints one small map', async () => {
  await follow(`#2&${new URLSearchParams({ heads: '8', dModel: '8', sentence: words(60), cell: 'weights.0.30.10' })}`)
  await becomes(() => page.locator('#map').evaluate(map => /** @type {any} */ (map).rowTokens.length), 60)
  await page.locator('#lens').waitFor()
  const { frames, painted } = await page.evaluate(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    const map = /** @type {any} */ (document.querySelector('#map'))
    let painted = 0
    const { putImageData } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.putImageData = function (/** @type {any[]} */ ...given) {
      const root = this.canvas.getRootNode()
      if (root instanceof ShadowRoot && root.host.localName === 'qkv-heads') painted++
      return putImageData.apply(this, /** @type {any} */ (given))
    }
    const frames = []
    await frame()
    for (let i = 0; i < 8; i++) {
      const detail = { row: 30, column: 10, value: 0.2 + i / 20, isFirst: i === 0 }
      map.dispatchEvent(new CustomEvent('cell-edit', { detail, bubbles: true, composed: true }))
      await frame() // the page draws in the frame that it requested before
      await 0
      const answer = document.querySelector('.answer-first')?.textContent ?? ''
      frames.push({
        map: map.matrix.data[30 * 60 + 10].toFixed(4),
        row: map.matrix.data[30 * 60 + 11],
        output: /now (.*?)\.\s/.exec(`${answer} `)?.[1],
      })
    }
    CanvasRenderingContext2D.prototype.putImageData = putImageData
    return { frames, painted }
  })
  assert.deepEqual(frames.map(({ map }) => Number(map)), Array.from({ length: 8 }, (_, i) => Number((0.2 + i / 20).toFixed(4)))) // biome-ignore format: one line
  assert.equal(new Set(frames.map(({ row }) => row)).size, 8, 'the rest of the row follows')
  assert.equal(new Set(frames.map(({ output }) => output)).size, 8, `the output follows: ${JSON.stringify(frames)}`)
  assert.equal(painted, 8, 'the maps of the other heads are not painted again')
})
