// The parts of qkv/train other than layers, compared with PyTorch 1.13 (goldens/make-torch-tape.py): sums, means, permute, slice, cat,
// broadcasting and elementwise functions on a tape; initialisers, permutations, states of a generator, parameter groups.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { addBackward, embeddingLayer, mulBackward, subBackward } from '../src/entries/nn.js'
import * as train from '../src/entries/train.js'
import { close } from './helpers.js'

const qkv = await load()
const { parameters, tape } = train
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value
const goldens = JSON.parse(readFileSync(new URL('./goldens/torch-tape.json', import.meta.url), 'utf8'))

/** Converts a golden, in which numbers that JSON lacks (NaN, Infinity) are strings. @param {{ data: (number | string)[], dims: number[] }} golden */
const toTensor = ({ data, dims }) => ({ data: Float32Array.from(data, Number), dims })

/** Returns a tolerance relative to the largest value. @param {{ data: Float32Array }} want @param {number} rel */
const tolerance = ({ data }, rel) => ({
  abs: rel * Math.min(1e6, Math.max(1e-30, ...Array.from(data, Math.abs).filter(Number.isFinite))),
  rel: 2 * rel,
})

goldens.cases.forEach(
  (/** @type {any} */ { op, args, inputs, output, upstream, gradients }, /** @type {number} */ n) => {
    const dims = Object.values(inputs).map(x => `(${/** @type {any} */ (x).dims})`)
    test(`${op}, case ${n}: output and gradients are PyTorch's ${dims.join(', ')} ${JSON.stringify(args)}`, () => {
      const given = Object.fromEntries(Object.entries(inputs).map(([name, x]) => [name, toTensor(any(x))]))
      const p = parameters(qkv, given)
      try {
        const operands = Object.values(p.values)
        const run = (/** @type {any} */ t) => (op === 'cat' ? t.cat(operands, ...args) : t[op](...operands, ...args))
        for (const accumulate of [false, true]) {
          const step = tape(qkv, p, run)
          const want = toTensor(output)
          close(step.output, want, tolerance(want, 5e-7), 'output')
          step.backward({ gradient: toTensor(upstream), accumulate })
        }
        for (const [name, golden] of Object.entries(gradients)) {
          const want = toTensor(/** @type {any} */ (golden))
          const twice = { data: want.data.map(x => 2 * x), dims: want.dims } // the second step has added the same gradients
          close(p.gradients[name], twice, tolerance(twice, 4e-6), `the gradient of ${name}`)
        }
      } finally {
        p.dispose()
      }
    })
  },
)

test('a view of a parameter or of a result, which would get no gradient, is refused; a copy is a constant', () => {
  const p = parameters(qkv, { w: [[1, 2]] })
  const { w } = p.values
  const message = /^mul: a: expected a parameter or a result, got a view of one, .* use reshape or slice/
  for (const view of [(/** @type {any} */ x) => x.row(0), (/** @type {any} */ x) => x.reshape([2, 1])]) {
    assert.throws(() => tape(qkv, p, t => t.mul(view(w), 2)), { name: 'TypeError', message })
    assert.throws(() => tape(qkv, p, t => t.mul(view(t.gelu(w)), 2)), { name: 'TypeError', message })
  }
  tape(qkv, p, t => t.sum(t.mul(w, w.T.row(1)))).backward()
  assert.deepEqual(p.gradients.w.tolist(), [[2, 2]])
  const { loss } = tape(qkv, p, t => t.sum(t.mul(w, p.gradients.w)))
  assert.equal(loss, 6)
  p.dispose()
})

test('operands that are used twice, that are constants, or that take part in several operations have their gradients', () => {
  const g = qkv.generator(2)
  const p = parameters(qkv, { x: g.randn([3, 4]), y: g.randn([3, 4]) })
  const { x, y } = p.values
  const run = (/** @type {import('../src/entries/train.js').Tape} */ t) => {
    const z = t.cat([x, t.permute(t.permute(y, [1, 0]), [1, 0]), x], { dim: 1 })
    const centred = t.sub(z, t.mean(z, { dim: -1, keepdim: true }))
    const parts = t.add(t.slice(centred, 1, 0, 4), t.sub(x, x))
    return t.add(
      t.sum(t.mul(parts, t.sigmoid(parts))),
      t.mseLoss(t.expand(t.sum(y, { dim: 0 }), [3, 4]), [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [9, 1, 2, 3],
      ]),
    )
  }
  const { loss } = tape(qkv, p, run).backward()
  const gradients = Object.fromEntries(Object.entries(p.gradients).map(([name, { data }]) => [name, data.slice()]))
  assert.ok(Number.isFinite(loss))
  for (const [name, { data }] of Object.entries(p.values))
    for (let n = 0; n < data.length; n++) {
      const before = data[n]
      const [up, down] = [1e-2, -1e-2].map(h => {
        data[n] = before + h
        return tape(qkv, p, run).loss
      })
      data[n] = before
      const want = (up - down) / 2e-2
      const off = Math.abs(gradients[name][n] - want)
      assert.ok(off <= 2e-3 + 2e-3 * Math.abs(want), `${name}[${n}]: ${gradients[name][n]}, ${want} by differences`)
    }
  p.dispose()
})

test('a slice ignores indices beyond an end; a negative paddingIdx counts from the end', () => {
  const p = parameters(qkv, {
    x: [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  })
  const { x } = p.values
  for (const [from, to, want] of any([
    [
      1,
      9,
      [
        [3, 4],
        [5, 6],
      ],
    ],
    [-9, 1, [[1, 2]]],
    [5, 9, []],
  ])) {
    const { output } = tape(qkv, p, t => t.slice(x, 0, from, to))
    assert.deepEqual(output.tolist(), want, `${from} to ${to}`)
  }
  const gradients = [-1, 2].map(paddingIdx => {
    tape(qkv, p, t => t.sum(t.embedding([0, 2, 2], x, { paddingIdx }))).backward()
    return [...p.gradients.x.data]
  })
  assert.deepEqual(gradients, [
    [1, 1, 0, 0, 0, 0],
    [1, 1, 0, 0, 0, 0],
  ])
  const g = qkv.generator(1)
  assert.deepEqual(embeddingLayer(g, 3, 2, { paddingIdx: -1 }).weight.slice(0, 2).tolist(), [[0, 0]])
  p.dispose()
})

test('tensors without values: sums are 0, means NaN, and every gradient is empty', () => {
  const p = parameters(qkv, { x: { data: new Float32Array(0), dims: [0, 3] }, w: [1, 2, 3] })
  const { x, w } = p.values
  const run = (/** @type {(t: import('../src/entries/train.js').Tape) => any} */ f) => [...tape(qkv, p, f).output.data]
  assert.deepEqual(
    run(t => t.sum(x)),
    [0],
  )
  assert.deepEqual(
    run(t => t.sum(x, { dim: 0 })),
    [0, 0, 0],
  )
  assert.deepEqual(
    run(t => t.mean(x)),
    [NaN],
  )
  assert.deepEqual(
    run(t => t.mseLoss(x, x)),
    [NaN],
  )
  for (const f of any([
    (/** @type {any} */ t) => t.permute(x, [1, 0]),
    (/** @type {any} */ t) => t.slice(x, 1, 0, 1),
    (/** @type {any} */ t) => t.exp(t.sub(x, w)),
    (/** @type {any} */ t) => t.cat([x, x]),
    (/** @type {any} */ t) => t.expand(x, [2, 0, 3]),
    (/** @type {any} */ t) => t.slice(w, 0, 2, 2),
  ])) {
    const step = tape(qkv, p, f)
    assert.equal(step.output.data.length, 0)
    step.backward({ gradient: step.output })
    assert.deepEqual([...p.gradients.w.data], [0, 0, 0])
  }
  assert.deepEqual(
    run(t => t.cat([t.reshape(x, [0, 3]), t.reshape(w, [1, 3])])),
    [1, 2, 3],
  )
  p.dispose()
})

test('an operand that no row of the other repeats has a gradient of zeros', () => {
  const none = { data: new Float32Array(0), dims: [0, 3] }
  const p = parameters(qkv, { w: [1, 2, 3] })
  for (const [name, backward] of /** @type {const} */ ([
    ['add', addBackward],
    ['sub', subBackward],
    ['mul', mulBackward],
  ])) {
    // Fill the memory that the next step reuses with other numbers.
    tape(qkv, p, t => t.sum(t.exp(t.add([[5, 6, 7]], p.values.w)))).backward()
    tape(qkv, p, t => t.sum(t[name](none, p.values.w))).backward()
    assert.deepEqual([...p.gradients.w.data], [0, 0, 0], name)
    qkv.softmax([[5, 6, 7, 8, 9, 10]])
    assert.deepEqual([...backward(qkv, none, [1, 2, 3], none).dB.data], [0, 0, 0], `${name}Backward`)
  }
  p.dispose()
})

test('the sum of a million values is exact to the last bit of float32', () => {
  const values = qkv.generator(3).rand([1_000_000])
  const p = parameters(qkv, { x: values })
  const exact = values.data.reduce((sum, y) => sum + y, 0)
  assert.equal(tape(qkv, p, t => t.sum(p.values.x)).loss, Math.fround(exact))
  assert.equal(tape(qkv, p, t => t.mean(p.values.x)).loss, Math.fround(exact / 1e6))
  p.dispose()
})

test('exp, log, tanh and sigmoid of infinities, NaN and the ends of float32 are those of PyTorch', () => {
  const given = [Infinity, -Infinity, NaN, 0, -0, -1, 89, 1e30, -1e30, 1e-40]
  const p = parameters(qkv, { x: given })
  const run = (/** @type {'exp' | 'log' | 'tanh' | 'sigmoid'} */ op) => [
    ...tape(qkv, p, t => t[op](p.values.x)).output.data,
  ]
  const rounded = (/** @type {(x: number) => number} */ f) => given.map(x => Math.fround(f(x)))
  const near = (/** @type {number[]} */ got, /** @type {number[]} */ want) =>
    got.forEach((y, n) => {
      if (Number.isFinite(want[n]))
        assert.ok(Math.abs(y - want[n]) <= 3e-7 * Math.abs(want[n]), `${given[n]}: ${y}, ${want[n]}`)
      else assert.ok(Object.is(y, want[n]), `${given[n]}: ${y}, ${want[n]}`)
    })
  near(run('exp'), rounded(Math.exp))
  near(
    run('log'),
    given.map(x => Math.log(Math.fround(x))),
  )
  near(run('tanh'), rounded(Math.tanh))
  near(
    run('sigmoid'),
    rounded(x => 1 / (1 + Math.exp(-x))),
  )
  p.dispose()
})

test('wrong operands and options of these operations are named, and change nothing', () => {
  const p = parameters(qkv, {
    x: [
      [1, 2, 3],
      [4, 5, 6],
    ],
    w: [1, 2],
    s: 3,
  })
  const { x, w, s } = p.values
  const gone = qkv.alloc([2, 3])
  gone.dispose()
  /** @type {[run: (t: any) => unknown, message: RegExp][]} */
  const calls = [
    [t => t.sum(x, { dim: 2 }), /sum: dim: expected a whole number from -2 to 1, got 2/],
    [t => t.sum(x, { dim: [0, -2] }), /sum: dim: expected each axis once, got 0, 0/],
    [t => t.sum(x, { dim: 'a' }), /sum: dim: expected a number, got "a"/],
    [t => t.sum(x, { axis: 0 }), /sum: there is no option "axis"/],
    [t => t.mean(x, { dim: 0, keepdim: 1 }), /mean: keepdim: expected true or false, got 1/],
    [t => t.mean(x, { dim: [[0]] }), /mean: dim: expected an array of numbers, got a \w*Tensor/],
    [t => t.permute(x, [0]), /permute: dims \(0\) are no order of the 2 axes of \(2, 3\)/],
    [t => t.permute(x, [0, -2]), /permute: dims \(0, 0\) are no order/],
    [t => t.permute(x, [0, 2]), /permute: dims\[1\]: expected a whole number from -2 to 1.*got 2/],
    [t => t.permute(x), /permute: dims: expected an array of numbers, got undefined/],
    [t => t.slice(x, 2, 0), /slice: dim: .*got 2/],
    [t => t.slice(x, 0, 0, 1.5), /slice: to: expected a whole number.*got 1\.5/],
    [t => t.slice(x, 0, 2, 1), /slice: from 2 to 1 of 2: from is after to/],
    [t => t.slice(x, 0), /slice: from: .*got undefined/],
    [t => t.slice(s, 0, 0), /slice: x has no axes/],
    [t => t.expand(x, [3, 3]), /expand: x of dims \(2, 3\) cannot be expanded to \(3, 3\)/],
    [t => t.expand(x, [3]), /expand: x of dims \(2, 3\) cannot be expanded to \(3\)/],
    [t => t.expand(x, [-1, 2, 3]), /^expand: dims: expected whole numbers.*got -1 in/],
    [t => t.expand(w, [2 ** 40, 2]), /expand: dims/],
    [t => t.cat([]), /cat: tensors: .*got an array of 0/],
    [t => t.cat(x), /cat: tensors: expected an array with at least one of them, got /],
    [t => t.cat([x, w]), /cat: tensors\[1\]: expected the dims of tensors\[0\], \(2, 3\), except on axis 0, got \(2\)/],
    [t => t.cat([s]), /cat: tensors\[0\] has no axes/],
    [t => t.cat(Array(2)), /cat: tensors\[0\]: .*got undefined/],
    [t => t.cat([x, x], { dim: 2 }), /cat: dim: .*got 2/],
    [t => t.sub(x, w), /sub: expected a and b with equal axes, or axes of 1, got dims \(2, 3\) and \(2\)/],
    [t => t.add(x, [[1], [2], [3]]), /add: expected .*got dims \(2, 3\) and \(3, 1\)/],
    [t => t.mul(x), /mul: b: .*got undefined/],
    [t => t.mseLoss(x, w), /mseLoss: target: expected the dims of input = \(2, 3\), got dims \(2\)/],
    [t => t.mseLoss(x, x, { reduction: 'max' }), /mseLoss: reduction: .*got "max"/],
    [t => t.tanh(gone), /disposed/],
    [t => t.cat([x, gone]), /disposed/],
    [t => t.log(x, {}, 1, { base: 2 }) && t.log(x, { base: 2 }), /log: there is no option "base"/],
  ]
  const before = [p.stateDict(), qkv.memory.used]
  for (const [run, message] of calls) assert.throws(() => tape(qkv, p, any(run)), { message })
  assert.deepEqual([p.stateDict(), qkv.memory.used], before)
  p.dispose()
  assert.equal(qkv.memory.resident, 0)
})

test('the gradient of the output may lie in the memory, which the first backward pass makes grow', async () => {
  const own = await load()
  const n = 2 ** 19
  const p = parameters(own, { x: own.generator(1).randn([n]) })
  const dY = own.alloc([n])
  dY.data.fill(2)
  const step = tape(own, p, t => t.relu(p.values.x))
  const { size } = own.memory
  step.backward({ gradient: dY })
  assert.ok(own.memory.size > size)
  assert.ok(p.gradients.x.data.every((d, i) => d === (p.values.x.data[i] > 0 ? 2 : 0)))
})

goldens.inits.forEach((/** @type {any} */ { name, seed, dims, options, expected }) => {
  test(`init.${name} (${dims}) ${JSON.stringify(options)}: the bits of torch.nn.init`, () => {
    const { data } = any(train.init)[name](qkv.generator(seed), dims, options)
    assert.deepEqual(data, toTensor(expected).data)
  })
})

test('init.gain is calculate_gain; constants need no generator; misfits are named', () => {
  const { init } = train
  for (const [name, want] of Object.entries(goldens.gains)) {
    const [nonlinearity, a] = name.split(' ')
    assert.equal(any(init.gain)(nonlinearity, ...(a ? [Number(a)] : [])), want, name)
  }
  assert.deepEqual([...init.zeros([2]).data, ...init.ones([2]).data, ...init.constant([1], 5).data], [0, 0, 1, 1, 5])
  const g = qkv.generator(1)
  for (const name of ['xavierUniform', 'xavierNormal', 'kaimingUniform', 'kaimingNormal']) {
    const run = any(init)[name]
    assert.equal(run(g, [0, 0]).data.length, 0)
    assert.throws(() => run(g, [3]), { message: /expected at least two dims, \(out, in\), got \(3\)/ })
    assert.throws(() => run([2, 2]), { name: 'TypeError' })
    assert.throws(() => run(qkv, [2, 2]), { message: /generator: expected a generator, got a Qkv/ })
    assert.throws(() => run(g, [2, 2], { gian: 1 }), { message: /there is no option "gian"/ })
  }
  assert.throws(() => init.kaimingUniform(g, [2, 2], any({ mode: 'fan_in' })), {
    message: /mode: expected .*"fanIn".*got "fan_in"/,
  })
  assert.throws(() => init.gain(any('gelu')), { message: /init.gain: nonlinearity: .*got "gelu"/ })
  /** @type {[call: () => unknown, message: RegExp][]} */
  const calls = [
    [() => init.uniform(g, [2], any({ a: 'x' })), /^init\.uniform: a: .*got "x"/],
    [() => init.uniform(g, [2], { a: 2, b: 1 }), /^init\.uniform: b: expected a finite number from 2, got 1/],
    [() => init.uniform(g, any('x')), /^init\.uniform: dims: .*got "x"/],
    [() => init.normal(g, [2], any({ mean: null })), /^init\.normal: mean: .*got null/],
    [() => init.normal(g, [2], { std: -1 }), /^init\.normal: std: .*got -1/],
    [() => init.normal(g, [-1]), /^init\.normal: dims: expected whole numbers.*got -1 in/],
    [() => init.zeros(any(3)), /^init\.zeros: dims: .*got 3/],
    [() => init.ones([1.5]), /^init\.ones: dims: expected whole numbers.*got 1\.5 in/],
    [
      () => init.zeros([2 ** 15, 2 ** 15]),
      /^init\.zeros: dims \(32768, 32768\) are more numbers than .*: use less than 2\^30/,
    ],
    [() => init.kaimingNormal(g, [2, 2], any({ nonlinearity: 'x' })), /^init\.kaimingNormal: nonlinearity: .*got "x"/],
    [() => init.kaimingUniform(g, [2, 2], any({ a: 'x' })), /^init\.kaimingUniform: a: .*got "x"/],
  ]
  for (const [call, message] of calls) assert.throws(call, { message })
})

goldens.permutations.forEach((/** @type {any} */ { seed, order, next }) => {
  test(`randperm of ${order.length} is torch.randperm, and leaves the generator where it does`, () => {
    const g = qkv.generator(seed)
    assert.deepEqual([...train.randperm(g, order.length).data], order)
    assert.deepEqual([...g.rand([2]).data], next.map(Math.fround))
  })
})

goldens.states.forEach((/** @type {any} */ { seed, draws, state, next }) => {
  test(`the state of a generator (${draws}) is that of PyTorch, which continues with the same numbers`, () => {
    const bytes = new Uint8Array(Buffer.from(state, 'base64'))
    const g = qkv.generator(seed)
    for (const n of draws) g.randn([n])
    const own = train.getRngState(g)
    // ignore the bytes of the seed, and of the position before any draw
    const same = own.map((byte, i) => (i < 8 || (!draws.length && i < 24) ? bytes[i] : byte))
    assert.deepEqual(same, bytes)
    for (const given of [bytes, own]) {
      const other = qkv.generator(99)
      other.randn([3])
      train.setRngState(other, given)
      assert.deepEqual(other.randn([3]).data, toTensor(next.randn).data)
      assert.deepEqual(other.rand([3]).data, toTensor(next.rand).data)
    }
  })
})

test('randperm and states of a generator refuse misfits, and leave the generator unchanged', () => {
  const g = qkv.generator(4)
  g.randn([3])
  const { randperm, getRngState, setRngState } = train
  const state = getRngState(g)
  const broken = [
    state.map((byte, i) => (i === 12 ? 0 : byte)), // an unseeded state
    state.map((byte, i) => (i === 8 ? 3 : byte)), // an impossible number of words left
    state.map((byte, i) => (i === 17 ? 9 : byte)),
    new Uint8Array(5056),
  ]
  /** @type {[call: () => unknown, message: RegExp][]} */
  const calls = [
    [() => randperm(g, -1), /randperm: n: .*got -1/],
    [() => randperm(g, 2.5), /randperm: n: .*got 2.5/],
    [() => randperm(g, 2 ** 31), /randperm: n: expected a whole number from 0 to 214748363, got 2147483648/],
    [() => randperm(any(3), 4), /randperm: generator: .*got 3/],
    [() => getRngState(any(null)), /getRngState: generator: .*got null/],
    [() => setRngState(g, any([1, 2])), /setRngState: state: expected the 5056 bytes.*got an array of 2/],
    [() => setRngState(g, state.slice(1)), /setRngState: state: .*got 5055/],
    ...broken.map(
      bytes => /** @type {[() => unknown, RegExp]} */ ([() => setRngState(g, bytes), /no state of a generator/]),
    ),
  ]
  for (const [call, message] of calls) assert.throws(call, { message })
  assert.deepEqual(getRngState(g), state)
  assert.equal(qkv.memory.used, 0)
})

goldens.groups.forEach((/** @type {any} */ { name, options, groups, start, gradients, end }) => {
  test(`${name} with groups of parameters: five steps, the rates changed behind the third, are PyTorch's`, () => {
    const names = ['a', 'b', 'c']
    const p = parameters(qkv, Object.fromEntries(names.map((key, i) => [key, start[i]])))
    const paramGroups = groups.map((/** @type {any} */ group, /** @type {number} */ i) => ({
      ...group,
      params: [names[i + 1]],
    }))
    const optimizer = new (any(train)[name])(p, { ...options, paramGroups })
    for (const [step, list] of gradients.entries()) {
      if (step === 3) optimizer.lr = optimizer.paramGroups[0].lr = 0.03
      for (const [i, { data }] of list.entries()) p.gradients[names[i]].data.set(data)
      optimizer.step()
    }
    for (const [i, key] of names.entries()) close(p.values[key], toTensor(end[i]), { abs: 1e-6, rel: 1e-6 }, key)
    for (const held of [p, optimizer]) held.dispose()
  })
})

test('groups that do not fit are named; a wrong rate of a group is found before a step changes anything', () => {
  const p = parameters(qkv, { a: [1, 2], b: [3] })
  const make = (/** @type {any} */ paramGroups) => new train.SGD(p, { lr: 1, paramGroups })
  /** @type {[call: () => unknown, message: RegExp][]} */
  const calls = [
    [() => make({}), /SGD: paramGroups: expected an array of groups, got an empty object/],
    [() => make([3]), /SGD: paramGroups\[0\]: expected an object of options, got 3/],
    [() => make([{ lr: 1 }]), /SGD: paramGroups\[0\]: params: expected an array of names, got undefined/],
    [() => make([{ params: ['c'] }]), /SGD: paramGroups\[0\]: params: there is no parameter "c"/],
    [
      () => make([{ params: ['a'] }, { params: ['b', 'a'] }]),
      /paramGroups\[1\]: params: a is in another group already/,
    ],
    [() => make([{ params: ['a'], lr: -1 }]), /paramGroups\[0\]: lr: .*got -1/],
    [() => make([{ params: ['a'], weightDecay: NaN }]), /paramGroups\[0\]: weightDecay: .*got NaN/],
    [() => make([{ params: ['a'], momentum: 1 }]), /paramGroups\[0\]: there is no option "momentum"/],
  ]
  for (const [call, message] of calls) assert.throws(call, { message })
  const optimizer = any(make([{ params: ['b'], lr: 2 }]))
  const message = /SGD: paramGroups: the groups cannot be replaced: set lr and weightDecay of one of them/
  assert.throws(() => (optimizer.paramGroups = []), { name: 'TypeError', message })
  for (const change of [
    () => optimizer.paramGroups.push({ params: ['a'] }),
    () => (optimizer.paramGroups[0] = { params: ['a'] }),
    () => (optimizer.paramGroups[0].params = ['a']),
    () => optimizer.paramGroups[0].params.push('a'),
    () => (optimizer.paramGroups[0].momentum = 1),
  ])
    assert.throws(change, TypeError, String(change))
  p.gradients.a.data.fill(1)
  p.gradients.b.data.fill(1)
  const before = p.stateDict()
  optimizer.paramGroups[0].lr = NaN
  assert.throws(() => optimizer.step(), /SGD: lr: .*got NaN/)
  assert.deepEqual([p.stateDict(), optimizer.steps], [before, 0])
  optimizer.paramGroups[0].lr = undefined // falls back to the rate of the optimiser
  optimizer.step()
  assert.deepEqual([...p.values.a.data, ...p.values.b.data], [0, 1, 2])
  p.dispose()
})
