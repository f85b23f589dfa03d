// The texts of a model: tokenizer.json, read by the Tokenizer class of @huggingface/tokenizers, an optional package, or by word-level.js
// if its tokens are whole words; or the files from which transformers makes one, vocab.txt of BERT's models and the SentencePiece files of Marian's.

import { describe } from '../base/errors.js'

/**
 * @typedef {object} TokenizerLike
 * @property {(text: string, options?: { text_pair?: string | null, add_special_tokens?: boolean, return_token_type_ids?: true }) => {
 *   ids: number[], tokens: string[], token_type_ids?: number[] }} encode
 * @property {(ids: number[], options?: { skip_special_tokens?: boolean }) => string} decode
 * @property {(id: number) => string | undefined} [id_to_token]
 *
 * @typedef {new (tokenizer: object, config: object) => TokenizerLike} TokenizerClass
 *
 * @typedef {object} Tokenized
 * @property {number[]} ids
 * @property {string[]} tokens
 * @property {number[]} [tokenTypeIds] of a pair of texts: 0 for the first one, 1 for the second
 */

/**
 * The texts of a model.
 * @typedef {object} TextTool
 * @property {(text: string, pair: string | undefined, vocab: number, most?: number) => Tokenized} encode cut to `most` ids
 * @property {(text: string, vocab: number) => number[]} bare the ids of a text without special tokens
 * @property {import('./chat.js').TokenizerConfig} config tokenizer_config.json
 * @property {TokenizerLike['decode']} decode
 */

/**
 * A tokenizer of the folder, the id of words that it does not know, and tokenizer_config.json.
 * @typedef {{ tokenizer: TokenizerLike, unknown?: number, config?: import('./chat.js').TokenizerConfig }} Opened
 */

/**
 * @param {import('./source.js').Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON given, not imported: so source.js stays in one bundle with load.js
 * @param {TokenizerClass | TokenizerLike | undefined} given
 * @param {string} type the model_type
 * @returns {Promise<TextTool | undefined>} undefined: there is no tokenizer.json, and nothing that becomes one
 */
export async function openTokenizer(folder, readJSON, given, type) {
  const opened =
    typeof given === 'object' && given !== null ? { tokenizer: given } : await fromFolder(folder, readJSON, given, type)
  return (
    opened && {
      encode: (text, pair, vocab, most = Infinity) => encode(opened, text, pair, vocab, most),
      bare: (text, vocab) => encode(opened, text, undefined, vocab, Infinity, false).ids,
      config: opened.config ?? {},
      decode: (ids, options) => decode(opened.tokenizer, ids, options),
    }
  )
}

/**
 * The text of ids. A decoder takes the space before the first word away, which belongs to a token that stands alone.
 * @param {TokenizerLike} tokenizer
 * @param {number[]} ids
 * @param {{ skip_special_tokens?: boolean }} [options]
 */
function decode(tokenizer, ids, options) {
  const text = byPackage(() => tokenizer.decode(ids, options))
  const isCut = ids.length === 1 && !text.startsWith(' ') && tokenizer.id_to_token?.(ids[0])?.startsWith('\u2581')
  return isCut ? ` ${text}` : text
}

/**
 * @param {import('./source.js').Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON
 * @param {TokenizerClass | undefined} Class
 * @param {string} type
 */
async function fromFolder(folder, readJSON, Class, type) {
  const config = async () => {
    const file = await folder.open('tokenizer_config.json')
    return /** @type {Record<string, unknown>} */ (file ? await readJSON(file, 'tokenizer_config.json') : {})
  }
  const file = await folder.open('tokenizer.json')
  if (file) return makeTokenizer(await readJSON(file, 'tokenizer.json'), await config(), Class)
  if (WORDPIECE.includes(type)) {
    const vocabulary = await bytesOf(folder, 'vocab.txt')
    if (!vocabulary) return undefined
    const { fromVocabulary } = await import('./wordpiece.js')
    const own = await config()
    return makeTokenizer(fromVocabulary(new TextDecoder().decode(vocabulary), own), own, Class)
  }
  const source = type === 'marian' ? await bytesOf(folder, 'source.spm') : undefined
  const ids = source && (await folder.open('vocab.json'))
  if (!source || !ids) return undefined
  const { marianTokenizer, readPieces } = await import('./sentencepiece.js')
  const vocab = /** @type {Record<string, number>} */ (await readJSON(ids, 'vocab.json'))
  return { tokenizer: marianTokenizer(readPieces(source, 'source.spm'), vocab), unknown: vocab['<unk>'] }
}

/** Types of models whose words are those of vocab.txt. */
const WORDPIECE = ['bert', 'distilbert', 'electra']
const MOST = 2 ** 26

/** A whole file. @param {import('./source.js').Folder} folder @param {string} name */
async function bytesOf(folder, name) {
  const file = await folder.open(name)
  return file?.read(0, file.size ?? MOST)
}

/**
 * @param {unknown} json tokenizer.json
 * @param {Record<string, unknown>} config tokenizer_config.json, or {}
 * @param {TokenizerClass} [Class]
 * @returns {Promise<Opened>}
 */
async function makeTokenizer(json, config, Class) {
  if (typeof json !== 'object' || json === null || !('model' in json))
    throw new TypeError(`tokenizer.json: ${describe(json)} given, an object with a model expected`)
  const {
    unk_id: id,
    unk_token: token,
    vocab,
  } = /** @type {{ unk_id?: number, unk_token?: string, vocab?: any }} */ (Object(json.model))
  const unknown = id ?? Object(vocab)[String(token)]
  const Tokenizer = Class ?? (await ownClass(json, config)) ?? (await imported())
  return { tokenizer: byPackage(() => new Tokenizer(json, config)), unknown, config }
}

/** Returns the class for a file of whole words, which needs no package. @param {any} json @param {Record<string, unknown>} config */
async function ownClass(json, config) {
  if (json.model?.type !== 'WordLevel') return undefined
  const { isWordLevel, WordLevel } = await import('./word-level.js')
  return isWordLevel(json, config) ? WordLevel : undefined
}

/**
 * The class of the optional package. Its name is a literal, so that bundlers find it; they only warn of a missing package where
 * the import stands in try.
 * @returns {Promise<TokenizerClass>}
 */
async function imported() {
  try {
    return /** @type {any} */ (await import('@huggingface/tokenizers')).Tokenizer
  } catch (cause) {
    const { missingPackage } = await import('./refusals.js')
    const instead = 'or pass its class as { tokenizer: Tokenizer }, or tokenizer: false'
    throw missingPackage(cause, 'tokenizer.json', '@huggingface/tokenizers', instead)
  }
}

/**
 * Calls the tokenizer. A TypeError of it is an error of the engine, which says nothing about the file, so that only the
 * message of another error is repeated.
 * @template T
 * @param {() => T} call
 */
function byPackage(call) {
  try {
    return call()
  } catch (cause) {
    const why = cause instanceof Error && !(cause instanceof TypeError) ? `: ${cause.message}` : ''
    throw new Error(
      `tokenizer.json is not covered by the tokenizer${why}. Load the model with { tokenizer: false } and give ids`,
      { cause },
    )
  }
}

/**
 * @param {Opened} opened
 * @param {string} text
 * @param {string | undefined} pair a second segment
 * @param {number} vocab
 * @param {number} most ids; of a pair the longer segment is cut first
 * @param {boolean} [isWhole] with special tokens; default true
 * @returns {Tokenized}
 */
function encode({ tokenizer, unknown }, text, pair, vocab, most, isWhole = true) {
  for (const part of [text, pair ?? ''])
    if (typeof part !== 'string') throw new TypeError(`tokenize: ${describe(part)} given, a string expected`)
  const encoded = byPackage(() =>
    tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true, add_special_tokens: isWhole }),
  )
  if (!Array.isArray(encoded?.ids) || !Array.isArray(encoded.tokens))
    throw new TypeError(`tokenize: the tokenizer gives ${describe(encoded)}, { ids, tokens } with two arrays expected`)
  const { tokens, token_type_ids: types } = encoded
  const ids = encoded.ids.map(id => id ?? unknown)
  const strange = ids.findIndex(id => !(Number.isInteger(id) && id >= 0 && id < vocab))
  if (strange >= 0)
    throw new RangeError(
      `tokenize: the tokenizer gives token ${describe(tokens[strange])} the id ${describe(ids[strange])}; the model has ${vocab} tokens`,
    )
  const kept = ids.length > most ? keptOf(tokenizer, [text, pair], ids, most) : undefined
  const cut = (/** @type {any} */ list) =>
    kept ? list?.filter((/** @type {unknown} */ _, /** @type {number} */ n) => kept[n]) : list
  return { ids: cut(ids), tokens: cut(tokens), ...(pair !== undefined && { tokenTypeIds: cut(types) }) }
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
    const own = byPackage(() => tokenizer.encode(text, { add_special_tokens: false })).ids
    const isAt = (/** @type {number} */ at) => own.every((id, n) => (id ?? ids[at + n]) === ids[at + n])
    while (from + own.length <= ids.length && !isAt(from)) from++
    const start = from
    from += own.length
    return [{ start, length: own.length, end: from }]
  })
  if (from > ids.length)
    throw new Error('tokenize: truncation: the tokenizer does not tell special tokens apart: give a shorter text')
  /** The longer text is cut; of two equal ones the one that was shorter, as in Hugging Face's tokenizers. */
  const isNext = (/** @type {typeof spans[0]} */ b, /** @type {typeof spans[0]} */ a) =>
    b.length > a.length || (b.length === a.length && b.end - b.start < a.end - a.start)
  let rest = ids.length - most
  for (; rest > 0; rest--) {
    const longest = spans.reduce((a, b) => (isNext(b, a) ? b : a))
    if (longest.length === 0)
      throw new RangeError(`tokenize: maxLength ${most} is less than the special tokens of a text`)
    longest.length--
  }
  const kept = ids.map(() => true)
  for (const { start, length, end } of spans) kept.fill(false, start + length, end)
  return kept
}
