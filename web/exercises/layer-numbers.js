// Helpers for exercises in "One layer": they read its trace, compute traces of other settings, and make controls.

import { check } from '../rooms/layer/check-settings.js'
import { FIELDS } from '../rooms/layer/fields.js'
import { resultOf } from '../rooms/layer/needs.js'
import { edit } from '../rooms/layer/settings.js'
import { createTracer } from '../rooms/layer/trace/layer-trace.js'

/** @import { Cell, Settings } from '../rooms/layer/fields.js' */
/** @import { Result } from '../rooms/layer/trace/layer-trace.js' */
/** @import { LayerTypes } from '../rooms/layer/layer.js' */
/** @typedef {import('./exercise.js').Given<LayerTypes>} Given */
/** @typedef {import('./exercise.js').Control<Settings>} Control */
/** An exercise in "One layer". @typedef {import('./exercise.js').Exercise<LayerTypes>} LayerExercise */

/** @param {number[]} dims @param {number[]} data */
export const tensor = (dims, data) => ({ dims, data })

/** Three unit keys, (3, 3). */
export const KEYS = [1, 0, 0, 0, 1, 0, 0, 0, 1]
/** Three values that are easy to distinguish, (3, 2). */
export const VALUES = [1, 0, 0, 1, -1, -1]

/** Returns the displayed trace; undefined while it is computed. @param {Pick<Given, 'state'>} given @returns {Result | undefined} */
export function shownTrace({ state }) {
  return state.got.trace?.is === 'here' ? resultOf(state) : undefined
}

/** Computes the trace of the settings with some replaced; undefined if they are invalid. @param {Given} given @param {Partial<Settings>} patch @returns {Result | undefined} */
export function traceWith({ state, qkv }, patch) {
  const { checked } = check({ ...state.settings, ...patch })
  return checked && createTracer(qkv)(checked)
}

const NONE = { data: new Float32Array(), dims: [0, 0] }

/**
 * Returns a row of a matrix in the trace; an empty row if the trace lacks the matrix, such as the scores of imported weights.
 * @param {Result} result
 * @param {import('../rooms/layer/layer.js').MatrixId} matrix
 * @param {number} row
 * @param {number} [head]
 * @returns {number[]}
 */
export function rowOf(result, matrix, row, head = 0) {
  const { data, dims } = result.tensors[matrix] ?? NONE
  const [rows, columns] = dims.slice(-2)
  const from = (head * rows + row) * columns
  return Array.from(data.subarray(from, from + columns))
}

/** @param {readonly number[]} list */
export const largestAt = list => list.indexOf(Math.max(...list))

/** Returns the largest absolute difference between two rows. @param {readonly number[]} a @param {readonly number[]} b */
export const distance = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])))

/**
 * Makes a control that edits one cell, or the same cell of several heads.
 * @param {string} name
 * @param {readonly Cell[]} cells
 * @param {{ least: number, most: number, step: number, isSlider?: boolean, applies?: Control['applies'] }} range
 * @param {number} given value of an unedited cell
 * @returns {Control}
 */
export const cellControl = (name, cells, range, given = 0) => ({
  name,
  ...range,
  read: ({ edits }) => edits.find(each => isIn(each, cells))?.value ?? given,
  write: (settings, value) => ({
    edits: cells.reduce((now, cell) => edit(now, cell, Number(value)), settings).edits,
  }),
})

/** @param {Cell} cell @param {readonly Cell[]} cells */
const isIn = (cell, cells) =>
  cells.some(each => JSON.stringify(Object.values(each)) === JSON.stringify(Object.values(pick(cell))))

/** @param {Cell} cell */
const pick = ({ matrix, head, row, column }) => ({ matrix, head, row, column })

/** @param {'Q' | 'K'} matrix @param {number} head @param {number} row @param {number} column @returns {Cell} */
export const cell = (matrix, head, row, column) => ({ matrix, head, row, column })

/** Returns a predicate: true if all edited cells are in one of these matrices. @param {readonly string[]} matrices */
export const editsOnly =
  matrices =>
  (/** @type {Settings} */ { edits }) =>
    edits.every(({ matrix }) => matrices.includes(matrix))

/** Makes a control for a field of "One layer". @param {'mask' | 'left' | 'right' | 'scale'} field @param {Control['applies']} [applies] @returns {Control} */
export function fieldControl(field, applies) {
  /** @type {{ kind: import('../shell/room.js').Kind<any> }} */
  const { kind } = FIELDS[field]
  return {
    name: field,
    applies,
    ...(kind.choices
      ? { choices: kind.choices.map(name => /** @type {const} */ ([name, `${field}.${name}`])) }
      : { least: kind.least, most: kind.most, step: 1 }),
    read: settings => settings[field] ?? '',
    write: (_, value) => ({ [field]: value }),
  }
}
