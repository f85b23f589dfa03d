// The texts of the page. A language is one file: its texts, and those of the elements.

import { en, elements as enElements } from './en.js'
import { zh, elements as zhElements } from './zh.js'

/** @typedef {keyof typeof en} Key */
/** @typedef {'en' | 'zh'} Language */
/** @typedef {typeof enElements} ElementTexts */

/**
 * The text of a key with its {names} filled in; and what the elements say.
 * @typedef {((key: Key, params?: Record<string, string | number>) => string) & { elements: ElementTexts }} Translate
 */

/** @type {Record<Language, Record<Key, string>>} */
export const LANGUAGES = { en, zh }
/** @type {Record<Language, ElementTexts>} */
export const ELEMENTS = { en: enElements, zh: zhElements }

/**
 * The language for a browser that asks for `tag`.
 * @param {string} tag such as navigator.language
 * @returns {Language}
 */
export const languageFor = tag => (/^zh\b/i.test(tag) ? 'zh' : 'en')

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
