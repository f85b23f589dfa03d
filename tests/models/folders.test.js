// Opens folders as people publish them, with settings that the Python libraries follow. The result is theirs, or the folder is refused by name.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadModel, readSafetensors, writeSafetensors } from '../../src/entries/models.js'
import { lengthOf } from '../../src/models/sentences/sentence-input.js'
import { goldens, qkv } from './checkpoints.js'

const text = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json))

/** Reads a golden folder. @param {string} name @returns {Record<string, any>} contents by file name */
const filesOf = name =>
  Object.fromEntries(
    readdirSync(`${goldens}/${name}`, { recursive: true, withFileTypes: true }).flatMap(entry => {
      if (!entry.isFile()) return []
      const path = `${entry.parentPath}/${entry.name}`
      return [[path.slice(goldens.length + name.length + 2), new Uint8Array(readFileSync(path))]]
    }),
  )

const sentences = filesOf('sentence-bert-tiny')
const SPACES = { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true }
const parse = (/** @type {Uint8Array} */ bytes) => JSON.parse(new TextDecoder().decode(bytes))

/** Opens sentence-bert-tiny with some files replaced, and runs `use`. @param {Record<string, unknown>} files by name; undefined removes a file @param {(model: any) => any} use */
async function withFiles(files, use) {
  const all = { ...sentences, ...files }
  for (const [name, content] of Object.entries(all))
    if (content === undefined) delete all[name]
    else if (!(content instanceof Uint8Array)) all[name] = text(content)
  const model = await loadModel(qkv, all)
  try {
    return await use(model)
  } finally {
    model.dispose()
  }
}

const embed = (/** @type {any} */ model) => model.embed('a b')
/** Makes the list of modules.json, with the class names that sentence-transformers used before 5.4. @param {...string} kinds */
const modules = (...kinds) =>
  kinds.map((kind, n) => ({
    idx: n,
    name: String(n),
    path: n ? `${n}_${kind}` : '',
    type: `sentence_transformers.models.${kind}`,
  }))

test('modules that are missing or not covered close embed, and the error has their whole names', async () => {
  const long = 'sentence_transformers.sparse_encoder.models.SparseStaticEmbedding'
  for (const [files, message] of /** @type {[Record<string, unknown>, RegExp][]} */ ([
    [{ '1_Pooling/config.json': undefined }, /1_Pooling\/config\.json is missing, which modules\.json lists/],
    [{ '1_Pooling/config.json': { pooling_mode: [] } }, /pooling_mode an array of 0 is not covered/],
    [{ 'modules.json': [{ type: long, path: '' }] }, new RegExp(`modules.json: "${long}" is not covered`)],
    ...['WeightedLayerPooling', 'CNN', 'LSTM', 'WordWeights', 'Router', 'SpladePooling', 'SparseAutoEncoder'].map(
      kind => [
        { 'modules.json': modules('Transformer', 'Pooling', kind) },
        new RegExp(`modules.json: "sentence_transformers.models.${kind}" is not covered`),
      ],
    ),
    ...Object.entries({
      processor_kwargs: { model_max_length: 4 },
      config_kwargs: { hidden_act: 'relu' },
      model_kwargs: { output_hidden_states: true },
    }).map(([key, value]) => [
      { 'sentence_bert_config.json': { [key]: value } },
      new RegExp(`sentence_bert_config.json: ${key}.${Object.keys(value)[0]} .* is not covered`),
    ]),
    [
      { 'sentence_bert_config.json': { tokenizer_name_or_path: 'bert-base-uncased' } },
      /sentence_bert_config.json: tokenizer_name_or_path "bert-base-uncased" is not covered/,
    ],
    [
      { 'modules.json': modules('Transformer', 'Pooling', 'Normalize').map(each => ({ ...each, name: 'a' })) },
      /modules.json: two modules have the name "a", so Python runs only the second/,
    ],
    ...['SparseEncoder', 'MultiVectorEncoder', 'CrossEncoder'].map(type => [
      { 'config_sentence_transformers.json': { model_type: type } },
      new RegExp(`config_sentence_transformers.json: model_type "${type}" is not covered; covered: SentenceTransf`),
    ]),
  ]))
    await assert.rejects(withFiles(files, embed), message)
  const usual = { 'config_sentence_transformers.json': { model_type: 'SentenceTransformer' } }
  assert.equal((await withFiles(usual, embed)).dims.length, 2)
})

test('an empty file of settings counts as missing, so that the next one is read', async () => {
  const settings = { 'sentence_roberta_config.json': { max_seq_length: 3 } }
  const both = { 'sentence_bert_config.json': {}, ...settings }
  const cut = (/** @type {any} */ model) => model.embed('the cat and the dog')
  const [want, got] = await Promise.all(
    [{ 'sentence_bert_config.json': undefined, ...settings }, both].map(each => withFiles(each, cut)),
  )
  assert.deepEqual(got.data, want.data)
  assert.notDeepEqual(got.data, (await withFiles({}, cut)).data)
})

test('a prompt that ends with a token of a space counts it, since only a special token is left out', async () => {
  const files = filesOf('t5-tiny')
  const tokenizer = { ...parse(files['tokenizer.json']), pre_tokenizer: SPACES }
  for (const [post_processor, length] of [
    [null, 2],
    [tokenizer.post_processor, 2],
  ]) {
    const model = await loadModel(qkv, { ...files, 'tokenizer.json': text({ ...tokenizer, post_processor }) })
    assert.equal(model.tokenize('the ').tokens.at(1), '\u2581')
    assert.equal(lengthOf(model, { isLower: false }, 'the '), length)
    model.dispose()
  }
})

test('a flag of the pooling may be 1 in place of true', async () => {
  const flags = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }
  const numbers = { pooling_mode_cls_token: 1, pooling_mode_mean_tokens: 0 }
  const [want, got] = await Promise.all(
    [flags, numbers].map(each => withFiles({ '1_Pooling/config.json': each }, embed)),
  )
  assert.deepEqual(got.data, want.data)
})

test('a folder without a network is refused by the module that it begins with', async () => {
  const type = 'sentence_transformers.models.StaticEmbedding'
  for (const path of ['', '0_StaticEmbedding'])
    await assert.rejects(
      loadModel(qkv, { 'modules.json': text([{ path, type }]), [`${path}/model.safetensors`]: new Uint8Array(8) }),
      /modules\.json: the first module "sentence_transformers\.models\.StaticEmbedding" is not covered/,
    )
})

test('an adapter beside a model, which transformers would open instead, has to be given or left out', async () => {
  const adapter = {
    'adapter_config.json': { peft_type: 'LORA', base_model_name_or_path: 'owner/name' },
    'adapter_model.safetensors': new Uint8Array(8),
  }
  const message = /adapter_config\.json: beside config\.json is an adapter \("LORA"\) of "owner\/name"/
  await assert.rejects(withFiles(adapter, embed), message)
  await assert.rejects(withFiles({ ...adapter, 'model.safetensors': undefined }, embed), message)
  const files = { ...sentences, 'adapter_config.json': text(adapter['adapter_config.json']) }
  const model = await loadModel(qkv, files, { adapter: false })
  assert.equal((await model.embed('a b')).dims.length, 2)
  model.dispose()
})

test('a table in modules_to_save is a copy: a tied head keeps the weight of the base, unless ensure_weight_tying is set', async () => {
  const base = filesOf('gpt2-tiny')
  const stored = await readSafetensors(base['model.safetensors'])
  const name = Object.keys(stored).find(each => each.endsWith('wte.weight')) ?? ''
  const wte = stored[name]
  const other = qkv.generator(5).randn(wte.dims)
  /** @param {object} config @param {Record<string, any>} tensors */
  const open = (config, tensors) =>
    loadModel(qkv, base, {
      tokenizer: false,
      adapter: {
        'adapter_config.json': text({ peft_type: 'LORA', r: 2, ...config }),
        'adapter_model.safetensors': writeSafetensors(tensors),
      },
    })
  const table = { 'base_model.model.transformer.wte.weight': other }
  /** Returns whether the table is the adapter's, and whose weights the head has, judged by the logits of a run. Disposes of the model. @param {any} model */
  const rows = async model => {
    const { logits, lastHiddenState } = model.forwardSync({ ids: [5, 9, 3] })
    const d = lastHiddenState.dims[2]
    const state = lastHiddenState.data.subarray(2 * d)
    const isOf = (/** @type {any} */ weight) =>
      [0, 7, 9].every(id => {
        const sum = state.reduce(
          (/** @type {number} */ all, /** @type {number} */ x, /** @type {number} */ i) =>
            all + x * weight.data[id * d + i],
          0,
        )
        return Math.abs(sum - logits.at(0, 2, id)) < 1e-3
      })
    const first = await model.weight(name)
    model.dispose()
    return [first.data[0] === other.data[0], isOf(wte) ? 'base' : isOf(other) ? 'adapter' : 'neither']
  }
  assert.deepEqual(await rows(await open({ modules_to_save: ['wte'] }, table)), [true, 'base'])
  assert.deepEqual(await rows(await open({}, table)), [true, 'adapter'], 'embeddings that are saved are not copied')
  const tied = { modules_to_save: ['wte'], ensure_weight_tying: true }
  assert.deepEqual(await rows(await open(tied, table)), [true, 'adapter'])
  const both = { ...table, 'base_model.model.lm_head.weight': wte }
  assert.deepEqual(await rows(await open({ modules_to_save: ['wte', 'lm_head'] }, both)), [true, 'base'])
  const lora = {
    'base_model.model.transformer.wte.lora_embedding_A': qkv.generator(1).randn([2, wte.dims[0]]),
    'base_model.model.transformer.wte.lora_embedding_B': qkv.generator(2).randn([wte.dims[1], 2]),
  }
  await assert.rejects(
    open({ ensure_weight_tying: true }, lora),
    /ensure_weight_tying with a change of transformer\.wte/,
  )
  await assert.rejects(open({ use_new: true }, table), /adapter_config\.json: not covered: use_new = true/)
  const empty = await open({ target_parameters: [], layer_replication: null, later_config: {} }, table)
  empty.dispose()
})

test('a decoder with is_causal false, which transformers runs without a causal mask, is refused', async () => {
  for (const [value, message] of /** @type {[unknown, RegExp | undefined][]} */ ([
    [false, /config\.json: is_causal false is not covered; covered: true/],
    [null, /is_causal false is not covered/],
    [true, undefined],
  ])) {
    const files = filesOf('llama3-made')
    files['config.json'] = text({ ...parse(files['config.json']), is_causal: value })
    const opened = loadModel(qkv, files, { tokenizer: false })
    if (message) await assert.rejects(opened, message)
    else (await opened).dispose()
  }
})

test('id2label is no list, and a note of YaRN changes nothing', async () => {
  const list = filesOf('bert-sequence-made')
  const { id2label, ...config } = parse(list['config.json'])
  list['config.json'] = text({ ...config, id2label: Object.values(id2label ?? { 0: 'a', 1: 'b' }) })
  await assert.rejects(loadModel(qkv, list, { tokenizer: false }), /id2label: expected a name for each of the numbers/)
  const yarn = filesOf('llama-yarn-made')
  const { rope_parameters, rope_scaling = rope_parameters, ...rest } = parse(yarn['config.json'])
  yarn['config.json'] = text({
    ...rest,
    [rope_parameters ? 'rope_parameters' : 'rope_scaling']: { ...rope_scaling, finetuned: true },
  })
  const model = await loadModel(qkv, yarn, { tokenizer: false })
  model.dispose()
})

test('settings of generation that would change the ids are refused when texts are generated', async () => {
  for (const config of [
    { token_healing: true },
    { cache_implementation: 'quantized' },
    { do_sample: true, temperature: 0 },
    { max_time: 10 },
    { is_assistant: true },
    { decoder_start_token_id: [2, 5] },
  ]) {
    const files = { ...filesOf('gpt2-tiny'), 'generation_config.json': text(config) }
    const model = await loadModel(qkv, files, { tokenizer: false })
    const [key] = Object.keys(config).slice(-1)
    await assert.rejects(
      async () => {
        for await (const _ of model.generate([5, 9], { maxNewTokens: 1 }));
      },
      new RegExp(`generation_config.json: ${key} .* not covered`),
    )
    model.dispose()
  }
})

test('a byte order mark is a character of a chat template and of the first word of vocab.txt, as in Python', async () => {
  const model = await loadModel(qkv, { ...sentences, 'chat_template.jinja': new TextEncoder().encode('\ufeffJ') })
  assert.equal(await model.applyChatTemplate([{ role: 'user', content: 'a' }], { template: 'default' }), '\ufeffJ')
  await assert.rejects(
    loadModel(qkv, { ...sentences, 'tokenizer_config.json': new TextEncoder().encode('\ufeff{}') }),
    /tokenizer_config\.json is no JSON: it starts with a byte order mark: save it as UTF-8 without one/,
  )
  model.dispose()
  const vocab = new TextEncoder().encode('\ufeff[UNK]\n[CLS]\n[SEP]\na')
  await assert.rejects(
    withFiles({ 'tokenizer.json': undefined, 'vocab.txt': vocab }, () => {}),
    /vocab\.txt: "\[UNK\]" is not among its 4 tokens/,
  )
})
