// npm run bench: ours beside the other attentions that run in WebAssembly, on one thread.

import { parseArgs } from 'node:util'
import { load } from '../../src/index.js'
import { growth, printGrowth } from './growth.js'
import { loadPeak } from './peak.js'
import { openPeers } from './peers/choose.js'
import { machine, printLegend, printRow } from './report.js'
import { benchShape } from './run.js'
import { SHAPES } from './shapes.js'

const HELP = `npm run bench -- [options]
  --shape NAME  only shapes with NAME in their name, such as "L1024" or decode
  --quick       three samples, no peers, not the largest shape
  --growth      time and memory over L instead of the table
  --json        the same as JSON`

const FLAGS = /** @type {const} */ ({
  shape: { type: 'string', default: '' },
  quick: { type: 'boolean', default: false },
  growth: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

/** @param {{ quick: boolean, json: boolean, shape: string }} options */
async function table({ quick, json, shape }) {
  const shapes = SHAPES.filter(({ name, L }) => name.includes(shape) && !(quick && L > 4096))
  if (!shapes.length)
    throw new RangeError(
      `--shape ${shape}: part of one of these expected: ${SHAPES.map(({ name }) => name).join(', ')}`,
    )
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
  const rows = options.growth ? await growth() : await table(options)
  if (options.json) console.log(JSON.stringify({ ...machine(), rows }, null, 2))
  else if (options.growth) printGrowth(/** @type {import('./growth.js').Growth} */ (rows))
}

await main().catch(error => {
  const isMisuse = error instanceof RangeError || error.code?.startsWith('ERR_PARSE_ARGS')
  console.error(isMisuse ? `bench: ${error.message}` : error)
  process.exitCode = 1
})
