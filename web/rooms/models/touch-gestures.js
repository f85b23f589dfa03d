// Two fingers that pinch, one finger that rests: what touch has in the place of Ctrl-wheel and Shift-click.

/** Milliseconds that a finger rests, and pixels that it may move meanwhile. */
const [REST, SLIP] = [500, 10]

/** @typedef {{ x: number, y: number }} Point */

export class Touches {
  /** @type {Map<number, Point>} */
  #fingers = new Map()
  #distance = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  /** Was the gesture something else than a tap? It is until all fingers are lifted. */
  #isOver = false

  /** @param {{ pinch: (factor: number) => void, press: (event: PointerEvent) => void }} answers */
  constructor(answers) {
    this.answers = answers
  }

  #spread() {
    const [a, b] = this.#fingers.values()
    return Math.hypot(a.x - b.x, a.y - b.y)
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.pointerType !== 'touch') return
    if (this.#fingers.size === 0) this.#isOver = false
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    clearTimeout(this.#timer)
    if (this.#fingers.size === 2) {
      this.#distance = this.#spread()
      this.#isOver = true
    } else
      this.#timer = setTimeout(() => {
        this.#isOver = true
        this.answers.press(event)
      }, REST)
  }

  /** @param {PointerEvent} event @returns {boolean} do two fingers pinch? */
  move({ pointerId, clientX, clientY }) {
    const finger = this.#fingers.get(pointerId)
    if (!finger) return false
    if (Math.hypot(clientX - finger.x, clientY - finger.y) > SLIP) clearTimeout(this.#timer)
    if (this.#fingers.size !== 2) return false
    this.#fingers.set(pointerId, { x: clientX, y: clientY })
    const now = this.#spread()
    const factor = now / this.#distance
    if (Math.abs(factor - 1) > 0.05) {
      this.#distance = now
      this.answers.pinch(factor)
    }
    return true
  }

  /** @param {PointerEvent} event @returns {boolean} was it something else than a tap? */
  up({ pointerId }) {
    clearTimeout(this.#timer)
    return this.#fingers.delete(pointerId) && this.#isOver
  }
}
