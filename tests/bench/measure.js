// Times several candidates in one run. They alternate, A B A B, so that all of them see the same load of a shared
// machine; results are ratios of medians.

/**
 * @typedef {{ run: () => unknown }} Timed if `run` returns a promise, it is awaited
 * @typedef {{ samples: number[], min: number, median: number, once: boolean }} Times in milliseconds per call
 */

const WARM = 150 // milliseconds, in two rounds: V8 first finds hot code and compiles it in the background, then uses the compiled code
const PAUSE = 50
const SAMPLE = 10 // milliseconds for which a sample repeats the call

/** @param {Timed} candidate @param {number} times @param {() => number} now @returns {Promise<number>} milliseconds per call */
async function time({ run }, times, now) {
  const start = now()
  for (let i = 0; i < times; i++) {
    const result = run()
    if (result instanceof Promise) await result
  }
  return (now() - start) / times
}

/** @param {number} ms @param {number} each */
const callsIn = (ms, each) => Math.min(1e5, Math.max(1, Math.ceil(ms / each)))

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

/**
 * Warms up the candidates, then times them in turn.
 * @param {readonly Timed[]} candidates
 * @param {{ samples?: number, limit?: number, now?: () => number }} [options] samples: for each candidate; limit: a candidate
 *   whose first call takes more milliseconds is not called again; now: the clock
 * @returns {Promise<Times[]>}
 */
export async function measure(candidates, { samples = 7, limit = Infinity, now = () => performance.now() } = {}) {
  const times = candidates.map(() => /** @type {number[]} */ ([]))
  const latest = /** @type {number[]} */ ([])
  for (const candidate of candidates) latest.push(await time(candidate, 1, now))
  const slow = latest.map(first => first > limit)
  for (let round = 0; round < 2; round++) {
    for (const [c, candidate] of candidates.entries())
      for (let spent = 0; spent < WARM && !slow[c]; ) {
        const calls = callsIn(SAMPLE, latest[c])
        latest[c] = await time(candidate, calls, now)
        spent += latest[c] * calls
      }
    await new Promise(resolve => setTimeout(resolve, PAUSE))
  }
  const calls = latest.map(ms => callsIn(SAMPLE, ms))
  for (let sample = 0; sample < samples; sample++)
    for (const [c, candidate] of candidates.entries()) if (!slow[c]) times[c].push(await time(candidate, calls[c], now))
  return times.map((list, c) => {
    const samples = slow[c] ? [latest[c]] : list
    return { samples, min: Math.min(...samples), median: median(samples), once: slow[c] }
  })
}
