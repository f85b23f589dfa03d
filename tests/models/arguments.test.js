// Strange arguments of a model's methods: a right result or an error for people, and the model works on.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { load, QkvError } from '../../src/index.js'
import { headScores, inspectModel, loadModel } from '../../src/models.js'
import { ENGINE, places, strangeThings, thrown } from '../strange.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const folder = (/** @type {string} */ name) => fileURLToPath(new URL(`../goldens/models/${name}`, import.meta.url))
const open = (/** @type {string} */ name) => loadModel(qkv, folder(name), { tokenizer: Tokenizer })
/** Untyped, as arguments are anything here. @type {any} */
const model = await open('gpt2-tiny')
/** @type {any} */
const t5 = await open('t5-tiny')
const loaded = qkv.memory.resident
after(() => {
  for (const each of [model, t5]) each.dispose()
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
})

const ids = [5, 9, 130, 5, 9, 77, 200, 31]
const logits = model.forward({ ids }).logits.data
const hidden = model.forward({ ids }, { keep: ['hiddenStates'] }).hiddenStates[1]
const { attentions } = model.forward({ ids }, { keep: ['attentions'] })

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
    (...a) => model.forward(...a),
  ],
  'forward with a cache': [
    () => [{ capacity: 4, batch: 1 }, { ids: [...ids] }],
    (options, input) => using(model.cache(options), cache => model.forward(input, { cache })),
  ],
  'forward of an encoder-decoder': [
    () => [{ ids: [...ids], decoderIds: [0, 3] }, { keep: ['crossAttentions'] }],
    (...a) => t5.forward(...a),
  ],
  generate: [
    () => [
      [...ids],
      {
        ...{
          maxNewTokens: 2,
          temperature: 1,
          topK: 9,
          seed: 3,
          stopIds: [1],
          keep: ['attentions'],
          hooks: { 'layers.0.heads.1': 'mean' },
        },
        ...{ useCache: true, signal: new AbortController().signal },
      },
    ],
    two((...a) => model.generate(...a)),
  ],
  'generate of several texts': [() => [['The cat', [...ids]]], two((...a) => model.generate(...a))],
  tokenize: [() => ['The cat', 'sat'], (...a) => model.tokenize(...a)],
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
    const counts = { results: 0, refused: 0 }
    /** @type {Set<string>} */
    const wrong = new Set()
    await call(...args())
    for (let place = 0; place < places(args()).length; place++)
      for (const strange of strangeThings) {
        const given = args()
        const [object, key] = places(given)[place]
        object[key] = strange()
        const title = `${key} = ${inspect(object[key], { depth: 0 })}`
        try {
          await call(...given)
          counts.results++
        } catch (error) {
          counts.refused++
          const { message, constructor } = /** @type {Error} */ (error)
          if (error === thrown) continue
          const isOurs = [Error, SyntaxError, TypeError, RangeError, QkvError].some(Kind => constructor === Kind)
          if (!isOurs || message.length < 20 || ENGINE.test(message)) wrong.add(`${title}: ${message}`)
        }
        assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, loaded], title)
      }
    assert.deepEqual([...wrong], [])
    assert.deepEqual(model.forward({ ids }).logits.data, logits)
    t.diagnostic(`${counts.results} results, ${counts.refused} errors`)
  })
