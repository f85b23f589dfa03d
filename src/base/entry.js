// A map that has the key, as its caller knows.

import { describe } from './errors.js'

/**
 * Returns the value of a key that the map has.
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
