// Reads the texts that a lens is fitted on: their ids, the positions that count, and a hash of each text.

import { toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'

/**
 * The positions of a text that count. For a Jacobian lens, these are the positions from `first` to the second to last, as sources and as
 * targets of derivatives; for a tuned lens, all positions from `first`.
 * @typedef {object} PositionOptions
 * @property {number} [first] default 16, since the states at the first positions are atypical; for a tuned lens 0
 * @property {number} [maxLength] maximum tokens of a text; default 128
 */

/** @param {PositionOptions} options @param {string} where */
export function readPositions({ first = 16, maxLength = 128 }, where) {
  toNumber(first, `${where}: first`, { least: 0, whole: true })
  toNumber(maxLength, `${where}: maxLength`, { least: first + 2, whole: true })
  return { first, maxLength }
}

/**
 * A text for a decoder; for an encoder-decoder the input of the encoder, and the ids of the decoder, whose positions count.
 * @typedef {string | readonly number[] | { ids: readonly number[], decoderIds: readonly number[] }} LensText
 *
 * A text as it is run.
 * @typedef {object} ReadText
 * @property {{ ids: number[], decoderIds?: number[] }} input
 * @property {number} length number of the decoder's ids
 * @property {number} mark hash of the ids, to identify the text
 */

/**
 * Tokenizes texts, truncated to `maxLength`. Throws if a text has no position that counts.
 * @param {import('../../models/model.js').Model} model
 * @param {number} vocab exclusive upper limit of ids
 * @param {unknown} texts
 * @param {{ first: number, maxLength: number }} positions
 * @param {string} where
 * @returns {ReadText[]}
 */
export function readTexts(model, vocab, texts, { first, maxLength }, where) {
  if (!Array.isArray(texts) || !texts.length)
    throw new TypeError(
      `${where}: texts: expected a list of texts or of token ids, got ${describe(texts)}${inList(texts)}`,
    )
  const { encoder } = model.stacks
  const idsIn = (/** @type {readonly unknown[]} */ list, /** @type {string} */ at) =>
    Array.from(list, (id, n) => toNumber(id, `${at}[${n}]`, { least: 0, most: vocab - 1, whole: true }))
  return Array.from(texts, (text, n) => {
    const at = `${where}: texts[${n}]`
    /** @param {readonly unknown[]} list @param {string} name */
    const cut = (list, name) => {
      const ids = idsIn(list.slice(0, maxLength), name)
      if (ids.length < first + 2)
        throw new RangeError(
          `${name}: expected at least ${first + 2} tokens, as positions count from ${first} to the one before the last; got ${ids.length}`,
        )
      return ids
    }
    if (encoder) {
      const { ids: source, decoderIds } = Object(text)
      if (!Array.isArray(source) || !source.length || !Array.isArray(decoderIds))
        throw new TypeError(`${at}: expected { ids, decoderIds } for an encoder-decoder, got ${describe(text)}`)
      const input = { ids: idsIn(source, `${at}.ids`), decoderIds: cut(decoderIds, `${at}.decoderIds`) }
      return { input, length: input.decoderIds.length, mark: markOf([...input.ids, -1, ...input.decoderIds]) }
    }
    if (typeof text !== 'string' && !Array.isArray(text))
      throw new TypeError(
        `${at}: expected a text or token ids, got ${describe(text)}${Object(text).ids ? '; give its ids' : ''}`,
      )
    const ids = cut(typeof text === 'string' ? [...model.tokenize(text).ids] : text, at)
    return { input: { ids }, length: ids.length, mark: markOf(ids) }
  })
}

/** Returns a hint for an error: how to get a list of texts from a value of another kind. @param {unknown} value */
function inList(value) {
  if (typeof value === 'string') return `; a single text is [${describe(value)}]`
  const { [Symbol.asyncIterator]: isAsync, [Symbol.iterator]: isIterable } = Object(value)
  if (isAsync) return '; collect them first: for await (const text of texts) list.push(text)'
  return isIterable && !Array.isArray(value) ? '; give [...texts]' : ''
}

/** @param {readonly number[]} ids */
const markOf = ids => ids.reduce((hash, id) => Math.imul(hash ^ id, 0x01000193) >>> 0, 0x811c9dc5)
