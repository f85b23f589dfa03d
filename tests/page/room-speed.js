// This module measures times of the room "Models" in the page, for its tests and for npm run bench:room.

/** @typedef {import('playwright-core').Page} Page */

/** A text of 40 tokens for the stories model; typing goes between two last words. */
export const STORY = [
  'Lily and Tom are friends . Lily goes to the park . Tom has a red ball .',
  'Lily has a blue hat . Where is Lily ? In the park . Is she Lily ? Tom takes',
].join(' ')
export const LAST = ['his', 'her']

/**
 * Measures milliseconds to the frame that shows all heads, the answer and the tokens of a new text: from a key in the text
 * field, and from the worker's answer (with noteAnswers).
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
    const { layers, heads, rows } = atlas().maps
    const answer = end - /** @type {any} */ (globalThis).answeredAt
    return { key: end - start, answer, tokens: rows, heads: layers * heads }
  }, text)

/**
 * Notes when the worker's answer arrives. It has to be called before the page is opened.
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

/** What opens each panel that explains an answer, and its first picture. */
const PANELS = {
  reasons: { opens: 'qkv-heatmap', picture: '#models-reasons' },
  matters: { opens: '#models-matters > summary', picture: '#matters-heads' },
  graph: { opens: '#models-graph > summary', picture: '#graph-picture' },
}

/** The names of the panels. */
export const PANEL_NAMES = /** @type {(keyof typeof PANELS)[]} */ (Object.keys(PANELS))

/** Milliseconds until what the panels need counts as never loaded. */
const PATIENCE = 60_000
/** The chunks of the page that draw the panels; what they import is asked for before them. */
const CHUNKS = ['matters-panel', 'graph-panel', 'cell-inspector']

/**
 * Lets the pointer come to the room, and waits until what its panels need is loaded.
 * @param {Page} page
 * @returns {Promise<string[]>} the addresses that are loaded, which grow later
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
  await page.locator('main[data-prepared="here"]').waitFor() // what its worker needs
  for (const end = Date.now() + PATIENCE; open > 0 || !CHUNKS.every(isHere); await page.waitForTimeout(20))
    if (Date.now() > end) throw new Error(`not loaded: ${CHUNKS.filter(name => !isHere(name)).join(', ')}`)
  return loaded
}

/** Milliseconds for which a reader's pointer is on what it clicks, at least. */
const POINTING = 150

/**
 * Milliseconds from a click to the frame that shows the first picture of a panel; of a weight the head is open.
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
 * Milliseconds from the request for a part of the open head of a long text to its numbers: two of so many tokens a side that
 * lie on the diagonal, and one below it, where every key is visible.
 * @param {Page} page
 * @param {number} side
 * @param {number} samples
 * @returns {Promise<number[]>} of parts that differ, so that none is held
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
 * The same for the whole, in the tiles and two at a time, as the map asks for them: until the first one is there, and all.
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
 * Lets the open model read a long text, and opens a head of it.
 * @param {Page} page
 * @param {string} text
 * @param {number} tokens
 */
export async function readLong(page, text, tokens) {
  await page.fill('#models-text', text)
  const isRead = (/** @type {number} */ tokens) =>
    /** @type {any} */ (document.querySelector('models-atlas'))?.maps?.rows === tokens
  // A text that takes long is read when the reader says so.
  const read = page.locator('#models-draft-read')
  await Promise.race([read.waitFor(), page.waitForFunction(isRead, tokens)])
  if (await read.count()) await read.click()
  await page.waitForFunction(isRead, tokens)
  await page.locator('#models-ranked button').first().click()
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#models-deep'))?.source)
}
