// Loads texts on demand, in the language of the page.

import { languageFor, loadTexts } from '../i18n/index.js'
import { later } from './later.js'

/**
 * Returns the lazily loaded texts of a language, such as 'en', and of the files `more`; the same object for the same arguments.
 * @template M
 * @typedef {(language: string, more?: readonly string[]) => ReturnType<typeof later<M>>} Later
 */

/**
 * Returns a loader of texts by language.
 * @param {readonly string[]} names names of text files
 * @param {(texts: Promise<any>) => Promise<any>} [join] loads further modules together with the texts
 * @returns {Later<any>} the caller declares the type of the texts
 */
export function textsLater(names, join = texts => texts) {
  /** @type {Map<string, ReturnType<typeof later<any>>>} */
  const known = new Map()
  return (language, more = []) => {
    const files = [...names, ...more]
    const key = [language, ...files].join(' ')
    const found = known.get(key) ?? later(() => join(loadTexts(languageFor(language), files)))
    known.set(key, found)
    return found
  }
}
