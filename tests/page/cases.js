// Lists the settings with which the page's programs are tested: every preset, and each setting that no preset changes.

import { load } from 'qkv'
import { check } from '../../web/rooms/layer/check-settings.js'
import { DEFAULTS } from '../../web/rooms/layer/fields.js'
import { PRESETS, settingsOf } from '../../web/rooms/layer/presets.js'
import { change, edit, paint } from '../../web/rooms/layer/settings.js'
import { createTracer } from '../../web/rooms/layer/trace/layer-trace.js'

/** @import { Settings } from '../../web/rooms/layer/fields.js' */

const trace = createTracer(await load())

/** @param {Settings} settings */
export function traced(settings) {
  const { checked, problems } = check(settings)
  if (!checked) throw new Error(`these settings make no sense: ${JSON.stringify(problems)}`)
  return trace(checked)
}

const layer = change(DEFAULTS, { model: 'multihead', dModel: 8, heads: 2 })
/** @param {Settings} settings @param {import('../../web/rooms/layer/matrices.js').MatrixId} matrix @param {number} head @param {number} row @param {number} column @param {number} value */
const set = (settings, matrix, head, row, column, value) => edit(settings, { matrix, head, row, column }, value)
const X = { dims: [1, 2, 3], data: [0.5, -1.25, 3e-7, 2, 0, -4] }

/** @type {[string, Settings][]} */
export const CASES = [
  ...Object.keys(PRESETS)
    .filter(name => name !== 'trained') // its numbers come from a model
    .map(name => /** @type {[string, Settings]} */ ([name, settingsOf(/** @type {any} */ (name))])),
  [
    'positions that are added, a cell of X set by hand',
    set(change(DEFAULTS, { positions: 'added' }), 'X', 0, 1, 2, 0.5),
  ],
  [
    'positions that are added to both of two sentences, of a size that is odd',
    change(DEFAULTS, { positions: 'added', kind: 'cross', dModel: 5 }),
  ],
  ['rotary positions', change(DEFAULTS, { positions: 'rotary', dKey: 4, mask: 'causal' })],
  ['a batch with rotary positions', change(layer, { positions: 'rotary', batch: 3 })],
  ['additive scores of queries that are turned', change(DEFAULTS, { positions: 'rotary', score: 'additive' })],
  ['causal, weights hidden after softmax', change(layer, { mask: 'causal', masking: 'after' })],
  ['a window', change(DEFAULTS, { mask: 'window', left: 2, right: 0 })],
  ['padding', change(DEFAULTS, { mask: 'padding', padding: 3 })],
  ['a prefix', change(DEFAULTS, { mask: 'prefix', prefix: 3 })],
  [
    'painted cells, a row of them all',
    [0, 1, 2, 3, 4, 5].reduce((s, j) => paint(s, 2, j, false), paint(change(DEFAULTS, { mask: 'causal' }), 0, 4, true)),
  ],
  [
    'painted cells, hidden after softmax',
    [0, 1, 2, 3, 4, 5].reduce((s, j) => paint(s, 2, j, false), change(DEFAULTS, { masking: 'after' })),
  ],
  ['a batch longer than its sentence, with additive scores', change(layer, { batch: 8, score: 'additive' })],
  [
    'a batch with Gaussian scores under a mask',
    change(layer, { batch: 2, score: 'gaussian', mask: 'causal', bias: false }),
  ],
  [
    'a batch of two sentences, a weight set by hand',
    set(change(layer, { batch: 3, kind: 'cross' }), 'weights', 1, 2, 0, 0.5),
  ],
  ['softmax over the queries', change(layer, { softmaxAxis: 'queries', mask: 'causal' })],
  ['plain scores with a scale', change(layer, { score: 'plain', scale: 0.3 })],
  ['plain scores', change(DEFAULTS, { score: 'plain' })],
  [
    'Gaussian scores, a seed beyond 2^53',
    change(DEFAULTS, { score: 'gaussian', sigma: 0.7, seed: '18446744073709551557' }),
  ],
  ['additive scores, a seed below 0', change(DEFAULTS, { score: 'additive', seed: '-5' })],
  [
    'additive scores of a layer without biases',
    change(layer, { score: 'additive', bias: false, draw: 'continue', tableRows: 100 }),
  ],
  ['additive scores of imported tensors', change(settingsOf('waistline'), { score: 'additive' })],
  [
    'cross-attention of random heads',
    change(DEFAULTS, { kind: 'cross', mask: 'causal', draw: 'continue', tableRows: 20 }),
  ],
  ['additive cross-attention of random rows', change(settingsOf('cross'), { score: 'additive', heads: 2 })],
  [
    'cells set by hand',
    [
      ['Wq', 1, 2, 0, -3],
      ['bv', 0, 0, 1, 0.25],
      ['Wo', 0, 7, 3, 1.5],
      ['bo', 0, 0, 2, -1],
      ['X', 0, 5, 6, 2],
      ['weights', 0, 1, 2, 0.75],
      ['weights', 0, 1, 3, 0.125],
      ['weights', 1, 4, 0, 1],
    ].reduce((s, cell) => set(s, .../** @type {[any, number, number, number, number]} */ (cell)), layer),
  ],
  [
    'cells of random heads and hidden units',
    set(set(set(change(DEFAULTS, { score: 'additive' }), 'Wv', 3, 1, 0, 9), 'va', 0, 0, 1, -2), 'X', 0, 0, 0, 0),
  ],
  ['a weight of a row that is hidden', set(change(DEFAULTS, { mask: 'causal' }), 'weights', 2, 0, 0, 0.25)],
  [
    'given weights',
    change(DEFAULTS, { model: 'imported', imported: { weights: { dims: [2, 1, 3], data: [0.2, 0.3, 0.5, 1, 0, 0] } } }),
  ],
  [
    'given weights and values',
    set(
      change(DEFAULTS, {
        model: 'imported',
        imported: { weights: { dims: [1, 2], data: [0.25, 0.75] }, v: { dims: [2, 2], data: [1, 2, 3, 4] } },
      }),
      'weights',
      0,
      0,
      1,
      0.5,
    ),
  ],
  [
    'given queries, keys and values',
    set(change(DEFAULTS, { model: 'imported', imported: { q: X, k: X, v: X }, mask: 'causal' }), 'K', 0, 1, 1, 7),
  ],
  ['a token that ends a comment', change(DEFAULTS, { sentence: 'one\u2028two \u0085print() \r three \u0000 ""\' \\' })],
]

/**
 * Returns the numbers that a program must print: the weights, then the output after the projection, or the joined heads if there is no projection.
 * @param {import('../../web/rooms/layer/trace/layer-trace.js').Result} result
 * @param {boolean} isWhole false if large tensors keep only both ends of each axis, as PyTorch prints them
 */
export const wanted = ({ tensors: { weights, joined, final } }, isWhole) =>
  [weights, final ?? joined].flatMap(tensor =>
    tensor ? (isWhole || tensor.data.length <= 1000 ? Array.from(tensor.data) : ends(tensor)) : [],
  )

/** @param {import('qkv').Tensor} tensor @returns {number[]} */
function ends(tensor) {
  const [size] = tensor.dims
  const shown = Array.from({ length: size }, (_, i) => i).filter(i => size <= 6 || i < 3 || i >= size - 3)
  return shown.flatMap(i => (tensor.dims.length === 1 ? [tensor.data[i]] : ends(tensor.row(i))))
}

/**
 * Returns the numbers inside `tensor(...)` in a program's output.
 * @param {string} text
 */
export const numbersIn = text =>
  [...text.matchAll(/tensor\(([^)]*)\)/g)].flatMap(([, inside]) =>
    (inside.match(/-?\d+\.\d*(?:e[-+]\d+)?|nan|inf/g) ?? []).map(Number),
  )
