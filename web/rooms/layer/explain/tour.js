// The twelve stops of the tour: what each shows and what there is to do. Their words stand in the language files, their
// numbers on the page. Pure.

import { settingsOf } from '../presets.js'
import { change } from '../settings.js'

/** @import { Settings, Word } from '../layer.js' */

/**
 * @typedef {object} Stop
 * @property {string} id
 * @property {Settings} settings what the page shows on arrival
 * @property {string} target a selector: what the text speaks of
 * @property {string} [does] a selector: where it is done, if elsewhere
 * @property {readonly (keyof Settings | 'hovered' | 'vectorSize')[]} changes what is other than on arrival once it is done
 */

/** The size of the vectors on arrival at the stop that asks why. */
export const VECTOR_SIZE = 64
const FIELD = '.field-sentence'
const MASK = /** @type {const} */ (['mask', 'masking', 'painted'])

/** @param {Settings} settings @param {Partial<Settings>} patch @returns {Settings} */
const with_ = (settings, patch) => ({ ...change(settings, patch), ...patch })
/** @param {number} row @param {number} column @param {number} [head] */
const weight = (row, column, head = 0) => ({ matrix: /** @type {const} */ ('weights'), head, row, column })
/** @param {number} position */
const query = position => ({ side: /** @type {const} */ ('queries'), position })

/** @type {readonly Stop[]} */
export const STOPS = [
  {
    id: 'attends',
    settings: with_(settingsOf('heads'), { word: query(3) }),
    target: '.text-strip',
    changes: ['hovered', 'word'],
  },
  {
    id: 'origin',
    settings: with_(settingsOf('heads'), { cell: weight(1, 1) }),
    target: '#inspector',
    changes: ['cell'],
  },
  {
    id: 'root',
    settings: settingsOf('self'),
    target: '#distribution',
    does: '.distribution-controls',
    changes: ['vectorSize'],
  },
  {
    id: 'mask',
    settings: settingsOf('causal'),
    target: '#algebra',
    does: '[data-value=mask], #settings-open',
    changes: MASK,
  },
  {
    id: 'sees',
    settings: with_(settingsOf('causal'), { word: query(2), probe: 4 }),
    target: '.ask',
    changes: ['probe', 'word'],
  },
  {
    id: 'heads',
    settings: with_(settingsOf('heads'), { head: 1, view: 'difference', other: 2 }),
    target: '.heads-column',
    does: '.compare label',
    changes: ['head', 'other', 'minus'],
  },
  {
    id: 'shapes',
    settings: with_(settingsOf('heads'), { heads: 2, dModel: 6, dKey: 4, dValue: 5 }),
    target: '#shapes',
    does: '#settings-open',
    changes: ['heads', 'dModel', 'dKey', 'dValue', 'batch'],
  },
  {
    id: 'cross',
    settings: with_(settingsOf('translation'), { cell: weight(2, 2) }),
    target: '#map',
    changes: ['hovered', 'word', 'cell'],
  },
  {
    id: 'kernel',
    settings: settingsOf('waistline'),
    target: '#plot',
    changes: ['imported', 'edits', 'sentence', 'sigma'],
  },
  {
    id: 'induction',
    settings: with_(settingsOf('handBuilt'), { head: 3 }),
    target: '#induction',
    does: FIELD,
    changes: ['sentence'],
  },
  {
    id: 'sensitivity',
    settings: with_(settingsOf('self'), { cell: { matrix: 'Wq', head: 0, row: 0, column: 0 } }),
    target: '#sensitivity',
    does: '.setter label',
    changes: ['edits'],
  },
  { id: 'code', settings: settingsOf('causal'), target: '#export', does: FIELD, changes: ['sentence', ...MASK] },
]

/** @param {number} stop from 1 */
export const stopOf = stop => STOPS[Math.min(Math.max(stop, 1), STOPS.length) - 1]

/**
 * Was done what there is to do: is something other than on arrival?
 * @param {number} stop from 1
 * @param {Settings} settings
 * @param {{ hovered?: Word, vectorSize: number }} now
 */
export function isDone(stop, settings, { hovered, vectorSize }) {
  const { settings: own, changes } = stopOf(stop)
  return changes.some(name => {
    if (name === 'vectorSize') return vectorSize !== VECTOR_SIZE
    if (name === 'hovered') return hovered !== undefined && hovered.position !== own.word?.position
    return JSON.stringify(settings[name]) !== JSON.stringify(own[name])
  })
}
