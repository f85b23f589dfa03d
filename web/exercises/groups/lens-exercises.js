// Layer readout: three exercises in "Models", with the English model and the logit lens.

import { percent } from '../../files/number-format.js'
import { guesses, rankAt } from '../../rooms/models/lens/numbers.js'
import { readLens, sizesOf } from '../../rooms/models/lens/setting.js'
import { shownOf } from '../../rooms/models/shown.js'
import { isSame } from '../../shell/same.js'
import { headsOff, isSwitching } from '../models-numbers.js'
import { link, verdict } from '../verdict.js'

/** @import { ModelsExercise } from '../models-numbers.js' */
/** @import { State } from '../../rooms/models/models.js' */

const HAT = 'He put on his hat and'
const CHILDREN = 'The children are playing in the'
const PLANE = 'The plane flies high in the'
/** Id of the token "street", index of the layer that predicts it, and the rank after which the token counts as lost. */
const [STREET, LAYER, LOST] = [1143, 2, 20]

/** @param {string} prompt @param {string} lens */
const start = (prompt, lens) => link({ checkpoint: 'english', prompt, lens })

/** Returns the lens grid of the current settings; undefined while it is computed. @param {State} state */
function gridOf(state) {
  const shown = shownOf(state)
  const { lens } = state.got
  if (lens?.is !== 'here' || lens.value.isTooLarge) return undefined
  const grid = lens.value
  const setting = readLens(state.settings.lens, sizesOf(shown))
  const request = { ...(shown.active.length ? shown.changed : shown.request), row: undefined }
  if (!isSame(grid.request, request) || grid.lens !== setting.lens || !isSame(grid.pins, [...setting.pins]))
    return undefined
  return { grid, setting, last: grid.layers.length - 1 }
}

const isLogit = (/** @type {{ lens: string }} */ { lens }) => lens.split(' ')[0] === 'logit'

/** @type {ModelsExercise} */
const onTheWay = {
  id: 'e21',
  room: 'models',
  shows: '#models-lens',
  start: start(HAT, 'logit'),
  may: ['lens'],
  allows: isLogit,
  check({ state }) {
    const found = gridOf(state)
    if (!found) return undefined
    const { grid, setting, last } = found
    const { cell } = setting
    const row = grid.layers.indexOf(cell?.layer ?? -1)
    const column = cell?.position ?? 0
    const [own] = guesses(grid, Math.max(0, row), column)
    const isLast = column === grid.words.length - 1
    const params = { layer: row + 1, word: own.token, share: percent(own.share) }
    return verdict(
      isLast && own.token === 'gloves' && guesses(grid, row - 1, column)[0].token !== 'gloves',
      [
        ['none', !cell],
        ['column', !isLast, { word: grid.words[column] }],
        ['answer', row === last, params],
        ['other', own.token !== 'gloves', params],
        ['higher', true, params],
      ],
      params,
    )
  },
  wrong: [
    { hint: 'none' },
    { set: link({ lens: 'logit 3.6' }), hint: 'column' },
    { set: link({ lens: 'logit 4.7' }), hint: 'answer' },
    { set: link({ lens: 'logit 1.7' }), hint: 'other' },
    { set: link({ lens: 'logit 3.7' }), hint: 'higher' },
  ],
  solution: { set: link({ lens: 'logit 2.7' }) },
}

/** @type {ModelsExercise} */
const neverInTheText = {
  id: 'e22',
  room: 'models',
  shows: '#models-lens',
  start: start(CHILDREN, 'logit'),
  may: ['lens'],
  allows: isLogit,
  check({ state }) {
    const found = gridOf(state)
    if (!found) return undefined
    const { grid, last } = found
    const answers = grid.words.map((_, column) => guesses(grid, last, column)[0].token)
    const pins = grid.pins.map((id, n) => {
      const token = grid.names.get(id) ?? ''
      const at = grid.layers.findIndex((_, row) => grid.words.some((_, column) => rankAt(grid, n, row, column) === 0))
      return { token, layer: at + 1, isFirst: at >= 0, isWord: /^[a-z]{3,}$/i.test(token) }
    })
    const isInText = (/** @type {string} */ token) =>
      grid.words.some(word => word.toLowerCase() === token.toLowerCase())
    const right = pins.find(
      ({ token, isFirst, isWord }) => isWord && isFirst && !isInText(token) && !answers.includes(token),
    )
    const pin = right ?? pins.at(-1)
    const params = { word: pin?.token ?? '', layer: pin?.layer ?? 0 }
    return verdict(
      right !== undefined,
      [
        ['none', !pin],
        ['text', isInText(params.word), params],
        ['sign', pin?.isWord === false, params],
        ['answer', answers.includes(params.word), params],
        ['never', true, params],
      ],
      params,
    )
  },
  wrong: [
    { hint: 'none' },
    { set: link({ lens: 'logit 3.3 p727' }), hint: 'text' },
    { set: link({ lens: 'logit 1.3 p12' }), hint: 'sign' },
    { set: link({ lens: 'logit 4.7 p631' }), hint: 'answer' },
    { set: link({ lens: 'logit 3.7 p750' }), hint: 'never' },
  ],
  solution: { set: link({ lens: 'logit 3.7 p705' }) },
}

/** @type {ModelsExercise} */
const whoWrites = {
  id: 'e23',
  room: 'models',
  shows: '#models-lens',
  start: start(PLANE, `logit ${LAYER + 1}.9 p${STREET} w${STREET}`),
  may: ['changes', 'lens'],
  allows: settings =>
    isSwitching(settings) && isLogit(settings) && new RegExp(` p(\\d+\\.)*${STREET}(\\.|$| )`).test(settings.lens),
  check({ state }) {
    const found = gridOf(state)
    if (!found) return undefined
    const { grid } = found
    const heads = headsOff(state.settings)
    const column = grid.words.length - 1
    const rank = rankAt(grid, grid.pins.indexOf(STREET), LAYER, column) + 1
    const params = { head: heads[0] ?? '', rank, word: guesses(grid, LAYER, column)[0].token }
    return verdict(
      heads.length === 1 && rank > LOST,
      [
        ['none', heads.length === 0],
        ['many', heads.length > 1],
        ['unneeded', rank === 1, params],
        ['still', true, params],
      ],
      params,
    )
  },
  wrong: [
    { hint: 'none' },
    { set: link({ changes: '1.1=0 3.1=0' }), hint: 'many' },
    { set: link({ changes: '2.1=0' }), hint: 'unneeded' },
    { set: link({ changes: '1.1=0' }), hint: 'still' },
  ],
  solution: { set: link({ changes: '3.1=0' }) },
}

export const exercises = [onTheWay, neverInTheText, whoWrites]
