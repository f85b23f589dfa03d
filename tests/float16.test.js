// Conversion of all 65536 float16 numbers, and the rounding of float32 to float16.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, tensor } from '../src/entries/index.js'

const qkv = await load()
const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits)

/** Decodes float16 as defined by IEEE 754. @param {number} bits */
function numberOf(bits) {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

test('every float16 becomes the float32 of the same value', () => {
  const floats = tensor(all, [65536]).float()
  assert.equal(floats.dtype, 'float32')
  for (const bits of all) assert.ok(Object.is(floats.data[bits], numberOf(bits)), `bits ${bits}: ${floats.data[bits]}`)
})

test('every float16 comes back with its bits; a NaN comes back as a NaN', () => {
  const back = tensor(all, [65536]).float().half()
  assert.equal(back.dtype, 'float16')
  for (const bits of all)
    if (Number.isNaN(numberOf(bits))) assert.ok(Number.isNaN(numberOf(back.data[bits])))
    else assert.equal(back.data[bits], bits)
})

test('between two neighbours the nearer one is taken, in the middle the even one', () => {
  for (let bits = 0; bits < 0x7c00; bits++) {
    const [low, high] = [numberOf(bits), bits === 0x7bff ? 65536 : numberOf(bits + 1)]
    const middle = (low + high) / 2
    const below = low + (high - low) * 0.499
    const above = low + (high - low) * 0.501
    const even = bits % 2 ? bits + 1 : bits
    for (const sign of [1, -1]) {
      const got = tensor([below, middle, above].map(x => sign * x)).half().data
      const flag = sign < 0 ? 0x8000 : 0
      assert.deepEqual([...got], [flag | bits, flag | even, flag | (bits + 1)], `${sign * low}`)
    }
  }
})

test('beyond the range it is infinity, below it is zero, with the sign', () => {
  const got = tensor([65519, 65520, 1e30, -Infinity, 2e-8, 3e-8, -1e-30, -0]).half().data
  assert.deepEqual([...got], [0x7bff, 0x7c00, 0x7c00, 0xfc00, 0, 1, 0x8000, 0x8000])
})

test('a tensor of float16 prints, indexes and enters every call as its numbers', () => {
  const x = tensor([
    [1, 0.5],
    [-2, 65504],
  ]).half()
  assert.equal(
    `${x}`,
    `${tensor([
      [1, 0.5],
      [-2, 65504],
    ])}`,
  )
  assert.equal(x.at(1, 0), -2)
  assert.deepEqual(x.tolist(), [
    [1, 0.5],
    [-2, 65504],
  ])
  assert.deepEqual(qkv.softmax(x).data, qkv.softmax(x.float()).data)
  assert.deepEqual(qkv.attention(x, x, x).output.data, qkv.attention(x.float(), x.float(), x.float()).output.data)
})

test('the Float16Array of newer engines is taken, too', t => {
  const Float16Array = /** @type {any} */ (globalThis).Float16Array
  if (!Float16Array) return t.skip('this engine has no Float16Array')
  const x = tensor(new Float16Array([1, 0.5]), [1, 2])
  assert.equal(x.dtype, 'float16')
  assert.deepEqual([...x.float().data], [1, 0.5])
})
