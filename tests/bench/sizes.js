// npm run bench -- --sizes: compares odd sizes with the next multiple of 8, interleaved, to find cliffs between them.

import { load } from '../../src/entries/index.js'
import { measure } from './measure.js'
import { prepare } from './peers/qkv.js'
import { digits, print } from './report.js'
import { flops } from './shapes.js'
import { makeTask } from './task.js'

/** @typedef {{ L: number, S?: number, D: number }} Size */

/** @type {[Size, Size][]} a size, and the size that it is compared with: the next multiple of 8, or 64 */
const PAIRS = [
  [
    { L: 127, D: 64 },
    { L: 128, D: 64 },
  ],
  [
    { L: 121, D: 64 },
    { L: 128, D: 64 },
  ],
  [
    { L: 511, D: 64 },
    { L: 512, D: 64 },
  ],
  [
    { L: 505, D: 64 },
    { L: 512, D: 64 },
  ],
  [
    { L: 512, S: 1017, D: 64 },
    { L: 512, S: 1024, D: 64 },
  ],
  [
    { L: 9, S: 512, D: 64 },
    { L: 16, S: 512, D: 64 },
  ],
  ...[1, 13, 25, 50, 63, 65, 79].map(
    D =>
      /** @type {[Size, Size]} */ ([
        { L: 512, D },
        { L: 512, D: Math.ceil(D / 8) * 8 },
      ]),
  ),
  [
    { L: 512, D: 72 },
    { L: 512, D: 64 },
  ],
  [
    { L: 512, D: 80 },
    { L: 512, D: 64 },
  ],
]

/** @param {Size} size */
const nameOf = ({ L, S, D }) => `L${L}${S ? ` S${S}` : ''} D${D}`

/** @typedef {{ odd: string, even: string, ms: [number, number], calls: number, gflops: number }} SizesRow
 * calls: calls per second of the odd size divided by those of the even one; gflops: the same ratio of GFLOP/s */

/** @param {{ quick: boolean, shape: string, json: boolean }} options @returns {Promise<SizesRow[]>} */
export async function sizes({ quick, shape, json }) {
  const generator = (await load()).generator(123)
  const rows = []
  if (!json) printLegend()
  for (const pair of PAIRS) {
    if (!pair.map(nameOf).join(' ').includes(shape)) continue
    const shapes = pair.map(size => ({ name: nameOf(size), H: 12, ...size }))
    const candidates = await Promise.all(shapes.map(each => prepare(makeTask(each, generator))))
    const [odd, even] = (await measure(candidates, { samples: quick ? 3 : 15 })).map(({ median }) => median)
    const calls = even / odd
    const gflops = (calls * flops(shapes[0])) / flops(shapes[1])
    const row = {
      odd: shapes[0].name,
      even: shapes[1].name,
      ms: /** @type {[number, number]} */ ([odd, even]),
      calls,
      gflops,
    }
    rows.push(row)
    if (!json) printRow(row)
  }
  return rows
}

function printLegend() {
  const columns = ['H12', 'ms', 'beside', 'ms', 'calls a second, odd / even', 'GFLOP/s, odd / even']
  print(columns)
  print(columns.map(() => '---'))
}

/** @param {SizesRow} row */
const printRow = ({ odd, even, ms, calls, gflops }) =>
  print([odd, digits(ms[0]), even, digits(ms[1]), calls.toFixed(2), gflops.toFixed(2)])
