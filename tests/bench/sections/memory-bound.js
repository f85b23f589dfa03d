// Compares memory-bound calls with a loop that reads and writes as many bytes. Arrays are resident and larger than L2. If the arithmetic of a call
// takes about as long, the call is also compared with the same arithmetic on arrays that fit into L2.

import { load } from '../../../src/entries/index.js'
import { add, crossEntropy, gelu, layerNorm } from '../../../src/entries/nn.js'
import { Adam, parameters } from '../../../src/entries/train.js'

const N = 2 ** 23 // 32 MB

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* memory({ limits, shape }) {
  const qkv = await load()
  const g = qkv.generator(1)
  /** @param {number[]} dims */
  const random = dims => {
    const { data } = g.randn(dims) // may move the memory behind x.data
    const x = qkv.alloc(dims)
    x.data.set(data)
    return x
  }
  /**
   * For each call: its name, the number of arrays of N floats that it reads and writes, and a function that makes the call for 1 / parts of the rows.
   * If arithmetic may be the limit, the last element is a number of parts that makes the arrays of one part fit into L2.
   * @type {[string, number, (parts: number) => [() => unknown, ...{ dispose(): void }[]], number?][]}
   */
  const calls = [
    [
      'layerNorm 10922 x 768',
      2,
      parts => {
        const [x, out, w, b] = [[10922 / parts, 768], [10922 / parts, 768], [768], [768]].map(random)
        return [() => layerNorm(qkv, x, w, b, { out }), x, out, w, b]
      },
      127, // 86 rows
    ],
    .../** @type {const} */ (['none', 'tanh']).map(
      approximate =>
        /** @type {[string, number, (parts: number) => any, number]} */ ([
          `gelu, approximate ${approximate}`,
          2,
          (/** @type {number} */ parts) => {
            const [x, out] = [random([N / parts]), random([N / parts])]
            return [() => gelu(qkv, x, { approximate, out }), x, out]
          },
          128,
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
      parts => {
        const [logits, out] = [random([166 / parts, 50257]), random([166 / parts, 50257])]
        const targets = g.randint(0, 50257, [166 / parts])
        return [() => crossEntropy(qkv, logits, targets, { gradient: true, out }), logits, out]
      },
      83, // 2 rows
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
  for (const [name, floats, make, parts] of calls) {
    if (!name.includes(shape)) continue
    const [run, ...held] = make(1)
    yield {
      name,
      ours: { run },
      beside: `copy of ${((floats * N * 4) / 1e6).toFixed()} MB`,
      other: await limits.copies(floats * N * 4),
      isSpeedup: true,
      goal: name.startsWith('gelu') ? '>= 0.85, or 4 ns for 4 floats' : '>= 0.85',
      note: ms => (name.startsWith('gelu') ? `${((ms * 1e6) / (N / 4)).toFixed(1)} ns for 4 floats` : ''),
      ...(parts ? {} : { dispose: () => held.map(each => each.dispose()) }),
    }
    if (!parts) continue
    const [part, ...some] = make(parts)
    const other = {
      run() {
        for (let i = 0; i < parts; i++) part()
      },
    }
    const dispose = () => [...held, ...some].map(each => each.dispose())
    yield { name, ours: { run }, beside: 'the same in L2', other, isSpeedup: true, goal: '', dispose }
  }
}
