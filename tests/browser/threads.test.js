// Tests threads in Chromium: a page with cross-origin isolation gets several, a page without it one, and both compute the same numbers.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import config from '../../vite.config.js'
import { launch } from './chromium.js'

const { context, close } = await launch()
after(close)

/**
 * Compares one thread with three in a page that is served with `headers`. Returns `threads`, the number the page got; `isSame`, true if all results
 * have equal bits; `joined`, true if workers took part; `after`, the number of threads and the equality after `dispose`.
 * @param {Record<string, string>} headers
 */
async function run(headers) {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const setHeaders = (/** @type {import('node:http').ServerResponse} */ response) => {
    for (const name in headers) response.setHeader(name, headers[name])
  }
  const server = createServer(sirv(root, { dev: true, setHeaders }))
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const page = await context.newPage()
  try {
    await page.goto(`http://127.0.0.1:${port}/tests/browser/page.html`)
    return await page.evaluate(async () => {
      const [index, job, at] = ['/src/entries/index.js', '/src/threads/jobs.js', '/src/threads/words.js']
      const { load } = await import(index)
      const { WORDS } = await import(job)
      const AT = await import(at)
      const told = /** @type {any[]} */ ([])
      const post = Worker.prototype.postMessage
      Worker.prototype.postMessage = function (/** @type {any} */ start) {
        told.push(start)
        post.call(this, start)
      }
      const [one, three] = [await load(), await load({ threads: 3 })]
      const x = one.generator(1).randn([4, 500, 32])
      const attend = (/** @type {typeof one} */ qkv) => qkv.attention(x, x, x, { causal: true }).output.data.join()
      const want = attend(one)
      const words = told.length ? new Int32Array(told[0].memory.buffer, told[0].control, WORDS) : undefined
      let isSame = true
      let joined = 0
      for (let n = 0; n < 30; n++) {
        isSame &&= attend(three) === want
        joined += words?.[AT.done] ?? 0
      }
      const { threads } = three
      three.dispose()
      return { threads, isSame, joined: joined > 0, after: [three.threads, attend(three) === want] }
    })
  } finally {
    await page.close()
    server.close()
  }
}

test('a page with the headers of the dev server has threads, which take part', async () => {
  const headers = /** @type {Record<string, string>} */ (config.server?.headers)
  assert.equal(Object.keys(headers).length, 2)
  assert.deepEqual(await run(headers), { threads: 3, isSame: true, joined: true, after: [1, true] })
})

test('a page without them has one thread and the same numbers', async () => {
  assert.deepEqual(await run({}), { threads: 1, isSame: true, joined: false, after: [1, true] })
})
