// Numbers that the reader types: read, and what is wrong with them.

/** @import { Problem } from '../../../shell/room.js' */

/**
 * @param {string} probe
 * @param {number} V numbers are below it
 * @param {number} most so many of them
 * @returns {number[] | Problem}
 */
export function readNumbers(probe, V, most) {
  const words = probe.trim().split(/[\s,]+/)
  if (words.length > most) return { key: 'probeCount', params: { count: words.length, most } }
  const ids = words.map(Number)
  const strange = ids.findIndex(id => !(Number.isInteger(id) && id >= 0 && id < V))
  return strange < 0 ? ids : { key: 'probeNumber', params: { given: words[strange], most: V - 1 } }
}

/** Numbers by their names; V, which is no number, has a sign. @param {number} V @param {string} [sign] */
export const numberNames =
  (V, sign = '') =>
  (/** @type {number} */ id) =>
    id === V ? sign : String(id)
