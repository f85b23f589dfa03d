// Lazily loads the module of a part of the page when the part is first drawn.

import { until } from 'lit/directives/until.js'

/** Waits until the page has been painted and is idle. */
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
  /** Loads the module; a failed load is retried on the next call. */
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
    /** The module; undefined until it has loaded. */
    get module() {
      return found
    },
    /** Starts loading the module, unless it has loaded or is loading. @param {() => void} loaded called when the module has loaded */
    ask(loaded) {
      if (!loading) module().then(loaded, () => {})
    },
    /** Draws with the module. Until the module has loaded, the previous content stays. @param {(module: M) => unknown} draw */
    draw(draw) {
      if (found) return draw(found)
      return until(module().then(draw))
    },
  }
}
