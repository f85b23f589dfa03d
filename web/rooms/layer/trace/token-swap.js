// Replaces one token and recomputes everything, to find whose output changes.

import { startOf } from '../numbers/index.js'
import { largest, minus } from './subtract.js'

/** @import { Qkv } from 'qkv' */
/** @import { Tokens } from '../tokenize.js' */
/** @import { Checked, FloatTensor, Tensors } from '../layer.js' */

/**
 * @typedef {object} TokenSwap
 * @property {number} position of the token, among the keys in cross-attention
 * @property {string} word the replacement
 * @property {number[]} moved for each query, the largest change in a dimension of its output; exactly 0 if no bit changed
 */

/**
 * Returns the tokens with one replaced.
 * @param {Tokens} tokens
 * @param {number} position
 * @param {string} word
 * @param {number} tableRows
 * @returns {Tokens} with the same vocabulary, so that all other words keep their ids
 */
function replaced({ tokens, ids, vocabulary }, position, word, tableRows) {
  const used = new Set(vocabulary.values())
  const free = () => {
    let id = Math.max(...used) + 1
    if (id >= tableRows) id = Array.from({ length: tableRows }, (_, i) => i).find(i => !used.has(i)) ?? 0
    return id
  }
  return {
    tokens: tokens.map((token, i) => (i === position ? word : token)),
    ids: ids.map((id, i) => (i === position ? (vocabulary.get(word) ?? free()) : id)),
    vocabulary,
  }
}

/**
 * Measures how the output of each query changes if token `probe` is replaced by the word `probeWord`.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {import('../numbers/embedding-table.js').Table} table
 * @param {Tensors} own the current trace
 * @param {(embeddings: Tensors, edits: Checked['edits']) => Tensors} attend recomputes the trace with other embeddings
 * @returns {TokenSwap | undefined} undefined if no token is to be replaced
 */
export function swapToken(qkv, settings, table, own, attend) {
  const { probe, probeWord: word, isCross, edits } = settings
  const side = isCross ? 'keys' : 'queries'
  const matrix = isCross ? 'X2' : 'X'
  if (settings.model === 'trained') return undefined // another word would need the layers below, which the trace lacks
  if (probe === null || !word || !own[matrix] || probe >= settings[side].tokens.length) return undefined
  const tokens = replaced(settings[side], probe, word, settings.tableRows)
  const others = isCross ? { keys: tokens } : { queries: tokens, keys: tokens }
  const { tensors } = startOf(qkv, { ...settings, ...others }, table)
  const remaining = edits.filter(edit => edit.matrix !== matrix || edit.row !== probe)
  const moved = attend({ [matrix]: tensors[matrix] }, remaining)
  const [before, after] = [own, moved].map(({ final, joined }) => /** @type {FloatTensor} */ (final ?? joined))
  const difference = minus(qkv, after, before)
  const rows = Array.from({ length: difference.dims[0] }, (_, i) => largest(difference.row(i).data))
  return { position: probe, word, moved: rows }
}
