// Named entities: groups as in the pipeline of transformers, and the offsets of tokens.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Tokenizer as Rust } from '@anush008/tokenizers'
import { loadModel, readSafetensors, saveModel } from '../../src/entries/models.js'
import { aggregate } from '../../src/models/classes/entities.js'
import { goldens, qkv } from './checkpoints.js'
import { Tokenizer } from './tokenizer.js'

test('tokens become words and names as in the pipeline of transformers, by every strategy', () => {
  const { labels, cases } = JSON.parse(readFileSync(new URL('../goldens/entities.json', import.meta.url), 'utf8'))
  const join = (/** @type {string[]} */ words) => words.join(' ').replaceAll(' ##', '')
  let many = 0
  for (const [n, { tokens, made }] of cases.entries())
    for (const [strategy, want] of Object.entries(made)) {
      const given = tokens.map((/** @type {any} */ token) => ({ ...token, id: 0, isSubword: token.is_subword }))
      const got = aggregate(given, /** @type {any} */ (strategy), labels, join)
      const note = `case ${n}, ${strategy}`
      const plain = (/** @type {any} */ { label, word, start, end }) => [label, word, start, end]
      assert.deepEqual(
        got.map(plain),
        want.map((/** @type {any} */ one) => plain({ ...one, label: one.entity ?? one.entity_group })),
        note,
      )
      got.forEach(({ score }, i) => {
        assert.ok(Math.abs(score - want[i].score) < 2e-6, note)
        many++
      })
    }
  assert.ok(many > 300, String(many))
})

/** Returns the files of a text classifier. With the change OF_TOKENS, they are those of a token classifier. @param {object} [change] keys of config.json */
const files = change => {
  const read = (/** @type {string} */ file) => new Uint8Array(readFileSync(`${goldens}/distilbert-sst-tiny/${file}`))
  const config = JSON.parse(new TextDecoder().decode(read('config.json')))
  return {
    'config.json': new TextEncoder().encode(JSON.stringify({ ...config, ...change })),
    'model.safetensors': read('model.safetensors'),
    'tokenizer.json': read('tokenizer.json'),
  }
}
const OF_TOKENS = { architectures: ['DistilBertForTokenClassification'], id2label: { 0: 'O', 1: 'B-PER' } }

test('entities of a text lie at their places, special tokens are left out', async () => {
  const model = await loadModel(qkv, files(OF_TOKENS), { tokenizer: Tokenizer })
  const text = 'The cat  and the Dog, \u00e9t\u00e9.'
  const all = await model.entities(text, { aggregation: 'none', ignore: [] })
  const { tokens, ids } = model.tokenize(text)
  assert.deepEqual(
    all.map(({ word }) => word),
    tokens.slice(1, -1),
  )
  assert.equal(all.length, ids.length - 2)
  for (const { word, start, end } of all) {
    if (start === undefined || end === undefined) continue
    const written = text.slice(start, end).toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
    assert.equal(written, word.replace(/^##/, '').toLowerCase())
  }
  const rust = Rust.fromString(readFileSync(`${goldens}/distilbert-sst-tiny/tokenizer.json`, 'utf8'))
  for (const each of [
    text,
    'Angela Merkel lives in Berlin; "John O\u2019Neil" (CEO) said: 1,234.5!',
    '\u65e5\u672c\u8a9e text \u{1f600} nai\u0308ve',
  ]) {
    const encoded = await rust.encode(each, null, { addSpecialTokens: true })
    const at = (/** @type {number} */ n) => [...each].slice(0, n).join('').length
    const want = encoded
      .getOffsets()
      .slice(1, -1)
      .map(([from, to]) => [at(from), at(to)])
    const got = await model.entities(each, { aggregation: 'none', ignore: [] })
    assert.deepEqual(
      got.map(({ start, end }) => [start, end]),
      want,
      each,
    )
  }
  const { scores } = await model.classify(text)
  assert.equal(all[0].score, Math.max(...scores.row(0).row(1).data))
  for (const aggregation of /** @type {const} */ (['simple', 'first', 'average', 'max'])) {
    const found = await model.entities(text, { aggregation })
    assert.ok(found.every(({ label, score }) => label !== 'O' && score > 0 && score <= 1))
  }
  await assert.rejects(
    model.entities(text, /** @type {any} */ ({ aggregation: 'mean' })),
    /entities: aggregation: expected .*got "mean"/,
  )
  model.dispose()
  const other = await loadModel(qkv, files(), { tokenizer: Tokenizer })
  await assert.rejects(other.entities(text), /has no classes of tokens; classify gives those of a text/)
  other.dispose()
})

/** Size of the largest vocabulary below. */
const MOST = 440

/**
 * Returns the entities of a text by the rules of the pipeline (pipelines/token_classification.py), with offsets and decoder of the Rust library.
 * @param {Rust} rust
 * @param {any[]} tokens with word, start, end, isSubword and the best label
 * @param {boolean} isOfWords true to join subwords to words first
 */
function pipeline(rust, tokens, isOfWords) {
  const join = (/** @type {string[]} */ words) => rust.getDecoder()?.decode(words) ?? words.join(' ')
  /** @type {any[][]} */
  const words = []
  for (const token of tokens)
    if (isOfWords && token.isSubword && words.length) words[words.length - 1].push(token)
    else words.push([token])
  const labelled = words.map(word => ({
    label: word[0].label,
    word: isOfWords ? join(word.map(token => token.word)) : word[0].word,
    start: word[0].start,
    end: word[word.length - 1].end,
  }))
  /** @type {(typeof labelled)[]} */
  const groups = []
  for (const one of labelled)
    if (
      groups.length &&
      !one.label.startsWith('B-') &&
      groups[groups.length - 1][0].label.slice(2) === one.label.slice(2)
    )
      groups[groups.length - 1].push(one)
    else groups.push([one])
  return groups.map(group => [
    group[0].label.slice(2),
    join(group.map(({ word }) => word)),
    group[0].start,
    group[group.length - 1].end,
  ])
}

test('words of entities are decoded as in the pipeline, and a text that is too long is cut', async () => {
  const weights = await readSafetensors(files()['model.safetensors'])
  weights['distilbert.embeddings.word_embeddings.weight'] = qkv.generator(5).randn([MOST, 48])
  const config = JSON.parse(new TextDecoder().decode(files(OF_TOKENS)['config.json']))
  const labels = ['I-PER', 'B-LOC']
  const made = await saveModel({ config: { ...config, vocab_size: MOST, id2label: { ...labels } }, tensors: weights })
  const texts = [
    'The cat and the dog, \u00e9t\u00e9 in Berlin',
    'Once upon a time in New York there was a caf\u00e9.',
    'caf\u00e9 \u65e5\u672c\u8a9e the [UNK] <unk> cat \u4e2d',
    'a [SEP] b </s> c',
    '[CLS]',
    'Tom\u3000\u{1f44d}\u{1f3fd}\nU.S.\u00a0x\u00b2 a\u200bb \u00ad \u20a4 \u2026 \ufb01ne \u00df\u0130x',
    '\u0939\u093f\u0928\u094d\u0926\u0940 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0000 \u001c \ufffd x',
    'cafe\u0301\u3000\u1100\u1161\u11a8 the',
    'the the the the the the the the the the the the',
  ]
  let many = 0
  for (const folder of ['distilbert-sst-tiny', 'bart-tiny', 't5-tiny', 'gemma2-tiny', 'qwen3-tiny-bf16']) {
    const json = readFileSync(`${goldens}/${folder}/tokenizer.json`, 'utf8')
    for (const [most, side] of /** @type {[number, 'left' | 'right'][]} */ ([
      [64, 'right'],
      [8, 'right'],
      [8, 'left'],
    ])) {
      const rust = Rust.fromString(json)
      rust.setTruncation(most, { direction: side })
      const unk = folder === 'distilbert-sst-tiny' ? '[UNK]' : '<unk>'
      const settings = {
        model_max_length: most,
        truncation_side: side,
        ...(rust.tokenToId(unk) !== null && { unk_token: unk }),
      }
      const model = await loadModel(qkv, {
        ...made,
        'tokenizer.json': new TextEncoder().encode(json),
        'tokenizer_config.json': new TextEncoder().encode(JSON.stringify(settings)),
      })
      for (const text of texts) {
        const encoded = await rust.encode(text, null, { addSpecialTokens: true })
        const { ids } = model.tokenize(text, { truncation: true })
        assert.deepEqual(ids, encoded.getIds())
        const { scores } = await model.classify({ ids })
        const special = encoded.getSpecialTokensMask()
        const signs = [...text]
        const given = encoded.getOffsets().flatMap(([start, end], n) => {
          if (special[n]) return []
          const own = signs.slice(start, end)
          const name = rust.idToToken(ids[n]) ?? ''
          const isUnknown = name === unk
          const isSubword = folder.startsWith('distil')
            ? [...name].length !== own.length
            : start > 0 && !signs.slice(start - 1, start + 1).includes(' ')
          const at = (/** @type {number} */ sign) => signs.slice(0, sign).join('').length
          const label = labels[scores.at(0, n, 1) > scores.at(0, n, 0) ? 1 : 0]
          const word = isUnknown ? own.join('') : name
          return [{ word, start: at(start), end: at(end), isSubword: isSubword && !isUnknown, label }]
        })
        for (const aggregation of /** @type {const} */ (['simple', 'first'])) {
          const want = pipeline(rust, given, aggregation === 'first').map(([label, word, from, end]) => {
            let start = from // moves behind a leading space of the token
            while (start < end && text[start] === ' ') start++
            return [label, word, start, end]
          })
          const got = await model.entities(text, { aggregation })
          const note = `${folder}, ${most} ${side}, ${aggregation}: ${text}`
          assert.deepEqual(
            got.map(({ label, word, start, end }) => [label, word, start, end]),
            want,
            note,
          )
          many += want.length
        }
      }
      model.dispose()
    }
  }
  assert.ok(many > 200, String(many))
})
