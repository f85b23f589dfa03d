// The seven stops of the tour: what each shows and what there is to do. Their words stand in the language files, their
// numbers on the page. Pure.

import { settingsOf } from '../presets.js'
import { change } from '../settings.js'

/** @import { Settings } from '../layer.js' */

/**
 * @typedef {object} Stop
 * @property {string} id
 * @property {Settings} settings what the page shows on arrival
 * @property {string} target a selector: what the text speaks of
 * @property {string} [shows] a selector: what is scrolled to, if it is more
 * @property {string} [does] a selector: where it is done, if elsewhere
 * @property {string} [exercise] the exercise that asks for what the stop has shown
 * @property {readonly (keyof Settings | 'vectorSize')[]} changes what is other than on arrival once it is done
 */

/** The size of the vectors on arrival at the stop that asks why. */
export const VECTOR_SIZE = 64

/** @param {Settings} settings @param {Partial<Settings>} patch @returns {Settings} */
const with_ = (settings, patch) => ({ ...change(settings, patch), view: 'map', ...patch })
/** @param {number} row @param {number} column @param {number} [head] */
const weight = (row, column, head = 0) => ({ matrix: /** @type {const} */ ('weights'), head, row, column })
/** @param {number} position */
const query = position => ({ side: /** @type {const} */ ('queries'), position })

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

/** @param {number} stop from 1 */
export const stopOf = stop => STOPS[Math.min(Math.max(stop, 1), STOPS.length) - 1]

/**
 * Was done what there is to do: is something other than on arrival?
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
