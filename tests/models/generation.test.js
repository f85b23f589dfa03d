// The generation settings of a folder: the rules of transformers' logits processors, and which file takes precedence.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadModel } from '../../src/entries/models.js'
import { choose } from '../../src/models/generate/generation.js'
import { applyRules, readSettings } from '../../src/models/generate/generation-settings.js'
import { goldens, qkv } from './checkpoints.js'

/** @param {string} name */
const golden = name => JSON.parse(readFileSync(new URL(`../goldens/${name}`, import.meta.url), 'utf8'))
const text = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json))

test('rules and sampling change logits as the processors of transformers do', () => {
  const cases = golden('generation-rules.json')
  assert.ok(cases.length > 100)
  for (const [n, { ids, made, most, scores, config, sampling, changed, allowed }] of cases.entries()) {
    const own = readSettings(config, 'generation_config.json', scores.length)
    const logits = Float32Array.from(scores)
    const at = { sequence: ids, made, isLast: made + 1 === most, stopIds: own.stopIds }
    applyRules(logits, { ...own.rules, penalty: own.repetitionPenalty }, at)
    const want = Float32Array.from(changed, value => value ?? -Infinity)
    assert.deepEqual(logits, want, `case ${n}: ${JSON.stringify(config)}`)
    const cut = readSettings({ top_k: 0, ...sampling, do_sample: true }, '', scores.length)
    const drawn = new Set(Array.from({ length: 4000 }, (_, i) => choose(logits, cut, () => i / 4000).id))
    // Which of several equal logits topP keeps depends on the sort, so compare values instead of ids.
    const values = (/** @type {Iterable<number>} */ list) => Array.from(list, id => want[id]).sort((a, b) => b - a)
    const [most1, ...rest] = values(allowed)
    const isFound = Math.exp(((rest.at(-1) ?? most1) - most1) / cut.temperature) > 5e-3 // likely enough that 4,000 samples contain all of them
    const [found, right] = [values(drawn), values(allowed)]
    const note = `case ${n}: ${JSON.stringify(sampling)}`
    if (isFound) assert.deepEqual(found, right, note)
    else
      assert.ok(
        found.every(value => right.includes(value)),
        note,
      )
  }
})

const config = JSON.parse(readFileSync(`${goldens}/llama-linear-made/config.json`, 'utf8'))
const weights = new Uint8Array(readFileSync(`${goldens}/llama-linear-made/model.safetensors`))
/** Returns the ids that a folder generates. @param {object | undefined} generation @param {object} [change] of config.json @param {object} [options] */
async function made(generation, change = {}, options = {}) {
  const files = { 'config.json': text({ ...config, ...change }), 'model.safetensors': weights }
  const model = await loadModel(qkv, generation ? { ...files, 'generation_config.json': text(generation) } : files)
  const ids = []
  try {
    for await (const { id } of model.generate([5, 9, 3], { maxNewTokens: 5, ...options })) ids.push(id)
  } finally {
    model.dispose()
  }
  return ids
}

test('generation_config.json wins over config.json; ends may be a list, and ids that no token has end nothing', async () => {
  const plain = await made(undefined, { eos_token_id: null })
  assert.equal(plain.length, 5)
  const [, , third] = plain
  const until = plain.indexOf(third) + 1
  assert.deepEqual(await made(undefined, { eos_token_id: third }), plain.slice(0, until))
  assert.deepEqual(await made({ eos_token_id: [config.vocab_size, third] }), plain.slice(0, until))
  assert.deepEqual(await made({ eos_token_id: -1 }, { eos_token_id: third }), plain)
  assert.deepEqual(await made({}, { eos_token_id: third }), plain, 'the file without the key: no end')
  assert.deepEqual(await made({ eos_token_id: third }, {}, { stopIds: [] }), plain)
  assert.deepEqual(
    await made({ max_new_tokens: 2 }, { eos_token_id: null }, { maxNewTokens: undefined }),
    plain.slice(0, 2),
  )
})

test('greedy is the default unless do_sample is true; options win, and followConfig: false leaves all but the ends', async () => {
  const greedy = await made({})
  assert.deepEqual(await made({ temperature: 9, top_k: 0, top_p: 0.9 }), greedy)
  const sampled = await made({ do_sample: true, temperature: 9, top_k: 0 }, {}, { seed: 3 })
  assert.notDeepEqual(sampled, greedy)
  assert.deepEqual(await made({}, {}, { temperature: 9, seed: 3 }), sampled)
  assert.deepEqual(await made({ do_sample: true, temperature: 9 }, {}, { temperature: 0 }), greedy)
  assert.deepEqual(await made({ do_sample: true, top_k: 1, temperature: 9 }), greedy)
  assert.deepEqual(await made({ do_sample: true, temperature: 9 }, {}, { followConfig: false }), greedy)
  const [first] = greedy
  assert.ok(!(await made({ bad_words_ids: [[first]] })).includes(first))
  assert.deepEqual(await made({ bad_words_ids: [[first]] }, {}, { followConfig: false }), greedy)
  for (const key of ['guidance_scale', 'sequence_bias', 'typical_p', 'stop_strings'])
    await assert.rejects(
      made({ do_sample: true, [key]: 0.5 }),
      new RegExp(`generate: generation_config\\.json: ${key} 0\\.5 not covered: \\{ followConfig: false \\}`),
    )
  await assert.rejects(
    made({ top_p: 2 }),
    /generation_config\.json: top_p: expected a finite number from 0 to 1, got 2/,
  )
})

test('logits of which none can be chosen, and functions that return a promise, are refused', async () => {
  const model = await loadModel(qkv, `${goldens}/gpt2-tiny`, { tokenizer: false })
  for (const [logits, message] of /** @type {[(list: Float32Array) => any, RegExp][]} */ ([
    [list => list.fill(-Infinity), /all logits of the next id are -Infinity, so none can be chosen/],
    [list => list.fill(Number.NaN, 7, 8), /a logit of the next id is NaN, so none can be chosen/],
    [async () => {}, /generate: logits: the function returned a promise, which nothing waits for/],
  ]))
    for (const options of [{ temperature: 0 }, { temperature: 1 }, { numBeams: 3 }])
      await assert.rejects(model.generate([5, 9], { logits, ...options }).next(), message)
  model.dispose()
})

test('a text ends before the first stop text, of which no part is given out', async () => {
  const model = await loadModel(qkv, fileURLToPath(new URL('../../web/trained/stories', import.meta.url)))
  const prompts = [
    'Lily and Tom are friends. Is he',
    'Once upon a time there was a cat. The cat',
    'Tom has a red ball. Tom',
  ]
  const settings = { maxNewTokens: 12, temperature: 1.5 }
  for (let seed = 0; seed < 40; seed++) {
    /** @param {object} options @param {string | string[]} prompt */
    const rows = async (options, prompt) => {
      const texts = ['', '', '']
      const steps = []
      for await (const { rows } of model.generate(prompt, { ...settings, seed, ...options })) {
        for (const [n, { text }] of rows.entries()) texts[n] += text
        steps.push(rows)
      }
      return { texts, steps }
    }
    const { texts: whole } = await rows({}, prompts)
    const at = seed % 3
    const from = (seed * 7) % 20
    const stop = [whole[at].slice(from, from + 1 + (seed % 5)) || '.', 'no such text']
    const { texts, steps } = await rows({ stop }, prompts)
    for (const [n, text] of texts.entries()) {
      const end = whole[n].indexOf(stop[0])
      assert.equal(text, end < 0 ? whole[n] : whole[n].slice(0, end), JSON.stringify(stop[0]))
    }
    if (texts.every((text, n) => text !== whole[n])) assert.ok(steps.at(-1)?.every(row => row.isDone))
  }
  // The stop text is only searched for in the generated text, not in the prompt.
  const words = []
  for await (const { text } of model.generate(prompts[0], { maxNewTokens: 4, stop: 'friends' })) words.push(text)
  assert.equal(words.join(''), ' tom? yes.')
  const found = []
  for await (const { text } of model.generate(prompts[0], { maxNewTokens: 8, stop: '?', numBeams: 3 })) found.push(text)
  assert.equal(found.join(''), ' tom')
  model.dispose()
})

test('firstToken is the first token of an encoder-decoder, as forced_bos_token_id of the folder is', async () => {
  const files = (/** @type {string} */ path) =>
    readFileSync(new URL(`../../web/trained/translation/${path}`, import.meta.url))
  const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json']
  const folder = Object.fromEntries(names.map(name => [name, new Uint8Array(files(name))]))
  const plain = await loadModel(qkv, folder)
  const [id] = plain.tokenize('红', { addSpecialTokens: false }).ids
  const forced = await loadModel(qkv, {
    ...folder,
    'generation_config.json': text({ forced_bos_token_id: id, eos_token_id: 1, decoder_start_token_id: 0 }),
  })
  const read = async (/** @type {typeof plain} */ model, /** @type {object} */ options) => {
    /** @type {number[]} */
    let ids = []
    for await (const step of model.generate('the cat sees the dog', { maxNewTokens: 6, ...options })) ids = step.ids
    return ids
  }
  for (const numBeams of [1, 3]) {
    const wanted = await read(forced, { numBeams })
    assert.equal(wanted[1], id)
    assert.deepEqual(await read(plain, { numBeams, firstToken: id }), wanted)
    assert.deepEqual(await read(plain, { numBeams, firstToken: '红' }), wanted)
    assert.notDeepEqual(await read(plain, { numBeams }), wanted)
  }
  await assert.rejects(read(plain, { firstToken: '红 红' }), /generate: firstToken: expected a text that is one token/)
  await assert.rejects(read(plain, { firstToken: 1e6 }), /generate: firstToken: expected a whole number from 0 to 130/)
  for (const model of [plain, forced]) model.dispose()
})
