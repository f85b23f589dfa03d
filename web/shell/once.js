/**
 * Returns a function that calls `make` on first use and caches the result. A failed promise is not cached.
 * @template T
 * @param {() => T | Promise<T>} make
 * @returns {() => Promise<T>}
 */
export function once(make) {
  /** @type {Promise<T> | undefined} */
  let made
  return () => {
    if (made) return made
    const own = Promise.resolve().then(make)
    own.catch(() => {
      made = undefined
    })
    made = own
    return own
  }
}
