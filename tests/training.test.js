// Tests that training runs give PyTorch's loss at each step, and PyTorch's final weights.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../src/entries/index.js'
import { Adam, AdamW, clipGradNorm, parameters, SGD, tape } from '../src/entries/train.js'
import { GPT, gpt, gptWeights, INDUCTION, induction, inductionWeights } from './training/small-models.js'

const STEPS = 50
const qkv = await load()
/** @type {Record<string, any>} */
const MODELS = { induction, gpt }

/** Makes random ids with targets. Every third position has no target (-1). Other targets follow from id and position. @param {any} g @param {import('./training/small-models.js').Sizes} sizes @param {number} B */
function makeBatch(g, { V, T }, B) {
  const ids = g.randint(0, V, [B, T])
  const targets = ids.data.map((/** @type {number} */ id, /** @type {number} */ n) => (n % 3 ? (id + (n % T)) % V : -1))
  return { ids, targets: { data: targets, dims: ids.dims } }
}

const PYTHON = '/usr/bin/python3'
const hasTorch = spawnSync(PYTHON, ['-c', 'import torch']).status === 0
const skip = hasTorch ? false : `${PYTHON} has no torch: apt-get install python3-torch`

/** @param {string} model @param {Record<string, any>} state @param {any[]} batches @param {any} more */
function inPyTorch(model, state, batches, more) {
  const nested = (/** @type {any} */ { data, dims }) =>
    Array.from({ length: dims[0] }, (_, b) => [...data.subarray(b * dims[1], (b + 1) * dims[1])])
  const job = {
    model,
    seed: 5,
    ...more,
    state: Object.fromEntries(Object.entries(state).map(([name, { data, dims }]) => [name, { data: [...data], dims }])),
    batches: batches.map(({ ids, targets }) => ({ ids: nested(ids), targets: nested(targets) })),
  }
  const path = fileURLToPath(new URL('./training/models.py', import.meta.url))
  const run = spawnSync(PYTHON, [path], { input: JSON.stringify(job), encoding: 'utf8', maxBuffer: 1e8 })
  assert.equal(run.status, 0, run.stderr)
  return JSON.parse(run.stdout)
}

/** @type {any[][]} */
const RUNS = [
  [
    'induction',
    INDUCTION,
    inductionWeights,
    8,
    Adam,
    { lr: 1e-2, betas: [0.9, 0.99] },
    { name: 'Adam', lr: 1e-2, betas: [0.9, 0.99] },
    1,
  ],
  [
    'gpt',
    GPT,
    gptWeights,
    3,
    AdamW,
    { lr: 3e-3, weightDecay: 0.05 },
    { name: 'AdamW', lr: 3e-3, weight_decay: 0.05 },
    0,
  ],
]

for (const [name, sizes, weights, B, Optimizer, options, theirs, clip] of RUNS)
  test(`${STEPS} steps of the model ${name}: losses and weights are PyTorch's`, { skip }, t => {
    const g = qkv.generator(3)
    const state = weights(g, sizes)
    const batches = Array.from({ length: STEPS }, () => makeBatch(g, sizes, B))
    const want = inPyTorch(name, state, batches, { heads: sizes.numHeads, optimizer: theirs, clip })
    const p = parameters(qkv, state)
    const optimizer = new Optimizer(p, options)
    const generator = qkv.generator(5)
    const [most, last] = [{ loss: 0, weight: 0 }, () => qkv.memory.size]
    let size = 0
    batches.forEach(({ ids, targets }, step) => {
      const run = tape(qkv, p, t =>
        t.crossEntropy(MODELS[name](t, p.values, ids, sizes, generator), targets, { ignoreIndex: -1 }),
      )
      run.backward()
      if (clip) clipGradNorm(p, clip)
      optimizer.step()
      const off = Math.abs(run.loss - want.losses[step]) / want.losses[step]
      assert.ok(off <= 1e-4, `step ${step}: loss ${run.loss}, ${want.losses[step]} in PyTorch`)
      most.loss = Math.max(most.loss, off)
      if (step === 0) size = last()
    })
    for (const [key, { data }] of Object.entries(p.values))
      data.forEach((value, i) => {
        const off = Math.abs(value - want.state[key][i])
        assert.ok(off <= 1e-4, `${key}[${i}]: ${value}, ${want.state[key][i]} in PyTorch`)
        most.weight = Math.max(most.weight, off)
      })
    assert.ok(want.losses[STEPS - 1] < want.losses[0])
    assert.equal(last(), size, 'no memory is taken after the first step')
    t.diagnostic(
      `PyTorch ${want.torch}; loss ${want.losses[0]} -> ${want.losses[STEPS - 1]}; largest difference ` +
        `of a loss ${most.loss.toExponential(1)} relative, of a weight ${most.weight.toExponential(1)}`,
    )
    optimizer.dispose()
    p.dispose()
    assert.equal(qkv.memory.resident, 0)
  })

for (const [name, Optimizer, options] of /** @type {any[]} */ ([
  ['SGD', SGD, { lr: 0.1, momentum: 0.9, dampening: 0.5, weightDecay: 0.1 }],
  ['Adam', Adam, { lr: 0.1, weightDecay: 0.1 }],
  ['AdamW', AdamW, { lr: 0.1 }],
]))
  test(`${name} leaves a parameter without a gradient alone, and counts its steps from its first gradient, as PyTorch`, () => {
    const values = { a: [1, 2, 3], b: [4, 5, 6], c: [7, 8, 9] }
    const p = parameters(qkv, values)
    const optimizer = new Optimizer(p, options)
    const make = (/** @type {any} */ of, /** @type {string[]} */ names) =>
      tape(qkv, of, t =>
        names.map(key => t.sum(t.mul(of.values[key], of.values[key]))).reduce((x, y) => t.add(x, y)),
      ).backward()
    for (let n = 0; n < 3; n++) {
      make(p, ['a', 'c'])
      optimizer.step()
      assert.deepEqual([...p.values.b.data], values.b, `step ${n}`)
    }
    make(p, ['b'])
    const before = [...p.values.a.data]
    optimizer.step()
    assert.deepEqual([...p.values.a.data], before, 'the gradient of an earlier step is none')
    // An optimiser that has only b takes the same steps from the first gradient of b on.
    const own = parameters(qkv, { b: values.b })
    const fresh = new Optimizer(own, options)
    make(own, ['b'])
    fresh.step()
    assert.deepEqual(p.values.b.data, own.values.b.data)
    assert.notDeepEqual([...own.values.b.data], values.b)
    const state = optimizer.stateDict()
    assert.deepEqual([state.step, state['step.a'], state['step.b'], state['step.c']], [4, 3, 1, 3])
    const again = parameters(qkv, p.stateDict())
    const continued = new Optimizer(again, options).loadStateDict(state)
    for (const [of, one] of [
      [p, optimizer],
      [again, continued],
      [own, fresh],
    ]) {
      make(of, of === own ? ['b'] : ['a', 'b', 'c'])
      one.step()
    }
    assert.deepEqual(again.stateDict(), p.stateDict())
    assert.deepEqual(p.values.b.data, own.values.b.data)
    p.values.a.data.fill(1)
    p.gradients.a.data.fill(0)
    make(p, ['b'])
    p.gradients.a.data.fill(1) // as a caller may set it
    optimizer.step()
    assert.notDeepEqual([...p.values.a.data], [1, 1, 1])
    assert.throws(
      () => optimizer.loadStateDict({ ...state, 'step.b': 9 }),
      /loadStateDict: step\.b: expected a whole number from 0 to 4, got 9/,
    )
    for (const one of [optimizer, continued, fresh, p, again, own]) one.dispose()
  })

test('the weights have the same bits after steps on 1, 2 and 4 threads', async () => {
  const sizes = { numHeads: 4, d: 128, V: 512, T: 64 }
  const runs = []
  for (const threads of [1, 2, 4]) {
    const module = await load({ threads })
    const g = module.generator(9)
    const p = parameters(module, gptWeights(g, sizes))
    const optimizer = new AdamW(p, { lr: 1e-3 })
    const generator = module.generator(2)
    const losses = [1, 2, 3].map(() => {
      const ids = g.randint(0, sizes.V, [8, sizes.T])
      const { loss } = tape(module, p, t => t.crossEntropy(gpt(t, p.values, ids, sizes, generator), ids)).backward()
      clipGradNorm(p, 1)
      optimizer.step()
      return loss
    })
    runs.push([losses, p.stateDict()])
    module.dispose()
  }
  assert.deepEqual(runs[1], runs[0])
  assert.deepEqual(runs[2], runs[0])
})
