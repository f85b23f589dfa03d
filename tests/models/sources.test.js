// Sources of a checkpoint: a path, a URL with and without ranges, files, bytes, functions. All give the same model.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { whyOf } from '../../src/base/fetch-error.js'
import { load } from '../../src/entries/index.js'
import { backward } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { streamed } from '../../src/models/source/blob-source.js'
import { makeFolder } from './made-folder.js'

/** @import { Model } from '../../src/entries/models.js' */

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models/llama-tiny-sharded', import.meta.url))
const names = [
  'config.json',
  'model.safetensors.index.json',
  'tokenizer.json',
  'model-00001-of-00002.safetensors',
  'model-00002-of-00002.safetensors',
]
const contents = new Map(names.map(name => [name, readFileSync(`${folder}/${name}`)]))

/** @type {string[]} requests that the server received */
const asked = []
/** @type {string[]} */
const queries = []
const server = createServer(({ url, headers }, response) => {
  const { pathname, search } = new URL(String(url), 'http://host')
  const name = /\.\w+\//.test(pathname) ? '' : (pathname.split('/').at(-1) ?? '')
  const content = contents.get(name)
  asked.push(`${name} ${headers.range}`)
  queries.push(search)
  if (pathname.startsWith('/nothing')) return response.writeHead(404).end()
  if (pathname.startsWith('/private') && headers.authorization !== 'Bearer secret') return response.writeHead(401).end()
  if (pathname.startsWith('/broken'))
    return response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy())
  if (pathname.startsWith('/refused')) return response.writeHead(500).end()
  if (!content) return response.writeHead(404).end()
  const range = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '')
  if (!range || url?.startsWith('/whole')) return response.writeHead(200).end(content)
  const [from, to] = [Number(range[1]), Math.min(Number(range[2]), content.length - 1)]
  response
    .writeHead(206, { 'content-range': `bytes ${from}-${to}/${content.length}` })
    .end(content.subarray(from, to + 1))
})
await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
after(() => server.close())
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())

const ids = [1, 2, 3, 250]
const large = makeFolder(qkv, 'F32').folder
/** @type {Map<string, Buffer>} */
const largeContents = new Map()
for (const [name, content] of Object.entries(large))
  largeContents.set(name, Buffer.from(await new Response(/** @type {BodyInit} */ (content)).arrayBuffer()))
const expected = await (async () => {
  const model = await loadModel(qkv, folder, { tokenizer: false })
  const { logits } = model.forwardSync({ ids })
  model.dispose()
  return logits
})()

/** @type {Record<string, () => unknown>} */
const sources = {
  "a folder's path that ends in a slash": () => `${folder}/`,
  "a folder's file URL": () => pathToFileURL(folder),
  'files that were dropped': () =>
    names.map(name => new File([/** @type {Uint8Array<ArrayBuffer>} */ (contents.get(name))], name)),
  'bytes by name': () => Object.fromEntries(contents),
  'array buffers by name': () =>
    Object.fromEntries([...contents].map(([name, bytes]) => [name, new Uint8Array(bytes).buffer])),
  'Blobs by name': () =>
    Object.fromEntries([...contents].map(([name, bytes]) => [name, new Blob([new Uint8Array(bytes)])])),
  'functions by name': () =>
    Object.fromEntries(
      [...contents].map(([name, bytes]) => [
        name,
        async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
      ]),
    ),
  'a URL': () => `http://127.0.0.1:${port}/some/model`,
  'a URL whose server knows no ranges': () => new URL(`http://127.0.0.1:${port}/whole/`),
}

for (const [title, source] of Object.entries(sources))
  test(`${title} gives the model of the folder`, async () => {
    const model = await loadModel(qkv, /** @type {any} */ (source()), { tokenizer: false })
    assert.deepEqual(model.forwardSync({ ids }).logits, expected)
    model.dispose()
  })

test('a Blob is read by one stream for any ranges; short or near ranges open no other', async () => {
  const bytes = new Uint8Array(4_000_000).map((_, n) => n * 7)
  /** @type {number[]} */
  const opened = []
  /** A Blob that records where streams begin. */
  class Told extends Blob {
    /** @param {number} from @param {number} [to] */
    slice(from, to) {
      if (to === undefined) opened.push(from)
      return super.slice(from, to)
    }
  }
  const source = streamed(new Told([bytes]))
  assert.equal(source.size, bytes.length)
  const buffer = new Uint8Array(3_000_000)
  // Pairs of offsets, requested in parallel: the start, more than one chunk of the stream, after a gap, backwards, far ahead, beyond the end.
  const ranges = [
    0, 8, 8, 3000, 3000, 2_500_000, 2_500_100, 2_600_000, 10, 20, 3_500_000, 3_700_000, 500_000, 900_000, 900_000,
    4_100_000,
  ]
  const asked = []
  for (let n = 0; n < ranges.length; n += 2)
    asked.push(source.read(ranges[n], ranges[n + 1], n === 4 ? buffer : undefined))
  for (const [n, got] of (await Promise.all(asked)).entries())
    assert.deepEqual(got, bytes.subarray(ranges[2 * n], ranges[2 * n + 1]), `range ${n}`)
  assert.equal((await asked[2]).buffer, buffer.buffer, 'in the memory that was given')
  assert.deepEqual(opened, [0, 3_500_000, 500_000])
  await source.close?.()
})

test('a stream that stops without an error is followed by another one, which continues after the last whole part', async () => {
  const bytes = new Uint8Array(6_000_000).map((_, n) => n * 7)
  /** @type {number[]} */
  const opened = []
  /** A Blob whose first two streams stop after 2,500,000 and 1,500,000 bytes. */
  class Stopping extends Blob {
    /** @param {number} from @param {number} [to] */
    slice(from, to) {
      const part = super.slice(from, to)
      if (to !== undefined || opened.push(from) > 2) return part
      let at = from
      let left = opened.length === 1 ? 2_500_000 : 1_500_000
      const stream = new ReadableStream({
        type: 'bytes',
        async pull(controller) {
          if (left === 0) return new Promise(() => {})
          const size = Math.min(left, 300_000)
          controller.enqueue(bytes.slice(at, at + size))
          at += size
          left -= size
        },
      })
      return Object.assign(part, { stream: () => stream })
    }
  }
  const source = streamed(new Stopping([bytes]))
  assert.deepEqual(await source.read(0, 5_900_000), bytes.subarray(0, 5_900_000))
  assert.deepEqual(await source.read(5_900_000, 6_000_000), bytes.subarray(5_900_000))
  assert.deepEqual(opened, [0, 2 * 2 ** 20, 3 * 2 ** 20])
})

test('a part of a stream is requested once, however few bytes arrive at a time', async () => {
  const bytes = new Uint8Array(2 ** 21).map((_, n) => n * 7)
  let reads = 0
  class Slow extends Blob {
    /** @param {number} from */
    slice(from) {
      const pull = async (/** @type {ReadableByteStreamController} */ controller) => {
        controller.enqueue(bytes.slice(from, from + 2 ** 16))
        from += 2 ** 16
      }
      const stream = new ReadableStream({ type: 'bytes', pull })
      const { getReader } = stream
      stream.getReader = /** @type {any} */ (
        (/** @type {any} */ mode) => {
          const reader = /** @type {any} */ (getReader.call(stream, mode))
          const { read } = reader
          reader.read = (/** @type {unknown[]} */ ...given) => {
            reads++
            return read.apply(reader, given)
          }
          return reader
        }
      )
      return Object.assign(new Blob(), { stream: () => stream })
    }
  }
  assert.deepEqual(await streamed(new Slow([bytes])).read(0, 2 ** 21), bytes)
  assert.equal(reads, 2)
})

test('a Blob whose streams are not of bytes is read in blocks; one that ends early is cut off', async () => {
  const bytes = new Uint8Array(3000).map((_, n) => n)
  const older = Object.assign(new Blob([bytes]), { slice: Blob.prototype.slice })
  older.slice = (from, to) =>
    Object.assign(Blob.prototype.slice.call(older, from, to), { stream: () => new ReadableStream() })
  assert.deepEqual(await streamed(older).read(5, 2000), bytes.subarray(5, 2000))
  const short = new Blob([bytes])
  Object.defineProperty(short, 'size', { value: 5000 })
  const source = streamed(short)
  assert.deepEqual(await source.read(2000, 4000), bytes.subarray(2000))
  assert.deepEqual(await source.read(3000, 4000), new Uint8Array(0))
})

test('an empty Blob has no bytes; each read of an unreadable one gives the same error', async () => {
  assert.deepEqual(await streamed(new Blob([])).read(8, 20), new Uint8Array(0))
  const lost = new Blob([new Uint8Array(3000)])
  const reason = new DOMException('The file could not be read', 'NotReadableError')
  lost.slice = (...range) =>
    Object.assign(Blob.prototype.slice.call(lost, ...range), {
      stream: () => new ReadableStream({ type: 'bytes', pull: stream => stream.error(reason) }),
    })
  const source = streamed(lost)
  for (const from of [0, 1000]) await assert.rejects(source.read(from, 2000), reason)
})

test('a File that was changed or deleted since it was chosen is named, with the way out', async () => {
  const config = contents.get('config.json')
  for (const name of ['NotReadableError', 'NotFoundError']) {
    const lost = new File([new Uint8Array(3000)], 'model.safetensors')
    const cause = new DOMException('The requested file could not be read', name)
    lost.slice = () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(cause) })
    const loading = loadModel(qkv, /** @type {any} */ ({ 'config.json': config, 'model.safetensors': lost }))
    await assert.rejects(loading, error => {
      const text =
        /^model\.safetensors cannot be read any more: it was changed, moved or deleted after it was chosen; choose it again$/
      assert.match(/** @type {Error} */ (error).message, text)
      assert.equal(/** @type {Error} */ (error).cause, cause)
      return true
    })
  }
})

test('a URL is read by one request for each small file, its tensors together', () => {
  const ranges = asked.filter(text => !text.endsWith('undefined')) // requests to the server that supports ranges
  assert.deepEqual(
    [...new Set(ranges)].sort(),
    [
      'config.json bytes=0-1048575',
      'model-00001-of-00002.safetensors bytes=0-1048575',
      'model-00002-of-00002.safetensors bytes=0-1048575',
      'model.safetensors bytes=0-1048575',
      'model.safetensors.index.json bytes=0-1048575',
    ].sort(),
  )
  assert.equal(ranges.length, 10, 'of two models')
})

test('progress counts all bytes that are used, tensor by tensor', async () => {
  /** @type {{ loaded: number, total: number, name: string }[]} */
  const seen = []
  const model = await loadModel(qkv, folder, { tokenizer: false, onProgress: step => seen.push(step) })
  const { bytes, tensors, parameters, memory } = model.describe()
  assert.equal(seen.length, tensors.length)
  assert.equal(seen.at(-1)?.loaded, bytes)
  assert.ok(seen.every(({ loaded, total }, n) => total === bytes && (n === 0 || loaded > seen[n - 1].loaded)))
  assert.equal(parameters, bytes / 4)
  assert.ok(memory >= parameters)
  model.dispose()
})

test('describe returns a copy: a write to it changes no model', async () => {
  const model = await loadModel(qkv, folder, { tokenizer: false })
  const { tensors } = model.describe()
  const [{ name, dims }] = tensors
  const before = [...dims]
  const write = /** @type {number[]} */ (dims)
  write[0] = 7
  write.push(7)
  assert.deepEqual(model.describe().tensors[0].dims, before)
  assert.deepEqual([...(await model.weight(name)).dims], before)
  model.dispose()
})

/** Responses of a server, or of a cache in front of it, to later requests for a shard. @type {Record<string, [(from: number, to: number, content: Buffer) => { status: number, range?: string, body: Buffer, etag?: string }, RegExp | undefined]>} */
const ANSWERS = {
  '206 with the range of other bytes': [
    (from, to, content) => ({
      status: 206,
      range: `bytes ${from + 8}-${to + 8}/${content.length}`,
      body: content.subarray(from + 8, to + 9),
    }),
    /answers "bytes \d+-\d+\/\d+" to a request for bytes \d+-\d+ of \d+: the server, or a cache/,
  ],
  '206 of a file of another size': [
    (from, to, content) => ({
      status: 206,
      range: `bytes ${from}-${to}/${content.length + 4}`,
      body: content.subarray(from, to + 1),
    }),
    /the server, or a cache before it, gives other bytes/,
  ],
  '200 with as many bytes, the first ones': [
    (from, to, content) => ({ status: 200, body: content.subarray(0, to + 1 - from) }),
    /answers \d+ bytes as the whole file, which has \d+/,
  ],
  '416 with as many bytes': [
    (from, to, content) => ({ status: 416, body: content.subarray(0, to + 1 - from) }),
    /answers 416/,
  ],
  '200 with the whole file': [(_, __, content) => ({ status: 200, body: content }), undefined],
  '206 of another version, by its ETag': [
    (from, to, content) => ({
      status: 206,
      range: `bytes ${from}-${to}/${content.length}`,
      body: content.subarray(from, to + 1),
      etag: '"other"',
    }),
    /model\.safetensors was changed while it was read: its version was "first" and is "other"; load the model again/,
  ],
  '200 with another version of the whole file': [
    (_, __, content) => ({ status: 200, body: content, etag: '"other"' }),
    /was changed while it was read/,
  ],
  '206 without a range, as a server of another origin may have it': [
    (from, to, content) => ({ status: 206, body: content.subarray(from, to + 1) }),
    undefined,
  ],
}
for (const [title, [answer, message]] of Object.entries(ANSWERS))
  test(`a server that answers later requests with ${title} ${message ? 'is refused' : 'gives the model'}`, async () => {
    const other = createServer(({ url, headers }, response) => {
      const content = largeContents.get(String(url).split('/').at(-1) ?? '')
      if (!content) return response.writeHead(404).end()
      const [, first, last] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []
      const [from, to] = [Number(first), Math.min(Number(last), content.length - 1)]
      const isLater = from > 1000
      const given = {
        status: 206,
        range: `bytes ${from}-${to}/${content.length}`,
        body: content.subarray(from, to + 1),
      }
      const {
        status,
        range,
        body,
        etag = '"first"',
      } = isLater ? { etag: undefined, ...answer(from, to, content) } : { ...given, etag: undefined }
      response.writeHead(status, { etag, ...(range && { 'content-range': range }) }).end(body)
    })
    await new Promise(resolve => other.listen(0, '127.0.0.1', () => resolve(undefined)))
    const { port } = /** @type {import('node:net').AddressInfo} */ (other.address())
    try {
      const loading = loadModel(qkv, `http://127.0.0.1:${port}/model`, { tokenizer: false })
      if (message) await assert.rejects(loading, message)
      else {
        const [model, local] = [await loading, await loadModel(qkv, large, { tokenizer: false })]
        assert.deepEqual(model.forwardSync({ ids }).logits, local.forwardSync({ ids }).logits)
        model.dispose()
        local.dispose()
      }
    } finally {
      other.closeAllConnections()
      other.close()
    }
  })

test('the query of an address, such as a signature, is sent for each file and never shown', async () => {
  const seen = asked.length
  const model = await loadModel(qkv, `http://127.0.0.1:${port}/some/model?sig=SECRET`, { tokenizer: false })
  assert.deepEqual(model.forwardSync({ ids }).logits, expected)
  model.dispose()
  assert.ok(asked.length > seen && queries.slice(seen).every(query => query === '?sig=SECRET'), queries.join())
  await assert.rejects(loadModel(qkv, `http://127.0.0.1:${port}/refused?sig=SECRET`), error => {
    assert.match(String(error), /127\.0\.0\.1:\d+\/refused\/config\.json answers 500/)
    assert.doesNotMatch(String(error), /SECRET/)
    return true
  })
})

const place = mkdtempSync(join(tmpdir(), 'qkv-sources-'))
after(() => rmSync(place, { recursive: true }))
/** Makes a folder with files. @param {string} name @param {Record<string, string>} files */
function made(name, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name, path)), { recursive: true })
    writeFileSync(join(place, name, path), content)
  }
  return join(place, name)
}
const config = String(contents.get('config.json'))
const tinyWeights = `${'\u0002'}${'\0'.repeat(7)}{}` // a header without tensors
const holder = made('held', {
  'config.json': config,
  'model.safetensors': 'x',
  'model.onnx': 'x',
})
/** @type {[string, unknown, string, RegExp][]} */
const WRONG = [
  ['no text', '', 'EMPTY', /expected a folder's path or URL, or hf:owner\/name, got an empty text/],
  ['blanks', '  ', 'EMPTY', /got an empty text/],
  ['a path that is not there', join(place, 'nothing'), 'NOT_FOUND', /there is no folder ".*"$/],
  [
    'a name of the hub',
    'owner/name',
    'NOT_FOUND',
    /there is no folder "owner\/name" in the current directory\. A model .* is named hf:owner\/name$/,
  ],
  ['a tilde', '~/models/gpt2', 'TILDE', /only shells expand ~; give the path from the root: ".*\/models\/gpt2"$/],
  [
    'a file in place of its folder',
    `${holder}/model.safetensors`,
    'NOT_A_FOLDER',
    /is a file; give the folder that contains it and its config\.json: "/,
  ],
  [
    'a config in place of its folder',
    `${holder}/config.json`,
    'NOT_A_FOLDER',
    /is a file; give the folder that contains it/,
  ],
  ['a .gguf that is not there', `${holder}/y.gguf`, 'NOT_FOUND', /there is no file "y\.gguf"/],
  [
    'a .gguf with a slash behind it',
    `${join(made('slash', { 'z.gguf': 'GGUF' }), 'z.gguf')}/`,
    'NOT_A_FOLDER',
    /z\.gguf\/" is a file: leave out the last \/$/,
  ],
  ['a name of the hub in capitals', 'HF:owner/name', 'NOT_FOUND', /is named hf:owner\/name$/],
  ['an .onnx file', `${holder}/model.onnx`, 'OTHER_FORMAT', /ONNX files are run by onnxruntime, not here/],
  [
    'a folder with an onnx folder',
    made('web', { 'config.json': config, 'onnx/model.onnx': 'x' }),
    'OTHER_FORMAT',
    /there is onnx\/model\.onnx, but no model\.safetensors: ONNX/,
  ],
  [
    'a folder of transformers.js, whose config names the model that it was made from',
    made('converted', {
      'config.json': JSON.stringify({ ...JSON.parse(String(config)), _name_or_path: 'openai-community/gpt2' }),
      'onnx/model_quantized.onnx': 'x',
    }),
    'OTHER_FORMAT',
    /there is onnx\/model_quantized\.onnx.* use the safetensors files of the same model, which its config\.json names: hf:openai-community\/gpt2$/,
  ],
  [
    'a folder of transformers.js, whose README names the model',
    made('card', {
      'config.json': JSON.stringify({ ...JSON.parse(String(config)), _name_or_path: 'Xenova/gpt2' }),
      'README.md': '---\nlibrary_name: transformers.js\nbase_model:\n- openai-community/gpt2\n---\nbase_model: no/such',
      'onnx/model.onnx': 'x',
    }),
    'OTHER_FORMAT',
    /there is onnx\/model\.onnx.* use the safetensors files of the same model, which its README\.md names: hf:openai-community\/gpt2$/,
  ],
  [
    'a folder of transformers.js that names no model',
    made('onnx-community/gpt2-ONNX', {
      'config.json': config,
      'README.md': 'base_model: no/such',
      'onnx/model.onnx': 'x',
    }),
    'OTHER_FORMAT',
    /there is onnx\/model\.onnx.* use the safetensors files of the same model: gpt2, by its first owner$/,
  ],
  ['an onnx folder', join(place, 'web/onnx'), 'OTHER_FORMAT', /there is model\.onnx, but no/],
  [
    'a folder of two models of GGUF',
    made('quantised', { 'x.gguf': 'GGUF', 'y.gguf': 'GGUF' }),
    'OTHER_FORMAT',
    /there are 2 GGUF files, give one of them, as in "x\.gguf": x\.gguf, y\.gguf/,
  ],
  [
    'a folder with a config and GGUF',
    made('both', { 'config.json': config, 'x.gguf': 'GGUF' }),
    'OTHER_FORMAT',
    /there is x\.gguf, but no model\.safetensors: a GGUF file is opened by its own name/,
  ],
  [
    'a folder of texts',
    made('texts', { 'README.md': 'x', 'config.json': config }),
    'NO_WEIGHTS',
    /neither .*; found: README\.md, config\.json$/,
  ],
  ['weights alone', made('weights', { 'model.safetensors': tinyWeights }), 'NO_CONFIG', /config\.json is missing/],
  ['another scheme', 's3://bucket/model', 'ADDRESS', /got "s3:\/\/bucket\/model"; s3:\/\/ cannot be fetched/],
  ['no address', 'https://', 'ADDRESS', /expected an address such as https:\/\/host\/folder, got "https:\/\/"/],
  [
    'a password',
    'https://me:SECRET@host/model',
    'ADDRESS',
    /the address has a name or a password in it, which fetch does not take/,
  ],
  [
    'the address of a file',
    () => `http://127.0.0.1:${port}/some/config.json`,
    'NOT_A_FOLDER',
    /expected the address of a folder, got that of the file config\.json; give http:\S+\/some$/,
  ],
  [
    'the address of a .gguf that is not there',
    () => `http://127.0.0.1:${port}/some/x.gguf?download=true`,
    'NOT_FOUND',
    /there is no file "x\.gguf"/,
  ],
  ['an address without a model', () => `http://127.0.0.1:${port}/nothing`, 'NO_WEIGHTS', /neither .* is in "http:/],
]
for (const [title, source, code, message] of WRONG)
  test(`${title} in place of a folder is an error, ${code}`, async () => {
    const given = typeof source === 'function' ? source() : source
    await assert.rejects(loadModel(qkv, given), error => {
      assert.equal(/** @type {any} */ (error).code, code, String(error))
      assert.match(String(error), /^Error: loadModel: /)
      assert.match(String(error), message)
      assert.doesNotMatch(String(error), /SECRET/)
      return true
    })
  })

test('disposing a model in the middle of forward, or of another run in turns, makes the run throw', async () => {
  const { resident } = qkv.memory
  for (const run of [
    (/** @type {Model} */ model) => model.forward({ ids }, { onLayer: () => model.dispose() }),
    async (/** @type {Model} */ model) =>
      model.forwardSync({ ids }, { hooks: { 'layers.1.input': () => model.dispose() } }),
    (/** @type {Model} */ model) => backward(model, { ids }, { onLayer: () => model.dispose() }),
  ]) {
    const model = await loadModel(qkv, folder, { tokenizer: false })
    const text = /^Error: this model was disposed while it ran: await it before dispose\(\)$/
    await assert.rejects(run(model), text)
    await assert.rejects(model.forward({ ids }), /this model was disposed: load it again/)
    assert.equal(qkv.memory.resident, resident)
  }
})

test('an error of fetch has the message of its cause, without passwords and queries of addresses', async () => {
  const cause = Object.assign(new Error('no way to http://me:secret@host/a?key=secret (b)'), { code: 'E' })
  assert.equal(
    whyOf(new TypeError('fetch failed to https://me:secret@host', { cause })),
    'fetch failed to https://host (no way to http://host/a (b), E)',
  )
  await assert.rejects(
    loadModel(qkv, `http://127.0.0.1:${port}/broken?key=secret`),
    /^Error: loadModel: http:\S+\/broken\/config\.json cannot be fetched: terminated \(other side closed/,
  )
  await assert.rejects(load({ wasm: 'http://127.0.0.1:1/a.wasm?key=secret' }), {
    code: 'WASM_MISSING',
    message: /^cannot read http:\/\/127\.0\.0\.1:1\/a\.wasm: fetch failed \(bad port\): fetch blocks this port/,
  })
})

test('a server that fails, a missing folder and a wrong source are reported', async () => {
  await assert.rejects(
    loadModel(qkv, `http://127.0.0.1:${port}/x`.replace(String(port), '1')),
    /^Error: loadModel: http:\S+ cannot be fetched: fetch failed \(bad port\): fetch blocks this port, use another one$/,
  )
  await assert.rejects(
    loadModel(qkv, /** @type {any} */ (3)),
    /expected a folder's path or URL, hf:owner\/name, an array of files.*got 3/,
  )
  for (const [name, own] of Object.entries({ q8: 'int8', q4: 'int4', fp16: 'float16', bf16: 'bfloat16' }))
    await assert.rejects(loadModel(qkv, folder, /** @type {any} */ ({ dtype: name })), {
      message: `loadModel: dtype: expected "${own}", got "${name}"`,
    })
  const model = await loadModel(qkv, folder, { tokenizer: false })
  for (const input of [undefined, 5, null])
    assert.throws(
      () => model.forwardSync(/** @type {any} */ (input)),
      /forward: expected a text, \{ ids: \[\.\.\.\] \} or/,
    )
  model.dispose()
  await assert.rejects(loadModel(qkv, /** @type {any} */ ([3])), /among the files: expected a File, got 3/)
  await assert.rejects(loadModel(/** @type {any} */ ({}), folder), /expected a loaded core/)
  await assert.rejects(
    loadModel(qkv, folder, /** @type {any} */ ({ dtyp: 1 })),
    /no option "dtyp"; did you mean "dtype"/,
  )
})

test('headers are sent to the server of an address; without them the error names the option', async () => {
  const address = `http://127.0.0.1:${port}/private/`
  const open = (/** @type {object} */ options) => loadModel(qkv, address, { tokenizer: false, ...options })
  const model = await open({ headers: { authorization: 'Bearer secret' } })
  assert.deepEqual([...(model.forwardSync({ ids }).logits?.data ?? [])], [...(expected?.data ?? [])])
  model.dispose()
  await assert.rejects(open({}), /answers 401 Unauthorized; .* \{ headers: \{ authorization: 'Bearer \.\.\.' \} \}$/)
  await assert.rejects(open({ token: 'secret' }), /\}, token goes to a hub alone$/)
  for (const headers of [{ authorization: 'a\nsecret' }, { 'a b': 'secret' }, { range: 'secret' }, 'secret', { a: 1 }])
    await assert.rejects(
      open({ headers }),
      error => error instanceof TypeError && !/secret/.test(error.message.replace('"secret"', '')),
    )
})

/** Values that are no source of a model, and the error for each. @type {[string, () => unknown, RegExp][]} */
const NO_SOURCES = [
  ['a promise', () => Promise.resolve(contents), /got a Promise; await it/],
  ['a response', () => new Response('a'), /got a Response; give the bytes: await response\.arrayBuffer\(\)/],
  ['a stream', () => new Blob(['a']).stream(), /got a ReadableStream; give a path, bytes or a Blob/],
  ['an address without http://', () => 'localhost:8080/model', /An address begins with http:\/\/ or https:\/\//],
  ['a password in an address', () => 'http://a:b@localhost/model', /give them as \{ headers: \{ authorization: 'Basic/],
]
for (const [title, source, message] of NO_SOURCES)
  test(`${title} as a source is refused with what to give`, async () => {
    await assert.rejects(loadModel(qkv, /** @type {any} */ (source())), { message })
  })
