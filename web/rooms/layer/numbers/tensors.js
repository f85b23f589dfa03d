// Tensor helpers that the core does not provide. No arithmetic.

import { Tensor } from 'qkv'

/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * Stacks tensors of equal dims along a new first axis.
 * @param {FloatTensor[]} tensors
 */
export function stack(tensors) {
  const data = new Float32Array(tensors.length * tensors[0].data.length)
  tensors.forEach((tensor, i) => {
    data.set(tensor.data, i * tensor.data.length)
  })
  return new Tensor(data, [tensors.length, ...tensors[0].dims])
}

/**
 * Returns the offset of a cell in the data of (rows, columns) or (heads, rows, columns); -1 if outside.
 * @param {FloatTensor} tensor
 * @param {{ head: number, row: number, column: number }} cell
 */
export function offsetOf({ dims }, { head, row, column }) {
  const [H, rows, columns] = dims.length === 3 ? dims : [1, ...dims]
  const h = dims.length === 3 ? head : 0
  return h < H && row < rows && column < columns ? (h * rows + row) * columns + column : -1
}

/**
 * Returns the slice of one head; for (1, rows, columns) the only one.
 * @param {FloatTensor} tensor
 * @param {number} head
 * @returns {FloatTensor} (rows, columns)
 */
export const ofHead = (tensor, head) =>
  tensor.dims.length === 3 ? tensor.row(Math.min(head, tensor.dims[0] - 1)) : tensor

/** Returns the slice of one head, keeping the head axis: (1, rows, columns). @param {FloatTensor} tensor @param {number} head */
export const onlyHead = (tensor, head) => tensor.row(head).reshape([1, ...tensor.dims.slice(1)])
