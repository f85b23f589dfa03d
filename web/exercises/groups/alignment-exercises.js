// Learned models: the exercise on translation, in "Models".

import { percent } from '../../files/number-format.js'
import { matrixOf, shownOf } from '../../rooms/models/shown.js'
import { runOf } from '../models-numbers.js'
import { link, verdict } from '../verdict.js'

/** The Chinese word whose English source the exercise asks for. */
const TODAY = '今天'

/** @type {import('../models-numbers.js').ModelsExercise} */
const whereFrom = {
  id: 'e16',
  room: 'models',
  start: link({ checkpoint: 'translation' }),
  may: [],
  check({ state }) {
    const run = runOf(state)
    if (!run) return undefined
    const { head, cell } = shownOf(state)
    const targets = [...(run.targets ?? []), '</s>']
    const matrix = head && matrixOf({ ...state, ...shownOf(state) }, false)
    const written = targets[(cell?.query ?? -1) + 1] ?? ''
    const columns = matrix?.dims[1] ?? 0
    const row = matrix && cell ? Array.from(matrix.data.subarray(cell.query * columns, (cell.query + 1) * columns)) : []
    const best = row.indexOf(Math.max(...row))
    const isCross = head?.stack === 'cross'
    return verdict(
      isCross && cell !== undefined && written === TODAY && cell.key === best,
      [
        ['encoder', head?.stack === 'encoder'],
        ['decoder', head?.stack === 'decoder'],
        ['none', !isCross || !cell],
        ['read', run.targets?.[cell?.query ?? -1] === TODAY, { written }],
        ['row', written !== TODAY, { written }],
        ['column', true, { share: percent(row[cell?.key ?? 0]), most: percent(row[best]) }],
      ],
      { word: run.tokens[best] ?? '', share: percent(row[best] ?? 0) },
    )
  },
  wrong: [
    { hint: 'none' },
    { set: link({ at: 'd1.1:2>1' }), hint: 'decoder' },
    { set: link({ at: 'e1.1:2>1' }), hint: 'encoder' },
    { set: link({ at: 'c1.1:3>8' }), hint: 'read' },
    { set: link({ at: 'c1.1:5>3' }), hint: 'row' },
    { set: link({ at: 'c1.1:2>9' }), hint: 'column' },
  ],
  solution: { set: link({ at: 'c1.1:2>10' }) },
}

export const exercises = [whereFrom]
