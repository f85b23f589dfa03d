// Tests that Learn does not block the page: while it trains at full pace, no main-thread task takes 50 ms. Also tests training without a worker.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { settled } from './browser.js'
import { becomes, useBrowser } from './open.js'

const own = useBrowser()
/** How long a test waits for training, on a busy machine. */
const PATIENCE = { timeout: 120_000 }
const MOST_MILLISECONDS = 50

/** @param {import('playwright-core').Page} page */
async function train(page) {
  await page.locator('#learn-train:not([disabled])').waitFor(PATIENCE)
  await page.click('#learn-train')
  await page.waitForFunction(
    () => /\d%/.test(document.querySelector('.learn-said')?.textContent ?? ''),
    undefined,
    PATIENCE,
  )
}

test('no task of the main thread takes 50 ms of its time while a run trains at full pace', async t => {
  const page = await own.browser.context.newPage()
  await page.goto(`${own.server.url}#2&room=learn`)
  await page.locator('#learn-train:not([disabled])').waitFor(PATIENCE)
  await settled(page)
  const client = await own.browser.context.newCDPSession(page)
  /** @type {any[]} */
  const events = []
  client.on('Tracing.dataCollected', ({ value }) => {
    events.push(...value)
  })
  const categories = ['disabled-by-default-devtools.timeline', 'devtools.timeline', 'toplevel', '__metadata']
  await client.send('Tracing.start', { traceConfig: { includedCategories: categories }, transferMode: 'ReportEvents' })
  await train(page)
  const complete = new Promise(resolve => client.once('Tracing.tracingComplete', resolve))
  await client.send('Tracing.end')
  await complete
  const main = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  // The thread's own processor time in milliseconds. A busy machine makes tasks last longer, but does not change this time.
  const tasks = events
    .filter(({ name, pid, tid }) => name === 'RunTask' && main.some(each => each.pid === pid && each.tid === tid))
    .map(({ tdur = 0 }) => tdur / 1000)
    .sort((a, b) => b - a)
  t.diagnostic(`${tasks.length} tasks, the longest ${tasks.slice(0, 5).map(ms => ms.toFixed(1))} ms`)
  assert.ok(tasks.length > 100, `${tasks.length} tasks were traced`)
  assert.ok(tasks[0] < MOST_MILLISECONDS, `${tasks[0]} ms`)
  await page.close()
  assert.deepEqual(own.browser.complaints.splice(0), [])
})

test('from a disk, where no worker starts, a model trains as well, and its answer is explained', async () => {
  const page = await own.browser.context.newPage()
  const file = pathToFileURL(fileURLToPath(new URL('../../site/qkv.html', import.meta.url))).href
  await page.goto(`${file}#2&room=learn&learn.task=sort`)
  await train(page)
  assert.equal(page.workers().length, 0)
  await becomes(async () => (await page.locator('#learn-answer').innerText()).trim(), '0 2 3 6 8 9 11 14')
  await page.click('.answer-token >> nth=0')
  await page.locator('#why').waitFor()
  await page.close()
  // Requests to files are expected, because the page was opened from a disk.
  assert.deepEqual(
    own.browser.complaints.splice(0).filter(each => !each.startsWith('request to file:')),
    [],
  )
})
