// Masks and biases that hide whole tiles: which keys are skipped, the effect of a hidden NaN, and the cost of triangular masks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, tensor } from '../src/entries/index.js'
import { attentionBackward } from '../src/entries/nn.js'
import { close } from './helpers.js'
import * as reference from './reference.js'
import * as reference64 from './reference-backward.js'

const qkv = await load()
const TOLERANCE = { abs: 4e-6, rel: 4e-6 }

/** Sizes around the limits of the kernel: blocks of 64 rows in panels of 8, tiles of 256 keys, masks of 4 keys at a time. */
const SIZES = [
  [70, 261],
  [8, 8],
  [9, 515],
]

/** @type {Record<string, (i: number, j: number, L: number, S: number) => boolean>} true if query i sees key j */
const MASKS = {
  'a triangle': (i, j) => j <= i,
  'documents side by side': (i, j) => Math.floor(i / 23) === Math.floor(j / 29),
  'only keys of the last tile': (_, j, __, S) => j >= S - 2,
  'a tile of keys that no query sees': (_, j) => j < 3 || j > 256,
  'one key for each query': (i, j, _, S) => j === (37 * i) % S,
  'every third key': (i, j) => (i + j) % 3 === 0,
  'rows that see nothing': (i, j) => i % 9 !== 4 && j % 2 === 0,
  'no key at all': () => false,
  'every key': () => true,
}

/** @param {(i: number, j: number, L: number, S: number) => boolean} sees @param {number} L @param {number} S */
const map = (sees, L, S) => Array.from({ length: L * S }, (_, n) => sees(Math.floor(n / S), n % S, L, S))

/** Returns options that hide the same keys in three forms: a mask, a bias, and both together. @param {boolean[]} visible @param {number[]} dims */
const forms = (visible, dims) => {
  const mask = tensor(visible, dims)
  const bias = tensor(
    Float32Array.from(visible, (is, n) => (is ? Math.sin(n) : -Infinity)),
    dims,
  )
  return [
    { mask },
    { bias },
    {
      mask,
      bias: tensor(
        Float32Array.from(visible, (_, n) => Math.cos(n)),
        dims,
      ),
    },
  ]
}

/** Converts the tensors of options to plain objects, for the reference. @param {any} options */
const plain = options =>
  Object.fromEntries(Object.entries(options).map(([name, x]) => [name, { data: x.data, dims: x.dims }]))

for (const [name, sees] of Object.entries(MASKS))
  test(`${name}, as a mask, as a bias and as both: output and gradients are those of float64`, () => {
    for (const [L, S] of SIZES) {
      const g = qkv.generator(L)
      const [q, k, v, dOutput] = [
        [L, 3],
        [S, 3],
        [S, 5],
        [L, 5],
      ].map(dims => g.randn([1, 1, ...dims]))
      for (const options of forms(map(sees, L, S), [L, S])) {
        const want = reference.attention(q, k, v, plain(options))
        const title = `${L} x ${S}, ${Object.keys(options)}`
        close(qkv.attention(q, k, v, options).output, want.output, TOLERANCE, title)
        close(qkv.trace(q, k, v, options).output, want.output, TOLERANCE, title)
        const gradients = /** @type {any} */ (reference64.attentionBackward(q, k, v, dOutput, plain(options)))
        for (const [part, x] of Object.entries(attentionBackward(qkv, q, k, v, dOutput, options)))
          close(/** @type {any} */ (x), gradients[part], { abs: 2e-5, rel: 2e-5 }, `${title}: ${part}`)
      }
    }
  })

test('a mask may have an axis of one: the same bits as the mask written out', () => {
  const [B, H, L, S] = [2, 3, 70, 261]
  const g = qkv.generator(5)
  const [q, k, v, dOutput] = [
    [H, L],
    [H, S],
    [H, S],
    [H, L],
  ].map(([heads, rows]) => g.randn([B, heads, rows, 8]))
  for (let own = 0; own < 16; own++) {
    const dims = [B, H, L, S].map((size, axis) => (own & (1 << axis) ? size : 1))
    const n = dims.reduce((a, b) => a * b)
    const at = (/** @type {number[]} */ ...index) =>
      dims.reduce((offset, size, axis) => offset * size + (size === 1 ? 0 : index[axis]), 0)
    const small = Array.from({ length: n }, (_, i) => i % 7 !== 3)
    const whole = /** @type {boolean[]} */ ([])
    for (let b = 0; b < B; b++)
      for (let h = 0; h < H; h++)
        for (let i = 0; i < L; i++) for (let j = 0; j < S; j++) whole.push(small[at(b, h, i, j)])
    const [few, all] = [forms(small, dims), forms(whole, [B, H, L, S])]
    for (const form of [0, 1]) {
      if (form)
        few[1].bias = tensor(
          Float32Array.from(small, is => (is ? 0.5 : -Infinity)),
          dims,
        )
      if (form)
        all[1].bias = tensor(
          Float32Array.from(whole, is => (is ? 0.5 : -Infinity)),
          [B, H, L, S],
        )
      for (const span of [
        {},
        { causal: true, pastLength: 190 },
        { window: /** @type {[number, number]} */ ([40, 7]) },
      ]) {
        const [a, b] = [few, all].map(forms => ({ ...forms[form], ...span }))
        assert.deepEqual(qkv.attention(q, k, v, a).output, qkv.attention(q, k, v, b).output, `${dims} ${form}`)
        const [x, y] = [a, b].map(options => attentionBackward(qkv, q, k, v, dOutput, options))
        for (const part of /** @type {const} */ (['dQ', 'dK', 'dV']))
          assert.deepEqual(x[part], y[part], `${dims} ${part}`)
      }
    }
  }
})

test('a triangle given as a mask has the bits of causal, forward and backward', () => {
  const L = 300
  const g = qkv.generator(6)
  const [q, k, v, dOutput] = [0, 1, 2, 3].map(() => g.randn([2, L, 16]))
  const mask = tensor(map(MASKS['a triangle'], L, L), [L, L])
  assert.deepEqual(qkv.attention(q, k, v, { mask }).output, qkv.attention(q, k, v, { causal: true }).output)
  assert.deepEqual(
    attentionBackward(qkv, q, k, v, dOutput, { mask }),
    attentionBackward(qkv, q, k, v, dOutput, { causal: true }),
  )
})

test('NaN and infinities in hidden keys, hidden values and under a bias of -Infinity change no bit', () => {
  const [L, S, D] = [70, 300, 9]
  const g = qkv.generator(8)
  const [q, k, v, dOutput] = [g.randn([L, D]), g.randn([S, D]), g.randn([S, D]), g.randn([L, D])]
  const hidden = (/** @type {number} */ j) => j % 5 === 2
  for (const options of forms(
    map((_, j) => !hidden(j), L, S),
    [L, S],
  )) {
    const clean = qkv.attention(q, k, v, options).output
    const gradients = attentionBackward(qkv, q, k, v, dOutput, options)
    for (const strange of [NaN, Infinity, -Infinity]) {
      const [keys, values] = [k, v].map(x => tensor(x.data.slice(), x.dims))
      for (let j = 0; j < S; j++) if (hidden(j)) for (const x of [keys, values]) x.row(j).data.fill(strange)
      close(qkv.attention(q, keys, values, options).output, clean, { abs: 1e-6, rel: 1e-6 }, `${strange}`)
      const spoiled = attentionBackward(qkv, q, keys, values, dOutput, options)
      for (const part of /** @type {const} */ (['dQ', 'dK', 'dV']))
        close(spoiled[part], gradients[part], { abs: 1e-5, rel: 1e-5 }, `${strange}: ${part}`)
    }
  }
})

test('a visible NaN reaches the rows that see it and no others, through masks of whole tiles', () => {
  const [L, S] = [70, 600]
  const g = qkv.generator(9)
  const [q, k, v] = [g.randn([L, 8]), g.randn([S, 8]), g.randn([S, 8])]
  v.row(300).data[3] = NaN
  const { output } = qkv.attention(q, k, v, {
    mask: tensor(
      map((i, j) => i % 2 === 0 || j < 300, L, S),
      [L, S],
    ),
  })
  for (let i = 0; i < L; i++)
    for (let e = 0; e < 8; e++)
      assert.equal(Number.isNaN(output.data[i * 8 + e]), i % 2 === 0 && e === 3, `row ${i}, column ${e}`)
})

test('a key whose score overflows to -Infinity is seen: its weight is 0, its finite value gives 0, NaN in it NaN', () => {
  for (const rows of [1, 8, 40]) {
    const q = tensor(new Float32Array(rows).fill(3e38), [rows, 1])
    const k = tensor(Float32Array.of(-3e38), [1, 1])
    for (const [value, want] of [
      [2, 0],
      [Number.NaN, Number.NaN],
    ]) {
      const v = tensor(Float32Array.of(value), [1, 1])
      for (const { output } of [
        qkv.attention(q, k, v),
        qkv.attention(q, k, v, { summary: { entropy: true } }),
        qkv.trace(q, k, v),
      ])
        assert.deepEqual([...output.data], Array(rows).fill(want), `${rows} rows, value ${value}`)
    }
  }
})

test('a bias of NaN or Infinity at a key that the boolean mask hides changes no bit', () => {
  const [L, S] = [70, 261]
  const g = qkv.generator(4)
  const [q, k, v, bias] = [g.randn([L, 8]), g.randn([S, 8]), g.randn([S, 5]), g.randn([L, S])]
  const mask = tensor(
    map((i, j) => (i + j) % 3 > 0, L, S),
    [L, S],
  )
  const want = qkv.attention(q, k, v, { mask, bias }).output.data
  for (const strange of [Number.NaN, Infinity]) {
    const data = bias.data.map((x, n) => (mask.data[n] ? x : strange))
    assert.deepEqual(qkv.attention(q, k, v, { mask, bias: tensor(data, [L, S]) }).output.data, want, String(strange))
  }
})

test('whole numbers are no mask: the error names booleans, as floats would be added', () => {
  const data = new Int32Array([1, 0, 1, 1])
  const x = [
    [1, 2],
    [3, 4],
  ]
  const masked = (/** @type {any} */ mask) => qkv.attention(x, x, x, { mask }).output.tolist()
  assert.throws(
    () => masked({ data, dims: [2, 2] }),
    /got an Int32Array of 4; Uint8Array\.from\(data\) is a boolean one$/,
  )
  assert.deepEqual(
    masked({ data: Uint8Array.from(data), dims: [2, 2] }),
    masked([
      [true, false],
      [true, true],
    ]),
  )
})
