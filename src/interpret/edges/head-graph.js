// Selects the smallest graph of parts at positions that explains a given share of an answer, from the edges between them. Pure.

import { readOptions, toNumber } from '../../base/arguments.js'
import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'

/** @import { PositionEdges, PositionNode, Reads } from './position-edges.js' */
/**
 * A part at a position, as a node of a graph; share: the fraction of the answer that goes through it.
 * @typedef {PositionNode & { share: number }} GraphNode
 *
 * @typedef {object} HeadGraph
 * @property {number} share fraction of the answer that the graph explains; less than requested only if too few edges are known or allowed
 * @property {GraphNode[]} nodes in the order of the run, from the words to the answer
 * @property {{ from: GraphNode, to: GraphNode, reads: Reads, effect: number, share: number }[]} edges between these nodes, the largest share first
 */

/** Names of the numbers in PositionEdges.reads: 0 is 'q'. */
export const READS = /** @type {const} */ (['q', 'k', 'v', 'input'])

/**
 * Caches the result of `rank` for each PositionEdges.
 * @type {WeakMap<PositionEdges, ReturnType<typeof rank>>}
 */
const ranked = new WeakMap()

/**
 * Selects the smallest graph that explains a share of the answer. A node's fraction of the answer is divided among the edges into it, in
 * proportion to |effect|. Edges are added by descending fraction, until the fraction that gets back to the words through them reaches
 * `share`, or there are `most` of them. Edges on no path from a word to the answer are dropped.
 * @param {PositionEdges} found
 * @param {{ share?: number, most?: number }} [options] default 0.8, and all edges
 * @returns {HeadGraph}
 */
export function headGraph(found, options = {}) {
  if (!ArrayBuffer.isView(found?.effects) || !ArrayBuffer.isView(found.incoming))
    throw new TypeError(`headGraph: expected the result of positionEdges, got ${describe(found)}`)
  const { share = 0.8, most = found.effects.length } = readOptions(options, ['share', 'most'], 'headGraph')
  const asked = toNumber(share, 'headGraph: share', { least: 0, most: 1 })
  const limit = toNumber(most, 'headGraph: most', { least: 0, most: Infinity, whole: true })
  const own = ranked.get(found) ?? rank(found)
  ranked.set(found, own)
  const { order, place } = own
  /** Returns the share that the first `count` edges explain. */
  const explained = (/** @type {number} */ count) => shareOf(found, own, e => place[e] < count)
  let [least, end] = [0, Math.min(limit, order.length)]
  // Lowers the goal if too few edges are known or allowed, or if rounding leaves the share of all edges slightly below 1.
  const goal = Math.min(asked, explained(end))
  while (least < end) {
    const middle = (least + end) >> 1
    if (explained(middle) >= goal) end = middle
    else least = middle + 1
  }
  return graphOf(found, own, least, explained(least))
}

/**
 * Ranks all edges by the fraction of the answer that goes through them, and lists the edges into each node.
 * @param {PositionEdges} found
 */
function rank({ writers, positions, from, to, effects, incoming }) {
  const isWord = Uint8Array.from(incoming, (_, n) => Number(writers[Math.floor(n / positions)]?.kind === 'embedding'))
  const E = effects.length
  const N = incoming.length
  if (N !== writers.length * positions + 1 || from.length !== E || to.length !== E)
    throw new RangeError('headGraph: the edges do not fit their nodes: give what positionEdges returned')
  // The edges into node n are list[i] for starts[n] <= i < starts[n + 1].
  const starts = new Uint32Array(N + 1)
  for (const n of to) starts[n + 1]++
  for (let n = 0; n < N; n++) starts[n + 1] += starts[n]
  const next = starts.slice()
  const list = new Uint32Array(E)
  for (let e = 0; e < E; e++) list[next[to[e]]++] = e
  const nodes = new Float64Array(N)
  const edges = new Float64Array(E)
  nodes[N - 1] = 1
  // Nodes are in the order of the run, so every edge leads from a lower node to a higher one.
  for (let n = N - 1; n >= 0; n--)
    for (let i = starts[n]; i < starts[n + 1]; i++) {
      const e = list[i]
      edges[e] = (nodes[n] * Math.abs(effects[e])) / incoming[n]
      nodes[from[e]] += edges[e]
    }
  const order = Uint32Array.from(edges.keys())
    .filter(e => edges[e] > 0)
    .sort((a, b) => edges[b] - edges[a] || a - b)
  const place = new Uint32Array(E).fill(E)
  order.forEach((e, n) => {
    place[e] = n
  })
  return { starts, list, nodes, edges, order, place, isWord }
}

/**
 * Returns the fraction of the answer that reaches words through the edges selected by `has`.
 * @param {PositionEdges} found
 * @param {ReturnType<typeof rank>} ranks
 * @param {(e: number) => boolean} has
 */
function shareOf({ from, effects, incoming }, { starts, list, isWord }, has) {
  const arrives = Float64Array.from(isWord)
  for (let n = 0; n < incoming.length; n++) {
    if (isWord[n]) continue
    let sum = 0
    for (let i = starts[n]; i < starts[n + 1]; i++) {
      const e = list[i]
      if (has(e)) sum += Math.abs(effects[e]) * arrives[from[e]]
    }
    arrives[n] = sum && sum / incoming[n]
  }
  return arrives[incoming.length - 1]
}

/**
 * Builds the graph of the `count` highest-ranked edges, without those on no path from a word to the answer.
 * @param {PositionEdges} found
 * @param {ReturnType<typeof rank>} ranks
 * @param {number} count
 * @param {number} share the share of the answer that these edges explain
 * @returns {HeadGraph}
 */
function graphOf(
  { writers, positions, from, to, reads, effects, incoming },
  { order, nodes, edges, isWord },
  count,
  share,
) {
  const N = incoming.length
  const taken = [...order.subarray(0, count)].sort((a, b) => to[a] - to[b])
  const fromWord = isWord.slice()
  for (const e of taken) if (fromWord[from[e]]) fromWord[to[e]] = 1
  const toAnswer = new Uint8Array(N)
  toAnswer[N - 1] = 1
  for (const e of taken.reverse()) if (toAnswer[to[e]]) toAnswer[from[e]] = 1
  const kept = [...order.subarray(0, count)].filter(e => fromWord[from[e]] && toAnswer[to[e]])
  const used = [...new Set([...kept.flatMap(e => [from[e], to[e]]), N - 1])].sort((a, b) => a - b)
  /** @type {GraphNode[]} */
  const list = used.map(n =>
    n === N - 1
      ? { kind: 'logits', share: 1 }
      : { ...writers[Math.floor(n / positions)], position: n % positions, share: nodes[n] },
  )
  const at = new Map(used.map((n, i) => [n, list[i]]))
  /** @param {number} n @returns {GraphNode} */
  const nodeOf = n => entryOf(at, n)
  return {
    share,
    nodes: list,
    edges: kept.map(e => ({
      from: nodeOf(from[e]),
      to: nodeOf(to[e]),
      reads: READS[reads[e]],
      effect: effects[e],
      share: edges[e],
    })),
  }
}
