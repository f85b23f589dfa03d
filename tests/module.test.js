// `module` of qkv/train: names and weights as in PyTorch's modules, layers as functions on a tape, and errors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, tensor } from '../src/entries/index.js'
import { embeddingLayer, linearLayer } from '../src/entries/nn.js'
import { Adam, init, LayerNorm, module, parameters, RMSNorm, tape } from '../src/entries/train.js'

const qkv = await load()
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value

test('parameters have the names of PyTorch, and the weights that layers were drawn with', () => {
  const g = qkv.generator(3)
  const block = () => ({
    norm: new LayerNorm(4),
    up: linearLayer(g, 4, 8),
    down: linearLayer(g, 8, 4, { bias: false }),
  })
  const layers = {
    embed: embeddingLayer(g, 5, 4),
    position: init.zeros([3, 4]),
    blocks: [block(), block()],
    norm: new RMSNorm(4),
  }
  const model = module(qkv, layers, () => 0)
  const names = ['norm.weight', 'norm.bias', 'up.weight', 'up.bias', 'down.weight']
  const { values } = model.parameters
  assert.deepEqual(Object.keys(values), [
    'embed.weight',
    'position',
    ...['blocks.0.', 'blocks.1.'].flatMap(path => names.map(name => path + name)),
    'norm.weight',
  ])
  assert.deepEqual(values['blocks.1.up.weight'].data, layers.blocks[1].up.weight.data)
  assert.deepEqual([...values['blocks.0.norm.weight'].data, ...values['norm.weight'].data], Array(8).fill(1))
  assert.deepEqual([...values['blocks.0.norm.bias'].data], [0, 0, 0, 0])
  model.parameters.dispose()
  const one = module(qkv, linearLayer(g, 2, 3), (_, linear, x) => linear(x))
  assert.deepEqual(Object.keys(one.parameters.values), ['weight', 'bias'])
  one.parameters.dispose()
  assert.equal(qkv.memory.resident, 0)
})

test('a model has the bits of the same operations by hand: output, gradients, and weights after steps', () => {
  const g = qkv.generator(5)
  const layers = {
    embed: embeddingLayer(g, 6, 8),
    list: [linearLayer(g, 8, 8), linearLayer(g, 8, 8, { bias: false })],
    norms: {
      first: new LayerNorm(8, { eps: 0.1 }),
      plain: new LayerNorm(8, { bias: false }),
      last: new RMSNorm(8, { eps: 1e-3 }),
    },
    scale: init.normal(g, [8]),
  }
  const ids = g.randint(0, 6, [2, 3])
  const model = module(qkv, layers, (t, { embed, list, norms, scale }, ids, paddingIdx) => {
    let h = embed(ids, { paddingIdx })
    for (const linear of list) h = linear(norms.first(h), { activation: 'gelu', residual: h })
    h = t.add(norms.plain(h), t.linear(h, list[0].weight, list[0].bias))
    return t.linear(t.mul(norms.last(h), scale), embed.weight)
  })
  const p = parameters(qkv, model.parameters.stateDict())
  const v = p.values
  const byHand = (/** @type {import('../src/entries/train.js').Tape} */ t) => {
    let h = t.embedding(ids, v['embed.weight'], { paddingIdx: 2 })
    for (const n of [0, 1]) {
      const normed = t.layerNorm(h, v['norms.first.weight'], v['norms.first.bias'], { eps: 0.1 })
      h = t.linear(normed, v[`list.${n}.weight`], v[`list.${n}.bias`], { activation: 'gelu', residual: h })
    }
    const plain = t.layerNorm(h, v['norms.plain.weight'], undefined, { eps: 1e-5 })
    h = t.add(plain, t.linear(h, v['list.0.weight'], v['list.0.bias']))
    return t.linear(t.mul(t.rmsNorm(h, v['norms.last.weight'], { eps: 1e-3 }), v.scale), v['embed.weight'])
  }
  const optimizers = [new Adam(model.parameters), new Adam(p)]
  for (let step = 0; step < 3; step++) {
    const ours = tape(qkv, model.parameters, t => t.crossEntropy(model(t, ids, 2), ids)).backward()
    const theirs = tape(qkv, p, t => t.crossEntropy(byHand(t), ids)).backward()
    assert.equal(ours.loss, theirs.loss)
    for (const name of Object.keys(v))
      assert.deepEqual(model.parameters.gradients[name].data, p.gradients[name].data, name)
    for (const optimizer of optimizers) optimizer.step()
  }
  assert.deepEqual(model.parameters.stateDict(), p.stateDict())
  for (const held of [...optimizers, p, model.parameters]) held.dispose()
  assert.equal(qkv.memory.resident, 0)
})

test('an invalid layer, a layer in two places, and a wrong forward are named; no memory stays in use', () => {
  const g = qkv.generator(1)
  const linear = linearLayer(g, 2, 2)
  const forward = () => 0
  const endless = any({ a: linear })
  endless.b = endless
  /** @type {[call: () => unknown, message: RegExp][]} */
  const calls = [
    [
      () => module(qkv, any(3), forward),
      /module: layers: expected a layer, a tensor, or an object or array of them.*got 3/,
    ],
    [() => module(qkv, any({ a: { b: null } }), forward), /module: a\.b: .*got null/],
    [() => module(qkv, any({ a: [linear, 'x'] }), forward), /module: a\.1: .*got "x"/],
    [
      () => module(qkv, { a: linear, b: [linear] }, forward),
      /module: b\.0 is the same as a: give it once, and use that one/,
    ],
    [() => module(qkv, endless, forward), /module: b is the same as what holds it/],
    [() => module(qkv, {}, forward), /parameters: .*got an empty object/],
    [
      () => module(qkv, { 'a.weight': tensor([1]), a: linear }, forward),
      /module: two tensors have the name a\.weight: rename one/,
    ],
    [
      () => module(qkv, { 'b.0': tensor([1]), b: [tensor([2])] }, forward),
      /module: two tensors have the name b\.0: rename/,
    ],
    [
      () => module(qkv, { ['__proto__']: tensor([1]), a: linear }, forward),
      /module: expected another name.*got __proto__/,
    ],
    [
      () => parameters(qkv, { ['__proto__']: tensor([1]), a: tensor([1]) }),
      /parameters: expected another name.*got __proto__/,
    ],
    [
      () => module(qkv, { a: linear }, any(undefined)),
      /module: expected a function of the tape and the layers.*got undefined/,
    ],
    [() => module(any({}), { a: linear }, forward), /parameters: expected what load\(\).*got an empty object/],
    [() => module(qkv, { a: any({ data: 'x', dims: [1] }) }, forward), /parameters: a: /],
    [() => new LayerNorm(any('x')), /LayerNorm: dim: .*got "x"/],
    [() => new LayerNorm(2 ** 30, { bias: false }), /LayerNorm: dim: .*to 1073741823, got 1073741824/],
    [() => new RMSNorm(2 ** 30), /RMSNorm: dim: .*got 1073741824/],
    [() => new LayerNorm(3, any({ epsilon: 1 })), /LayerNorm: there is no option "epsilon"/],
    [() => new LayerNorm(3, { eps: -1 }), /LayerNorm: eps: .*got -1/],
    [() => new LayerNorm(3, any({ bias: 1 })), /LayerNorm: bias: .*got 1/],
    [() => new RMSNorm(2.5), /RMSNorm: dim: .*got 2\.5/],
    [() => new RMSNorm(2, any({ eps: 'x' })), /RMSNorm: eps: .*got "x"/],
  ]
  for (const [call, message] of calls) assert.throws(call, { message })
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
  const model = module(qkv, { a: linear, w: tensor([[1, 2]]) }, (t, { a, w }, x) => t.add(a(x), w))
  assert.throws(() => tape(qkv, model.parameters, t => model(t, [[1]])), /linear: x has dims \(1, 1\)/)
  assert.throws(() => model(any(undefined), [[1, 2]]), TypeError)
  const { output } = tape(qkv, model.parameters, t => model(t, [[0, 0]]))
  assert.deepEqual(
    [...output.data],
    Array.from(linear.bias?.data ?? [], (x, n) => Math.fround(x + n + 1)),
  )
  model.parameters.dispose()
  assert.equal(qkv.memory.resident, 0)
})
