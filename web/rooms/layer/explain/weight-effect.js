// Computes the effect of a weight set by hand on the other weights of its row. Pure.

/** @import { Cell, Result } from '../layer.js' */

/** Maximum number of keys listed. */
const MOST = 12

/**
 * @typedef {{ name: number | undefined, before: number, after: number }[]} Before weights of a row, each with the position
 *   of its key as `name`; the last entry, without a name, is the first number of the output
 */

/**
 * Returns the values before and after the edits, if weights of this row were set by hand; else undefined.
 * @param {Result} result
 * @param {Cell} cell
 * @returns {Before | undefined}
 */
export function weightEffect({ tensors, before, settings }, { head, row }) {
  const [now, was] = [tensors.weights, before?.weights]
  const isSet = settings.edits.some(edit => edit.matrix === 'weights' && edit.row === row && edit.head === head)
  if (!now || !was || now === was || !isSet) return undefined
  const keys = Array.from({ length: Math.min(MOST, now.dims[2]) }, (_, i) => ({
    name: i,
    before: was.at(head, row, i),
    after: now.at(head, row, i),
  }))
  const [old, output] = [before?.output, tensors.output]
  if (!old || !output) return keys
  return [...keys, { name: undefined, before: old.at(head, row, 0), after: output.at(head, row, 0) }]
}
