// Shift: one head answers with the number before. One length is never trained.

import { COMMON, drawLengths, forwardOf, shapeWithSign } from './batch.js'
import { numberNames, readNumbers } from './numbers.js'
import { answerOff, askWhy, ownProbe, train, untilGoal } from './stops.js'

/** @param {number} T @returns {Record<import('./batch.js').Split, number[]>} */
const lengthsOf = T => ({ train: [T, T - 4], heldOut: [T - 2] })

const shape = shapeWithSign

/**
 * n numbers below V, then the blank V up to T places. Each but the first has to answer with the number before it.
 * @type {import('./task.js').Task['batch']}
 */
function batch(generator, { V, T }, B, split) {
  const lengths = drawLengths(generator, lengthsOf(T)[split], B)
  const numbers = generator.randint(0, V, [B, T]).data
  const isNumber = (/** @type {number} */ at) => at % T < lengths[Math.floor(at / T)]
  const isAsked = (/** @type {number} */ at) => isNumber(at) && at % T > 0
  const ids = Int32Array.from(numbers, (number, at) => (isNumber(at) ? number : V))
  const targets = Int32Array.from(numbers, (_, at) => (isAsked(at) ? numbers[at - 1] : -1))
  const sources = Int32Array.from(numbers, (_, at) => (isAsked(at) ? (at % T) - 1 : -1))
  return { B, T, L: T, ids, targets, sources }
}

/** @param {import('./task.js').LearnSettings} settings */
const pytorch = ({ V, T }) => `V, T = ${V}, ${T}
INPUTS, OUTPUTS = V + 1, V
LENGTHS = torch.tensor([${lengthsOf(T).train.join(', ')}])

def batch(g, B):
    n = LENGTHS[torch.randint(0, len(LENGTHS), (B,), generator=g)][:, None]
    x = torch.randint(0, V, (B, T), generator=g)
    inside = torch.arange(T) < n
    asked = inside & (torch.arange(T) > 0)
    return torch.where(inside, x, torch.tensor(V)), torch.where(asked, x.roll(1, 1), torch.tensor(-1))
`

/** The numbers stand first, blanks behind them. @type {NonNullable<import('./task.js').Task['answer']>} */
function answer(run, ids) {
  const { T, V } = run.shape
  const row = new Int32Array(T).fill(V)
  row.set(ids)
  return { forward: forwardOf(run, row), from: 1, to: ids.length, inputs: row }
}

/** @type {import('./task.js').Task} */
export const shift = {
  id: 'shift',
  isCausal: false,
  defaults: { ...COMMON, layers: 1, positions: 'learned', V: 16, T: 8, rate: 1e-2, steps: 200 },
  fields: ['layers', 'heads', 'd', 'positions', 'mlp', 'norm', 'V', 'T', 'rate', 'batch', 'steps', 'seed'],
  goal: { measure: 'heldOutAccuracy', least: 0.95, within: 100, usual: 60 },
  recorded: {
    least: '5 16 77 100 100 100 100 100 100 100 100',
    most: '7 22 100 100 100 100 100 100 100 100 100',
  },
  finds: () => ['answer'],
  shape,
  batch,
  tokens: ({ V, T }) => ({
    name: numberNames(V, '·'),
    read: probe => readNumbers(probe, V, T),
    first: '5 1 12 7 0 3 9 15',
    answers: 'all',
  }),
  answer,
  pytorch,
  story: [train, untilGoal, askWhy, answerOff, ownProbe],
}
