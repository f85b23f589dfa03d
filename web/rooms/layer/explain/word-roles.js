// Collects what a word does in one head as query, key and value: its scores, weights and output. Also finds the head with its largest
// weight. Pure.

import { ofHead } from '../numbers/tensors.js'
import { looksAt, seenBy } from './word-facts.js'

/** @import { Arithmetic, Cell, MatrixId, Result } from '../layer.js' */
/** @typedef {{ position: number, value: number, cell: Cell }} Role position: of another word; value: score, weight or part of the output that relates the two words; cell: where it is shown */

/** Maximum number of parts of an output. */
const MOST_PARTS = 3

/**
 * @typedef {object} Roles
 * @property {{ best: Role, own?: Role, least: Role }} [asks] scores of the word's query. best: the largest; least: the smallest; own: with
 *   the word's own key, unless that is the largest
 * @property {Role} [answers] the largest score of the word's key
 * @property {Role[]} passesOn the two largest weights on the word's key
 * @property {{ total: number, isLength: boolean, parts: Role[] }} [receives] total: the output; parts: its largest terms, weight times
 *   value. isLength: True if values have several dimensions, so that total and parts are lengths of vectors
 * @property {{ head: number, most: Role }} [decides] the head with the largest weight on one key, and that weight
 */

/**
 * @param {Result} result
 * @param {number} head
 * @param {import('../layer.js').Word} word
 * @param {Arithmetic} arithmetic
 * @returns {Roles}
 */
export function rolesOf(result, head, { side, position }, arithmetic) {
  const { tensors, visible, settings } = result
  const isSelf = !settings.isCross
  const [asks, answers] = [side === 'queries', side === 'keys' || isSelf]
  const matrixOf = (/** @type {MatrixId} */ id) => tensors[id] && ofHead(tensors[id], head)
  const [scores, weights] = [matrixOf('scores'), matrixOf('weights')]
  /** @param {MatrixId} matrix @param {boolean} isRow @returns {(share: import('./word-facts.js').Share) => Role} */
  const role = (matrix, isRow) => {
    return ({ position: other, weight }) => {
      const [row, column] = isRow ? [position, other] : [other, position]
      return { position: other, value: weight, cell: { matrix, head, row, column } }
    }
  }
  const asked = asks && scores ? looksAt(scores, position, visible).map(role('scores', true)) : []
  const answered = answers && scores ? seenBy(scores, position, visible).map(role('scores', false)) : []
  const passed = answers && weights ? seenBy(weights, position, visible).map(role('weights', false)) : []
  const own = isSelf ? asked.find(each => each.position === position) : undefined
  return {
    asks:
      asked.length > 1
        ? { best: asked[0], own: own === asked[0] ? undefined : own, least: asked[asked.length - 1] }
        : undefined,
    answers: answered[0],
    passesOn: passed.filter(({ value }) => value > 0).slice(0, 2),
    receives: asks ? received(result, head, position, arithmetic) : undefined,
    decides: asks ? decisive(result, position) : undefined,
  }
}

/** @param {Result} result @param {number} head @param {number} row @param {Arithmetic} arithmetic @returns {Roles['receives']} */
function received({ tensors, visible }, head, row, arithmetic) {
  const { weights, V, output } = tensors
  if (!weights || !V || !output) return undefined
  const values = ofHead(V, head)
  const [S, size] = values.dims
  const own = ofHead(weights, head).row(row).data
  const lengthOf = (/** @type {ArrayLike<number>} */ x) => Math.sqrt(arithmetic.sum(arithmetic.products(x, x)))
  const isLength = size > 1
  const parts = Array.from({ length: S }, (_, position) => {
    const part = arithmetic.products(values.row(position).data, new Array(size).fill(own[position]))
    /** @type {Cell} */
    const cell = { matrix: 'weights', head, row, column: position }
    return { position, value: isLength ? lengthOf(part) : part[0], cell }
  })
  const total = ofHead(output, head).row(row).data
  return {
    isLength,
    total: isLength ? lengthOf(total) : total[0],
    parts: parts
      .filter(({ position }) => !visible || visible[row * S + position])
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
      .slice(0, MOST_PARTS),
  }
}

/** @param {Result} result @param {number} row @returns {Roles['decides']} */
function decisive({ tensors: { weights }, smalls, heads }, row) {
  if (!weights || smalls || heads < 2) return undefined
  const found = Array.from({ length: heads }, (_, head) => {
    const { data } = ofHead(weights, head).row(row)
    let column = 0
    for (let i = 1; i < data.length; i++) if (data[i] > data[column]) column = i
    /** @type {Cell} */
    const cell = { matrix: 'weights', head, row, column }
    return { head, most: { position: column, value: data[column], cell } }
  })
  return found.reduce((best, each) => (each.most.value > best.most.value ? each : best))
}
