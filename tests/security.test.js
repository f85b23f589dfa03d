// The claims of SECURITY.md hold in the code.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../', import.meta.url)
const read = (/** @type {string} */ path) => readFileSync(new URL(path, root), 'utf8')
/** The code of src without its comments, by file. */
const code = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.js'))
  .map(name => ({ name, text: read(`src/${name}`).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*|\s\/\/ .*$/gm, '') }))
const filesWith = (/** @type {RegExp} */ pattern) =>
  code.filter(({ text }) => pattern.test(text)).map(({ name }) => name)

test('the wasm files import nothing but the memory that they share', () => {
  const imports = (/** @type {string} */ name) =>
    WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(new URL(`src/${name}`, root))))
  assert.deepEqual(imports('qkv.wasm'), [])
  assert.deepEqual(imports('qkv.integers.wasm'), [{ module: 'env', name: 'memory', kind: 'memory' }]) // the relaxed ones: relaxed.test.js
})

test('requests are made for the wasm file, for files of a model by address, and to the hub; nothing is evaluated', () => {
  assert.deepEqual(filesWith(/\bfetch\(/).sort(), ['models/hub/requests.js', 'models/source/url.js', 'wasm-source.js'])
  assert.deepEqual(filesWith(/\b(XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts)\b/), [])
  assert.deepEqual(filesWith(/\beval\(|\bnew Function\b|\bFunction\(|node:(vm|child_process|https?|net)\b/), [])
})

test('only the hub keeps files, and only qkv/corpus writes others, to the given folder', () => {
  const writes =
    /\b(writeFile|appendFile|createWriteStream|createWritable|createSyncAccessHandle|localStorage|indexedDB)\b|(?<!#)\bcaches\./
  assert.deepEqual(
    filesWith(writes).filter(name => !/^(models\/hub|corpus)\//.test(name)),
    [],
  )
})

test('no script runs at installation, and no package is needed at run time', () => {
  const { scripts, dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(read('package.json'))
  assert.equal(dependencies, undefined)
  for (const name of Object.keys(peerDependencies)) assert.equal(peerDependenciesMeta[name].optional, true, name)
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) assert.equal(scripts[name], undefined, name)
})
