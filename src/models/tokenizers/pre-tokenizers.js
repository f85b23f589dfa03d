// The pre-tokenizers of tokenizer.json, by the rules of the Rust library.
// https://github.com/huggingface/tokenizers: tokenizers/src/pre_tokenizers

import { toCharacters } from './bytes.js'
import { compile, cut } from './patterns.js'
import { refuse, ruleFor } from './refuse.js'

/** @import { Part } from './patterns.js' */
/**
 * A piece of a text. isFirst: true if it starts the text; added: number of characters that were added at its start.
 * @typedef {{ text: string, isFirst: boolean, added?: number }} Piece
 * @typedef {(piece: Piece) => Piece[]} PreTokenizer
 */

/** Joins each match with the text before it, unless that text is a match, too. @param {Part[]} parts @returns {string[]} */
function mergedWithPrevious(parts) {
  /** @type {string[]} */
  const out = []
  parts.forEach(({ text, isMatch }, n) => {
    if (isMatch && n > 0 && !parts[n - 1].isMatch) out[out.length - 1] += text
    else out.push(text)
  })
  return out
}

/** For each behavior of Split, how matches and the text in between become pieces. @type {Record<string, (parts: Part[]) => string[]>} */
const BEHAVIORS = {
  Isolated: parts => parts.map(({ text }) => text),
  Removed: parts => parts.map(({ text, isMatch }) => (isMatch ? '' : text)),
  MergedWithPrevious: mergedWithPrevious,
  MergedWithNext(parts) {
    /** @type {string[]} */
    const out = []
    for (let n = parts.length - 1; n >= 0; n--) {
      const { text, isMatch } = parts[n]
      if (isMatch && n + 1 < parts.length && !parts[n + 1].isMatch) out[0] = text + out[0]
      else out.unshift(text)
    }
    return out
  },
  Contiguous(parts) {
    /** @type {string[]} */
    const out = []
    parts.forEach(({ text, isMatch }, n) => {
      if (n > 0 && parts[n - 1].isMatch === isMatch) out[out.length - 1] += text
      else out.push(text)
    })
    return out
  },
}

/**
 * Makes pieces of the texts into which a piece was split. Empty texts are dropped.
 * @param {string[]} texts
 * @param {number[]} lengths number of characters that each text takes of the piece, also if the text was removed
 * @param {Piece} piece the piece that was split
 * @returns {Piece[]}
 */
function piecesOf(texts, lengths, { isFirst, added = 0 }) {
  let at = 0
  return texts.flatMap((text, n) => {
    const start = at
    at += lengths[n]
    return text ? [{ text, isFirst: isFirst && start <= added, added: Math.max(0, added - start) }] : []
  })
}

/**
 * Returns a function that splits pieces.
 * @param {RegExp} pattern
 * @param {string} behavior
 * @param {boolean} [isInverted] true to swap matches and the text in between
 * @returns {PreTokenizer}
 */
function splitter(pattern, behavior, isInverted = false) {
  return piece => {
    const parts = cut(pattern, piece.text).map(part => ({ ...part, isMatch: part.isMatch !== isInverted }))
    const texts = BEHAVIORS[behavior](parts)
    const from = behavior === 'Removed' ? parts.map(part => part.text) : texts
    return piecesOf(
      texts,
      from.map(text => text.length),
      piece,
    )
  }
}

const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/gu
const SPACE = /\p{White_Space}/gu
/** The pattern of GPT-2. */
const GPT2 =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}'
const WORDS = new RegExp(`[${WORD}]+|[^${WORD}\\p{White_Space}]+`, 'gu')

/** @type {import('./check-json.js').Rules<'pre_tokenizer', PreTokenizer>} */
const RULES = {
  Sequence({ pretokenizers = [] }, where) {
    const all = pretokenizers.map((one, n) => preTokenizerOf(one, `${where}.pretokenizers.${n}`))
    return piece => all.reduce((pieces, split) => pieces.flatMap(split), [piece])
  },
  BertPreTokenizer: () => {
    const [words, marks] = [splitter(SPACE, 'Removed'), splitter(PUNCTUATION, 'Isolated')]
    return piece => words(piece).flatMap(marks)
  },
  ByteLevel({ add_prefix_space: hasPrefix, use_regex: isCut = true }) {
    const split = isCut ? splitter(GPT2, 'Isolated') : (/** @type {Piece} */ piece) => [piece]
    return ({ text, isFirst, added = 0 }) => {
      const isAdded = hasPrefix && !text.startsWith(' ')
      const piece = isAdded ? { text: ` ${text}`, isFirst, added: added + 1 } : { text, isFirst, added }
      return split(piece).map(part => ({ ...part, text: toCharacters(part.text) }))
    }
  },
  CharDelimiterSplit: ({ delimiter }, where) => splitter(compile({ String: delimiter }, where), 'Removed'),
  Digits: ({ individual_digits: isEach }) => splitter(/\p{N}/gu, isEach ? 'Isolated' : 'Contiguous'),
  FixedLength: ({ length = 5 }, where) => {
    if (length === 0) throw refuse(`tokenizer.json: ${where}.length`, '0')
    const pattern = new RegExp(`[^]{1,${length}}`, 'gu')
    return splitter(pattern, 'Isolated')
  },
  Metaspace({ replacement, prepend_scheme: scheme = 'always', add_prefix_space: hasPrefix, split: isSplit }, where) {
    const prepend = hasPrefix === false ? 'never' : scheme
    const split = isSplit === false ? undefined : splitter(compile({ String: replacement }, where), 'MergedWithNext')
    return ({ text, isFirst, added = 0 }) => {
      const marked = text.replaceAll(' ', replacement)
      const isPrepended = !marked.startsWith(replacement) && (prepend === 'always' || (prepend === 'first' && isFirst))
      const piece = isPrepended
        ? { text: replacement + marked, isFirst, added: added + replacement.length }
        : { text: marked, isFirst, added }
      return split ? split(piece) : [piece]
    }
  },
  Punctuation: ({ behavior = 'Isolated' }) => splitter(PUNCTUATION, behavior),
  Split: ({ pattern, behavior, invert: isInverted }, where) => splitter(compile(pattern, where), behavior, isInverted),
  Whitespace: () => splitter(WORDS, 'Removed', true),
  WhitespaceSplit: () => splitter(SPACE, 'Removed'),
}

/** @param {unknown} json @param {string} [where] @returns {PreTokenizer} */
export const preTokenizerOf = (json, where = 'pre_tokenizer') =>
  json === null || json === undefined ? piece => [piece] : ruleFor(RULES, json, where)(json, where)
