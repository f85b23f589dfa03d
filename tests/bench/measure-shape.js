// Measures one shape: qkv, the peers and the machine's limits, interleaved.

import { reference } from './attention-float64.js'
import { measure } from './measure.js'
import { choose } from './peers/choose.js'
import { prepare } from './peers/qkv.js'
import { flops, operandBytes } from './shapes.js'
import { makeTask } from './task.js'

const LIMIT = 5000 // milliseconds; a peer whose call takes longer is timed once

/**
 * @typedef {object} PeerRow
 * @property {string} name
 * @property {string} [op]
 * @property {import('./measure.js').Times} [times]
 * @property {number} [gflops]
 * @property {number} [error]
 * @property {string} [failure]
 */

/**
 * @typedef {object} Row
 * @property {string} shape
 * @property {string} op
 * @property {import('./measure.js').Times} times of ours
 * @property {number} gflops GFLOP/s of ours at the median time
 * @property {number} peak GFLOP/s of the 4x8 tile in the same run
 * @property {number} ofPeak
 * @property {number} [bandwidth] GB/s of the summing loop over keys and values, for a single query
 * @property {number} [ofBandwidth]
 * @property {number} error largest difference from the float64 reference
 * @property {string} checked rows of the output that were compared
 * @property {number} memory bytes that the module grew by
 * @property {number} beyond `memory` without the bytes of q, k, v and the output
 * @property {PeerRow[]} peers
 * @property {number} [ratio] the fastest peer's median time divided by ours
 */

/**
 * @param {import('./shapes.js').Shape} shape
 * @param {object} means
 * @param {import('../../src/ops/random/generator.js').Generator} means.generator
 * @param {Awaited<ReturnType<typeof import('./peak.js').loadPeak>>} means.peak
 * @param {Awaited<ReturnType<typeof import('./peers/choose.js').openPeers>>} means.peers
 * @param {number} means.samples
 * @param {number} [means.threads] of ours
 * @returns {Promise<Row>}
 */
export async function benchShape(shape, { generator, peak, peers, samples, threads }) {
  const task = makeTask(shape, generator)
  const { checked, rows, errorOf } = reference(task)
  const ours = await prepare(task, threads)
  const error = errorOf(await ours.output())
  const memory = ours.memory?.() ?? 0

  const choices = []
  for (const [name, peer] of peers) choices.push({ name, ...(await choose(peer, task, errorOf, LIMIT)) })
  const working = choices.flatMap(choice => ('candidate' in choice ? [choice] : []))

  const arithmetic = await peak.arithmetic()
  const reads = shape.L === 1 && ours.keyValues ? await peak.reads(ours.keyValues) : undefined
  const candidates = [ours, arithmetic, ...(reads ? [reads] : []), ...working.map(({ candidate }) => candidate)]
  const times = await measure(candidates, { samples, limit: LIMIT })
  const timesOf = (/** @type {(typeof candidates)[number]} */ candidate) => times[candidates.indexOf(candidate)]
  for (const { candidate } of working) await candidate.dispose?.()

  const rate = (/** @type {import('./measure.js').Times} */ { median }) => flops(shape) / median / 1e6
  const peerRows = choices.map(choice => {
    if (!('candidate' in choice)) return choice
    const times = timesOf(choice.candidate)
    return { name: choice.name, op: choice.candidate.op, times, gflops: rate(times), error: choice.error }
  })
  const own = timesOf(ours)
  const limit = arithmetic.flops / timesOf(arithmetic).median / 1e6
  const bandwidth = reads && reads.bytes / timesOf(reads).median / 1e6
  const best = Math.min(...working.map(({ candidate }) => timesOf(candidate).median))
  return {
    shape: shape.name,
    op: ours.op,
    times: own,
    gflops: rate(own),
    peak: limit,
    ofPeak: rate(own) / limit,
    ...(bandwidth && { bandwidth, ofBandwidth: reads.bytes / own.median / 1e6 / bandwidth }),
    error,
    checked: `${checked} of ${rows}`,
    memory,
    beyond: Math.max(0, memory - operandBytes(shape)),
    peers: peerRows,
    ...(working.length && { ratio: best / own.median }),
  }
}
