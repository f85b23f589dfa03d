import { load } from 'qkv'
import { results } from '../results.js'

globalThis.answer = load().then(results)
globalThis.workerAnswer = new Promise((resolve, reject) => {
  const worker = new Worker('worker.js', { type: 'module' })
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message ?? 'the worker does not start'))
})
