// Opens models by name in a browser. The hub and its storage are other origins, and files are kept in the origin private file system.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { load } from '../../src/entries/index.js'
import { launch } from '../browser/chromium.js'
import { bytesOf, startHub } from './hub.js'
import { makeFolder } from './made-folder.js'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
const folder = fileURLToPath(new URL('../goldens/models/gpt2-tiny', import.meta.url))
const tiny = Object.fromEntries(
  ['config.json', 'model.safetensors'].map(name => [name, readFileSync(`${folder}/${name}`)]),
)
const large = await bytesOf(makeFolder(await load(), 'F32', { vocab: 80_001 }).folder) // 24 MB: four blocks
const hub = await startHub({
  'me/tiny': { files: tiny },
  'me/large': { files: large },
  'me/gated': { files: tiny, isGated: true },
})
const files = sirv(dist, { dev: true })
const site = createServer((request, response) => {
  if (request.url === '/')
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>A page</title><link rel="icon" href="data:,">')
  else
    files(request, response, () => {
      response.writeHead(404).end()
    })
})
await new Promise(resolve => site.listen(0, '127.0.0.1', () => resolve(undefined)))
const { port } = /** @type {import('node:net').AddressInfo} */ (site.address())
const browser = await launch()
after(async () => {
  await browser.close()
  hub.close()
  site.closeAllConnections()
  site.close()
})

async function openPage() {
  const page = await browser.context.newPage()
  await page.goto(`http://127.0.0.1:${port}/`)
  return page
}
/** @type {import('playwright-core').Page} */
let page
before(async () => {
  page = await openPage()
})

/**
 * Runs code in the page, with `qkv` and `models` of the package, and `hub`, the address of the hub.
 * @param {string} code of an async function
 * @param {import('playwright-core').Page} [where]
 * @returns {Promise<any>}
 */
const run = (code, where = page) =>
  where.evaluate(`(async () => {
    const models = await import('/models.js')
    const { load } = await import('/index.js')
    const qkv = globalThis.qkv ??= await load()
    const hub = ${JSON.stringify(hub.url)}
    const sumOf = model => {
      const { data } = model.forwardSync({ ids: [1, 2, 3] }).logits
      model.dispose()
      return data.reduce((sum, x, n) => sum + x * (n % 7), 0)
    }
    const said = promise => promise.then(() => 'nothing', error => [error.code, error.message].join(': '))
    ${code}
  })()`)
const LARGE = `sumOf(await models.loadModel(qkv, 'hf:me/large', { hub, tokenizer: false }))`

test('a name opens the model, and the second time it is read without the hub', async () => {
  hub.asked.length = 0
  const first = await run(`return ${LARGE}`)
  assert.ok(Number.isFinite(first) && first !== 0)
  const requests = hub.asked.map(({ server, url, range }) => `${server} ${url} ${range}`)
  assert.equal(requests.length, 1 + 1 + 1 + 4, requests.join('\n'))
  hub.asked.length = 0
  hub.break({ of: /./, status: 503 })
  assert.equal(await run(`return ${LARGE}`), first)
  assert.equal(hub.asked.length, 1, 'it asks for the commit of main')
  hub.break()
  const list = await run('return models.keptModels()')
  const bytes = large['config.json'].length + large['model.safetensors'].length
  assert.deepEqual(
    list.map((/** @type {any} */ { id, revisions, commit, bytes }) => ({ id, revisions, commit, bytes })),
    [{ id: 'me/large', revisions: ['main'], commit: hub.commitOf('me/large'), bytes }],
  )
  hub.asked.length = 0
  const name = JSON.stringify(`hf:me/large@${hub.commitOf('me/large')}`)
  assert.equal(await run(`return sumOf(await models.loadModel(qkv, ${name}, { hub, tokenizer: false }))`), first)
  assert.equal(hub.asked.length, 0, 'a commit that is kept is read without a request')
  assert.equal(await run(`return (await models.inspectModel('hf:me/large', { hub })).hub.download`), 0)
})

test('a kept model is deleted, with the files that no other model has', async () => {
  await run(`sumOf(await models.loadModel(qkv, 'hf:me/tiny', { hub, tokenizer: false }))`)
  assert.equal(await run(`return models.deleteKeptModel('hf:me/tiny')`), 1)
  const left = await run(`
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('qkv-models')
    const names = []
    for await (const name of (await root.getDirectoryHandle('files')).keys()) names.push(name)
    return [names.length, (await models.keptModels()).map(({ id }) => id)]`)
  assert.deepEqual(left, [2, ['me/large']])
  assert.equal(await run(`return models.deleteKeptModel('hf:me/large')`), 1)
  assert.deepEqual(await run('return models.keptModels()'), [])
})

test('a cancelled download continues with the parts that arrived', async () => {
  const said = await run(`
    const controller = new AbortController()
    const onProgress = ({ loaded }) => loaded > 15e6 && controller.abort()
    return said(models.loadModel(qkv, 'hf:me/large', { hub, tokenizer: false, onProgress, signal: controller.signal }))`)
  assert.match(said, /abort/i)
  hub.asked.length = 0
  await run(`return ${LARGE}`)
  const ranges = hub.asked.filter(({ server }) => server === 'storage').length
  assert.ok(ranges >= 1 && ranges < 4, `${ranges} of 4 blocks`)
  await run(`return models.deleteKeptModel('hf:me/large')`)
})

test('two tabs that open a model at once do no harm', async () => {
  const other = await openPage()
  const [first, second] = await Promise.all([run(`return ${LARGE}`), run(`return ${LARGE}`, other)])
  assert.equal(first, second)
  await other.close()
  hub.break({ of: /./, status: 503 })
  assert.equal(await run(`return ${LARGE}`), first)
  hub.break()
  await run(`return models.deleteKeptModel('hf:me/large')`)
})

/** Runs the code of a module in a worker, which receives the addresses of the library and the hub, and returns its result. @param {string} code */
const inWorker = code =>
  run(`
    const code = ${JSON.stringify(code)}
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' })
    worker.postMessage({ base: location.href, hub })
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
    })`)

test('a worker opens and keeps a model, too', async () => {
  const sum = await inWorker(`
    onmessage = async ({ data: { base, hub } }) => {
      const [{ load }, { loadModel }] = await Promise.all([import(base + 'index.js'), import(base + 'models.js')])
      const model = await loadModel(await load(), 'hf:me/tiny', { hub, tokenizer: false })
      postMessage(model.forwardSync({ ids: [1] }).logits.data.length)
    }`)
  assert.equal(sum, 384)
  assert.equal(await run(`return models.deleteKeptModel('hf:me/tiny')`), 1)
})

test('if only workers can write, as in older versions of Safari, a partial write is continued, and a full disk is reported', async () => {
  /** Opens a model in a worker that can write only by a sync access handle, at most `most` bytes at a time. @param {number} most */
  const opened = most =>
    inWorker(`
    delete FileSystemFileHandle.prototype.createWritable
    const { write } = FileSystemSyncAccessHandle.prototype
    let writes = 0
    FileSystemSyncAccessHandle.prototype.write = function (bytes, options) {
      writes++
      return ${most} ? write.call(this, bytes.subarray(0, ${most}), options) : 0
    }
    onmessage = async ({ data: { base, hub } }) => {
      const [{ load }, { loadModel }] = await Promise.all([import(base + 'index.js'), import(base + 'models.js')])
      const said = loadModel(await load(), 'hf:me/tiny', { hub, tokenizer: false }).then(() => 'opened', String)
      postMessage([await said, writes])
    }`)
  assert.match((await opened(0))[0], /DISK_FULL|the disk is full: delete models/)
  const [said, writes] = await opened(100_000)
  assert.equal(said, 'opened')
  assert.ok(writes > tiny['model.safetensors'].length / 100_000)
  hub.break({ of: /./, status: 503 })
  assert.ok(
    Number.isFinite(await run(`return sumOf(await models.loadModel(qkv, 'hf:me/tiny', { hub, tokenizer: false }))`)),
  )
  hub.break()
  await run(`return models.deleteKeptModel('hf:me/tiny')`)
})

test('a damaged file is refused and not kept; the error for a gated model has the way out', async () => {
  hub.break({ of: /Signature/, change: body => body.map((byte, n) => (n === 400_000 ? byte ^ 1 : byte)) })
  const said = await run(`return said(models.loadModel(qkv, 'hf:me/tiny', { hub, tokenizer: false }))`)
  assert.match(said, /^DAMAGED: hf:me\/tiny: the \d+ bytes of model\.safetensors have the hash/)
  hub.break()
  const gated = await run(`return said(models.loadModel(qkv, 'hf:me/gated', { hub }))`)
  assert.match(
    gated,
    /^GATED: hf:me\/gated: the model is gated: accept its terms at http\S+, then give a token: \{ token: 'hf_\.\.\.' \}$/,
  )
  await run(`sumOf(await models.loadModel(qkv, 'hf:me/gated', { hub, token: 'hf_member', tokenizer: false }))`)
  const signed = hub.asked.filter(({ server }) => server === 'storage')
  assert.ok(signed.every(({ authorization }) => authorization === undefined))
  await run(`return Promise.all(['me/tiny', 'me/gated'].map(id => models.deleteKeptModel('hf:' + id)))`)
})

test('too little storage in a browser is reported before the download, or when the disk is full', async () => {
  const load = (/** @type {string} */ more = '') =>
    `models.loadModel(qkv, 'hf:me/large', { hub, tokenizer: false, ${more} })`
  hub.asked.length = 0
  const before = await run(`
    const { estimate } = navigator.storage
    navigator.storage.estimate = async () => ({ quota: 5e6, usage: 4e6 })
    try {
      return await said(${load()})
    } finally {
      navigator.storage.estimate = estimate
    }`)
  assert.match(
    before,
    /^DISK_FULL: .*2\d\.\d MB are to be downloaded and kept, this browser, for this site has room for 1\.0 MB: delete/,
  )
  assert.equal(hub.asked.length, 1)
  const session = await browser.context.newCDPSession(page)
  const origin = `http://127.0.0.1:${port}`
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: large['model.safetensors'].length / 2 })
  assert.match(await run(`return said(${load()})`), /^DISK_FULL: hf:me\/large: the disk is full: delete models/)
  assert.ok(Number.isFinite(await run(`return sumOf(await ${load('keep: false')})`)))
  await session.send('Storage.overrideQuotaForOrigin', { origin })
})
