// The languages of the page: a folder each, and a line here.

/** Native name of each language, by folder. */
export const LANGUAGES = {
  en: 'English',
  zh: '中文',
}

/** True if the page has the language. @param {string} tag @returns {tag is keyof typeof LANGUAGES} */
export const isLanguage = tag => Object.hasOwn(LANGUAGES, tag)
