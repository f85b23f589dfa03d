// The pieces of a text with the largest sum of scores, as SentencePiece's Unigram models and the Rust library's choose them. The package
// @huggingface/tokenizers breaks ties in another way: of the same pieces in two orders it may take the other one.
// https://github.com/google/sentencepiece: src/unigram_model.cc

/** What an unknown character scores below the least piece. */
export const UNKNOWN = 10

/**
 * Unknown characters that follow each other are one piece.
 * @param {string} text
 * @param {object} vocabulary
 * @param {(piece: string) => number | undefined} vocabulary.scoreOf
 * @param {number} vocabulary.longest characters of a piece
 * @param {number} vocabulary.unknown the score of a character that is no piece
 * @param {(piece: string) => boolean} vocabulary.isKnown
 * @param {(sum: number) => number} [round] sums to the precision in which they are kept; default float64. SentencePiece compares a new sum before
 *   it is rounded, but that of an unknown character
 * @returns {string[]}
 */
export function bestPieces(text, { scoreOf, longest, unknown, isKnown }, round = sum => sum) {
  /** The best way to each place: its score, and where its last piece begins. @type {({ score: number, from: number } | undefined)[]} */
  const best = [{ score: 0, from: 0 }]
  for (let from = 0; from < text.length; from++) {
    const before = best[from]
    if (!before) continue
    const reach = (/** @type {number} */ to, /** @type {number} */ sum) => {
      const old = best[to]
      if (!old || sum > old.score) best[to] = { score: round(sum), from }
    }
    const single = from + String.fromCodePoint(Number(text.codePointAt(from))).length
    let hasSingle = false
    for (let to = single; to <= Math.min(text.length, from + longest); to++) {
      const score = scoreOf(text.slice(from, to))
      if (score === undefined) continue
      hasSingle ||= to === single
      reach(to, before.score + score)
    }
    if (!hasSingle) reach(single, round(before.score + unknown))
  }
  /** From the last one on. @type {{ text: string, isKnown: boolean }[]} */
  const found = []
  for (let to = text.length; to > 0; ) {
    const { from } = /** @type {NonNullable<typeof best[0]>} */ (best[to])
    const part = { text: text.slice(from, to), isKnown: isKnown(text.slice(from, to)) }
    const next = found[found.length - 1]
    if (next && !next.isKnown && !part.isKnown) next.text = part.text + next.text
    else found.push(part)
    to = from
  }
  return found.reverse().map(part => part.text)
}
