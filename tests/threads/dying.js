// A worker that dies within the first job it joins.
import { parentPort } from 'node:worker_threads'
import { tryJoin, WORDS } from '../../src/threads/jobs.js'
import * as AT from '../../src/threads/words.js'

parentPort?.once('message', ({ memory, control }) => {
  parentPort?.postMessage('ready')
  const words = new Int32Array(memory.buffer, control, WORDS)
  Atomics.wait(words, AT.generation, 0)
  while (!tryJoin(words));
  process.exit(3)
})
