// Reads and validates the tokens of a GGUF file and their types.

import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'

/** @import { GgufMetadata } from './read-gguf.js' */
/** Names of special tokens in metadata keys. @typedef {'bos' | 'eos' | 'unknown' | 'seperator' | 'padding' | 'mask'} Role */

const START = 'tokenizer.ggml.'
/** What to do if the tokenizer of a file is not covered. */
export const INSTEAD =
  'Open the folder of the model, with its tokenizer.json, or load the file with { tokenizer: false } and give ids'
/** Token types. Tokens of all types except NORMAL are found in a text before it is tokenized. */
const [NORMAL, UNKNOWN, CONTROL, USER] = [1, 2, 3, 4]

/** Keys of the special tokens in tokenizer_config.json. @type {Record<Role, string>} */
const NAMES = {
  bos: 'bos_token',
  eos: 'eos_token',
  unknown: 'unk_token',
  seperator: 'sep_token',
  padding: 'pad_token',
  mask: 'mask_token',
}

/** Names of tokens that end a text, whatever their type; they count as control tokens. */
const ENDS =
  '<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> <EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <\uff5cend\u2581of\u2581sentence\uff5c> [e~['.split(
    ' ',
  )
/**
 * Metadata keys of fill-in-the-middle tokens, their names if no key has an id, and whether they end a text.
 * @type {[keys: string[], names: string, isEnd: boolean][]}
 */
const GAPS = [
  [
    ['fim_pre', 'prefix'],
    '<|fim_prefix|> <fim-prefix> <fim_prefix> <\uff5cfim\u2581begin\uff5c> <PRE> \u2581<PRE> <|code_prefix|> <|prefix|>',
    false,
  ],
  [
    ['fim_suf', 'suffix'],
    '<|fim_suffix|> <fim-suffix> <fim_suffix> <\uff5cfim\u2581hole\uff5c> <SUF> \u2581<SUF> <|code_suffix|> <|suffix|>',
    false,
  ],
  [
    ['fim_mid', 'middle'],
    '<|fim_middle|> <fim-middle> <fim_middle> <\uff5cfim\u2581end\uff5c> <MID> \u2581<MID> <|code_middle|> <|middle|>',
    false,
  ],
  [['fim_pad'], '<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]', true],
  [['fim_rep'], '<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>', true],
  [['fim_sep'], '<|file_sep|>', true],
]
/** Control tokens of gpt-oss that get the type USER, so that decoded texts contain them. */
const SHOWN = ['<|channel|>', '<|message|>', '<|start|>', '<|constrain|>']

/**
 * Returns the ids that end a text: those in metadata keys, and those that llama.cpp recognises by the token's name.
 * @param {GgufMetadata} metadata
 * @returns {number[]}
 */
export function endsOf(metadata) {
  try {
    return [...new Vocabulary(metadata, {}).ends]
  } catch {
    return [] // the error is reported when texts are read
  }
}

export class Vocabulary {
  /** @type {string[]} */
  tokens
  /** @type {Map<string, number>} */
  ids
  #metadata
  #types
  #usual
  /** Ids of tokens that end a text. @type {Set<number>} */
  ends = new Set()

  /** Reads the tokens. @param {GgufMetadata} metadata @param {Partial<Record<Role, number>>} usual default ids */
  constructor(metadata, usual) {
    this.#metadata = metadata
    this.#usual = usual
    this.tokens = this.texts('tokens').map((token, id) => token.split('\0')[0] || `[EMPTY_${id}]`) // texts end at NUL, as in C
    this.ids = new Map(this.tokens.map((token, id) => [token, id]))
    if (this.ids.size < this.tokens.length) {
      const twice = this.tokens.find((token, id) => this.ids.get(token) !== id)
      throw this.refuse('tokens', `${describe(twice)}, which is there twice,`)
    }
    const types = this.#numbers('token_type')
    this.#types = types ? Array.from(types) : this.tokens.map(() => NORMAL)
    this.#name()
  }

  /** Returns a value of the metadata. @param {string} key key after tokenizer.ggml. */
  get(key) {
    return this.#metadata.get(START + key)
  }

  /** @param {string} key @param {string} what */
  refuse(key, what) {
    return new RangeError(`${START}${key}: ${what} is not covered. ${INSTEAD}`)
  }

  /** @param {string} key @param {unknown} value @param {string} expected */
  #wrong(key, value, expected) {
    return new RangeError(`${START}${key}: expected ${expected}, got ${describe(value)}`)
  }

  /** @param {string} key @returns {string[]} */
  texts(key) {
    const value = this.get(key)
    if (Array.isArray(value) && value.every(text => typeof text === 'string')) return value
    throw this.#wrong(key, value, 'a list of texts')
  }

  /** Returns a list with a number for each token. @param {string} key @returns {ArrayLike<number> | undefined} */
  #numbers(key) {
    const value = this.get(key)
    if (value === undefined) return undefined
    const list = /** @type {ArrayLike<number>} */ (value)
    if (!ArrayBuffer.isView(value) || !(list.length >= this.tokens.length))
      throw this.#wrong(key, value, `a number for each of ${this.tokens.length} tokens`)
    return list
  }

  /** @returns {number[]} */
  scores() {
    const scores = this.#numbers('scores')
    const all = this.tokens.map((_, id) => scores?.[id] ?? 0)
    const strange = all.findIndex(Number.isNaN)
    if (strange >= 0) throw this.#wrong('scores', NaN, `a score of ${describe(this.tokens[strange])}`)
    return all
  }

  /** @param {string} key @param {boolean} usual */
  flag(key, usual) {
    const value = this.get(key) ?? usual
    if (typeof value !== 'boolean') throw this.#wrong(key, value, 'true or false')
    return value
  }

  /** Returns the id of a token. @param {string} key key without _token_id @param {number} [usual] */
  #idOf(key, usual) {
    const given = this.get(`${key}_token_id`)
    if (given !== undefined && !(Number.isInteger(given) && Number(given) >= 0))
      throw this.#wrong(`${key}_token_id`, given, 'the id of a token')
    const isId = (/** @type {unknown} */ id) => Number(id) < this.tokens.length
    return isId(given) ? Number(given) : isId(usual) ? usual : undefined
  }

  /** Returns the id of a special token; one outside the vocabulary counts as missing. @param {Role} role */
  id(role) {
    return this.#idOf(role, this.#usual[role])
  }

  /** Returns the text of a special token; throws if it is missing. @param {Role} role */
  needed(role) {
    const id = this.id(role)
    if (id === undefined) throw this.#wrong(`${role}_token_id`, this.get(`${role}_token_id`), 'the id of a token')
    return this.tokens[id]
  }

  /** @param {number} id */
  isControl(id) {
    return this.#types[id] === CONTROL || this.#types[id] === UNKNOWN
  }

  /** True if the token has one of the types. @param {number} id @param {number[]} types */
  is(id, types) {
    return types.includes(this.#types[id])
  }

  /** Sets the types of tokens that llama.cpp recognises by name, and collects in `ends` those that end a text. */
  #name() {
    const set = (/** @type {string[]} */ names, /** @type {number} */ type, isEnd = false) => {
      for (const name of names) {
        const id = this.ids.get(name)
        if (id === undefined) continue
        this.#types[id] = type
        if (isEnd) this.ends.add(id)
      }
    }
    for (const [keys, names, isEnd] of GAPS) {
      const own = keys.map(key => this.#idOf(key)).filter(id => id !== undefined)
      if (!own.length) set(names.split(' '), CONTROL, isEnd)
      else if (isEnd) this.ends.add(own[0])
    }
    set(ENDS, CONTROL, true)
    set(SHOWN, USER)
    for (const key of ['eos', 'eot', 'eom']) {
      const id = this.#idOf(key, key === 'eos' ? this.#usual.eos : undefined)
      if (id !== undefined) this.ends.add(id)
    }
    const has = (/** @type {string[]} */ ...names) => names.some(name => this.ends.has(this.ids.get(name) ?? -1))
    const drop = (/** @type {string} */ name, /** @type {number} */ type) => {
      if (has(name)) this.ends.delete(entryOf(this.ids, name))
      set([name], type)
    }
    if (has('<|call|>', '<|calls|>') && has('<|return|>', '<|flush|>') && has('<|end|>')) drop('<|end|>', USER)
    if (has('<|tool_response>') && has('</s>')) drop('</s>', NORMAL)
  }

  /** Returns the tokens that are found in a text before it is tokenized, in the format of tokenizer.json. */
  added() {
    const name = String(this.#metadata.get('general.name') ?? '').toLowerCase()
    const pre = String(this.get('pre') ?? '')
    const isPhi3 = /phi-?3/.test(name)
    const mask = /jina-v2-(de|es|code)/.test(pre)
      ? '<mask>'
      : !isPhi3 && /modern-bert/.test(name)
        ? '[MASK]'
        : undefined
    return this.tokens.flatMap((content, id) =>
      this.is(id, [UNKNOWN, CONTROL, USER])
        ? {
            id,
            content,
            special: this.isControl(id),
            normalized: false,
            single_word: false,
            lstrip: content === mask,
            rstrip: isPhi3 && !['<unk>', '<s>', '<|endoftext|>'].includes(content),
          }
        : [],
    )
  }

  /** Returns the content of tokenizer_config.json. @returns {Record<string, unknown>} */
  config() {
    const tokens = Object.entries(NAMES).map(([role, name]) => {
      const id = this.id(/** @type {Role} */ (role))
      return [name, id === undefined ? undefined : this.tokens[id]]
    })
    const template = this.#metadata.get('tokenizer.chat_template')
    const names = this.#metadata.get('tokenizer.chat_templates')
    const more = (Array.isArray(names) ? names : []).map(name => ({
      name: String(name),
      template: this.#metadata.get(`tokenizer.chat_template.${name}`),
    }))
    const all = [{ name: 'default', template }, ...more].filter(each => typeof each.template === 'string')
    return {
      ...Object.fromEntries(tokens.filter(([, token]) => token !== undefined)),
      ...(all.length && { chat_template: more.length ? all : template }),
    }
  }
}
