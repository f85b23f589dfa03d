// A part of a picture whose module is loaded when the part is drawn for the first time.

import { until } from 'lit/directives/until.js'

/**
 * @template M
 * @param {() => Promise<M>} load
 */
export function later(load) {
  /** @type {M | undefined} */
  let found
  return {
    /** Undefined until it is loaded. */
    get module() {
      return found
    },
    /** What is drawn with the module; what was drawn before stays until it is loaded. @param {(module: M) => unknown} draw */
    draw(draw) {
      if (found) return draw(found)
      return until(
        load().then(module => {
          found = module
          return draw(module)
        }),
      )
    },
  }
}
