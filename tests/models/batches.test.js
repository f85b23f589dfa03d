// Tests batches of texts of several lengths, padded as transformers pads them, with and without a cache; and generation from several prompts.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { headScores, loadModel } from '../../src/entries/models.js'
import { close } from '../helpers.js'
import { Tokenizer } from './tokenizer.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const qkv = await load()
const open = (/** @type {string} */ name) =>
  loadModel(qkv, fileURLToPath(new URL(`../goldens/models/${name}`, import.meta.url)), { tokenizer: Tokenizer })
const models = {
  gpt2: await open('gpt2-tiny'),
  llama: await open('llama-tiny-sharded'),
  gemma: await open('gemma2-tiny'),
  t5: await open('t5-tiny'),
  marian: await open('marian-tiny'),
}
const { gpt2 } = models
const loaded = qkv.memory.resident
after(() => {
  for (const model of Object.values(models)) model.dispose()
  assert.equal(qkv.memory.resident, 0)
})

const texts = [
  [5, 9, 130, 5, 9, 77],
  [12, 40],
  [31, 8, 8],
]
const length = 6
const ids = texts.map(text => [...Array(length - text.length).fill(0), ...text])
const attentionMask = texts.map(text => [...Array(length - text.length).fill(0), ...text.map(() => 1)])

/** @param {FloatTensor | undefined} a @param {FloatTensor | undefined} b */
function same(a, b, limit = 2e-4) {
  assert.ok(a && b)
  assert.equal(a.data.length, b.data.length)
  a.data.forEach((value, n) => {
    assert.ok(Math.abs(value - b.data[n]) <= limit, `${n}: ${value} for ${b.data[n]}`)
  })
}

for (const name of /** @type {const} */ (['gpt2', 'llama', 'gemma']))
  test(`${name}: rows that are padded on the left go on with a cache as each does alone`, () => {
    const model = models[name]
    const cache = model.cache({ capacity: 4, batch: texts.length })
    const prompt = model.forwardSync({ ids, attentionMask }, { cache })
    const more = [
      [7, 3],
      [8, 4],
      [9, 5],
    ]
    // First a step of two ids, of which one is padding in the second text. Then a step of one id that also keeps the attention weights.
    const second = model.forwardSync(
      {
        ids: more,
        attentionMask: [
          [1, 1],
          [0, 1],
          [1, 1],
        ],
      },
      { cache },
    )
    const third = model.forwardSync({ ids: [[2], [2], [2]] }, { cache, keep: ['attentions'] })
    texts.forEach((text, b) => {
      const new_ = b === 1 ? [4] : more[b]
      const alone = model.forwardSync({ ids: [...text, ...new_, 2] }, { keep: ['attentions'] })
      const rows = (/** @type {number} */ from, /** @type {number} */ to) => alone.logits?.slice(1, from, to)
      const n = text.length
      same(prompt.logits?.slice(0, b, b + 1).slice(1, length - n), rows(0, n))
      same(second.logits?.slice(0, b, b + 1).slice(1, 2 - new_.length), rows(n, n + new_.length))
      same(third.logits?.slice(0, b, b + 1), rows(n + new_.length, n + new_.length + 1))
      const own = third.attentions[1]?.slice(0, b, b + 1).data ?? []
      assert.equal(
        [...own].filter(weight => weight > 0).length <= 4 * (n + new_.length + 1),
        true,
        'padding has no weight',
      )
    })
    cache.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

for (const [name, model] of Object.entries(models))
  test(`${name}: several prompts generate what each does alone, with a cache and without`, async () => {
    const given = texts.map(text => text.map(id => id % 60))
    const run = async (/** @type {any} */ prompt, /** @type {object} */ options) => {
      /** @type {number[][]} */
      let last = []
      for await (const step of model.generate(prompt, { maxNewTokens: 5, stopIds: [], ...options })) {
        last = step.rows.map(row => row.ids)
        assert.deepEqual(step.ids, last[0])
      }
      return last
    }
    const alone = []
    for (const text of given) alone.push((await run(text, {}))[0])
    assert.deepEqual(await run(given, {}), alone)
    assert.deepEqual(await run(given, { useCache: false }), alone)
    const sampled = { temperature: 2, seed: 3, numBeams: 1 }
    assert.deepEqual(await run(given[0], sampled), await run(given[0], { ...sampled, useCache: false }))
    assert.equal(qkv.memory.resident, loaded)
  })

test('a row that has ended stays as it is while the others go on', async () => {
  const greedy = []
  for await (const { rows } of gpt2.generate(texts, { maxNewTokens: 4, stopIds: [] }))
    greedy.push(rows.map(row => row.id))
  const stop = greedy[0][1]
  const steps = []
  for await (const step of gpt2.generate(texts, { maxNewTokens: 4, stopIds: [stop] })) steps.push(step)
  assert.deepEqual(
    steps[0].rows.map(row => row.isDone),
    greedy[0].map(id => id === stop),
  )
  assert.equal(steps.at(-1)?.rows[1].ids.length, texts[1].length + 1)
  assert.ok(steps.length > 1)
  const prompts = ['The cat', 'The dog that the cat chased']
  for await (const { rows } of gpt2.generate(prompts, { maxNewTokens: 1, stopIds: [] }))
    assert.deepEqual(
      rows.map(row => row.ids.slice(0, -1)),
      prompts.map(text => gpt2.tokenize(text).ids),
    )
})

test('hooks without a cache see the whole sequence at each step', async () => {
  /** @type {number[]} */
  const seen = []
  const hooks = { 'layers.0.attention.weights': (/** @type {FloatTensor} */ w) => void seen.push(w.dims[2]) }
  for await (const _ of gpt2.generate(texts[1], { maxNewTokens: 3, stopIds: [], useCache: false, hooks }));
  assert.deepEqual(seen, [2, 3, 4])
})

test('a cache throws after a call that threw half way, until it is cleared', () => {
  const cache = gpt2.cache()
  gpt2.forwardSync({ ids: [1, 2] }, { cache })
  const hooks = {
    'layers.1.output': () => {
      throw new Error('mine')
    },
  }
  assert.throws(() => gpt2.forwardSync({ ids: [3] }, { cache, hooks }), /mine/)
  assert.throws(() => gpt2.forwardSync({ ids: [3] }, { cache }), /threw half way: clear it with cache\.clear\(\)/)
  cache.clear()
  gpt2.forwardSync({ ids: [1, 2] }, { cache })
  same(gpt2.forwardSync({ ids: [3] }, { cache }).logits, gpt2.forwardSync({ ids: [1, 2, 3] }).logits?.slice(1, -1))
  cache.dispose()
})

test('scores from given weights are those of headScores; cross-attention has two of them', async () => {
  const text = [5, 9, 130, 5, 9, 77]
  const { attentions } = gpt2.forwardSync({ ids: text }, { keep: ['attentions'] })
  const own = Object.entries(await gpt2.headScores(text)) // equal only up to rounding, because the kernel sums in another order
  assert.equal(own.length, 5)
  for (const [name, got] of own)
    close(got, /** @type {any} */ (headScores(attentions, text))[name], { abs: 1e-6, rel: 0 }, name)
  const { crossAttentions } = models.t5.forwardSync({ ids: text, decoderIds: [0, 3, 4] }, { keep: ['crossAttentions'] })
  const cross = headScores(crossAttentions)
  const weights = crossAttentions[1] ?? assert.fail()
  const first = (weights.at(0, 2, 0, 0) + weights.at(0, 2, 1, 0) + weights.at(0, 2, 2, 0)) / 3
  assert.ok(Math.abs(cross.first.at(1, 2) - first) < 1e-6)
  assert.ok(cross.entropy.data.every(value => value > 0 && value <= 1.000001))
  assert.ok(cross.induction.data.every(value => value === 0))
  assert.throws(
    () => headScores(attentions, [1, 2]),
    /expected weights \(1, H, 2, 2\) of all layers, got dims \(1, 4, 6, 6\)/,
  )
  assert.throws(() => headScores([undefined]), /got a layer that was not kept/)
  const nested = /** @type {any} */ ([
    [
      [
        [
          [1, 0],
          [0.5, 0.5],
        ],
      ],
    ],
  ])
  assert.deepEqual(headScores(nested, [1, 2]).first.data, Float32Array.of(0.5))
})
