// Recognises touch gestures: pinch instead of Ctrl+wheel, long press instead of Shift-click.

import { LongPress } from '../../../elements/long-press.js'

/** Pixels that a finger may move during a long press. */
const SLIP = 10

/** @typedef {{ x: number, y: number }} Point */

export class Touches {
  /** @type {Map<number, Point>} */
  #fingers = new Map()
  #distance = 0
  #longPress = new LongPress()
  /** True once the gesture is more than a tap; reset when the next gesture begins. */
  #isOver = false

  /** @param {{ pinch: (factor: number) => void, press: (event: PointerEvent) => void }} answers called for a pinch and for a long press */
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
    if (event.isPrimary) {
      this.#fingers.clear() // forget a finger whose pointerup was missed because the page moved under it
      this.#isOver = false
    }
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    if (this.#fingers.size === 2) {
      this.#longPress.up()
      this.#distance = this.#spread()
      this.#isOver = true
    } else
      this.#longPress.down(event, () => {
        this.#isOver = true
        this.answers.press(event)
      })
  }

  /** @param {PointerEvent} event @returns {boolean} true if two fingers pinch */
  move({ pointerId, clientX, clientY }) {
    const finger = this.#fingers.get(pointerId)
    if (!finger) return false
    if (Math.hypot(clientX - finger.x, clientY - finger.y) > SLIP) this.#longPress.up()
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

  /** @param {PointerEvent} event @returns {boolean} true if the gesture was more than a tap */
  up({ pointerId }) {
    this.#longPress.up()
    return this.#fingers.delete(pointerId) && this.#isOver
  }
}
