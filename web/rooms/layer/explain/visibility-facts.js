// Does a query see a key? Yes or no, by which rule, and what happens to its output if the key is another word. Pure.

import { reasonOf } from '../trace/visibility.js'

/** @import { Result } from '../layer.js' */

/**
 * @param {Result} result
 * @param {number} row the query
 * @param {number} key
 * @returns {{ key: number, isSeen: boolean, reason: ReturnType<typeof reasonOf>, moved?: number, word: string }} moved: how far
 *   the output of the query moved, at most in one dimension, when the key became `word`
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
