// The texts of the room, which are loaded with it.

import { texts as headsEn } from '../../i18n/en/head.js'
import { texts as en } from '../../i18n/en/learn.js'
import { texts as headsZh } from '../../i18n/zh/head.js'
import { texts as zh } from '../../i18n/zh/learn.js'

/** @typedef {typeof en & typeof headsEn} Texts */
/** @typedef {keyof Texts} LearnKey */
/** @typedef {(key: LearnKey, params?: Record<string, string | number>) => string} LearnTranslate */

/** @type {Record<string, Texts>} */
export const TEXTS = { en: { ...en, ...headsEn }, zh: { ...zh, ...headsZh } }

/** @param {string} tag such as the page's htmlLang @returns {LearnTranslate} */
export function translatorOf(tag) {
  const texts = TEXTS[tag.slice(0, 2)] ?? TEXTS.en
  return (key, params = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => String(params[name]))
}
