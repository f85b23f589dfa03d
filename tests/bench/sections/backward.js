// Measures the gradients of attention as a share of the peak, counting 10 H L S D operations, or half when causal. Small heads are compared with
// their forward call instead. Operands are resident, gradients are new arrays.

import { load } from '../../../src/entries/index.js'
import { attentionBackward } from '../../../src/entries/nn.js'

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* backward({ peak, shape }) {
  const qkv = await load()
  const prepare = (/** @type {number[]} */ [B, H, L, D], /** @type {object} */ options) => {
    const [q, k, v, dOutput, out] = [0, 1, 2, 3, 4].map(seed => {
      const { data } = qkv.generator(seed).randn([B, H, L, D])
      const x = qkv.alloc([B, H, L, D])
      x.data.set(data)
      return x
    })
    return {
      ours: { run: () => attentionBackward(qkv, q, k, v, dOutput, options) },
      forward: { run: () => qkv.attention(q, k, v, { ...options, out }) },
      dispose: () => [q, k, v, dOutput, out].map(x => x.dispose()),
    }
  }
  for (const sizes of [
    [1, 12, 512, 64],
    [1, 12, 1024, 64],
  ])
    for (const causal of [false, true]) {
      const [, H, L, D] = sizes
      const name = `attentionBackward H${H} L${L} D${D}${causal ? ' causal' : ''}`
      if (!name.includes(shape)) continue
      const { ours, dispose } = prepare(sizes, { causal })
      const flops = (10 * H * L * L * D) / (causal ? 2 : 1)
      yield { name, ours, beside: 'peak', other: peak, flops, goal: causal ? '>= 0.60' : '>= 0.70', dispose }
    }
  const name = 'attentionBackward B64 H4 L32 D16'
  if (!name.includes(shape)) return
  const { ours, forward, dispose } = prepare([64, 4, 32, 16], {})
  yield { name, ours, beside: 'its forward', other: forward, goal: '<= 3', dispose }
}
