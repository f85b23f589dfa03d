// A core whose memory is shared with threads. Loaded only when more than one thread is asked for.

import { compile, instantiate, loadCore } from '../runtime/load-core.js'
import { Core } from '../runtime/memory.js'
import { open } from '../wasm-source.js'
import { Threads } from './pool.js'
import { importSharedMemory, makeSharedMemory } from './shared-memory.js'

/** @param {Awaited<import('../wasm-source.js').WasmSource> | undefined} source @param {number} count */
export async function loadThreads(source, count) {
  if (source instanceof WebAssembly.Module)
    throw new TypeError(
      `load: wasm: a compiled WebAssembly.Module given, ${count} threads need the file itself: ` +
        'give its bytes, a URL or a Response, or threads: 1',
    )
  const opened = await open(source)
  const buffer = 'byteLength' in opened ? opened : await opened.arrayBuffer()
  const bytes = ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(buffer)
  const alone = await loadCore(bytes) // which also finds whatever is wrong with the file
  const shared = importSharedMemory(bytes)
  const memory = makeSharedMemory(shared.pages)
  if (!memory) return alone
  const module = await compile(shared.bytes)
  const core = new Core(await instantiate(module, { env: { memory } }))
  core.threads = await Threads.start(core, module, count)
  core.unshared = alone
  return core
}
