// Threads take work units (row blocks, head groups or output columns) of a job, each from a range of its own first.
// Copying overlaps compute: a unit waits until its operands are copied.

import * as AT from './words.js'

export const WORDS = AT.left + AT.MOST_THREADS * AT.LINE
export const CLOSED = 1 << 30
export const TRAPPED = -1
export const AWAKE = 1 // milliseconds of spinning before a thread sleeps

const SPINS = 64 // between two looks at the clock

/** The arguments of a job, as a view of the shared memory. @param {Int32Array} words */
export const argumentsOf = ({ buffer, byteOffset }) => new Float64Array(buffer, byteOffset + AT.args * 4, 16)

/** Where a range of the units begins. @param {Int32Array} words @param {number} range */
export const startOf = (words, range) => ((words[AT.units] * range) / words[AT.ranges]) | 0

/**
 * Runs units of the running job until none is left: first those of the thread's own range, because what the same rows need
 * of earlier jobs is in the cache of its core, then those that other threads have left. The last unit of a range is taken
 * first: under a causal mask the last rows of a head take longest, so the units taken at the end are short and all threads
 * finish at about the same time.
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

/** @param {CallableFunction} kernel @param {number[]} args @param {number} scratch @param {Int32Array} words @param {number} range */
function runRange(kernel, args, scratch, words, range) {
  const start = startOf(words, range)
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
 * Waits until words[at] is no longer `value`, at most `ms` milliseconds. It spins for AWAKE milliseconds first: waking a
 * sleeping thread takes 0.1 ms, and the scheduler may wake it on the core of the calling thread.
 * @param {Int32Array} words
 * @param {number} at
 * @param {number} value
 * @param {number} [ms]
 */
export function wait(words, at, value, ms) {
  for (const end = performance.now() + AWAKE; performance.now() < end; )
    for (let n = 0; n < SPINS; n++) if (Atomics.load(words, at) !== value) return
  try {
    Atomics.wait(words, at, value, ms)
  } catch {} // the main thread of a page must not sleep
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
 * The loop of a worker: wait for a job, join it, run units.
 * @param {readonly CallableFunction[]} kernels
 * @param {Int32Array} words
 * @param {number} thread
 * @returns {never}
 */
export function serve(kernels, words, thread) {
  for (let generation = 0; ; ) {
    wait(words, AT.generation, generation)
    generation = Atomics.load(words, AT.generation)
    if (!tryJoin(words)) continue
    runUnits(kernels[words[AT.kernel]], words, thread)
    Atomics.add(words, AT.done, 1)
    Atomics.notify(words, AT.done)
  }
}
