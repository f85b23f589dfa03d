// Follows a number back through its largest contributions to a random or imported number. Pure.

import { offsetOf, ofHead } from '../numbers/tensors.js'
import { explain } from './cell.js'

/** @import { Arithmetic, Cell, Explanation, Result } from '../layer.js' */

/** Returns the value of a cell in any head; NaN outside the matrix. @param {Result} result @param {Cell} cell */
export function numberIn({ tensors }, { matrix, head, row, column }) {
  const tensor = tensors[matrix]
  const part = tensor && ofHead(tensor, head)
  const at = part ? offsetOf(part, { head: 0, row, column }) : -1
  return part && at >= 0 ? part.data[at] : Number.NaN
}

/**
 * Returns the values of the terms of a sum.
 * @param {Result} result
 * @param {Extract<Explanation, { terms: unknown }>} sum
 * @param {Arithmetic} arithmetic
 */
export function sizesOf(result, { kind, terms }, arithmetic) {
  const side = (/** @type {number} */ i) => terms.map(term => numberIn(result, term[i]))
  if (kind === 'gaussian') return arithmetic.squares(side(0), side(1))
  return kind === 'additive' ? arithmetic.additive(side(0), side(1), side(2)) : arithmetic.products(side(0), side(1))
}

/**
 * Returns the next cell of the chain, by the kind of explanation:
 * - products, gaussian: the first cell of the largest term
 * - additive: the query of the first term
 * - softmax: the score of this cell
 * - else: the source
 * @param {Result} result
 * @param {Cell} cell
 * @param {Arithmetic} arithmetic
 * @returns {Cell | undefined} undefined if the cell has no source
 */
function before(result, cell, arithmetic) {
  const explanation = explain(result, cell)
  switch (explanation.kind) {
    case 'products':
    case 'gaussian': {
      const { terms } = explanation
      const sizes = sizesOf(result, explanation, arithmetic)
      let most = 0
      for (let i = 1; i < sizes.length; i++) if (Math.abs(sizes[i]) > Math.abs(sizes[most])) most = i
      return terms[most]?.[0]
    }
    case 'additive':
      return explanation.terms[0]?.[1]
    case 'softmax':
      return explanation.sources[explanation.own]
    case 'sum':
    case 'rotate':
    case 'scale':
    case 'mask':
    case 'divide':
    case 'join':
      return explanation.source
  }
  return undefined
}

/**
 * Follows a cell back to its origin.
 * @param {Result} result
 * @param {Cell} cell
 * @param {Arithmetic} arithmetic
 * @returns {Cell[]} the cell, its main source, the main source of that, and so on
 */
export function chainOf(result, cell, arithmetic) {
  const chain = [cell]
  for (;;) {
    const last = chain[chain.length - 1]
    const next = before(result, last, arithmetic)
    // A large trace keeps the steps of one head only.
    const isThere = next && (next.head === last.head || result.detailHead === undefined)
    if (!isThere) return chain
    chain.push(next)
  }
}
