// Validates the input of a stack: ids or embeddings, masks, types and positions.

import { Tensor } from '../../base/tensor.js'
import { embeddingOf } from '../weights/weights.js'
import { readIds, readRows } from './inputs.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { EmbeddingSpec, Family, StackSpec } from '../family-shapes/parts.js' */
/** @import { Ids, ModelInput } from '../model.js' */
/** @import { ModelCache } from './model-cache.js' */

/**
 * The validated input of a stack.
 * @typedef {object} Input
 * @property {Int32Array} ids (B, L); zeros if embeddings are given
 * @property {FloatTensor} [rows] the embeddings (B, L, columns of the table)
 * @property {Int32Array} [types] (B, L)
 * @property {Uint32Array} positions (B, L)
 * @property {number} B number of texts
 * @property {number} L number of ids per text
 * @property {number} past number of previous ids, whose keys are cached
 * @property {number[][]} [masks] attention mask of each row, over past and new ids, for a causal stack with padding
 * @property {Tensor<Uint8Array>} [mask] (B, 1, 1, past + L): 1 if visible; undefined without padding
 * @property {Uint8Array} [marked] (B, L): 1 for tokens with global attention; undefined if there are none
 * @property {Uint32Array} [texts] starts of packed texts in the L rows of the single batch element, and the end of the last
 */

/**
 * Validates the input of a stack.
 * @param {Family} family
 * @param {StackSpec} stack
 * @param {ModelInput} input
 * @param {'ids' | 'decoderIds'} name of the ids, for errors
 * @param {ModelCache} [cache]
 * @returns {Input}
 */
export function readInput(family, stack, input, name, cache) {
  const { vocab, embedding: table } = family
  const rows = readRows(input, table.tokens.columns)
  const { ids, B, L } = rows ?? readIds(/** @type {Ids} */ (input.ids), name, vocab)
  const past = cache?.length ?? 0
  const like = { B, L }
  const tokens =
    input.attentionMask === undefined ? undefined : readIds(input.attentionMask, 'attentionMask', 2, like).ids
  const given = tokens?.includes(0) ? Uint8Array.from(tokens) : undefined // a mask of ones is the same as no mask
  const masks = stack.causal ? maskRows(cache, given, B, L) : undefined
  const types =
    input.tokenTypeIds === undefined
      ? undefined
      : readIds(input.tokenTypeIds, 'tokenTypeIds', table.types?.rows ?? 1, like).ids
  const embedding = embeddingOf(family, stack)
  const most = positionLimit(embedding, stack)
  const positions =
    input.positions === undefined
      ? countPositions(embedding, masks, rows ? undefined : ids, B, L, past)
      : Uint32Array.from(readIds(input.positions, 'positions', Math.min(most, 2 ** 31 - 1), like).ids)
  const beyond = positions.find(position => position >= most)
  if (beyond !== undefined)
    throw new RangeError(
      `forward: expected positions below ${most}, got ${beyond}: give a shorter text, or generate fewer tokens`,
    )
  const seen = masks ? Uint8Array.from(masks.flat()) : given
  const mask = seen && new Tensor(seen, [B, 1, 1, seen.length / B])
  const asked = input.globalAttentionMask
  if (asked !== undefined && !stack.global)
    throw new TypeError(`forward: globalAttentionMask: ${family.type} has no global attention; leave it out`)
  const wide = asked === undefined ? undefined : readIds(asked, 'globalAttentionMask', 2, like).ids
  const marked = stack.global?.markedOf(wide, family.classes?.row !== undefined, seen, like)
  return { ids, rows: rows?.rows, types, positions, B, L, past, masks, mask, marked }
}

/**
 * Packs texts one after another into a single batch element, without padding.
 * @param {Family} family
 * @param {StackSpec} stack
 * @param {readonly ModelInput[]} inputs inputs of one text each
 * @returns {Input}
 */
export function readPacked(family, stack, inputs) {
  const all = inputs.map(input => readInput(family, stack, input, 'ids'))
  const texts = new Uint32Array(all.length + 1)
  for (const [b, read] of all.entries()) texts[b + 1] = texts[b] + read.L
  const L = texts[all.length]
  const [ids, types, positions] = [new Int32Array(L), new Int32Array(L), new Uint32Array(L)]
  for (const [b, read] of all.entries()) {
    ids.set(read.ids, texts[b])
    if (read.types) types.set(read.types, texts[b])
    positions.set(read.positions, texts[b])
  }
  return { ids, types, positions, B: 1, L, past: 0, texts }
}

/** Returns the number of positions; Infinity if they are unlimited. @param {EmbeddingSpec} embedding @param {StackSpec} stack @returns {number} */
const positionLimit = (embedding, stack) => rowLimit(embedding) ?? stack.rope?.most ?? stack.most ?? Infinity

/** Returns the number of learned or sinusoidal positions; undefined if there are neither. @param {EmbeddingSpec} embedding */
const rowLimit = ({ positions, sinusoids }) => (positions ? positions.rows - (positions.skip ?? 0) : sinusoids?.most)

/**
 * Returns the maximum length of a text; Infinity if it is unlimited. RoBERTa does not use the positions up to the padding id for tokens.
 * @param {Family} family
 * @param {StackSpec} stack
 */
export function lengthLimit(family, stack) {
  const embedding = embeddingOf(family, stack)
  const isOffset = embedding.padding !== undefined && rowLimit(embedding) !== undefined
  return positionLimit(embedding, stack) - (isOffset ? Number(embedding.padding) + 1 : 0)
}

/**
 * Counts the position of each id from the first that is not padding.
 * @param {EmbeddingSpec} embedding
 * @param {number[][] | undefined} masks attention mask of each row, over past and new ids; 0 is padding
 * @param {Int32Array | undefined} ids undefined if embeddings are given
 * @param {number} B
 * @param {number} L
 * @param {number} past
 */
function countPositions({ padding }, masks, ids, B, L, past) {
  const positions = new Uint32Array(B * L)
  for (let b = 0; b < B; b++) {
    const row = masks?.[b]
    let seen = row ? row.slice(0, past).reduce((sum, one) => sum + one, 0) : past
    for (let i = 0; i < L; i++) {
      const n = b * L + i
      if (padding !== undefined) {
        // RoBERTa: padding + 1, padding + 2, ... for tokens; `padding` itself for padding.
        const isToken = ids?.[n] !== padding
        if (isToken) seen++
        positions[n] = padding + (isToken ? seen : 0)
      } else if (row) positions[n] = row[past + i] ? seen++ : Math.max(0, seen - 1)
      else positions[n] = past + i
    }
  }
  return positions
}

/**
 * Returns the attention mask of each row over past and new ids; undefined without padding.
 * @param {ModelCache | undefined} cache
 * @param {Uint8Array | undefined} given (B, L), for the new ids
 * @param {number} B
 * @param {number} L
 * @returns {number[][] | undefined}
 */
function maskRows(cache, given, B, L) {
  if (!given && !cache?.tokens) return undefined
  return Array.from({ length: B }, (_, b) => [
    ...(cache?.tokens?.[b] ?? Array(cache?.length ?? 0).fill(1)),
    ...(given?.subarray(b * L, (b + 1) * L) ?? Array(L).fill(1)),
  ])
}

/** True if two inputs of the encoder are the same. @param {Input} a @param {Input} b */
export function isSameInput(a, b) {
  const equal = (/** @type {ArrayLike<number> | undefined} */ x, /** @type {ArrayLike<number> | undefined} */ y) =>
    x?.length === y?.length && (x === undefined || Array.from(x).every((value, n) => value === y?.[n]))
  return (
    a.B === b.B &&
    equal(a.ids, b.ids) &&
    equal(a.rows?.data, b.rows?.data) &&
    equal(a.types, b.types) &&
    equal(a.positions, b.positions) &&
    equal(a.mask?.data, b.mask?.data)
  )
}
