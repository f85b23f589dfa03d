// The texts of the room, which are loaded with it; the rest are the page's.

import { texts as headsEn } from '../../i18n/en/head.js'
import { texts as en } from '../../i18n/en/models.js'
import { texts as headsZh } from '../../i18n/zh/head.js'
import { texts as zh } from '../../i18n/zh/models.js'

/** @typedef {import('../../i18n/index.js').Translate} PageTranslate */
/** @typedef {keyof typeof en | keyof typeof headsEn} OwnKey */
/** @typedef {((key: OwnKey | import('../../i18n/index.js').Key, params?: Record<string, string | number>) => string) & { elements: PageTranslate['elements'] }} Translate */

/** @type {Record<string, Record<OwnKey, string>>} */
export const TEXTS = { en: { ...en, ...headsEn }, zh: { ...zh, ...headsZh } }

/** @param {PageTranslate} page @returns {Translate} */
export function translatorOf(page) {
  const own = TEXTS[page('htmlLang').slice(0, 2)] ?? TEXTS.en
  const translate = (/** @type {string} */ key, /** @type {Record<string, string | number>} */ params = {}) =>
    Object.hasOwn(own, key)
      ? own[/** @type {OwnKey} */ (key)].replace(/\{(\w+)\}/g, (_, name) => String(params[name]))
      : page(/** @type {any} */ (key), params)
  return Object.assign(translate, { elements: page.elements })
}

/** A text with a number: of 1, the text of the key with ".one". @param {Translate} t @param {'modelsTokens' | 'modelsChosen' | 'modelsSizes'} key @param {number} count @param {Record<string, string | number>} [params] */
export const counted = (t, key, count, params) => t(count === 1 ? `${key}.one` : key, { ...params, count })
