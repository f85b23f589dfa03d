// Measures how the time and memory of causal attention grow with L, for one head of size 64.

import { load } from '../../src/entries/index.js'
import { measure } from './measure.js'
import { prepare } from './peers/qkv.js'
import { flops, operandBytes } from './shapes.js'
import { makeTask } from './task.js'

const LENGTHS = [256, 512, 1024, 2048, 4096, 8192, 16384]

/** @typedef {{ L: number, ms: number, gflops: number, memory: number, beyond: number }} Point */
/** @typedef {{ points: Point[], timeExponent: number, memoryExponent: number }} Growth */

/** Fits y = a x^b by least squares of the logarithms. @param {number[]} xs @param {number[]} ys @returns {number} b */
function exponent(xs, ys) {
  const [u, v] = [xs, ys].map(list => list.map(Math.log))
  const mean = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0) / list.length
  const [mu, mv] = [mean(u), mean(v)]
  return mean(u.map((x, i) => (x - mu) * (v[i] - mv))) / mean(u.map(x => (x - mu) ** 2))
}

/** @param {{ json: boolean }} options @returns {Promise<Growth>} */
export async function growth({ json }) {
  const generator = (await load()).generator(123)
  const shapes = LENGTHS.map(L => ({ name: `L${L}`, H: 1, L, D: 64, causal: true }))
  const candidates = await Promise.all(shapes.map(shape => prepare(makeTask(shape, generator))))
  const times = await measure(candidates, { samples: 5 })
  const points = shapes.map((shape, i) => {
    const memory = candidates[i].memory?.() ?? 0
    const ms = times[i].median
    return {
      L: shape.L,
      ms,
      gflops: flops(shape) / ms / 1e6,
      memory,
      beyond: Math.max(0, memory - operandBytes(shape)),
    }
  })
  const of = (/** @type {'ms' | 'memory'} */ key) =>
    exponent(
      LENGTHS,
      points.map(point => point[key]),
    )
  const all = { points, timeExponent: of('ms'), memoryExponent: of('memory') }
  if (!json) printGrowth(all)
  return all
}

/** @param {Growth} growth */
function printGrowth({ points, timeExponent, memoryExponent }) {
  console.log('| L | ms | GFLOP/s | memory MiB | beyond q, k, v, output |')
  console.log('| --- | --- | --- | --- | --- |')
  const mib = (/** @type {number} */ bytes) => (bytes / 2 ** 20).toFixed(2)
  for (const { L, ms, gflops, memory, beyond } of points)
    console.log(`| ${L} | ${ms.toPrecision(3)} | ${gflops.toFixed(1)} | ${mib(memory)} | ${mib(beyond)} |`)
  console.log(`\ntime grows as L^${timeExponent.toFixed(2)}, memory as L^${memoryExponent.toFixed(2)}`)
}
