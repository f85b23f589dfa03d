// A tokenizer that the caller gives: what it puts around texts is found in what it returns.

import { describe } from '../../base/errors.js'
import { lower } from './lower.js'

/** @typedef {import('../tokenizer.js').TokenizerLike} TokenizerLike */

/**
 * @param {TokenizerLike} tokenizer
 * @returns {import('../tokenizer.js').TextReader}
 */
export const fromGiven = tokenizer => ({
  encode(text, pair, most, isWhole, isLower) {
    if (isLower) [text, pair] = [lower(text), pair && lower(pair)]
    const encoded = call(() =>
      tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true, add_special_tokens: isWhole }),
    )
    if (!Array.isArray(encoded?.ids) || !Array.isArray(encoded.tokens))
      throw new TypeError(
        `tokenize: the tokenizer gives ${describe(encoded)}, { ids, tokens } with two arrays expected`,
      )
    const { ids, tokens, token_type_ids: types } = encoded
    const kept = ids.length > most ? keptOf(tokenizer, [text, pair], ids, most) : undefined
    const cut = (/** @type {any} */ list) =>
      kept ? list?.filter((/** @type {unknown} */ _, /** @type {number} */ n) => kept[n]) : list
    return { ids: cut(ids), tokens: cut(tokens), types: cut(types) }
  },
  nameOf: id => call(() => tokenizer.decode([id], { skip_special_tokens: false })),
  decode: (ids, isBare) => call(() => tokenizer.decode([...ids], { skip_special_tokens: isBare })),
  isOpen: (_, text) => text.endsWith('\ufffd'),
})

/**
 * Calls the tokenizer. A TypeError of it is an error of the engine, which says nothing about the text, so that only the
 * message of another error is repeated.
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
 * Which ids stay: those of special tokens do, the ends of the texts go.
 * @param {TokenizerLike} tokenizer
 * @param {(string | undefined)[]} texts
 * @param {readonly number[]} ids of all
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
    throw new Error('tokenize: truncation: the tokenizer does not tell special tokens apart: give a shorter text')
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
 * How many ids stay of each text: the longer one is cut first; of an odd rest the longer one keeps one more, of equal ones the second.
 * @param {number[]} lengths of one text or two
 * @param {number} room for the ids of all texts
 * @param {number} most as asked for
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
