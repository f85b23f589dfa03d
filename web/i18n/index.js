// The texts of the page. A language is one file: its texts, and those of the elements.

/// <reference types="vite/client" />

/** @typedef {keyof typeof import('./en.js').texts} Key */
/** @typedef {string} Language the name of a file here, such as 'en' */
/** @typedef {typeof import('./en.js').elements} ElementTexts */

/** Every file here is a language. @type {Record<string, { texts: Record<Key, string>, elements: ElementTexts }>} */
const files = import.meta.glob(['./*.js', '!./index.js'], { eager: true })
const all = Object.entries(files).map(([path, file]) => ({ tag: path.slice(2, -3), ...file }))

/**
 * The text of a key with its {names} filled in; and what the elements say.
 * @typedef {((key: Key, params?: Record<string, string | number>) => string) & { elements: ElementTexts }} Translate
 */

/** @type {Record<Language, Record<Key, string>>} */
export const LANGUAGES = Object.fromEntries(all.map(({ tag, texts }) => [tag, texts]))
/** @type {Record<Language, ElementTexts>} */
export const ELEMENTS = Object.fromEntries(all.map(({ tag, elements }) => [tag, elements]))

/**
 * The language for a browser that asks for `tag`.
 * @param {string} tag such as navigator.language
 * @returns {Language}
 */
export function languageFor(tag) {
  const [language] = tag.toLowerCase().split('-')
  return Object.hasOwn(LANGUAGES, language) ? language : 'en'
}

/** @type {Partial<Record<Language, Translate>>} */
const made = {}

/**
 * @param {Language} language
 * @returns {Translate} always the same for a language
 */
export function translator(language) {
  const translate = (/** @type {Key} */ key, /** @type {Record<string, string | number>} */ params = {}) =>
    LANGUAGES[language][key].replace(/\{(\w+)\}/g, (_, name) => String(params[name]))
  made[language] ??= Object.assign(translate, { elements: ELEMENTS[language] })
  return made[language]
}
