// Tokenizes texts, detects unknown words, and chooses default texts. No DOM.

import { bytesOf } from '../../../files/byte-tokens.js'

/** @import { Model } from 'qkv/models' */

/** Config keys of special tokens, without their ending _token_id. */
const SPECIAL = ['bos', 'eos', 'decoder_start', 'pad', 'unk', 'sep', 'cls', 'mask']
/** Mask tokens of common tokenizers. */
export const MASKS = ['[MASK]', '<mask>']
/** Default texts for a decoder, an encoder and a model without a tokenizer. `WORDS`: number of words in the text of other vocabularies. */
const [FIRST, MASKED, IDS, WORDS] = ['Once upon a time', 'The [MASK] chased the dog.', '1 0 2 1 0 2', 6]
/** Default second text of an embedding model. */
const SECOND = 'A long time ago'

/**
 * Makes an error that the room shows as its text `key`, in the language of the page.
 * @param {keyof typeof import('../../../i18n/en/models.js').texts} key
 * @param {Record<string, string | number>} [params]
 */
export const problem = (key, params) => Object.assign(new Error(key), { key, params })

/** Returns the maximum number of tokens of a model; Infinity if its positions are unlimited. @param {Model} model */
export function positionsOf({ stacks: { encoder, decoder }, config }) {
  const most = (decoder ?? encoder)?.rope?.most ?? config.n_positions ?? config.max_position_embeddings
  return typeof most === 'number' ? most : Number.POSITIVE_INFINITY
}

/**
 * Returns the readable text of a token, without spaces around it. A token of white space is shown by visible signs, a part of a character
 * by its bytes, such as <E4B8>.
 * @param {Model} model
 * @param {number} id
 * @param {string} [raw] the tokenizer's text of the token
 */
export function tokenText(model, id, raw) {
  if (!hasTokenizer(model)) return String(id)
  const text = model.decode([id])
  if (text.trim() && !text.includes('\ufffd')) return text.trim()
  if (text && !text.includes('\ufffd')) return text.replaceAll(' ', '␣').replaceAll('\n', '↵')
  const bytes = raw && text && bytesOf(raw)
  if (bytes) return bytes
  if (raw) return raw.replace(/^[\u0120\u2581](?=.)/, '').replace(/^[\u0120\u2581]$/, '␣')
  const own = model.decode([id], { skipSpecialTokens: false }).trim()
  if (own && !own.includes('\ufffd')) return own
  if (/^ +$/.test(model.decode([id, id]))) return '␣' // a single space, which `decode` strips at the start
  const special = SPECIAL.find(name => [model.config[`${name}_token_id`]].flat().includes(id))
  return special ? `<${special}>` : `[${id}]`
}

/** @param {Model} model */
export function hasTokenizer(model) {
  try {
    model.decode([0])
    return true
  } catch {
    return false
  }
}

const UNKNOWN = /^[<[]\W?unk\W?[>\]]$/i

/**
 * True if the token replaces a word outside the vocabulary: it is the unknown token, or it decodes to nothing although `raw` is neither a
 * special token nor white space.
 * @param {Model} model
 * @param {number} id
 * @param {string} raw the tokenizer's text of the token
 */
function isUnknown(model, id, raw) {
  const text = model.decode([id])
  return UNKNOWN.test(raw) || UNKNOWN.test(text) || (!text && !/^(<.*>|\[.*\]|[\s\u0120\u2581]*)$/s.test(raw))
}

/**
 * Tokenizes an input. Throws a problem if there are no tokens.
 * @param {Model} model
 * @param {{ text: string, ids?: number[], more?: readonly number[] }} input without a tokenizer, the text contains ids; more: ids appended
 *   to it
 * @returns {{ ids: number[], tokens: string[], raw: string[], unknown: number[] }} unknown: indices of unknown tokens
 */
export function read(model, { text, ids: given, more = [] }) {
  const isText = hasTokenizer(model)
  const found = !given && isText ? tokenize(model, text) : undefined
  const ids = [...(found?.ids ?? given ?? (text.match(/\d+/g) ?? []).map(Number)), ...more]
  if (ids.length === 0) throw problem(isText ? 'modelsNoText' : 'modelsNoIds')
  const raw = found?.tokens ?? []
  const unknown = raw.flatMap((token, i) => (isUnknown(model, ids[i], token) ? [i] : []))
  const tokens = ids.map((id, i) => (unknown.includes(i) ? raw[i] : tokenText(model, id, raw[i])))
  return { ids, tokens, raw, unknown }
}

/** @param {Model} model @param {string} text */
function tokenize(model, text) {
  try {
    return model.tokenize(text)
  } catch (error) {
    if (error instanceof RangeError) throw problem('modelsCannotRead', { count: vocabOf(model) })
    throw error
  }
}

/** Returns the size of the vocabulary. @param {Model} model */
export const vocabOf = ({ config }) => Number(config.vocab_size)

/** Returns the mask token of an encoder. @param {Model} model */
export function maskOf(model) {
  if (model.stacks.decoder || !model.hasHead || !hasTokenizer(model)) return undefined
  return MASKS.find(mask => {
    try {
      return model.tokenize(mask).tokens.includes(mask)
    } catch {
      return false
    }
  })
}

/** True if the vocabulary contains at least half of the tokens of a text. @param {Model} model @param {string} text */
function knows(model, text) {
  try {
    const { ids, unknown } = read(model, { text })
    return 2 * unknown.length <= ids.length
  } catch {
    return false
  }
}

/** Returns the default text of a model, in one of its languages. @param {Model} model */
export function firstTextOf(model) {
  if (!hasTokenizer(model)) return IDS
  const mask = maskOf(model)
  const usual = mask ? MASKED.replace('[MASK]', mask) : FIRST
  if (knows(model, usual)) return usual
  /** @type {string[]} */
  const words = []
  for (let id = 0; id < vocabOf(model) && words.length < WORDS; id++) {
    const word = model.decode([id]).trim()
    if (/^\p{L}+$/u.test(word) && knows(model, word)) words.push(word)
  }
  if (mask) words[1] = mask
  return words.join(' ')
}

/** Returns the default second text of an embedding model. @param {Model} model */
export const secondTextOf = model => (knows(model, SECOND) ? SECOND : firstTextOf(model))

/**
 * Returns what a model predicts. Without a head or classes, computes a similarity, since only that shows whether the model has embeddings.
 * @param {Model} model
 * @returns {Promise<import('../models.js').Predicts>}
 */
export async function predictsOf(model) {
  const { classes, hasHead, stacks } = model
  if (hasHead) return 'token'
  if (classes) return classes.of === 'text' ? 'class' : 'classes'
  if (stacks.encoder && stacks.decoder) return ''
  const text = firstTextOf(model)
  return model.similarity(text, text).then(
    () => 'likeness',
    () => '',
  )
}

/**
 * Returns the start and end of a token in the text; undefined if the text does not contain it, as for a token that the tokenizer adds.
 * @param {string} text
 * @param {readonly string[]} tokens all tokens of the text
 * @param {number} index
 * @returns {[from: number, to: number] | undefined}
 */
export function spanOf(text, tokens, index) {
  const written = text.toLowerCase()
  let [from, to] = [-1, 0]
  for (const token of tokens.slice(0, index + 1)) {
    const part = token.replace(/^##(?=.)/, '').toLowerCase()
    from = written.indexOf(part, to)
    if (from >= 0) to = from + part.length
  }
  return from < 0 ? undefined : [from, to]
}

/**
 * Returns the longest beginning of a text that has at most `most` tokens, cut back to the end of a word unless that halves it.
 * @param {Model} model
 * @param {string} text
 * @param {number} most
 */
export function beginningOf(model, text, most) {
  const count = (/** @type {number} */ end) =>
    text.slice(0, end).trim() ? read(model, { text: text.slice(0, end) }).ids.length : 0
  let [from, to] = [0, text.length] // invariant: the text up to `from` fits, up to `to` it does not
  for (; to - from > 1; ) {
    const middle = Math.floor((from + to) / 2)
    if (count(middle) <= most) from = middle
    else to = middle
  }
  const cut = text.slice(0, from).search(/\s\S*$/)
  return text.slice(0, cut > from / 2 ? cut : from)
}
