// Records the kernel calls for a single token after cached ones, and replays them. A first pass through the layers only records the calls,
// with their structs and outputs in persistent memory. For each token, the values that depend on its position are updated before the
// replay.

import { present } from '../../base/present.js'
import { putTensor } from '../../ops/attention/forward.js'
import { ATTENTION_WORDS, ROPE_WORDS } from '../../runtime/abi.js'
import { expectCore } from '../../runtime/core-of.js'
import { indices } from '../../runtime/structs.js'
import { finish, ModelOperations, rotations, runStack } from './network.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Rope } from '../family-shapes/parts.js' */
/** @import { ResidentTensor as Resident } from '../../runtime/resident.js' */
/** @import { AttentionCall } from '../../runtime/attention-call.js' */
/** @import { Core } from '../../runtime/memory.js' */
/** @import { Job } from '../../threads/pool.js' */
/** @typedef {Job & { words: Uint32Array, layer?: number }} Noted a recorded call with its struct */

const AT = indices(ATTENTION_WORDS)
const ROPE = indices(ROPE_WORDS)
const FROM = 10 // index in struct qkv_cache_rows of the row to write
const BEFORE = 4 // words before the structs: the number of keys before the token, then zeros

/** Replaces the threads of a core, to record the jobs that they would run. */
class Notes {
  /** @type {Noted[]} */
  jobs = []

  /** @param {Core} core @param {Job} job */
  run(core, job) {
    // Above the struct's address there are only the struct and the data it points to.
    this.jobs.push({ ...job, words: core.words.slice(job.args[0] / 4, core.top / 4) })
    return true
  }

  /** @param {Core} core @param {number} args @param {AttentionCall} call */
  attend(core, args, call) {
    return this.run(core, call.job(core, args))
  }

  deferredCopies() {
    return undefined
  }

  /** @param {Core} core */
  prepareAttention(core) {
    return core
  }
}

/** Operations that put cosines and sines into persistent memory, where each replay finds the current ones. */
class NotedOperations extends ModelOperations {
  /** @type {{ rope: Rope, cos: Resident, sin: Resident }[]} */
  ropes = []

  /** @param {Rope} rope @param {Uint32Array} positions @param {number} B */
  turns(rope, positions, B) {
    const { cos, sin, ...more } = rotations(rope, positions, B)
    const own = { rope, cos: this.qkv.alloc(cos.dims), sin: this.qkv.alloc(sin.dims) }
    this.ropes.push(own)
    return { ...more, cos: own.cos, sin: own.sin }
  }
}

export class TokenCalls {
  #core
  #stack
  #caches
  /** Tensors that the calls use. @type {Set<Resident>} */
  #tensors = new Set()
  /** @type {Noted[]} */
  #jobs = []
  /** @type {NotedOperations['ropes']} */
  #ropes = []
  /** @type {Resident | undefined} */
  #input
  /** @type {FloatTensor | undefined} */
  #output
  #before = 0

  /** Prepares the calls, which the first `run` records. @param {import('./network.js').Call} call without hooks or `keep` @param {import('../family-shapes/parts.js').StackSpec} stack */
  constructor({ qkv, caches = [] }, stack) {
    this.#core = expectCore(qkv)
    this.#stack = stack
    this.#caches = caches
  }

  /**
   * Computes the output for a token by replaying the calls.
   * @param {FloatTensor} first (1, 1, d), input of the first layer
   * @param {import('./network.js').Call} call
   * @returns {FloatTensor} (1, 1, d), output of the last norm; the next run overwrites it
   */
  run(first, call) {
    const core = this.#core
    const rows = this.#caches.map(cache => {
      let row = 0
      cache.extend(1, at => {
        row = at
      })
      return row
    })
    if (!this.#output) this.#note(first, call)
    core.floats.set(first.data, /** @type {Resident} */ (this.#input).address / 4)
    for (const { rope, cos, sin } of this.#ropes) {
      const now = rotations(rope, call.positions, 1)
      core.floats.set(now.cos.data, cos.address / 4)
      core.floats.set(now.sin.data, sin.address / 4)
    }
    for (const job of this.#jobs)
      if (job.layer !== undefined) this.#place(job, this.#caches[job.layer], rows[job.layer])
    core.scope(() => {
      const { exports, threads } = core
      if (threads?.runAll(core, this.#jobs)) return
      const scratch = core.alloc(Math.max(...this.#jobs.map(job => job.scratch)))
      for (const { kernel, args, units } of this.#jobs) core.check(kernel, exports[kernel](args[0], 0, units, scratch))
    })
    return present(this.#output)
  }

  /**
   * Updates the position in the struct of a job that reads or writes a cache.
   * @param {Noted} job
   * @param {import('../../ops/attention/kv-cache.js').KVCache} cache
   * @param {number} row
   */
  #place(job, cache, row) {
    const { words, exports } = this.#core
    const [args] = job.args
    const at = args / 4
    const own = cache.words
    if (job.kernel.startsWith('qkv_cache_')) {
      words.set(own, at)
      words[at + FROM] = row
      return
    }
    const [keys, values, , , heads, rows, D, E] = own
    words[at + AT.S] = cache.length
    words[this.#before / 4] = cache.length - 1
    if (cache.rows) words.set(own, at + ATTENTION_WORDS.length)
    else {
      putTensor(words, at + AT['k.data'], keys, heads, rows, D, false)
      putTensor(words, at + AT['v.data'], values, heads, rows, E, false)
    }
    job.work = 2 * words[at + AT.H] * cache.length * (D + E)
    job.scratch = exports[job.kernel.replace('part', 'scratch')](args)
  }

  /** @param {FloatTensor} first @param {import('./network.js').Call} call */
  #note(first, call) {
    const core = this.#core
    const { threads, inScope } = core
    const notes = new Notes()
    const { qkv, weights } = call
    const ops = new NotedOperations(qkv, weights)
    const caches = /** @type {any} */ (this.#caches.map((cache, layer) => noted(notes, cache, layer)))
    core.threads = /** @type {any} */ (notes)
    core.inScope = this.#tensors
    try {
      this.#input = qkv.alloc(first.dims)
      const steps = runStack(this.#stack, this.#input, {
        ...call,
        ops,
        caches,
        inParts: true,
        within: undefined,
        lastOnly: false,
      })
      this.#output = finish(steps)
      const structs = qkv.alloc([notes.jobs.reduce((sum, { words }) => sum + words.length, BEFORE)])
      this.#before = structs.address
    } finally {
      core.threads = threads
      core.inScope = inScope
    }
    let at = this.#before + BEFORE * 4
    for (const job of notes.jobs) {
      const { kernel, words } = job
      if (kernel === 'qkv_rope_part') words[ROPE.rows] = this.#before + 4
      if (kernel === 'qkv_attention_part' || kernel === 'qkv_cached_part') words[AT.past] = this.#before
      core.words.set(words, at / 4)
      job.args = [at]
      at += words.length * 4
    }
    this.#jobs = notes.jobs
    this.#ropes = ops.ropes
  }

  dispose() {
    for (const tensor of this.#tensors) tensor.dispose()
    this.#tensors.clear()
  }
}

/**
 * Wraps a cache so that its calls are recorded.
 * @param {Notes} notes
 * @param {import('../../ops/attention/kv-cache.js').KVCache} cache
 * @param {number} layer
 */
const noted = (notes, cache, layer) => ({
  /** @param {Resident} k @param {Resident} v */
  append(k, v) {
    const words = Uint32Array.from([...cache.words, k.address, v.address, 0, 1, cache.numKvHeads])
    const kernel = cache.rows ? 'qkv_cache_write' : 'qkv_cache_copy'
    notes.jobs.push({ kernel, args: [], work: 0, units: 1, scratch: 0, words, layer })
  },
  /** @param {FloatTensor} q @param {import('../../ops/attention/kv-cache.js').CachedAttentionOptions} options */
  attention(q, options) {
    const attended = cache.attention(q, options)
    notes.jobs[notes.jobs.length - 1].layer = layer
    return attended
  },
})
