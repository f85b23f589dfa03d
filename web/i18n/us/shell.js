// The English texts of ../en/shell.js, in American spelling.

import { texts as british } from '../en/shell.js'

/** @type {Record<keyof typeof british, string>} */
export const texts = { ...british }
for (const [key, text] of Object.entries(texts)) {
  const american = text
    .replace(/(c)olour/gi, '$1olor')
    .replace(/grey/g, 'gray')
    .replace(/icence/g, 'icense')
  texts[/** @type {keyof typeof british} */ (key)] = american
}
texts.htmlLang = 'en-US'
