// The texts of the room, which are loaded with it; the rest are the page's.

import { checkpoints as en } from '../../i18n/checkpoints/en.js'
import { checkpoints as zh } from '../../i18n/checkpoints/zh.js'
import { heads as headsEn } from '../../i18n/heads/en.js'
import { heads as headsZh } from '../../i18n/heads/zh.js'

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
