// Files chosen in a browser give a clear error if they changed afterwards.

import assert from 'node:assert/strict'
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { launch } from '../browser/chromium.js'

const dist = sirv(fileURLToPath(new URL('../../dist/', import.meta.url)), { dev: true })
const golden = fileURLToPath(new URL('../goldens/models/gpt2-tiny', import.meta.url))
const NAMES = ['config.json', 'model.safetensors']
const page = '<!doctype html><title>A page</title><link rel="icon" href="data:," /><input type="file" multiple />'
const site = createServer((request, response) => {
  if (request.url === '/') response.setHeader('content-type', 'text/html').end(page)
  else dist(request, response, () => void response.writeHead(404).end())
})
await new Promise(resolve => site.listen(0, '127.0.0.1', () => resolve(undefined)))
const { port } = /** @type {import('node:net').AddressInfo} */ (site.address())
const browser = await launch()
const folder = mkdtempSync(join(tmpdir(), 'qkv-files-'))
after(async () => {
  await browser.close()
  site.closeAllConnections()
  site.close()
  rmSync(folder, { recursive: true })
})

/** @type {[string, (path: string) => void, string][]} */
const CASES = [
  ['opens', () => {}, ''],
  ['that was changed is named', path => appendFileSync(join(path, 'model.safetensors'), 'x'), 'model.safetensors'],
  ['that was deleted is named', path => rmSync(join(path, 'model.safetensors')), 'model.safetensors'],
  ['of JSON that was deleted is named', path => rmSync(join(path, 'config.json')), 'config.json'],
]
for (const [title, change, name] of CASES)
  test(`a file of the disk ${title}`, async () => {
    const path = mkdtempSync(join(folder, 'model-'))
    for (const each of NAMES) cpSync(join(golden, each), join(path, each))
    const own = await browser.context.newPage()
    await own.goto(`http://127.0.0.1:${port}/`)
    await own.setInputFiles(
      'input',
      NAMES.map(each => join(path, each)),
    )
    change(path)
    const said = await own.evaluate(`(async () => {
      const [{ load }, { loadModel }] = await Promise.all([import('/index.js'), import('/models.js')])
      const { files } = document.querySelector('input')
      return loadModel(await load(), files, { tokenizer: false }).then(() => '', ({ message }) => message)
    })()`)
    const lost = 'cannot be read any more: it was changed, moved or deleted after it was chosen; choose it again'
    assert.equal(said, name && `${name} ${lost}`)
    await own.close()
  })
