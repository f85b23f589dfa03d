// "My slides" of the presenter: named hashes of views, in order, stored in this browser, and exported as JSON or one link.

/** A view of the page. @typedef {{ name: string, hash: string }} Slide */
/** @typedef {Pick<Storage, 'getItem' | 'setItem'>} Store */

const NAME = 'qkv.slides'
const MOST = 200
const MOST_LETTERS = 200_000

/** Parses slides. Throws if the text is not a list of at most MOST valid slides. @param {string} text @returns {Slide[]} */
export function readSlides(text) {
  const list = JSON.parse(text)
  const isSlide = (/** @type {unknown} */ each) => {
    const { name, hash } = Object(each)
    return typeof name === 'string' && typeof hash === 'string' && /^#\d/.test(hash) && hash.length <= MOST_LETTERS
  }
  if (!Array.isArray(list) || list.length > MOST || !list.every(isSlide)) throw new Error('no slides')
  return list.map(({ name, hash }) => ({ name: name.slice(0, 200), hash }))
}

/** Returns the stored slides; [] if storage is refused or contains something else. @param {() => Store | undefined} storage @returns {Slide[]} */
export function storedSlides(storage) {
  try {
    return readSlides(storage()?.getItem(NAME) ?? '[]')
  } catch {
    return []
  }
}

/** Stores slides; returns false if the browser refuses. @param {() => Store | undefined} storage @param {readonly Slide[]} slides */
export function keepSlides(storage, slides) {
  try {
    storage()?.setItem(NAME, JSON.stringify(slides))
    return true
  } catch {
    return false
  }
}

/** Returns the slides with the one at `at` moved by `by`; unchanged if it is already at that end. @param {readonly Slide[]} slides @param {number} at @param {1 | -1} by */
export function moved(slides, at, by) {
  const to = at + by
  if (to < 0 || to >= slides.length) return [...slides]
  const list = [...slides]
  list.splice(to, 0, ...list.splice(at, 1))
  return list
}

/** Returns the index of the displayed slide after the slide at `at` was moved. @param {number} shown @param {number} at @param {1 | -1} by */
export const shownAfterMove = (shown, at, by) => (shown === at ? at + by : shown === at + by ? at : shown)

/**
 * Returns the index of the displayed slide after the slide at `at` was removed. If that is the displayed slide, returns the index before
 * it, so that the next step shows the slide that followed.
 * @param {number} shown
 * @param {number} at
 */
export const shownAfterRemoval = (shown, at) => (shown >= at ? shown - 1 : shown)

/** Formats slides as a link parameter. @param {readonly Slide[]} slides */
export const asParameter = slides => JSON.stringify(slides)
