// Measures attention on this computer: one head of size 64, one thread.

import { MOST_STORED } from '../explain/length-cost.js'

/** @import { Qkv } from 'qkv' */
/** @import { Timing } from '../explain/length-cost.js' */

const SIZE = 64
/** Milliseconds after which no further length is measured (PATIENCE), and from which a run is not repeated (LONG). */
const [PATIENCE, LONG] = [4000, 1000]
const RUNS = 3

/** Returns the median of several runs, or the time of one long run. @param {() => void} run */
function timeOf(run) {
  /** @type {number[]} */
  const times = []
  while (times.length < RUNS && !(times[0] >= LONG)) {
    const from = performance.now()
    run()
    times.push(performance.now() - from)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
}

/**
 * Measures each length; yields the times so far.
 * @param {Qkv} qkv
 * @param {readonly number[]} lengths
 * @returns {Generator<Timing[], Timing[]>}
 */
export function* timings(qkv, lengths) {
  const end = performance.now() + PATIENCE
  /** @type {Timing[]} */
  const times = []
  for (const n of lengths) {
    if (performance.now() > end) break
    const generator = qkv.generator(1)
    const [q, k, v] = [0, 1, 2].map(() => generator.randn([n, SIZE]))
    const fused = timeOf(() => qkv.attention(q, k, v))
    const isStored = n <= MOST_STORED
    times.push({
      n,
      fused,
      stored: isStored ? timeOf(() => qkv.trace(q, k, v, { keep: ['weights', 'output'] })) : undefined,
    })
    yield [...times]
  }
  return times
}
