// Models published without tokenizer.json: BERT with vocab.txt, Marian with SentencePiece files.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadModel } from '../../src/entries/models.js'
import { piecesOf, readPieces } from '../../src/models/tokenizers/sentencepiece.js'
import { goldens, qkv } from './checkpoints.js'
import { Tokenizer } from './tokenizer.js'

const bytesOf = (/** @type {string} */ path) => new Uint8Array(readFileSync(path))
const jsonOf = (/** @type {string} */ path) => JSON.parse(readFileSync(path, 'utf8'))
const sentencepiece = fileURLToPath(new URL('../goldens/sentencepiece', import.meta.url))

/** Returns the files of a golden checkpoint without its tokenizer. @param {string} name @param {Record<string, unknown>} more files */
const bare = (name, more) => ({
  ...Object.fromEntries(
    ['config.json', 'model.safetensors'].map(file => [file, bytesOf(`${goldens}/${name}/${file}`)]),
  ),
  ...Object.fromEntries(
    Object.entries(more).map(([file, text]) => [
      file,
      text instanceof Uint8Array
        ? text
        : new TextEncoder().encode(typeof text === 'string' ? text : JSON.stringify(text)),
    ]),
  ),
})
const open = (/** @type {any} */ files) => loadModel(qkv, files, { tokenizer: Tokenizer })

/** Makes the lines of vocab.txt from the tokenizer of a golden checkpoint. @param {string} name */
const vocabularyOf = name => {
  const { vocab } = jsonOf(`${goldens}/${name}/tokenizer.json`).model
  return Object.keys(vocab).sort((a, b) => vocab[a] - vocab[b])
}

for (const name of ['bert-tiny', 'distilbert-sst-tiny', 'sentence-bert-tiny'])
  test(`${name}: vocab.txt gives the ids of the native library, and all that tokenizer.json gives`, async () => {
    const lines = vocabularyOf(name)
    const model = await open(bare(name, { 'vocab.txt': `${lines.join('\n')}\n` }))
    const whole = await open(`${goldens}/${name}`)
    const cases = jsonOf(`${goldens}/${name}/expected.json`).tokenization
    assert.ok(cases.length > 5)
    for (const { text, ids } of cases) {
      assert.deepEqual(model.tokenize(text).ids, ids, text)
      assert.deepEqual(
        model.tokenize(text, { pair: 'The dog [MASK].' }),
        whole.tokenize(text, { pair: 'The dog [MASK].' }),
      )
      assert.equal(model.decode(ids), whole.decode(ids))
    }
    model.dispose()
    whole.dispose()
  })

test('tokenizer_config.json sets whether letters keep their case, and how special tokens are written', async () => {
  const name = 'bert-tiny'
  const lines = vocabularyOf(name)
  const upper = lines.map(line => (line === 'the' ? 'The' : line === '[MASK]' ? '<mask>' : line)).join('\r\n')
  const config = { do_lower_case: false, mask_token: { content: '<mask>' } }
  const model = await open(bare(name, { 'vocab.txt': upper, 'tokenizer_config.json': config }))
  const { tokens, ids } = model.tokenize('The <mask>')
  assert.deepEqual(tokens, ['[CLS]', 'The', '<mask>', '[SEP]'])
  assert.deepEqual(ids, [lines.indexOf('[CLS]'), lines.indexOf('the'), lines.indexOf('[MASK]'), lines.indexOf('[SEP]')])
  model.dispose()
  const without = { 'vocab.txt': lines.filter(line => line !== '[CLS]').join('\n') }
  await assert.rejects(open(bare(name, without)), /vocab\.txt: "\[CLS\]" is not among its 319 tokens/)
})

const marian = (/** @type {Record<string, unknown>} */ more = {}) =>
  bare('marian-tiny', {
    'source.spm': bytesOf(`${sentencepiece}/source.spm`),
    'vocab.json': bytesOf(`${sentencepiece}/vocab.json`),
    ...more,
  })

test('the SentencePiece files of Marian give the ids of transformers, and ids their text', async () => {
  const model = await open(marian())
  const cases = jsonOf(`${sentencepiece}/expected.json`)
  for (const { text, ids, tokens } of cases) {
    const found = model.tokenize(text)
    assert.deepEqual([found.tokens, found.ids], [tokens, ids], text)
  }
  const ids = jsonOf(`${sentencepiece}/vocab.json`)
  assert.equal(model.decode([ids['<pad>'], ids['▁你好'], ids.世界, ids['。'], ids['</s>']]), '你好世界。')
  assert.equal(model.decode([ids['▁Ka'], ids.to, ids['▁sol']]), 'Kato sol')
  assert.equal(model.decode([ids['▁sol']]), 'sol')
  assert.deepEqual(model.tokenize('日本 sol').ids, [ids['▁'], ids['<unk>'], ids['▁sol'], ids['</s>']])
  const [{ text }] = cases
  assert.deepEqual(model.tokenize(text, { maxLength: 3 }).ids, [...cases[0].ids.slice(0, 2), ids['</s>']])
  for await (const { rows } of model.generate(text, { maxNewTokens: 2 })) assert.equal(rows.length, 1)
  model.dispose()
})

test('a new sum of scores is compared before it is rounded to float32, as in SentencePiece 0.1.97', () => {
  const scores = Object.entries({ a: -7.122227668762207, aa: -11.959563255310059, '▁a': -4.21967077255249 })
  const pieces = new Map(scores.map(([piece, score]) => [piece, { score, isOwn: false }]))
  const own = { pieces, longest: 2, least: -13.6, most: -1, charsmap: undefined, hasPrefix: true, isTrimmed: true }
  for (const [text, places] of /** @type {const} */ ([
    ['aaaaaaaaaaaaaaaa', '2 2 2 2 2 2 2 2 1'],
    ['a'.repeat(18), '2 2 2 2 2 2 2 2 2 1'],
    ['a'.repeat(50), '2 2 2 2 2 2 2 2 2 2 1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2'],
  ]))
    assert.equal(
      piecesOf(own, text)
        .map(piece => piece.length)
        .join(' '),
      places,
    )
})

test('a file that is not a SentencePiece file, is truncated, or has pieces of another kind is refused', async () => {
  const bytes = bytesOf(`${sentencepiece}/source.spm`)
  for (const [damaged, message] of /** @type {[Uint8Array, RegExp][]} */ ([
    [bytes.subarray(0, 900), /source\.spm is no SentencePiece file: the file is cut off/],
    [new TextEncoder().encode('<html>'), /source\.spm is no SentencePiece file: field \d+ has the unknown type \d/],
    [new Uint8Array(0), /source\.spm: a file without pieces is not covered; covered: Unigram \(kind 1\)/],
  ]))
    await assert.rejects(open(marian({ 'source.spm': damaged })), message)
  // Appends trainer_spec (field 2) with model_type (field 3) = BPE (2). In protobuf, the last value of a field counts.
  const pairs = Uint8Array.from([...bytes, 0x12, 2, 0x18, 2])
  assert.throws(
    () => readPieces(pairs, 'a.spm'),
    /a\.spm: pieces of kind 2 are not covered; covered: Unigram \(kind 1\)/,
  )
  // Appends normalizer_spec (field 3) with a truncated precompiled_charsmap (field 2).
  for (const rules of [
    [1, 2],
    [8, 0, 0, 0, 1, 2, 3, 4],
    [255, 255, 255, 255],
  ]) {
    const cut = Uint8Array.from([...bytes, 0x1a, rules.length + 2, 0x12, rules.length, ...rules])
    assert.throws(() => readPieces(cut, 'a.spm'), /^Error: a\.spm is no SentencePiece file: /)
  }
  assert.deepEqual(piecesOf(readPieces(bytes, 'a.spm'), 'Kato'), ['▁Ka', 'to'])
})

test('without any of these files a text is refused, and the error says how to make tokenizer.json', async () => {
  const model = await open(bare('bert-tiny', {}))
  assert.throws(() => model.tokenize('a'), /AutoTokenizer\.from_pretrained\(FOLDER\)\.save_pretrained\(FOLDER\)/)
  model.dispose()
})
