// Vocabularies of GGUF files give the ids of llama.cpp. To compare more random ones with llama.cpp itself:
//   NODE_LLAMA_CPP=FOLDER VOCABULARIES=200 SEED=1000 node --test tests/models/gguf-tokenizer.test.js

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { openMetadata, tokenizerOf } from '../../src/models/gguf/tokenizer.js'
import { endsOf } from '../../src/models/gguf/vocabulary.js'
import { MADE, make } from './gguf/made.js'
import { KINDS, PRES } from './gguf/random-vocabularies.js'
import { digest, llamaCpp, openBytes, randomVocabulary } from './gguf/vocabularies.js'
import { Tokenizer } from './tokenizer.js'
import { randomOf } from './tokenizers/random-files.js'

const published = fileURLToPath(new URL('../../../shared/gguf', import.meta.url))
const expected = JSON.parse(readFileSync(new URL('../goldens/gguf-tokens.json', import.meta.url), 'utf8'))

/** @param {import('../../src/models/tokenizers/tokenizer.js').TextReader} reader @param {string} text */
const idsOf = (reader, text) => reader.encode(text, undefined, Infinity, false).ids

for (const name of ['bert-bge', 'deepseek-coder', 'gpt-2', 'llama-spm', 'phi-3', 'starcoder']) {
  const path = `${published}/ggml-vocab-${name}.gguf`
  const skip = existsSync(path) ? false : `${path} is not there`
  test(`${name}: the vocabulary of llama.cpp gives its ids for 47 texts`, { skip }, async () => {
    const reader = await openBytes(new Uint8Array(readFileSync(path)))
    const texts = readFileSync(`${path}.inp`, 'utf8').split('\n__ggml_vocab_test__\n')
    const lines = readFileSync(`${path}.out`, 'utf8').split('\n')
    assert.equal(texts.length, 47)
    for (const [n, text] of texts.entries())
      assert.deepEqual(idsOf(reader, text), lines[n].split(' ').filter(Boolean).map(Number), text)
  })
}

for (const kind of /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS)))
  test(`random vocabularies (${kind}) give the ids of llama.cpp`, async () => {
    const names = Object.keys(expected).filter(name => name.startsWith(`${kind} `))
    assert.ok(names.length > 3)
    for (const name of names) {
      const { bytes, texts } = randomVocabulary(kind, Number(name.split(' ')[1]))
      const reader = await openBytes(bytes)
      const [all, ...each] = expected[name]
      const ids = texts.map(text => refusable(() => idsOf(reader, text)))
      each.forEach((/** @type {string} */ want, /** @type {number} */ n) => {
        if (ids[n]) assert.equal(digest(ids[n]), want, `${name}: ${JSON.stringify(texts[n])}`)
      })
      if (ids.every(Boolean)) assert.equal(digest(ids.flat().map(Number)), all, name)
    }
  })

/** Returns the ids of a text, or undefined if it is refused. @param {() => number[]} encode */
function refusable(encode) {
  try {
    return encode()
  } catch (error) {
    assert.match(/** @type {Error} */ (error).message, /^tokenize: "▁" within a word is not covered/)
    return undefined
  }
}

test('every rule of tokenizer.ggml.pre is among the random vocabularies', () => {
  const names = Object.keys(expected).filter(name => name.startsWith('bpe '))
  const found = names.map(name =>
    new Map(randomVocabulary('bpe', Number(name.split(' ')[1])).metadata).get('tokenizer.ggml.pre'),
  )
  assert.deepEqual([...new Set(found)].sort(), [...PRES].sort())
})

test('random vocabularies give the ids of llama.cpp that is installed', async t => {
  const llama = await llamaCpp()
  if (!llama) return t.skip('node-llama-cpp is not installed')
  const [count, first] = [Number(process.env.VOCABULARIES ?? 4), Number(process.env.SEED ?? 1000)]
  for (const kind of /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS)))
    for (let seed = first; seed < first + count; seed++) {
      const { bytes, texts } = randomVocabulary(kind, seed)
      const reader = await openBytes(bytes)
      const want = await llama.idsOf(bytes, texts)
      for (const [n, text] of texts.entries()) {
        const ids = refusable(() => idsOf(reader, text))
        if (ids) assert.deepEqual(ids, want[n], `${kind} ${seed}: ${JSON.stringify(text)}`)
      }
    }
})

/** @param {keyof typeof KINDS} kind @param {Record<string, unknown>} changes @returns {Map<string, any>} metadata as read from a file */
function metadataOf(kind, changes = {}) {
  const { metadata } = randomVocabulary(kind, 1)
  const types = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array }
  const all = new Map(
    metadata.map(([key, value]) => {
      const { type, value: list } = Object(value)
      return [key, type ? types[/** @type {keyof typeof types} */ (type)].from(list) : value]
    }),
  )
  for (const [key, value] of /** @type {[string, any][]} */ (Object.entries(changes)))
    value === undefined ? all.delete(`tokenizer.${key}`) : all.set(`tokenizer.${key}`, value)
  return all
}

test('the tokens at the start and the end of a text are those of the file, or those that llama.cpp assumes', async () => {
  const tokens = async (
    /** @type {Map<string, any>} */ metadata,
    /** @type {string} */ text,
    /** @type {string} */ pair,
  ) => {
    const { ids } = (await openMetadata(metadata, Tokenizer)).encode(text, pair, Infinity, true)
    return ids.map(id => metadata.get('tokenizer.ggml.tokens')[id]).join(' ')
  }
  const spm = { 'ggml.add_space_prefix': false, 'ggml.add_bos_token': undefined }
  const one = /** @type {any} */ (undefined)
  assert.equal(await tokens(metadataOf('spm', spm), '</s>', one), '<s> </s>')
  const both = { ...spm, 'ggml.add_bos_token': false, 'ggml.add_eos_token': true }
  assert.equal(await tokens(metadataOf('spm', both), '<unk>', '<unk>'), '<unk> </s> <unk> </s>')
  assert.equal(await tokens(metadataOf('wpm'), '[MASK]', '[MASK]'), '[CLS] [MASK] [SEP] [MASK] [SEP]')
  assert.equal(await tokens(metadataOf('ugm'), '</s>', one), '</s> </s>')
  assert.equal(await tokens(metadataOf('bpe', { 'ggml.pre': 'gpt-2' }), '!', one), '!')
  assert.equal(
    await tokens(metadataOf('bpe', { 'ggml.pre': 'llama-bpe', 'ggml.bos_token_id': 2 }), '!', one),
    '\u0102 !',
  )
  const reranker = { 'ggml.add_bos_token': true, 'ggml.seperator_token_id': 0, 'ggml.bos_token_id': 2 }
  const ends = { 'ggml.pre': 'roberta-bpe', 'ggml.add_eos_token': true, 'ggml.eos_token_id': 0, ...reranker }
  assert.equal(await tokens(metadataOf('bpe', ends), '!', '!'), '\u0102 ! \u0100 \u0100 ! \u0100')
})

test('special tokens and chat templates are found by their names', async () => {
  const more = {
    chat_template: '{{ messages }}',
    chat_templates: ['tool_use'],
    'chat_template.tool_use': '{{ tools }}',
  }
  const { config } = await tokenizerOf(metadataOf('spm', more))
  assert.deepEqual(config, {
    bos_token: '<s>',
    eos_token: '</s>',
    unk_token: '<unk>',
    chat_template: [
      { name: 'default', template: '{{ messages }}' },
      { name: 'tool_use', template: '{{ tools }}' },
    ],
  })
  const { config: plain } = await tokenizerOf(metadataOf('spm', { chat_template: '{{ messages }}' }))
  assert.equal(plain.chat_template, '{{ messages }}')
})

test('a model from a GGUF file reads texts, writes them, and ends where llama.cpp does', async () => {
  const qkv = await load()
  const [llama] = MADE
  const model = await loadModel(qkv, make(llama, 'F32', randomOf(1)).gguf, { tokenizer: Tokenizer })
  const { ids, tokens } = model.tokenize('a</s>')
  assert.deepEqual(tokens, ['<s>', '<0xE2>', '<0x96>', '<0x81>', '<0x61>', '</s>'])
  assert.equal(model.decode(ids), '\u2581a') // as in llama.cpp, the bytes of U+2581 do not decode to a space
  assert.deepEqual(await model.endIds(), [2])
  for await (const { text } of model.generate('word3', { maxNewTokens: 2 })) assert.equal(typeof text, 'string')
  model.dispose()
  const ends = ['<|im_end|>', '<|endoftext|>', '<|end|>', '<|return|>', '<|call|>', 'a']
  const metadata = new Map(Object.entries({ 'tokenizer.ggml.tokens': ends, 'tokenizer.ggml.eos_token_id': 5 }))
  assert.deepEqual(endsOf(metadata).sort(), [0, 1, 3, 4, 5])
  assert.deepEqual(endsOf(new Map()), [])
})

test('ids become their text: bytes, spaces, special tokens as they are written', async () => {
  const spm = await openMetadata(metadataOf('spm', { 'ggml.add_space_prefix': true }), Tokenizer)
  for (const text of ['a b', ' a', 'й😀', '\n\n', ''])
    assert.equal(spm.decode(spm.encode(text, undefined, Infinity, true).ids, true), text)
  assert.equal(spm.decode(spm.encode('a</s>', undefined, Infinity, true).ids, false), '<s> a</s>')
  const bpe = await openMetadata(metadataOf('bpe'), Tokenizer)
  for (const text of ['Ġ a\u0301 <|é|>', '한국어']) assert.equal(bpe.decode(idsOf(bpe, text), false), text)
})

test('a vocabulary that contradicts itself, or is of another kind, is refused by its key', async () => {
  /** @type {[keyof typeof KINDS, Record<string, unknown>, RegExp][]} */
  const cases = [
    ['bpe', { 'ggml.pre': 'kimi-k2' }, /^tokenizer\.ggml\.pre: "kimi-k2" is not covered; covered: default, llama3,/],
    [
      'bpe',
      { 'ggml.pre': 'gpt-2 phi-2' },
      /^tokenizer\.ggml\.pre: "gpt-2 phi-2" is not covered; .* Open the folder of the model, with its tokenizer.json, or/,
    ],
    ['bpe', { 'ggml.merges': undefined }, /^tokenizer\.ggml\.merges: expected a list of texts, got undefined/],
    [
      'bpe',
      { 'ggml.merges': ['a \u4f60'] },
      /^tokenizer\.ggml\.merges: "a 你", whose result is no token, is not covered/,
    ],
    ['spm', { 'ggml.model': 'rwkv' }, /^tokenizer\.ggml\.model: "rwkv" is not covered; covered: llama, gpt2, bert, t5/],
    ['spm', { 'ggml.tokens': undefined }, /^tokenizer\.ggml\.tokens: expected a list of texts, got undefined/],
    ['spm', { 'ggml.tokens': ['a', 'b', 'a'] }, /^tokenizer\.ggml\.tokens: "a", which is there twice, is not covered/],
    [
      'spm',
      { 'ggml.tokens': ['a', 'b'] },
      /^tokenizer\.ggml\.tokens: a vocabulary without the byte <0x00> is not covered/,
    ],
    [
      'spm',
      { 'ggml.scores': Float32Array.of(1) },
      /^tokenizer\.ggml\.scores: expected a number for each of.*got a Float32Array of 1/,
    ],
    ['spm', { 'ggml.token_type': 'x' }, /^tokenizer\.ggml\.token_type: expected a number for each of.*got "x"/],
    ['spm', { 'ggml.add_eos_token': 1 }, /^tokenizer\.ggml\.add_eos_token: expected true or false, got 1/],
    ['spm', { 'ggml.bos_token_id': 'x' }, /^tokenizer\.ggml\.bos_token_id: expected the id of a token, got "x"/],
    [
      'ugm',
      { 'ggml.add_bos_token': true },
      /^tokenizer\.ggml\.bos_token_id: expected the id of a token, got undefined/,
    ],
    [
      'ugm',
      { 'ggml.precompiled_charsmap': Uint8Array.of(9, 9) },
      /^tokenizer\.ggml\.precompiled_charsmap: a map of 2 bytes, which are cut off,/,
    ],
  ]
  for (const [kind, changes, message] of cases)
    await assert.rejects(openMetadata(metadataOf(kind, changes), Tokenizer), { name: 'RangeError', message })
  const scores = metadataOf('spm').get('tokenizer.ggml.scores').fill(Number.NaN)
  await assert.rejects(
    openMetadata(metadataOf('spm', { 'ggml.scores': scores }), Tokenizer),
    /scores: expected a score of.*got NaN/,
  )
})

test('damaged metadata is refused by its key, or texts become ids and ids texts', async () => {
  const strange = [
    undefined,
    null,
    0,
    -1,
    1.5,
    Number.NaN,
    2 ** 40,
    '',
    'x',
    [],
    ['a', 'b c'],
    [1],
    true,
    new Uint8Array(9),
  ]
  const parts = ['', 'a', '\0', '\u2581', ' ', '##x', '\ud800', '<0x00>', '<s>']
  const kinds = /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS))
  const more = ['bos_token_id', 'unknown_token_id', 'precompiled_charsmap', 'pre', 'add_bos_token', 'fim_pad_token_id']
  let refused = 0
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomOf(seed)
    const metadata = metadataOf(random.pick(kinds))
    const key = random.pick([...metadata.keys(), ...more.map(name => `tokenizer.ggml.${name}`)])
    const list = metadata.get(key)
    if (Object(list).length && typeof list !== 'string' && random.is()) {
      const own = list.slice()
      const pick = () => (Array.isArray(own) ? random.pick(parts) : random.pick([0, -1, Number.NaN, 1e30, 3, 4, 7]))
      for (let n = 0; n < 3; n++) own[random.below(own.length)] = pick()
      metadata.set(key, random.is(0.3) ? own.slice(0, random.below(own.length)) : own)
    } else metadata.set(key, random.pick(strange))
    try {
      const reader = await openMetadata(metadata, Tokenizer)
      for (const text of ['a b <s> \u00e9', '', '\u00e9\u4f60 \0x']) {
        const { ids } = reader.encode(text, undefined, Infinity, true)
        assert.ok(ids.every(id => Number.isInteger(id) && id >= 0))
        assert.equal(typeof reader.decode(ids, true), 'string')
      }
    } catch (error) {
      refused++
      const { name, message } = /** @type {Error} */ (error)
      assert.match(`${name}: ${message}`, /^RangeError: token(izer\.|ize:)/, `${seed} ${key}`)
    }
  }
  assert.ok(refused > 60 && refused < 280, String(refused))
})
