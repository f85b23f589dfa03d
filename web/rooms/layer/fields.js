// All settings, each described once: type, default, history, when it applies and what it resets. Validation, links, histories, controls and
// cache keys use this description.

import { choice, count, flag, other, real, text, whole } from '../../shell/kinds.js'
import { namesIn } from '../../shell/known.js'
import { defaultsOf } from '../../shell/settings-link.js'
import { checkImported } from './imported-tensors.js'
import { MOST_HEADS, MOST_TOKENS, TRAINED } from './limits.js'
import { EDITABLE, OF_TOKENS } from './matrices.js'

/** @import { MatrixId } from './layer.js' */
/** @typedef {keyof typeof FIELDS} FieldName */

/**
 * Everything stored in a link, field by field. A number may be a string while it is being typed; check() validates it.
 * @typedef {{ [F in FieldName]: (typeof FIELDS)[F]['default'] }} Settings
 */

/**
 * Where the numbers come from.
 * - heads: random matrices for each head, as in the articles
 * - multihead: torch.nn.MultiheadAttention, with biases and W_O
 * - handBuilt: hand-built heads, each of a kind in HAND_BUILT
 * - imported: Q, K, V or weights that the reader imported
 * - trained: a layer of the English model that ships with the page
 * @typedef {'heads' | 'multihead' | 'handBuilt' | 'imported' | 'trained'} Model
 */

/** Kinds of hand-built heads. */
export const HAND_BUILT = /** @type {const} */ (['previous', 'first', 'same', 'induction', 'uniform'])

/** @typedef {(typeof HAND_BUILT)[number]} HandBuiltHead */

/**
 * A cell of a matrix. `head` is 0 if all heads share the matrix.
 * @typedef {{ matrix: MatrixId, head: number, row: number, column: number }} Cell
 */

/**
 * A word of the sentences. In self-attention, where queries and keys are the same words, `side` is 'queries'.
 * @typedef {{ side: 'queries' | 'keys', position: number }} Word
 */

/** A cell set by hand. @typedef {Cell & { value: number }} Edit */

/** @typedef {{ dims: number[], data: number[] }} ImportedTensor (rows, columns) or (heads, rows, columns) */

/**
 * Tensors that the reader imported. `wo`, (heads * size, columns), multiplies the concatenated heads. `tokens` and `keyTokens` label rows
 * and columns as long as the sentences consist of these tokens, joined by spaces.
 * @typedef {({ q: ImportedTensor, k: ImportedTensor, v: ImportedTensor, wo?: ImportedTensor } |
 *   { x: ImportedTensor, wq: ImportedTensor, wk: ImportedTensor, wv: ImportedTensor, wo: ImportedTensor } | { weights: ImportedTensor, v?: ImportedTensor }) &
 *   { tokens?: string[], keyTokens?: string[] }} Imported
 */

/** Groups of controls. @typedef {'words' | 'sizes' | 'scores' | 'mask' | 'numbers'} Group */

/** @template K @typedef {K extends import('../../shell/room.js').Kind<infer V> ? V : never} ValueOf */

/**
 * Traits of a setting.
 * @typedef {object} Traits
 * @property {'undo' | 'place' | 'none'} [history] 'undo' if the numbers depend on the setting, so that Undo reverts a change; 'place' if
 *   Back restores it; 'none' for other view settings
 * @property {Group} [group] group of controls that has the setting; without a group, its control is drawn elsewhere
 * @property {(settings: any) => boolean} [applies] returns false if the setting has no effect: then it has no control and is not checked
 * @property {'all' | readonly MatrixId[]} [clears] matrices whose edits are dropped when the setting changes
 * @property {boolean} [repaints] True if a change drops painted cells
 * @property {boolean} [draws] True if the numbers that a model draws depend on the setting
 * @property {boolean} [stays] True for a view setting that is kept when other numbers are opened
 */

/**
 * @template {import('../../shell/room.js').Kind<any>} K
 * @param {K} kind
 * @param {ValueOf<K>} value default value
 * @param {Traits} [traits]
 * @returns {{ kind: K, default: ValueOf<K>, history: 'undo' | 'place' | 'none' } & Traits}
 */
const setting = (kind, value, traits) => ({ kind, default: value, history: 'undo', ...traits })

/** Describes a choice, whose first value is the default. @template {string} C @param {readonly C[]} choices @param {Traits} [traits] */
const oneOf = (choices, traits) => setting(choice(choices), choices[0], traits)

/** @param {number} value @param {number} least @param {number} most @param {Traits} [traits] */
const wholeOf = (value, least, most, traits) => setting(whole(least, most), value, traits)

/**
 * Returns a predicate that is true if each of these fields has one of its given values.
 * @param {Partial<Record<string, readonly string[]>>} values
 * @returns {(settings: any) => boolean}
 */
const when = values => settings =>
  Object.entries(values).every(([field, choices]) => choices?.includes(String(settings[field])))

const isDrawn = when({ model: ['heads', 'multihead'] })
const isTrained = when({ model: ['trained'] })
const hasHeads = when({ model: ['heads', 'multihead', 'handBuilt'] })
/**
 * True unless attention weights are imported, in which case there are no scores to mask.
 * @param {{ model: string, imported: any }} settings
 * @returns {boolean}
 */
export const hasScores = ({ model, imported }) => model !== 'imported' || !imported?.weights
/** @param {string} kind @returns {(settings: any) => boolean} */
const isMasked = kind => settings => settings.mask === kind && hasScores(settings)
/** True if queries and keys come from two sentences. @param {{ kind: string, model: string }} settings */
export const isPair = ({ kind, model }) => model === 'imported' || (kind === 'cross' && model !== 'trained')

const isOfWords = { clears: OF_TOKENS, repaints: true }
/** @type {{ history: 'place' }} */
const place = { history: 'place' }
/** Traits of a view setting that is reset when other numbers are opened. @type {{ history: 'none' }} */
const shown = { history: 'none' }
/** Traits of a view setting that is kept when other numbers are opened. @type {{ history: 'none', stays: true }} */
const page = { history: 'none', stays: true }

/** True if float32 can represent the number. @param {number} x */
export const isFloat32 = x => Number.isFinite(Math.fround(x))

const isCount = (/** @type {unknown} */ n) => typeof n === 'number' && Number.isInteger(n) && n >= 0 && n < 100_000

/** @param {Cell} cell */
const cellText = ({ matrix, head, row, column }) => `${matrix}.${head}.${row}.${column}`

/** @param {string} text @returns {Cell} */
function toCell(text) {
  const [matrix, ...rest] = text.split('.')
  const [head, row, column] = rest.map(Number)
  if (rest.length !== 3 || ![head, row, column].every(isCount) || !/^\w+$/.test(matrix)) throw new Error(text)
  return { matrix: /** @type {MatrixId} */ (matrix), head, row, column }
}

/** Makes a type nullable; a link encodes null as ''. @template V @param {string} type @param {(value: V) => string} write @param {(text: string) => V} read */
const optional = (type, write, read) =>
  other(type, {
    write: (/** @type {V | null} */ value) => (value === null ? '' : write(value)),
    read: text => (text === '' ? null : read(text)),
  })

/** Type of a position or an index, which is never null. */
const position = other('count', {
  write: (/** @type {number} */ value) => String(value),
  read(text) {
    const number = count().read(text)
    if (number === null) throw new Error(text)
    return number
  },
})

const cell = optional('cell', cellText, toCell)

const word = optional(
  'word',
  (/** @type {Word} */ { side, position }) => `${side}.${position}`,
  /** @returns {Word} */
  text => {
    const [, side, position] = /^(queries|keys)\.(\d{1,5})$/.exec(text) ?? []
    if (side !== 'queries' && side !== 'keys') throw new Error(text)
    return { side, position: Number(position) }
  },
)

const imported = optional(
  'imported',
  (/** @type {Imported} */ value) => JSON.stringify(value),
  text => checkImported(JSON.parse(text)),
)

/** A number, or null if it is derived from other settings. @type {import('../../shell/room.js').Kind<number | string | null>} */
const optionalReal = optional('real', String, real(0, 0).read)

/** @type {import('../../shell/room.js').Kind<readonly HandBuiltHead[]>} */
const handBuiltHeads = other('handBuilt', {
  write: kinds => kinds.join('.'),
  read(text) {
    const kinds = text.split('.')
    return kinds.map(choice(HAND_BUILT).read)
  },
})

/** @typedef {[row: number, column: number, isVisible: 0 | 1]} Painted */

/** @type {import('../../shell/room.js').Kind<readonly Painted[]>} */
const painted = other('painted', {
  write: cells => cells.map(each => each.join('.')).join(' '),
  read: text =>
    text
      .split(' ')
      .filter(Boolean)
      .map(each => {
        const numbers = each.split('.').map(Number)
        if (numbers.length !== 3 || !numbers.every(isCount) || numbers[2] > 1) throw new Error(each)
        return /** @type {Painted} */ (numbers)
      }),
})

/** @type {import('../../shell/room.js').Kind<readonly Edit[]>} */
const edits = other('edits', {
  write: all => all.map(each => `${cellText(each)}:${each.value}`).join(' '),
  read: text =>
    text
      .split(' ')
      .filter(Boolean)
      .map(each => {
        const [at, number] = each.split(':')
        const edit = { ...toCell(at), value: Number(number || 'x') }
        if (!isFloat32(edit.value) || !EDITABLE.includes(edit.matrix)) throw new Error(each)
        return edit
      }),
})

/** All settings, in the order of their controls. */
export const FIELDS = {
  sentence: setting(text(), 'Life is short, eat dessert first', isOfWords),
  /** The sentence of keys and values. */
  second: setting(text(), 'Das Leben ist kurz, iss den Nachtisch zuerst', {
    applies: settings => isPair(settings),
    ...isOfWords,
  }),
  kind: oneOf(['self', 'cross'], {
    group: 'words',
    applies: hasHeads,
    draws: true,
    ...isOfWords,
  }),
  tokenizer: oneOf(['words', 'segments', 'characters'], { group: 'words', ...isOfWords }),
  /** Source of X2, the input of the keys: 'words' for embeddings of the second sentence, 'random' for rand(keys, dModel) after the weights. */
  keysFrom: oneOf(['words', 'random'], {
    group: 'words',
    applies: when({ kind: ['cross'], model: ['heads'] }),
    draws: true,
    clears: OF_TOKENS,
  }),

  /**
   * How a word's position enters: 'added' adds a sinusoid to its embedding; 'rotary' rotates queries and keys by an angle that grows with
   * the position.
   */
  positions: oneOf(['none', 'added', 'rotary'], {
    group: 'words',
    applies: when({ model: ['heads', 'multihead', 'trained'] }),
    draws: true,
  }),

  /** @see Model */
  model: oneOf(['heads', 'multihead', 'handBuilt', 'imported', 'trained'], {
    group: 'numbers',
    draws: true,
    clears: 'all',
  }),
  /** Layer of the trained model, from 1. */
  layer: wholeOf(2, 1, TRAINED.layers, { group: 'numbers', applies: isTrained, draws: true, clears: 'all' }),
  /** Seed of all random numbers. */
  seed: setting(text(), '123', {
    group: 'numbers',
    applies: settings => isDrawn(settings) || settings.score === 'additive',
    draws: true,
    clears: 'all',
  }),
  /**
   * How the weights are drawn after the embedding table. 'reseed': as rand(in, out), after the seed is set again. 'continue': as
   * rand(out, in).T, with the next numbers of the generator.
   */
  draw: oneOf(['reseed', 'continue'], { group: 'numbers', applies: isDrawn, draws: true, clears: 'all' }),
  /** Rows of the embedding table. */
  tableRows: wholeOf(50_000, 1, 1_000_000, { group: 'numbers', applies: isDrawn, draws: true, clears: 'all' }),
  imported: setting(imported, null, { draws: true, clears: 'all', repaints: true }),

  heads: wholeOf(4, 1, MOST_HEADS, {
    group: 'sizes',
    applies: hasHeads,
    draws: true,
    clears: 'all',
  }),
  dModel: wholeOf(3, 1, 512, { group: 'sizes', applies: isDrawn, draws: true, clears: 'all' }),
  /** Size of a key; other models use dModel / heads. */
  dKey: wholeOf(2, 1, 128, { group: 'sizes', applies: when({ model: ['heads'] }), draws: true, clears: 'all' }),
  dValue: wholeOf(1, 1, 128, { group: 'sizes', applies: when({ model: ['heads'] }), draws: true, clears: 'all' }),
  /** Number of sequences in the batch. */
  batch: wholeOf(1, 1, 64, { group: 'sizes', applies: when({ model: ['multihead'] }) }),
  /** True if the layer has biases. */
  bias: setting(flag(), true, { applies: when({ model: ['multihead'] }), draws: true }),
  /** Score that a hand-built head gives to the key it attends to; other scores are 0. */
  sharpness: setting(real(0, 1000), 8, {
    group: 'sizes',
    applies: when({ model: ['handBuilt'] }),
    draws: true,
  }),
  /** Kind of each hand-built head; further heads cycle through the kinds. */
  handBuilt: setting(handBuiltHeads, HAND_BUILT, {
    group: 'sizes',
    applies: when({ model: ['handBuilt'] }),
    draws: true,
    clears: 'all',
  }),

  score: oneOf(['scaled', 'plain', 'gaussian', 'additive'], { group: 'scores', draws: true }),
  sigma: setting(real(0.01, 10_000), 1, {
    group: 'scores',
    applies: when({ score: ['gaussian'] }),
  }),
  /** Factor that multiplies the scores; null for the default of the score function. */
  scale: setting(optionalReal, null, { group: 'scores' }),
  softmaxAxis: oneOf(['keys', 'queries'], { group: 'scores' }),

  mask: oneOf(['none', 'causal', 'window', 'padding', 'prefix'], { group: 'mask', applies: hasScores, repaints: true }),
  left: wholeOf(1, 0, MOST_TOKENS, { group: 'mask', applies: isMasked('window') }),
  right: wholeOf(1, 0, MOST_TOKENS, { group: 'mask', applies: isMasked('window') }),
  /** Number of keys before the padding. */
  padding: wholeOf(4, 0, MOST_TOKENS, { group: 'mask', applies: isMasked('padding') }),
  /** Number of leading keys that every query sees in addition to the causal ones. */
  prefix: wholeOf(2, 0, MOST_TOKENS, { group: 'mask', applies: isMasked('prefix') }),
  /** Painted cells: row, column, and 1 for visible or 0 for hidden. They override the mask. */
  painted: setting(painted, []),
  masking: oneOf(['before', 'after'], { group: 'mask', applies: hasScores }),

  edits: setting(edits, []),
  /** Position of the token that is replaced to show whose output changes; in cross-attention, a position among the keys. */
  probe: setting(count(), null),
  /** The word that replaces that token. */
  probeWord: setting(text(), 'pizza'),

  /** The selected head, word and cell. */
  head: setting(position, 0, place),
  word: setting(word, null, place),
  cell: setting(cell, null, place),
  /** The cell to subtract from the selected one. */
  less: setting(cell, null, place),
  /** Id of the current step; '' shows the last frame in the flow, and the first step in the panel of steps. */
  step: setting(text(), '', shown),
  /** Stop of the tour, from 1. */
  tour: setting(count(), null, shown),
  /** The settings from before the tour as a link, or ''. */
  before: setting(text(), '', shown),
  /** Name of the selected picture, from `web/attention-head/views/index.js`; '' lets `explain/picture.js` choose. */
  view: setting(text(), '', page),
  /** In view 'difference', what is compared: another head, or the baseline. */
  minus: oneOf(['head', 'settings'], page),
  /** Index of the other head, for `minus` 'head'. */
  other: setting(position, 1, page),
  /** Settings of the baseline as a link without #, or ''. */
  baseline: setting(text(), '', page),
}

/** @typedef {{ [F in FieldName]: (typeof FIELDS)[F]['kind'] extends { least: number } ? F : never }[FieldName]} NumberField */
/** @typedef {{ [F in FieldName]: (typeof FIELDS)[F]['kind'] extends { choices: readonly string[] } ? F : never }[FieldName]} ChoiceField */
/** @typedef {{ kind: import('../../shell/room.js').Kind<any>, default: any, history: 'undo' | 'place' | 'none' } & Traits} Field */

export const FIELD_NAMES = namesIn(FIELDS)

/** Returns the description of a field, with a type that fits every kind of field. @param {FieldName} name @returns {Field} */
export const describe = name => FIELDS[name]

/** @type {Readonly<Settings>} */
export const DEFAULTS = defaultsOf(FIELDS)

/**
 * True if the field has an effect with these settings.
 * @param {Readonly<Settings>} settings
 * @param {FieldName} name
 */
export const applies = (settings, name) => describe(name).applies?.(settings) ?? true

/** @param {(field: Field) => unknown} isMeant */
export const fieldsThat = isMeant => FIELD_NAMES.filter(name => isMeant(describe(name)))

/**
 * Picks some of the settings.
 * @template {FieldName} F
 * @param {Readonly<Settings>} settings
 * @param {readonly F[]} names
 * @returns {Pick<Settings, F>}
 */
export const pick = (settings, names) =>
  /** @type {any} */ (Object.fromEntries(names.map(name => [name, settings[name]])))
