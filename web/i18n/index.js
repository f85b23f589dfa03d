// The texts of the page. A language is a folder: shell.js, a file for each room, head.js for what rooms share, elements.js.

/// <reference types="vite/client" />

/** @typedef {typeof import('./en/shell.js').texts & typeof import('./en/layer.js').texts} Texts */
/** @typedef {keyof Texts} Key */
/** @typedef {string} Language the name of a folder here, such as 'en' */
/** @typedef {typeof import('./en/elements.js').elements} ElementTexts */

/** @type {Record<string, any>} */
const files = import.meta.glob(['./*/shell.js', './*/layer.js', './*/elements.js'], { eager: true })
const tags = [...new Set(Object.keys(files).map(path => path.split('/')[1]))]

/**
 * The text of a key with its {names} filled in; and what the elements say.
 * @typedef {((key: Key, params?: Record<string, string | number>) => string) & { elements: ElementTexts }} Translate
 */

/** @type {Record<Language, Texts>} */
export const LANGUAGES = Object.fromEntries(
  tags.map(tag => [tag, { ...files[`./${tag}/shell.js`].texts, ...files[`./${tag}/layer.js`].texts }]),
)
/** @type {Record<Language, ElementTexts>} */
export const ELEMENTS = Object.fromEntries(tags.map(tag => [tag, files[`./${tag}/elements.js`].elements]))

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
