import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announced, events, pixels, show, useElements } from './elements.js'
import { becomes, page } from './open.js'

const WORDS = ['Life', 'is', 'short', 'eat', 'dessert', 'first']
const WEIGHTS = [
  [1, 0, 0, 0, 0, 0],
  [0.05, 0.95, 0, 0, 0, 0],
  [0.4, 0.1, 0.5, 0, 0, 0],
  [0.25, 0.3, 0.2, 0.25, 0, 0],
  [0.1, 0.1, 0.1, 0.62, 0.08, 0],
  [0.2, 0.05, 0.3, 0.1, 0.1, 0.25],
].flat()
const CAUSAL = { data: WEIGHTS.map((_, i) => i % 6 <= Math.floor(i / 6)), dims: [6, 6] }
const MATRIX = { data: WEIGHTS, dims: [6, 6] }
const MAP = { matrix: MATRIX, rowTokens: WORDS, columnTokens: WORDS, label: 'Weights' }

useElements()

const map = () => page.locator('qkv-heatmap .map')
const cells = async () => (await page.locator('qkv-heatmap td:not(:empty)').allTextContents()).map(text => text.trim())

/** Returns the viewport coordinates of the middle of a cell. @param {number} row @param {number} column */
const middle = (row, column) =>
  page.evaluate(
    cell => {
      const { x, y, width, height } = /** @type {any} */ (document.querySelector('qkv-heatmap')).where(cell)
      return { x: x + width / 2, y: y + height / 2 }
    },
    { row, column },
  )

test('a map as table is a real table, with the numbers that were given', async () => {
  await show('qkv-heatmap', MAP)
  await page.getByRole('button', { name: 'As table' }).click()
  await page.locator('qkv-heatmap table').waitFor() // the table is loaded on demand
  await becomes(async () => (await cells()).map(Number), WEIGHTS)
  await becomes(() => page.locator('qkv-heatmap th[scope=row]').allTextContents(), WORDS)
  await becomes(() => page.locator('qkv-heatmap th[scope=col]').allTextContents(), WORDS)
  await page.getByRole('button', { name: 'As table' }).click()
  await becomes(() => map().count(), 1, 'and back')
})

test('arrow keys, Home, End, PageUp and PageDown move, and each cell is announced in words', async () => {
  await show('qkv-heatmap', MAP)
  await map().focus()
  await becomes(() => announced('qkv-heatmap'), 'Life to Life: 1.0000')
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight'])
    await page.keyboard.press(key)
  await becomes(() => announced('qkv-heatmap'), 'dessert to eat: 0.6200')
  const last = (await events('cell-focus')).at(-1)
  assert.deepEqual(last, { row: 4, column: 3, value: 0.62 })
  const path = { Home: 'dessert to Life: 0.1000', End: 'dessert to first: 0.0000', PageUp: 'Life to first: 0.0000' }
  for (const [key, words] of Object.entries({ ...path, PageDown: 'first to first: 0.2500' })) {
    await page.keyboard.press(key)
    await becomes(() => announced('qkv-heatmap'), words, key)
  }
})

test('Enter and click pin a cell, and announce it', async () => {
  await show('qkv-heatmap', MAP)
  await map().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  assert.deepEqual(await events('cell-pin'), [{ row: 1, column: 0, value: 0.05 }])
  await becomes(() => page.locator('qkv-heatmap [role=status]').textContent(), 'is to Life: 0.0500, selected')
  const { x, y } = await middle(4, 3)
  await page.mouse.click(x, y)
  assert.deepEqual(await events('cell-pin'), [{ row: 4, column: 3, value: 0.62 }])
})

test('hidden cells, cells that are not a number, and numbers look and read differently', async () => {
  const data = WEIGHTS.map((x, i) =>
    i === 1 ? -Infinity : i === 12 ? 0 : i === 6 ? Number.NaN : i === 7 ? Infinity : x,
  )
  await show('qkv-heatmap', { ...MAP, matrix: { data, dims: [6, 6] }, mask: CAUSAL, legend: false })
  const spots = []
  for (const [row, column] of [[0, 1], [1, 0], [0, 2], [3, 3],
    [2, 0]]) spots.push(await middle(row, column)) // biome-ignore format: pairs
  const box = await map().boundingBox()
  assert.ok(box)
  const colour = await pixels('qkv-heatmap')
  const [aside, below] = [-20, 9] // beside the printed number of the cell
  const [hidden, nan, masked, number, zero] = spots.map(({ x, y }) =>
    colour(x - box.x + aside, y - box.y + below).join(),
  )
  assert.equal(new Set([nan, number, hidden, zero]).size, 4, `${nan} ${number} ${hidden} ${zero}`)
  assert.notEqual(nan, masked)
  await map().focus()
  await page.keyboard.press('Control+Home')
  const words = []
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'Home', 'ArrowRight']) {
    await page.keyboard.press(key)
    words.push(await announced('qkv-heatmap'))
  }
  assert.deepEqual(words, [
    'Life to is: hidden',
    'Life to short: hidden (0.0000)',
    'is to short: hidden (0.0000)',
    'is to Life: not a number',
    'is to is: infinity',
  ])
})

test('keys, buttons and the wheel zoom; dragging moves the map', async () => {
  const data = Array.from({ length: 10_000 }, (_, i) => (i % 97) / 97)
  const element = await show('qkv-heatmap', { matrix: { data, dims: [100, 100] } })
  const view = () => element.evaluate(({ view }) => view)
  await becomes(view, { zoom: 1, row: 0, column: 0 })
  await map().focus()
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  await becomes(async () => (await view()).zoom, 2.25)
  await page.keyboard.press('End')
  await page.keyboard.press('Control+End')
  const isFar = async () => {
    const { row, column } = await view()
    return row > 50 && column > 50
  }
  await becomes(isFar, true, 'the view follows the cell')
  await page.keyboard.press('0')
  await becomes(async () => (await view()).zoom, 1)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await becomes(async () => (await view()).zoom, 1.5)
  const box = await map().boundingBox()
  assert.ok(box)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.wheel(0, -300)
  await becomes(async () => (await view()).zoom, 1.5, 'the wheel alone scrolls the page')
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -300)
  await page.keyboard.up('Control')
  await becomes(async () => (await view()).zoom > 2, true)
  const zoomed = await view()
  await page.mouse.down()
  await page.mouse.move(x + 40, y + 20, { steps: 4 })
  await page.mouse.up()
  const isMoved = async () => {
    const { row, column } = await view()
    return column < zoomed.column && row < zoomed.row
  }
  await becomes(isMoved, true, 'dragged to the right and down')
  assert.deepEqual(await events('cell-pin'), [], 'a drag keeps no cell')
})

test('2048 tokens open in the time of fifty passes over their weights, and one strong link among them can be seen', async t => {
  const before = await page.evaluate(async () => {
    await customElements.whenDefined('qkv-heatmap')
    const size = 2048
    const data = new Float32Array(size * size)
    data[1003 * size + 1501] = 1
    const tokens = Array.from({ length: size }, (_, i) => `token ${i}`)
    const passes = Array.from({ length: 5 }, () => {
      const from = performance.now()
      let largest = 0
      for (let i = 0; i < data.length; i++) if (data[i] > largest) largest = data[i]
      return performance.now() - from + (largest > 1 ? 1 : 0)
    })
    const open = async () => {
      document.querySelector('main qkv-heatmap')?.remove()
      const start = performance.now()
      const element = /** @type {any} */ (document.createElement('qkv-heatmap'))
      Object.assign(element, {
        legend: false,
        matrix: { data, dims: [size, size] },
        rowTokens: tokens,
        columnTokens: tokens,
      })
      document.querySelector('main')?.append(element)
      await element.updateComplete
      const canvas = element.shadowRoot.querySelector('canvas')
      const { data: seen } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return { element, canvas, seen, took: performance.now() - start }
    }
    const tries = [await open(), await open(), await open()]
    const opened = Math.min(...tries.map(({ took }) => took)) // other work on this machine may have delayed some tries
    const { element, canvas, seen } = tries[2]
    let strong = 0
    for (let i = 0; i < seen.length; i += 4) if (seen[i] < 30 && seen[i + 1] < 90 && seen[i + 2] > 100) strong++
    const again = performance.now()
    element.cell = { row: 1003, column: 1501 }
    await element.updateComplete
    return {
      opened,
      pass: passes.sort((a, b) => a - b)[2],
      moved: performance.now() - again,
      strong,
      size: [canvas.width, canvas.height],
    }
  })
  t.diagnostic(
    `opened in ${before.opened.toFixed(0)} ms, moved in ${before.moved.toFixed(0)} ms, a pass ${before.pass.toFixed(1)} ms, canvas ${before.size}`,
  )
  assert.ok(before.opened < 50 * before.pass, `${before.opened} ms, a pass ${before.pass} ms`)
  assert.equal(before.strong, 1, 'the strong link has a pixel of its own')
  await map().focus()
  await becomes(() => announced('qkv-heatmap'), 'token 1003 to token 1501: 1.0000')
  await page.getByRole('button', { name: 'As table' }).click()
  await page.locator('qkv-heatmap table').waitFor()
  await becomes(() => page.locator('qkv-heatmap td:not(:empty)').count(), 24 * 24, 'the table has pages')
  await page.getByRole('button', { name: 'Rows after' }).click()
  await becomes(() => page.locator('qkv-heatmap th[scope=row]').first().textContent(), 'token 24')
})

test('one map can show another’s difference', async () => {
  const other = { data: WEIGHTS.map((x, i) => (i === 0 ? 0.25 : x)), dims: [6, 6] }
  const element = await show('qkv-heatmap', { ...MAP, minus: other })
  await map().focus()
  await becomes(() => announced('qkv-heatmap'), 'Life to Life: 0.7500')
  const svg = await element.evaluate(heatmap => heatmap.toSVG())
  assert.match(svg, />−1</, 'a scale to both sides')
  assert.match(svg, />1</)
})

test('cells are painted by mouse, by touch and by keyboard', async () => {
  await show('qkv-heatmap', { ...MAP, mode: 'paint' })
  const [from, to] = [await middle(1, 1), await middle(1, 4)]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 2 }) // so fast that the pointer skips cells
  await page.mouse.up()
  const stroke = await events('cell-paint')
  assert.deepEqual(
    stroke.map(({ row, column, hide, isFirst }) => [row, column, hide, isFirst]),
    [1, 2, 3, 4].map(column => [1, column, true, column === 1]),
  )
  await map().focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press(' ')
  await page.keyboard.press('Shift+ArrowDown')
  const keys = await events('cell-paint')
  assert.deepEqual(
    keys.map(({ row, column }) => [row, column]),
    [[0, 0], [1, 0]], // biome-ignore format: pairs
  )
  await map().evaluate((element, { x, y }) => {
    const touch = (/** @type {string} */ type, /** @type {number} */ dy) =>
      element.dispatchEvent(
        new PointerEvent(type, {
          pointerType: 'touch',
          pointerId: 7,
          clientX: x,
          clientY: y + dy,
          button: 0,
          bubbles: true,
        }),
      )
    element.setPointerCapture = () => {} // the simulated finger cannot be captured
    touch('pointerdown', 0)
    touch('pointermove', 31)
    touch('pointerup', 31)
  }, from)
  const touched = await events('cell-paint')
  assert.deepEqual(
    touched.map(({ row, column }) => [row, column]),
    [[1, 1], [2, 1]], // biome-ignore format: pairs
  )
  const action = await map().evaluate(element => getComputedStyle(element).touchAction)
  assert.equal(action, 'none', 'a stroke does not scroll the page')
})

test('a number is typed or dragged; nonsense changes nothing', async () => {
  await show('qkv-heatmap', { ...MAP, editable: true })
  const type = async (/** @type {string} */ letters) => {
    await map().focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type(letters)
    await page.keyboard.press('Enter')
    return events('cell-edit')
  }
  await becomes(() => type('1.5'), [{ row: 0, column: 0, value: 1.5, old: 1, isFirst: true }])
  await becomes(() => type('2,25'), [{ row: 0, column: 0, value: 2.25, old: 1, isFirst: true }])
  await becomes(() => type('1e-'), [])
  const { x, y } = await middle(2, 2)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y - 20, { steps: 2 })
  await page.mouse.up()
  const dragged = await events('cell-edit')
  assert.ok(dragged.every(({ row, column, old }) => row === 2 && column === 2 && old === 0.5))
  assert.equal(dragged.at(-1).value, 0.6)
  assert.deepEqual(
    dragged.map(({ isFirst }) => isFirst),
    dragged.map((_, i) => i === 0),
  )
})

test('two fingers zoom', async () => {
  const element = await show('qkv-heatmap', { matrix: { data: Array(2500).fill(0.5), dims: [50, 50] } })
  await map().evaluate(target => {
    const { left, top } = target.getBoundingClientRect()
    const finger = (/** @type {string} */ type, /** @type {number} */ pointerId, /** @type {number} */ x) =>
      target.dispatchEvent(
        new PointerEvent(type, { pointerType: 'touch', pointerId, clientX: left + x, clientY: top + 200, button: 0 }),
      )
    finger('pointerdown', 1, 150)
    finger('pointerdown', 2, 200)
    finger('pointermove', 2, 250)
    finger('pointerup', 1, 150)
    finger('pointerup', 2, 250)
  })
  await becomes(() => element.evaluate(({ view }) => view.zoom), 2)
})

test('a wrong tensor gives a message in the element, and the next tensor is shown', async () => {
  const element = await show('qkv-heatmap', { matrix: { data: [1, 2, 3], dims: [2, 2] } })
  const said = () => page.locator('qkv-heatmap .problem').textContent()
  await becomes(said, 'Expected 4 numbers for dims (2, 2), got 3.')
  const tries = [
    [{ matrix: { data: [1, 2], dims: [2] } }, 'Expected 2 axes, got dims (2).'],
    [{ matrix: 'no tensor' }, 'Expected a tensor { data, dims }, got string.'],
    [{ matrix: { data: ['1'], dims: [1, 1] } }, 'Expected numbers in data, got string.'],
    [{ matrix: { data: [1], dims: [1, -1] } }, 'Expected 2 axes, got dims (1, -1).'],
    [{ matrix: MATRIX, minus: { data: [1], dims: [1, 1] } }, 'Expected tensors of one size, got (6, 6) and (1, 1).'],
    [
      { matrix: MATRIX, minus: undefined, mask: { data: [1], dims: [1, 1] } },
      'Expected a mask of size (6, 6), got (1, 1).',
    ],
  ]
  for (const [properties, words] of tries) {
    await element.evaluate((heatmap, given) => Object.assign(heatmap, given), properties)
    await becomes(said, words)
  }
  await element.evaluate((heatmap, given) => Object.assign(heatmap, { mask: undefined, ...given }), MAP)
  await becomes(() => page.locator('qkv-heatmap .problem').count(), 0)
  await becomes(() => map().count(), 1)
})

for (const [rows, columns] of [[0, 0], [0, 3], [1, 1], [1, 300], [300, 1], [5000, 3]]) // biome-ignore format: pairs
  test(`a map of ${rows} by ${columns} is shown`, async () => {
    const data = Array.from({ length: rows * columns }, (_, i) => i / (rows * columns))
    const element = await show('qkv-heatmap', { matrix: { data, dims: [rows, columns] } })
    if (rows * columns === 0)
      await becomes(() => page.locator('qkv-heatmap .quiet').textContent(), 'Nothing to show yet.')
    else {
      await map().focus()
      await page.keyboard.press('Control+End')
      await becomes(() => announced('qkv-heatmap'), new RegExp(`^row ${rows} to column ${columns}: `))
    }
    await becomes(() => element.evaluate(heatmap => heatmap.toSVG()), /^<svg [\s\S]*<\/svg>$/)
  })

test('the field for a number stays within the map, also in its last column', async () => {
  await show('qkv-heatmap', { ...MAP, editable: true })
  await map().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('5')
  const right = async (/** @type {string} */ selector) => {
    const box = await page.locator(`qkv-heatmap ${selector}`).boundingBox()
    return box && box.x + box.width
  }
  await page.locator('qkv-heatmap input').waitFor()
  await becomes(async () => Number(await right('input')) <= Number(await right('.map')), true)
})
