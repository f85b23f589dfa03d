// tokenizer.json, read by the Tokenizer class of @huggingface/tokenizers, an optional package.

import { describe } from '../base/errors.js'

/**
 * @typedef {object} TokenizerLike
 * @property {(text: string, options?: { text_pair?: string | null, return_token_type_ids?: true }) => { ids: number[],
 *   tokens: string[], token_type_ids?: number[] }} encode
 * @property {(ids: number[], options?: { skip_special_tokens?: boolean }) => string} decode
 *
 * @typedef {new (tokenizer: object, config: object) => TokenizerLike} TokenizerClass
 *
 * @typedef {object} Tokenized
 * @property {number[]} ids
 * @property {string[]} tokens
 * @property {number[]} [tokenTypeIds] of a pair of texts: 0 for the first one, 1 for the second
 */

const PACKAGE = '@huggingface/tokenizers'

/** The texts of a model. @typedef {{ encode: (text: string, pair: string | undefined, vocab: number) => Tokenized, decode: TokenizerLike['decode'] }} TextTool */

/**
 * @param {import('./source.js').Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON given, not imported: so source.js stays in one bundle with load.js
 * @param {TokenizerClass | TokenizerLike | undefined} given
 * @returns {Promise<TextTool | undefined>} undefined: there is no tokenizer.json
 */
export async function openTokenizer(folder, readJSON, given) {
  const tokenizer = typeof given === 'object' && given !== null ? given : await fromFolder(folder, readJSON, given)
  return (
    tokenizer && {
      encode: (text, pair, vocab) => encode(tokenizer, text, pair, vocab),
      decode: (ids, options) => byPackage(() => tokenizer.decode(ids, options)),
    }
  )
}

/**
 * @param {import('./source.js').Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON
 * @param {TokenizerClass} [Class]
 */
async function fromFolder(folder, readJSON, Class) {
  const file = await folder.open('tokenizer.json')
  if (!file) return undefined
  const configFile = await folder.open('tokenizer_config.json')
  const config = configFile ? await readJSON(configFile, 'tokenizer_config.json') : {}
  return makeTokenizer(await readJSON(file, 'tokenizer.json'), /** @type {object} */ (config), Class)
}

/**
 * @param {unknown} json tokenizer.json
 * @param {object} config tokenizer_config.json, or {}
 * @param {TokenizerClass} [Class]
 * @returns {Promise<TokenizerLike>}
 */
async function makeTokenizer(json, config, Class) {
  if (typeof json !== 'object' || json === null || !('model' in json))
    throw new TypeError(`tokenizer.json: ${describe(json)} given, an object with a model expected`)
  const Tokenizer = Class ?? (await import(/* @vite-ignore */ PACKAGE).catch(() => undefined))?.Tokenizer
  if (!Tokenizer)
    throw new Error(
      `loadModel: tokenizer.json needs the package ${PACKAGE}: install it, pass its class as { tokenizer: Tokenizer }, or tokenizer: false`,
    )
  return byPackage(() => new Tokenizer(json, config))
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
 * @param {TokenizerLike} tokenizer
 * @param {string} text
 * @param {string | undefined} pair a second segment
 * @param {number} vocab
 * @returns {Tokenized}
 */
function encode(tokenizer, text, pair, vocab) {
  for (const part of [text, pair ?? ''])
    if (typeof part !== 'string') throw new TypeError(`tokenize: ${describe(part)} given, a string expected`)
  const encoded = byPackage(() => tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true }))
  if (!Array.isArray(encoded?.ids) || !Array.isArray(encoded.tokens))
    throw new TypeError(`tokenize: the tokenizer gives ${describe(encoded)}, { ids, tokens } with two arrays expected`)
  const { ids, tokens, token_type_ids: types } = encoded
  const strange = ids.findIndex(id => !(Number.isInteger(id) && id >= 0 && id < vocab))
  if (strange >= 0)
    throw new RangeError(
      `tokenize: the tokenizer gives token ${describe(tokens[strange])} the id ${describe(ids[strange])}; the model has ${vocab} tokens`,
    )
  return { ids, tokens, ...(pair !== undefined && { tokenTypeIds: types }) }
}
