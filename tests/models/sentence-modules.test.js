// Modules of sentence-transformers and cross-encoders, compared with PyTorch (tests/goldens/make-sentence-modules.py).

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load, tensor } from '../../src/entries/index.js'
import { inspectModel, loadModel, readSafetensors, saveModel, writeSafetensors } from '../../src/entries/models.js'
import { readRanking } from '../../src/models/sentences/rank.js'
import { readModules, recipeOf } from '../../src/models/sentences/sentence-modules.js'
import { readJSON } from '../../src/models/source/source.js'
import { startHub } from './hub.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
after(() => assert.equal(qkv.memory.resident, 0))
const { texts, cases } = JSON.parse(readFileSync(new URL('../goldens/sentence-modules.json', import.meta.url), 'utf8'))
const root = fileURLToPath(new URL('../goldens/models/sentence-bert-tiny', import.meta.url))
const encode = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json))
const NAMES = [
  'config.json',
  'model.safetensors',
  'tokenizer.json',
  'modules.json',
  '1_Pooling/config.json',
  'sentence_bert_config.json',
]
const bytes = Object.fromEntries(NAMES.map(name => [name, new Uint8Array(readFileSync(`${root}/${name}`))]))

/** Makes a folder of files in memory. @param {Record<string, Uint8Array>} files @returns {any} */
const folderOf = files => ({
  open: async (/** @type {string} */ name) =>
    files[name] && {
      size: files[name].length,
      read: async (/** @type {number} */ from, /** @type {number} */ to) => files[name].slice(from, to),
    },
})
/** Returns the class name of a module in modules.json. n picks one of its three names, before and since sentence-transformers 5.4. @param {string} kind @param {number} n */
const typeOf = (kind, n) =>
  [
    `sentence_transformers.models.${kind}`,
    `sentence_transformers.sentence_transformer.modules.${kind.toLowerCase()}.${kind}`,
    `sentence_transformers.base.modules.${kind.toLowerCase()}.${kind}`,
  ][n % 3]

/** @param {any} given a case @param {number} n */
function filesOf({ pooling, after }, n) {
  const kinds = ['Transformer', 'Pooling', ...after.map((/** @type {any} */ each) => each.kind)]
  const modules = kinds.map((kind, i) => ({
    idx: i,
    name: String(i),
    path: i ? `${i}_${kind}` : '',
    type: typeOf(kind, n + i),
  }))
  const files = { 'modules.json': encode(modules), '1_Pooling/config.json': encode(pooling) }
  for (const [i, { kind, config, weights }] of after.entries()) {
    const path = `${i + 2}_${kind}`
    const tensors = Object.entries(weights).map(([name, { data, dims }]) => [name, tensor(data, dims)])
    Object.assign(files, config && { [`${path}/config.json`]: encode(config) })
    Object.assign(
      files,
      tensors.length && { [`${path}/model.safetensors`]: writeSafetensors(Object.fromEntries(tensors)) },
    )
  }
  return files
}

test('poolings, Dense, LayerNorm and Normalize give what PyTorch computes, by either naming of modules and settings', async () => {
  for (const [n, each] of cases.entries()) {
    const modules = await readModules(folderOf(filesOf(each, n)), readJSON)
    const prompt = each.start ? { text: 'two tokens' } : undefined
    const model = /** @type {any} */ ({
      tokenize: () => ({ ids: [1, 2, 0] }),
      decode: (/** @type {any} */ _, /** @type {any} */ whole) => (whole ? '[SEP]' : ''),
    })
    const recipe = recipeOf(model, modules, { prompt })
    const rows = texts.map((/** @type {number[][]} */ h) => recipe.pool(tensor([h]), { ids: [], tokens: [] }))
    const { data, dims } = recipe.finish(rows)
    assert.deepEqual(dims, [2, each.out[0].length])
    for (const [i, want] of each.out.flat().entries())
      assert.ok(
        Math.abs(data[i] - want) <= 2e-6 * (1 + Math.abs(want)),
        `${n}: ${JSON.stringify(each.pooling)}: ${data[i]}, ${want}`,
      )
  }
})

test('weights of a module that do not fit are refused with their file', async () => {
  const [dense] = cases.filter((/** @type {any} */ { after }) => after[0]?.kind === 'Dense')
  const files = filesOf(dense, 0)
  for (const [change, message] of /** @type {[Record<string, Uint8Array>, RegExp][]} */ ([
    [
      { '2_Dense/config.json': encode({ ...dense.after[0].config, in_features: 5 }) },
      /^2_Dense\/model\.safetensors: linear\.weight: expected floats \(9, 5\), got F32 \(9, 6\)/,
    ],
    [
      { '2_Dense/config.json': encode({ ...dense.after[0].config, activation_function: 'own.Swish' }) },
      /^2_Dense\/config\.json: activation_function "own\.Swish" is not covered/,
    ],
    [
      { '2_Dense/model.safetensors': writeSafetensors({ other: tensor([1]) }) },
      /linear\.weight: expected floats .*got nothing/,
    ],
  ]))
    await assert.rejects(readModules(folderOf({ ...files, ...change }), readJSON), { message })
})

test('prompts have names, embeddings are cut to truncateDim, and the folder sets both', async () => {
  const settings = {
    prompts: { query: 'the dog ', passage: '' },
    default_prompt_name: 'passage',
    similarity_fn_name: 'cosine',
  }
  const open = async (/** @type {object} */ more) => {
    const files = { ...bytes, 'config_sentence_transformers.json': encode({ ...settings, ...more }) }
    return loadModel(qkv, /** @type {any} */ (files), { tokenizer: Tokenizer })
  }
  const model = await open({})
  const query = await model.embed('the cat', { prompt: 'query' })
  assert.deepEqual(query.data, (await model.embed('the dog the cat')).data)
  assert.deepEqual(query.data, (await model.embed('the cat', { prompt: { text: 'the dog ' } })).data)
  assert.deepEqual((await model.embed('the cat', { prompt: 'document' })).data, (await model.embed('the cat')).data)
  await assert.rejects(
    model.embed('a', { prompt: 'none' }),
    /prompt: expected the name of a prompt of this folder \(query, document, passage\).*got "none"/,
  )
  const cut = await model.embed('the cat', { truncateDim: 5 })
  assert.deepEqual([...cut.data], [...(await model.embed('the cat')).data.slice(0, 5)])
  const unit = await model.embed('the cat', { truncateDim: 5, normalize: true })
  assert.ok(Math.abs(Math.hypot(...unit.data) - 1) < 1e-6)
  await assert.rejects(model.embed('a', { truncateDim: 500 }), /truncateDim: expected at most the 48 numbers.*got 500/)
  model.dispose()
  const small = await open({ truncate_dim: 7, default_prompt_name: 'query' })
  assert.deepEqual((await small.embed('the cat')).dims, [1, 7])
  assert.deepEqual([...(await small.embed('the cat')).data], [...query.data.slice(0, 7)])
  await assert.rejects(small.similarity('a', 'b'), /embeddings are cut/)
  small.dispose()
  const dot = await open({ similarity_fn_name: 'euclidean' })
  await assert.rejects(dot.similarity('a', 'b'), /similarity_fn_name is "euclidean"/)
  dot.dispose()
})

test('rank orders texts by the logit of a cross-encoder and the activation that the folder names', async () => {
  const config = {
    ...JSON.parse(new TextDecoder().decode(bytes['config.json'])),
    architectures: ['BertForSequenceClassification'],
    id2label: { 0: 'LABEL_0' },
  }
  const base = await loadModel(qkv, /** @type {any} */ (bytes), { tokenizer: Tokenizer })
  const tensors = await readSafetensors((await saveModel(base))['model.safetensors'])
  base.dispose()
  const prefixed = Object.fromEntries(
    Object.entries(tensors).map(([name, value]) => [name.startsWith('bert.') ? name : `bert.${name}`, value]),
  )
  const d = config.hidden_size
  prefixed['classifier.weight'] = qkv.generator(1).randn([1, d])
  prefixed['classifier.bias'] = qkv.generator(2).randn([1])
  prefixed['bert.pooler.dense.weight'] ??= qkv.generator(3).randn([d, d])
  prefixed['bert.pooler.dense.bias'] ??= qkv.generator(4).randn([d])
  const made = await saveModel({ config, tensors: prefixed })
  const list = ['the cat', 'a dog sat', 'the', 'cat cat cat']
  const open = (/** @type {object} */ more, files = {}) =>
    loadModel(
      qkv,
      /** @type {any} */ ({
        ...made,
        'config.json': encode({ ...config, ...more }),
        'tokenizer.json': bytes['tokenizer.json'],
        ...files,
      }),
      { tokenizer: Tokenizer },
    )
  const plain = await open({})
  /** @type {number[]} */
  const logits = []
  for (const text of list) logits.push((await plain.classify(plain.tokenize('the', { pair: text }))).logits.data[0])
  const order = [0, 1, 2, 3].sort((a, b) => logits[b] - logits[a])
  const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x))
  assert.deepEqual(
    await plain.rank('the', list),
    order.map(index => ({ index, score: sigmoid(logits[index]) })),
  )
  assert.deepEqual(
    (await plain.rank('the', list, { topK: 2 })).map(({ index }) => index),
    order.slice(0, 2),
  )
  // Texts in several batches give the same bits as alone.
  const many = Array.from({ length: 150 }, (_, n) => list[n % 4] + ' the cat'.repeat(n % 7))
  /** @type {number[]} */
  const done = []
  const ranked = await plain.rank('a dog', many, { onProgress: progress => done.push(progress.done) })
  assert.ok(done.length > 2 && done.length < 20 && done[done.length - 1] === 150, String(done))
  for (const { index, score } of ranked)
    assert.equal(score, (await plain.rank('a dog', [many[index]]))[0].score, many[index])
  plain.dispose()
  const identity = 'torch.nn.modules.linear.Identity'
  for (const [more, files] of /** @type {[object, object][]} */ ([
    [{ sbert_ce_default_activation_function: identity }, {}],
    [{ sentence_transformers: { activation_fn: identity, version: '4.1.0' } }, {}],
    [
      { sbert_ce_default_activation_function: 'own.One' },
      {
        'modules.json': encode([{ type: typeOf('Transformer', 1), path: '' }]),
        'sentence_bert_config.json': encode({ transformer_task: 'sequence-classification' }),
        'config_sentence_transformers.json': encode({ activation_fn: identity, model_type: 'CrossEncoder' }),
      },
    ],
  ])) {
    const model = await open(more, files)
    assert.deepEqual(
      (await model.rank('the', list)).map(({ score }) => score),
      order.map(index => logits[index]),
    )
    model.dispose()
  }
  // Without modules.json, sentence-transformers does not read its own settings in the folder.
  const own = await open(
    { sbert_ce_default_activation_function: 'own.One' },
    { 'config_sentence_transformers.json': encode({ activation_fn: identity, model_type: 'CrossEncoder' }) },
  )
  await assert.rejects(
    own.rank('the', list),
    /^RangeError: config\.json: sbert_ce_default_activation_function "own\.One" is not covered/,
  )
  own.dispose()
  const bert = await loadModel(qkv, /** @type {any} */ (bytes), { tokenizer: Tokenizer })
  await assert.rejects(bert.rank('the', list), /rank: expected a cross-encoder, a checkpoint with one class for a text/)
  bert.dispose()
  const dense = [
    { type: typeOf('Transformer', 0), path: '' },
    { type: typeOf('Dense', 0), path: '1_Dense' },
  ]
  await assert.rejects(
    readRanking(
      folderOf({
        'modules.json': encode(dense),
        'config_sentence_transformers.json': encode({ model_type: 'CrossEncoder' }),
      }),
      readJSON,
    ),
    /^RangeError: modules\.json: Transformer, Dense are not covered by rank/,
  )
})

test('rank takes the score of a last Dense module, which embed refuses', async () => {
  const g = qkv.generator(5)
  const modules = ['Transformer', 'Pooling', 'LayerNorm', 'Dense'].map((kind, n) => ({
    type: typeOf(kind, n),
    path: n ? `${n}_${kind}` : '',
  }))
  const [weight, bias] = [g.randn([1, 48]), g.randn([1])]
  const identity = 'torch.nn.modules.linear.Identity'
  const config = { in_features: 48, out_features: 1, bias: true, activation_function: identity }
  const files = (/** @type {object} */ more) => ({
    ...bytes,
    'modules.json': encode(modules),
    '2_LayerNorm/config.json': encode({ dimension: 48 }),
    '2_LayerNorm/model.safetensors': writeSafetensors({
      'norm.weight': tensor(Array(48).fill(1)),
      'norm.bias': tensor(Array(48).fill(0)),
    }),
    '3_Dense/config.json': encode({ ...config, module_output_name: 'scores', ...more }),
    '3_Dense/model.safetensors': writeSafetensors({ 'linear.weight': weight, 'linear.bias': bias }),
  })
  const model = await loadModel(qkv, /** @type {any} */ (files({})), { tokenizer: Tokenizer })
  const list = ['a dog sat', 'the', 'cat cat cat', 'dog']
  const ranked = await model.rank('the cat', list)
  assert.equal(ranked.length, 4)
  for (const { index, score } of ranked) {
    const { data, dims } = model.forwardSync(model.tokenize('the cat', { pair: list[index] })).lastHiddenState
    const mean = Array.from({ length: 48 }, (_, c) => {
      let sum = 0
      for (let i = 0; i < dims[1]; i++) sum += data[i * 48 + c] / dims[1]
      return sum
    })
    const middle = mean.reduce((sum, x) => sum + x / 48, 0)
    const spread = Math.sqrt(mean.reduce((sum, x) => sum + (x - middle) ** 2 / 48, 0) + 1e-5)
    const logit = mean.reduce((sum, x, c) => sum + ((x - middle) / spread) * weight.data[c], bias.data[0])
    assert.ok(Math.abs(score - 1 / (1 + Math.exp(-logit))) < 1e-5, `${score} for ${logit}`)
  }
  await assert.rejects(model.embed('a'), /3_Dense\/config\.json: module_output_name "scores": .*: call rank/)
  assert.equal((await model.embed('a', { pooling: 'cls_token' })).dims[1], 48)
  model.dispose()
  const two = await loadModel(qkv, /** @type {any} */ (files({ out_features: 2 })), { tokenizer: Tokenizer })
  await assert.rejects(two.rank('a', ['b']), /3_Dense\/config\.json: out_features 2 is not covered/)
  two.dispose()
})

test('a network in a subfolder is opened with the modules beside it: from files, the disk, a server and the hub', async () => {
  const modules = JSON.parse(new TextDecoder().decode(bytes['modules.json']))
  const inner = Object.fromEntries(
    NAMES.map(name => [/^(modules|1_)/.test(name) ? name : `0_Transformer/${name}`, bytes[name]]),
  )
  const [first, ...rest] = modules
  inner['modules.json'] = encode([{ ...first, path: '0_Transformer' }, ...rest])
  inner['0_Transformer/sentence_bert_config.json'] = encode({ max_seq_length: 5 })
  const whole = await loadModel(
    qkv,
    /** @type {any} */ ({ ...bytes, 'sentence_bert_config.json': encode({ max_seq_length: 5 }) }),
    { tokenizer: Tokenizer },
  )
  const list = ['the cat sat on the dog and the cat', 'a dog']
  const want = await whole.embed(list)
  whole.dispose()
  const disk = mkdtempSync(join(tmpdir(), 'qkv-modules-'))
  for (const [name, content] of Object.entries(inner)) {
    mkdirSync(join(disk, dirname(name)), { recursive: true })
    writeFileSync(join(disk, name), content)
  }
  const server = createServer((request, response) => {
    const content = inner[String(request.url).slice(3)]
    response.writeHead(content ? 200 : 404).end(content)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const hub = await startHub({ 'me/inner': { files: inner } })
  try {
    /** @type {[any, object][]} */
    const sources = [
      [inner, {}],
      [disk, {}],
      [`http://127.0.0.1:${port}/m/`, {}],
      ['hf:me/inner@main', { hub: hub.url, keep: false }],
    ]
    for (const [source, options] of sources) {
      const model = await loadModel(qkv, source, { ...options, tokenizer: Tokenizer })
      assert.deepEqual((await model.embed(list)).data, want.data, String(source))
      model.dispose()
      assert.equal((await inspectModel(source, options)).type, 'bert')
    }
  } finally {
    server.close()
    await hub.close()
    rmSync(disk, { recursive: true })
  }
  const both = await loadModel(qkv, /** @type {any} */ ({ ...bytes, ...inner }), { tokenizer: Tokenizer })
  await assert.rejects(
    both.embed(list),
    /modules\.json: expected the model that was opened, got the one in "0_Transformer"/,
  )
  both.dispose()
})
