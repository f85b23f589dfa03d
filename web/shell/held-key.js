// A key that shows something as long as it is held.

/** Is a release awaited? */
let isHolding = false

/** Runs it when the key that is held now is released. @param {() => void} release */
export function untilReleased(release) {
  if (isHolding) return
  isHolding = true
  addEventListener(
    'keyup',
    () => {
      isHolding = false
      release()
    },
    { once: true },
  )
}
