// For bundlers that follow new URL(..., import.meta.url): nothing to configure, in a page and in a worker.
import { load } from 'qkv'
import { results } from '../results.js'

globalThis.answer = load().then(results)
globalThis.workerAnswer = new Promise((resolve, reject) => {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message ?? 'the worker does not start'))
})
