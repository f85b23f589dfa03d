// Undo and redo over settings. Pure.

/** @typedef {import('./state.js').Settings} Settings */

/**
 * @typedef {object} History
 * @property {readonly Settings[]} past
 * @property {Settings} present
 * @property {readonly Settings[]} future
 * @property {string} [mark] what the last change was; changes of one mark within a short time are one
 * @property {number} [time] when it was
 */

const MOST_STEPS = 200
/** Keys typed and cells dragged within this many milliseconds are undone together. */
const PAUSE = 1000

/** @param {Settings} present @returns {History} */
export const begin = present => ({ past: [], present, future: [] })

/**
 * @param {History} history
 * @param {Settings} settings
 * @param {string} mark such as the name of the field that is typed in
 * @param {number} time in milliseconds
 * @returns {History}
 */
export function record(history, settings, mark, time) {
  const isSame = history.mark === mark && time - (history.time ?? 0) < PAUSE && history.past.length > 0
  const past = isSame ? history.past : [...history.past, history.present].slice(-MOST_STEPS)
  return { past, present: settings, future: [], mark, time }
}

/**
 * Changes what is looked at: nothing to undo.
 * @param {History} history
 * @param {Settings} present
 * @returns {History}
 */
export const replace = (history, present) => ({ ...history, present })

/** @param {History} history @returns {History} */
export function undo({ past, present, future }) {
  const last = past.at(-1)
  return last ? { past: past.slice(0, -1), present: last, future: [present, ...future] } : { past, present, future }
}

/** @param {History} history @returns {History} */
export function redo({ past, present, future }) {
  const [next, ...rest] = future
  return next ? { past: [...past, present], present: next, future: rest } : { past, present, future }
}
