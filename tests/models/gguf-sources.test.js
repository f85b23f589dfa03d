// Sources of GGUF files: paths, addresses, the hub, bytes, Blobs, folders, several parts.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { corpus } from '../../src/entries/corpus.js'
import { load } from '../../src/entries/index.js'
import { inspectModel, loadModel } from '../../src/entries/models.js'
import { MADE, make, parts } from './gguf/made.js'
import { writeGguf } from './gguf/write-gguf.js'
import { startHub } from './hub.js'
import { randomOf } from './tokenizers/random-files.js'

const qkv = await load()
const none = /** @type {const} */ ({ tokenizer: false })
const [llama] = MADE
const { gguf } = make(llama, 'Q4_K', randomOf(1))
const other = make(llama, 'Q8_0', randomOf(2)).gguf
const [first, second] = parts(llama, 'Q4_K', randomOf(1), 2)
const place = mkdtempSync(join(tmpdir(), 'qkv-gguf-'))
after(() => rmSync(place, { recursive: true, force: true }))
for (const [name, bytes] of [
  ['x.Q4_K_M.gguf', gguf],
  ['big-00001-of-00002.gguf', first],
  ['big-00002-of-00002.gguf', second],
])
  writeFileSync(join(place, /** @type {string} */ (name)), /** @type {Uint8Array} */ (bytes))

/** Makes a folder. @param {string} name @param {Record<string, Uint8Array>} files */
function folder(name, files) {
  const path = join(place, name)
  mkdirSync(path)
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(path, file), bytes)
  return path
}
/** Makes a GGUF file that is not a model. @param {string} type */
const ofType = type =>
  writeGguf(
    [
      ['general.architecture', type === 'mmproj' ? 'clip' : 'llama'],
      ['general.type', type],
    ],
    [{ name: 'a.weight', dims: [4, 4], type: 'F32', bytes: new Uint8Array(64) }],
  )
const shared = new SharedArrayBuffer(gguf.length)
new Uint8Array(shared).set(gguf)
const lonely = folder('lonely', { 'm-00002-of-00002.gguf': second })
const several = folder('several', { 'x.Q4_0.gguf': gguf, 'x.Q8_0.gguf': other, 'sha256-01': gguf })
const beside = folder('beside', { 'mmproj-x.gguf': ofType('mmproj') })

const config = new TextEncoder().encode('{"model_type":"llama"}')
const hub = await startHub({
  'me/one': {
    files: {
      'x.Q4_K_M.gguf': gguf,
      'README.md': config,
      'x.mmproj-f16.gguf': config,
      'imatrix.gguf': config,
      'mtp-x.Q4_K_M.gguf': config,
    },
  },
  'me/plain': { files: { 'config.json': config, 'model.safetensors': config } },
  'me/many': {
    files: {
      'config.json': config,
      'x.Q4_K_M.gguf': gguf,
      'x.Q8_0.gguf': other,
      'sub/y-Q2_K.gguf': other,
      'big-Q5_0-00001-of-00002.gguf': first,
      'big-Q5_0-00002-of-00002.gguf': second,
    },
  },
})
after(() => hub.close())
const onHub = { hub: hub.url, keep: false }

/** Requests that the server received. @type {string[]} */
const asked = []
const server = createServer(({ url = '', headers }, response) => {
  asked.push(url)
  if (!url.startsWith('/some/x.gguf')) return void response.writeHead(404).end()
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []
  const end = Math.min(Number(to), gguf.length - 1)
  response.writeHead(206, { 'Content-Range': `bytes ${from}-${end}/${gguf.length}`, ETag: '"1"' })
  response.end(gguf.subarray(Number(from), end + 1))
})
await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
after(() => server.close())
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const address = `http://127.0.0.1:${port}/some/x.gguf`

/** @param {unknown} source @param {object} [options] */
async function logitsOf(source, options) {
  const model = await loadModel(qkv, /** @type {any} */ (source), { ...none, ...options })
  const { logits } = model.forwardSync({ ids: [1, 270, 30] })
  model.dispose()
  return logits?.data
}
const want = await logitsOf(gguf)

/** @type {[string, unknown, object?][]} */
const SOURCES = [
  ['a path', join(place, 'x.Q4_K_M.gguf')],
  ['a file URL', pathToFileURL(join(place, 'x.Q4_K_M.gguf'))],
  ['an address', address],
  ['an address with a query', `${address}?token=1`],
  ['an ArrayBuffer', gguf.slice().buffer],
  ['a SharedArrayBuffer', shared],
  ['shared memory', { 'x.gguf': new Uint8Array(shared) }],
  ['a Blob', new Blob([gguf])],
  ['a File', new File([gguf], 'anything.bin')],
  ['an array with a File', [new File([gguf], 'x.gguf')]],
  ['contents by name', { 'x.GGUF': gguf }],
  ['a name with the first of 0 parts', { 'x-00001-of-00000.gguf': gguf }],
  ['a function', { 'x.gguf': async (/** @type {number} */ from, /** @type {number} */ to) => gguf.subarray(from, to) }],
  ['two parts, by the first', join(place, 'big-00001-of-00002.gguf')],
  ['two parts, by the second', join(place, 'big-00002-of-00002.gguf')],
  ['two parts, by their contents', { 'b-00002-of-00002.gguf': second, 'b-00001-of-00002.gguf': first }],
  ['the only model of the hub', 'hf:me/one', onHub],
  ['its quantisation', 'hf:me/one:Q4_K_M', onHub],
  ['a file of the hub', 'hf:me/many/x.Q4_K_M.gguf', onHub],
  ['a quantisation of the hub', 'hf:me/many:q4_k_m', onHub],
  ['a quantisation of a revision', 'hf:me/many@main:Q4_K_M', onHub],
  ['two parts of the hub', 'hf:me/many:Q5_0', onHub],
]
for (const [name, source, options] of SOURCES)
  test(`${name} is opened`, async () => {
    assert.deepEqual(await logitsOf(source, options), want)
    assert.equal(qkv.memory.resident, 0)
  })

/** @type {[string, unknown, RegExp, object?][]} */
const WRONG = [
  [
    'a quantisation that is not there',
    'hf:me/many:Q6_K',
    /hf:me\/many:Q6_K: no file fits "Q6_K"; there are: .*x\.Q8_0\.gguf/,
    onHub,
  ],
  ['a file of the hub that is not there', 'hf:me/many/z.gguf', /no file fits "z\.gguf"; there are/, onHub],
  [
    'a repository without a file named',
    'hf:me/many',
    /there is x\.Q4_K_M\.gguf, but no model\.safetensors: a GGUF file is opened by its own name|GGUF/,
    onHub,
  ],
  [
    'a part alone',
    { 'b-00001-of-00002.gguf': first },
    /there is no file "b-00002-of-00002\.gguf": this model is in 2 files, give all of them together$/,
  ],
  ['a part under another name', first, /it is a part of 2: give the parts under their names/],
  [
    'parts in the wrong order',
    { 'b-00001-of-00002.gguf': second, 'b-00002-of-00002.gguf': first },
    /expected part 0 \(counted from 0\) of 2, got part 1 of 2/,
  ],
  [
    'the last of two parts, alone in a folder',
    lonely,
    /there is no file "m-00001-of-00002\.gguf": this model is in 2 files, give all of them together$/,
  ],
  [
    'the last of two parts, by its path',
    join(lonely, 'm-00002-of-00002.gguf'),
    /there is no file "m-00001-of-00002\.gguf"/,
  ],
  [
    'the last of two parts, dropped',
    [new File([second], 'm-00002-of-00002.gguf')],
    /no file "m-00001-of-00002\.gguf": this/,
  ],
  [
    'a folder with two models',
    several,
    /there are 2 GGUF files, give one of them, as in "x\.Q4_0\.gguf": x\.Q4_0\.gguf, x\.Q8_0/,
  ],
  [
    'a file without the ending',
    join(several, 'sha256-01'),
    /is a GGUF file whose name does not end in \.gguf: give its content/,
  ],
  [
    'a folder with a part for images alone',
    beside,
    /"mmproj-x\.gguf" belongs to a model that lies beside it, and is none/,
  ],
  ['a part for images', join(beside, 'mmproj-x.gguf'), /it is the part of a model that reads images .* language model/],
  ['an adapter', ofType('adapter'), /it is an adapter, changes to the weights of another model: .*\{ adapter \}/],
  ['statistics', ofType('imatrix'), /it has statistics for quantisation/],
  [
    'a quantisation of safetensors',
    'hf:me/plain:Q4_K_M',
    /no GGUF file\. Its safetensors open as hf:me\/plain$/,
    onHub,
  ],
  ['another quantisation', 'hf:me/one:Q9_X', /no file fits "Q9_X"; there are: x\.Q4_K_M\.gguf$/, onHub],
  ['a quantisation without hf:', 'me/one:Q4_K_M', /Hugging Face hub is named hf:me\/one:Q4_K_M$/],
  ['a name of Ollama', 'ollama:llama3.2', /there is no folder "ollama:llama3\.2" in the current directory$/],
  ['a file of the hub without hf:', 'me/one/x.gguf', /hub is named hf:me\/one$/],
  ...[
    'hf.co/me/one',
    'HF.co/me/one/',
    'https://huggingface.co/me/one',
    'https://www.huggingface.co/me/one/tree/main',
  ].map(
    text =>
      /** @type {[string, unknown, RegExp]} */ ([
        text,
        text,
        /is a page of the .* hub; its model is named hf:me\/one$/,
      ]),
  ),
  ...['hf.co/me/one:Q4_K_M', 'https://huggingface.co/me/one:Q4_K_M', 'huggingface.co/me/one:Q4_K_M'].map(
    text => /** @type {[string, unknown, RegExp]} */ ([text, text, /its model is named hf:me\/one:Q4_K_M$/]),
  ),
  [
    'the page of a file',
    'https://huggingface.co/me/one?show_file_info=a%2Fx.gguf',
    /"https:\/\/huggingface\.co\/me\/one" is a page of .*named hf:me\/one\/a\/x\.gguf$/,
  ],
  ...['https://huggingface.co/me/one/blob/v2/a/x.gguf?download=true', 'hf.co/me/one/resolve/v2/a/x.gguf'].map(
    text => /** @type {[string, unknown, RegExp]} */ ([text, text, /its model is named hf:me\/one@v2\/a\/x\.gguf$/]),
  ),
  ['a Blob that is no GGUF', new Blob(['{}']), /model\.gguf: it begins with "\{\}", a GGUF file with "GGUF"/],
]
for (const [name, source, message, options] of WRONG)
  test(`${name} is refused`, async () => {
    await assert.rejects(logitsOf(source, options), message)
    assert.equal(qkv.memory.resident, 0)
  })

test('a server is asked for each block of 8 MiB once, as for safetensors', async () => {
  asked.length = 0
  await logitsOf(address)
  assert.equal(asked.length, 1 + Math.ceil((gguf.length - 2 ** 20) / 2 ** 23))
})

test('inspectModel returns the type, the types of blocks and the bytes of the file; progress ends with them', async () => {
  const { type, types, bytes, parameters, config } = await inspectModel(gguf)
  assert.deepEqual([type, config.model_type], ['llama', 'llama'])
  assert.deepEqual(Object.keys(types ?? {}), ['Q4_K', 'F32'])
  assert.ok(bytes.stored < gguf.length && bytes.stored > gguf.length - 20_000, String(bytes.stored))
  assert.ok(bytes.float32 < parameters * 4 && bytes.float32 > parameters * 2) // the table of tokens stays in blocks
  assert.ok(bytes.loaded < 1.03 * bytes.stored, `${bytes.loaded} ${bytes.stored}`)
  /** @type {import('../../src/models/weights/weights.js').Progress[]} */
  const seen = []
  await logitsOf(gguf, { onProgress: (/** @type {any} */ progress) => seen.push(progress) })
  const { loaded, total } = seen[seen.length - 1]
  assert.ok(Math.abs(loaded - total) < 1e-6 * total && total === bytes.stored)
})

test('qkv/corpus opens a file, and distinguishes it from another one at the same path', async () => {
  const path = join(place, 'corpus.gguf')
  writeFileSync(path, other)
  const options = /** @type {const} */ ({
    model: path,
    what: { means: ['layers.0.mlp.output'] },
    out: join(place, 'corpus'),
  })
  const { means } = await corpus(['a b', 'b'], options)
  assert.equal(means['layers.0.mlp.output'].dims.length, 1)
  writeFileSync(path, make(llama, 'Q8_0', randomOf(3)).gguf)
  await assert.rejects(
    corpus(['a b', 'b'], options),
    /has results with another model or version of qkv: choose another folder/,
  )
})
