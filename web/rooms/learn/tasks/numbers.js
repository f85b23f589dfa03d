// Parses and validates numbers typed by the reader.

/** @import { TaskProblem } from './task.js' */

/**
 * Parses numbers that are separated by white space or commas.
 * @param {string} probe
 * @param {number} V upper limit, exclusive
 * @param {number} most maximum count
 * @returns {number[] | TaskProblem}
 */
export function readNumbers(probe, V, most) {
  const words = probe.trim().split(/[\s,]+/)
  if (words.length > most) return { key: 'probeCount', params: { count: words.length, most } }
  const ids = words.map(Number)
  const strange = ids.findIndex(id => !(Number.isInteger(id) && id >= 0 && id < V))
  return strange < 0 ? ids : { key: 'probeNumber', params: { given: words[strange], most: V - 1 } }
}

/** Returns the names of tokens: numbers below V, and a sign for the symbol V. @param {number} V @param {string} [sign] */
export const numberNames =
  (V, sign = '') =>
  (/** @type {number} */ id) =>
    id === V ? sign : String(id)

/**
 * Returns at most `most` numbers of an example. Replaces numbers that are not below V by the smallest unused ones.
 * @param {number[]} example
 * @param {number} V
 * @param {number} most
 */
export function fitted(example, V, most) {
  const missing = Array.from({ length: V }, (_, id) => id).filter(id => !example.includes(id))
  return example.map(id => (id < V ? id : Number(missing.shift()))).slice(0, most)
}
