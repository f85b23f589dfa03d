/**
 * True if two values are equal: strings, numbers, booleans, lists and plain objects of these. Undefined properties count as missing.
 * Identical objects are not traversed, unlike with JSON.stringify.
 * @param {any} a
 * @param {any} b
 * @returns {boolean}
 */
export function isSame(a, b) {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  if (Array.isArray(a) !== Array.isArray(b) || a.length !== b.length) return false
  return Object.keys({ ...a, ...b }).every(name => isSame(a[name], b[name]))
}
