// Changes one token and computes everything again: whose output changes?

import { startOf } from '../numbers/index.js'
import { largest, minus } from './subtract.js'

/** @import { Qkv } from 'qkv' */
/** @import { Tokens } from '../tokenize.js' */
/** @import { Checked, FloatTensor, Tensors } from '../layer.js' */

/**
 * @typedef {object} TokenSwap
 * @property {number} position of the token, among the keys in cross-attention
 * @property {string} word that stands there instead
 * @property {number[]} moved the largest change in the output of each query; 0: not even the last bit changed
 */

/**
 * @param {Tokens} tokens
 * @param {number} position
 * @param {string} word
 * @param {number} tableRows
 * @returns {Tokens} the same vocabulary: all other words keep their numbers
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
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {import('../numbers/embedding-table.js').Table} table
 * @param {Tensors} own what was computed
 * @param {(embeddings: Tensors, edits: Checked['edits']) => Tensors} attend the same with other embeddings
 * @returns {TokenSwap | undefined} undefined if nothing is to be changed
 */
export function swapToken(qkv, settings, table, own, attend) {
  const { probe, probeWord: word, isCross, edits } = settings
  const [side, matrix] = isCross ? /** @type {const} */ (['keys', 'X2']) : /** @type {const} */ (['queries', 'X'])
  if (settings.model === 'trained') return undefined // its words go through the layers below first
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
