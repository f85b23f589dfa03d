// npm run bench:browser: prints the table of npm run bench for headless Chromium, in a page that is cross-origin isolated.

import { launch } from '../browser/chromium.js'
import { compilePeak } from './compile.js'
import { parse, report } from './options.js'
import { machine, printLegend, printRow } from './report.js'
import { serve } from './serve.js'
import { chooseShapes } from './shapes.js'

const HELP = `npm run bench:browser -- [options]
  --shape NAME  only shapes with NAME in their name, such as "L1024" or decode
  --quick       three samples, no peers, not the largest shape
  --threads N   as many threads for ours and for the peers
  --json        the same as JSON`

/** Measures one shape in the page. @param {{ shape: import('./shapes.js').Shape, quick: boolean, threads: number, peak: number[] }} asked */
async function run({ shape, quick, threads, peak }) {
  const names = ['../../src/entries/index.js', './measure-shape.js', './peak.js', './peers/choose.js']
  const [{ load }, { benchShape }, { loadPeak }, { openPeers }] = await Promise.all(
    names.map(name => import(new URL(name, location.href).href)),
  )
  const from = new URL('node_modules/', location.href).href
  return benchShape(shape, {
    generator: (await load()).generator(123),
    peak: await loadPeak(Uint8Array.from(peak)),
    peers: quick ? [] : await openPeers({ threads, from }),
    samples: quick ? 3 : 7,
    threads,
  })
}

async function main() {
  const { help, growth, json, quick, threads, ...options } = parse()
  if (help) return console.log(HELP)
  if (growth) throw new RangeError('--growth: npm run bench has it')
  const peak = [...compilePeak()]
  const { server, url } = await serve()
  const { context, close } = await launch()
  try {
    const about = { ...machine(), chromium: context.browser()?.version(), threads }
    if (!json) printLegend(`Chromium ${about.chromium}, ${threads === 1 ? 'one thread' : `${threads} threads`}`)
    const rows = []
    for (const shape of chooseShapes({ quick, ...options })) {
      const page = await context.newPage() // a page for each shape, so that a page that runs out of memory affects only one shape
      await page.goto(url)
      const row = await page.evaluate(run, { shape, quick, threads, peak })
      await page.close()
      rows.push(row)
      if (!json) printRow(row)
    }
    if (json) console.log(JSON.stringify({ ...about, rows }, null, 2))
  } finally {
    await close()
    server.close()
  }
}

await report(main)
