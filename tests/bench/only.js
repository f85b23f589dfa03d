// npm run bench -- --only NAME: measures operations one by one, each interleaved with what it is compared with.

import { compilePeak } from './compile.js'
import { measure } from './measure.js'
import { loadPeak } from './peak.js'
import { digits, print } from './report.js'
import { backward } from './sections/backward.js'
import { embed } from './sections/embed.js'
import { gpt2 } from './sections/gpt2.js'
import { lens } from './sections/lens.js'
import { masks } from './sections/masks.js'
import { memory } from './sections/memory-bound.js'
import { relaxed } from './sections/relaxed.js'
import { short } from './sections/short.js'
import { steps } from './sections/steps.js'
import { summary } from './sections/summary.js'
import { units } from './sections/units.js'

/** @import { Timed } from './measure.js' */
/**
 * @typedef {Timed & { flops?: number }} Arithmetic
 * @typedef {object} Comparison
 * @property {string} name
 * @property {Timed} ours
 * @property {string} beside name of what `ours` is compared with
 * @property {Timed} [other] undefined if the peer is not installed
 * @property {number} [flops] operations of `ours`. With flops, `other` is the peak, and the value is the share of it
 *   that `ours` reaches. Without, the value is the time of `ours` divided by that of `other`
 * @property {boolean} [isSpeedup] if true, the value is the time of `other` divided by that of `ours`
 * @property {string} goal
 * @property {(ms: number) => string} [note] makes a remark from the median time of `ours`
 * @property {number} [samples] default 15
 * @property {() => unknown} [dispose]
 */

/** The arguments of a section. wasm is the compiled peak.c. @typedef {{ wasm: Buffer<ArrayBuffer>, limits: Awaited<ReturnType<typeof loadPeak>>, peak: Arithmetic, threads: number, shape: string }} Means */

/** @type {Record<string, (means: Means) => AsyncIterable<Comparison>>} */
export const SECTIONS = { masks, backward, memory, relaxed, steps, units, gpt2, summary, embed, lens, short }

/**
 * @typedef {{ name: string, ms: number, beside: string, besideMs: number, value: number, least: number, goal: string }} OnlyRow
 * value: computed from median times; least: from least times, which other programs disturb less */

/** Returns the processor time of all threads of this process, in milliseconds. Other programs disturb it less than wall-clock time. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Formats a number; NaN becomes '-'. @param {number} x @param {(x: number) => string} [write] */
const shown = (x, write = x => x.toFixed(2)) => (Number.isNaN(x) ? '-' : write(x))

/** @param {OnlyRow} row */
export const cellsOf = ({ name, ms, beside, besideMs, value, least, goal }) => [
  name,
  digits(ms),
  beside,
  shown(besideMs, digits),
  shown(value),
  shown(least),
  goal,
]

/**
 * Measures a comparison.
 * @param {Comparison} comparison
 * @param {Arithmetic} peak
 * @param {{ quick?: boolean, cpu?: boolean }} options
 * @returns {Promise<OnlyRow>}
 */
export async function compare(comparison, peak, { quick, cpu }) {
  const { name, ours, beside, other, flops, isSpeedup, goal, note, samples = 15, dispose } = comparison
  const candidates = other ? [ours, other] : [ours]
  const [own, its] = await measure(candidates, { samples: quick ? 3 : samples, ...(cpu && { now: processorTime }) })
  dispose?.()
  const value = (/** @type {number} */ a, /** @type {number} */ b) => {
    const ratio = isSpeedup ? b / a : a / b
    return flops ? flops / a / (Number(peak.flops) / b) : ratio
  }
  return {
    name: [name, note?.(own.median)].filter(Boolean).join(', '),
    ms: own.median,
    beside,
    besideMs: its?.median ?? NaN,
    goal,
    ...(other ? { value: value(own.median, its.median), least: value(own.min, its.min) } : { value: NaN, least: NaN }),
  }
}

/** @param {import('./options.js').Options} options @returns {Promise<OnlyRow[]>} */
export async function only({ only: name, quick, json, shape, threads, cpu }) {
  const section = Object.hasOwn(SECTIONS, name) && SECTIONS[name]
  if (!section) throw new RangeError(`--only ${name}: one of ${Object.keys(SECTIONS).join(', ')} expected`)
  const wasm = compilePeak()
  const limits = await loadPeak(wasm)
  const peak = await limits.arithmetic()
  const rows = /** @type {OnlyRow[]} */ ([])
  if (!json) {
    print(['call', 'ms', 'beside', 'ms', 'value', 'of least times', 'goal'])
    print(Array(7).fill('---'))
  }
  for await (const comparison of section({ wasm, limits, peak, threads, shape })) {
    const row = await compare(comparison, peak, { quick, cpu })
    rows.push(row)
    if (!json) print(cellsOf(row))
  }
  return rows
}
