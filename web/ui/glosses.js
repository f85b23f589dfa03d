// Glosses of the words in the English-Chinese translation, for readers of only one of the languages.

import { textsLater } from '../shell/texts-later.js'

/** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate<keyof typeof import('../i18n/en/glosses.js').texts>>} */
const texts = textsLater(['glosses'])

/**
 * Returns the words, each followed by its gloss if it has one.
 * @param {readonly string[]} words
 * @param {((word: string) => string | undefined) | undefined} gloss
 */
export const withGlosses = (words, gloss) =>
  gloss ? words.map(word => [word, gloss(word) ?? []].flat().join(' ')) : words

/**
 * Returns a function that looks up glosses.
 * @param {(key: 'htmlLang') => string} t
 * @param {() => void} loaded called to redraw once the glosses have loaded
 * @returns {(word: string) => string | undefined}
 */
export function glosses(t, loaded) {
  const own = texts(t('htmlLang'))
  own.ask(loaded)
  const pairs = own.module?.('glosses').split(' ') ?? []
  return word => pairs.find(pair => pair.startsWith(`${word}=`))?.slice(word.length + 1)
}
