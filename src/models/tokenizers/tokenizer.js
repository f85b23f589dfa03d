// Opens the tokenizer of a model. It is made of tokenizer.json and the files next to it, of vocab.txt (BERT), of SentencePiece files
// (Marian), or of the metadata of a GGUF file; or the caller gives it.

import { describe } from '../../base/errors.js'

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
 * @property {number[]} [tokenTypeIds] for a model with types: 0 for the first text, 1 for the second
 */

/**
 * Tokenizes and decodes the texts of a folder.
 * @typedef {object} TextReader
 * @property {(text: string, pair: string | undefined, most: number, isWhole: boolean, isLower?: boolean) => { ids: number[], tokens:
 *   string[], types?: number[] }} encode isWhole: true to add special tokens; isLower: true to lowercase before normalisation
 * @property {(id: number) => string} nameOf returns a token as written in the vocabulary
 * @property {(token: string) => number | undefined} [idOf] returns the id of a token as written in the vocabulary
 * @property {(ids: readonly number[], isBare: boolean) => string} decode isBare: true to skip special tokens
 * @property {boolean} [splitsSpaces] true if a text is first split at spaces, and the mark of a space is then put before each word
 * @property {(tokens: string[]) => string} [joined] decodes tokens as they are written in the vocabulary
 * @property {(ids: readonly number[], text: string) => boolean} isOpen returns true if the end of the text may change with the next id
 * @property {import('../jinja/chat.js').TokenizerConfig} [config]
 * @property {string} [wordPrefix] prefix of tokens that continue a word, such as ##; undefined if they have none
 */
/**
 * The tokenizer of a model.
 * @typedef {object} TextTool
 * @property {(text: string, pair: string | undefined, vocab: number, most?: number, isWhole?: boolean, isLower?: boolean) => Tokenized}
 *   encode returns at most `most` ids; isWhole: true (default) to add special tokens
 * @property {(text: string, vocab: number) => number[]} bare returns the ids of a text without special tokens
 * @property {import('../jinja/chat.js').TokenizerConfig} config tokenizer_config.json, with the tokens of special_tokens_map.json
 * @property {number} most maximum number of ids from model_max_length; Infinity without one
 * @property {TextReader['decode']} decode
 * @property {TextReader['joined']} [joined]
 * @property {TextReader['splitsSpaces']} [splitsSpaces]
 * @property {TextReader['isOpen']} isOpen
 * @property {TextReader['nameOf']} nameOf
 * @property {TextReader['idOf']} [idOf]
 * @property {TextReader['wordPrefix']} [wordPrefix]
 */

/**
 * Opens the tokenizer of a folder.
 * @param {import('../source/source.js').Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON passed instead of imported, so that bundlers keep source.js in the chunk
 *   of load-model.js
 * @param {TokenizerClass | TokenizerLike | undefined} given
 * @param {string} type the model_type
 * @param {unknown} [named] tokenizer_class of config.json
 * @returns {Promise<TextTool | undefined>} undefined if there is no tokenizer.json and no file that replaces it
 */
export async function openTokenizer(folder, readJSON, given, type, named) {
  const reader =
    typeof given === 'object' && given !== null
      ? (await import('./given.js')).fromGiven(given)
      : await fromFolder(folder, readJSON, given, type, named)
  if (!reader) return undefined
  const { config = {} } = reader
  const most = Number(config.model_max_length ?? Infinity)
  return {
    ...reader,
    encode: (text, pair, vocab, most = Infinity, isWhole = true, isLower = false) =>
      encode(reader, text, pair, vocab, most, isWhole, isLower),
    bare: (text, vocab) => encode(reader, text, undefined, vocab, Infinity, false, false).ids,
    config,
    most: most > 0 ? Math.floor(most) : Infinity,
  }
}

/**
 * @param {import('../source/source.js').Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 * @param {TokenizerClass | undefined} Class
 * @param {string} type
 * @param {unknown} named
 * @returns {Promise<TextReader | undefined>}
 */
async function fromFolder(folder, readJSON, Class, type, named) {
  if (folder.metadata) return (await import('../gguf/tokenizer.js')).openMetadata(folder.metadata, Class)
  const file = await folder.open('tokenizer.json')
  const words = !file && WORDPIECE.includes(type) ? await bytesOf(folder, 'vocab.txt') : undefined
  if (file || words) {
    const { openFiles } = await import('./open-files.js')
    return openFiles(folder, readJSON, file ? await readJSON(file, 'tokenizer.json') : words, Class, { type, named })
  }
  const source = type === 'marian' ? await bytesOf(folder, 'source.spm') : undefined
  const ids = source && (await folder.open('vocab.json'))
  if (!source || !ids) return undefined
  const { marianReader, readPieces } = await import('./sentencepiece.js')
  const vocab = /** @type {Record<string, number>} */ (await readJSON(ids, 'vocab.json'))
  return marianReader(readPieces(source, 'source.spm'), vocab)
}

/** Model types that use vocab.txt. */
const WORDPIECE = ['bert', 'distilbert', 'electra']
const MOST = 2 ** 26

/** Reads a whole file. @param {import('../source/source.js').Folder} folder @param {string} name */
async function bytesOf(folder, name) {
  const file = await folder.open(name)
  return file?.read(0, file.size ?? MOST)
}

/**
 * Tokenizes a text.
 * @param {TextReader} reader
 * @param {string} text
 * @param {string | undefined} pair second segment
 * @param {number} vocab
 * @param {number} most maximum number of ids; for a pair, the longer segment is cut first
 * @param {boolean} isWhole true to add special tokens
 * @param {boolean} isLower
 * @returns {Tokenized}
 */
function encode(reader, text, pair, vocab, most, isWhole, isLower) {
  for (const part of [text, pair ?? ''])
    if (typeof part !== 'string')
      throw new TypeError(`tokenize: expected a text, and as pair another one, got ${describe(part)}`)
  const { ids, tokens, types } = reader.encode(text, pair ?? undefined, most, isWhole, isLower)
  const strange = ids.findIndex(id => !(Number.isInteger(id) && id >= 0 && id < vocab))
  if (strange >= 0)
    throw new RangeError(
      `tokenize: the tokenizer gives token ${describe(tokens[strange])} the id ${describe(ids[strange])}; the model has ${vocab} tokens`,
    )
  return { ids, tokens, ...(pair !== undefined && { tokenTypeIds: types }) }
}
