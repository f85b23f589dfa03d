// Calls on --threads N (default 2) threads beside the same on one.

import { load } from '../../../src/index.js'
import { attentionBackward } from '../../../src/nn.js'

/** @typedef {import('../../../src/index.js').Qkv} Qkv */
/** @typedef {ReturnType<Qkv['alloc']>} Resident */

/** @type {[string, number[], (qkv: Qkv, x: Resident, out: Resident) => unknown][]} */
const CALLS = [
  ['attentionBackward H12 L512 D64', [12, 512, 64], (qkv, x, out) => attentionBackward(qkv, x, x, x, out)],
  [
    'attentionBackward H12 L512 D64 causal',
    [12, 512, 64],
    (qkv, x, out) => attentionBackward(qkv, x, x, x, out, { causal: true }),
  ],
  ['trace H4 L512 D64, weights only', [4, 512, 64], (qkv, x) => qkv.trace(x, x, x, { keep: ['weights'] })],
  ['softmax 6144 x 512', [12, 512, 512], (qkv, x, out) => qkv.softmax(x, { out })],
]

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* units({ threads, shape }) {
  const modules = [await load(), await load({ threads: Math.max(2, threads) })]
  const one = modules[0].generator(1)
  try {
    for (const [name, dims, call] of CALLS) {
      if (!name.includes(shape)) continue
      const candidates = modules.map(qkv => {
        const [x, out] = [qkv.alloc(dims), qkv.alloc(dims)]
        const { data } = one.randn(dims)
        for (const tensor of [x, out]) tensor.data.set(data)
        return { run: () => call(qkv, x, out), dispose: () => [x, out].map(tensor => tensor.dispose()) }
      })
      const [other, ours] = candidates
      const dispose = () => candidates.map(candidate => candidate.dispose())
      yield {
        name: `${name}, ${modules[1].threads} threads`,
        ours,
        beside: 'one thread',
        other,
        isSpeedup: true,
        goal: '>= 1.75',
        dispose,
      }
    }
  } finally {
    modules[1].dispose()
  }
}
