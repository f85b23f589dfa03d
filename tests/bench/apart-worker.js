// A worker of apart.js: runs the job in its own module each time the measuring thread raises TURN.

import { parentPort, workerData } from 'node:worker_threads'
import { wait } from '../../src/threads/jobs.js'
import { DONE, start, TURN } from './apart.js'

const { job, words } = /** @type {{ job: import('./apart.js').Job, words: Int32Array }} */ (workerData)
const { run } = await start(job)
run()
parentPort?.postMessage('ready')
for (let turn = 0; ; Atomics.add(words, DONE, 1), Atomics.notify(words, DONE)) {
  wait(words, TURN, turn)
  turn = Atomics.load(words, TURN)
  run()
}
