// Gradients of small checkpoints, compared with automatic differentiation in float64 (tests/goldens/models/README.md), and in every family
// with finite differences of its forward pass.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { ablate, backward, backwardSync } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { KeepingOperations } from '../../src/interpret/gradients/gradient-recorder.js'
import { memoryOf, withFree } from '../growth.js'
import { folders, goldens, gpt2, loaded, open, qkv } from './checkpoints.js'
import { checkGradients } from './gradient-golden.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { Model } from '../../src/models/model.js' */

const ids = [5, 9, 130, 5, 9, 77, 200, 31]
const term = { position: -1, token: 7 }

/** True if a checkpoint has expected gradients in float64. @param {string} name */
const isGolden = name => existsSync(`${goldens}/${name}/gradients.json`)
/** The checkpoints without expected gradients, which are compared with finite differences. */
const others = folders.filter(name => !isGolden(name))

for (const name of folders.filter(isGolden))
  test(`${name}: the gradients at all places and of the weights are those of float64`, async t => {
    const model = await open(name, 'float32')
    const { shares, compared } = await checkGradients(model, `${goldens}/${name}`)
    assert.ok(compared > 50, `${compared} tensors`)
    t.diagnostic(`${compared} tensors; shares of the tolerances used: ${JSON.stringify(shares)}`)
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

/** Returns a generator of numbers between -1 and 1. @param {number} seed */
function numbers(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const dot = (a, b) => Array.from(a).reduce((sum, value, n) => sum + value * b[n], 0)

/**
 * Returns a direction between a gradient and a random one, and the factor that scales it to length 0.02. A random direction alone is
 * nearly orthogonal to the gradient, so a wrong factor would stay within the tolerance.
 * @param {FloatTensor['data']} gradient
 * @param {number} seed
 */
function directionOf(gradient, seed) {
  const random = numbers(seed)
  const size = Math.sqrt(dot(gradient, gradient)) || 1
  const direction = Float32Array.from(gradient, x => x / size + (2 * random()) / Math.sqrt(gradient.length))
  return { direction, step: 0.02 / Math.sqrt(dot(direction, direction)) }
}

/** Returns an input for any model, and an objective of some of its logits. @param {Model} model */
function taskOf(model) {
  const given = ids.map(id => id % 40)
  const isBoth = model.stacks.encoder !== undefined && model.stacks.decoder !== undefined
  const hasGlobal = model.type === 'longformer'
  const input = {
    ids: given,
    ...(isBoth && { decoderIds: [0, 5, 8, 3] }),
    ...(hasGlobal && { globalAttentionMask: given.map((_, n) => Number(n % 4 === 0)) }),
  }
  const logits = [
    { position: -1, token: 7 },
    { position: 1, token: 3, weight: -0.5 },
    { position: 2, token: 11, weight: 2 },
  ]
  const value = (/** @type {FloatTensor | undefined} */ x) => {
    const at = x ?? assert.fail()
    const [, L] = at.dims
    return logits.reduce(
      (sum, { position, token, weight = 1 }) => sum + weight * at.at(0, (position + L) % L, token),
      0,
    )
  }
  return { input, of: { logits }, value, isBoth, hasGlobal }
}

for (const name of others)
  test(`${name}: a small step at each place changes the logits by step times gradient`, async () => {
    const model = await open(name, 'float32')
    const { input, of, value, isBoth, hasGlobal } = taskOf(model)
    if (!model.hasHead) return model.dispose()
    const { encoder, decoder } = model.stacks
    const stacks = isBoth ? ['encoder.', 'decoder.'] : ['']
    const isParallel = /gpt_neox-made|phi-made|parallel|cohere|gptj|codegen|falcon/.test(name)
    const places = stacks.flatMap(stack => [
      `${stack}embedding`,
      ...[0, ((stack === 'encoder.' ? encoder : (decoder ?? encoder))?.layers ?? 0) - 1].flatMap(layer =>
        [
          'input',
          'output',
          ...(isParallel ? [] : ['middle']),
          'heads',
          'mlp.hidden',
          'mlp.output',
          ...['input', 'q', 'k', 'v', 'qBare', 'kBare', 'scores', 'weights', 'output'].map(what => `attention.${what}`),
          ...(hasGlobal ? ['q', 'k', 'v', 'scores', 'weights'].map(what => `global.${what}`) : []),
          ...(stack === 'decoder.' ? ['q', 'k', 'v', 'scores', 'weights', 'heads'].map(what => `cross.${what}`) : []),
        ].map(place => `${stack}layers.${layer}.${place}`),
      ),
    ])
    const { gradients } = backwardSync(model, input, { of, at: /** @type {any} */ (places) })
    for (const [i, place] of places.entries()) {
      const d = gradients[place]
      const { direction, step } = directionOf(d.data, i + 1)
      const changed = [1, -1].map(sign => {
        const hook = (/** @type {FloatTensor} */ x) => {
          x.data.forEach((_, n) => {
            x.data[n] += sign * step * direction[n]
          })
        }
        return value(model.forwardSync(input, { hooks: { [place]: hook } }).logits)
      })
      const want = (changed[0] - changed[1]) / 2
      const got = dot(d.data, direction) * step
      const scale = Math.sqrt(dot(d.data, d.data)) * 0.02
      assert.ok(Math.abs(got - want) <= 0.02 * scale + 1e-5, `${place}: ${got} for ${want}`)
    }
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

for (const name of others)
  test(`${name}: a small step of each weight changes the logits by step times gradient`, async () => {
    const folder = `${goldens}/${name}`
    const model = await open(name, 'float32')
    if (!model.hasHead) return model.dispose()
    const { input, of, value } = taskOf(model)
    const tensors = model.describe().tensors
    const { parameters } = backwardSync(model, input, { of, parameters: tensors.map(tensor => tensor.name) })
    model.dispose()
    const isOneFile = existsSync(`${folder}/model.safetensors`)
    if (!isOneFile || !tensors.every(({ dtype }) => dtype === 'F32')) return
    const [config, bytes] = ['config.json', 'model.safetensors'].map(file => readFileSync(`${folder}/${file}`))
    const start = 8 + Number(bytes.readBigUInt64LE(0))
    const header = JSON.parse(bytes.subarray(8, start).toString())
    for (const [i, { name: tensor }] of tensors.entries()) {
      const d = parameters[tensor].data
      const { direction, step } = directionOf(d, i + 7)
      const values = []
      for (const sign of [1, -1]) {
        const { buffer } = new Uint8Array(bytes)
        const stored = new Float32Array(buffer, start + header[tensor].data_offsets[0], direction.length)
        direction.forEach((x, n) => {
          stored[n] += sign * step * x
        })
        const files = { 'config.json': config, 'model.safetensors': new Uint8Array(buffer) }
        const changed = await loadModel(qkv, /** @type {any} */ (files), { tokenizer: false })
        values.push(value(changed.forwardSync(input).logits))
        changed.dispose()
      }
      const want = (values[0] - values[1]) / 2
      const got = dot(d, direction) * step
      const scale = Math.sqrt(dot(d, d)) * 0.02
      assert.ok(Math.abs(got - want) <= 0.02 * scale + 1e-5, `${tensor}: ${got} for ${want}, ${scale}`)
    }
    assert.equal(qkv.memory.resident, loaded)
  })

test('hooks are part of the computation: changed numbers pass no gradient, the others do', () => {
  const base = backwardSync(gpt2, { ids }, { of: { logits: [term] }, at: ['layers.0.input', 'layers.1.heads'] })
  const at = /** @type {const} */ (['layers.0.input', 'layers.1.heads', 'layers.1.heads.2'])
  const run = (/** @type {import('../../src/models/model.js').Hooks} */ hooks) =>
    backwardSync(gpt2, { ids }, { of: { logits: [term] }, at, hooks })
  const read = run({ 'layers.1.heads': () => {} })
  assert.deepEqual(read.gradients['layers.0.input'].data, base.gradients['layers.0.input'].data)
  assert.deepEqual(read.gradients['layers.1.heads'].data, base.gradients['layers.1.heads'].data)
  assert.deepEqual(read.gradients['layers.1.heads.2'].dims, [1, 8, 12])
  assert.equal(read.gradients['layers.1.heads.2'].at(0, 3, 4), read.gradients['layers.1.heads'].at(0, 3, 2 * 12 + 4))
  // If the whole residual stream is replaced, nothing before it has a gradient.
  const width = 48
  const zeros = { data: new Float32Array(8 * width), dims: [1, 8, width] }
  for (const hook of [zeros, () => zeros, 0])
    assert.ok(run({ 'layers.1.input': hook }).gradients['layers.0.input'].data.every(value => value === 0))
  // If one row is changed in place, no gradient passes through it.
  const edited = backwardSync(
    gpt2,
    { ids },
    {
      of: { logits: [term] },
      at: ['layers.1.input', 'layers.0.output'],
      hooks: {
        'layers.1.input': x => {
          x.data.fill(0.25, 3 * width, 4 * width)
        },
      },
    },
  )
  const [after, before] = [edited.gradients['layers.1.input'], edited.gradients['layers.0.output']]
  assert.ok(after.data.subarray(3 * width, 4 * width).some(value => value !== 0))
  assert.ok(before.data.subarray(3 * width, 4 * width).every(value => value === 0))
  assert.deepEqual(before.data.subarray(0, 3 * width), after.data.subarray(0, 3 * width))
})

test('a function hook runs once, and its error ends the call', async () => {
  let calls = 0
  const count = () => {
    calls++
  }
  backwardSync(gpt2, { ids }, { hooks: { 'layers.*.output': count } })
  assert.equal(calls, 3)
  const fail = () => {
    throw new Error('no')
  }
  assert.throws(() => backwardSync(gpt2, { ids }, { hooks: { 'layers.1.heads': fail } }), /^Error: no$/)
  await assert.rejects(backward(gpt2, { ids }, { hooks: { 'layers.1.heads': fail } }), /^Error: no$/)
  assert.throws(() => backwardSync(gpt2, { ids }, { of: fail, parameters: ['wte.weight'] }), /^Error: no$/)
  assert.equal(qkv.memory.resident, loaded)
})

test('a function of the logits as objective gives the same as the loss that it computes', () => {
  const at = /** @type {const} */ (['layers.0.input', 'logits'])
  const want = backwardSync(gpt2, { ids }, { at, parameters: ['wte.weight'] })
  const of = () => ({ value: want.value ?? NaN, gradient: want.gradients.logits })
  const got = backwardSync(gpt2, { ids }, { of, at, parameters: ['wte.weight'] })
  assert.equal(got.value, want.value)
  assert.deepEqual(got.gradients['layers.0.input'].data, want.gradients['layers.0.input'].data)
  assert.deepEqual(got.parameters['wte.weight'].data, want.parameters['wte.weight'].data)
  const same = gpt2.forwardSync({ ids }).logits
  assert.deepEqual(got.logits?.data, same?.data)
})

test('in turns the gradients are the same bits, progress counts both ways, and a signal ends it', async () => {
  const at = /** @type {const} */ (['layers.*.attention.weights', 'embedding'])
  const want = backwardSync(gpt2, { ids }, { at, parameters: ['h.0.attn.c_attn.weight'] })
  const seen = /** @type {string[]} */ ([])
  const got = await backward(
    gpt2,
    { ids },
    {
      at,
      parameters: ['h.0.attn.c_attn.weight'],
      onLayer: ({ layer, layers }) => void seen.push(`${layer}/${layers}`),
    },
  )
  assert.deepEqual(seen, ['1/6', '2/6', '3/6', '4/6', '5/6', '6/6'])
  for (const place of ['layers.2.attention.weights', 'embedding'])
    assert.deepEqual(got.gradients[place].data, want.gradients[place].data)
  assert.deepEqual(got.parameters, want.parameters)
  for (const layer of [2, 5]) {
    const control = new AbortController()
    const onLayer = (/** @type {{ layer: number }} */ progress) => {
      if (progress.layer === layer) control.abort()
    }
    await assert.rejects(backward(gpt2, { ids }, { signal: control.signal, onLayer }), /abort/i)
    assert.equal(qkv.memory.resident, loaded)
  }
})

test('with narrow weights, gradients at places are near those of float32, and gradients of weights are refused', async () => {
  const at = /** @type {const} */ (['layers.0.input', 'layers.2.heads'])
  const want = backwardSync(gpt2, { ids }, { at })
  for (const [dtype, limit] of /** @type {const} */ ([
    ['float16', 0.01],
    ['bfloat16', 0.05],
    ['int8', 0.2],
  ])) {
    const model = await loadModel(qkv, `${goldens}/gpt2-tiny`, { tokenizer: false, dtype })
    const got = backwardSync(model, { ids }, { at })
    for (const place of at) {
      const [a, b] = [got.gradients[place].data, want.gradients[place].data]
      const off = Math.sqrt(
        dot(
          a.map((value, n) => value - b[n]),
          a.map((value, n) => value - b[n]),
        ),
      )
      const share = off / Math.sqrt(dot(b, b))
      assert.ok(share > 0 && share < limit, `${dtype} ${place}: ${share}`)
    }
    assert.throws(
      () => backwardSync(model, { ids }, { parameters: ['wte.weight'] }),
      new RegExp(`in memory as ${dtype}: load the model with dtype: 'float32'`),
    )
    model.dispose()
  }
})

test('impossible gradients are refused with the reason, and nothing is left in memory', async () => {
  const bert = await open('bert-tiny', 'float32')
  const memory = qkv.memory.resident
  const bad = /** @type {(options: any, input?: any) => () => unknown} */ (
    (options, input = { ids }) =>
      () =>
        backwardSync(gpt2, input, options)
  )
  for (const [run, message] of /** @type {[() => unknown, RegExp][]} */ ([
    [bad({ of: 'logits' }), /of: expected 'loss', \{ logits.*got "logits"/],
    [bad({ of: { logits: [{ position: 8, token: 0 }] } }), /position: expected a whole number from -8 to 7.*got 8/],
    [bad({ of: { logits: [{ position: 0, token: 384 }] } }), /token: .*got 384/],
    [bad({ of: { logits: [{ position: 0, token: 0, row: 1 }] } }), /row: .*got 1/],
    [bad({ of: { logits: [{ ...term, weight: NaN }] } }), /weight/],
    [bad({ of: { logits: [{ ...term, weigth: 1 }] } }), /did you mean "weight"/],
    [bad({ of: () => [1, 2] }), /expected a gradient with the dims of the logits, \(1, 8, 384\); got \(2\)/],
    [bad({ of: (/** @type {any} */ x) => new Float32Array(x.data.length).fill(NaN) }), /expected a tensor/],
    [
      bad({ of: (/** @type {any} */ x) => ({ data: x.data.map(() => NaN), dims: x.dims }) }),
      /expected a finite objective and gradient, got NaN/,
    ],
    [bad({ targets: [[1, 2]] }), /targets: expected dims \(1, 8\), one for each id, got \(1, 2\)/],
    [bad({ targets: ids.map(() => 384) }), /targets\[0\]: .*got 384/],
    [bad({ targets: ids.map(() => -100) }), /every target is -100/],
    [bad({ of: { logits: [term] }, targets: ids }), /targets: they apply only to of: 'loss'/],
    [bad({ at: ['layers.0.head'] }), /did you mean "layers.0.heads"/],
    [bad({ at: 'logits' }), /expected a list of places/],
    [bad({ parameters: ['wte'] }), /did you mean "wte.weight"/],
    [bad({ parameters: 'wte.weight' }), /expected a list of names/],
    [bad({ hooks: { 'layers.0.heads': 'zero' } }), /a factor/],
    [bad({}, { ids: [384] }), /ids\[0\]: .*got 384/],
    [bad({ cache: 1 }), /no option "cache"/],
    [() => backwardSync(/** @type {any} */ ({}), { ids }), /expected a model loaded by loadModel/],
    [() => backwardSync(new Proxy(gpt2, {}), { ids }), /expected a model loaded by loadModel/],
  ])) {
    assert.throws(run, message)
    assert.equal(qkv.memory.resident, memory)
  }
  bert.dispose()
  assert.throws(() => backwardSync(bert, { ids }), /was disposed/)
})

test('too little memory is reported before a layer runs, with the bytes, and nothing changes', async () => {
  const own = await load()
  const model = await loadModel(own, `${goldens}/gpt2-tiny`, { tokenizer: false, dtype: 'float32' })
  const { resident } = own.memory
  const { memory } = memoryOf(own).exports
  const long = { ids: Array.from({ length: 60 }, (_, n) => n) }
  const parameters = model.describe().tensors.map(({ name }) => name)
  let ran = 0
  const count = () => {
    ran++
  }
  const hooks = { 'layers.*.attention.q': count }
  const want = backwardSync(model, long, { parameters }).value
  const full = () => {
    throw new RangeError('full')
  }
  for (const [what, call] of /** @type {[string, () => unknown][]} */ ([
    ['backward', () => backwardSync(model, long, { parameters, hooks })],
    ['backward', () => backward(model, long, { parameters, hooks })],
    ['ablate', () => ablate(model, { ids: long.ids.slice(0, 15) }, { of: 'loss', what: 'positions' })],
  ])) {
    // There is enough free memory for a forward pass, but not for the call.
    await withFree(own, what.startsWith('backward') ? 500_000 : 180_000, async () => {
      Object.defineProperty(memory, 'grow', { value: full, configurable: true })
      const message = new RegExp(`^RangeError: ${what} needs at least \\d+ bytes of memory beside the \\d+ in use`)
      await assert.rejects(async () => call(), message)
      Reflect.deleteProperty(memory, 'grow')
    })
    assert.equal(ran, 0)
    assert.equal(own.memory.resident, resident, what)
  }
  assert.equal(backwardSync(model, long, { parameters }).value, want)
  own.dispose()
})

test('layers whose products are not kept run again and give the same bits', async () => {
  const { most } = KeepingOperations
  for (const name of ['gpt2-tiny', 'gemma2-tiny', 't5-tiny', 'distilbert-sst-tiny']) {
    const model = await open(name, 'float32')
    if (model.hasHead) {
      const at = /** @type {const} */ (['layers.*.input', 'layers.*.attention.q', 'layers.*.mlp.hidden'])
      const prefix = model.stacks.encoder && model.stacks.decoder ? 'decoder.' : ''
      const places = at.map(place => /** @type {typeof place} */ (prefix + place))
      const input = { ids: [5, 9, 10, 5, 9, 37], ...(prefix && { decoderIds: [1, 6, 2] }) }
      const runs = [most, 20_000, 0].map(bytes => {
        KeepingOperations.most = bytes
        return backwardSync(model, input, { of: 'loss', at: places }).gradients
      })
      KeepingOperations.most = most
      for (const run of runs.slice(1)) assert.deepEqual(run, runs[0], name)
    }
    model.dispose()
  }
})

test('two threads give the same bits', async () => {
  const own = await load({ threads: 2 })
  try {
    for (const name of ['gpt2-tiny', 'gemma2-tiny', 't5-tiny']) {
      const model = await loadModel(own, `${goldens}/${name}`, { tokenizer: false, dtype: 'float32' })
      const plain = await open(name, 'float32')
      const { input, isBoth } = taskOf(plain)
      const stack = isBoth ? 'encoder.' : ''
      const rows = Array.from({ length: 8 }, (_, b) => Array.from({ length: 60 }, (_, i) => (i * 7 + b) % 40))
      const given = { ids: rows, ...(isBoth && { decoderIds: rows.map(row => row.slice(0, 20)) }) }
      const parameters = plain.describe().tensors.map(tensor => tensor.name)
      const at = /** @type {any} */ ([`${stack}layers.0.input`, `${stack}layers.*.attention.weights`])
      for (const one of [input, given]) {
        const [a, b] = [plain, model].map(each => backwardSync(each, one, { at, parameters }))
        assert.deepEqual(a.gradients, b.gradients)
        assert.deepEqual(a.parameters, b.parameters)
      }
      model.dispose()
      plain.dispose()
    }
  } finally {
    own.dispose()
  }
})
