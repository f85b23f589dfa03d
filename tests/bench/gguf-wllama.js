// Compares models from GGUF files with @wllama/wllama, llama.cpp in a page: probabilities of every position of every architecture in float32, and of
// every type of block. Prints the largest differences, or why wllama does not run a file; its llama.cpp is older than some architectures.
//   node tests/bench/gguf-wllama.js   takes two minutes, after ./setup.sh peers

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from '../../src/entries/index.js'
import { BLOCK_TYPES } from '../../src/models/gguf/block-types.js'
import { launch } from '../browser/chromium.js'
import { MADE, make, VOCAB } from '../models/gguf/made.js'
import { farthest, IDS, isEncoder, probabilitiesOf } from '../models/gguf/probabilities.js'
import { randomOf } from '../models/tokenizers/random-files.js'
import { report } from './options.js'
import { print } from './report.js'
import { serve } from './serve.js'

/** Runs in the page. Returns the rows of probabilities, or an encoder's state. @param {{ file: string, isEncoder: boolean, ids: number[], vocab: number }} asked @returns {Promise<number[][] | string>} the error if wllama does not run the file */
async function theirs({ file, isEncoder, ids, vocab }) {
  const at = new URL('node_modules/@wllama/wllama/esm/', location.href).href
  const { Wllama } = await import(`${at}index.js`)
  const quiet = { debug() {}, log() {}, warn() {}, error() {} }
  const wllama = new Wllama(
    {
      'single-thread/wllama.wasm': `${at}single-thread/wllama.wasm`,
      'multi-thread/wllama.wasm': `${at}multi-thread/wllama.wasm`,
    },
    { suppressNativeLog: true, logger: quiet },
  )
  try {
    const blob = await (await fetch(`/${file}`)).blob()
    await wllama.loadModel([blob], {
      n_ctx: 64,
      n_batch: 64,
      n_threads: 1,
      cache_type_k: 'f32',
      cache_type_v: 'f32',
      flash_attn: false,
      ...(isEncoder && { embeddings: true, pooling_type: 'LLAMA_POOLING_TYPE_MEAN' }),
    })
    if (isEncoder) {
      const state = Array.from(await wllama.embeddings(ids, {}), Number)
      const size = Math.hypot(...state)
      return [state.map(one => one / size)]
    }
    const rows = []
    for (const id of ids) {
      await wllama.decode([id], {})
      const row = Array(vocab).fill(0)
      for (const { token, p } of await wllama.getLogits(vocab)) row[token] = p
      rows.push(row)
    }
    return rows
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await wllama.exit().catch(() => {})
  }
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-wllama-'))
  const { server, url } = await serve(folder)
  const { context, close } = await launch()
  try {
    const page = await context.newPage()
    await page.goto(url)
    const qkv = await load()
    const compare = async (/** @type {import('../models/gguf/made.js').Made} */ made, /** @type {string} */ type) => {
      const { gguf } = make(made, type, randomOf(1))
      const file = `${made.title.replace(/\W/g, '-')}-${type}.gguf`
      writeFileSync(join(folder, file), gguf)
      const got = await page.evaluate(theirs, { file, isEncoder: isEncoder(made.of), ids: IDS, vocab: VOCAB })
      const far =
        typeof got === 'string' ? got : farthest(await probabilitiesOf(qkv, gguf, made.of), got).toExponential(0)
      print([made.title, type, far])
    }
    print(['model', 'type', 'largest difference'])
    print(['---', '---', '---'])
    const types = Object.keys(BLOCK_TYPES).filter(type => type !== 'F32' && type !== 'Q8_K')
    for (const made of MADE.filter(({ of, title }) => of !== 't5' && !title.includes('a reranker'))) {
      await compare(made, 'F32')
      if (made.title === 'llama' || made.title === 'gpt2') for (const type of types) await compare(made, type)
    }
  } finally {
    await close()
    server.close()
    rmSync(folder, { recursive: true })
  }
}

await report(main)
