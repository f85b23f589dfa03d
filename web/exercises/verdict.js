// Helpers for the checks of all rooms: verdicts, numbers in hints, parameters of links.

import { toNumber } from '../shell/kinds.js'

/** @import { Params, Verdict } from './exercise.js' */

/**
 * Returns a verdict with the first hint that applies.
 * @param {boolean} passed
 * @param {readonly (readonly [name: string, fits: boolean, params?: Params])[]} hints tried in order
 * @param {Params} [notYet] parameters of the text `notYet`, used if no hint applies
 * @param {number} [score] score if passed
 * @returns {Verdict}
 */
export function verdict(passed, hints, notYet = {}, score = 1) {
  if (passed) return { passed, score, hint: 'done', params: notYet }
  const [hint, , params = {}] = hints.find(([, fits]) => fits) ?? ['notYet', true, notYet]
  return { passed, score: 0, hint, params }
}

/** Formats a number with three decimals for a hint. @param {number} [x] undefined if the trace lacks the matrix of this number; formatted as NaN */
export const digits = (x = Number.NaN) => x.toFixed(3)

/** Parses a typed share: 0.665, 0,665, 66.5% or full-width characters; NaN if it is not a number. @param {unknown} answer */
export function shareOf(answer) {
  const text = String(answer).normalize('NFKC').trim()
  return text.endsWith('%') ? toNumber(text.slice(0, -1)) / 100 : toNumber(text)
}

/** Formats parameters of a link. @param {Record<string, string | number>} parameters */
export const link = parameters =>
  String(new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])))
