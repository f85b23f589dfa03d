// All matrices of the page, each described once, in the order of computation. Derived from this description: the steps, the highlighting of
// sources and targets, the explanation of a cell, and which cells can be set by hand.

import { namesIn } from '../../shell/known.js'

/** Ids of matrices, each of which has a text. @typedef {import('../../i18n/index.js').Key extends infer K ? K extends `matrix.${infer I}` ? I : never : never} MatrixId */
/** @typedef {'tokens' | 'queries' | 'keys' | 'model' | 'query' | 'value' | 'hidden' | 'heads' | 'one'} Axis */
/** @typedef {'embed' | 'project' | 'rotate' | 'additive' | 'scores' | 'scaled' | 'masked' | 'softmax' | 'mix' | 'join' | 'out'} StepId */

/**
 * How a cell is computed from its sources:
 * - product: the sum of products of a row and a column, plus a bias
 * - scores: the score function                  - scale: times the factor of the scores
 * - mask: hidden scores become minus infinity   - zero: hidden weights become zero
 * - softmax: over its line (see Reach)          - divide: by the sum of its line
 * - join: heads concatenated                    - add: two cells
 * - rotate: a cell and its partner, rotated by an angle
 * @typedef {'add' | 'rotate' | 'product' | 'scores' | 'scale' | 'mask' | 'zero' | 'softmax' | 'divide' | 'join'} Rule
 */

/**
 * Which cells of a source matrix the cell (row, column) of a result is computed from:
 * - cell: (row, column)      - row: its row      - column: its column
 * - crossed: the row whose index is the cell's column
 * - line: its row; with softmax over the queries, its column
 * - all: the whole matrix    - head: the cell of one head that the joined matrix copies
 * - partner: the cell that rotary positions rotate together with (row, column), half a row away
 * @typedef {'partner' | 'cell' | 'row' | 'column' | 'crossed' | 'line' | 'all' | 'head'} Reach
 */

/**
 * A computation of a matrix. It applies if the trace has all of its sources, with or without the bias.
 * @typedef {object} Computation
 * @property {Rule} rule
 * @property {[MatrixId, Reach][]} sources ids of matrices; for a product, the left factor first
 * @property {MatrixId} [bias]
 * @property {StepId} [step] if it differs from the step of the matrix
 */

/**
 * @typedef {object} Description
 * @property {string} symbol in the notation of views/math.js
 * @property {[Axis, Axis]} axes what goes down and what goes across
 * @property {Computation[]} [computations] the first whose sources are in the trace applies; if none does, the numbers were drawn or
 *   imported
 * @property {StepId} [step] step that shows the matrix
 * @property {MatrixId} [unless] leaves this matrix out of the steps if the trace has the one named here
 * @property {boolean} [isInner] True for an intermediate matrix that only explanations show
 * @property {'always' | 'imported'} [free] whether its cells can be set by hand: always, or only if imported
 * @property {boolean} [isOfTokens] True if its cells belong to words, so that edits are dropped with the words
 * @property {boolean} [isShare] True if values are from 0 to 1, else signed
 * @property {boolean} [isHideable] True if hidden cells are drawn as hidden
 */

/** @param {string} symbol @param {[Axis, Axis]} axes @param {Omit<Description, 'symbol' | 'axes'>} [rest] @returns {Description} */
const matrix = (symbol, axes, rest = {}) => ({ symbol, axes, ...rest })

/** @param {MatrixId} left @param {MatrixId} right @param {MatrixId} [bias] @returns {Computation} */
const product = (left, right, bias) => ({
  rule: 'product',
  sources: [
    [left, 'row'],
    [right, 'column'],
  ],
  bias,
})

/** @param {Rule} rule @param {[MatrixId, Reach][]} sources @param {StepId} [step] @returns {Computation} */
const computation = (rule, sources, step) => ({ rule, sources, step })

/** @type {{ free: 'always' }} */
const free = { free: 'always' }
/** @param {MatrixId} id @returns {Computation} */
const turned = id =>
  computation('rotate', [
    [id, 'cell'],
    [id, 'partner'],
  ])
/** @param {MatrixId} words @param {MatrixId} places @returns {Computation} */
const sum = (words, places) =>
  computation('add', [
    [words, 'cell'],
    [places, 'cell'],
  ])

const share = { isShare: true, isHideable: true }
const inner = { isInner: true }

/** @type {Record<MatrixId, Description>} */
export const MATRICES = {
  E: matrix('X_w', ['tokens', 'model'], { step: 'embed' }),
  P: matrix('P', ['tokens', 'model'], { step: 'embed' }),
  X: matrix('X', ['tokens', 'model'], { step: 'embed', isOfTokens: true, ...free, computations: [sum('E', 'P')] }),
  E2: matrix('X_{w 2}', ['keys', 'model'], { step: 'embed' }),
  P2: matrix('P_2', ['keys', 'model'], { step: 'embed' }),
  X2: matrix('X_2', ['keys', 'model'], { step: 'embed', isOfTokens: true, ...free, computations: [sum('E2', 'P2')] }),
  Wq: matrix('W_q', ['model', 'query'], free),
  bq: matrix('b_q', ['one', 'query'], free),
  Wk: matrix('W_k', ['model', 'query'], free),
  bk: matrix('b_k', ['one', 'query'], free),
  Wv: matrix('W_v', ['model', 'value'], free),
  bv: matrix('b_v', ['one', 'value'], free),
  Q: matrix('Q', ['queries', 'query'], {
    step: 'project',
    isOfTokens: true,
    free: 'imported',
    computations: [product('X', 'Wq', 'bq')],
  }),
  K: matrix('K', ['keys', 'query'], {
    step: 'project',
    isOfTokens: true,
    free: 'imported',
    computations: [product('X2', 'Wk', 'bk'), product('X', 'Wk', 'bk')],
  }),
  V: matrix('V', ['keys', 'value'], {
    step: 'project',
    isOfTokens: true,
    free: 'imported',
    computations: [product('X2', 'Wv', 'bv'), product('X', 'Wv', 'bv')],
  }),
  Qr: matrix('Q_r', ['queries', 'query'], { step: 'rotate', computations: [turned('Q')] }),
  Kr: matrix('K_r', ['keys', 'query'], { step: 'rotate', computations: [turned('K')] }),
  Wa: matrix('W_a', ['query', 'hidden'], free),
  ba: matrix('b_a', ['one', 'hidden'], free),
  Ua: matrix('U_a', ['query', 'hidden'], free),
  va: matrix('v_a', ['one', 'hidden'], free),
  Aq: matrix('Q_a', ['queries', 'hidden'], {
    step: 'additive',
    computations: [product('Qr', 'Wa', 'ba'), product('Q', 'Wa', 'ba')],
  }),
  Ak: matrix('K_a', ['keys', 'hidden'], {
    step: 'additive',
    computations: [product('Kr', 'Ua'), product('K', 'Ua')],
  }),
  scores: matrix('S', ['queries', 'keys'], {
    step: 'scores',
    computations: [
      computation('scores', [
        ['Aq', 'row'],
        ['Ak', 'crossed'],
        ['va', 'all'],
      ]),
      computation('scores', [
        ['Qr', 'row'],
        ['Kr', 'crossed'],
      ]),
      computation('scores', [
        ['Q', 'row'],
        ['K', 'crossed'],
      ]),
    ],
  }),
  scaled: matrix('S_s', ['queries', 'keys'], {
    step: 'scaled',
    computations: [computation('scale', [['scores', 'cell']])],
  }),
  masked: matrix('M', ['queries', 'keys'], {
    step: 'masked',
    unless: 'fullWeights',
    isHideable: true,
    computations: [computation('mask', [['scaled', 'cell']])],
  }),
  exponentials: matrix('E', ['queries', 'keys'], inner),
  maxima: matrix('m', ['queries', 'one'], inner),
  sums: matrix('σ', ['queries', 'one'], inner),
  fullWeights: matrix('U', ['queries', 'keys'], {
    step: 'softmax',
    isShare: true,
    computations: [computation('softmax', [['masked', 'line']])],
  }),
  zeroed: matrix('U_0', ['queries', 'keys'], {
    step: 'masked',
    ...share,
    computations: [computation('zero', [['fullWeights', 'cell']])],
  }),
  zeroedSums: matrix('σ_0', ['queries', 'one'], inner),
  weights: matrix('A', ['queries', 'keys'], {
    step: 'softmax',
    isOfTokens: true,
    ...free,
    ...share,
    computations: [computation('divide', [['zeroed', 'line']], 'masked'), computation('softmax', [['masked', 'line']])],
  }),
  rowSums: matrix('Σ', ['queries', 'one'], inner),
  output: matrix('Z', ['queries', 'value'], { step: 'mix', computations: [product('weights', 'V')] }),
  joined: matrix('Z', ['queries', 'heads'], {
    step: 'join',
    computations: [computation('join', [['output', 'head']])],
  }),
  Wo: matrix('W_O', ['heads', 'model'], free),
  bo: matrix('b_O', ['one', 'model'], free),
  final: matrix('Y', ['queries', 'model'], { step: 'out', computations: [product('joined', 'Wo', 'bo')] }),
}

export const MATRIX_IDS = namesIn(MATRICES)

/** Matrices whose cells can be set by hand. */
export const EDITABLE = MATRIX_IDS.filter(id => MATRICES[id].free)

/** Matrices whose cells belong to words. */
export const OF_TOKENS = MATRIX_IDS.filter(id => MATRICES[id].isOfTokens)
