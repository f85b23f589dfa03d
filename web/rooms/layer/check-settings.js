// Validates the settings: every range is checked here, before any number is used as a size. Pure: no DOM, no core.

import { toNumber } from '../../shell/kinds.js'
import { applies, DEFAULTS, describe, FIELDS, fieldsThat, HAND_BUILT, isFloat32 } from './fields.js'
import { lengthsOf } from './imported-tensors.js'
import { MOST_CHARACTERS, MOST_HAND_BUILT_TOKENS, MOST_HEADS, MOST_TABLE, MOST_TOKENS, TRAINED } from './limits.js'
import { tokenize } from './tokenize.js'

/** @import { Tokens } from './tokenize.js' */
/** @import { FieldName, Imported, NumberField, Settings } from './layer.js' */
/** @import { Key } from '../../i18n/index.js' */
/** @typedef {import('../../shell/room.js').Problem<Settings, Key>} Problem offers: patches of the settings that fix the problem */
/** @typedef {Partial<Record<FieldName, Problem>>} Problems */

/**
 * Validated input of the tracer: every number in range, the sentences as tokens. Plain data.
 * @typedef {Omit<Settings, NumberField | 'seed' | 'scale'> & Record<NumberField, number> & {
 *   seed: bigint, scale: number | null, isCross: boolean, queries: Tokens, keys: Tokens, given?: import('./layer.js').Tensors }} Checked keys:
 *   same as `queries` unless isCross; given: for a trained layer, its input and weights, added by the session
 */

const NUMBER_FIELDS = /** @type {NumberField[]} */ (fieldsThat(({ kind }) => kind.least !== undefined))

/**
 * Returns a field's number if it is in range, else its default. Adds the problem to `problems` if the field applies.
 * @param {Settings} settings
 * @param {NumberField} field
 * @param {Problems} problems
 */
function checkNumber(settings, field, problems) {
  const { kind, default: normal } = describe(field)
  const problem = kind.check?.(settings[field])
  if (!problem) return toNumber(settings[field])
  if (applies(settings, field)) problems[field] = /** @type {Problem} */ (problem)
  return normal
}

/** @type {WeakMap<Settings, { checked?: Checked, problems: Problems }>} */
const known = new WeakMap()

/**
 * Returns the validated settings, or the problem of each field.
 * @param {Settings} settings
 * @returns {{ checked?: Checked, problems: Problems }}
 */
export function check(settings) {
  const made = known.get(settings) ?? checkAnew(settings)
  known.set(settings, made)
  return made
}

/** @param {Settings} settings @returns {{ checked?: Checked, problems: Problems }} */
function checkAnew(settings) {
  /** @type {Problems} */
  const problems = {}
  const { model, imported } = settings
  const numbers = /** @type {Record<NumberField, number>} */ (
    Object.fromEntries(NUMBER_FIELDS.map(field => [field, checkNumber(settings, field, problems)]))
  )
  const own = model === 'imported' ? imported : null
  if (model === 'imported' && !own) problems.model = { key: 'problemImported', params: {} }
  const isTrained = model === 'trained'
  const isCross = (settings.kind === 'cross' && !isTrained) || own !== null
  const sentences = own
    ? namesOfImported(settings, own)
    : checkSentences(
        isTrained ? { ...settings, kind: 'self', tokenizer: 'words' } : settings,
        numbers.tableRows,
        problems,
      )
  const { queries, keys } = sentences
  if (own) numbers.heads = headsOfImported(own)
  if (model === 'multihead') {
    const { dModel, heads } = numbers
    if (dModel % heads)
      problems.heads ??= { key: 'problemDivide', params: { heads, dModel }, offers: dividing(heads, dModel) }
    numbers.dKey = numbers.dValue = dModel / heads
  } else numbers.batch = 1
  if (isTrained) numbers.heads = TRAINED.heads
  const positions = applies(settings, 'positions') ? settings.positions : 'none'
  const { heads, tableRows, dModel, dKey } = numbers
  if (positions === 'rotary' && !isTrained && dKey % 2)
    problems.positions = {
      key: 'problemRotary',
      params: { size: dKey },
      offers: model === 'heads' ? [{ dKey: dKey + 1 }] : [{ dModel: dModel + heads }],
    }
  if (applies(settings, 'draw') && settings.draw === 'continue' && tableRows * dModel > MOST_TABLE)
    problems.tableRows ??= { key: 'problemTableSize', params: { most: Math.floor(MOST_TABLE / dModel), dModel } }
  if (model === 'handBuilt')
    for (const [field, { tokens }] of /** @type {const} */ ([
      ['sentence', queries],
      ['second', keys],
    ]))
      if (tokens.length > MOST_HAND_BUILT_TOKENS)
        problems[field] ??= { key: 'problemHandBuilt', params: { most: MOST_HAND_BUILT_TOKENS, count: tokens.length } }
  const scale = settings.scale === null ? null : toNumber(settings.scale)
  if (scale !== null && !isFloat32(scale)) problems.scale = { key: 'problemNumber', params: {} }
  const seed = checkSeed(settings, problems)

  if (Object.keys(problems).length > 0) return { problems }
  const probeWord = tokenize(settings.probeWord.slice(0, MOST_CHARACTERS), { by: settings.tokenizer }).tokens[0] ?? ''
  const handBuilt = Array.from({ length: heads }, (_, h) => settings.handBuilt[h] ?? HAND_BUILT[h % HAND_BUILT.length])
  const edits = settings.edits.filter(({ value }) => isFloat32(value))
  return {
    checked: { ...settings, ...numbers, ...sentences, edits, handBuilt, probeWord, isCross, seed, scale, positions },
    problems,
  }
}

/**
 * Tokenizes both sentences. If the keys of cross-attention come from words, one vocabulary numbers the tokens of both.
 * @param {Settings} settings
 * @param {number} tableRows
 * @param {Problems} problems
 * @returns {{ queries: Tokens, keys: Tokens }}
 */
function checkSentences(settings, tableRows, problems) {
  const { kind, sentence, second, tokenizer: by, keysFrom } = settings
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
    // The segmenter may split the joined sentences differently from each alone. If the shared vocabulary lacks a token for this reason,
    // this sentence uses a vocabulary of its own tokens.
    const isKnown = raw.tokens.every(token => vocabulary.has(token))
    return isKnown ? tokenize(text, { by, vocabulary }) : raw
  }
  const queries = read('sentence', sentence)
  const keys = isCross ? read('second', second) : queries
  const most = Math.max(...queries.ids.slice(0, MOST_TOKENS), ...keys.ids.slice(0, MOST_TOKENS), 0)
  if (most >= tableRows && applies(settings, 'tableRows'))
    problems.tableRows ??= { key: 'problemTable', params: { rows: tableRows, count: most + 1 } }
  return { queries, keys }
}

/** @param {Imported} imported */
export function headsOfImported(imported) {
  const { dims } = 'weights' in imported ? imported.weights : 'x' in imported ? imported.wq : imported.q
  return dims.length === 3 ? dims[0] : 1
}

/**
 * Labels the rows of the imported tensors with the words of the sentences. Rows beyond the last word get their number.
 * @param {Settings} settings
 * @param {Imported} imported
 * @returns {{ queries: Tokens, keys: Tokens }}
 */
function namesOfImported({ sentence, second, tokenizer: by }, imported) {
  const { tokens, keyTokens } = imported
  const lengths = lengthsOf(imported)
  const name = (/** @type {string} */ text, /** @type {number} */ length, /** @type {string[]} */ own = []) => {
    const isOwn = own.join(' ') === text
    const words = isOwn ? own : tokenize(text.slice(0, MOST_CHARACTERS), { by }).tokens
    const tokens = Array.from({ length }, (_, i) => words[i] ?? String(i + 1))
    const ids = Int32Array.from(tokens, (_, i) => i)
    return { tokens, ids, vocabulary: new Map(tokens.map((token, i) => [token, i])) }
  }
  return { queries: name(sentence, lengths[0], tokens), keys: name(second, lengths[1], keyTokens ?? tokens) }
}

/**
 * Parses the seed. Accepts the range of torch.manual_seed, -2^63 ... 2^64 - 1. For other text, adds a problem and returns the default.
 * @param {Settings} settings
 * @param {Problems} problems
 */
function checkSeed(settings, problems) {
  const text = settings.seed
  const seed = /^\s*-?\d{1,20}\s*$/.test(text) ? BigInt(text.trim()) : undefined
  if (seed !== undefined && seed >= -(2n ** 63n) && seed < 2n ** 64n) return seed
  if (applies(settings, 'seed')) problems.seed = { key: 'problemSeed', params: {} }
  return BigInt(DEFAULTS.seed)
}

/**
 * Returns patches that mend the settings: the nearest numbers of heads that divide dModel, and the nearest values of dModel that `heads`
 * divides.
 * @param {number} heads
 * @param {number} dModel
 * @returns {Partial<Settings>[]}
 */
function dividing(heads, dModel) {
  const divides = (/** @type {number} */ n) => n <= MOST_HEADS && dModel % n === 0
  const fewer = Array.from({ length: heads }, (_, i) => heads - i).find(divides)
  const more = Array.from({ length: MOST_HEADS }, (_, i) => heads + i).find(divides)
  const models = [Math.floor(dModel / heads) * heads, Math.ceil(dModel / heads) * heads]
  return [
    ...[...new Set([fewer, more])].flatMap(n => (n ? [{ heads: n }] : [])),
    ...models.filter(n => n >= 1 && n <= FIELDS.dModel.kind.most).map(n => ({ dModel: n })),
  ]
}
