// How the room "Models" opens checkpoints: from an address of the site, a drop, and where memory may be shared.
// site.test.js opens one from a disk, without a server, and models-room.test.js one that a link asks for.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import config from '../../vite.config.js'
import { MADE, make } from '../models/gguf/made.js'
import { randomOf } from '../models/tokenizers/random-files.js'
import { serve } from './browser.js'
import { filesOf } from './golden-files.js'
import { opened } from './golden-models.js'
import { becomes, go, page, reads, url, usePage } from './open.js'

const own = usePage({ hash: null })
const ROOM = '#2&room=models'

test('the room opens with a trained model of the page, and with its own text', async () => {
  await go(ROOM)
  await page.locator('#models-answer').waitFor()
  await becomes(() => page.inputValue('#models-model'), 'English')
  const about = JSON.parse(readFileSync(new URL('../../web/trained/english/about.json', import.meta.url), 'utf8'))
  const text = about.figures?.example?.text ?? about.tour?.[0]?.prompt ?? 'Once upon a time'
  await becomes(() => page.inputValue('#models-text'), text)
  await page.locator('#models-answer[data-token]').waitFor()
  // The translator says what it was trained to say, word by word.
  await page.click('#models-model')
  await page.click('#models-options [data-name="translation"]')
  await page.locator('[data-gloss="plan"]').waitFor()
  await becomes(
    async () =>
      (await page.locator('.models-token-rows > .token-row').last().locator('.token').allTextContents()).slice(0, -1),
    '工程师 今天 在 北京 想要 一套 自动 驾驶 解决 方案'.split(' '),
  )
  await reads('#models-top tbody th', '方案 plan')
  await page.locator('.models-token-rows > .token-row').last().locator('.word-button:nth-child(4)').click()
  await reads('.models-hint', /^“北京 Beijing” looks most at “beijing” \(\d\d\.\d%\)/)
})

test('the guided story goes from head to head, each with its prompt, and switches it off', async () => {
  await go(ROOM)
  const tour = [
    { id: 'a', prompt: 'The cat that chased the dog', layer: 1, head: 1, kind: 'previous' },
    { id: 'b', prompt: 'The king wrote', layer: 2, head: 0, kind: 'pronoun' },
  ]
  const files = filesOf('gpt2-tiny').map(path => ({ name: basename(path), mimeType: '', buffer: readFileSync(path) }))
  const about = { name: 'about.json', mimeType: '', buffer: Buffer.from(JSON.stringify({ tour })) }
  await page.setInputFiles('#models-files', [...files, about])
  await opened('gpt2')
  await page.click('#models-stories')
  await page.click('#models-stories [data-item="0"]')
  await reads('#models-story', /Head 2\.2\s+looks at the word before.*The model says “m” \(4\.7%\)/)
  await becomes(() => page.inputValue('#models-text'), 'The cat that chased the dog')
  await page.click('#models-story-off')
  await reads('#models-story', /Without head 2\.2, “m” has 5\.1%; it says “\(”/)
  await page.click('#models-story-next')
  await reads('#models-story', /Head 3\.1.*who “she” or “he” is.*2 of 2/)
  await reads('.models-title', /Head 3\.1/)
  await becomes(() => page.locator('.change').count(), 0)
})

test('?model= opens a folder of the site, by ranges; another site is refused', async () => {
  /** @type {Record<string, Buffer>} */
  const files = Object.fromEntries(filesOf('gpt2-tiny').map(path => [basename(path), readFileSync(path)]))
  for (const name of ['tokenizer_config', 'special_tokens_map', 'added_tokens', 'generation_config'])
    files[`${name}.json`] ??= Buffer.from('{}') // a 404 would be a complaint
  let ranges = 0
  await page.route('**/a-model/*', route => {
    const body = files[basename(new URL(route.request().url()).pathname)]
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(route.request().headers().range ?? '') ?? []
    if (!body || from === undefined) return route.fulfill({ status: body ? 200 : 404, body })
    ranges++
    const part = body.subarray(Number(from), Number(to) + 1)
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${body.length}`
    return route.fulfill({ status: 206, body: part, headers: { 'content-range': range } })
  })
  await page.goto(`${url}?model=a-model`)
  await opened('gpt2')
  assert.ok(ranges >= 4 && ranges <= 14, `${ranges} ranges: each file is small enough for one`)
  await page.goto('about:blank')
  await page.goto(`${url}?model=https://example.org/model#2&room=models`)
  await reads('#models-problem', /example\.org\/model is another site/)
  await page.goto('about:blank')
  await page.goto(`${url}?model=http://[#2&room=models`) // no address at all
  await reads('#models-problem', /invalid:\S+ is another site/)
})

test('a drop anywhere opens the files; other files are refused by name', async () => {
  const drop = (/** @type {{ name: string, text: string }[]} */ files) =>
    page.evaluate(async files => {
      const data = new DataTransfer()
      for (const { name, text } of files)
        data.items.add(new File([Uint8Array.from(atob(text), letter => letter.charCodeAt(0))], name))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    }, files)
  const given = filesOf('qwen3-tiny-bf16').map(path => ({
    name: basename(path),
    text: readFileSync(path).toString('base64'),
  }))
  await go(ROOM)
  await drop(given)
  await opened('qwen3')
  const config = given.find(({ name }) => name === 'config.json')
  assert.ok(config)
  await drop([config, { name: 'pytorch_model.bin', text: btoa('x'.repeat(20)) }])
  await reads('#models-problem', /pytorch_model\.bin: it is no file of torch\.save.*The previous model stays open/)
})

test('a GGUF file that is dropped is opened, and the programs name it', async () => {
  const { gguf } = make(MADE[0], 'Q4_K', randomOf(1))
  await go(ROOM)
  await page.setInputFiles('#models-files', { name: 'x.Q4_K_M.gguf', mimeType: '', buffer: Buffer.from(gguf) })
  await opened('llama')
  await becomes(() => page.inputValue('#models-model'), 'x.Q4_K_M.gguf')
  await page.click('.models-programs > summary')
  await reads('#models-program-qkv', /loadModel\(qkv, process\.argv\[2\] \?\? "x\.Q4_K_M\.gguf"\)/)
  await reads('#models-program-pytorch', /from_pretrained\(folder, gguf_file="x\.Q4_K_M\.gguf"/)
})

test('where the page may share memory, the model runs on threads', async () => {
  const server = await serve({ headers: /** @type {Record<string, string>} */ (config.server?.headers) })
  try {
    await page.goto(`${server.url}${ROOM}&models.checkpoint=stories`)
    await opened('')
    const cores = await page.evaluate(() => navigator.hardwareConcurrency)
    const threads = Number(/(\d+) threads/.exec(await page.innerText('#models-facts'))?.[1] ?? 1)
    assert.equal(threads, Math.min(cores, 64))
    await page.locator('#models-answer[data-token]').waitFor()
    await page.goto('about:blank')
    const isOfServer = (/** @type {string} */ complaint) => complaint.startsWith(`request to ${server.url}`)
    assert.deepEqual(
      own.browser.complaints.splice(0).filter(complaint => !isOfServer(complaint)),
      [],
    )
  } finally {
    server.close()
  }
})
