// npm run bench -- --linear: compares linear layers, with weights of each dtype, with the machine's limits. All operands are resident.

import { load } from '../../src/entries/index.js'
import { linearBackward, packLinear } from '../../src/entries/nn.js'
import { coreOf } from '../../src/runtime/core-of.js'
import { measure } from './measure.js'

const DTYPES = /** @type {const} */ (['float32', 'float16', 'bfloat16', 'int8'])
/** [rows, in, out]. FORWARD: decode and prefill of GPT-2's MLP, and its head; BACKWARD: a layer in training. */
const FORWARD = [
  [1, 768, 3072],
  [4, 768, 3072],
  [512, 768, 3072],
  [1, 768, 50257],
]
const BACKWARD = [[2048, 512, 512]]

/**
 * @typedef {{ name: string, ms: number, ofPeak: number, ofLoop?: number, ofFloat32?: number }} Row ms: the median.
 *   Speeds as ratios of medians. ofPeak: over a register tile; ofLoop: over a loop that sums the float32 weights; ofFloat32: over packed float32
 */

/**
 * @param {Awaited<ReturnType<typeof import('./peak.js').loadPeak>>} peak
 * @param {number} samples
 * @returns {Promise<Row[]>}
 */
export async function linearTable(peak, samples) {
  const builds = [{ title: '', qkv: await load({ integers: true }) }]
  try {
    builds.push({ title: 'relaxed ', qkv: await load({ relaxed: true, integers: true }) })
  } catch (error) {
    console.error(`no rows of the relaxed build: ${/** @type {Error} */ (error).message}`)
  }
  const arithmetic = await peak.arithmetic()
  /** @type {Row[]} */
  const rows = []
  for (const [M, K, N] of FORWARD)
    for (const { title, qkv } of builds) {
      const g = qkv.generator(1)
      const [x, weight, out] = [qkv.alloc([M, K]), qkv.alloc([N, K]), qkv.alloc([M, N])]
      for (const operand of [x, weight]) {
        const { data } = g.randn(operand.dims) // may move the memory behind operand.data
        operand.data.set(data)
      }
      const layers = DTYPES.map(dtype => packLinear(qkv, weight, undefined, { dtype }))
      const { memory } = /** @type {any} */ (coreOf(qkv)).exports
      const loop = await peak.reads([{ memory, at: weight.address, length: Math.floor((K * N) / 32) * 32 }])
      const runs = [
        arithmetic,
        loop,
        { run: () => qkv.linear(x, weight, undefined, { out }) },
        ...layers.map(layer => ({ run: () => layer.forward(x, { out }) })),
      ]
      const [tile, sum, ...times] = (await measure(runs, { samples })).map(({ median }) => median)
      for (const [i, kind] of ['not packed', ...DTYPES].entries())
        rows.push({
          name: `${title}linear ${M} x ${K} by ${N} ${kind}`,
          ms: times[i],
          ofPeak: ((2 * M * K * N) / times[i]) * (tile / arithmetic.flops),
          ofLoop: sum / times[i],
          ofFloat32: times[1] / times[i],
        })
      for (const held of [x, weight, out, ...layers]) held.dispose()
    }
  for (const [M, K, N] of BACKWARD)
    for (const { title, qkv } of builds) {
      const g = qkv.generator(1)
      const [x, weight, dY, dX, dWeight, dBias] = [[M, K], [N, K], [M, N], [M, K], [N, K], [N]].map(dims =>
        qkv.alloc(dims),
      )
      for (const operand of [x, weight, dY]) {
        const { data } = g.randn(operand.dims)
        operand.data.set(data)
      }
      const out = { dX, dWeight, dBias }
      const runs = [arithmetic, { run: () => linearBackward(qkv, x, weight, dY, { out }) }]
      const [tile, ms] = (await measure(runs, { samples })).map(({ median }) => median)
      const ofPeak = ((4 * M * K * N) / ms) * (tile / arithmetic.flops)
      rows.push({ name: `${title}linearBackward ${M} x ${K} by ${N}`, ms, ofPeak })
    }
  return rows
}

/** @param {Row[]} rows */
export function printLinear(rows) {
  console.log(
    'by medians: milliseconds; of the peak of a 4x8 tile, of a loop that sums the float32 weights, of float32',
  )
  const ratio = (/** @type {number | undefined} */ value) => (value === undefined ? '' : value.toFixed(2)).padStart(7)
  for (const { name, ms, ofPeak, ofLoop, ofFloat32 } of rows)
    console.log(`${name.padEnd(56)} ${ms.toFixed(3).padStart(9)} ${[ofPeak, ofLoop, ofFloat32].map(ratio).join('')}`)
}
