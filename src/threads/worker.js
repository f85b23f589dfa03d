// A worker thread: receives the module, the memory and a stack, reports that it is ready, and runs jobs until it is terminated.

import { serve, WORDS } from './jobs.js'

const port = /** @type {any} */ (
  globalThis.process?.getBuiltinModule?.('node:worker_threads')?.parentPort ?? globalThis
)

port.onmessage = (/** @type {MessageEvent<import('./pool.js').Start>} */ { data }) => {
  const { module, memory, control, stack, thread } = data
  const kernels = /** @type {Record<string, CallableFunction>} */ (
    new WebAssembly.Instance(module, { env: { memory } }).exports
  )
  kernels.qkv_stack(stack)
  port.postMessage('ready')
  serve(Object.values(kernels), new Int32Array(memory.buffer, control, WORDS), thread)
}
