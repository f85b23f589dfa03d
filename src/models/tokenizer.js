// The texts of a model: tokenizer.json and the files beside it; or the files from which transformers makes one, vocab.txt of BERT's models
// and the SentencePiece files of Marian's; or the metadata of a GGUF file; or a tokenizer that the caller gives.

import { describe } from '../base/errors.js'

/**
 * @typedef {object} TokenizerLike
 * @property {(text: string, options?: { text_pair?: string | null, add_special_tokens?: boolean, return_token_type_ids?: true }) => {
 *   ids: number[], tokens: string[], token_type_ids?: number[] }} encode
 * @property {(ids: number[], options?: { skip_special_tokens?: boolean }) => string} decode
 *
 * @typedef {new (tokenizer: object, config: object) => TokenizerLike} TokenizerClass
 *
 * @typedef {object} Tokenized
 * @property {number[]} ids
 * @property {string[]} tokens
 * @property {number[]} [tokenTypeIds] of a pair of texts, where the model has types: 0 for the first one, 1 for the second
 */

/**
 * What reads the texts of a folder.
 * @typedef {object} TextReader
 * @property {(text: string, pair: string | undefined, most: number, isWhole: boolean, isLower?: boolean) => {
 *   ids: number[], tokens: string[], types?: number[] }} encode isWhole: with special tokens; isLower: in lower case before it is normalized
 * @property {(id: number) => string} nameOf a token as the vocabulary writes it
 * @property {(token: string) => number | undefined} [idOf] of what the vocabulary writes so
 * @property {(ids: readonly number[], isBare: boolean) => string} decode isBare: without special tokens
 * @property {(ids: readonly number[], text: string) => boolean} isOpen true if the end of the text may change with the next id
 * @property {import('./chat.js').TokenizerConfig} [config]
 * @property {string} [wordPrefix] what tokens within a word begin with; undefined where words are not marked so
 */
/**
 * The texts of a model.
 * @typedef {object} TextTool
 * @property {(text: string, pair: string | undefined, vocab: number, most?: number, isWhole?: boolean, isLower?: boolean) => Tokenized} encode cut
 *   to `most` ids; isWhole: with special tokens, the default
 * @property {(text: string, vocab: number) => number[]} bare the ids of a text without special tokens
 * @property {import('./chat.js').TokenizerConfig} config tokenizer_config.json, with the tokens of special_tokens_map.json
 * @property {number} most ids of a text, as model_max_length says; Infinity where it does not
 * @property {TextReader['decode']} decode
 * @property {TextReader['isOpen']} isOpen
 * @property {TextReader['nameOf']} nameOf
 * @property {TextReader['idOf']} idOf
 * @property {TextReader['wordPrefix']} wordPrefix
 */

/**
 * @param {import('./source.js').Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON given, not imported: so source.js stays in one bundle with load.js
 * @param {TokenizerClass | TokenizerLike | undefined} given
 * @param {string} type the model_type
 * @param {unknown} [named] the tokenizer_class of config.json
 * @returns {Promise<TextTool | undefined>} undefined: there is no tokenizer.json, and nothing that becomes one
 */
export async function openTokenizer(folder, readJSON, given, type, named) {
  const reader =
    typeof given === 'object' && given !== null
      ? (await import('./tokenizers/given.js')).fromGiven(given)
      : await fromFolder(folder, readJSON, given, type, named)
  if (!reader) return undefined
  const { config = {}, decode, isOpen, nameOf, idOf, wordPrefix } = reader
  const most = Number(config.model_max_length ?? Infinity)
  return {
    encode: (text, pair, vocab, most = Infinity, isWhole = true, isLower = false) =>
      encode(reader, text, pair, vocab, most, isWhole, isLower),
    bare: (text, vocab) => encode(reader, text, undefined, vocab, Infinity, false, false).ids,
    config,
    most: most > 0 ? Math.floor(most) : Infinity,
    decode,
    isOpen,
    nameOf,
    idOf,
    wordPrefix,
  }
}

/**
 * @param {import('./source.js').Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON
 * @param {TokenizerClass | undefined} Class
 * @param {string} type
 * @param {unknown} named
 * @returns {Promise<TextReader | undefined>}
 */
async function fromFolder(folder, readJSON, Class, type, named) {
  if (folder.metadata) return (await import('./gguf/tokenizer.js')).openMetadata(folder.metadata, Class)
  const file = await folder.open('tokenizer.json')
  const words = !file && WORDPIECE.includes(type) ? await bytesOf(folder, 'vocab.txt') : undefined
  if (file || words) {
    const { openFiles } = await import('./tokenizers/open-files.js')
    return openFiles(folder, readJSON, file ? await readJSON(file, 'tokenizer.json') : words, Class, { type, named })
  }
  const source = type === 'marian' ? await bytesOf(folder, 'source.spm') : undefined
  const ids = source && (await folder.open('vocab.json'))
  if (!source || !ids) return undefined
  const { marianReader, readPieces } = await import('./sentencepiece.js')
  const vocab = /** @type {Record<string, number>} */ (await readJSON(ids, 'vocab.json'))
  return marianReader(readPieces(source, 'source.spm'), vocab)
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
 * @param {TextReader} reader
 * @param {string} text
 * @param {string | undefined} pair a second segment
 * @param {number} vocab
 * @param {number} most ids; of a pair the longer segment is cut first
 * @param {boolean} isWhole with special tokens
 * @param {boolean} isLower
 * @returns {Tokenized}
 */
function encode(reader, text, pair, vocab, most, isWhole, isLower) {
  for (const part of [text, pair ?? ''])
    if (typeof part !== 'string') throw new TypeError(`tokenize: ${describe(part)} given, a string expected`)
  const { ids, tokens, types } = reader.encode(text, pair ?? undefined, most, isWhole, isLower)
  const strange = ids.findIndex(id => !(Number.isInteger(id) && id >= 0 && id < vocab))
  if (strange >= 0)
    throw new RangeError(
      `tokenize: the tokenizer gives token ${describe(tokens[strange])} the id ${describe(ids[strange])}; the model has ${vocab} tokens`,
    )
  return { ids, tokens, ...(pair !== undefined && { tokenTypeIds: types }) }
}
