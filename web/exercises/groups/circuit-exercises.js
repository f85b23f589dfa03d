// Circuits: four exercises in "Models", with the stories model.

import { percent } from '../../files/number-format.js'
import { BOYS } from '../../rooms/front/names.js'
import { besideRunOf, headSwitch, headsOff, isSwitching, probabilityOf, runOf } from '../models-numbers.js'
import { link, verdict } from '../verdict.js'

/** @template [M=unknown] @typedef {import('../models-numbers.js').ModelsExercise<M>} ModelsExercise */

const HE = 'Lily and Tom are friends . Is he'
const SHE = 'Lily and Tom are friends . Is she'
const BEN = 'Lily and Ben are friends . Is he'
const FOX = 'Lily and Tom are friends . The fox is called vi ta mo . Tom has a red ball . Vi ta'
const HEADS = ['1.1', '1.2', '2.1', '2.2', '3.1', '3.2']

/** Returns the parameters that switch heads off. @param {readonly string[]} heads */
const off = heads => link({ changes: heads.map(name => `${name}=0`).join(' ') })
/** Returns the parameters that switch off all heads but these. @param {readonly string[]} heads */
const only = heads => off(HEADS.filter(name => !heads.includes(name)))

/** @type {ModelsExercise} */
const anotherBoy = {
  id: 'e17',
  room: 'models',
  start: link({ checkpoint: 'stories', prompt: HE }),
  may: ['changes'],
  allows: isSwitching,
  controls: HEADS.map(headSwitch),
  check({ state }) {
    const run = runOf(state)
    if (!run) return undefined
    const heads = headsOff(state.settings)
    const [{ token, probability }] = run.top
    const isStranger = BOYS.includes(token) && !run.tokens.includes(token)
    const params = { head: heads[0] ?? '', word: token, share: percent(probability) }
    return verdict(
      heads.length === 1 && isStranger,
      [
        ['none', heads.length === 0],
        ['many', heads.length > 1],
        ['unneeded', token === 'tom' && probability > 0.9, params],
        ['still', token === 'tom', params],
      ],
      params,
    )
  },
  wrong: [
    { hint: 'none' },
    { set: off(['1.1', '1.2']), hint: 'many' },
    { set: off(['2.2']), hint: 'unneeded' },
    { set: off(['1.1']), hint: 'still' },
  ],
  solution: { set: off(['1.2']) },
}

/** Returns a text with its two most likely next words. @param {string} text @param {Pick<import('../../rooms/models/run/model-run.js').Run, 'top'> | undefined} run */
const saying = (text, run) => ({
  text,
  says: run?.top.slice(0, 2).map(({ token, probability }) => ({ word: token, share: percent(probability) })),
})

/** @type {ModelsExercise} */
const onlyShe = {
  id: 'e18',
  room: 'models',
  start: link({ checkpoint: 'stories', prompt: SHE }),
  view: { beside: HE },
  may: ['changes'],
  allows: isSwitching,
  controls: HEADS.map(headSwitch),
  pair: state => [saying(HE, besideRunOf(state)), saying(SHE, runOf(state))],
  check({ state }) {
    const [ofHe, ofShe] = [besideRunOf(state), runOf(state)]
    if (!ofHe || !ofShe) return undefined
    const heads = headsOff(state.settings)
    const [he, she] = [probabilityOf(ofHe, 'tom'), probabilityOf(ofShe, 'lily')]
    const [isHe, isShe] = [he >= 0.9, she >= 0.5]
    const params = { head: heads[0] ?? '', he: percent(he), she: percent(she) }
    return verdict(
      heads.length === 1 && isHe && !isShe,
      [
        ['none', heads.length === 0],
        ['many', heads.length > 1],
        ['neither', isHe && isShe, params],
        ['his', !isHe && isShe, params],
        ['both', !isHe && !isShe, params],
      ],
      params,
    )
  },
  wrong: [
    { hint: 'none' },
    { set: off(['1.1', '3.1']), hint: 'many' },
    { set: off(['2.2']), hint: 'neither' },
    { set: off(['1.2']), hint: 'his' },
    { set: off(['1.1']), hint: 'both' },
  ],
  solution: { set: off(['3.1']) },
}

/** @type {ModelsExercise} */
const fewestHeads = {
  id: 'e19',
  room: 'models',
  start: link({ checkpoint: 'stories', prompt: FOX }),
  may: ['changes'],
  allows: isSwitching,
  controls: HEADS.map(headSwitch),
  check({ state }) {
    const run = runOf(state)
    if (!run) return undefined
    const on = HEADS.length - headsOff(state.settings).length
    const [{ token, probability }] = run.top
    const isRight = token === 'mo'
    const params = { on, word: token, share: percent(probability) }
    return verdict(
      isRight && on <= 3,
      [
        ['none', on === HEADS.length],
        ['more', isRight, params],
        ['copies', token === 'ta', params],
      ],
      params,
    )
  },
  wrong: [
    { hint: 'none' },
    { set: off(['3.2']), hint: 'more' },
    { set: only(['1.1', '3.1']), hint: 'copies' },
    { set: only(['1.2', '2.1']), hint: 'notYet' },
  ],
  solution: { set: only(['1.1', '2.2', '3.1']) },
}

/** Returns the change that patches a layer's output from the second text, in link notation. Layer and position count from 1. @param {number} layer @param {number | '*'} position */
const patch = (layer, position) => `${layer}:${position}=patch`
const NAME = 4

/** @type {ModelsExercise} */
const carryBen = {
  id: 'e20',
  room: 'models',
  start: link({ checkpoint: 'stories', prompt: HE, sourceText: BEN }),
  may: ['changes'],
  allows: ({ changes }) => changes.every(({ kind }) => kind === 'patch'),
  check({ state }) {
    const run = runOf(state)
    if (!run) return undefined
    const patches = state.settings.changes.flatMap(change => (change.isOn && change.kind === 'patch' ? [change] : []))
    const [{ token, probability }] = run.top
    const { position = 0, layer = 0 } = patches[0] ?? {}
    const params = { word: token, share: percent(probability), layer: layer + 1 }
    const isOne = patches.length === 1 && position !== null
    return verdict(
      isOne && token === 'ben',
      [
        ['none', patches.length === 0],
        ['all', patches.length > 1 || position === null],
        ['name', position === NAME - 1, params],
        ['empty', true, params],
      ],
      params,
      layer === 0 ? 1 : 0.8,
    )
  },
  wrong: [
    { hint: 'none' },
    { set: link({ changes: patch(1, '*') }), hint: 'all' },
    { set: link({ changes: patch(1, NAME) }), hint: 'name' },
    { set: link({ changes: patch(2, 7) }), hint: 'empty' },
  ],
  solution: { set: link({ changes: patch(1, 9) }) },
}

export const exercises = [anotherBoy, onlyShe, fewestHeads, carryBen]
