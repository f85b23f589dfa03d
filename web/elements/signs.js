import { html } from 'lit'

// Icons that few fonts contain, drawn as lines in a square of 10 by 10 units.

/** @param {string} path */
const drawn = path =>
  html`<svg viewBox="0 0 10 10" width="10" aria-hidden="true"><path d=${path} fill="none" stroke="currentColor"
    stroke-width="1.5"></path></svg>`

export const PLAY = drawn('M2 1l6 4-6 4z')
export const PAUSE = drawn('M3 1v8M7 1v8')
/** Icon of the button that shows the whole map. */
export const ALL = drawn('M6 1h3v3M4 9H1V6M9 1 1 9')
