// Strange arguments of a model's methods, and hooks that call the model, give a right result or a readable error, and the model still
// works afterwards.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { headScores, inspectModel, loadModel } from '../../src/entries/models.js'
import { tryStrange } from './strange-calls.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const folder = (/** @type {string} */ name) => fileURLToPath(new URL(`../goldens/models/${name}`, import.meta.url))
const open = (/** @type {string} */ name) => loadModel(qkv, folder(name), { tokenizer: Tokenizer })
/** Models without types, because the tests pass arguments of any type. @type {any} */
const model = await open('gpt2-tiny')
/** @type {any} */
const t5 = await open('t5-tiny')
const loaded = qkv.memory.resident
after(() => {
  for (const each of [model, t5]) each.dispose()
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
})

const ids = [5, 9, 130, 5, 9, 77, 200, 31]
const logits = model.forwardSync({ ids }).logits.data
const hidden = model.forwardSync({ ids }, { keep: ['hiddenStates'] }).hiddenStates[1]
const { attentions } = model.forwardSync({ ids }, { keep: ['attentions'] })

/** @param {any} held @param {(held: any) => unknown} use */
function using(held, use) {
  try {
    return use(held)
  } finally {
    held.dispose()
  }
}

/** @param {(...args: any[]) => AsyncIterable<unknown>} generate */
const two =
  generate =>
  async (/** @type {any[]} */ ...args) => {
    let n = 0
    for await (const _ of generate(...args)) if (++n === 2) break
  }

/** Methods with valid arguments. @type {Record<string, [() => any[], (...args: any[]) => unknown]>} */
const calls = {
  forward: [
    () => [
      {
        ids: [[...ids]],
        attentionMask: [ids.map(() => 1)],
        tokenTypeIds: [ids.map(() => 0)],
        positions: [ids.map((_, n) => n)],
      },
      { keep: ['attentions.1'], hooks: { 'layers.1.heads.2': 0, 'layers.0.output': () => {} }, logits: 'last' },
    ],
    (...a) => model.forwardSync(...a),
  ],
  'forward with a cache': [
    () => [{ capacity: 4, batch: 1 }, { ids: [...ids] }],
    (options, input) => using(model.cache(options), cache => model.forwardSync(input, { cache })),
  ],
  'forward of an encoder-decoder': [
    () => [{ ids: [...ids], decoderIds: [0, 3] }, { keep: ['crossAttentions'] }],
    (...a) => t5.forwardSync(...a),
  ],
  generate: [
    () => [
      [...ids],
      {
        maxNewTokens: 2,
        temperature: 1,
        topK: 9,
        seed: 3,
        stopIds: [1],
        stop: ['no such text'],
        keep: ['attentions'],
        hooks: { 'layers.0.heads.1': 'mean' },
        useCache: true,
        signal: new AbortController().signal,
      },
    ],
    two((...a) => model.generate(...a)),
  ],
  'generate of several texts': [() => [['The cat', [...ids]]], two((...a) => model.generate(...a))],
  tokenize: [() => ['The cat', { pair: 'sat' }], (...a) => model.tokenize(...a)],
  decode: [() => [[...ids]], (...a) => model.decode(...a)],
  logitLens: [() => [{ data: hidden.data, dims: [...hidden.dims] }], (...a) => model.logitLens(...a)],
  headScores: [() => [[...ids]], (...a) => model.headScores(...a)],
  'headScores of weights': [() => [[...attentions], [...ids]], (...a) => /** @type {any} */ (headScores)(...a)],
  logitAttribution: [
    () => [{ ids: [...ids] }, { tokens: [3, 4], position: 7, hooks: { 'layers.1.heads.2': 0 } }],
    (...a) => model.logitAttribution(...a),
  ],
  loadModel: [
    () => [
      folder('gpt2-tiny'),
      { dtype: 'float16', tokenizer: Tokenizer, onProgress() {}, signal: new AbortController().signal },
    ],
    async (...a) => (await /** @type {any} */ (loadModel)(qkv, ...a)).dispose(),
  ],
  inspectModel: [
    () => [folder('gpt2-tiny'), { signal: new AbortController().signal }],
    (...a) => /** @type {any} */ (inspectModel)(...a),
  ],
}

for (const [name, [args, call]] of Object.entries(calls))
  test(`${name} with strange arguments: a result or an error for people, and nothing changes`, async t => {
    const counts = await tryStrange(qkv, args, call)
    assert.deepEqual(model.forwardSync({ ids }).logits.data, logits)
    t.diagnostic(`${counts.results} results, ${counts.refused} errors`)
  })

const alone = () => assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, loaded])
const newIds = async (/** @type {object} */ options) => {
  const made = []
  for await (const { id } of model.generate(ids, { maxNewTokens: 6, stopIds: [], ...options })) made.push(id)
  return made
}

test('options that would be ignored are refused: hooks in a Map, missing layers, other rows of logits', () => {
  for (const [options, message] of /** @type {[object, RegExp][]} */ ([
    [{ hooks: new Map([['layers.0.output', 0]]) }, /hooks: expected an object such as .*got a Map/],
    [{ hooks: 3 }, /hooks: .*got 3/],
    [{ keep: ['attentions.3'] }, /keep: "attentions\.3": there are 3 layers/],
    [{ keep: ['hiddenStates.4'] }, /keep: "hiddenStates\.4": there are 3 layers/],
    [{ logits: 'first' }, /logits: expected one of "all", "last", "none", got "first"/],
  ]))
    assert.throws(() => model.forwardSync({ ids }, options), message)
  assert.ok(model.forwardSync({ ids }, { keep: ['hiddenStates.3'] }).hiddenStates[3])
})

test('a number with a leading zero in the name of a layer or a head names nothing', async () => {
  for (const name of ['layers.01.output', 'layers.1.heads.00', 'layers.00.attention.weights.1', 'layers.1.heads.01'])
    assert.throws(
      () => model.forwardSync({ ids }, { hooks: { [name]: 0 } }),
      /hooks: ".*" is no place|hooks: .* did you mean/,
    )
  for (const name of ['attentions.01', 'attentions.00', 'hiddenStates.02'])
    assert.throws(() => model.forwardSync({ ids }, { keep: [name] }), /keep: ".*" is not known/)
  await assert.rejects(model.weightRow('layers.01.attention.q', 0), /"layers\.01\.attention\.q" is no linear layer/)
  alone()
})

test('a Proxy of a model, an heir and an heir of its cache are refused by every method', async () => {
  /** @type {((m: any) => unknown)[]} */
  const uses = [
    m => m.forwardSync({ ids }),
    m => m.tokenize('a'),
    m => m.decode(ids),
    m => m.describe(),
    m => m.cache(),
    m => m.logitLens(hidden),
    m => m.headScores(ids),
    m => m.dispose(),
    m => m.logitAttribution({ ids }),
    m => m.generate(ids).next(),
  ]
  for (const other of [new Proxy(model, {}), Object.create(model)])
    for (const use of uses)
      await assert.rejects(
        async () => use(other),
        /^TypeError: model: .*got a Proxy of it or an object derived from it/,
      )
  using(model.cache(), cache => {
    assert.throws(
      () => model.forwardSync({ ids }, { cache: Object.create(cache) }),
      /cache: expected the object itself, got a Proxy/,
    )
    assert.deepEqual(model.forwardSync({ ids }, { cache }).logits.data, logits)
  })
  alone()
})

test('a hook may call the model and allocate; if it disposes of the model or clears the cache, the call throws', async () => {
  const hooks = {
    'layers.1.heads': (/** @type {any} */ x) => {
      qkv.alloc([300_000]).data.fill(NaN) // freed by the outer forwardSync, which runs this hook
      assert.deepEqual(model.forwardSync({ ids }).logits.data, logits)
      return x
    },
  }
  assert.deepEqual(model.forwardSync({ ids }, { hooks }).logits.data, logits)
  alone()
  const other = /** @type {any} */ (await open('gpt2-tiny'))
  const disposes = { 'layers.0.output': () => other.dispose() }
  assert.throws(() => other.forwardSync({ ids }, { hooks: disposes }), /disposed/)
  assert.throws(() => other.forwardSync({ ids }), /this model was disposed: load it again/)
  alone()
  const during = (/** @type {any} */ cache, /** @type {() => void} */ run) => () =>
    model.forwardSync({ ids }, { cache, hooks: { 'layers.1.output': run } })
  using(model.cache(), cache => {
    assert.throws(
      during(cache, () => cache.clear()),
      /a hook has cleared the cache/,
    )
    assert.throws(() => model.forwardSync({ ids }, { cache }), /clear it with cache\.clear\(\)/)
    cache.clear()
    assert.throws(
      during(cache, () => model.forwardSync({ ids }, { cache })),
      /another call with this cache is running/,
    )
    cache.clear()
    assert.deepEqual(model.forwardSync({ ids }, { cache }).logits.data, logits)
    assert.throws(
      during(cache, () => cache.dispose()),
      /this cache was disposed/,
    )
  })
  alone()
})

test('generations of one model run side by side, and beside one that was aborted or disposed of its model', async () => {
  const sampled = { temperature: 1, seed: 3 }
  const [greedy, drawn] = [await newIds({}), await newIds(sampled)]
  assert.deepEqual(await Promise.all([newIds({}), newIds(sampled), newIds({})]), [greedy, drawn, greedy])
  const controller = new AbortController()
  /** @type {number[]} */
  const made = []
  await assert.rejects(
    async () => {
      for await (const { id } of model.generate(ids, { stopIds: [], signal: controller.signal })) {
        if (made.push(id) === 2) controller.abort()
        assert.deepEqual(model.forwardSync({ ids }).logits.data, logits)
      }
    },
    { name: 'AbortError' },
  )
  assert.deepEqual(made, greedy.slice(0, 2))
  const other = /** @type {any} */ (await open('gpt2-tiny'))
  await assert.rejects(async () => {
    for await (const _ of other.generate(ids, { stopIds: [] })) other.dispose()
  }, /this model was disposed/)
  alone()
})

test('a text of MPT, which has no table of positions, ends at max_seq_len; positions of M2M-100 end after as many ids', async () => {
  /** @type {any} */
  const mpt = await open('mpt-made')
  const text = (/** @type {number} */ length) => Array.from({ length }, (_, n) => 2 + (n % 30))
  assert.deepEqual(mpt.forwardSync({ ids: text(64) }, { logits: 'last' }).logits.dims, [1, 1, 40])
  assert.throws(() => mpt.forwardSync({ ids: text(65) }), /expected positions below 64, .*got 64/)
  mpt.dispose()
  /** @type {any} */
  const m2m = await open('m2m_100-made')
  assert.deepEqual(m2m.forwardSync({ ids: text(32), decoderIds: [0] }).logits.dims, [1, 1, 40])
  assert.throws(() => m2m.forwardSync({ ids: text(33), decoderIds: [0] }), /expected positions below .*, got/)
  m2m.dispose()
  assert.equal(qkv.memory.resident, loaded)
})
