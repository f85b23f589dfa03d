// Jacobian products and the Jacobian lens, compared with PyTorch's autograd in float64 (tests/goldens/make-lens.py). In
// every family, products forwards are compared with products backwards.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  backwardSync,
  fitLens,
  jacobianProducts,
  lensAttribution,
  lensHooks,
  lensOf,
  mergeLenses,
  readLens,
  readout,
  saveLens,
  tokenDirections,
} from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { TorchFileWriter } from '../../src/interpret/lens/torch-save.js'
import { readFloats, readHeader } from '../../src/models/weights/safetensors.js'
import { makeWeights, writeFolder } from '../bench/gpt2/checkpoint.js'
import { folders, gpt2, loaded, open, qkv } from './checkpoints.js'
import { startHub } from './hub.js'
import { dot, reader, waves } from './waves.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const golden = JSON.parse(readFileSync(new URL('../goldens/lens.json', import.meta.url), 'utf8'))
const bytes = readFileSync(new URL('../goldens/lens.safetensors', import.meta.url))
const source = {
  size: bytes.length,
  read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
}
/** @type {Map<string, Float32Array>} */
const expected = new Map()
for (const tensor of await readHeader(source, 'lens.safetensors')) expected.set(tensor.name, await readFloats(tensor))

/** @param {ArrayLike<number>} a */
const norm = a => Math.sqrt(dot(a, a))
/** Returns |got - want| / |want|, with Euclidean norms. @param {ArrayLike<number>} got @param {ArrayLike<number>} want */
const error = (got, want) => norm(Array.from(got, (value, n) => value - want[n])) / norm(want)
const texts = [
  Array.from({ length: 12 }, (_, i) => (i * 37 + 5) % 300),
  Array.from({ length: 9 }, (_, i) => (i * 53 + 11) % 300),
  Array.from({ length: 10 }, (_, i) => (i * 71 + 3) % 300),
]
const positions = { first: 2 }

const other = (/** @type {number} */ n) => golden.texts[1 - n]
for (const [name, side] of Object.entries(golden.models))
  test(`${name}: the lens is that of autograd in float64, fitted and without a fit`, async t => {
    const model = await open(name, 'float32')
    const { first } = golden
    const isBoth = side === 'both'
    const texts = golden.texts.map((/** @type {number[]} */ ids, /** @type {number} */ n) =>
      isBoth ? { ids: other(n), decoderIds: ids } : ids,
    )
    const lens = await fitLens(model, texts, { first })
    const errors = lens.sourceLayers.map(layer => {
      const want = expected.get(`${name}/${layer}`) ?? assert.fail()
      return error(lens.matrix(layer).data, want)
    })
    assert.equal(lens.sourceLayers.length, Number(model.stacks.decoder?.layers) - 1)
    for (const one of errors) assert.ok(one <= 3e-6, `${one}`)
    const vector = waves([lens.width], 1).data
    const layers = [...lens.sourceLayers].reverse()
    const states = [...layers, layers.length].map(layer => ({ layer, vector }))
    const carried = await lensOf(model, states, { texts, first })
    for (const [n, layer] of layers.entries()) {
      const want = Array.from({ length: lens.width }, (_, i) => dot(lens.matrix(layer).row(i).data, vector))
      assert.ok(error(carried.row(n).data, want) <= 3e-6)
    }
    assert.deepEqual(carried.row(-1).data, vector, 'the last layer is carried by the identity')
    t.diagnostic(`shares of the Frobenius norm: ${errors.map(one => one.toExponential(1)).join(', ')}`)
    if (model !== gpt2) model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

for (const name of folders)
  test(`${name}: u (J v) forwards is (u J) v backwards`, async () => {
    const model = await open(name, 'float32')
    const ids = [5, 9, 30, 5, 9, 17, 20, 31]
    const { encoder, decoder } = model.stacks
    const isBoth = encoder && decoder
    const at = isBoth ? 'decoder.' : ''
    const input = isBoth ? { ids, decoderIds: [0, 5, 8, 3] } : { ids }
    const last = ((decoder ?? encoder)?.layers ?? 0) - 1
    for (const [from, to] of [
      ['layers.0.output', `layers.${last}.output`],
      ['layers.0.attention.k', 'layers.0.attention.output'],
      ['embedding', `layers.${last}.mlp.hidden`],
    ]) {
      const places = [`${at}${from}`, `${at}${to}`]
      /** @type {(readonly number[])[]} */
      const dims = [[], []]
      const read = places.map((place, i) => [place, reader(x => dims.splice(i, 1, x.dims.slice(1)))])
      model.forwardSync(input, { hooks: Object.fromEntries(read), logits: 'none' })
      const [v, u] = dims.map((own, i) => waves([2, ...own], i))
      const ends = { from: /** @type {any} */ (places[0]), to: /** @type {any} */ (places[1]) }
      const jv = await jacobianProducts(model, input, { ...ends, vectors: v })
      const uj = await jacobianProducts(model, input, { ...ends, vectors: u, mode: 'reverse' })
      assert.deepEqual([jv.dims, uj.dims], [u.dims, v.dims])
      for (const [a, b] of [
        [0, 0],
        [1, 0],
        [0, 1],
      ]) {
        const size = u.data.length / 2
        const own = v.data.length / 2
        const left = [u.data.subarray(a * size, (a + 1) * size), jv.data.subarray(b * size, (b + 1) * size)]
        const forwards = dot(left[0], left[1])
        const backwards = dot(uj.data.subarray(a * own, (a + 1) * own), v.data.subarray(b * own, (b + 1) * own))
        const most = 2e-6 * norm(left[0]) * norm(left[1])
        assert.ok(Math.abs(forwards - backwards) <= most, `${from} ${to}: ${forwards} for ${backwards}`)
      }
    }
    if (model !== gpt2) model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('backward of a place is the product of the Jacobian with its gradient, in every place of a head, too', async () => {
  const input = { ids: texts[0] }
  const ends = /** @type {const} */ ({ from: 'layers.0.output', to: 'layers.2.output' })
  const u = waves([1, 12, 48], 3)
  const product = await jacobianProducts(gpt2, input, { ...ends, vectors: u, mode: 'reverse' })
  const { gradients, value } = backwardSync(gpt2, input, { of: { place: ends.to, gradient: u }, at: [ends.from] })
  assert.equal(value, undefined)
  assert.ok(error(gradients[ends.from].data, product.data) <= 1e-6)
  // The objective is f = |x|^2 / 2 for the output x of a head. Steps along the gradient of f at the input of the layer check this gradient.
  const of = {
    place: /** @type {const} */ ('layers.1.heads.2'),
    gradient: (/** @type {FloatTensor} */ x) => ({
      value: dot(x.data, x.data) / 2,
      gradient: { data: x.data, dims: x.dims },
    }),
  }
  const found = backwardSync(gpt2, input, { of, at: ['layers.1.input'] })
  const d = found.gradients['layers.1.input'].data
  const value2 = (/** @type {number} */ step) => {
    let sum = 0
    const move = (/** @type {FloatTensor} */ x) => {
      for (let i = 0; i < d.length; i++) x.data[i] += (step * d[i]) / norm(d)
    }
    const read = reader(x => {
      sum = dot(x.data, x.data) / 2
    })
    gpt2.forwardSync(input, { hooks: { 'layers.1.input': move, [of.place]: read }, logits: 'none' })
    return sum
  }
  const slope = (value2(0.01) - value2(-0.01)) / 0.02
  assert.ok(Math.abs(slope - norm(d)) <= 1e-2 * norm(d), `${slope} for ${norm(d)}`)
  assert.ok(Math.abs((found.value ?? 0) - value2(0)) <= 1e-5 * value2(0))
})

test('a lens is resumed and merged from parts with the same bits', async () => {
  const whole = await fitLens(gpt2, texts, positions)
  const abort = new AbortController()
  /** @type {import('../../src/entries/interpret.js').Lens | undefined} */
  let part
  await assert.rejects(
    fitLens(gpt2, texts, {
      ...positions,
      signal: abort.signal,
      onProgress: ({ done, total, lens }) => {
        assert.equal(total, 3)
        part = lens
        if (done === 2) abort.abort(new Error('enough'))
      },
    }),
    /enough/,
  )
  assert.equal(part?.numPrompts, 2)
  const resumed = await fitLens(gpt2, texts, { ...positions, resume: part })
  const merged = mergeLenses([part ?? assert.fail(), await fitLens(gpt2, texts.slice(2), positions)])
  for (const layer of whole.sourceLayers) {
    assert.deepEqual(resumed.matrix(layer), whole.matrix(layer))
    assert.ok(error(merged.matrix(layer).data, whole.matrix(layer).data) <= 1e-7)
    assert.equal(merged.standardError(layer)?.toFixed(6), whole.standardError(layer)?.toFixed(6))
    assert.ok(Number(whole.standardError(layer)) > 0)
  }
  await assert.rejects(
    fitLens(gpt2, [texts[1], ...texts], { ...positions, resume: part }),
    /resume: texts\[0\] is not the text that the lens was fitted on/,
  )
  await assert.rejects(fitLens(gpt2, texts.slice(0, 1), { ...positions, resume: part }), /the lens has 2/)
  await assert.rejects(
    fitLens(gpt2, texts, { ...positions, layers: [0], resume: part }),
    /a lens of layers 0; got 0, 1/,
  )
})

test('a readout ends with the answer of the model, and with the identity it is the logit lens', async () => {
  const lens = await fitLens(gpt2, texts, positions)
  const input = { ids: texts[0] }
  const all = await readout(gpt2, lens, input, { topK: 3, tokens: [7, 200], logits: true })
  const { logits } = gpt2.forwardSync(input)
  assert.deepEqual(all.layers, [0, 1, 2])
  assert.deepEqual(all.topIds.dims, [3, 12, 3])
  const V = 384
  const answer = all.logits?.data.slice(2 * 12 * V) ?? []
  assert.ok(error(answer, logits?.data ?? []) <= 1e-6)
  for (let i = 0; i < 12; i++) {
    const own = Array.from(logits?.row(0).row(i).data ?? [])
    const order = own.map((_, v) => v).sort((a, b) => own[b] - own[a])
    assert.deepEqual(Array.from(all.topIds.row(2).row(i).data), order.slice(0, 3))
    const sum = own.reduce((total, z) => total + Math.exp(z), 0)
    const shares = own.map(z => Math.exp(z) / sum)
    assert.ok(Math.abs(all.topProbabilities.at(2, i, 0) - shares[order[0]]) <= 1e-6)
    assert.ok(Math.abs(all.entropy.at(2, i) + shares.reduce((total, p) => total + p * Math.log(p), 0)) <= 1e-5)
    assert.equal(all.ranks?.at(1, 2, i), order.indexOf(200))
    assert.ok(Math.abs(Number(all.probabilities?.at(0, 2, i)) - shares[7]) <= 1e-6)
    assert.equal(all.kl.at(2, i), 0)
  }
  // Multiplies a state with the matrix of the lens by hand, and writes it over the last state at position 4 by a hook.
  const { hiddenStates } = gpt2.forwardSync(input, { keep: ['hiddenStates'] })
  const state = hiddenStates[1]?.row(0).row(4).data ?? []
  const carried = Float32Array.from({ length: 48 }, (_, i) => dot(lens.matrix(0).row(i).data, state))
  const put = reader(x => x.data.set(carried, 4 * 48))
  const by =
    gpt2
      .forwardSync(input, { hooks: { 'layers.2.output': put } })
      .logits?.row(0)
      .row(4).data ?? []
  const one = await readout(gpt2, lens, input, { layers: [0], positions: [4, -1], logits: true })
  assert.deepEqual(one.positions, [4, 11])
  assert.ok(error(one.logits?.row(0).row(0).data ?? [], by) <= 1e-5)
  const plain = await readout(gpt2, 'logit', input, { layers: [0], positions: [4], logits: true })
  const same = reader(x => x.data.set(state, 4 * 48))
  const want =
    gpt2
      .forwardSync(input, { hooks: { 'layers.2.output': same } })
      .logits?.row(0)
      .row(4).data ?? []
  assert.ok(error(plain.logits?.data ?? [], want) <= 1e-5)
  const p = softmax(Array.from(logits?.row(0).row(4).data ?? []))
  const q = softmax(Array.from(want))
  const kl = p.reduce((total, own, v) => total + own * Math.log(own / q[v]), 0)
  assert.ok(Math.abs(plain.kl.data[0] - kl) <= 1e-4 * Math.max(1, kl), `${plain.kl.data[0]} for ${kl}`)
})

test('a readout is that of float64, with equal words and any number of them; a NaN stays in its row', async () => {
  const [V, d] = [1031, 8] // V is several blocks of the kernel and a remainder
  const sizes = { layers: 2, heads: 2, d, vocab: V, positions: 16 }
  const weights = makeWeights(qkv.generator(3), sizes)
  const table = weights.data.subarray(0, V * d)
  for (let v = 0; v < V; v++) {
    if (v % 5 === 1)
      table.copyWithin(v * d, (v - 1) * d, v * d) // the row of the previous id, so that both logits are equal
    else for (let c = v * d; c < (v + 1) * d; c++) table[c] *= 150
  }
  const folder = writeFolder(weights)
  const model = await loadModel(qkv, folder.path, { tokenizer: false })
  const input = { ids: [3, 700, 4, 1030, 8] }
  const K = 40
  /** @param {Record<string, (x: FloatTensor) => void>} [hooks] */
  const read = async hooks => readout(model, 'logit', input, { topK: K, logits: true, tokens: [5, 6], hooks })
  const check = (
    /** @type {Awaited<ReturnType<typeof read>>} */ out,
    /** @type {(at: number) => boolean} */ isWhole,
  ) => {
    const rowOf = (/** @type {number} */ n, /** @type {number} */ i) => {
      const own = Array.from(/** @type {FloatTensor} */ (out.logits).row(n).row(i).data)
      return { own, shares: softmax(own) }
    }
    for (let i = 0; i < 5; i++)
      for (let n = 0; n < 2; n++) {
        const got = { kl: out.kl.at(n, i), entropy: out.entropy.at(n, i) }
        if (!isWhole(i)) {
          assert.ok(Number.isNaN(got.kl) && Number.isNaN(got.entropy) === (n === 1), `${n} ${i}`)
          continue
        }
        const [{ own, shares }, answer] = [rowOf(n, i), rowOf(1, i)]
        const order = own.map((_, v) => v).sort((a, b) => own[b] - own[a] || a - b)
        assert.deepEqual(Array.from(out.topIds.row(n).row(i).data), order.slice(0, K))
        for (const [k, v] of order.slice(0, K).entries())
          assert.ok(Math.abs(out.topProbabilities.at(n, i, k) / shares[v] - 1) <= 2e-6)
        const entropy = shares.reduce((sum, p) => sum - (p && p * Math.log(p)), 0)
        const kl = answer.shares.reduce((sum, p, v) => sum + (p && p * Math.log(p / shares[v])), 0)
        assert.ok(Math.abs(got.entropy - entropy) <= 3e-6 * Math.max(1, entropy), `${got.entropy} for ${entropy}`)
        assert.ok(Math.abs(got.kl - kl) <= 3e-6 * Math.max(1, kl), `${got.kl} for ${kl}`)
        assert.equal(Number(out.ranks?.at(1, n, i)), Number(out.ranks?.at(0, n, i)) + 1, 'of equal words the first')
      }
  }
  check(await read(), () => true)
  const broken = await read({ 'layers.1.output': ({ data }) => void data.fill(NaN, 2 * d, 3 * d) })
  check(broken, i => i !== 2)
  model.dispose()
  folder.dispose()
})

test('heads, MLPs and the embedding add up to the logit that a lens reads from a state, in every decoder', async () => {
  let tried = 0
  let whole = 0
  for (const folder of folders) {
    const model = await open(folder, 'float32')
    const { decoder, encoder } = model.stacks
    if (!decoder || encoder || !model.hasHead || decoder.layers < 2) {
      model.dispose()
      continue
    }
    const vocab = Number(model.config.vocab_size)
    const ids = Array.from({ length: 8 }, (_, i) => (i * 37 + 5) % Math.min(vocab, 300))
    const lens = await fitLens(model, [ids], { first: 1 })
    const tokens = [3, Math.min(vocab, 300) - 1]
    const { rest } = await model.logitAttribution({ ids }, { tokens, position: 5 })
    const isWhole = rest.data.every(value => Math.abs(value) <= 1e-5) // true if no bias or other term adds to the logits
    for (const own of /** @type {const} */ (['logit', lens])) {
      const asked = { layer: decoder.layers - 2, position: 5, tokens }
      const found = await lensAttribution(model, own, { ids }, asked)
      const { logits } = await readout(model, own, { ids }, { layers: [asked.layer], positions: [5], logits: true })
      const cap = model.config.final_logit_softcapping
      for (const [t, id] of tokens.entries()) {
        const read = Number(logits?.data[id])
        const want = typeof cap === 'number' ? cap * Math.atanh(read / cap) : read
        const parts = [found.heads, found.mlps].flatMap(part => [...part.row(t).data])
        const size = Math.max(1, Math.abs(want), ...parts.map(Math.abs))
        const sum = parts.reduce((a, b) => a + b, found.embedding.data[t] + (isWhole ? 0 : found.rest.data[t]))
        assert.ok(Math.abs(found.logits[t] - want) <= 2e-4 * size, `${folder}: ${found.logits[t]} for ${want}`)
        assert.ok(Math.abs(sum - found.logits[t]) <= 3e-5 * size, `${folder}: sum ${sum} for ${found.logits[t]}`)
        assert.ok(
          found.heads
            .row(t)
            .row(-1)
            .data.every(value => value === 0),
          'heads after the state write nothing',
        )
      }
      tried++
      if (isWhole) whole++
    }
    model.dispose()
  }
  assert.ok(tried > 30 && whole > 10, `${whole} of ${tried}`)
  const last = await lensAttribution(gpt2, 'logit', { ids: texts[0] }, { layer: 2, tokens: [7] })
  const known = await gpt2.logitAttribution({ ids: texts[0] }, { tokens: [7] })
  assert.deepEqual([...last.heads.data, ...last.mlps.data], [...known.heads.data, ...known.mlps.data])
})

/** @param {number[]} z */
function softmax(z) {
  const sum = z.reduce((total, one) => total + Math.exp(one), 0)
  return z.map(one => Math.exp(one) / sum)
}

test('a direction of a word is removed, exchanged and added', async () => {
  const lens = await fitLens(gpt2, texts, positions)
  const input = { ids: texts[0] }
  const [a, b] = [7, 200]
  const pair = tokenDirections(gpt2, lens, 1, [a, b])
  const [A, B] = [pair.row(0).data, pair.row(1).data]
  const stateWith = (/** @type {import('../../src/models/model.js').Hooks | undefined} */ hooks) =>
    gpt2
      .forwardSync(input, { hooks, keep: ['hiddenStates'] })
      .hiddenStates[2]?.row(0)
      .row(5).data ?? new Float32Array(0)
  const before = stateWith(undefined)
  const removed = stateWith(lensHooks(gpt2, lens, { layers: [1], remove: [a, b] }))
  for (const direction of [A, B]) assert.ok(Math.abs(dot(removed, direction)) <= 1e-4 * norm(before) * norm(direction))
  const added = stateWith(lensHooks(gpt2, lens, { layers: [1], steer: { token: a, strength: 3 } }))
  const moved = added.map((value, i) => value - before[i])
  assert.ok(Math.abs(dot(moved, A) / norm(A) - 3) <= 1e-4 && Math.abs(norm(moved) - 3) <= 1e-4)
  const swapped = stateWith(lensHooks(gpt2, lens, { layers: [1], swap: [a, b] }))
  const again = (/** @type {FloatTensor} */ { data }) => data.set(swapped, 5 * 48)
  const twice = { ...lensHooks(gpt2, lens, { layers: [1], swap: [a, b] }) }
  const [place] = Object.keys(twice)
  const back = stateWith({
    [place]: (/** @type {FloatTensor} */ x) => {
      again(x)
      return /** @type {any} */ (twice)[place](x, place)
    },
  })
  assert.ok(error(back, before) <= 1e-5, 'exchanged twice it is as it was')
  assert.ok(error(swapped, before) > 1e-3)
})

test('a file of PyTorch is read by path, bytes, Blob and name, and a saved lens comes back', async () => {
  const bytes = readFileSync(new URL('../goldens/lens.pt', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'qkv-lens-'))
  const hub = await startHub({
    'someone/lenses': { files: { 'small/lens.pt': bytes, 'README.md': Buffer.from('lenses') } },
  })
  try {
    const path = join(folder, 'lens.pt')
    writeFileSync(path, bytes)
    const url = new URL('../goldens/lens.pt', import.meta.url)
    const name = 'hf:someone/lenses/small/lens.pt'
    for (const source of [path, url, bytes, new Blob([bytes]), new File([bytes], 'lens.pt')])
      await check(await readLens(source))
    const wide = await readLens(new URL('../goldens/lens-bfloat16.pt', import.meta.url))
    assert.ok(error(wide.matrix(1).data, expected.get('gpt_neox-made/1') ?? []) <= 2 ** -8, 'rounded to bfloat16')
    await check(await readLens(name, { hub: hub.url, keep: false }))
    /** @param {import('../../src/entries/interpret.js').Lens} lens */
    async function check(lens) {
      assert.deepEqual([lens.sourceLayers, lens.numPrompts, lens.width], [[0, 1], 2, 32])
      assert.equal(lens.standardError(0), undefined)
      const want = expected.get('gpt_neox-made/1') ?? assert.fail()
      assert.ok(error(lens.matrix(1).data, want) <= 2 ** -11, 'rounded to float16')
    }
    await assert.rejects(readLens(join(folder, 'other.pt')), /there is no file ".*other.pt"/)
    const fitted = await fitLens(gpt2, texts, positions)
    for (const dtype of /** @type {const} */ (['float32', 'float16'])) {
      writeFileSync(path, saveLens(fitted, { dtype }))
      const back = await readLens(path)
      for (const layer of fitted.sourceLayers) {
        const most = dtype === 'float32' ? 1e-7 : 2 ** -11
        assert.ok(error(back.matrix(layer).data, fitted.matrix(layer).data) <= most)
        assert.ok(Math.abs(Number(back.standardError(layer)) - Number(fitted.standardError(layer))) <= 1e-3)
      }
      const more = [...texts, texts[0].map(id => id + 1)]
      assert.equal((await fitLens(gpt2, more, { ...positions, resume: back })).numPrompts, 4)
    }
  } finally {
    await hub.close()
    rmSync(folder, { recursive: true })
  }
})

test('a file that is not a lens is refused by its content', async () => {
  const ids = readFileSync(new URL('../goldens/lens.pt', import.meta.url))
  const storage = ids.indexOf('HalfStorage')
  ids.write('LongStorage', storage) // a name of the same length, for numbers that are four times as long
  await assert.rejects(readLens(ids), /storage "\d": expected \d+ bytes, got \d+|expected floats, got I64/)
  ids.write('ShortStorag', storage)
  await assert.rejects(readLens(ids), RangeError)
  const state = readFileSync(new URL('../goldens/torch-files/whole.zip.bin', import.meta.url))
  await assert.rejects(readLens(state), /expected a lens, \{ J, n_prompts/)
  await assert.rejects(readLens(new Uint8Array(100)), /no file of torch.save/)
  const lens = await fitLens(gpt2, texts, positions)
  const bytes = saveLens(lens, { dtype: 'float32' })
  await assert.rejects(readLens(bytes.subarray(0, 5000)), /cut off|contradicts/)
  const text = Buffer.from(bytes)
  const at = text.indexOf('n_prompts')
  text.write('m', at)
  await assert.rejects(readLens(text), /n_prompts: expected how many texts/)
  text.write('n', at)
  const start = text.indexOf('lens/data/0') + 'lens/data/0'.length + 4
  text.writeUInt32LE(0x7fc00000, Math.ceil(start / 64) * 64) // data is aligned to 64 bytes
  const broken = await readLens(text).then(
    () => 'read',
    reason => String(reason),
  )
  assert.match(broken, /J\[0\] holds NaN or infinity/)
  /** Writes a lens file in which the value called `name` is a tensor. @param {string} name @param {number[]} layers */
  const odd = (name, layers) => {
    const file = new TorchFileWriter('lens', 'float32')
    const one = () => file.tensor(Float32Array.of(3), [1, 1])
    file.dict([
      ['J', () => file.dict([[0, one]])],
      ['n_prompts', () => (name === 'n_prompts' ? one() : file.number(1))],
      ['d_model', () => (name === 'd_model' ? one() : file.number(1))],
      ['source_layers', () => (name === 'source_layers' ? one() : file.list(layers))],
    ])
    return file.bytes()
  }
  assert.deepEqual((await readLens(odd('none', [0]))).matrix(0).data, Float32Array.of(3))
  await assert.rejects(readLens(odd('n_prompts', [0])), /n_prompts: expected how many texts .*, got a tensor$/)
  await assert.rejects(readLens(odd('d_model', [0])), /d_model: expected the width of the model, got a tensor$/)
  await assert.rejects(readLens(odd('source_layers', [])), /source_layers: expected the layers of J, 0; got a tensor$/)
  await assert.rejects(readLens(odd('none', [0, 1])), /source_layers: expected the layers of J, 0; got 0,1$/)
})

test('bad lenses, texts and places are refused by name', async () => {
  const lens = await fitLens(gpt2, texts.slice(0, 1), { ...positions, layers: [0] })
  const bert = await open('bert-tiny', 'float32')
  const small = await open('opt-made', 'float32')
  await assert.rejects(fitLens(gpt2, texts), /texts\[0\]: expected at least 18 tokens.*got 12/)
  await assert.rejects(fitLens(gpt2, []), /texts: expected a list of texts or of token ids, got/)
  await assert.rejects(fitLens(bert, texts, positions), /expected a decoder.*this bert is an encoder/)
  await assert.rejects(fitLens(gpt2, texts, { ...positions, layers: [2] }), RangeError)
  await assert.rejects(
    readout(small, lens, { ids: [1, 2, 3] }),
    /expected a lens of width 24, as the model's; got one of width 48/,
  )
  await assert.rejects(readout(gpt2, lens, { ids: [1, 2, 3] }, { layers: [1] }), /expected one of its layers, 0; got 1/)
  await assert.rejects(
    readout(gpt2, /** @type {any} */ ({}), { ids: [1, 2, 3] }),
    /expected 'logit' or a lens of fitLens/,
  )
  await assert.rejects(readout(gpt2, lens, { ids: [1, 2, 3] }, { positions: [3] }), RangeError)
  assert.throws(() => mergeLenses([]), /expected a list of lenses/)
  assert.throws(() => lensHooks(gpt2, lens, { layers: [0] }), /expected one of remove, swap and steer/)
  assert.throws(() => lensHooks(gpt2, lens, { layers: [0], swap: [3, 3] }), /expected two tokens/)
  const vectors = waves([1, 3, 48], 0)
  const products = (/** @type {any} */ more) =>
    jacobianProducts(gpt2, { ids: [1, 2, 3] }, { from: 'layers.0.output', to: 'layers.1.output', vectors, ...more })
  await assert.rejects(
    () => products({ to: 'layers.0.attention.weights' }),
    /expected one place with a row for each token/,
  )
  await assert.rejects(() => products({ from: 'layers.2.input' }), /expected `from` before `to`/)
  await assert.rejects(() => products({ vectors: waves([1, 4, 48], 0) }), /expected \(N, 3, 48\)/)
  const of = (/** @type {any} */ more) =>
    backwardSync(gpt2, { ids: [1, 2, 3] }, { of: { place: 'layers.1.output', gradient: vectors, ...more } })
  assert.throws(() => of({ place: 'logits' }), /give a function of the logits/)
  assert.throws(() => of({ place: 'layers.*.output' }), /expected one place/)
  assert.throws(
    () => of({ gradient: waves([1, 2, 48], 0) }),
    /with the dims of "layers.1.output", \(1, 3, 48\); got \(1, 2, 48\)/,
  )
  assert.throws(() => of({ gradient: undefined }), /gradient: expected a tensor or a function/)
  for (const place of ['norm', 'logits'])
    await assert.rejects(
      readout(gpt2, lens, { ids: [1, 2, 3] }, { hooks: { [place]: 0 } }),
      new RegExp(`hooks: "${place}" comes after the states that a lens reads`),
    )
  const parallel = () => lensHooks(gpt2, new Proxy(lens, {}), { layers: [0], swap: [3, 4] })
  assert.throws(parallel, /expected 'logit' or a lens of fitLens/)
  const headless = await open('gpt2-sequence-made', 'float32')
  const input = { ids: [1, 2, 3] }
  await assert.rejects(readout(headless, 'logit', input), /has no head, so states predict no words/)
  await assert.rejects(lensAttribution(headless, 'logit', input, { layer: 0, tokens: [1] }), /has no head, so states/)
  assert.throws(() => tokenDirections(headless, 'logit', 0, [1]), /has no head, so words have no directions/)
  const t5 = await open('t5-tiny', 'float32')
  await assert.rejects(fitLens(t5, [[1, 2, 3]]), /texts\[0\]: expected \{ ids, decoderIds \} for an encoder-decoder/)
  const both = { ids: [5, 9, 30], decoderIds: [0, 4, 5, 6, 7] }
  await assert.rejects(fitLens(t5, [both]), /texts\[0\]\.decoderIds: expected at least 18 tokens.*got 5/)
  const asked = { layer: 0, tokens: [3], position: -1 }
  const found = await lensAttribution(t5, await fitLens(t5, [both], { first: 1 }), both, asked)
  const parts = [found.heads, found.crossHeads, found.mlps, found.embedding, found.rest]
  const sum = parts.flatMap(part => [...(part?.data ?? [])]).reduce((a, b) => a + b)
  assert.ok(Math.abs(sum - found.logits[0]) <= 1e-4)
  for (const model of [bert, small, headless, t5]) model.dispose()
  assert.equal(qkv.memory.resident, loaded)
})
