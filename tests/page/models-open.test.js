// Tests how the room "Models" opens checkpoints: from an address of the site, from dropped files, and with shared memory. site.test.js opens one
// from disk, without a server, and models-room.test.js one from a link.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { readSafetensors, writeSafetensors } from 'qkv/models'
import config from '../../vite.config.js'
import { MADE, make } from '../models/gguf/made.js'
import { randomOf } from '../models/tokenizers/random-files.js'
import { serve } from './browser.js'
import { filesOf } from './golden-files.js'
import { opened } from './golden-models.js'
import { addressHash, becomes, go, page, reads, SMALL_LAYER, url, usePage } from './open.js'

const own = usePage({ hash: null })
const ROOM = '#2&room=models'

test('the room opens with a trained model of the page, and with the text of that model', async () => {
  await go(ROOM)
  await page.locator('#models-answer').waitFor()
  await becomes(() => page.inputValue('#models-model'), 'English')
  const about = JSON.parse(readFileSync(new URL('../../web/trained/english/about.json', import.meta.url), 'utf8'))
  const text = about.figures?.example?.text ?? about.tour?.[0]?.prompt ?? 'Once upon a time'
  await becomes(() => page.inputValue('#models-text'), text)
  await page.locator('#models-answer[data-token]').waitFor()
  // The translator gives the trained translation, word by word.
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
    files[`${name}.json`] ??= Buffer.from('{}') // because the browser would complain about a 404
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
  await reads('#models-problem', /example\.org\/model, which is another site/)
  await page.goto('about:blank')
  await page.goto(`${url}?model=http://[#2&room=models`) // not an address
  await reads('#models-problem', /invalid:\S+, which is another site/)
})

/** Drops files on the page. @param {{ name: string, text: string }[]} files text: the bytes in base64 */
const drop = files =>
  page.evaluate(async files => {
    const data = new DataTransfer()
    for (const { name, text } of files)
      data.items.add(new File([Uint8Array.from(atob(text), letter => letter.charCodeAt(0))], name))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  }, files)

test('a drop anywhere opens the files; other files are refused by name', async () => {
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

for (const [title, width, bring] of /** @type {[string, number, (file: Buffer) => Promise<void>][]} */ ([
  ['dropped on a desktop', 1440, file => drop([{ name: 'x.Q4_K_M.gguf', text: file.toString('base64') }])],
  [
    'chosen on a phone',
    390,
    async buffer => {
      await page.click('#models-open > summary')
      await page.setInputFiles('#models-files', { name: 'x.Q4_K_M.gguf', mimeType: '', buffer })
      assert.equal(await page.locator('#models-open[open]').count(), 0, 'the menu covers no heads')
      assert.equal(await page.inputValue('#models-files'), '', 'a file of the same name can be chosen again')
    },
  ],
]))
  test(`a GGUF file that is ${title} is opened with the types of its tensors, its views work, and the programs name it`, async () => {
    await page.setViewportSize({ width, height: 844 })
    const { gguf } = make(MADE[0], 'Q4_K', randomOf(1))
    await go(ROOM)
    await bring(Buffer.from(gguf))
    await opened('llama')
    await reads('#models-facts', /^llama, 2 × 4 heads, [\d,]+ parameters, [\d.]+ KB, Q4_K \+ F32/)
    await becomes(() => page.inputValue('#models-model'), 'x.Q4_K_M.gguf')
    await page.click('.models-programs > summary')
    await reads('#models-program-qkv', /node program\.mjs FILE /)
    await reads('#models-program-qkv', /loadModel\(qkv, process\.argv\[2\] \?\? "x\.Q4_K_M\.gguf"\)/)
    await reads('#models-program-pytorch', /from_pretrained\(folder, gguf_file="x\.Q4_K_M\.gguf"/)
    await page.locator('main details:not([open]) > summary').evaluateAll(all => {
      for (const each of all) if (each instanceof HTMLElement) each.click()
    })
    await becomes(() => page.locator('.lens-line').count(), 2)
    await becomes(() => page.locator('main [role="status"]:text-matches("…$")').count(), 0)
    assert.equal(await page.locator('#models-problem').count(), 0)
  })

test('model files that are dropped on another page open in Models, and Back leads to that page', async () => {
  const { gguf } = make(MADE[0], 'Q4_K', randomOf(1))
  const file = { name: 'x.Q4_K_M.gguf', text: Buffer.from(gguf).toString('base64') }
  const folder = filesOf('gpt2-tiny').map(path => ({
    name: basename(path),
    text: readFileSync(path).toString('base64'),
  }))
  for (const [hash, files, type] of /** @type {const} */ ([
    ['', [file], 'llama'],
    ['', folder, 'gpt2'],
    [SMALL_LAYER, [file], 'llama'],
    ['#2&room=learn', [file], 'llama'],
    ['#2&room=exercises', [file], 'llama'],
    ['#2&room=exercises', folder, 'gpt2'],
  ])) {
    await go(hash)
    const before = await page.locator('main').getAttribute('class')
    await drop([...files])
    await opened(type)
    await becomes(() => page.inputValue('#models-model'), type === 'llama' ? 'x.Q4_K_M.gguf' : 'gpt2')
    await becomes(addressHash, /room=models/)
    await page.goBack()
    await becomes(() => page.locator('main').getAttribute('class'), before)
  }
})

test('a multimodal checkpoint opens as its text part, and is named so', async () => {
  const folder = new URL('../goldens/models/gemma3-tiny/', import.meta.url)
  const text = JSON.parse(readFileSync(new URL('config.json', folder), 'utf8'))
  const tensors = await readSafetensors(readFileSync(new URL('model.safetensors', folder)))
  const config = {
    model_type: 'gemma3',
    architectures: ['Gemma3ForConditionalGeneration'],
    text_config: text,
    vision_config: { model_type: 'siglip_vision_model', hidden_size: 8 },
  }
  const weights = writeSafetensors({
    ...Object.fromEntries(Object.entries(tensors).map(([name, value]) => [`language_model.${name}`, value])),
    'multi_modal_projector.mm_soft_emb_norm.weight': { data: new Float32Array([1]), dims: [1] },
  })
  await go(ROOM)
  await drop([
    { name: 'config.json', text: btoa(JSON.stringify(config)) },
    { name: 'model.safetensors', text: Buffer.from(weights).toString('base64') },
  ])
  await opened('gemma3_text')
  await reads('#models-facts', /^gemma3_text \(text part of gemma3\), /)
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
