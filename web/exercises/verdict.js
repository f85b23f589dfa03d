// What the checks of all rooms use: the verdict, numbers as hints write them, parameters of links.

import { toNumber } from '../shell/kinds.js'

/** @typedef {import('./exercise.js').Verdict} Verdict */
/** @typedef {import('./exercise.js').Params} Params */

/**
 * @param {boolean} passed
 * @param {readonly (readonly [name: string, fits: boolean, params?: Params])[]} hints tried in order
 * @param {Params} [notYet] the numbers of the text that stands where no hint fits
 * @param {number} [score] of what passed
 * @returns {Verdict}
 */
export function verdict(passed, hints, notYet = {}, score = 1) {
  if (passed) return { passed, score, hint: 'done', params: notYet }
  const [hint, , params = {}] = hints.find(([, fits]) => fits) ?? ['notYet', true, notYet]
  return { passed, score: 0, hint, params }
}

/** A number as a hint writes it: three digits behind the point. @param {number} x */
export const digits = x => x.toFixed(3)

/** The share that was typed, as 0.665, 0,665, 66.5% or in full-width signs; NaN if it is no number. @param {unknown} answer */
export function shareOf(answer) {
  const text = String(answer).normalize('NFKC').trim()
  return text.endsWith('%') ? toNumber(text.slice(0, -1)) / 100 : toNumber(text)
}

/** Parameters as a link has them. @param {Record<string, string | number>} parameters */
export const link = parameters =>
  String(new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])))
