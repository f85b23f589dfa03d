// The C header and the JavaScript layer agree; the wasm file is small and has no imports.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../src/index.js'
import * as blockAbi from '../src/nn/nn-abi.js'
import { packLinear } from '../src/nn.js'
import * as coreAbi from '../src/runtime/abi.js'
import * as cacheAbi from '../src/runtime/int8-rows.js'
import { Core } from '../src/runtime/memory.js'
import { enumOf, fieldsOf, functions, header, structNames } from './header.js'
import { SCORES } from './reference.js'

const abi = { ...coreAbi, ...blockAbi, ...cacheAbi }
const root = fileURLToPath(new URL('..', import.meta.url))
const read = (/** @type {string} */ path) => readFileSync(join(root, path))
const wasm = read('src/qkv.wasm')
const integers = read('src/qkv.integers.wasm')
/** The 32-bit words of a struct: nested ones are laid out in place. @param {string} name @param {string} prefix */
function wordsOf(name, prefix = '') {
  /** @type {{ name: string, type: string }[]} */
  const words = []
  for (const { type, name: field, pointer } of fieldsOf(name)) {
    const inner = field === 'attention' ? '' : `${field}.`
    if (type.startsWith('struct ') && !pointer) words.push(...wordsOf(type.slice(7), prefix + inner))
    else words.push({ name: prefix + field, type: pointer ? 'pointer' : type })
  }
  return words
}

test('abi.js has the words of the structs of qkv.h, in their order and kind', () => {
  const attention = wordsOf('qkv_attention')
  const trace = wordsOf('qkv_trace')
  const names = (/** @type {{ name: string }[]} */ words) => words.map(({ name }) => name)
  assert.deepEqual(abi.ATTENTION_WORDS, names(attention))
  assert.deepEqual(abi.TRACE_WORDS, names(trace))
  assert.deepEqual(abi.SUMMARY_WORDS, names(wordsOf('qkv_summary')))
  assert.deepEqual(abi.BACKWARD_WORDS, names(wordsOf('qkv_backward')))
  assert.deepEqual(abi.LINEAR_WORDS, names(wordsOf('qkv_linear')))
  assert.deepEqual(abi.LINEAR_BACKWARD_WORDS, names(wordsOf('qkv_linear_backward')))
  assert.deepEqual(abi.PRODUCTS_WORDS, names(wordsOf('qkv_products')))
  assert.deepEqual(abi.CACHED_WORDS, names(wordsOf('qkv_cached')))
  assert.deepEqual(abi.CACHE_ROWS_WORDS, names(wordsOf('qkv_cache_rows')))
  assert.deepEqual(abi.ROPE_WORDS, names(wordsOf('qkv_rope')))
  assert.deepEqual(abi.PACK_LINEAR_WORDS, names(wordsOf('qkv_pack_linear')))
  assert.deepEqual(abi.NORM_WORDS, names(wordsOf('qkv_norm')))
  assert.deepEqual(abi.NORM_BACKWARD_WORDS, names(wordsOf('qkv_norm_backward')))
  assert.deepEqual(abi.ACTIVATE_WORDS, names(wordsOf('qkv_activate')))
  assert.deepEqual(abi.ACTIVATE_BACKWARD_WORDS, names(wordsOf('qkv_activate_backward')))
  assert.deepEqual(abi.COMBINE_WORDS, names(wordsOf('qkv_combine')))
  assert.deepEqual(abi.CROSS_ENTROPY_WORDS, names(wordsOf('qkv_cross_entropy')))
  assert.deepEqual(abi.ADAM_WORDS, names(wordsOf('qkv_adam')))
  assert.deepEqual(abi.SGD_WORDS, names(wordsOf('qkv_sgd')))
  assert.deepEqual(abi.TRACE_STEPS, names(trace.slice(attention.length).filter(({ type }) => type === 'pointer')))
})

test('every field of a struct is one word, and FLOATS names those that are floats', () => {
  const structs = structNames().filter(name => name !== 'qkv_generator')
  assert.ok(structs.length > 10)
  const fields = structs.flatMap(name => wordsOf(name))
  for (const { name, type } of fields) {
    assert.ok(['pointer', 'float', 'uint32_t', 'int32_t'].includes(type), `${name} is one word`)
    assert.equal(abi.FLOATS.has(name), type === 'float', name)
  }
  for (const name of abi.FLOATS)
    assert.ok(
      fields.some(field => field.name === name),
      name,
    )
})

test('no exported function takes more than nine parameters', () => {
  for (const { name, parameters } of functions()) assert.ok(parameters.length < 10, name)
})

test('abi.js has the enums, the version and the open window of qkv.h, and the size of a generator', () => {
  assert.deepEqual(abi.SCORE, enumOf('qkv_score', 'QKV_SCORE_'))
  assert.deepEqual(abi.SOFTMAX_AXIS, enumOf('qkv_softmax_axis', 'QKV_SOFTMAX_'))
  assert.deepEqual(abi.MASKING, enumOf('qkv_masking', 'QKV_MASKING_'))
  assert.deepEqual(abi.ACTIVATION, enumOf('qkv_activation', 'QKV_ACTIVATION_'))
  assert.deepEqual(abi.FUNCTION, enumOf('qkv_function', 'QKV_FUNCTION_'))
  assert.deepEqual(abi.WEIGHTS, enumOf('qkv_weights', 'QKV_WEIGHTS_'))
  assert.deepEqual(abi.STREAM, enumOf('qkv_stream', 'QKV_STREAM_'))
  const statuses = Object.values(enumOf('qkv_status', 'QKV_'))
  assert.deepEqual(statuses, [...abi.STATUS.keys()])
  assert.match(header, new RegExp(`#define QKV_ABI ${abi.ABI}\\n`))
  assert.match(header, new RegExp(`#define QKV_OPEN 0x${abi.OPEN.toString(16)}u\\n`))
  const bytes = fieldsOf('qkv_generator').map(({ type, size }) => size * (type === 'double' ? 8 : 4))
  assert.equal(
    bytes.reduce((a, b) => a + b, 0),
    abi.GENERATOR_BYTES,
  )
})

test('every score has its name in the options, in the reference of the tests and in the docs', async () => {
  const qkv = await load()
  const names = Object.keys(abi.SCORE)
  const listed = names.map(name => `"${name}"`).join(', ')
  const score = /** @type {any} */ ('none')
  assert.throws(() => qkv.attention([[1]], [[1]], [[1]], { score }), { message: new RegExp(`one of ${listed} `) })
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
  const end = /** @type {any} */ (second.exports).qkv_heap() // it has no stack of its own
  assert.ok(end >= 1024 && end <= 2048, `they end at ${end}`)
  assert.deepEqual(bytes.subarray(2048), before.subarray(2048))
})

test('the core answers what the JavaScript never asks with a status, and writes nothing', async () => {
  const module = await WebAssembly.compile(wasm)
  const core = new Core(await WebAssembly.instantiate(module), module)
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
        message: `${kernel}: ${abi.STATUS[status]} out of range`,
      })
    })
})

test('each wasm file is at most 76 KB', t => {
  t.diagnostic(`${wasm.length} and ${integers.length} bytes`)
  for (const { length } of [wasm, integers]) assert.ok(length <= 76 * 1024)
})

test('a misspelt word of a struct does not compile', () => {
  const at = abi.indices(abi.ATTENTION_WORDS)
  assert.equal(at.softcap, abi.ATTENTION_WORDS.indexOf('softcap'))
  // @ts-expect-error: the lint fails if this line is no error
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
