import { checkNames, oneOf, toNumber } from './base/arguments.js'
import { describe } from './base/errors.js'

/**
 * @typedef {object} TokenizeOptions
 * @property {'words' | 'segments' | 'characters'} [by] 'words' (default): split at white space, as the articles do;
 *   'segments': the words that Intl.Segmenter finds, for scripts without spaces such as Chinese;
 *   'characters': what a reader takes for one character
 * @property {readonly string[]} [remove] strings taken out first; default [','], as in the articles
 * @property {string} [locale] for 'segments', such as 'zh'
 * @property {ReadonlyMap<string, number>} [vocabulary] ids to use; by default those of this sentence
 *
 * @typedef {object} Tokens
 * @property {string[]} tokens
 * @property {Int32Array} ids of the tokens
 * @property {Map<string, number>} vocabulary token to id
 */

/**
 * Order by code point, as Python sorts; JavaScript's own order is by UTF-16 unit.
 * @param {string} a
 * @param {string} b
 */
function byCodePoint(a, b) {
  const [x, y] = [Array.from(a), Array.from(b)]
  const at = x.findIndex((character, i) => character !== y[i])
  if (at < 0) return x.length - y.length
  if (at >= y.length) return 1
  return /** @type {number} */ (x[at].codePointAt(0)) - /** @type {number} */ (y[at].codePointAt(0))
}

/**
 * Ids as the articles number them, `{token: i for i, token in enumerate(sorted(tokens))}`: of a repeated token
 * the last number stays, the ones before are not used.
 * @param {readonly string[]} tokens
 * @returns {Map<string, number>}
 */
const number = tokens => new Map([...tokens].sort(byCodePoint).map((token, id) => [token, id]))

/**
 * A sentence as tokens with ids.
 *
 *     tokenize('Life is short, eat dessert first').ids // Int32Array [0, 4, 5, 2, 1, 3]
 *
 * @param {string} sentence
 * @param {TokenizeOptions} [options]
 * @returns {Tokens}
 * @throws {TypeError | RangeError} a wrong option, or a token that the given vocabulary does not have
 */
export function tokenize(sentence, options = {}) {
  if (typeof sentence !== 'string') throw new TypeError(`tokenize: ${describe(sentence)} given, a string expected`)
  checkNames(options, ['by', 'remove', 'locale', 'vocabulary'], 'tokenize')
  const by = oneOf(options.by ?? 'words', ['words', 'segments', 'characters'], 'tokenize: by')
  const text = checkRemove(options.remove ?? [',']).reduce((rest, part) => rest.replaceAll(part, ''), sentence)
  const tokens = split(text, by, options.locale)
  if (options.vocabulary !== undefined && !(options.vocabulary instanceof Map))
    throw new TypeError(`tokenize: vocabulary: ${describe(options.vocabulary)} given, a Map of tokens to ids expected`)
  const vocabulary = new Map(options.vocabulary ?? number(tokens))
  const ids = Int32Array.from(tokens, token => {
    const id = vocabulary.get(token)
    if (id === undefined)
      throw new RangeError(`tokenize: ${describe(token)} is not in the vocabulary of ${vocabulary.size} tokens`)
    return toNumber(id, `tokenize: vocabulary: id of ${describe(token)}`, { least: 0, most: 2 ** 31 - 1, whole: true })
  })
  return { tokens, ids, vocabulary }
}

/** @param {unknown} remove @returns {readonly string[]} */
function checkRemove(remove) {
  if (!Array.isArray(remove) || remove.some(part => typeof part !== 'string'))
    throw new TypeError(`tokenize: remove: ${describe(remove)} given, an array of strings expected`)
  return remove
}

/**
 * @param {string | undefined} locale
 * @param {'word' | 'grapheme'} granularity
 */
function segmenterOf(locale, granularity) {
  try {
    return new Intl.Segmenter(locale, { granularity })
  } catch {
    throw new RangeError(`tokenize: locale: ${describe(locale)} given, a language tag such as "zh" expected`)
  }
}

/**
 * @param {string} text
 * @param {'words' | 'segments' | 'characters'} by
 * @param {string} [locale]
 */
function split(text, by, locale) {
  if (by === 'words') return text.split(/\s+/).filter(token => token)
  const segmenter = segmenterOf(locale, by === 'segments' ? 'word' : 'grapheme')
  return Array.from(segmenter.segment(text))
    .filter(({ segment, isWordLike }) => (by === 'segments' ? isWordLike : segment.trim()))
    .map(({ segment }) => segment)
}
