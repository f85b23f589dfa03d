// What a word of the English-Chinese translation means, for readers of one of the two languages.

import { textsLater } from '../shell/texts-later.js'

/** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate<keyof typeof import('../i18n/en/glosses.js').texts>>} */
const texts = textsLater(['glosses'])

/** Words, each with what it means behind it where that is known. @param {readonly string[]} words @param {((word: string) => string | undefined) | undefined} gloss */
export const withGlosses = (words, gloss) =>
  gloss ? words.map(word => [word, gloss(word) ?? []].flat().join(' ')) : words

/** @param {(key: 'htmlLang') => string} t @param {() => void} loaded draws again, when the glosses are here @returns {(word: string) => string | undefined} */
export function glosses(t, loaded) {
  const own = texts(t('htmlLang'))
  own.ask(loaded)
  const pairs = own.module?.('glosses').split(' ') ?? []
  return word => pairs.find(pair => pair.startsWith(`${word}=`))?.slice(word.length + 1)
}
