// The texts of the page. A language is a folder: shell.js, a file for each room, head.js for what rooms share, elements.js.
// Only the files that a room names are loaded, in one language.

import { LANGUAGES } from './languages.js'

/** @typedef {typeof import('./en/shell.js').texts & typeof import('./en/layer.js').texts & typeof import('./en/layer-parts.js').texts} Texts */
/** @typedef {keyof Texts} Key */
/** @typedef {keyof typeof LANGUAGES} Language */
/** In English only those that the page itself reads. @typedef {import('../elements/all-texts.js').Texts & typeof import('./en/elements.js').elements} ElementTexts */

/**
 * The text of a key with its {names} filled in; and what the elements say.
 * @typedef {((key: Key, params?: Record<string, string | number>) => string) & { elements: ElementTexts }} Translate
 */

/**
 * The language for a browser that asks for `tag`.
 * @param {string} tag such as navigator.language
 * @returns {Language}
 */
export function languageFor(tag) {
  const [language] = tag.toLowerCase().split('-')
  return Object.hasOwn(LANGUAGES, language) ? /** @type {Language} */ (language) : 'en'
}

/** @type {Map<string, Promise<Translate>>} */
const loading = new Map()

/**
 * The texts of some files in one language.
 * @param {Language} language
 * @param {readonly string[]} names such as 'shell'
 * @returns {Promise<Translate>} always the same for a language and names
 */
export function loadTexts(language, names) {
  const key = [language, ...names].join(' ')
  const found = loading.get(key)
  if (found) return found
  const made = load(language, names)
  loading.set(key, made)
  made.catch(() => loading.delete(key))
  return made
}

/** Does the reader have no pointer that hovers, such as on a phone? */
const isTouch = globalThis.matchMedia?.('(hover: none)').matches

/** A text as it is for this reader: on a phone a click is a tap, and what stands in ‹ › is left out, because it needs a mouse or keys. @param {string} text */
const written = text =>
  isTouch
    ? text
        .replace(/‹.*?›/g, '')
        .replace(/\bclick\b/g, 'tap')
        .replace(/\bClick\b/g, 'Tap')
    : text.replace(/[‹›]/g, '')

/** @param {Language} language @param {readonly string[]} names @returns {Promise<Translate>} */
async function load(language, names) {
  const files = await Promise.all(['elements', ...names].map(name => import(`./${language}/${name}.js`)))
  const [{ elements }, ...others] = files
  /** @type {Record<string, string>} */
  const texts = Object.assign({}, ...others.map(file => file.texts))
  for (const key of Object.keys(texts)) texts[key] = written(texts[key])
  const translate = (/** @type {Key} */ key, /** @type {Record<string, string | number>} */ params = {}) =>
    texts[key].replace(/\{(\w+)\}/g, (_, name) => String(params[name]))
  return Object.assign(translate, { elements })
}
