// Defines what a run of a long text keeps instead of all weights. No DOM.

import { BLOCKS, putSummary } from '../atlas/maps.js'

/** @import { AttentionSummary, Model } from 'qkv/models' */
/** @import { Stack } from '../../../attention-head/head.js' */

/** Maximum bytes for keeping all q and k; for longer texts, a layer is run again when it is inspected. */
export const MOST_KEPT = 2 ** 29
/** Maximum bytes for the maps of all heads. */
export const MOST_MAPS = 2 ** 26
/**
 * Possible side lengths of a head's map, all multiples of BLOCKS. A run uses the first that keeps all maps within MOST_MAPS bytes.
 */
const SIDES = [512, 256, 128, BLOCKS]

/**
 * For each stack, the name of its summaries in the output of a run.
 * @type {Record<Stack, 'attentionSummaries' | 'encoderAttentionSummaries' | 'crossAttentionSummaries'>}
 */
export const SUMMARIES = {
  '': 'attentionSummaries',
  decoder: 'attentionSummaries',
  encoder: 'encoderAttentionSummaries',
  cross: 'crossAttentionSummaries',
}

/** Returns what a run of a long text keeps of each layer. @param {Model} model @param {number} tokens */
export function summaryOptions({ stacks }, tokens) {
  const bytes = Object.values(stacks).reduce(
    (sum, stack) => sum + (stack ? 4 * tokens * stack.layers * (stack.numHeads + stack.numKvHeads) * stack.headDim : 0),
    0,
  )
  const heads = Object.values(stacks).reduce((sum, stack) => sum + (stack ? stack.layers * stack.numHeads : 0), 0)
  const side = SIDES.find(side => 4 * side * side * heads <= MOST_MAPS) ?? BLOCKS
  /** @type {[number, number]} */
  const map = [side, side]
  return { map, topK: 8, distance: true, scores: true, windows: bytes <= MOST_KEPT }
}

/**
 * Writes a summary into the maps, with the largest known weight of each block.
 * @param {import('../atlas/maps.js').Maps} maps
 * @param {number} layer
 * @param {AttentionSummary} summary
 */
export function takeSummary(maps, layer, { map, topKeys, topWeights }) {
  if (map && topKeys && topWeights) putSummary(maps, layer, map, topKeys, topWeights.data)
}
