// The languages of the page: a folder each, and a line here.

/** Native name of each language, by folder. */
export const LANGUAGES = {
  en: 'English',
  zh: '中文',
}
