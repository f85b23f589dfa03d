// A bundled program in a browser reads a published lens from a chosen file, a Blob and bytes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { launch } from '../browser/chromium.js'

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const bundle = await rolldown({
  input: path('dist/interpret.js'),
  platform: 'browser',
  external: ['@huggingface/tokenizers', /^node:/],
})
const { output } = await bundle.generate({ minify: true })
const files = new Map(output.flatMap(file => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code]] : [])))
const page = '<!doctype html><title>A page</title><link rel="icon" href="data:," /><input type="file" />'
/** @type {string[]} */
const asked = []
const site = createServer(({ url = '' }, response) => {
  const code = files.get(url)
  if (url === '/') response.setHeader('content-type', 'text/html').end(page)
  else if (url === '/lens.pt') response.end(readFileSync(path('tests/goldens/lens.pt')))
  else if (code === undefined) response.writeHead(404).end()
  else {
    asked.push(url)
    response.setHeader('content-type', 'text/javascript').end(code)
  }
})
await new Promise(resolve => site.listen(0, '127.0.0.1', () => resolve(undefined)))
const { port } = /** @type {import('node:net').AddressInfo} */ (site.address())
const browser = await launch()
after(async () => {
  await browser.close()
  site.closeAllConnections()
  site.close()
})

test('a lens is read from a File, a Blob and bytes, with 7 KB of code that is loaded for it', async t => {
  const own = await browser.context.newPage()
  await own.goto(`http://127.0.0.1:${port}/`)
  await own.setInputFiles('input', path('tests/goldens/lens.pt'))
  await own.evaluate('import("/interpret.js")')
  const before = asked.length
  const read = await own.evaluate(`(async () => {
    const { readLens } = await import('/interpret.js')
    const bytes = await (await fetch('/lens.pt')).arrayBuffer()
    const sources = [document.querySelector('input').files[0], new Blob([bytes]), new Uint8Array(bytes), bytes]
    const lenses = await Promise.all(sources.map(source => readLens(source)))
    return lenses.map(lens => [lens.sourceLayers, lens.numPrompts, lens.width, lens.matrix(1).data.reduce((a, b) => a + b)])
  })()`)
  const [first] = read
  assert.deepEqual(first.slice(0, 3), [[0, 1], 2, 32])
  assert.ok(Math.abs(first[3]) > 0)
  assert.deepEqual(read, Array(4).fill(first))
  const sizes = asked.slice(before).map(url => [url, gzipSync(String(files.get(url)), { level: 9 }).length])
  t.diagnostic(sizes.map(pair => pair.join(' ')).join(', '))
  const total = sizes.reduce((sum, [, size]) => sum + Number(size), 0)
  assert.ok(total <= 7168, `${total} bytes`)
  await own.close()
})
