// Asserts that a value exists. This is not part of entry.js, so that a page loads it only with models.

/** Returns the value; throws if it is undefined or null. @template T @param {T} value @returns {T & {}} */
export function present(value) {
  if (value === undefined || value === null) throw new Error('expected a value')
  return value
}
