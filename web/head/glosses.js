// What a word of the English-Chinese translation means, for readers of one of the two languages.

import { laterTexts } from '../shell/later.js'

/** @type {ReturnType<typeof laterTexts<import('../shell/room.js').Translate<keyof typeof import('../i18n/en/glosses.js').texts>>>} */
const texts = laterTexts(['glosses'])

/** @param {(key: 'htmlLang') => string} t @param {() => void} loaded draws again, when the glosses are here @returns {(word: string) => string | undefined} */
export function glosses(t, loaded) {
  const own = texts(t)
  own.ask(loaded)
  const pairs = own.module?.('glosses').split(' ') ?? []
  return word => pairs.find(pair => pair.startsWith(`${word}=`))?.slice(word.length + 1)
}
