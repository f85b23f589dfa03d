// The build with relaxed SIMD is loaded only on request, and is as precise as the default one.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../src/entries/index.js'
import { WASM } from './budgets.js'
import { node, passesWith } from './other-builds.js'

const root = fileURLToPath(new URL('..', import.meta.url))
execFileSync(join(root, 'build.sh'), ['--relaxed'])
const bytes = readFileSync(join(root, 'src/qkv.relaxed.wasm'))
const integers = readFileSync(join(root, 'src/qkv.relaxed.integers.wasm'))

/** Flags of Node. Node 20 has relaxed SIMD behind a flag, Node 22 and later without one. */
const FLAGS = Number(process.versions.node.split('.')[0]) < 22 ? ['--experimental-wasm-relaxed-simd'] : []
/** Files of numeric tests that run on this build, with patterns of their tests. Tests that compare the bits of several kernels do not apply to it. */
const NUMBERS = {
  goldens: '',
  rope: '',
  backward: 'gradients are those',
  summary: 'float64|every size|huge scores|equal weights|NaN|largest error|a cache|a window',
  threads: 'a summary has the same bits',
  linear: 'PyTorch|no more than is stated|exactly|not lost|float64|integer reference',
}

const folder = mkdtempSync(join(tmpdir(), 'qkv-relaxed-'))
writeFileSync(join(folder, 'qkv.wasm'), bytes)
after(() => rmSync(folder, { recursive: true }))

for (const [file, names] of Object.entries(NUMBERS))
  test(`with relaxed SIMD the tests of ${file}.test.js pass${names && ` that are about ${names}`}`, t => {
    t.diagnostic(`${passesWith(folder, `${file}.test.js`, { names, flags: FLAGS })} tests`)
  })

const ofIntegers = mkdtempSync(join(tmpdir(), 'qkv-relaxed-integers-'))
writeFileSync(join(ofIntegers, 'qkv.integers.wasm'), integers)
after(() => rmSync(ofIntegers, { recursive: true }))

for (const file of ['linear', 'int8-activations', 'weight-blocks', 'int8-cache'])
  test(`with relaxed SIMD the kernels of integers pass the tests of ${file}.test.js, and give the same bits`, t => {
    t.diagnostic(`${passesWith(ofIntegers, `${file}.test.js`, { flags: FLAGS })} tests`)
  })

test('their file is read where the engine multiplies bytes exactly, else, or where it is missing, the other one', () => {
  const code = `
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const { readFile } = fs
    let read = []
    let missing = 'none'
    fs.readFile = async (file, ...rest) => {
      const name = String(file).split('/').at(-1)
      read.push(name)
      if (name === missing) throw new Error('it is not there')
      return readFile(file, ...rest)
    }
    syncBuiltinESMExports()
    const { load } = await import(${JSON.stringify(new URL('../src/entries/index.js', import.meta.url).href)})
    const all = []
    for (const product of [129540, -508, 65534, 131068, 129540]) {
      WebAssembly.Instance = class { exports = { '': () => product } }
      if (all.length === 4) missing = 'qkv.relaxed.integers.wasm'
      await load({ integers: true })
      all.push([...new Set(read)].filter(name => /integers.*wasm/.test(name)).join(' then '))
      read = []
    }
    console.log(all.join())`
  const { stdout, stderr } = node([...FLAGS, '--input-type=module', '-e', code])
  const [usual, relaxed] = ['qkv.integers.wasm', 'qkv.relaxed.integers.wasm']
  assert.equal(stdout.trim(), [relaxed, relaxed, usual, usual, `${relaxed} then ${usual}`].join(), stderr)
})

test('load reads the relaxed build only on request', () => {
  const code = `
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const { readFile } = fs
    const read = []
    fs.readFile = (file, ...rest) => { read.push(String(file).split('/').at(-1)); return readFile(file, ...rest) }
    syncBuiltinESMExports()
    const { load } = await import(${JSON.stringify(new URL('../src/entries/index.js', import.meta.url).href)})
    for (const relaxed of [undefined, false, true, 'auto']) {
      const qkv = await load({ relaxed })
      if (qkv.linear([[2, 3]], [[4, 5]]).data[0] !== 23) throw new Error('wrong')
    }
    const two = await load({ relaxed: true, threads: 2 })
    two.dispose()
    console.log(read.filter(name => name.endsWith('.wasm')).join(' '))`
  const { stdout, stderr } = node([...FLAGS, '--input-type=module', '-e', code])
  const relaxed = 'qkv.relaxed.wasm'
  assert.equal(stdout.trim(), ['qkv.wasm', 'qkv.wasm', relaxed, relaxed, relaxed].join(' '), stderr)
})

test('where the engine lacks relaxed SIMD, auto takes the default build and true throws', async t => {
  const { validate } = WebAssembly
  t.mock.method(
    WebAssembly,
    'validate',
    (/** @type {Uint8Array<ArrayBuffer>} */ probe) => probe.length < 40 && validate(probe),
  )
  const qkv = await load({ relaxed: 'auto' })
  assert.equal(qkv.linear([[2]], [[3]]).data[0], 6)
  await assert.rejects(load({ relaxed: true }), { code: 'NO_RELAXED_SIMD', message: /Chrome 114.*relaxed: 'auto'/ })
})

test('relaxed is true, false or auto, and goes without a wasm', async () => {
  const any = (/** @type {unknown} */ value) => /** @type {any} */ (value)
  await assert.rejects(load({ relaxed: any('yes') }), { name: 'TypeError', message: /relaxed: .*got "yes"/ })
  await assert.rejects(load({ relaxed: 'auto', wasm: bytes }), {
    name: 'TypeError',
    message: /expected either wasm or relaxed/,
  })
})

test('each relaxed wasm file is within its limit', t => {
  t.diagnostic(`${bytes.length} and ${integers.length} bytes`)
  for (const { length } of [bytes, integers]) assert.ok(length <= WASM)
})

test('they export what the default build exports; the first imports nothing, the second the memory', () => {
  const code = `
    const { readFileSync } = await import('node:fs')
    const list = file => {
      const module = new WebAssembly.Module(readFileSync(file))
      return [WebAssembly.Module.imports(module), WebAssembly.Module.exports(module).map(({ name }) => name).filter(name => name.startsWith('qkv_')).sort()]
    }
    console.log(JSON.stringify(['', 'relaxed.', 'integers.', 'relaxed.integers.'].map(name => list(\`src/qkv.\${name}wasm\`))))`
  const run = spawnSync(process.execPath, [...FLAGS, '--input-type=module', '-e', code], {
    cwd: root,
    encoding: 'utf8',
  })
  const [plain, relaxed, second, secondRelaxed] = JSON.parse(run.stdout)
  assert.deepEqual([relaxed, secondRelaxed], [plain, second])
  assert.deepEqual([relaxed[0], secondRelaxed[0]], [[], [{ module: 'env', name: 'memory', kind: 'memory' }]])
})
