// Releases memory that large calls took. A wasm memory cannot shrink, so the kernels are instantiated again with a new memory, and resident
// tensors are copied to the same addresses. Loaded at the first call of trim.

import { isShared } from '../base/buffers.js'
import { instantiate } from '../runtime/load-core.js'
import { makeSharedMemory } from './shared-memory.js'

/** @import { Core } from '../runtime/memory.js' */

const PAGE = 65536

/** @param {Core} core @returns {Promise<number>} bytes */
export const trim = core =>
  core.inTurn(async () => (await trimOne(core)) + (core.unshared ? await trimOne(core.unshared) : 0))

/** @param {Core} core */
async function trimOne(core) {
  const exports = await instantiateAgain(core)
  return exports ? moveTo(core, exports) : 0
}

/**
 * Instantiates the kernels with a new memory.
 * @param {Core} core
 * @returns {Promise<Core['exports'] | undefined>} undefined if the engine refuses another shared memory
 */
async function instantiateAgain(core) {
  const isInThreads = isShared(core.exports.memory.buffer)
  const memory = isInThreads ? makeSharedMemory(core.leastPages) : undefined
  if (isInThreads && !memory) return undefined
  const first = exportsOf(await instantiate(core.module, memory && { env: { memory } }))
  if (!core.integers) return first
  const second = exportsOf(await instantiate(core.integers, { env: { memory: first.memory } }))
  second.qkv_stack(first.qkv_heap())
  return Object.assign({}, second, first)
}

/** @param {Pick<Core, 'exports'>} instance @returns {Core['exports']} a plain object, as in Core */
const exportsOf = ({ exports }) => Object.assign({}, exports)

/** Moves the resident tensors of a core to a new memory. @param {Core} core @param {Core['exports']} exports */
async function moveTo(core, exports) {
  const { memory: old } = core.exports
  const [from, size] = [core.exports.qkv_heap() >>> 0, core.bytes.length]
  const { memory } = exports
  const end = core.base + core.used
  if (end > memory.buffer.byteLength) memory.grow(Math.ceil((end - memory.buffer.byteLength) / PAGE))
  if (memory.buffer.byteLength >= size) return 0
  new Uint8Array(memory.buffer).set(core.bytes.subarray(from, end), from)
  core.exports = exports
  core.renew()
  if (!isShared(old.buffer)) old.grow(0) // growing, even by 0 pages, detaches the old views, so that using them fails
  await core.threads?.move(core)
  return size - core.bytes.length
}
