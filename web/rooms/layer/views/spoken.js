// Determines the word and the cell that the stage refers to, under the pointer or selected, and the colour scale.

import { domainOf, largestOf } from '../../../attention-head/scale.js'

/** @import { FloatTensor, SceneContext, Word } from '../layer.js' */

/** Returns the word that the stage refers to: under the pointer, or selected. @param {SceneContext} context @returns {Word | undefined} */
export const spokenWord = ({ hovered, settings }) => hovered ?? settings.word ?? undefined

/**
 * Returns the word that the stage refers to. If it refers to neither a word nor a cell, returns the query of the strongest link.
 * @param {SceneContext} context
 * @returns {Word | undefined}
 */
export const meantWord = context =>
  spokenWord(context) ??
  (spokenCell(context) || !context.link ? undefined : { side: 'queries', position: context.link.row })

/** Returns the weight cell that the stage refers to. @param {SceneContext} context */
export function spokenCell({ pointed, settings, head }) {
  const cell = pointed ?? settings.cell
  return cell?.matrix === 'weights' && cell.head === head ? cell : undefined
}

/** Returns the colour range of the weights. @param {SceneContext} context */
export function domain({ result, scaleEnd, matrices }) {
  const all = result.tensors.weights
  const own = matrices.get('weights').tensor
  if (scaleEnd === 'one') return ONE
  return scaleEnd === 'own' ? ends(own, 'own') : ends(result.smalls ?? all, 'shared')

  /** @param {FloatTensor} tensor @param {'own' | 'shared'} kind */
  function ends(tensor, kind) {
    const most = largestOf(tensor)
    const known = ENDS.get(tensor) ?? domainOf(kind, most, most)
    ENDS.set(tensor, known)
    return known
  }
}
/** @type {[number, number]} */
const ONE = [0, 1]
/** @type {WeakMap<FloatTensor, [number, number]>} */
const ENDS = new WeakMap()
