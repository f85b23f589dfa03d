// Pointer, finger and keyboard behave the same on every word, cell and head: something answers when the pointer has rested on it
// for 80 ms, or when the focus comes to it; a click selects it; Shift, or a long press, means a second one.

import { LongPress } from '../elements/long-press.js'

/** Milliseconds that a pointer rests on something before the page answers. */
const REST = 80

/** @type {ReturnType<typeof setTimeout> | undefined} */
let resting
let isPointing = false
globalThis.addEventListener?.('pointermove', () => setPointing(true), true)
globalThis.addEventListener?.('keydown', () => setPointing(false), true)

/** @param {boolean} is */
function setPointing(is) {
  isPointing = is
}

/** Something is under the pointer or the focus: the page waits for a resting pointer, and answers a key at once. @param {() => void} answer */
export function rested(answer) {
  clearTimeout(resting)
  if (isPointing) resting = setTimeout(answer, REST)
  else answer()
}

/** The pointer left: cancels the waiting answer. @param {() => void} answer */
export function left(answer) {
  clearTimeout(resting)
  answer()
}

const longPress = new LongPress()

/** A finger presses: calls `act` after a long press; the click that follows is ignored. @param {PointerEvent} event @param {() => void} act */
export const held = (event, act) => longPress.down(event, act)

/** The finger left or moved. */
export const released = longPress.up

/**
 * The listeners of a button that is pointed at and selected.
 * @param {{ point?: (isPointed: boolean) => void, select: (isSecond: boolean) => void }} answers
 */
export function pointable({ point = () => {}, select }) {
  const leave = () => {
    released()
    left(() => point(false))
  }
  return {
    enter: () => rested(() => point(true)),
    leave,
    down: (/** @type {PointerEvent} */ event) => held(event, () => select(true)),
    up: released,
    click: (/** @type {MouseEvent} */ { shiftKey }) => select(shiftKey),
  }
}
