// Compares the output of every operation of a tape and of qkv/nn with float64, and its gradients with central differences.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import * as nn from '../src/entries/nn.js'
import { parameters, tape } from '../src/entries/train.js'
import { differences } from './formulas.js'
import { OPERATIONS } from './operations.js'

const qkv = await load()
const g = qkv.generator(17)
/** The functions of qkv/nn, which the tests call by name. @type {Record<string, any>} */
const api = nn

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want @param {string} title @param {number} rel relative to the largest of `want` */
function near(got, want, title, rel) {
  assert.equal(got.length, want.length, `${title}: its length`)
  const most = Math.max(...Array.from(want, Math.abs), 1e-30)
  let worst = 0
  for (let n = 0; n < want.length; n++) {
    const off = Math.abs(got[n] - want[n])
    assert.ok(off <= rel * most, `${title}[${n}] is ${got[n]}, ${want[n]} expected; the largest is ${most}`)
    worst = Math.max(worst, off / most)
  }
  return worst
}

const all = Object.entries(OPERATIONS).flatMap(([op, operation]) =>
  operation.cases.map(kase => ({ op, operation, kase })),
)

all.forEach(({ op, operation, kase }) => {
  const { dims, options = {}, large = 1 } = kase
  const { reference, call, onTape, domain, upstream } = operation
  const sizes = Object.entries(dims).map(([name, size]) => `${name} (${size})`)
  const title = `${op} of ${sizes.join(', ')}${large === 1 ? '' : ` times ${large}`} ${JSON.stringify(options)}`
  test(`${title}: output and gradients are those of float64`, t => {
    const g = qkv.generator(17) // a generator for each test, so that a new operation does not change the numbers of others
    /** @type {Record<string, any>} */
    const inputs = {}
    for (const [name, size] of Object.entries(dims)) {
      const x = g.normal(size, 0, Object.keys(inputs).length ? 1 : large)
      if (domain) x.data.set(x.data.map(domain))
      inputs[name] = x
    }
    const f = (/** @type {any} */ at) => reference(at, options)
    const wanted = f(inputs)
    const p = parameters(qkv, inputs)
    try {
      const run = (/** @type {any} */ t) => onTape(t, p.values, options, qkv.generator(3))
      const { output } = tape(qkv, p, run)
      const dY = upstream?.(large) ?? g.normal([...output.dims])
      const gradients = differences(f, inputs, dY.data)
      let [ofOutput, ofGradient] = [near(output.data, wanted, 'the output on a tape', 1e-6), 0]
      const step = tape(qkv, p, run)
      step.backward({ gradient: dY })
      for (const [name, { data }] of Object.entries(gradients))
        ofGradient = Math.max(ofGradient, near(p.gradients[name].data, data, `the gradient of ${name} on a tape`, 4e-6))
      const ours = call?.(qkv, inputs, options, dY, {})
      if (ours) {
        const { output, ...rest } = ours
        ofOutput = Math.max(ofOutput, near(output.data, wanted, 'the output of the function', 1e-6))
        for (const [name, { data }] of Object.entries(gradients))
          if (rest[name]) near(rest[name].data, data, `the gradient of ${name} by the function`, 4e-6)
        qkv.scope(() => {
          const resident = /** @type {any} */ (call?.(qkv, inputs, options, dY, { resident: true }))
          for (const name of Object.keys(rest))
            if (rest[name]) {
              assert.equal(resident[name].isResident, true, `the gradient of ${name} stays resident`)
              assert.deepEqual(resident[name].data, rest[name].data)
            }
        })
      }
      t.diagnostic(
        `largest error, of the largest value: output ${ofOutput.toExponential(1)}, gradients ${ofGradient.toExponential(1)}`,
      )
    } finally {
      p.dispose()
    }
    assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
  })
})

test('every operation of a tape, and every gradient of qkv/nn, has its case here', () => {
  const p = parameters(qkv, { w: [1] })
  /** @type {string[]} */
  let methods = []
  tape(qkv, p, t => {
    methods = Object.getOwnPropertyNames(Object.getPrototypeOf(t))
    return t.gelu(p.values.w)
  })
  p.dispose()
  const tested = Object.keys(OPERATIONS)
  const own = ['constructor', 'variable', 'end']
  assert.deepEqual(methods.filter(name => !own.includes(name)).sort(), tested.sort())
  const gradients = Object.keys(nn).filter(name => name.endsWith('Backward'))
  const known = [...tested, 'packedAttention'].map(op => `${op}Backward`)
  assert.deepEqual(
    gradients.filter(name => !known.includes(name)),
    [],
  )
  assert.ok(gradients.length >= 15)
})

test('gradients go where out says, resident or not, the others to new tensors', () => {
  const [x, w, dY] = [g.randn([3, 5]), g.randn([4, 5]), g.randn([3, 4])]
  const want = api.linearBackward(qkv, x, w, dY)
  qkv.scope(() => {
    const held = [x, w, dY].map(({ data, dims }) => {
      const tensor = qkv.alloc(dims)
      tensor.data.set(data)
      return tensor
    })
    const [dX, dBias] = [qkv.alloc([3, 5]), { ...want.dBias, data: new Float32Array(4) }]
    const sums = Object.assign(Object.create(Object.getPrototypeOf(want.dBias)), dBias)
    for (const resident of [false, true]) {
      const got = api.linearBackward(qkv, ...held, { out: { dX, dBias: sums }, resident })
      assert.deepEqual([got.dX === dX, got.dBias === sums, got.dWeight.isResident], [true, true, resident])
      for (const name of ['dX', 'dWeight', 'dBias']) assert.deepEqual(got[name].data, want[name].data, name)
    }
    const [q, dOutput] = [g.randn([2, 5, 4]), g.randn([2, 5, 4])]
    const dQ = qkv.alloc([2, 5, 4])
    const got = api.attentionBackward(qkv, q, q, q, dOutput, { causal: true, out: { dQ } })
    assert.equal(got.dQ, dQ)
    assert.deepEqual(dQ.data, api.attentionBackward(qkv, q, q, q, dOutput, { causal: true }).dQ.data)
    /** @type {[call: () => unknown, message: RegExp][]} */
    const calls = [
      [() => api.linearBackward(qkv, ...held, { out: { dX: held[0] } }), /dX: out overlaps an input/],
      [() => api.geluBackward(qkv, held[0], dX, { out: { dX } }), /geluBackward: dX: out overlaps an input/],
      [() => api.mulBackward(qkv, x, x, x, { out: { dA: dX, dB: dX } }), /mulBackward: dB: out overlaps/],
      [() => api.linearBackward(qkv, ...held, { out: { dX: qkv.alloc([5, 3]) } }), /dX: out: .*got dims \(5, 3\)/],
      [() => api.linearBackward(qkv, ...held, { out: { dx: dX } }), /out: there is no option "dx"; did you mean "dX"/],
      [() => api.linearBackward(qkv, ...held, { out: dX }), /out: expected an object of tensors by name.*got a tensor/],
      [
        () => api.linearBackward(qkv, ...held, { out: { dX: [1] } }),
        /dX: out: expected a float32 tensor.*got an array of 1/,
      ],
      [() => api.linearBackward(qkv, x, w, x), /linearBackward: dY: expected .* = \(3, 4\), got dims \(3, 5\)/],
      [() => api.linearBackward(qkv, x, w, dY, { layout: 'in,out' }), /the last axis of x must be 4/],
      [() => api.packedAttention(qkv, x, { numHeads: 2 }), /packedAttention: q: expected .*got dims \(3, 5\)/],
      [
        () => api.packedAttention(qkv, x, { numHeads: 2, casual: true }),
        /packedAttention: there is no option "casual"/,
      ],
      [() => api.dropout(qkv, x, { p: 2, generator: g }), /dropout: p: expected a finite number from 0 to 1, got 2/],
      [
        () => api.dropoutBackward(qkv, x, { p: 0.1 }),
        /dropoutBackward: generator: expected a generator, got undefined/,
      ],
      [() => api.packedAttention(qkv, x.slice(1, 0, 3), { numHeads: 1, sinks: [1, 2] }), /sinks: .*got dims \(2\)/],
      [() => api.ropeBackward(qkv, x, { rotaryDim: 3 }), /rotaryDim: expected an even number.*got 3/],
      [() => api.addBackward(qkv, x, w, x), /addBackward: b: expected .*got dims \(4, 5\)/],
    ]
    const before = qkv.memory
    for (const [call, message] of calls) assert.throws(call, { message })
    assert.deepEqual(qkv.memory.used, before.used)
    for (const tensor of [held[0], dX]) tensor.dispose()
    assert.throws(() => api.geluBackward(qkv, held[0], x), /disposed/)
    assert.throws(() => api.geluBackward(qkv, x, x, { out: { dX } }), /disposed/)
  })
  assert.equal(qkv.memory.resident, 0)
})
