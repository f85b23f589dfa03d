// Sort: one head writes numbers in order, one after another. One length is held out. V: number of different numbers, T: input length.

import { argmax, COMMON, drawLengths, forwardOf, permutations, shapeWithSign } from './batch.js'
import { fitted, numberNames, readNumbers } from './numbers.js'
import { askWhy, at, ownProbe, train, untilGoal } from './stops.js'

/** @param {number} T @returns {Record<import('./batch.js').Split, number[]>} */
const lengthsOf = T => ({
  train: [0, 1, 3, 4].map(less => T / 2 - less).filter(n => n > 1),
  heldOut: [T / 2 - 2],
})

const shape = shapeWithSign

/**
 * Draws n distinct numbers below V, the separator V, then the same numbers in order; the loss is on the ordered ones. Unused positions are
 * filled with the separator.
 * @type {import('./task.js').Task['batch']}
 */
function batch(generator, { V, T }, B, split) {
  const lengths = drawLengths(generator, lengthsOf(T)[split], B)
  const ids = new Int32Array(B * T).fill(V)
  const targets = new Int32Array(B * T).fill(-1)
  const sources = new Int32Array(B * T).fill(-1)
  for (const [b, order] of permutations(generator, B, V).entries()) {
    const n = lengths[b]
    const given = order.subarray(0, n)
    const sorted = given.slice().sort()
    ids.set(given, b * T)
    ids.set(sorted.subarray(0, n - 1), b * T + n + 1)
    for (let i = 0; i < n; i++) {
      targets[b * T + n + i] = sorted[i]
      sources[b * T + n + i] = given.indexOf(sorted[i])
    }
  }
  return { B, T, L: T, ids, targets, sources }
}

/** @param {import('./task.js').LearnSettings} settings */
const pytorch = ({ V, T }) => `V, T = ${V}, ${T}
INPUTS, OUTPUTS = V + 1, V
LENGTHS = torch.tensor([${lengthsOf(T).train.join(', ')}])

def batch(g, B):
    n = LENGTHS[torch.randint(0, len(LENGTHS), (B,), generator=g)][:, None]
    order = torch.rand(B, V, generator=g).sort(dim=1, stable=True)[1]
    t = torch.arange(T).expand(B, T)
    i = t - n  # the place behind the bar
    ordered = torch.where(t[:, : T // 2] < n, order[:, : T // 2], torch.tensor(V)).sort(1)[0]
    place = lambda j: ordered.gather(1, j.clamp(0, T // 2 - 1))
    behind = torch.where((i > 0) & (i < n), place(i - 1), torch.tensor(V))
    x = torch.where(i < 0, order.gather(1, t.clamp(max=V - 1)), behind)
    return x, torch.where((i >= 0) & (i < n), place(i), torch.tensor(-1))
`

/** Generates greedily: each number is the next input. @type {NonNullable<import('./task.js').Task['answer']>} */
function answer(run, ids) {
  const { T, V, outputs } = run.shape
  const n = ids.length
  const row = new Int32Array(T)
  row.set(ids)
  row[n] = V
  let forward = forwardOf(run, row)
  for (let i = n; i + 1 < 2 * n; i++) {
    row[i + 1] = argmax(forward.logits.data, i * outputs, outputs)
    forward = forwardOf(run, row)
  }
  return { forward, from: n, to: 2 * n, inputs: row.subarray(0, 2 * n) }
}

/** @type {import('./task.js').Task} */
export const sort = {
  id: 'sort',
  isCausal: true,
  defaults: { ...COMMON, layers: 1, positions: 'learned', V: 16, T: 16, rate: 1.5e-2, steps: 300 },
  fields: ['layers', 'heads', 'd', 'positions', 'mlp', 'norm', 'V', 'T', 'rate', 'batch', 'steps', 'seed'],
  check: ({ V, T }) =>
    T % 2 || V < T / 2 ? { T: { key: 'learnBadEven', params: { least: 8, most: Math.min(64, 2 * V) } } } : {},
  goal: { measure: 'heldOutAccuracy', least: 0.95, within: 200, usual: 100 },
  recorded: {
    least: '2 23 53 80 91 93 94 96 96 97 96 96 96 95 96 94',
    most: '7 37 69 93 98 98 99 99 99 99 98 100 100 100 100 99',
  },
  finds: () => ['answer'],
  shape,
  batch,
  tokens: ({ V, T }) => ({
    name: numberNames(V, '|'),
    read(probe) {
      const ids = readNumbers(probe, V, T / 2)
      return Array.isArray(ids) && new Set(ids).size < ids.length ? { key: 'probeTwice' } : ids
    },
    first: fitted([9, 3, 14, 6, 0, 11, 8, 2], V, T / 2).join(' '),
    answers: 'all',
  }),
  answer,
  pytorch,
  story: [
    train,
    untilGoal,
    askWhy,
    { target: at('.learn-at'), isDone: ({ reachedAt, shownAt }) => reachedAt !== null && shownAt < reachedAt },
    ownProbe,
  ],
}
