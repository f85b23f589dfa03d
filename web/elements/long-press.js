// A finger that stays on something means a second one, as Shift does.

/** Milliseconds. */
const LONG_PRESS = 500

/** @param {Event} event */
function swallow(event) {
  event.stopImmediatePropagation()
  event.preventDefault()
}

/** The click that ends a long press is no click, whatever lies under the finger by then: what the press shows may move the page. */
function swallowClick() {
  const end = () => removeEventListener('click', swallow, { capture: true })
  addEventListener('click', swallow, { capture: true, once: true })
  addEventListener('pointerdown', end, { capture: true, once: true })
}

/** A finger that stays. */
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

  /** The finger left or moved. */
  up = () => clearTimeout(this.#timer)
}
