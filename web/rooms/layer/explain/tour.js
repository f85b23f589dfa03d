// The seven stops of the tour, each with its settings and its task. Texts are in the language files. Pure.

import { settingsOf } from '../presets.js'
import { change } from '../settings.js'

/** @import { Settings } from '../layer.js' */

/**
 * @typedef {object} Stop
 * @property {import('../../../i18n/index.js').Key extends infer K ? K extends `tour.${infer I}.question` ? I : never : never} id
 * @property {Settings} settings the settings on arrival
 * @property {string} target selector of what the text refers to
 * @property {string} [shows] selector of the element to scroll to; default `target`
 * @property {string} [does] selector of the control with which the reader does the task; default `target`
 * @property {string} [exercise] id of an exercise on the subject of the stop
 * @property {readonly (keyof Settings | 'vectorSize')[]} changes the task is done once one of these settings has changed
 */

/** Size of the vectors on arrival at the stop about the square root. */
export const VECTOR_SIZE = 64

/** @param {Settings} settings @param {Partial<Settings>} patch @returns {Settings} */
const with_ = (settings, patch) => ({ ...change(settings, patch), view: 'map', ...patch })
/** @param {number} row @param {number} column @param {number} [head] @returns {Settings['cell']} */
const weight = (row, column, head = 0) => ({ matrix: 'weights', head, row, column })
/** @param {number} position @returns {Settings['word']} */
const query = position => ({ side: 'queries', position })

/** @type {readonly Stop[]} */
export const STOPS = [
  {
    id: 'root',
    exercise: 'e4',
    settings: with_(settingsOf('self'), {}),
    target: '#distribution',
    does: '.distribution-controls',
    changes: ['vectorSize'],
  },
  {
    id: 'mask',
    exercise: 'e5',
    settings: with_(settingsOf('causal'), {}),
    target: '#algebra',
    does: '[data-value=mask], #settings-open',
    changes: ['mask', 'masking', 'painted'],
  },
  {
    id: 'sees',
    exercise: 'e8',
    settings: with_(settingsOf('causal'), { word: query(2), probe: 4 }),
    target: '.ask',
    changes: ['probe', 'word'],
  },
  {
    id: 'heads',
    exercise: 'e9',
    settings: with_(settingsOf('heads'), { head: 1, view: 'difference', other: 2 }),
    target: '.heads-column',
    shows: '.picture',
    does: '.compare label',
    changes: ['head', 'other', 'minus'],
  },
  {
    id: 'cross',
    exercise: 'e16',
    settings: with_(settingsOf('translation'), { cell: weight(2, 2) }),
    target: '#map',
    changes: ['word', 'cell'],
  },
  {
    id: 'kernel',
    settings: with_(settingsOf('waistline'), {}),
    target: '#plot',
    changes: ['imported', 'edits', 'sentence', 'sigma'],
  },
  {
    id: 'induction',
    exercise: 'e11',
    settings: with_(settingsOf('handBuilt'), { head: 3 }),
    target: '#induction',
    does: '.field-sentence',
    changes: ['sentence'],
  },
]

/** Returns a stop. @param {number} stop from 1 */
export const stopOf = stop => STOPS[Math.min(Math.max(stop, 1), STOPS.length) - 1]

/**
 * True if the task of a stop is done, that is, if one of the settings in `changes` differs from its value on arrival.
 * @param {number} stop from 1
 * @param {Settings} settings
 * @param {{ vectorSize: number }} now
 */
export function isDone(stop, settings, { vectorSize }) {
  const { settings: own, changes } = stopOf(stop)
  return changes.some(name => {
    if (name === 'vectorSize') return vectorSize !== VECTOR_SIZE
    return JSON.stringify(settings[name]) !== JSON.stringify(own[name])
  })
}
