// Pointer, finger and keyboard behave the same in every view: hover, select, select a second one.

/** @typedef {import('./context.js').Actions} Actions */
/** @typedef {import('../fields.js').Cell} Cell */
/** @typedef {import('../fields.js').Word} Word */

/** Milliseconds that a pointer rests on something before the page answers. */
const REST = 80

/** @type {number | undefined} */
let resting
let isPointing = false
addEventListener('pointermove', () => (isPointing = true), true) // biome-ignore format: pairs
addEventListener('keydown', () => (isPointing = false), true)

/** Something is under the pointer or the focus: the page waits for a resting pointer, and answers a key at once. @param {() => void} answer */
export function rested(answer) {
  clearTimeout(resting)
  if (isPointing) resting = window.setTimeout(answer, REST)
  else answer()
}

/** The pointer left: cancels the waiting answer. @param {() => void} answer */
export function left(answer) {
  clearTimeout(resting)
  answer()
}

/** A click on a cell; with Shift, or by a long press, it is subtracted from the selected one. @param {Actions} actions @param {Cell} cell @param {boolean} [isSecond] */
export const selectCell = (actions, cell, isSecond) => (isSecond ? actions.subtract(cell) : actions.select({ cell }))

/** A click on a word; with Shift, or by a long press: does the selected word see it? @param {Actions} actions @param {Word} word @param {boolean} [isSecond] */
export const selectWord = (actions, word, isSecond) =>
  isSecond ? actions.ask(word) : actions.select({ word, cell: null })
