// npm run bench -- --threads N: the same calls on one thread and on N, turn by turn.

import { load } from '../../src/index.js'
import { measure } from './measure.js'
import { prepare } from './peers/qkv.js'
import { digits, print } from './report.js'
import { flops } from './shapes.js'
import { makeTask } from './task.js'

/** @typedef {import('./measure.js').Times} Times */
/** @typedef {{ shape: string, op: string, threads: number, alone: Times, shared: Times, gflops: number, ratio: number }} ThreadsRow */

/**
 * @param {import('./shapes.js').Shape} shape
 * @param {number} threads
 * @param {number} samples
 * @returns {Promise<ThreadsRow>}
 */
export async function benchThreads(shape, threads, samples) {
  const task = makeTask(shape, (await load()).generator(123))
  const candidates = [await prepare(task), await prepare(task, threads)]
  const [alone, shared] = await measure(candidates, { samples })
  for (const candidate of candidates) candidate.dispose?.()
  const gflops = flops(shape) / shared.median / 1e6
  return {
    shape: shape.name,
    op: candidates[0].op,
    threads,
    alone,
    shared,
    gflops,
    ratio: alone.median / shared.median,
  }
}

/** @param {number} threads */
export function printThreadsLegend(threads) {
  const columns = ['shape', '1 thread, ms: least, median', `${threads} threads`, 'GFLOP/s', 'ratio of medians']
  print(columns)
  print(columns.map(() => '---'))
}

/** @param {ThreadsRow} row */
export function printThreads({ shape, alone, shared, gflops, ratio }) {
  const times = [alone, shared].map(({ min, median }) => `${digits(min)}, ${digits(median)}`)
  print([shape, ...times, gflops.toFixed(1), ratio.toFixed(2)])
}
