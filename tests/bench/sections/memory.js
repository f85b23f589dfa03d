// What is bound by memory, beside a loop that copies as many bytes as the call reads and writes: arrays beyond L2,
// resident.

import { load } from '../../../src/index.js'
import { add, crossEntropy, gelu, layerNorm } from '../../../src/nn.js'
import { Adam, parameters } from '../../../src/train.js'

const N = 2 ** 23 // 32 MB

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* memory({ limits, shape }) {
  const qkv = await load()
  const g = qkv.generator(1)
  /** @param {number[]} dims */
  const random = dims => {
    const { data } = g.randn(dims) // which may move what x.data shows
    const x = qkv.alloc(dims)
    x.data.set(data)
    return x
  }
  /** By name: floats that are read and written for each of N, and what makes the call. @type {[string, number, () => [() => unknown, ...{ dispose(): void }[]]][]} */
  const calls = [
    [
      'layerNorm 10922 x 768',
      2,
      () => {
        const [x, out, w, b] = [[10922, 768], [10922, 768], [768], [768]].map(random)
        return [() => layerNorm(qkv, x, w, b, { out }), x, out, w, b]
      },
    ],
    .../** @type {const} */ (['none', 'tanh']).map(
      approximate =>
        /** @type {[string, number, () => any]} */ ([
          `gelu, approximate ${approximate}`,
          2,
          () => {
            const [x, out] = [random([N]), random([N])]
            return [() => gelu(qkv, x, { approximate, out }), x, out]
          },
        ]),
    ),
    [
      'add',
      3,
      () => {
        const [a, b, out] = [0, 1, 2].map(() => random([N]))
        return [() => add(qkv, a, b, { out }), a, b, out]
      },
    ],
    [
      'crossEntropy 166 x 50257',
      2,
      () => {
        const [logits, out] = [random([166, 50257]), random([166, 50257])]
        const targets = g.randint(0, 50257, [166])
        return [() => crossEntropy(qkv, logits, targets, { gradient: true, out }), logits, out]
      },
    ],
    [
      'Adam',
      7,
      () => {
        const p = parameters(qkv, { w: g.randn([N]) })
        p.gradients.w.data.set(g.randn([N]).data)
        const optimizer = new Adam(p)
        return [() => optimizer.step(), optimizer, p]
      },
    ],
  ]
  for (const [name, floats, make] of calls) {
    if (!name.includes(shape)) continue
    const [run, ...held] = make()
    yield {
      name,
      ours: { run },
      beside: `copy of ${((floats * N * 4) / 1e6).toFixed()} MB`,
      other: await limits.copies(floats * N * 4),
      isSpeedup: true,
      goal: name.startsWith('gelu') ? '>= 0.85, or 4 ns for 4 floats' : '>= 0.85',
      note: ms => (name.startsWith('gelu') ? `${((ms * 1e6) / (N / 4)).toFixed(1)} ns for 4 floats` : ''),
      dispose: () => held.map(each => each.dispose()),
    }
  }
}
