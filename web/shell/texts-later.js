// Texts that the page loads when they are needed, in its language.

import { languageFor, loadTexts } from '../i18n/index.js'
import { later } from './later.js'

/** For a language, such as 'en', and further files of texts: always the same object. @template M @typedef {(language: string, more?: readonly string[]) => ReturnType<typeof later<M>>} Later */

/**
 * @param {readonly string[]} names of files of texts
 * @param {(texts: Promise<any>) => Promise<any>} [join] makes what is drawn with: the texts with what is loaded beside them
 * @returns {Later<any>} its user names the type of the texts
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
