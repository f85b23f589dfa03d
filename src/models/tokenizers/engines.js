// The models of tokenizer.json, which convert pieces of a text to ids. BPE uses the optional package @huggingface/tokenizers. Settings for
// which the package differs from the Rust library are corrected here, or refused.

import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { bestPieces, UNKNOWN } from './best-pieces.js'
import { nameOf } from './bytes.js'
import { typeOf } from './model-type.js'
import { refuse } from './refuse.js'

/**
 * @typedef {object} Engine
 * @property {(piece: string) => { ids: (number | undefined)[], tokens: string[] }} encode
 * @property {(token: string) => number | undefined} idOf
 * @property {(id: number) => string | undefined} nameOf
 * @property {number} size size of the vocabulary
 * @property {boolean} [isPairs] true for BPE
 */
/**
 * What is used of the models of the package @huggingface/tokenizers.
 * @typedef {{ tokens_to_ids: Map<string, number>, vocab: string[], merges?: [string, string][],
 *   bpe_ranks: { get: (pair: string) => number | undefined }, bpe: (piece: string) => string[] }} PackageModel
 */

/** @typedef {import('./check-json.js').PartsOf<'model'>} Models */

const KEYS = ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder']

/** @param {string} key @param {string} what */
const refuseModel = (key, what) => refuse(`tokenizer.json: model.${key}`, what)

/** @param {string} type @returns {type is keyof typeof ENGINES} */
const isKnown = type => Object.hasOwn(ENGINES, type)

/**
 * Returns the engine of a model.
 * @param {unknown} json model of tokenizer.json
 * @param {(json: object) => Promise<{ model?: any }>} make creates a tokenizer of the package
 * @returns {Promise<Engine>}
 */
export async function engineOf(json, make) {
  const part = Object(json)
  const type = typeOf(part)
  if (!isKnown(type)) throw refuseModel('type', describe(type))
  if (type !== 'BPE') return ENGINES[type](part)
  const bare = Object.fromEntries(KEYS.map(key => [key, null]))
  const { model } = await make({ ...bare, added_tokens: [], model: { ...part, type } })
  if (typeof model.bpe !== 'function' || !(model.bpe_ranks instanceof Map))
    throw refuse('tokenizer.json', 'the installed version of @huggingface/tokenizers')
  return ENGINES[type](part, model)
}

/** @param {Models['WordLevel']} model @returns {Engine} */
function wordLevel({ vocab, unk_token: unknown }) {
  const ids = new Map(Object.entries(vocab))
  const names = new Map([...ids].map(([token, id]) => [id, token]))
  return {
    encode: piece => ({ ids: [ids.get(piece) ?? ids.get(unknown)], tokens: [piece] }),
    idOf: token => ids.get(token),
    nameOf: id => names.get(id),
    size: ids.size,
  }
}

/** @param {Models['WordPiece']} json @returns {Engine} */
function wordPiece(json) {
  const { vocab, unk_token: unknown, continuing_subword_prefix: prefix, max_input_chars_per_word: most } = json
  const words = wordLevel(json)
  const longest = Object.keys(vocab).reduce((longest, token) => Math.max(longest, token.length), 0)
  /** Splits greedily into the longest tokens; undefined if no token fits somewhere. @param {string} piece */
  const tokensOf = piece => {
    const characters = Array.from(piece)
    if (characters.length > most) return undefined
    /** @type {string[]} */
    const tokens = []
    for (let from = 0; from < characters.length; ) {
      let to = Math.min(characters.length, from + longest)
      const tokenOf = () => (from ? prefix : '') + characters.slice(from, to).join('')
      while (to > from && words.idOf(tokenOf()) === undefined) to--
      if (to === from) return undefined
      tokens.push(tokenOf())
      from = to
    }
    return tokens
  }
  return {
    ...words,
    encode(piece) {
      const tokens = tokensOf(piece) ?? [unknown]
      return { ids: tokens.map(words.idOf), tokens }
    },
  }
}

/** @param {PackageModel} model */
const vocabularyOf = ({ tokens_to_ids: ids, vocab }) => ({
  idOf: (/** @type {string} */ token) => ids.get(token),
  nameOf: (/** @type {number} */ id) => vocab[id],
  size: ids.size,
})

/** A character that no vocabulary contains. */
const END = '\u{10ffff}'
/** The tokens <0x00> to <0xFF>. */
const BYTES = Array.from({ length: 256 }, (_, byte) => nameOf(byte))

/** True if the vocabulary has a token for every byte, false if for none; otherwise throws. @param {Map<string, number>} ids */
function hasBytes(ids) {
  const known = BYTES.filter(name => ids.has(name)).length
  if (known > 0 && known < 256) throw refuseModel('byte_fallback', `a vocabulary with ${known} of 256 bytes`)
  return known === 256
}

const ENGINES = {
  WordLevel: wordLevel,
  WordPiece: wordPiece,
  /** @param {Models['BPE'] & { rankOf?: (left: string, right: string) => number | undefined, drops_late?: boolean }} json @param {PackageModel} model @returns {Engine} */
  BPE(json, model) {
    const { tokens_to_ids: ids, merges = [] } = model
    const { unk_token: unknown, byte_fallback: isByte, fuse_unk: isFused, end_of_word_suffix: suffix } = json
    if (json.dropout) throw refuseModel('dropout', `${json.dropout}, which makes ids random,`)
    if (json.continuing_subword_prefix)
      throw refuseModel('continuing_subword_prefix', JSON.stringify(json.continuing_subword_prefix))
    // A GGUF file has a score for each piece instead of merges. A pair's rank is computed from scores; a table of all pairs would be large.
    const { rankOf } = json
    if (rankOf)
      model.bpe_ranks = {
        get(pair) {
          const [left, right] = JSON.parse(pair)
          return rankOf(left, right)
        },
      }
    const hasUnknown = unknown !== null && unknown !== undefined
    const isComplete = isByte && hasBytes(ids)
    for (const [a, b] of merges) {
      const isPlain = a !== unknown && b !== unknown && !(isByte && (/^<0x..>$/.test(a) || /^<0x..>$/.test(b)))
      if (!isPlain) throw refuseModel('merges', JSON.stringify([a, b]))
    }
    /** Returns a token if the vocabulary has it, else its byte tokens, else undefined for the unknown token. @param {string} token */
    const known = token => {
      if (ids.has(token)) return [token]
      if (isComplete) return Array.from(new TextEncoder().encode(token), nameOf)
      return hasUnknown ? [undefined] : []
    }
    /** Drops unknown characters before merging, as the Rust library does if there is no unknown token. @param {string} piece */
    const withoutUnknown = piece => {
      const all = Array.from(piece)
      const last = all.length - 1
      const kept = all.filter((one, n) => ids.has(n === last && suffix ? one + suffix : one))
      if (!suffix || ids.has(all[last] + suffix)) return model.bpe(kept.join(''))
      return model.bpe(`${kept.join('')}${END}`).slice(0, -1) // so that no real character gets the end-of-word suffix
    }
    return {
      isPairs: true,
      ...vocabularyOf(model),
      encode(piece) {
        if (json.ignore_merges && ids.has(piece)) return { ids: [ids.get(piece)], tokens: [piece] }
        const all = (hasUnknown || isComplete || json.drops_late ? model.bpe(piece) : withoutUnknown(piece)).flatMap(
          known,
        )
        // Only undefined is fused: an unknown token that the text itself contains is kept.
        const fused = isFused
          ? all.filter((token, n) => token !== undefined || n === 0 || all[n - 1] !== undefined)
          : all
        const tokens = fused.map(token => token ?? present(unknown))
        return { ids: tokens.map(token => ids.get(token)), tokens }
      },
    }
  },
  Unigram: unigram,
}

/** @param {Models['Unigram'] & { vocab: [string, number][], unknown_score?: number }} model @returns {Engine} */
function unigram({ unk_id: unknown, vocab, byte_fallback: isByte, unknown_score: unknownScore }) {
  const ids = new Map(vocab.map(([token], id) => [token, id]))
  if (isByte) hasBytes(ids)
  const hasUnknown = unknown !== null && unknown !== undefined
  if (hasUnknown && !(unknown in vocab)) throw refuseModel('unk_id', describe(unknown))
  const scores = new Map(vocab)
  const least = vocab.reduce((a, [, b]) => Math.min(a, b), Infinity)
  const longest = vocab.reduce((a, [token]) => Math.max(a, token.length), 1)
  const isKnown = (/** @type {string} */ token) => (ids.get(token) ?? unknown) !== unknown
  const bytesOf = (/** @type {string} */ text) => {
    const names = Array.from(new TextEncoder().encode(text), nameOf)
    return isByte && names.every(name => ids.has(name)) ? names : [text]
  }
  return {
    encode(piece) {
      const pieces = bestPieces(piece, {
        scoreOf: token => scores.get(token) ?? undefined,
        longest,
        unknown: unknownScore ?? least - UNKNOWN,
        hasUnknown,
        isKnown,
      })
      const tokens = pieces?.flatMap(token => (ids.has(token) ? [token] : bytesOf(token))) ?? [piece]
      return { ids: tokens.map(token => (pieces && ids.get(token)) ?? unknown ?? undefined), tokens }
    },
    idOf: token => ids.get(token),
    nameOf: id => vocab[id]?.[0],
    size: vocab.length,
  }
}
