// Models from GGUF files give the same numbers as a Hugging Face folder with the same weights.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { inspectModel, loadModel, readSafetensors, saveModel } from '../../src/entries/models.js'
import { BLOCKS } from '../../src/layers/weight-blocks.js'
import { BLOCK_TYPES } from '../../src/models/gguf/block-types.js'
import { readGguf } from '../../src/models/gguf/read-gguf.js'
import { writeSafetensors } from '../../src/models/weights/write-safetensors.js'
import { MADE, make } from './gguf/made.js'
import { randomOf } from './tokenizers/random-files.js'

const qkv = await load()
const none = /** @type {const} */ ({ tokenizer: false })
const IDS = [1, 270, 30, 261, 287, 5, 262, 263]

/** @param {import('./gguf/made.js').Weights} weights @param {Record<string, unknown>} config */
const folderOf = (weights, config) => ({
  'config.json': new TextEncoder().encode(JSON.stringify(config)),
  'model.safetensors': writeSafetensors(
    Object.fromEntries(Array.from(weights, ([name, { values, dims }]) => [name, { data: values, dims }])),
  ),
})

/** @param {import('../../src/models/model.js').Model} model */
function run(model) {
  const { encoder, decoder } = model.stacks
  const decoderIds = encoder && decoder ? [[...IDS].reverse()] : undefined
  const { logits, classLogits, hiddenStates } = model.forwardSync(
    { ids: [IDS], decoderIds },
    { keep: ['hiddenStates'] },
  )
  model.dispose()
  return Array.from((classLogits ?? logits ?? hiddenStates.slice(-1)[0])?.data ?? [])
}

const TYPES = Object.keys(BLOCK_TYPES)

for (const [n, made] of MADE.entries())
  test(`${made.title}: a GGUF file gives the bits of a folder with the same weights`, async () => {
    // Try every architecture with some types, and every type with some architectures.
    for (const type of ['F32', TYPES[n % TYPES.length]]) {
      const { gguf, config, weights } = make(made, type, randomOf(n))
      const want = run(await loadModel(qkv, folderOf(weights, config), none))
      const got = run(await loadModel(qkv, gguf, { ...none, dtype: 'float32' }))
      assert.ok(want.every(Number.isFinite) && Math.max(...want.map(Math.abs)) > 0.01)
      assert.deepEqual(got, want, type)
    }
    assert.equal(qkv.memory.resident, 0)
  })

const OWN = /** @type {import('../../src/layers/packed-linear.js').BlockType[]} */ (Object.keys(BLOCKS))

for (const [n, made] of MADE.entries()) {
  const type = OWN[n % OWN.length]
  test(`${made.title}: ${type} is multiplied as it is: the same weights, the same numbers but for the rounding of activations`, async t => {
    const { gguf, config, weights } = make(made, type, randomOf(n))
    const folder = await loadModel(qkv, folderOf(weights, config), none)
    const stored = folder.describe().tensors.map(({ name }) => name)
    const model = await loadModel(qkv, gguf, none)
    const { bytes } = await inspectModel(gguf)
    const kinds = new Set(model.describe().tensors.map(({ dtype }) => dtype))
    assert.ok(kinds.has(type) && bytes.loaded < bytes.float16 && bytes.loaded < bytes.float32 / 2.5, [...kinds].join())
    const of = async (/** @type {typeof model} */ one, /** @type {string} */ name) =>
      (await one.weight(name)).data.map(value => value + 0)
    for (const name of stored) assert.deepEqual(await of(model, name), await of(folder, name), name)
    const want = run(folder)
    const far = (/** @type {number[]} */ got) =>
      got.reduce((most, x, i) => Math.max(most, Math.abs(x - want[i])), 0) / Math.max(...want.map(Math.abs))
    const [rounded, exact] = [
      far(run(model)),
      far(run(await loadModel(qkv, gguf, { ...none, activations: 'float32' }))),
    ]
    t.diagnostic(`${rounded.toExponential(1)}, with activations of float32 ${exact.toExponential(1)}`)
    assert.ok(rounded > 0 && rounded <= 1e-3 && exact <= 2e-5, `${rounded} ${exact}`)
    assert.equal(qkv.memory.resident, 0)
  })
}

test('a token after others in a cache has the bits of a run with hooks, with blocks of every type', async () => {
  const llama = MADE.find(({ title }) => title === 'llama') ?? MADE[0]
  for (const type of OWN) {
    const { gguf } = make(llama, type, randomOf(3))
    const model = await loadModel(qkv, gguf, none)
    const [cache, watched] = [model.cache(), model.cache()]
    for (const [n, id] of IDS.entries()) {
      const got = model.forwardSync({ ids: [id] }, { cache }).logits
      const want = model.forwardSync({ ids: [id] }, { cache: watched, keep: ['hiddenStates'] }).logits
      assert.deepEqual(Array.from(got?.data ?? []), Array.from(want?.data ?? [1]), `${type} ${n}`)
    }
    cache.dispose()
    watched.dispose()
    model.dispose()
  }
  assert.equal(qkv.memory.resident, 0)
})

test('inspectModel tells the family, the types and the memory of every architecture: at most a tenth more than the file', async t => {
  const tried = ['F16', 'Q8_0', 'Q4_0', 'Q4_K', 'Q6_K']
  /** @type {Record<string, number>} */
  const shares = {}
  for (const [n, made] of MADE.entries())
    for (const type of [tried[n % tried.length], tried[(n + 2) % tried.length]]) {
      const { gguf, config } = make(made, type, randomOf(1))
      const { type: family, types, bytes } = await inspectModel(gguf)
      assert.equal(qkv.memory.resident, 0)
      assert.equal(family, config.model_type, made.title)
      assert.ok(types?.[type] && Object.keys(types).every(one => one === type || one === 'F32'), made.title)
      const model = await loadModel(qkv, gguf, none)
      const { resident } = qkv.memory
      model.dispose()
      // Resident memory may be less than bytes.loaded, because tables of tokens, types and positions lie outside the module.
      assert.ok(
        resident <= bytes.loaded * 1.01 && resident > bytes.loaded / 1.3,
        `${made.title} ${resident} ${bytes.loaded}`,
      )
      const share = bytes.loaded / bytes.stored
      assert.ok(share <= 1.1, `${made.title} ${type}: ${share}`)
      shares[type] = Math.max(shares[type] ?? 0, share)
    }
  for (const type of tried) t.diagnostic(`${type} ${shares[type].toFixed(3)}`)
})

test('saveModel writes the folder of a GGUF file', async () => {
  for (const made of MADE.filter(({ title }) => /^(llama, factors of frequencies|gemma3|gptneox|gpt2)$/.test(title))) {
    const { gguf, weights } = make(made, 'Q6_K', randomOf(2))
    const model = await loadModel(qkv, gguf, none)
    const files = await saveModel(model)
    model.dispose()
    const want = run(await loadModel(qkv, gguf, { ...none, dtype: 'float32' }))
    assert.deepEqual(run(await loadModel(qkv, files, none)), want, made.title)
    const saved = await readSafetensors(files['model.safetensors'])
    for (const [name, { values }] of weights) if (saved[name]) assert.deepEqual(saved[name].data, values, name)
  }
})

/** @type {[string, [string, number[]] | undefined, Record<string, import('./gguf/write-gguf.js').Value>, RegExp][]} */
const WITH = [
  ['t5', ['enc.blk.1.attn_rel_b.weight', [32, 4]], {}, /biases of relative positions \(UMT5\), which is not covered/],
  ['jina-bert-v2', ['blk.0.ffn_gate.weight', [256, 256]], {}, /gate and up in two tensors, .* are not covered/],
  [
    'mistral3',
    undefined,
    { 'attention.temperature_scale': 0.5 },
    /not covered: mistral3\.attention\.temperature_scale/,
  ],
  [
    'modern-bert',
    ['cls.weight', [256, 256]],
    {},
    /tensor "cls\.norm\.weight" is missing: the head of ModernBERT has it/,
  ],
  [
    'bert',
    ['cls.output.weight', [2, 256]],
    {},
    /tensor "cls\.weight" is missing: llama\.cpp's converter leaves out the pooler of a BERT with classes/,
  ],
  ['bert', ['cls.weight', [256, 256]], {}, /tensor "cls\.output\.weight" is missing: llama\.cpp's converter/],
  ['bert, without token types: DistilBERT', ['cls.weight', [256, 256]], {}, /classes of DistilBERT are not covered/],
  ['jina-bert-v2', ['cls.weight', [256, 256]], {}, /rerankers of Jina are not covered, its embedding models are/],
  [
    'bert, a reranker: XLM-RoBERTa',
    undefined,
    { 'classifier.output_labels': ['a', 'b'] },
    /bert\.classifier\.output_labels: expected 1 texts, a label for each class, got an array of 2/,
  ],
  ['modern-bert', undefined, { 'rope.scaling.type': 'linear' }, /rope\.scaling\.type is "linear"/],
]
for (const [title, tensor, keys, message] of WITH)
  test(`${title} with ${tensor?.[0] ?? Object.keys(keys)[0]} is refused`, async () => {
    const made = MADE.find(one => one.title === title) ?? MADE[0]
    const changed = {
      ...made,
      tensors: tensor ? [...made.tensors, tensor] : made.tensors,
      keys: { ...made.keys, ...keys },
      rename: (/** @type {string} */ name) => (tensor?.[0].startsWith(name) ? name : made.rename(name)),
    }
    const { gguf } = make(changed, 'F32', randomOf(1))
    await assert.rejects(loadModel(qkv, gguf, none), message)
    assert.equal(qkv.memory.resident, 0)
  })

test('weights of GPT-2 with two bytes are turned as they are', async () => {
  const made = MADE.find(({ title }) => title === 'gpt2') ?? MADE[0]
  for (const type of ['F16', 'BF16']) {
    const { gguf, config, weights } = make(made, type, randomOf(1))
    const folder = folderOf(weights, config)
    const model = await loadModel(qkv, gguf, none)
    for (const [name, { values }] of weights) assert.deepEqual((await model.weight(name)).data, values, name)
    const dtype = /** @type {const} */ ({ F16: 'float16', BF16: 'bfloat16' })[/** @type {'F16'} */ (type)]
    assert.deepEqual(run(model), run(await loadModel(qkv, folder, { ...none, dtype })), type)
  }
})

test('if the head of a T5 without a gate is a copy of the table, it is scaled like the table', async () => {
  const made = MADE.find(({ title }) => title === 't5, without a gate, tied') ?? MADE[0]
  const { config, weights } = make(made, 'F32', randomOf(1))
  const { gguf, weights: own } = make(
    { ...made, tensors: [...made.tensors, ['output.weight', [288, 256]]] },
    'F32',
    randomOf(1),
  )
  const head = own.get('lm_head.weight')
  assert.ok(head && !weights.has('lm_head.weight'))
  const want = run(await loadModel(qkv, folderOf(weights.set('lm_head.weight', head), config), none))
  assert.deepEqual(run(await loadModel(qkv, gguf, { ...none, dtype: 'float32' })), want)
})

test('embed pools as the file is set', async () => {
  const bert = MADE.find(({ of }) => of === 'bert') ?? MADE[0]
  for (const [type, name] of [
    [1, 'mean_tokens'],
    [2, 'cls_token'],
    [3, 'lasttoken'],
  ]) {
    const { gguf } = make(
      { ...bert, keys: { ...bert.keys, pooling_type: /** @type {number} */ (type) } },
      'F32',
      randomOf(1),
    )
    const model = await loadModel(qkv, gguf)
    const text = 'word3 word4'
    const ids = model.tokenize(text).ids
    const own = await model.embed([text])
    const named = await model.embed([text], { pooling: /** @type {any} */ (name) })
    assert.deepEqual(Array.from(own.data), Array.from(named.data), String(name))
    assert.ok(ids.length > 2)
    model.dispose()
  }
})

test('rank scores the pairs of llama-server with the classes of a file', async () => {
  const pairs = {
    'bert, a reranker: XLM-RoBERTa': ['a', 'b c'],
    'modern-bert, a reranker': ['a', 'b c'],
    'qwen3, a reranker': ['<s>a of b c</s>a'],
  }
  for (const [title, [text, pair]] of Object.entries(pairs)) {
    const made = MADE.find(one => one.title === title) ?? MADE[0]
    const model = await loadModel(qkv, make(made, 'Q8_0', randomOf(1)).gguf)
    const isOne = pair === undefined
    const { ids } = model.tokenize(text, { pair, addSpecialTokens: !isOne })
    if (!isOne) {
      const [a, b] = [text, pair].map(one => model.tokenize(one).ids.slice(1, -1))
      assert.deepEqual(ids, [1, ...a, 2, 2, ...b, 2])
    }
    const { classLogits } = model.forwardSync({ ids })
    const [one, other = 0] = Array.from(classLogits?.data ?? [])
    const [{ score }] = await model.rank('a', ['b c'])
    assert.equal(score, 1 / (1 + Math.exp(-Math.fround(one - other))), title)
    assert.deepEqual((await model.classify('a')).labels, isOne ? ['yes', 'no'] : ['LABEL_0'])
    if (isOne) await assert.rejects(model.rank('a', ['b '.repeat(40)]), /rank: "b b .* has \d+ tokens .* at most 64/)
    model.dispose()
  }
  const made = MADE.find(({ title }) => title === 'qwen3, a reranker') ?? MADE[0]
  const { 'tokenizer.chat_template.rerank': _, ...keys } = made.keys
  const model = await loadModel(qkv, make({ ...made, keys }, 'F16', randomOf(1)).gguf)
  await assert.rejects(model.rank('a', ['b']), /the file has no tokenizer\.chat_template\.rerank/)
  model.dispose()
})

test('300 files with wrong bytes in their header are described or refused', async () => {
  const { gguf } = make(MADE[0], 'Q4_K', randomOf(1))
  const { tensors } = await readGguf({ read: async (from, to) => gguf.subarray(from, to) }, 'f')
  const random = randomOf(11)
  let refused = 0
  for (let n = 0; n < 300; n++) {
    const bytes = gguf.slice()
    for (let i = random.below(3); i >= 0; i--) bytes[random.below(tensors[0].from)] = random.below(256)
    const found = await inspectModel(bytes).catch(error => {
      assert.ok(/^(Range|Type)?Error$/.test(error.name) && error.message.length > 20, error)
      refused++
    })
    if (found) assert.equal(found.type, 'llama')
  }
  assert.ok(refused > 30 && refused < 298, String(refused))
})
