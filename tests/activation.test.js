// Compares activations and their derivatives with float64 over the whole range of float32. The bounds are those of src/kernel/activation.h.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compile } from './bench/compile.js'

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))
const { instance } = await WebAssembly.instantiate(
  compile(
    [path('./activation.c'), path('../src/kernel/constants.c')],
    [`-I${path('../src/kernel')}`, '-sINITIAL_MEMORY=16777216'],
  ),
)
const { memory, ...kernels } = /** @type {any} */ (instance.exports)
const BATCH = 1 << 16
const AT = 1 << 23
const [x, y] = [AT, AT + 4 * BATCH].map(at => new Float32Array(memory.buffer, at, BATCH))

/** Returns 1 - Phi(t), the upper tail of the normal distribution, for t >= 0: by a series for small t, else by a continued fraction. @param {number} t */
function tail(t) {
  const z = t / Math.SQRT2
  if (z > 2.5) {
    let fraction = 0
    for (let n = 120; n > 0; n--) fraction = n / 2 / (z + fraction)
    return (0.5 * Math.exp(-z * z)) / Math.sqrt(Math.PI) / (z + fraction)
  }
  let [sum, term] = [z, z]
  for (let n = 1; Math.abs(term) > 1e-18; n++) {
    term *= (-z * z) / n
    sum += term / (2 * n + 1)
  }
  return 0.5 - sum / Math.sqrt(Math.PI)
}
const phi = (/** @type {number} */ a) => (a < 0 ? tail(-a) : 1 - tail(a))
const sigmoid = (/** @type {number} */ a) => (a < 0 ? Math.exp(a) / (1 + Math.exp(a)) : 1 / (1 + Math.exp(-a)))
const FACTOR = 2 * Math.sqrt(2 / Math.PI)
const inner = (/** @type {number} */ a) => FACTOR * (a + 0.044715 * a ** 3)

/** @type {Record<string, (a: number) => number>} */
const FORMULAS = {
  gelu4: a => a * phi(a),
  gelu_tanh4: a => a * sigmoid(inner(a)),
  silu4: a => a * sigmoid(a),
  relu4: a => Math.max(a, 0),
  d_gelu4: a => phi(a) + (a * Math.exp((-a * a) / 2)) / Math.sqrt(2 * Math.PI),
  d_gelu_tanh4: a => {
    const slope = FACTOR * (1 + 3 * 0.044715 * a * a)
    return sigmoid(inner(a)) + a * sigmoid(inner(a)) * sigmoid(-inner(a)) * slope
  },
  d_silu4: a => sigmoid(a) * (1 + a * sigmoid(-a)),
  d_relu4: a => (a > 0 ? 1 : 0),
}
const BOUND = { value: { rel: 4e-7, abs: 4e-8 }, derivative: { rel: 4e-7, abs: 1.5e-7 } }

for (const [name, formula] of Object.entries(FORMULAS))
  test(`${name} is as precise as activation.h states, from the smallest float to the largest`, t => {
    const { rel, abs } = name.startsWith('d_') ? BOUND.derivative : BOUND.value
    const words = new Uint32Array(memory.buffer, AT, BATCH)
    let [most, where] = [0, 0]
    for (let batch = 0; batch < 4; batch++) {
      // even batches: evenly spaced bit patterns; odd batches: evenly spaced values up to 16
      for (let i = 0; i < BATCH; i++)
        if (batch % 2) x[i] = ((i + batch / 4) / BATCH) * 32 - 16
        else words[i] = (i >> 1) * (0x7f7fffff / (BATCH / 2 - 1)) + (i % 2) * 0x80000000
      kernels[name](AT, AT + 4 * BATCH, BATCH)
      for (let i = 0; i < BATCH; i++) {
        const want = formula(x[i])
        const share = Math.abs(y[i] - want) / (abs + rel * Math.abs(want))
        if (!(share <= most || Number.isNaN(most))) [most, where] = [share, x[i]]
      }
    }
    t.diagnostic(`largest error: ${most.toFixed(3)} of the bound, at ${where}`)
    assert.ok(most <= 1, `${most} of the bound at ${where}`)
  })

test('NaN and infinities give what PyTorch gives', () => {
  // from PyTorch 1.13.1: F.gelu(x), F.gelu(x, approximate='tanh'), F.silu(x), F.relu(x) and their gradients
  const given = [-Infinity, Infinity, NaN, 3e38]
  const big = Math.fround(3e38)
  const smooth = [NaN, Infinity, NaN, big]
  /** @type {Record<string, number[]>} */
  const expected = { gelu4: smooth, gelu_tanh4: smooth, silu4: smooth, relu4: [0, Infinity, NaN, big] }
  for (const name in FORMULAS) {
    const want = expected[name] ?? (name === 'd_relu4' ? [0, 1, 1, 1] : [NaN, NaN, NaN, 1])
    for (let at = 0; at < 4; at++) {
      // rotated, so that each value goes through each of the four lanes
      x.set([...given.slice(at), ...given.slice(0, at)])
      kernels[name](AT, AT + 4 * BATCH, 4)
      assert.deepEqual([...y.subarray(0, 4)], [...want.slice(at), ...want.slice(0, at)], name)
    }
  }
})
