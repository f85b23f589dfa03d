// Runs the benchmark quickly. Its results must be right, and its calls faster than the same loops in plain JavaScript.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { plainAttention, reference } from './bench/attention-float64.js'
import { measure } from './bench/measure.js'
import { encodeModel } from './bench/peers/onnx.js'
import { prepare } from './bench/peers/qkv.js'
import { play } from './bench/schedule.js'
import { flops, SHAPES } from './bench/shapes.js'
import { makeTask } from './bench/task.js'

const LARGEST_ERROR = { attention: 2e-6, multihead: 2e-5 } // for values near 1, which are sums of 64 products in attention and 512 in multihead
const small = SHAPES.filter(shape => flops(shape) < 2e9)

for (const shape of small)
  test(`${shape.name} is what float64 gives`, async () => {
    const task = makeTask(shape, (await load()).generator(123))
    const { errorOf } = reference(task)
    const output = await (await prepare(task)).output()
    const error = errorOf(output)
    assert.ok(error <= LARGEST_ERROR[shape.multihead ? 'multihead' : 'attention'], `largest error ${error}`)
    output[output.length - 1] = NaN
    assert.equal(errorOf(output), Infinity, 'a NaN is an error')
  })

test('ours is faster than plain JavaScript', async () => {
  for (const causal of [false, true]) {
    const shape = { name: 'H2 L128 D64', H: 2, L: 128, D: 64, causal }
    const task = makeTask(shape, (await load()).generator(123))
    const ours = await prepare(task)
    const plain = { run: () => plainAttention(task.q, task.k, task.v, shape) }
    const [own, other] = await measure([ours, plain], { samples: 3 })
    assert.ok(own.median * 4 < other.median, `ours ${own.median} ms, plain JavaScript ${other.median} ms`)
  }
})

test('candidates are measured in turns, a slow one once', async () => {
  /** @type {string[]} */
  const calls = []
  let clock = 0
  const busy = (/** @type {string} */ name, /** @type {number} */ ms) => ({
    run: async () => {
      calls.push(name)
      clock += ms
    },
  })
  const options = { samples: 3, limit: 50, now: () => clock }
  const [a, b, slow] = await measure([busy('a', 10), busy('b', 10), busy('slow', 60)], options)
  assert.equal(calls.slice(-6).join(' '), 'a b a b a b')
  assert.equal(calls.filter(name => name === 'slow').length, 1)
  assert.ok(slow.once && slow.samples.length === 1 && !a.once)
  assert.ok(a.min >= 10 && a.median >= a.min && b.samples.length === 3)
})

test('an ONNX model is written as protobuf has it', () => {
  const value = { name: 'x', dims: [300] }
  const nodes = [{ op: 'Neg', inputs: ['x'], outputs: ['y'] }]
  const bytes = encodeModel({ nodes, inputs: [value], outputs: [{ ...value, name: 'y' }] })
  const hex = Buffer.from(bytes).toString('hex')
  assert.ok(hex.startsWith('080a3a')) // ir_version 10, then the graph
  assert.ok(hex.includes('0a0178120179' + '22034e6567')) // the node: its input x, its output y, its operator Neg
  assert.ok(hex.includes('08ac02')) // 300 as a varint takes two bytes
})

test('a simulated schedule: each thread runs its own range, then remaining parts of others', () => {
  const wallOf = (/** @type {number[][]} */ ranges) => Number(play(ranges).wall.toFixed(2))
  assert.equal(wallOf([[3, 2, 1]]), 6)
  assert.equal(wallOf([[1, 1], [1, 1]]), 2) // biome-ignore format: one line
  assert.equal(wallOf([[4, 1, 1], [1]]), 4, 'the second thread takes two parts of the first') // biome-ignore format: one line
  assert.equal(wallOf([[], [], [5, 1]]), 5)
  assert.equal(play([[4, 1, 1], [1]]).busy, 7)
})
