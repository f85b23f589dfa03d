// The tuned lens: trained as PyTorch trains it in float64 (tests/goldens/make-lens.py), resumed, saved, read and used.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  fitLens,
  lensAttribution,
  lensHooks,
  mergeLenses,
  readLens,
  readout,
  saveLens,
} from '../../src/entries/interpret.js'
import { readFloats, readHeader } from '../../src/models/weights/safetensors.js'
import { gpt2, loaded, open, qkv } from './checkpoints.js'

const at = (/** @type {string} */ name) => new URL(`../goldens/${name}`, import.meta.url)
const golden = JSON.parse(readFileSync(at('lens.json'), 'utf8'))
const bytes = readFileSync(at('lens.safetensors'))
const source = {
  size: bytes.length,
  read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
}
/** @type {Map<string, Float32Array>} */
const expected = new Map()
for (const tensor of await readHeader(source, 'lens.safetensors')) expected.set(tensor.name, await readFloats(tensor))
const { passes, rate } = golden.tuned

/** Returns |got - want| / |want|, with Euclidean norms. @param {ArrayLike<number>} got @param {ArrayLike<number>} want */
function error(got, want) {
  const norm = (/** @type {number[]} */ list) => Math.sqrt(list.reduce((sum, value) => sum + value * value, 0))
  return norm(Array.from(got, (value, n) => value - want[n])) / norm(Array.from(want))
}
const texts = [
  Array.from({ length: 12 }, (_, i) => (i * 37 + 5) % 300),
  Array.from({ length: 9 }, (_, i) => (i * 53 + 11) % 300),
  Array.from({ length: 10 }, (_, i) => (i * 71 + 3) % 300),
]
const tuned = /** @type {const} */ ({ kind: 'tuned', passes: 2 })

for (const [name, losses] of Object.entries(golden.tuned.losses))
  test(`${name}: the tuned lens is that of PyTorch in float64`, async t => {
    const model = await open(name, 'float32')
    const lens = await fitLens(model, golden.texts, { kind: 'tuned', passes, rate })
    assert.deepEqual([lens.kind, lens.numPrompts], ['tuned', 2])
    const errors = lens.sourceLayers.flatMap(layer => {
      const weight = lens.matrix(layer).data.map((value, i) => value - (i % (lens.width + 1) === 0 ? 1 : 0))
      const { mean = Number.NaN, standardError = Number.NaN } = lens.divergence(layer) ?? {}
      assert.ok(Math.abs(mean - losses[layer]) <= 1e-5, `${mean} for ${losses[layer]}`)
      assert.ok(standardError > 0)
      return [
        error(weight, expected.get(`${name}/${layer}/weight`) ?? []),
        error(lens.offset(layer)?.data ?? [], expected.get(`${name}/${layer}/bias`) ?? []),
      ]
    })
    assert.equal(errors.length, 2 * losses.length)
    for (const one of errors) assert.ok(one <= 2e-5, `${one}`)
    t.diagnostic(errors.map(one => one.toExponential(1)).join(', '))
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('an aborted fit continues to the same bits, and leaves the earlier lens unchanged', async () => {
  const whole = await fitLens(gpt2, texts, tuned)
  for (const turns of [9, 13, 14, 20, 27, 34]) {
    const abort = new AbortController()
    let seen = 0
    /** @type {import('../../src/entries/interpret.js').Lens | undefined} */
    let part
    const signal = /** @type {any} */ ({
      aborted: false,
      throwIfAborted() {
        if (seen++ >= turns && part) abort.abort(new Error('enough'))
        abort.signal.throwIfAborted()
      },
      addEventListener() {},
      removeEventListener() {},
    })
    Object.setPrototypeOf(signal, AbortSignal.prototype)
    const onProgress = (/** @type {{ lens: import('../../src/entries/interpret.js').Lens }} */ { lens }) => {
      part = lens
    }
    await assert.rejects(fitLens(gpt2, texts, { ...tuned, signal, onProgress }), /enough/)
    const before = part?.matrix(0).data.slice()
    const resumed = await fitLens(gpt2, texts, { ...tuned, resume: part })
    for (const layer of whole.sourceLayers) {
      assert.deepEqual(resumed.matrix(layer), whole.matrix(layer))
      assert.deepEqual(resumed.offset(layer), whole.offset(layer))
      assert.deepEqual(resumed.divergence(layer), whole.divergence(layer))
    }
    assert.deepEqual(part?.matrix(0).data, before)
  }
  const half = await fitLens(gpt2, texts, { ...tuned, layers: [1] })
  assert.deepEqual(half.matrix(1), whole.matrix(1), 'a layer does not depend on the others')
})

test('a tuned lens is nearer to the answer than the logit lens, and can be saved and read', async () => {
  const lens = await fitLens(gpt2, texts, { kind: 'tuned', passes: 12 })
  const input = { ids: texts[0] }
  const mean = (/** @type {Float32Array} */ data) => data.reduce((sum, value) => sum + value) / data.length
  const { kl } = await readout(gpt2, lens, input, { layers: [0, 1] })
  const plain = await readout(gpt2, 'logit', input, { layers: [0, 1] })
  for (const n of [0, 1]) assert.ok(mean(kl.row(n).data) < 0.7 * mean(plain.kl.row(n).data))
  for (const [dtype, most] of /** @type {const} */ ([
    ['float32', 0],
    ['float16', 2 ** -11],
  ])) {
    const back = await readLens(saveLens(lens, { dtype }))
    assert.deepEqual([back.kind, back.numPrompts, back.sourceLayers], ['tuned', 3, [0, 1]])
    assert.deepEqual(back.divergence(1), lens.divergence(1))
    for (const layer of [0, 1]) {
      assert.ok(error(back.matrix(layer).data, lens.matrix(layer).data) <= most)
      assert.ok(error(back.offset(layer)?.data ?? [], lens.offset(layer)?.data ?? []) <= most)
    }
    await assert.rejects(fitLens(gpt2, texts, { ...tuned, resume: back }), /a file has no momenta of the optimiser/)
  }
})

test('a file of the tuned-lens package is read: its number n is for the output of layer n - 1', async () => {
  const lens = await readLens(at('tuned-lens.pt'))
  assert.deepEqual([lens.kind, lens.sourceLayers, lens.width, lens.numPrompts], ['tuned', [0, 1], 32, 0])
  for (const layer of [0, 1]) {
    const weight = lens.matrix(layer).data.map((value, i) => value - (i % 33 === 0 ? 1 : 0))
    assert.ok(error(weight, expected.get(`gpt_neox-made/${layer}/weight`) ?? []) <= 1e-6)
    assert.deepEqual(lens.offset(layer)?.data, expected.get(`gpt_neox-made/${layer}/bias`))
  }
  const model = await open('gpt_neox-made', 'float32')
  assert.equal((await readout(model, lens, { ids: [5, 9, 30] })).layers.length, 3)
  model.dispose()
  await assert.rejects(readout(gpt2, lens, { ids: [5, 9] }), /expected a lens of width 48/)
})

test('readouts of a tuned lens are attributed and steered like those of others', async () => {
  const lens = await fitLens(gpt2, texts, tuned)
  const input = { ids: texts[0] }
  const { logits } = await readout(gpt2, lens, input, { layers: [1], positions: [5], logits: true })
  const found = await lensAttribution(gpt2, lens, input, { layer: 1, position: 5, tokens: [7] })
  assert.ok(Math.abs(found.logits[0] - Number(logits?.data[7])) <= 1e-4)
  const sum = [found.heads, found.mlps, found.embedding, found.rest].flatMap(part => [...part.data])
  assert.ok(Math.abs(sum.reduce((a, b) => a + b) - found.logits[0]) <= 1e-4)
  const hooks = lensHooks(gpt2, lens, { layers: [1], steer: { token: 7, strength: 3 } })
  const steered = await readout(gpt2, lens, input, { layers: [1], positions: [5], tokens: [7], hooks })
  const plain = await readout(gpt2, lens, input, { layers: [1], positions: [5], tokens: [7] })
  assert.ok(Number(steered.probabilities?.data[0]) > Number(plain.probabilities?.data[0]))
})

test('invalid tuned lenses are refused by name', async () => {
  const lens = await fitLens(gpt2, texts, { ...tuned, passes: 1 })
  const jacobian = await fitLens(gpt2, texts, { first: 0 })
  assert.throws(() => mergeLenses([lens, lens]), /lenses\[0\] is a tuned lens: lenses trained apart are not/)
  await assert.rejects(
    fitLens(gpt2, texts, { kind: /** @type {any} */ ('logit') }),
    /kind: the logit lens needs no fit/,
  )
  await assert.rejects(fitLens(gpt2, texts, { passes: 2, first: 0 }), /passes is an option of kind: 'tuned'/)
  await assert.rejects(fitLens(gpt2, texts, { ...tuned, passes: 0 }), RangeError)
  await assert.rejects(fitLens(gpt2, texts, { ...tuned, rate: -1 }), RangeError)
  await assert.rejects(fitLens(gpt2, texts, { ...tuned, resume: jacobian }), /a lens of kind "tuned", got "jacobian"/)
  await assert.rejects(fitLens(gpt2, texts, { first: 0, resume: lens }), /a lens of kind "jacobian", got "tuned"/)
  await assert.rejects(
    fitLens(gpt2, texts, { ...tuned, resume: lens }),
    /it was begun with 3 steps at the rate 1, got 6 at 1/,
  )
  await assert.rejects(fitLens(gpt2, [...texts].reverse(), { ...tuned, resume: lens }), /texts\[0\] is not the text/)
  await assert.rejects(
    fitLens(gpt2, texts, { ...tuned, first: 1, resume: lens }),
    /its positions count from 0, first is 1/,
  )
  const headless = await open('gpt2-sequence-made', 'float32')
  const few = texts.map(ids => ids.map(id => id % 40))
  await assert.rejects(fitLens(headless, few, tuned), /has no head, so there are no answers to train on/)
  headless.dispose()
})
