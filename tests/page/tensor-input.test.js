// Tests how an element reads tensors of other libraries, whatever the type of their numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toFloat16 } from '../../src/base/float16.js'
import { check, hiddenIn } from '../../web/elements/tensor-input.js'

const numbers = [1, -0.5, 0, 65504, 2 ** -24, 2 ** -14, -Infinity, Infinity, Number.NaN]
const floats = Float32Array.from(numbers)

test('bits of float16 are drawn as the numbers that they are, under the names of ONNX Runtime and of qkv', () => {
  const data = toFloat16(floats)
  for (const name of ['type', 'dtype'])
    assert.deepEqual(Array.from(check({ data, dims: [3, 3], [name]: 'float16' }, 2).data), numbers)
  const { data: integers } = check({ data, dims: [3, 3] }, 2)
  assert.equal(integers, data, 'without a name they are whole numbers')
})

test('bits of bfloat16 are drawn as the numbers that they are', () => {
  const data = Uint16Array.from(new Uint32Array(floats.buffer), bits => bits >> 16)
  const { data: drawn } = check({ data, dims: [3, 3], type: 'bfloat16' }, 2)
  assert.deepEqual([drawn[0], drawn[1], drawn[6]], [1, -0.5, -Infinity])
})

test('booleans are drawn as 1 and 0, and hide as a mask', () => {
  const tensor = check({ data: [true, false, false, true], dims: [2, 2] }, 2)
  assert.deepEqual(Array.from(tensor.data), [1, 0, 0, 1])
  const isHidden = hiddenIn(check({ data: [1, 2, 3, 4], dims: [2, 2] }, 2), tensor)
  assert.deepEqual([0, 1, 2, 3].map(isHidden), [false, true, true, false])
})

test('a mask of float16 is added: -Infinity hides, 0 does not', () => {
  const mask = check({ data: toFloat16(Float32Array.of(0, -Infinity)), dims: [1, 2], type: 'float16' }, 2)
  const isHidden = hiddenIn(check({ data: [1, 2], dims: [1, 2] }, 2), mask)
  assert.deepEqual([0, 1].map(isHidden), [false, true])
})
