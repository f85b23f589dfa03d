// What a job looks like in the memory that threads share, and how a thread takes part in it.

/** Words of the control block. */
export const AT = {
  generation: 0, // grows with each job: what idle threads wait for
  gate: 1, // how many workers have joined; CLOSED: none may any more
  done: 2, // how many of them have finished
  next: 3, // the first unit that nobody has drawn
  units: 4,
  chunk: 5, // units a draw
  kernel: 6, // index into KERNELS
  scratch: 7, // address of that of the first thread
  stride: 8, // bytes from there to that of the next one
  status: 9, // 0, what a kernel returned, or TRAPPED
  count: 10, // of arguments
  args: 11,
}
export const WORDS = 32
export const CLOSED = 1 << 30
export const TRAPPED = -1
export const KERNELS = ['qkv_attention_part', 'qkv_linear_part']

/** @typedef {Record<string, CallableFunction>} Kernels */

/**
 * Draws units of the running job and does them, until none is left.
 * @param {Kernels} kernels
 * @param {Int32Array} words
 * @param {number} thread
 */
export function draw(kernels, words, thread) {
  const kernel = kernels[KERNELS[words[AT.kernel]]]
  const args = words.slice(AT.args, AT.args + words[AT.count])
  const { [AT.units]: units, [AT.chunk]: chunk } = words
  const scratch = words[AT.scratch] + thread * words[AT.stride]
  const next = () => Atomics.add(words, AT.next, chunk)
  try {
    for (let first = next(); first < units; first = next()) {
      const status = kernel(...args, first, Math.min(chunk, units - first), scratch)
      if (status !== 0) Atomics.store(words, AT.status, status)
    }
  } catch {
    Atomics.store(words, AT.status, TRAPPED)
  }
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
    Atomics.wait(words, AT.generation, generation)
    generation = Atomics.load(words, AT.generation)
    if (!join(words)) continue
    draw(kernels, words, thread)
    Atomics.add(words, AT.done, 1)
    Atomics.notify(words, AT.done)
  }
}
