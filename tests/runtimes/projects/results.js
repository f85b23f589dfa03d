// Computes a small attention, returned as text, and hashes of 200 results: attention in many sizes and with many options, random numbers,
// softmax, exp, tanh and matrix products. Every runtime must give the same bits. Runs anywhere: `results(await load())`.

/** @typedef {import('qkv').Qkv} Qkv */
/** @typedef {import('qkv').Tensor} Tensor */

/** Hashes the bits of numbers by FNV-1a; every NaN counts as the same. @param {import('qkv').Tensor} tensor */
function hash({ data, dims }) {
  let h = 0x811c9dc5
  const add = (/** @type {number} */ byte) => {
    h = Math.imul(h ^ byte, 0x01000193) >>> 0
  }
  const bits = new DataView(new ArrayBuffer(8))
  for (const dim of dims) add(dim)
  for (const value of data) {
    bits.setFloat64(0, Number.isNaN(value) ? Number.NaN : Number(value))
    for (let i = 0; i < 8; i++) add(bits.getUint8(i))
  }
  return h
}

/**
 * Sizes of attention: B batch, H query heads, G key heads, L queries, S keys, D size of a key, E size of a value. Some have too few queries for
 * tiles, some are odd, some are at the edges of tiles.
 */
const SIZES = [
  [1, 1, 1, 1, 1, 1, 1],
  [1, 1, 1, 6, 6, 16, 16],
  [2, 4, 2, 1, 70, 13, 9],
  [1, 3, 1, 7, 33, 5, 80],
  [1, 2, 2, 31, 31, 72, 8],
  [2, 2, 1, 33, 65, 64, 64],
  [1, 1, 1, 64, 257, 32, 7],
  [1, 2, 1, 127, 127, 80, 72],
]

/** @param {import('qkv').Generator} g @param {number[]} sizes @returns {Record<string, import('qkv').TraceOptions>} */
function variants(g, [B, H, , L, S, D]) {
  return {
    plain: {},
    scaled: { scale: 0.7, softcap: 3 },
    causal: { causal: true, pastLength: Math.max(S - L, 0) },
    window: { window: [5, 2], pastLength: Math.max(S - L, 0) },
    boolean: { mask: { data: g.bernoulli([L, S], 0.7).data.map(Math.round), dims: [L, S] } },
    hidden: { mask: { data: Array.from({ length: L * S }, (_, i) => i % S < 3 && i >= S), dims: [L, S] } },
    float: { mask: g.randn([H, L, S]) },
    bias: { bias: g.randn([1, S]), keyLengths: Uint32Array.from({ length: B }, (_, b) => S - Math.min(b, S)) },
    dropout: { dropout: { p: 0.3, generator: g } },
    gaussian: { score: { kind: 'gaussian', sigma: 1.5 }, causal: true },
    additive: {
      score: {
        kind: 'additive',
        wQuery: g.randn([4, D]),
        wKey: g.randn([4, D]),
        v: g.randn([4]),
        bias: g.randn([4]),
      },
    },
  }
}

/** @param {Qkv} qkv @returns {Generator<[name: string, result: Tensor]>} */
function* all(qkv) {
  const g = qkv.generator(2024)
  for (const sizes of SIZES) {
    const [B, H, G, L, S, D, E] = sizes
    const [q, k, v] = [g.randn([B, H, L, D]), g.randn([B, G, S, D]), g.randn([B, G, S, E])]
    for (const [name, options] of Object.entries(variants(g, sizes))) {
      yield [`attention ${name} ${sizes}`, qkv.attention(q, k, v, options).output]
      const { weights, output } = qkv.trace(q, k, v, options)
      if (L <= 33) yield [`weights ${name} ${sizes}`, weights]
      else yield [`traced ${name} ${sizes}`, output]
    }
  }
  for (const stream of /** @type {const} */ (['vector', 'scalar'])) {
    const r = qkv.generator(7, { stream })
    yield [`${stream} words`, r.words([700])]
    yield [`${stream} rand`, r.rand([33])]
    yield [`${stream} randn 7`, r.randn([7])]
    yield [`${stream} randn`, r.randn([100])]
    yield [`${stream} normal`, r.normal([19], 2, 3)]
    yield [`${stream} uniform`, r.uniform([19], -1, 4)]
    yield [`${stream} bernoulli`, r.bernoulli([40], 0.25)]
    yield [`${stream} randint`, r.randint(-5, 50_000, [40])]
    yield [`${stream} dropout`, r.dropout(r.randn([5, 9]), 0.4)]
  }
  const x = g.randn([9, 37])
  yield ['softmax', qkv.softmax(x)]
  yield ['exp', qkv.exp(x)]
  yield ['tanh', qkv.tanh(x)]
  yield ['linear', qkv.linear(x, g.randn([21, 37]), g.randn([21]))]
  yield ['matmul', qkv.matmul(x, g.randn([37, 5]))]
  const sentence = g.randn([1, 8, 24])
  const [q, k, v] = ['q', 'k', 'v'].map(() => qkv.linear(sentence, g.uniform([24, 24], -0.3, 0.3)))
  const { output } = qkv.attention(q, k, v, { numHeads: 3, causal: true })
  yield ['multihead', qkv.linear(output, g.uniform([24, 24], -0.2, 0.2))]
}

/** @param {Qkv} qkv */
export function results(qkv) {
  const { output, weights } = qkv.trace([[1], [2]], [[0], [1]], [[3], [4]], { causal: true })
  /** @type {Record<string, number>} */
  const hashes = {}
  for (const [name, result] of all(qkv)) hashes[name] = hash(result)
  return { printed: `${weights}\n${output}`, hashes }
}
