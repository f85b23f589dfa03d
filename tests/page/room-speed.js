// Measures times of the room "Models" in the page, for its tests and for npm run bench:room.

/** @import { Page } from 'playwright-core' */

/** A text for the stories model. With one of the two words of LAST, between which typing alternates, it has 40 tokens. */
export const STORY = [
  'Lily and Tom are friends . Lily goes to the park . Tom has a red ball .',
  'Lily has a blue hat . Where is Lily ? In the park . Is she Lily ? Tom takes',
].join(' ')
export const LAST = ['his', 'her']

/**
 * Measures two times to the frame that shows all heads, the answer and the tokens of a new text, in milliseconds: `key` from a key in the text
 * field, `answer` from the worker's answer (needs noteAnswers).
 * @param {Page} page
 * @param {string} text that differs from the one that is shown
 */
export const timesOf = (page, text) =>
  page.evaluate(async text => {
    const main = /** @type {HTMLElement} */ (document.querySelector('main.models'))
    const atlas = () => /** @type {any} */ (document.querySelector('models-atlas'))
    const field = /** @type {HTMLTextAreaElement} */ (document.querySelector('#models-text'))
    const { answers } = main.dataset
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    await frame()
    const start = performance.now()
    field.value = text
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    while (main.dataset.answers === answers) await frame()
    await atlas().updateComplete
    // A message is handled after the frame in which the answer is painted.
    await frame()
    await new Promise(resolve => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(0)
    })
    const end = performance.now()
    const { layers, numHeads: heads, rows } = atlas().maps
    const answer = end - /** @type {any} */ (globalThis).answeredAt
    return { key: end - start, answer, tokens: rows, heads: layers * heads }
  }, text)

/**
 * Records when the worker's answer arrives. Call it before the page is opened.
 * @param {import('playwright-core').BrowserContext | Page} context
 */
export const noteAnswers = context =>
  context.addInitScript(() => {
    const own = globalThis.Worker
    globalThis.Worker = class extends own {
      /** @param {string | URL} url @param {WorkerOptions} [options] */
      constructor(url, options) {
        super(url, options)
        this.addEventListener('message', ({ data }) => {
          if (data?.type === 'value' && data.value?.maps) /** @type {any} */ (globalThis).answeredAt = performance.now()
        })
      }
    }
  })

/** The panels that explain an answer. `opens`: selector of the control that opens it; `picture`: selector of its first picture. */
const PANELS = {
  reasons: { opens: 'qkv-heatmap', picture: '#models-reasons' },
  matters: { opens: '#models-matters > summary', picture: '#matters-heads' },
  graph: { opens: '#models-graph > summary', picture: '#graph-picture' },
}

/** The names of the panels. */
export const PANEL_NAMES = /** @type {(keyof typeof PANELS)[]} */ (Object.keys(PANELS))

/** Milliseconds after which the code of the panels counts as never loaded. */
const PATIENCE = 60_000
/** Names of the chunks that draw the panels. The page requests what a chunk imports before the chunk, so comeNear waits for the imports, too. */
const CHUNKS = ['matters-panel', 'graph-panel', 'cell-inspector']

/**
 * Moves the pointer into the room, and waits until the code of its panels is loaded.
 * @param {Page} page
 * @returns {Promise<string[]>} the addresses that are loaded so far; later ones are added to this list
 */
export async function comeNear(page) {
  /** @type {string[]} */
  const loaded = []
  let open = 0
  page.context().on('request', () => void open++)
  page.context().on('requestfinished', request => {
    loaded.push(request.url())
    open--
  })
  const isHere = (/** @type {string} */ name) => loaded.some(url => new RegExp(`/${name}-[^/]*\\.js$`).test(url))
  await page.hover('#models-top')
  await page.locator('main[data-prepared="here"]').waitFor() // the worker has loaded its code
  for (const end = Date.now() + PATIENCE; open > 0 || !CHUNKS.every(isHere); await page.waitForTimeout(20))
    if (Date.now() > end) throw new Error(`not loaded: ${CHUNKS.filter(name => !isHere(name)).join(', ')}`)
  return loaded
}

/** Milliseconds for which a reader's pointer is at least on a control before the click. */
const POINTING = 150

/**
 * Measures milliseconds from a click to the frame that shows the first picture of a panel. For the panel `reasons` of a weight, a head must
 * be open before the call.
 * @param {Page} page
 * @param {keyof typeof PANELS} name
 */
export async function firstPicture(page, name) {
  const { opens, picture } = PANELS[name]
  await page.hover(opens)
  await page.waitForTimeout(POINTING)
  return page.evaluate(
    async ({ opens, picture, isWeight }) => {
      const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
      await frame()
      const element = /** @type {HTMLElement} */ (document.querySelector(opens))
      const start = performance.now()
      if (isWeight)
        element.dispatchEvent(new CustomEvent('cell-pin', { detail: { row: 37, column: 19 }, bubbles: true }))
      else element.click()
      while (!document.querySelector(picture)) await frame()
      // A message is handled after the frame is painted.
      await frame()
      await new Promise(resolve => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = resolve
        port2.postMessage(0)
      })
      return performance.now() - start
    },
    { opens, picture, isWeight: name === 'reasons' },
  )
}

/**
 * Measures milliseconds from the request for a part of the open head of a long text to its numbers. A part is two tiles on the diagonal, each with
 * `side` tokens a side, and one tile below the diagonal, where every key is visible.
 * @param {Page} page
 * @param {number} side
 * @param {number} samples
 * @returns {Promise<number[]>} one for each of several parts. They differ, so that none is in the cache
 */
export const tileTimes = (page, side, samples) =>
  page.evaluate(
    async ({ side, samples }) => {
      const { source } = /** @type {any} */ (document.querySelector('#models-deep'))
      const { signal } = new AbortController()
      const size = Math.min(128, side)
      const times = []
      for (let n = 0; n < samples; n++) {
        const row = source.rows - side - 8 * (n + 1)
        const column = n % 3 ? row : Math.max(0, row - side)
        const start = performance.now()
        await source.tile({
          rows: [row, row + side],
          columns: [column, column + side],
          resolution: [size, size],
          signal,
        })
        times.push(performance.now() - start)
      }
      return times
    },
    { side, samples },
  )

/**
 * Measures the milliseconds until the first tile of the whole map arrives, and until all of them have. Requests two at a time, as the map does.
 * @param {Page} page
 */
export const wholeTimes = page =>
  page.evaluate(async () => {
    const { source } = /** @type {any} */ (document.querySelector('#models-deep'))
    const { rows: length, tileSide } = source
    const { signal } = new AbortController()
    /** @type {[number, number][]} */
    const spans = []
    for (let from = 0; from < length; from += tileSide) spans.push([from, Math.min(length, from + tileSide)])
    const queue = spans.flatMap(rows => spans.map(columns => ({ rows, columns })))
    const count = queue.length
    const start = performance.now()
    let first = 0
    const take = async () => {
      for (let part = queue.pop(); part; part = queue.pop()) {
        const resolution = [part.rows, part.columns].map(([from, to]) => Math.ceil((to - from) / 32))
        await source.tile({ ...part, resolution, signal })
        first ||= performance.now() - start
      }
    }
    await Promise.all([take(), take()])
    return { first, all: performance.now() - start, count }
  })

/**
 * Runs a long text through the open model, and opens a head of it.
 * @param {Page} page
 * @param {string} text
 * @param {number} tokens
 */
export async function readLong(page, text, tokens) {
  await page.fill('#models-text', text)
  const isRead = (/** @type {number} */ tokens) =>
    /** @type {any} */ (document.querySelector('models-atlas'))?.maps?.rows === tokens
  // A text that takes long is read only after a click.
  const read = page.locator('#models-draft-read')
  await Promise.race([read.waitFor(), page.waitForFunction(isRead, tokens)])
  if (await read.count()) await read.click()
  await page.waitForFunction(isRead, tokens)
  await page.locator('#models-ranked button').first().click()
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#models-deep'))?.source)
}

/**
 * Measures milliseconds from the last wheel event of a gesture to the frame in which all tiles of the new level are drawn and opaque.
 * @param {Page} page the map of a long text is open
 * @param {number} samples
 * @returns {Promise<number[]>} one for each gesture, at different places
 */
export async function gestureTimes(page, samples) {
  const map = page.locator('#models-deep')
  await map.scrollIntoViewIfNeeded()
  await map.evaluate(element => {
    const { drawing } = /** @type {any} */ (element)
    const draw = drawing.draw.bind(drawing)
    const seen = /** @type {any} */ (globalThis)
    const note = (/** @type {any} */ { timeStamp }) => {
      seen.gestureAt = timeStamp
      seen.sharpAt = 0
    }
    element.addEventListener('wheel', note, { capture: true, passive: true })
    drawing.draw = (
      /** @type {any} */ pen,
      /** @type {any} */ about,
      /** @type {any} */ tiles,
      /** @type {any[]} */ ...rest
    ) => {
      const again = draw(pen, about, tiles, ...rest)
      const { view, plot, cellWidth, cellHeight, rows, columns } = rest[0]
      const part = {
        row: Math.floor(view.row),
        column: Math.floor(view.column),
        rows: Math.min(rows - Math.floor(view.row), Math.ceil(plot.height / cellHeight)),
        columns: Math.min(columns - Math.floor(view.column), Math.ceil(plot.width / cellWidth)),
      }
      const level = Math.max(0, Math.ceil(Math.log2(1 / Math.min(cellWidth, cellHeight)) - 1e-9))
      const found = tiles.covering(part, level)
      // The picture is sharp if all tiles of the level, or an overview that is as fine, are drawn.
      if (!again && found.every((/** @type {any} */ tile) => tile.level <= level)) seen.sharpAt ||= performance.now()
      return again
    }
  })
  const box = (await map.locator('.map').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const times = []
  for (let n = 0; n < samples; n++) {
    await map.locator('.map').focus()
    await page.keyboard.press('Home')
    await page.waitForTimeout(400)
    const share = 0.5 + (0.4 * n) / samples
    await page.mouse.move(box.x + 90 + (box.width - 110) * (share - 0.05), box.y + 60 + (box.height - 110) * share)
    for (let turn = 0; turn < 6 + (n % 5); turn++) {
      await page.mouse.wheel(0, -120)
      await page.waitForTimeout(16)
    }
    times.push(
      await page.evaluate(async () => {
        const seen = /** @type {any} */ (globalThis)
        while (!seen.sharpAt) await new Promise(resolve => requestAnimationFrame(resolve))
        return seen.sharpAt - seen.gestureAt
      }),
    )
  }
  return times
}

/**
 * Measures the page's main-thread processor time during `work`, in milliseconds.
 * @param {Page} page
 * @param {() => Promise<unknown>} work
 */
async function taskTime(page, work) {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  const now = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const start = await now()
  await work()
  const time = (await now()) - start
  await client.detach()
  return time
}

/** Pans the map or scrolls the words in each of `count` frames. @param {Page} page @param {number} count @param {'pan' | 'scroll'} what @returns {Promise<number>} milliseconds of the map's own work for a pan, 0 for a scroll */
const framesOf = (page, count, what) =>
  page.evaluate(
    async ({ count, what }) => {
      const map = /** @type {any} */ (document.querySelector('#models-deep'))
      const list = document.querySelector('.long-words')
      let own = 0
      for (let n = 0; n < count; n++) {
        if (what === 'pan') {
          map.view = { ...map.view, row: map.view.row + 3, column: map.view.column + 3 }
          const start = performance.now()
          map.performUpdate()
          own += performance.now() - start
        } else if (list) list.scrollTop += 120
        await new Promise(resolve => requestAnimationFrame(resolve))
      }
      return own / count
    },
    { count, what },
  )

/**
 * Measures the main-thread milliseconds for a frame of a pan, for a tile that arrives, and for a frame in which the words scroll.
 * @param {Page} page the map of a long text is open
 */
export async function frameWork(page) {
  const frames = 60
  const map = page.locator('#models-deep')
  await map.evaluate(element =>
    /** @type {any} */ (element).show({ row: 9000, column: 6000, rows: 1500, columns: 1500 }),
  )
  await page.waitForTimeout(1500)
  const each = async (/** @type {'pan' | 'scroll'} */ what) => {
    await framesOf(page, 20, what) // compiles
    let own = 0
    const all = await taskTime(page, async () => {
      own = await framesOf(page, frames, what)
    })
    return { own, all: all / frames }
  }
  const pan = await each('pan')
  await page.waitForTimeout(1000)
  // Shows positions far from each other. At each of them all tiles are new.
  let count = 0
  const arrived = await taskTime(page, async () => {
    for (let n = 0; n < 6; n++)
      count += await map.evaluate(async (element, n) => {
        const own = /** @type {any} */ (element)
        const { source } = own
        let count = 0
        const tile = source.tile
        source.tile = (/** @type {any} */ request) => {
          count++
          return tile(request)
        }
        own.show({ row: 12000 + 600 * n, column: 1000 + 1500 * n, rows: 500, columns: 500 })
        await new Promise(resolve => setTimeout(resolve, 800))
        source.tile = tile
        return count
      }, n)
  })
  return { pan, tile: { all: arrived / count, count }, scroll: (await each('scroll')).all }
}

/**
 * Measures milliseconds from a click on "Cancel" to the message that the run was cancelled.
 * @param {Page} page
 * @param {string} text
 * @param {number[]} moments milliseconds between the start of a run and the click
 */
export async function cancelTimes(page, text, moments) {
  const times = []
  for (const [n, moment] of moments.entries()) {
    const other = text.split(' ').slice(0, -1 - n) // differs from the previous text
    await page.fill('#models-text', other.join(' '))
    await page.locator('#models-draft-read, #models-running').first().waitFor()
    if (await page.locator('#models-draft-read').count()) await page.click('#models-draft-read')
    await page.locator('#models-running button').waitFor()
    await page.waitForTimeout(moment)
    times.push(
      await page.evaluate(async () => {
        const button = /** @type {HTMLElement | null} */ (document.querySelector('#models-running button'))
        if (!button) throw new Error('the run had ended before it could be cancelled')
        const start = performance.now()
        button.click()
        while (!document.querySelector('#models-cancelled'))
          await new Promise(resolve => requestAnimationFrame(resolve))
        return performance.now() - start
      }),
    )
  }
  return times
}
