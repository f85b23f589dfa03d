// Decodes the weights of every type of block in GGUF files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK_TYPES } from '../../src/models/gguf/block-types.js'
import { dequantize } from '../../src/models/gguf/dequantize.js'
import { WRITE, writeBlocks } from './gguf/blocks.js'
import { randomOf } from './tokenizers/random-files.js'

for (const type of Object.keys(BLOCK_TYPES))
  test(`${type}: the weights of random blocks are the products of their scales and whole numbers, rounded once`, () => {
    const random = randomOf(1)
    for (let n = 0; n < 4; n++) {
      const { bytes, values } = writeBlocks(type, 10_240, random)
      assert.equal(bytes.length, (10_240 / BLOCK_TYPES[type][1]) * BLOCK_TYPES[type][2])
      assert.deepEqual(
        Array.from(dequantize(type, bytes), one => one + 0),
        Array.from(values, one => one + 0),
      )
      assert.ok(Math.max(...values.map(Math.abs)) > 0.03)
    }
  })

test('there is a writer for each type of blocks', () => {
  assert.deepEqual(
    Object.keys(BLOCK_TYPES)
      .filter(type => !['F32', 'F16', 'BF16'].includes(type))
      .sort(),
    Object.keys(WRITE).sort(),
  )
})
