// What the reader has chosen, and whether it makes sense. Pure: no DOM, no core.

import { tokenize } from 'qkv'

/** @typedef {import('qkv').Tokens} Tokens */
/** @typedef {import('./i18n/index.js').Language} Language */
/** @typedef {import('./i18n/index.js').Key} Key */
/** @typedef {import('./matrices.js').Cell} Cell */

/**
 * The controls as they stand, numbers still as text.
 * @typedef {object} Inputs
 * @property {string} sentence
 * @property {'self' | 'cross'} kind
 * @property {string} second the sentence of keys and values; with kind 'cross' only
 * @property {string} seed
 * @property {string} dModel
 * @property {string} dKey
 * @property {string} dValue
 * @property {string} heads
 * @property {'none' | 'causal' | 'window'} mask
 * @property {string} left
 * @property {string} right
 */

/** @typedef {keyof Inputs} Field */

/**
 * The inputs, checked.
 * @typedef {object} Settings
 * @property {boolean} isCross
 * @property {Tokens} queries
 * @property {Tokens} keys those of `queries` unless isCross
 * @property {bigint} seed
 * @property {number} dModel
 * @property {number} dKey
 * @property {number} dValue
 * @property {number} heads
 * @property {Inputs['mask']} mask
 * @property {number} left
 * @property {number} right
 */

/** @typedef {{ key: Key, params: Record<string, string | number> }} Problem */
/** @typedef {Partial<Record<Field, Problem>>} Problems */

/**
 * @typedef {object} State
 * @property {Inputs} inputs
 * @property {number} head the one that is shown
 * @property {Cell} cursor the cell last pointed at or focused
 * @property {Cell} [pinned] the cell whose arithmetic stays
 * @property {Language} language
 */

export const MOST_TOKENS = 64
export const MOST_CHARACTERS = 4000

/** What each numeric control accepts. */
export const RANGES = {
  dModel: [1, 16],
  dKey: [1, 16],
  dValue: [1, 16],
  heads: [1, 8],
  left: [0, MOST_TOKENS],
  right: [0, MOST_TOKENS],
}

/** @typedef {keyof typeof RANGES} NumberField */

/** @type {Readonly<Inputs>} */
export const DEFAULTS = {
  sentence: 'Life is short, eat dessert first',
  kind: 'self',
  second: 'Das Leben ist kurz, iss den Nachtisch zuerst',
  seed: '123',
  dModel: '3',
  dKey: '2',
  dValue: '4',
  heads: '1',
  mask: 'none',
  left: '1',
  right: '1',
}

/** @type {Record<'self' | 'heads' | 'causal' | 'cross', Readonly<Inputs>>} */
export const PRESETS = {
  self: DEFAULTS,
  heads: { ...DEFAULTS, dValue: '1', heads: '4' },
  causal: { ...DEFAULTS, mask: 'causal' },
  cross: { ...DEFAULTS, kind: 'cross' },
}

/** @typedef {keyof typeof PRESETS} Preset */

/**
 * @param {Language} language
 * @returns {State}
 */
export const initialState = language => ({
  inputs: DEFAULTS,
  head: 0,
  cursor: { matrix: 'weights', row: 1, column: 1 },
  language,
})

/**
 * The settings that the inputs stand for, or what is wrong with them, control by control.
 * @param {Inputs} inputs
 * @returns {{ settings?: Settings, problems: Problems }}
 */
export function check(inputs) {
  /** @type {Problems} */
  const problems = {}
  const isCross = inputs.kind === 'cross'
  const number = (/** @type {NumberField} */ field) => {
    const [least, most] = RANGES[field]
    const text = inputs[field].trim()
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) problems[field] = { key: 'problemRange', params: { least, most } }
    return value
  }
  const isWindow = inputs.mask === 'window'
  const settings = {
    isCross,
    ...checkSentences(inputs, problems),
    seed: checkSeed(inputs.seed, problems),
    dModel: number('dModel'),
    dKey: number('dKey'),
    dValue: number('dValue'),
    heads: number('heads'),
    mask: inputs.mask,
    left: isWindow ? number('left') : 0,
    right: isWindow ? number('right') : 0,
  }
  return Object.keys(problems).length ? { problems } : { settings, problems }
}

/**
 * Tokens of both sentences; the vocabulary of cross-attention numbers both together.
 * @param {Inputs} inputs
 * @param {Problems} problems
 */
function checkSentences({ kind, sentence, second }, problems) {
  const isCross = kind === 'cross'
  const short = (/** @type {string} */ text) => text.slice(0, MOST_CHARACTERS)
  const { vocabulary } = tokenize(short(isCross ? `${sentence} ${second}` : sentence))
  const read = (/** @type {'sentence' | 'second'} */ field, /** @type {string} */ text) => {
    const tokens = text.length > MOST_CHARACTERS ? tokenize('') : tokenize(text, { vocabulary })
    const count = tokens.tokens.length
    if (text.length > MOST_CHARACTERS)
      problems[field] = { key: 'problemLong', params: { most: MOST_CHARACTERS, count: text.length } }
    else if (count === 0) problems[field] = { key: 'problemEmpty', params: {} }
    else if (count > MOST_TOKENS) problems[field] = { key: 'problemTokens', params: { most: MOST_TOKENS, count } }
    return tokens
  }
  const queries = read('sentence', sentence)
  return { queries, keys: isCross ? read('second', second) : queries }
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

/**
 * @param {Inputs} a
 * @param {Inputs} b
 */
export const isSame = (a, b) => /** @type {Field[]} */ (Object.keys(a)).every(field => a[field] === b[field])
