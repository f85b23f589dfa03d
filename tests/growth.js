// Runs calls with so little free memory that it grows at a chosen allocation, which detaches all views made before.

import assert from 'node:assert/strict'
import { coreOf } from '../src/runtime/core-of.js'
import { Core } from '../src/runtime/memory.js'

/** @import { Qkv } from 'qkv' */

/** Returns the core, which owns the memory. @param {Qkv} qkv */
export const memoryOf = qkv => /** @type {Core} */ (coreOf(qkv))

/**
 * Returns amounts of free memory, each of which makes the memory grow at a different allocation of the call. Among them are the first and the last
 * allocation.
 * @param {Qkv} qkv
 * @param {() => unknown} call
 * @param {number} [most] about how many allocations are tried
 * @returns {Promise<Set<number>>}
 */
export async function allocations(qkv, call, most = 8) {
  const core = memoryOf(qkv)
  const ends = new Set([0])
  const start = core.top
  core.alloc = bytes => {
    const at = Core.prototype.alloc.call(core, bytes)
    ends.add(Math.max(0, core.top - start))
    return at
  }
  try {
    await call()
  } finally {
    Reflect.deleteProperty(core, 'alloc')
  }
  const all = [...ends].sort((a, b) => a - b)
  const some = all.filter((_, i) => i % Math.ceil(all.length / most) === 0 || i > all.length - 3)
  return new Set(some.flatMap(end => [end, end - 16]).filter(free => free >= 0))
}

/**
 * Runs a call with a given amount of free memory.
 * @template T
 * @param {Qkv} qkv
 * @param {number} free bytes, a multiple of 16
 * @param {() => T | Promise<T>} call
 */
export async function withFree(qkv, free, call) {
  const core = memoryOf(qkv)
  const rest = core.bytes.length - core.top - free
  const filler = rest > 0 ? qkv.alloc([rest / 4]) : undefined
  try {
    if (filler) assert.equal(core.bytes.length - core.top, free)
    return await call()
  } finally {
    filler?.dispose()
  }
}
