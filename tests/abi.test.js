// The C header and the JavaScript layer agree; the wasm file is small and has no imports.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { abiText, wordsOf } from '../build/abi.js'
import { enumOf, functions, structNames } from '../build/header.js'
import { load } from '../src/entries/index.js'
import { packLinear } from '../src/entries/nn.js'
import * as blockAbi from '../src/ops/nn-abi.js'
import * as coreAbi from '../src/runtime/abi.js'
import { instantiate } from '../src/runtime/load-core.js'
import { Core } from '../src/runtime/memory.js'
import { indices, STATUS } from '../src/runtime/structs.js'
import { WASM } from './budgets.js'
import { SCORES } from './reference.js'

const abi = { ...coreAbi, ...blockAbi }
const root = fileURLToPath(new URL('..', import.meta.url))
const read = (/** @type {string} */ path) => readFileSync(join(root, path))
const wasm = read('src/qkv.wasm')
const integers = read('src/qkv.integers.wasm')
test('abi.js and nn-abi.js are what npm run abi makes of qkv.h', () => {
  for (const path of /** @type {const} */ (['src/runtime/abi.js', 'src/ops/nn-abi.js'])) {
    const plain = (/** @type {string} */ text) => text.replaceAll(/[\s,"']/g, '')
    assert.equal(plain(read(path).toString()), plain(abiText(path)), path)
  }
  const lengths = [abi.ATTENTION_WORDS, abi.TRACE_WORDS, abi.SUMMARY_WORDS, abi.BACKWARD_WORDS].map(
    ({ length }) => length,
  )
  assert.deepEqual(
    lengths,
    ['attention', 'trace', 'summary', 'backward'].map(name => wordsOf(`qkv_${name}`).length),
  )
})

test('every field of a struct is one word', () => {
  const structs = structNames().filter(name => name !== 'qkv_generator')
  assert.ok(structs.length > 10)
  for (const { name, type } of structs.flatMap(name => wordsOf(name)))
    assert.ok(['pointer', 'float', 'uint32_t', 'int32_t'].includes(type), `${name} is one word`)
  assert.deepEqual(abi.NORM_STRUCT.floats, ['eps', 'shift'])
})

test('no exported function takes more than nine parameters', () => {
  for (const { name, parameters } of functions()) assert.ok(parameters.length < 10, name)
})

test('every status has its word, and the numbers of qkv.h are those of abi.js', () => {
  assert.deepEqual(Object.values(enumOf('qkv_status', 'QKV_')), [...STATUS.keys()])
  assert.deepEqual([abi.SCORE.additive, abi.STREAM.scalar, abi.WEIGHTS.int4], [2, 1, 4])
  assert.deepEqual([abi.OPEN, abi.GENERATOR_BYTES], [2 ** 32 - 1, 624 * 4 + 4 * 4 + 8])
})

test('every score has its name in the options, in the reference of the tests and in the docs', async () => {
  const qkv = await load()
  const names = Object.keys(abi.SCORE)
  const listed = names.map(name => `"${name}"`).join(', ')
  const score = /** @type {any} */ ('none')
  assert.throws(() => qkv.attention([[1]], [[1]], [[1]], { score }), { message: new RegExp(`one of ${listed}, got`) })
  assert.deepEqual(Object.keys(SCORES), names)
  const docs = read('docs/attention.md').toString()
  for (const name of names) assert.ok(docs.includes(`'${name}'`), `docs: '${name}'`)
})

test('the two modules export the functions of qkv.h; the first imports nothing, the second the memory', async () => {
  const modules = [await WebAssembly.compile(wasm), await WebAssembly.compile(integers)]
  assert.deepEqual(modules.map(WebAssembly.Module.imports), [[], [{ module: 'env', name: 'memory', kind: 'memory' }]])
  const [own, second] = modules.map(module =>
    WebAssembly.Module.exports(module)
      .map(({ name }) => name)
      .filter(name => name.startsWith('qkv_')),
  )
  const both = ['qkv_abi', 'qkv_heap', 'qkv_stack']
  assert.deepEqual(
    second.filter(name => own.includes(name)),
    both,
  )
  assert.deepEqual(
    [...new Set([...own, ...second])].sort(),
    functions()
      .map(({ name }) => name)
      .sort(),
  )
})

test('the constants of the second module end before those of the first one', async () => {
  const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(wasm))
  const { memory, qkv_heap } = /** @type {any} */ (exports)
  const bytes = new Uint8Array(memory.buffer)
  const from = bytes.findIndex(byte => byte !== 0)
  assert.ok(from >= 2048 && from < qkv_heap() - 65536, `constants from ${from}`)
  const before = bytes.slice()
  const second = await WebAssembly.instantiate(await WebAssembly.compile(integers), { env: { memory } })
  const end = /** @type {any} */ (second.exports).qkv_heap() // the end of the second module's data; it has no stack, because it uses that of the first
  assert.ok(end >= 1024 && end <= 2048, `they end at ${end}`)
  assert.deepEqual(bytes.subarray(2048), before.subarray(2048))
})

test('the core refuses calls that the JavaScript never makes with a status, and writes nothing', async () => {
  const module = await WebAssembly.compile(wasm)
  const core = new Core(await instantiate(module), module)
  /** @type {[status: number, kernel: string, ...args: any[]][]} */
  const calls = [
    [1, 'qkv_attention', { H: 3, G: 2 }],
    [1, 'qkv_trace', { H: 3, G: 0 }],
    [1, 'qkv_backward', { H: 3, G: 2 }],
    [2, 'qkv_backward', { score: 3 }],
    [2, 'qkv_attention', { score: 3 }],
    [2, 'qkv_trace', { score: 2 ** 32 - 1 }],
    [3, 'qkv_trace', { softmax_axis: 2 }],
    [4, 'qkv_trace', { masking: 2 }],
    [5, 'qkv_embedding', 0, 0, 3, Int32Array.of(0), 1, 0],
    [6, 'qkv_randint', 0, 0, 1, 5, 0],
  ]
  for (const [status, kernel, ...args] of calls)
    core.scope(() => {
      const words = kernel === 'qkv_trace' ? abi.TRACE_WORDS : abi.ATTENTION_WORDS
      const numbers = args.map(arg => {
        if (typeof arg === 'number') return arg
        return core.copyIn(
          ArrayBuffer.isView(arg) ? /** @type {Int32Array} */ (arg) : Uint32Array.from(words, word => arg[word] ?? 0),
        )
      })
      assert.throws(() => core.call(kernel, ...numbers), {
        code: 'KERNEL',
        message: `${kernel}: ${STATUS[status]} out of range`,
      })
    })
})

test('each wasm file is within its limit', t => {
  t.diagnostic(`${wasm.length} and ${integers.length} bytes`)
  for (const { length } of [wasm, integers]) assert.ok(length <= WASM)
})

test('a misspelt word of a struct does not compile', () => {
  const at = indices(abi.ATTENTION_WORDS)
  assert.equal(at.softcap, abi.ATTENTION_WORDS.indexOf('softcap'))
  // @ts-expect-error: tsc, run by lint, fails if this line compiles
  assert.equal(at.softcup, undefined)
})

test('int8 without the kernels of integer weights is an error that names the option, and leaves no memory in use', async () => {
  const plain = await load()
  assert.throws(() => packLinear(plain, [[1]], undefined, { dtype: 'int8' }), {
    message: /load\(\{ integers: true \}\)/,
  })
  assert.deepEqual([plain.memory.used, plain.memory.resident], [0, 0])
  const own = await load({ integers })
  assert.equal(packLinear(own, [[1]], undefined, { dtype: 'int8' }).forward([[2]]).data[0], 2)
  const other = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
  await assert.rejects(load({ integers: other }), { code: 'WASM_VERSION' })
})
