// Tests rerankers that are decoders, and texts that are rendered as conversations, as in sentence-transformers. The expected input of the network is
// written by hand, following base/modules/transformer.py and cross_encoder/ of sentence-transformers 6.0.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { load, tensor } from '../../src/entries/index.js'
import { loadModel, readSafetensors, writeSafetensors } from '../../src/entries/models.js'
import { goldens } from './checkpoints.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
after(() => assert.equal(qkv.memory.resident, 0))
const encode = (/** @type {unknown} */ json) =>
  new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json))
const read = (/** @type {string} */ path) => new Uint8Array(readFileSync(`${goldens}/${path}`))
const json = (/** @type {string} */ path) => JSON.parse(new TextDecoder().decode(read(path)))
const base = Object.fromEntries(
  ['config.json', 'model.safetensors', 'tokenizer.json'].map(name => [name, read(`qwen3-tiny-bf16/${name}`)]),
)

/** A chat template that finds query and document by the roles of the messages. With add_generation_prompt, the text ends in the value of `word`. */
const FLAT = `{% for m in messages %}{% if m.role == 'system' %}<|im_start|>{{ m.content }}\n{% endif %}{% endfor %}<|im_start|>{{ (messages | selectattr('role', 'eq', 'query') | first).content }}?{{ (messages | selectattr('role', 'eq', 'document') | first).content }}<|im_end|>{% if add_generation_prompt %} so {{ word }}{% endif %}`
const SETTINGS = {
  transformer_task: 'text-generation',
  modality_config: {
    text: { method: 'forward', method_output_name: 'logits' },
    message: { method: 'forward', method_output_name: 'logits', format: 'flat' },
  },
  module_output_name: 'causal_logits',
}
const MODULES = [
  { idx: 0, name: '0', path: '', type: 'sentence_transformers.base.modules.transformer.Transformer' },
  {
    idx: 1,
    name: '1',
    path: '1_LogitScore',
    type: 'sentence_transformers.cross_encoder.modules.logit_score.LogitScore',
  },
]
const PROMPTS = {
  model_type: 'CrossEncoder',
  activation_fn: 'torch.nn.modules.linear.Identity',
  prompts: { query: 'find' },
  default_prompt_name: 'query',
}

/** @param {Record<string, unknown>} [files] */
const open = (files = {}) =>
  loadModel(
    qkv,
    /** @type {any} */ ({
      ...base,
      ...Object.fromEntries(
        Object.entries({
          'modules.json': MODULES,
          '1_LogitScore/config.json': { true_token_id: 7, false_token_id: 11 },
          'sentence_bert_config.json': SETTINGS,
          'config_sentence_transformers.json': PROMPTS,
          'chat_template.jinja': FLAT,
          ...files,
        })
          .filter(([, content]) => content !== undefined)
          .map(([name, content]) => [name, encode(content)]),
      ),
    }),
    { tokenizer: Tokenizer },
  )

/** Returns the logits after the tokens of a text. @param {import('../../src/models/model.js').Model} model @param {number[]} ids */
function logitsAfter(model, ids) {
  const { data, dims } = /** @type {any} */ (model.forwardSync({ ids }, { logits: 'last' }).logits)
  return data.slice(-dims[2])
}
const idsOf = (/** @type {import('../../src/models/model.js').Model} */ model, /** @type {string} */ text) =>
  model.tokenize(text, { addSpecialTokens: false }).ids
const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x))
const list = ['the cat sat', 'a dog', 'no']

/** @param {import('../../src/models/model.js').Model} model @param {(text: string) => number} scoreOf @param {object} [options] */
async function check(model, scoreOf, options) {
  const want = list.map((text, index) => ({ index, score: scoreOf(text) })).sort((a, b) => b.score - a.score)
  assert.deepEqual(await model.rank('the dog', list, options), want)
}

test('a decoder is ranked by the logits of two tokens after the conversation of query and text', async () => {
  const model = await open()
  const score = (/** @type {string} */ text) => {
    const logits = logitsAfter(model, idsOf(model, text))
    return Math.fround(logits[7] - logits[11])
  }
  await check(model, text => score(`<|im_start|>find\n<|im_start|>the dog?${text}<|im_end|>`))
  await check(model, text => score(`<|im_start|>look\n<|im_start|>the dog?${text}<|im_end|>`), {
    prompt: { text: 'look' },
  })
  await check(model, text => score(`<|im_start|>the dog?${text}<|im_end|>`), { prompt: { text: '' } })
  await assert.rejects(
    model.rank('a', list, { prompt: 'other' }),
    /rank: prompt: expected the name of a prompt.*got "other"/,
  )
  /** @type {number[]} */
  const done = []
  assert.equal((await model.rank('a', list, { topK: 1, onProgress: progress => done.push(progress.done) })).length, 1)
  assert.deepEqual(done, [1, 2, 3])
  await assert.rejects(model.embed('a'), /^RangeError: modules\.json: LogitScore: .*: call rank/)
  model.dispose()
  // Settings with true_token_id alone, with arguments for the template, and without activation_fn, so that the default sigmoid is used.
  const one = await open({
    '1_LogitScore/config.json': { true_token_id: 7, false_token_id: null, module_input_name: 'causal_logits' },
    'sentence_bert_config.json': {
      ...SETTINGS,
      processing_kwargs: { chat_template: { add_generation_prompt: true, word: 'yes' } },
    },
    'config_sentence_transformers.json': { model_type: 'CrossEncoder', prompts: {} },
  })
  await check(one, text => sigmoid(logitsAfter(one, idsOf(one, `<|im_start|>the dog?${text}<|im_end|> so yes`))[7]))
  one.dispose()
})

test('contents are parts if the folder is set so, and plain texts if it has no messages', async () => {
  const parts = await open({
    'chat_template.jinja': FLAT.replaceAll('.content', '.content[0].text'),
    'sentence_bert_config.json': {
      ...SETTINGS,
      modality_config: {
        ...SETTINGS.modality_config,
        message: { method: 'forward', method_output_name: 'logits', format: 'structured' },
      },
    },
  })
  const score = (/** @type {any} */ model, /** @type {number[]} */ ids) => {
    const logits = logitsAfter(model, ids)
    return Math.fround(logits[7] - logits[11])
  }
  await check(parts, text => score(parts, idsOf(parts, `<|im_start|>find\n<|im_start|>the dog?${text}<|im_end|>`)))
  for (const media of ['https://a.b/c.PNG?x', 'data:image/png;base64,', 'https://youtu.be/x'])
    await assert.rejects(parts.rank(media, list), /the address of an image, a video or a sound is not covered/)
  parts.dispose()
  const { message: _, ...kinds } = SETTINGS.modality_config
  const plain = await open({ 'sentence_bert_config.json': { ...SETTINGS, modality_config: kinds } })
  await check(plain, text => score(plain, plain.tokenize('findthe dog', { pair: text }).ids))
  plain.dispose()
})

test('a truncated conversation ends with the end of the template', async () => {
  const settings = {
    ...SETTINGS,
    max_seq_length: 12,
    processing_kwargs: { chat_template: { add_generation_prompt: true, word: 'yes' } },
  }
  const long = 'the cat sat and the cat sat and the cat sat'
  for (const restore_suffix of [true, false]) {
    const chat_template = { ...settings.processing_kwargs.chat_template, restore_suffix }
    const model = await open({ 'sentence_bert_config.json': { ...settings, processing_kwargs: { chat_template } } })
    const end = idsOf(model, '<|im_end|> so yes')
    const whole = idsOf(model, `<|im_start|>find\n<|im_start|>the dog?${long}<|im_end|> so yes`)
    assert.ok(whole.length > 14 && end.length > 2)
    const ids = restore_suffix ? [...whole.slice(0, 12 - end.length), ...end] : whole.slice(0, 12)
    const logits = logitsAfter(model, ids)
    assert.deepEqual(await model.rank('the dog', [long]), [{ index: 0, score: Math.fround(logits[7] - logits[11]) }])
    model.dispose()
  }
})

test('a decoder that no folder names as a cross-encoder is ranked by its tokens yes and no', async () => {
  const tokenizer = json('qwen3-tiny-bf16/tokenizer.json')
  for (const [n, content] of ['yes', 'no'].entries())
    tokenizer.added_tokens.push({
      id: 390 + n,
      content,
      special: false,
      normalized: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
    })
  // The last folder has no file of sentence-transformers at all.
  const [settings, modules] = ['config_sentence_transformers.json', 'modules.json']
  for (const { isNamed, ...files } of [
    { isNamed: false },
    { isNamed: true },
    { isNamed: false, [settings]: undefined, 'sentence_bert_config.json': undefined },
  ]) {
    // sentence-transformers ignores the modules and prompts of a folder without modules.json, or whose model_type is not CrossEncoder.
    const model = await open({
      'tokenizer.json': tokenizer,
      ...(!isNamed && { [modules]: undefined }),
      [settings]: { ...PROMPTS, model_type: isNamed ? 'SentenceTransformer' : 'CrossEncoder' },
      ...files,
    })
    await check(model, text => {
      const logits = logitsAfter(model, idsOf(model, `<|im_start|>the dog?${text}<|im_end|>`))
      return sigmoid(Math.fround(logits[390] - logits[391]))
    })
    model.dispose()
  }
  const without = await open({ 'modules.json': undefined })
  await assert.rejects(
    without.rank('a', list),
    /needs the tokens "yes" and "no", but its vocabulary lacks at least one/,
  )
  without.dispose()
})

test('a classifier without modules.json reads a pair as a conversation where its folder has a template', async () => {
  const { id2label: _, ...config } = json('llama-sequence-made/config.json')
  const tensors = await readSafetensors(read('llama-sequence-made/model.safetensors'))
  const { data, dims } = tensors['score.weight']
  const names = ['u', 'query', 'document', 'the', 'cat', 'dog', '!']
  const vocab = Object.fromEntries(names.map((name, id) => [name, id]))
  const files = {
    'config.json': encode({ ...config, id2label: { 0: 'LABEL_0' } }),
    'model.safetensors': writeSafetensors({ ...tensors, 'score.weight': tensor(data.slice(0, dims[1]), [1, dims[1]]) }),
    'tokenizer.json': encode({
      pre_tokenizer: { type: 'Whitespace' },
      model: { type: 'WordLevel', vocab, unk_token: 'u' },
    }),
  }
  const flat = '{% for m in messages %}{{ m.role }} {{ m.content }} ! {% endfor %}'
  const parts = flat.replace('m.content', "m.content[0].text if m.content[0].type == 'text'")
  for (const template of [undefined, flat, parts]) {
    const given = { ...files, ...(template && { 'chat_template.jinja': encode(template) }) }
    const model = await loadModel(qkv, /** @type {any} */ (given), { tokenizer: Tokenizer })
    const ids = template ? [1, 3, 4, 6, 2, 5, 6] : model.tokenize('the cat', { pair: 'dog' }).ids
    const score = sigmoid((await model.classify({ ids })).logits.data[0])
    assert.deepEqual(await model.rank('the cat', ['dog']), [{ index: 0, score }])
    model.dispose()
  }
})

test('settings that are not covered are refused by file and key', async () => {
  const processed = (/** @type {object} */ chat_template) => ({ ...SETTINGS, processing_kwargs: { chat_template } })
  for (const [files, message] of /** @type {[Record<string, unknown>, RegExp][]} */ ([
    [{ '1_LogitScore/config.json': undefined }, /^1_LogitScore\/config\.json: true_token_id: .*got undefined/],
    [{ '1_LogitScore/config.json': { true_token_id: 400 } }, /the token 400 gives the score; the model has 400 tokens/],
    [
      { '1_LogitScore/config.json': { true_token_id: 1, module_input_name: 'scores' } },
      /module_input_name "scores" is not covered/,
    ],
    [
      { 'sentence_bert_config.json': undefined },
      /transformer_task "feature-extraction" is not covered; covered: text-generation/,
    ],
    [
      { 'sentence_bert_config.json': { ...SETTINGS, module_output_name: 'x' } },
      /module_output_name "x" is not covered/,
    ],
    [
      { 'sentence_bert_config.json': { ...SETTINGS, modality_config: { image: {} } } },
      /modality_config "image" is not covered/,
    ],
    [{ 'sentence_bert_config.json': processed({ tools: [] }) }, /processing_kwargs\.chat_template\.tools/],
    [
      { 'sentence_bert_config.json': processed({ add_generation_prompt: 1 }) },
      /chat_template\.add_generation_prompt 1 is not covered/,
    ],
    [
      {
        'chat_template.jinja':
          "{{ messages[-1].role }} {{ (messages | selectattr('role', 'eq', 'query') | first).content }}",
      },
      /leaves out the message of the role document/,
    ],
    [{ 'chat_template.jinja': undefined }, /this folder has no chat template/],
    [
      { 'modules.json': [...MODULES, MODULES[1]] },
      /modules\.json: Transformer, LogitScore, LogitScore are not covered by rank/,
    ],
  ])) {
    const model = await open(files)
    await assert.rejects(model.rank('the dog', list), { message }, String(message))
    assert.ok(model.forwardSync('the dog').logits, 'the model itself is open')
    model.dispose()
  }
})

test('embeddings of a folder with messages are those of conversations', async () => {
  const files = {
    'modules.json': [
      MODULES[0],
      {
        idx: 1,
        name: '1',
        path: '1_Pooling',
        type: 'sentence_transformers.sentence_transformer.modules.pooling.Pooling',
      },
    ],
    '1_Pooling/config.json': { embedding_dimension: 48, pooling_mode: 'lasttoken' },
    'sentence_bert_config.json': {
      transformer_task: 'feature-extraction',
      modality_config: {
        text: { method: 'forward', method_output_name: 'last_hidden_state' },
        message: { method: 'forward', method_output_name: 'last_hidden_state', format: 'flat' },
      },
      module_output_name: 'token_embeddings',
    },
    'config_sentence_transformers.json': { prompts: { query: 'find' } },
    'chat_template.jinja': `{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|>{% endfor %}`,
  }
  const model = await open(files)
  for (const [prompt, text] of [
    [undefined, '<|im_start|>user the cat<|im_end|>'],
    ['query', '<|im_start|>system find<|im_end|><|im_start|>user the cat<|im_end|>'],
  ]) {
    const { data, dims } = model.forwardSync({ ids: idsOf(model, String(text)) }).lastHiddenState
    assert.deepEqual((await model.embed('the cat', { prompt })).data, data.slice(-dims[2]))
  }
  model.dispose()
  const task = { ...files, 'sentence_bert_config.json': { transformer_task: 'fill-mask' } }
  const other = await open(task)
  await assert.rejects(other.embed('a'), /transformer_task "fill-mask" is not covered; covered: feature-extraction/)
  other.dispose()
})

test('do_lower_case is applied before the normalizers, and leaves special tokens as they are', async () => {
  const folder = 'sentence-bert-tiny'
  const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'modules.json', '1_Pooling/config.json']
  const own = Object.fromEntries(names.map(name => [name, read(`${folder}/${name}`)]))
  const tokenizer = json(`${folder}/tokenizer.json`)
  tokenizer.normalizer = { ...tokenizer.normalizer, lowercase: false, strip_accents: false }
  tokenizer.model.vocab.σασ = tokenizer.model.vocab.the
  delete tokenizer.model.vocab.the
  const model = await loadModel(
    qkv,
    /** @type {any} */ ({
      ...own,
      'tokenizer.json': encode(tokenizer),
      'tokenizer_config.json': encode({ do_lower_case: false, strip_accents: false }),
      'sentence_bert_config.json': encode({ do_lower_case: true }),
    }),
    { tokenizer: Tokenizer },
  )
  // The Rust library lower-cases a final sigma to the ordinary one. JavaScript and Python have another letter for it.
  const { tokens } = model.tokenize('ΣΑΣ [SEP] CAT', { lowerCase: true })
  assert.deepEqual(tokens, ['[CLS]', 'σασ', '[SEP]', 'c', '##at', '[SEP]'])
  const { data } = await model.embed('ΣΑΣ [SEP] CAT')
  assert.deepEqual(data, (await model.embed('σασ [SEP] cat')).data)
  assert.notDeepEqual(data, (await model.embed('σασ [sep] cat')).data)
  model.dispose()
})

test('embeddings of an encoder-decoder are those of its encoder; T5EncoderModel is the encoder alone', async () => {
  const pooled = {
    'modules.json': encode([
      { path: '', type: 'sentence_transformers.models.Transformer' },
      { path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
    ]),
    '1_Pooling/config.json': encode({ pooling_mode_mean_tokens: true }),
  }
  const words = {
    pre_tokenizer: { type: 'Whitespace' },
    model: { type: 'WordLevel', vocab: { u: 2, the: 3, cat: 4, sat: 5, a: 6, dog: 7, and: 8 }, unk_token: 'u' },
  }
  for (const name of ['t5-tiny', 't5-v1_1-made', 'mt5-made']) {
    const files = ['config.json', 'model.safetensors'].map(file => [file, read(`${name}/${file}`)])
    const own = { ...Object.fromEntries(files), 'tokenizer.json': encode(words), ...pooled }
    const whole = await loadModel(qkv, /** @type {any} */ (own), { tokenizer: Tokenizer })
    const texts = ['the cat sat', 'a dog', 'the cat sat and the dog']
    const rows = texts.map(text => {
      const { data, dims } = /** @type {any} */ (whole.forwardSync(text).encoderLastHiddenState)
      return Float32Array.from({ length: dims[2] }, (_, c) => {
        let sum = 0
        for (let i = 0; i < dims[1]; i++) sum += data[i * dims[2] + c]
        return sum / dims[1]
      })
    })
    const want = Float32Array.from(rows.flatMap(row => [...row]))
    assert.deepEqual((await whole.embed(texts)).data, want)
    await assert.rejects(whole.similarity('a', 'b'), /an encoder-decoder is not covered/)
    // With the config of an encoder: first all weights of the T5, then only those that T5EncoderModel.save_pretrained writes.
    const tensors = await readSafetensors(own['model.safetensors'])
    const some = Object.fromEntries(Object.entries(tensors).filter(([key]) => /^(shared|encoder)/.test(key)))
    const config = { ...json(`${name}/config.json`), architectures: ['T5EncoderModel'] }
    for (const file of [own['model.safetensors'], writeSafetensors(some)]) {
      const given = { ...own, 'config.json': encode(config), 'model.safetensors': file }
      const encoder = await loadModel(qkv, /** @type {any} */ (given), { tokenizer: Tokenizer })
      assert.equal(encoder.hasHead, false)
      assert.deepEqual((await encoder.embed(texts)).data, want)
      const { value } = await encoder.similarity('the cat sat', 'a dog')
      assert.ok(Math.abs(value) <= 1)
      encoder.dispose()
    }
    whole.dispose()
  }
  const bart = await loadModel(
    qkv,
    /** @type {any} */ ({
      ...Object.fromEntries(
        ['config.json', 'model.safetensors', 'tokenizer.json'].map(file => [file, read(`bart-tiny/${file}`)]),
      ),
      ...pooled,
    }),
    { tokenizer: Tokenizer },
  )
  await assert.rejects(bart.embed('a'), /modules\.json beside a bart: sentence-transformers reads its decoder/)
  assert.ok((await bart.embed('a', { pooling: 'mean_tokens' })).data.every(Number.isFinite))
  bart.dispose()
})
