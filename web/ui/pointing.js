// Handles pointer, touch and keyboard in the same way for every word, cell and head. Resting the pointer for 80 ms, or focusing, previews
// an item. A click selects the item. A click with Shift, or a long press, makes it a second selection.

import { LongPress } from '../elements/long-press.js'

/** Milliseconds that a pointer must rest before the page reacts. */
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

/** Handles pointing or focusing: waits until the pointer rests, but reacts to the keyboard at once. @param {() => void} answer */
export function rested(answer) {
  clearTimeout(resting)
  if (isPointing) resting = setTimeout(answer, REST)
  else answer()
}

/** Handles leaving: cancels the pending reaction. @param {() => void} answer */
export function left(answer) {
  clearTimeout(resting)
  answer()
}

const longPress = new LongPress()

/** Handles a press of a finger: calls `act` after a long press, and ignores the click that follows. @param {PointerEvent} event @param {() => void} act */
export const held = (event, act) => longPress.down(event, act)

/** Handles the end or movement of a finger. */
export const released = longPress.up

/**
 * Returns the listeners of a button that can be pointed at and selected.
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
