// Computes products with int8 weights in plain JavaScript, rounded as the kernels round them.

import assert from 'node:assert/strict'
import { tensor } from '../src/entries/index.js'
import { packLinear } from '../src/entries/nn.js'

export const f = Math.fround

/**
 * Quantises a row of x as the integer kernels do, to whole numbers with a scale for each block of 256.
 * @param {Float32Array} row
 * @param {number} [most] the largest whole number: 32767 for int16, 127 for int8
 */
export function wholeNumbers(row, most = 32767) {
  const q = new Float64Array(row.length)
  const steps = Array.from({ length: Math.ceil(row.length / 256) }, (_, b) => {
    const block = row.subarray(b * 256, b * 256 + 256)
    const largest = block.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    const inverse = f(most / largest)
    block.forEach((value, i) => {
      q[b * 256 + i] = largest && f(f(f(value * inverse) + 12582912) - 12582912) // rounds to nearest, ties to even
    })
    return largest < 1e-33 ? 0 : f(largest / most)
  })
  return { q, steps }
}

/**
 * Computes x (w scales)^T + bias with the roundings of the kernel. x is quantised in blocks of 256. The sums of a block are exact,
 * everything else is float32.
 * @param {Float32Array} x (M, K)
 * @param {Int8Array} w (N, K)
 * @param {Float32Array} scales (N)
 * @param {Float32Array} bias (N)
 * @param {number} [most] the largest whole number to which x is quantised
 */
export function integerProduct(x, w, scales, bias, most) {
  const [N, K] = [scales.length, w.length / scales.length]
  const y = new Float32Array((x.length / K) * N)
  for (let m = 0; m < x.length / K; m++) {
    const { q, steps } = wholeNumbers(x.subarray(m * K, (m + 1) * K), most)
    for (let n = 0; n < N; n++) {
      let sum = bias[n]
      steps.forEach((step, b) => {
        let whole = 0
        for (let k = b * 256; k < Math.min(K, b * 256 + 256); k++) whole += q[k] * w[n * K + k]
        sum = f(sum + f(f(scales[n] * step) * f(whole)))
      })
      y[m * N + n] = sum
    }
  }
  return y
}

/** Compares the output rows of a packed layer with the expected ones. Some rows are also computed alone. @param {ReturnType<typeof packLinear>} layer @param {Float32Array} x (M, K) @param {Float32Array} want (M, N) @param {number[]} sizes M, K, N */
export function checkRows(layer, x, want, [M, K, N]) {
  assert.deepEqual(layer.forward(tensor(x, [M, K])).data, want, `${M} x ${K} by ${N}`)
  for (const m of new Set([0, Math.min(2, M - 1), M - 1])) {
    const alone = layer.forward(tensor(x.slice(m * K, (m + 1) * K), [1, K])).data
    assert.deepEqual(alone, want.slice(m * N, (m + 1) * N), `row ${m} of ${M} x ${K} by ${N}`)
  }
}

/**
 * Compares products of int8 weights with integerProduct. Some rows of x are zero, tiny or huge.
 * @param {import('../src/entries/index.js').Qkv} qkv
 * @param {readonly number[][]} sizes M, K, N
 * @param {'int16' | 'int8'} activations
 */
export function checkInt8Products(qkv, sizes, activations) {
  const g = qkv.generator(12)
  for (const [M, K, N] of sizes) {
    const data = Int8Array.from(g.randint(-127, 128, [N * K]).data)
    const scales = g.uniform([N], 1e-3, 1)
    const [bias, { data: x }] = [g.randn([N]), g.randn([M, K])]
    x.fill(0, 0, Math.min(256, K))
    if (M > 2) x.set([1e-29, -1e-29].slice(0, K), K)
    for (let k = 2 * K; k < 3 * K && M > 3; k++) x[k] *= 1e28
    const layer = packLinear(qkv, { data, dims: [N, K], dtype: 'int8' }, bias, { dtype: 'int8', activations, scales })
    checkRows(layer, x, integerProduct(x, data, scales.data, bias.data, activations === 'int8' ? 127 : 32767), [
      M,
      K,
      N,
    ])
    layer.dispose()
  }
}
