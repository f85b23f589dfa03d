// Conversations as text, by the chat template of a folder. The package @huggingface/jinja reads it, which is optional and loaded when the
// first conversation is given.
// https://github.com/huggingface/transformers: utils/chat_template_utils.py, apply_chat_template in tokenization_utils_base.py

import { readOptions, toBoolean } from '../base/arguments.js'
import { describe } from '../base/errors.js'

/**
 * A message of a conversation.
 * @typedef {{ role: string, content?: unknown, [key: string]: unknown }} Message
 *
 * @typedef {object} ChatOptions
 * @property {string} [template] a template, or the name of one of several that the folder has
 * @property {boolean} [addGenerationPrompt] does the text end where the answer begins? default true
 * @property {readonly object[]} [tools] that the model may call, as JSON schemas
 * @property {Record<string, unknown>} [variables] of the template, such as { enable_thinking: false }
 */
/**
 * What the template needs of tokenizer_config.json.
 * @typedef {Record<string, unknown>} TokenizerConfig
 */

/** A token that a config names: its text, or an object with it. @param {any} given */
const tokenOf = given => (typeof given === 'string' ? given : given?.content)

/**
 * The template that is used: the one that was given, the file's, or that of the config.
 * @param {TokenizerConfig} config
 * @param {string | undefined} file the text of chat_template.jinja
 * @param {string | undefined} given
 * @param {boolean} hasTools
 * @param {string} where
 * @returns {string}
 */
function templateOf({ chat_template: own }, file, given, hasTools, where) {
  const list = Array.isArray(own) ? own.map(({ name, template }) => [String(name), String(template)]) : []
  const named = new Map(/** @type {[string, string][]} */ (list))
  if (given !== undefined) {
    if (typeof given !== 'string') throw new TypeError(`${where}: template: ${describe(given)} given, a text expected`)
    return named.get(given) ?? given
  }
  const usual = (hasTools && named.get('tool_use')) || named.get('default')
  const found = file ?? (typeof own === 'string' ? own : usual)
  if (found !== undefined) return found
  throw new Error(
    list.length
      ? `${where}: this folder has several chat templates, none of them the default: say { template } with one of ${[...named.keys()].join(', ')}`
      : `${where}: this folder has no chat template, neither chat_template in tokenizer_config.json nor chat_template.jinja: give a text, or say { template }`,
  )
}

/**
 * @param {TokenizerConfig} config tokenizer_config.json
 * @param {(() => Promise<string | undefined>) | undefined} readFile reads chat_template.jinja
 * @param {unknown} messages
 * @param {ChatOptions} options
 * @returns {Promise<string>}
 */
export async function chatText(config, readFile, messages, options) {
  const where = 'applyChatTemplate'
  const known = ['template', 'addGenerationPrompt', 'tools', 'variables']
  const { template, addGenerationPrompt = true, tools, variables = {} } = readOptions(options, known, where)
  toBoolean(addGenerationPrompt, `${where}: addGenerationPrompt`)
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables))
    throw new TypeError(`${where}: variables: ${describe(variables)} given, an object of variables by name expected`)
  if (tools !== undefined && !Array.isArray(tools))
    throw new TypeError(`${where}: tools: ${describe(tools)} given, a list of JSON schemas expected`)
  if (
    !Array.isArray(messages) ||
    !messages.length ||
    !messages.every(message => typeof Object(message).role === 'string')
  )
    throw new TypeError(`${where}: ${describe(messages)} given, a list of messages { role, content } expected`)
  const text = templateOf(config, await readFile?.(), template, tools !== undefined, where)
  const { Template } = await jinja(where)
  const tokens = Object.keys(config).filter(name => /_token$/.test(name) && tokenOf(config[name]) !== undefined)
  try {
    return new Template(text).render({
      ...Object.fromEntries(tokens.map(name => [name, tokenOf(config[name])])),
      ...variables,
      messages,
      ...(tools && { tools }),
      add_generation_prompt: addGenerationPrompt,
    })
  } catch (cause) {
    throw new Error(`${where}: the chat template refuses these messages: ${/** @type {Error} */ (cause).message}`, {
      cause,
    })
  }
}

/** The optional package: its name is a literal, so that bundlers find it. @param {string} where @returns {Promise<{ Template: new (text: string) => { render: (items: object) => string } }>} */
async function jinja(where) {
  try {
    return /** @type {any} */ (await import('@huggingface/jinja'))
  } catch (cause) {
    const { missingPackage } = await import('./refusals.js')
    throw missingPackage(cause, `${where}: a chat template`, '@huggingface/jinja', 'or give a text')
  }
}
