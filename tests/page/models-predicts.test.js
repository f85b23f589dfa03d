// Tests, without a browser, what the room "Models" shows of classifiers and embedding models: their output, the heads that caused it, and the effect
// of changes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadModel } from 'qkv/models'
import { readChanges } from '../../web/attention-head/changes.js'
import { failureOf } from '../../web/rooms/models/shown.js'
import { Tokenizer } from '../models/tokenizer.js'
import { folder, qkv, start, types } from './models-store.js'

/** @import { Why } from '../../web/rooms/models/models.js' */

const goldens = fileURLToPath(new URL('../goldens/models', import.meta.url))
const open = (/** @type {string} */ name) => loadModel(qkv, `${goldens}/${name}`, { tokenizer: Tokenizer })
const near = (/** @type {number} */ got, /** @type {number} */ want) =>
  assert.ok(Math.abs(got - want) <= 1e-4, `${got} for ${want}`)

/** Returns the sum of what the heads and the rest contribute. @param {Why | null} why */
const sumOf = why => {
  const { heads, rest } = why ?? assert.fail()
  return heads.reduce((a, b) => a + b, 0) + rest.reduce((sum, { value }) => sum + value, 0)
}

/** Makes a store with a model and a text. @param {File[]} files @param {string} text */
async function begin(files, text) {
  const own = start()
  own.act.bring(files)
  await own.settled()
  assert.equal(failureOf(own.store.state), undefined)
  own.act.type(text)
  await own.settled()
  const why = () => {
    const got = own.store.state.got.why
    return got?.is === 'here' ? got.value : assert.fail(got?.is)
  }
  return Object.assign(own, { why })
}

test('the class of a text is shown with its probability, the heads that made it, and the effect of a change', async () => {
  const text = 'The river was slow.'
  const { act, settled, shown, store, why } = await begin(folder('distilbert-sst-tiny'), text)
  const model = await open('distilbert-sst-tiny')
  const { logits, labels } = await model.classify(text)
  const [p, q] = qkv.softmax(logits).data
  const [first, second] = p > q ? [0, 1] : [1, 0]
  assert.deepEqual([shown().openModel?.predicts, types(store)], ['class', ['open', 'run', 'why']])
  assert.deepEqual(
    shown().run?.top.map(({ id, token }) => [id, token]),
    [first, second].map(n => [n, labels[n]]),
  )
  near(shown().run?.top[0].probability ?? Number.NaN, Math.max(p, q))
  near(why()?.logit ?? Number.NaN, logits.data[first])
  near(sumOf(why()), logits.data[first])
  assert.deepEqual([why()?.token, why()?.dims], [labels[first], [3, 4]])
  act.change(readChanges('2.3=0'))
  await settled()
  const changed = qkv.softmax((await model.classify(text, { hooks: { 'layers.1.heads.2': 0 } })).logits).data
  const [guess] = shown().run?.top ?? []
  near(guess.probability, changed[guess.id])
  near(guess.before ?? Number.NaN, guess.id === first ? Math.max(p, q) : Math.min(p, q))
  near(shown().run?.first ?? Number.NaN, changed[first])
  assert.equal(why()?.heads[1 * 4 + 2], 0, 'a head that is off adds nothing')
  act.change([])
  act.typeSource('The cat sat at the door.')
  act.show({ patchLayer: 1 })
  act.patch()
  await settled()
  const there = model.forwardSync(model.tokenize('The cat sat at the door.'), { keep: ['hiddenStates'] })
    .hiddenStates[2]?.data
  const patched = await model.classify(text, {
    hooks: {
      'layers.1.output': x => {
        x.data.set(there?.subarray(0, x.data.length) ?? [])
      },
    },
  })
  near(shown().run?.top[0].probability ?? Number.NaN, Math.max(...qkv.softmax(patched.logits).data))
  model.dispose()
})

test('a regression shows its numbers, and how a change moves them', async () => {
  const text = 'The river was slow.'
  const files = folder('distilbert-sst-tiny')
  const config = files.find(({ name }) => name === 'config.json') ?? assert.fail()
  const json = { ...JSON.parse(await config.text()), problem_type: 'regression' }
  const others = files.filter(file => file !== config)
  const { act, settled, shown } = await begin([...others, new File([JSON.stringify(json)], 'config.json')], text)
  const model = await open('distilbert-sst-tiny')
  const { logits, labels } = await model.classify(text)
  assert.equal(shown().openModel?.isNumber, true)
  const tokens = () => (shown().run?.top ?? []).map(({ token }) => token)
  assert.deepEqual([...tokens()].sort(), [...labels].sort())
  for (const { id, token, probability } of shown().run?.top ?? []) {
    assert.equal(token, labels[id])
    near(probability, logits.data[id])
  }
  act.change(readChanges('2.3=0'))
  await settled()
  const changed = (await model.classify(text, { hooks: { 'layers.1.heads.2': 0 } })).logits.data
  for (const { id, probability, before } of shown().run?.top ?? []) {
    near(probability, changed[id])
    near(before ?? Number.NaN, logits.data[id])
  }
  model.dispose()
})

test('the class of each token: those outside of all names are not marked, and a click on a word shows its classes', async () => {
  const name = 'bert-tokens-made'
  const ids = [1, 5, 9, 13, 30, 22, 2]
  const { act, settled, shown, why } = await begin(folder(name), ids.join(' '))
  const model = await open(name)
  const { logits, labels } = await model.classify({ ids })
  assert.equal(labels[0], 'O')
  const shares = qkv.softmax(logits).row(0)
  const bestOf = (/** @type {number} */ row) => shares.row(row).data.indexOf(Math.max(...shares.row(row).data))
  const marked = ids.flatMap((_, row) => (bestOf(row) > 0 ? [row] : []))
  assert.ok(marked.length > 0 && marked.length < ids.length, 'the text has tokens of both kinds')
  assert.equal(shown().openModel?.predicts, 'classes')
  assert.deepEqual(
    shown().run?.answers.map(({ row, token }) => [row, token]),
    marked.map(row => [row, labels[bestOf(row)]]),
  )
  assert.equal(shown().run?.row, marked[0])
  for (const row of [3, 5]) {
    act.selectWord(row, false, 'queries')
    await settled()
    const { token, probability } = shown().run?.top[0] ?? assert.fail()
    assert.deepEqual([shown().run?.row, token], [row, labels[bestOf(row)]])
    near(probability, shares.at(row, bestOf(row)))
    near(why()?.logit ?? Number.NaN, logits.at(0, row, bestOf(row)))
    near(sumOf(why()), logits.at(0, row, bestOf(row)))
  }
  model.dispose()
})

/** Returns the files of the golden embedding model, as a browser gives them for a chosen folder. */
const sentences = () => {
  const file = (/** @type {string} */ name, /** @type {BlobPart} */ bytes) => {
    const made = new File([bytes], name.split('/').at(-1) ?? '')
    Object.defineProperty(made, 'webkitRelativePath', { value: `sentence-bert-tiny/${name}` })
    return made
  }
  const pooling = '1_Pooling/config.json'
  const names = folder('sentence-bert-tiny').map(each => file(each.name, each))
  return [...names, file(pooling, readFileSync(`${goldens}/sentence-bert-tiny/${pooling}`))]
}

test('how alike two texts are is shown with the heads that made it; changes and patches from the second text act on it', async () => {
  const [text, second] = ['The river was slow.', 'The cat sat at the door.']
  const { act, settled, shown, store, why } = await begin(sentences(), text)
  const model = await open('sentence-bert-tiny')
  const { openModel } = shown()
  assert.equal(openModel?.predicts, 'likeness')
  assert.ok(openModel.secondText)
  near(shown().run?.likeness?.value ?? Number.NaN, (await model.similarity(text, openModel.secondText)).value)
  act.typeSource(second)
  await settled()
  const plain = await model.similarity(text, second)
  near(shown().run?.likeness?.value ?? Number.NaN, plain.value)
  near(why()?.logit ?? Number.NaN, plain.value)
  near(sumOf(why()), plain.value)
  assert.deepEqual(why()?.heads, plain.heads.data)
  act.change(readChanges('1.2=0'))
  await settled()
  const off = await model.similarity(text, second, { hooks: { 'layers.0.heads.1': 0 } })
  near(shown().run?.likeness?.value ?? Number.NaN, off.value)
  near(shown().run?.likeness?.before ?? Number.NaN, plain.value)
  assert.ok(Math.abs(off.value - plain.value) > 1e-3)
  act.change([])
  act.type(second)
  act.typeSource(text)
  act.show({ patchLayer: 2 })
  act.patch()
  await settled()
  assert.equal(failureOf(store.state), undefined)
  const { value = Number.NaN, before = Number.NaN } = shown().run?.likeness ?? {}
  near(before, plain.value)
  assert.ok(value > before, 'with the states of the other text it is more like it')
  model.dispose()
})

test('a folder whose embeddings are no pooled rows opens without an answer, and its runs show attention', async () => {
  const settings = new File(['{"truncate_dim": 5}'], 'config_sentence_transformers.json')
  const { shown } = await begin([...sentences(), settings], 'The river was slow.')
  assert.equal(shown().openModel?.predicts, '')
  assert.ok(shown().run?.tokens.length)
})

/**
 * Returns the values of "What matters". Fails if they have not arrived.
 * @param {Awaited<ReturnType<typeof begin>>} own
 * @param {'heads' | 'positions'} part
 */
function matters({ store }, part) {
  const got = store.state.got[`matters:${part}`]
  return /** @type {import('../../web/rooms/models/models.js').Matters} */ (
    got?.is === 'here' ? got.value : assert.fail(got?.is)
  )
}

test('what matters for a class of a text or of a token: heads and states, and the effects of changes beside the predicted ones', async () => {
  for (const [name, text, row] of /** @type {const} */ ([
    ['distilbert-sst-tiny', 'The river was slow.', undefined],
    ['bert-tokens-made', '1 5 9 13 30 22 2', 3],
  ])) {
    const own = await begin(folder(name), text)
    if (row !== undefined) own.act.selectWord(row, false, 'queries')
    own.act.show({ hasMatters: true })
    await own.settled()
    const model = await open(name)
    const ids = own.shown().run?.ids ?? assert.fail()
    const [first, second] = own.shown().run?.top ?? assert.fail()
    const lead = async (/** @type {any} */ hooks) => {
      const { logits } = await model.classify({ ids }, { hooks })
      const at = (/** @type {number} */ id) => (row === undefined ? logits.at(0, id) : logits.at(0, row, id))
      return at(first.id) - at(second.id)
    }
    const { kind, tokens, value, dims, exact, effects } = matters(own, 'heads')
    assert.deepEqual([kind, tokens, exact], ['class', [first.token, second.token], dims[0]])
    near(value, await lead({}))
    const effect = (await lead({ 'layers.1.heads.2': 'mean' })) - (await lead({}))
    near(effects[dims[1] + 2], effect)
    own.act.change(readChanges('2.3=mean'))
    await own.settled()
    const now = own.store.state.got['matters:now']
    near(now?.is === 'here' ? Number(now.value) : Number.NaN, effect)
    model.dispose()
  }
})

test('what matters for the similarity of two texts: heads, states of the second text, and the effect of a change', async () => {
  const [text, second] = ['The river was slow.', 'The sea was cold.']
  const own = await begin(sentences(), text)
  own.act.typeSource(second)
  own.act.show({ hasMatters: true })
  await own.settled()
  const model = await open('sentence-bert-tiny')
  const plain = await model.similarity(text, second)
  const { kind, value, dims, effects } = matters(own, 'heads')
  assert.equal(kind, 'likeness')
  near(value, plain.value)
  const off = await model.similarity(text, second, { hooks: { 'layers.0.heads.1': 'mean' } })
  near(effects[1], off.value - plain.value)
  assert.ok(dims[0] > 1)
  const states = matters(own, 'positions')
  assert.equal(states.lengths, undefined, 'both have as many tokens')
  assert.ok(
    states.effects.some(effect => effect > 1e-3),
    'states of the second text make the first one more alike',
  )
  own.act.change(readChanges('1.2=mean'))
  await own.settled()
  const now = own.store.state.got['matters:now']
  near(now?.is === 'here' ? Number(now.value) : Number.NaN, off.value - plain.value)
  model.dispose()
})

test('the heads that made the guess for a masked word are shown too; without a mask nothing is requested', async () => {
  const { act, settled, shown, store, why } = await begin(folder('bert-tiny'), 'The [MASK] chased the dog.')
  const { logits } = await open('bert-tiny').then(model => {
    const found = model.forwardSync(model.tokenize('The [MASK] chased the dog.'))
    model.dispose()
    return found
  })
  const { run } = shown()
  near(sumOf(why()), logits?.at(0, run?.row ?? 0, run?.top[0].id ?? 0) ?? Number.NaN)
  act.type('The cat chased the dog.')
  await settled()
  assert.deepEqual(types(store), ['open', 'run'])
})

test('a model of Marian opens from the files that are published, and marks words that it does not know', async () => {
  const pieces = fileURLToPath(new URL('../goldens/sentencepiece', import.meta.url))
  const files = [
    ...folder('marian-tiny').filter(({ name }) => !name.startsWith('tokenizer')),
    ...['source.spm', 'vocab.json'].map(name => new File([readFileSync(`${pieces}/${name}`)], name)),
  ]
  const { shown } = await begin(files, 'Kato 日本 sol')
  const { tokens, unknown, targets } = shown().run ?? assert.fail()
  assert.deepEqual(tokens, ['Ka', 'to', '␣', '日本', 'sol', '</s>'])
  assert.deepEqual(unknown, [3])
  assert.ok((targets?.length ?? 0) > 1)
})
