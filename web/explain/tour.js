// The twelve stops of the tour: what each shows. Their words stand in the language files, their numbers on the page. Pure.

import { settingsOf } from '../settings/presets.js'
import { change } from '../settings/state.js'

/** @typedef {import('../settings/fields.js').Settings} Settings */

/**
 * @typedef {object} Stop
 * @property {string} id
 * @property {Settings} settings what the page shows on arrival
 * @property {string} target a selector: what the text speaks of
 */

/** @param {Settings} settings @param {Partial<Settings>} patch @returns {Settings} */
const with_ = (settings, patch) => ({ ...change(settings, patch), ...patch })
/** @param {number} row @param {number} column @param {number} [head] */
const weight = (row, column, head = 0) => ({ matrix: /** @type {const} */ ('weights'), head, row, column })
/** @param {number} position */
const query = position => ({ side: /** @type {const} */ ('queries'), position })

/** @type {readonly Stop[]} */
export const STOPS = [
  { id: 'attends', settings: with_(settingsOf('heads'), { word: query(3) }), target: '.text-strip' },
  { id: 'origin', settings: with_(settingsOf('heads'), { cell: weight(1, 1) }), target: '#inspector' },
  { id: 'root', settings: settingsOf('self'), target: '#spread' },
  { id: 'mask', settings: settingsOf('causal'), target: '#algebra' },
  { id: 'sees', settings: with_(settingsOf('causal'), { word: query(2), probe: 4 }), target: '.ask' },
  {
    id: 'heads',
    settings: with_(settingsOf('heads'), { head: 1, view: 'difference', other: 2 }),
    target: '.heads-column',
  },
  {
    id: 'shapes',
    settings: with_(settingsOf('heads'), { heads: 2, dModel: 6, dKey: 4, dValue: 5 }),
    target: '#shapes',
  },
  { id: 'cross', settings: with_(settingsOf('translation'), { cell: weight(2, 2) }), target: '#map' },
  { id: 'kernel', settings: settingsOf('waistline'), target: '#plot' },
  { id: 'induction', settings: with_(settingsOf('zoo'), { head: 3 }), target: '#induction' },
  {
    id: 'grows',
    settings: with_(settingsOf('self'), { cell: { matrix: 'Wq', head: 0, row: 0, column: 0 } }),
    target: '#grows',
  },
  { id: 'code', settings: settingsOf('causal'), target: '#take' },
]

/** @param {number} stop from 1 */
export const stopOf = stop => STOPS[Math.min(Math.max(stop, 1), STOPS.length) - 1]
