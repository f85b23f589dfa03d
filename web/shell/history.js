// Undo and redo, or back and forward: over settings, over places that were visited. Pure.

/**
 * @template T
 * @typedef {object} History
 * @property {readonly T[]} past
 * @property {T} present
 * @property {readonly T[]} future
 * @property {string} [mark] what the last change was; changes of one mark within a short time are one
 * @property {number} [time] when it was
 */

const MOST_STEPS = 200
/** Keys typed and cells dragged within this many milliseconds are undone together. */
const PAUSE = 1000

/** @template T @param {T} present @returns {History<T>} */
export const begin = present => ({ past: [], present, future: [] })

/**
 * @template T
 * @param {History<T>} history
 * @param {T} present
 * @param {string} mark such as the name of the field that is typed in
 * @param {number} time in milliseconds
 * @returns {History<T>}
 */
export function record(history, present, mark, time) {
  const isSame = history.mark === mark && time - (history.time ?? 0) < PAUSE && history.past.length > 0
  const past = isSame ? history.past : [...history.past, history.present].slice(-MOST_STEPS)
  return { past, present, future: [], mark, time }
}

/**
 * Changes the present without an entry.
 * @template T
 * @param {History<T>} history
 * @param {T} present
 * @returns {History<T>}
 */
export const replace = (history, present) => ({ ...history, present })

/** @template T @param {History<T>} history @returns {History<T>} */
export function undo({ past, present, future }) {
  const last = past.at(-1)
  return last ? { past: past.slice(0, -1), present: last, future: [present, ...future] } : { past, present, future }
}

/** @template T @param {History<T>} history @returns {History<T>} */
export function redo({ past, present, future }) {
  const [next, ...rest] = future
  return next ? { past: [...past, present], present: next, future: rest } : { past, present, future }
}
