// The panel "What each layer says" as a setting in links: the lens, the selected state and the pinned words.

/** @import { LensKind, LensSetting } from '../models.js' */

/** Lenses that states can be read with. @type {readonly LensKind[]} */
export const LENSES = ['logit', 'jacobian', 'tuned']
/** Maximum number of pinned words; each has a colour. */
export const MOST_PINS = 4
/** Maximum number of words read at once from a long text. */
export const MOST_WORDS = 64

/**
 * Formats the setting, such as "jacobian 2.5 p17.203 w17": the lens, layer and position of the state from 1, ids of pinned words, id of the
 * chosen word.
 * @param {LensSetting} setting
 */
export const writeLens = ({ lens, cell, pins, written }) =>
  [
    lens,
    cell && `${cell.layer + 1}.${cell.position + 1}`,
    pins.length && `p${pins.join('.')}`,
    cell && written !== undefined && `w${written}`,
  ]
    .filter(Boolean)
    .join(' ')

/**
 * Parses the setting; drops invalid parts, states outside the grid, and ids outside the vocabulary.
 * @param {string} text
 * @param {{ layers: number, words: number, vocab: number }} sizes
 * @returns {LensSetting}
 */
export function readLens(text, { layers, words, vocab }) {
  const [, lens, layer, position, pins = '', written] =
    /^([a-z]+)(?: (\d{1,4})\.(\d{1,6}))?(?: p([\d.]{1,60}))?(?: w(\d{1,7}))?$/.exec(text) ?? []
  const cell = { layer: Number(layer) - 1, position: Number(position) - 1 }
  const isThere = cell.layer >= 0 && cell.layer < layers && cell.position >= 0 && cell.position < words
  const ids = pins.split('.').filter(Boolean).map(Number)
  return {
    lens: LENSES.find(each => each === lens) ?? 'logit',
    cell: isThere ? cell : undefined,
    pins: [...new Set(ids)].filter(id => id < vocab).slice(0, MOST_PINS),
    written: isThere && Number(written) < vocab ? Number(written) : undefined,
  }
}

/**
 * True if a lens can read the states of the model, which needs a decoder with a language-model head.
 * @param {import('../models.js').OpenModel} model
 */
export const hasLens = ({ hasHead, predicts, stacks }) => hasHead && predicts === 'token' && !stacks.encoder

/** Returns the bounds that the setting is validated against. @param {Pick<import('../models.js').Room, 'openModel' | 'run'>} room */
export function sizesOf({ openModel, run }) {
  const { layers = 0 } = openModel?.stacks.decoder ?? {}
  return { layers, words: run?.ids.length ?? 0, vocab: openModel?.vocab ?? 0 }
}
