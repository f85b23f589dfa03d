// Derives the steps from MATRICES (matrices.js): their formulas, shapes and layout. Only the formulas of the rules are written here.

import { MATRICES, MATRIX_IDS } from '../matrices.js'
import { computationOf } from './dependencies.js'
import { symbolOf } from './matrix-names.js'

/** @import { MatrixId, Result, StepId } from '../layer.js' */

/**
 * Layout of matrices in Falk's scheme: each result is drawn where the rows of `left` meet the columns of one of `tops`.
 * @typedef {object} Block
 * @property {Copy} [left] copy of the left factor, to the left of the results
 * @property {(MatrixId | Copy)[]} [tops] right factors, one above each result
 * @property {(MatrixId | undefined)[]} [biases] biases, between the right factors and the results
 * @property {MatrixId[]} results
 *
 * @typedef {{ copy: MatrixId, isTurned?: boolean }} Copy
 */

/**
 * @typedef {object} Step
 * @property {StepId} id
 * @property {string[]} formulas in the notation of views/math.js
 * @property {string[]} shapes such as `6×3 · 3×2 = 6×2`
 * @property {Block[]} blocks
 * @property {boolean} isOfHead True if one of several heads is shown
 */

/** @param {readonly number[]} dims */
const by = dims => dims.join('×')

/** Returns the numbers of rows and columns of a matrix. @param {Result} result @param {MatrixId} id */
const sizeOf = ({ tensors }, id) => tensors[id]?.dims.slice(-2) ?? []

/**
 * Lists the steps.
 * @param {Result} result
 * @returns {Step[]} the steps that this trace has
 */
export function stepsOf(result) {
  const { tensors, heads } = result
  /** @type {Map<StepId, MatrixId[]>} */
  const steps = new Map()
  for (const id of MATRIX_IDS) {
    const { step: own, unless } = MATRICES[id]
    const step = computationOf(result, id)?.step ?? own
    if (!tensors[id] || !step || (unless && tensors[unless])) continue
    if (step === 'join' && heads === 1) continue // a single head needs no join
    steps.set(step, [...(steps.get(step) ?? []), id])
  }
  return [...steps].map(([id, results]) => ({
    id,
    isOfHead: heads > 1 && tensors[results[0]]?.dims.length === 3,
    formulas: results.flatMap(each => formulaOf(result, each)),
    shapes: shapesOf(result, results),
    blocks: blocksOf(result, results),
  }))
}

/**
 * Groups matrices into blocks. Products with the same left factor share a block. Scores get a block. All other matrices share the last one.
 * @param {Result} result
 * @param {MatrixId[]} results
 */
function blocksOf(result, results) {
  /** @type {Block[]} */
  const blocks = []
  /** @type {MatrixId[]} */
  const alone = []
  for (const id of results) {
    const computation = computationOf(result, id)
    const [left, right, ...others] = computation?.sources.map(([source]) => source) ?? []
    if (computation?.rule === 'scores') {
      if (others.length > 0) blocks.push({ results: others })
      blocks.push({ left: { copy: left }, tops: [{ copy: right, isTurned: true }], results: [id] })
    } else if (computation?.rule === 'product') {
      const known = blocks.find(block => block.left?.copy === left)
      const block = known ?? { left: { copy: left }, tops: [], biases: [], results: [] }
      // Draw a copy of a right factor that another step shows in full.
      block.tops?.push(MATRICES[right].step ? { copy: right } : right)
      block.biases?.push(computation.bias)
      block.results.push(id)
      if (!known) blocks.push(block)
    } else alone.push(id)
  }
  return alone.length > 0 ? [...blocks, { results: alone }] : blocks
}

/**
 * Formats the shapes of results.
 * @param {Result} result
 * @param {MatrixId[]} results
 * @returns {string[]} one line for each result; of equal lines with an arrow, only the first
 */
function shapesOf(result, results) {
  const size = (/** @type {MatrixId} */ id) => by(sizeOf(result, id))
  const lines = results.map(id => {
    const computation = computationOf(result, id)
    const [left, right] = computation?.sources.map(([source]) => source) ?? []
    if (!computation) return size(id)
    if (computation.rule === 'scores') return `${size(left)} · ${by(sizeOf(result, right).reverse())} = ${size(id)}`
    if (computation.rule === 'product')
      return `${size(left)} · ${size(right)}${computation.bias ? ` + ${size(computation.bias)}` : ''} = ${size(id)}`
    return computation.rule === 'join'
      ? `${result.heads} · (${size(left)}) → ${size(id)}`
      : `${size(left)} → ${size(id)}`
  })
  return lines.filter((line, i) => !line.includes('→') || lines.indexOf(line) === i)
}

const SOFTMAX = 'A_{i j} = {e^{M_{i j} − max_k M_{i k}} over Σ_k e^{M_{i k} − max}}'

const SCORES = {
  scaled: 'S = Q K^T',
  plain: 'S = Q K^T',
  gaussian: 'S_{i j} = − {‖ q_i − k_j ‖^2 over 2 σ^2}',
  additive: 'S_{i j} = v_a tanh ( Q_{a i} + K_{a j} )',
}

/**
 * @param {Result} result
 * @param {MatrixId} id
 * @returns {string[]}
 */
function formulaOf(result, id) {
  const { settings, heads } = result
  const computation = computationOf(result, id)
  const symbol = (/** @type {MatrixId} */ each) => symbolOf(result, each)
  switch (computation?.rule) {
    case undefined:
      return [symbol(id)]
    case 'product': {
      if (id === 'output') return [heads > 1 ? 'Z_h = A_h V_h' : 'Z = A V']
      const [left, right] = computation.sources.map(([source]) => symbol(source))
      return [`${symbol(id)} = ${left} ${right}${computation.bias ? ` + ${symbol(computation.bias)}` : ''}`]
    }
    case 'scores':
      return [SCORES[settings.score]]
    case 'scale':
      if (settings.scale !== null) return [`S_s = s S , s = ${settings.scale}`]
      return [settings.score === 'scaled' ? 'S_s = {S over √d_k}' : 'S_s = S']
    case 'mask':
      return ['M = S_s + B , B_{i j} = 0 or −∞']
    case 'softmax':
      return [SOFTMAX]
    case 'add':
      return [`${symbol(id)} = ${computation.sources.map(([source]) => symbol(source)).join(' + ')}`]
    case 'rotate':
      return id === 'Qr' ? ['Q_r = R Q , θ_i = p 10000^{− {2 i over d}}'] : ['K_r = R K']
    case 'zero':
      return [] // the formula of 'divide' includes this step
    case 'divide':
      return ['A_{i j} = {U_{i j} over Σ_k U_{i k}}']
    case 'join':
      return [heads > 2 ? `Z = [ Z_1 … Z_${heads} ]` : 'Z = [ Z_1 Z_2 ]']
  }
}

/** @typedef {{ letters: string, dims: number[], op: 'input' | 'project' | 'view' | 'transpose' | 'scores' | 'mix' | 'back' | 'join' | 'out', work?: number }} ShapeStep work: multiplications */

/**
 * Lists the shapes of a batch at each step of the layer. B: batch, L: queries, S: keys, D: dModel, H: heads, d: head size of queries and
 * keys, e: head size of values, which `letters` calls d_V.
 * @param {Result} result
 * @returns {ShapeStep[]}
 */
export function shapeSteps({ tensors, heads: H, settings }) {
  const B = settings.batch
  const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
  const d = tensors.Q?.dims[2] ?? 0
  const e = tensors.V?.dims[2] ?? 0
  const D = tensors.X?.dims[1]
  /** @type {ShapeStep[]} */
  const steps = []
  /** @param {ShapeStep['op']} op @param {string} letters @param {number[]} dims @param {number} [work] */
  const add = (op, letters, dims, work) => steps.push({ op, letters, dims, work })
  if (D) {
    add('input', 'B L D', [B, L, D])
    add('project', 'B L (H d)', [B, L, H * d], B * D * H * (L * d + S * (d + e)))
  }
  if (d) {
    add('view', 'B L H d', [B, L, H, d])
    add('transpose', 'B H L d', [B, H, L, d])
  }
  add('scores', 'B H L S', [B, H, L, S], B * H * L * S * d)
  if (e) {
    add('mix', 'B H L d_V', [B, H, L, e], B * H * L * S * e)
    add('back', 'B L H d_V', [B, L, H, e])
    add('join', 'B L (H d_V)', [B, L, H * e])
  }
  const { final } = tensors
  if (final) add('out', 'B L D', [B, ...final.dims], B * L * H * e * final.dims[1])
  return steps
}
