// Opens a page with only the elements, as shipped, under a strict Content-Security-Policy.

import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { settled } from './browser.js'
import { page, usePage } from './open.js'

/** Serves the files of the repository. */
export async function serveAll() {
  const server = createServer(sirv(fileURLToPath(new URL('../..', import.meta.url)), { dev: true }))
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const origin = `http://127.0.0.1:${port}`
  return { origin, url: `${origin}/`, close: () => server.close() }
}

/** Opens a page with the elements before each test of a file. */
export const useElements = () => usePage({ start: serveAll, hash: 'tests/page/elements.html' })

/**
 * Adds an element to the page.
 * @param {string} name
 * @param {object} properties
 */
export async function show(name, properties) {
  const element = await page.evaluateHandle(
    async ([tag, given]) => {
      await customElements.whenDefined(tag)
      const made = document.createElement(tag)
      Object.assign(made, given)
      document.querySelector('main')?.append(made)
      const log = /** @type {any} */ (window)
      log.events ??= []
      for (const type of [
        'cell-focus',
        'cell-pin',
        'cell-paint',
        'cell-edit',
        'head-focus',
        'head-select',
        'token-focus',
        'step-select',
      ])
        made.addEventListener(type, event => log.events.push([type, /** @type {CustomEvent} */ (event).detail]))
      await /** @type {any} */ (made).updateComplete
      return /** @type {any} */ (made)
    },
    /** @type {const} */ ([name, properties]),
  )
  await settled(page)
  return element
}

/**
 * Returns the details of one type's events since the last call, and clears the events of all types.
 * @param {string} type
 * @returns {Promise<any[]>}
 */
export const events = type =>
  page.evaluate(wanted => {
    const log = /** @type {any} */ (window)
    const found = log.events.filter((/** @type {[string]} */ [name]) => name === wanted)
    log.events = []
    return found.map((/** @type {[string, object]} */ [, detail]) => detail)
  }, type)

/**
 * Returns what a screen reader announces for the active cell or token.
 * @param {string} name of the element
 */
export const announced = name =>
  page.evaluate(tag => {
    const root = document.querySelector(tag)?.shadowRoot
    const id = root?.querySelector('[aria-activedescendant]')?.getAttribute('aria-activedescendant')
    return root?.getElementById(id ?? '')?.textContent
  }, name)

/**
 * Reads a map's canvas once, and returns a function that gives the colour of a pixel.
 * @param {string} name of the element
 * @returns {Promise<(x: number, y: number) => number[]>} red, green and blue at a pixel of the canvas
 */
export async function pixels(name) {
  const { width, data } = await page.evaluate(tag => {
    const canvas = document.querySelector(tag)?.shadowRoot?.querySelector('canvas')
    const image = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height)
    return { width: image?.width ?? 0, data: Array.from(image?.data ?? []) }
  }, name)
  return (x, y) => data.slice(4 * (Math.floor(y) * width + Math.floor(x))).slice(0, 3)
}
