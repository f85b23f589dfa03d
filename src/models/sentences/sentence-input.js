// Makes the input of sentence-transformers' Transformer module from a text, or from a query and a text: length, prompt, conversation.
// https://github.com/huggingface/sentence-transformers (6.0): base/modules/transformer.py, base/modality.py

import { describe } from '../../base/errors.js'
import { expectObject, refuse } from './module-settings.js'

/** @import { Tokenized } from '../tokenizers/tokenizer.js' */
/** @typedef {keyof typeof OUTPUTS} Task */
/** @typedef {(text: string, pair?: string) => Tokenized} ReadText */
/**
 * How a text is read.
 * @typedef {object} TextSettings
 * @property {number} [most] maximum number of ids; default: from the tokenizer and config.json
 * @property {boolean} isLower true to lowercase texts
 * @property {Conversations} [conversations] present if texts are written as conversations, by the chat template of the folder
 *
 * @typedef {object} Conversations
 * @property {'flat' | 'structured' | 'auto'} format of a message's content. flat: a text; structured: a list of parts; auto: what the
 *   template reads
 * @property {boolean} addGenerationPrompt
 * @property {boolean} restoresEnd true to end a truncated text as the template does
 * @property {Record<string, unknown>} variables
 */

/** For each task, the output that is read from the network, and the module_output_name that its settings may have. */
const OUTPUTS = {
  'feature-extraction': ['last_hidden_state', 'token_embeddings'],
  'sequence-classification': ['logits', 'scores'],
  'text-generation': ['logits', 'causal_logits'],
}

/** File names under which sentence-transformers looks for max_seq_length, including legacy ones. */
export const SIZES = ['bert', 'roberta', 'distilbert', 'camembert', 'albert', 'xlm-roberta', 'xlnet'].map(
  type => `sentence_${type}_config.json`,
)

/** Arguments that a file may have: they do not change the numbers, or are checked elsewhere. */
const HARMLESS = [
  'add_pooling_layer',
  'attn_implementation',
  'trust_remote_code',
  'torch_dtype',
  'dtype',
  'use_memory_efficient_attention',
  'unpad_inputs',
]

/** Keys under which a file stores arguments for the network, its tokenizer and its config: three current ones, three old ones. */
const ARGS = ['model_kwargs', 'processor_kwargs', 'config_kwargs', 'model_args', 'tokenizer_args', 'config_args']

/** Arguments of apply_chat_template that are not template variables. */
const ARGUMENTS =
  /^(?:tools|documents|chat_template|continue_final_message|tokenize|padding|truncation|max_length|return_\w+|\w+_kwargs)$/

/** @typedef {(name: string) => Promise<any>} ReadJson undefined if the file does not exist */

/**
 * Reads the settings of a Transformer module: the first existing sentence_..._config.json.
 * @param {ReadJson} json
 * @param {string} path of the module
 * @param {Task} task supported task
 * @returns {Promise<TextSettings>}
 */
export async function readSettings(json, path, task) {
  let file = SIZES[0]
  /** @type {unknown} */
  let found
  for (const name of SIZES)
    for (const own of path ? [`${path}/${name}`, name] : [name])
      if (!Object.keys(Object(found)).length) [file, found] = [own, await json(own)] // an empty file counts as missing
  const config = expectObject(found ?? {}, file)
  const {
    max_seq_length: size,
    do_lower_case: isLower = false,
    transformer_task: given = 'feature-extraction',
  } = config
  if (given !== task) refuse(file, 'transformer_task', given, task)
  if (typeof isLower !== 'boolean') refuse(file, 'do_lower_case', isLower, 'true, false')
  if (size !== undefined && size !== null && !(Number.isInteger(size) && size > 0))
    throw new TypeError(`${file}: max_seq_length: expected a whole number from 1, got ${describe(size)}`)
  for (const key of ['query_length', 'document_length', 'query_expansion', 'tokenizer_name_or_path'])
    if (config[key] !== undefined && config[key] !== null) refuse(file, key, config[key], 'none')
  for (const key of ['processing_kwargs', ...ARGS])
    for (const [name, value] of Object.entries(Object(config[key])))
      if (!HARMLESS.includes(name) && !(key === 'processing_kwargs' && name === 'chat_template'))
        refuse(file, `${key}.${name}`, value, HARMLESS.join(', '))
  return { most: size ?? undefined, isLower, conversations: conversationsOf(config, file, task) }
}

/** Defaults that sentence-transformers uses for a cross-encoder without modules.json. @type {TextSettings} */
export const USUAL = {
  isLower: false,
  conversations: { format: 'auto', addGenerationPrompt: false, restoresEnd: true, variables: {} },
}

/** Returns the smallest of the given limits, such as the tokenizer's length and the positions of config.json. @param {...unknown} lengths */
function leastOf(...lengths) {
  const known = lengths.filter(length => Number.isInteger(length) && Number(length) > 0 && Number(length) < 2 ** 31)
  return known.length ? Math.min(...known.map(Number)) : undefined
}

/** @param {Record<string, any>} config @param {string} file @param {Task} task @returns {Conversations | undefined} */
function conversationsOf(config, file, task) {
  const { modality_config: kinds, module_output_name: name, processing_kwargs: processing } = config
  const [output, outputName] = OUTPUTS[task]
  if (name !== undefined && name !== null && name !== outputName) refuse(file, 'module_output_name', name, outputName)
  if (kinds === undefined) return undefined
  const { text, message } = expectObject(kinds, file)
  if (!text && !message) refuse(file, 'modality_config', Object.keys(kinds).join(', '), 'text, message')
  for (const [kind, given] of Object.entries({ text, message })) {
    const { method = 'forward', method_output_name: own = output } = Object(given)
    if (method !== 'forward') refuse(file, `modality_config.${kind}.method`, method, 'forward')
    if (own !== output) refuse(file, `modality_config.${kind}.method_output_name`, own, output)
  }
  if (!message) return undefined
  const { format = 'auto' } = message
  if (!['flat', 'structured', 'auto'].includes(format))
    refuse(file, 'modality_config.message.format', format, 'flat, structured, auto')
  const {
    add_generation_prompt: addGenerationPrompt = false,
    restore_suffix: restoresEnd = true,
    ...variables
  } = Object(processing?.chat_template)
  for (const [key, value] of Object.entries({
    add_generation_prompt: addGenerationPrompt,
    restore_suffix: restoresEnd,
  }))
    if (typeof value !== 'boolean') refuse(file, `processing_kwargs.chat_template.${key}`, value, 'true, false')
  const argument = Object.keys(variables).find(key => ARGUMENTS.test(key))
  if (argument)
    refuse(file, `processing_kwargs.chat_template.${argument}`, variables[argument], 'variables of the template')
  return { format, addGenerationPrompt, restoresEnd, variables }
}

/**
 * Returns the prompt to put before each text.
 * @param {{ prompts: Record<string, string>, defaultPrompt?: string } | undefined} folder
 * @param {string | { text: string } | undefined} given a prompt, or the name of a prompt of the folder
 * @param {string} where
 * @returns {string}
 */
export function promptOf(folder, given, where) {
  const { prompts = {}, defaultPrompt } = folder ?? {}
  if (given === undefined) return defaultPrompt === undefined ? '' : prompts[defaultPrompt]
  if (typeof given === 'object' && typeof given?.text === 'string') return given.text
  if (typeof given === 'string' && Object.hasOwn(prompts, given)) return prompts[given]
  throw new RangeError(
    `${where}: prompt: expected the name of a prompt of this folder (${Object.keys(prompts).join(', ') || 'it has none'}) or { text }, got ${describe(given)}`,
  )
}

/**
 * Returns the number of rows of a prompt, not counting a special token at its end.
 * @param {import('../model.js').Model} model
 * @param {TextSettings} settings
 * @param {string} prompt
 */
export function lengthOf(model, settings, prompt) {
  const { ids } = inputOf(model, settings, prompt)
  const last = [ids[ids.length - 1]]
  // Not compared with '', because a lone space decodes to '', too.
  const isSpecial = model.decode(last) !== model.decode(last, { skipSpecialTokens: false })
  return ids.length - Number(isSpecial)
}

/**
 * Tokenizes a text for the model.
 * @param {import('../model.js').Model} model
 * @param {TextSettings | undefined} settings
 * @param {string} text
 * @param {string} [pair]
 */
function inputOf(model, settings, text, pair) {
  const { most, isLower = false } = settings ?? {}
  const input = model.tokenize(text, { pair, truncation: true, maxLength: most, lowerCase: isLower })
  if (!input.ids.length) throw new RangeError(`embed: ${describe(text)} has no tokens`)
  return input
}

/**
 * Returns a reader of texts, or of pairs of texts.
 * @param {import('./many-texts.js').Runner} runner
 * @param {TextSettings | undefined} settings undefined if there are none
 * @param {string} prompt text before each text, or before the first of a pair
 * @param {boolean} [isPair]
 * @returns {Promise<ReadText>}
 */
export async function readerOf({ model, chat }, settings, prompt, isPair = false) {
  if (!settings) return (text, pair) => inputOf(model, settings, prompt + text, pair)
  const { isLower, conversations } = settings
  const most = settings.most ?? leastOf(chat.config.model_max_length, model.config.max_position_embeddings)
  if (conversations) {
    const { conversationReader } = await import('./sentence-conversations.js')
    const read = (/** @type {string} */ text, /** @type {boolean} */ isCut) => {
      const length = isCut ? { truncation: true, maxLength: most } : {}
      return model.tokenize(text, { ...length, lowerCase: isLower, addSpecialTokens: false })
    }
    const reader = await conversationReader(chat, conversations, read, most, prompt, isPair)
    if (reader) return reader
  }
  return (text, pair) => inputOf(model, { most, isLower }, prompt + text, pair)
}
