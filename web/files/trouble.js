/** @typedef {import('../i18n/index.js').Key | keyof typeof import('../i18n/en/learn.js').texts} Key */

/** Returns the message of whatever was thrown. @param {unknown} error */
export const messageOf = error => (error instanceof Error ? error.message : String(error))

/** A file or a text that the page cannot use; `key` names the message in the language files. */
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
