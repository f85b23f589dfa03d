// Tests the other files of a tokenizer, such as tokenizer_config.json, by the rules of transformers 5; and texts decoded token by token.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../../src/entries/models.js'
import { goldens, qkv } from './checkpoints.js'
import { openFiles } from './tokenizers/compare.js'

/** @param {number} id @param {string} content @param {object} [flags] */
const added = (id, content, flags) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...flags,
})

const WORDS = ['<unk>', '<s>', '</s>', 'a', 'b', 'c', 'd', '.', "'", 'n', 't', 'A', '[ENT]']
/** Makes a word tokenizer, which needs no package. @param {object} [more] */
const words = more => ({
  version: '1.0',
  added_tokens: [added(0, '<unk>'), added(1, '<s>'), added(2, '</s>')],
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: {
    type: 'RobertaProcessing',
    sep: ['</s>', 2],
    cls: ['<s>', 1],
    trim_offsets: true,
    add_prefix_space: true,
  },
  decoder: null,
  model: { type: 'WordLevel', unk_token: '<unk>', vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])) },
  ...more,
})

/** Tokenizes a text or a pair with this tokenizer_config.json, and joins the tokens. @param {object} config @param {string[]} texts @param {object} [files] further files */
async function tokensOf(config, [text, pair], files = {}) {
  const own = await openFiles({ 'tokenizer.json': words(), 'tokenizer_config.json': config, ...files })
  return own.encode(text, pair, Infinity).tokens.join(' ')
}

const MARKS = { bos_token: '<s>', eos_token: { __type: 'AddedToken', content: '</s>' } }

test('add_bos_token and add_eos_token, either of them, replace the tokens around a text', async () => {
  assert.equal(await tokensOf(MARKS, ['a', 'b']), '<s> a </s> </s> b </s>')
  assert.equal(await tokensOf({ ...MARKS, add_bos_token: true }, ['a', 'b']), '<s> a <s> b')
  assert.equal(await tokensOf({ ...MARKS, add_eos_token: true }, ['a', 'b']), 'a </s> b </s>')
  assert.equal(await tokensOf({ ...MARKS, add_bos_token: true, add_eos_token: true }, ['a']), '<s> a </s>')
  assert.equal(await tokensOf({ ...MARKS, add_bos_token: false }, ['a', 'b']), 'a b')
  assert.equal(await tokensOf({ add_bos_token: true }, ['a']), 'a', 'no token is named')
  assert.equal(
    await tokensOf({ add_bos_token: true }, ['a'], { 'special_tokens_map.json': { bos_token: '<s>' } }),
    '<s> a',
  )
})

test('tokens of added_tokens_decoder, added_tokens.json and special_tokens_map.json are found in texts', async () => {
  const split = await tokensOf({}, ['a[ENT]b x[NEW]'])
  assert.equal(split, '<s> a[ENT]b x[NEW] </s>')
  const decoder = { 12: added(12, '[ENT]', { special: false }), 13: added(13, '[NEW]') }
  const own = await openFiles({ 'tokenizer.json': words(), 'tokenizer_config.json': { added_tokens_decoder: decoder } })
  const { ids } = own.encode('a[ENT]b x[NEW]', undefined, Infinity)
  assert.deepEqual(ids, [1, 3, 12, 4, 0, 13, 2])
  assert.equal(own.decode(ids, true), 'a [ENT] b')
  const older = {
    'added_tokens.json': { '[ENT]': 12, '[NEW]': 13 },
    'special_tokens_map.json': { mask_token: '[NEW]' },
  }
  const same = await openFiles({ 'tokenizer.json': words(), ...older })
  assert.deepEqual(same.encode('a[ENT]b x[NEW]', undefined, Infinity).ids, ids)
  assert.equal(same.decode(ids, true), 'a [ENT] b')
  assert.equal(same.config.mask_token, '[NEW]')
  const ignored = await openFiles({
    'tokenizer.json': words(),
    ...older,
    'tokenizer_config.json': { added_tokens_decoder: {} },
  })
  assert.deepEqual(
    ignored.encode('a[ENT]b', undefined, Infinity).ids,
    [1, 0, 2],
    'transformers 5 reads either the one or the other',
  )
})

test('a text that is too long loses its start if truncation_side is left; of a pair the longer one is cut first', async () => {
  const files = (/** @type {string} */ side) => ({
    'tokenizer.json': words(),
    'tokenizer_config.json': { truncation_side: side },
  })
  for (const [side, single, pair] of [
    ['right', '<s> a b </s>', '<s> a b </s> </s> a b </s>'],
    ['left', '<s> c d </s>', '<s> c d </s> </s> a b </s>'],
  ]) {
    const own = await openFiles(files(side))
    assert.equal(own.encode('a b c d', undefined, Infinity, 4).tokens.join(' '), single)
    assert.equal(own.encode('a b c d', 'a b', Infinity, 8).tokens.join(' '), pair)
    assert.throws(() => own.encode('a', 'b', Infinity, 3), /maxLength 3 is less than the special tokens of a text/)
  }
})

test('model_max_length is what truncation cuts to, unless the model has fewer positions', async () => {
  const most = async (/** @type {object} */ config) =>
    (await openFiles({ 'tokenizer.json': words(), 'tokenizer_config.json': config })).most
  assert.equal(await most({ model_max_length: 4 }), 4)
  assert.equal(await most({ model_max_length: 1e30 }), 1e30)
  assert.equal(await most({}), Infinity)
})

test('clean_up_tokenization_spaces is off by default, and is ignored for BPE', async () => {
  const ids = [3, 7, 8, 9]
  for (const [config, text] of /** @type {[object, string][]} */ ([
    [{}, "a . ' n"],
    [{ clean_up_tokenization_spaces: false }, "a . ' n"],
    [{ clean_up_tokenization_spaces: true }, "a.'n"],
  ])) {
    const own = await openFiles({ 'tokenizer.json': words(), 'tokenizer_config.json': config })
    assert.equal(own.decode(ids, true), text)
  }
  const model = { type: 'BPE', vocab: { a: 0, '.': 1 }, merges: [] }
  const json = { ...words(), added_tokens: [], post_processor: null, model }
  const own = await openFiles({
    'tokenizer.json': json,
    'tokenizer_config.json': { clean_up_tokenization_spaces: true },
  })
  assert.equal(own.decode([0, 1], true), 'a .')
})

test('do_lower_case of a BERT and add_prefix_space of a GPT-2 win over tokenizer.json', async () => {
  const normalizer = {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  }
  const read = async (/** @type {object} */ config) => {
    const own = await openFiles({ 'tokenizer.json': { ...words(), normalizer }, 'tokenizer_config.json': config })
    return own.bare('A', Infinity)
  }
  assert.deepEqual(await read({}), [3])
  assert.deepEqual(await read({ tokenizer_class: 'BertTokenizer', do_lower_case: false }), [11])
  assert.deepEqual(await read({ tokenizer_class: 'PreTrainedTokenizerFast', do_lower_case: false }), [3])
  const split = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
  const vocab = { '<unk>': 0, a: 1, Ġa: 2 }
  const json = {
    ...words(),
    added_tokens: [],
    post_processor: null,
    pre_tokenizer: split,
    model: { type: 'WordLevel', unk_token: '<unk>', vocab },
  }
  for (const [name, id] of /** @type {[string, number][]} */ ([
    ['RobertaTokenizerFast', 2],
    ['TokenizersBackend', 1],
  ])) {
    const config = { tokenizer_class: name, add_prefix_space: true }
    const own = await openFiles({ 'tokenizer.json': json, 'tokenizer_config.json': config })
    assert.deepEqual(own.bare('a', Infinity), [id])
  }
})

test('a class that sets parts of tokenizer.json sets them by its defaults, too; the type of the model names it where no file does', async () => {
  const normalizer = {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: false,
    strip_accents: false,
    lowercase: false,
  }
  const pre_tokenizer = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true }
  const vocab = { '<unk>': 0, a: 1, Ġa: 2 }
  const bytes = { pre_tokenizer, normalizer: null, model: { type: 'WordLevel', unk_token: '<unk>', vocab } }
  for (const [
    more,
    config,
    type,
    named,
    text,
    id,
  ] of /** @type {[object, object | undefined, string, string | undefined, string, number][]} */ ([
    [{ normalizer }, undefined, 'bert', undefined, 'Á', 3],
    [{ normalizer }, {}, 'distilbert', undefined, 'Á', 3],
    [{ normalizer }, { do_lower_case: false }, 'electra', undefined, 'A', 11],
    [{ normalizer }, { tokenizer_class: 'PreTrainedTokenizerFast' }, 'bert', undefined, 'A', 11],
    [{ normalizer }, {}, 'llama', undefined, 'A', 11],
    [{ normalizer }, {}, 'llama', 'BertTokenizerFast', 'A', 3],
    [bytes, {}, 'gpt2', undefined, 'a', 1],
    [bytes, {}, 'bloom', undefined, 'a', 2],
    [bytes, { tokenizer_class: 'BlenderbotTokenizer' }, 'bart', undefined, 'a', 2],
  ])) {
    const json = { ...words(), added_tokens: [], post_processor: null, ...more }
    const files = { 'tokenizer.json': json, ...(config && { 'tokenizer_config.json': config }) }
    const own = await openFiles(files, type, named)
    assert.deepEqual(own.bare(text, Infinity), [id], JSON.stringify([config, type, named]))
  }
  await assert.rejects(
    openFiles({ 'tokenizer.json': words() }, 'roberta', 'PhobertTokenizer'),
    /PhobertTokenizer, which/,
  )
})

test('a tokenizer that transformers has in Python alone is refused by name', async () => {
  for (const [config, message] of /** @type {[object, RegExp][]} */ ([
    [
      { tokenizer_class: 'BertJapaneseTokenizer' },
      /^RangeError: tokenizer_config\.json: tokenizer_class: BertJapaneseTokenizer, which .* is not covered/,
    ],
    [{ tokenizer_class: 'BertTokenizer', word_tokenizer_type: 'mecab' }, /tokenizer_class: BertTokenizer, which/],
    [
      { auto_map: { AutoTokenizer: ['tokenization_own.OwnTokenizer', null] } },
      /auto_map: a tokenizer of the folder's own Python code/,
    ],
    [{ split_special_tokens: true }, /split_special_tokens: true is not covered/],
  ]))
    await assert.rejects(tokensOf(config, ['a']), message)
  const vocabulary = { 'vocab.txt': '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n' }
  await assert.rejects(
    openFiles({ ...vocabulary, 'tokenizer_config.json': { tokenizer_class: 'BertJapaneseTokenizer' } }, 'bert'),
    /BertJapaneseTokenizer/,
  )
  assert.equal(await tokensOf({ auto_map: { AutoTokenizer: ['own.Slow', 'own.Fast'] } }, ['a']), '<s> a </s>')
})

test('vocab.txt has the added tokens of the files beside it', async () => {
  const vocabulary = { 'vocab.txt': '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nhello\n[\n]\nent\n' }
  for (const files of [
    { 'added_tokens.json': { '[ENT]': 10 } },
    { 'tokenizer_config.json': { added_tokens_decoder: { 10: added(10, '[ENT]') } } },
  ]) {
    const own = await openFiles({ ...vocabulary, ...files }, 'bert')
    assert.deepEqual(own.encode('hello [ENT] a', undefined, Infinity).ids, [2, 6, 10, 5, 3])
  }
  const other = { ...vocabulary, 'tokenizer_config.json': { tokenizer_class: 'RobertaTokenizer' } }
  await assert.rejects(openFiles(other, 'bert'), /tokenizer_class: RobertaTokenizer, which does not read vocab\.txt/)
})

/** Opens gpt2-tiny with a byte tokenizer. @param {object} more of tokenizer.json @param {object} [config] */
async function bytesModel(more, config = {}) {
  const { readFileSync } = await import('node:fs')
  const names = ['config.json', 'model.safetensors']
  const files = Object.fromEntries(
    names.map(name => [name, new Uint8Array(readFileSync(`${goldens}/gpt2-tiny/${name}`))]),
  )
  const text = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json))
  return loadModel(qkv, { ...files, 'tokenizer.json': text(words(more)), 'tokenizer_config.json': text(config) })
}

const BYTES = Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`)

test('the texts of generate, joined, are the text of its ids: half characters are held back, also at the end of the prompt', async () => {
  const vocab = Object.fromEntries(['<unk>', ...BYTES, '▁', '▁do', "▁n't", '▁.', 'é'].map((token, id) => [token, id]))
  const model = { type: 'WordLevel', unk_token: '<unk>', vocab }
  const replace = { type: 'Replace', pattern: { String: '▁' }, content: ' ' }
  const decoders = [
    replace,
    { type: 'ByteFallback' },
    { type: 'Fuse' },
    { type: 'Strip', content: ' ', start: 1, stop: 0 },
  ]
  const plain = { added_tokens: [], post_processor: null, model }
  const of = (/** @type {string} */ text) => Array.from(new TextEncoder().encode(text), byte => byte + 1)
  const sushi = of('🍣')
  const cases = /** @type {[number[], number[], object][]} */ ([
    [[258], [...sushi, 258, ...sushi.slice(0, 2)], {}],
    [[258, ...sushi.slice(0, 2)], [...sushi.slice(2), 258], {}],
    [[258], [...of('A'), 256, 258], {}], // a byte that completes no character
    [[258], [259, 260, 258, 259], { clean_up_tokenization_spaces: true }],
    [[258, 257], [258], {}],
  ])
  for (const [prompt, made, config] of cases) {
    const own = await bytesModel({ ...plain, decoder: { type: 'Sequence', decoders } }, config)
    let text = ''
    /** @type {number[]} */
    let all = []
    const logits = (/** @type {Float32Array} */ row, /** @type {number[]} */ ids) => {
      row.fill(-10)
      row[made[ids.length - prompt.length]] = 10
    }
    for await (const step of own.generate(prompt, { maxNewTokens: made.length, stopIds: [], logits })) {
      text += step.text
      all = step.ids
    }
    assert.deepEqual(all, [...prompt, ...made])
    const start = own.decode(prompt).replace(/\ufffd+$/, '')
    assert.equal(start + text, own.decode(all))
    own.dispose()
  }
})

test('a pair has types only where the model has two of them', async () => {
  const { readFileSync } = await import('node:fs')
  const json = JSON.parse(readFileSync(`${goldens}/bert-tiny/tokenizer.json`, 'utf8'))
  for (const [name, hasTypes] of /** @type {[string, boolean][]} */ ([
    ['bert-tiny', true],
    ['distilbert-sst-tiny', false],
  ])) {
    const files = Object.fromEntries(
      ['config.json', 'model.safetensors'].map(file => [
        file,
        new Uint8Array(readFileSync(`${goldens}/${name}/${file}`)),
      ]),
    )
    const model = await loadModel(qkv, { ...files, 'tokenizer.json': new TextEncoder().encode(JSON.stringify(json)) })
    const pair = model.tokenize('the cat', { pair: 'the dog' })
    assert.equal('tokenTypeIds' in pair, hasTypes)
    assert.ok(model.forwardSync(pair).lastHiddenState.data.every(Number.isFinite))
    model.dispose()
  }
})

test('sides that only tokenizer.json gives, max_len and model_input_names are followed', async () => {
  const part = (/** @type {string} */ direction) => ({ direction, max_length: 5, strategy: 'LongestFirst', stride: 0 })
  const idsOf = async (/** @type {object} */ json, /** @type {object} */ config = {}) => {
    const files = { 'tokenizer.json': words(json), 'tokenizer_config.json': config }
    return (await openFiles(files)).encode('a b c d', undefined, Infinity, 4).tokens.join(' ')
  }
  assert.equal(await idsOf({ truncation: part('Left') }), '<s> c d </s>')
  assert.equal(await idsOf({ truncation: part('Right') }), '<s> a b </s>')
  assert.equal(await idsOf({ truncation: part('Left') }, { truncation_side: 'right' }), '<s> a b </s>')
  const padding = { strategy: 'BatchLongest', direction: 'Left', pad_id: 0, pad_type_id: 0, pad_token: '<unk>' }
  const { config } = await openFiles({ 'tokenizer.json': words({ padding }) })
  assert.equal(config?.padding_side, 'left')
  for (const [settings, most] of /** @type {[object, unknown][]} */ ([
    [{ max_len: 7 }, 7],
    [{ max_len: 7, model_max_length: 9 }, 9],
    [{ max_len: 7, model_max_length: null }, null],
  ])) {
    const own = await openFiles({ 'tokenizer.json': words(), 'tokenizer_config.json': settings })
    assert.equal(own.config?.model_max_length, most)
  }
  for (const [inputs, hasTypes] of /** @type {[unknown, boolean][]} */ ([
    [undefined, true],
    [['input_ids', 'token_type_ids', 'attention_mask'], true],
    [['input_ids', 'attention_mask'], false],
  ])) {
    const settings = { model_input_names: inputs }
    const own = await openFiles({ 'tokenizer.json': words(), 'tokenizer_config.json': settings })
    assert.equal(own.encode('a', 'b', Infinity).tokenTypeIds !== undefined, hasTypes)
  }
})

test("code of the folder under the older form of auto_map, a text in place of a list, and Mistral's other pattern are refused", async () => {
  const vocab = Object.fromEntries(Array.from({ length: 100001 }, (_, n) => [n < WORDS.length ? WORDS[n] : `${n}`, n]))
  const large = words({ model: { type: 'WordLevel', unk_token: '<unk>', vocab } })
  for (const [config, message, json] of /** @type {[object, RegExp, object?][]} */ ([
    [{ auto_map: ['tok.Slow', null] }, /auto_map: a tokenizer of the folder's own Python code/],
    [{ additional_special_tokens: '<x>' }, /additional_special_tokens: a text in place of a list/],
    [{ fix_mistral_regex: true }, /fix_mistral_regex: true is not covered/, large],
  ]))
    await assert.rejects(openFiles({ 'tokenizer.json': json ?? words(), 'tokenizer_config.json': config }), message)
  await openFiles({ 'tokenizer.json': words(), 'tokenizer_config.json': { fix_mistral_regex: true } })
  await openFiles({ 'tokenizer.json': large, 'tokenizer_config.json': { fix_mistral_regex: false } })
})
