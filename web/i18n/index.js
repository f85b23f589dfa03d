// The texts of the page. A language is a folder: shell.js, a file for each room, head.js for texts shared by rooms, elements.js. Only the
// files that a room names are loaded, in one language.

import { LANGUAGES } from './languages.js'

/** @typedef {typeof import('./en/shell.js').texts & typeof import('./en/layer.js').texts & typeof import('./en/layer-parts.js').texts} Texts */
/** @typedef {keyof Texts} Key */
/** @typedef {keyof typeof import('./languages.js').LANGUAGES} Language */
/** For English, only the texts that the page reads by key. @typedef {import('../elements/all-texts.js').Texts & typeof import('./en/elements.js').elements} ElementTexts */

/**
 * Returns the text of a key with its {names} filled in; also holds the texts of the elements.
 * @typedef {((key: Key, params?: Record<string, string | number>) => string) & { elements: ElementTexts }} Translate
 */

/**
 * Returns the language for a browser's preference.
 * @param {string} tag such as navigator.language
 * @returns {Language}
 */
export function languageFor(tag) {
  const [language] = tag.toLowerCase().split('-')
  return Object.hasOwn(LANGUAGES, language) ? /** @type {Language} */ (language) : 'en'
}

/** @type {Map<string, Promise<import('../shell/room.js').Translate>>} */
const loading = new Map()

/**
 * Loads some files of texts in one language.
 * @param {Language} language
 * @param {readonly string[]} names such as 'shell'
 * @returns {Promise<import('../shell/room.js').Translate>} the same promise for the same language and names
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

/** True if the device has no hovering pointer, such as a phone. */
const isTouch = globalThis.matchMedia?.('(hover: none)').matches

/** Adapts a text to the device: on touch devices a click is a tap, and parts in ‹ › are dropped, since they need a mouse or keys. @param {string} text */
const written = text =>
  isTouch
    ? text
        .replace(/‹.*?›/g, '')
        .replace(/\bclick\b/g, 'tap')
        .replace(/\bClick\b/g, 'Tap')
    : text.replace(/[‹›]/g, '')

/** @param {Language} language @param {readonly string[]} names @returns {Promise<import('../shell/room.js').Translate>} */
async function load(language, names) {
  const files = await Promise.all(['elements', ...names].map(name => import(`./${language}/${name}.js`)))
  const [{ elements }, ...others] = files
  /** @type {Record<string, string>} */
  const texts = Object.assign({}, ...others.map(file => file.texts))
  for (const key of Object.keys(texts)) texts[key] = written(texts[key])
  const translate = (/** @type {string} */ key, /** @type {Record<string, string | number>} */ params = {}) =>
    texts[key].replace(/\{(\w+)\}/g, (_, name) => String(params[name]))
  return Object.assign(translate, { elements })
}
