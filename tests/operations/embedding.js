// Rows of a table by ids.

import * as nn from '../../src/entries/nn.js'
import { rows } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ weight }, { ids }) => ids.flatMap((/** @type {number} */ id) => rows(weight)[id])

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { weight: [5, 3] }, options: { ids: [4, 0, 4, 4] } }]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { weight }, { ids }, dY, more) => {
  const { dWeight } = nn.embeddingBackward(qkv, ids, dY, weight.dims[0], more)
  return { output: nn.embedding(qkv, ids, weight), weight: dWeight }
}

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { weight }, { ids }) => t.embedding(ids, weight)
