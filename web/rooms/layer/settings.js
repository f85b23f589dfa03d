// Functions that change the settings, which are plain JSON, or make cache keys of them. Pure: no DOM, no core.

import { DEFAULTS, describe, FIELD_NAMES, fieldsThat, pick } from './fields.js'
import { checkImported, lengthsOf } from './imported-tensors.js'

/** @import { Cell, Checked, FieldName, Imported, Settings } from './layer.js' */

/** What the inspector shows. @typedef {Pick<Settings, 'head' | 'word' | 'cell' | 'less'>} Selection */

const VIEW_FIELDS = fieldsThat(({ history }) => history !== 'undo')
const PAGE_FIELDS = fieldsThat(({ stays }) => stays)

/** Picks the view settings, which do not affect the computation. @param {Readonly<Settings>} settings @returns {Partial<Settings>} */
const viewOf = settings => pick(settings, VIEW_FIELDS)

/** Picks the view settings that are kept when other numbers are opened. @param {Readonly<Settings>} settings @returns {Partial<Settings>} */
export const pageOf = settings => pick(settings, PAGE_FIELDS)

/** @param {Settings} settings @returns {Selection} */
export const selectionOf = ({ head, word, cell, less }) => ({ head, word, cell, less })

/**
 * Returns the new settings without the edits and painted cells that belonged to other words or other random numbers. Keeps edits that are
 * part of the change.
 * @param {Settings} before
 * @param {Settings} after
 * @returns {Settings}
 */
export function keepMeaningful(before, after) {
  let { edits, painted } = after
  const hasOwnEdits = edits !== before.edits
  const hasOwnPainted = painted !== before.painted
  for (const { clears, repaints } of FIELD_NAMES.filter(name => after[name] !== before[name]).map(describe)) {
    // The matrices of hand-built heads depend on the length of the sentence, so their edits are dropped too.
    if (clears && !hasOwnEdits)
      edits =
        clears === 'all' || before.model === 'handBuilt' ? [] : edits.filter(({ matrix }) => !clears.includes(matrix))
    if (repaints && !hasOwnPainted) painted = []
  }
  return { ...after, edits, painted }
}

/** Applies a patch, and drops edits and painted cells that it makes meaningless. @param {Settings} settings @param {Partial<Settings>} patch @returns {Settings} */
export const change = (settings, patch) => keepMeaningful(settings, { ...settings, ...patch })

/** @param {Cell} a @param {Cell} b */
export const isSameCell = (a, b) =>
  a.matrix === b.matrix && a.head === b.head && a.row === b.row && a.column === b.column

/**
 * Sets a cell by hand; `undefined` restores its computed value.
 * @param {Settings} settings
 * @param {Cell} cell
 * @param {number | undefined} value
 * @returns {Settings}
 */
export function edit(settings, { matrix, head, row, column }, value) {
  const cell = { matrix, head, row, column }
  const others = settings.edits.filter(each => !isSameCell(each, cell))
  return { ...settings, edits: value === undefined ? others : [...others, { ...cell, value }] }
}

/**
 * Shows or hides a cell, overriding the mask.
 * @param {Settings} settings
 * @param {number} row
 * @param {number} column
 * @param {boolean} isVisible
 * @returns {Settings}
 */
export function paint(settings, row, column, isVisible) {
  const others = settings.painted.filter(([r, c]) => r !== row || c !== column)
  return { ...settings, painted: [...others, [row, column, isVisible ? 1 : 0]] }
}

/** @type {WeakMap<Imported, string>} */
const prints = new WeakMap()

/** Returns a short key that identifies tensors, which are too large to stringify. @param {Imported | null} imported */
function fingerprint(imported) {
  if (!imported) return null
  const known = prints.get(imported)
  if (known) return known
  let [a, b] = [0x811c9dc5, 0x9747b28c]
  const parts = Object.entries(imported).map(([name, part]) => {
    if (Array.isArray(part)) return [name, part]
    for (const word of new Uint32Array(Float64Array.from(part.data).buffer)) {
      a = Math.imul(a ^ word, 0x01000193)
      b = Math.imul(b ^ (word + (a >>> 13)), 0x85ebca6b)
    }
    return [name, part.dims]
  })
  const print = JSON.stringify([a, b, ...parts])
  prints.set(imported, print)
  return print
}

/**
 * Returns a cache key of the fields `names`.
 * @param {{ [F in FieldName]?: unknown } & { imported: Imported | null }} settings
 * @param {readonly FieldName[]} names
 */
const keyOf = (settings, names) =>
  JSON.stringify(
    names.map(name => (name === 'imported' ? fingerprint(settings.imported) : settings[name])),
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  )

const COMPUTED = fieldsThat(({ history }) => history === 'undo')
const DRAWN = fieldsThat(({ draws }) => draws)

/** Returns a cache key of everything that affects the computed numbers. @param {Parameters<typeof keyOf>[0]} settings */
export const signature = settings => keyOf(settings, COMPUTED)

/** Returns a cache key of everything that affects the drawn numbers. @param {Checked} checked */
export const drawnKey = checked =>
  `${keyOf(checked, DRAWN)} ${[checked.queries, checked.keys].map(({ ids }) => ids.join())}`

/** @type {Partial<Settings>} */
export const DEFAULT_VIEW = viewOf(DEFAULTS)

/** Returns settings for imported tensors, with their words. @param {Record<string, any>} parts @returns {Settings} @throws {import('../../files/trouble.js').Trouble} */
export function settingsOfTensors({ tokens, keyTokens, ...tensors }) {
  const imported = checkImported({ ...tensors, ...(tokens && { tokens }), ...(keyTokens && { keyTokens }) })
  const [L, S] = lengthsOf(imported)
  const names = imported.tokens?.join(' ') ?? ''
  return {
    ...DEFAULTS,
    model: 'imported',
    imported,
    sentence: names,
    second: imported.keyTokens?.join(' ') ?? (L === S ? names : ''),
  }
}
