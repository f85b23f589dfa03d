// Finds words of a text that a model reads in several tokens, characters that it reads byte by byte, and the start and end tokens.
// Pure.

/** Matches a letter of a script that writes spaces between words. */
const WORD = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]`
const [BEGINS, ENDS] = [new RegExp(`^${WORD}`, 'u'), new RegExp(`${WORD}$`, 'u')]

/** Matches a token of bytes: <E4B8> of a byte-level tokenizer, <0xE4> of Llama. */
const BYTES = /^<(0x)?([0-9A-F]{2})+>$/

/** Matches a token that a tokenizer adds, such as <s>, <|begin_of_text|> or [CLS]. */
const MARK = /^(<[^<>\s]+>|\[[A-Z]+\])$/

/**
 * Returns the start and end tokens that a tokenizer has added to a text.
 * @param {string} text
 * @param {readonly string[]} tokens
 * @returns {{ start?: string, end?: string }}
 */
export function marksOf(text, tokens) {
  const markAt = (/** @type {number} */ i) => {
    const token = tokens.at(i) ?? ''
    return tokens.length > 1 && MARK.test(token) && !BYTES.test(token) && !text.includes(token) ? token : undefined
  }
  const [start, end] = [markAt(0), markAt(-1)]
  return { ...(start && { start }), ...(end && { end }) }
}

/**
 * Finds the words of a text that are split into several tokens, and the characters that are read as bytes.
 * @param {string} text
 * @param {readonly string[]} tokens
 * @returns {{ parts: Set<number>, words: string[][], bytes: string[] }} parts: indices of the tokens that continue a word; words: the
 *   tokens of each split word; bytes: the characters that are read as bytes
 */
export function piecesOf(text, tokens) {
  const written = text.toLowerCase()
  /** @type {Set<number>} */
  const parts = new Set()
  /** The tokens of each word, by the word's start in the text. @type {Map<number, string[]>} */
  const all = new Map()
  let [begin, end] = [0, 0]
  tokens.forEach((token, i) => {
    const piece = token.replace(/^##(?=.)/, '')
    const from = written.indexOf(piece.toLowerCase(), end)
    if (from < 0) return
    if (from === end && BEGINS.test(piece) && ENDS.test(text.slice(0, from))) parts.add(i)
    else begin = from
    all.set(begin, [...(parts.has(i) ? (all.get(begin) ?? []) : []), piece])
    end = from + piece.length
  })
  const several = [...all.values()].filter(pieces => pieces.length > 1)
  const words = new Map(several.map(pieces => [pieces.join(''), pieces]))
  const isOfBytes = tokens.some(token => BYTES.test(token))
  const isRead = (/** @type {string} */ sign) => !sign.trim() || tokens.some(token => token.includes(sign))
  return { parts, words: [...words.values()], bytes: isOfBytes ? [...new Set(text)].filter(sign => !isRead(sign)) : [] }
}
