// Tests linear: fused activations and residuals, layouts, packed weights of all dtypes, and gradients.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load, tensor } from '../src/entries/index.js'
import { layerNorm, linearBackward, packLinear } from '../src/entries/nn.js'
import { PackedLinear } from '../src/layers/packed-linear.js'
import { close, toTensor } from './helpers.js'
import { checkInt8Products, checkRows, f, integerProduct, wholeNumbers } from './integer-product.js'
import * as reference from './reference.js'

/** @import { FloatTensor } from '../src/entries/index.js' */
/** @import { RawTensor } from './helpers.js' */

const qkv = await load({ integers: true })
const { cases } = JSON.parse(readFileSync(new URL('./goldens/torch-linear.json', import.meta.url), 'utf8'))
const TOLERANCE = { abs: 2e-6, rel: 2e-6 }
const DTYPES = /** @type {const} */ (['float32', 'float16', 'bfloat16', 'int8', 'int4'])
/** The largest error of a weight w, by dtype; `most` is the largest |w| of its row. @type {Record<string, (w: number, most: number) => number>} */
const BOUNDS = {
  float32: () => 0,
  float16: w => Math.abs(w) * 2 ** -11,
  bfloat16: w => Math.abs(w) * 2 ** -8,
  int8: (_, most) => most / 254,
  int4: (_, most) => (1.02 * most) / 15, // half of one of the 15 steps between -most and most
}
/** Sizes around the limits of the kernel: a path for up to 8 rows, blocks of 256 values of x (32 for int4), units of 8 or 32 columns. */
const ROWS = [0, 1, 2, 3, 4, 8, 9, 13]
const INNER = [0, 1, 2, 7, 33, 300]
const COLUMNS = [1, 7, 8, 33, 40]

const each = (/** @type {(M: number, K: number, N: number) => void} */ run) => {
  for (const M of ROWS) for (const K of INNER) for (const N of COLUMNS) run(M, K, N)
}

test('linear with an activation and a residual, and its gradients, are those of PyTorch', () => {
  for (const { activation, inputs, expected } of cases) {
    const of = (/** @type {Record<string, RawTensor>} */ group, /** @type {string} */ name) =>
      /** @type {FloatTensor} */ (/** @type {unknown} */ (toTensor(group[name])))
    const [x, weight, bias, residual, dY] = ['x', 'weight', 'bias', 'residual', 'dY'].map(name => of(inputs, name))
    const title = `${activation}, ${x.dims[0]} rows`
    close(qkv.linear(x, weight, bias, { activation, residual }), of(expected, 'y'), TOLERANCE, title)
    const packed = packLinear(qkv, weight, bias)
    close(packed.forward(x, { activation, residual }), of(expected, 'y'), TOLERANCE, `${title}, packed`)
    packed.dispose()
    const gradients = linearBackward(qkv, x, weight, dY)
    for (const name of /** @type {const} */ (['dX', 'dWeight', 'dBias']))
      close(gradients[name], of(expected, name), TOLERANCE, `${title}: ${name}`)
  }
})

test('a weight of layout in,out gives the bits of its transpose, packed or not', () => {
  const g = qkv.generator(3)
  each((M, K, N) => {
    const [x, weight, bias] = [g.randn([M, K]), g.randn([N, K]), g.randn([N])]
    const want = qkv.linear(x, weight, bias)
    const layout = 'in,out'
    assert.deepEqual(qkv.linear(x, weight.T, bias, { layout }), want, `${M} x ${K} by ${N}`)
    const packed = packLinear(qkv, weight.T, bias, { layout })
    assert.deepEqual(packed.forward(x), want, `${M} x ${K} by ${N}, packed`)
    packed.dispose()
  })
})

test('a row alone has the bits that it has among others, whatever the number of rows', () => {
  const g = qkv.generator(4)
  const [x, weight, bias] = [g.randn([70, 65]), g.randn([50, 65]), g.randn([50])]
  const packed = packLinear(qkv, weight, bias)
  const all = qkv.linear(x, weight, bias)
  for (const n of [1, 2, 3, 5, 8, 9]) {
    const some = tensor(x.data.slice(0, n * 65), [n, 65])
    for (const y of [qkv.linear(some, weight, bias), packed.forward(some)])
      assert.deepEqual(y.data, all.data.slice(0, n * 50))
  }
  packed.dispose()
})

test('a packed weight gives the bits of one that is not, in blocks of rows and inputs, fused or not', () => {
  const g = qkv.generator(7)
  for (const [M, K, N] of [
    [31, 256, 24],
    [32, 257, 33],
    [67, 600, 40],
    [128, 512, 17],
    [129, 300, 40],
  ]) {
    const [x, weight, bias, residual] = [g.randn([M, K]), g.randn([N, K]), g.randn([N]), g.randn([M, N])]
    const packed = packLinear(qkv, weight, bias)
    for (const options of [{}, { activation: /** @type {const} */ ('gelu'), residual }])
      assert.deepEqual(
        packed.forward(x, options),
        qkv.linear(x, weight, bias, options),
        `${M} x ${K} by ${N} ${Object.keys(options)}`,
      )
    const all = packed.forward(x).data
    for (const rows of [1, 3, 8])
      assert.deepEqual(packed.forward(tensor(x.data.slice(0, rows * K), [rows, K])).data, all.slice(0, rows * N))
    packed.dispose()
  }
})

test('the residual may be the output, resident or not, but may not overlap it otherwise', () => {
  const g = qkv.generator(5)
  for (const M of [1, 2, 5, 9]) {
    const [x, weight, residual] = [g.randn([M, 12]), g.randn([10, 12]), g.randn([M, 10])]
    const want = qkv.linear(x, weight, undefined, { activation: 'silu', residual })
    const plain = tensor(residual.data.slice(), [M, 10])
    assert.equal(qkv.linear(x, weight, undefined, { activation: 'silu', residual: plain, out: plain }), plain)
    assert.deepEqual(plain.data, want.data)
    qkv.scope(() => {
      const out = qkv.alloc([M, 10])
      for (const layer of [undefined, ...DTYPES.map(dtype => packLinear(qkv, weight, undefined, { dtype }))]) {
        const run = (/** @type {{}} */ options) =>
          layer?.forward(x, options) ?? qkv.linear(x, weight, undefined, options)
        const expected = run({ residual })
        out.data.set(residual.data)
        assert.equal(run({ residual: out, out }), out)
        assert.deepEqual([...out.data], [...expected.data])
        layer?.dispose()
      }
      const { data } = qkv.alloc([M + 1, 10])
      const first = tensor(data.subarray(0, M * 10), [M, 10])
      const second = tensor(data.subarray(10), [M, 10])
      if (M > 1)
        assert.throws(() => qkv.linear(x, weight, undefined, { residual: first, out: second }), {
          name: 'RangeError',
          message: /linear: out overlaps/,
        })
    })
  }
})

test('weights of each dtype are off by no more than is stated, for all sizes, fused or not', t => {
  const g = qkv.generator(6)
  /** @type {Record<string, number>} */
  const most = {}
  each((M, K, N) => {
    const [x, weight, bias, residual] = [g.randn([M, K]), g.randn([N, K]), g.randn([N]), g.randn([M, N])]
    const exact = reference.linear(x, weight, bias)
    for (const dtype of DTYPES) {
      const layer = packLinear(qkv, weight, bias, { dtype })
      const y = layer.forward(x, { residual, activation: 'relu' })
      layer.dispose()
      for (let m = 0; m < M; m++)
        for (let n = 0; n < N; n++) {
          const row = weight.data.subarray(n * K, (n + 1) * K)
          const largest = row.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
          // allowed in addition to the errors of the weights: float32 sums and, for int8 and int4, rounding x to int16 in blocks of 256
          const block = x.data.subarray(m * K, (m + 1) * K).reduce((a, b) => Math.max(a, Math.abs(b)), 0)
          let bound = 2e-6 * (1 + K) + (dtype.startsWith('int') ? (K * largest * block) / 65534 : 0)
          for (let k = 0; k < K; k++) bound += Math.abs(x.data[m * K + k]) * BOUNDS[dtype](row[k], largest)
          const want = Math.max(exact.data[m * N + n], 0) + residual.data[m * N + n]
          const error = Math.abs(y.data[m * N + n] - want)
          assert.ok(error <= bound, `${dtype}, ${M} x ${K} by ${N}: off by ${error}, ${bound} allowed`)
          if (K === 300) most[dtype] = Math.max(most[dtype] ?? 0, error)
        }
    }
  })
  t.diagnostic(`largest errors at 300 inputs of size 1: ${JSON.stringify(most)}`)
})

test('packed weights take the memory of their dtype', () => {
  const weight = qkv.generator(1).randn([64, 100])
  const bytes = DTYPES.map(dtype => {
    const layer = packLinear(qkv, weight, undefined, { dtype })
    const { bytes } = layer
    assert.equal(qkv.memory.resident, bytes)
    layer.dispose()
    return bytes
  })
  assert.deepEqual(bytes, [25600, 12800 + 256, 12800 + 256, 6400 + 256, 8 * 4 * 160])
  assert.equal(qkv.memory.resident, 0)
})

test('weights that are float16 or bfloat16 already are stored exactly: every float16, every bfloat16 of a usual size', () => {
  const halves = Uint16Array.from({ length: 0xf800 }, (_, i) => (i < 0x7c00 ? i : i + 0x400)) // all but NaN and infinity
  const one = [[1]]
  for (let from = 0; from < halves.length; from += 8) {
    // Each output has a single weight. Both the path for few rows of x and the path for many are used.
    if (from % 4096 === 0) {
      const part = halves.slice(from, from + 4096)
      const layer = packLinear(qkv, tensor(part, [part.length, 1]), undefined, { dtype: 'float16' })
      const want = tensor(part, [part.length]).float()
      const y = layer.forward(one)
      assert.ok(y.data.every((value, i) => value === want.data[i]))
      const many = layer.forward(tensor(new Float32Array(9).fill(1), [9, 1]))
      assert.ok(many.data.every((value, i) => value === want.data[i % part.length]))
      layer.dispose()
    }
  }
  const bits = Uint16Array.from({ length: 8000 }, (_, i) => ((i % 2) << 15) | ((127 - (i % 28)) << 7) | (i >> 6))
  const data = { data: bits, dims: [1, bits.length], dtype: /** @type {const} */ ('bfloat16') }
  const floats = new Float32Array(Uint32Array.from(bits, half => half << 16).buffer)
  for (const source of [data, tensor(floats, [1, bits.length])]) {
    const layer = packLinear(qkv, source, undefined, { dtype: 'bfloat16' })
    for (const k of [0, 1, 27, 4001, 7999]) {
      const x = new Float32Array(bits.length)
      x[k] = 1
      assert.equal(layer.forward(tensor(x, [1, x.length])).data[0], floats[k])
    }
    layer.dispose()
  }
})

test('packed weights of every dtype give the bias where x is zeros, also where a whole block of x is', () => {
  const w = tensor(
    Float32Array.from({ length: 40 * 600 }, (_, i) => Math.sin(i)),
    [40, 600],
  )
  const bias = Array.from({ length: 40 }, (_, n) => n - 20)
  for (const dtype of DTYPES) {
    const layer = packLinear(qkv, w, bias, { dtype })
    assert.deepEqual([...layer.forward(tensor(new Float32Array(600), [1, 600])).data], bias, dtype)
    const x = tensor(
      Float32Array.from({ length: 600 }, (_, k) => Number(k === 300)),
      [1, 600],
    )
    layer.forward(x).data.forEach((y, n) => {
      const want = layer.row(n).weight[300] + bias[n]
      assert.ok(Math.abs(y - want) <= 5e-6, `${dtype} column ${n}: ${y} instead of ${want}`)
    })
    layer.dispose()
  }
})

test('weights of int8 with scales are stored exactly, and give scale times the product of whole numbers', () => {
  const g = qkv.generator(8)
  const data = Int8Array.from(g.randint(-127, 128, [9 * 21]).data)
  const scales = g.uniform([9], 0.01, 0.1)
  const x = g.randint(-50, 50, [4, 21]).float()
  const layer = packLinear(qkv, { data, dims: [9, 21], dtype: 'int8' }, undefined, { dtype: 'int8', scales })
  for (const rows of [1, 4]) {
    const some = tensor(x.data.slice(0, rows * 21), [rows, 21])
    const want = reference.linear(some, { data: data.map(Number), dims: [9, 21] })
    want.data.forEach((_, i) => {
      want.data[i] *= scales.data[i % 9]
    })
    close(layer.forward(some), want, { abs: 2e-2, rel: 1e-4 }, `${rows} rows`) // x is rounded to 15 bits
  }
  layer.dispose()
})

/** Rounds x to bfloat16, away from zero. @param {number} x */
const awayFromZero = x => {
  const words = new Uint32Array(Float32Array.of(x).buffer)
  words[0] = (words[0] + 0xffff) & 0xffff0000
  return new Float32Array(words.buffer)[0]
}
/** Rounds x down to bfloat16. @param {number} x */
const bfloat16Below = x => {
  if (x < 0) return awayFromZero(x)
  const words = new Uint32Array(Float32Array.of(x).buffer)
  words[0] &= 0xffff0000
  return new Float32Array(words.buffer)[0]
}

/** Quantises a row of weights as int4 does, to numbers from 0 to 15 with a scale and a minimum for each block of 32. @param {Float32Array} row */
function toInt4(row) {
  const w = new Float64Array(row.length)
  const blocks = Array.from({ length: Math.ceil(row.length / 32) }, (_, i) => {
    const block = row.subarray(i * 32, i * 32 + 32)
    const minimum = bfloat16Below(Math.min(...block))
    const wanted = awayFromZero(f(f(Math.max(...block) - minimum) * f(1 / 15)))
    const scale = wanted < 1e-36 ? 0 : wanted
    block.forEach((value, k) => {
      w[i * 32 + k] = scale && Math.trunc(f(f(f(value - minimum) * f(1 / scale)) + 0.5))
    })
    return { scale, minimum }
  })
  return { w, blocks }
}

/** Computes x weight^T + bias like integerProduct, but quantises the weight to int4. @param {Float32Array} x (M, K) @param {Float32Array} weight (N, K) @param {Float32Array} bias (N) */
function int4Product(x, weight, bias) {
  const N = bias.length
  const K = weight.length / N
  const y = new Float32Array((x.length / K) * N)
  const rows = Array.from(bias, (_, n) => toInt4(weight.subarray(n * K, (n + 1) * K)))
  for (let m = 0; m < x.length / K; m++) {
    const { q, steps } = wholeNumbers(x.subarray(m * K, (m + 1) * K))
    for (const [n, { w, blocks }] of rows.entries()) {
      let sum = bias[n]
      steps.forEach((step, b) => {
        let part = 0
        for (const [i, { scale, minimum }] of blocks.slice(b * 8, b * 8 + 8).entries()) {
          let [product, total] = [0, 0]
          const from = b * 256 + i * 32
          for (let k = from; k < Math.min(K, from + 32); k++) {
            product += q[k] * w[k]
            total += q[k]
          }
          part = f(f(part + f(scale * product)) + f(minimum * total))
        }
        sum = f(sum + f(step * part))
      })
      y[m * N + n] = sum
    }
  }
  return y
}

test('int4 products have the bits of an integer reference, whatever the number of rows', () => {
  const g = qkv.generator(14)
  const sizes = Array.from({ length: 70 }, (_, i) => [1 + ((i * 37) % 70), 1 + i, 1 + ((i * 53) % 70)])
  for (const [M, K, N] of [...sizes, [9, 256, 9], [13, 257, 33], [70, 600, 40], [1030, 20, 9]]) {
    const [bias, x, weight] = [g.randn([N]), g.randn([M, K]), g.randn([N, K])]
    weight.data.fill(0, 0, Math.min(32, K)) // rows 0, 1, ... of the weight: a block of zeros, one huge weight, denormals, equal weights, the largest weights
    if (N > 1) weight.data[K] = 1e6
    for (let k = 2 * K; k < 3 * K && N > 3; k++) weight.data[k] *= 1e-39
    if (N > 4) weight.data.fill(1.001, 3 * K, 4 * K)
    if (N > 5) for (let k = 4 * K; k < 5 * K; k++) weight.data[k] = Math.sign(weight.data[k]) * 2 ** 100
    x.data.fill(0, 0, Math.min(256, K))
    if (M > 2) x.data.set([1e-29, -1e-29].slice(0, K), K)
    const layer = packLinear(qkv, weight, bias, { dtype: 'int4' })
    const want = int4Product(x.data, weight.data, bias.data)
    checkRows(layer, x.data, want, [M, K, N])
    layer.dispose()
  }
})

test('a weight of int4 is off by at most half a step of its block, and its rows are read as they are multiplied', () => {
  const g = qkv.generator(15)
  for (const [N, K] of [
    [1, 1],
    [9, 31],
    [8, 32],
    [17, 33],
    [3, 300],
  ]) {
    // biome-ignore format: pairs
    const weight = g.randn([N, K])
    weight.data[0] = 100
    if (K > 1)
      weight.data.forEach((_, i) => {
        weight.data[i] *= [1, 1e-31, 1e-34][Math.floor(i / K) % 3] // the bound must also hold for small weights
      })
    if (N > 8) for (let k = 8 * K; k < 9 * K; k++) weight.data[k] = 5 + weight.data[k] / 1000
    const layer = packLinear(qkv, weight, undefined, { dtype: 'int4' })
    for (let n = 0; n < N; n++) {
      const row = weight.data.subarray(n * K, (n + 1) * K)
      const { w, blocks } = toInt4(row)
      const { weight: got } = layer.row(n)
      got.forEach((value, k) => {
        const { scale, minimum } = blocks[k >> 5]
        assert.equal(value, f(scale * w[k] + minimum), `${n} ${k}`)
        assert.ok(
          Math.abs(value - row[k]) <= Math.max(scale * 0.5001, 1.5e-35),
          `${n} ${k}: ${value} for ${row[k]}, scale ${scale}`,
        )
      })
      for (const [i, { scale, minimum }] of blocks.entries()) {
        const block = row.subarray(i * 32, i * 32 + 32)
        const span = Math.max(...block) - Math.min(...block)
        assert.ok(scale <= ((span + Math.abs(minimum) / 128) / 15) * 1.01, `scale ${scale}, span ${span}`)
      }
    }
    layer.dispose()
  }
})

test("with activations: 'float32' x is not rounded: the bits of a layer whose weights are the rounded ones", async () => {
  const g = qkv.generator(18)
  const plain = await load()
  for (const dtype of /** @type {const} */ (['int8', 'int4']))
    for (const [M, K, N] of [
      [1, 1, 1],
      [3, 31, 9],
      [1, 70, 40],
      [9, 300, 17],
      [130, 33, 65],
    ]) {
      const [x, weight, bias, residual] = [g.randn([M, K]), g.randn([N, K]), g.randn([N]), g.randn([M, N])]
      const layer = packLinear(qkv, weight, bias, { dtype, activations: 'float32' })
      const rounded = tensor(
        Float32Array.from({ length: N * K }, (_, i) => layer.row((i / K) | 0).weight[i % K]),
        [N, K],
      )
      const options = /** @type {const} */ ({ residual, activation: 'silu' })
      const want = plain.linear(x, rounded, bias, options)
      const got = layer.forward(x, options)
      assert.deepEqual(got.data, want.data, `${dtype} ${M} x ${K} by ${N}`)
      const usual = packLinear(qkv, weight, bias, { dtype })
      if (K > 8) assert.notDeepEqual(usual.forward(x, options).data, got.data)
      assert.equal(PackedLinear.forwardTogether([layer], g.randn([1, K])), undefined)
      layer.dispose()
      usual.dispose()
    }
})

test('up to three layers of whole numbers multiply the same rows in one call, with the bits of one after the other', () => {
  const g = qkv.generator(17)
  for (const [M, K, sizes] of /** @type {[number, number, number[]][]} */ ([
    [1, 5, [3]],
    [1, 300, [40, 8]],
    [3, 70, [33, 9, 100]],
    [8, 64, [7, 70, 1]],
    [9, 300, [7, 70, 1]],
    [70, 33, [40]],
    [601, 5, [9, 33, 40]],
    [601, 300, [40, 8]],
  ])) {
    const x = g.randn([1, M, K])
    const list = sizes.map((N, n) =>
      packLinear(qkv, g.randn([N, K]), n ? g.randn([N]) : undefined, { dtype: n % 2 ? 'int4' : 'int8' }),
    )
    qkv.scope(() => {
      const made = PackedLinear.forwardTogether(list, x, 'silu') ?? assert.fail()
      for (const [n, layer] of list.entries()) {
        const want = layer.forward(x, { activation: n ? 'none' : 'silu' })
        assert.deepEqual([made[n].dims, made[n].data.slice()], [want.dims, want.data])
      }
    })
    for (const layer of list) layer.dispose()
  }
  const plain = packLinear(qkv, [[1]])
  assert.equal(PackedLinear.forwardTogether([plain], g.randn([1, 1])), undefined)
  plain.dispose()
})

test('NaN and infinity in a row of x spoil that row of an int4 or int8 product and no other', () => {
  const g = qkv.generator(16)
  const weight = g.randn([40, 300])
  for (const dtype of /** @type {const} */ (['int8', 'int4'])) {
    const layer = packLinear(qkv, weight, undefined, { dtype })
    for (const M of [3, 13]) {
      const x = g.randn([M, 300])
      const want = layer.forward(x).data.slice()
      for (const bad of [NaN, Infinity, -Infinity]) {
        x.data[300 + 299] = bad
        layer.forward(x).data.forEach((y, i) => {
          if (Math.floor(i / 40) === 1) assert.ok(Number.isNaN(y), `${dtype}, ${bad}: ${y}`)
          else assert.equal(y, want[i])
        })
      }
    }
    layer.dispose()
  }
})

test('int8 products have the bits of an integer reference, whatever the number of rows', () => {
  const sizes = Array.from({ length: 70 }, (_, i) => [1 + ((i * 37) % 70), 1 + i, 1 + ((i * 53) % 70)])
  checkInt8Products(qkv, [...sizes, [9, 256, 9], [13, 257, 33], [70, 600, 40], [1030, 20, 9]], 'int16')
})

test('int8 products are exact where the whole numbers of a block are the largest and of one sign', () => {
  for (const [M, K] of [1, 9].flatMap(M => [255, 256, 513].map(K => [M, K])))
    for (const [w0, w4] of [-127, 0, 127].flatMap(w0 => [-127, 127].map(w4 => [w0, w4])))
      for (const sign of [-1, 1]) {
        const data = Int8Array.from({ length: 8 * K }, (_, i) => (i < 4 * K ? w0 : w4))
        const [scales, bias] = [new Float32Array(8).fill(1), new Float32Array(8)]
        const x = new Float32Array(M * K).fill(sign)
        const layer = packLinear(qkv, { data, dims: [8, K], dtype: 'int8' }, undefined, {
          dtype: 'int8',
          scales: tensor(scales, [8]),
        })
        const want = integerProduct(x, data, scales, bias)
        assert.deepEqual(layer.forward(tensor(x, [M, K])).data, want, `${M} x ${K}: ${sign} times ${w0}, ${w4}`)
        layer.dispose()
      }
})

test('int4 products are exact where all numbers of x are the largest, and all of W but one of each block', () => {
  for (const [M, K] of [1, 9].flatMap(M => [32, 256].map(K => [M, K])))
    for (const zero of [0, 31])
      for (const sign of [-1, 1]) {
        const weight = Float32Array.from({ length: 8 * K }, (_, i) => (i % 32 === zero ? 0 : 15))
        assert.ok(toInt4(weight).w.every((number, i) => number === (i % 32 === zero ? 0 : 15)))
        const x = new Float32Array(M * K).fill(sign)
        assert.ok(wholeNumbers(x).q.every(number => number === sign * 32767))
        const layer = packLinear(qkv, tensor(weight, [8, K]), undefined, { dtype: 'int4' })
        const want = int4Product(x, weight, new Float32Array(8))
        assert.deepEqual(layer.forward(tensor(x, [M, K])).data, want, `${M} x ${K}: ${sign}`)
        layer.dispose()
      }
})

test('rows of zeros, of tiny weights and of one huge weight are packed as int8: a row whose largest is up to 1e-36 becomes 0', () => {
  const g = qkv.generator(19)
  const largest = [0, 1e-40, 0.999e-36, 1e-36, 1.001e-36, 1e-33, 1e30, 3.4e38, 1].map(f)
  for (const K of [5, 300]) {
    const weight = Float32Array.from({ length: 9 * K }, (_, i) => {
      const most = largest[Math.floor(i / K)]
      if (i % K === 3) return -most
      return most > 1 ? 1 : most * Math.sin(i)
    })
    const scales = Float32Array.from(largest, most => most / 127)
    const factors = largest.map(most => (most > f(1e-36) ? f(127 / most) : 0))
    // round to nearest, ties away from 0
    const numbers = Int8Array.from(weight, (w, i) => {
      const scaled = f(w * factors[Math.floor(i / K)])
      return Math.sign(scaled) * Math.trunc(f(Math.abs(scaled) + 0.5))
    })
    const layer = packLinear(qkv, tensor(weight, [9, K]), undefined, { dtype: 'int8' })
    for (const [n, most] of largest.entries())
      layer.row(n).weight.forEach((got, k) => {
        const w = weight[n * K + k]
        assert.equal(got, f(numbers[n * K + k] * scales[n]), `row ${n}, ${k}`)
        const bound = most > f(1e-36) ? (1.0001 * most) / 254 : most
        assert.ok(Math.abs(got - w) <= bound, `row ${n}: ${got} for ${w}`)
      })
    assert.ok(numbers.subarray(0, 4 * K).every(number => number === 0) && numbers[4 * K + 3] === -127)
    for (const M of [1, 9]) {
      const x = g.randn([M, K])
      const want = integerProduct(x.data, numbers, scales, new Float32Array(9))
      assert.deepEqual(layer.forward(x).data, want, `${M} x ${K}`)
    }
    layer.dispose()
  }
})

test('int8 weights may be as large as a float32', () => {
  const w = Array.from({ length: 9 }, (_, n) => [3.3e38, -3.3e38 * (n / 9)])
  const layer = packLinear(qkv, w, undefined, { dtype: 'int8' })
  const y = layer.forward(tensor(new Float32Array(20).fill(1e-3), [10, 2])).data
  y.forEach((value, i) => {
    const want = 3.3e35 * (1 - (i % 9) / 9)
    assert.ok(Math.abs(value - want) <= 3.3e35 / 200, `${i}: ${value}, ${want} expected`)
  })
  layer.dispose()
})

test('huge, tiny, infinite and NaN values of x are not lost with any dtype; in int8 and int4 infinity gives NaN, and below 1e-33 counts as 0', () => {
  const weight = [[1.75, 0.5, -2]] // exact in int4
  for (const dtype of DTYPES) {
    const layer = packLinear(qkv, weight, undefined, { dtype })
    const near = (/** @type {number[]} */ row, /** @type {number} */ want) => {
      const y = layer.forward([row]).data[0]
      assert.ok(
        Number.isFinite(want) ? Math.abs(y - want) <= 1e-2 * Math.abs(want) : Object.is(y, want),
        `${dtype}: ${row} gives ${y}`,
      )
    }
    near([1e37, 0, 0], 1.75e37)
    near([0, 4e-38, 0], dtype.startsWith('int') ? 0 : 2e-38)
    near([1e-30, 0, 1e-31], 1.55e-30)
    near([Infinity, 1, 1], dtype.startsWith('int') ? NaN : Infinity)
    near([NaN, 1, 1], NaN)
    near([0, 0, 0], 0)
    layer.dispose()
  }
})

test('NaN in one row of x spoils that row and no other, with every dtype', () => {
  const g = qkv.generator(9)
  for (const M of [2, 8, 9])
    for (const dtype of DTYPES) {
      const [x, weight] = [g.randn([M, 5]), g.randn([11, 5])]
      x.data[5] = NaN
      const layer = packLinear(qkv, weight, undefined, { dtype })
      layer.forward(x).data.forEach((value, n) => {
        assert.equal(Number.isNaN(value), Math.floor(n / 11) === 1, `${dtype}, ${M} rows`)
      })
      layer.dispose()
    }
})

test('gradients are those of float64 for all sizes', () => {
  const g = qkv.generator(10)
  for (const M of [0, 1, 4, 65, 300])
    for (const K of [0, 1, 8, 13])
      for (const N of [0, 1, 9, 64, 70]) {
        const [x, weight, dY] = [g.randn([M, K]), g.randn([N, K]), g.randn([M, N])]
        const { dX, dWeight, dBias } = linearBackward(qkv, x, weight, dY)
        const title = `${M} x ${K} by ${N}`
        const tolerance = { abs: 1e-6 * (1 + M + N), rel: 1e-6 }
        close(dX, reference.linear(dY, weight.T), tolerance, `${title}: dX`)
        close(dWeight, reference.linear(dY.T, x.T), tolerance, `${title}: dWeight`)
        const ones = tensor(new Float32Array(M).fill(1), [1, M])
        close(dBias, { ...reference.linear(ones, dY.T), dims: [N] }, tolerance, `${title}: dBias`)
      }
})

test('float16 and bfloat16 hold rows whose largest magnitude is up to 65504 * 2^15', () => {
  const most = 65504 * 2 ** 15
  for (const dtype of /** @type {const} */ (['float16', 'bfloat16'])) {
    for (const value of [2 ** 29, 1.5 * 2 ** 29, 2 ** 30, -(2 ** 30), 255 * 2 ** 23]) {
      const bits = Uint16Array.from(new Uint32Array(Float32Array.of(value, 1).buffer), word => word >>> 16)
      for (const weight of /** @type {any[]} */ ([[[value, 1]], { data: bits, dims: [1, 2], dtype: 'bfloat16' }])) {
        const layer = packLinear(qkv, weight, undefined, { dtype })
        assert.deepEqual([...layer.row(0).weight], [value, 1], `${dtype} ${value}`)
        assert.equal(layer.forward([[1, 0]]).at(0, 0), value)
        layer.dispose()
      }
    }
    const beyond = /largest magnitude of bfloat16 is|largest magnitude of float16 is/
    assert.throws(() => packLinear(qkv, [[most * 1.01]], undefined, { dtype }), beyond)
  }
  const layer = packLinear(qkv, [[most]], undefined, { dtype: 'float16' })
  assert.equal(layer.row(0).weight[0], most)
  layer.dispose()
})

test('float32 keeps NaN and infinity of a weight, as linear does; other dtypes refuse them', () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    const layer = packLinear(qkv, [[bad, 1], [1, 1]]) // biome-ignore format: a matrix
    assert.deepEqual([...layer.forward([[1, 1]]).data], [...qkv.linear([[1, 1]], [[bad, 1], [1, 1]]).data]) // biome-ignore format: a matrix
    layer.dispose()
    for (const dtype of /** @type {const} */ (['float16', 'bfloat16', 'int8', 'int4']))
      assert.throws(() => packLinear(qkv, [[bad, 1]], undefined, { dtype }), /NaN, infinity/)
  }
})

test('the error for an impossible layer has the reason, and leaves no memory in use', () => {
  const any = (/** @type {unknown} */ value) => /** @type {any} */ (value)
  const w = [[1, 2, 3]]
  /** @type {[() => unknown, RegExp, string?][]} */
  const wrong = [
    [() => qkv.linear(w, w, undefined, { activation: any('gel') }), /activation: .*got "gel".*did you mean "gelu"/],
    [() => qkv.linear(w, w, undefined, { layout: any('in, out') }), /layout: .*got "in, out"/],
    [() => qkv.linear(w, w, undefined, { layout: 'in,out' }), /x has dims \(1, 3\), weight \(out, in\) = \(3, 1\)/],
    [() => qkv.linear(w, w, undefined, { residual: w }), /linear: residual: .*got dims \(1, 3\)/],
    [
      () => qkv.linear(w, w, undefined, any({ dtype: 'int8' })),
      /no option "dtype", it belongs to packLinear|no option "dtype"/,
      'TypeError',
    ],
    [() => packLinear(qkv, w, undefined, { dtype: any('int3') }), /dtype: expected .*"int4".*got "int3"/],
    [() => packLinear(qkv, w, undefined, { activations: any('int4') }), /activations: expected .*"int16".*got "int4"/],
    [() => packLinear(qkv, [[NaN]], undefined, { dtype: 'int8' }), /NaN.*int8.*use dtype 'float32'/],
    [() => packLinear(qkv, [[2 ** 101]], undefined, { dtype: 'int4' }), /largest magnitude of int4 is 2\^100/],
    [
      () => packLinear(qkv, [[1e30]], undefined, { dtype: 'float16' }),
      /largest magnitude of float16 is 65504 \* 2\^15/,
    ],
    [() => packLinear(qkv, [[Infinity]], undefined, { dtype: 'bfloat16' }), /for bfloat16/],
    [
      () => packLinear(qkv, [[1]], undefined, { dtype: 'int8', scales: [1] }),
      /scales go with a weight of int8/,
      'TypeError',
    ],
    [
      () => packLinear(qkv, { data: new Int8Array(1), dims: [1, 1], dtype: 'int8' }, undefined, { dtype: 'int8' }),
      /scales/,
      'TypeError',
    ],
    [
      () => packLinear(qkv, any({ data: new Int8Array(1), dims: [1, 1], dtype: 'bfloat16' })),
      /expected a Uint16Array/,
      'TypeError',
    ],
    [() => packLinear(qkv, any({ data: new Int8Array(2), dims: [1, 1], dtype: 'int8' })), /dims \(1, 1\)/],
  ]
  for (const [call, message, name = 'RangeError'] of wrong) {
    assert.throws(call, { name, message })
    assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0], `${message}`)
  }
})

test('long sums keep their accuracy, with the same bits for any number of rows and any layout', () => {
  const [M, N, K] = [9, 9, 2 ** 17 + 5]
  const g = qkv.generator(3)
  const [x, w] = [g.rand([M, K]), g.rand([N, K])]
  const turned = w.permute([1, 0])
  const packed = packLinear(qkv, w)
  const y = qkv.linear(x, w)
  for (const m of [0, 8]) {
    let sum = 0
    for (let k = 0; k < K; k++) sum += x.data[m * K + k] * w.data[8 * K + k]
    const error = Math.abs(y.data[m * N + 8] / sum - 1)
    assert.ok(error <= 1e-6, `row ${m}: ${error}`)
  }
  for (const rows of [1, 2, 4, 7]) {
    const some = x.slice(0, 0, rows)
    for (const other of [qkv.linear(some, w), qkv.matmul(some, turned), packed.forward(some)])
      assert.deepEqual(other.data, y.data.slice(0, rows * N))
  }
  packed.dispose()
  const { dWeight, dBias } = linearBackward(qkv, turned, g.rand([M, N]), x.permute([1, 0]))
  for (const [got, value] of /** @type {const} */ ([
    [dWeight.data[M * N - 1], (/** @type {number} */ k) => x.data[8 * K + k] * w.data[8 * K + k]],
    [dBias?.data[8], (/** @type {number} */ k) => x.data[8 * K + k]],
  ])) {
    let sum = 0
    for (let k = 0; k < K; k++) sum += value(k)
    const error = Math.abs(Number(got) / sum - 1)
    assert.ok(error <= 1e-6, String(error))
  }
  const n = 2 ** 24 + 2 ** 12 // above 2^24, adding 1 to a float changes nothing
  const ones = tensor(new Float32Array(n).fill(1), [1, n])
  assert.equal(qkv.linear(ones, ones).data[0], n)
  const normed = layerNorm(
    qkv,
    tensor(
      Float32Array.from({ length: 2 ** 20 }, (_, c) => 1000 + (c % 2)),
      [1, 2 ** 20],
    ),
  )
  assert.ok(Math.abs(normed.data[1] - 1) < 1e-3, `${normed.data[1]}`)
})
