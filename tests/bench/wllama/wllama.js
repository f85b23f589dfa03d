// npm run bench -- --shape wllama: compares qkv with llama.cpp's wasm in Chromium, on models of GPT-2 small's and SmolLM2 135M's shape.

import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { load } from '../../../src/entries/index.js'
import { launch } from '../../browser/chromium.js'
import { digits, machine, print } from '../report.js'
import { serve } from '../serve.js'
import { MODELS, writeModel } from './models.js'

/** @import { WllamaRow } from './page.js' */

const LENGTHS = [64, 512]
const PACKAGE = new URL('../node_modules/@wllama/wllama', import.meta.url)
/** The largest allowed relative difference between two runners' probabilities of the likeliest token. Another model would differ by more. */
const LARGEST_DIFFERENCE = 0.3

/** @param {Parameters<typeof import('./page.js').measureModel>[0] & { module: string }} asked */
const run = async ({ module, ...asked }) => (await import(new URL(module, location.href).href)).measureModel(asked)

/** @param {WllamaRow[]} rows */
function checkSame(rows) {
  const [[id, probability]] = rows[0].likeliest
  for (const { name, likeliest } of rows) {
    if (/4/.test(name.replace('float32', ''))) continue // 4 bits may change the likeliest token
    const [, own = 0] = likeliest.find(([other]) => other === id) ?? []
    if (!(Math.abs(own / probability - 1) < LARGEST_DIFFERENCE))
      throw new Error(`${name}: token ${id} has probability ${own} instead of ${probability}: it is another model`)
  }
}

/** @param {import('../options.js').Options} options */
export async function wllama({ quick, json }) {
  const hasPeer = !quick && existsSync(PACKAGE)
  const samples = quick ? 2 : 6
  const rows = []
  if (!json) {
    print(['model', 'threads', 'weights', ...LENGTHS.flatMap(n => [`prompt ${n}, ms`, `token after ${n}, ms`])])
    print(Array(3 + 2 * LENGTHS.length).fill('---'))
  }
  for (const model of MODELS) {
    const folder = writeModel(model, (await load()).generator(1))
    const { server, url } = await serve(dirname(folder.path))
    const { context, close } = await launch()
    try {
      for (const threads of [1, 2]) {
        const page = await context.newPage()
        await page.goto(url)
        const made = await page.evaluate(run, {
          module: './wllama/page.js',
          folder: `${new URL(url).origin}/${basename(folder.path)}/`,
          threads,
          lengths: LENGTHS,
          samples,
          dtypes: /** @type {const} */ (['float32', 'int8', 'int4']).slice(),
          hasPeer,
        })
        await page.close()
        checkSame(made)
        for (const row of made) {
          rows.push({ model: model.name, threads, ...row })
          const times = LENGTHS.flatMap(n => [row.of[n].prompt, row.of[n].token])
          if (!json) print([model.name, threads, row.name, ...times.map(digits)])
        }
      }
    } finally {
      await close()
      server.close()
      folder.dispose()
    }
  }
  return json ? rows.map(row => ({ ...machine(), ...row })) : rows
}
