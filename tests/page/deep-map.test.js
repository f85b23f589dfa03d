// Tests <qkv-deep-map>: which tiles it requests for a view, what it shows if they do not arrive, and how a reader moves the view.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { positions } from '../../web/elements/deep-drawing.js'
import { domainFor, levelOf, linkAt, strongestIn, TILE, Tiles, tilesIn } from '../../web/elements/deep-levels.js'
import { useElements } from './elements.js'
import { becomes, page, url, violations } from './open.js'

/** @import { TileRequest } from '../../web/elements/deep-levels.js' */

const SIZE = { rows: 16384, columns: 16384 }
const WHOLE = { row: 0, column: 0, rows: 16384, columns: 16384 }
/** Makes a tile of ones. @param {TileRequest} request */
const ones = ({ resolution: [rows, columns] }) => ({
  data: new Float32Array(rows * columns).fill(1),
  dims: [rows, columns],
})
/** Waits until a condition is true. @param {() => unknown} is */
async function until(is) {
  const end = performance.now() + 60_000
  while (!is()) {
    assert.ok(performance.now() < end, String(is))
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

test('a level has cells of at least a pixel, and its tiles cover a view once', () => {
  assert.deepEqual([44, 1, 0.6, 0.5, 0.05, 1 / 32].map(levelOf), [0, 0, 1, 1, 5, 5])
  for (const part of [
    { row: 0, column: 0, rows: 1, columns: 1 },
    { row: 127, column: 128, rows: 2, columns: 1 },
    { row: 16000, column: 3, rows: 384, columns: 900 },
  ])
    for (const level of [0, 1, 4]) {
      const tiles = tilesIn(SIZE, part, level)
      const covers = (/** @type {number} */ row, /** @type {number} */ column) =>
        tiles.filter(
          ({ rows, columns }) => row >= rows[0] && row < rows[1] && column >= columns[0] && column < columns[1],
        ).length
      for (const row of [part.row, part.row + part.rows - 1])
        for (const column of [part.column, part.column + part.columns - 1]) assert.equal(covers(row, column), 1)
      for (const { rows, resolution } of tiles) assert.equal(resolution[0], Math.ceil((rows[1] - rows[0]) / 2 ** level))
    }
  assert.deepEqual(tilesIn({ rows: 300, columns: 10 }, { row: 290, column: 0, rows: 10, columns: 10 }, 0), [
    { level: 0, rows: [256, 300], columns: [0, 10], resolution: [44, 10] },
  ])
})

test('a tile covers at most as much of the matrix as its source allows', () => {
  const source = { ...SIZE, tileSide: 4096 }
  assert.deepEqual(tilesIn(source, WHOLE, 5), tilesIn(SIZE, WHOLE, 5))
  const coarse = tilesIn(source, WHOLE, 6)
  assert.deepEqual([coarse.length, coarse[0].rows, coarse[0].resolution], [16, [0, 4096], [64, 64]])
  for (const tileSide of [100, 4096.5, Number.NaN])
    assert.throws(
      () => new Tiles({ ...source, tileSide, tile: ones }, () => {}),
      /source\.tileSide: expected a whole number from 128/,
    )
})

test('the strongest cells of a view are found, and a cell names the part of the matrix that it represents', () => {
  const data = new Float32Array(16)
  data[6] = 3
  data[9] = -5
  data[15] = 7
  const tile = { level: 1, rows: [0, 7], columns: [8, 16], resolution: [4, 4], data }
  const links = strongestIn([/** @type {any} */ (tile)], { row: 0, column: 8, rows: 6, columns: 6 }, 2)
  assert.deepEqual(links, [
    { rows: [4, 6], columns: [10, 12], value: -5 },
    { rows: [2, 4], columns: [12, 14], value: 3 },
  ])
  for (let row = 0; row < 7; row++) {
    const { rows } = linkAt(/** @type {any} */ (tile), row, 9)
    assert.ok(row >= rows[0] && row < rows[1] && Math.floor((row * 4) / 7) === Math.floor((rows[0] * 4) / 7), `${row}`)
  }
})

test('colours end at a round number above the visible values; positions are round numbers apart', () => {
  assert.deepEqual(domainFor('sequential', { least: 0, most: 0.043 }), [0, 0.05])
  assert.deepEqual(domainFor('sequential', { least: 0, most: 1 }), [0, 1])
  assert.deepEqual(domainFor('sequential', { least: 0, most: 1.003 }), [0, 1])
  assert.deepEqual(domainFor('sequential', { least: 0, most: 1.02 }), [0, 2])
  assert.deepEqual(domainFor('sequential', { least: 0, most: 0 }), [0, 1])
  assert.deepEqual(domainFor('diverging', { least: -3, most: 1 }), [-5, 5])
  assert.deepEqual(positions(0, 16384, 0.04), [1999, 3999, 5999, 7999, 9999, 11999, 13999, 15999])
  assert.deepEqual(positions(100, 4, 100), [100, 101, 102, 103])
})

test('tiles around the middle come first; requests outside the view are ended; kept tiles are not requested again', async () => {
  /** @type {{ request: TileRequest, answer: (tile: unknown) => void }[]} */
  const asked = []
  const source = {
    ...SIZE,
    tile: (/** @type {TileRequest} */ request) =>
      /** @type {Promise<any>} */ (new Promise(answer => asked.push({ request, answer }))),
  }
  const tiles = new Tiles(source, () => {})
  tiles.look({ row: 0, column: 0, rows: 384, columns: 384 }, 0)
  await until(() => asked.length === 4)
  assert.deepEqual(asked[0].request.rows, [TILE, 2 * TILE], 'the middle one')
  tiles.look({ row: 4000, column: 4000, rows: 10, columns: 10 }, 0)
  assert.ok(asked.every(({ request }) => request.signal.aborted))
  await until(() => asked.length === 5)
  asked[4].answer(ones(asked[4].request))
  await until(() => !tiles.isWaiting)
  assert.equal(tiles.shown({ row: 4000, column: 4000, rows: 10, columns: 10 }, 0).length, 1)
  tiles.look({ row: 4001, column: 4000, rows: 10, columns: 10 }, 0)
  assert.equal(tiles.isWaiting, false)
  assert.equal(asked.length, 5)
  tiles.stop()
})

test('a source that throws, never answers or gives another size is reported, and coarser tiles stay', async () => {
  const overview = { data: new Float32Array(64 * 64).fill(0.5), dims: [64, 64] }
  const part = { row: 0, column: 0, rows: 300, columns: 100 }
  /** @type {[any, string, RegExp][]} */
  const wrong = [
    [() => { throw new Error('no disk') }, 'deepThrew', /no disk/],
    [async () => { throw new Error('no net') }, 'deepThrew', /no net/],
    [() => new Promise(() => {}), 'deepLate', /1/],
    [() => ({ data: new Float32Array(6), dims: [2, 3] }), 'deepSize', /2, 3/],
    [() => ({ data: [1], dims: [2, 3] }), 'deepThrew', /problemSize/],
    [() => undefined, 'deepThrew', /problemTensor/],
  ] // biome-ignore format: a line each
  for (const [tile, key, message] of wrong) {
    const tiles = new Tiles({ ...SIZE, overview, tile, patience: 20 }, () => {})
    tiles.look(part, 0)
    await until(() => !tiles.isWaiting)
    assert.equal(tiles.failure?.key, key)
    assert.match(JSON.stringify(tiles.failure?.values), message)
    assert.deepEqual(tiles.covering(part, 0), [tiles.overview])
    tiles.look({ row: 9000, column: 0, rows: 1, columns: 1 }, 0)
    assert.equal(tiles.failure, undefined, 'it is said where it is looked at')
    tiles.stop()
  }
  let count = 0
  const tiles = new Tiles({ ...SIZE, tile: request => (count++ < 1 ? assert.fail('once') : ones(request)) }, () => {})
  tiles.look({ row: 0, column: 0, rows: 1, columns: 1 }, 0)
  await until(() => tiles.failure)
  tiles.retry()
  tiles.look({ row: 0, column: 0, rows: 1, columns: 1 }, 0)
  await until(() => !tiles.isWaiting)
  assert.equal(tiles.failure, undefined)
  const patient = new Tiles(
    { ...SIZE, tile: () => new Promise(() => {}), patience: Number.POSITIVE_INFINITY },
    () => {},
  )
  patient.look({ row: 0, column: 0, rows: 1, columns: 1 }, 0)
  await new Promise(resolve => setTimeout(resolve, 30))
  assert.ok(patient.isWaiting && !patient.failure, 'an endless patience is no timer that ends at once')
  patient.stop()
  const hasty = { rows: 4, columns: 4, tile: ones, patience: -1 }
  for (const given of [
    {},
    { rows: 0, columns: 4 },
    { rows: 4, columns: 1.5, tile: ones },
    { rows: 4, columns: 4 },
    hasty,
  ])
    assert.throws(() => new Tiles(/** @type {any} */ (given), () => {}), /source/)
})

test('an overview that is as fine as a level needs no tiles, and few tiles are held', async () => {
  let count = 0
  const tile = (/** @type {TileRequest} */ request) => {
    count++
    return ones(request)
  }
  const overview = { data: new Float32Array(512 * 512), dims: [512, 512] }
  const tiles = new Tiles({ ...SIZE, overview, tile }, () => {})
  tiles.look(WHOLE, 5)
  assert.equal(count, 0)
  for (let n = 0; n < 60; n++) {
    tiles.look({ row: n * 256, column: 0, rows: 256, columns: 256 }, 0)
    await until(() => !tiles.isWaiting)
  }
  assert.ok(count >= 240, `${count}`)
  assert.ok(tiles.shown(WHOLE, 0).length <= 160)
})

useElements()

test('the map zooms from 16,384 rows to a number by wheel, keys and a link of its table; each frame does little', async () => {
  await page.evaluate(async () => {
    await customElements.whenDefined('qkv-deep-map')
    const map = /** @type {any} */ (document.createElement('qkv-deep-map'))
    const size = 16384
    // Each query looks at the key before it, and every 1,000th strongly at key 5.
    const at = (/** @type {number} */ i, /** @type {number} */ j) =>
      j === i - 1 ? 0.5 : j === 5 && i % 1000 === 0 ? 0.9 : 0
    // The zoom below needs more tiles than one frame may draw.
    const overview = { data: new Float32Array(384 * 384), dims: [384, 384] }
    for (let r = 0; r < 384; r++) overview.data[r * 385] = 0.5
    const tile = async (/** @type {any} */ { rows, columns, resolution }) => {
      const data = new Float32Array(resolution[0] * resolution[1])
      const step = Math.round((rows[1] - rows[0]) / resolution[0])
      for (let i = rows[0]; i < rows[1]; i++)
        for (const j of [i - 1, 5])
          if (j >= columns[0] && j < columns[1])
            data[Math.floor((i - rows[0]) / step) * resolution[1] + Math.floor((j - columns[0]) / step)] +=
              at(i, j) / step
      return { data, dims: resolution }
    }
    const tokens = Array.from({ length: size }, (_, i) => `w${i}`)
    Object.assign(map, {
      label: 'Far',
      source: { rows: size, columns: size, overview, tile },
      rowTokens: tokens,
      columnTokens: tokens,
    })
    const seen = /** @type {any} */ (window)
    seen.pins = []
    seen.most = { pictures: 0, cells: 0, shapes: 0 }
    map.addEventListener('cell-pin', (/** @type {any} */ event) => seen.pins.push(event.detail))
    const draw = map.drawing.draw.bind(map.drawing)
    map.drawing.draw = (/** @type {any[]} */ ...given) => {
      const again = draw(...given)
      for (const name of Object.keys(seen.most)) seen.most[name] = Math.max(seen.most[name], map.drawing.work[name])
      return again
    }
    document.querySelector('main')?.append(map)
  })
  const map = page.locator('qkv-deep-map')
  const status = map.locator('[role=status]')
  await status.filter({ hasText: 'Rows 1 to 16384 of 16384' }).waitFor({ state: 'attached' })
  const area = map.locator('.map')
  await area.focus()
  await page.keyboard.press('+')
  await status.filter({ hasNotText: 'Rows 1 to 16384' }).waitFor({ state: 'attached' })
  await page.keyboard.press('Home')
  await status.filter({ hasText: 'Rows 1 to 16384 of 16384' }).waitFor({ state: 'attached' })

  // Zooms with the wheel at the corner, down to a few cells.
  const box = await area.boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + 130, box.y + 110)
  for (let n = 0; n < 24; n++) await page.mouse.wheel(0, -120)
  await map.locator('.labels').filter({ hasNotText: 'stands for' }).waitFor()
  for (let n = 0; n < 6; n++) await page.keyboard.press('ArrowRight')
  for (let n = 0; n < 6; n++) await page.keyboard.press('-')
  await status.filter({ hasText: /of 16384, columns/ }).waitFor({ state: 'attached' })

  await map.evaluate(element => /** @type {any} */ (element).show({ row: 3000, column: 5 }))
  await map.locator('summary').click()
  const first = map.locator('tbody tr').first()
  await first.filter({ hasText: 'w3000 (3001)' }).waitFor()
  await first.filter({ hasText: '0.9000' }).waitFor()
  await first.locator('button').click()
  await page.waitForFunction(() => /** @type {any} */ (window).pins.length > 0)
  const pins = await page.evaluate(() => /** @type {any} */ (window).pins.at(-1))
  assert.deepEqual([pins.row, pins.column, Number(pins.value.toFixed(4))], [3000, 5, 0.9])
  const words = await map.evaluate(element => /** @type {any} */ (element).describe({ row: 3000, column: 5 }))
  assert.equal(words, 'w3000 (3001) to w5 (6): 0.9000')
  const most = await page.evaluate(() => /** @type {any} */ (window).most)
  assert.ok(most.pictures <= 160 && most.cells <= 6 * 128 ** 2 && most.shapes <= 8192, JSON.stringify(most))

  await map.evaluate(element =>
    Object.assign(element, { source: { rows: 900, columns: 900, tile: () => Promise.reject(new Error('gone')) } }),
  )
  await map.locator('[part=problem]').filter({ hasText: 'gone' }).waitFor()
  await map.locator('[part=problem] button').click()
  await map.evaluate(element => Object.assign(element, { source: { rows: 2 } }))
  await map.locator('[part=problem]').filter({ hasText: 'source.columns' }).waitFor()
})

/** Adds a map with this many rows whose numbers are all 0.25, and records its texts and events. @param {number} size */
async function addMap(size) {
  await page.evaluate(async size => {
    await customElements.whenDefined('qkv-deep-map')
    const map = /** @type {any} */ (document.createElement('qkv-deep-map'))
    const full = (/** @type {number[]} */ dims) => ({ data: new Float32Array(dims[0] * dims[1]).fill(0.25), dims })
    const tokens = Array.from({ length: size }, (_, i) => `w${i}`)
    const tile = (/** @type {any} */ { resolution }) => full([...resolution])
    const source = { rows: size, columns: size, overview: full([8, 8]), tile }
    Object.assign(map, { label: 'Even', source, rowTokens: tokens, columnTokens: tokens })
    const seen = /** @type {any} */ (window)
    seen.pins = []
    map.addEventListener('cell-pin', (/** @type {any} */ { detail }) => seen.pins.push(detail))
    const draw = map.drawing.draw.bind(map.drawing)
    map.drawing.draw = (/** @type {any} */ pen, /** @type {any[]} */ ...given) => {
      /** @type {string[]} */
      const texts = []
      const noting = new Proxy(pen, {
        get: (target, name) => {
          const value = target[name]
          if (typeof value !== 'function') return value
          return (/** @type {any[]} */ ...parts) => {
            if (name === 'text') texts.push(parts[0])
            return value.apply(target, parts)
          }
        },
      })
      const again = draw(noting, ...given)
      seen.last = { texts, cell: given[2].cellWidth, height: given[2].cellHeight }
      return again
    }
    document.body.style.background = 'Canvas'
    document.querySelector('main')?.append(map)
  }, size)
  await becomes(() => page.evaluate(() => /** @type {any} */ (window).last?.cell > 0), true)
}

test('words are written from 12 pixels of a cell on, numbers from 44; below there are positions', async () => {
  await addMap(64)
  const base = await page.evaluate(() => /** @type {any} */ (window).last.cell)
  const written = (/** @type {RegExp} */ pattern) =>
    page.evaluate(
      source =>
        /** @type {any} */ (window).last.texts.filter((/** @type {string} */ x) => new RegExp(source).test(x)).length >
        0,
      pattern.source,
    )
  for (const [pixels, words, numbers] of /** @type {const} */ ([
    [11.9, false, false],
    [12, true, false],
    [43.9, true, false],
    [44, true, true],
  ])) {
    const zoom = pixels / base + 1e-9
    await page
      .locator('qkv-deep-map')
      .evaluate((map, zoom) => Object.assign(map, { view: { zoom, row: 8, column: 8 } }), zoom)
    await becomes(
      () => page.evaluate(() => Math.round(100 * /** @type {any} */ (window).last.cell)),
      Math.round(100 * pixels),
    )
    await becomes(() => written(/^w\d+$/), words, `words at ${pixels}`)
    await becomes(() => written(/^0?\.25/), numbers, `numbers at ${pixels}`)
    await becomes(() => written(/^\d\d+$/), !words, `positions at ${pixels}`)
  }
})

test('two fingers, a double click, Enter and the minimap move the view', async () => {
  await addMap(1000)
  const map = page.locator('qkv-deep-map')
  const area = map.locator('.map')
  const view = () => map.evaluate(element => ({ .../** @type {any} */ (element).view }))
  await area.evaluate(element => {
    const { left, top } = element.getBoundingClientRect()
    const finger = (/** @type {string} */ type, /** @type {number} */ pointerId, /** @type {number} */ x) =>
      element.dispatchEvent(
        new PointerEvent(type, { pointerType: 'touch', pointerId, clientX: left + x, clientY: top + 200, button: 0 }),
      )
    finger('pointerdown', 1, 150)
    finger('pointerdown', 2, 200)
    finger('pointermove', 2, 250)
    finger('pointerup', 1, 150)
    finger('pointerup', 2, 250)
  })
  await becomes(async () => Math.round(100 * (await view()).zoom), 200, 'twice as far apart')
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).pins), [], 'a pinch is no click')
  const before = await view()
  await area.dblclick({ position: { x: 300, y: 300 } })
  await becomes(async () => Math.round(100 * (await view()).zoom), 500, '2.5 times as large')
  assert.ok((await view()).row > before.row)
  await map.evaluate(element => Object.assign(element, { view: { zoom: 100, row: 700, column: 300 } }))
  await map.locator('.labels').filter({ hasNotText: 'stands for' }).waitFor()
  await area.focus()
  await page.keyboard.press('Enter')
  const pins = () => page.evaluate(() => /** @type {any} */ (window).pins.slice(-1))
  await becomes(async () => (await pins())[0]?.value, 0.25)
  const [{ row, column }] = await pins()
  assert.ok(Math.abs(row - 705) <= 1 && Math.abs(column - 305) <= 1, `${row}, ${column}`)
  const mini = map.locator('.minimap')
  const { width = 0, height = 0 } = (await mini.boundingBox()) ?? {}
  await mini.click({ position: { x: width / 4, y: (3 * height) / 4 } })
  const near = async () => {
    const { row, column } = await view()
    return Math.abs(row + 5 - 750) < 15 && Math.abs(column + 5 - 250) < 15
  }
  await becomes(near, true, 'what was clicked in the minimap is in the middle')
  await map.locator('summary').click()
  assert.deepEqual(await violations(), [])
})

test('the example of docs/elements.md shows its 10,000 rows and zooms to its numbers', async () => {
  const docs = await readFile(new URL('../../docs/elements.md', import.meta.url), 'utf8')
  const example = docs.match(/```html\n(<qkv-deep-map [\s\S]*?)```/)?.[1] ?? ''
  assert.match(example, /rows: 10000, columns: 10000/)
  const imports = JSON.stringify({ imports: { 'qkv/elements/deep-map': '/dist/elements/deep-map.js' } })
  const icon = '<link rel="icon" href="/web/icon.svg" type="image/svg+xml" />'
  const body = `<!doctype html><html lang="en"><head>${icon}<title>Example</title><script type="importmap">${imports}</script></head><body><main>${example}</main></body></html>`
  await page.route('**/example-of-docs.html', route => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(`${url}example-of-docs.html`)
  const map = page.locator('qkv-deep-map')
  await map.locator('[role=status]').filter({ hasText: 'Rows 1 to 10000 of 10000' }).waitFor({ state: 'attached' })
  // the number in row 100 and column 97: sin(100 / 40)^2 * exp(-3 / 500)
  await map.evaluate(element => /** @type {any} */ (element).show({ row: 100, column: 97 }))
  const said = () => map.evaluate(element => /** @type {any} */ (element).describe({ row: 100, column: 97 }))
  await becomes(said, /: 0\.3560$/)
  assert.equal(await map.locator('[part=problem]').count(), 0)
})
