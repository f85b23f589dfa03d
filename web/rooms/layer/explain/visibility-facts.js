// Determines whether a query sees a key, by which rule, and how its output changes if the key is replaced by another word. Pure.

import { reasonOf } from '../trace/visibility.js'

/** @import { Result } from '../layer.js' */

/**
 * Returns whether a query sees a key, and why.
 * @param {Result} result
 * @param {number} row index of the query
 * @param {number} key
 * @returns {{ key: number, isSeen: boolean, reason: ReturnType<typeof reasonOf>, moved?: number, word: string }} moved: the largest change
 *   in a dimension of the query's output if `word` replaces the key
 */
export function answerOf({ settings, visible, tokenSwap }, row, key) {
  const isSeen = !visible || visible[row * settings.keys.tokens.length + key] === 1
  const isSwapped = tokenSwap?.position === key && (settings.isCross || key !== row)
  return {
    key,
    isSeen,
    reason: reasonOf(settings, row, key),
    word: settings.probeWord,
    ...(isSwapped && { moved: tokenSwap.moved[row] }),
  }
}
