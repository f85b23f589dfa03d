// Dropout, with the factors that the generator draws.

import assert from 'node:assert/strict'
import { load } from '../../src/entries/index.js'
import * as nn from '../../src/entries/nn.js'

const random = await load()

/** Returns the factors, 0 or 1 / (1 - p), that the generator of these tests draws. @param {number} p */
const factorsOf = p => random.generator(3).dropout({ data: new Float32Array(99).fill(1), dims: [99] }, p).data

/** @param {Record<string, any>} inputs @param {Record<string, any>} options @returns {number[]} */
export function reference({ x }, { p }) {
  const factors = factorsOf(p)
  return Array.from(/** @type {number[]} */ (x.data), (a, n) => a * factors[n])
}

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [5, 7] }, options: { p: 0.4 } }]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { x }, { p }, dY, more) => {
  const given = () => ({ p, generator: qkv.generator(3) })
  const output = nn.dropout(qkv, x, given())
  assert.deepEqual(output.data, qkv.generator(3).dropout(x, p).data)
  const place = x.slice(0, 0)
  assert.equal(nn.dropout(qkv, place, { ...given(), out: place }), place)
  assert.deepEqual(place.data, output.data)
  return { output, x: nn.dropoutBackward(qkv, dY, { ...given(), ...more }).dX }
}

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x }, options, generator) => t.dropout(x, { ...options, generator })
