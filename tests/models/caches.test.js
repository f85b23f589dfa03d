// A cache belongs to one model and one text. It is refused with others, and a call that failed does not change it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'

const qkv = await load()
const open = (/** @type {string} */ name, core = qkv) =>
  loadModel(core, fileURLToPath(new URL(`../goldens/models/${name}`, import.meta.url)), { tokenizer: false })
const models = { t5: await open('t5-tiny'), marian: await open('marian-tiny'), gpt2: await open('gpt2-tiny') }
after(() => {
  for (const model of Object.values(models)) model.dispose()
})

for (const [name, model] of Object.entries({ t5: models.t5, marian: models.marian })) {
  const first = [3, 17, 42, 1]
  const second = [8, 5, 1]
  const alone = (/** @type {number[]} */ ids) => model.forwardSync({ ids, decoderIds: [0, 7] }).logits

  for (const [title, decoderIds] of /** @type {[string, number[]][]} */ ([
    ['out of range', [1e6]],
    ['empty', []],
    ['fractional', [1.5]],
  ]))
    test(`${name}: after a call with decoderIds ${title} a cache holds no encoding, and the error names decoderIds`, () => {
      const cache = model.cache()
      assert.throws(() => model.forwardSync({ ids: first, decoderIds }, { cache }), /decoderIds/)
      assert.deepEqual(model.forwardSync({ ids: second, decoderIds: [0, 7] }, { cache }).logits, alone(second))
      cache.dispose()
    })

  test(`${name}: a cache that contains the encoding of a text refuses another text, and continues with its own`, () => {
    const cache = model.cache()
    model.forwardSync({ ids: first, decoderIds: [0] }, { cache })
    assert.throws(
      () => model.forwardSync({ ids: second, decoderIds: [7] }, { cache }),
      /holds the encoding of other ids.*cache\.clear\(\)/,
    )
    assert.throws(
      () => model.forwardSync({ ids: first, attentionMask: [1, 1, 1, 0], decoderIds: [7] }, { cache }),
      /of another attentionMask/,
    )
    const { logits } = model.forwardSync({ ids: first, decoderIds: [7] }, { cache })
    assert.deepEqual(logits?.data, alone(first)?.slice(1, -1).data)
    cache.clear()
    assert.deepEqual(model.forwardSync({ ids: second, decoderIds: [0, 7] }, { cache }).logits, alone(second))
    cache.dispose()
  })

  test(`${name}: a hook of the encoder cannot use the cache of its own call; a call that it ends leaves no trace`, () => {
    const cache = model.cache()
    const hooks = {
      'encoder.layers.0.output': () => {
        model.forwardSync({ ids: second, decoderIds: [0] }, { cache })
      },
    }
    assert.throws(
      () => model.forwardSync({ ids: first, decoderIds: [0] }, { cache, hooks }),
      /another call with this cache/,
    )
    assert.deepEqual(model.forwardSync({ ids: second, decoderIds: [0, 7] }, { cache }).logits, alone(second))
    cache.dispose()
  })
}

test('a cache of another model, or of the same model in another module, is refused, although its dims fit', async () => {
  const others = [await open('gpt2-tiny'), await open('gpt2-tiny', await load())]
  for (const other of others) {
    const cache = other.cache()
    assert.throws(
      () => models.gpt2.forwardSync({ ids: [1, 2] }, { cache }),
      /made by another model: use cache\(\) of this one/,
    )
    assert.equal(cache.length, 0)
    other.forwardSync({ ids: [1, 2] }, { cache })
    cache.dispose()
    other.dispose()
  }
})

test('LongRoPE: a cache that grows past the length of the training is refused; without one the ids run again', async () => {
  const model = await open('phi3-longrope-made')
  const text = Array.from({ length: 11 }, (_, n) => 3 * n + 2)
  const cache = model.cache()
  model.forwardSync({ ids: text }, { cache })
  model.forwardSync({ ids: [7] }, { cache })
  assert.throws(() => model.forwardSync({ ids: [9] }, { cache }), /more than 12 tokens.*without a cache/)
  cache.dispose()
  const [wide, made] = [model.cache(), /** @type {number[]} */ ([])]
  const whole = model.forwardSync({ ids: [...text, 7, 9, 4] }).logits
  model.forwardSync({ ids: [...text, 7, 9] }, { cache: wide })
  const { logits } = model.forwardSync({ ids: [4] }, { cache: wide })
  assert.ok(logits?.data.every((value, n) => Math.abs(value - Number(whole?.at(0, -1, n))) < 1e-4))
  for await (const { id } of model.generate(text, { maxNewTokens: 4, useCache: false })) made.push(id)
  assert.equal(made.length, 4)
  wide.dispose()
  model.dispose()
})
