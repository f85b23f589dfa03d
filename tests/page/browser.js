// Starts a static server and a browser for the tests of the page.

import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { complaintsOf, launch as launchChromium } from '../browser/chromium.js'

/** @import { Page } from 'playwright-core' */

const SITE = fileURLToPath(new URL('../../site/', import.meta.url))
/** The site is served from a sub-path, as many hosts do. */
const BASE = '/some/where/'

/** The default window of a test. */
export const WINDOW = { width: 1440, height: 900 }

/** Delays each file and each message to a worker by this many milliseconds: `SLOW=300` finds tests that do not wait for an answer. */
const SLOW = Number(process.env.SLOW ?? 0)
/** The factor by which the page's computations are slowed down: `THROTTLE=4`. */
export const THROTTLE = Number(process.env.THROTTLE ?? 1)

/** Delays the messages to each worker of a page, in order. @param {number} ms */
function delayWorkers(ms) {
  globalThis.Worker = class extends Worker {
    /** @param {[any, any]} message */
    postMessage(...message) {
      setTimeout(() => super.postMessage(...message), ms)
    }
  }
}

/** Warns in the console if a control has moved away between the press and the release of a click, because a reader's click would be lost, too. */
function reportLostClicks() {
  const LONG_PRESS = 400
  const CONTROL = 'button, a, summary, input, select, textarea, label, [role]'
  const controlOf = (/** @type {PointerEvent} */ event) => {
    const [target] = event.composedPath()
    return target instanceof Element ? target.closest(CONTROL) : null
  }
  /** @type {{ control: Element | null, x: number, y: number, time: number } | undefined} */
  let pressed
  const press = (/** @type {PointerEvent} */ event) => {
    pressed = { control: controlOf(event), x: event.clientX, y: event.clientY, time: event.timeStamp }
  }
  const release = (/** @type {PointerEvent} */ event) => {
    const isDrag = pressed?.x !== event.clientX || pressed.y !== event.clientY
    const isLong = event.timeStamp - (pressed?.time ?? 0) > LONG_PRESS
    if (!pressed?.control || isDrag || isLong) return
    if (controlOf(event) !== pressed.control)
      console.warn(`a click is lost: ${pressed.control.outerHTML.slice(0, 200)}`)
  }
  addEventListener('pointerdown', press, true)
  addEventListener('pointerup', release, true)
}

/** Serves the built site, and nothing else. A browser may cache files, as with most hosts. @param {{ headers?: Record<string, string> }} [options] */
export async function serve({ headers = {} } = {}) {
  const setHeaders = (/** @type {import('node:http').ServerResponse} */ response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  }
  const site = sirv(SITE, { maxAge: SLOW ? 0 : 3600, immutable: !SLOW, setHeaders })
  const server = createServer((request, response) => {
    const missing = () => {
      response.writeHead(404).end()
    }
    if (!request.url?.startsWith(BASE)) return missing()
    request.url = request.url.slice(BASE.length - 1)
    setTimeout(() => site(request, response, missing), SLOW)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { origin: `http://127.0.0.1:${port}`, url: `http://127.0.0.1:${port}${BASE}`, close: () => server.close() }
}

/**
 * Starts a browser with a fresh profile. `complaints` collects errors and warnings of the console, failed requests, and requests to sites that
 * are not in `origins`.
 * @param {...string} origins of sites that may be requested. The result has this list, and callers may add to it
 */
export async function launch(...origins) {
  const { context, close } = await launchChromium({ locale: 'en-US', viewport: WINDOW })
  await context.addInitScript(reportLostClicks)
  if (SLOW) await context.addInitScript(delayWorkers, SLOW)
  const complaints = complaintsOf(context)
  context.on('request', request => {
    if (!origins.some(origin => request.url().startsWith(`${origin}/`))) complaints.push(`request to ${request.url()}`)
  })
  return { context, complaints, origins, close }
}

/**
 * Waits for two animation frames. The page draws a change, such as typed text, in the next frame.
 * @param {Page} page
 */
export const settled = page =>
  page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/**
 * Returns a text with one space for each run of white space.
 * @param {string} text
 */
export const plain = text => text.replace(/\s+/g, ' ').trim()

/**
 * Returns the printed numbers of a matrix, row after row.
 * @param {Page} page
 * @param {string} matrix
 * @returns {Promise<string[]>}
 */
export async function printed(page, matrix) {
  await page.locator('.steps-panel').waitFor({ state: 'attached' }) // the panel is loaded after the picture
  await settled(page)
  const texts = await page.locator(`[data-matrix="${matrix}"] [data-row]`).allTextContents()
  return texts.map(text => text.replaceAll('−', '-'))
}

/**
 * Returns the locator of a matrix's cell.
 * @param {Page} page
 * @param {string} matrix
 * @param {number} row
 * @param {number} column
 */
export const cell = (page, matrix, row, column) =>
  page.locator(`[data-matrix="${matrix}"] [data-row="${row}"][data-column="${column}"]`)

/**
 * Clicks a cell of the weights. With many tokens the cells are not elements, so it clicks into the map.
 * @param {Page} page
 */
export async function pinWeight(page) {
  const number = page.locator('[data-matrix="weights"] [data-row="0"]').first()
  await ((await number.count()) ? number : page.locator('#map canvas')).click()
}

/**
 * Returns an empty list if the page is no wider than the window. Otherwise returns both widths and the elements that overflow without being clipped.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export const beyond = page =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    /** @type {string[]} */
    const found = []
    const isCut = (/** @type {Element} */ element) => {
      for (let at = element; at !== document.body; ) {
        at = at.parentElement ?? /** @type {any} */ (at.getRootNode()).host ?? document.body
        if (at !== document.body && getComputedStyle(at).overflowX !== 'visible') return true
      }
      return false
    }
    const look = (/** @type {ParentNode} */ root) => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot) look(element.shadowRoot)
        const { left, right } = element.getBoundingClientRect()
        if (right + scrollX <= clientWidth || isCut(element)) continue
        const name = `${element.localName}${element.id && `#${element.id}`} ${element.getAttribute('class') ?? ''}`
        found.push(`${name.trim()}: ${(left + scrollX).toFixed(1)} to ${(right + scrollX).toFixed(1)}`)
      }
    }
    look(document.documentElement)
    return [`window ${innerWidth} from ${scrollX}, layout ${clientWidth}, content ${scrollWidth}`, ...found]
  })
