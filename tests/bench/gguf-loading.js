// Measures how long Chromium takes to open a GGUF file of Q4_K_M from the disk, compared with reading the file as a stream and in slices of 1 MiB.
// The three are interleaved; prints medians. The model is a Llama of width 2560 whose layers all have the same random blocks (1.4 GB).
//   node tests/bench/gguf-loading.js [rounds] [layers]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from '../browser/chromium.js'
import { writeModel } from './gguf-model.js'
import { report } from './options.js'
import { print } from './report.js'
import { serve } from './serve.js'

const [ROUNDS, LAYERS] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 32)]

/** Times three ways to read the file, in the page. @param {{ rounds: number, names: string[] }} asked @returns {Promise<Record<string, number[]>>} milliseconds */
async function measure({ rounds, names }) {
  const [{ load }, { loadModel }] = await Promise.all(names.map(name => import(new URL(name, location.href).href)))
  const qkv = await load()
  const [file] = /** @type {FileList} */ (/** @type {HTMLInputElement} */ (document.querySelector('input')).files)
  const ways = {
    'read as one stream': async () => {
      const reader = file.stream().getReader()
      while (!(await reader.read()).done);
    },
    'read in slices of 1 MiB': async () => {
      for (let at = 0; at < file.size; at += 2 ** 20) await file.slice(at, at + 2 ** 20).arrayBuffer()
    },
    loadModel: async () => (await loadModel(qkv, file, { tokenizer: false })).dispose(),
  }
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(ways).map(way => [way, []]))
  for (let n = -1; n < rounds; n++)
    for (const [way, run] of Object.entries(ways)) {
      const begun = performance.now()
      await run()
      if (n >= 0) times[way].push(performance.now() - begun) // the first round fills the cache of the disk
    }
  return times
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-gguf-'))
  const { server, url } = await serve()
  const { context, close } = await launch()
  try {
    const path = join(folder, 'model.gguf')
    const size = writeModel(path, 'Q4_K_M', LAYERS)
    const page = await context.newPage()
    page.setDefaultTimeout(600_000)
    await page.goto(url)
    await page.evaluate(() => {
      document.body.innerHTML = '<input type="file">'
    })
    await page.setInputFiles('input', path)
    const times = await page.evaluate(measure, {
      rounds: ROUNDS,
      names: ['../../src/entries/index.js', '../../src/entries/models.js'],
    })
    const median = (/** @type {number[]} */ list) => list.sort((a, b) => a - b)[list.length >> 1]
    const stream = median(times['read as one stream'])
    print([`${(size / 1e9).toFixed(2)} GB`, `median ms of ${ROUNDS}`, 'beside the stream'])
    print(['---', '---', '---'])
    for (const [way, list] of Object.entries(times))
      print([way, median(list).toFixed(0), (median(list) / stream).toFixed(2)])
  } finally {
    await close()
    server.close()
    rmSync(folder, { recursive: true })
  }
}

await report(main)
