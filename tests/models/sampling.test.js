// Sampling: which ids can be drawn, and how the rules of transformers' logits processors change the logits first.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const model = await loadModel(qkv, `${folder}/gpt2-tiny`, { tokenizer: false })
after(() => {
  model.dispose()
  assert.equal(qkv.memory.resident, 0)
})
const prompt = [5, 9, 13, 5, 9]
const { logits } = model.forwardSync({ ids: prompt }, { logits: 'last' })
const row = Float64Array.from(logits?.data ?? [])

/** Returns the ids that 150 seeds draw as the first one, sorted. @param {import('../../src/entries/models.js').GenerateOptions} options */
async function drawn(options) {
  const found = new Set()
  for (let seed = 0; seed < 150; seed++)
    for await (const { id } of model.generate(prompt, { maxNewTokens: 1, seed, ...options })) found.add(id)
  return [...found].sort((a, b) => a - b)
}

/** Returns ids with their probabilities at a temperature, the largest first. @param {number} temperature @param {ArrayLike<number>} [from] */
function ranked(temperature, from = row) {
  const list = Array.from(from, (logit, id) => ({ id, weight: Math.exp(logit / temperature) }))
  const sum = list.reduce((all, { weight }) => all + weight, 0)
  return list.map(({ id, weight }) => ({ id, share: weight / sum })).sort((a, b) => b.share - a.share)
}
const sorted = (/** @type {{ id: number }[]} */ list) => list.map(({ id }) => id).sort((a, b) => a - b)

test('topP leaves the largest probabilities that sum to it, at least one', async () => {
  const temperature = 0.4
  const list = ranked(temperature)
  for (const topP of [0.3, 0.5]) {
    let before = 0
    const allowed = list.filter(({ share }) => {
      const isIn = before < topP
      before += share
      return isIn
    })
    assert.ok(allowed.length < 12, String(allowed.length))
    assert.deepEqual(await drawn({ temperature, topP }), sorted(allowed))
  }
  assert.deepEqual(await drawn({ temperature, topP: 0 }), [list[0].id])
})

test('a logit of Infinity is drawn with probability 1', async () => {
  const logits = (/** @type {Float32Array} */ list) => {
    list[7] = Infinity
  }
  for (const options of [{ temperature: 0 }, { temperature: 1 }, { temperature: 0.4, topP: 0.5, minP: 0.1 }])
    for await (const { id, probability } of model.generate(prompt, { maxNewTokens: 1, seed: 3, ...options, logits }))
      assert.deepEqual([id, probability], [7, 1])
})

test('topP acts on what topK leaves', async () => {
  const temperature = 0.4
  const [a, b, c] = ranked(temperature)
  const sum = a.share + b.share + c.share
  const topP = (a.share + b.share / 2) / sum // includes b, excludes c
  assert.deepEqual(await drawn({ temperature, topK: 3, topP }), sorted([a, b]))
})

test('minP leaves the ids with that share of the largest probability', async () => {
  const temperature = 0.4
  const list = ranked(temperature)
  const minP = 0.5
  const allowed = list.filter(({ share }) => share >= minP * list[0].share)
  assert.deepEqual(await drawn({ temperature, minP }), sorted(allowed))
})

test('a repetition penalty divides logits above 0 of the ids so far, and multiplies those below', async () => {
  const penalty = 2.5
  /** @type {Float32Array | undefined} */
  let seen
  const look = (/** @type {Float32Array} */ data) => {
    seen = data.slice()
  }
  for await (const { id } of model.generate(prompt, { maxNewTokens: 1, repetitionPenalty: penalty, logits: look }))
    assert.equal(id, seen?.indexOf(Math.max(...seen)))
  const want = Float32Array.from(row, (logit, id) =>
    prompt.includes(id) ? (logit > 0 ? logit / penalty : logit * penalty) : logit,
  )
  assert.deepEqual(
    seen?.map(value => Math.round(value * 1e4)),
    want.map(value => Math.round(value * 1e4)),
  )
  assert.ok(prompt.some(id => row[id] > 0) && prompt.some(id => row[id] < 0))
})

test('the function logits decides which ids can be generated, and gets the sequence', async () => {
  /** @type {number[][]} */
  const sequences = []
  const only = (/** @type {Float32Array} */ data, /** @type {number[]} */ ids) => {
    sequences.push(ids)
    data.fill(-Infinity).fill(0, 7, 9)
  }
  const ids = []
  for await (const step of model.generate(prompt, { maxNewTokens: 3, temperature: 1, logits: only, stopIds: [] }))
    ids.push(step.id)
  assert.ok(
    ids.every(id => id === 7 || id === 8),
    ids.join(),
  )
  assert.deepEqual(sequences, [prompt, [...prompt, ids[0]], [...prompt, ids[0], ids[1]]])
})

test('options of sampling that cannot be are refused', async () => {
  for (const [options, message] of /** @type {[object, RegExp][]} */ ([
    [{ topP: 1.5 }, /generate: topP: expected a finite number from 0 to 1, got 1\.5/],
    [{ topP: 'all' }, /generate: topP: expected a number, got "all"/],
    [{ minP: -1 }, /generate: minP: .*got -1/],
    [{ repetitionPenalty: 0 }, /generate: repetitionPenalty: .*got 0/],
    [{ logits: 3 }, /generate: logits: expected a function of the logits and the ids so far, got 3/],
    [{ topp: 1 }, /topp.*topP/],
  ]))
    await assert.rejects(() => model.generate(prompt, options).next(), message)
})
