// Runs the layers of short texts as sequences of kernel calls, so that threads are woken once for a sequence, not in every call.

import { ATTENTION_WORDS, ROPE_WORDS } from '../../runtime/abi.js'
import { expectCore } from '../../runtime/core-of.js'
import { allocate } from '../../runtime/outputs.js'
import { indices } from '../../runtime/structs.js'
import { runStack } from './network.js'
import { Notes } from './notes.js'
import { baseOf, freeOthers } from './turns.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Job, Threads } from '../../threads/pool.js' */
/** @import { Core } from '../../runtime/memory.js' */
/** @import { StackSpec } from '../family-shapes/parts.js' */
/** @import { Call, RunSteps } from './network.js' */
/** @import { Noted } from './notes.js' */
/** @typedef {Noted & { base: number }} Recorded words: a copy of all memory of the call; base: its address */

/** Rows of a batch up to which its layers are recorded. In larger ones a call takes much longer than waking threads for it. */
const MOST_ROWS = 64
/** Work of a sequence, as in Job: about 4 ms on two threads, so that other events do not wait longer. */
const WORK = 4e8

const AT = indices(ATTENTION_WORDS)
const ROPE = indices(ROPE_WORDS)

/** Words of structs that may point to memory of the call. @type {Record<string, number[]>} */
const POINTERS = {
  qkv_attention_part: [AT.past, AT['bias.data'], AT.alibi, AT.sinks, AT.cu_seqlens_q, AT.cu_seqlens_k],
  qkv_rope_part: [ROPE.cosine, ROPE.sine, ROPE.rows],
}

/** Records the calls of layers, with all memory of each call. */
class Sequence extends Notes {
  /** @type {Recorded[]} */
  calls = []
  work = 0
  #core
  #threads
  /** Address above all tensors of the calls. */
  #end = 0

  /** @param {Core} core with threads */
  constructor(core) {
    super()
    this.#core = core
    this.#threads = /** @type {Threads} */ (core.threads)
  }

  /** Runs `record`, whose kernel calls are recorded. @template T @param {() => T} record */
  during(record) {
    const core = this.#core
    core.threads = /** @type {any} */ (this)
    try {
      return record()
    } finally {
      core.threads = this.#threads
    }
  }

  /** @param {Core} core @param {Job} job */
  run(core, job) {
    const { base, top } = core
    this.#end = Math.max(this.#end, base)
    this.work += job.work
    this.calls.push({ ...job, base, words: core.words.slice(base / 4, top / 4) })
    return true
  }

  /** Runs what was recorded. */
  flush() {
    const { calls } = this
    const core = this.#core
    this.calls = []
    this.work = 0
    core.scope(() => {
      core.alloc(Math.max(0, this.#end - core.top)) // tensors that were freed while recording are still used by the calls
      for (const call of calls) place(core, call)
      if (this.#threads.runAll(core, calls)) return
      const scratch = core.alloc(Math.max(0, ...calls.map(call => call.scratch)))
      for (const { kernel, args, units } of calls) core.call(kernel, args[0], 0, units, scratch)
    })
  }
}

/** Copies the memory of a call to new memory. @param {Core} core @param {Recorded} call */
function place(core, call) {
  const { kernel, base, words } = call
  const end = base + words.length * 4
  const now = core.alloc(words.length * 4)
  const struct = (call.args[0] - base) / 4
  for (const n of POINTERS[kernel] ?? []) {
    const pointer = words[struct + n]
    if (pointer >= base && pointer < end) words[struct + n] = pointer - base + now
  }
  core.words.set(words, now / 4)
  call.args = [now + struct * 4]
}

/** @param {Core} core @param {FloatTensor} x */
function copyIn(core, x) {
  const copy = allocate(core, x.dims, false)
  core.floats.set(x.data, copy.address / 4)
  return copy
}

/**
 * Runs all layers, like runStack, for packed texts without hooks.
 * @param {StackSpec} stack
 * @param {FloatTensor} first (1, L, d)
 * @param {Call} call
 * @returns {RunSteps<FloatTensor>}
 */
export function* runAtOnce(stack, first, call) {
  const { qkv, read } = call
  const core = expectCore(qkv)
  if (!core.threads || read.L > MOST_ROWS) return yield* runStack(stack, first, call)
  const sequence = new Sequence(core)
  const input = core.residentOf(first) ?? copyIn(core, first)
  const steps = runStack(stack, input, { ...call, inParts: true, within: undefined })
  /** What the sequence reads: not freed before, because a tensor that took its memory would be filled with zeros at once. */
  let start = baseOf(input)
  /** @type {ReturnType<typeof freeOthers>} */
  let held = new Set()
  for (let layers = 0; ; ) {
    const { done, value } = sequence.during(() => qkv.scope(() => steps.next()))
    held = freeOthers(held, value)
    held.delete(start)
    if (Array.isArray(value)) continue
    if (!done) layers++
    if (!done && sequence.work < WORK) continue
    sequence.flush()
    for (; layers > 0; layers--) yield value
    if (done) return value
    start = baseOf(value)
    held.delete(start)
  }
}
