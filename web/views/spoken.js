// What the stage speaks of: the word and the cell under the pointer, or the selected ones; and on which scale.

import { domainOf, largestOf } from '../explain/scale.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../settings/fields.js').Word} Word */
/** @typedef {import('../explain/matrices.js').Matrix} Matrix */
/** @typedef {import('../models/index.js').FloatTensor} FloatTensor */

/** The word that the stage speaks of: under the pointer, or selected. @param {SceneContext} context @returns {Word | undefined} */
export const spokenWord = ({ hovered, selection }) => hovered ?? selection.word ?? undefined

/** The cell of the weights that the stage speaks of. @param {SceneContext} context */
export function spokenCell({ pointed, selection, head }) {
  const cell = pointed ?? selection.cell
  return cell?.matrix === 'weights' && cell.head === head ? cell : undefined
}

/** @type {{ key: string, bands: { rows: number[], columns: number[] } }} */
let lastBands = { key: '', bands: { rows: [], columns: [] } }

/** The row and the column of the word that is spoken of. @param {SceneContext} context */
export function bands(context) {
  const word = spokenWord(context)
  const { isCross } = context.result.settings
  const key = word ? `${word.side} ${word.position} ${isCross}` : ''
  if (key !== lastBands.key) {
    const rows = word && (word.side === 'queries' || !isCross) ? [word.position] : []
    const columns = word && (word.side === 'keys' || !isCross) ? [word.position] : []
    lastBands = { key, bands: { rows, columns } }
  }
  return lastBands.bands
}

/**
 * The word of a label of a map or of lines.
 * @param {CustomEvent} event
 * @returns {Word | undefined}
 */
export const wordAt = ({ detail }) =>
  detail && { side: detail.side === 'row' ? 'queries' : 'keys', position: detail.index }

/** Where the colours of the weights end. @param {SceneContext} context */
export function domain({ result, scaleEnd, matrices }) {
  const all = /** @type {FloatTensor} */ (result.tensors.weights)
  const own = /** @type {Matrix} */ (matrices.get('weights')).tensor
  if (scaleEnd === 'one') return ONE
  return scaleEnd === 'own' ? ends(own, 'own') : ends(result.smalls ?? all, 'shared')

  /** @param {FloatTensor} tensor @param {'own' | 'shared'} kind */
  function ends(tensor, kind) {
    const known = ENDS.get(tensor) ?? domainOf(kind, largestOf(tensor.data), largestOf(tensor.data))
    ENDS.set(tensor, known)
    return known
  }
}
/** @type {[number, number]} */
const ONE = [0, 1]
/** @type {WeakMap<FloatTensor, [number, number]>} */
const ENDS = new WeakMap()
