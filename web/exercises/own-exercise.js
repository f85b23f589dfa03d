// Reads and writes exercises made by teachers, which are JSON in the parameter `made` of a link. They are validated like a link.

import { percent } from '../files/number-format.js'
import { toNumber } from '../shell/kinds.js'
import { digits, verdict } from './verdict.js'

/** @import { Exercise } from './exercise.js' */

/**
 * A check is a kind followed by parameters: cell [matrix, head, row, column, least, most]; weight [head, row, column, least]; output [row,
 * tolerance, ...values]; mask [rows of 0 and 1]; top [word]; accuracy [least]. Indices count from 1.
 * @typedef {readonly (string | number)[]} Check
 */
/** @typedef {{ room: 'layer' | 'learn' | 'models', start: string, may: readonly string[], task: string, check: Check }} Made */

/** The checks of each room. */
export const CHECKS = {
  layer: ['cell', 'weight', 'output', 'mask'],
  learn: ['accuracy'],
  models: ['top'],
}
/** Minimum array length of each kind of check, including the kind. @type {Record<string, number>} */
const PARTS = { cell: 7, weight: 5, output: 4, mask: 2, top: 2, accuracy: 2 }
const MOST_LETTERS = 2000

/** @param {unknown} value */
const isText = value => typeof value === 'string' && value.length > 0 && value.length <= MOST_LETTERS

/** Parses the parameter `made`; undefined if it is not a valid exercise. @param {string} text @returns {Made | undefined} */
export function readMade(text) {
  try {
    const { room, start, may, task, check } = JSON.parse(text)
    const kinds = /** @type {Record<string, readonly string[]>} */ (CHECKS)[room] ?? []
    const isCheck = Array.isArray(check) && kinds.includes(check[0]) && check.length >= PARTS[check[0]]
    const areParts =
      isCheck && check.slice(1).every((/** @type {unknown} */ each) => isText(each) || Number.isFinite(each))
    const areFields = Array.isArray(may) && may.every(isText)
    return areParts && areFields && isText(task) && typeof start === 'string'
      ? { room, start, may, task, check }
      : undefined
  } catch {
    return undefined
  }
}

/** @param {Made} made */
export const writeMade = made => JSON.stringify(made)

/** Parses a typed list of numbers. @param {string} text @returns {number[]} */
export const numbersIn = text =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(toNumber)

/**
 * Returns the function that judges the current state. That function returns undefined while the value to judge is being computed.
 * @param {Made} made
 * @returns {Promise<Exercise['check']>}
 */
async function checkOf({ room, check: [kind, ...parts] }) {
  const numbers = parts.map(Number)
  const judged = (/** @type {boolean} */ passed, /** @type {string} */ got) => verdict(passed, [], { got })
  if (room === 'layer') {
    const { rowOf, shownTrace, distance } = await import('./layer-numbers.js')
    return given => {
      const result = shownTrace(/** @type {any} */ (given))
      if (!result) return undefined
      try {
        if (kind === 'mask') {
          const { visible, settings } = result
          const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
          const rows = Array.from({ length: L }, (_, i) =>
            Array.from({ length: S }, (_, j) => (!visible || visible[i * S + j] ? 1 : 0)).join(''),
          )
          return judged(rows.join(' ') === parts.join(' '), rows.join(' '))
        }
        if (kind === 'output') {
          const [row, tolerance, ...wanted] = numbers
          const own = rowOf(result, result.tensors.final ? 'final' : 'joined', row - 1)
          return judged(own.length === wanted.length && distance(own, wanted) <= tolerance, own.map(digits).join(', '))
        }
        const [matrix, at] = kind === 'cell' ? [/** @type {any} */ (parts[0]), numbers.slice(1)] : ['weights', numbers]
        const [head, row, column, least, most = Number.POSITIVE_INFINITY] = at
        const value = rowOf(result, matrix, row - 1, head - 1)[column - 1]
        return judged(value >= least && value <= most, digits(value))
      } catch {
        return judged(false, '–') // the trace of these settings lacks the matrix
      }
    }
  }
  if (room === 'models') {
    const { runOf } = await import('./models-numbers.js')
    return ({ state }) => {
      const [first] = runOf(/** @type {any} */ (state))?.top ?? []
      return first && judged(first.token === parts[0], `${first.token} (${percent(first.probability)})`)
    }
  }
  return ({ state }) => {
    const last = /** @type {any} */ (state).view.points?.at(-1)
    return judged((last?.heldOutAccuracy ?? 0) >= numbers[0], last ? digits(last.heldOutAccuracy) : '–')
  }
}

/** @param {Made} made @returns {Promise<Exercise>} */
export async function ownExercise(made) {
  const { room, start, may, task } = made
  return { id: 'own', room, start, may, task, check: await checkOf(made), wrong: [], solution: {} }
}
