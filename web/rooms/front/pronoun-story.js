// The story of the front page: its words, its runs, and sentences about them. Pure.

import { BOYS, GIRLS } from './names.js'

/** @typedef {'he' | 'she'} Pronoun */
/** @typedef {{ girl: string, boy: string, first: 'girl' | 'boy', pronoun: Pronoun }} Story names in lower case, as in the vocabulary */
/** @typedef {{ layer: number, head: number }} HeadAt */
/** Which heads are on: the one that finds the name, and the other five. @typedef {{ isOn: boolean, othersOn: boolean }} Switches */

/**
 * One run of the model on a story.
 * @typedef {object} Told
 * @property {[word: string, probability: number][]} top the six most likely next words
 * @property {number} girls total probability of all girls' names
 * @property {number} boys
 * @property {readonly number[]} row attention of the pronoun on each token, in the head that finds the name
 */

/** The runs of a story, by `runName`. @typedef {Record<'all' | 'without' | 'alone' | 'none', Told>} Runs */

export { BOYS, GIRLS }
/** The initial story. @type {Story} */
export const FIRST = { girl: 'lily', boy: 'tom', first: 'girl', pronoun: 'he' }

/** Picks the story from the settings. @param {Story} settings @returns {Story} */
export const storyOf = ({ girl, boy, first, pronoun }) => ({ girl, boy, first, pronoun })

/** For each pronoun, the head that finds the name; layer and head count from 0. @type {Record<Pronoun, HeadAt>} */
export const NAMED = { he: { layer: 0, head: 1 }, she: { layer: 2, head: 0 } }
/** @param {Pronoun} pronoun @returns {Pronoun} */
export const otherOf = pronoun => (pronoun === 'he' ? 'she' : 'he')
export const LAYERS = 3
export const HEADS = 2

/** @param {Switches} switches @returns {keyof Runs} */
export function runName({ isOn, othersOn }) {
  if (isOn) return othersOn ? 'all' : 'alone'
  return othersOn ? 'without' : 'none'
}

/** Returns the input tokens. @param {Story} story */
export function tokensOf({ girl, boy, first, pronoun }) {
  const [one, two] = first === 'girl' ? [girl, boy] : [boy, girl]
  return ['<s>', one, 'and', two, 'are', 'friends', '.', 'is', pronoun]
}
/** Index of the first token in the second line of the story. */
export const SECOND_LINE = 7
const NAMES = [1, 3]

/** @param {string} name */
export const isName = name => GIRLS.includes(name) || BOYS.includes(name)

/** Formats a word: names are capitalised. @param {string} word */
export const shownWord = word => (isName(word) ? word[0].toUpperCase() + word.slice(1) : word)

/** @param {number} share @param {(key: string, params: { share: string }) => string} t */
export function percent(share, t) {
  if (share > 0.9995) return t('frontOver', { share: '99.9%' })
  if (share < 0.0005) return t('frontUnder', { share: '0.1%' })
  return `${(share * 100).toFixed(1)}%`
}

/**
 * Returns the sentences about a run: text keys, and the words and shares to insert.
 * @param {Story} story
 * @param {Runs} runs
 * @param {Switches} switches
 * @returns {{ key: string, words: Record<string, string>, shares: Record<string, number> }[]}
 */
export function sayings(story, runs, switches) {
  const told = runs[runName(switches)]
  const [[answer, p]] = told.top
  const tokens = tokensOf(story)
  if (!switches.othersOn) return [{ key: switches.isOn ? 'frontAlone' : 'frontNone', words: { answer }, shares: { p } }]
  if (switches.isOn) return [lookOf(story, told)]
  const [[before, pBefore]] = runs.all.top
  if (answer === before) return [{ key: 'frontSame', words: { answer }, shares: { p, before: pBefore } }]
  const isStranger = isName(answer) && !tokens.includes(answer)
  /** @type {ReturnType<typeof sayings>} */
  const list = [{ key: isStranger ? 'frontStranger' : 'frontOther', words: { answer }, shares: { p } }]
  const known = Math.max(told.girls, told.boys)
  if (isStranger && known >= 0.9)
    list.push({ key: told.girls > told.boys ? 'frontGirl' : 'frontBoy', words: {}, shares: { p: known } })
  return list
}

/**
 * Returns the word with the largest weight, if it directly follows a name, and that name. The head for “she” attends to such a word, into
 * which an earlier layer has copied the name. A test confirms the copy: patching that word changes the answer.
 * @param {readonly number[]} row
 * @returns {[from: number, to: number] | undefined} indices of the word and of the name before it; undefined if no name is before it
 */
export function carriedBy(row) {
  const at = row.indexOf(Math.max(...row))
  return NAMES.includes(at - 1) ? [at, at - 1] : undefined
}

/** Describes which word the head that finds the name attends to most. @param {Story} story @param {Told} told */
function lookOf(story, { row, top: [[answer, p]] }) {
  const tokens = tokensOf(story)
  const at = row.indexOf(Math.max(...row))
  const words = { pronoun: story.pronoun, word: tokens[at], answer }
  const shares = { weight: row[at], p }
  if (NAMES.includes(at)) return { key: 'frontLooks', words, shares }
  const carried = carriedBy(row)
  if (carried) return { key: 'frontLooksBehind', words: { ...words, name: tokens[carried[1]] }, shares }
  return { key: 'frontLooksElsewhere', words, shares }
}
