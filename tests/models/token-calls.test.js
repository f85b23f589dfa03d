// Decoding one token replays recorded kernel calls. They give the same bits as a pass with hooks, which is not recorded, and leak no memory.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { Threads } from '../../src/threads/pool.js'

/** @import { Model } from '../../src/models/model.js' */
/** @import { ModelCache } from '../../src/models/run/model-cache.js' */

const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const names = readdirSync(folder).filter(
  // without LongRoPE, whose growth past its training length is refused (caches.test.js)
  name => existsSync(`${folder}/${name}/config.json`) && name !== 'phi3-longrope-made',
)
const PROMPT = [5, 9, 13, 5, 9, 17]
const TOKENS = [20, 31, 8, 3, 30, 12, 9, 9, 2]
const watched = { 'layers.0.output': () => {} }

/**
 * Opens a model in each of two modules, to compare their tokens; undefined if it is not a decoder-only model.
 * @param {string} name
 * @param {import('../../src/entries/index.js').Qkv[]} modules
 * @param {import('../../src/models/load-model.js').LoadModelOptions} options
 */
async function openBoth(name, modules, options) {
  const models = []
  for (const qkv of modules) models.push(await loadModel(qkv, `${folder}/${name}`, { tokenizer: false, ...options }))
  const { encoder, decoder } = models[0].stacks
  if (decoder && !encoder) return models
  for (const model of models) model.dispose()
  return undefined
}

/** @param {Model[]} models @param {ModelCache[]} caches @param {string} what */
function compareTokens(models, caches, what) {
  for (const [n, id] of TOKENS.entries()) {
    const [noted, plain] = models.map((model, i) =>
      model.forwardSync({ ids: [id] }, { cache: caches[i], hooks: i ? watched : undefined }),
    )
    assert.deepEqual(noted.lastHiddenState, plain.lastHiddenState, `${what}: token ${n}`)
    assert.deepEqual(noted.logits, plain.logits, `${what}: token ${n}`)
  }
  assert.ok(caches[0].calls, `${what}: its calls were noted`)
  assert.equal(caches[1].calls, undefined, `${what}: those of a watched run were not`)
}

const KINDS = /** @type {const} */ ([
  { dtype: 'int8' },
  { dtype: 'int4', cacheDtype: 'int8' },
  { dtype: { default: 'float32', head: 'int8' } },
])

for (const threads of [1, 2])
  test(`a token has the same bits as in a run with hooks, in each family, ${threads} threads, while cache and memory grow`, async () => {
    const least = { ...Threads.least }
    if (threads > 1) Object.assign(Threads.least, { burst: 0, work: 0, share: 0, chunk: 0 })
    const modules = [await load({ threads }), await load()]
    let count = 0
    try {
      for (const name of names)
        for (const kinds of KINDS) {
          const models = await openBoth(name, modules, kinds)
          if (!models) continue
          const { resident } = modules[0].memory
          const caches = models.map(model => model.cache({ capacity: 2 }))
          const what = `${name}, ${JSON.stringify(kinds)}`
          for (const start of [PROMPT, PROMPT.slice(0, 1)]) {
            for (const [i, model] of models.entries())
              model.forwardSync({ ids: start }, { cache: caches[i], hooks: i ? watched : undefined })
            compareTokens(models, caches, what)
            for (const cache of caches) cache.clear()
            modules[0].alloc([1e6]).dispose() // makes the memory grow
          }
          for (const cache of caches) cache.dispose()
          assert.equal(modules[0].memory.resident, resident, `${what}: memory`)
          for (const model of models) model.dispose()
          count++
        }
    } finally {
      Object.assign(Threads.least, least)
      for (const qkv of modules) qkv.dispose()
    }
    assert.ok(count > 20, String(count))
  })

test('recorded calls work after trim, beside those of another cache, and after a run with hooks', async () => {
  const modules = [await load(), await load()]
  const models = (await openBoth('qwen3-tiny-bf16', modules, { dtype: 'int8' })) ?? assert.fail()
  const [first, second] = [models[0].cache(), models[0].cache()]
  const [plain, other] = [models[1].cache(), models[1].cache()]
  for (const cache of [first, second]) models[0].forwardSync({ ids: PROMPT }, { cache })
  for (const cache of [plain, other]) models[1].forwardSync({ ids: PROMPT }, { cache })
  compareTokens(models, [first, plain], 'first')
  compareTokens(models, [second, other], 'second')
  modules[0].alloc([1e6]).dispose()
  await modules[0].trim()
  models[0].forwardSync({ ids: [3] }, { cache: first, keep: ['attentions'] })
  models[1].forwardSync({ ids: [3] }, { cache: plain, keep: ['attentions'] })
  compareTokens(models, [first, plain], 'after trim')
  for (const qkv of modules) qkv.dispose()
})

test('a cache that is full refuses a token, and its calls go on with one that is cleared', async () => {
  const qkv = await load()
  const model = await loadModel(qkv, `${folder}/gpt2-tiny`, { dtype: 'int8', tokenizer: false })
  const positions = Number(model.config.n_positions)
  const cache = model.cache()
  const alone = model
    .forwardSync({ ids: [7, 8] })
    .logits?.row(0)
    .row(1)
  for (let n = 0; n < positions; n++) model.forwardSync({ ids: [7] }, { cache })
  assert.throws(() => model.forwardSync({ ids: [7] }, { cache }), /position/)
  cache.clear()
  model.forwardSync({ ids: [7] }, { cache })
  const { logits } = model.forwardSync({ ids: [8] }, { cache })
  assert.deepEqual(logits?.row(0).row(0).data, alone?.data)
  qkv.dispose()
})

test('a token has the same bits on more threads than a job has ranges of units', async () => {
  const { least } = Threads
  Threads.least = { burst: 0, work: 0, share: 0, chunk: 1 }
  try {
    const [one, many] = await Promise.all(
      [1, 12].map(async threads => {
        const own = await load({ threads })
        const model = await loadModel(own, `${folder}/gpt2-tiny`, { dtype: 'int8', tokenizer: false })
        const cache = model.cache()
        model.forwardSync({ ids: [5, 9, 13] }, { cache })
        const made = [3, 4, 5].map(id => model.forwardSync({ ids: [id] }, { cache }).logits?.data.slice())
        own.dispose()
        return made
      }),
    )
    assert.deepEqual(many, one)
  } finally {
    Threads.least = least
  }
})
