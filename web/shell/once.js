/**
 * Makes something when it is asked for first, and gives the same from then on. What failed is made again.
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
