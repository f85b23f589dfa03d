// stateDict and loadStateDict use PyTorch's names for the weights of layers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { embeddingLayer, linearLayer, multiheadAttention } from '../src/entries/nn.js'

const qkv = await load()

/** @param {Record<string, { dims: readonly number[] }>} state */
const dimsOf = state => Object.fromEntries(Object.entries(state).map(([name, { dims }]) => [name, [...dims]]))

test('a linear layer and an embedding have the names of torch.nn in stateDict and loadStateDict', () => {
  const g = qkv.generator(1)
  const [from, to] = [linearLayer(g, 3, 2), linearLayer(g, 3, 2)]
  assert.deepEqual(dimsOf(from.stateDict()), { weight: [2, 3], bias: [2] })
  assert.deepEqual(to.loadStateDict(from.stateDict()).forward([[1, 2, 3]]), from.forward([[1, 2, 3]]))
  assert.deepEqual(Object.keys(linearLayer(g, 3, 2, { bias: false }).stateDict()), ['weight'])
  const [table, other] = [embeddingLayer(g, 5, 4), embeddingLayer(g, 5, 4)]
  assert.deepEqual(dimsOf(table.stateDict()), { weight: [5, 4] })
  assert.deepEqual(other.loadStateDict(table.stateDict()).forward([4, 1]), table.forward([4, 1]))
  assert.notEqual(other.weight.data, table.weight.data, 'what is taken is copied')
})

test('multi-head attention has the names of torch.nn.MultiheadAttention.state_dict() in both', () => {
  const x = qkv.generator(9).randn([2, 3, 4])
  for (const [options, expected] of /** @type {const} */ ([
    [{}, { in_proj_weight: [12, 4], in_proj_bias: [12], 'out_proj.weight': [4, 4], 'out_proj.bias': [4] }],
    [{ bias: false }, { in_proj_weight: [12, 4], 'out_proj.weight': [4, 4] }],
    [
      { addBiasKV: true, bias: false },
      { in_proj_weight: [12, 4], bias_k: [1, 1, 4], bias_v: [1, 1, 4], 'out_proj.weight': [4, 4] },
    ],
  ])) {
    const from = multiheadAttention(qkv.generator(2), 4, 2, options)
    const to = multiheadAttention(qkv.generator(3), 4, 2, options)
    assert.deepEqual(dimsOf(from.stateDict()), expected)
    assert.notDeepEqual(to.forward(x).output, from.forward(x).output)
    assert.deepEqual(to.loadStateDict(from.stateDict()).forward(x), from.forward(x))
  }
  const apart = multiheadAttention(qkv.generator(4), 4, 2, { kDim: 3, vDim: 5, bias: false })
  assert.deepEqual(dimsOf(apart.stateDict()), {
    q_proj_weight: [4, 4],
    k_proj_weight: [4, 3],
    v_proj_weight: [4, 5],
    'out_proj.weight': [4, 4],
  })
  assert.deepEqual(apart.loadStateDict(apart.stateDict()).stateDict(), apart.stateDict())
})

test('missing, surplus and wrongly shaped weights are named, and nothing changes', () => {
  const layer = linearLayer(qkv.generator(1), 3, 2)
  const before = layer.stateDict()
  for (const [state, message] of /** @type {[any, RegExp][]} */ ([
    [{ weight: before.weight }, /bias \(out\) = \(2\) is missing; given: weight/],
    [{ ...before, gain: [1] }, /no place for gain/],
    [{ ...before, weight: before.weight.T }, /weight: expected \(out, in\) = \(2, 3\), got dims \(3, 2\)/],
    [null, /expected an object of weights by name, got null/],
  ])) {
    assert.throws(() => layer.loadStateDict(state), message)
    assert.deepEqual(layer.stateDict(), before)
  }
  assert.throws(() => layer.forward([[1, 2]]), /weight \(out, in\) = \(2, 3\): the last axis of x must be 3/)
})
