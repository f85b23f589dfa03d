// Tests that the room "Models" refuses each bad file with a message, and that the open model still works. models-room.test.js gives some to the page.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { failureOf } from '../../web/rooms/models/shown.js'
import { filesOf } from './golden-files.js'
import { begin, folder as filesIn, TEXT } from './models-store.js'

/** @typedef {Record<string, Buffer>} Folder */
/** @param {string} name @returns {Folder} */
const folderOf = name => Object.fromEntries(filesOf(name).map(path => [basename(path), readFileSync(path)]))
const text = (/** @type {unknown} */ json) => Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))

const gpt2 = folderOf('gpt2-tiny')
const weights = gpt2['model.safetensors']
const start = 8 + Number(weights.readBigUInt64LE(0))
const header = JSON.parse(weights.toString('utf8', 8, start))
const config = JSON.parse(gpt2['config.json'].toString())
const [first] = Object.keys(header).filter(name => name !== '__metadata__')
const [one, other] = Object.keys(header).filter(name => /ln_1\.weight$/.test(name)) // two tensors of the same shape

/** Returns the file with another header. @param {string} json @param {number} [size] of the header, as the file states it */
function withHeader(json, size = json.length) {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(size))
  return Buffer.concat([length, Buffer.from(json), weights.subarray(start)])
}
/** @param {string} name @param {object} patch */
const withEntry = (name, patch) => withHeader(JSON.stringify({ ...header, [name]: { ...header[name], ...patch } }))
const model = (/** @type {Buffer} */ file) => ({ ...gpt2, 'model.safetensors': file })
const configured = (/** @type {object} */ patch) => ({ ...gpt2, 'config.json': text({ ...config, ...patch }) })

const code = readFileSync(new URL('../goldens/torch-files/code.zip.bin', import.meta.url))

/** @type {[string, Folder, RegExp][]} */
const BAD = [
  ['a truncated file', model(weights.subarray(0, -10)), /it is cut off/],
  ['an empty file', model(Buffer.alloc(0)), /the file is cut off/],
  ['a header of 10^9 bytes', model(withHeader('{}', 1e9)), /header would be 1000000000 bytes long/],
  ['overlapping tensors', model(withEntry(other, { data_offsets: header[one].data_offsets })), /overlaps/],
  [
    'offsets beyond the end',
    model(withEntry(first, { data_offsets: [9007199254740000, 9007199254740008] })),
    /: 8 bytes, but F32/,
  ],
  [
    'dims whose product overflows',
    model(withEntry(first, { shape: [4294967296, 4294967296] })),
    /are 7378697629483821/,
  ],
  [
    'a name twice',
    model(
      withHeader(JSON.stringify(header).replace('{', `{${JSON.stringify(first)}:${JSON.stringify(header[first])},`)),
    ),
    /a name occurs twice/,
  ],
  [
    'a header with __proto__',
    model(
      withHeader(JSON.stringify(header).replace('{', '{"__proto__":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},')),
    ),
    /unexpected: __proto__/,
  ],
  ['a config of 10^5 brackets', { ...gpt2, 'config.json': text('['.repeat(1e5)) }, /config\.json/],
  ['absurd sizes', configured({ n_embd: 1e12 }), /n_embd: expected a whole number from 1 to.*got 1000000000000/],
  [
    'a family that is not covered',
    configured({ model_type: 'mamba' }),
    /model_type "mamba" is not covered; covered: gpt2/,
  ],
  [
    'a dtype that is not covered',
    model(withEntry(first, { dtype: 'I32' })),
    /expected one of F32, F16, BF16, F64, got I32/,
  ],
  [
    'a tokenizer of another kind',
    { ...gpt2, 'tokenizer.json': text({ model: { type: 'Fancy' } }) },
    /tokenizer\.json: model\.type: "Fancy" is not covered/,
  ],
  [
    'a missing shard',
    Object.fromEntries(Object.entries(folderOf('llama-tiny-sharded')).filter(([name]) => !/00002-of/.test(name))),
    /the shard "model-00002-of-00002\.safetensors" is missing/,
  ],
  [
    'a pickle that calls a function',
    { 'config.json': gpt2['config.json'], 'pytorch_model.bin': code },
    /pytorch_model\.bin: its pickle calls \S+\.print, and no code of a file is run/,
  ],
  [
    'a pickle under another name',
    model(Buffer.from('PK\x03\x04 and so on, and so on')),
    /a file of torch\.save or another pickle: a state_dict is read if its name is pytorch_model\.bin/,
  ],
  ['GGUF', { 'config.json': gpt2['config.json'], 'tiny.gguf': text('GGUF') }, /a GGUF file is opened by its own name/],
  [
    'GGUF under another name',
    model(Buffer.from('GGUF\x03\0\0\0 and so on')),
    /a GGUF file: give it a name that ends in \.gguf/,
  ],
  ['no config', { 'model.safetensors': weights }, /config\.json is missing/],
  ['one picture', { 'cat.png': Buffer.from([0x89, 0x50, 0x4e, 0x47]) }, /neither model\.safetensors nor/],
]

const given = (/** @type {Folder} */ folder) =>
  Object.entries(folder).map(([name, buffer]) => new File([new Uint8Array(buffer)], name))

test('each bad folder is refused with its reason; the open model stays, and works', async () => {
  const { store, act, settled, shown } = await begin()
  const { openModel, run } = shown()
  for (const [name, folder, reason] of BAD) {
    act.bring(given(folder))
    await settled()
    const { problem, isRefused } = failureOf(store.state) ?? assert.fail(`${name}: read`)
    assert.match(String(problem.params?.message), reason, name)
    assert.deepEqual([problem.key, isRefused], ['requestFailed', true], name)
    assert.equal(shown().openModel, openModel, name)
  }
  act.type('The dog')
  await settled()
  assert.ok(shown().run?.ids.length !== run?.ids.length && !failureOf(store.state))
  act.type(TEXT)
  await settled()
  assert.deepEqual(shown().run?.top, run?.top)
  act.bring(filesIn('qwen3-tiny-bf16'))
  await settled()
  assert.equal(shown().openModel?.type, 'qwen3')
})

test('a text beyond the positions of the model, and ids that it lacks, are refused with the limit; a shorter text works', async () => {
  const { store, act, settled, shown } = await begin()
  const problem = () => failureOf(store.state)?.problem
  act.type('The dog '.repeat(100))
  await settled()
  assert.deepEqual([problem()?.key, problem()?.params?.positions], ['modelsTooLong', 64])
  act.type(TEXT)
  await settled()
  assert.equal(problem(), undefined)
  const { 'tokenizer.json': _, ...without } = gpt2
  act.bring(given(without))
  await settled()
  assert.equal(problem()?.key, 'modelsNoIds', 'the text before has none')
  act.type('5 9 384')
  await settled()
  assert.match(String(problem()?.params?.message), /ids\[2\]: expected a whole number from 0 to 383.*got 384/)
  act.type('5 9 383')
  await settled()
  assert.equal(problem(), undefined)
  assert.equal(shown().run?.ids.length, 3)
})
