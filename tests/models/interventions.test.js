// Interventions in a model: draw a mask, edit a weight, patch from another text, attribute logits to heads.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inspectModel, loadModel } from '../../src/entries/models.js'
import { readFloats, readHeader } from '../../src/models/weights/safetensors.js'
import { goldens, gpt2, loaded, open, qkv } from './checkpoints.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { Hook } from '../../src/models/run/model-hooks.js' */

const ids = [5, 9, 130, 5, 9, 77, 200, 31]
const L = ids.length

/** @param {string} name @returns {Promise<Map<string, { data: Float32Array, dims: readonly number[] }>>} */
async function tensorsOf(name) {
  const bytes = readFileSync(`${goldens}/${name}/model.safetensors`)
  const source = {
    size: bytes.length,
    read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
  }
  const tensors = new Map()
  for (const tensor of await readHeader(source, name))
    tensors.set(tensor.name.replace(/^transformer\./, ''), { data: await readFloats(tensor), dims: tensor.dims })
  return tensors
}

const near = (/** @type {number} */ a, /** @type {number} */ b, limit = 1e-4, what = '') =>
  assert.ok(Math.abs(a - b) <= limit, `${what}: ${a} for ${b}`)

test('the contribution of each head is what float64 gives from the weights of the checkpoint', async () => {
  const tensors = await tensorsOf('gpt2-tiny')
  const get = (/** @type {string} */ name) => tensors.get(name)?.data ?? assert.fail(name)
  const { numHeads: H, headDim: D, layers } = gpt2.stacks.decoder ?? assert.fail()
  const d = H * D
  /** @type {Record<string, FloatTensor>} */
  const seen = {}
  const hooks = Object.fromEntries(
    Array.from({ length: layers }, (_, i) => [
      `layers.${i}.heads`,
      (/** @type {FloatTensor} */ x) => {
        seen[i] = x
      },
    ]),
  )
  const { hiddenStates } = gpt2.forwardSync({ ids }, { keep: ['hiddenStates'], hooks })
  const last = hiddenStates[layers] ?? assert.fail()
  for (const [position, token] of [
    [-1, 7],
    [3, 301],
  ]) {
    const at = (position + L) % L
    const row = Array.from({ length: d }, (_, i) => last.at(0, at, i))
    const mean = row.reduce((a, b) => a + b) / d
    const deviation = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / d + 1e-5)
    const r = await gpt2.logitAttribution({ ids }, { tokens: [token], position })
    for (let layer = 0; layer < layers; layer++)
      for (let h = 0; h < H; h++) {
        const written = Array.from({ length: d }, (_, n) => {
          let sum = 0
          for (let i = 0; i < D; i++)
            sum += seen[layer].at(0, at, h * D + i) * get(`h.${layer}.attn.c_proj.weight`)[(h * D + i) * d + n]
          return sum
        })
        const own = written.reduce((a, b) => a + b) / d
        const want = written.reduce(
          (sum, x, n) => sum + ((x - own) / deviation) * get('ln_f.weight')[n] * get('wte.weight')[token * d + n],
          0,
        )
        near(r.heads.at(0, layer, h), want, 1e-5, `layer ${layer}, head ${h}`)
      }
  }
})

const names = ['gpt2-tiny', 'llama-tiny-sharded', 'gemma2-tiny', 'phi-made', 'gpt_neox-made', 't5-tiny', 'marian-tiny']
for (const name of names)
  test(`${name}: what heads, MLPs, embedding and biases contribute sums to the logits`, async () => {
    const model = await open(name)
    const isBoth = model.stacks.encoder !== undefined
    const given = ids.map(id => id % 40)
    const cap = Number(model.config.final_logit_softcapping ?? 0)
    assert.equal(cap > 0, name === 'gemma2-tiny')
    const input = isBoth ? { ids: given, decoderIds: [0, 5, 8] } : { ids: given }
    const plain = model.forwardSync(input).logits ?? assert.fail()
    const rows = plain.dims[1]
    for (const position of [-1, 1]) {
      const r = await model.logitAttribution(input, { tokens: [3, 11], position })
      r.tokens.forEach((token, t) => {
        const raw = r.logits[t]
        const logit = cap ? cap * Math.tanh(raw / cap) : raw
        near(logit, plain.at(0, (position + rows) % rows, token), 2e-4, name)
        const sum = [r.heads, r.crossHeads, r.mlps, r.embedding, r.rest]
          .flatMap(part => (part ? [...part.row(t).data] : []))
          .reduce((a, b) => a + b)
        near(sum, raw, 1e-4, name)
      })
      assert.equal(r.crossHeads !== undefined, isBoth)
      assert.ok(r.heads.data.some(value => Math.abs(value) > 1e-4))
    }
    const { tokens, logits } = await model.logitAttribution(input)
    const row = plain.slice(1, -1).data
    assert.equal(tokens[0], row.indexOf(Math.max(...row)))
    assert.ok(logits[0] > 0 || cap === 0)
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('a head that is switched off contributes nothing, and what a hook adds to the residual stream is in the rest', async () => {
  const off = await gpt2.logitAttribution({ ids }, { tokens: [7], hooks: { 'layers.1.heads.2': 0 } })
  assert.equal(off.heads.at(0, 1, 2), 0)
  assert.notEqual(off.heads.at(0, 1, 1), 0)
  const hooks = {
    'layers.2.output': (/** @type {FloatTensor} */ x) => ({
      dims: x.dims,
      data: x.data.map((value, n) => value + (n % 3)),
    }),
  }
  const shifted = await gpt2.logitAttribution({ ids }, { tokens: [7], hooks })
  near(shifted.logits[0], gpt2.forwardSync({ ids }, { hooks }).logits?.at(0, -1 + L, 7) ?? NaN)
})

test('impossible attributions are refused with the reason', async () => {
  const bert = await open('bert-tiny')
  for (const [run, message] of /** @type {[() => Promise<unknown>, RegExp][]} */ ([
    [() => bert.logitAttribution({ ids }, { position: 9 }), /position: expected a whole number from -8 to 7.*got 9/],
    [() => gpt2.logitAttribution({ ids }, { position: L }), /position: expected a whole number from -8 to 7.*got 8/],
    [
      () => gpt2.logitAttribution({ ids }, { tokens: [384] }),
      /tokens\[0\]: expected a whole number from 0 to 383.*got 384/,
    ],
    [() => gpt2.logitAttribution({ ids: [ids, ids] }), /expected one text, got 2/],
    [
      () => gpt2.logitAttribution({ ids }, /** @type {any} */ ({ token: 1 })),
      /no option "token"; did you mean "tokens"/,
    ],
  ]))
    await assert.rejects(run(), message)
  bert.dispose()
  assert.equal(qkv.memory.resident, loaded)
})

test('a painted mask hides a pair in one head: its weight is 0, and the row still sums to 1', () => {
  const plain = gpt2.forwardSync({ ids }, { keep: ['attentions'] }).attentions[1] ?? assert.fail()
  /** @type {Record<string, Hook>} */
  const hooks = {
    'layers.1.attention.scores.2': scores => {
      assert.deepEqual(scores.dims, [1, L, L])
      scores.data[5 * L + 3] = -Infinity
    },
  }
  const painted = gpt2.forwardSync({ ids }, { keep: ['attentions'], hooks }).attentions[1] ?? assert.fail()
  assert.equal(painted.at(0, 2, 5, 3), 0)
  for (let j = 0; j < 6; j++) {
    const want = j === 3 ? 0 : plain.at(0, 2, 5, j) / (1 - plain.at(0, 2, 5, 3))
    near(painted.at(0, 2, 5, j), want, 1e-6)
    near(painted.at(0, 1, 5, j), plain.at(0, 1, 5, j), 1e-6)
  }
})

test('an edited weight of one head changes its output by the value times the change', () => {
  /** @type {FloatTensor[]} */
  const seen = []
  const see = (/** @type {FloatTensor} */ x) => {
    seen.push(x)
  }
  const edit = (/** @type {FloatTensor} */ w) => {
    w.data[6 * L + 2] += 0.5
  }
  gpt2.forwardSync({ ids }, { hooks: { 'layers.0.heads.1': see, 'layers.0.attention.v': see } })
  gpt2.forwardSync({ ids }, { hooks: { 'layers.0.heads.1': see, 'layers.0.attention.weights.1': edit } })
  const [v, plain, edited] = seen
  const D = plain.dims[2]
  for (let i = 0; i < D; i++) near(edited.at(0, 6, i) - plain.at(0, 6, i), 0.5 * v.at(0, 2, D + i), 1e-5)
  near(edited.at(0, 5, 0), plain.at(0, 5, 0), 1e-6)
})

test('q, k and v give the scores, before and after rotary positions', async () => {
  for (const name of ['gpt2-tiny', 'llama-tiny-sharded', 'qwen3-tiny-bf16', 't5-tiny']) {
    const model = await open(name)
    const isBoth = model.stacks.encoder !== undefined
    const given = ids.map(id => id % 90)
    const at = isBoth ? 'decoder.layers.1.cross' : 'layers.1.attention'
    const { numHeads: H, numKvHeads: G, headDim: D, scale, rope } = model.stacks.decoder ?? assert.fail()
    /** @type {Record<string, FloatTensor>} */
    const seen = {}
    const read = (/** @type {string} */ place) => (/** @type {FloatTensor} */ x) => {
      seen[place] = x
    }
    const places = ['q', 'k', 'scores', ...(isBoth ? [] : ['qBare', 'kBare'])]
    const hooks = Object.fromEntries(places.map(place => [`${at}.${place}`, read(place)]))
    model.forwardSync(isBoth ? { ids: given, decoderIds: [0, 3] } : { ids: given }, { hooks })
    const i = isBoth ? 1 : 6
    for (let h = 0; h < H; h++)
      for (let j = 0; j <= i; j++) {
        const g = Math.floor((h * G) / H)
        let sum = 0
        for (let c = 0; c < D; c++) sum += seen.q.at(0, i, h * D + c) * seen.k.at(0, j, g * D + c)
        near(seen.scores.at(0, h, i, j), sum * scale, 1e-4, `${name} head ${h} key ${j}`)
      }
    if (!isBoth) {
      assert.deepEqual(seen.qBare.dims, seen.q.dims)
      assert.equal(
        seen.qBare.data.some((value, n) => value !== seen.q.data[n]),
        rope !== undefined,
        name,
      )
      // A rotation keeps the length of a vector.
      const length = (/** @type {FloatTensor} */ x) =>
        x.data.slice(0, H * D).reduce((sum, value) => sum + value ** 2, 0)
      near(length(seen.qBare) / length(seen.q), 1, 1e-5, name)
    }
    const zeros = model.forwardSync(isBoth ? { ids: given, decoderIds: [0, 3] } : { ids: given }, {
      hooks: { [`${at}.q`]: 0, [`${at}.weights.0`]: read('even') },
    })
    assert.ok(zeros.logits)
    if (!isBoth && model.type !== 'gemma2') near(seen.even.at(0, 3, 1), 1 / 4, 1e-5, `${name}: scores of 0 are even`)
    model.dispose()
  }
  assert.throws(
    () => gpt2.forwardSync({ ids }, { hooks: /** @type {any} */ ({ 'layers.0.attention.q.1': 0 }) }),
    /did you mean/,
  )
  assert.throws(() => gpt2.forwardSync({ ids }, { hooks: { 'layers.0.attention.weights.4': 0 } }), /there are 4 heads/)
})

test('one head is patched from another text: its columns of the output are replaced', () => {
  /** @type {FloatTensor[]} */
  const seen = []
  const read = (/** @type {FloatTensor} */ x) => {
    seen.push(x)
  }
  gpt2.forwardSync({ ids: [...ids].reverse() }, { hooks: { 'layers.1.heads.3': read } })
  const [other] = seen
  const byHand = (/** @type {FloatTensor} */ x) => {
    const D = other.dims[2]
    for (let i = 0; i < L; i++) x.data.set(other.row(0).row(i).data, i * 4 * D + 3 * D)
  }
  const patched = gpt2.forwardSync({ ids }, { hooks: { 'layers.1.heads.3': other } }).logits
  assert.deepEqual(patched, gpt2.forwardSync({ ids }, { hooks: { 'layers.1.heads': byHand } }).logits)
  assert.notDeepEqual(patched, gpt2.forwardSync({ ids }).logits)
})

test('a folder is inspected before its weights are read: sizes, layers and memory by dtype', async () => {
  for (const name of ['gpt2-tiny', 'bert-tiny', 't5-tiny', 'gemma2-tiny']) {
    const found = await inspectModel(`${goldens}/${name}`)
    for (const dtype of /** @type {const} */ (['float32', 'float16', 'int8', 'int4'])) {
      const before = qkv.memory.resident
      const model = await loadModel(qkv, `${goldens}/${name}`, { dtype, tokenizer: false })
      const taken = qkv.memory.resident - before
      assert.ok(taken < found.bytes[dtype] * 1.25 + 4096, `${name} ${dtype}: ${taken} of ${found.bytes[dtype]}`)
      assert.deepEqual([found.type, found.config, found.stacks], [model.type, model.config, model.stacks])
      assert.equal(found.parameters, model.describe().parameters)
      assert.equal(found.bytes.stored, model.describe().bytes)
      model.dispose()
    }
  }
  assert.equal(qkv.memory.resident, loaded)
  await assert.rejects(inspectModel(`${goldens}/nowhere`), { code: 'NOT_FOUND' })
})
