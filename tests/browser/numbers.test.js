// Runs the tests that compare numbers in Chromium: the same files as in Node, straight from the repository, without a bundler.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { launch } from './chromium.js'

/** @import { Result } from './node.js' */

const articles = readdirSync(new URL('../articles/', import.meta.url)).filter(name => name.endsWith('.test.js'))
const others = [
  'goldens.test.js',
  'random.test.js',
  'kernels.test.js',
  'int8-activations.test.js',
  'browser/interpret.js',
]
const files = [...articles.map(name => `articles/${name}`), ...others]

const server = createServer(sirv(fileURLToPath(new URL('../..', import.meta.url)), { dev: true }))
await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const { context, close } = await launch()
after(async () => {
  await close()
  server.close()
})

for (const file of files)
  test(`in Chromium, every test of ${file} passes`, async t => {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${port}/tests/browser/page.html`)
    const results = await page.evaluate(async name => {
      await import(`/tests/${name}`)
      const shim = '/tests/browser/node.js'
      const { finish } = await import(shim)
      return /** @type {Promise<Result[]>} */ (finish())
    }, file)
    t.diagnostic(`${results.length} tests`)
    assert.ok(results.length > 0)
    assert.deepEqual(
      results.filter(({ error }) => error),
      [],
    )
    await page.close()
  })

test('in Chromium, a module worker loads the core and attends', async () => {
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${port}/tests/browser/page.html`)
  const printed = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/tests/browser/worker.js', { type: 'module' })
        worker.onmessage = ({ data }) => resolve(data)
        worker.onerror = ({ message }) => reject(new Error(message))
      }),
  )
  assert.equal(printed, 'tensor([[1.0000, 0.0000],\n        [0.1192, 0.8808]])')
})
