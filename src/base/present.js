// A value that is there, as its caller knows. Apart from entry.js, so that a page loads it only with models.

/** Returns a value that is not missing. @template T @param {T} value @returns {T & {}} */
export function present(value) {
  if (value === undefined || value === null) throw new Error('expected a value')
  return value
}
