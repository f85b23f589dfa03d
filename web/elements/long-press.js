// Detects a long press of a finger, which selects a second item like a click with Shift.

/** Duration in milliseconds. */
const LONG_PRESS = 500

/** @param {Event} event */
function swallow(event) {
  event.stopImmediatePropagation()
  event.preventDefault()
}

/** Suppresses the click that follows a long press, on any element: what the press did may have moved another element under the finger. */
function swallowClick() {
  const end = () => removeEventListener('click', swallow, { capture: true })
  addEventListener('click', swallow, { capture: true, once: true })
  addEventListener('pointerdown', end, { capture: true, once: true })
}

/** Detects a long press. */
export class LongPress {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined

  /** @param {{ pointerType: string }} event @param {() => void} act */
  down({ pointerType }, act) {
    this.up()
    if (pointerType !== 'touch') return
    this.#timer = setTimeout(() => {
      swallowClick()
      act()
    }, LONG_PRESS)
  }

  /** Cancels the press when the finger is lifted or moves. */
  up = () => clearTimeout(this.#timer)
}
