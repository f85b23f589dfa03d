// The largest of many things.

/**
 * Keeps so many things with the largest sizes, the largest first, of equal ones the first.
 * @template T
 * @param {number} count
 */
export function largestOf(count) {
  /** @type {T[]} */
  const items = []
  /** @type {number[]} */
  const sizes = []
  const takes = (/** @type {number} */ size) => items.length < count || size > sizes[count - 1]
  return {
    items,
    /** Would a thing of this size be kept? */
    takes,
    /** @param {T} item @param {number} size */
    add(item, size) {
      if (!takes(size)) return
      let at = items.length
      while (at > 0 && sizes[at - 1] < size) at--
      items.splice(at, 0, item)
      sizes.splice(at, 0, size)
      items.length = sizes.length = Math.min(items.length, count)
    },
  }
}
