// Induction: a segment of tokens occurs twice; its second occurrence is predictable from the first. V: vocabulary size, T: input length.

import { below, COMMON, permutations } from './batch.js'
import { fitted, numberNames, readNumbers } from './numbers.js'
import { at, layerOf, switchOf, train } from './stops.js'

/** Lengths of the segment. */
const LENGTHS = { train: [4, 5, 6, 9, 10, 11], heldOut: [7, 8] }

/** @param {import('./task.js').LearnSettings} settings */
const shape = ({ V, T }) => ({ inputs: V, outputs: V, V, T, L: T })

/**
 * Draws T + 1 tokens, of which the first T are the input. The first n tokens of a permutation of the vocabulary are a segment, which starts
 * at a and again at `second`. All other tokens come from the rest of the permutation. Targets are the second occurrence of the segment,
 * except its first token.
 * @type {import('./task.js').Task['batch']}
 */
function batch(generator, { V, T }, B, split) {
  const lengths = LENGTHS[split].filter(n => 2 * n <= T + 1 && n < V)
  const n = Array.from(generator.randint(0, lengths.length, [B]).data, i => lengths[i])
  const orders = permutations(generator, B, V)
  const a = below(generator.rand([B]).data, b => T + 2 - 2 * n[b])
  const gap = below(generator.rand([B]).data, b => T + 2 - a[b] - 2 * n[b])
  const background = below(generator.rand([B, T + 1]).data, i => V - n[Math.floor(i / (T + 1))])
  const ids = new Int32Array(B * T)
  const targets = new Int32Array(B * T).fill(-1)
  const sources = new Int32Array(B * T).fill(-1)
  for (let b = 0; b < B; b++) {
    const second = a[b] + n[b] + gap[b]
    const token = (/** @type {number} */ t) => {
      for (const start of [a[b], second]) if (t >= start && t < start + n[b]) return orders[b][t - start]
      return orders[b][n[b] + background[b * (T + 1) + t]]
    }
    for (let t = 0; t < T; t++) {
      ids[b * T + t] = token(t)
      if (t + 1 <= second || t + 1 >= second + n[b]) continue
      targets[b * T + t] = token(t + 1)
      sources[b * T + t] = t + 1 - second + a[b]
    }
  }
  return { B, T, L: T, ids, targets, sources }
}

/** @param {import('./task.js').LearnSettings} settings */
const pytorch = ({ V, T }) => `V, T = ${V}, ${T}
LENGTHS = [n for n in (${LENGTHS.train.join(', ')}) if 2 * n <= T + 1 and n < V]
INPUTS = OUTPUTS = V

def batch(g, B):
    n = torch.tensor(LENGTHS)[torch.randint(0, len(LENGTHS), (B,), generator=g)]
    order = torch.rand(B, V, generator=g).sort(dim=1, stable=True)[1]
    below = lambda u, limit: torch.minimum((u * limit).long(), limit - 1)
    a = below(torch.rand(B, generator=g), T + 2 - 2 * n)
    b = a + n + below(torch.rand(B, generator=g), T + 2 - a - 2 * n)
    rest = n[:, None] + below(torch.rand(B, T + 1, generator=g), (V - n)[:, None])
    t = torch.arange(T + 1)[None]
    place = rest
    for start in (b, a):  # the segment is the first n tokens of the permutation
        i = t - start[:, None]
        place = torch.where((i >= 0) & (i < n[:, None]), i, place)
    x = order.gather(1, place)
    inside = (t > b[:, None]) & (t < (b + n)[:, None])
    return x[:, :-1], torch.where(inside, x, torch.tensor(-1))[:, 1:]
`

/** @type {import('./task.js').Task} */
export const induction = {
  id: 'induction',
  isCausal: true,
  defaults: { ...COMMON, layers: 2, heads: 2, positions: 'rope', V: 32, T: 24, rate: 1e-2, steps: 600 },
  fields: ['layers', 'heads', 'd', 'positions', 'mlp', 'norm', 'V', 'T', 'rate', 'batch', 'steps', 'seed'],
  check: ({ T }) => (T < 9 ? { T: { key: 'problemRange', params: { least: 9, most: 64 } } } : {}),
  goal: { measure: 'heldOutAccuracy', least: 0.95, within: 600, usual: 260 },
  recorded: {
    least: '2 3 3 3 3 4 6 9 10 14 17 20 21 33 66 95 98 97 98 99 99 99 99 99 99 98 98 99 100 98 99',
    most: '4 5 5 5 5 6 10 14 15 23 48 86 96 98 99 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100',
  },
  finds: ({ layers }) => (layers > 1 ? ['previous', 'answer'] : ['answer']),
  shape,
  batch,
  tokens({ V, T }) {
    const segment = fitted([4, 9, 2, 7, 18, 25, 11, 30], V, T - 3)
    return {
      name: numberNames(V),
      read: probe => readNumbers(probe, V, T),
      first: [...segment, ...segment.slice(0, Math.min(5, T - segment.length))].join(' '),
      answers: 'last',
    }
  },
  pytorch,
  story: [
    train,
    { target: at('[data-name="accuracy"]'), isDone: ({ jump }) => jump !== null, waits: true },
    {
      target: ({ previous }) => layerOf(previous),
      isDone: ({ previous, reachedAt, isSelected }) => reachedAt !== null && isSelected(previous),
    },
    {
      target: ({ answer }) => layerOf(answer),
      isDone: ({ answer, reachedAt, isSelected }) => reachedAt !== null && isSelected(answer),
    },
    { target: at('.learn-at'), isDone: ({ jump, shownAt }) => jump !== null && shownAt < jump },
    { target: ({ previous }) => switchOf(previous), isDone: ({ previous, isOff }) => isOff(previous) },
    {
      target: ({ settings }) => (settings.layers === 1 ? '#learn-train' : '#learn-one-layer'),
      isDone: ({ settings, steps }) => settings.layers === 1 && steps >= 300,
    },
  ],
}
