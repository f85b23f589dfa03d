// Reads files that are rarely needed: the modules of sentence-transformers, chat templates, generation_config.json.

import { openFolder, readJSON } from '../source/source.js'

/** @import { CheckpointSource, Folder } from '../source/source.js' */

/**
 * Returns a function that returns the content of rarely needed files; undefined if the folder has none. If the folder lists one of them,
 * they are read at once. A server cannot be listed: its files are requested on first use, since requests for missing files would fail.
 * @template T
 * @param {Folder} folder
 * @param {CheckpointSource | undefined} source undefined if all files are in `folder`
 * @param {(name: string) => boolean} isOne True for the name of one of the files
 * @param {(from: Folder) => Promise<T>} read
 * @param {boolean} [isLater] True to throw for unsupported settings when they are used, not when the model is loaded
 */
async function whenNeeded(folder, source, isOne, read, isLater = false) {
  if (folder.names().some(isOne)) {
    const found = read(folder)
    await (isLater ? found.catch(() => {}) : found)
    return () => found
  }
  if (!(typeof source === 'string' || source instanceof URL) || String(source).startsWith('hf:')) return undefined
  const open = async () => {
    const again = await openFolder(source, {}, { isLoaded: true, hasTokenizer: false })
    return read(again).finally(() => again.close())
  }
  /** @type {Promise<T> | undefined} */
  let found
  return () => {
    found ??= open().catch(error => {
      found = undefined // retry on the next call
      throw error
    })
    return found
  }
}

/** Reads the modules of sentence-transformers. @param {Folder} from */
const readModules = async from => (await import('../sentences/sentence-modules.js')).readModules(from, readJSON)

/** Reads the cross-encoder settings of a folder. @param {Folder} from */
const readRanking = async from => (await import('../sentences/rank.js')).readRanking(from, readJSON)

/** Returns the cross-encoder settings of a folder without files of them. @type {import('../sentences/rank.js').ReadRanking} */
const isUsual = async () => ({ isUsual: true })

/** @param {NonNullable<Folder['ranking']>} ranking @returns {import('../sentences/rank.js').ReadRanking} */
const rankingOf = ranking => async () => ({ ranking: { isLower: false, prompts: {}, ...ranking } })

/** Matches the settings files of a cross-encoder. */
const RANKING = /^(?:modules|config_sentence_transformers|sentence_[\w-]+_config)\.json$/

const [TEMPLATE, OF_PROCESSOR, TOKENS] = ['chat_template.jinja', 'chat_template.json', 'special_tokens_map.json']
const NAMED = /^additional_chat_templates\/([^/]+)\.jinja$/

/**
 * Files besides tokenizer_config.json that conversations need.
 * @typedef {object} ChatFiles
 * @property {[name: string, template: string][]} templates of chat_template.jinja, named default, and of additional_chat_templates/
 * @property {(name: string) => Promise<string | undefined>} [named] reads a file of additional_chat_templates/; only for a server, where
 *   that folder cannot be listed
 * @property {unknown} [ofProcessor] chat_template of chat_template.json, for a processor of images and texts
 * @property {Record<string, unknown>} [tokens] special_tokens_map.json
 */

/** Reads the text of a file. @param {Folder} from @param {string} name */
async function textOf(from, name) {
  const file = await from.open(name)
  // Python keeps a byte order mark as a character.
  return file && new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.read(0, file.size ?? 2 ** 24))
}

/** Reads the files that conversations need. @param {Folder} from @param {CheckpointSource} [source] for a server @returns {Promise<ChatFiles>} */
async function readChat(from, source) {
  const json = async (/** @type {string} */ name) => {
    const file = await from.open(name)
    return /** @type {Record<string, unknown> | undefined} */ (file && (await readJSON(file, name)))
  }
  const names = [...new Set([...from.names(), ...((await from.list?.()) ?? [])])]
  const files = [[TEMPLATE, 'default'], ...names.map(name => [name, NAMED.exec(name)?.[1]])]
  /** @type {[string, string][]} */
  const templates = []
  for (const [file, name] of files) {
    const template = name === undefined ? undefined : await textOf(from, String(file))
    if (template !== undefined) templates.push([String(name), template])
  }
  /** @type {Map<string, Promise<string | undefined>>} */
  const asked = new Map()
  const ask = async (/** @type {string} */ name) => {
    const again = await openFolder(source, {}, { isLoaded: true, hasTokenizer: false })
    return textOf(again, `additional_chat_templates/${encodeURIComponent(name)}.jinja`).finally(() => again.close())
  }
  const named = (/** @type {string} */ name) => {
    const found = asked.get(name) ?? ask(name)
    asked.set(name, found)
    found.catch(() => asked.delete(name)) // retry for the next conversation
    return found
  }
  const ofProcessor = templates.length ? undefined : (await json(OF_PROCESSOR))?.chat_template
  return { templates, ofProcessor, tokens: await json(TOKENS), ...(source !== undefined && !from.list && { named }) }
}

const GENERATION = 'generation_config.json'

/**
 * Returns a function that returns the generation settings of a folder: generation_config.json, or config.json if that is missing.
 * @param {Folder} folder
 * @param {CheckpointSource | undefined} source undefined if all files are in `folder`
 * @param {Record<string, unknown>} config
 * @param {number} vocab
 */
export async function settingsOf(folder, source, config, vocab) {
  const { readSettings } = await import('../generate/generation-settings.js')
  /** @param {Folder} from */
  const read = async from => {
    const file = await from.open(GENERATION)
    return file
      ? readSettings(await readJSON(file, GENERATION), GENERATION, vocab)
      : readSettings(config, 'config.json', vocab)
  }
  const later = folder.list ? undefined : await whenNeeded(folder, source, name => name === GENERATION, read)
  if (later) return later
  const settings = await read(folder)
  return async () => settings
}

/**
 * Returns readers of the modules, of the settings for ranking, and of the files for conversations.
 * @param {Folder} folder
 * @param {CheckpointSource | undefined} source undefined if all files are in `folder`
 * @param {Record<string, unknown>} config tokenizer_config.json
 * @param {boolean} canRank True for a model with classes or with a decoder
 */
export async function readsOf(folder, source, config, canRank) {
  // If tokenizer_config.json has added_tokens_decoder, Python takes special tokens from there and ignores special_tokens_map.json.
  const isOne = (/** @type {string} */ name) =>
    name === TEMPLATE ||
    name === OF_PROCESSOR ||
    NAMED.test(name) ||
    (name === TOKENS && config.chat_template !== undefined && config.added_tokens_decoder === undefined)
  const { outside = folder } = folder
  return {
    modules: await whenNeeded(outside, source, name => name === 'modules.json', readModules, true),
    ranking: folder.ranking
      ? rankingOf(folder.ranking)
      : canRank
        ? ((await whenNeeded(outside, source, name => RANKING.test(name), readRanking, true)) ?? isUsual)
        : undefined,
    chat: await whenNeeded(folder, source, isOne, from => readChat(from, from === folder ? undefined : source)),
  }
}
