// Compares masks and biases with no mask, and a triangular mask with `causal`: H12 L512 D64, resident.

import { load, tensor } from '../../../src/entries/index.js'

const [H, L, D] = [12, 512, 64]

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* masks({ shape }) {
  const qkv = await load()
  const g = qkv.generator(1)
  const put = (/** @type {number[]} */ dims, /** @type {ArrayLike<number>} */ data) => {
    const x = qkv.alloc(dims)
    x.data.set(data)
    return x
  }
  const random = (/** @type {number[]} */ ...dims) => put(dims, g.randn(dims).data)
  const [q, k, v, out] = [0, 1, 2, 3].map(() => random(H, L, D))
  const pairs = (/** @type {(i: number, j: number) => boolean} */ sees) =>
    Array.from({ length: L * L }, (_, n) => sees(Math.floor(n / L), n % L))
  const triangle = pairs((i, j) => j <= i)
  const scattered = tensor(
    pairs((i, j) => (i * 31 + j * 17) % 10 > 0),
    [L, L],
  )
  const attend = (/** @type {object} */ options) => ({ run: () => qkv.attention(q, k, v, { out, ...options }) })
  const none = attend({})
  const causal = attend({ causal: true })
  const least = '<= 1.15'
  /** @type {[string, object, string, { run: () => unknown }, string][]} */
  const rows = [
    ['boolean mask (L, S)', { mask: scattered }, 'no mask', none, least],
    ['bias (L, S)', { bias: random(L, L) }, 'no mask', none, least],
    ["T5's relative bias (H, L, S)", { bias: random(H, L, L) }, 'no mask', none, least],
    [
      'padding mask (1, S), a quarter hidden',
      { mask: tensor(pairs((_, j) => j < 384).slice(0, L), [1, L]) },
      'no mask',
      none,
      least,
    ],
    ['triangle as a boolean mask', { mask: tensor(triangle, [L, L]) }, 'causal', causal, '<= 1.25'],
    [
      'triangle as a bias',
      {
        bias: put(
          [L, L],
          triangle.map(is => (is ? 0 : -Infinity)),
        ),
      },
      'causal',
      causal,
      '<= 1.25',
    ],
  ]
  for (const [name, options, beside, other, goal] of rows)
    if (name.includes(shape)) yield { name, ours: attend(options), beside, other, goal }
}
