// Runs a job in independent single-threaded modules at the same time. Their speed is the machine's limit for threads.

import { Worker } from 'node:worker_threads'
import { wait } from '../../src/threads/jobs.js'
import { loadPeak } from './peak.js'
import { prepare } from './peers/qkv.js'

/** Indices of words in the shared memory: the number of the round, and how many workers have finished it. */
export const [TURN, DONE] = [0, 1]

/** The work of each module: a task, or the loop of peak.c that copies `bytes`. @typedef {import('./task.js').Task | { wasm: Uint8Array<ArrayBuffer>, bytes: number }} Job */

/** @param {Job} job @returns {Promise<{ run: () => unknown }>} */
export const start = async job => ('wasm' in job ? (await loadPeak(job.wasm)).copies(job.bytes) : prepare(job))

/**
 * Makes a candidate that runs the job in this thread and in `threads` - 1 workers at the same time, each with a separate module.
 * @param {Job} job
 * @param {number} threads
 */
export async function prepareApart(job, threads) {
  const words = new Int32Array(new SharedArrayBuffer(8))
  const others = Array.from(
    { length: threads - 1 },
    () => new Worker(new URL('./apart-worker.js', import.meta.url), { workerData: { job, words } }),
  )
  await Promise.all(others.map(worker => new Promise(resolve => worker.once('message', resolve))))
  const own = await start(job)
  const run = () => {
    Atomics.store(words, DONE, 0)
    Atomics.add(words, TURN, 1)
    Atomics.notify(words, TURN)
    own.run()
    for (let done = 0; done < others.length; done = Atomics.load(words, DONE)) wait(words, DONE, done, 1)
  }
  return { run, dispose: () => Promise.all(others.map(worker => worker.terminate())) }
}
