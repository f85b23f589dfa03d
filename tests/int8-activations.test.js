// Tests activations: 'int8', which rounds x to bytes. The kernels multiply them as 16-bit integers. Chromium runs this file, too
// (browser/numbers.test.js); there the relaxed dot product multiplies the bytes themselves if the processor has it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, tensor } from '../src/entries/index.js'
import { packLinear } from '../src/entries/nn.js'
import { PackedLinear } from '../src/layers/packed-linear.js'
import { checkInt8Products, integerProduct } from './integer-product.js'
import * as reference from './reference.js'

const qkv = await load({ integers: true })
const OPTIONS = /** @type {const} */ ({ dtype: 'int8', activations: 'int8' })
/** Sizes (M, K, N) around the limits of the kernels: M around 4 and 8 rows, K around 2, 4, 16 and 256, N around the 8 columns of a panel. */
const SIZES = [
  [1, 1, 1],
  [3, 300, 9],
  [8, 256, 33],
  [9, 1, 1],
  [9, 3, 7],
  [10, 14, 8],
  [11, 17, 9],
  [12, 255, 40],
  [13, 256, 33],
  [13, 257, 33],
  [16, 258, 64],
  [33, 530, 31],
  [70, 600, 40],
  [601, 300, 9],
  [1030, 20, 9],
]

test('products have the bits of an integer reference, whatever the number of rows', () =>
  checkInt8Products(qkv, SIZES, 'int8'))

test('products are exact where the whole numbers of a block are the largest, of one sign or of two', () => {
  for (const [M, K] of [1, 9].flatMap(M => [4, 255, 256, 513].map(K => [M, K])))
    for (const [w0, w4] of [-127, 0, 127].flatMap(w0 => [-127, 127].map(w4 => [w0, w4])))
      for (const [even, odd] of [-1, 1].flatMap(even => [-1, 1].map(odd => [even, odd]))) {
        const data = Int8Array.from({ length: 8 * K }, (_, i) => (i < 4 * K ? w0 : w4))
        const [scales, bias] = [new Float32Array(8).fill(1), new Float32Array(8)]
        const x = Float32Array.from({ length: M * K }, (_, i) => ((i % K) % 2 ? odd : even))
        const weight = /** @type {const} */ ({ data, dims: [8, K], dtype: 'int8' })
        const layer = packLinear(qkv, weight, undefined, { ...OPTIONS, scales: tensor(scales, [8]) })
        const want = integerProduct(x, data, scales, bias, 127)
        assert.deepEqual(layer.forward(tensor(x, [M, K])).data, want, `${M} x ${K}: ${even}, ${odd} times ${w0}, ${w4}`)
        layer.dispose()
      }
})

test('products are off from those of float64 by no more than the rounding of x and of the weights', t => {
  const g = qkv.generator(6)
  const far = { int16: 0, int8: 0 }
  for (const [M, K, N] of SIZES) {
    const [x, weight, bias, residual] = [g.randn([M, K]), g.randn([N, K]), g.randn([N]), g.randn([M, N])]
    const exact = reference.linear(x, weight, bias)
    for (const activations of /** @type {const} */ (['int16', 'int8'])) {
      const layer = packLinear(qkv, weight, bias, { dtype: 'int8', activations })
      const y = layer.forward(x, { residual, activation: 'relu' })
      layer.dispose()
      for (let m = 0; m < M; m++)
        for (let n = 0; n < N; n++) {
          const row = weight.data.subarray(n * K, (n + 1) * K)
          const largest = row.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
          let bound = 2e-6 * (1 + K)
          for (let k = 0; k < K; k += 256) {
            const block = x.data.subarray(m * K + k, m * K + Math.min(K, k + 256))
            const sum = (/** @type {Float32Array} */ values) => values.reduce((a, b) => a + Math.abs(b), 0)
            const step = block.reduce((a, b) => Math.max(a, Math.abs(b)), 0) / (activations === 'int8' ? 127 : 32767)
            const ofWeights = sum(row.subarray(k, k + 256)) + (block.length * largest) / 254
            bound += 1.00001 * ((sum(block) * largest) / 254 + (step / 2) * ofWeights)
          }
          const error = Math.abs(y.data[m * N + n] - Math.max(exact.data[m * N + n], 0) - residual.data[m * N + n])
          assert.ok(error <= bound, `${activations}, ${M} x ${K} by ${N}: off by ${error}, ${bound} allowed`)
          far[activations] = Math.max(far[activations], error)
        }
    }
  }
  t.diagnostic(`largest errors: ${JSON.stringify(far)}`)
  assert.ok(far.int8 > far.int16)
})

test('up to three layers multiply the same rows in one call, with the bits of one after the other; not with others', () => {
  const g = qkv.generator(17)
  for (const [M, K, sizes] of /** @type {[number, number, number[]][]} */ ([
    [3, 70, [33, 9, 100]],
    [9, 300, [7, 70, 1]],
    [601, 300, [40, 8]],
  ])) {
    const x = g.randn([1, M, K])
    const list = sizes.map((N, n) => packLinear(qkv, g.randn([N, K]), n ? g.randn([N]) : undefined, OPTIONS))
    qkv.scope(() => {
      const made = PackedLinear.forwardTogether(list, x, 'silu') ?? assert.fail()
      for (const [n, layer] of list.entries()) {
        const want = layer.forward(x, { activation: n ? 'none' : 'silu' })
        assert.deepEqual([made[n].dims, made[n].data.slice()], [want.dims, want.data])
      }
      const other = packLinear(qkv, g.randn([5, K]), undefined, { dtype: 'int8' })
      assert.equal(PackedLinear.forwardTogether([list[0], other], x), undefined)
      other.dispose()
    })
    for (const layer of list) layer.dispose()
  }
})

test('NaN and infinity in a row of x spoil that row and no other; values below 1e-33 count as 0', () => {
  const g = qkv.generator(16)
  const layer = packLinear(qkv, g.randn([40, 300]), undefined, OPTIONS)
  for (const M of [3, 13]) {
    const x = g.randn([M, 300])
    const want = layer.forward(x).data.slice()
    for (const bad of [NaN, Infinity, -Infinity]) {
      x.data[300 + 299] = bad
      layer.forward(x).data.forEach((y, i) => {
        if (Math.floor(i / 40) === 1) assert.ok(Number.isNaN(y), `${bad}: ${y}`)
        else assert.equal(y, want[i])
      })
    }
    x.data.fill(1e-34, 300, 600)
    assert.ok(
      layer
        .forward(x)
        .data.subarray(40, 80)
        .every(y => y === 0),
    )
  }
  layer.dispose()
})

test('weights that are not of int8 are refused', () => {
  for (const dtype of /** @type {const} */ ([undefined, 'float16', 'int4']))
    assert.throws(() => packLinear(qkv, [[1, 2]], undefined, { dtype, activations: 'int8' }), {
      name: 'TypeError',
      message: `packLinear: activations: 'int8' goes with weights of int8, here they are of ${dtype ?? 'float32'}: give dtype: 'int8' or leave activations out`,
    })
  const blocks = { data: new Uint8Array(34), dims: [1, 32], dtype: /** @type {const} */ ('Q8_0') }
  assert.throws(() => packLinear(qkv, blocks, undefined, { activations: 'int8' }), /here they are of Q8_0/)
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
})
