// A worker that says nothing.
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', () => {})
