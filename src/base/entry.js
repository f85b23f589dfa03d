// Reads values whose types include undefined, although the caller knows that they exist.

import { describe } from './errors.js'

/**
 * Returns the value of an existing key.
 * @template K, V
 * @param {ReadonlyMap<K, V>} map
 * @param {K} key
 * @returns {V & {}}
 */
export function entryOf(map, key) {
  const value = map.get(key)
  if (value === undefined || value === null) throw new Error(`expected a value for ${describe(key)}, which is missing`)
  return value
}
