// forward gives the same numbers as forwardSync, layer by layer, and can be aborted.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { makeWeights, writeFolder } from '../bench/gpt2/checkpoint.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const names = readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`))
const ids = [5, 9, 13, 5, 9, 17, 20, 31]
const decoderIds = [3, 4, 7]
/** @type {import('../../src/models/run/inputs.js').Keep[]} */
const keep = ['attentions', 'hiddenStates', 'crossAttentions', 'encoderAttentions', 'encoderHiddenStates']

/** @param {import('../../src/models/model.js').Model} model */
const inputOf = ({ stacks: { encoder, decoder } }) => ({ ids, ...(encoder && decoder && { decoderIds }) })

/** Collects the numbers of all tensors in a value. @param {unknown} value @returns {number[][]} */
function numbersOf(value) {
  if (typeof value !== 'object' || value === null) return []
  if ('data' in value) return [Array.from(/** @type {{ data: Float32Array }} */ (value).data)]
  return Object.values(value).flatMap(numbersOf)
}

test('forward gives the bits of forwardSync, reports each layer, and leaves nothing in memory', async () => {
  for (const name of names) {
    const model = await loadModel(qkv, `${folder}/${name}`, { tokenizer: false })
    const input = inputOf(model)
    const { encoder, decoder } = model.stacks
    const layers = (encoder?.layers ?? 0) + (decoder?.layers ?? 0)
    const hooks = { [`${encoder && decoder ? 'decoder.' : ''}layers.1.heads.2`]: 0.5 }
    const want = model.forwardSync(input, { keep, hooks })
    const before = qkv.memory.resident
    /** @type {unknown[]} */
    const told = []
    const got = await model.forward(input, { keep, hooks, onLayer: progress => told.push(progress) })
    assert.deepEqual(numbersOf(got), numbersOf(want), name)
    assert.ok(numbersOf(got).length > 2 * layers, name)
    assert.deepEqual(
      told,
      Array.from({ length: layers }, (_, n) => ({ layer: n + 1, layers })),
    )
    assert.ok(qkv.memory.resident <= before, `${name} leaves memory`)
    model.dispose()
  }
})

test('other events are handled between two layers, also calls of the same model', async () => {
  const model = await loadModel(qkv, `${folder}/gpt2-tiny`, { tokenizer: false })
  const want = model.forwardSync({ ids })
  let turns = 0
  const tick = () => {
    turns++
    model.forwardSync({ ids: [1, 2, 3] }, { logits: 'none' })
    next = setImmediate(tick)
  }
  let next = setImmediate(tick)
  const { logits } = await model.forward({ ids })
  clearImmediate(next)
  assert.ok(turns >= 3, `${turns} turns in 3 layers`)
  assert.deepEqual(logits?.data, want.logits?.data)
  model.dispose()
})

test('a signal ends it between two layers: nothing stays in memory, the model works on', async () => {
  for (const name of ['gpt2-tiny', 'bert-tiny', 't5-tiny']) {
    const model = await loadModel(qkv, `${folder}/${name}`, { tokenizer: false })
    const input = inputOf(model)
    const before = qkv.memory.resident
    const { encoder, decoder } = model.stacks
    for (let last = 1; last <= (encoder?.layers ?? 0) + (decoder?.layers ?? 0); last++) {
      const controller = new AbortController()
      const run = model.forward(input, {
        signal: controller.signal,
        onLayer: ({ layer }) => layer === last && controller.abort(new Error('enough')),
      })
      await assert.rejects(run, /enough/)
      assert.ok(qkv.memory.resident <= before, `${name}, layer ${last}`)
    }
    await assert.rejects(model.forward(input, { signal: AbortSignal.abort() }), { name: 'AbortError' })
    await assert.rejects(model.forward(input, { hooks: { 'layers.99.output': 0 } }), /hooks: "layers\.99\.output"/)
    await assert.rejects(model.forward(input, /** @type {any} */ ({ singal: 1 })), /forward: .*"singal".*signal/)
    assert.ok((await model.forward(input)).logits)
    model.dispose()
    await assert.rejects(model.forward(input), /was disposed/)
  }
})

test('a signal ends it while the embeddings of a long text are added up', async () => {
  const made = writeFolder(makeWeights(qkv.generator(1), { layers: 1, heads: 4, d: 256, vocab: 100, positions: 1024 }))
  const model = await loadModel(qkv, made.path, { tokenizer: false })
  made.dispose()
  const { signal } = new AbortController()
  let [looks, isEmbedded] = [0, false]
  signal.throwIfAborted = () => {
    if (++looks === 3) throw new Error('enough')
  }
  const hooks = {
    embedding: () => {
      isEmbedded = true
      return undefined
    },
  }
  const long = Array.from({ length: 1024 }, (_, i) => (i * 37) % 100)
  await assert.rejects(model.forward({ ids: long }, { signal, hooks }), /enough/)
  assert.ok(!isEmbedded)
  model.dispose()
})

test('other events are handled within a long layer, too, and a signal ends it there', async () => {
  const sizes = { layers: 1, heads: 4, d: 256, vocab: 100, positions: 1024 }
  const made = writeFolder(makeWeights(qkv.generator(1), sizes))
  const model = await loadModel(qkv, made.path, { tokenizer: false })
  made.dispose()
  const long = Array.from({ length: 1024 }, (_, i) => (i * 37) % 100)
  const options = {
    keep: /** @type {const} */ (['attentions']),
    hooks: { 'layers.0.heads.1': 0.5 },
    logits: /** @type {const} */ ('none'),
  }
  const want = model.forwardSync({ ids: long }, options)
  const { resident: before, size } = qkv.memory
  let turns = 0
  /** Tensors that make the memory grow within a layer. @type {{ dispose(): void }[]} */
  const held = []
  const tick = () => {
    if (turns++ < 32) held.push(qkv.alloc([2 ** 20]))
    next = setImmediate(tick)
  }
  let next = setImmediate(tick)
  const { lastHiddenState, attentions } = await model.forward({ ids: long }, options)
  clearImmediate(next)
  assert.ok(qkv.memory.size > size, 'the memory did not grow')
  for (const tensor of held) tensor.dispose()
  assert.ok(turns >= 3, `${turns} turns in one layer`)
  assert.deepEqual(lastHiddenState.data, want.lastHiddenState.data)
  assert.deepEqual(attentions[0]?.data, want.attentions[0]?.data)
  const controller = new AbortController()
  let layers = 0
  setImmediate(() => controller.abort())
  await assert.rejects(
    model.forward({ ids: long }, { ...options, signal: controller.signal, onLayer: () => layers++ }),
    { name: 'AbortError' },
  )
  assert.equal(layers, 0, 'the layer did not end')
  assert.ok(qkv.memory.resident <= before)
  assert.deepEqual(model.forwardSync({ ids: long }, options).lastHiddenState.data, want.lastHiddenState.data)
  model.dispose()
})

for (const threads of [1, 2])
  test(`calls of a long text run in parts of their rows, to the same bits, on ${threads} threads`, async () => {
    const own = await load({ threads })
    const sizes = { layers: 1, heads: 4, d: 256, vocab: 100, positions: 2200 }
    const made = writeFolder(makeWeights(own.generator(1), sizes))
    const model = await loadModel(own, made.path, { tokenizer: false })
    made.dispose()
    const long = Array.from({ length: 2111 }, (_, i) => (i * i * 37) % 100)
    const summary = { map: /** @type {const} */ ([64, 64]), topK: 4, distance: true, scores: true, windows: false }
    const before = own.memory.resident
    for (const keep of /** @type {const} */ ([[], ['attentionSummaries']])) {
      const options = { keep, summary, logits: /** @type {const} */ ('none') }
      const want = model.forwardSync({ ids: long }, options)
      let turns = 0
      const tick = () => {
        turns++
        if (turns % 4 === 0) model.forwardSync({ ids: [1, 2, 3] }, { logits: 'none' })
        next = setImmediate(tick)
      }
      let next = setImmediate(tick)
      const got = await model.forward({ ids: long }, options)
      clearImmediate(next)
      assert.ok(turns > 9, `${turns} turns in one layer`)
      assert.deepEqual(got.lastHiddenState.data, want.lastHiddenState.data)
      assert.deepEqual(numbersOf(got.attentionSummaries), numbersOf(want.attentionSummaries))
      assert.equal(numbersOf(got.attentionSummaries).length, keep.length * 9)
      const controller = new AbortController()
      let left = 6
      const count = () => {
        if (left-- > 0) setImmediate(count)
        else controller.abort()
      }
      count()
      await assert.rejects(
        model.forward({ ids: long }, { ...options, signal: controller.signal }),
        /AbortError|aborted/,
      )
      assert.ok(own.memory.resident <= before, 'what a call had is left')
    }
    model.dispose()
    own.dispose()
  })

test('a cache is as it was after a signal that aborts the encoder', async () => {
  const model = await loadModel(qkv, `${folder}/t5-tiny`, { tokenizer: false })
  const cache = model.cache()
  const controller = new AbortController()
  const { signal } = controller
  const input = { ids, decoderIds: [0, 5] }
  await assert.rejects(model.forward(input, { cache, signal, onLayer: () => controller.abort() }))
  const { logits } = await model.forward(input, { cache })
  assert.deepEqual(logits?.data, model.forwardSync(input).logits?.data)
  cache.dispose()
  model.dispose()
})

test('a cache that a signal left half filled is refused', async () => {
  const model = await loadModel(qkv, `${folder}/gpt2-tiny`, { tokenizer: false })
  const cache = model.cache()
  const controller = new AbortController()
  const { signal } = controller
  await assert.rejects(model.forward({ ids }, { cache, signal, onLayer: () => controller.abort() }))
  assert.throws(() => model.forwardSync({ ids }, { cache }), /threw half way: clear it/)
  cache.clear()
  const { logits } = await model.forward({ ids }, { cache })
  assert.deepEqual(logits?.data, model.forwardSync({ ids }).logits?.data)
  cache.dispose()
  model.dispose()
})
