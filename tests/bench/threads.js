// npm run bench -- --threads N: measures the same calls on one thread, on N, and in N independent modules at the same time, interleaved.

import { load } from '../../src/entries/index.js'
import { prepareApart } from './apart.js'
import { measure } from './measure.js'
import { prepare } from './peers/qkv.js'
import { digits, print } from './report.js'
import { makeTask } from './task.js'

/** @import { Times } from './measure.js' */
/** @typedef {{ least: number, median: number }} Ratio */
/**
 * @typedef {object} ThreadsRow
 * @property {string} shape
 * @property {string} op
 * @property {number} threads
 * @property {Times} alone on one thread
 * @property {Times} shared on N threads
 * @property {Times} apart of one call in each of N modules at the same time
 * @property {Ratio} ratio calls a second on N threads, over one thread
 * @property {Ratio} limit calls a second of the N modules together, over one thread
 */

/**
 * @param {import('./shapes.js').Shape} shape
 * @param {number} threads
 * @param {number} samples
 * @returns {Promise<ThreadsRow>}
 */
export async function benchThreads(shape, threads, samples) {
  const task = makeTask(shape, (await load()).generator(123))
  const ours = await prepare(task)
  const candidates = [ours, await prepare(task, threads), await prepareApart(task, threads)]
  const [alone, shared, apart] = await measure(candidates, { samples })
  for (const candidate of candidates) await candidate.dispose?.()
  const ratio = (/** @type {Times} */ times, calls = 1) => ({
    least: (calls * alone.min) / times.min,
    median: (calls * alone.median) / times.median,
  })
  return {
    shape: shape.name,
    op: ours.op,
    threads,
    alone,
    shared,
    apart,
    ratio: ratio(shared),
    limit: ratio(apart, threads),
  }
}

/** @param {number} threads */
export function printThreadsLegend(threads) {
  const columns = [
    'shape',
    '1 thread, ms: least, median',
    `${threads} threads`,
    'ratio: of least, of medians',
    `of ${threads} modules apart`,
  ]
  print(columns)
  print(columns.map(() => '---'))
}

/** @param {ThreadsRow} row */
export function printThreads({ shape, alone, shared, ratio, limit }) {
  const times = [alone, shared].map(({ min, median }) => `${digits(min)}, ${digits(median)}`)
  const ratios = [ratio, limit].map(({ least, median }) => `${least.toFixed(2)}, ${median.toFixed(2)}`)
  print([shape, ...times, ...ratios])
}
