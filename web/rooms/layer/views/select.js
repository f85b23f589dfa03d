// What a click selects in every view of the room.

/** @import { Actions, Cell, Word } from '../layer.js' */
/** @import { Place } from '../../../head/head.js' */

/** A click on a cell; with Shift, or by a long press, it is subtracted from the selected one. @param {Actions} actions @param {Cell} cell @param {boolean} [isSecond] */
export const selectCell = (actions, cell, isSecond) => (isSecond ? actions.subtract(cell) : actions.select({ cell }))

/** A click on a word; with Shift, or by a long press: does the selected word see it? @param {Actions} actions @param {Word} word @param {boolean} [isSecond] */
export const selectWord = (actions, word, isSecond) =>
  isSecond ? actions.ask(word) : actions.select({ word, cell: null })

/** A cell as a place of the inspector. @param {Cell} cell @returns {Place} */
export const cellPlace = ({ matrix, head, row, column }) => ({
  head: { stack: '', layer: 0, head },
  cell: { matrix, row, column },
})
