// Lays out the graph of heads: words at the bottom in reading order, layers going up, the answer on top. Pure.

import { present } from '../../../shell/known.js'
import { edgeName, nodeName } from './setting.js'

/** @import { HeadGraph } from 'qkv/interpret' */
/** @typedef {HeadGraph['nodes'][number]} GraphNode */
/** @typedef {HeadGraph['edges'][number]} GraphEdge */
/**
 * @typedef {{ node: GraphNode, name: string, word: string, x: number, y: number, width: number, row: number }} DrawnNode x, y: its centre
 * @typedef {{ edge: GraphEdge, name: string, from: DrawnNode, to: DrawnNode, path: string, weight: number }} DrawnEdge weight: its line
 *   width
 * @typedef {object} Drawing
 * @property {number} width
 * @property {number} height
 * @property {DrawnNode[]} nodes
 * @property {DrawnEdge[]} edges the smallest first, so that the largest are drawn on top
 * @property {{ y: number, node: GraphNode }[]} rows y of each row, and one of its nodes
 * @property {{ word: string, isNode: boolean, x: number, width: number }[]} columns x: centre; isNode: True if the word itself is in the
 *   graph
 * @property {number[]} gaps x of the gaps where positions are left out
 */

/** In pixels: width and height of a node, distance between rows, left margin. */
export const [NODE, HIGH, ROW, SIDE] = [40, 24, 62, 68]
const [LEAST_LINE, MOST_LINE] = [0.8, 7]
/** In pixels: space between columns, right margin, width of a gap for omitted positions, space between nodes of one cell. */
const [BETWEEN, MARGIN, GAP, ASIDE] = [18, 56, 16, 8]
/** In pixels: width of a letter, width of a wide (Chinese) letter, maximum width of a word. */
const [LETTER, WIDE, MOST_WORD] = [7, 13, 96]
/** Added to the levels of the decoder, to put it above the whole encoder. */
const BEHIND = 1e6
/** Horizontal offsets in pixels at which edges enter a head: query at the left, key in the middle, value at the right. */
const PORTS = { q: -12, k: 0, v: 12, input: 0 }

/** @param {string} word */
const wordWidth = word =>
  Math.min(
    MOST_WORD,
    Array.from(word).reduce((sum, letter) => sum + (letter > '\u2e80' ? WIDE : LETTER), 14),
  )

/**
 * Returns the level of a node, from bottom to top: words; in each layer heads, cross-attention heads, then MLPs; the answer. The encoder is
 * below the decoder.
 * @param {GraphNode} node
 */
function levelOf({ kind, place, layer = 0 }) {
  if (kind === 'embedding') return 0
  if (kind === 'logits') return Infinity
  return 1 + 3 * layer + (kind === 'mlp' ? 2 : place === 'cross' ? 1 : 0) + (place && place !== 'encoder' ? BEHIND : 0)
}

/**
 * @param {HeadGraph} graph
 * @param {Pick<import('../models.js').GraphEdges, 'words' | 'encoded' | 'row' | 'tokens'>} found
 * @returns {Drawing}
 */
export function drawingOf(graph, { words, encoded = [], row: answerAt, tokens: [answer] }) {
  /** Returns the position of a node among all words, the encoder's words first. @param {GraphNode} node */
  const positionOf = ({ position = answerAt, place }) => (place === 'encoder' ? 0 : encoded.length) + position
  const all = [...encoded, ...words]
  const sorted = (/** @type {(node: GraphNode) => number} */ of) =>
    [...new Set(graph.nodes.map(of))].sort((a, b) => a - b)
  const levels = sorted(levelOf)
  const positions = sorted(positionOf)
  const height = levels.length * ROW + 12
  const yOf = (/** @type {number} */ row) => height - 6 - (row + 0.5) * ROW
  /** Returns the nodes at a position and level. @param {number} position @param {number} level */
  const cellOf = (position, level) =>
    graph.nodes.filter(node => positionOf(node) === position && levelOf(node) === level)
  /** @type {Drawing['columns']} */
  const columns = []
  /** @type {number[]} */
  const gaps = []
  let right = SIDE
  for (const [n, position] of positions.entries()) {
    const isSkipped = n > 0 && position > positions[n - 1] + 1
    const isOther = n > 0 && position >= encoded.length && positions[n - 1] < encoded.length
    if (isSkipped && !isOther) gaps.push(right + GAP / 2)
    if (isSkipped || isOther) right += isOther ? 2 * GAP : GAP
    const most = Math.max(...levels.map(level => cellOf(position, level).length))
    const word = all[position] ?? ''
    const labels = [word, position === encoded.length + answerAt ? answer : '']
    const width = Math.max(most * (NODE + ASIDE), ...labels.map(wordWidth)) + BETWEEN
    columns.push({ word, isNode: cellOf(position, 0).length > 0, x: right + width / 2, width })
    right += width
  }
  /** @type {Map<GraphNode, DrawnNode>} */
  const drawn = new Map()
  for (const node of graph.nodes) {
    const position = positionOf(node)
    const row = levels.indexOf(levelOf(node))
    const cell = cellOf(position, levelOf(node))
    const { x } = columns[positions.indexOf(position)]
    const isPart = node.kind === 'head' || node.kind === 'mlp'
    const word = node.kind === 'logits' ? answer : (all[position] ?? '')
    drawn.set(node, {
      node,
      name: nodeName(node),
      word,
      x: x + (cell.indexOf(node) - (cell.length - 1) / 2) * (NODE + ASIDE),
      y: yOf(row),
      width: isPart ? NODE : wordWidth(word),
      row,
    })
  }
  const most = Math.max(...graph.edges.map(({ effect }) => Math.abs(effect)), 1e-9)
  const edges = graph.edges
    .map(edge => {
      const [from, to] = [edge.from, edge.to].map(node => present(drawn.get(node)))
      const weight = LEAST_LINE + (MOST_LINE * Math.abs(edge.effect)) / most
      return { edge, name: edgeName(edge), from, to, path: pathOf(from, to, PORTS[edge.reads]), weight }
    })
    .sort((a, b) => a.weight - b.weight)
  return {
    width: right + MARGIN,
    height,
    nodes: [...drawn.values()],
    edges,
    columns,
    gaps,
    rows: levels.map((level, row) => {
      const node = present(graph.nodes.find(node => levelOf(node) === level))
      return { node, y: yOf(row) }
    }),
  }
}

/**
 * Returns the path of a curve from the top of one node to the bottom of another. Within a column it bends around the rows between them: to
 * the right if it leads to the answer, else to the left.
 * @param {DrawnNode} a
 * @param {DrawnNode} b
 * @param {number} port
 */
function pathOf(a, b, port) {
  const [x1, y1, x2, y2] = [a.x, a.y - HIGH / 2, b.x + port, b.y + HIGH / 2]
  const rows = b.row - a.row
  const bend = Math.max(16, (y1 - y2) * 0.45)
  const isPast = Math.abs(x1 - x2) < NODE && rows > 1
  const aside = isPast ? (b.node.kind === 'logits' ? 1 : -1) * (NODE * 0.7 + 6 * rows) : 0
  const at = (/** @type {number[]} */ ...xs) => xs.map(x => x.toFixed(1)).join(' ')
  return `M${at(x1, y1)} C${at(x1 + aside, y1 - bend, x2 + aside, y2 + bend, x2, y2)}`
}
