/** @typedef {import('../i18n/index.js').Key} Key */

/** What was thrown, as a text. @param {unknown} error */
export const messageOf = error => (error instanceof Error ? error.message : String(error))

/** Something that was brought cannot be taken; its text is in the language files. */
export class Trouble extends Error {
  /**
   * @param {Key} key
   * @param {Record<string, string | number>} [params]
   */
  constructor(key, params = {}) {
    super(`${key} ${JSON.stringify(params)}`)
    this.key = key
    this.params = params
  }
}
