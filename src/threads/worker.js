// A worker thread: receives the module, the memory and a stack, reports that it is ready, and runs jobs until it is terminated.

import { serve, WORDS } from './jobs.js'

const port = /** @type {any} */ (
  globalThis.process?.getBuiltinModule?.('node:worker_threads')?.parentPort ?? globalThis
)

port.onmessage = (/** @type {MessageEvent<import('./pool.js').Start>} */ { data }) => {
  const { modules, memory, control, stack, thread } = data
  /** @type {Record<string, CallableFunction>} */
  let kernels = {}
  for (const module of modules) {
    const own = /** @type {typeof kernels} */ (new WebAssembly.Instance(module, { env: { memory } }).exports)
    own.qkv_stack(stack) // all modules use this stack, because only one runs at a time
    kernels = Object.assign({}, own, kernels) // preserves the order of core.exports
  }
  port.postMessage('ready')
  serve(Object.values(kernels), new Int32Array(memory.buffer, control, WORDS), memory, thread)
}
