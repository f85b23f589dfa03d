// A static server and a browser for the tests of the page.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

/** @typedef {import('playwright-core').Page} Page */

const SITE = fileURLToPath(new URL('../../site/', import.meta.url))
/** The site is served from a sub-path, as many hosts do. */
const BASE = '/some/where/'
/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

/** Serves the built site, and nothing else. */
export async function serve() {
  const server = createServer(async ({ url = '' }, response) => {
    try {
      const { pathname } = new URL(url, 'http://localhost')
      if (!pathname.startsWith(BASE)) throw new Error('outside of the site')
      const path = normalize(pathname.slice(BASE.length) || 'index.html')
      const body = await readFile(join(SITE, path))
      response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream')
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { origin: `http://127.0.0.1:${port}`, url: `http://127.0.0.1:${port}${BASE}`, close: () => server.close() }
}

/**
 * A browser with a fresh profile that keeps account of every complaint and every request.
 * @param {string} origin requests elsewhere are complaints, too
 */
export async function launch(origin) {
  const profile = await mkdtemp(join(tmpdir(), 'qkv-page-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ARGS,
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
  })
  /** @type {string[]} */
  const complaints = []
  context.on('request', request => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`request to ${request.url()}`)
  })
  context.on('response', response => {
    if (!response.ok()) complaints.push(`${response.status()} for ${response.url()}`)
  })
  context.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
  })
  context.on('weberror', error => complaints.push(`error: ${error.error().message}`))
  context.on('dialog', dialog => {
    complaints.push(`dialog: ${dialog.message()}`)
    dialog.dismiss()
  })
  const close = async () => {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  }
  return { context, complaints, close }
}

/**
 * Waits until what was typed is on the page: it is drawn in the next frame.
 * @param {Page} page
 */
export const settled = page =>
  page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/**
 * A text as it is read: white space in one.
 * @param {string} text
 */
export const plain = text => text.replace(/\s+/g, ' ').trim()

/**
 * The numbers of a matrix as they are printed, row after row.
 * @param {Page} page
 * @param {string} matrix
 * @returns {Promise<string[]>}
 */
export async function printed(page, matrix) {
  await settled(page)
  return page.locator(`[data-matrix="${matrix}"] td[data-row]`).allTextContents()
}

/**
 * A cell of a matrix.
 * @param {Page} page
 * @param {string} matrix
 * @param {number} row
 * @param {number} column
 */
export const cell = (page, matrix, row, column) =>
  page.locator(`[data-matrix="${matrix}"] td[data-row="${row}"][data-column="${column}"]`)
