// The graph of heads as a setting: its share, the selected edge, and whether that edge is tested. Links store parts by short names.

/** @import { PositionNode } from 'qkv/interpret' */
/** @import { GraphSetting } from '../models.js' */

/** Smallest and largest share, and the step between shares, in percent. */
export const SHARES = { least: 50, most: 95, step: 5 }
/** Prefix letters for the stacks of an encoder-decoder; a model with one stack has no prefix. */
const LETTERS = { encoder: 'e', decoder: 'd', cross: 'c' }
/** @type {(keyof typeof LETTERS)[]} */
const PLACES = ['encoder', 'decoder', 'cross']

/**
 * Returns the short name of a node: "w3" a word, "2.1@3" a head, "m2@3" an MLP at a position, "a" the answer; for an encoder-decoder with a
 * prefix, as in "ew3" or "c2.1@3".
 * @param {PositionNode} node
 */
export function nodeName({ kind, place, layer = 0, head = 0, position = 0 }) {
  if (kind === 'logits') return 'a'
  const letter = place ? LETTERS[place] : ''
  if (kind === 'embedding') return `${letter}w${position + 1}`
  return `${letter}${kind === 'mlp' ? `m${layer + 1}` : `${layer + 1}.${head + 1}`}@${position + 1}`
}

/** Returns the name of an edge, such as "1.1@14>3.1@23:v". @param {{ from: PositionNode, to: PositionNode, reads: import('qkv/interpret').Reads }} edge */
export const edgeName = ({ from, to, reads }) => `${nodeName(from)}>${nodeName(to)}:${reads}`

/** @param {string} text @returns {PositionNode} */
function readNode(text) {
  const [, letter, word, mlp, layer, head, at] =
    /^(?:a|([edc]?)(?:w(\d+)|(?:m(\d+)|(\d+)\.(\d+))@(\d+)))$/.exec(text) ?? []
  const place = PLACES.find(each => LETTERS[each] === letter)
  const own = { ...(place && { place }), position: Number(word ?? at) - 1 }
  if (word) return { kind: 'embedding', ...own }
  if (mlp) return { kind: 'mlp', layer: Number(mlp) - 1, ...own }
  if (head) return { kind: 'head', layer: Number(layer) - 1, head: Number(head) - 1, ...own }
  return { kind: 'logits' }
}

/** Parses the name of an edge. @param {string} name */
export function readEdge(name) {
  const [mlp, head] = [String.raw`[ed]?m\d{1,4}@\d{1,5}`, String.raw`[edc]?\d{1,4}\.\d{1,4}@\d{1,5}`]
  const edge = String.raw`^([ed]?w\d{1,5}|${mlp}|${head})>(?:(${head}):([qkv])|(${mlp}|a):input)$`
  const [, from, toHead, letter, to = toHead] = new RegExp(edge).exec(name) ?? []
  if (!from) return undefined
  const reads = /** @type {import('qkv/interpret').Reads} */ (letter ?? 'input')
  return { from: readNode(from), to: readNode(to), reads }
}

/** Formats the setting as "80" or "80 1.1@14>3.1@23:v", with "!" at the end if the edge is tested. @param {GraphSetting} graph */
export const writeGraph = ({ share, edge, isTested }) =>
  edge ? `${share} ${edge}${isTested ? '!' : ''}` : String(share)

/** Parses the setting; invalid parts are dropped. @param {string} text @returns {GraphSetting} */
export function readGraph(text) {
  const [, share = '0', edge = '', tested] = /^(\d{1,3})(?: ([^ !]+)(!?))?$/.exec(text) ?? []
  const { least, most } = SHARES
  const isEdge = readEdge(edge) !== undefined
  return {
    share: Math.min(most, Math.max(least, Number(share))),
    edge: isEdge ? edge : '',
    isTested: isEdge && tested === '!',
  }
}
