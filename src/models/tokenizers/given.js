// Uses a tokenizer given by the caller. Finds out which ids are special tokens by encoding a text again without them.

import { describe } from '../../base/errors.js'
import { lower } from './lower.js'

/** @import { TokenizerLike } from './tokenizer.js' */

/**
 * @param {TokenizerLike} tokenizer
 * @returns {import('./tokenizer.js').TextReader}
 */
export const fromGiven = tokenizer => ({
  encode(text, pair, most, isWhole, isLower) {
    if (isLower) [text, pair] = [lower(text), pair && lower(pair)]
    const encoded = call(() =>
      tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true, add_special_tokens: isWhole }),
    )
    if (!Array.isArray(encoded?.ids) || !Array.isArray(encoded.tokens))
      throw new TypeError(
        `tokenize: expected { ids, tokens } with two arrays from the tokenizer, got ${describe(encoded)}`,
      )
    const { ids, tokens, token_type_ids: types } = encoded
    const kept = ids.length > most ? keptOf(tokenizer, [text, pair], ids, most) : undefined
    /** @template T @param {T[]} list */
    const cut = list => (kept ? list.filter((_, n) => kept[n]) : list)
    return { ids: cut(ids), tokens: cut(tokens), types: types && cut(types) }
  },
  nameOf: id => call(() => tokenizer.decode([id], { skip_special_tokens: false })),
  decode: (ids, isBare) => call(() => tokenizer.decode([...ids], { skip_special_tokens: isBare })),
  isOpen: (_, text) => text.endsWith('\ufffd'),
})

/**
 * Calls the tokenizer. An error repeats the message of its cause, except that of a TypeError: the JavaScript engine throws TypeErrors, and
 * their messages do not help users.
 * @template T
 * @param {() => T} call
 */
function call(call) {
  try {
    return call()
  } catch (cause) {
    const why = cause instanceof Error && !(cause instanceof TypeError) ? `: ${cause.message}` : ''
    throw new Error(`the tokenizer that was given fails${why}`, { cause })
  }
}

/**
 * Returns for each id if it is kept: special tokens are, and the beginning of each text.
 * @param {TokenizerLike} tokenizer
 * @param {(string | undefined)[]} texts
 * @param {readonly number[]} ids all ids
 * @param {number} most
 * @returns {boolean[]}
 */
function keptOf(tokenizer, texts, ids, most) {
  let from = 0
  const spans = texts.flatMap(text => {
    if (text === undefined) return []
    const own = call(() => tokenizer.encode(text, { add_special_tokens: false })).ids
    const isAt = (/** @type {number} */ at) => own.every((id, n) => (id ?? ids[at + n]) === ids[at + n])
    while (from + own.length <= ids.length && !isAt(from)) from++
    const start = from
    from += own.length
    return [{ start, length: own.length, end: from }]
  })
  if (from > ids.length)
    throw new Error('tokenize: truncation: the tokenizer does not mark special tokens: give a shorter text')
  const lengths = lengthsOf(
    spans.map(({ length }) => length),
    most - ids.length + spans.reduce((sum, { length }) => sum + length, 0),
    most,
  )
  const kept = ids.map(() => true)
  for (const [n, { start, end }] of spans.entries()) kept.fill(false, start + lengths[n], end)
  return kept
}

/**
 * Returns how many ids of each text to keep. The longer text is cut first. If both are cut to half of an odd `room`, the longer one keeps
 * one id more. Of two texts of equal length, the second keeps it.
 * @param {number[]} lengths of one or two texts
 * @param {number} room number of ids for all texts
 * @param {number} most maxLength as requested, for errors
 */
export function lengthsOf(lengths, room, most) {
  if (room < 0) throw new RangeError(`tokenize: maxLength ${most} is less than the special tokens of a text`)
  const [a, b = 0] = lengths
  if (a + b <= room) return lengths
  if (lengths.length === 1) return [room]
  const short = Math.min(a, b)
  const half = Math.floor(room / 2)
  const [less, more] = short <= half ? [short, room - short] : [half, room - half]
  return a > b ? [more, less] : [less, more]
}
