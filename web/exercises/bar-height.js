// The page leaves as much room at its lower edge as a bar there is high.

/** @param {string} id of the bar @returns {() => void} to be called when the page is drawn */
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
