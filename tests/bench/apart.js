// The machine's own limit: independent single-threaded modules that run at the same time.

import { Worker } from 'node:worker_threads'
import { prepare } from './peers/qkv.js'

/** Words of their memory: the number of the turn, and how many have done it. */
export const [TURN, DONE] = [0, 1]

/**
 * The task in this thread and in `threads` - 1 others.
 * @param {import('./task.js').Task} task
 * @param {number} threads
 */
export async function prepareApart(task, threads) {
  const words = new Int32Array(new SharedArrayBuffer(8))
  const others = Array.from(
    { length: threads - 1 },
    () => new Worker(new URL('./apart-worker.js', import.meta.url), { workerData: { task, words } }),
  )
  await Promise.all(others.map(worker => new Promise(resolve => worker.once('message', resolve))))
  const own = await prepare(task)
  const run = () => {
    Atomics.store(words, DONE, 0)
    Atomics.add(words, TURN, 1)
    Atomics.notify(words, TURN)
    own.run()
    for (let done = 0; done < others.length; done = Atomics.load(words, DONE)) Atomics.wait(words, DONE, done, 1)
  }
  return { run, dispose: () => Promise.all(others.map(worker => worker.terminate())) }
}
