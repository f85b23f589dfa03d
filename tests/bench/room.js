// npm run bench:room: measures the room "Models" of the built site in headless Chromium. `-- --only stories`, `long` or `gpt2` measures one part.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { drawLedger } from '../../build/train/ledger-text.js'
import { load } from '../../src/entries/index.js'
import config from '../../vite.config.js'
import { launch } from '../browser/chromium.js'
import { opened } from '../page/golden-models.js'
import {
  cancelTimes,
  comeNear,
  firstPicture,
  frameWork,
  gestureTimes,
  LAST,
  noteAnswers,
  PANEL_NAMES,
  readLong,
  STORY,
  tileTimes,
  timesOf,
  wholeTimes,
} from '../page/room-speed.js'
import { makeWeights, writeFolder } from './gpt2/checkpoint.js'
import { parse, report } from './options.js'
import { digits, print } from './report.js'

const SAMPLES = 15
const median = (/** @type {number[]} */ times) => times.sort((a, b) => a - b)[times.length >> 1]

/** Serves the repository and a checkpoint, with the headers that a page needs to share memory with threads. @param {string} folder */
async function serve(folder) {
  const headers = Object.entries(config.server?.headers ?? {})
  const setHeaders = (/** @type {import('node:http').ServerResponse} */ response) => {
    for (const [name, value] of headers) response.setHeader(name, String(value))
  }
  const tree = sirv(fileURLToPath(new URL('../..', import.meta.url)), { dev: true, setHeaders })
  const checkpoint = sirv(folder, { dev: true, setHeaders })
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/gpt2/')) return tree(request, response)
    request.url = request.url.slice('/gpt2'.length)
    checkpoint(request, response)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { server, origin: `http://127.0.0.1:${port}` }
}

/** Measures forward over 64 tokens in the page: with the attentions of all heads kept and with nothing kept, interleaved. @param {{ samples: number }} asked */
async function forwards({ samples }) {
  const names = ['../../src/entries/index.js', '../../src/entries/models.js']
  const [{ load }, { loadModel }] = await Promise.all(names.map(name => import(new URL(name, location.href).href)))
  const model = await loadModel(await load(), new URL('/gpt2', location.href).href, { tokenizer: false })
  const ids = Array.from({ length: 64 }, (_, i) => (i * 7919) % 50257)
  const time = (/** @type {string[]} */ keep) => {
    const start = performance.now()
    model.forward({ ids }, { keep, logits: 'last' })
    return performance.now() - start
  }
  const [kept, none] = /** @type {number[][]} */ ([[], []])
  for (let n = -1; n < samples; n++) {
    const times = [time(['attentions']), time([])]
    if (n >= 0) [kept, none].forEach((list, i) => void list.push(times[i])) // the first one warms up the compiler
  }
  return { kept, none }
}

/** Measures how long the room takes to update after a change of the text: medians, in milliseconds. @param {import('playwright-core').Page} page @param {string[]} texts */
async function room(page, texts) {
  const times = []
  for (let n = -1; n < SAMPLES; n++) times.push(await timesOf(page, texts[(n + 2) % 2]))
  times.shift()
  const { tokens, heads } = times[0]
  return { tokens, heads, key: median(times.map(({ key }) => key)), answer: median(times.map(({ answer }) => answer)) }
}

/** The number of tokens of the long text. */
const LONG = 16384

/** Measures how long tiles of an open head's map take, in the shipped model `ledger`. @param {import('playwright-core').Page} page @param {string} origin */
async function tiles(page, origin) {
  await page.goto(`${origin}/site/#2&room=models&models.checkpoint=ledger`)
  await opened('', page)
  // The same weights can have more positions, because rotary positions are computed, not read from a table.
  const folder = fileURLToPath(new URL('../../web/trained/ledger/', import.meta.url))
  const files = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'].map(name => ({
    name,
    mimeType: '',
    buffer: readFileSync(folder + name),
  }))
  const config = { ...JSON.parse(String(files[0].buffer)), max_position_embeddings: LONG }
  files[0].buffer = Buffer.from(JSON.stringify(config))
  const before = await page.inputValue('#models-text')
  await page.setInputFiles('#models-files', files)
  await page.waitForFunction(
    before => /** @type {HTMLTextAreaElement} */ (document.querySelector('#models-text')).value !== before,
    before,
  )
  await opened('llama', page)
  const drawn = (await load()).generator(1).rand([2 ** 16]).data
  let at = 0
  const { words } = drawLedger(() => drawn[at++ % drawn.length], LONG)
  const text = words.slice(1).join(' ')
  await readLong(page, text, LONG)
  for (const side of [256, 1024, 2048, 4096]) {
    const times = await tileTimes(page, side, SAMPLES)
    print([
      `a tile of ${side} x ${side} tokens, ledger, ${LONG} tokens; the longest ${digits(Math.max(...times))}`,
      digits(median(times)),
      '<= 100',
    ])
  }
  // Reads the whole map in tiles. The page itself would take it from the summary of the run.
  const { first, all, count } = await wholeTimes(page)
  print([
    `the first of the ${count} tiles of all ${LONG} x ${LONG}; all of them ${digits(all)}`,
    digits(first),
    '<= 100',
  ])
  const sharp = await gestureTimes(page, SAMPLES)
  print([
    `the last wheel event of a gesture to sharp, opaque tiles, ${LONG} tokens; the longest ${digits(Math.max(...sharp))}`,
    digits(median(sharp)),
    '<= 100',
  ])
  const { pan, tile, scroll } = await frameWork(page)
  print([
    `own work of a frame of a pan, ${LONG} tokens; all tasks of the main thread ${digits(pan.all)}`,
    digits(pan.own),
    '<= 8',
  ])
  print([`all tasks of the main thread for each of ${tile.count} tiles, ${LONG} tokens`, digits(tile.all), ''])
  print([`the same for a frame in which the words scroll, ${LONG} tokens`, digits(scroll), '<= 16.7'])
  const cancelled = await cancelTimes(page, text, [300, 1000, 2000])
  print([
    `Cancel to the word that the run was cancelled, ${LONG} tokens: the longest of ${cancelled.map(digits).join(', ')}`,
    digits(Math.max(...cancelled)),
    '<= 200',
  ])
}

/** Measures how long updates take after a change of the text, and the panels that explain the answer, in the shipped model `stories`. @param {import('playwright-core').Page} page @param {string} origin */
async function stories(page, origin) {
  await page.goto(`${origin}/site/#2&room=models&models.checkpoint=stories`)
  await opened('', page)
  const own = await room(
    page,
    LAST.map(word => `${STORY} ${word}`),
  )
  print([`key to paint, stories, ${own.tokens} tokens, ${own.heads} heads`, digits(own.key), '<= 60'])
  for (const name of PANEL_NAMES) {
    const times = []
    for (let n = 0; n < SAMPLES; n++) {
      await page.goto('about:blank')
      const prompt = encodeURIComponent(`${STORY} ${LAST[0]}`)
      await page.goto(`${origin}/site/#2&room=models&models.checkpoint=stories&models.prompt=${prompt}&models.at=2.1`)
      await opened('', page)
      await comeNear(page)
      times.push(await firstPicture(page, name))
    }
    print([
      `click to the first picture of ${name}, stories, ${own.tokens} tokens, for the first time`,
      digits(median(times)),
      '<= 100',
    ])
  }
  await page.goto('about:blank')
}

/** Measures how long updates take after a change of the text in a model of GPT-2's size, and forward alone. @param {import('playwright-core').Page} page @param {string} origin */
async function gpt2(page, origin) {
  await page.goto('about:blank')
  await page.goto(`${origin}/site/?model=/gpt2#2&room=models`)
  await opened('gpt2', page)
  const ids = Array.from({ length: 63 }, (_, i) => (i * 7919) % 50257)
  const all = await room(
    page,
    [1, 2].map(last => [...ids, last].join(' ')),
  )
  print([`answer to paint, GPT-2's size, ${all.tokens} tokens, ${all.heads} maps`, digits(all.answer), '<= 150'])
  print([`key to paint, GPT-2's size, ${all.tokens} tokens, ${all.heads} maps`, digits(all.key), ''])
  await page.goto('about:blank')
  await page.goto(`${origin}/tests/bench/page.html`)
  const { kept, none } = await page.evaluate(forwards, { samples: 7 })
  const [a, b] = [median(kept), median(none)]
  print([
    `forward, 64 tokens, 144 heads kept, beside none (${digits(b)} ms): ${(a / b).toFixed(2)}`,
    digits(a),
    '<= 1.3',
  ])
}

async function main() {
  const { only } = parse()
  const has = (/** @type {string} */ part) => !only || only === part
  const folder = writeFolder(makeWeights((await load()).generator(1)))
  const { server, origin } = await serve(folder.path)
  const { context, close } = await launch({ viewport: { width: 1440, height: 900 } })
  try {
    print(['in the page', 'ms', 'goal'])
    print(['---', '---', '---'])
    await noteAnswers(context)
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    if (has('stories')) await stories(page, origin)
    if (has('long')) await tiles(page, origin)
    if (has('gpt2')) await gpt2(page, origin)
  } finally {
    await close()
    server.close()
    folder.dispose()
  }
}

await report(main)
