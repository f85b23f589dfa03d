// Measures the error of long sums, products over K = 2^20 values in [0, 1], relative to float64, compared with onnxruntime-web and onnxruntime-node.

import { load } from '../../../src/entries/index.js'
import { encodeModel } from '../peers/onnx.js'
import { digits } from '../report.js'

const [M, K, N] = [4, 2 ** 20, 8]

/** @param {string} name of a package of onnxruntime @param {Float32Array} x (M, K) @param {Float32Array} w (K, N) */
async function productBy(name, x, w) {
  const ort = await import(name)
  const nodes = [{ op: 'MatMul', inputs: ['x', 'w'], outputs: ['y'] }]
  const inputs = [
    { name: 'x', dims: [M, K] },
    { name: 'w', dims: [K, N] },
  ]
  const session = await ort.InferenceSession.create(
    encodeModel({ nodes, inputs, outputs: [{ name: 'y', dims: [M, N] }] }),
  )
  const { y } = await session.run({ x: new ort.Tensor('float32', x, [M, K]), w: new ort.Tensor('float32', w, [K, N]) })
  await session.release()
  return y.data
}

/** @returns {Promise<Omit<import('../table.js').TableRow, 'load'>[]>} value: the error */
export async function sumErrors() {
  const qkv = await load()
  const g = qkv.generator(7)
  const [x, w] = [g.rand([M, K]), g.rand([K, N])]
  const exact = Array.from({ length: M * N }, (_, i) => {
    let sum = 0
    for (let k = 0; k < K; k++) sum += x.data[Math.floor(i / N) * K + k] * w.data[k * N + (i % N)]
    return sum
  })
  const errorOf = (/** @type {Float32Array} */ got) =>
    exact.reduce((most, value, i) => Math.max(most, Math.abs(got[i] / value - 1)), 0)
  const own = errorOf(qkv.matmul(x, w).data)
  const rows = []
  for (const name of ['onnxruntime-web', 'onnxruntime-node']) {
    const other = await productBy(name, x.data, w.data).then(errorOf, () => NaN)
    const beside = name === 'onnxruntime-node' ? `${name}, native` : name
    rows.push({
      name: 'matmul, K = 2^20, values in [0, 1]: relative error',
      ours: own.toExponential(1),
      beside,
      other: Number.isNaN(other) ? '-' : other.toExponential(1),
      value: own,
      goal: '<= 3e-6',
    })
  }
  const ones = 2 ** 25
  const { data } = qkv.matmul(
    { data: new Float32Array(ones).fill(1), dims: [1, ones] },
    { data: new Float32Array(ones).fill(1), dims: [ones, 1] },
  )
  rows.push({
    name: 'the sum of 2^25 ones',
    ours: String(data[0]),
    beside: '2^25',
    other: digits(ones),
    value: data[0] / ones,
    goal: '1',
  })
  return rows
}
