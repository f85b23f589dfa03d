// npm run bench: compares qkv with the other attention implementations in WebAssembly, on one thread.

import { load } from '../../src/entries/index.js'
import { compilePeak } from './compile.js'
import { growth } from './growth-bench.js'
import { linearTable, printLinear } from './linear-bench.js'
import { benchShape } from './measure-shape.js'
import { only } from './only.js'
import { parse, report } from './options.js'
import { loadPeak } from './peak.js'
import { openPeers } from './peers/choose.js'
import { machine, printLegend, printRow } from './report.js'
import { schedule } from './schedule.js'
import { chooseShapes, SHAPES, SMALL } from './shapes.js'
import { sizes } from './sizes.js'
import { goalsTable } from './table.js'
import { benchThreads, printThreads, printThreadsLegend } from './threads.js'
import { wllama } from './wllama/wllama.js'

const HELP = `npm run bench -- [options]
  --shape NAME  only shapes with NAME in their name, such as "L1024" or decode
  --quick       three samples, no peers, not the largest shape
  --threads N   one thread beside N instead of peers
  --growth      time and memory over L instead of the table
  --sizes       odd sizes beside the next multiple of 8
  --shape gpt2  a model of GPT-2 small's size beside onnxruntime-web: loading, prompts, tokens, threads, dtypes; for
                some of its rows --only gpt2 --shape load, prompt, token, threads, narrow, limit, gradients, patching, heads or
                summaries (70 s)
  --shape wllama  models of two shapes in Chromium beside llama.cpp's wasm: prompts and tokens, one and two threads;
                --quick: without the peer
  --only NAME   single operations: masks, backward, memory, relaxed, steps (beside PyTorch), units (with --threads N),
                summary, embed (sentences; beside onnxruntime-web, onnxruntime-node, transformers.js),
                short (their attention and products), lens (readouts, fits, products)
  --table       what daily work meets, in one run of 3 to 10 minutes: sentences, short texts, two threads, one new token,
                long sums, beside all peers; milliseconds of the processor
  --schedule    sentences on 1, 2, 4 and 8 threads by the schedule of the pool and the times of its parts on one
  --cpu         with --only: milliseconds of the processor, for a machine that does other work
  --linear      linear layers, packed and not, of each dtype, both builds; gradients
  --json        the same as JSON`

/** @param {import('./options.js').Options} options */
async function threadsTable({ threads, ...options }) {
  const rows = []
  if (!options.json) printThreadsLegend(threads)
  for (const shape of chooseShapes(options, [...SMALL, ...SHAPES])) {
    const row = await benchThreads(shape, threads, options.quick ? 3 : 15)
    rows.push(row)
    if (!options.json) printThreads(row)
  }
  return rows
}

/** @param {import('./options.js').Options} options */
async function table(options) {
  const { quick, json } = options
  const shapes = chooseShapes(options)
  const peers = quick ? [] : await openPeers()
  const peak = await loadPeak(compilePeak())
  const generator = (await load()).generator(123)
  const rows = []
  if (!json) printLegend()
  for (const shape of shapes) {
    const row = await benchShape(shape, { generator, peak, peers, samples: quick ? 3 : 7 })
    rows.push(row)
    if (!json) printRow(row)
  }
  return rows
}

/** @param {import('./options.js').Options} options */
async function linear({ quick, json }) {
  const rows = await linearTable(await loadPeak(compilePeak()), quick ? 3 : 7)
  if (!json) printLinear(rows)
  return rows
}

/** @param {import('./options.js').Options} options */
async function main(options) {
  if (options.help) return console.log(HELP)
  if (options.shape === 'gpt2') options = { ...options, only: 'gpt2', shape: '' }
  const measured =
    options.shape === 'wllama'
      ? wllama
      : options.table
        ? goalsTable
        : options.schedule
          ? schedule
          : options.only
            ? only
            : options.linear
              ? linear
              : options.growth
                ? growth
                : options.sizes
                  ? sizes
                  : options.threads === 1
                    ? table
                    : threadsTable
  const rows = await measured(options)
  if (options.json) console.log(JSON.stringify({ ...machine(), rows }, null, 2))
}

await report(() => main(parse()))
