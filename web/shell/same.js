/**
 * Are two values the same: strings, numbers, truth values, lists and plain objects of these? A property that is undefined is none.
 * An object that is the same on both sides is not read; JSON.stringify would write it twice.
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
