// Tests the extension of docs/runtimes.md, bundled from the packed package. Needs the full Chromium, because the headless shell loads no extensions.

import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { build } from 'rolldown'
import { WASM } from '../../build/entries.js'
import { complaintsOf, launch } from '../browser/chromium.js'
import { install, root } from '../packed.js'

const { project, installed, remove } = install()
after(remove)
const folder = join(project, 'extension')
mkdirSync(folder)
const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8')
for (const [, name, text] of page.matchAll(/```\w+ ((?:manifest|background|popup)\.\w+)\n([\s\S]*?)```/g))
  writeFileSync(
    join(name.endsWith('.js') ? project : folder, name),
    name.endsWith('.js')
      ? `import { load as own } from 'qkv'\n${name.startsWith('popup') ? "import 'qkv/elements'\n" : ''}globalThis.load = own\n${text}`
      : text,
  )
const tokenizers = 'node_modules/@huggingface/tokenizers'
cpSync(join(root, tokenizers), join(project, tokenizers), { recursive: true })

test('the extension of docs/runtimes.md runs a model with int8 in its background; its popup has elements, drawn again after a zoom, and threads', {
  timeout: 300_000,
}, async t => {
  for (const [name, output] of Object.entries({
    background: { file: join(folder, 'background.js'), format: 'iife', codeSplitting: false },
    popup: { dir: folder },
  }))
    await build({
      input: join(project, `${name}.js`),
      platform: 'browser',
      logLevel: 'silent',
      output: /** @type {import('rolldown').OutputOptions} */ (output),
    })
  for (const name of [...WASM, 'worker.js']) copyFileSync(join(installed, 'dist', name), join(folder, name))
  cpSync(join(root, 'tests/goldens/models/gpt2-tiny'), join(folder, 'model'), { recursive: true })
  const { context, close } = await launch({
    executablePath: '/usr/bin/chromium',
    headless: false,
    args: ['--headless=new', `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
  })
  t.after(close)
  const complaints = complaintsOf(context)
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  const popup = await context.newPage()
  await popup.goto(new URL('popup.html', worker.url()).href)
  const label = () => popup.evaluate(() => /** @type {any} */ (document.querySelector('qkv-heads'))?.label) // waitForFunction would need eval
  for (let tries = 0; !(await label()) && tries < 600; tries++) await popup.waitForTimeout(200)
  assert.equal(await label(), 'The heads of the last layer')
  const dims = await popup.evaluate(() => /** @type {any} */ (document.querySelector('qkv-heads')).weights.dims)
  assert.deepEqual([dims[0], dims[1] === dims[2]], [4, true])
  const canvases = await popup.evaluate(async () => {
    const heads = /** @type {any} */ (document.querySelector('qkv-heads'))
    await heads.updateComplete
    return heads.renderRoot.querySelectorAll('canvas').length
  })
  assert.equal(canvases, 4)
  // A service worker may not import modules later, so the bundle contains them.
  const inBackground = await worker.evaluate(async () => {
    const { load, chrome } = /** @type {any} */ (globalThis)
    const url = (/** @type {string} */ name) => chrome.runtime.getURL(name)
    const [relaxed, alone] = await Promise.all([
      load({ wasm: url('qkv.relaxed.wasm'), integers: url('qkv.integers.wasm') }),
      load({ wasm: url('qkv.wasm'), threads: 'auto' }),
    ])
    return { sum: relaxed.softmax([1, 1]).data[0], threads: alone.threads, reason: alone.threadsReason }
  })
  assert.deepEqual([inBackground.sum, inBackground.threads], [0.5, 1])
  assert.match(inBackground.reason, /Worker|isolated/)
  const inPopup = await popup.evaluate(async () => {
    const qkv = await /** @type {any} */ (globalThis).load({ threads: 2, relaxed: 'auto', integers: true })
    return { threads: qkv.threads, sum: qkv.softmax([1, 1]).data[0] }
  })
  assert.deepEqual(inPopup, { threads: 2, sum: 0.5 })

  // Tests that canvases are drawn again after a zoom. The extension zooms its page, because emulating a pixel ratio fires no event. qkv-heads gets
  // maps of 300 x 300 cells, which it draws with at most one pixel for a cell.
  await popup.evaluate(() => {
    const square = (/** @type {number} */ n) => ({ data: Array(n * n).fill(0), dims: [n, n] })
    const tile = async () => square(1)
    const { data } = square(300)
    for (const [tag, given] of Object.entries({
      'qkv-heatmap': { matrix: square(2) },
      'qkv-deep-map': { source: { rows: 1, columns: 1, tile } },
    }))
      document.body.append(Object.assign(document.createElement(tag), given))
    Object.assign(document.querySelector('qkv-heads') ?? {}, { weights: { data, dims: [1, 300, 300] } })
  })
  /** Returns for each canvas how many of its pixels are in the width of a CSS pixel. */
  const ratios = () =>
    popup.evaluate(() =>
      ['qkv-heatmap', 'qkv-heads', 'qkv-deep-map'].map(tag => {
        const canvas = document.querySelector(tag)?.shadowRoot?.querySelector('canvas')
        return canvas?.clientWidth ? Math.round((10 * canvas.width) / canvas.clientWidth) / 10 : 0
      }),
    )
  for (const ratio of [1, 2, 3, 1]) {
    await popup.evaluate(to => /** @type {any} */ (globalThis).chrome.tabs.setZoom(to), ratio)
    const wanted = String([ratio, ratio, ratio])
    for (let tries = 0; String(await ratios()) !== wanted && tries < 300; tries++) await popup.waitForTimeout(100)
    assert.equal(String(await ratios()), wanted, 'canvases are drawn again after a zoom')
  }
  assert.deepEqual(complaints, [])
})
