// What a job looks like in the memory that threads share, and how a thread takes part in it.

import * as AT from './words.js'

export const WORDS = AT.args + 2 * 16
export const CLOSED = 1 << 30
export const TRAPPED = -1
const AWAKE = 1 // milliseconds

/** @typedef {Record<string, CallableFunction>} Kernels */

/** The arguments of a job, where they lie. @param {Int32Array} words */
export const argumentsOf = ({ buffer, byteOffset }) => new Float64Array(buffer, byteOffset + AT.args * 4, 16)

/**
 * Draws units of the running job and does them, until none is left: from the last one down, because under a causal mask
 * the last rows of a head take longest, and whoever draws the end of the work shall be done soon.
 * @param {Kernels} kernels
 * @param {Int32Array} words
 * @param {number} thread
 */
export function draw(kernels, words, thread) {
  const kernel = Object.values(kernels)[words[AT.kernel]]
  const args = argumentsOf(words).slice(0, words[AT.arity])
  const chunk = words[AT.chunk]
  const scratch = words[AT.scratch] + thread * words[AT.stride]
  const next = () => Atomics.sub(words, AT.left, chunk)
  const locked = () => Atomics.load(words, AT.locked)
  try {
    for (let left = next(); left > 0; left = next()) {
      const first = Math.max(0, left - chunk)
      for (let n = locked(); n > first; n = locked()) wait(words, AT.locked, n, AWAKE)
      const status = kernel(...args, first, left - first, scratch)
      if (status !== 0) Atomics.store(words, AT.status, status)
    }
  } catch {
    Atomics.store(words, AT.status, TRAPPED)
  }
}

/**
 * Waits until a word is no longer what it was, at most so long: awake for a while, because to sleep and to be woken takes
 * 0.1 ms, and the scheduler may wake a thread on the core of the one that calls.
 * @param {Int32Array} words
 * @param {number} at
 * @param {number} value
 * @param {number} [ms]
 */
export function wait(words, at, value, ms) {
  for (const end = performance.now() + AWAKE; performance.now() < end; ) if (Atomics.load(words, at) !== value) return
  try {
    Atomics.wait(words, at, value, ms)
  } catch {} // the main thread of a page must not sleep
}

/** Takes part in the running job, unless it is about to end. @param {Int32Array} words */
export function join(words) {
  for (let gate = Atomics.load(words, AT.gate); !(gate & CLOSED); ) {
    const found = Atomics.compareExchange(words, AT.gate, gate, gate + 1)
    if (found === gate) return true
    gate = found
  }
  return false
}

/**
 * The life of a worker: it sleeps, joins a job, draws, sleeps.
 * @param {Kernels} kernels
 * @param {Int32Array} words
 * @param {number} thread
 * @returns {never}
 */
export function serve(kernels, words, thread) {
  for (let generation = 0; ; ) {
    wait(words, AT.generation, generation)
    generation = Atomics.load(words, AT.generation)
    if (!join(words)) continue
    draw(kernels, words, thread)
    Atomics.add(words, AT.done, 1)
    Atomics.notify(words, AT.done)
  }
}
