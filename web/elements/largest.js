// Keeps the largest of many items.

/**
 * Creates a list that keeps the `count` largest of the items added, in descending order. Among items of equal size, earlier ones are kept.
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
    /** True if an item of this size would be kept. */
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
