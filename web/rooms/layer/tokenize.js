// Splits a sentence into tokens with ids.

/**
 * @typedef {object} TokenizeOptions
 * @property {'words' | 'segments' | 'characters'} [by] 'words' (default): split at white space, as in the articles; 'segments': words found
 *   by Intl.Segmenter, for scripts without spaces such as Chinese; 'characters': grapheme clusters, which readers perceive as characters
 * @property {ReadonlyMap<string, number>} [vocabulary] id of every token; default: numbers the tokens of this sentence
 *
 * @typedef {object} Tokens
 * @property {string[]} tokens
 * @property {Int32Array} ids of the tokens
 * @property {Map<string, number>} vocabulary token to id
 */

/**
 * Compares by code point, as Python sorts; JavaScript compares UTF-16 units.
 * @param {string} a
 * @param {string} b
 */
function byCodePoint(a, b) {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  // If only the second halves of two surrogate pairs differ, step back to where the characters begin.
  if (/^[\ud800-\udbff]$/.test(a.charAt(at - 1)) && /[\udc00-\udfff]/.test(a.charAt(at) + b.charAt(at))) at--
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

/**
 * Numbers tokens as in the articles, `{token: i for i, token in enumerate(sorted(tokens))}`: a repeated token gets its last number, and its
 * other numbers are unused.
 * @param {readonly string[]} tokens
 * @returns {Map<string, number>}
 */
function number(tokens) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1)
  /** @type {Map<string, number>} */
  const ids = new Map()
  let before = 0
  for (const [token, n] of [...counts].sort(([a], [b]) => byCodePoint(a, b))) {
    before += n
    ids.set(token, before - 1)
  }
  return ids
}

/**
 * Splits a sentence into tokens with ids. Commas are dropped, as in the articles.
 *
 *     tokenize('Life is short, eat dessert first').ids // Int32Array [0, 4, 5, 2, 1, 3]
 *
 * @param {string} sentence
 * @param {TokenizeOptions} [options]
 * @returns {Tokens}
 */
export function tokenize(sentence, { by = 'words', vocabulary: given } = {}) {
  const tokens = split(sentence.replaceAll(',', ''), by)
  const vocabulary = new Map(given ?? number(tokens))
  return { tokens, ids: Int32Array.from(tokens, token => /** @type {number} */ (vocabulary.get(token))), vocabulary }
}

/** @param {string} text @param {'words' | 'segments' | 'characters'} by */
function split(text, by) {
  if (by === 'words') return text.split(/\s+/).filter(token => token)
  const byWord = by === 'segments'
  return segmentsOf(text, new Intl.Segmenter(undefined, { granularity: byWord ? 'word' : 'grapheme' }), byWord)
}

/** Scripts whose words Intl.Segmenter finds with a dictionary, one run of letters at a time. */
const BY_DICTIONARY =
  /[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30fc\uff70]/u
const WINDOW = 128

/**
 * Returns words, or characters that are not white space. Segments a window of the text at a time, since engines copy the whole text for
 * each segment. Takes only the segments of a window that later text cannot change, and starts the next window after them:
 * - characters: all but the last
 * - words: all but the last two ("can", "'" may become "can't") and the dictionary words right before them
 * @param {string} text
 * @param {Intl.Segmenter} segmenter
 * @param {boolean} byWord
 */
function segmentsOf(text, segmenter, byWord) {
  const all = []
  for (let from = 0, size = WINDOW; from < text.length; ) {
    const to = /[\udc00-\udfff]/.test(text.charAt(from + size)) ? from + size + 1 : from + size // does not split a surrogate pair
    const tokens = []
    const isToken = []
    for (const { segment, isWordLike } of segmenter.segment(text.slice(from, to))) {
      tokens.push(segment)
      isToken.push(byWord ? isWordLike : segment.trim())
    }
    let sure = tokens.length
    if (to < text.length) {
      sure -= byWord ? 2 : 1
      while (byWord && sure > 0 && BY_DICTIONARY.test(tokens[sure - 1])) sure--
    }
    size = sure < 1 ? 2 * size : WINDOW // if no segment is certain, read a larger window
    for (let i = 0; i < sure; i++) {
      from += tokens[i].length
      if (isToken[i]) all.push(tokens[i])
    }
  }
  return all
}
