// The one document that says what the page shows. Plain JSON, pure functions: no DOM, no core.

/** @typedef {import('./check.js').Field} Field */

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

/** @typedef {typeof ZOO[number]} ZooHead */

/**
 * A cell of a matrix of the page; `head` is that of its head's matrix, 0 where all heads share one.
 * @typedef {{ matrix: import('../explain/matrices.js').MatrixId, head: number, row: number, column: number }} Cell
 */

/**
 * A word of the sentences. In self-attention queries and keys are the same words; such a word is one of the queries.
 * @typedef {{ side: 'queries' | 'keys', position: number }} Word
 */

/** What the inspector shows. @typedef {Pick<Settings, 'room' | 'head' | 'word' | 'cell'>} Selection */

/** A cell that the reader set by hand. @typedef {Cell & { value: number }} Edit */

/** @typedef {{ dims: number[], data: number[] }} GivenTensor (rows, columns) or (heads, rows, columns) */

/**
 * With tokens, these name the rows and columns as long as the sentences are they, joined by spaces.
 * @typedef {({ q: GivenTensor, k: GivenTensor, v: GivenTensor } | { weights: GivenTensor, v?: GivenTensor }) &
 *   { tokens?: string[], keyTokens?: string[] }} Given
 */

/**
 * Everything that a link carries. Numbers are numbers, or their text while it is being typed: check() decides.
 * @typedef {object} Settings
 * @property {1} v version of this document
 * @property {'self' | 'cross'} kind
 * @property {string} sentence
 * @property {string} second the sentence of keys and values; with kind 'cross' only
 * @property {'words' | 'segments' | 'characters'} tokenizer
 * @property {Model} model
 * @property {string} seed
 * @property {number | string} dModel
 * @property {number | string} dKey with model 'heads' only; else dModel / heads
 * @property {number | string} dValue alike
 * @property {number | string} heads
 * @property {number | string} tableRows of the embedding table
 * @property {'reseed' | 'continue'} draw 'reseed': the seed is set again before the weights, rand(in, out);
 *   'continue': the stream goes on after the table, rand(out, in) transposed
 * @property {'words' | 'random'} keysFrom with kind 'cross': embeddings of the second sentence, or rand(S, d)
 *   drawn after the weights
 * @property {number | string} batch with model 'multihead': how many sequences go through the layer at once
 * @property {boolean} bias with model 'multihead': are there biases?
 * @property {readonly ZooHead[]} zoo with model 'zoo': the kind of each head; heads beyond the list take the kinds in turn
 * @property {number | string} sharpness with model 'zoo': the score of what a head looks for; of all else it is 0
 * @property {Given | null} given with model 'given'
 * @property {'scaled' | 'plain' | 'gaussian' | 'additive'} score
 * @property {number | string} sigma with score 'gaussian'
 * @property {number | string | null} scale what the scores are multiplied with; null: what the score asks for
 * @property {'keys' | 'queries'} softmaxAxis
 * @property {'none' | 'causal' | 'window' | 'padding' | 'prefix'} mask
 * @property {number | string} left with mask 'window'
 * @property {number | string} right alike
 * @property {number | string} padding with mask 'padding': how many of the keys are no padding
 * @property {number | string} prefix with mask 'prefix': how many keys everybody sees, beside the causal ones
 * @property {[number, number, 0 | 1][]} painted row, column, visible? on top of the mask
 * @property {'before' | 'after'} masking
 * @property {Edit[]} edits
 * @property {number | null} probe the position of a token that is changed for a try, among the keys of cross-attention
 * @property {string} probeWord what stands there instead
 * @property {'layer' | 'learn' | 'models'} room of the page: One layer, Learn, Models
 * @property {number} head the selected head
 * @property {Word | null} word the selected word
 * @property {Cell | null} cell the selected cell
 * @property {string} step of the walk
 * @property {'map' | 'lines' | 'difference' | 'numbers'} view of the chosen head
 * @property {'head' | 'settings'} minus with view 'difference': another head, or the baseline
 * @property {number} other that head
 * @property {string} baseline the settings to compare with, as a link without #, or ''
 */

/** @type {Readonly<Settings>} */
export const DEFAULTS = {
  v: 1,
  kind: 'self',
  sentence: 'Life is short, eat dessert first',
  second: 'Das Leben ist kurz, iss den Nachtisch zuerst',
  tokenizer: 'words',
  model: 'heads',
  seed: '123',
  dModel: 3,
  dKey: 2,
  dValue: 1,
  heads: 4,
  tableRows: 50_000,
  draw: 'reseed',
  keysFrom: 'words',
  batch: 1,
  bias: true,
  zoo: ZOO,
  sharpness: 8,
  given: null,
  score: 'scaled',
  sigma: 1,
  scale: null,
  softmaxAxis: 'keys',
  mask: 'none',
  left: 1,
  right: 1,
  padding: 4,
  prefix: 2,
  painted: [],
  masking: 'before',
  edits: [],
  probe: null,
  probeWord: 'pizza',
  room: 'layer',
  head: 0,
  word: null,
  cell: null,
  step: 'embed',
  view: 'map',
  minus: 'head',
  other: 1,
  baseline: '',
}

/** What is looked at, not what is computed: no entry in the history, no new trace. */
export const VIEW_FIELDS = /** @type {const} */ ([
  ...['room', 'head', 'word', 'cell', 'step', 'view', 'minus', 'other', 'baseline'],
])

/** Only those. @param {Settings} settings @returns {Pick<Settings, (typeof VIEW_FIELDS)[number]>} */
export const viewOf = settings =>
  /** @type {any} */ (Object.fromEntries(VIEW_FIELDS.map(field => [field, settings[field]])))

/** @param {Settings} settings @returns {Selection} */
export const selectionOf = ({ room, head, word, cell }) => ({ room, head, word, cell })

/** Matrices whose cells can be set by hand. */
export const EDITABLE = /** @type {const} */ ([
  ...['X', 'X2', 'Wq', 'bq', 'Wk', 'bk', 'Wv', 'bv', 'Wa', 'ba', 'Ua', 'va', 'Wo', 'bo', 'weights'],
])

const OF_TOKENS = ['X', 'X2', 'Q', 'K', 'V', 'weights']
/** Which edits lose their meaning when a field changes; of other fields, none. @type {Partial<Record<Field, 'all' | string[]>>} */
const FORGETS = {
  ...{ sentence: OF_TOKENS, second: OF_TOKENS, kind: OF_TOKENS, tokenizer: OF_TOKENS, keysFrom: OF_TOKENS },
  ...{ model: 'all', seed: 'all', draw: 'all', given: 'all', dModel: 'all', dKey: 'all', dValue: 'all' },
  ...{ heads: 'all', tableRows: 'all', zoo: 'all' },
}

/** Fields that make painted cells meaningless. */
const REPAINTS = ['sentence', 'second', 'kind', 'tokenizer', 'given', 'mask']

/**
 * The settings after the reader changed some fields. Edits and painted cells that belonged to other words or other
 * random numbers are dropped, unless the patch brings its own.
 * @param {Settings} settings
 * @param {Partial<Settings>} patch
 * @returns {Settings}
 */
export function change(settings, patch) {
  const fields = /** @type {Field[]} */ (Object.keys(patch)).filter(field => patch[field] !== settings[field])
  let { edits, painted } = settings
  for (const field of fields) {
    // Heads built by hand are as large as the sentence is long.
    const forgets = settings.model === 'zoo' && FORGETS[field] ? 'all' : (FORGETS[field] ?? [])
    edits = forgets === 'all' ? [] : edits.filter(edit => !forgets.includes(edit.matrix))
    if (REPAINTS.includes(field)) painted = []
  }
  return { ...settings, edits, painted, ...patch }
}

/** @param {Cell} a @param {Cell} b */
export const isSameCell = (a, b) =>
  a.matrix === b.matrix && a.head === b.head && a.row === b.row && a.column === b.column

/**
 * Sets a cell by hand, or with `undefined` gives it back its own value.
 * @param {Settings} settings
 * @param {Cell} cell
 * @param {number | undefined} value
 * @returns {Settings}
 */
export function edit(settings, { matrix, head, row, column }, value) {
  const cell = { matrix, head, row, column }
  const others = settings.edits.filter(each => !isSameCell(each, cell))
  return { ...settings, edits: value === undefined ? others : [...others, { ...cell, value }] }
}

/**
 * Shows or hides a cell of the mask, whatever the mask says.
 * @param {Settings} settings
 * @param {number} row
 * @param {number} column
 * @param {boolean} isVisible
 * @returns {Settings}
 */
export function paint(settings, row, column, isVisible) {
  const others = settings.painted.filter(([r, c]) => r !== row || c !== column)
  return { ...settings, painted: [...others, [row, column, isVisible ? 1 : 0]] }
}

/** @type {WeakMap<Given, string>} */
const prints = new WeakMap()

/** A short text that differs where tensors differ: they may hold millions of numbers. @param {Given | null} given */
export function fingerprint(given) {
  if (!given) return null
  const known = prints.get(given)
  if (known) return known
  let [a, b] = [0x811c9dc5, 0x9747b28c]
  const parts = Object.entries(given).map(([name, part]) => {
    if (Array.isArray(part)) return [name, part]
    for (const word of new Uint32Array(Float64Array.from(part.data).buffer)) {
      a = Math.imul(a ^ word, 0x01000193)
      b = Math.imul(b ^ (word + (a >>> 13)), 0x85ebca6b)
    }
    return [name, part.dims]
  })
  const print = JSON.stringify([a, b, ...parts])
  prints.set(given, print)
  return print
}

/**
 * A text that differs where settings differ in what is computed.
 * @param {Settings} settings
 */
export const signature = settings =>
  JSON.stringify({ ...settings, ...viewOf(DEFAULTS), given: fingerprint(settings.given) })
