// Opens tokenizer.json, or else vocab.txt, with the files next to it.

import { describe } from '../../base/errors.js'
import { cleanUp } from './clean-up.js'
import { filled } from './fill.js'
import { readTokenizer } from './read-tokenizer.js'
import { refuse } from './refuse.js'

/**
 * Opens a tokenizer.
 * @param {import('../source/source.js').Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 * @param {unknown} file tokenizer.json, or the bytes of vocab.txt
 * @param {import('./tokenizer.js').TokenizerClass | undefined} Class class Tokenizer of `@huggingface/tokenizers`; default: imported
 * @param {Parameters<typeof import('./tokenizer-config.js').readConfig>[2]} model
 * @returns {Promise<import('./tokenizer.js').TextReader>}
 */
export async function openFiles(folder, readJSON, file, Class, model) {
  const [{ checkJson }, { configured, extend, isOfWords, readConfig, withDefaults }] = await Promise.all([
    import('./check-json.js'),
    import('./tokenizer-config.js'),
  ])
  const { config: given, added } = await readConfig(folder, readJSON, model)
  const isWords = file instanceof Uint8Array
  if (isWords && !isOfWords(given))
    throw refuse('tokenizer_config.json: tokenizer_class', `${given.tokenizer_class}, which does not read vocab.txt,`)
  const json = isWords ? await fromWords(file, given) : file
  if (typeof json !== 'object' || json === null || !('model' in json))
    throw new TypeError(`tokenizer.json: expected an object with a model, got ${describe(json)}`)
  checkJson(json)
  const config = withDefaults(given, json)
  return openParts(configured(json, config), config, Class, {
    template: reader => extend(reader, config, added),
    instead: Tokenizer => new Tokenizer(json, config),
  })
}

/**
 * Opens a tokenizer from parsed files.
 * @param {import('./read-tokenizer.js').TokenizerJson} json
 * @param {import('../jinja/chat.js').TokenizerConfig} config tokenizer_config.json
 * @param {import('./tokenizer.js').TokenizerClass} [Class] class Tokenizer of `@huggingface/tokenizers`; default: imported
 * @param {object} [how]
 * @param {(reader: Awaited<ReturnType<typeof readTokenizer>>) => import('./post-processors.js').Template} [how.template] special tokens
 *   around texts; default: those of tokenizer.json
 * @param {(Tokenizer: import('./tokenizer.js').TokenizerClass) => import('./tokenizer.js').TokenizerLike} [how.instead] makes the tokenizer
 *   if the caller gave a class other than that of the package
 * @returns {Promise<import('./tokenizer.js').TextReader>}
 */
export async function openParts(json, config, Class, { template: templateOf, instead } = {}) {
  /** @type {import('./tokenizer.js').TokenizerLike | undefined} */
  let own
  const make = async (/** @type {object} */ bare) => {
    const Tokenizer = Class ?? (await imported())
    const made = new Tokenizer(bare, {})
    if ('model' in made && Object(made.model).tokens_to_ids instanceof Map) return made
    own = instead?.(Tokenizer)
    throw new Error('no model')
  }
  const reader = await readTokenizer(json, make).catch(cause => own ?? failed(cause))
  if (!('template' in reader)) return { ...(await import('./given.js')).fromGiven(reader), config }
  const template = templateOf?.(reader) ?? reader.template
  const { clean_up_tokenization_spaces: isClean, truncation_side: side, model_input_names: inputs } = config
  const hasTypes = !Array.isArray(inputs) || inputs.includes('token_type_ids')
  const isCleaned =
    isClean === true &&
    (!reader.isPairs || config.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output === true)
  return {
    config,
    encode(text, pair, most, isWhole, isLower) {
      const input = filled(reader, template, [text, pair], { most, isWhole, isLeft: side === 'left', isLower })
      return hasTypes ? input : { ...input, types: undefined }
    },
    nameOf: reader.nameOf,
    idOf: reader.idOf,
    joined: reader.joined,
    splitsSpaces: JSON.stringify(json.pre_tokenizer ?? null).includes('"WhitespaceSplit"'),
    wordPrefix: prefixOf(json.model),
    decode: (ids, isBare) => {
      const text = reader.decode(ids, isBare)
      return isCleaned ? cleanUp(text) : text
    },
    // The text may end within a sequence that clean-up shortens, such as " n't".
    isOpen: (ids, text) => reader.isOpen(ids, text) || (isCleaned && / (?:'[vr]?|n'?)?$/.test(text)),
  }
}

/** Returns the prefix of tokens that continue a word; the default of WordPiece is ##. @param {unknown} model of tokenizer.json */
function prefixOf(model) {
  const { type, continuing_subword_prefix: prefix } = Object(model)
  return prefix || (type === 'WordPiece' ? '##' : undefined)
}

/**
 * Rethrows errors that name tokenizer.json or loadModel. Replaces others by the error that the file is invalid. It repeats their message,
 * except that of a TypeError, which comes from the JavaScript engine and does not help users.
 * @param {Error} cause
 * @returns {never}
 */
function failed(cause) {
  if (/^(tokenizer\.json|loadModel)/.test(cause.message)) throw cause
  const why = cause instanceof TypeError ? '' : `: ${cause.message}`
  throw new Error(`tokenizer.json is not valid${why}. Load the model with { tokenizer: false } and give ids`, { cause })
}

/** Builds tokenizer.json from vocab.txt. @param {Uint8Array} bytes of vocab.txt @param {Record<string, unknown>} config */
async function fromWords(bytes, config) {
  const { fromVocabulary } = await import('./wordpiece.js')
  return fromVocabulary(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), config) // keeps a byte order mark, as in Python
}

/**
 * Imports the class of the optional package. The name in import() is a literal, so that bundlers find the package. If it is missing,
 * bundlers only warn, because the import is within `try`.
 * @returns {Promise<import('./tokenizer.js').TokenizerClass>}
 */
async function imported() {
  try {
    return (await import('@huggingface/tokenizers')).Tokenizer
  } catch (cause) {
    const { missingPackage } = await import('../config/refusals.js')
    const instead = 'or pass its class as { tokenizer: Tokenizer }, or tokenizer: false'
    throw missingPackage(cause, 'loadModel: the tokenizer of this model', '@huggingface/tokenizers', instead)
  }
}
