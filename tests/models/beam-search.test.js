// Beam search compared with transformers: without a cache, with every kind of cache, and with the generation settings of a folder.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { searchBeams } from '../../src/models/generate/beam-search.js'
import { applyRules, readSettings } from '../../src/models/generate/generation-settings.js'
import { goldens, near, open, qkv } from './checkpoints.js'

/** @import { Model } from '../../src/entries/models.js' */

test('random tables of logits give the sequences and scores of transformers', async () => {
  const cases = JSON.parse(readFileSync(new URL('../goldens/beam-search.json', import.meta.url), 'utf8'))
  assert.equal(cases.length, 120)
  for (const { rows, prompt, most, config, ids, score } of cases) {
    const last = rows.at(-1)
    const { stopIds, rules, repetitionPenalty: penalty, ...settings } = readSettings(config, '', last.length)
    const row = (/** @type {number[]} */ made) => {
      const ids = [...prompt, ...made]
      return { data: Float32Array.from(rows[ids.at(-1)], (x, id) => x + ids.length * 0.1 * last[id]) }
    }
    const run = {
      step: async (/** @type {number[][]} */ made) => ({ logits: { row: (/** @type {number} */ b) => row(made[b]) } }),
      select() {},
      async rest() {},
    }
    const change = (/** @type {Float32Array} */ logits, /** @type {number[]} */ sequence, /** @type {number} */ made) =>
      applyRules(logits, { ...rules, penalty }, { sequence, made, isLast: made + 1 === most, stopIds })
    const isEnd = (/** @type {readonly number[]} */ made) => stopIds.includes(made[made.length - 1])
    const options = { ...settings, numEnds: stopIds.length, most, isEnd, renormalizes: rules.renormalizes }
    const found = await searchBeams(/** @type {any} */ (run), options, prompt, change)
    assert.deepEqual(found.ids, ids, JSON.stringify(config))
    near(found.score, score, JSON.stringify(config), 1e-5 * Math.max(1, Math.abs(score)))
  }
})

/** Generates the ids of each prompt. @param {Model} model @param {any} prompt @param {object} options */
async function idsOf(model, prompt, options) {
  let ids
  for await (const { rows } of model.generate(prompt, { maxNewTokens: 8, followConfig: false, ...options }))
    ids = rows.map(row => row.ids)
  return ids
}

test('a cache is continued by other beams as ids without a cache are; several prompts give what each gives alone', async () => {
  const [integers, shared] = [await load({ integers: true }), await load({ threads: 2 })]
  const models = [
    ...(await Promise.all(
      ['gpt2-tiny', 'marian-tiny', 't5-tiny', 'qwen3-tiny-bf16'].map(name => open(name, 'float32')),
    )),
    await loadModel(integers, `${goldens}/gpt2-tiny`, { tokenizer: false, cacheDtype: 'int8' }),
    await loadModel(shared, `${goldens}/t5-tiny`, { tokenizer: false }),
  ]
  const prompts = [
    [5, 9, 13],
    [7, 3],
  ]
  let changed = 0
  for (const model of models) {
    const options = { numBeams: 4, stopIds: [] }
    const [first, second] = [await idsOf(model, prompts[0], options), await idsOf(model, prompts[1], options)]
    assert.deepEqual(await idsOf(model, prompts[0], { ...options, useCache: false }), first, model.type)
    assert.deepEqual(await idsOf(model, prompts, options), [first?.[0], second?.[0]], model.type)
    if (String(await idsOf(model, prompts[0], { stopIds: [] })) !== String(first)) changed++
  }
  assert.ok(changed > 1, `${changed} models find another sequence than the greedy one`)
  for (const model of models) model.dispose()
  for (const { memory } of [integers, shared]) assert.equal(memory.resident, 0)
  shared.dispose()
})

test('all beams of a small vocabulary find the most likely sequence', async () => {
  const model = await open('gpt2-tiny', 'float32')
  const allowed = [3, 8, 21]
  const few = (/** @type {Float32Array} */ logits) => {
    for (const id of logits.keys()) if (!allowed.includes(id)) logits[id] = Number.NEGATIVE_INFINITY
  }
  /** Returns the logarithm of the probability of ids after a prompt. @param {number[]} ids */
  const scoreOf = ids => {
    const { logits } = model.forwardSync({ ids: [5, ...ids] })
    return ids.reduce((sum, id, n) => {
      const { data } = /** @type {import('qkv').Tensor<Float32Array>} */ (logits).row(0).row(n)
      const most = data.reduce((a, b) => Math.max(a, b))
      return sum + data[id] - most - Math.log(data.reduce((all, x) => all + Math.exp(x - most), 0))
    }, 0)
  }
  const all = allowed.flatMap(a => allowed.flatMap(b => allowed.map(c => [a, b, c])))
  const best = all.reduce((a, b) => (scoreOf(b) > scoreOf(a) ? b : a))
  const options = { numBeams: 27, stopIds: [], maxNewTokens: 3, logits: few }
  assert.deepEqual(await idsOf(model, [5], options), [[5, ...best]])
  const probabilities = []
  for await (const { probability, isDone, kept } of model.generate([5], options)) {
    probabilities.push(probability)
    assert.deepEqual([isDone, kept], [false, {}])
  }
  near(
    probabilities.reduce((sum, p) => sum + Math.log(p), 0),
    scoreOf(best),
  )
  model.dispose()
})

test('num_beams and max_length of a folder are followed; what beams cannot do is refused', async () => {
  const model = await open('marian-tiny', 'float32')
  assert.equal(model.config.num_beams, 4)
  const settings = { followConfig: true, maxNewTokens: undefined }
  const found = await idsOf(model, [5, 9, 13], settings)
  assert.deepEqual(found, await idsOf(model, [5, 9, 13], { ...settings, numBeams: 4 }))
  assert.notDeepEqual(found, await idsOf(model, [5, 9, 13], { ...settings, numBeams: 1 }))
  for (const [options, error] of /** @type {[object, RegExp][]} */ ([
    [{ temperature: 1 }, /temperature 1 does not sample from 4 beams \(of config\.json\): \{ numBeams: 1 \}/],
    [{ keep: ['attentions'] }, /keep: nothing can be kept with 4 beams/],
    [{ numBeams: 0 }, /numBeams: expected a whole number from 1 to 1024, got 0/],
    [{ numBeams: 1e9 }, /numBeams: expected a whole number from 1 to 1024, got 1000000000/],
    [{ earlyStopping: 'yes' }, /earlyStopping: expected true, false or 'never', got "yes"/],
    [{ lengthPenalty: Number.NaN }, /lengthPenalty: expected a finite number, got NaN/],
    [{ num_beams: 2 }, /there is no option "num_beams"; here it is numBeams/],
  ]))
    await assert.rejects(model.generate([5], options).next(), error)
  model.dispose()
  const refused = readSettings({ num_beams: 4, num_beam_groups: 2, diversity_penalty: 0.5 }, '', 9)
  assert.deepEqual(refused.refusedBeams, ['num_beam_groups 2', 'diversity_penalty 0.5'])
})

test('a prompt as long as max_length is refused', async () => {
  const generation_config = new TextEncoder().encode(JSON.stringify({ max_length: 3 }))
  const files = Object.fromEntries(
    ['config.json', 'model.safetensors'].map(name => [name, readFileSync(`${goldens}/gpt2-tiny/${name}`)]),
  )
  const model = await loadModel(qkv, { ...files, 'generation_config.json': generation_config })
  const ids = []
  for await (const { id } of model.generate([5, 9], { stopIds: [] })) ids.push(id)
  assert.equal(ids.length, 1)
  await assert.rejects(
    model.generate([5, 9, 13]).next(),
    /generation_config\.json: max_length is 3, and the prompt has 3 tokens: give maxNewTokens/,
  )
  model.dispose()
})
