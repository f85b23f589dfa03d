// Finds the segmentation of a text with the largest sum of scores, as the Unigram models of SentencePiece and the Rust library do. The
// package @huggingface/tokenizers is not used, because it chooses differently between two orders of the same pieces.
// https://github.com/google/sentencepiece: src/unigram_model.cc

import { present } from '../../base/present.js'

/** Difference between the lowest score of a piece and the score of an unknown character. */
export const UNKNOWN = 10

/**
 * Returns the best segmentation; consecutive unknown characters form one piece.
 * @param {string} text
 * @param {object} vocabulary
 * @param {(piece: string) => number | undefined} vocabulary.scoreOf
 * @param {number} vocabulary.longest length of the longest piece, as a JavaScript string
 * @param {number} vocabulary.unknown score of an unknown character
 * @param {boolean} [vocabulary.hasUnknown] false if there is no unknown token
 * @param {(piece: string) => boolean} vocabulary.isKnown
 * @param {(sum: number) => number} [round] rounds the stored sums, for SentencePiece to float32; default: no rounding. A new sum is
 *   compared before it is rounded, except after an unknown character
 * @returns {string[] | undefined} undefined if there is no unknown token, but a path needs one (it may be a path that is not the best)
 */
export function bestPieces(text, { scoreOf, longest, unknown, hasUnknown = true, isKnown }, round = sum => sum) {
  /** The best path to each position: its score, and the start of its last piece. @type {({ score: number, from: number } | undefined)[]} */
  const best = [{ score: 0, from: 0 }]
  for (let from = 0; from < text.length; from++) {
    const before = best[from]
    if (!before) continue
    const reach = (/** @type {number} */ to, /** @type {number} */ sum) => {
      const old = best[to]
      const isBetter = !old || sum > old.score
      if (isBetter) best[to] = { score: round(sum), from }
      return isBetter
    }
    const single = from + String.fromCodePoint(Number(text.codePointAt(from))).length
    let hasSingle = false
    for (let to = single; to <= Math.min(text.length, from + longest); to++) {
      const score = scoreOf(text.slice(from, to))
      if (score === undefined) continue
      hasSingle ||= to === single
      reach(to, before.score + score)
    }
    if (!hasSingle && reach(single, round(before.score + unknown)) && !hasUnknown) return undefined
  }
  /** Pieces from last to first. @type {{ text: string, isKnown: boolean }[]} */
  const found = []
  for (let to = text.length; to > 0; ) {
    const { from } = present(best[to])
    const part = { text: text.slice(from, to), isKnown: isKnown(text.slice(from, to)) }
    const next = found[found.length - 1]
    if (next && !next.isKnown && !part.isKnown) next.text = part.text + next.text
    else found.push(part)
    to = from
  }
  return found.reverse().map(part => part.text)
}
