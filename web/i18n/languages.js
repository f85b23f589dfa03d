// The languages of the page: a folder each, and a line here.

/** The name of each language in itself, by the name of its folder. */
export const LANGUAGES = {
  en: 'English',
  zh: '中文',
}
