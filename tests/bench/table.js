// npm run bench -- --table: measures common work in one run: sentences on one thread and on two, short texts, one new token over a long cache, long
// sums. Times are processor times, except in the row for the speed of two threads. Each row also shows the machine's load.

import { loadavg } from 'node:os'
import { load } from '../../src/entries/index.js'
import { reference } from './attention-float64.js'
import { compilePeak } from './compile.js'
import { median } from './measure.js'
import { lengthsOf } from './minilm/sentence-model.js'
import { compare, processorTime } from './only.js'
import { loadPeak } from './peak.js'
import { choose, openPeers } from './peers/choose.js'
import { prepare } from './peers/qkv.js'
import { digits, machine, print } from './report.js'
import { embed, openSentences } from './sections/embed.js'
import { short } from './sections/short.js'
import { sumErrors } from './sections/sums.js'
import { makeTask } from './task.js'

/** @import { Comparison } from './only.js' */
/** @typedef {{ name: string, ours: string, beside: string, other: string, value: number, goal: string, load: string }} TableRow */

/** Shapes that are compared with each peer. @type {(import('./shapes.js').Shape & { goal: string })[]} */
const ATTENTION = [
  { name: 'one token, H32 S2048 D128, resident', H: 32, L: 1, S: 2048, D: 128, resident: true, goal: '>= 1.3' },
  { name: 'attention, H12 L128 D64', H: 12, L: 128, D: 64, goal: '' },
  { name: 'attention, H12 L1024 D64 causal', H: 12, L: 1024, D: 64, causal: true, goal: '' },
]
const ROUNDS = 7
const PAUSE = 20 // milliseconds, after which workers sleep

/** @returns {AsyncGenerator<Comparison>} */
async function* attention() {
  const generator = (await load()).generator(1)
  const peers = await openPeers()
  for (const { goal, ...shape } of ATTENTION) {
    const task = makeTask(shape, generator)
    const { errorOf } = reference(task)
    const ours = await prepare(task)
    for (const [name, peer] of peers) {
      const choice = await choose(peer, task, errorOf, 1000)
      const means = { name: shape.name, ours, goal, isSpeedup: true, samples: 9 }
      if ('failure' in choice) yield { ...means, beside: `${name}: ${choice.failure}` }
      else {
        const { candidate } = choice
        yield { ...means, beside: `${name}, ${candidate.op}`, other: candidate, dispose: candidate.dispose }
      }
    }
    await ours.dispose?.()
  }
}

/** Measures a batch of 32 texts of 20 tokens, as a share of the peak. @param {Comparison['other']} peak @returns {AsyncGenerator<Comparison>} */
async function* batch(peak) {
  const { run, flops, dispose } = await openSentences({ dtype: 'float32', lengths: Array(32).fill(20) })
  const means = { ours: { run }, beside: 'peak', other: peak, flops, goal: '>= 0.75', samples: 9, dispose }
  yield { name: 'a batch of 32 x 20 tokens, float32, of the peak', ...means }
}

/**
 * Compares embedding on two threads with one thread, interleaved: processor time and speed.
 * @param {'float32' | 'int8'} dtype
 * @param {number} count
 */
async function twoThreads(dtype, count) {
  const runs = []
  for (const threads of [1, 2])
    runs.push({ ...(await openSentences({ dtype, threads, lengths: lengthsOf(count) })), processor: [0], wall: [0] })
  for (let round = -3; round < ROUNDS; round++)
    for (const { run, processor, wall } of runs) {
      const [cpu, start] = [processorTime(), performance.now()]
      await run()
      const time = performance.now() - start
      await new Promise(resolve => setTimeout(resolve, PAUSE)) // so that the processor time includes the spinning of workers
      if (round < 0) continue
      wall[round] = time
      processor[round] = processorTime() - cpu
    }
  for (const { dispose } of runs) dispose()
  const [one, two] = runs.map(({ processor, wall }) => ({ processor: median(processor), wall: median(wall) }))
  const name = `embed, ${count} sentences, ${dtype}, 2 threads`
  const isMany = count >= 8
  return [
    {
      name: `${name}: processor time`,
      ours: digits(two.processor),
      beside: 'one thread',
      other: digits(one.processor),
      value: two.processor / one.processor,
      goal: isMany ? '<= 1.1' : '',
    },
    {
      name: `${name}: speed`,
      ours: digits(two.wall),
      beside: 'one thread',
      other: digits(one.wall),
      value: one.wall / two.wall,
      goal: isMany ? '>= 1.75' : '',
    },
  ]
}

/** @param {import('./options.js').Options} options @returns {Promise<TableRow[]>} */
export async function goalsTable({ quick, json }) {
  const wasm = compilePeak()
  const limits = await loadPeak(wasm)
  const peak = await limits.arithmetic()
  const { date, machine: what, node } = machine()
  const columns = ['call', 'ours, ms', 'beside', 'ms', 'value', 'goal', 'load']
  if (!json) {
    console.log(`${date}, ${what}, Node ${node}, milliseconds of the processor, medians, turn by turn.\n`)
    print(columns)
    print(columns.map(() => '---'))
  }
  const rows = /** @type {TableRow[]} */ ([])
  const add = (/** @type {Omit<TableRow, 'load'>} */ row) => {
    const load = loadavg()[0].toFixed(1)
    rows.push({ ...row, load })
    if (json) return
    const value = Number.isNaN(row.value) ? '-' : row.value.toPrecision(3)
    print([row.name, row.ours, row.beside, row.other, value, row.goal, load])
  }
  const means = { wasm, limits, peak, threads: 1, shape: '' }
  for (const section of [embed({ ...means, shape: 'alone' }), batch(peak), short(means), attention()])
    for await (const comparison of section) {
      const { name, ms, beside, besideMs, value, goal } = await compare(comparison, peak, { quick, cpu: true })
      const other = Number.isNaN(besideMs) ? '-' : digits(besideMs)
      add({ name, ours: digits(ms), beside, other, value, goal })
    }
  for (const dtype of /** @type {const} */ (['float32', 'int8']))
    for (const count of [1, 8, 32]) for (const row of await twoThreads(dtype, count)) add(row)
  for (const row of await sumErrors()) add(row)
  return rows
}
