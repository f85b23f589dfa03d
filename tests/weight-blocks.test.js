// Weights in the blocks of GGUF files are multiplied as they are, without conversion to floats in memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { packLinear } from '../src/entries/nn.js'
import { BLOCKS } from '../src/layers/weight-blocks.js'
import { BLOCK_TYPES } from '../src/models/gguf/block-types.js'
import { dequantize } from '../src/models/gguf/dequantize.js'
import { isNative } from './helpers.js'
import { writeBlocks } from './models/gguf/blocks.js'
import { randomOf } from './models/tokenizers/random-files.js'

/** @import { BlockType } from '../src/layers/packed-linear.js' */

const qkv = await load({ integers: true })
const TYPES = /** @type {BlockType[]} */ (Object.keys(BLOCKS))
const any = (/** @type {any} */ value) => value

/** Makes a weight of a type, and its values as floats. @param {BlockType} type @param {number} N @param {number} K @param {number} seed */
function weightOf(type, N, K, seed) {
  const { bytes } = writeBlocks(type, N * K, randomOf(seed))
  return { raw: { data: bytes, dims: [N, K], dtype: type }, values: dequantize(type, bytes) }
}

/** @param {number} M @param {number} K */
const inputOf = (M, K) => {
  const random = randomOf(M * K)
  const data = Float32Array.from({ length: M * K }, () => (random.next() * 2 - 1) * (random.below(9) ? 1 : 30))
  return { data, dims: [M, K] }
}

/** Sizes around the limits of the kernels: panels of 8, units of 32 columns, 8 rows, 256 values. @param {BlockType} type */
const sizesOf = type =>
  (type.endsWith('K') ? [256, 768] : [32, 256, 288, 544]).flatMap(K =>
    [
      [1, 1],
      [3, 9],
      [8, 40],
      [9, 33],
      [21, 72],
    ].map(([M, N]) => ({ M, K, N })),
  )

/** True if a byte of a block belongs to its float16 numbers. @param {BlockType} type */
const isScale = (type, /** @type {number} */ at) => (type === 'Q6_K' ? at >= 208 : at < (/_0$/.test(type) ? 2 : 4))

for (const type of TYPES)
  test(`${type}: the largest numbers and the largest x do not overflow`, () => {
    const [N, K] = [9, type.endsWith('K') ? 512 : 64]
    for (const fill of [0, 0x7f, 0x80, 0xff]) {
      const { raw } = weightOf(type, N, K, 1)
      const size = BLOCK_TYPES[type][2]
      for (let i = 0; i < raw.data.length; i++) if (!isScale(type, i % size)) raw.data[i] = fill
      const values = dequantize(type, raw.data)
      const layer = packLinear(qkv, raw)
      for (const M of [1, 9]) {
        const y = layer.forward({ data: new Float32Array(M * K).fill(-1), dims: [M, K] }).data
        for (let i = 0; i < M * N; i++) {
          const row = values.subarray((i % N) * K, ((i % N) + 1) * K)
          const want = -row.reduce((a, b) => a + b, 0)
          const most = row.reduce((a, b) => a + Math.abs(b), 0)
          assert.ok(Math.abs(y[i] - want) <= 1e-5 * most, `${type}, ${fill}, ${M} rows: ${i}`)
        }
      }
      layer.dispose()
    }
  })

for (const type of TYPES)
  test(`${type}: rows are the bits of the widened weights, products differ by the rounding of x alone, or by nothing`, () => {
    for (const { M, K, N } of sizesOf(type)) {
      const { raw, values } = weightOf(type, N, K, M + K + N)
      const x = inputOf(M, K)
      const shift = Float32Array.from({ length: N }, (_, n) => n / 7)
      const bias = { data: shift, dims: [N] }
      const wide = packLinear(qkv, { data: values, dims: [N, K] }, bias)
      const exact = packLinear(qkv, raw, bias, { activations: 'float32' })
      const layer = packLinear(qkv, raw, bias)
      for (let n = 0; n < N; n++)
        assert.deepEqual(
          Array.from(layer.row(n).weight, one => one + 0),
          Array.from(values.subarray(n * K, (n + 1) * K), one => one + 0),
        )
      assert.deepEqual(exact.forward(x).data, wide.forward(x).data)
      const y = layer.forward(x).data
      for (let m = 0; m < M; m++) {
        const row = x.data.subarray(m * K, (m + 1) * K)
        const alone = layer.forward({ data: row.slice(), dims: [1, K] }).data
        for (let n = 0; n < N; n++) {
          let [want, most] = [shift[n], 0]
          for (let b = 0; b < K; b += 256) {
            const part = row.subarray(b, b + 256)
            const step = part.reduce((a, v) => Math.max(a, Math.abs(v)), 0) / 32767
            for (const [k, v] of part.entries()) {
              const w = values[n * K + b + k]
              want += v * w
              most += Math.abs(w) * (step / 2 + Math.abs(v) * 2e-6) // errors of rounding x and of float32 sums
            }
          }
          assert.ok(Math.abs(y[m * N + n] - want) <= most + 1e-6, `${type} ${M}x${K}x${N}: ${m}, ${n}`)
          assert.equal(alone[n], y[m * N + n], 'the same bits for any number of rows')
        }
      }
      for (const each of [wide, exact, layer]) each.dispose()
    }
    assert.equal(qkv.memory.resident, 0)
  })

test('threads and the place of a weight in memory do not change a bit', {
  skip: isNative && 'no threads',
}, async () => {
  const own = await load({ integers: true, threads: 3 })
  for (const type of TYPES)
    for (const M of [1, 7, 40]) {
      const { raw } = weightOf(type, 530, 1024, M)
      const x = inputOf(M, 1024)
      const [one, three] = [qkv, own].map(each => {
        const layer = packLinear(each, raw)
        const y = layer.forward(x, { activation: 'gelu' }).data
        layer.dispose()
        return y
      })
      assert.deepEqual(three, one, `${type} ${M}`)
    }
  own.dispose?.()
})

/** Writes a float16, given by its bits. @param {Uint8Array} bytes @param {number} at @param {number} bits */
const putHalf = (bytes, at, bits) => bytes.set([bits & 255, bits >> 8], at)

test('scales of every size below 128 are kept, subnormal ones too; 128, infinity and NaN are refused', () => {
  for (const type of TYPES) {
    const width = BLOCKS[type][0]
    const unit = (BLOCK_TYPES[type][2] * 256) / BLOCK_TYPES[type][1]
    assert.equal(width, unit)
    const at = type === 'Q6_K' ? 208 : 0
    for (const bits of [0, 1, 0x8001, 0x3ff, 0x400, 0x8401, 0x3c00, 0x57ff, 0xd7ff]) {
      const { raw } = weightOf(type, 8, 256, 1)
      putHalf(raw.data, at, bits)
      if (['Q4_1', 'Q5_1', 'Q4_K', 'Q5_K'].includes(type)) putHalf(raw.data, 2, bits ^ 0x8000)
      const layer = packLinear(qkv, raw)
      const want = dequantize(type, raw.data).subarray(0, 256)
      assert.deepEqual(
        Array.from(layer.row(0).weight, one => one + 0),
        Array.from(want, one => one + 0),
        `${type} ${bits}`,
      )
      layer.dispose()
    }
    for (const bits of [0x5800, 0xd800, 0x7c00, 0x7e01, 0xfc00]) {
      const { raw } = weightOf(type, 8, 256, 1)
      putHalf(raw.data, at, bits)
      assert.throws(() => packLinear(qkv, raw), /a scale or minimum is below 128; use dtype 'float32'/)
    }
  }
  assert.equal(qkv.memory.resident, 0)
})

test('products are exact where all numbers of x and of W are the largest', () => {
  for (const type of TYPES)
    for (const sign of [1, -1]) {
      const { raw } = weightOf(type, 8, 256, 3)
      raw.data.fill(sign > 0 ? 0xff : 0)
      for (let n = 0; n < 8; n++)
        for (let at = n * BLOCKS[type][0]; at < (n + 1) * BLOCKS[type][0]; at += BLOCK_TYPES[type][2]) {
          putHalf(raw.data, type === 'Q6_K' ? at + 208 : at, 0x3c00)
          if (['Q4_1', 'Q5_1', 'Q4_K', 'Q5_K'].includes(type)) putHalf(raw.data, at + 2, 0x4000)
          if (type === 'Q6_K') raw.data.fill(sign > 0 ? 127 : 128, at + 192, at + 208)
          if (type === 'Q8_0') raw.data.fill(sign > 0 ? 127 : 128, at + 2, at + 34)
        }
      const values = dequantize(type, raw.data)
      const layer = packLinear(qkv, raw)
      for (const M of [1, 12]) {
        const x = { data: new Float32Array(M * 256).fill(1), dims: [M, 256] }
        const want = values.subarray(0, 256).reduce((sum, value) => sum + value, 0)
        for (const got of layer.forward(x).data)
          assert.ok(Math.abs(got - want) <= 1e-6 * Math.abs(want), `${type} ${M}: ${got} ${want}`)
      }
      layer.dispose()
    }
})

test('invalid weights in blocks are refused', () => {
  const { raw } = weightOf('Q4_K', 8, 256, 1)
  const x = { data: new Float32Array(256), dims: [1, 256] }
  const wrong = /** @type {[any, any, RegExp][]} */ ([
    [{ ...raw, dims: [8, 255] }, {}, /dtype Q4_K: .*multiple of 256.*got dims \(8, 255\) and 1152 bytes/],
    [{ ...raw, dims: [9, 256] }, {}, /got dims \(9, 256\) and 1152 bytes/],
    [{ ...raw, dims: [2048] }, {}, /\(out, in\)/],
    [{ ...raw, data: new Float32Array(288) }, {}, /expected a Uint8Array/],
    [raw, { dtype: 'int4' }, /dtype: expected .*"Q4_K".*got "int4"/],
    [raw, { layout: 'in,out' }, /layout/],
    [x, { dtype: 'Q4_K' }, /dtype: expected .*"float32".*got "Q4_K"/],
    [{ ...raw, dtype: 'Q2_K' }, {}, /Q2_K|data|dtype/],
  ])
  for (const [weight, options, message] of wrong)
    assert.throws(() => packLinear(qkv, weight, undefined, options), message)
  assert.equal(qkv.memory.resident, 0)
})

test('without the kernels of integers they are refused by name', { skip: isNative && 'always there' }, async () => {
  const { raw } = weightOf('Q8_0', 8, 32, 1)
  const plain = await load()
  assert.throws(() => packLinear(any(plain), raw), /dtype 'Q8_0' needs the kernels of integer weights/)
})
