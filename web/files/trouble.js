/** @typedef {import('../i18n/index.js').Key | keyof typeof import('../i18n/en/learn.js').texts} Key */

/** Returns the message of a thrown value. @param {unknown} error */
export const messageOf = error => (error instanceof Error ? error.message : String(error))

/** An error for a file or text that the page cannot use; `key` is the text key of its message. */
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
