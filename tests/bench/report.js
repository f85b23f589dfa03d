// Prints the table in Markdown, each row as soon as it is measured.

import { cpus } from 'node:os'

/** @import { Row } from './measure-shape.js' */

const COLUMNS = [
  'shape',
  'ms: least, median',
  'GFLOP/s',
  'of peak',
  'onnxruntime-web ms',
  'tfjs-wasm ms',
  'jax-js ms',
  'best peer / ours',
  'largest error',
  'MiB',
]

export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} x ${cpus()[0].model.trim()}`,
  node: process.version,
})

/** @param {readonly string[]} cells */
export const print = cells => console.log(`| ${cells.join(' | ')} |`)

/** @param {number} x */
export const digits = x => (x >= 1000 ? x.toFixed(0) : x.toPrecision(3))

/** @param {string} [where] */
export function printLegend(where = `Node ${process.version}, one thread`) {
  const { date, machine: what } = machine()
  console.log(`${date}, ${what}, ${where}. Typed arrays in and out, unless resident. The peak is that of
a 4x8 tile of multiplications and additions from L1, reads that of a summing loop over the same bytes, both measured
turn by turn with the rest. MiB: what the module grew by, and how much of it is not q, k, v or output.\n`)
  print(COLUMNS)
  print(COLUMNS.map(() => '---'))
}

/** @param {import('./measure-shape.js').PeerRow | undefined} peer */
function peerCell(peer) {
  if (!peer?.times) return peer?.failure ?? '-'
  return `${digits(peer.times.median)}${peer.times.once ? ' once' : ''} ${peer.op}`
}

/** @param {Row} row */
export function printRow(row) {
  const [checked, rows] = row.checked.split(' of ')
  const reads =
    row.ofBandwidth && row.bandwidth && `${row.ofBandwidth.toFixed(2)} of ${row.bandwidth.toFixed(1)} GB/s read`
  print([
    row.shape,
    `${digits(row.times.min)}, ${digits(row.times.median)}`,
    row.gflops.toFixed(1),
    reads || `${row.ofPeak.toFixed(2)} of ${row.peak.toFixed(1)}`,
    ...['onnxruntime-web', 'tfjs-wasm', 'jax-js'].map(name => peerCell(row.peers.find(peer => peer.name === name))),
    row.ratio ? row.ratio.toFixed(1) : '-',
    row.error.toExponential(1) + (checked === rows ? '' : ` in ${checked} of ${rows} rows`),
    [row.memory, row.beyond].map(bytes => (bytes / 2 ** 20).toFixed(1)).join(', '),
  ])
}
