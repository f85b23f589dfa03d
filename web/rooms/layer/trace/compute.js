// Computes traces, comparisons and batches on one core. The tracers cache numbers from one trace to the next.

import { messageOf, Trouble } from '../../../files/trouble.js'
import { createArithmetic } from './arithmetic.js'
import { runBatch } from './batch-statistics.js'
import { createTracer } from './layer-trace.js'
import { difference } from './reference64.js'

/** @import { Result } from '../layer.js' */

/** @typedef {ReturnType<typeof createCompute>} Compute */
/** @typedef {{ key: string, result: Result }} Keyed */

/** @param {import('qkv').Qkv} qkv */
function createCompute(qkv) {
  return {
    trace: createTracer(qkv),
    baseline: createTracer(qkv),
    arithmetic: createArithmetic(qkv),
    /** Compares a small trace with float64 without yielding. @param {Keyed} keyed */
    comparison({ key, result }) {
      const parts = difference(result)
      let step = parts.next()
      while (!step.done) step = parts.next()
      return { of: key, difference: step.value }
    },
    /** @param {Keyed} keyed */
    batch({ key, result }) {
      const output = runBatch(qkv, result)?.output
      return { of: key, batch: output && { dims: output.dims } }
    },
  }
}

/** @type {WeakMap<import('qkv').Qkv, Compute>} */
const made = new WeakMap()

/** Returns the cached functions of a core. @param {import('qkv').Qkv} qkv @returns {Compute} the same object for the same core */
export function computeOf(qkv) {
  const compute = made.get(qkv) ?? createCompute(qkv)
  made.set(qkv, compute)
  return compute
}

/** Converts an error of the core to a Trouble, which distinguishes lack of memory from other failures. @param {unknown} error */
export function troubleOf(error) {
  if (error instanceof Trouble) return error
  const message = messageOf(error)
  const isMemory = /memory|allocat|length|size/i.test(message) && !/stack/.test(message)
  return new Trouble(isMemory ? 'tooLarge' : 'cannotShow', { message })
}
