// npm run bench:page measures the page in Chromium: the time from a key to the paint that shows its result.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launch, serve } from './browser.js'

/** @import { Page } from 'playwright-core' */

const WORDS =
  'the quick brown fox jumps over a lazy dog while seven old wizards brew dark potions near that quiet river'.split(' ')

/** Makes a text of `count` words from a vocabulary of a few dozen. @param {number} count */
export const words = count => Array.from({ length: count }, (_, i) => WORDS[i % WORDS.length] + (i % 7)).join(' ')

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {number} tokens
 * @property {Record<string, string | number>} settings
 * @property {number} [limit] milliseconds from key to paint, at most
 */

const D64 = { heads: 8, dModel: 64, dKey: 64, dValue: 64 }

/** @type {Case[]} */
export const CASES = [
  { name: '6 words, the first screen', tokens: 6, settings: {}, limit: 50 },
  { name: '20 words', tokens: 20, settings: {}, limit: 50 },
  { name: '32 tokens, 8 heads, d 64', tokens: 32, settings: D64, limit: 50 },
  { name: '32 tokens, PyTorch’s layer, 8 heads of 64', tokens: 32, settings: { ...D64, model: 'multihead', dModel: 512 }, limit: 50 }, // biome-ignore format: one line
  { name: '512 tokens, 8 heads, d 64', tokens: 512, settings: D64, limit: 200 },
  { name: '512 tokens, 8 heads, d 64, causal', tokens: 512, settings: { ...D64, mask: 'causal' }, limit: 200 },
  { name: '2048 tokens, 8 heads, d 64', tokens: 2048, settings: D64 },
]

/** Returns the hash that opens a case. @param {Case} wanted */
export const hashOf = ({ tokens, settings }) =>
  `#2&${new URLSearchParams({ ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)])), sentence: words(tokens) })}`

/** Waits until the map shows this many tokens. @param {Page} page @param {number} tokens */
export const shows = (page, tokens) =>
  page.waitForFunction(
    count => {
      const map = /** @type {any} */ (document.querySelector('#map'))
      return map?.rowTokens.length === count && document.querySelector('main')?.ariaBusy === 'false'
    },
    tokens,
    { timeout: 60_000 },
  )

/** Waits until the page is idle. @param {Page} page */
export const idle = page => page.evaluate(() => new Promise(resolve => requestIdleCallback(() => resolve(undefined))))

/**
 * Types letters one by one at the end of the sentence, and waits after each for the map of the new sentence.
 * @param {Page} page
 * @param {string} letters
 * @returns {Promise<{ paint: number, result: number }[]>} milliseconds from each key to the next paint after it, and to
 *   the paint that shows the map of the new sentence
 */
export async function typing(page, letters) {
  await page.evaluate(() => {
    /** @type {{ paint: number, result: number }[]} */
    const strokes = []
    Object.assign(window, { strokes })
    const box = /** @type {HTMLTextAreaElement} */ (document.querySelector('#sentence'))
    box.focus()
    box.setSelectionRange(box.value.length, box.value.length)
    /** Calls `run` after the current frame has been painted. @param {(time: number) => void} run */
    const painted = run =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => run(performance.now())
        port2.postMessage(0)
      })
    box.addEventListener('keydown', event => {
      const stroke = { paint: 0, result: 0 }
      const want = box.value + event.key
      const look = () =>
        painted(time => {
          stroke.paint ||= time - event.timeStamp
          const map = /** @type {any} */ (document.querySelector('#map'))
          const isShown = want.endsWith(map.rowTokens.at(-1)) && map.rowTokens.length === want.split(' ').length
          if (!isShown) return look()
          stroke.result = time - event.timeStamp
          strokes.push(stroke)
        })
      look()
    })
  })
  for (const [i, letter] of [...letters].entries()) {
    await page.keyboard.press(letter)
    await page.waitForFunction(count => /** @type {any} */ (window).strokes.length > count, i, { timeout: 60_000 })
    await idle(page)
  }
  return page.evaluate(() => /** @type {any} */ (window).strokes)
}

/**
 * Measures the machine with a page without our code: milliseconds from a frame to the paint of a table of 32 x 32 coloured numbers that are all
 * rewritten. Returns the median of nine, after six to warm up.
 * @param {Page} page is left blank
 */
export async function yardstick(page) {
  await page.goto('about:blank')
  const times = await page.evaluate(async () => {
    const times = []
    for (let round = 0; round < 15; round++) {
      const start = performance.now()
      const cell = (/** @type {number} */ i) =>
        `<td style="background: rgb(${(i * round) % 255} 200 ${i % 255})">${(i / (round + 1)).toFixed(4)}</td>`
      const row = (/** @type {number} */ r) => `<tr>${Array.from({ length: 32 }, (_, c) => cell(r * 32 + c)).join('')}`
      document.body.innerHTML = `<table>${Array.from({ length: 32 }, (_, r) => row(r)).join('')}</table>`
      await new Promise(resolve => {
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = resolve
          port2.postMessage(0)
        })
      })
      times.push(performance.now() - start)
    }
    return times
  })
  return median(times.slice(6))
}

/** Returns the page's processor milliseconds so far for scripts, styles, layout and all tasks. @param {import('playwright-core').CDPSession} session */
async function spent(session) {
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (/** @type {string} */ name) => 1000 * Number(metrics.find(metric => metric.name === name)?.value)
  return ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration', 'TaskDuration'].map(of)
}

/** @param {number[]} numbers */
export const median = numbers => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** Measures and prints every case. */
async function main() {
  const wanted = process.argv[2]
  const server = await serve()
  const browser = await launch(server.origin)
  const processor = /model name\s*: (.*)/.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]
  console.log(`${browser.context.browser()?.version() ?? 'Chromium'} on ${processor}`)
  console.log(
    'milliseconds, median (largest)   next paint   paint of the result   limit   a key: script, styles, layout, all tasks',
  )
  for (const each of CASES) {
    if (wanted && !each.name.includes(wanted)) continue
    const page = await browser.context.newPage()
    await page.goto(server.url + hashOf(each))
    await shows(page, each.tokens)
    await idle(page)
    await typing(page, 'a')
    const session = await browser.context.newCDPSession(page)
    await session.send('Performance.enable')
    const before = await spent(session)
    const letters = 'bcdefghij'
    const strokes = await typing(page, letters)
    const tasks = (await spent(session)).map((ms, n) => ((ms - before[n]) / letters.length).toFixed(1))
    const write = (/** @type {number[]} */ times) => `${median(times).toFixed(0)} (${Math.max(...times).toFixed(0)})`
    const [paint, result] = [strokes.map(each => each.paint), strokes.map(each => each.result)].map(write)
    console.log(
      `${each.name.padEnd(45)} ${paint.padStart(10)} ${result.padStart(12)} ${String(each.limit ?? '').padStart(6)}   ${tasks.join(', ')}`,
    )
    await page.close()
  }
  for (const complaint of browser.complaints) console.log(complaint)
  await browser.close()
  server.close()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
