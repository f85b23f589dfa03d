// Tests trained heads in One layer: the numbers for the reader's sentence are those of Models, and every step is shown.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { check } from '../../web/rooms/layer/check-settings.js'
import { stepsOf } from '../../web/rooms/layer/explain/steps.js'
import { revived } from '../../web/rooms/layer/needs.js'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { room } from '../../web/rooms/layer/room.js'
import { handlers } from '../../web/rooms/layer/session.js'
import { createStore } from '../../web/shell/store.js'
import { files, giveEnglishModel, urls } from './english-model.js'
import { qkv, start } from './models-store.js'

const { fetched, end } = giveEnglishModel()
after(end)

/** Opens One layer with its session in this process. @param {string} [link] */
function open(link = '') {
  const store = createStore(room, { qkv, link, perform() {} })
  /** Waits until all requests are answered. */
  async function settled() {
    do {
      store.ask()
      await new Promise(resolve => setTimeout(resolve))
    } while (Object.values(store.state.got).some(got => got?.is === 'waiting'))
    return /** @type {any} */ (store.state.got.trace)
  }
  return { store, act: /** @type {any} */ (store.act), settled }
}

test('each head shows the weights of the same head in Models, for an own sentence and for one of several tokens a word', async () => {
  const models = start()
  models.act.bring(files())
  await models.settled()
  const { act, settled } = open()
  act.train(true)
  for (const sentence of ['The dog bit the man', 'Zoë’s “naïve” cat\n sat?']) {
    act.change({ sentence })
    models.act.type(sentence)
    await models.settled()
    for (let layer = 0; layer < 4; layer++) {
      act.change({ layer: layer + 1 })
      const { value } = await settled()
      assert.deepEqual(value.settings.queries.tokens, models.shown().words.queries, sentence)
      const [H, L, S] = /** @type {number[]} */ (value.tensors.weights.dims)
      assert.equal(H, 4)
      for (let head = 0; head < H; head++) {
        const { data } = /** @type {{ data: Float32Array }} */ (models.shown().maps)
        for (let i = 0; i < L * S; i++) {
          /** @type {number} */
          const a = Number(value.tensors.weights.data[head * L * S + i])
          /** @type {number} */
          const b = Number(data[(layer * H + head) * L * S + i])
          assert.ok(!(Math.abs(a - b) > 1e-5), `${layer + 1}.${head + 1}, cell ${i}: ${a}, in Models ${b}`)
        }
      }
    }
  }
})

test('the model is loaded on demand, and once; each step of its heads is shown', async () => {
  fetched.length = 0
  const { store, act, settled } = open()
  await settled()
  assert.deepEqual(fetched, [], 'random matrices need no model')
  act.train(true)
  const { value } = await settled()
  assert.deepEqual(
    stepsOf(value).map(({ id }) => id),
    ['embed', 'project', 'rotate', 'scores', 'scaled', 'masked', 'softmax', 'mix', 'join', 'out'],
  )
  const { Q, X, Wq } = value.tensors
  const product = qkv.matmul(X, Wq.row(2))
  for (const [i, x] of product.data.entries()) assert.ok(!(Math.abs(x - Q.row(2).data[i]) > 1e-5))
  act.change({ positions: 'none' })
  const without = await settled()
  assert.equal(without.value.tensors.Qr, undefined)
  const previous = (/** @type {any} */ { weights }) => {
    const [, L] = weights.dims
    return Array.from({ length: L - 1 }, (_, i) => weights.at(2, i + 1, i)).reduce((a, b) => a + b, 0) / (L - 1)
  }
  const [own, other] = [previous(value.tensors), previous(without.value.tensors)]
  assert.ok(own > 0.6 && other < own / 2, `the head finds the previous word by its position: ${own}, without ${other}`)
  store.travel('undo', 0)
  store.travel('undo', 0)
  assert.equal(store.state.settings.model, 'heads', 'Undo returns to the random matrices')
  assert.equal(store.state.settings.sentence, 'Life is short, eat dessert first')
})

test('a text that is too long for the model is refused beside its field', async () => {
  const { act, settled } = open()
  act.train(true)
  act.change({ sentence: 'x '.repeat(200) })
  const got = await settled()
  assert.equal(got.is, 'failed')
  assert.equal(got.problem.key, 'trainedLong')
  act.change({ sentence: 'The dog bit the man' })
  assert.equal((await settled()).is, 'here')
})

test('numbers that came from a worker can be edited, and only what depends on them differs', async () => {
  const { trace } = handlers(qkv)
  const sentence = 'The dog bit the man'
  const edits = [{ matrix: 'weights', head: 0, row: 3, column: 1, value: 0.5 }]
  const results = []
  for (const more of [{}, { edits }, { edits, sentence: 'The man bit the dog' }]) {
    const { checked } = check(/** @type {any} */ ({ ...settingsOf('trained'), sentence, ...more }))
    /** @type {Transferable[]} */
    const transfer = []
    const run = /** @type {any} */ ({ signal: new AbortController().signal, progress() {}, transfer })
    const made = await trace(/** @type {any} */ ({ checked, head: 0, urls }), run)
    results.push(revived(structuredClone(made, { transfer })))
  }
  const [plain, edited] = results
  assert.ok(!(Math.abs(Number(edited.tensors.weights?.at(0, 3, 1)) - 0.5) > 1e-6))
  assert.equal(edited.before?.X, edited.tensors.X, 'what was not edited is one tensor')
  assert.notEqual(edited.before?.weights, edited.tensors.weights)
  assert.deepEqual(edited.before?.weights?.data, plain.tensors.weights?.data)
  assert.equal(plain.maskOrder?.exponentials.at(0, 0, 0), edited.maskOrder?.exponentials.at(0, 0, 0))
})
