// Runs the units of a job (row blocks, head groups or output columns) on threads. Units are divided into a range for each thread, which
// starts with its own range. Copies overlap with computing, because a unit waits only for the copies of its own operands.

import * as AT from './words.js'

export const WORDS = AT.left + AT.MOST_THREADS * AT.LINE
export const CLOSED = 1 << 30
export const TRAPPED = -1
export const AWAKE = 1 // maximum milliseconds for which a thread spins before it sleeps

const SPINS = 64 // polls between two reads of the clock
const LOOKS = 256 // polls in `finished` before it calls `wait`, which reads the clock
const PATIENCE = 1e4 // calls of `wait` before `finished` gives up; a call without progress takes at least AWAKE milliseconds

/** Returns the arguments of a job, as a view of the shared memory. @param {Int32Array} words */
export const argumentsOf = ({ buffer, byteOffset }) => new Float64Array(buffer, byteOffset + AT.args * 4, 16)

/** Returns the index of the first unit of a range. @param {number} units @param {number} ranges @param {number} range */
export const startOf = (units, ranges, range) => ((units * range) / ranges) | 0

/**
 * Runs units of the current job until none is left. A thread starts with its own range, because earlier jobs may have left its operands in
 * the cache of the thread's core. Then it steals from other ranges. The last units of a range are taken first: under a causal mask they
 * take longest, so the final units are short and all threads finish at about the same time.
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

/**
 * Runs units of one range until none is left.
 * @param {CallableFunction} kernel
 * @param {number[]} args
 * @param {number} scratch address of the thread's scratch
 * @param {Int32Array} words
 * @param {number} range
 */
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
 * Runs a sequence of jobs. A job starts when all units of the previous job are done. A thread that joins late skips finished jobs.
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

/**
 * Runs units of one range of a job of a sequence until none is left.
 * @param {CallableFunction} kernel
 * @param {number} scratch address of the thread's scratch
 * @param {Int32Array} words
 * @param {Int32Array} list the sequence
 * @param {number} at index of the job's first word in it
 * @param {number} range
 */
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
 * Waits until all threads have finished their units of a job. Returns false if a thread failed or takes too long.
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
 * Waits until words[at] is no longer `value`. Spins for `spin` milliseconds, then sleeps for at most `ms`. Spinning comes first, because
 * waking a sleeping thread takes 0.1 ms, and the scheduler may wake it on the core of the calling thread.
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
 * Runs the endless loop of a worker: waits for a job, joins it, runs units.
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
