// The tape, the optimisers and the schedules of qkv/train: numbers, threads, memory, bad input.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { readSafetensors, writeSafetensors } from '../src/entries/models.js'
import { crossEntropy, gelu, linearLayer, relu } from '../src/entries/nn.js'
import { Adam, AdamW, clipGradNorm, module, parameters, SGD, schedule, tape } from '../src/entries/train.js'
import { close } from './helpers.js'
import { INDUCTION, induction, inductionWeights } from './training/small-models.js'

const qkv = await load()
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value
const goldens = JSON.parse(readFileSync(new URL('./goldens/torch-blocks.json', import.meta.url), 'utf8'))
/** @type {Record<string, any>} */
const OPTIMIZERS = { SGD, Adam, AdamW }

goldens.optimizers.forEach((/** @type {any} */ golden) => {
  const { name, options, clip, norms, start, end, gradients } = golden
  test(`${name} ${JSON.stringify(options)}: five steps, ${clip ? `clipped at ${clip}, ` : ''}are PyTorch's`, () => {
    const p = parameters(qkv, { a: start[0], b: start[1] })
    const optimizer = new OPTIMIZERS[name](p, options)
    let state
    gradients.forEach((/** @type {any} */ [a, b], /** @type {number} */ step) => {
      p.gradients.a.data.set(a.data)
      p.gradients.b.data.set(b.data)
      if (clip)
        close(
          any({ data: [clipGradNorm(p, clip)], dims: [] }),
          any({ data: [norms[step]], dims: [] }),
          { abs: 0, rel: 1e-6 },
          'norm',
        )
      optimizer.step()
      if (step === 2) state = [optimizer.stateDict(), p.stateDict()]
    })
    close(p.values.a, end[0], { abs: 1e-6, rel: 1e-6 }, 'a')
    close(p.values.b, end[1], { abs: 1e-6, rel: 1e-6 }, 'b')
    // Another optimiser resumes from the state after three steps, and gives the same bits.
    const [rest, values] = any(state)
    const q = parameters(qkv, values)
    const other = new OPTIMIZERS[name](q, options).loadStateDict(rest)
    for (const [a, b] of gradients.slice(3)) {
      q.gradients.a.data.set(a.data)
      q.gradients.b.data.set(b.data)
      if (clip) clipGradNorm(q, clip)
      other.step()
    }
    assert.deepEqual(q.stateDict(), p.stateDict())
    for (const held of [p, q, optimizer, other]) held.dispose()
  })
})

test('schedules are those of CosineAnnealingLR, LinearLR and both in a row', () => {
  const { cosine, warmup, both } = goldens.schedules
  /** @type {[number[], (step: number) => number][]} */
  const pairs = [
    [cosine, schedule(0.3, { total: 20, least: 0.05 })],
    [warmup, schedule(0.3, { warmup: 8 })],
    [both, schedule(0.3, { warmup: 5, total: 20 })],
  ]
  for (const [want, rate] of pairs)
    for (const [step, lr] of want.entries()) assert.ok(Math.abs(rate(step) - lr) < 1e-12, `step ${step}`)
})

/** @param {any} model @param {any} weights @param {any} sizes @param {typeof qkv} module @param {number} B */
function trainer(model, weights, sizes, module, B) {
  const g = module.generator(9)
  const p = parameters(module, weights(g, sizes))
  const optimizer = new AdamW(p, { lr: 1e-3, noDecay: ['embed'] })
  const generator = module.generator(2)
  const step = () => {
    const ids = g.randint(0, sizes.V, [B, sizes.T])
    const { loss } = tape(module, p, t => t.crossEntropy(model(t, p.values, ids, sizes, generator), ids)).backward()
    clipGradNorm(p, 1)
    optimizer.step()
    return loss
  }
  return { p, optimizer, step }
}

test('10,000 steps of a tiny model take no memory after the first one', () => {
  const { p, optimizer, step } = trainer(induction, inductionWeights, { numHeads: 1, d: 4, V: 5, T: 3 }, qkv, 1)
  step()
  const { size, resident } = qkv.memory
  for (let n = 0; n < 10_000; n++) step()
  assert.deepEqual(qkv.memory, { used: 0, resident, size })
  optimizer.dispose()
  p.dispose()
  assert.equal(qkv.memory.resident, 0)
})

test('gradients that no later operation reads give their memory to the next ones', () => {
  const p = parameters(qkv, { x: qkv.generator(1).randn([64, 1024]) })
  const step = tape(qkv, p, t => {
    let y = t.relu(p.values.x)
    for (let n = 0; n < 30; n++) y = t.add(t.mul(y, y), t.rmsNorm(y))
    return t.crossEntropy(y, new Int32Array(64))
  })
  const { resident } = qkv.memory // the step makes 92 results of 256 KB
  step.backward()
  assert.ok(qkv.memory.resident - resident <= 2 ** 21, `${qkv.memory.resident - resident} bytes`)
  assert.ok(p.gradients.x.data.some(x => x !== 0))
  p.dispose()
})

test('the plan of a backward pass prints as its calls, with the addresses that each reads and writes', () => {
  const [x, w] = [qkv.generator(1).randn([2, 3]), qkv.generator(2).randn([4, 3])]
  const p = parameters(qkv, { x, w })
  const step = tape(qkv, p, t => t.crossEntropy(t.linear(t.mul(p.values.x, p.values.x), p.values.w), [1, 3]))
  step.backward({ accumulate: true })
  const names = Object.entries(p.gradients).map(([name, tensor]) => [String(any(tensor).address), name])
  const printed = String(p.planned)
    .replace(/\d+/g, address => Object.fromEntries(names)[address] ?? 'other')
    .split('\n')
  assert.deepEqual(printed, ['linearBackward: other -> other, +w', 'mulBackward: other -> +x, +x'])
  p.dispose()
})

test('a step of other dims, or of another model, is recorded again; alternating steps stay within their memory', () => {
  const p = parameters(qkv, inductionWeights(qkv.generator(1), INDUCTION))
  const run = (/** @type {number} */ B, /** @type {number} */ T) => {
    const ids = qkv.generator(B).randint(0, 32, [B, T])
    const { loss } = tape(qkv, p, t => t.crossEntropy(induction(t, p.values, ids, INDUCTION), ids)).backward()
    return [loss, p.gradients.embed.data.slice()]
  }
  const [first, second] = [run(3, 7), run(9, 24)]
  const { size } = qkv.memory
  for (let n = 0; n < 20; n++) {
    assert.deepEqual(run(3, 7), first)
    assert.deepEqual(run(9, 24), second)
  }
  assert.equal(qkv.memory.size, size)
  p.dispose()
})

test('gradients of reshape, relativeBias, grouped and packed heads, and of tensors that are used twice are those of finite differences', () => {
  const g = qkv.generator(4)
  const p = parameters(qkv, {
    table: g.normal([2, 4], 0, 0.5),
    x: g.normal([2, 3, 8]),
    packed: g.normal([1, 5, 12]),
    grouped: g.normal([2, 3, 4]),
    w: g.normal([4, 8], 0, 0.3),
    square: g.normal([8, 8], 0, 0.3),
  })
  const { table, x, packed, grouped, w, square } = p.values
  const weights = g.normal([2, 3, 8])
  /** @type {Record<string, (t: import('../src/entries/train.js').Tape) => any>} */
  const models = {
    'relativeBias and grouped heads': t =>
      t.mul(
        t.attention(x, grouped, t.mul(grouped, grouped), {
          numHeads: 2,
          numKvHeads: 1,
          bias: t.relativeBias(table, 3),
          causal: true,
        }),
        weights,
      ),
    'packed heads': t => t.attention(packed, undefined, undefined, { numHeads: 2, causal: true, softcap: 2 }),
    'a tensor used three times': t => {
      const y = t.linear(x, w)
      return t.add(t.mul(t.add(y, y), y), t.reshape(t.gelu(y), [2, 3, 4]))
    },
    'a swiglu of both halves': t => t.rmsNorm(t.swiglu(packed), undefined, { eps: 0.1 }),
    'a residual that is the input, too': t => {
      const y = t.linear(x, square, undefined, { residual: x })
      const z = t.linear(y, square, undefined, { activation: 'silu', residual: y })
      return t.add(t.mul(z, y), t.linear(z, square, undefined, { layout: 'in,out', residual: t.mul(y, x) }))
    },
    'a residual between': t => {
      const h = t.add(x, t.relu(x))
      return t.add(t.mul(h, x), t.add(h, t.silu(h)))
    },
  }
  for (const [name, model] of Object.entries(models)) {
    const total = () => {
      const { output } = tape(qkv, p, model)
      return output.data.reduce((sum, y, i) => sum + y * Math.cos(i), 0)
    }
    const step = tape(qkv, p, model)
    const data = Float32Array.from(step.output.data, (_, i) => Math.cos(i))
    step.backward({ gradient: { data, dims: step.output.dims } })
    const gradients = Object.fromEntries(Object.entries(p.gradients).map(([key, { data }]) => [key, data.slice()]))
    for (const [key, value] of Object.entries(p.values))
      for (let n = 0; n < value.data.length; n += 3) {
        const before = value.data[n]
        const [up, down] = [1e-2, -1e-2].map(h => {
          value.data[n] = before + h
          return total()
        })
        value.data[n] = before
        const want = (up - down) / 2e-2
        const off = Math.abs(gradients[key][n] - want)
        assert.ok(
          off <= 5e-3 + 5e-3 * Math.abs(want),
          `${name}: ${key}[${n}]: ${gradients[key][n]}, ${want} by differences`,
        )
      }
  }
  p.dispose()
})

test('accumulate adds to the gradients, and gradients of parameters that a step does not use are zeros', () => {
  const p = parameters(qkv, {
    w: [
      [1, 2],
      [3, 4],
    ],
    unused: [5, 6],
  })
  p.gradients.unused.data.fill(7)
  const run = (/** @type {any} */ options) =>
    tape(qkv, p, t => t.crossEntropy(t.linear([[1, 2]], p.values.w), [1])).backward(options)
  run({})
  assert.deepEqual([...p.gradients.unused.data], [0, 0])
  const once = [...p.gradients.w.data]
  run({ accumulate: true })
  assert.deepEqual(
    [...p.gradients.w.data],
    once.map(x => Math.fround(2 * x)),
  )
  run({})
  assert.deepEqual([...p.gradients.w.data], once)
  p.dispose()
})

test('the gradient of a loss may be given: all gradients are multiplied by it', () => {
  const p = parameters(qkv, { w: [[1, 2]] })
  const run = (/** @type {any} */ options) => {
    tape(qkv, p, t => t.crossEntropy(p.values.w, [1])).backward(options)
    return [...p.gradients.w.data]
  }
  const once = run({})
  const gradient = { data: Float32Array.of(-4), dims: [] }
  assert.deepEqual(
    run({ gradient }),
    once.map(x => -4 * x),
  )
  assert.deepEqual(run({}), once)
  // a parameter itself can be the output
  const step = tape(qkv, p, () => p.values.w).backward({ gradient: [[5, -6]] })
  assert.deepEqual([[...p.gradients.w.data], step.output], [[5, -6], p.values.w])
  p.dispose()
})

test('operands of another module are copied; disposed ones are refused, and nothing changes', async () => {
  const p = parameters(qkv, { w: [[1, 2]] })
  const other = await load()
  const foreign = other.alloc([1, 2])
  foreign.data.set([3, 4])
  const { output } = tape(qkv, p, t => t.add(p.values.w, foreign))
  assert.deepEqual([...output.data], [4, 6])
  const gone = qkv.alloc([1, 2])
  gone.dispose()
  const optimizer = new Adam(p)
  const before = [p.stateDict(), optimizer.stateDict()]
  assert.throws(() => tape(qkv, p, t => t.add(p.values.w, gone)), /disposed/)
  assert.throws(() => optimizer.loadStateDict(any({ step: NaN })), /Adam: loadStateDict: step: .*got NaN/)
  assert.throws(() => optimizer.loadStateDict(any(null)), /Adam: loadStateDict: step: .*got undefined/)
  const { dims } = p.values.w
  const zeros = { data: new Float32Array(2), dims }
  const state = { step: 3, 'expAvg.w': zeros, 'expAvgSq.w': zeros }
  assert.throws(() => optimizer.loadStateDict(any({ ...state, 'expAvg.v': zeros })), /no place for expAvg\.v/)
  assert.throws(() => new SGD(p, { lr: 1 }).loadStateDict(any(state)), /no place for expAvg\.w, expAvgSq\.w/)
  assert.deepEqual([p.stateDict(), optimizer.stateDict()], before)
  const step = tape(qkv, p, t => t.crossEntropy(p.values.w, [1]))
  p.dispose()
  for (const call of [
    () => step.backward(),
    () => optimizer.step(),
    () => clipGradNorm(p, 1),
    () => new AdamW(p),
    () => tape(qkv, p, t => t.gelu([1])),
    () => p.stateDict(),
    () => p.loadStateDict({ w: [[1, 2]] }),
  ])
    assert.throws(call, /disposed/)
  optimizer.dispose()
  assert.throws(() => optimizer.step(), /disposed/)
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
})

test('positions, cos and sin of rope may be changed in place between steps: each step turns by the values of its time', () => {
  const p = parameters(qkv, { w: [[1, 2, 3, 4]] })
  const turned = (/** @type {any} */ options) => [...tape(qkv, p, t => t.rope(p.values.w, options)).output.data]
  const expected = (/** @type {any} */ options) => [...qkv.rope([[1, 2, 3, 4]], options).data]
  for (const positions of [[3], Uint32Array.of(3), any({ data: Float32Array.of(3), dims: [1, 1] })]) {
    const values = positions.data ?? positions
    const { entries } = any(p)
    for (const position of [3, 5, 5, 0]) {
      values[0] = position
      assert.deepEqual(turned({ positions }), expected({ positions: [position] }))
    }
    const last = entries[0]
    turned({ positions })
    assert.equal(entries[0], last, 'equal positions run the recorded operation')
  }
  const [cos, sin] = [[[1, 1]], [[0, 0]]]
  assert.deepEqual(turned({ cos, sin }), [1, 2, 3, 4])
  cos[0][0] = 0
  sin[0][0] = 1
  assert.deepEqual(turned({ cos, sin }), expected({ cos, sin }))
  assert.deepEqual(turned({ cos, sin }), [-3, 2, 1, 4])
  p.dispose()
})

test('backward reads all arguments before it checks the parameters: a getter that disposes of them changes nothing', () => {
  const p = parameters(qkv, { w: [[1, 2]] })
  const step = tape(qkv, p, t => t.mul(p.values.w, [[3, 4]]))
  const gradient = any({
    dims: [1, 2],
    get data() {
      p.dispose()
      return [1, 1]
    },
  })
  const before = qkv.memory.size
  assert.throws(() => step.backward({ gradient }), /disposed/)
  const taken = qkv.alloc([before / 16])
  assert.ok(
    taken.data.every(value => value === 0),
    'nothing was written to memory that others may have now',
  )
  taken.dispose()
  const q = parameters(qkv, { w: [[1, 2]] })
  const other = tape(qkv, q, t => t.mul(q.values.w, [[3, 4]]))
  const runs = any({
    dims: [1, 2],
    get data() {
      tape(qkv, q, t => t.gelu(q.values.w))
      return [1, 1]
    },
  })
  assert.throws(() => other.backward({ gradient: runs }), /this step is over/)
  assert.deepEqual([...q.gradients.w.data], [0, 0])
  q.dispose()
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
})

test("the output of a step is a view of the parameters' memory: it cannot be disposed of, and throws after theirs", () => {
  const p = parameters(qkv, { w: [[1, 2]] })
  const { resident } = qkv.memory
  const { output } = tape(qkv, p, t => t.linear([[1, 2]], p.values.w))
  const reshaped = tape(qkv, p, t => t.reshape(p.values.w, [2])).output
  for (const held of [output, reshaped, p.values.w, p.gradients.w])
    assert.throws(() => any(held).dispose(), /this is a view of a resident tensor: dispose that one/)
  assert.ok(qkv.memory.resident > resident)
  p.dispose()
  const taken = qkv.alloc([2 ** 18])
  for (const held of [output, reshaped]) {
    assert.throws(() => held.data, /disposed/)
    assert.throws(() => gelu(qkv, held.dims[1] ? [[1]] : [1, 2], { out: held }), /disposed/)
  }
  taken.dispose()
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
})

test('an error names its cause, and leaves parameters and optimiser as they were', async () => {
  const p = parameters(qkv, {
    w: [
      [1, 2],
      [3, 4],
    ],
  })
  const other = parameters(qkv, {
    w: [
      [1, 2],
      [3, 4],
    ],
  })
  const optimizer = new AdamW(p)
  const { w } = p.values
  const run = (/** @type {any} */ targets = [1], /** @type {any} */ options = {}) =>
    tape(qkv, p, t => t.crossEntropy(t.linear([[1, 2]], w), targets), options)
  run().backward()
  optimizer.step()
  const before = [p.stateDict(), optimizer.stateDict()]
  const [stale, used] = [run(), run()]
  used.backward()
  /** @type {any} */
  let kept
  tape(qkv, p, t => {
    kept = { t, y: t.linear([[1, 2]], w) }
    return kept.y
  })
  const gone = parameters(qkv, { w: [1] })
  gone.dispose()
  const second = await load()
  /** @type {[call: () => unknown, message: RegExp][]} */
  const calls = [
    [() => run([2]), /crossEntropy: targets\[0\]: expected a whole number from 0 to 1, got 2/],
    [() => tape(qkv, p, t => t.embedding([5], w)), /embedding: ids\[0\]: .*got 5/],
    [() => used.backward(), /backward: this step is over/],
    [() => run().backward().backward(), /backward: it was called before/],
    [() => stale.backward(), /backward: this step is over/],
    [() => kept.t.gelu(w), /this tape has ended/],
    [() => tape(qkv, p, t => t.gelu(kept.y)), /gelu: x: .*got one of an earlier tape/],
    [() => tape(qkv, p, t => t.linear([[1, 2]], other.values.w)), /linear: weight: .*got one of other parameters/],
    [() => tape(qkv, gone, t => t.gelu(w)), /disposed/],
    [() => tape(second, p, t => t.gelu(w)), /the parameters are those of another module/],
    [() => tape(any({}), p, t => t.gelu(w)), /tape: expected what load\(\).*got an empty object/],
    [() => tape(qkv, any({}), t => t.gelu(w)), /tape: expected what parameters\(\) returns, got an empty object/],
    [() => tape(qkv, p, any(3)), /tape: expected a function.*got 3/],
    [
      () =>
        tape(
          qkv,
          p,
          any(() => 3),
        ),
      /expected its function to return .*got 3/,
    ],
    [() => tape(qkv, p, () => tape(qkv, p, t => t.gelu(w)).output), /another tape of these parameters is running/],
    [() => tape(qkv, p, t => t.gelu(w)).backward(), /the output has dims \(2, 2\): give its gradient/],
    [() => tape(qkv, p, t => t.gelu(w)).backward({ gradient: [1] }), /backward: gradient: .*got dims \(1\)/],
    [() => tape(qkv, p, t => t.gelu(w)).backward(any({ gradent: 1 })), /no option "gradent"; did you mean "gradient"/],
    [() => tape(qkv, p, t => t.linear([[1]], w)), /linear: x has dims \(1, 1\), weight \(out, in\) = \(2, 2\)/],
    [() => tape(qkv, p, t => t.attention(w, w, w, any({}))), /numHeads: .*got undefined/],
    [() => tape(qkv, p, t => t.attention(w, w, w, { numHeads: 3 })), /attention: q: expected .*got dims \(2, 2\)/],
    [() => tape(qkv, p, t => t.dropout(w, { p: 2, generator: qkv.generator(1) })), /dropout: p: .*got 2/],
    [() => tape(qkv, p, t => t.reshape(w, [3])), /reshape: dims \(3\) do not hold/],
    [() => tape(qkv, p, t => t.layerNorm(w, [1])), /layerNorm: weight: expected .*got dims \(1\)/],
    [() => run([1], { finite: 1 }), /tape: finite: expected true or false, got 1/],
    [() => crossEntropy(any(p), [[1]], [0]), /crossEntropy: .*got a Parameters/],
    [() => clipGradNorm(p, -1), /clipGradNorm: maxNorm: .*got -1/],
    [() => new SGD(p, any({})), /SGD: lr: .*got undefined/],
    [() => new SGD(p, { lr: 1, nesterov: true }), /SGD: nesterov/],
    [() => new Adam(p, { betas: [1, 0.9] }), /Adam: betas\[0\]: .*got 1/],
    [() => new Adam(p, any({ learningRate: 1 })), /Adam: there is no option "learningRate"/],
    [() => new AdamW(p, { lr: NaN }), /AdamW: lr: .*got NaN/],
    [() => new AdamW(p, { noDecay: ['x'] }), /there is no parameter "x"/],
    [() => optimizer.loadStateDict(any({ step: 1 })), /expAvg.w dims = \(2, 2\) is missing/],
    [
      () => optimizer.loadStateDict(any({ step: 1, 'expAvg.w': [1], 'expAvgSq.w': w })),
      /expAvg.w: expected .*got dims \(1\)/,
    ],
    [() => p.loadStateDict({ w: [1] }), /loadStateDict: w: .*got dims \(1\)/],
    [() => p.loadStateDict({ v: [1] }), /w dims = \(2, 2\) is missing; given: v/],
    [() => p.loadStateDict({ v: [1], w }), /no place for v/],
    [() => parameters(qkv, any([1])), /expected an object of tensors.*got an array of 1/],
    [() => parameters(qkv, any(new Map([['w', [1]]]))), /parameters: expected an object of tensors by name, got a Map/],
    [() => parameters(qkv, {}), /parameters: expected an object of tensors by name, got an empty object/],
    [() => parameters(qkv, any({ w: 'x' })), /parameters: w: .*got "x"/],
    [() => schedule(1, { total: 3, warmup: 5 }), /schedule: total: .*got 3/],
  ]
  for (const [call, message] of calls) assert.throws(call, { message })
  optimizer.lr = NaN
  assert.throws(() => optimizer.step(), /AdamW: lr: .*got NaN/)
  optimizer.lr = 1e-3
  assert.deepEqual([p.stateDict(), optimizer.stateDict()], before)
  w.data[0] = NaN
  assert.throws(() => run([1], { finite: true }), /tape: the loss is NaN: nothing was changed/)
  assert.ok(Number.isNaN(run().loss))
  assert.equal(qkv.memory.used, 0)
})

test('parameters, an optimiser and a module that are used wrongly name the way out', () => {
  /** @type {(value: any) => any} */
  const any = value => value
  const g = qkv.generator(3)
  const model = module(qkv, { out: linearLayer(g, 2, 2) }, (_, { out }, /** @type {number[][]} */ x) => out(x))
  const p = model.parameters
  assert.throws(
    () => any(model)([[1, 2]]),
    /module: expected a tape as the first argument, got an array of 1; call tape\(qkv, model/,
  )
  assert.throws(
    () => new AdamW(any(model)),
    /AdamW: expected what parameters\(\) returns, got a function; a module has them as model/,
  )
  const [adam, sgd] = [new AdamW(p), new SGD(p, { lr: 1 })]
  adam.dispose()
  adam.dispose() // a no-op
  sgd.dispose()
  assert.throws(() => adam.step(), /this AdamW was disposed: make another/)
  assert.throws(() => sgd.stateDict(), /this SGD was disposed: make another/)
  const last = new AdamW(p)
  p.dispose()
  assert.throws(() => tape(qkv, p, t => model(t, [[1, 2]])), /these parameters were disposed: make them again/)
  assert.throws(() => last.step(), /these parameters were disposed/)
  last.dispose()
})

test('a result that depends on no parameter has no backward pass, as in PyTorch', () => {
  const p = parameters(qkv, { w: [[1, 2]] })
  const { w } = p.values
  /** @type {[string, (t: import('../src/train/tape.js').Tape) => any][]} */
  const cases = [
    ['a constant', t => t.mean([1, 2])],
    ['a function of qkv/nn', t => t.mean(relu(qkv, w))],
    ['a method of qkv', t => t.mean(qkv.linear([[1, 2]], w))],
    ['a transposed copy', t => t.mean(w.T)],
  ]
  for (const [title, run] of cases)
    assert.throws(() => tape(qkv, p, run).backward(), /depends on no parameter.*use the operations of the tape/, title)
  tape(qkv, p, t => t.mean(t.relu(w))).backward()
  assert.deepEqual([...p.gradients.w.data], [0.5, 0.5])
  p.dispose()
})

test('the state of an optimiser goes through a file, and what is no state names what to give', async () => {
  const g = qkv.generator(5)
  const start = () => {
    const p = parameters(qkv, { w: g.seed(5).randn([2, 2]), late: [1, 2] })
    return { p, adam: new Adam(p, { lr: 0.1 }) }
  }
  const step = (/** @type {ReturnType<typeof start>} */ { p, adam }, hasLate = true) => {
    tape(qkv, p, t => t.mean(t.mul(p.values.w, hasLate ? p.values.late : 2))).backward()
    adam.step()
  }
  const [one, other] = [start(), start()]
  step(one, false) // this step gives one parameter no gradient, so its count of steps differs and is saved separately
  step(one)
  other.p.loadStateDict(await readSafetensors(writeSafetensors(one.p.stateDict())))
  const state = await readSafetensors(writeSafetensors(one.adam.stateDict()))
  assert.equal(state['step.late'].data[0], 1)
  other.adam.loadStateDict(state)
  for (const run of [one, other]) step(run)
  assert.deepEqual(other.p.stateDict(), one.p.stateDict())
  assert.deepEqual(other.adam.stateDict(), one.adam.stateDict())
  for (const each of [one.p, one.adam]) {
    assert.throws(() => each.loadStateDict(any(Promise.resolve({}))), /got a Promise; await it/)
    assert.throws(
      () => each.loadStateDict(any(new Uint8Array(400))),
      /got a Uint8Array of 400; give await readSafetensors\(bytes\)/,
    )
  }
  assert.throws(() => one.adam.loadStateDict({ ...state, step: one.p.values.w }), /step: expected a number, got a Res/)
  assert.throws(
    () => writeSafetensors({ ids: any({ data: new Int32Array(2), dims: [2] }) }),
    /Float32Array\.from\(data\) is one/,
  )
  assert.throws(
    () => tape(qkv, one.p, t => any(t).cat(one.p.values.w, one.p.values.w)),
    /cat: tensors: expected an array/,
  )
  assert.throws(
    () => tape(qkv, one.p, t => t.mean(any(any(one.p.values.w) + any(one.p.values.w)))),
    /tensors are added by add/,
  )
  for (const { p, adam } of [one, other]) for (const held of [adam, p]) held.dispose()
})
