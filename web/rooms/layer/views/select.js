// Handles clicks on cells and words in all views of the room.

/** @import { Actions, Cell, Word } from '../layer.js' */
/** @import { Place } from '../../../attention-head/head.js' */

/** Handles a click on a cell. With Shift, or by a long press, subtracts `cell` from the selected cell. @param {Actions} actions @param {Cell} cell @param {boolean} [isSecond] */
export const selectCell = (actions, cell, isSecond) => (isSecond ? actions.subtract(cell) : actions.select({ cell }))

/**
 * Handles a click on a word. With Shift, or by a long press, shows whether the selected word sees `word`.
 * @param {Actions} actions
 * @param {Word} word
 * @param {boolean} [isSecond]
 */
export const selectWord = (actions, word, isSecond) =>
  isSecond ? actions.ask(word) : actions.select({ word, cell: null })

/** Converts a cell to a place of the inspector. @param {Cell} cell @returns {Place} */
export const cellPlace = ({ matrix, head, row, column }) => ({
  head: { stack: '', layer: 0, head },
  cell: { matrix, row, column },
})
