// Every setting, described once: its default, its kind and range, where it applies, what it resets, whether it is only
// a view. The description drives check, link, history, controls and the keys of what is computed again.

import { OF_TOKENS } from './matrices.js'

/** @typedef {import('./matrices.js').MatrixId} MatrixId */
/** @typedef {keyof typeof FIELDS} FieldName */

/**
 * Everything that a link carries, field by field. Numbers are numbers, or their text while it is being typed: check()
 * decides.
 * @typedef {{ [F in FieldName]: (typeof FIELDS)[F]['default'] }} Settings
 */

/**
 * Where the numbers come from.
 * - heads: random matrices for each head, as an article draws them
 * - multihead: torch.nn.MultiheadAttention, with biases and W_O
 * - zoo: heads built by hand, each of a kind
 * - given: Q, K, V or weights that the reader brought
 * @typedef {'heads' | 'multihead' | 'zoo' | 'given'} Model
 */

/** Kinds of heads built by hand. */
export const ZOO = /** @type {const} */ (['previous', 'first', 'same', 'induction', 'uniform'])

/** @typedef {(typeof ZOO)[number]} ZooHead */

/**
 * A cell of a matrix of the page; `head` is that of its head's matrix, 0 where all heads share one.
 * @typedef {{ matrix: MatrixId, head: number, row: number, column: number }} Cell
 */

/**
 * A word of the sentences. In self-attention queries and keys are the same words; such a word is one of the queries.
 * @typedef {{ side: 'queries' | 'keys', position: number }} Word
 */

/** A cell that the reader set by hand. @typedef {Cell & { value: number }} Edit */

/** @typedef {{ dims: number[], data: number[] }} GivenTensor (rows, columns) or (heads, rows, columns) */

/**
 * `wo`: (heads * size, columns), what the heads side by side are multiplied with. Tokens name the rows and columns, as long as the sentences are these tokens, joined by spaces.
 * @typedef {({ q: GivenTensor, k: GivenTensor, v: GivenTensor, wo?: GivenTensor } |
 *   { x: GivenTensor, wq: GivenTensor, wk: GivenTensor, wv: GivenTensor, wo: GivenTensor } | { weights: GivenTensor, v?: GivenTensor }) &
 *   { tokens?: string[], keyTokens?: string[] }} Given
 */

/** Groups of controls. @typedef {'words' | 'sizes' | 'scores' | 'mask' | 'numbers'} Group */

/**
 * How values are checked, written and read: see check.js and link.js.
 * @typedef {'text' | 'whole' | 'real' | 'seed' | 'choice' | 'flag' | 'count' | 'zoo' | 'edits' | 'painted' | 'cell' | 'word' | 'given'} Kind
 */

/**
 * @typedef {object} Traits
 * @property {Group} [group] of the controls; without one it has a control of its own kind, elsewhere
 * @property {Partial<Record<string, readonly string[]>>[]} [applies] the values of other fields with which it matters,
 *   in one of these ways; elsewhere it has no control and is not complained about
 * @property {'all' | readonly MatrixId[]} [clears] matrices whose edits lose their meaning when it changes
 * @property {boolean} [repaints] painted cells lose their meaning when it changes
 * @property {'page' | 'place'} [shows] it is only a view: nothing is computed, nothing to undo. 'place' belongs to these
 *   numbers, 'page' stays when other numbers are opened
 * @property {boolean} [draws] the numbers that a model draws depend on it
 * @property {string} [former] what older links call it
 */

/**
 * @template {Kind} K
 * @template T
 * @typedef {Traits & { kind: K, default: T, least?: number, most?: number, choices?: readonly T[] }} Field
 */

export const MOST_TOKENS = 2048
export const MOST_HEADS = 16

/** @param {string} value @param {Traits} [traits] @returns {Field<'text', string>} */
const text = (value, traits) => ({ kind: 'text', default: value, ...traits })

/** A whole number of a range; a text while it is being typed. @param {number} value @param {number} least @param {number} most @param {Traits} [traits] @returns {Field<'whole', number | string> & { least: number, most: number }} */
const whole = (value, least, most, traits) => ({ kind: 'whole', default: value, least, most, ...traits })

/** Any number of a range. @param {number} value @param {number} least @param {number} most @param {Traits} [traits] @returns {Field<'real', number | string> & { least: number, most: number }} */
const real = (value, least, most, traits) => ({ kind: 'real', default: value, least, most, ...traits })

/** The first is the default. @template {string} T @param {readonly T[]} choices @param {Traits} [traits] @returns {Field<'choice', T> & { choices: readonly T[] }} */
const choice = (choices, traits) => ({ kind: 'choice', default: choices[0], choices, ...traits })

/** @template {Kind} K @template T @param {K} kind @param {T} value @param {Traits} [traits] @returns {Field<K, T>} */
const other = (kind, value, traits) => ({ kind, default: value, ...traits })

const drawn = [{ model: ['heads', 'multihead'] }]
const isOfWords = { clears: OF_TOKENS, repaints: true }
const place = /** @type {const} */ ({ shows: 'place' })
const page = /** @type {const} */ ({ shows: 'page' })

/** In the order of the controls. */
export const FIELDS = {
  sentence: text('Life is short, eat dessert first', isOfWords),
  /** The sentence of keys and values. */
  second: text('Das Leben ist kurz, iss den Nachtisch zuerst', {
    applies: [{ kind: ['cross'] }, { model: ['given'] }],
    ...isOfWords,
  }),
  kind: choice(['self', 'cross'], {
    group: 'words',
    applies: [{ model: ['heads', 'multihead', 'zoo'] }],
    draws: true,
    ...isOfWords,
  }),
  tokenizer: choice(['words', 'segments', 'characters'], { group: 'words', ...isOfWords }),
  /** 'words': embeddings of the second sentence; 'random': rand(S, d), drawn after the weights. */
  keysFrom: choice(['words', 'random'], {
    group: 'words',
    applies: [{ kind: ['cross'], model: ['heads'] }],
    draws: true,
    clears: OF_TOKENS,
  }),

  /** @see Model */
  model: choice(['heads', 'multihead', 'zoo', 'given'], { group: 'numbers', draws: true, clears: 'all' }),
  /** Of all that is drawn. */
  seed: other('seed', '123', {
    group: 'numbers',
    applies: [...drawn, { score: ['additive'] }],
    draws: true,
    clears: 'all',
  }),
  /**
   * 'reseed': the seed is set again before the weights, rand(in, out); 'continue': the stream goes on after the table,
   * rand(out, in) transposed.
   */
  draw: choice(['reseed', 'continue'], { group: 'numbers', applies: drawn, draws: true, clears: 'all' }),
  /** Rows of the embedding table. */
  tableRows: whole(50_000, 1, 1_000_000, { group: 'numbers', applies: drawn, draws: true, clears: 'all' }),
  given: other('given', /** @type {Given | null} */ (null), { draws: true, clears: 'all', repaints: true }),

  heads: whole(4, 1, MOST_HEADS, {
    group: 'sizes',
    applies: [{ model: ['heads', 'multihead', 'zoo'] }],
    draws: true,
    clears: 'all',
  }),
  dModel: whole(3, 1, 512, { group: 'sizes', applies: drawn, draws: true, clears: 'all' }),
  /** With other models: dModel / heads. */
  dKey: whole(2, 1, 128, { group: 'sizes', applies: [{ model: ['heads'] }], draws: true, clears: 'all' }),
  dValue: whole(1, 1, 128, { group: 'sizes', applies: [{ model: ['heads'] }], draws: true, clears: 'all' }),
  /** How many sequences go through the layer at once. */
  batch: whole(1, 1, 64, { group: 'sizes', applies: [{ model: ['multihead'] }] }),
  /** Are there biases? */
  bias: other('flag', true, { applies: [{ model: ['multihead'] }], draws: true }),
  /** The score of the key that a head built by hand looks for; other scores are 0. */
  sharpness: real(8, 0, 1000, { group: 'sizes', applies: [{ model: ['zoo'] }], draws: true }),
  /** The kind of each head built by hand; heads beyond the list take the kinds in turn. */
  zoo: other('zoo', /** @type {readonly ZooHead[]} */ (ZOO), {
    group: 'sizes',
    applies: [{ model: ['zoo'] }],
    draws: true,
    clears: 'all',
  }),

  score: choice(['scaled', 'plain', 'gaussian', 'additive'], { group: 'scores', draws: true }),
  sigma: real(1, 0.01, 10_000, { group: 'scores', applies: [{ score: ['gaussian'] }] }),
  /** The factor of the scores; null: the default of the score function. */
  scale: other('real', /** @type {number | string | null} */ (null), { group: 'scores' }),
  softmaxAxis: choice(['keys', 'queries'], { group: 'scores' }),

  mask: choice(['none', 'causal', 'window', 'padding', 'prefix'], { group: 'mask', repaints: true }),
  left: whole(1, 0, MOST_TOKENS, { group: 'mask', applies: [{ mask: ['window'] }] }),
  right: whole(1, 0, MOST_TOKENS, { group: 'mask', applies: [{ mask: ['window'] }] }),
  /** How many keys come before the padding. */
  padding: whole(4, 0, MOST_TOKENS, { group: 'mask', applies: [{ mask: ['padding'] }] }),
  /** How many keys every query sees, beside the causal ones. */
  prefix: whole(2, 0, MOST_TOKENS, { group: 'mask', applies: [{ mask: ['prefix'] }] }),
  /** Row, column, visible? On top of the mask. */
  painted: other('painted', /** @type {[number, number, 0 | 1][]} */ ([])),
  masking: choice(['before', 'after'], { group: 'mask' }),

  edits: other('edits', /** @type {Edit[]} */ ([])),
  /** The position of the token that is replaced, to see whose output moves; in cross-attention among the keys. */
  probe: other('count', /** @type {number | null} */ (null)),
  /** What stands there instead. */
  probeWord: text('pizza'),

  /** One layer, Learn, Models. */
  room: choice(['layer', 'learn', 'models'], page),
  /** In the room Learn: the task, and what differs from its recipe, such as 'seed=3,layers=1'. */
  task: choice(['induction', 'translation', 'sort', 'reverse', 'text'], page),
  learn: text('', page),
  /** In the room Models: which model, '' the first that ships; what it reads; the text that patches are taken from; what is
   * changed in it (checkpoints/changes.js); the head whose page is open. */
  checkpoint: text('', page),
  prompt: text('', page),
  /** Ids that the model has added to the prompt: "12.5.99". */
  generated: text('', page),
  donor: text('', page),
  changes: text('', page),
  at: text('', page),
  /** The selected head, word and cell. */
  head: other('count', 0, place),
  word: other('word', /** @type {Word | null} */ (null), place),
  cell: other('cell', /** @type {Cell | null} */ (null), { ...place, former: 'pinned' }),
  /** The cell that is subtracted from the selected one. */
  less: other('cell', /** @type {Cell | null} */ (null), place),
  /** Of the walk. */
  step: text('embed', place),
  /** The stop of the tour, from 1. */
  tour: other('count', /** @type {number | null} */ (null), place),
  /** Of the selected head. */
  view: choice(['map', 'lines', 'difference', 'numbers'], page),
  /** With view 'difference': another head, or the baseline. */
  minus: choice(['head', 'settings'], page),
  /** That head. */
  other: other('count', 1, page),
  /** The settings to compare with, as a link without #, or ''. */
  baseline: text('', { ...page, former: 'kept' }),
}

/** @typedef {{ [F in FieldName]: (typeof FIELDS)[F]['kind'] extends 'whole' ? F : (typeof FIELDS)[F] extends { least: number } ? F : never }[FieldName]} NumberField */
/** @typedef {{ [F in FieldName]: (typeof FIELDS)[F] extends { choices: readonly string[] } ? F : never }[FieldName]} ChoiceField */

export const FIELD_NAMES = /** @type {FieldName[]} */ (Object.keys(FIELDS))

/** The description of a field, whatever its kind. @param {FieldName} name @returns {Field<Kind, any>} */
export const describe = name => FIELDS[name]

/** @type {Readonly<Settings>} */
export const DEFAULTS = /** @type {any} */ (Object.fromEntries(FIELD_NAMES.map(name => [name, describe(name).default])))

/**
 * Does the field matter with these settings?
 * @param {Readonly<Settings>} settings
 * @param {FieldName} name
 */
export const applies = (settings, name) =>
  describe(name).applies?.some(way =>
    Object.entries(way).every(([field, values]) =>
      values?.includes(String(settings[/** @type {FieldName} */ (field)])),
    ),
  ) ?? true

/** @param {(field: Field<Kind, any>) => unknown} isMeant */
export const fieldsThat = isMeant => FIELD_NAMES.filter(name => isMeant(describe(name)))

/**
 * Some of the settings.
 * @template {FieldName} F
 * @param {Readonly<Settings>} settings
 * @param {readonly F[]} names
 * @returns {Pick<Settings, F>}
 */
export const pick = (settings, names) =>
  /** @type {any} */ (Object.fromEntries(names.map(name => [name, settings[name]])))
