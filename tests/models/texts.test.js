// Tests how a model truncates, pads, decodes and embeds texts. goldens.test.js checks the ids and embeddings themselves.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { backwardSync, recordRun, scoreAttribution } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const open = (/** @type {string} */ name) => loadModel(qkv, `${folder}/${name}`, { tokenizer: Tokenizer })
const bert = await open('bert-tiny')
const gpt2 = await open('gpt2-tiny')
const sentences = await open('sentence-bert-tiny')
const models = [bert, gpt2, sentences]
after(() => {
  for (const model of models) model.dispose()
  assert.equal(qkv.memory.resident, 0)
})
const text = 'The river was slow, and the cat sat at the door.'

test('a text is accepted in place of ids, wherever a model runs; without a tokenizer the error has the way out', async () => {
  const plain = await loadModel(qkv, `${folder}/gpt2-tiny`, { tokenizer: false })
  const { ids } = gpt2.tokenize(text)
  const of = { logits: [{ position: -1, token: 7 }] }
  const asked = { layer: 1, head: 2, query: -1, key: 3 }
  /** @type {((model: typeof gpt2, input: string | { ids: number[] }) => unknown)[]} */
  const calls = [
    (model, input) => model.forwardSync(input).logits?.data,
    async (model, input) => (await model.forward(input)).logits?.data,
    async (model, input) => (await model.logitAttribution(input)).heads.data,
    (model, input) => backwardSync(model, input, { of, at: ['embedding'] }).gradients.embedding.data,
    async (model, input) => (await scoreAttribution(model, input, asked)).terms.data,
    async (model, input) => (await scoreAttribution(model, await recordRun(model, input), asked)).terms.data,
  ]
  for (const call of calls) {
    const [a, b] = [await call(gpt2, text), await call(gpt2, { ids })]
    assert.ok(/** @type {Float32Array} */ (a).length > 0)
    assert.deepEqual(a, b)
    await assert.rejects(async () => call(plain, text), /loaded without a tokenizer: give ids/)
  }
  plain.dispose()
  assert.deepEqual(bert.forwardSync(text).logits?.data, bert.forwardSync(bert.tokenize(text)).logits?.data)
})

test('a text is truncated to maxLength ids: its end is dropped, special tokens stay', () => {
  const { ids, tokens } = bert.tokenize(text)
  const cut = bert.tokenize(text, { maxLength: 6 })
  assert.deepEqual(cut.ids, [...ids.slice(0, 5), ids[ids.length - 1]])
  assert.deepEqual(cut.tokens, [...tokens.slice(0, 5), '[SEP]'])
  assert.deepEqual(bert.tokenize(text, { maxLength: 500 }).ids, ids)
  assert.deepEqual(bert.tokenize(text, { maxLength: 6, truncation: false }).ids, ids)
  const plain = gpt2.tokenize(text).ids
  assert.deepEqual(gpt2.tokenize(text, { maxLength: 3 }).ids, plain.slice(0, 3))
})

test('truncation without maxLength cuts to the positions of the model, so that forward takes the ids', () => {
  const long = bert.tokenize(text.repeat(30), { truncation: true })
  assert.equal(long.ids.length, bert.config.max_position_embeddings)
  assert.equal(bert.forwardSync(long, { logits: 'none' }).lastHiddenState.dims[1], long.ids.length)
})

test('of a pair the longer text is cut first, and the types of the tokens are cut with it', () => {
  const whole = bert.tokenize(text, { pair: 'The cat.' })
  const second = bert.tokenize('The cat.').ids.slice(1)
  const cut = bert.tokenize(text, { pair: 'The cat.', maxLength: whole.ids.length - 4 })
  assert.deepEqual(cut.ids.slice(-second.length), second)
  assert.equal(cut.ids.filter(id => id === whole.ids[whole.ids.length - 1]).length, 2) // both [SEP] are kept
  assert.deepEqual(cut.tokenTypeIds, [...whole.ids.slice(0, -second.length - 4).map(() => 0), ...second.map(() => 1)])
  const tight = bert.tokenize(text, { pair: text, maxLength: 3 })
  assert.deepEqual(tight.tokens, ['[CLS]', '[SEP]', '[SEP]'])
  assert.throws(
    () => bert.tokenize(text, { pair: text, maxLength: 2 }),
    /tokenize: maxLength 2 is less than the special tokens of a text/,
  )
  assert.throws(() => bert.tokenize(text, { pair: text, maxLength: 0 }), /tokenize: maxLength: .*got 0/)
  assert.throws(() => bert.tokenize(text, /** @type {any} */ ({ max: 3 })), /tokenize: .*max/)
})

test('padded makes one input of several texts, each of which has the numbers that it has alone', async () => {
  for (const model of [bert, gpt2]) {
    const texts = ['The cat sat.', text]
    const batch = model.padded(texts)
    const { logits } = model.forwardSync(batch)
    for (const [b, one] of texts.entries()) {
      const alone = model.forwardSync(model.tokenize(one)).logits ?? assert.fail()
      const [, L] = alone.dims
      const first = model === gpt2 ? batch.ids[b].length - L : 0
      const rows = logits?.row(b).data.subarray(first * alone.dims[2], (first + L) * alone.dims[2]) ?? []
      rows.forEach((value, n) => {
        if (!(Math.abs(value - alone.data[n]) <= 1e-4)) assert.fail(`${value} for ${alone.data[n]}`)
      })
    }
  }
  const pairs = bert.padded([['The cat.', 'It sat.'], bert.tokenize(text)])
  assert.equal(pairs.tokenTypeIds?.[0].includes(1), true)
  assert.equal(pairs.tokenTypeIds?.[1].includes(1), false)
  assert.throws(() => bert.padded([]), /padded: expected a list of at least one text, got an array of 0/)
  assert.throws(
    () => bert.padded(/** @type {any} */ ([5])),
    /padded: texts\[0\]: expected a text, a pair of texts or \{ ids \}, got 5/,
  )
  assert.throws(
    () => bert.padded(/** @type {any} */ ([['a', 'b', 'c']])),
    /padded: texts\[0\]: expected a text, a pair of texts or \{ ids \}, got an array of 3/,
  )
  assert.throws(() => bert.decode([1e9]), /^RangeError: decode: ids\[0\]: .*got 1000000000/)
  await assert.rejects(() => bert.headScores([1e9]), /^RangeError: headScores: ids\[0\]: .*got 1000000000/)
})

test('a text does not begin with the space before its first word, unless the decoder keeps it', async () => {
  const marian = await open('marian-tiny')
  models.push(marian)
  for (const [model, space] of /** @type {const} */ ([
    [gpt2, ' '],
    [marian, ''],
  ])) {
    const { ids, tokens } = model.tokenize('the cat sat')
    const at = tokens.findIndex((token, n) => n > 0 && /^[\u0120\u2581]\w/.test(token))
    assert.equal(model.decode([ids[at]]), tokens[at].replace(/^./, space))
    assert.equal(model.decode(ids), 'the cat sat')
  }
})

test('special tokens are left out of a text, or kept', () => {
  const { ids } = bert.tokenize('a cat')
  assert.equal(bert.decode(ids), 'a cat')
  assert.equal(bert.decode(ids, { skipSpecialTokens: false }), '[CLS] a cat [SEP]')
  assert.throws(() => bert.decode(ids, /** @type {any} */ ({ skip: true })), /decode: .*skip/)
})

const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'modules.json', 'sentence_bert_config.json']
const all = [...names, 'config_sentence_transformers.json', '1_Pooling/config.json']
const root = `${folder}/sentence-bert-tiny`

test('embeddings are the same from a path, a server, files and bytes; a server is asked for modules only when they are needed', async () => {
  assert.deepEqual(readdirSync(root).length > names.length, true)
  const want = await sentences.embed(['The cat.', text])
  assert.deepEqual([...want.dims], [2, 48])
  assert.ok(Math.abs(Math.hypot(...want.row(0).data) - 1) < 1e-6)
  /** @type {string[]} */
  const asked = []
  let isDown = false
  const server = createServer((request, response) => {
    asked.push(String(request.url))
    try {
      if (isDown) response.writeHead(503).end()
      else response.end(readFileSync(root + request.url))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const bytes = Object.fromEntries(all.map(name => [name, new Uint8Array(readFileSync(`${root}/${name}`))]))
  const files = all.map(name => {
    const file = new File([bytes[name]], name.split('/').pop() ?? '')
    Object.defineProperty(file, 'webkitRelativePath', { value: `sentence-bert-tiny/${name}` })
    return file
  })
  for (const source of [`http://127.0.0.1:${port}`, bytes, files]) {
    const model = await loadModel(qkv, /** @type {any} */ (source), { tokenizer: Tokenizer })
    assert.equal(asked.length > 0, typeof source === 'string')
    assert.equal(asked.filter(url => /modules/.test(url)).length, 0)
    isDown = true
    if (typeof source === 'string') await assert.rejects(model.embed('The cat.'), /answers 503/)
    isDown = false
    asked.length = 0
    assert.deepEqual((await model.embed(['The cat.', text])).data, want.data)
    const requests = asked.length
    await model.embed(text)
    assert.equal(asked.length, requests)
    asked.length = 0
    model.dispose()
  }
  server.close()
})

test('pooling and length are options; a folder without modules needs them', async () => {
  await assert.rejects(bert.embed('a'), /embed: this folder has no modules\.json .* say \{ pooling: 'mean_tokens' \}/)
  const ids = bert.tokenize('The cat.')
  const { lastHiddenState } = bert.forwardSync(ids, { logits: 'none' })
  const first = await bert.embed('The cat.', { pooling: 'cls_token' })
  assert.deepEqual(first.data, lastHiddenState.row(0).row(0).data)
  const last = await bert.embed('The cat.', { pooling: 'lasttoken' })
  assert.deepEqual(last.data, lastHiddenState.row(0).row(-1).data)
  const unit = await bert.embed('The cat.', { pooling: 'max_tokens', normalize: true })
  assert.ok(Math.abs(Math.hypot(...unit.data) - 1) < 1e-6)
  const without = await sentences.embed('The cat.', { hooks: { 'layers.1.heads.0': 0 } })
  assert.notDeepEqual(without.data, (await sentences.embed('The cat.')).data)
  const [spaced, plain] = await Promise.all(
    [' The cat.\n', 'The cat.'].map(one => gpt2.embed(one, { pooling: 'mean_tokens' })),
  )
  assert.notDeepEqual(spaced, plain) // sentence-transformers keeps white space since 5.4
  await assert.rejects(bert.embed('a', /** @type {any} */ ({ pooling: 'middle' })), /embed: pooling/)
  await assert.rejects(bert.embed([]), /embed: expected a text or a list of at least one text, got an array of 0/)
})

test('several poolings are concatenated in the order of sentence-transformers, those that are true in a file', async () => {
  const bytes = Object.fromEntries(all.map(name => [name, new Uint8Array(readFileSync(`${root}/${name}`))]))
  const json = { word_embedding_dimension: 48, pooling_mode_lasttoken: true, pooling_mode_cls_token: true }
  const files = { ...bytes, '1_Pooling/config.json': new TextEncoder().encode(JSON.stringify(json)) }
  const model = await loadModel(qkv, /** @type {any} */ (files), { tokenizer: Tokenizer })
  models.push(model)
  const { data } = await model.embed(text, { normalize: false })
  const parts = await Promise.all(
    /** @type {const} */ (['cls_token', 'lasttoken']).map(pooling => model.embed(text, { pooling, normalize: false })),
  )
  assert.deepEqual(
    [...data],
    parts.flatMap(part => [...part.data]),
  )
})

test('a pair with odd room keeps one id more of the text that was longer, of equal texts the second, as in tokenizers', () => {
  const words = (/** @type {number} */ n) => Array.from({ length: n }, () => 'the').join(' ')
  for (const [first, second, want] of /** @type {[number, number, number[]][]} */ ([
    [8, 4, [4, 3]],
    [4, 4, [3, 4]],
    [4, 8, [3, 4]],
  ])) {
    const { ids, tokens } = bert.tokenize(words(first), { pair: words(second), maxLength: 7 + 3 })
    assert.equal(ids.length, 10)
    const end = tokens.indexOf('[SEP]')
    assert.deepEqual([end - 1, tokens.length - end - 2], want)
  }
})

test('modules that are not covered close embed alone: the error names the file', async () => {
  const bytes = Object.fromEntries(all.map(name => [name, new Uint8Array(readFileSync(`${root}/${name}`))]))
  const encode = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json))
  const modules = JSON.parse(readFileSync(`${root}/modules.json`, 'utf8'))
  const pooling = JSON.parse(readFileSync(`${root}/1_Pooling/config.json`, 'utf8'))
  const dense = { type: 'sentence_transformers.models.Dense', path: '3_Dense' }
  for (const [name, json, message] of /** @type {[string, unknown, RegExp][]} */ ([
    ['modules.json', [], /^modules\.json: {2}are not covered; covered: Transformer, Pooling, then/],
    ['modules.json', {}, /^modules\.json: expected a list of modules, got an empty object/],
    ['modules.json', [...modules, { ...dense, type: 'own.Dense' }], /^modules\.json: "own\.Dense" is not covered/],
    [
      'modules.json',
      [...modules, { ...dense, type: 'sentence_transformers.models.LSTM' }],
      /models\.LSTM" is not covered/,
    ],
    ['modules.json', [...modules, dense], /^3_Dense\/config\.json is missing, which modules\.json lists/],
    ['modules.json', [modules[0], { ...modules[1], path: '../1_Pooling' }], /"\.\.\/1_Pooling" is no name of a folder/],
    ['1_Pooling/config.json', { ...pooling, odd: 1 }, /^1_Pooling\/config\.json: not covered: odd = 1/],
    [
      '1_Pooling/config.json',
      { pooling_mode: 'middle' },
      /^1_Pooling\/config\.json: pooling_mode "middle" is not covered/,
    ],
    [
      '2_Normalize/config.json',
      { module_input_name: 'token_embeddings' },
      /^2_Normalize\/config\.json: module_input_name "token/,
    ],
    [
      'sentence_bert_config.json',
      { max_seq_length: 'all' },
      /^sentence_bert_config\.json: max_seq_length: .*got "all"/,
    ],
    [
      'sentence_bert_config.json',
      { tokenizer_args: { padding_side: 'left' } },
      /tokenizer_args\.padding_side "left" is not covered/,
    ],
    [
      'config_sentence_transformers.json',
      { default_prompt_name: 'q', prompts: {} },
      /there is no prompt "q" among query, document/,
    ],
  ])) {
    const files = { ...bytes, [name]: encode(json) }
    const model = await loadModel(qkv, /** @type {any} */ (files), { tokenizer: Tokenizer })
    models.push(model)
    await assert.rejects(model.embed('The cat.'), { message }, name)
    assert.equal(model.forwardSync('The cat.').lastHiddenState.dims[0], 1)
  }
})
