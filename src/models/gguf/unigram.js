// Converts unigram vocabularies of GGUF files to parts of tokenizer.json, with llama.cpp's normalizer.

import { describe } from '../../base/errors.js'
import { UNKNOWN } from '../tokenizers/best-pieces.js'
import { charsmapOf, mapped } from '../tokenizers/charsmap.js'

const SPACE = '\u2581'
/** Token types that text can match by its characters. */
const [NORMAL, USER, UNUSED] = [1, 4, 5]

/**
 * Returns the normalizer.
 * @param {object} options
 * @param {import('../tokenizers/charsmap.js').Charsmap} [options.charsmap]
 * @param {string[]} options.own tokens that are not normalised where they occur in a text; nor are their prefixes
 * @param {boolean} options.hasPrefix True to put a space mark before a text
 * @param {boolean} options.isMerged True to collapse several spaces into one, and to drop those at the end
 */
function normalizer({ charsmap, own, hasPrefix, isMerged }) {
  const starts = new Set(own.flatMap(token => Array.from(token, (_, n) => token.slice(0, n + 1))))
  const longest = own.reduce((most, token) => Math.max(most, token.length), 0)
  const changed = (/** @type {string} */ text) => {
    if (!charsmap) return text
    const bytes = new TextEncoder().encode(text)
    let out = ''
    let at = 0 // index of the character
    for (let from = 0; from < bytes.length; ) {
      let length = longest
      while (length > 0 && !starts.has(text.slice(at, at + length))) length--
      const character = String.fromCodePoint(Number(text.codePointAt(at)))
      const found = length ? undefined : [...mapped(charsmap, bytes, from)].pop() // the longest match
      const part = length ? text.slice(at, at + length) : found ? partOf(text, at, found.length) : character
      out += found ? found.text : part
      at += part.length
      from += new TextEncoder().encode(part).length
    }
    return out
  }
  return (/** @type {string} */ text) => {
    let out = ''
    let isWord = false
    let isPrefixed = !hasPrefix
    for (const character of changed(text)) {
      if (character === ' ') {
        isWord = false
        if (!isMerged) out += SPACE
        continue
      }
      if (!isWord && (!isPrefixed || isMerged)) {
        out += SPACE
        isPrefixed = true
      }
      isWord = true
      out += character
    }
    return out
  }
}

/** Returns the characters from `at` on that take `bytes` bytes in UTF-8. @param {string} text @param {number} at @param {number} bytes */
function partOf(text, at, bytes) {
  let end = at
  for (let left = bytes; left > 0; ) {
    const character = String.fromCodePoint(Number(text.codePointAt(end)))
    left -= new TextEncoder().encode(character).length
    end += character.length
  }
  return text.slice(at, end)
}

/**
 * @param {import('./vocabulary.js').Vocabulary} vocabulary
 * @param {typeof import('./tokenizer.js').decoder} decoder
 */
export function unigram(vocabulary, decoder) {
  const { tokens } = vocabulary
  const scores = vocabulary.scores()
  const own = tokens.filter((_, id) => vocabulary.is(id, [USER]))
  const strange = own.find(token => /[^\0-\x7f]/.test(token))
  if (strange !== undefined) throw vocabulary.refuse('token_type', `${describe(strange)} as a user-defined token`)
  const map = vocabulary.get('precompiled_charsmap')
  if (map !== undefined && !(map instanceof Uint8Array || map instanceof Int8Array))
    throw vocabulary.refuse('precompiled_charsmap', describe(map))
  let charsmap
  try {
    charsmap = map && charsmapOf(new Uint8Array(map.buffer, map.byteOffset, map.byteLength))
  } catch {
    throw vocabulary.refuse('precompiled_charsmap', `a map of ${map?.length} bytes, which are cut off,`)
  }
  const normal = scores.filter((_, id) => vocabulary.is(id, [NORMAL]))
  const hasPrefix = vocabulary.flag('add_space_prefix', false)
  const isMerged = vocabulary.flag('remove_extra_whitespaces', false)
  return {
    normalizer: normalizer({ charsmap, own, hasPrefix, isMerged }),
    model: {
      type: 'Unigram',
      // With a score of null, no text matches the token.
      vocab: tokens.map((token, id) => {
        const isLetters = vocabulary.is(id, [NORMAL, USER, UNUSED])
        return [token, isLetters ? (vocabulary.is(id, [USER]) ? 0 : scores[id]) : null]
      }),
      unk_id: vocabulary.id('unknown'),
      byte_fallback: false,
      unknown_score: normal.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN,
    },
    decoder: decoder(
      vocabulary,
      [{ type: 'Replace', pattern: { String: SPACE }, content: ' ' }],
      hasPrefix || isMerged,
    ),
  }
}
