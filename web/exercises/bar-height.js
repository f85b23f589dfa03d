// Reserves space at the bottom of the page for a bar of variable height.

/** Returns a function, to be called after each draw, that keeps the reserved space equal to the height of a bar. @param {string} id id of the bar @returns {() => void} */
export function barHeight(id) {
  /** @type {HTMLElement | null} */
  let bar = null
  const height = new ResizeObserver(() => {
    document.documentElement.style.setProperty('--exercise', `${bar?.offsetHeight ?? 0}px`)
  })
  return () => {
    const now = document.getElementById(id)
    if (now === bar) return
    height.disconnect()
    bar = now
    if (now) height.observe(now)
    else document.documentElement.style.removeProperty('--exercise')
  }
}
