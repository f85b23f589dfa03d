// Reverse: one head copies the number from the opposite end. One length is held out. V: number of different numbers, T: input length.

import { COMMON, drawLengths, forwardOf, shapeWithSign } from './batch.js'
import { fitted, numberNames, readNumbers } from './numbers.js'
import { answerOff, at, train, untilGoal } from './stops.js'

/**
 * Returns the lengths of training and of held-out sequences. The longest is listed twice for training, since only this length covers the
 * outermost positions.
 * @param {number} T
 * @returns {Record<import('./batch.js').Split, number[]>}
 */
const lengthsOf = T => ({ train: [T, T, T - 4], heldOut: [T - 2] })

const shape = shapeWithSign

/**
 * Puts n numbers below V in the middle of T places, with the blank V around them. The target of place i is the number at T - 1 - i.
 * @type {import('./task.js').Task['batch']}
 */
function batch(generator, { V, T }, B, split) {
  const lengths = drawLengths(generator, lengthsOf(T)[split], B)
  const numbers = generator.randint(0, V, [B, T]).data
  const isNumber = (/** @type {number} */ at) => Math.abs(2 * (at % T) - T + 1) < lengths[Math.floor(at / T)]
  const opposite = (/** @type {number} */ at) => at - (at % T) + T - 1 - (at % T)
  const ids = Int32Array.from(numbers, (number, at) => (isNumber(at) ? number : V))
  const targets = Int32Array.from(numbers, (_, at) => (isNumber(at) ? numbers[opposite(at)] : -1))
  const sources = Int32Array.from(numbers, (_, at) => (isNumber(at) ? T - 1 - (at % T) : -1))
  return { B, T, L: T, ids, targets, sources }
}

/** @param {import('./task.js').LearnSettings} settings */
const pytorch = ({ V, T }) => `V, T = ${V}, ${T}
INPUTS, OUTPUTS = V + 1, V
LENGTHS = torch.tensor([${lengthsOf(T).train.join(', ')}])

def batch(g, B):
    n = LENGTHS[torch.randint(0, len(LENGTHS), (B,), generator=g)][:, None]
    x = torch.randint(0, V, (B, T), generator=g)
    inside = (2 * torch.arange(T) - T + 1).abs() < n  # the numbers stand in the middle
    return torch.where(inside, x, torch.tensor(V)), torch.where(inside, x.flip(1), torch.tensor(-1))
`

/** Centres the numbers between blanks. @type {NonNullable<import('./task.js').Task['answer']>} */
function answer(run, ids) {
  const { T, V } = run.shape
  const from = (T - ids.length) / 2
  const row = new Int32Array(T).fill(V)
  row.set(ids, from)
  return { forward: forwardOf(run, row), from, to: from + ids.length, inputs: row }
}

/** @type {import('./task.js').Task} */
export const reverse = {
  id: 'reverse',
  isCausal: false,
  defaults: { ...COMMON, layers: 1, positions: 'learned', V: 16, T: 8, rate: 1e-2, steps: 200 },
  fields: ['layers', 'heads', 'd', 'positions', 'mlp', 'norm', 'V', 'T', 'rate', 'batch', 'steps', 'seed'],
  goal: { measure: 'heldOutAccuracy', least: 0.95, within: 100, usual: 40 },
  recorded: {
    least: '5 14 84 98 95 95 95 95 95 95 95',
    most: '9 21 100 100 100 100 100 100 100 100 100',
  },
  finds: () => ['answer'],
  shape,
  batch,
  tokens: ({ V, T }) => ({
    name: numberNames(V, '·'),
    read(probe) {
      const ids = readNumbers(probe, V, T)
      if (!Array.isArray(ids) || (T - ids.length) % 2 === 0) return ids
      return { key: T % 2 ? 'probeOdd' : 'probeEven', params: { count: ids.length } }
    },
    first: fitted([5, 1, 12, 7, 0, 3, 9, 15], V, T < 8 ? T : 8 - (T % 2)).join(' '),
    answers: 'all',
  }),
  answer,
  pytorch,
  story: [
    train,
    untilGoal,
    answerOff,
    { target: at('.learn-gradients'), isDone: ({ hasGradients }) => hasGradients },
    {
      target: ({ settings }) => (settings.positions === 'none' ? '#learn-train' : '.learn-settings'),
      isDone: ({ settings, steps }) => settings.positions === 'none' && steps >= 60,
    },
  ],
}
