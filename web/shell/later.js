// A part of a picture whose module is loaded when the part is drawn for the first time.

import { until } from 'lit/directives/until.js'

/** Waits until the page has been painted and has nothing else to do. */
export const idle = () =>
  new Promise(resolve => {
    if (typeof requestIdleCallback !== 'function') return setTimeout(resolve)
    return requestAnimationFrame(() => requestIdleCallback(resolve, { timeout: 1000 }))
  })

/**
 * @template M
 * @param {() => Promise<M>} load
 */
export function later(load) {
  /** @type {M | undefined} */
  let found
  /** @type {Promise<M> | undefined} */
  let loading
  /** A load that failed begins again when it is asked for again. */
  function module() {
    loading ??= load().then(
      module => {
        found = module
        return module
      },
      error => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  return {
    /** Undefined until it is loaded. */
    get module() {
      return found
    },
    /** Begins to load it, unless it is here or on its way. @param {() => void} loaded called when it is here */
    ask(loaded) {
      if (!loading) module().then(loaded, () => {})
    },
    /** What is drawn with the module; what was drawn before stays until it is loaded. @param {(module: M) => unknown} draw */
    draw(draw) {
      if (found) return draw(found)
      return until(module().then(draw))
    },
  }
}
