// npm run bench:page measures the processor time for a frame of a drag and for one of the flow, and how fast the front door loads at 10 Mbit/s.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { launch } from './browser.js'
import { median, words } from './typing.js'

/** @import { Page } from 'playwright-core' */

const SITE = new URL('../../site/', import.meta.url)
const TYPES = /** @type {Record<string, string>} */ ({
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
})
/** 10 Mbit/s, in bytes per second. */
const RATE = 10e6 / 8
/** Number of frames of a drag, and number of rounds of every measurement. */
const [FRAMES, ROUNDS] = [60, 5]
/** CPU slowdown that emulates the phone for which the goal is set. */
const SLOWDOWN = 4

/** Serves the site, compressed as hosts do. */
async function serveCompressed() {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1) || 'index.html'
    try {
      const body = gzipSync(readFileSync(new URL(path, SITE)))
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream')
      response.setHeader('Content-Encoding', 'gzip')
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/**
 * Measures the page's main-thread processor time for a part of `work`, in milliseconds. Returns one time for each round.
 * @param {Page} page
 * @param {() => Promise<number>} work runs in the page, and returns the number of its parts
 */
async function processorTime(page, work) {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  const now = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  await work() // compiles
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = await now()
    const parts = await work()
    times.push(((await now()) - start) / parts)
  }
  await client.detach()
  return times
}

/** Measures the processor time for a frame while a weight is dragged at 60 words and 8 heads. @param {Page} page @param {string} url */
async function drag(page, url) {
  await page.goto(
    `${url}#2&${new URLSearchParams({ heads: '8', dModel: '8', sentence: words(60), cell: 'weights.0.30.10' })}`,
  )
  await page.locator('#lens').waitFor()
  return processorTime(page, () =>
    page.evaluate(async count => {
      const map = document.querySelector('#map')
      for (let i = 0; i < count; i++) {
        const detail = { row: 30, column: 10, value: 0.2 + ((7 * i) % 50) / 100, isFirst: i === 0 }
        map?.dispatchEvent(new CustomEvent('cell-edit', { detail, bubbles: true, composed: true }))
        await new Promise(resolve => requestAnimationFrame(resolve))
      }
      return count
    }, FRAMES),
  )
}

/** Measures the milliseconds for each frame of the flow, on a phone. @param {Page} page @param {string} url */
async function flow(page, url) {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('about:blank')
  await page.goto(`${url}#2&view=flow`)
  await page.locator('qkv-flow canvas').waitFor()
  return page.evaluate(async rounds => {
    const element = /** @type {any} */ (document.querySelector('qkv-flow'))
    const { length } = element.frames
    const times = []
    for (let i = 0; i < (rounds + 1) * length; i++) {
      element.at = i % length
      const start = performance.now()
      element.performUpdate()
      if (i >= length) times.push(performance.now() - start)
      await new Promise(resolve => requestAnimationFrame(resolve))
    }
    return times
  }, ROUNDS)
}

/** Measures the front door with an empty cache: milliseconds until the first paint, until the model answers, and from a press of the switch to its picture. @param {Page} page @param {string} url */
async function front(page, url) {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  const network = { offline: false, latency: 0, downloadThroughput: RATE, uploadThroughput: RATE }
  await client.send('Network.emulateNetworkConditions', network)
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto('about:blank')
    await page.goto(url)
    await page.locator('.front[data-live="true"]').waitFor()
    const { paint, live } = await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      live: performance.now(),
    }))
    // Measures from the press of the switch until the frame after the one that shows the other word.
    const flip = await page.evaluate(async () => {
      const start = performance.now()
      document.querySelector('#front-isOn')?.dispatchEvent(new MouseEvent('click'))
      while (document.querySelector('.front-answer')?.textContent !== 'Max')
        await new Promise(resolve => requestAnimationFrame(resolve))
      await new Promise(resolve => requestAnimationFrame(resolve))
      return performance.now() - start
    })
    times.push({ paint, live, flip })
  }
  await client.detach()
  return times
}

const server = await serveCompressed()
const { context, close } = await launch(server.origin)
const print = (/** @type {string} */ name, /** @type {number[]} */ times, /** @type {string} */ goal) =>
  console.log(
    `${name.padEnd(62)} ${Math.min(...times)
      .toFixed(1)
      .padStart(8)} ${median(times).toFixed(1).padStart(8)}   ${goal}`,
  )
console.log(`${''.padEnd(62)}    least   median   goal`)
const page = await context.newPage()
page.setDefaultTimeout(60_000)
print('processor time of a frame of a drag, 60 words, 8 heads, ms', await drag(page, `${server.origin}/`), '16.7')
const frames = (await flow(page, `${server.origin}/`)).map(time => SLOWDOWN * time)
print(`own work of a frame of the flow, phone, times ${SLOWDOWN}, ms`, frames, '8')
const fresh = await context.newPage()
const times = await front(fresh, `${server.origin}/`)
print('front door, 10 Mbit/s: first paint, ms', times.map(({ paint }) => paint), '400') // biome-ignore format: one line
print('front door, 10 Mbit/s: the model answers, ms', times.map(({ live }) => live), '1500') // biome-ignore format: one line
print('front door: a press of the switch until it is painted, ms', times.map(({ flip }) => flip), '50') // biome-ignore format: one line
await close()
server.close()
