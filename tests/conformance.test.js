// Runs ONNX's node tests, if the folder ../shared/conformance exists, and tests our reader of ONNX files.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../src/entries/index.js'
import { ATTRIBUTES, findCases, message, TYPES } from './conformance/onnx-cases.js'
import { runFolder } from './conformance/run-cases.js'

/** @import { Case, OnnxTensor } from './conformance/onnx-cases.js' */

const qkv = await load()
const root = fileURLToPath(new URL('..', import.meta.url))
const shared = join(root, '..', 'shared', 'conformance')
const isShared = existsSync(shared)
const temporary = mkdtempSync(join(tmpdir(), 'qkv-conformance-'))
after(() => rmSync(temporary, { recursive: true }))

/** @param {string} folder */
function run(folder) {
  /** @type {string[]} */
  const lines = []
  const counts = runFolder(qkv, folder, line => lines.push(line))
  return { counts, lines }
}

/** @param {string} type @param {object} fields */
const encode = (type, fields) => message(type).encode(message(type).fromObject(fields)).finish()

/** @param {OnnxTensor} tensor @param {'raw' | 'list'} form */
function encodeTensor({ name, dims, dtype, data }, form) {
  const list = { float32: 'float_data', int64: 'int64_data', bool: 'int32_data', float16: 'int32_data' }[dtype] ?? ''
  const typed = dtype === 'int64' ? BigInt64Array.from([...data], BigInt) : data
  const bytes = new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength)
  const values = form === 'raw' ? { raw_data: bytes } : { [list]: [...data] }
  return encode('Tensor', { name, dims, data_type: TYPES[/** @type {keyof typeof TYPES} */ (dtype)], ...values })
}

/**
 * Writes a case as ONNX stores it: model.onnx, test_data_set_0/input_0.pb ...
 * @param {Case} test
 * @param {'raw' | 'list'} form
 * @param {Record<string, any>} [change] fields of the node to change
 */
function writeFolder(test, form, change = {}) {
  const folder = join(temporary, form, test.name)
  const set = join(folder, 'test_data_set_0')
  mkdirSync(set, { recursive: true })
  const names = (/** @type {(OnnxTensor | null)[]} */ tensors) => tensors.map(tensor => tensor?.name ?? '')
  const values = (/** @type {(OnnxTensor | null)[]} */ tensors) =>
    tensors.flatMap(tensor =>
      tensor
        ? [{ name: tensor.name, type: { tensor_type: { elem_type: TYPES[/** @type {'bool'} */ (tensor.dtype)] } } }]
        : [],
    )
  const attribute = Object.entries(test.attributes).map(([name, value]) =>
    ['scale', 'softcap'].includes(name)
      ? { name, type: ATTRIBUTES.float, f: value }
      : { name, type: ATTRIBUTES.int, i: value },
  )
  const node = [{ op_type: test.op, input: names(test.inputs), output: names(test.outputs), attribute, ...change }]
  const graph = { node, name: test.name, input: values(test.inputs), output: values(test.outputs) }
  writeFileSync(
    join(folder, 'model.onnx'),
    encode('Model', { ir_version: 10, graph, opset_import: [{ version: test.opset }] }),
  )
  for (const [kind, tensors] of /** @type {const} */ ([
    ['input', test.inputs],
    ['output', test.outputs],
  ]))
    tensors
      .filter(tensor => tensor !== null)
      .forEach((tensor, i) => {
        writeFileSync(join(set, `${kind}_${i}.pb`), encodeTensor(tensor, form))
      })
  return folder
}

/** @type {(name: string, dims: number[], ...values: number[]) => OnnxTensor} */
const floats = (name, dims, ...values) => ({ name, dims, dtype: 'float32', data: Float32Array.from(values) })
const tiny = /** @type {Case} */ ({
  name: 'tiny',
  op: 'Softmax',
  opset: 13,
  attributes: { axis: 0 },
  inputs: [floats('x', [2, 1], 0, 0)],
  outputs: [floats('y', [2, 1], 0.5, 0.5)],
})

test('every case of the folder passes', { skip: !isShared && `there is no ${shared}` }, t => {
  const { counts, lines } = run(shared)
  t.diagnostic(/** @type {string} */ (lines.at(-1)))
  assert.deepEqual(
    lines.filter(line => !line.startsWith('pass')),
    ['66 pass, 0 fail, 0 unreadable, 0 unsupported'],
  )
  assert.equal(counts.pass, 66)
})

for (const form of /** @type {const} */ (['raw', 'list']))
  test(`written as model.onnx and .pb (${form}) and read back, they are the same and pass`, {
    skip: !isShared && `there is no ${shared}`,
  }, () => {
    const cases = findCases(shared).flatMap(({ read }) => read())
    for (const written of cases) {
      const [{ name, read }] = findCases(writeFolder(written, form))
      assert.equal(name, written.name)
      const trim = (/** @type {Case} */ { attributes, ...rest }) => ({
        ...rest,
        attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, Math.fround(value)])),
      })
      assert.deepEqual(read().map(trim), [trim(written)])
    }
    assert.equal(run(join(temporary, form)).counts.pass, cases.length)
  })

test('wrong numbers, dims and types fail, and so does NaN', () => {
  /** @type {[OnnxTensor, RegExp][]} */
  const wrong = [
    [floats('y', [2, 1], 0.5, 0.6), /fail +tiny .*value 1 is 0.5, 0.6/],
    [floats('y', [2, 1], 0.5, NaN), /fail +tiny .*value 1 is 0.5, NaN/],
    [floats('y', [1, 2], 0.5, 0.5), /fail +tiny +y: dims \(2,1\) came, \(1,2\) expected/],
    [
      { name: 'y', dims: [2, 1], dtype: 'float16', data: Uint16Array.of(0x3800, 0x3800) },
      /float32 came, float16 expected/,
    ],
  ]
  for (const [output, line] of wrong) {
    const { counts, lines } = run(writeFolder({ ...tiny, outputs: [output] }, 'raw'))
    assert.match(lines[0], line)
    assert.equal(counts.fail, 1)
  }
  assert.equal(run(writeFolder(tiny, 'raw')).counts.pass, 1)
})

test('unsupported cases are named and counted, with the reason', () => {
  /** @type {[Record<string, any>, string][]} */
  const foreign = [
    [{ op_type: 'Relu' }, 'operator Relu'],
    [{ domain: 'com.microsoft' }, 'domain com.microsoft'],
    [{ attribute: [{ name: 'axis', type: 3, s: Buffer.from('last') }] }, 'attribute axis of type 3'],
    [{ attribute: [{ name: 'sideways', type: ATTRIBUTES.int, i: 1 }] }, 'attribute sideways'],
  ]
  for (const [change, reason] of foreign) {
    const { counts, lines } = run(writeFolder(tiny, 'raw', change))
    assert.deepEqual(counts, { pass: 0, fail: 0, unreadable: 0, unsupported: 1 })
    assert.deepEqual(lines.slice(0, 2), [`unsupported tiny  ${reason}`, `not supported: ${reason} (1)`])
  }
  assert.match(run(writeFolder({ ...tiny, opset: 11 }, 'raw')).lines[0], /Softmax of opset 11, before 13/)

  const folder = writeFolder(tiny, 'raw')
  const double = encode('Tensor', { name: 'x', dims: [2, 1], data_type: 11, raw_data: new Uint8Array(16) })
  writeFileSync(join(folder, 'test_data_set_0', 'input_0.pb'), double)
  assert.match(run(folder).lines[0], /^unsupported tiny {2}element type 11/)
  const node = { op_type: 'Softmax', input: ['x'], output: ['y'] }
  writeFileSync(
    join(folder, 'model.onnx'),
    encode('Model', { graph: { node: [node, node] }, opset_import: [{ version: 13 }] }),
  )
  assert.match(run(folder).lines[0], /^unsupported tiny {2}a graph of 2 nodes/)
})

test('damaged files are named and counted, wherever they are cut', () => {
  const folder = join(temporary, 'damaged')
  let cut = 0
  const files = () => ['model.onnx', ...['input_0.pb', 'output_0.pb'].map(name => join('test_data_set_0', name))]
  for (const file of files()) {
    const path = join(writeFolder({ ...tiny, name: 'whole' }, 'raw'), file)
    for (let length = readFileSync(path).length - 1; length >= 0; length--) {
      truncateSync(path, length)
      const { counts } = run(join(temporary, 'raw', 'whole'))
      assert.equal(counts.pass + counts.fail, 0, `${file} cut to ${length} bytes`)
      assert.equal(counts.unreadable + counts.unsupported, 1)
      cut++
    }
    rmSync(path)
    assert.match(
      run(join(temporary, 'raw', 'whole')).lines[0] ?? '',
      file === 'model.onnx' ? /^$|0 pass/ : /^unreadable +whole .*no such file/,
    )
  }
  assert.ok(cut > 100)
  mkdirSync(folder)
  writeFileSync(join(folder, 'noise.json'), '{"name": "noise", "op": "Softm')
  writeFileSync(join(folder, 'list.json'), '[1, 2]')
  assert.deepEqual(run(folder).counts, { pass: 0, fail: 0, unreadable: 2, unsupported: 0 })
  writeFileSync(join(folder, 'model.onnx'), Buffer.from('<!doctype html>'))
  assert.equal(run(folder).counts.unreadable, 1)
})

test('npm run conformance exits with 0 only if all pass, and prints its usage', () => {
  const main = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [join(root, 'tests', 'conformance', 'main.js'), ...args], { encoding: 'utf8' })
  const good = main(writeFolder(tiny, 'raw'))
  assert.equal(good.stdout, 'pass        tiny  largest error 0.0e+0\n1 pass, 0 fail, 0 unreadable, 0 unsupported\n')
  assert.equal(good.status, 0)
  assert.equal(main(writeFolder({ ...tiny, outputs: [floats('y', [2, 1], 1, 0)] }, 'raw')).status, 1)
  assert.match(main().stderr, /a folder of ONNX node tests is missing/)
  const none = main(join(root, 'docs'))
  assert.equal(none.status, 1)
  assert.match(none.stdout, /no case passed/)
  assert.match(main(join(temporary, 'nowhere')).stderr, /there is no folder .*nowhere/)
})
