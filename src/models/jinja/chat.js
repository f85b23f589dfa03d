// Writes conversations as text with the chat template of a folder. Loaded with the first conversation.
// https://github.com/huggingface/transformers: apply_chat_template and from_pretrained in tokenization_utils_base.py

import { readOptions, toBoolean } from '../../base/arguments.js'
import { describe, messageOf } from '../../base/errors.js'
import { compile } from './render.js'

/**
 * A message of a conversation.
 * @typedef {{ role: string, content?: unknown, [key: string]: unknown }} Message
 *
 * @typedef {object} ChatOptions
 * @property {string} [template] a template, or the name of one if the folder has several
 * @property {boolean} [addGenerationPrompt] true to end the text where the answer begins; default true
 * @property {readonly object[]} [tools] tools that the model may call, as JSON schemas
 * @property {readonly object[]} [documents] documents that the answer may cite
 * @property {Record<string, unknown>} [variables] variables of the template, such as { enable_thinking: false }
 */
/**
 * The keys of tokenizer_config.json that templates use.
 * @typedef {Record<string, unknown>} TokenizerConfig
 */

const WHERE = 'applyChatTemplate'

/** The names of special tokens that any tokenizer of transformers may define. */
const TOKENS = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'].map(name => `${name}_token`)

/** Default special tokens of tokenizer classes, if no file names them. @type {Record<string, Record<string, string>>} */
const OF_CLASS = {
  LlamaTokenizer: { unk_token: '<unk>', bos_token: '<s>', eos_token: '</s>' },
  GemmaTokenizer: {
    unk_token: '<unk>',
    bos_token: '<bos>',
    eos_token: '<eos>',
    pad_token: '<pad>',
    mask_token: '<mask>',
  },
  GPT2Tokenizer: { unk_token: '<|endoftext|>', bos_token: '<|endoftext|>', eos_token: '<|endoftext|>' },
  Qwen2Tokenizer: { unk_token: '<|endoftext|>', eos_token: '<|endoftext|>', pad_token: '<|endoftext|>' },
}

/** Returns the text of a token, which a file may store as an object. @param {unknown} given */
const tokenOf = given => (typeof given === 'string' ? given : Object(given).content)

/**
 * Returns the special tokens by name, as from_pretrained does. special_tokens_map.json takes precedence over the config. If the config
 * has added_tokens_decoder, special_tokens_map.json is ignored.
 * @param {TokenizerConfig} config
 * @param {Record<string, unknown> | undefined} map special_tokens_map.json
 */
function tokensOf(config, map) {
  const { tokenizer_class: type, added_tokens_decoder: decoder, extra_special_tokens: extra } = config
  const ofMap = decoder === undefined ? map : undefined
  const own = Object.keys(config).filter(name => name.endsWith('_token') && typeof config[name] === 'string')
  const extras = { ...ofExtra(extra), ...ofExtra(ofMap?.extra_special_tokens) }
  const ofClass = OF_CLASS[String(type).replace(/Fast$/, '')] ?? {}
  const standard = TOKENS.map(name => [name, ofMap?.[name] ?? (name in config ? config[name] : ofClass[name])])
  const all = [...own.map(name => [name, config[name]]), ...Object.entries(extras), ...standard]
  return Object.fromEntries(
    all.map(([name, token]) => [name, tokenOf(token)]).filter(([, token]) => token !== undefined),
  )
}

/** Returns extra special tokens by name. @param {unknown} extra an object by name; a list has no names, so it counts as empty */
const ofExtra = extra => (Array.isArray(extra) ? {} : Object(extra))

/**
 * Returns the templates of a folder by name. Separate files take precedence over tokenizer_config.json.
 * @param {unknown} own chat_template of the config
 * @param {Partial<import('../config/text-files.js').ChatFiles>} files
 * @returns {Map<string, string>} a single template is named default
 */
function templatesOf(own, { templates = [], ofProcessor }) {
  if (templates.length) return new Map(templates)
  const given = own ?? ofProcessor ?? []
  if (typeof given === 'string') return new Map([['default', given]])
  const list = Array.isArray(given) ? given.map(each => [each?.name, each?.template]) : Object.entries(Object(given))
  for (const [name, template] of list)
    if (typeof name !== 'string' || typeof template !== 'string')
      throw new TypeError(
        `${WHERE}: tokenizer_config.json: chat_template: expected a text or a list of { name, template }, got ${describe(given)}`,
      )
  return new Map(/** @type {[string, string][]} */ (list))
}

/** True for a template, false for a name. @param {string} text */
const isTemplate = text => /\{[{%#]/.test(text)

/**
 * Returns the template to use: the given one, else tool_use if there are tools, else default.
 * @param {Map<string, string>} named the templates of the folder
 * @param {unknown} given a template, or the name of one
 * @param {boolean} hasTools
 * @returns {string}
 */
function chosen(named, given, hasTools) {
  const names = [...named.keys()].join(', ')
  if (given !== undefined) {
    if (typeof given !== 'string') throw new TypeError(`${WHERE}: template: expected a text, got ${describe(given)}`)
    const template = named.get(given)
    if (template === undefined && !isTemplate(given))
      throw new RangeError(
        `${WHERE}: template: ${describe(given)} is neither the name of a template of this folder (${names || 'it has none'}) nor a template, which has {{ }} or {% %}`,
      )
    return template ?? given
  }
  const found = (hasTools ? named.get('tool_use') : undefined) ?? named.get('default')
  if (found !== undefined) return found
  throw new Error(
    named.size
      ? `${WHERE}: this folder has several chat templates, none of them the default: say { template } with one of ${names}`
      : `${WHERE}: this folder has no chat template, neither chat_template in tokenizer_config.json nor chat_template.jinja: give a text, or say { template }`,
  )
}

/** @typedef {(() => Promise<import('../config/text-files.js').ChatFiles>) | undefined} ReadChat */

/**
 * Writes a conversation.
 * @param {TokenizerConfig} config tokenizer_config.json
 * @param {ReadChat} readFiles
 * @param {unknown} messages
 * @param {ChatOptions} options
 * @returns {Promise<string>}
 */
export async function chatText(config, readFiles, messages, options) {
  if (
    !Array.isArray(messages) ||
    !messages.length ||
    !messages.every(message => typeof Object(message).role === 'string')
  )
    throw new TypeError(`${WHERE}: expected a list of messages { role, content }, got ${describe(messages)}`)
  const { render } = await rendererOf(config, readFiles, options)
  return render(messages)
}

/**
 * Reads and compiles the template of a folder. The result can write any number of conversations.
 * @param {TokenizerConfig} config tokenizer_config.json
 * @param {ReadChat} readFiles
 * @param {ChatOptions} options
 * @returns {Promise<{ render: (messages: readonly Message[]) => string, template: string, isOne: boolean }>} isOne: true if the folder has
 *   only a default template
 */
export async function rendererOf(config, readFiles, options) {
  const known = ['template', 'addGenerationPrompt', 'tools', 'documents', 'variables']
  const { template, addGenerationPrompt = true, tools, documents, variables = {} } = readOptions(options, known, WHERE)
  toBoolean(addGenerationPrompt, `${WHERE}: addGenerationPrompt`)
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables))
    throw new TypeError(`${WHERE}: variables: expected an object of variables by name, got ${describe(variables)}`)
  if (tools !== undefined && !Array.isArray(tools))
    throw new TypeError(`${WHERE}: tools: expected a list of JSON schemas, got ${describe(tools)}`)
  if (documents !== undefined && !Array.isArray(documents))
    throw new TypeError(`${WHERE}: documents: expected a list of objects, got ${describe(documents)}`)
  const files = (await readFiles?.()) ?? { templates: [] }
  const named = templatesOf(config.chat_template, files)
  const name = template ?? (tools && 'tool_use')
  if (typeof name === 'string' && files.named && !named.has(name) && !isTemplate(name)) {
    const found = await files.named(name)
    if (found !== undefined) named.set(name, found)
  }
  const text = chosen(named, template, tools !== undefined)
  const tokens = tokensOf(config, files.tokens)
  /** @type {ReturnType<typeof compile> | undefined} */
  let compiled
  const render = (/** @type {readonly Message[]} */ messages) => {
    try {
      compiled ??= compile(text)
    } catch (cause) {
      throw new Error(`${WHERE}: the chat template cannot be read: ${messageOf(cause)}`, { cause })
    }
    const given = {
      ...tokens,
      documents: null,
      ...variables,
      messages,
      tools: tools ?? null,
      ...(documents && { documents }),
      add_generation_prompt: addGenerationPrompt,
    }
    try {
      return compiled(given)
    } catch (cause) {
      if (cause instanceof TypeError || cause instanceof RangeError) throw cause // errors about the given values
      throw new Error(`${WHERE}: the chat template refuses these messages: ${messageOf(cause)}`, {
        cause,
      })
    }
  }
  const { templates, ofProcessor } = files
  const own = templates.length ? templates : (config.chat_template ?? ofProcessor)
  return { render, template: text, isOne: typeof own === 'string' || (templates.length === 1 && named.has('default')) }
}

/** True if the folder has a chat template. @param {TokenizerConfig} config @param {ReadChat} readFiles */
export async function hasTemplate(config, readFiles) {
  return templatesOf(config.chat_template, (await readFiles?.()) ?? { templates: [] }).size > 0
}
