// One reader's attempt at an exercise: tries, the last verdict, the answer, remembered values. Pure.

/** @import { Exercise, Verdict } from './exercise.js' */

/** Number of tries after which the solution can be shown. */
export const TRIES = 3
/** Maximum score once the solution was shown. */
const SHOWN = 0.5

/**
 * Rules set by a teacher's link. most: maximum number of tries; Infinity for no limit.
 * @typedef {{ hints: boolean, solution: boolean, most: number }} Rules
 */

/**
 * @typedef {object} Attempt
 * @property {unknown} answer
 * @property {unknown} memory
 * @property {number} tries
 * @property {Verdict} [verdict]
 * @property {boolean} isShown True if the solution was shown
 * @property {boolean} isPassed
 * @property {number} score the best score so far
 */

/** @returns {Attempt} */
export const begun = () => ({ answer: '', memory: undefined, tries: 0, isShown: false, isPassed: false, score: 0 })

/** Resets an attempt, but keeps the score, the tries, and that the solution was shown. @param {Attempt} attempt @returns {Attempt} */
export const begunAgain = ({ score, tries, isShown }) => ({ ...begun(), score, tries, isShown })

/** Maximum length in characters of the link in an attempt that a host stored. A host is the page that embeds the exercise. */
const MOST_LETTERS = 200_000

/**
 * Reads an attempt stored by a host; returns undefined if it is invalid or belongs to another exercise.
 * @param {unknown} stored
 * @param {string} id
 * @returns {{ link: string, attempt: Partial<Attempt> } | undefined}
 */
export function attemptFrom(stored, id) {
  if (typeof stored !== 'object' || stored === null) return undefined
  const { exercise, link, answer = '', tries = 0, isShown, isPassed, score = 0 } = /** @type {any} */ (stored)
  const isCount = Number.isInteger(tries) && tries >= 0
  const isScore = typeof score === 'number' && score >= 0 && score <= 1
  const isAnswer = typeof answer === 'string' || (Array.isArray(answer) && answer.every(each => Number.isInteger(each)))
  const isLink = typeof link === 'string' && link.length <= MOST_LETTERS
  if (exercise !== id || !isCount || !isScore || !isAnswer || !isLink) return undefined
  return { link, attempt: { answer, tries, score, isShown: isShown === true, isPassed: isPassed === true } }
}

/** Returns the attempt after a check. @param {Attempt} attempt @param {Verdict} verdict @returns {Attempt} */
export function judged(attempt, verdict) {
  const score = attempt.isShown ? Math.min(SHOWN, verdict.score) : verdict.score
  return {
    ...attempt,
    verdict,
    tries: attempt.tries + (attempt.isPassed ? 0 : 1),
    isPassed: attempt.isPassed || verdict.passed,
    score: Math.max(attempt.score, score),
  }
}

/** True if the solution can be shown; once shown, it can be shown again. @param {Attempt} attempt @param {Rules} rules */
export const canShow = ({ tries, isPassed, isShown }, { solution, most }) =>
  solution && !isPassed && (isShown || tries >= Math.min(TRIES, most))

/** True if no try is left. @param {Attempt} attempt @param {Rules} rules */
export const isOver = ({ tries, isPassed }, { most }) => !isPassed && tries >= most

/** Parses the rules of a link. @param {Record<string, string>} page @returns {Rules} */
export function rulesOf({ hints, solution, attempts }) {
  const most = /^[1-9]\d{0,2}$/.test(attempts ?? '') ? Number(attempts) : Number.POSITIVE_INFINITY
  return { hints: hints !== 'off', solution: solution !== 'off', most }
}

/** Returns the link parameters `before`, with those in `set` replaced or added. @param {string} before @param {string} [set] */
export function withParameters(before, set = '') {
  const all = new URLSearchParams(before)
  for (const [name, value] of new URLSearchParams(set)) all.set(name, value)
  return String(all)
}

/**
 * Returns the link parameters with which an exercise starts in its room. Exercises of "One layer" that choose no view get the map, which
 * their tasks refer to; exercises made by teachers keep the view of their link.
 * @param {Exercise} exercise
 * @param {number} seed
 */
export function startOf({ id, room, start }, seed) {
  const link = typeof start === 'function' ? start(seed) : start
  return room === 'layer' && id !== 'own' && !/(^|&)view=/.test(link) ? `${link}&view=map` : link
}

/**
 * Returns the answer of a simulated attempt, computed from `given` if it is a function.
 * @param {import('./exercise.js').Attempt} attempt
 * @param {import('./exercise.js').Given} given
 * @returns {unknown}
 */
export const answerOf = ({ answer }, given) => (typeof answer === 'function' ? answer(given) : answer)

/** Fields that only affect the view, for rooms whose fields do not declare a `history`. @type {Record<string, readonly string[]>} */
const OF_VIEW = { learn: ['trained', 'loss', 'at', 'probe', 'head', 'why'], models: ['at'] }

/**
 * Returns a guard that locks the fields not listed in `may` of the exercise: it rejects changes to them with the problem `locked`.
 * @param {Exercise} exercise
 * @param {import('../shell/room.js').Room<any>['fields']} fields
 * @param {import('../shell/room.js').Problem} locked
 * @returns {import('../shell/store.js').Guard<any>}
 */
export function guardOf({ room, may, allows }, fields, locked) {
  const isFree = (/** @type {string} */ name) =>
    may.includes(name) || (OF_VIEW[room]?.includes(name) ?? fields[name].history !== 'undo')
  return (before, after) => {
    // Opening another model ends the exercise, so allow it.
    if (room === 'models' && before.checkpoint !== after.checkpoint) return undefined
    const isKept = Object.entries(fields).every(
      ([name, { kind }]) => isFree(name) || kind.write(before[name]) === kind.write(after[name]),
    )
    return isKept && (allows?.(after) ?? true) ? undefined : locked
  }
}
