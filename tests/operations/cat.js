// Concatenated tensors.

import { elements, indexIn } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = (inputs, { dim = 0 }) => {
  const list = /** @type {import('../formulas.js').Input[]} */ (Object.values(inputs))
  const axis = dim < 0 ? dim + list[0].dims.length : dim
  const total = list.reduce((sum, { dims }) => sum + dims[axis], 0)
  return elements(list[0].dims.map((size, n) => (n === axis ? total : size))).map(index => {
    const found = list.find(({ dims }) => {
      if (index[axis] < dims[axis]) return true
      index[axis] -= dims[axis]
      return false
    })
    return found ? found.data[indexIn(found.dims, index)] : NaN
  })
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { a: [2, 3], b: [1, 3] } },
  { dims: { a: [2, 3, 4], b: [2, 5, 4], c: [2, 0, 4] }, options: { dim: 1 } },
  { dims: { a: [2, 20], b: [2, 3] }, options: { dim: -1 } },
  { dims: { a: [5] } },
]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, inputs, options) => t.cat(Object.values(inputs), options)
