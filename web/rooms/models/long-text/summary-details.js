// Answers requests about a long text from the summaries of its run, since its weights were not kept. No DOM.

import { present } from '../../../shell/known.js'
import { specOf } from '../run/hooks.js'
import { SUMMARIES } from './summary-run.js'

/** @import { AttentionSummary, Model } from 'qkv/models' */
/** @import { HeadAt, Stack } from '../../../attention-head/head.js' */
/** @import { WholeRun } from '../run/model-run.js' */
/** @import { HeadLink as Link } from '../models.js' */
/** @typedef {Record<string, import('../run/hooks.js').Hook>} Hooks */
/** @typedef {readonly [number, number]} Range */

/** Minimum weight of a strong link. */
const STRONG = 0.2
const [LONGEST, MOST_LOOKS, MOST_KEYS] = [10, 24, 8]

/**
 * Returns a summary of a layer that can compute windows of weights. If the run did not keep such a summary, runs the model again up to the
 * layer.
 * @param {Model} model
 * @param {{ run: WholeRun, hooks: Hooks, again?: { key: string, summary: AttentionSummary } }} used
 * @param {{ stack: Stack, layer: number }} at
 * @param {AbortSignal} signal
 */
async function windowsAt(model, used, { stack, layer }, signal) {
  const { run, hooks, again } = used
  const own = run.summaries[stack]?.[layer]
  if (own && run.hasWindows) return own
  const key = `${stack}.${layer}`
  if (again?.key === key) return again.summary
  const name = SUMMARIES[stack]
  const until = stack === 'encoder' ? undefined : layer
  const { [name]: found } = await model.forward(run.input, {
    keep: [`${name}.${layer}`],
    summary: {},
    logits: 'none',
    hooks,
    until,
    signal,
  })
  const summary = present(found[layer])
  used.again = { key, summary }
  return summary
}

/**
 * Returns a part of a head's weights, reduced to `resolution` cells. A cell sums the weights over its keys and averages them over its
 * queries, as in the map of a summary.
 * @param {Model} model
 * @param {Parameters<typeof windowsAt>[1]} used
 * @param {HeadAt} at
 * @param {{ rows: Range, columns: Range, resolution: Range }} part
 * @param {AbortSignal} signal
 */
export async function tileOf(model, used, { stack, layer, head }, part, signal) {
  const summary = await windowsAt(model, used, { stack, layer }, signal)
  signal.throwIfAborted()
  const { data } = summary.window({ head, ...part })
  return { data, dims: [...part.resolution] }
}

/**
 * Returns the weight of one query on one key in every head, layer by layer.
 * @param {Model} model
 * @param {Parameters<typeof windowsAt>[1]} used
 * @param {{ stack: Stack, query: number, key: number }} at
 * @param {AbortSignal} signal
 */
export async function pairsOf(model, used, { stack, query, key }, signal) {
  const { layers, numHeads } = specOf(model, stack)
  const pairs = new Float32Array(layers * numHeads)
  for (let layer = 0; layer < layers; layer++) {
    const summary = await windowsAt(model, used, { stack, layer }, signal)
    const { data } = summary.window({ rows: [query, query + 1], columns: [key, key + 1] })
    pairs.set(data, layer * numHeads)
  }
  return pairs
}

/** Returns the strongest links of a list, which it sorts in descending order. @param {Link[]} list @param {number} count */
const strongest = (list, count) => list.sort((a, b) => b.weight - a.weight).slice(0, count)

/**
 * Returns the links from a word and the links to it, in the head `only` or in all heads. Of all heads, takes only the strongest link from
 * the word in each head.
 * @param {readonly (AttentionSummary | undefined)[]} layers
 * @param {number} word
 * @param {{ layer: number, head: number }} [only]
 */
export function looksOf(layers, word, only) {
  /** @type {Link[]} */
  const from = []
  /** @type {Link[]} */
  const to = []
  for (const [layer, summary] of layers.entries()) {
    if (!summary?.topKeys || !summary.topWeights || (only && only.layer !== layer)) continue
    const [, heads, L, K] = summary.topKeys.dims
    const [keys, weights] = [summary.topKeys.data, summary.topWeights.data]
    for (let head = 0; head < heads; head++) {
      if (only && only.head !== head) continue
      const link = (/** @type {number} */ query, /** @type {number} */ n) => {
        const at = (head * L + query) * K + n
        return { layer, head, query, key: keys[at], weight: weights[at] }
      }
      if (word < L)
        for (let n = 0; n < (only ? K : 1); n++) if (keys[(head * L + word) * K + n] >= 0) from.push(link(word, n))
      for (let at = head * L * K; at < (head + 1) * L * K; at++)
        if (keys[at] === word) to.push(link(Math.floor(at / K) - head * L, at % K))
    }
  }
  const count = only ? MOST_KEYS : MOST_LOOKS
  return { from: strongest(from, count), to: strongest(to, count) }
}

/**
 * Returns the map of a head, the distances over which it attends, and its longest strong links, without links to the first token, which is
 * a common sink.
 * @param {AttentionSummary | undefined} summary of its layer
 * @param {number} head
 * @param {number} layer
 */
export function profileOf(summary, head, layer) {
  if (!summary?.map || !summary.distance || !summary.topKeys || !summary.topWeights)
    throw new Error('this layer has no summary')
  const bins = summary.distance.dims[2]
  const [, , L, K] = summary.topKeys.dims
  /** @type {Link[]} */
  const links = []
  for (let at = head * L * K; at < (head + 1) * L * K; at++) {
    const weight = summary.topWeights.data[at]
    const key = summary.topKeys.data[at]
    if (weight >= STRONG && key > 0) links.push({ layer, head, query: Math.floor(at / K) - head * L, key, weight })
  }
  const far = (/** @type {Link} */ { query, key }) => Math.abs(query - key)
  links.sort((a, b) => far(b) - far(a) || b.weight - a.weight)
  const [, , R, C] = summary.map.dims
  return {
    map: { data: summary.map.data.slice(head * R * C, (head + 1) * R * C), dims: [R, C] },
    distance: summary.distance.data.slice(head * bins, (head + 1) * bins),
    longest: links.slice(0, LONGEST),
  }
}
