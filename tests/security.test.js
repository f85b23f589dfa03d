// The claims of SECURITY.md hold in the code.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../src/entries/index.js'
import { loadModel } from '../src/entries/models.js'

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
  assert.deepEqual(imports('qkv.integers.wasm'), [{ module: 'env', name: 'memory', kind: 'memory' }]) // relaxed.test.js checks the relaxed builds
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

test('a model of a path writes nothing, and qkv/corpus only into its folder: under the permissions of Node', () => {
  const out = realpathSync(mkdtempSync(`${tmpdir()}/qkv-security-`))
  const entry = (/** @type {string} */ name) => new URL(`src/entries/${name}.js`, root).href
  const stories = JSON.stringify(fileURLToPath(new URL('web/trained/stories', root)))
  const program = `
    const [{ load }, { loadModel, saveModel }, { corpus }] = await Promise.all(
      ['${entry('index')}', '${entry('models')}', '${entry('corpus')}'].map(each => import(each)))
    await saveModel(await loadModel(await load(), ${stories}))
    const study = out => corpus(['Tom has a red ball.'], { model: ${stories}, what: { losses: true }, out })
    await study('${out}/study')
    console.log('written')
    await study('${out}-beside').catch(({ code }) => console.log(code))`
  const experimental = process.allowedNodeEnvironmentFlags.has('--permission') ? '' : 'experimental-'
  const flags = [`--${experimental}permission`, '--allow-fs-read=*', `--allow-fs-write=${out}/*`, '--no-warnings']
  try {
    const printed = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program], {
      encoding: 'utf8',
    })
    assert.equal(printed, 'written\nERR_ACCESS_DENIED\n')
  } finally {
    rmSync(out, { recursive: true })
  }
})

test('a chat template reaches nothing of JavaScript', async () => {
  const model = await loadModel(await load(), fileURLToPath(new URL('web/trained/stories', root)))
  const names = [
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'length',
    'map',
    'at',
  ]
  const values = [
    'messages',
    'messages[0]',
    "'a'",
    '(1)',
    '(1.5)',
    'true',
    'none',
    'range',
    'namespace(a=1)',
    '[1]',
    '{}',
    'loop',
  ]
  const things = ['globalThis', 'process', 'window', 'self', 'this', 'require', 'Object', 'Function']
  const reads = values.flatMap(value => names.flatMap(name => [`${value}.${name}`, `${value}['${name}']`]))
  for (const code of [...things, ...reads, ...reads.map(read => `${read}.constructor('return 1')()`)]) {
    const made = model.applyChatTemplate([{ role: 'user', content: 'a' }], { template: `{{ ${code} }}` })
    const text = await made.catch(({ message }) => message.replace(/^applyChatTemplate: the chat template .*/, ''))
    assert.equal(text, '', code)
  }
  model.dispose()
})
