// How `load` behaves in various environments: without threads, under security policies, in bundlers and in other realms.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { load } from '../src/entries/index.js'
import { packLinear } from '../src/entries/nn.js'
import { ofPackage, open } from '../src/wasm-source.js'

const read = (/** @type {string} */ name) => readFileSync(new URL(`../src/${name}`, import.meta.url))

/** Replaces a property, such as a global, until the test ends. @param {import('node:test').TestContext} t @param {any} owner @param {string} name @param {unknown} value */
function replace(t, owner, name, value) {
  const before = Object.getOwnPropertyDescriptor(owner, name)
  Object.defineProperty(owner, name, { value, configurable: true, writable: true })
  t.after(() => (before ? Object.defineProperty(owner, name, before) : delete owner[name]))
}

test("threads: 'auto' is one thread if none can start, with the reason; a number is an error", async t => {
  const none = await load()
  assert.equal(none.threadsReason, '')
  const compiled = await WebAssembly.compile(read('qkv.wasm'))
  const alone = await load({ threads: 'auto', wasm: compiled })
  assert.deepEqual([alone.threads, /compiled WebAssembly.Module/.test(alone.threadsReason)], [1, true])

  const { getBuiltinModule } = process
  class Worker {
    constructor() {
      throw new Error('cannot be accessed from this origin')
    }
  }
  const blocked = (/** @type {string} */ name) => (name === 'node:worker_threads' ? { Worker } : getBuiltinModule(name))
  const cores = { availableParallelism: () => 2 }
  replace(t, process, 'getBuiltinModule', (/** @type {string} */ name) => (name === 'node:os' ? cores : blocked(name)))
  const foreign = await load({ threads: 'auto' })
  assert.deepEqual([foreign.threads, foreign.softmax([1, 1]).data[0]], [1, 0.5])
  assert.match(foreign.threadsReason, /from this origin/)
  await assert.rejects(load({ threads: 2 }), { code: 'THREAD_START' })

  replace(t, globalThis, 'crossOriginIsolated', false)
  for (const threads of /** @type {const} */ (['auto', 2])) {
    const page = await load({ threads })
    assert.equal(page.threads, 1)
    assert.match(page.threadsReason, /Cross-Origin-Embedder-Policy/)
  }
})

test('a policy without WebAssembly is an error that names the directive, by the words of three engines', async t => {
  const { compile } = WebAssembly
  t.after(() => Object.assign(WebAssembly, { compile }))
  for (const message of [
    "WebAssembly.compile(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because neither 'wasm-eval' nor 'unsafe-eval' is an allowed source of script",
    'call to WebAssembly.compile() blocked by CSP',
    "Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script in the following Content Security Policy directive",
  ]) {
    Object.assign(WebAssembly, { compile: () => Promise.reject(new WebAssembly.CompileError(message)) })
    await assert.rejects(load({ wasm: read('qkv.wasm') }), { code: 'WASM_BLOCKED', message: /script-src/ })
  }
  Object.assign(WebAssembly, { compile })
  await assert.rejects(load({ wasm: new Uint8Array([1, 2]) }), { code: 'WASM_INVALID' })
})

test('memory of another realm is memory: int8 and bytes work in jsdom, whose ArrayBuffer is its own', async t => {
  replace(t, globalThis, 'ArrayBuffer', runInNewContext('ArrayBuffer'))
  const bytes = new ArrayBuffer(read('qkv.wasm').length)
  new Uint8Array(bytes).set(read('qkv.wasm'))
  const qkv = await load({ wasm: bytes, integers: true })
  assert.equal(packLinear(qkv, [[1]], undefined, { dtype: 'int8' }).forward([[2]]).data[0], 2)
  assert.equal(await qkv.trim(), 0)
})

test('in Node an address that a bundler made for pages is read from the installed package; another one is an error with the way out', async () => {
  const address = 'http://127.0.0.1:1/_next/static/media/qkv.0123.wasm'
  const bytes = /** @type {Uint8Array<ArrayBuffer>} */ (await open(ofPackage('qkv.wasm', () => new URL(address))))
  assert.ok(WebAssembly.validate(bytes))
  await assert.rejects(load({ wasm: new URL(address) }), {
    code: 'WASM_MISSING',
    message: /copy the file.*optimizeDeps\.exclude/,
  })
})
