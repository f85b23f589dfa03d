// A long press of a finger, in the place of Shift-click.

import { LONG_PRESS } from '../elements/gestures.js'

/** @type {number | undefined} */
let holding
let wasHeld = false

/**
 * A finger presses: calls `act` after a long press; the click that follows is ignored.
 * @param {PointerEvent} event
 * @param {() => void} act
 */
export function held({ pointerType }, act) {
  window.clearTimeout(holding)
  wasHeld = false
  if (pointerType !== 'touch') return
  holding = window.setTimeout(() => {
    wasHeld = true
    act()
  }, LONG_PRESS)
}

/** The finger left or moved. */
export const released = () => window.clearTimeout(holding)

/** Was this click the end of a long press? */
export function wasLong() {
  const was = wasHeld
  wasHeld = false
  return was
}
