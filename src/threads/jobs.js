// The work units of a job (row blocks, head groups or output columns) are divided into a range per thread; each thread starts with its own
// range. Copies overlap with computing, because each unit waits only for its own operands.

import * as AT from './words.js'

export const WORDS = AT.left + AT.MOST_THREADS * AT.LINE
export const CLOSED = 1 << 30
export const TRAPPED = -1
export const AWAKE = 1 // maximum milliseconds of spinning before a thread sleeps

const SPINS = 64 // polls between two reads of the clock
const LOOKS = 256 // polls of a job in `finished` before it calls `wait`, which reads the clock
const PATIENCE = 1e4 // calls of `wait` before `finished` gives up; without progress, each takes at least AWAKE milliseconds

/** Returns the arguments of a job, as a view of the shared memory. @param {Int32Array} words */
export const argumentsOf = ({ buffer, byteOffset }) => new Float64Array(buffer, byteOffset + AT.args * 4, 16)

/** Returns the index of the first unit of a range. @param {number} units @param {number} ranges @param {number} range */
export const startOf = (units, ranges, range) => ((units * range) / ranges) | 0

/**
 * Runs units of the current job until none is left. A thread starts with its own range, whose operands may still be in the cache of its
 * core from earlier jobs, then steals from other ranges. The last unit of a range is taken first: under a causal mask the last rows of a
 * head take longest, so the final units are short and all threads finish at about the same time.
 * @param {CallableFunction} kernel
 * @param {Int32Array} words
 * @param {number} thread
 */
export function runUnits(kernel, words, thread) {
  const args = [...argumentsOf(words).subarray(0, words[AT.arity])]
  const scratch = words[AT.scratch] + thread * words[AT.stride]
  try {
    for (let n = 0; n < words[AT.ranges]; n++) runRange(kernel, args, scratch, words, (thread + n) % words[AT.ranges])
  } catch {
    Atomics.store(words, AT.status, TRAPPED)
  }
}

/** Runs units of one range until none is left. @param {CallableFunction} kernel @param {number[]} args @param {number} scratch @param {Int32Array} words @param {number} range */
function runRange(kernel, args, scratch, words, range) {
  const start = startOf(words[AT.units], words[AT.ranges], range)
  const chunk = words[AT.chunk]
  for (;;) {
    const left = Atomics.sub(words, AT.left + range * AT.LINE, chunk)
    if (left <= 0) return
    const count = left < chunk ? left : chunk
    const first = start + left - count
    for (let n = Atomics.load(words, AT.notReady); n > first; n = Atomics.load(words, AT.notReady))
      wait(words, AT.notReady, n, AWAKE)
    const status = kernel(...args, words[AT.first] + first, count, scratch)
    if (status !== 0) Atomics.store(words, AT.status, status)
  }
}

/**
 * Runs a sequence of jobs; each starts after all units of the previous job. A thread that joins late skips finished jobs.
 * @param {readonly CallableFunction[]} kernels
 * @param {Int32Array} words
 * @param {WebAssembly.Memory} memory
 * @param {number} thread
 */
export function runJobs(kernels, words, { buffer }, thread) {
  const scratch = words[AT.scratch] + thread * words[AT.stride]
  const list = new Int32Array(buffer, words[AT.list], words[AT.jobs] * AT.JOB)
  try {
    for (let at = 0; at < list.length && words[AT.status] === 0; at += AT.JOB) {
      const kernel = kernels[list[at + AT.jobKernel]]
      const ranges = list[at + AT.jobRanges]
      for (let n = 0; n < ranges; n++) runJobRange(kernel, scratch, words, list, at, (thread + n) % ranges)
      if (!finished(list, at + AT.jobOpen, words)) return
    }
  } catch {
    Atomics.store(words, AT.status, TRAPPED)
  }
}

/** Runs units of one range of a job until none is left. @param {CallableFunction} kernel @param {number} scratch @param {Int32Array} words @param {Int32Array} list @param {number} at @param {number} range */
function runJobRange(kernel, scratch, words, list, at, range) {
  const start = startOf(list[at + AT.jobUnits], list[at + AT.jobRanges], range)
  const chunk = list[at + AT.jobChunk]
  for (;;) {
    const left = Atomics.sub(list, at + AT.jobLeft + range, chunk)
    if (left <= 0) return
    const count = left < chunk ? left : chunk
    const status = kernel(list[at + AT.jobArgument], start + left - count, count, scratch)
    if (status !== 0) Atomics.store(words, AT.status, status)
    if (Atomics.sub(list, at + AT.jobOpen, count) === count) Atomics.notify(list, at + AT.jobOpen)
  }
}

/**
 * Waits until all threads have finished their units of a job; returns false if a thread failed or takes too long.
 * @param {Int32Array} list
 * @param {number} at index of the job's `jobOpen` in the list
 * @param {Int32Array} words
 */
function finished(list, at, words) {
  for (let n = 0; n < LOOKS; n++) if (Atomics.load(list, at) === 0) return true
  for (let n = 0; n < PATIENCE; n++) {
    const open = Atomics.load(list, at)
    if (open === 0) return true
    if (Atomics.load(words, AT.status) !== 0) return false
    wait(list, at, open, AWAKE)
  }
  Atomics.store(words, AT.status, TRAPPED)
  return false
}

/**
 * Waits until words[at] is no longer `value`: spins for `spin` milliseconds, then sleeps for at most `ms`. It spins first, because waking a
 * sleeping thread takes 0.1 ms, and the scheduler may wake it on the core of the calling thread.
 * @param {Int32Array} words
 * @param {number} at
 * @param {number} value
 * @param {number} [ms]
 * @param {number} [spin]
 */
export function wait(words, at, value, ms, spin = AWAKE) {
  for (const end = performance.now() + spin; performance.now() < end; )
    for (let n = 0; n < SPINS; n++) if (Atomics.load(words, at) !== value) return
  try {
    Atomics.wait(words, at, value, ms)
  } catch {} // throws on the main thread of a page; callers then poll again
}

/** Joins the running job; false when no more threads may join. @param {Int32Array} words */
export function tryJoin(words) {
  for (let gate = Atomics.load(words, AT.gate); !(gate & CLOSED); ) {
    const found = Atomics.compareExchange(words, AT.gate, gate, gate + 1)
    if (found === gate) return true
    gate = found
  }
  return false
}

/**
 * Runs the loop of a worker: wait for a job, join it, run units.
 * @param {readonly CallableFunction[]} kernels
 * @param {Int32Array} words
 * @param {WebAssembly.Memory} memory
 * @param {number} thread
 * @returns {never}
 */
export function serve(kernels, words, memory, thread) {
  for (let generation = 0; ; ) {
    wait(words, AT.generation, generation, undefined, words[AT.spin] / 1000)
    generation = Atomics.load(words, AT.generation)
    if (!tryJoin(words)) continue
    if (words[AT.jobs]) runJobs(kernels, words, memory, thread)
    else runUnits(kernels[words[AT.kernel]], words, thread)
    Atomics.add(words, AT.done, 1)
    Atomics.notify(words, AT.done)
  }
}
