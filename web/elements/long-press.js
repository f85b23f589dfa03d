// A finger that stays on something means a second one, as Shift does.

/** Milliseconds. */
const LONG_PRESS = 500

/** A finger that stays; the click that ends the press is no click. */
export class LongPress {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined
  #wasLong = false

  /** @param {{ pointerType: string }} event @param {() => void} act */
  down({ pointerType }, act) {
    this.up()
    this.#wasLong = false
    if (pointerType !== 'touch') return
    this.#timer = setTimeout(() => {
      this.#wasLong = true
      act()
    }, LONG_PRESS)
  }

  /** The finger left or moved. */
  up = () => clearTimeout(this.#timer)

  /** Was this click the end of a long press? */
  wasLong() {
    const was = this.#wasLong
    this.#wasLong = false
    return was
  }
}
