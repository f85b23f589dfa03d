// The operations of a transformer block other than attention, compared with PyTorch 1.13 (goldens/make-torch-blocks.py).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load, tensor } from '../src/entries/index.js'
import * as nn from '../src/entries/nn.js'
import * as train from '../src/entries/train.js'
import { close } from './helpers.js'
import { gradientName, operandsOf } from './operations.js'

/** Untyped, because some options are wrong on purpose. @type {any} */
const qkv = await load()
/** @type {any} */
const api = { ...nn, ...train }
const goldens = JSON.parse(readFileSync(new URL('./goldens/torch-blocks.json', import.meta.url), 'utf8'))

/** Converts a golden, in which numbers that JSON lacks (NaN, Infinity) are strings. @param {{ data: (number | string)[], dims: number[] }} golden */
const toTensor = ({ data, dims }) => ({ data: Float32Array.from(data, Number), dims })

/** @param {Record<string, any>} inputs */
const toTensors = inputs => Object.fromEntries(Object.entries(inputs).map(([name, x]) => [name, toTensor(x)]))

/** Operands of functions that have no file in tests/operations. @type {Record<string, string[]>} */
const OTHERS = { sumRows: ['x'], embedding: ['ids', 'weight'] }

/** Lists the operands of an operation in order. @param {string} op */
const orderOf = op => OTHERS[op] ?? operandsOf(op).operands

/** Returns a tolerance relative to the largest value. @param {any} want @param {number} rel */
const tolerance = (want, rel) => {
  const size = Math.max(1e-30, ...Array.from(want.data, Math.abs).filter(Number.isFinite))
  return { abs: rel * Math.min(size, 1e6), rel: 2 * rel }
}

goldens.cases.forEach((/** @type {any} */ golden, /** @type {number} */ n) => {
  const { op, options, output } = golden
  const { paddingIdx, ...forward } = options
  const inputs = toTensors(golden.inputs)
  const operands = orderOf(op).map(name => inputs[name])
  const given = JSON.stringify({ ...options, dims: output.dims })
  test(`${op}, case ${n}: the output is PyTorch's, in an array, in a resident tensor and in place ${given}`, () => {
    const want = toTensor(output)
    if (op === 'sumRows') return close(api.sumRows(qkv, inputs.x), want, tolerance(want, 5e-7), 'output')
    const plain = api[op](qkv, ...operands, forward)
    close(plain, want, tolerance(want, op === 'layerNorm' ? 2e-6 : 5e-7), 'output')
    const before = qkv.memory
    qkv.scope(() => {
      const residents = orderOf(op).map(name => {
        if (!inputs[name] || name === 'ids') return inputs[name]
        const x = qkv.alloc(inputs[name].dims)
        x.data.set(inputs[name].data)
        return x
      })
      assert.deepEqual(api[op](qkv, ...residents, { ...forward, resident: true }).data, plain.data)
      const out = tensor(new Float32Array(plain.data.length).fill(7), plain.dims)
      assert.equal(api[op](qkv, ...residents, { ...forward, out }), out)
      assert.deepEqual(out.data, plain.data)
      const [x] = residents
      if (op === 'embedding' || String(x.dims) !== String(plain.dims)) return
      assert.equal(api[op](qkv, ...residents, { ...forward, out: x }), x)
      assert.deepEqual(x.data, plain.data, 'in place')
    })
    assert.deepEqual(qkv.memory, { ...before, size: qkv.memory.size })
  })
})

/** Computes the gradients of a golden, keyed by PyTorch's names of the inputs. @param {any} golden @param {Record<string, any>} inputs @param {any} dY */
function gradientsOf({ op, options, gradients }, inputs, dY) {
  const { b, weight, ids } = inputs
  if (op === 'add')
    return {
      a: dY,
      b: api.sumRows(qkv, {
        data: dY.data,
        dims: [-1, b.data.length].map(n => (n < 0 ? dY.data.length / b.data.length : n)),
      }),
    }
  if (op === 'sumRows') return undefined
  if (op === 'embedding') return { weight: api.embeddingBackward(qkv, ids, dY, weight.dims[0], options).dWeight }
  const operands = operandsOf(op).ofGradient.map(name => inputs[name])
  const hasOptions = Object.keys(options).length > 0
  const got = api[`${op}Backward`](qkv, ...operands, dY, ...(hasOptions ? [options] : []))
  return Object.fromEntries(Object.keys(gradients).map(name => [name, got[gradientName(name)]]))
}

goldens.cases.forEach((/** @type {any} */ golden, /** @type {number} */ n) => {
  const given = JSON.stringify({ ...golden.options, dims: golden.output.dims })
  test(`${golden.op}, case ${n}: the gradients are PyTorch's, of the function and of a tape ${given}`, () => {
    const { op, options, gradients } = golden
    const inputs = toTensors(golden.inputs)
    const dY = toTensor(golden.upstream)
    const ofFunction = gradientsOf(golden, inputs, dY)
    const { ids, ...learned } = inputs
    const p = train.parameters(qkv, learned)
    try {
      if (op !== 'sumRows') {
        const operands = orderOf(op).map(name => (name === 'ids' ? ids : p.values[name]))
        const { output, backward } = train.tape(qkv, p, (/** @type {any} */ t) => t[op](...operands, options))
        close(
          output,
          toTensor(golden.output),
          tolerance(toTensor(golden.output), op === 'layerNorm' ? 2e-6 : 5e-7),
          'output',
        )
        backward({ gradient: dY })
      }
      for (const [name, golden] of Object.entries(gradients)) {
        const want = toTensor(/** @type {any} */ (golden))
        const allowed = tolerance(want, 4e-6)
        if (dY.dims.at(-1) === 1) allowed.abs = 1e-6 // over an axis of one value, all terms cancel
        if (ofFunction) close({ ...ofFunction[name], dims: want.dims }, want, allowed, name)
        if (op !== 'sumRows') close(p.gradients[name], want, allowed, `${name} on a tape`)
      }
    } finally {
      p.dispose()
    }
  })
})

goldens.losses.forEach((/** @type {any} */ golden, /** @type {number} */ n) => {
  const { targets, loss, options } = golden
  test(`crossEntropy, case ${n}: loss and gradient are PyTorch's, in one call ${JSON.stringify(options)}`, () => {
    const logits = toTensor(golden.logits)
    const given = { ...options, ...(golden.weights && { weights: toTensor(golden.weights) }) }
    const got = api.crossEntropy(qkv, logits, targets, { ...given, gradient: true })
    const want = toTensor(golden.gradient)
    close({ data: [got.loss], dims: [] }, { data: [Number(loss)], dims: [] }, { abs: 1e-6, rel: 1e-6 }, 'loss')
    close(got.dLogits, want, { abs: 1e-7 * (options.reduction === 'sum' ? 4 : 1), rel: 1e-6 }, 'gradient')
    const plain = api.crossEntropy(qkv, logits, targets, given)
    assert.equal(plain.loss, got.loss)
    assert.equal(plain.dLogits, undefined)
    qkv.scope(() => {
      const resident = qkv.alloc(logits.dims)
      resident.data.set(logits.data)
      const { dLogits } = api.crossEntropy(qkv, resident, targets, { ...given, gradient: true, out: resident })
      assert.equal(dLogits, resident)
      assert.deepEqual(dLogits.data, got.dLogits.data, 'the gradient in the place of the logits')
    })
  })
})

test('the gradient of softmax is y (dY - sum(dY y)) along any axis, and checks what it is given', () => {
  const g = qkv.generator(12)
  const [x, dY] = [g.randn([3, 5, 6]), g.randn([3, 5, 6])]
  for (const axis of [0, 1, 2, -1]) {
    const y = qkv.softmax(x, { dim: axis })
    const inner = [30, 6, 1].at(axis) ?? 1
    const size = [3, 5, 6].at(axis) ?? 1
    const want = Array.from(y.data, (value, n) => {
      const first = n - (Math.floor(n / inner) % size) * inner
      const line = Array.from({ length: size }, (_, c) => first + c * inner)
      return value * (dY.data[n] - line.reduce((sum, at) => sum + y.data[at] * dY.data[at], 0))
    })
    const { dX } = nn.softmaxBackward(qkv, y, dY, { dim: axis })
    close(dX, { data: want, dims: [3, 5, 6] }, { abs: 1e-6, rel: 1e-6 }, `axis ${axis}`)
  }
  assert.throws(() => nn.softmaxBackward(qkv, x, g.randn([3, 5])), /softmaxBackward: dY/)
  assert.throws(() => nn.softmaxBackward(qkv, x, dY, { dim: 3 }), /softmaxBackward: dim/)
})

test('a row that holds NaN or infinity spoils no other row', () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    const x = tensor([
      [1, 2, 3, 4, 5],
      [1, bad, 3, 4, 5],
      [5, 4, 3, 2, 1],
    ])
    const fine = tensor([
      [1, 2, 3, 4, 5],
      [0, 0, 0, 0, 0],
      [5, 4, 3, 2, 1],
    ])
    for (const op of ['layerNorm', 'rmsNorm', 'gelu', 'silu']) {
      const [got, want] = [api[op](qkv, x), api[op](qkv, fine)]
      for (const row of [0, 2]) assert.deepEqual(got.row(row).data, want.row(row).data, `${op} beside ${bad}`)
      if (Number.isNaN(bad)) assert.ok(Number.isNaN(got.at(1, 1)), `${op} of NaN`)
    }
    const { losses, dLogits } = api.crossEntropy(qkv, x, [0, -100, 4], { gradient: true })
    assert.ok([...losses.data, ...dLogits.data].every(Number.isFinite), 'an ignored row does not count')
  }
  assert.ok(Number.isNaN(api.crossEntropy(qkv, [[1, NaN]], [0]).loss))
  assert.ok(Number.isNaN(api.crossEntropy(qkv, [[1, 2]], [-100]).loss), 'the mean of nothing')
})

test('arguments that do not fit are named', () => {
  const x = [[1, 2, 3]]
  /** @type {[call: () => unknown, message: RegExp][]} */
  const calls = [
    [() => api.layerNorm(qkv, x, [1, 2]), /layerNorm: weight: expected \(C\), .* = \(3\), got dims \(2\)/],
    [() => api.layerNorm(qkv, x, undefined, undefined, { eps: -1 }), /layerNorm: eps: .*got -1/],
    [() => api.layerNorm(qkv, x, undefined, undefined, { plusOne: true }), /no option "plusOne"/],
    [() => api.rmsNorm(qkv, x, undefined, { plusOne: 1 }), /rmsNorm: plusOne: .*got 1/],
    [() => api.gelu(qkv, x, { approximate: 'tan' }), /gelu: approximate: .*got "tan".*did you mean "tanh"/],
    [() => api.relu(qkv, x, { approximate: 'tanh' }), /relu: there is no option "approximate"/],
    [() => api.swiglu(qkv, x), /swiglu: gate has dims \(1, 3\): pass up, or a gate of \(\.\.\., 2 C\)/],
    [() => api.swiglu(qkv, x, [[1, 2]]), /swiglu: up: .*got dims \(1, 2\)/],
    [() => api.add(qkv, x, [[1], [2]]), /add: b: expected the last dims of a = \(1, 3\), got dims \(2, 1\)/],
    [() => api.mul(qkv, x, [[[1, 2, 3]]]), /mul: b: .*got dims \(1, 1, 3\)/],
    [() => api.embedding(qkv, [3], [[1], [2]]), /embedding: ids\[0\]: expected a whole number from 0 to 1, got 3/],
    [() => api.embedding(qkv, [0.5], [[1], [2]]), /embedding: ids\[0\]: .*got 0.5/],
    [() => api.embedding(qkv, [0], [1, 2]), /embedding: weight: expected dims \(num, dim\), got \(2\)/],
    [() => api.crossEntropy(qkv, x, [3]), /crossEntropy: targets\[0\]: expected a whole number from 0 to 2, got 3/],
    [() => api.crossEntropy(qkv, x, [-1]), /targets\[0\]: .*got -1/],
    [() => api.crossEntropy(qkv, x, [0, 1]), /crossEntropy: targets: expected .* = \(1\), got dims \(2\)/],
    [() => api.crossEntropy(qkv, x, [0], { weights: [1, 2] }), /crossEntropy: weights: .*got dims \(2\)/],
    [() => api.crossEntropy(qkv, x, [0], { labelSmoothing: 2 }), /labelSmoothing: .*got 2/],
    [
      () => api.crossEntropy(qkv, x, [0], { reduction: 'none' }),
      /reduction: expected one of "mean", "sum", got "none"/,
    ],
    [() => api.add(qkv, x, x, { out: tensor([[1, 2]]) }), /add: out: .*got dims \(1, 2\)/],
  ]
  for (const [call, message] of calls) assert.throws(call, { message })
  qkv.scope(() => {
    const long = qkv.alloc([3, 4])
    const [first, second] = [long.row(0), long.row(1)]
    const overlapping = long.reshape([12]).part(2, [4])
    assert.throws(() => api.gelu(qkv, first, { out: overlapping }), /gelu: out overlaps an input/)
    api.gelu(qkv, first, { out: second })
  })
})
