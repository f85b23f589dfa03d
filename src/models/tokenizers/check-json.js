// Checks tokenizer.json as the Rust library does when it reads a file: the keys of every part, their types, and the tokens they refer to.

import { describe } from '../../base/errors.js'
import { typeOf } from './model-type.js'

/** For each type of value, its name in errors and its check. @type {Record<string, [name: string, is: (value: any) => boolean]>} */
const TYPES = {
  boolean: ['a boolean', value => typeof value === 'boolean'],
  // JSON.parse accepts lone surrogates and numbers that are too large; the Rust library does not.
  string: ['a string of whole characters', value => typeof value === 'string' && !/\p{Surrogate}/u.test(value)],
  character: ['one character', value => TYPES.string[1](value) && Array.from(value).length === 1],
  number: ['a finite number', Number.isFinite],
  whole: ['a whole number', value => Number.isSafeInteger(value) && value >= 0],
  id: ['an id', value => Number.isInteger(value) && value >= 0 && value < 2 ** 32],
  object: ['an object', value => typeof value === 'object' && value !== null && !Array.isArray(value)],
  array: ['an array', Array.isArray],
  objects: ['an array of objects', value => Array.isArray(value) && value.every(TYPES.object[1])],
  strings: ['an array of strings', value => Array.isArray(value) && value.every(TYPES.string[1])],
  ids: ['an array of ids', value => Array.isArray(value) && value.every(TYPES.id[1])],
  pattern: [
    '{ String } or { Regex }',
    value => ['String', 'Regex'].some(key => isTuple(Object.entries(Object(value)).flat(), [key, 'string'])),
  ],
  token: ['a token and its id', value => isTuple(value, ['string', 'id'])],
  fixed: [
    '"BatchLongest" or { Fixed }',
    value => value === 'BatchLongest' || isTuple(Object.entries(Object(value)).flat(), ['Fixed', 'whole']),
  ],
}

/** True for an array with one value of each type, in order. @param {unknown} value @param {string[]} types */
const isTuple = (value, types) =>
  Array.isArray(value) &&
  value.length === types.length &&
  types.every((type, n) => TYPES[type]?.[1](value[n]) ?? value[n] === type)

/** The type of each field of a part. A key that ends in ? may be null or missing, one that ends in = may be missing. @typedef {Record<string, string>} Fields */
/**
 * The JavaScript type of each field type. Other field types, such as 'A|B', list the strings to choose from.
 * @typedef {{ boolean: boolean, number: number, whole: number, object: Record<string, any>, objects: object[], array: any[], pattern: object,
 *   token: [string, number] }} FieldValues
 */
/** @template N @typedef {N extends keyof FieldValues ? FieldValues[N] : string} ValueOf */
/**
 * A part whose fields have been checked.
 * @template F
 * @typedef {{ [N in keyof F as N extends `${string}?` | `${string}=` ? never : N]: ValueOf<F[N]> } &
 *   { [N in keyof F as N extends `${infer K}?` | `${infer K}=` ? K : never]?: ValueOf<F[N]> }} Checked
 */
/** The checked parts of a kind such as 'decoder', by the part's type. @template {keyof typeof PARTS} K @typedef {{ [T in keyof (typeof PARTS)[K]]: Checked<(typeof PARTS)[K][T]> }} PartsOf */
/**
 * A function for each type of a kind of parts.
 * @template {keyof typeof PARTS} K
 * @template R
 * @template {unknown[]} [A=[]]
 * @typedef {{ [T in keyof (typeof PARTS)[K]]: (part: PartsOf<K>[T], where: string, ...more: A) => R }} Rules
 */

/** Fields of parts of several kinds. */
const BYTE_LEVEL = /** @type {const} */ ({
  add_prefix_space: 'boolean',
  trim_offsets: 'boolean',
  'use_regex=': 'boolean',
})
const METASPACE = /** @type {const} */ ({
  replacement: 'character',
  'prepend_scheme=': 'first|never|always',
  'add_prefix_space?': 'boolean',
  'split?': 'boolean',
})
const REPLACE = /** @type {const} */ ({ pattern: 'pattern', content: 'string' })
const BEHAVIORS = 'Removed|Isolated|MergedWithPrevious|MergedWithNext|Contiguous'

const PARTS = /** @type {const} */ ({
  normalizer: {
    Sequence: { normalizers: 'objects' },
    BertNormalizer: {
      clean_text: 'boolean',
      handle_chinese_chars: 'boolean',
      'strip_accents?': 'boolean',
      lowercase: 'boolean',
    },
    Strip: { strip_left: 'boolean', strip_right: 'boolean' },
    Prepend: { prepend: 'string' },
    Replace: REPLACE,
    Precompiled: { precompiled_charsmap: 'string' },
    Lowercase: {},
    NFC: {},
    NFD: {},
    NFKC: {},
    NFKD: {},
    Nmt: {},
    StripAccents: {},
    ByteLevel: {},
  },
  pre_tokenizer: {
    Sequence: { pretokenizers: 'objects' },
    ByteLevel: BYTE_LEVEL,
    CharDelimiterSplit: { delimiter: 'character' },
    Digits: { individual_digits: 'boolean' },
    FixedLength: { 'length=': 'whole' },
    Metaspace: METASPACE,
    Punctuation: { 'behavior=': BEHAVIORS },
    Split: { pattern: 'pattern', behavior: BEHAVIORS, invert: 'boolean' },
    BertPreTokenizer: {},
    Whitespace: {},
    WhitespaceSplit: {},
  },
  post_processor: {
    Sequence: { processors: 'objects' },
    ByteLevel: BYTE_LEVEL,
    BertProcessing: { sep: 'token', cls: 'token' },
    RobertaProcessing: { sep: 'token', cls: 'token', trim_offsets: 'boolean', add_prefix_space: 'boolean' },
    TemplateProcessing: { single: 'objects', pair: 'objects', special_tokens: 'object' },
  },
  decoder: {
    Sequence: { decoders: 'objects' },
    BPEDecoder: { suffix: 'string' },
    ByteLevel: BYTE_LEVEL,
    CTC: { pad_token: 'string', word_delimiter_token: 'string', cleanup: 'boolean' },
    Metaspace: METASPACE,
    Replace: REPLACE,
    Strip: { content: 'character', start: 'whole', stop: 'whole' },
    WordPiece: { prefix: 'string', cleanup: 'boolean' },
    ByteFallback: {},
    Fuse: {},
  },
  model: {
    WordLevel: { vocab: 'object', unk_token: 'string' },
    WordPiece: {
      vocab: 'object',
      unk_token: 'string',
      continuing_subword_prefix: 'string',
      max_input_chars_per_word: 'whole',
    },
    BPE: {
      vocab: 'object',
      merges: 'array',
      'dropout?': 'number',
      'unk_token?': 'string',
      'continuing_subword_prefix?': 'string',
      'end_of_word_suffix?': 'string',
      'fuse_unk?': 'boolean',
      'byte_fallback?': 'boolean',
      'ignore_merges?': 'boolean',
    },
    Unigram: { vocab: 'array', 'unk_id?': 'whole', 'byte_fallback=': 'boolean' },
  },
})
/** @type {Record<string, Record<string, Fields>>} */
const FIELDS = PARTS

const ADDED = {
  id: 'id',
  content: 'string',
  single_word: 'boolean',
  lstrip: 'boolean',
  rstrip: 'boolean',
  normalized: 'boolean',
  special: 'boolean',
}
const TRUNCATION = {
  'direction=': 'Left|Right',
  max_length: 'whole',
  strategy: 'LongestFirst|OnlyFirst|OnlySecond',
  stride: 'whole',
}
const PADDING = {
  strategy: 'fixed',
  direction: 'Left|Right',
  'pad_to_multiple_of?': 'whole',
  pad_id: 'id',
  pad_type_id: 'id',
  pad_token: 'string',
}
/** Fields of the whole file. @type {Fields} */
const FILE = {
  'version=': '1.0',
  'truncation?': 'object',
  'padding?': 'object',
  'added_tokens=': 'objects',
  ...Object.fromEntries(['normalizer', 'pre_tokenizer', 'post_processor', 'decoder'].map(key => [`${key}?`, 'object'])),
  model: 'object',
}
/** Fields of the items of a TemplateProcessing template, by type. @type {Record<string, Fields>} */
const PIECES = { Sequence: { id: 'A|B', type_id: 'id' }, SpecialToken: { id: 'string', type_id: 'id' } }

/** @param {string} where @param {string} expected @param {unknown} got */
const wrong = (where, expected, got) =>
  new RangeError(`tokenizer.json: ${where}: expected ${expected}, got ${describe(got)}`)

/** Throws unless fields have their types. @param {any} json @param {Fields} fields @param {string} [where] */
function expectFields(json, fields, where) {
  for (const [name, type] of Object.entries(fields)) {
    const key = name.replace(/[?=]/, '')
    const value = json[key]
    if (name !== key && (value === undefined || (value === null && name.endsWith('?')))) continue
    const [expected, is] = TYPES[type] ?? [type.replaceAll('|', ' or '), value => type.split('|').includes(value)]
    if (!is(value)) throw wrong(where ? `${where}.${key}` : key, expected, value)
  }
}

/** @param {string} kind @param {any} json @param {string} where */
function checkPart(kind, json, where) {
  const { type } = json
  if (!Object.hasOwn(FIELDS[kind], type)) return // is refused later
  expectFields(json, FIELDS[kind][type], where)
  // The Rust library finds the type of a post-processor from its keys, so a key of another type is an error.
  const other = kind === 'post_processor' && Object.keys(json).find(key => isFieldOfOther(key, type))
  if (other) throw wrong(`${where}.${other}`, `no such key of ${type}`, json[other])
  if (type === 'Sequence') {
    const [key] = Object.keys(FIELDS[kind].Sequence)
    for (const [n, one] of json[key].entries()) checkPart(kind, one, `${where}.${key}.${n}`)
  }
  if (type === 'TemplateProcessing') checkTemplate(json, where)
}

/** @param {string} key @param {string} type of a post-processor */
const isFieldOfOther = (key, type) => {
  const names = Object.values(PARTS.post_processor).flatMap(fields => Object.keys(fields))
  const has = (/** @type {string[]} */ list) => list.some(name => name.replace('=', '') === key)
  return has(names) && !has(Object.keys(FIELDS.post_processor[type]))
}

/** @param {any} json @param {string} where */
function checkTemplate(json, where) {
  for (const key of ['single', 'pair'])
    for (const [n, piece] of json[key].entries()) {
      const [name, ...more] = Object.keys(piece)
      const at = `${where}.${key}.${n}`
      if (more.length || !Object.hasOwn(PIECES, name) || !TYPES.object[1](piece[name]))
        throw wrong(at, '{ Sequence } or { SpecialToken }', piece)
      expectFields(piece[name], PIECES[name], `${at}.${name}`)
    }
  for (const [name, token] of Object.entries(json.special_tokens))
    expectFields(Object(token), { id: 'string', ids: 'ids', tokens: 'strings' }, `${where}.special_tokens.${name}`)
}

/** @param {any} json model of tokenizer.json */
function checkModel(json) {
  const type = typeOf(json)
  if (!Object.hasOwn(FIELDS.model, type)) return
  expectFields(json, FIELDS.model[type], 'model')
  if (type !== 'Unigram') checkIds(json.vocab)
  else
    for (const [n, entry] of json.vocab.entries())
      if (!isTuple(entry, ['string', 'number'])) throw wrong(`model.vocab.${n}`, 'a token and its score', entry)
  if (type === 'BPE') checkMerges(json)
}

/** @param {Record<string, unknown>} vocab */
function checkIds(vocab) {
  /** @type {Map<unknown, string>} */
  const names = new Map()
  const [isText, isId] = [TYPES.string[1], TYPES.id[1]]
  for (const token of Object.keys(vocab)) {
    const id = vocab[token]
    if (!isText(token) || !isId(id)) throw wrong(`model.vocab: ${describe(token)}`, 'a token and its id', id)
    // If two tokens have the same id, the Rust library decodes it to either of them, by chance.
    if (names.has(id))
      throw wrong(`model.vocab: ${describe(token)}`, `another id than that of ${describe(names.get(id))}`, id)
    names.set(id, token)
  }
}

/** @param {any} model */
function checkMerges({ vocab, merges, continuing_subword_prefix: prefix }) {
  const known = new Set(Object.keys(vocab))
  const isPairs = Array.isArray(merges[0])
  const isValid = (/** @type {any} */ merge) =>
    isPairs ? isTuple(merge, ['string', 'string']) : typeof merge === 'string' && /^[^ ]* [^ ]*$/.test(merge)
  for (let n = 0; n < merges.length; n++) {
    const merge = merges[n]
    if (!isValid(merge)) throw wrong(`model.merges.${n}`, 'a pair of tokens, as in the others', merge)
    const at = isPairs ? 0 : merge.indexOf(' ')
    const [left, right] = isPairs ? merge : [merge.slice(0, at), merge.slice(at + 1)]
    const tokens = [left, right, left + (prefix ? right.slice(prefix.length) : right)]
    const missing = tokens.find(token => !known.has(token))
    if (missing !== undefined) throw wrong(`model.merges.${n}`, 'tokens of the vocabulary', missing)
  }
}

/** Throws if the Rust library would refuse the file, or read it as something else. @param {any} json tokenizer.json */
export function checkJson(json) {
  expectFields(json, FILE)
  const unknown = Object.keys(json).find(key => !Object.keys(FILE).some(name => name.replace(/[?=]/, '') === key))
  if (unknown !== undefined) throw wrong(unknown, 'no such key', json[unknown])
  if (json.truncation) expectFields(json.truncation, TRUNCATION, 'truncation')
  if (json.padding) expectFields(json.padding, PADDING, 'padding')
  for (const [n, token] of (json.added_tokens ?? []).entries()) expectFields(token, ADDED, `added_tokens.${n}`)
  for (const kind of ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder'])
    if (json[kind]) checkPart(kind, json[kind], kind)
  checkModel(json.model)
}
