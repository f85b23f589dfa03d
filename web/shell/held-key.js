// Waits for the release of a held key, so that something can be shown while the key is held.

/** True while a key is held. */
let isHolding = false

/** Runs a callback when the currently held key is released. @param {() => void} release */
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
