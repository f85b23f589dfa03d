// Lenses on any number of threads, the memory of a fit, and damaged files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { load } from '../../src/entries/index.js'
import { fitLens, lensOf, readLens, readout, saveLens } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { Threads } from '../../src/threads/pool.js'
import { makeWeights, writeFolder } from '../bench/gpt2/checkpoint.js'
import { ENGINE } from '../strange.js'
import { goldens } from './checkpoints.js'

const texts = [
  Array.from({ length: 12 }, (_, i) => (i * 37 + 5) % 300),
  Array.from({ length: 9 }, (_, i) => (i * 53 + 11) % 300),
]

test('the same bits come for any number of threads: fits of both kinds, readouts, states without a fit', async () => {
  const large = { ...Threads.least }
  Object.assign(Threads.least, { burst: 0, work: 0, chunk: 0 }) // so that even the smallest call is shared
  try {
    /** @type {Record<string, Float32Array | Uint8Array>[]} */
    const all = []
    for (const threads of [1, 2, 3]) {
      const qkv = await load({ threads })
      assert.equal(qkv.threads, threads)
      const model = await loadModel(qkv, `${goldens}/llama-tiny-sharded`, { tokenizer: false })
      const lens = await fitLens(model, texts, { first: 1 })
      const tuned = await fitLens(model, texts, { kind: 'tuned' })
      const { topProbabilities, kl } = await readout(model, tuned, { ids: texts[0] })
      const vector = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i))
      const carried = await lensOf(model, [{ layer: 0, vector }], { texts, first: 1 })
      all.push({
        lens: saveLens(lens, { dtype: 'float32' }),
        tuned: saveLens(tuned, { dtype: 'float32' }),
        topProbabilities: topProbabilities.data,
        kl: kl.data,
        carried: carried.data,
      })
      model.dispose()
      qkv.dispose()
    }
    assert.deepEqual(all[1], all[0])
    assert.deepEqual(all[2], all[0])
  } finally {
    Object.assign(Threads.least, large)
  }
})

test('a fit holds at most 2 d x d floats a layer beside the backward pass', async t => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const qkv = await load()
  const sizes = { layers: 4, heads: 4, d: 256, vocab: 64, positions: 16 }
  const folder = writeFolder(makeWeights(qkv.generator(1), sizes))
  const model = await loadModel(qkv, folder.path, { tokenizer: false })
  const short = texts.map(ids => ids.slice(0, 6).map(id => id % 64))
  const allowed = 2 * 4 * sizes.d ** 2 * (sizes.layers - 1)
  for (const kind of /** @type {const} */ (['jacobian', 'tuned'])) {
    await (async () => void (await fitLens(model, short.slice(0, 1), { kind, first: 1 })))()
    await new Promise(resolve => setImmediate(resolve))
    const held = () => {
      for (let n = 0; n < 3; n++) gc()
      return process.memoryUsage().arrayBuffers
    }
    const before = held() // buffers of earlier test files may still be freed, so only an increase is a fault
    /** @type {number[]} */
    const grown = []
    await fitLens(model, short, { kind, first: 1, onProgress: () => grown.push(held() - before) })
    t.diagnostic(`${kind}: ${grown.join(', ')} bytes of ${allowed}`)
    assert.equal(grown.length, 2)
    for (const bytes of grown) assert.ok(bytes < 1.05 * allowed, `${kind}: ${bytes}, ${allowed}`)
  }
  model.dispose()
})

test('a damaged file gives a lens of finite numbers or an error for people', async t => {
  const qkv = await load()
  const model = await loadModel(qkv, `${goldens}/gpt_neox-made`, { tokenizer: false })
  const ids = texts.map(list => list.map(id => id % 40))
  const lenses = [await fitLens(model, ids, { first: 1 }), await fitLens(model, ids, { kind: 'tuned' })]
  const g = qkv.generator(5)
  const below = (/** @type {number} */ n) => g.randint(0, n, [1]).data[0]
  const counts = { lenses: 0, errors: 0 }
  for (const lens of lenses) {
    const whole = saveLens(lens)
    // Half of the changes hit the pickle at the start, the other half the list of files at the end.
    for (let n = 0; n < 1500; n++) {
      const bytes = whole.slice(0, n % 5 ? whole.length : below(whole.length))
      for (let k = 0; k <= n % 3 && bytes.length; k++)
        bytes[n % 2 ? below(Math.min(900, bytes.length)) : bytes.length - 1 - below(Math.min(700, bytes.length))] =
          below(256)
      try {
        const read = await readLens(bytes)
        for (const layer of read.sourceLayers) {
          assert.ok(read.matrix(layer).data.every(Number.isFinite))
          assert.ok(read.offset(layer)?.data.every(Number.isFinite) ?? true)
          const { mean = 0 } = read.divergence(layer) ?? {}
          assert.ok(Number.isFinite(mean) && Number.isFinite(read.standardError(layer) ?? 0), 'facts')
        }
        saveLens(read)
        counts.lenses++
      } catch (error) {
        const { message } = /** @type {Error} */ (error)
        assert.ok(
          [Error, TypeError, RangeError].some(Kind => /** @type {Error} */ (error).constructor === Kind),
          String(error),
        )
        assert.ok(message.length >= 20 && !ENGINE.test(message), message)
        counts.errors++
      }
    }
  }
  t.diagnostic(`${counts.lenses} lenses, ${counts.errors} errors`)
  assert.ok(counts.lenses > 50 && counts.errors > 500)
  model.dispose()
})

test('lenses of float16, int8 and int4 weights are those of the rounded weights, also without a fit', async () => {
  const qkv = await load({ integers: true })
  const vector = Float32Array.from({ length: 48 }, (_, i) => Math.sin(i))
  for (const dtype of /** @type {const} */ (['float16', 'int8', 'int4'])) {
    const model = await loadModel(qkv, `${goldens}/gpt2-tiny`, { tokenizer: false, dtype })
    const { data } = (await fitLens(model, texts, { first: 1 })).matrix(0)
    const carried = await lensOf(model, [{ layer: 0, vector }], { texts, first: 1 })
    let [difference, size] = [0, 0]
    for (let i = 0; i < 48; i++) {
      const want = vector.reduce((sum, value, c) => sum + value * data[i * 48 + c], 0)
      difference += (carried.data[i] - want) ** 2
      size += want ** 2
    }
    assert.ok(Math.sqrt(difference / size) <= 2e-5, `${dtype}: ${Math.sqrt(difference / size)}`)
    model.dispose()
  }
})

test('fits and readouts of one model run beside each other, and end with an error if it is disposed', async () => {
  const qkv = await load()
  const model = await loadModel(qkv, `${goldens}/gpt2-tiny`, { tokenizer: false })
  const bits = (/** @type {import('../../src/entries/interpret.js').Lens} */ lens) =>
    saveLens(lens, { dtype: 'float32' })
  const runs = [
    async () => bits(await fitLens(model, texts, { first: 1 })),
    async () => bits(await fitLens(model, texts, { kind: 'tuned' })),
    async () => (await readout(model, 'logit', { ids: texts[0] })).kl.data,
  ]
  const beside = await Promise.all(runs.map(run => run()))
  for (const [n, run] of runs.entries()) assert.deepEqual(await run(), beside[n])
  const states = [{ layer: 0, vector: new Float32Array(48).fill(1) }]
  /** @type {((own: import('../../src/models/model.js').Model) => Promise<unknown>)[]} */
  const starts = [
    own => fitLens(own, texts, { first: 1 }),
    own => fitLens(own, texts, { kind: 'tuned' }),
    own => readout(own, 'logit', { ids: texts[0] }),
    own => lensOf(own, states, { texts, first: 1 }),
  ]
  for (const start of starts) {
    const own = await loadModel(qkv, `${goldens}/gpt2-tiny`, { tokenizer: false })
    const ended = assert.rejects(start(own), /this model was disposed while it ran/)
    await new Promise(resolve => setImmediate(resolve))
    own.dispose()
    await ended
  }
  model.dispose()
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
})
