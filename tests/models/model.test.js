// A loaded model: caches, hooks, kept values, the logit lens, scores of heads, generation.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { add } from '../../src/entries/nn.js'
import { Tokenizer } from './tokenizer.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const open = (/** @type {string} */ name, /** @type {typeof Tokenizer | false} */ tokenizer = Tokenizer) =>
  loadModel(qkv, `${folder}/${name}`, { tokenizer })
const gpt2 = await open('gpt2-tiny')
const llama = await open('llama-tiny-sharded')
const gemma = await open('gemma2-tiny')
const t5 = await open('t5-tiny')
const bert = await open('bert-tiny')
const loaded = qkv.memory.resident
after(() => {
  for (const model of [gpt2, llama, gemma, t5, bert]) model.dispose()
  assert.equal(qkv.memory.resident, 0, 'all weights are freed')
})

const ids = [5, 9, 130, 5, 9, 77, 200, 31]

/** @param {FloatTensor | undefined} a @param {FloatTensor | undefined} b */
function farthest(a, b) {
  assert.ok(a && b)
  assert.deepEqual(a.dims, b.dims)
  return a.data.reduce((most, value, n) => Math.max(most, Math.abs(value - b.data[n])), 0)
}
const same = (/** @type {FloatTensor | undefined} */ a, /** @type {FloatTensor | undefined} */ b, limit = 2e-4) =>
  assert.ok(farthest(a, b) <= limit, `${farthest(a, b)}`)

for (const [name, model] of /** @type {const} */ ([
  ['gpt2', gpt2],
  ['llama', llama],
  ['gemma2', gemma],
]))
  test(`${name}: step by step with a cache gives the logits and weights of all at once`, () => {
    const whole = model.forwardSync({ ids }, { keep: ['attentions'] })
    const cache = model.cache({ capacity: 2 })
    for (const [from, to] of [
      [0, 3],
      [3, 4],
      [4, 8],
    ]) {
      const step = model.forwardSync({ ids: ids.slice(from, to) }, { cache, keep: from === 3 ? [] : ['attentions'] })
      same(step.logits, whole.logits?.slice(1, from, to))
      if (from !== 3) same(step.attentions[1], whole.attentions[1]?.slice(2, from, to).slice(3, 0, to), 1e-5)
    }
    cache.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('an encoder runs once for all steps of a cached translation', () => {
  const decoderIds = [0, 7, 12, 99, 4]
  const whole = t5.forwardSync({ ids, decoderIds }, { keep: ['crossAttentions'] })
  const cache = t5.cache()
  decoderIds.forEach((id, i) => {
    const step = t5.forwardSync({ ids, decoderIds: [id] }, { cache, keep: ['crossAttentions'] })
    same(step.logits, whole.logits?.slice(1, i, i + 1))
    same(step.crossAttentions[0], whole.crossAttentions[0]?.slice(2, i, i + 1), 1e-5)
  })
  cache.dispose()
})

test('weights are made for the layers that are kept only, and the fused kernel gives the same numbers', () => {
  const all = gpt2.forwardSync({ ids }, { keep: ['attentions', 'hiddenStates'] })
  const one = gpt2.forwardSync({ ids }, { keep: ['attentions.1', 'hiddenStates.3'] })
  const none = gpt2.forwardSync({ ids }, { logits: 'last' })
  assert.deepEqual(one.attentions.map(Boolean), [false, true, false])
  assert.deepEqual(
    one.hiddenStates.map(Boolean),
    [false, false, false, true].map((_, n) => n === 3),
  )
  same(one.attentions[1], all.attentions[1], 1e-5)
  same(one.logits, all.logits)
  assert.deepEqual(none.attentions, [undefined, undefined, undefined])
  same(none.logits, all.logits?.slice(1, -1))
  // @ts-expect-error the names are typed
  assert.throws(() => gpt2.forwardSync({ ids }, { keep: ['attention'] }), /keep: "attention" is not known/)
})

test("logits: 'last' gives the bits of the last row, whether the last MLP runs for that row alone or for all", () => {
  const whole = gpt2.forwardSync({ ids })
  const cache = gpt2.cache()
  gpt2.forwardSync({ ids: ids.slice(0, 2) }, { cache, logits: 'none' })
  const calls = {
    'one row': gpt2.forwardSync({ ids }, { logits: 'last' }),
    'all rows, for a hook': gpt2.forwardSync({ ids }, { logits: 'last', hooks: { 'layers.2.mlp.output': () => {} } }),
    'all rows, to be kept': gpt2.forwardSync({ ids }, { logits: 'last', keep: ['hiddenStates'] }),
    'a batch': gpt2.forwardSync({ ids: [ids, ids] }, { logits: 'last' }),
  }
  for (const [name, { logits, lastHiddenState }] of Object.entries(calls)) {
    assert.deepEqual(logits?.row(0).data, whole.logits?.slice(1, -1).data, name)
    assert.deepEqual(lastHiddenState.row(0).data, whole.lastHiddenState.slice(1, -1).data, name)
    assert.equal(lastHiddenState.dims[1], 1)
  }
  assert.equal(calls['all rows, to be kept'].hiddenStates[3]?.dims[1], ids.length)
  same(gpt2.forwardSync({ ids: ids.slice(2) }, { cache, logits: 'last' }).logits, whole.logits?.slice(1, -1))
  cache.dispose()
})

test('hooks that only read see the kept values, and change nothing', () => {
  const plain = gpt2.forwardSync({ ids }, { keep: ['attentions', 'hiddenStates'] })
  /** @type {Record<string, FloatTensor>} */
  const seen = {}
  const places = [
    'layers.1.attention.weights',
    'layers.1.attention.scores',
    'layers.1.heads',
    'layers.1.heads.2',
    'layers.1.input',
    'layers.2.output',
    'layers.0.mlp.output',
    'layers.0.attention.output',
  ]
  const hooks = Object.fromEntries(
    places.map(name => [
      name,
      (/** @type {FloatTensor} */ x) => {
        seen[name] = x
      },
    ]),
  )
  const r = gpt2.forwardSync({ ids }, { hooks })
  same(r.logits, plain.logits)
  same(seen['layers.1.attention.weights'], plain.attentions[1], 1e-5)
  same(seen['layers.1.input'], plain.hiddenStates[1])
  same(seen['layers.2.output'], plain.hiddenStates[3])
  same(qkv.softmax(seen['layers.1.attention.scores']), seen['layers.1.attention.weights'], 1e-5)
  assert.deepEqual(seen['layers.1.heads.2'], seen['layers.1.heads'].slice(2, 24, 36))
  // x + attention + mlp = output of the layer
  const sum = add(
    qkv,
    add(qkv, /** @type {FloatTensor} */ (plain.hiddenStates[0]), seen['layers.0.attention.output']),
    seen['layers.0.mlp.output'],
  )
  same(sum, plain.hiddenStates[1])
})

test('a head is ablated by a factor, by hand in its weights, or by patching its output: one result', () => {
  const plain = gpt2.forwardSync({ ids }).logits
  const byFactor = gpt2.forwardSync({ ids }, { hooks: { 'layers.1.heads.2': 0 } }).logits
  const inWeights = (/** @type {FloatTensor} */ w) => {
    const [, H, L, S] = w.dims
    w.data.fill(0, 2 * L * S, 3 * L * S)
    assert.equal(H, 4)
  }
  const byWeights = gpt2.forwardSync({ ids }, { hooks: { 'layers.1.attention.weights': inWeights } }).logits
  const zeros = { data: new Float32Array(8 * 12), dims: [1, 8, 12] }
  const byPatch = gpt2.forwardSync({ ids }, { hooks: { 'layers.1.heads.2': zeros } }).logits
  assert.ok(farthest(byFactor, plain) > 0.01)
  same(byWeights, byFactor)
  assert.deepEqual(byPatch, byFactor)
  same(gpt2.forwardSync({ ids }, { hooks: { 'layers.1.heads.2': 1 } }).logits, plain)
})

test('a patched residual stream carries one text into another', () => {
  const other = [...ids].reverse()
  const { hiddenStates, logits } = llama.forwardSync({ ids: other }, { keep: ['hiddenStates'] })
  const patched = llama.forwardSync(
    { ids },
    { hooks: { 'layers.2.output': /** @type {FloatTensor} */ (hiddenStates[3]) } },
  )
  assert.deepEqual(patched.logits, logits)
})

test('the mean of a head is the same row at all positions', () => {
  /** @type {FloatTensor | undefined} */
  let before
  const hooks = {
    'layers.0.heads.1': /** @type {const} */ ('mean'),
    'layers.0.heads': (/** @type {FloatTensor} */ x) => {
      before = x.slice(2, 12, 24)
    },
    'layers.0.attention.output': (/** @type {FloatTensor} */ x) => x,
  }
  const r = gpt2.forwardSync({ ids }, { hooks }).logits
  const mean = new Float32Array(12)
  for (let d = 0; d < 12; d++) for (let i = 0; i < 8; i++) mean[d] += Number(before?.at(0, i, d)) / 8
  const data = Float32Array.from({ length: 96 }, (_, n) => mean[n % 12])
  same(gpt2.forwardSync({ ids }, { hooks: { 'layers.0.heads.1': { data, dims: [1, 8, 12] } } }).logits, r)
})

test('scores that are edited become weights by softmax', () => {
  const first = (/** @type {FloatTensor} */ s) => ({
    dims: s.dims,
    data: s.data.map((_, n) => (n % 8 === 0 ? 0 : -Infinity)),
  })
  const { attentions } = gpt2.forwardSync(
    { ids },
    { keep: ['attentions'], hooks: { 'layers.0.attention.scores': first } },
  )
  assert.ok(attentions[0]?.data.every((weight, n) => weight === (n % 8 === 0 ? 1 : 0)))
})

test('hooks at unknown places are refused', () => {
  for (const [hooks, message] of /** @type {[any, RegExp][]} */ ([
    [{ 'layers.3.output': 0 }, /there are 3 layers/],
    [{ 'layers.0.heads.4': 0 }, /there are 4 heads/],
    [{ 'layers.0.outputs': 0 }, /did you mean "layers.0.output"/],
    [{ 'encoder.layers.0.output': 0 }, /is no place in this model; here it is "layers\.0\.output"/],
    [{ 'layers.0.output': 'zero' }, /expected a function, a factor.*got "zero"/],
    [{ 'layers.0.output': { data: [1], dims: [1] } }, /expected dims \(1, 8, 48\), got \(1\)/],
    [{ 'layers.0.cross.output': 0 }, /did you mean/],
  ]))
    assert.throws(() => gpt2.forwardSync({ ids }, { hooks }), message)
  assert.equal(qkv.memory.resident, loaded)
  const cross = t5.forwardSync({ ids, decoderIds: [0, 3] }, { hooks: { 'decoder.layers.1.cross.output': 0 } }).logits
  assert.ok(farthest(cross, t5.forwardSync({ ids, decoderIds: [0, 3] }).logits) > 0.01)
})

test('the logit lens of the last hidden state gives the logits', async () => {
  for (const model of [gpt2, llama, gemma, bert]) {
    const { hiddenStates, logits } = model.forwardSync({ ids }, { keep: ['hiddenStates'] })
    same(await model.logitLens(/** @type {FloatTensor} */ (hiddenStates.at(-1))), logits)
  }
  await assert.rejects(() => gpt2.logitLens(/** @type {any} */ ([[[1, 2, 3]]])), /expected dims \(B, L, 48\)/)
})

test('in every family the logit lens of the last hidden state gives the logits; a checkpoint without a head is refused by name', async () => {
  for (const name of readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`))) {
    const model = await open(name, false)
    const both = model.stacks.encoder && model.stacks.decoder
    const input = { ids: [5, 9, 13, 5], ...(both && { decoderIds: [3, 4, 7] }) }
    const { hiddenStates, logits } = model.forwardSync(input, { keep: ['hiddenStates'] })
    const last = /** @type {FloatTensor} */ (hiddenStates.at(-1))
    if (model.hasHead) same(await model.logitLens(last), logits)
    else await assert.rejects(() => model.logitLens(last), /this [\w-]+ checkpoint has no head/)
    model.dispose()
  }
  // Leave out the tensors of the head, as in a checkpoint of the bare encoder.
  const file = readFileSync(`${folder}/bert-tiny/model.safetensors`)
  const start = 8 + Number(file.readBigUInt64LE(0))
  const all = Object.entries(JSON.parse(file.toString('utf8', 8, start)))
  /** @type {Buffer[]} */
  const parts = []
  let at = 0
  const rest = all.flatMap(([key, entry]) => {
    if (!entry.data_offsets || key.startsWith('cls.')) return []
    const [from, to] = entry.data_offsets
    parts.push(file.subarray(start + from, start + to))
    at += to - from
    return [[key, { ...entry, data_offsets: [at - to + from, at] }]]
  })
  const header = Buffer.from(JSON.stringify(Object.fromEntries(rest)))
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(header.length))
  const config = readFileSync(`${folder}/bert-tiny/config.json`)
  const source = { 'config.json': config, 'model.safetensors': Buffer.concat([size, header, ...parts]) }
  const model = await loadModel(qkv, source, { tokenizer: false })
  const { hiddenStates } = model.forwardSync({ ids }, { keep: ['hiddenStates'] })
  await assert.rejects(
    () => model.logitLens(/** @type {FloatTensor} */ (hiddenStates[1])),
    /^Error: this bert checkpoint has no head: it gives hidden states, but no logits$/,
  )
  model.dispose()
})

test('scores of heads follow their definitions', async () => {
  const { attentions } = gpt2.forwardSync({ ids }, { keep: ['attentions'] })
  const scores = await gpt2.headScores(ids)
  const at = (/** @type {number} */ l, /** @type {number} */ h, /** @type {number} */ i, /** @type {number} */ j) =>
    Number(attentions[l]?.at(0, h, i, j))
  for (const [l, h] of [
    [0, 0],
    [2, 3],
  ]) {
    const mean = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b) / list.length
    const near = (/** @type {number} */ a, /** @type {number} */ b) => assert.ok(Math.abs(a - b) < 1e-5, `${a} ${b}`)
    near(scores.previous.at(l, h), mean([1, 2, 3, 4, 5, 6, 7].map(i => at(l, h, i, i - 1))))
    near(scores.first.at(l, h), mean([1, 2, 3, 4, 5, 6, 7].map(i => at(l, h, i, 0))))
    near(scores.duplicate.at(l, h), mean([at(l, h, 3, 0), at(l, h, 4, 1)])) // 5 and 9 occur twice
    near(scores.induction.at(l, h), mean([at(l, h, 3, 1), at(l, h, 4, 2)])) // 9 follows 5, 130 follows 9
    const entropy = [1, 2, 3, 4, 5, 6, 7].map(i => {
      let sum = 0
      for (let j = 0; j <= i; j++) sum -= at(l, h, i, j) * Math.log(at(l, h, i, j))
      return sum / Math.log(i + 1)
    })
    near(scores.entropy.at(l, h), mean(entropy))
  }
  assert.deepEqual((await bert.headScores('the cat and the dog')).first.dims, [3, 4])
})

test('generation samples by temperature, topK and seed; greedily it takes the largest logit', async () => {
  const run = async (/** @type {import('../../src/models/model.js').GenerateOptions} */ options) => {
    const given = []
    for await (const { id } of gpt2.generate(ids, { maxNewTokens: 6, stopIds: [], ...options })) given.push(id)
    return given
  }
  const greedy = await run({})
  assert.deepEqual(await run({ temperature: 1, topK: 1 }), greedy)
  const sampled = await run({ temperature: 3, seed: 4 })
  assert.deepEqual(await run({ temperature: 3, seed: 4 }), sampled)
  assert.notDeepEqual(await run({ temperature: 3, seed: 5 }), sampled)
  assert.notDeepEqual(sampled, greedy)
  const [stopped] = greedy
  assert.deepEqual(await run({ stopIds: [stopped] }), [stopped])
})

test('each step of a generation has its logits, its probability, its text and the kept values', async () => {
  let text = ''
  const seen = []
  for await (const step of gpt2.generate('The cat', { maxNewTokens: 5, keep: ['attentions'], stopIds: [] })) {
    text += step.text
    seen.push(step.attentions[0]?.dims)
    assert.ok(step.probability > 0 && step.probability <= 1)
    assert.equal(step.ids.at(-1), step.id)
  }
  const prompt = gpt2.tokenize('The cat').ids.length
  assert.deepEqual(seen[0], [1, 4, prompt, prompt])
  assert.deepEqual(seen[4], [1, 4, 1, prompt + 4])
  assert.equal(typeof text, 'string')
})

test('a character that a generation does not finish is in the text of its last step', async () => {
  const start = gpt2.tokenize('The cat').ids
  // Two tokens: the first two of a character's three bytes, in GPT-2's alphabet of bytes. They are not valid UTF-8.
  const vocab = JSON.parse(String(readFileSync(`${folder}/gpt2-tiny/tokenizer.json`))).model.vocab
  const bytes = [vocab.ä, vocab['¸']]
  const [a] = gpt2.tokenize('a').ids
  for (const [made, options] of /** @type {[number[], import('../../src/entries/models.js').GenerateOptions][]} */ ([
    [bytes, {}],
    [[a, bytes[0]], {}],
    [bytes, { stopIds: [bytes[1]], maxNewTokens: 5 }],
    [[bytes[0], a, a], {}],
  ])) {
    let [text, n] = ['', 0]
    const logits = (/** @type {Float32Array} */ list) => {
      list[made[n++]] = Infinity
    }
    for await (const step of gpt2.generate(start, { maxNewTokens: made.length, stopIds: [], logits, ...options }))
      text += step.text
    assert.equal(n, made.length)
    assert.equal(gpt2.decode(start) + text, gpt2.decode([...start, ...made]))
    assert.match(text, /\ufffd/)
  }
})

test('a generation that is aborted or left frees its cache', async () => {
  const controller = new AbortController()
  const steps = gpt2.generate(ids, { signal: controller.signal, stopIds: [] })
  await steps.next()
  assert.ok(qkv.memory.resident > loaded)
  controller.abort()
  await assert.rejects(steps.next(), { name: 'AbortError' })
  assert.equal(qkv.memory.resident, loaded)
  for await (const _ of gpt2.generate(ids, { stopIds: [] })) break
  assert.equal(qkv.memory.resident, loaded)
})

test('inputs that do not fit the model are refused, with the limit', async () => {
  const long = Array.from({ length: 65 }, () => 1)
  for (const [run, message] of /** @type {[() => unknown, RegExp][]} */ ([
    [() => gpt2.forwardSync({ ids: [384] }), /ids\[0\]: expected a whole number from 0 to 383.*got 384/],
    [() => gpt2.forwardSync({ ids: [1.5] }), /ids\[0\]: .*got 1\.5/],
    [() => gpt2.forwardSync({ ids: [] }), /ids: expected dims \(L\) or \(B, L\), at least one id, got \(0\)/],
    [() => gpt2.forwardSync({ ids: long }), /expected positions below 64, got 64: give a shorter text/],
    [
      () => gpt2.forwardSync({ ids, attentionMask: [1, 1] }),
      /attentionMask: expected dims \(1, 8\), as the ids, got \(2\)/,
    ],
    [() => gpt2.forwardSync({ ids, decoderIds: [1] }), /gpt2 is not an encoder-decoder/],
    [
      () => gpt2.forwardSync({ ids, tokenTypeIds: ids.map(() => 1) }),
      /tokenTypeIds\[0\]: expected a whole number from 0 to 0.*got 1/,
    ],
    [() => gpt2.forwardSync({ ids, positions: [70] }), /positions: expected dims \(1, 8\), as the ids, got \(1\)/],
    [() => gpt2.forwardSync(/** @type {any} */ ({ id: ids })), /no option "id"; did you mean "ids"/],
    [() => bert.cache(), /bert is an encoder/],
    [() => gpt2.tokenize(/** @type {any} */ (3)), /tokenize: expected a text, and as pair another one, got 3/],
    [() => gpt2.forwardSync({ ids }, { cache: /** @type {any} */ ({}) }), /expected the result of model\.cache\(\)/],
  ]))
    assert.throws(run, message)
  await assert.rejects(bert.generate('a').next(), /bert is an encoder, it has no next token/)
  await assert.rejects(gpt2.generate([]).next(), /the prompt has no tokens|at least one/)
  assert.equal(qkv.memory.resident, loaded)
})

test('a disposed model throws, and so does a model without a tokenizer, by name', async () => {
  const folder = fileURLToPath(new URL('../goldens/models/phi-made', import.meta.url))
  const model = await loadModel(qkv, folder)
  assert.throws(() => model.tokenize('a'), /loaded without a tokenizer/)
  model.dispose()
  model.dispose()
  assert.throws(() => model.forwardSync({ ids }), /this model was disposed/)
})
