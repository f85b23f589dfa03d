// "My slides" of the presenter: hashes of views with names, in their order, kept in this browser, and as JSON or one link.

/** A view of the page. @typedef {{ name: string, hash: string }} Slide */
/** @typedef {Pick<Storage, 'getItem' | 'setItem'>} Store */

const NAME = 'qkv.slides'
const MOST = 200
const MOST_LETTERS = 200_000

/** The slides in a text; throws where there are none. @param {string} text @returns {Slide[]} */
export function readSlides(text) {
  const list = JSON.parse(text)
  const isSlide = (/** @type {any} */ each) =>
    typeof each?.name === 'string' &&
    typeof each.hash === 'string' &&
    /^#\d/.test(each.hash) &&
    each.hash.length <= MOST_LETTERS
  if (!Array.isArray(list) || list.length > MOST || !list.every(isSlide)) throw new Error('no slides')
  return list.map(({ name, hash }) => ({ name: name.slice(0, 200), hash }))
}

/** Slides that are kept; none where storage is refused or holds something else. @param {() => Store | undefined} storage @returns {Slide[]} */
export function storedSlides(storage) {
  try {
    return readSlides(storage()?.getItem(NAME) ?? '[]')
  } catch {
    return []
  }
}

/** Keeps slides; false: this browser refuses. @param {() => Store | undefined} storage @param {readonly Slide[]} slides */
export function keepSlides(storage, slides) {
  try {
    storage()?.setItem(NAME, JSON.stringify(slides))
    return true
  } catch {
    return false
  }
}

/** With one slide moved by a place. @param {readonly Slide[]} slides @param {number} at @param {1 | -1} by */
export function moved(slides, at, by) {
  const to = at + by
  if (to < 0 || to >= slides.length) return [...slides]
  const list = [...slides]
  list.splice(to, 0, ...list.splice(at, 1))
  return list
}

/** Where the shown slide stands after a slide has moved by a place. @param {number} shown @param {number} at @param {1 | -1} by */
export const shownAfterMove = (shown, at, by) => (shown === at ? at + by : shown === at + by ? at : shown)

/** The shown slide after a slide is removed: that one itself has no place, and the next is the one that follows it. @param {number} shown @param {number} at */
export const shownAfterRemoval = (shown, at) => (shown >= at ? shown - 1 : shown)

/** The parameter of a link that holds slides. @param {readonly Slide[]} slides */
export const asParameter = slides => JSON.stringify(slides)
