// The word and the cell that the stage speaks of: under the pointer, or selected; and the colour scale.

import { domainOf, largestOf } from '../explain/scale.js'
import { left, rested, selectWord } from './hover.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('./context.js').Actions} Actions */
/** @typedef {import('../fields.js').Word} Word */
/** @typedef {import('../explain/matrix-names.js').Matrix} Matrix */
/** @typedef {import('../numbers/index.js').FloatTensor} FloatTensor */

/** The word that the stage speaks of: under the pointer, or selected. @param {SceneContext} context @returns {Word | undefined} */
export const spokenWord = ({ hovered, selection }) => hovered ?? selection.word ?? undefined

/** The cell of the weights that the stage speaks of. @param {SceneContext} context */
export function spokenCell({ pointed, selection, head }) {
  const cell = pointed ?? selection.cell
  return cell?.matrix === 'weights' && cell.head === head ? cell : undefined
}

/** @type {{ key: string, marks: import('../../../elements/draw.js').Highlight }} */
let last = { key: '', marks: {} }

/** The frames in the map: row and column of the spoken word, and the cell that is subtracted. @param {SceneContext} context */
export function marks(context) {
  const word = spokenWord(context)
  const { less } = context.selection
  const { isCross } = context.result.settings
  const isHere = less?.matrix === 'weights' && less.head === context.head
  const key = JSON.stringify([word, isCross, isHere && less])
  if (key !== last.key) {
    const rows = word && (word.side === 'queries' || !isCross) ? [word.position] : []
    const columns = word && (word.side === 'keys' || !isCross) ? [word.position] : []
    last = { key, marks: { rows, columns, cells: isHere ? [less] : [] } }
  }
  return last.marks
}

/** A word under the pointer or the focus of a picture, or none. @param {Actions} actions @param {Word | undefined | null} word */
export const hoverWord = (actions, word) =>
  word ? rested(() => actions.hover(word)) : left(() => actions.hover(undefined))

/** A click on a word of a picture. @param {Actions} actions @param {CustomEvent} event @param {Word | null} [word] */
export function pinWord(actions, event, word = wordAt(event)) {
  if (word) selectWord(actions, word, event.detail.isSecond)
}

/**
 * The word of a label of a map or of lines.
 * @param {CustomEvent} event
 * @returns {Word | null}
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
