// npm run bench: ours beside the other attentions that run in WebAssembly, on one thread.

import { parseArgs } from 'node:util'
import { load } from '../../src/index.js'
import { growth, printGrowth } from './growth.js'
import { loadPeak } from './peak.js'
import { openPeers } from './peers/choose.js'
import { machine, printLegend, printRow } from './report.js'
import { benchShape } from './run.js'
import { SHAPES } from './shapes.js'
import { benchThreads, printThreads, printThreadsLegend } from './threads.js'

const HELP = `npm run bench -- [options]
  --shape NAME  only shapes with NAME in their name, such as "L1024" or decode
  --quick       three samples, no peers, not the largest shape
  --threads N   one thread beside N instead of peers
  --growth      time and memory over L instead of the table
  --json        the same as JSON`

const FLAGS = /** @type {const} */ ({
  shape: { type: 'string', default: '' },
  quick: { type: 'boolean', default: false },
  threads: { type: 'string', default: '1' },
  growth: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

/** @typedef {{ quick: boolean, json: boolean, shape: string, threads: string }} Options */

/** @param {Options} options */
function chooseShapes({ quick, shape }) {
  const shapes = SHAPES.filter(({ name, L }) => name.includes(shape) && !(quick && L > 4096))
  if (!shapes.length)
    throw new RangeError(
      `--shape ${shape}: part of one of these expected: ${SHAPES.map(({ name }) => name).join(', ')}`,
    )
  return shapes
}

/** @param {Options} options */
async function threadsTable({ threads, ...options }) {
  const n = Number(threads)
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`--threads ${threads}: a whole number from 1 on expected`)
  const rows = []
  if (!options.json) printThreadsLegend(n)
  for (const shape of chooseShapes({ threads, ...options })) {
    const row = await benchThreads(shape, n, options.quick ? 3 : 15)
    rows.push(row)
    if (!options.json) printThreads(row)
  }
  return rows
}

/** @param {Options} options */
async function table(options) {
  const { quick, json } = options
  const shapes = chooseShapes(options)
  const peers = quick ? [] : await openPeers()
  const peak = await loadPeak()
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

async function main() {
  const { values: options } = parseArgs({ options: FLAGS })
  if (options.help) return console.log(HELP)
  const single = options.threads === '1'
  const rows = options.growth ? await growth() : await (single ? table : threadsTable)(options)
  if (options.json) console.log(JSON.stringify({ ...machine(), rows }, null, 2))
  else if (options.growth) printGrowth(/** @type {import('./growth.js').Growth} */ (rows))
}

await main().catch(error => {
  const isMisuse = error instanceof RangeError || error.code?.startsWith('ERR_PARSE_ARGS')
  console.error(isMisuse ? `bench: ${error.message}` : error)
  process.exitCode = 1
})
