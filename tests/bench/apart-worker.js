// One of the modules that run beside the measured one.

import { parentPort, workerData } from 'node:worker_threads'
import { DONE, TURN } from './apart.js'
import { prepare } from './peers/qkv.js'

const { task, words } = /** @type {{ task: import("./task.js").Task, words: Int32Array }} */ (workerData)
const { run } = await prepare(task)
run()
parentPort?.postMessage('ready')
for (let turn = 0; ; Atomics.add(words, DONE, 1), Atomics.notify(words, DONE)) {
  Atomics.wait(words, TURN, turn)
  turn = Atomics.load(words, TURN)
  run()
}
