import { en } from './en.js'
import { zh } from './zh.js'

/** @typedef {keyof typeof en} Key */
/** @typedef {'en' | 'zh'} Language */
/** @typedef {(key: Key, params?: Record<string, string | number>) => string} Translate */

/** @type {Record<Language, Record<Key, string>>} */
export const LANGUAGES = { en, zh }

/**
 * The language for a browser that asks for `tag`.
 * @param {string} tag such as navigator.language
 * @returns {Language}
 */
export const languageFor = tag => (/^zh\b/i.test(tag) ? 'zh' : 'en')

/**
 * @param {Language} language
 * @returns {Translate} the text of a key with its {names} filled in
 */
export const translator =
  language =>
  (key, params = {}) =>
    LANGUAGES[language][key].replace(/\{(\w+)\}/g, (_, name) => String(params[name]))
