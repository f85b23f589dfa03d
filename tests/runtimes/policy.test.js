// Tests the packed package under a Content-Security-Policy that requires trusted types, with the directives of docs/runtimes.md.

import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { build } from 'rolldown'
import { WASM } from '../../build/entries.js'
import { launch } from '../browser/browsers.js'
import { install } from '../packed.js'
import { serve } from './project.js'

const { project, installed, remove } = install()
after(remove)
const site = join(project, 'site')
const program = `import { load } from 'qkv'
import 'qkv/elements'
import { packLinear } from 'qkv/nn'
const told = error => ({ error: error.message })
globalThis.run = async () => {
  const qkv = await load({ integers: true, relaxed: 'auto', threads: 'auto' })
  const made = packLinear(qkv, [[1, 0], [0, 1]], undefined, { dtype: 'int8' }).forward([[1, 0]])
  const two = await load({ threads: 2 }).then(({ threads }) => ({ threads }), told)
  return { cores: navigator.hardwareConcurrency, threads: qkv.threads, reason: qkv.threadsReason, int8: made.tolist(), two }
}
globalThis.show = async tag => {
  const numbers = { data: [1, 0, 0.5, 0.5], dims: [1, 2, 2] }
  const trace = Object.fromEntries(['queries', 'keys', 'values', 'scores', 'weights', 'output'].map(name => [name, numbers]))
  const element = Object.assign(document.createElement(tag), {
    matrix: { ...numbers, dims: [2, 2] }, weights: numbers, trace, queryTokens: ['a', 'b'],
    source: { rows: 2, columns: 2, tile: async ({ resolution }) => ({ data: Array(resolution[0] * resolution[1]).fill(1), dims: resolution }) },
  })
  document.body.append(element)
  await element.updateComplete
  return [element.shadowRoot.querySelectorAll('canvas, qkv-heatmap').length > 0, (await element.toSVG()).slice(0, 4)]
}
globalThis.isReady = true
`
writeFileSync(join(project, 'main.js'), program)
await build({ input: join(project, 'main.js'), platform: 'browser', logLevel: 'silent', output: { dir: site } })
for (const name of [...WASM, 'worker.js']) copyFileSync(join(installed, 'dist', name), join(site, name))
const page = '<!doctype html><link rel="icon" href="icon.svg"><script type="module" src="main.js"></script>'
writeFileSync(join(site, 'index.html'), page)
writeFileSync(join(site, 'policy.js'), "trustedTypes.createPolicy('default', { createScriptURL: url => url })")
writeFileSync(join(site, 'threads.html'), page.replace('<script', '<script src="policy.js"></script><script'))
writeFileSync(join(site, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')

const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src 'self'"

/** Opens a page under a policy. @param {import('node:test').TestContext} t @param {string} policy @param {string} [path] */
async function open(t, policy, path = '') {
  const server = await serve(site, {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  })
  t.after(server.close)
  const browser = await launch('chromium')
  t.after(browser.close)
  const opened = await browser.open(`${server.url}/${path}`)
  await opened.until(() => 'isReady' in globalThis)
  return { opened, complaints: browser.complaints }
}

const run = () => /** @type {any} */ (globalThis).run()

test("trusted types: lit-html is the policy that elements need; threads: 'auto' is 1 and says why, a number is an error", async t => {
  const { opened, complaints } = await open(t, `${STRICT}; trusted-types lit-html; require-trusted-types-for 'script'`)
  for (const tag of ['qkv-heatmap', 'qkv-heads', 'qkv-trace', 'qkv-deep-map', 'qkv-flow'])
    assert.deepEqual(
      await opened.evaluate(name => /** @type {any} */ (globalThis).show(name), tag),
      [true, '<svg'],
      tag,
    )
  assert.deepEqual(complaints, [])
  const { cores, threads, reason, int8, two } = await opened.evaluate(run)
  assert.ok(cores > 1)
  assert.deepEqual([threads, int8], [1, [[1, 0]]])
  assert.match(reason, /TrustedScriptURL/)
  assert.match(two.error, /did not start.*TrustedScriptURL.*threads: 1/)
})

test('trusted types: a default policy of the page lets threads start', async t => {
  const { opened, complaints } = await open(
    t,
    `${STRICT}; trusted-types lit-html default; require-trusted-types-for 'script'`,
    'threads.html',
  )
  const { cores, threads, reason, two } = await opened.evaluate(run)
  assert.deepEqual([threads, reason, two], [cores, '', { threads: 2 }])
  assert.deepEqual(complaints, [])
})

test("from another origin, such as a CDN, threads: 'auto' is 1 and says why; int8 and relaxed work", async t => {
  const cdn = await serve(site, { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' })
  t.after(cdn.close)
  writeFileSync(join(site, 'cdn.html'), page.replace('src="main.js"', `src="${cdn.url}/main.js"`))
  const policy = `${STRICT.replaceAll("'self'", `'self' ${cdn.url}`)}; trusted-types lit-html`
  const { opened, complaints } = await open(t, policy, 'cdn.html')
  const { threads, reason, int8, two } = await opened.evaluate(run)
  assert.deepEqual([threads, int8], [1, [[1, 0]]])
  assert.match(reason, /cannot be accessed from origin/)
  assert.match(two.error, /did not start.*cannot be accessed from origin/)
  assert.deepEqual(complaints, [])
})

test("a policy without 'wasm-unsafe-eval' is an error that names the directive", async t => {
  const { opened } = await open(t, "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'")
  const said = await opened.evaluate(() =>
    /** @type {any} */ (globalThis).run().catch((/** @type {any} */ error) => [error.code, error.message]),
  )
  assert.equal(said[0], 'WASM_BLOCKED')
  assert.match(said[1], /add 'wasm-unsafe-eval' to its script-src/)
})

test('the page of docs/runtimes.md without a bundler draws its numbers under a policy', async t => {
  const docs = readFileSync(new URL('../../docs/runtimes.md', import.meta.url), 'utf8')
  for (const name of ['plain.html', 'plain.js']) {
    const [, code = ''] = docs.split(new RegExp(`\`\`\`\\w+ ${name}\\n`))
    writeFileSync(join(project, name), code.slice(0, code.indexOf('```')))
  }
  const server = await serve(project, { 'Content-Security-Policy': STRICT })
  t.after(server.close)
  const browser = await launch('chromium')
  t.after(browser.close)
  const opened = await browser.open(`${server.url}/plain.html`)
  await opened.until(() => document.querySelector('qkv-heatmap')?.shadowRoot?.querySelector('canvas') !== null)
  assert.deepEqual(
    browser.complaints.filter(complaint => !/favicon/.test(complaint) && !/status of 404/.test(complaint)),
    [],
  )
})
