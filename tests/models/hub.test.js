// Opens models by name from a fake hub, in Node. Cache and environment variables are those of Python's library, requests are few, and everything
// that can go wrong gives a clear error.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { getEventListeners } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import fs from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { deleteKeptModel, inspectModel, keptModels, loadModel } from '../../src/entries/models.js'
import { openDiskCache } from '../../src/models/hub/disk-cache.js'
import { parseName } from '../../src/models/hub/hub-name.js'
import { Requests } from '../../src/models/hub/requests.js'
import { Sha256 } from '../../src/models/hub/sha256.js'
import { BLOCK, blocksOf } from '../../src/models/source/blocks.js'
import { bytesOf, startHub } from './hub.js'
import { makeFolder } from './made-folder.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models/gpt2-tiny', import.meta.url))
const names = ['config.json', 'model.safetensors', 'tokenizer.json']
/** @type {Record<string, Buffer>} */
const tiny = Object.fromEntries(names.map(name => [name, readFileSync(`${folder}/${name}`)]))
tiny['tokenizer_config.json'] = Buffer.from('{"tokenizer_class":"GPT2Tokenizer"}')
const large = await bytesOf(makeFolder(qkv, 'F32', { vocab: 80_001 }).folder) // 24 MB: four blocks
const shards = fileURLToPath(new URL('../goldens/models/llama-tiny-sharded', import.meta.url))
const sharded = Object.fromEntries(
  readdirSync(shards)
    .filter(name => /^(config|tokenizer|model)/.test(name))
    .map(name => [`sub/folder/${name}`, readFileSync(`${shards}/${name}`)]),
)

const inFolder = (/** @type {string} */ path) =>
  readFileSync(fileURLToPath(new URL(`../goldens/${path}`, import.meta.url)))
const { vocab } = JSON.parse(String(inFolder('models/bert-tiny/tokenizer.json'))).model
/** A model without tokenizer.json. */
const words = {
  'config.json': inFolder('models/bert-tiny/config.json'),
  'model.safetensors': inFolder('models/bert-tiny/model.safetensors'),
  'vocab.txt': Buffer.from(
    Object.keys(vocab)
      .sort((a, b) => vocab[a] - vocab[b])
      .join('\n'),
  ),
}
const pieces = {
  'config.json': inFolder('models/marian-tiny/config.json'),
  'model.safetensors': inFolder('models/marian-tiny/model.safetensors'),
  'source.spm': inFolder('sentencepiece/source.spm'),
  'target.spm': inFolder('sentencepiece/source.spm'),
  'vocab.json': inFolder('sentencepiece/vocab.json'),
}
/** A folder of sentence-transformers, with a subfolder. */
const sentences = Object.fromEntries(
  readdirSync(fileURLToPath(new URL('../goldens/models/sentence-bert-tiny', import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter(name => /\.json$|^model/.test(name))
    .map(name => [name, inFolder(`models/sentence-bert-tiny/${name}`)]),
)

const hub = await startHub({
  'me/tiny': { files: tiny, branches: ['refs/pr/1', 'v1.0'] },
  'me/large': { files: large },
  'me/gated': { files: tiny, isGated: true },
  'me/private': { files: tiny, isPrivate: true },
  'old-name': { files: {}, movedTo: 'me/tiny' },
  'me/many': { files: { ...sharded, 'README.md': Buffer.from('Many') } },
  'me/words': { files: words },
  'me/pieces': { files: pieces },
  'me/sentences': { files: sentences },
  'me/pickled': {
    files: { 'config.json': tiny['config.json'], 'pytorch_model.bin': inFolder('torch-files/whole.older.bin') },
  },
  'me/empty': { files: {} },
  'me/below': { files: { 'sub/config.json': tiny['config.json'] } },
  'onnx-community/tiny-ONNX': {
    files: { 'config.json': tiny['config.json'], 'onnx/model_q4.onnx': Buffer.from('x') },
  },
  'Xenova/tiny': {
    files: {
      'config.json': tiny['config.json'],
      'README.md': Buffer.from('---\nbase_model: me/tiny\n---\n'),
      'onnx/model.onnx': Buffer.from('x'),
    },
  },
  'me/gguf': { files: { 'config.json': tiny['config.json'], 'tiny.gguf': Buffer.from('GGUF') } },
})
after(() => hub.close())

const home = mkdtempSync(join(tmpdir(), 'qkv-hub-'))
chmodSync(home, 0o755)
after(() => rmSync(home, { recursive: true, force: true }))
const VARIABLES = /^(HF_|HUGGING|TRANSFORMERS_OFFLINE|XDG_CACHE_HOME)/
for (const name of Object.keys(process.env)) if (VARIABLES.test(name)) delete process.env[name]
let own = 0
let cache = ''
beforeEach(() => {
  process.env.HF_HOME = join(home, String(own++))
  cache = join(process.env.HF_HOME, 'hub')
  process.env.HF_ENDPOINT = hub.url
  hub.break()
  hub.asked.length = 0
})

const ids = [1, 2, 3, 250]
/** @param {Awaited<ReturnType<typeof loadModel>>} model @param {readonly number[]} [given] */
function numbersOf(model, given = ids) {
  const { logits } = model.forwardSync({ ids: given })
  model.dispose()
  return logits?.data
}
const expected = numbersOf(await loadModel(qkv, folder, { tokenizer: false }))
const none = /** @type {const} */ ({ tokenizer: false })
/** Lists all files below a folder, without folders. @param {string} path */
const filesIn = path =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter(entry => !entry.isDirectory())
        .map(entry => join(entry.parentPath, entry.name).slice(path.length + 1))
        .sort()
    : []

test('a name opens the model of the folder, in few requests, and the second time without the network', async () => {
  const model = await loadModel(qkv, 'hf:me/tiny')
  assert.equal(model.tokenize('The cat').ids.length > 1, true)
  assert.deepEqual(numbersOf(model), expected)
  const requests = hub.asked.map(({ server, url }) => `${server} ${url.replace(/\?.*/, '')}`)
  // Six requests: the list of files, three text files, the weights, and the redirect of the weights.
  assert.equal(requests.length, 6, requests.join('\n'))
  hub.break({ of: /./, status: 503, headers: { 'retry-after': '0' } })
  assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny')), expected)
  hub.asked.length = 0
  process.env.HF_HUB_OFFLINE = '1'
  try {
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny')), expected)
    await assert.rejects(loadModel(qkv, 'hf:me/large'), /no file of it is kept in .*, and HF_HUB_OFFLINE forbids/)
  } finally {
    delete process.env.HF_HUB_OFFLINE
  }
  assert.equal(hub.asked.length, 0)
})

test('if a hub lacks the addresses of its redirects, its redirects are followed', async () => {
  for (const answer of [
    { status: 404 },
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Hello</p>' },
  ]) {
    process.env.HF_HOME = join(home, String(own++))
    hub.asked.length = 0
    hub.break({ of: /resolve-cache.*json$/, times: 3, ...answer })
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny')), expected)
    const resolved = hub.asked.filter(({ url }) => /^\/me\/tiny\/resolve\/.*json$/.test(url))
    assert.equal(resolved.length, 3, hub.asked.map(({ url }) => url).join('\n'))
  }
})

test('large files are read in blocks of 8 MiB by one signed address; 548 MB take less than 80 requests', async () => {
  const model = await loadModel(qkv, 'hf:me/large', none)
  const local = await loadModel(qkv, large, none)
  assert.deepEqual(numbersOf(model), numbersOf(local))
  const size = large['model.safetensors'].length
  const { count } = blocksOf(size)
  assert.equal(count, 4)
  const weights = hub.asked.filter(({ url }) => !url.includes('json') && !url.includes('api'))
  assert.equal(weights.filter(({ server }) => server === 'hub').length, 1, 'the redirect is resolved once')
  assert.equal(weights.length, count + 1)
  assert.equal(hub.asked.length, 1 + 1 + 1 + count)
  // For GPT-2's 548 MB: the list of files, three text files, the redirect of the weights, and a request for each block.
  assert.ok(1 + 3 + 1 + blocksOf(548_105_171).count <= 80)
  assert.ok(BLOCK <= 8 * 2 ** 20)
})

test('the cache has the layout of Python: blobs by their hash, snapshots of links, refs', async () => {
  numbersOf(await loadModel(qkv, 'hf:me/tiny@refs/pr/1'))
  const base = join(cache, 'models--me--tiny')
  const commit = hub.commitOf('me/tiny')
  assert.equal(readFileSync(join(base, 'refs/refs/pr/1'), 'utf8'), commit)
  for (const name of names) {
    const pointer = join(base, 'snapshots', commit, name)
    assert.match(readlinkSync(pointer), /^\.\.\/\.\.\/blobs\/([0-9a-f]{40}|[0-9a-f]{64})$/)
    assert.deepEqual(readFileSync(pointer), tiny[name])
  }
  assert.equal(readdirSync(join(base, 'blobs')).length, 4)
  assert.ok(readdirSync(join(base, 'blobs')).every(name => !lstatSync(join(base, 'blobs', name)).isSymbolicLink()))
})

test('files that another program put in the cache are read, and its refs and folders are found offline', async () => {
  const base = join(cache, 'models--me--tiny')
  const commit = 'c'.repeat(40)
  mkdirSync(join(base, 'blobs'), { recursive: true })
  mkdirSync(join(base, 'snapshots', commit), { recursive: true })
  mkdirSync(join(base, 'refs'))
  writeFileSync(join(base, 'refs/main'), commit)
  for (const name of names) {
    writeFileSync(join(base, 'blobs', `hash-of-${name}`), tiny[name])
    await fs.symlink(`../../blobs/hash-of-${name}`, join(base, 'snapshots', commit, name))
  }
  process.env.TRANSFORMERS_OFFLINE = 'yes'
  try {
    for (const name of ['hf:me/tiny', `hf:me/tiny@${commit}`])
      assert.deepEqual(numbersOf(await loadModel(qkv, name)), expected)
  } finally {
    delete process.env.TRANSFORMERS_OFFLINE
  }
})

/**
 * Runs `use` while a folder and its subfolders are read-only, even for root.
 * @template T @param {string} path @param {() => Promise<T>} use
 */
async function whileReadOnly(path, use) {
  const below = readdirSync(path, { recursive: true, withFileTypes: true }).filter(entry => entry.isDirectory())
  const folders = [path, ...below.map(entry => join(entry.parentPath, entry.name))]
  const isRoot = process.geteuid?.() === 0
  for (const folder of folders) chmodSync(folder, 0o555)
  if (isRoot) process.seteuid?.(65534)
  try {
    return await use()
  } finally {
    if (isRoot) process.seteuid?.(0)
    for (const folder of folders) chmodSync(folder, 0o755)
  }
}

test('a read-only cache opens what it has, online and offline, and loads the rest without keeping it', async () => {
  numbersOf(await loadModel(qkv, 'hf:me/tiny'))
  numbersOf(await loadModel(qkv, 'hf:me/many/sub/folder', { keep: false, ...none })) // also imports the modules that the same call below needs
  const wanted = numbersOf(await loadModel(qkv, shards, none))
  const before = filesIn(cache)
  await whileReadOnly(String(process.env.HF_HOME), async () => {
    await assert.rejects(fs.writeFile(join(cache, 'x'), ''), { code: 'EACCES' })
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny')), expected)
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/many/sub/folder', none)), wanted)
    process.env.HF_HUB_OFFLINE = '1'
    try {
      assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny')), expected)
    } finally {
      delete process.env.HF_HUB_OFFLINE
    }
  })
  assert.deepEqual(filesIn(cache), before)
})

test('a cache that is a file, or contains one in place of a folder, gives a message', async () => {
  mkdirSync(String(process.env.HF_HOME))
  writeFileSync(cache, 'x')
  const message = /the cache \S+ is a file.*; expected a folder; set HF_HUB_CACHE to a folder of your own, or load/
  await assert.rejects(loadModel(qkv, 'hf:me/tiny', none), { code: 'CACHE', message })
  rmSync(cache)
  mkdirSync(cache)
  writeFileSync(join(cache, 'models--me--tiny'), 'x')
  await assert.rejects(loadModel(qkv, 'hf:me/tiny', none), { code: 'CACHE', message })
  numbersOf(await loadModel(qkv, 'hf:me/tiny', { keep: false, ...none }))
})

test('a truncated file beside its good blob is repaired, and nothing is downloaded', async () => {
  numbersOf(await loadModel(qkv, 'hf:me/tiny'))
  const commit = hub.commitOf('me/tiny')
  const pointer = join(cache, 'models--me--tiny/snapshots', commit, 'model.safetensors')
  rmSync(pointer)
  writeFileSync(pointer, tiny['model.safetensors'].subarray(0, 1000)) // as an interrupted copy leaves it
  for (const n of [1, 2]) {
    hub.asked.length = 0
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny')), expected)
    assert.equal(hub.asked.length, 1, `the list of files, time ${n}`)
    assert.ok(lstatSync(pointer).isSymbolicLink())
  }
  const blob = await fs.realpath(pointer)
  writeFileSync(blob, 'x')
  assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny')), expected)
  assert.deepEqual(readFileSync(blob), tiny['model.safetensors'])
  assert.deepEqual(readdirSync(join(cache, 'models--me--tiny/snapshots', commit)).sort(), Object.keys(tiny).sort())
})

test('an empty repository, and one with only folders, give messages', async () => {
  await assert.rejects(loadModel(qkv, 'hf:me/empty', none), {
    code: 'NOT_FOUND',
    message: /me\/empty is an empty repository: it has no files$/,
  })
  await assert.rejects(loadModel(qkv, 'hf:me/below', none), {
    code: 'NOT_FOUND',
    message: /me\/below has no files outside of folders$/,
  })
})

test('a blob that another revision has is not downloaded again', async () => {
  numbersOf(await loadModel(qkv, 'hf:me/tiny'))
  rmSync(join(cache, 'models--me--tiny/snapshots'), { recursive: true })
  hub.asked.length = 0
  numbersOf(await loadModel(qkv, 'hf:me/tiny'))
  assert.equal(hub.asked.length, 1, 'the list of files')
  assert.equal(readdirSync(join(cache, 'models--me--tiny/snapshots', hub.commitOf('me/tiny'))).length, 4)
})

test("the cache is in the folder that Python's variables name", async () => {
  const { HF_HOME } = process.env
  const places = /** @type {const} */ ([
    ['XDG_CACHE_HOME', 'huggingface/hub'],
    ['HUGGINGFACE_HUB_CACHE', ''],
    ['HF_HUB_CACHE', ''],
  ])
  try {
    for (const [name, below] of places) {
      const place = join(String(HF_HOME), name)
      process.env[name] = place
      if (name === 'XDG_CACHE_HOME') delete process.env.HF_HOME
      numbersOf(await loadModel(qkv, 'hf:me/tiny', none))
      assert.ok(existsSync(join(place, below, 'models--me--tiny/refs/main')), name)
    }
  } finally {
    for (const [name] of places) delete process.env[name]
  }
})

test('a folder of shards in a repository is read; other files are not', async () => {
  const model = await loadModel(qkv, 'hf:me/many/sub/folder')
  const local = await loadModel(qkv, shards, none)
  assert.deepEqual(numbersOf(model), numbersOf(local))
  assert.ok(!hub.asked.some(({ url }) => url.includes('README')))
  assert.ok(existsSync(join(cache, 'models--me--many/snapshots', hub.commitOf('me/many'), 'sub/folder/config.json')))
  await assert.rejects(loadModel(qkv, 'hf:me/many/nowhere'), /me\/many has no folder nowhere/)
})

test('embed of a model on the hub reads its modules with it, and again offline', async () => {
  const text = ['The river was slow.', 'The cat sat at the door.']
  const tokenizer = { tokenizer: Tokenizer }
  const embeddings = async (/** @type {string} */ source) => {
    const model = await loadModel(qkv, source, tokenizer)
    const asked = hub.asked.length
    const { data } = await model.embed(text)
    assert.equal(hub.asked.length, asked, 'embed asks for nothing')
    model.dispose()
    return data
  }
  const want = await embeddings(fileURLToPath(new URL('../goldens/models/sentence-bert-tiny', import.meta.url)))
  assert.deepEqual(await embeddings('hf:me/sentences'), want)
  process.env.HF_HUB_OFFLINE = '1'
  try {
    hub.asked.length = 0
    assert.deepEqual(await embeddings('hf:me/sentences'), want)
    assert.equal(hub.asked.length, 0)
  } finally {
    delete process.env.HF_HUB_OFFLINE
  }
})

test('a name that moved opens its model, under the old name in the cache', async () => {
  assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:old-name', none)), expected)
  assert.ok(existsSync(join(cache, 'models--old-name/refs/main')))
})

test('inspectModel reports memory and download before anything large is read', async () => {
  const { bytes, hub: facts, type } = await inspectModel('hf:me/large')
  assert.equal(type, 'gpt2')
  const size = large['model.safetensors'].length
  assert.ok(bytes.float32 > bytes.float16 && bytes.float16 > bytes.int8)
  assert.equal(facts?.download, size + large['config.json'].length)
  assert.equal(facts?.commit, hub.commitOf('me/large'))
  assert.equal(facts?.license, 'mit')
  assert.deepEqual(facts?.files, [
    { name: 'config.json', bytes: large['config.json'].length },
    { name: 'model.safetensors', bytes: size },
  ])
  const read = hub.asked.filter(({ server }) => server === 'storage')
  assert.deepEqual(
    read.map(({ range }) => range),
    ['bytes=0-1048575'],
  )
  assert.deepEqual(
    filesIn(cache).filter(name => name.includes('incomplete')),
    [],
  )
  numbersOf(await loadModel(qkv, 'hf:me/large', none))
  assert.equal((await inspectModel('hf:me/large')).hub?.download, 0)
})

test('the token and the headers go to the hub and to nobody else', async () => {
  const headers = { 'x-own': 'secret' }
  numbersOf(await loadModel(qkv, 'hf:me/private', { token: 'hf_member', headers, ...none }))
  process.env.HF_TOKEN = 'hf_member'
  try {
    numbersOf(await loadModel(qkv, 'hf:me/gated', none))
    process.env.HF_HUB_DISABLE_IMPLICIT_TOKEN = '1'
    await assert.rejects(loadModel(qkv, 'hf:me/gated', { keep: false }), { code: 'GATED' })
    delete process.env.HF_HUB_DISABLE_IMPLICIT_TOKEN
    delete process.env.HF_TOKEN
    mkdirSync(String(process.env.HF_HOME), { recursive: true })
    writeFileSync(join(String(process.env.HF_HOME), 'token'), 'hf_member\n')
    numbersOf(await loadModel(qkv, 'hf:me/gated', { keep: false, ...none }))
  } finally {
    delete process.env.HF_TOKEN
    delete process.env.HF_HUB_DISABLE_IMPLICIT_TOKEN
  }
  const own = hub.asked.filter(({ headers }) => headers['x-own'])
  assert.ok(own.length > 2 && own.every(({ server }) => server === 'hub'))
  const signed = hub.asked.filter(({ server }) => server === 'storage')
  assert.ok(signed.length > 2 && signed.every(({ authorization }) => authorization === undefined))
})

/** @type {[string, string, object, RegExp, string][]} */
const REFUSED = [
  [
    'a gated model',
    'hf:me/gated',
    {},
    /me\/gated: the model is gated: accept its terms at http\S+\/me\/gated, then give a token: .* HF_TOKEN/,
    'GATED',
  ],
  [
    'a gated model with a token of another account',
    'hf:me/gated',
    { token: 'hf_other' },
    /the account of the token has no access to it: accept the terms at/,
    'GATED',
  ],
  [
    'a model that is not there, or private',
    'hf:me/private',
    {},
    /has no model me\/private, or it is private: check the name, or give a token/,
    'NOT_FOUND',
  ],
  [
    'a model that the account cannot read',
    'hf:me/private',
    { token: 'hf_other' },
    /has no model me\/private that the account of the token can read/,
    'NOT_FOUND',
  ],
  ['a wrong token', 'hf:me/tiny', { token: 'hf_wrong' }, /refuses the token \("Invalid credentials/, 'TOKEN'],
  ['a revision that is not there', 'hf:me/tiny@v9', {}, /me\/tiny has no revision v9/, 'NOT_FOUND'],
]
for (const [title, name, options, message, code] of REFUSED)
  test(`${title} is an error with the way out`, async () => {
    await assert.rejects(loadModel(qkv, name, options), error => {
      assert.match(String(error), message)
      assert.equal(/** @type {any} */ (error).code, code)
      return true
    })
    assert.deepEqual(
      filesIn(cache).filter(file => file.includes('blobs')),
      [],
    )
  })

test('invalid names are refused before any request', async () => {
  for (const name of [
    'hf:',
    'hf:a/b/../c',
    'hf:../x',
    'hf:a--b/c',
    'hf:a/b@../x',
    'hf:a/b@%2e%2e%2Fx',
    'hf:a/b@x%2F..%2F..%2Fy',
    'hf:a/b@%2Fx',
    'hf:a/b@x%5Cy',
    'hf:a/b@x%00',
    'hf:a/b@%zz',
    'hf:a\\b/c',
    'hf:a/b?c',
    'hf://a/b',
    'hf:.a/b',
  ])
    await assert.rejects(loadModel(qkv, name), /expected the name of a model on the hub, hf:owner\/name/, name)
  const long = 'a'.repeat(300)
  for (const name of [
    `hf:a/b@${long}`,
    `hf:a/${long}`,
    `hf:a/b/${long}`,
    `hf:a/b@${'é'.repeat(150)}`,
    `hf:a/b/${'c/'.repeat(500)}`,
  ])
    await assert.rejects(
      loadModel(qkv, name),
      /at most 1000 characters, with parts of at most 240 bytes, got \d+/,
      name,
    )
  assert.equal(hub.asked.length, 0)
  assert.deepEqual(parseName('hf:a/b@refs/pr/3/c/d/'), {
    text: 'hf:a/b@refs/pr/3/c/d/',
    id: 'a/b',
    revision: 'refs/pr/3',
    folder: 'c/d/',
  })
  assert.deepEqual(parseName('hf:gpt2@feature%2Fx').revision, 'feature/x')
})

test('options of a wrong kind are refused before any request', async () => {
  for (const [options, message] of /** @type {[any, RegExp][]} */ ([
    [{ token: 3 }, /token: expected a text such as 'hf_\.\.\.', got 3/],
    [
      { token: 'hf_SECRET\nlines' },
      /token: expected a text such as hf_.*got one with spaces, line breaks or other characters that no token has/,
    ],
    [{ hub: 'huggingface.co' }, /hub: expected the address of a hub such as https:.*got "huggingface\.co"/],
    [{ hub: 'ftp://me:SECRET@host' }, /hub: expected the address of a hub such as.*got an address of ftp:/],
    [{ hub: 'https://me:SECRET@host' }, /hub: expected an address without a name and a password/],
    [{ hub: 'https://[?token=SECRET' }, /hub: .*got no address/],
    [{ hub: 'https://host/?token=SECRET' }, /hub: .*got an address with \? or #/],
    [{ headers: ['x'], keep: 1 }, /keep: expected true or false, got 1/],
    [{ headers: { a: 1 } }, /headers: expected an object of texts by name, got an object with a/],
    [{ headers: { Cookie: 'SECRET\u20ac' } }, /headers: the value of Cookie has characters that no header can have/],
    [{ headers: { 'SECRET name': 'x' } }, /headers: a name has characters that no header can have/],
    [{ headers: { range: 'bytes=0-1' } }, /headers: range is set by the request itself/],
    [{ headers: { Authorization: 'SECRET' }, token: 'hf_x' }, /headers: Authorization is set by the request itself/],
  ]))
    await assert.rejects(loadModel(qkv, 'hf:me/tiny', options), error => {
      assert.equal(/** @type {Error} */ (error).constructor, TypeError)
      assert.match(String(error), message)
      assert.doesNotMatch(String(error), /SECRET/)
      return true
    })
  for (const [name, value, message] of /** @type {[string, string, RegExp][]} */ ([
    [
      'HF_HUB_DOWNLOAD_TIMEOUT',
      '1e10',
      /HF_HUB_DOWNLOAD_TIMEOUT: expected a number of seconds from 0 to 2147483.*got "1e10"/,
    ],
    ['HF_HUB_DOWNLOAD_TIMEOUT', '-1', /HF_HUB_DOWNLOAD_TIMEOUT: .*got "-1"/],
    ['HF_HUB_DOWNLOAD_TIMEOUT', 'ten', /HF_HUB_DOWNLOAD_TIMEOUT: .*got "ten"/],
    ['HF_TOKEN', 'hf_SECRET of mine', /HF_TOKEN: expected .*got one with spaces, line breaks or other characters/],
    ['HF_ENDPOINT', 'https://me:SECRET@host', /HF_ENDPOINT: expected an address without a name and a password/],
  ]))
    try {
      process.env[name] = value
      await assert.rejects(loadModel(qkv, 'hf:me/tiny'), error => {
        assert.match(String(error), message)
        assert.doesNotMatch(String(error), /SECRET/)
        return true
      })
    } finally {
      delete process.env[name]
    }
  assert.equal(hub.asked.length, 0)
})

test('the error for a name without hf:, and for the address of a page of the hub, has the right name', async () => {
  await assert.rejects(
    loadModel(qkv, 'openai-community/gpt2'),
    /there is no folder "openai-community\/gpt2" in the current directory\. A model on the Hugging Face hub is named hf:openai-community\/gpt2$/,
  )
  await assert.rejects(
    loadModel(qkv, 'gpt2'),
    /there is no folder "gpt2" in .*\. A model on the Hugging Face hub is named hf:gpt2$/,
  )
  await assert.rejects(loadModel(qkv, './nothing'), /there is no folder "\.\/nothing"$/)
  await assert.rejects(loadModel(qkv, `${hub.url}/nothing/here`), error => !/hf:/.test(String(error)))
})

test('a hub that is not there, and an address that is no hub, are reported', async () => {
  await assert.rejects(loadModel(qkv, 'hf:me/tiny', { hub: 'http://127.0.0.1:1' }), {
    code: 'NETWORK',
    message:
      /hf:me\/tiny: http:\/\/127\.0\.0\.1:1 cannot be reached: fetch failed \(bad port\): fetch blocks this port, use another one$/,
  })
  hub.break({ of: /api\/models/, body: '<!doctype html><p>Log in', headers: { 'content-type': 'text/html' } })
  await assert.rejects(loadModel(qkv, 'hf:me/tiny'), {
    code: 'ANSWER',
    message: /expected the list of files as JSON .*got an HTML page/,
  })
  hub.break({ of: /config\.json/, body: '<!doctype html><p>Log in', headers: { 'content-type': 'text/html' } })
  await assert.rejects(loadModel(qkv, 'hf:me/tiny'), {
    code: 'ANSWER',
    message: /expected config\.json .*got an HTML page/,
  })
  hub.break({ of: /api\/models/, body: '{"sha":"main","siblings":[]}' })
  await assert.rejects(loadModel(qkv, 'hf:me/tiny'), /has no commit and no list of files: is this a hub/)
  hub.break({ of: /api\/models/, status: 404, body: 'nothing' })
  await assert.rejects(loadModel(qkv, 'hf:me/tiny'), /answers 404: check the name, and that http\S+ is a hub/)
})

test('a repository without safetensors is read from pytorch_model.bin, or names what it has instead', async () => {
  await assert.rejects(
    loadModel(qkv, 'hf:me/gguf', none),
    /there is tiny\.gguf, but no model\.safetensors: a GGUF file is opened by its own name/,
  )
  await assert.rejects(
    loadModel(qkv, 'hf:onnx-community/tiny-ONNX', none),
    /there is onnx\/model_q4\.onnx, but no model\.safetensors: .* of the same model: tiny, by its first owner$/,
  )
  await assert.rejects(
    loadModel(qkv, 'hf:Xenova/tiny', none),
    /there is onnx\/model\.onnx, but no model\.safetensors: .*, which its README\.md names: hf:me\/tiny$/,
  )
  await assert.rejects(
    loadModel(qkv, 'hf:me/pickled', none),
    /the tensors do not fit config\.json; missing: .* unexpected: float, half, /,
  )
  assert.ok(hub.asked.some(({ url }) => url.includes('/pytorch_model.bin')))
})

test('429 and 5xx are retried after growing pauses, or when the hub says, and reported in the end', async t => {
  const pauses = /** @type {number[]} */ ([])
  const { setTimeout } = globalThis
  t.mock.method(
    globalThis,
    'setTimeout',
    (/** @type {any} */ call, /** @type {number} */ time, /** @type {any[]} */ ...rest) => {
      const isPause = [500, 1000, 2000, 4000, 6000, 7000].includes(time)
      if (isPause) pauses.push(time)
      return setTimeout(call, isPause ? 0 : time, ...rest)
    },
  )
  hub.break({ of: /api\/models/, status: 503, times: 4 })
  assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny', none)), expected)
  assert.deepEqual(pauses.splice(0), [500, 1000, 2000, 4000])
  hub.break({ of: /./, status: 429, headers: { 'retry-after': '7' }, times: 1 })
  assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny', { keep: false, ...none })), expected)
  hub.break({ of: /./, status: 429, headers: { ratelimit: '"api";r=0;t=7' }, times: 1 })
  assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny', { keep: false, ...none })), expected)
  assert.deepEqual(pauses.splice(0), [7000, 7000])
  // Retries wait until the date in Retry-After if it is in the future. For all other values here, they use the default pauses.
  const date = () => new Date(Date.now() + 6900).toUTCString()
  for (const [after, want] of /** @type {[string, number][]} */ ([
    [date(), 7000],
    [new Date(0).toUTCString(), 500],
    ['', 500],
    ['-3', 500],
    ['soon', 500],
  ])) {
    hub.break({ of: /./, status: 429, headers: { 'retry-after': after }, times: 1 })
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny', { keep: false, ...none })), expected)
    const [pause, ...more] = pauses.splice(0)
    assert.ok(
      Math.abs(pause - want) <= (want > 500 ? 1000 : 0) && more.length === 0,
      `${JSON.stringify(after)}: ${pause}`,
    )
  }
  hub.break({ of: /./, status: 500, headers: { 'x-error-message': 'Out of order' } })
  await assert.rejects(loadModel(qkv, 'hf:me/tiny', { keep: false }), {
    code: 'BUSY',
    message: /answers 500 for the list of files \("Out of order"\), after 5 requests/,
  })
  hub.break({ of: /./, status: 429, headers: { 'retry-after': '240' } })
  await assert.rejects(loadModel(qkv, 'hf:me/tiny', { keep: false }), {
    code: 'BUSY',
    message: /answers 429 for the list of files; it asks to wait 240 s/,
  })
})

test('an interrupted body is continued at its end', async () => {
  hub.break({ of: /Signature/, cut: 300_000, times: 2 }, { of: /api\/resolve-cache/, cut: 100, times: 1 })
  /** @type {number[]} */
  const loaded = []
  const model = await loadModel(qkv, 'hf:me/large', { ...none, onProgress: ({ loaded: bytes }) => loaded.push(bytes) })
  assert.deepEqual(numbersOf(model), numbersOf(await loadModel(qkv, large, none)))
  const ranges = hub.asked.filter(({ server }) => server === 'storage').map(({ range }) => range)
  assert.equal(
    ranges.filter(range => /^bytes=300000-|^bytes=1348576-/.test(String(range))).length >= 1,
    true,
    ranges.join(),
  )
  assert.equal(loaded.at(-1), large['model.safetensors'].length + large['config.json'].length)
  assert.ok(loaded.every((bytes, n) => n === 0 || bytes > loaded[n - 1]))
})

test('a server that stops sending counts as interrupted', async () => {
  process.env.HF_HUB_DOWNLOAD_TIMEOUT = '0.3'
  try {
    hub.break({ of: /Signature/, cut: 1000, isSilent: true, times: 1 })
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny', none)), expected)
    assert.ok(hub.asked.some(({ range }) => range?.startsWith('bytes=1000-')))
  } finally {
    delete process.env.HF_HUB_DOWNLOAD_TIMEOUT
  }
})

test('an expired signed address is requested again', async () => {
  const half = large['model.safetensors'].length / 2
  let isExpired = false
  const onProgress = (/** @type {{ loaded: number }} */ { loaded }) => {
    if (loaded > half && !isExpired) {
      isExpired = true
      hub.expire()
    }
  }
  const model = await loadModel(qkv, 'hf:me/large', { ...none, onProgress })
  assert.deepEqual(numbersOf(model), numbersOf(await loadModel(qkv, large, none)))
  assert.ok(isExpired)
  const resolved = hub.asked.filter(({ url }) => url.endsWith('/model.safetensors')).length
  assert.ok(resolved >= 1 && resolved <= 4, `${resolved}`)
})

const flip = (/** @type {Buffer} */ body) =>
  Buffer.concat([body.subarray(0, 999), Buffer.from([body[999] ^ 1]), body.subarray(1000)])
/** @type {[string, import('./hub.js').Fault, RegExp][]} */
const LIES = [
  [
    'other bytes of the weights',
    { of: /Signature/, change: body => (body.length > 2e6 ? flip(body) : body) },
    /the 2\d{7} bytes of model\.safetensors have the hash [0-9a-f]{64}, the hub announced [0-9a-f]{64}: they were damaged/,
  ],
  [
    'other bytes of the config',
    { of: /resolve-cache/, change: body => Buffer.from(String(body).replace('5003', '5004')) },
    /bytes of config\.json have the hash [0-9a-f]{40}, the hub announced/,
  ],
  [
    'another range',
    { of: /Signature/, headers: { 'content-range': 'bytes 8-1048583/99999999' } },
    /has 99999999 bytes, the hub announced 2\d{7}/,
  ],
  [
    'the range of other bytes',
    { of: /Signature/, headers: { 'content-range': 'bytes 8-1048583/*' } },
    /has "bytes 8-1048583\/\*": the hub, or a cache before it, gives other bytes/,
  ],
  [
    'too many bytes',
    { of: /resolve-cache/, body: Buffer.alloc(5000) },
    /config\.json is longer than \d+ bytes, which the hub announced/,
  ],
]
for (const [title, fault, message] of LIES)
  test(`a hub that sends ${title} is refused, and nothing half-open stays`, async () => {
    hub.break(fault)
    const { resident } = qkv.memory
    await assert.rejects(loadModel(qkv, 'hf:me/large', none), message)
    assert.equal(qkv.memory.resident, resident)
    const left = filesIn(cache).filter(name => name.includes('incomplete') || name.includes('model.safetensors'))
    assert.deepEqual(left, [])
    hub.break()
    numbersOf(await loadModel(qkv, 'hf:me/large', none))
  })

test('a list of files cannot name a place outside of the cache', async () => {
  const list = {
    id: '../../x',
    sha: 'd'.repeat(40),
    siblings: [
      { rfilename: '../config.json', size: 3, blobId: '../../../x' },
      { rfilename: 'config.json', size: 3, blobId: '../../../x' },
    ],
  }
  hub.break({ of: /api\/models/, body: JSON.stringify(list) })
  await assert.rejects(loadModel(qkv, 'hf:me/tiny', none))
  assert.deepEqual(filesIn(String(process.env.HF_HOME)), ['hub/models--me--tiny/refs/main'])
})

test('a hub whose list has no sizes and hashes, and one without ranges, give the model', async () => {
  const plain = await startHub({ 'me/large': { files: large } }, { hasBlobs: false })
  try {
    const wanted = numbersOf(await loadModel(qkv, large, none))
    assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/large', { ...none, hub: plain.url })), wanted)
    assert.deepEqual(
      filesIn(cache).filter(name => name.includes('incomplete')),
      [],
    )
    assert.ok(filesIn(cache).some(name => name.includes('snapshots') && name.endsWith('model.safetensors')))
  } finally {
    plain.close()
  }
  const signed = '/[0-9a-f]{64}'
  hub.break({ of: new RegExp(signed), status: 200, body: tiny['model.safetensors'] })
  assert.deepEqual(numbersOf(await loadModel(qkv, 'hf:me/tiny', none)), expected)
})

/**
 * Starts a hub whose list of files has no hashes.
 * @param {(n: number) => Record<string, string>} headersOf returns the response headers for request n for the weights
 * @param {(n: number) => number} versionOf returns which of two versions of the weights to send
 */
async function plainHub(headersOf, versionOf) {
  const versions = [large['model.safetensors'], Buffer.from(large['model.safetensors'])]
  versions[1][20_000_000] ^= 1
  let n = 0
  const server = createServer(({ url = '', headers }, response) => {
    const siblings = Object.entries(large).map(([rfilename, { length: size }]) => ({ rfilename, size }))
    if (url.startsWith('/api/models'))
      return response.end(JSON.stringify({ id: 'me/large', sha: 'd'.repeat(40), siblings }))
    const isWeights = url.endsWith('safetensors')
    const content = isWeights ? versions[versionOf(n)] : large['config.json']
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []
    const last = Math.min(Number(to), content.length - 1)
    const range = { 'content-range': `bytes ${from}-${last}/${content.length}` }
    response.writeHead(206, { ...range, ...(isWeights && headersOf(n++)) })
    response.end(content.subarray(Number(from), last + 1))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { server, url: `http://127.0.0.1:${port}` }
}

const changed = /model\.safetensors was changed while it was read: its version was .* and is .*; load the model again/
const tag = { etag: `"${createHash('sha256').update(large['model.safetensors']).digest('hex')}"` }
/** @type {[string, (n: number) => Record<string, string>, (n: number) => number, RegExp | undefined][]} */
const PLAIN = [
  ['other ETags in turn', n => ({ etag: `W/"${n % 2}"` }), n => n % 2, changed],
  [
    'other dates in turn',
    n => ({ 'last-modified': new Date(1e12 + (n % 2) * 1e6).toUTCString() }),
    n => n % 2,
    changed,
  ],
  ['the SHA-256 as ETag', () => tag, () => 0, undefined],
  ['the SHA-256 as ETag, and other bytes', () => tag, () => 1, /have the hash [0-9a-f]{64}, the hub announced/],
]
for (const [title, headersOf, versionOf, message] of PLAIN)
  test(`a hub without hashes that sends ${title} ${message ? 'is refused' : 'gives the model'}`, async () => {
    const { server, url } = await plainHub(headersOf, versionOf)
    try {
      for (const keep of [true, false]) {
        const loading = loadModel(qkv, 'hf:me/large', { ...none, hub: url, keep })
        if (message) await assert.rejects(loading, message, title)
        else numbersOf(await loading)
      }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

test('a download that is cancelled, or whose config is refused, leaves no file', async () => {
  const controller = new AbortController()
  const onProgress = (/** @type {{ loaded: number }} */ { loaded }) => {
    if (loaded > 2e6) controller.abort()
  }
  const { resident } = qkv.memory
  await assert.rejects(loadModel(qkv, 'hf:me/large', { ...none, onProgress, signal: controller.signal }), {
    name: 'AbortError',
  })
  assert.equal(qkv.memory.resident, resident)
  assert.deepEqual(
    filesIn(cache).filter(name => name.includes('incomplete') || name.includes('safetensors')),
    [],
  )
})

test('progress reports bytes, the rate and the remaining time', async () => {
  /** @type {any[]} */
  const seen = []
  numbersOf(await loadModel(qkv, 'hf:me/large', { ...none, onProgress: step => seen.push(step) }))
  const total = large['model.safetensors'].length + large['config.json'].length
  assert.ok(seen.length > 20)
  for (const step of seen) {
    assert.equal(step.total, total)
    assert.ok(
      step.rate > 0 && step.secondsLeft >= 0 && /^(config\.json|model\.safetensors)$/.test(step.name),
      JSON.stringify(step),
    )
  }
  assert.equal(seen.at(-1).loaded, total)
  assert.equal(seen.at(-1).secondsLeft, 0)
})

test('a full disk is reported before the download; keep: false loads without keeping', async t => {
  t.mock.method(fs, 'statfs', async () => ({ bavail: 10, bsize: 1024 }))
  await assert.rejects(loadModel(qkv, 'hf:me/large', none), {
    code: 'DISK_FULL',
    message:
      /2\d\.\d MB are to be downloaded and kept, .*hub has room for 0\.0 MB: delete models with deleteKeptModel, or load it with/,
  })
  assert.equal(hub.asked.length, 1, 'the list of files')
  numbersOf(await loadModel(qkv, 'hf:me/large', { ...none, keep: false }))
  assert.deepEqual(
    filesIn(cache).filter(name => !name.includes('refs')),
    [],
  )
})

test('a partial write is continued, and on a disk that fills nothing is kept', async t => {
  const { open } = fs
  let room = Infinity
  t.mock.method(fs, 'open', async (/** @type {Parameters<typeof open>} */ ...given) => {
    const handle = await open(...given)
    const write = handle.write.bind(handle)
    t.mock.method(handle, 'write', (/** @type {Uint8Array} */ bytes, /** @type {number} */ at, n = 0, place = 0) => {
      const part = Math.min(Math.ceil(n / 2), room)
      room -= part
      if (!part) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return write(bytes, at, part, place)
    })
    return handle
  })
  numbersOf(await loadModel(qkv, 'hf:me/large', none))
  const blobs = join(cache, 'models--me--large/blobs')
  const sizes = readdirSync(blobs).map(name => lstatSync(join(blobs, name)).size)
  assert.deepEqual(
    sizes.sort(),
    Object.values(large)
      .map(({ length }) => length)
      .sort(),
  )
  rmSync(cache, { recursive: true })
  room = large['model.safetensors'].length - 1000 // the last 1,000 bytes do not fit
  await assert.rejects(loadModel(qkv, 'hf:me/large', none), { code: 'DISK_FULL' })
  assert.deepEqual(
    filesIn(cache).filter(name => name.includes('incomplete') || name.includes('safetensors')),
    [],
  )
})

test('a request that waits for the address of its file is not made after an abort', async t => {
  const controller = new AbortController()
  let made = 0
  const isAsked = new Promise(resolve =>
    t.mock.method(
      globalThis,
      'fetch',
      async (/** @type {string} */ _, /** @type {{ signal: AbortSignal }} */ { signal }) => {
        signal.throwIfAborted()
        if (++made > 1) return new Response('', { status: 404 })
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          resolve(undefined)
        })
      },
    ),
  )
  const settings = /** @type {any} */ ({ hub: 'http://localhost', headers: {}, patience: 10_000 })
  const requests = new Requests(settings, parseName('hf:me/large'), controller.signal)
  const file = { path: 'model.safetensors', size: 100 }
  const read = (/** @type {number} */ from) =>
    assert.rejects(
      requests.range(file, from, from + 50, () => {}),
      { name: 'AbortError' },
    )
  const first = read(0)
  await isAsked
  const second = read(50)
  controller.abort()
  await Promise.all([first, second])
  assert.equal(made, 1)
})

/** Makes the Requests of a hub at `url`, without loading a model. @param {string} url @param {AbortSignal} [signal] */
const requestsTo = (url, signal) =>
  new Requests(/** @type {any} */ ({ hub: url, headers: {}, patience: 10_000 }), parseName('hf:me/large'), signal)

test('the body of an answer that is refused is not downloaded', async () => {
  /** @type {Record<string, Record<string, string>>} */
  const ANSWERS = {
    'a page of HTML': { 'content-type': 'text/html' },
    'another size': { 'content-range': 'bytes 0-99999/5000000' },
    'other bytes': { 'content-range': 'bytes 8-100007/100000' },
  }
  let headers = {}
  /** @type {Promise<unknown>} */
  let closed = Promise.resolve()
  const server = createServer((_, response) => {
    closed = new Promise(resolve => response.on('close', resolve))
    response.writeHead(206, headers).write(new Uint8Array(1000)) // the other bytes of the answer never come
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  try {
    for (const [what, given] of Object.entries(ANSWERS)) {
      headers = given
      const requests = requestsTo(`http://127.0.0.1:${port}`)
      const file = { path: 'model.safetensors', size: 100_000 }
      await assert.rejects(
        requests.range(file, 0, 100_000, () => {}),
        { code: 'ANSWER' },
      )
      const isClosed = await Promise.race([closed.then(() => true), new Promise(resolve => setTimeout(resolve, 2000))])
      assert.ok(isClosed, what)
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a load that is refused leaves no listener on the signal of the caller', async () => {
  const { signal } = new AbortController()
  const listeners = () => getEventListeners(signal, 'abort').length
  const refused = /** @type {[string, object][]} */ ([
    ['hf:me/nothing', {}],
    ['hf:me/gated', {}],
    ['hf:me/many/nowhere', {}],
    ['hf:me/pickled', {}],
    ['hf:me/gguf', {}],
  ])
  for (const [name, options] of refused) {
    await assert.rejects(loadModel(qkv, name, { ...none, ...options, signal }), name)
    assert.equal(listeners(), 0, name)
  }
  numbersOf(await loadModel(qkv, 'hf:me/tiny', { ...none, signal }))
  assert.equal(listeners(), 0)
})

test('one request gets the address of a file for all reads of the same tick, and another one after an error', async t => {
  t.mock.method(globalThis, 'fetch', async (/** @type {string} */ url, /** @type {any} */ { headers }) => {
    asked.push(url)
    await new Promise(resolve => setTimeout(resolve, 5))
    if (isBusy && url.endsWith('/model.safetensors')) {
      isBusy = false
      return new Response('', { status: 503, headers: { 'retry-after': '0' } })
    }
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.Range) ?? []
    const answer = { status: 206, headers: { 'content-range': `bytes ${from}-${to}/300` } }
    const response = new Response(new Uint8Array(Number(to) + 1 - Number(from)), answer)
    Object.defineProperty(response, 'url', { value: 'http://storage/signed' })
    return response
  })
  /** @type {string[]} */
  let asked = []
  let isBusy = false
  for (const isFirstBusy of [false, true]) {
    asked = []
    isBusy = isFirstBusy
    const requests = requestsTo('http://localhost')
    const file = { path: 'model.safetensors', size: 300 }
    const ranges = [0, 100, 200].map(from => requests.range(file, from, from + 100, () => {}))
    for (const bytes of await Promise.all(ranges)) assert.equal(bytes.length, 100)
    const redirects = asked.filter(url => url.endsWith('/model.safetensors')).length
    assert.equal(redirects, isFirstBusy ? 2 : 1, asked.join(' '))
  }
})

test('files of a killed download are removed by the next one, those of other programs stay', async () => {
  const blobs = join(cache, 'models--me--tiny/blobs')
  mkdirSync(blobs, { recursive: true })
  const code =
    "import { openDiskCache } from './src/models/hub/disk-cache.js'\n" +
    "const file = await (await openDiskCache(process.argv[1], 'me/tiny')).open('a', { path: 'x', size: 3, hash: 'f'.repeat(64) })\n" +
    "await file.put(0, 0, new Uint8Array(2))\nprocess.kill(process.pid, 'SIGKILL')"
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code, cache], { encoding: 'utf8' })
  assert.equal(run.signal, 'SIGKILL', run.stderr)
  assert.equal(readdirSync(blobs).length, 1)
  const own = await (await openDiskCache(cache, 'me/tiny')).open('a', { path: 'x', size: 3, hash: 'e'.repeat(64) })
  const [ofOwn] = readdirSync(blobs)
  assert.match(ofOwn, /^e+\./, 'that of the killed process is gone')
  const hour = 3600
  const ages = /** @type {[string, number, boolean][]} */ ([
    [`${'d'.repeat(64)}.incomplete`, 48 * hour, true], // left by Python's library, which can resume the download
    [`${'d'.repeat(64)}.elsewhere.1.7.incomplete`, hour, true], // recent, left by another computer
    [`${'d'.repeat(64)}.elsewhere.1.8.incomplete`, 48 * hour, false],
    [`${'d'.repeat(64)}.9ee5f6c9-7424.incomplete`, 48 * hour, false], // left by an older version of qkv
  ])
  for (const [name, age] of ages) {
    writeFileSync(join(blobs, name), 'x')
    await fs.utimes(join(blobs, name), Date.now() / 1000 - age, Date.now() / 1000 - age)
  }
  const stuck = `${'d'.repeat(64)}.elsewhere.1.9.incomplete`
  mkdirSync(join(blobs, stuck)) // a folder, which cannot be removed as a file; the download must still work
  await fs.utimes(join(blobs, stuck), 0, 0)
  numbersOf(await loadModel(qkv, 'hf:me/tiny', none))
  const left = readdirSync(blobs).filter(name => name.endsWith('incomplete'))
  assert.deepEqual(left, [ages[0][0], ages[1][0], stuck, ofOwn].sort())
  await own?.close()
})

test('a load that is aborted at once makes no request', async () => {
  const controller = new AbortController()
  const loading = loadModel(qkv, 'hf:me/large', { keep: false, signal: controller.signal })
  controller.abort()
  await assert.rejects(loading, { name: 'AbortError' })
  assert.equal(hub.asked.length, 0)
})

test('two loads at once do no harm', async () => {
  const models = await Promise.all([1, 2, 3].map(() => loadModel(qkv, 'hf:me/large', none)))
  const [first, ...others] = models.map(model => numbersOf(model))
  for (const other of others) assert.deepEqual(other, first)
  assert.equal(readdirSync(join(cache, 'models--me--large/blobs')).length, 2)
})

test('kept models are listed with their sizes, and deleted', async () => {
  numbersOf(await loadModel(qkv, 'hf:me/tiny'))
  numbersOf(await loadModel(qkv, 'hf:me/tiny@v1.0'))
  numbersOf(await loadModel(qkv, 'hf:me/large', none))
  const sizes = (/** @type {Record<string, Uint8Array>} */ files) =>
    Object.values(files).reduce((sum, { length }) => sum + length, 0)
  const list = await keptModels()
  assert.deepEqual(
    list.map(({ id, revisions, bytes, commit }) => ({ id, revisions, bytes, commit })),
    [
      { id: 'me/large', revisions: ['main'], bytes: sizes(large), commit: hub.commitOf('me/large') },
      { id: 'me/tiny', revisions: ['main', 'v1.0'], bytes: sizes(tiny), commit: hub.commitOf('me/tiny') },
    ],
  )
  assert.ok(list.every(({ opened }) => Date.now() - opened.getTime() < 3.6e6))
  assert.equal(await deleteKeptModel('hf:me/nothing'), 0)
  assert.equal(await deleteKeptModel('hf:me/large@main'), 1)
  assert.equal(existsSync(join(cache, 'models--me--large')), false)
  assert.equal(await deleteKeptModel('hf:me/tiny'), 1)
  assert.deepEqual(await keptModels(), [])
})

test('a blob that another snapshot links to stays when a revision is deleted', async () => {
  numbersOf(await loadModel(qkv, 'hf:me/tiny'))
  const base = join(cache, 'models--me--tiny')
  const other = 'a'.repeat(40)
  mkdirSync(join(base, 'snapshots', other))
  const target = readlinkSync(join(base, 'snapshots', hub.commitOf('me/tiny'), 'config.json'))
  await fs.symlink(target, join(base, 'snapshots', other, 'config.json'))
  assert.equal(await deleteKeptModel('hf:me/tiny@main'), 1)
  assert.deepEqual(filesIn(base), [`blobs/${target.slice(12)}`, `snapshots/${other}/config.json`].sort())
})

test('SHA-256 of parts of any length is that of the whole', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, n) => n * 7)
  assert.equal(new Sha256().digest(), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  for (const length of [1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const { createHash } = process.getBuiltinModule('node:crypto')
    const sum = new Sha256()
    for (let at = 0; at < length; at += 37) sum.update(bytes.subarray(at, Math.min(length, at + 37)))
    assert.equal(sum.digest(), createHash('sha256').update(bytes.subarray(0, length)).digest('hex'), `${length} bytes`)
  }
})

test('without tokenizer.json the words of BERT and the pieces of Marian are downloaded, kept and read, and counted before', async () => {
  for (const [name, files] of Object.entries({ words, pieces })) {
    const id = `hf:me/${name}`
    const { hub: facts } = await inspectModel(id)
    const read = Object.keys(files).filter(file => file !== 'target.spm')
    assert.deepEqual(facts?.files.map(({ name }) => name).sort(), read.sort())
    assert.equal(
      facts?.download,
      read.reduce((sum, file) => sum + files[/** @type {'config.json'} */ (file)].length, 0),
    )
    const model = await loadModel(qkv, id, { tokenizer: Tokenizer })
    const { ids } = model.tokenize('Kato sol')
    assert.ok(ids.length > 2)
    model.dispose()
    assert.equal((await inspectModel(id)).hub?.download, 0)
    hub.break({ of: /./, status: 503, headers: { 'retry-after': '0' } })
    const kept = await loadModel(qkv, id, { tokenizer: Tokenizer })
    assert.deepEqual(kept.tokenize('Kato sol').ids, ids)
    kept.dispose()
    hub.break()
  }
})
