// Estimates how long a model takes on this computer: the number of multiplications divided by the measured speed of a matrix product. No
// DOM; loaded when the reader asks about a model of the hub, or for a long graph.

import { packLinear } from 'qkv/nn'
import { workOf } from './limits.js'

/** Tokens of a typical text. The measured product is the first one in an MLP of GPT-2 small, on such a text. */
const TOKENS = 32
const [OUT, IN] = [3072, 768]
/** Minimum milliseconds of measuring, and minimum number of products. */
const [PATIENCE, LEAST] = [60, 5]

/** Caches the multiplications per second of each core. @type {WeakMap<import('qkv').Qkv, number>} */
const rates = new WeakMap()

/** @param {import('qkv').Qkv} qkv */
export function rateOf(qkv) {
  const known = rates.get(qkv)
  if (known) return known
  const layer = packLinear(qkv, { data: new Float32Array(OUT * IN).fill(0.01), dims: [OUT, IN] })
  const x = { data: new Float32Array(TOKENS * IN).fill(0.5), dims: [TOKENS, IN] }
  /** @type {number[]} */
  const times = []
  const start = performance.now()
  while (times.length < LEAST || performance.now() - start < PATIENCE) {
    const before = performance.now()
    layer.forward(x)
    times.push(performance.now() - before)
  }
  layer.dispose()
  const median = times.sort((a, b) => a - b)[times.length >> 1]
  const rate = (TOKENS * OUT * IN) / (median / 1000)
  rates.set(qkv, rate)
  return rate
}

/** Estimates the seconds that a typical text takes, with all its maps. @param {import('qkv').Qkv} qkv @param {Parameters<typeof workOf>[0]} model */
export const secondsOfText = (qkv, model) => workOf(model, TOKENS) / rateOf(qkv)
