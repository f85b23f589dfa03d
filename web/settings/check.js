// Do settings make sense? Pure: no DOM, no core.

import { tokenize } from 'qkv'
import { ZOO } from './state.js'

/** @typedef {import('qkv').Tokens} Tokens */
/** @typedef {import('./state.js').Settings} Settings */
/** @typedef {import('../i18n/index.js').Key} Key */
/** @typedef {keyof Settings} Field */
/** @typedef {{ key: Key, params: Record<string, string | number> }} Problem */
/** @typedef {Partial<Record<Field, Problem>>} Problems */

/**
 * What the tracer takes: every number a number, the sentences in tokens. Plain data.
 * @typedef {Omit<Settings, NumberField | 'seed' | 'scale'> & Record<NumberField, number> & {
 *   seed: bigint, scale: number | null, isCross: boolean, queries: Tokens, keys: Tokens }} Checked
 *   keys: those of `queries` unless isCross
 */

export const MOST_TOKENS = 2048
/** Heads built by hand have matrices as large as the sentence is long. */
export const MOST_ZOO_TOKENS = 128
export const MOST_CHARACTERS = 60_000
/** Heads times queries times keys of tensors that the reader brings: what a page of settings can hold. */
export const MOST_PAIRS = 2048 * 2048

/** What each numeric field accepts: whole numbers, or with `open` any above the first. */
export const RANGES = {
  dModel: { least: 1, most: 512 },
  dKey: { least: 1, most: 128 },
  dValue: { least: 1, most: 128 },
  heads: { least: 1, most: 16 },
  batch: { least: 1, most: 64 },
  tableRows: { least: 1, most: 1_000_000 },
  left: { least: 0, most: MOST_TOKENS },
  right: { least: 0, most: MOST_TOKENS },
  padding: { least: 0, most: MOST_TOKENS },
  prefix: { least: 0, most: MOST_TOKENS },
  sharpness: { least: 0, most: 1000, open: true },
  sigma: { least: 0.01, most: 10_000, open: true },
}

/** @typedef {keyof typeof RANGES} NumberField */

/** What fields of a choice may be. */
export const CHOICES = /** @type {const} */ ({
  kind: ['self', 'cross'],
  tokenizer: ['words', 'segments', 'characters'],
  model: ['heads', 'multihead', 'zoo', 'given'],
  draw: ['reseed', 'continue'],
  keysFrom: ['words', 'random'],
  score: ['scaled', 'plain', 'gaussian', 'additive'],
  softmaxAxis: ['keys', 'queries'],
  mask: ['none', 'causal', 'window', 'padding', 'prefix'],
  masking: ['before', 'after'],
  view: ['map', 'lines', 'difference', 'numbers'],
  minus: ['head', 'settings'],
  room: ['layer', 'learn', 'models'],
})

/** @typedef {keyof typeof CHOICES} ChoiceField */

/**
 * A number that was typed.
 * @param {unknown} value
 */
export function toNumber(value) {
  const text = String(value)
    .trim()
    .replace('−', '-')
    .replace(/^(-?\d+),(\d+)$/, '$1.$2')
  return /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
}

/**
 * The settings as the tracer takes them, or what is wrong with them, field by field.
 * @param {Settings} settings
 * @returns {{ checked?: Checked, problems: Problems }}
 */
export function check(settings) {
  /** @type {Problems} */
  const problems = {}
  const isGiven = settings.model === 'given' && settings.given !== null
  const isCross = settings.kind === 'cross' || isGiven
  const sentences = isGiven ? namesOfGiven(settings) : checkSentences(settings, problems)
  const numbers = /** @type {Record<NumberField, number>} */ ({})
  for (const [name, range] of Object.entries(RANGES)) {
    const field = /** @type {NumberField} */ (name)
    const value = toNumber(settings[field])
    const isRight = value >= range.least && value <= range.most && ('open' in range || Number.isInteger(value))
    numbers[field] = value
    if (!isRight && isUsed(settings, field))
      problems[field] = {
        key: 'open' in range ? 'problemPositive' : 'problemRange',
        params: { least: range.least, most: range.most },
      }
  }
  if (isGiven) numbers.heads = headsOfGiven(/** @type {import('./state.js').Given} */ (settings.given))
  if (settings.model === 'multihead' && !problems.heads && !problems.dModel) {
    const { dModel, heads } = numbers
    if (dModel % heads) problems.heads = { key: 'problemDivide', params: { heads, dModel } }
    numbers.dKey = dModel / heads
    numbers.dValue = dModel / heads
  }
  if (settings.model !== 'multihead') numbers.batch = 1
  const scale = settings.scale === null ? null : toNumber(settings.scale)
  if (scale !== null && !Number.isFinite(scale)) problems.scale = { key: 'problemNumber', params: {} }

  const zoo = Array.from({ length: numbers.heads || 0 }, (_, h) => settings.zoo[h] ?? ZOO[h % ZOO.length])

  const probeWord = tokenize(settings.probeWord.slice(0, MOST_CHARACTERS), { by: settings.tokenizer }).tokens[0] ?? ''

  if (settings.model === 'zoo')
    for (const [field, count] of /** @type {const} */ ([
      ['sentence', sentences.queries.tokens.length],
      ['second', sentences.keys.tokens.length],
    ]))
      if (count > MOST_ZOO_TOKENS) problems[field] ??= { key: 'problemZoo', params: { most: MOST_ZOO_TOKENS, count } }
  const seed = checkSeed(settings.seed, problems)
  const checked = { ...settings, ...numbers, ...sentences, zoo, probeWord, isCross, seed, scale }
  return Object.keys(problems).length ? { problems } : { checked, problems }
}

/**
 * Does the field matter? What is not asked for is not complained about.
 * @param {Settings} settings
 * @param {NumberField} field
 */
function isUsed({ model, mask, score }, field) {
  if (field === 'left' || field === 'right') return mask === 'window'
  if (field === 'padding' || field === 'prefix') return mask === field
  if (field === 'sigma') return score === 'gaussian'
  if (field === 'sharpness') return model === 'zoo'
  if (field === 'batch') return model === 'multihead'
  if (field === 'dKey' || field === 'dValue') return model === 'heads'
  if (field === 'dModel' || field === 'tableRows') return model === 'heads' || model === 'multihead'
  return model !== 'given'
}

/**
 * Tokens of both sentences; the vocabulary of cross-attention numbers both together.
 * @param {Settings} settings
 * @param {Problems} problems
 * @returns {{ queries: Tokens, keys: Tokens }}
 */
function checkSentences({ kind, sentence, second, tokenizer: by, tableRows, keysFrom }, problems) {
  const isCross = kind === 'cross'
  const isRight = (/** @type {string} */ text) => text.length <= MOST_CHARACTERS
  const none = tokenize('')
  const all = isCross && keysFrom === 'words' ? `${sentence} ${second}` : sentence
  const vocabulary = isRight(sentence) && isRight(second) ? tokenize(all, { by }).vocabulary : none.vocabulary
  const read = (/** @type {'sentence' | 'second'} */ field, /** @type {string} */ text) => {
    if (!isRight(text)) {
      problems[field] = { key: 'problemLong', params: { most: MOST_CHARACTERS, count: text.length } }
      return none
    }
    const raw = tokenize(text, { by })
    const count = raw.tokens.length
    if (count === 0) problems[field] = { key: 'problemEmpty', params: {} }
    else if (count > MOST_TOKENS) problems[field] = { key: 'problemTokens', params: { most: MOST_TOKENS, count } }
    // Two sentences, cut together, may fall apart otherwise than each alone: then each token has its own number.
    const isKnown = raw.tokens.every(token => vocabulary.has(token))
    return isKnown ? tokenize(text, { by, vocabulary }) : raw
  }
  const queries = read('sentence', sentence)
  const keys = isCross ? read('second', second) : queries
  const most = Math.max(...queries.ids.slice(0, MOST_TOKENS), ...keys.ids.slice(0, MOST_TOKENS), 0)
  if (most >= toNumber(tableRows))
    problems.tableRows = { key: 'problemTable', params: { rows: toNumber(tableRows), count: most + 1 } }
  return { queries, keys }
}

/** @param {import('./state.js').Given} given */
export function headsOfGiven(given) {
  const { dims } = 'weights' in given ? given.weights : given.q
  return dims.length === 3 ? dims[0] : 1
}

/**
 * The words of the sentences name the rows of what was given; numbers do where words are missing.
 * @param {Settings} settings
 * @returns {{ queries: Tokens, keys: Tokens }}
 */
function namesOfGiven({ given, sentence, second, tokenizer: by }) {
  const { q, k } = /** @type {any} */ (given)
  const { weights, tokens, keyTokens } = /** @type {any} */ (given)
  const lengths = weights ? weights.dims.slice(-2) : [q.dims.at(-2), k.dims.at(-2)]
  const name = (/** @type {string} */ text, /** @type {number} */ length, /** @type {string[]} */ own) => {
    const isOwn = own?.join(' ') === text
    const words = isOwn ? own : tokenize(text.slice(0, MOST_CHARACTERS), { by }).tokens
    const tokens = Array.from({ length }, (_, i) => words[i] ?? String(i + 1))
    const ids = Int32Array.from(tokens, (_, i) => i)
    return { tokens, ids, vocabulary: new Map(tokens.map((token, i) => [token, i])) }
  }
  return { queries: name(sentence, lengths[0], tokens), keys: name(second, lengths[1], keyTokens ?? tokens) }
}

/**
 * torch.manual_seed takes -2^63 ... 2^64 - 1.
 * @param {string} text
 * @param {Problems} problems
 */
function checkSeed(text, problems) {
  const seed = /^\s*-?\d{1,20}\s*$/.test(text) ? BigInt(text.trim()) : undefined
  if (seed !== undefined && seed >= -(2n ** 63n) && seed < 2n ** 64n) return seed
  problems.seed = { key: 'problemSeed', params: {} }
  return 0n
}
