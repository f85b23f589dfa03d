// The texts of the room, which are loaded with it.

import { heads as headsEn } from '../../i18n/heads/en.js'
import { heads as headsZh } from '../../i18n/heads/zh.js'
import { learn as en } from '../../i18n/learn/en.js'
import { stories as storiesEn } from '../../i18n/learn/stories-en.js'
import { stories as storiesZh } from '../../i18n/learn/stories-zh.js'
import { learn as zh } from '../../i18n/learn/zh.js'

/** @typedef {typeof en & typeof headsEn & typeof storiesEn} Texts */
/** @typedef {keyof Texts} LearnKey */
/** @typedef {(key: LearnKey, params?: Record<string, string | number>) => string} LearnTranslate */

/** @type {Record<string, Texts>} */
export const TEXTS = { en: { ...en, ...headsEn, ...storiesEn }, zh: { ...zh, ...headsZh, ...storiesZh } }

/** @param {string} tag such as the page's htmlLang @returns {LearnTranslate} */
export function translatorOf(tag) {
  const texts = TEXTS[tag.slice(0, 2)] ?? TEXTS.en
  return (key, params = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => String(params[name]))
}
