// A pool of worker threads. The calling thread takes part in the work.

import { whenCollected } from '../base/collected.js'
import { messageOf, QkvError } from '../base/errors.js'
import { STATUS } from '../runtime/structs.js'
import { AWAKE, argumentsOf, CLOSED, runJobs, runUnits, startOf, WORDS, wait } from './jobs.js'
import * as AT from './words.js'

const STACK = 16384 // bytes; kernels use less than a quarter (tests/threads.test.js)
const SLICE = 50 // milliseconds per wait for workers
const LEAST_SPIN = 0.05 // milliseconds, about the time it takes to wake a thread
/** Multiple of `least.burst` from which a burst wakes threads if every wake is crowded (see #crowded); about 10 ms of work. */
const CROWDED = 100
const LATEST = 8 // number of wakes over which #crowded is averaged
const RETRY = 0.98 // factor of #crowded for each burst, so that waking is tried again after some hundred bursts
/** A call of less than this multiple of `least.burst` skips the pool, which costs 0.1 to 0.4 ms, if it neither finds nor wakes threads. */
const BRIEF = 10
const SLOW = 2e7 // operations per millisecond on a slow core, to estimate when a call ends

/** @import { Core } from '../runtime/memory.js' */
/**
 * Copies that the calling thread makes while the workers compute. A copy has n numbers; `make` copies those from floor(from) to floor(to),
 * and must not throw.
 * @typedef {[n: number, make: (from: number, to: number) => void][]} DeferredCopies
 */
/**
 * A kernel call that is split among threads.
 * @typedef {object} Job
 * @property {string} kernel its name; of a sequence of jobs, a name for errors
 * @property {number[]} args
 * @property {number} work multiply-adds
 * @property {number} units
 * @property {number} [first] index of the job's first unit within the whole call
 * @property {number} scratch bytes per thread
 * @property {number} [chunk] multiply-adds that a thread takes at once, at most its equal share of the work
 * @property {number} [shares] maximum chunks per thread; set if neighbouring units read the same memory, so that chunks are large
 * @property {DeferredCopies} [deferredCopies] copies to make, in `parts` equal parts, the last part first. The units of a part can start
 *   when it is copied
 * @property {number} [parts]
 * @property {number} [list] address of a sequence of `units` jobs, written by runAll
 */
/** @typedef {{ modules: WebAssembly.Module[], memory: WebAssembly.Memory, control: number, stack: number, thread: number }} Start */
/** @typedef {{ terminate(): unknown, unref?(): void, on?: Function, addEventListener?: Function, postMessage(data: Start): void }} Thread */

export class Threads {
  /**
   * Measured thresholds, in multiply-adds:
   * - burst: minimum total of calls in quick succession to wake threads
   * - work: minimum of one call to be shared, also while threads are awake
   * - share: minimum of a job of a sequence to run on more than one thread
   * - chunk: what a thread takes at once
   */
  static least = { burst: 6e6, work: 5e5, share: 5e4, chunk: 2e5 }
  /** Milliseconds after which a worker counts as lost if it has not started, or has not finished its units of a call. */
  static timeout = { start: 10_000, call: 10_000 }

  /** The worker threads, without the calling one. @type {Set<Thread>} */
  #workers = new Set()
  #words
  #size
  #modules
  #controls
  #stacks
  #lost = ''
  /** Multiply-adds of the current burst. A burst is a series of calls, each soon after the one before. */
  #burst = 0
  #lastBurst = 0
  /**
   * The share of the latest wakes that were crowded: all threads joined before the caller continued, so they run on the caller's core. The
   * system moves them to other cores some milliseconds later. Happens on virtual machines whose idle cores halt.
   */
  #crowded = 0
  /** The time (performance.now()) after which a call begins a new burst. */
  #end = 0
  /** When the last shared call ended (performance.now()). */
  #idleSince = 0
  /** Milliseconds: roughly the longest recent pause between shared calls, not counting pauses above AWAKE. */
  #pause = 0

  /** @param {Core} core @param {WebAssembly.Module} module @param {number} size */
  constructor(core, module, size) {
    this.#size = size
    this.#modules = [module]
    // Restarted workers use the second control block, because old workers may still read the first.
    this.#controls = [core.alloc(WORDS * 4), core.alloc(WORDS * 4)]
    this.#stacks = core.alloc(STACK * (size - 1))
    core.base = core.top // control blocks and stacks are never freed
    this.#words = this.#takeControl(core)
  }

  /** @param {Core} core */
  #takeControl(core) {
    const words = core.view(Int32Array, Number(this.#controls.shift()), WORDS)
    words[AT.gate] = CLOSED
    return words
  }

  /**
   * Starts the worker threads of a core.
   * @param {Core} core in a shared memory
   * @param {WebAssembly.Module} module
   * @param {number} size number of threads, including the calling one
   * @throws {QkvError} with code THREAD_START
   */
  static async start(core, module, size) {
    const threads = new Threads(core, module, size)
    await threads.#startAll(core, [module])
    ended.register(core, threads)
    return threads
  }

  /**
   * Restarts the workers with the kernels of a second module, which uses the same memory.
   * @param {Core} core
   * @param {WebAssembly.Module} second
   * @throws {QkvError} with code THREAD_START
   */
  async restart(core, second) {
    this.end()
    this.#words = this.#takeControl(core)
    this.#modules.push(second)
    await this.#startAll(core, this.#modules)
  }

  /**
   * Restarts the workers in the core's new memory, which has the same data at the same addresses.
   * @param {Core} core
   * @throws {QkvError} with code THREAD_START
   */
  async move(core) {
    this.end()
    this.#words = core.view(Int32Array, this.#words.byteOffset, WORDS).fill(0)
    this.#words[AT.gate] = CLOSED
    await this.#startAll(core, this.#modules)
  }

  /** @param {Core} core @param {WebAssembly.Module[]} modules */
  async #startAll(core, modules) {
    const { memory } = core.exports
    const control = this.#words.byteOffset
    try {
      const ready = []
      for (let thread = 1; thread < this.#size; thread++)
        ready.push(this.#start(open(), { modules, memory, control, stack: this.#stacks + STACK * thread, thread }))
      await Promise.all(ready)
    } catch (cause) {
      this.end()
      const message = messageOf(cause)
      throw new QkvError('THREAD_START', `a thread did not start: ${message}. Give load threads: 1 to do without`, {
        cause,
      })
    }
  }

  /** Returns the number of threads that work, including the calling one. */
  get count() {
    return this.#workers.size + 1
  }

  /** @param {Thread} worker @param {Start} start */
  #start(worker, start) {
    this.#workers.add(worker)
    return new Promise((resolve, reject) => {
      const late = `no answer within ${Threads.timeout.start / 1000} s`
      const timer = setTimeout(() => reject(new Error(late)), Threads.timeout.start)
      const lose = (/** @type {string} */ reason) => {
        clearTimeout(timer)
        reject(new Error(reason))
        if (this.#workers.delete(worker)) this.#lost ||= reason
        worker.terminate()
      }
      listen(worker, 'message', () => {
        clearTimeout(timer)
        worker.unref?.()
        resolve(undefined)
      })
      listen(worker, 'error', event => lose(event?.message || 'its file cannot be loaded'))
      listen(worker, 'messageerror', () => lose('the shared memory did not arrive'))
      listen(worker, 'exit', code => lose(`it ended with code ${code}`))
      worker.postMessage(start)
    })
  }

  /** Ends the workers. Later calls run on one thread. */
  end() {
    const workers = [...this.#workers]
    this.#workers.clear()
    for (const worker of workers) worker.terminate()
  }

  /** Returns an empty list for deferred copies if a call is large enough for threads, else undefined. @param {number} work multiply-adds */
  deferredCopies(work) {
    return work < Threads.least.burst ? undefined : []
  }

  /** Returns the number of units of a job that a thread takes at once. @param {Pick<Job, 'work' | 'units' | 'chunk' | 'shares'>} job */
  chunkOf({ work, units, chunk = Threads.least.chunk, shares = Infinity }) {
    const each = Math.min(shares, Math.ceil(work / chunk / this.count) || 1) // chunks per thread
    return Math.ceil(units / (each * this.count)) || 1
  }

  /**
   * Runs a sequence of jobs on all threads if there is enough work. Threads are woken once, and wait for each other between two jobs. Call
   * it within a scope.
   * @param {Core} core
   * @param {readonly Job[]} jobs each with one argument
   * @returns {boolean} false if nothing was run
   */
  runAll(core, jobs) {
    const kernels = new Map(Object.keys(core.exports).map((name, index) => [name, index]))
    const list = core.alloc(jobs.length * AT.JOB * 4)
    const { buffer } = core.exports.memory
    const words = new Int32Array(buffer, list, jobs.length * AT.JOB)
    let [work, scratch] = [0, 0]
    for (const [n, job] of jobs.entries()) {
      const at = n * AT.JOB
      words[at + AT.jobKernel] = Number(kernels.get(job.kernel))
      words[at + AT.jobArgument] = job.args[0]
      const isShared = job.work >= Threads.least.share
      const ranges = isShared ? Math.min(this.count, AT.JOB - AT.jobLeft) : 1
      words[at + AT.jobChunk] = isShared ? this.chunkOf(job) : job.units || 1
      words[at + AT.jobUnits] = words[at + AT.jobOpen] = job.units
      words[at + AT.jobRanges] = ranges
      for (let n = 0; n < ranges; n++)
        words[at + AT.jobLeft + n] = startOf(job.units, ranges, n + 1) - startOf(job.units, ranges, n)
      work += job.work
      scratch = Math.max(scratch, job.scratch)
    }
    return this.run(core, { kernel: 'a sequence of kernels', args: [], work, units: jobs.length, scratch, list })
  }

  /**
   * Returns for how many milliseconds workers spin after a call. It is twice the recent pause, so during a series of calls no thread sleeps
   * and must be woken. After isolated calls it decays to about the time of a wake.
   * @param {number} pause milliseconds since the last shared call
   */
  #spinAfter(pause) {
    this.#pause = pause < AWAKE ? Math.max(pause, 0.9 * this.#pause) : this.#pause / 2
    return Math.min(AWAKE, 2 * this.#pause + LEAST_SPIN)
  }

  /**
   * Runs a job if it has enough work for the pool: on all threads if they are awake or it pays to wake them, else on this thread alone. Call it
   * within a scope.
   * @param {Core} core
   * @param {Job} job
   * @returns {boolean} false if the job was not run, only its deferred copies were made; the caller must run it without the pool
   */
  run(core, job) {
    const { kernel, work, units, deferredCopies = [], parts = 1, list = 0 } = job
    const words = this.#words
    // Makes the deferred copies, those for the last units first. Units from `notReady` on may run.
    const makeAll = () => {
      for (let part = parts - 1; part >= 0; part--) {
        for (const [n, make] of deferredCopies) make((n * part) / parts, (n * (part + 1)) / parts)
        Atomics.store(words, AT.notReady, (units * part) / parts)
      }
    }
    const start = performance.now()
    this.#addToBurst(start, work)
    const isWorth = this.#burst >= Threads.least.burst && work >= Threads.least.work && units > 1
    if (isWorth && this.#lost) {
      const reason = this.#lost
      this.#lost = ''
      throw this.#lostError(`since the last call: ${reason}`)
    }
    const opens = this.#paysToOpen(start)
    // A call without enough work is left to the caller, and so is a brief one that neither finds nor wakes threads. A long one runs here on this
    // thread, because its end is then known: the next call continues the burst only soon after it. Other calls run on all threads.
    if (!isWorth || this.count === 1 || (!opens && work < Threads.least.burst * BRIEF)) {
      makeAll()
      return false
    }
    this.#describe(core, job)
    if (opens) this.#open(start)
    makeAll()
    if (list) runJobs(/** @type {CallableFunction[]} */ (Object.values(core.exports)), words, core.exports.memory, 0)
    else runUnits(core.exports[kernel], words, 0)
    const end = opens ? this.#close(start) : performance.now()
    this.#end = end + AWAKE / 2 // replaces the estimate of #addToBurst
    const status = words[AT.status]
    if (status !== 0)
      throw new QkvError('KERNEL', `${kernel}: ${STATUS[status] ? `${STATUS[status]} out of range` : 'it trapped'}`)
    return true
  }

  /**
   * Adds the work of a call to the current burst, or begins a new burst. So a series of small calls can wake the threads, once.
   * @param {number} start when the call began
   * @param {number} work multiply-adds
   */
  #addToBurst(start, work) {
    if (start < this.#end) this.#burst += work
    else {
      this.#lastBurst = this.#burst
      this.#burst = work
      this.#crowded *= RETRY
    }
    this.#end = start + work / SLOW + AWAKE / 2
  }

  /** True if threads are awake, or if waking them pays. A burst is expected to have as much work as the last one. @param {number} start */
  #paysToOpen(start) {
    const isAwake = start - this.#idleSince < this.#words[AT.spin] / 1000
    const least = Threads.least.burst * Math.max(1, CROWDED * this.#crowded)
    return isAwake || Math.max(this.#burst, this.#lastBurst) >= least
  }

  /** Opens the gate and wakes the threads, so that they take units. @param {number} start when the call began */
  #open(start) {
    const words = this.#words
    const pause = start - this.#idleSince
    words[AT.spin] = this.#spinAfter(pause) * 1000
    Atomics.store(words, AT.gate, 0)
    Atomics.add(words, AT.generation, 1)
    Atomics.notify(words, AT.generation)
    if (pause <= 2 * AWAKE) return
    const isCrowded = Atomics.load(words, AT.gate) === this.#workers.size
    this.#crowded += (Number(isCrowded) - this.#crowded) / LATEST
  }

  /**
   * Closes the gate, so that no thread joins late, and waits for the threads that joined.
   * @param {number} start when the call began
   * @returns {number} the time
   */
  #close(start) {
    const joined = Atomics.or(this.#words, AT.gate, CLOSED)
    if (!this.#allDone(joined, performance.now() - start)) {
      this.end()
      throw this.#lostError('during a call, and its result with it')
    }
    this.#idleSince = performance.now()
    return this.#idleSince
  }

  /** Writes a job into the control block, which threads read when the gate is open. @param {Core} core @param {Job} job */
  #describe(core, job) {
    const { kernel, args, units, scratch, first = 0, deferredCopies = [], list = 0 } = job
    const words = this.#words
    const stride = Math.ceil(scratch / 64) * 64
    words[AT.kernel] = Object.keys(core.exports).indexOf(kernel)
    words[AT.arity] = args.length
    argumentsOf(words).set(args)
    words[AT.chunk] = this.chunkOf(job)
    words[AT.jobs] = list && units
    words[AT.list] = list
    words[AT.scratch] = core.alloc(stride * this.#size)
    words[AT.stride] = stride
    words[AT.first] = first
    words[AT.units] = words[AT.notReady] = units
    words[AT.ranges] = deferredCopies.length ? 1 : this.#size // one range if there are copies, which start with the last units
    for (let n = 0; n < words[AT.ranges]; n++)
      words[AT.left + n * AT.LINE] = startOf(units, words[AT.ranges], n + 1) - startOf(units, words[AT.ranges], n)
    words[AT.done] = words[AT.status] = 0
  }

  /**
   * Chooses the core whose memory an attention call uses, and sets `deferredCopies` if its copies will overlap with its work.
   * @param {Core} core
   * @param {import('../runtime/attention-call.js').AttentionCall} call
   * @param {import('../base/tensor.js').Tensor | undefined} out
   */
  prepareAttention(core, call, out) {
    const { H, D, E, pairs, q, k, v, cache, dropout } = call
    if (dropout) return core
    call.deferredCopies = this.deferredCopies(2 * H * pairs * (D + E))
    if (call.deferredCopies || cache || q.isResident || k.isResident || v.isResident || out?.isResident) return core
    return core.unshared ?? core
  }

  /**
   * Runs attention on all threads, except with dropout, whose random numbers are drawn in order.
   * @param {Core} core
   * @param {number} args
   * @param {import('../runtime/attention-call.js').AttentionCall} call
   * @returns {boolean} false if nothing was run
   */
  attend(core, args, call) {
    return !call.dropout && this.run(core, call.job(core, args))
  }

  /** @param {string} when */
  #lostError(when) {
    const left = this.count === 1 ? 'one thread' : `${this.count} threads`
    return new QkvError('THREAD_LOST', `a thread was lost ${when}. Calls go on with ${left}`)
  }

  /**
   * Waits until every worker that joined is done. Returns false after Threads.timeout.call plus four times `elapsed`, when a worker counts
   * as lost. Time is counted in waits of SLICE, because the clock also runs while the computer sleeps.
   * @param {number} joined number of workers
   * @param {number} elapsed milliseconds of the call so far
   */
  #allDone(joined, elapsed) {
    const words = this.#words
    for (let left = Threads.timeout.call + 4 * elapsed; left > 0; left -= SLICE) {
      const end = performance.now() + SLICE
      while (performance.now() < end) {
        const done = Atomics.load(words, AT.done)
        if (done === joined) return true
        wait(words, AT.done, done, SLICE)
      }
    }
    return false
  }
}

/** @returns {Thread} */
function open() {
  if (!import.meta.url)
    throw new Error('a bundle that is not an ES module has no address, beside which worker.js would be')
  const node = globalThis.process?.getBuiltinModule?.('node:worker_threads')
  if (node) {
    const url = new URL(import.meta.url.replace(/[^/]*$/, 'worker.js'))
    return new node.Worker(url, { execArgv: [] })
  }
  // Bundlers recognise exactly this expression.
  return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
}

/** @param {Thread} worker @param {string} event @param {(event: any) => void} listener */
function listen(worker, event, listener) {
  if (worker.on) worker.on(event, listener)
  else worker.addEventListener?.(event, listener)
}

/** Ends the workers of a core that was garbage-collected. @type {ReturnType<typeof whenCollected<Threads>>} */
const ended = /* @__PURE__ */ whenCollected(threads => threads.end())
