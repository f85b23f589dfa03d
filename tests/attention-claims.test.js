// Tests the claims of docs/attention.md, in the order of that page. Its programs and their output are tested in tests/readme.test.js.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { alibiSlopes, load } from '../src/entries/index.js'
import { attentionBackward, attentionWindow } from '../src/entries/nn.js'

/** @import { Qkv } from '../src/qkv.js' */
/** @import { Tensor } from '../src/base/tensor.js' */

/** @type {Qkv} */
let qkv
before(async () => {
  qkv = await load()
})

const random = (/** @type {number[]} */ ...dims) => qkv.generator(dims.reduce((sum, n) => 31 * sum + n, 7)).randn(dims)
const total = (/** @type {Float32Array} */ numbers) => numbers.reduce((sum, n) => sum + n)
/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want @param {number} [within] */
function near(got, want, within = 1e-5) {
  assert.equal(got.length, want.length)
  for (let i = 0; i < got.length; i++) if (!(Math.abs(got[i] - want[i]) <= within)) assert.equal(got[i], want[i])
}

test('dims: each form of q, k and v gives the output of the table', () => {
  const [B, H, G, L, S, D, E] = [2, 4, 2, 3, 5, 6, 7]
  /** @type {[number[], number[], number[], object, number[]][]} */
  const forms = [
    [[L, D], [S, D], [S, E], {}, [L, E]],
    [[H, L, D], [G, S, D], [G, S, E], {}, [H, L, E]],
    [[B, H, L, D], [B, G, S, D], [B, G, S, E], {}, [B, H, L, E]],
    [[B, L, H * D], [B, S, G * D], [B, S, G * E], { numHeads: H, numKvHeads: G }, [B, L, H * E]],
  ] // biome-ignore format: a row each
  for (const [q, k, v, options, output] of forms)
    assert.deepEqual(qkv.attention(random(...q), random(...k), random(...v), options).output.dims, output)
})

test('options: three combinations throw', () => {
  const [q, k, v] = [random(2, 3, 4), random(2, 5, 4), random(2, 5, 4)]
  const mask = random(3, 5)
  assert.throws(() => qkv.attention(q, k, v, { mask, bias: mask }), TypeError)
  assert.throws(() => qkv.trace(q, k, v, { sinks: [0, 1], softmaxAxis: 'queries' }), /sinks/)
  assert.throws(() => qkv.attention(q, k, v, { numKvHeads: 2 }), /numHeads/)
})

test('options: scale, softcap, causal, window, pastLength, bias, alibi, sinks and keyLengths mean what the table says', () => {
  const [H, L, S, D] = [2, 3, 5, 4]
  const [q, k, v] = [random(H, L, D), random(H, S, D), random(H, S, D)]
  const of = (/** @type {object} */ options) => qkv.trace(q, k, v, options)
  const plain = of({ scale: 1 }).scores.data
  near(
    of({}).scaled.data,
    plain.map(s => s / Math.sqrt(D)),
  )
  near(of({ score: 'gaussian' }).scaled.data, of({ score: 'gaussian', scale: 1 }).scaled.data, 0)
  near(
    of({ scale: 1, softcap: 2 }).masked.data,
    plain.map(s => 2 * Math.tanh(s / 2)),
  )
  /** @param {object} options @param {(i: number, j: number) => boolean} sees */
  const sees = (options, sees) => {
    const { masked } = of(options)
    for (let h = 0; h < H; h++)
      for (let i = 0; i < L; i++)
        for (let j = 0; j < S; j++) assert.equal(masked.at(h, i, j) !== -Infinity, sees(i, j), `${h} ${i} ${j}`)
  }
  sees({ causal: true }, (i, j) => j <= i)
  sees({ causal: true, pastLength: 2 }, (i, j) => j <= i + 2)
  sees({ causal: true, pastLength: -1 }, (i, j) => j <= i - 1)
  sees({ window: [1, 0], pastLength: 1 }, (i, j) => j >= i && j <= i + 1)
  sees({ window: [Infinity, 1] }, (i, j) => j <= i + 1)
  sees({ keyLengths: [2] }, (_, j) => j < 2)
  const hidden = { data: new Uint8Array([1, 0, 1, 1, 0]), dims: [5] }
  sees({ mask: hidden, bias: random(L, S) }, (_, j) => hidden.data[j] === 1)
  near(of({ alibi: true }).masked.data, of({ alibi: alibiSlopes(H) }).masked.data, 0)
  const slopes = alibiSlopes(H).data
  const lower = of({ alibi: true }).masked
  near([lower.at(1, 0, 3)], [plain[(1 * L + 0) * S + 3] / Math.sqrt(D) - slopes[1] * 3])
  const { weights } = of({ sinks: [0, 3] })
  const e = of({}).masked.data.slice(0, S).map(Math.exp)
  near([weights.data.slice(0, S).reduce((a, b) => a + b)], [1 - 1 / (1 + e.reduce((a, b) => a + b))])
})

test('options: masking after softmax gives the weights of masking before, softmaxAxis queries normalises columns', () => {
  const [q, k, v] = [random(4, 6), random(4, 6), random(4, 6)]
  const late = qkv.trace(q, k, v, { causal: true, masking: 'after' })
  near(late.weights.data, qkv.trace(q, k, v, { causal: true }).weights.data)
  const { weights } = qkv.trace(q, k, v, { softmaxAxis: 'queries' })
  for (let j = 0; j < 4; j++) near([[0, 1, 2, 3].reduce((sum, i) => sum + weights.at(i, j), 0)], [1])
})

test('packed texts: each has the bits of the text alone; numHeads, summary and trace refuse them', () => {
  const [H, D] = [2, 8]
  const [q, k, v] = [random(9, H, D), random(9, H, D), random(9, H, D)]
  const cuSeqlens = new Int32Array([0, 2, 9])
  const options = { causal: true, cuSeqlens }
  const { output } = qkv.attention(q, k, v, options)
  for (const [from, to] of [
    [0, 2],
    [2, 9],
  ]) {
    // biome-ignore format: one line
    const cut = (/** @type {typeof q} */ x) => ({ data: x.data.slice(from * H * D, to * H * D), dims: [1, to - from, H * D] })
    const alone = qkv.attention(cut(q), cut(k), cut(v), { causal: true, numHeads: H }).output
    near(output.data.slice(from * H * D, to * H * D), alone.data, 0)
  }
  assert.throws(() => qkv.attention(q, k, v, { ...options, numHeads: H }), /numHeads|cuSeqlens/)
  assert.throws(() => qkv.attention(q, k, v, { ...options, summary: { entropy: true } }), /summary|cuSeqlens/)
  assert.throws(() => qkv.trace(q, k, v, options), /cuSeqlens/)
  assert.deepEqual(attentionBackward(qkv, q, k, v, output, options).dQ.dims, [9, H, D])
})

test('rules: no visible key gives zeros, large scores work, NaN spoils the rows that see it and no others', () => {
  const [q, k, v] = [random(3, 4), random(3, 4), random(3, 4)]
  const none = { data: new Uint8Array([0, 0, 0, 1, 1, 1, 1, 0, 1]), dims: [3, 3] }
  assert.deepEqual([...qkv.attention(q, k, v, { mask: none }).output.data.slice(0, 4)], [0, 0, 0, 0])
  const big = qkv.attention([[12087]], [[1], [-1]], [[5], [7]], { scale: 1 }).output
  assert.equal(big.at(0, 0), 5)
  const spoilt = { data: v.data.slice(), dims: v.dims }
  spoilt.data[4] = Number.NaN // the value of key 1, which query 2 does not see
  const rows = qkv.attention(q, k, spoilt, { mask: none }).output
  assert.deepEqual(
    [0, 1, 2].map(i => Number.isNaN(rows.at(i, 0))),
    [false, true, false],
  )
  const overflow = qkv.trace([[1e30]], [[-1e30], [1]], [[Number.NaN], [1]], { scale: 1 })
  assert.equal(overflow.weights.at(0, 0), 0)
  assert.ok(Number.isNaN(qkv.attention([[1e30]], [[-1e30], [1]], [[Number.NaN], [1]], { scale: 1 }).output.at(0, 0)))
})

test('rules: a bad call changes no memory, and the module works on', () => {
  const x = random(2, 4)
  const resident = qkv.memory.resident
  const want = qkv.attention(x, x, x).output.data.slice()
  assert.throws(() => qkv.attention(x, random(3, 5), x), RangeError)
  // @ts-expect-error not an option
  assert.throws(() => qkv.attention(x, x, x, { causl: true }), TypeError)
  assert.equal(qkv.memory.resident, resident)
  near(qkv.attention(x, x, x).output.data, want, 0)
})

test('summary: its dims, what it sums to, and the bits of the output', () => {
  const [H, L, S] = [2, 8, 20]
  const [q, k, v] = [random(H, L, 6), random(H, S, 6), random(H, S, 6)]
  const all = {
    map: /** @type {const} */ ([2, 4]),
    topK: 3,
    logSumExp: true,
    entropy: true,
    distance: true,
    scores: true,
  }
  const { output, summary } = /** @type {{ output: Tensor, summary: Record<string, any> }} */ (
    qkv.attention(q, k, v, { summary: all })
  )
  near(output.data, qkv.attention(q, k, v).output.data, 0)
  const { weights, scaled } = qkv.trace(q, k, v)
  assert.deepEqual(summary.map.dims, [H, 2, 4])
  for (let row = 0; row < 2 * H; row++) near([total(summary.map.data.slice(4 * row, 4 * row + 4))], [1])
  assert.deepEqual(summary.topKeys.dims, [H, L, 3])
  const first = Array.from(weights.data.slice(0, S), (w, j) => [w, j]).sort(([a], [b]) => b - a)
  assert.deepEqual(
    [...summary.topKeys.data.slice(0, 3)],
    first.slice(0, 3).map(([, j]) => j),
  )
  near([Math.exp(scaled.at(0, 0, 1) - summary.logSumExp.at(0, 0))], [weights.at(0, 0, 1)])
  near([summary.entropy.at(0, 0)], [first.reduce((sum, [w]) => sum - w * Math.log(w), 0)])
  assert.deepEqual(summary.distance.dims, [H, 2 + Math.floor(Math.log2(S))])
  assert.deepEqual([...summary.scores.previous.data, ...summary.scores.induction.data], [0, 0, 0, 0])
  assert.deepEqual(Object.keys(qkv.attention(q, k, v, { summary: { entropy: true } }).summary ?? {}), ['entropy'])
  assert.deepEqual(qkv.attention(q, k, v, { summary: { sinkWeight: true } }).summary, {}) // without sinks the summary has no share of them
  assert.deepEqual(qkv.attention(q, k, v, { summary: { map: [99, 99] } }).summary?.map?.dims, [H, L, S])
})

test('summary: a window has the weights of the trace, by logSumExp and without it', () => {
  const [L, S] = [8, 20]
  const [q, k, v] = [random(L, 6), random(S, 6), random(S, 6)]
  const { summary } = qkv.attention(q, k, v, { summary: { logSumExp: true } })
  const { weights } = qkv.trace(q, k, v)
  const range = { rows: [2, 4], columns: [5, 8] }
  const want = [2, 3].flatMap(i => [5, 6, 7].map(j => weights.at(i, j)))
  for (const logSumExp of [summary?.logSumExp, undefined]) {
    const got = attentionWindow(qkv, q, k, /** @type {any} */ ({ ...range, logSumExp }))
    near(
      Array.from(got.data, (w, n) => w / want[n]),
      want.map(() => 1),
      1e-5,
    )
  }
})
