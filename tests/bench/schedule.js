// npm run bench -- --schedule: estimates how long embedding would take on more threads than this machine has cores. One thread runs and times each
// part that the pool would hand out. Then the schedule of the pool is simulated: each thread takes its own range first, then parts of other ranges.
// The simulation ignores that cores share memory bandwidth, and that their clock rates change.

import { coreOf } from '../../src/runtime/core-of.js'
import { Threads } from '../../src/threads/pool.js'
import { median } from './measure.js'
import { lengthsOf } from './minilm/sentence-model.js'
import { digits, print } from './report.js'
import { openSentences } from './sections/embed.js'

const COUNTS = [1, 2, 4, 8]
const ROUNDS = 9
const WARM = 5
const HAND_OVER = 0.004 // milliseconds from the start of a call to the first part of a spinning worker

/**
 * Simulates how threads share a job. A thread without parts takes them from the ranges of others.
 * @param {number[][]} ranges milliseconds of the parts of each thread's range, in the order in which they are taken
 * @returns {{ wall: number, busy: number }} wall: milliseconds until all parts are done; busy: the sum of all parts
 */
export function play(ranges) {
  const queues = ranges.map(parts => [...parts])
  /** @type {number[]} */
  const clocks = ranges.map((_, thread) => (thread ? HAND_OVER : 0))
  let busy = 0
  for (;;) {
    const thread = clocks.indexOf(Math.min(...clocks))
    const from = queues.findIndex((_, n) => queues[(thread + n) % queues.length].length)
    if (from < 0) return { wall: Math.max(...clocks), busy }
    const time = /** @type {number} */ (queues[(thread + from) % queues.length].shift())
    clocks[thread] += time
    busy += time
    if (queues.every(queue => !queue.length)) return { wall: Math.max(...clocks), busy }
  }
}

/** Simulates the threads of a core: runs their parts one after the other, and adds up the simulated times. */
class PlayedThreads extends Threads {
  wall = 0
  busy = 0
  /** Milliseconds in kernels that only this thread runs. */
  took = 0

  /** @param {import('../../src/runtime/memory.js').Core} core @param {number} size */
  constructor(core, size) {
    super(core, core.module, size)
    this.size = size
  }

  get count() {
    return this.size ?? 1
  }

  deferredCopies() {
    return undefined
  }

  /** @param {import('../../src/runtime/memory.js').Core} core @param {import('../../src/threads/pool.js').Job} job */
  run(core, job) {
    const { kernel, args, work, units, scratch } = job
    if (work < Threads.least.work || units < 2) return false
    const space = core.alloc(scratch)
    const chunk = this.chunkOf(job)
    const start = performance.now()
    const ranges = Array.from({ length: this.count }, (_, range) => {
      const first = Math.floor((units * range) / this.count)
      const times = []
      for (let left = Math.floor((units * (range + 1)) / this.count) - first; left > 0; left -= chunk) {
        const count = Math.min(left, chunk)
        const begin = performance.now()
        core.exports[kernel](...args, first + left - count, count, space)
        times.push(performance.now() - begin)
      }
      return times
    })
    this.took += performance.now() - start
    const played = play(ranges)
    this.wall += played.wall
    this.busy += played.busy
    return true
  }
}

/** @param {'float32' | 'int8'} dtype @param {number} texts @param {number} threads */
async function playSentences(dtype, texts, threads) {
  const { run, qkv, dispose } = await openSentences({ dtype, lengths: lengthsOf(texts) })
  const core = /** @type {import('../../src/runtime/memory.js').Core} */ (coreOf(qkv))
  const played = new PlayedThreads(core, threads)
  core.threads = played
  const walls = []
  const processor = []
  for (let round = -WARM; round < ROUNDS; round++) {
    played.wall = played.busy = played.took = 0
    const start = performance.now()
    await run()
    const alone = performance.now() - start - played.took
    if (round < 0) continue
    walls.push(alone + played.wall)
    processor.push(threads * (alone + played.wall)) // counts all threads, because workers spin while the calling thread works alone
  }
  core.threads = undefined
  dispose()
  return { wall: median(walls), processor: median(processor) }
}

/** Measures sentences on real threads. @param {'float32' | 'int8'} dtype @param {number} texts @param {number} threads */
async function measureSentences(dtype, texts, threads) {
  const { run, dispose } = await openSentences({ dtype, lengths: lengthsOf(texts), threads })
  const walls = []
  for (let round = -WARM; round < ROUNDS; round++) {
    const start = performance.now()
    await run()
    if (round >= 0) walls.push(performance.now() - start)
  }
  dispose()
  return median(walls)
}

/** @param {import('./options.js').Options} options */
export async function schedule({ json }) {
  const rows = []
  if (!json) {
    const columns = [
      'sentences',
      ...COUNTS.map(n => `${n} threads, ms, times one, processor time at most`),
      '2 threads, measured, ms',
    ]
    print(columns)
    print(columns.map(() => '---'))
  }
  for (const dtype of /** @type {const} */ (['float32', 'int8']))
    for (const texts of [1, 8, 32]) {
      const played = []
      for (const threads of COUNTS) played.push({ threads, ...(await playSentences(dtype, texts, threads)) })
      const measured = await measureSentences(dtype, texts, 2)
      const [one] = played
      rows.push({ dtype, texts, played, measured })
      if (json) continue
      const cells = played.map(({ wall, processor }) =>
        [digits(wall), (one.wall / wall).toFixed(2), (processor / one.wall).toFixed(2)].join(', '),
      )
      print([`${texts}, ${dtype}`, ...cells, digits(measured)])
    }
  return rows
}
