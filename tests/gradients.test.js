// Every operation of a tape and of qkv/nn: its output and its gradients against float64 and central differences.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/index.js'
import * as nn from '../src/nn.js'
import { parameters, tape } from '../src/train.js'
import { differences, OPERATIONS } from './reference-operations.js'

const qkv = await load()
const g = qkv.generator(17)
/** Called by name. @type {Record<string, any>} */
const api = nn

/**
 * An operation on operands of these dims. `large` multiplies the first of them.
 * @typedef {{ op: string, dims: Record<string, number[]>, options?: any, large?: number }} Case
 */

/** @type {Case[]} */
const CASES = [
  { op: 'linear', dims: { x: [2, 3, 5], weight: [7, 5], bias: [7] } },
  { op: 'linear', dims: { x: [9, 1], weight: [1, 1] }, large: 1e4 },
  { op: 'linear', dims: { x: [3, 5], weight: [5, 9], bias: [9] }, options: { layout: 'in,out' } },
  { op: 'linear', dims: { x: [3, 5], weight: [9, 5], bias: [9], residual: [3, 9] } },
  ...['gelu', 'gelu_tanh', 'relu', 'silu'].map(activation => ({
    op: 'linear',
    dims: { x: [4, 3], weight: [3, 6], bias: [6], residual: [4, 6] },
    options: { activation, layout: 'in,out' },
  })),
  { op: 'attention', dims: { q: [2, 3, 8], k: [2, 5, 4], v: [2, 5, 6] }, options: { numHeads: 4, kvHeads: 2 } },
  { op: 'attention', dims: { q: [5, 6], k: [5, 6], v: [5, 6] }, options: { numHeads: 2, causal: true, softcap: 3 } },
  { op: 'attention', dims: { q: [1, 4, 6], bias: [2, 4, 4] }, options: { numHeads: 2, kvHeads: 2, causal: true } },
  { op: 'attention', dims: { q: [2, 3, 12], sinks: [2] }, options: { numHeads: 2, causal: true } },
  {
    op: 'attention',
    dims: { q: [2, 3, 4], k: [2, 5, 2], v: [2, 5, 3], sinks: [2], bias: [2, 3, 5] },
    options: { numHeads: 2, kvHeads: 1 },
  },
  { op: 'attention', dims: { q: [2, 5, 21] }, options: { numHeads: 5, kvHeads: 1, window: [2, 0], scale: 0.3 } },
  { op: 'attention', dims: { q: [1, 3, 4], k: [1, 3, 4], v: [1, 3, 4] }, options: { numHeads: 1 }, large: 1e3 },
  { op: 'rope', dims: { x: [3, 6] }, options: { base: 100 } },
  { op: 'rope', dims: { x: [2, 3, 20] }, options: { numHeads: 2, rotaryDim: 6, interleaved: true, pastLength: 1e5 } },
  { op: 'rope', dims: { x: [1, 3, 8] }, options: { numHeads: 2, positions: [7, 0, 7] }, large: 1e20 },
  { op: 'softmax', dims: { x: [3, 7] } },
  { op: 'softmax', dims: { x: [2, 3, 5] }, options: { axis: 1 }, large: 10 },
  { op: 'layerNorm', dims: { x: [3, 7], weight: [7], bias: [7] } },
  { op: 'layerNorm', dims: { x: [2, 3, 33] }, options: { eps: 0.1 }, large: 1e4 },
  { op: 'layerNorm', dims: { x: [2, 5], weight: [5] }, large: 1e-4 },
  { op: 'rmsNorm', dims: { x: [3, 7], weight: [7] } },
  { op: 'rmsNorm', dims: { x: [2, 13], weight: [13] }, options: { plusOne: true, eps: 1e-6 }, large: 1e6 },
  { op: 'gelu', dims: { x: [37] } },
  { op: 'gelu', dims: { x: [5, 3] }, options: { approximate: 'tanh' } },
  { op: 'gelu', dims: { x: [9] }, large: 1e5 },
  { op: 'relu', dims: { x: [3, 5] } },
  { op: 'silu', dims: { x: [37] } },
  { op: 'silu', dims: { x: [9] }, large: 1e5 },
  { op: 'swiglu', dims: { x: [3, 5], up: [3, 5] } },
  { op: 'swiglu', dims: { x: [3, 14] } },
  { op: 'geglu', dims: { x: [3, 5], up: [3, 5] }, options: { approximate: 'tanh' } },
  { op: 'geglu', dims: { x: [2, 3, 2] }, large: 10 },
  { op: 'add', dims: { a: [2, 3, 5], b: [2, 3, 5] } },
  { op: 'add', dims: { a: [2, 3, 5], b: [5] }, large: 1e3 },
  { op: 'mul', dims: { a: [2, 3, 5], b: [2, 3, 5] } },
  { op: 'mul', dims: { a: [2, 3, 5], b: [3, 5] }, large: 1e20 },
  { op: 'relativeBias', dims: { table: [2, 3] }, options: { L: 3, S: 5 } },
  { op: 'dropout', dims: { x: [5, 7] }, options: { p: 0.4 } },
  { op: 'embedding', dims: { weight: [5, 3] }, options: { ids: [4, 0, 4, 4] } },
  { op: 'reshape', dims: { x: [2, 3, 5] }, options: { dims: [5, 6] } },
  { op: 'crossEntropy', dims: { logits: [4, 7] }, options: { targets: [6, 0, 3, 3] } },
  {
    op: 'crossEntropy',
    dims: { logits: [3, 5] },
    options: { targets: [-1, 4, 0], ignoreIndex: -1, labelSmoothing: 0.2, weights: [1, 0.5, 2] },
    large: 10,
  },
  { op: 'crossEntropy', dims: { logits: [2, 9] }, options: { targets: [0, 8], reduction: 'sum' }, large: 50 },
]

/** Operands in the order of the tape's methods; the others are options. @type {Record<string, string[]>} */
const ORDER = {
  linear: ['x', 'weight', 'bias'],
  attention: ['q', 'k', 'v'],
  layerNorm: ['x', 'weight', 'bias'],
  rmsNorm: ['x', 'weight'],
  swiglu: ['x', 'up'],
  geglu: ['x', 'up'],
  add: ['a', 'b'],
  mul: ['a', 'b'],
}

/** The operation on a tape. @param {any} t @param {Case} kase @param {Record<string, any>} inputs @param {any} generator */
function onTape(t, { op, options = {} }, inputs, generator) {
  const { ids, targets, dims, L, S, ...rest } = options
  if (op === 'embedding') return t.embedding(ids, inputs.weight)
  if (op === 'crossEntropy') return t.crossEntropy(inputs.logits, targets, rest)
  if (op === 'dropout') return t.dropout(inputs.x, { ...rest, generator })
  if (op === 'relativeBias') return t.relativeBias(inputs.table, L, S)
  if (op === 'reshape') return t.reshape(inputs.x, dims)
  const names = ORDER[op] ?? ['x']
  const others = Object.entries(inputs).filter(([name]) => !names.includes(name))
  const hasOptions = Object.keys(rest).length + others.length > 0
  return t[op](...names.map(name => inputs[name]), ...(hasOptions ? [{ ...rest, ...Object.fromEntries(others) }] : []))
}

/** Output and gradients by the functions of qkv and qkv/nn, or undefined where there are none. @type {Record<string, (inputs: any, options: any, dY: any, more: any) => any>} */
const FUNCTIONS = {
  linear({ x, weight, bias, residual }, options, dY, more) {
    const output = qkv.linear(x, weight, bias, { ...options, residual })
    if (options.activation || residual) return { output } // their gradients are those of the parts
    const { dX, dWeight, dBias } = api.linearBackward(qkv, x, weight, dY, { ...options, ...more })
    return { output, x: dX, weight: dWeight, bias: dBias }
  },
  attention({ q, k, v, bias, sinks }, options, dY, more) {
    const given = { ...options, ...(bias && { bias }), ...(sinks && { sinks }) }
    if (!k) {
      const { dX, dBias, dSinks } = api.packedAttentionBackward(qkv, q, dY, { ...given, ...more })
      return { output: api.packedAttention(qkv, q, given), q: dX, bias: dBias, sinks: dSinks }
    }
    if (q.dims.length < 3) return undefined // with numHeads it is (B, L, H * D)
    const { dQ, dK, dV, dBias, dSinks } = api.attentionBackward(qkv, q, k, v, dY, { ...given, ...more })
    return { output: qkv.attention(q, k, v, given).output, q: dQ, k: dK, v: dV, bias: dBias, sinks: dSinks }
  },
  rope: ({ x }, options, dY, more) => ({
    output: qkv.rope(x, options),
    x: api.ropeBackward(qkv, dY, { ...options, ...more }).dX,
  }),
  softmax({ x }, options, dY, more) {
    const output = qkv.softmax(x, options)
    return { output, x: api.softmaxBackward(qkv, output, dY, { ...options, ...more }).dX }
  },
  ...Object.fromEntries(
    ['layerNorm', 'rmsNorm'].map(op => [
      op,
      (
        /** @type {any} */ { x, weight, bias },
        /** @type {any} */ options,
        /** @type {any} */ dY,
        /** @type {any} */ more,
      ) => {
        const output = api[op](qkv, x, weight, ...(op === 'layerNorm' ? [bias] : []), options)
        const { dX, dWeight, dBias } = api[`${op}Backward`](qkv, x, weight, dY, { ...options, ...more })
        return { output, x: dX, weight: dWeight, bias: dBias }
      },
    ]),
  ),
  ...Object.fromEntries(
    ['gelu', 'relu', 'silu'].map(op => [
      op,
      (/** @type {any} */ { x }, /** @type {any} */ options, /** @type {any} */ dY, /** @type {any} */ more) => ({
        output: api[op](qkv, x, options),
        x: api[`${op}Backward`](qkv, x, dY, { ...options, ...more }).dX,
      }),
    ]),
  ),
  ...Object.fromEntries(
    ['swiglu', 'geglu'].map(op => [
      op,
      (/** @type {any} */ { x, up }, /** @type {any} */ options, /** @type {any} */ dY, /** @type {any} */ more) => {
        const { dX, dUp } = api[`${op}Backward`](qkv, x, up, dY, { ...options, ...more })
        return { output: api[op](qkv, x, up, options), x: dX, up: dUp }
      },
    ]),
  ),
  ...Object.fromEntries(
    ['add', 'mul'].map(op => [
      op,
      (/** @type {any} */ { a, b }, /** @type {any} */ options, /** @type {any} */ dY, /** @type {any} */ more) => {
        const { dA, dB } = api[`${op}Backward`](qkv, a, b, dY, { ...options, ...more })
        return { output: api[op](qkv, a, b, options), a: dA, b: dB }
      },
    ]),
  ),
  embedding({ weight }, { ids }, dY, more) {
    const { dWeight } = api.embeddingBackward(qkv, ids, dY, weight.dims[0], more)
    return { output: api.embedding(qkv, ids, weight), weight: dWeight }
  },
  crossEntropy({ logits }, { targets, ...rest }, dY, { resident }) {
    const { loss, dLogits } = api.crossEntropy(qkv, logits, targets, { ...rest, gradient: true, resident })
    return dY.data[0] === 1 ? { output: { data: [loss] }, logits: dLogits } : { output: { data: [loss] } }
  },
  dropout({ x }, { p }, dY, more) {
    const given = () => ({ p, generator: qkv.generator(3) })
    const output = api.dropout(qkv, x, given())
    assert.deepEqual(output.data, qkv.generator(3).dropout(x, p).data)
    const place = x.slice(0, 0)
    assert.equal(api.dropout(qkv, place, { ...given(), out: place }), place)
    assert.deepEqual(place.data, output.data)
    return { output, x: api.dropoutBackward(qkv, dY, { ...given(), ...more }).dX }
  },
}

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want @param {string} title @param {number} rel of the largest */
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

CASES.forEach(kase => {
  const { op, dims, options = {}, large = 1 } = kase
  const sizes = Object.entries(dims).map(([name, size]) => `${name} (${size})`)
  const title = `${op} of ${sizes.join(', ')}${large === 1 ? '' : ` times ${large}`} ${JSON.stringify(options)}`
  test(`${title}: output and gradients are those of float64`, t => {
    /** @type {Record<string, any>} */
    const inputs = {}
    for (const [name, size] of Object.entries(dims)) {
      const x = g.normal(size, 0, Object.keys(inputs).length ? 1 : large)
      if (op === 'relu') x.data.set(x.data.map(a => (Math.abs(a) < 0.01 ? 0.5 : a))) // no differences at 0
      inputs[name] = x
    }
    const { data: factors } = qkv
      .generator(3)
      .dropout({ data: new Float32Array(99).fill(1), dims: [99] }, options.p ?? 0)
    const f = (/** @type {any} */ at) => OPERATIONS[op](at, op === 'dropout' ? { factors } : options)
    const wanted = f(inputs)
    const p = parameters(qkv, inputs)
    try {
      const run = (/** @type {any} */ t) => onTape(t, kase, p.values, qkv.generator(3))
      const { output } = tape(qkv, p, run)
      const dY =
        op === 'crossEntropy' && large === 1 ? { data: Float32Array.of(1), dims: [] } : g.normal([...output.dims])
      const gradients = differences(f, inputs, dY.data)
      let [ofOutput, ofGradient] = [near(output.data, wanted, 'the output on a tape', 1e-6), 0]
      const step = tape(qkv, p, run)
      step.backward({ gradient: dY })
      for (const [name, { data }] of Object.entries(gradients))
        ofGradient = Math.max(ofGradient, near(p.gradients[name].data, data, `the gradient of ${name} on a tape`, 4e-6))
      const ours = FUNCTIONS[op]?.(inputs, options, dY, {})
      if (ours) {
        const { output, ...rest } = ours
        ofOutput = Math.max(ofOutput, near(output.data, wanted, 'the output of the function', 1e-6))
        for (const [name, { data }] of Object.entries(gradients))
          if (rest[name]) near(rest[name].data, data, `the gradient of ${name} by the function`, 4e-6)
        qkv.scope(() => {
          const resident = FUNCTIONS[op](inputs, options, dY, { resident: true })
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
  const tested = new Set(CASES.map(({ op }) => op))
  const own = ['constructor', 'variable', 'end']
  assert.deepEqual(methods.filter(name => !own.includes(name)).sort(), [...tested].sort())
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
      [() => api.linearBackward(qkv, ...held, { out: { dX: qkv.alloc([5, 3]) } }), /dX: out: dims \(5, 3\) given/],
      [() => api.linearBackward(qkv, ...held, { out: { dx: dX } }), /out: there is no option "dx"; did you mean "dX"/],
      [() => api.linearBackward(qkv, ...held, { out: dX }), /out: a tensor given, an object of tensors by name/],
      [() => api.linearBackward(qkv, ...held, { out: { dX: [1] } }), /dX: out: an array of 1 given, a float32 tensor/],
      [() => api.linearBackward(qkv, x, w, x), /linearBackward: dY: dims \(3, 5\) given, .* = \(3, 4\) expected/],
      [() => api.linearBackward(qkv, x, w, dY, { layout: 'in,out' }), /the last axis of x must be 4/],
      [() => api.packedAttention(qkv, x, { numHeads: 2 }), /packedAttention: q has dims \(3, 5\)/],
      [
        () => api.packedAttention(qkv, x, { numHeads: 2, casual: true }),
        /packedAttention: there is no option "casual"/,
      ],
      [() => api.dropout(qkv, x, { p: 2, generator: g }), /dropout: p: 2 given, a finite number from 0 to 1 expected/],
      [
        () => api.dropoutBackward(qkv, x, { p: 0.1 }),
        /dropoutBackward: generator: undefined given, a generator expected/,
      ],
      [() => api.packedAttention(qkv, x.slice(1, 0, 3), { numHeads: 1, sinks: [1, 2] }), /sinks: dims \(2\) given/],
      [() => api.ropeBackward(qkv, x, { rotaryDim: 3 }), /rotaryDim: 3 given, an even number/],
      [() => api.addBackward(qkv, x, w, x), /addBackward: b: dims \(4, 5\)/],
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
