// Tests the trained models that ship with the page: the figures in their about.json are right, and training makes the same bytes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { parameters, tape } from 'qkv/train'
import { ledgerFiles, trainLedger } from '../../build/train/ledger.js'
import { ledgerFigures } from '../../build/train/ledger-figures.js'
import { KINDS as LEDGER_KINDS, ledgerBatch } from '../../build/train/ledger-text.js'
import { ledgerTour } from '../../build/train/ledger-tour.js'
import { forward as llama } from '../../build/train/llama-checkpoint.js'
import { forward } from '../../build/train/marian-checkpoint.js'
import { storiesFigures } from '../../build/train/stories-figures.js'
import { storiesFiles, trainStories } from '../../build/train/stories-model.js'
import { KINDS, STORY_CLASSES, storyBatch } from '../../build/train/stories-text.js'
import { storiesTour } from '../../build/train/stories-tour.js'
import { sentences, trainTranslator, translatorFiles, WORDS } from '../../build/train/translator.js'
import { translatorFigures } from '../../build/train/translator-figures.js'

const qkv = await load()
const folderOf = (/** @type {string} */ name) => fileURLToPath(new URL(`../../web/trained/${name}`, import.meta.url))
const aboutOf = (/** @type {string} */ name) => JSON.parse(readFileSync(`${folderOf(name)}/about.json`, 'utf8'))

test('the translator translates sentences of lengths never trained, and its head looks at the word it translates', async () => {
  const { figures } = aboutOf('translation')
  const { accuracy, heads, heldOut, example } = await translatorFigures(qkv, folderOf('translation'), { count: 100 })
  for (const found of [{ accuracy, heads }, heldOut]) {
    assert.ok(found.accuracy >= 0.98, `accuracy ${found.accuracy}`)
    const [{ aligned, weight, cost }] = found.heads
    assert.ok(aligned >= 0.95 && weight >= 0.9 && cost >= 0.5, `${aligned}, ${weight}, ${cost}`)
    assert.ok(Math.abs(found.accuracy - figures.accuracy) < 0.01 && Math.abs(aligned - figures.heads[0].aligned) < 0.02)
  }
  assert.equal(example.translation, '工程师 今天 在 北京 想要 一套 自动 驾驶 解决 方案 </s>')
})

test('a translator trained twice is the same, byte by byte; its logits as a model are those of the training', async t => {
  const [once, twice] = [0, 1].map(() => trainTranslator(qkv, { steps: 3, warmup: 1, seed: 5 }))
  const files = translatorFiles(once)
  assert.deepEqual(files, translatorFiles(twice))
  const { settings, weights } = once
  const drawn = sentences(qkv.generator(1), 4, 'train')
  const p = parameters(qkv, weights)
  const want = tape(qkv, p, t => forward(t, p.values, drawn, settings)).output.data.slice()
  p.dispose()
  const model = await loadModel(qkv, files)
  const [, S] = drawn.ids.dims
  const attentionMask = {
    data: drawn.ids.data.map((_, i) => Number(i % S < drawn.lengths[Math.floor(i / S)])),
    dims: drawn.ids.dims,
  }
  const { logits } = model.forwardSync({ ids: drawn.ids, attentionMask, decoderIds: drawn.previous })
  model.dispose()
  assert.deepEqual(logits?.dims, [...drawn.previous.dims, WORDS.length])
  const error = want.reduce((most, value, i) => Math.max(most, Math.abs(value - Number(logits?.data[i]))), 0)
  t.diagnostic(`logits differ by ${error.toExponential(1)}`)
  assert.ok(error <= 0.01, `logits differ by ${error}`)
})

for (const [name, train] of /** @type {const} */ ([
  ['stories', trainStories],
  ['translation', trainTranslator],
  ['ledger', trainLedger],
]))
  test(`the training of ${name} begins with the losses that its files record, bit for bit`, () => {
    const { losses, settings } = aboutOf(name)
    /** @type {number[]} */
    const found = []
    const enough = new Error('enough')
    const watch = (/** @type {number} */ _, /** @type {number} */ loss) => {
      if (found.push(loss) === losses.length) throw enough
    }
    assert.throws(() => train(qkv, settings, watch), enough)
    assert.ok(losses.length >= 5)
    assert.deepEqual(found, losses, 'other kernels: train again, npm run learn -- stories (and translator, ledger)')
  })

test('the tokenizers read words whatever their case', async () => {
  const model = await loadModel(qkv, folderOf('translation'))
  assert.deepEqual(model.tokenize('She buys a car in Beijing').tokens, ['she', 'buys', 'a', 'car', 'in', 'beijing'])
  model.dispose()
})

test('the model of stories has the stated accuracy on unseen stories, and its heads the stated cost', async t => {
  const { figures } = aboutOf('stories')
  const found = await storiesFigures(qkv, folderOf('stories'), { stories: 64 })
  t.diagnostic(JSON.stringify(found.accuracy))
  assert.ok(found.loss - found.floor < figures.loss - figures.floor + 0.05, `loss ${found.loss}, least ${found.floor}`)
  for (const [kind, accuracy] of Object.entries(found.accuracy))
    assert.ok(accuracy >= figures.accuracy[kind] - 0.1, `${kind}: ${accuracy}, stated ${figures.accuracy[kind]}`)
  for (const [n, { cost, weight, behind, previous, antecedent }] of found.heads.entries()) {
    const stated = figures.heads[n]
    assert.ok(Math.abs(previous - stated.previous) < 0.05 && Math.abs(antecedent - stated.antecedent) < 0.05)
    for (const kind of /** @type {import('../../build/train/stories-text.js').Kind[]} */ (Object.keys(cost))) {
      assert.ok(Math.abs(cost[kind] - stated.cost[kind]) < 0.2, `head ${n}, ${kind}: cost ${cost[kind]}`)
      assert.ok(Math.abs(weight[kind] - stated.weight[kind]) < 0.1, `head ${n}, ${kind}: weight ${weight[kind]}`)
      assert.ok(Math.abs(behind[kind] - stated.behind[kind]) < 0.1, `head ${n}, ${kind}: behind ${behind[kind]}`)
    }
  }
})

test('three heads of stories are plain to see, and each costs 0.3 or more: the word before, a person, a copy', () => {
  const { heads } = /** @type {{ heads: import('../../build/train/stories-figures.js').HeadFigures[] }} */ (
    aboutOf('stories').figures
  )
  const before = heads.find(({ previous, cost }) => previous >= 0.4 && cost.name >= 0.3)
  const person = heads.find(({ antecedent, cost }) => antecedent >= 0.5 && cost.pronoun >= 0.3)
  const copy = heads.find(({ behind, cost }) => behind.name >= 0.7 && cost.name >= 0.3)
  assert.ok(before && person && copy)
  assert.equal(new Set([before, person, copy]).size, 3)
})

test('the guided story agrees with the model: each stop with its head, and without it', async () => {
  const { tour, figures, words } = aboutOf('stories')
  assert.equal(tour.length, 4)
  assert.deepEqual(words, STORY_CLASSES, 'its words, by what they stand for')
  const again = await storiesTour(qkv, folderOf('stories'), figures)
  for (const [n, { id, probability, without, layer, head }] of again.entries()) {
    const stated = tour[n]
    assert.deepEqual([id, layer, head, without.says], [stated.id, stated.layer, stated.head, stated.without.says])
    assert.ok(Math.abs(probability - stated.probability) < 0.01, `${id}: ${probability}`)
  }
})

test('stories: each word that is certain has probability 1, the others the share of their weight', () => {
  const generator = qkv.generator(3)
  const { stories } = storyBatch(generator, 200, 64)
  let [counted, kinds] = [0, new Set()]
  for (const { words, logProbabilities, marks } of stories) {
    assert.ok(logProbabilities.every(value => value <= 0))
    for (const { at, kind, sources } of marks) {
      assert.equal(logProbabilities[at], 0, kind)
      for (const i of sources) {
        assert.ok(i < at)
        if (kind !== 'gender') assert.equal(words[i], words[at])
      }
      assert.ok(sources.length)
      kinds.add(kind)
      counted++
    }
  }
  assert.deepEqual([...kinds].sort(), Object.keys(KINDS).sort())
  assert.ok(counted > 1000)
  // The share of stories that continue with a word is about the probability that the story gives for it.
  const second = stories.filter(({ words }) => words[1] === 'lily').length / stories.length
  assert.ok(Math.abs(second - Math.exp(stories[0].logProbabilities[1])) < 0.06, String(second))
})

test('stories trained twice are the same, byte by byte; their logits as a model are those of the training', async t => {
  const [once, twice] = [0, 1].map(() => trainStories(qkv, { steps: 3, warmup: 1, seed: 5 }))
  const files = storiesFiles(once)
  assert.deepEqual(files, storiesFiles(twice))
  const { settings, weights } = once
  const { ids } = storyBatch(qkv.generator(1), 2, settings.T)
  const given = { data: ids, dims: [2, settings.T] }
  const p = parameters(qkv, weights)
  const want = tape(qkv, p, tape => llama(tape, p.values, given, settings).logits).output.data.slice()
  p.dispose()
  const model = await loadModel(qkv, files)
  const got = model.forwardSync({ ids: given }).logits
  model.dispose()
  const error = want.reduce((most, value, i) => Math.max(most, Math.abs(value - Number(got?.data[i]))), 0)
  t.diagnostic(`logits differ by ${error.toExponential(1)}`)
  assert.ok(error <= 0.02, `logits differ by ${error}`)
})

test('the model of ledgers finds words more than 1,000 words back; its heads look and cost as stated', async t => {
  const { figures } = aboutOf('ledger')
  assert.ok(figures.farther >= 0.9 && figures.links >= 300 && figures.length === 4096)
  const whole = await ledgerFigures(qkv, folderOf('ledger'), { ledgers: 6, withHeads: false })
  t.diagnostic(JSON.stringify(whole))
  const { farther, links } = whole
  assert.ok(links >= 60 && Number(farther) >= figures.farther - 0.1, `${farther}, ${links} links`)
  for (const [kind, accuracy] of Object.entries(whole.near))
    assert.ok(Number(accuracy) >= figures.near[kind] - 0.05, `${kind}: ${accuracy}, stated ${figures.near[kind]}`)
  const { heads } = await ledgerFigures(qkv, folderOf('ledger'), { ledgers: 1 })
  for (const [n, { previous, sink, weight, cost }] of heads.entries()) {
    const stated = figures.heads[n]
    assert.ok(Math.abs(previous - stated.previous) < 0.05 && Math.abs(sink - stated.sink) < 0.1, `head ${n}`)
    for (const kind of /** @type {const} */ (['thing', 'section', 'note'])) {
      assert.ok(Math.abs(weight[kind] - stated.weight[kind]) < 0.15, `head ${n}, ${kind}: weight ${weight[kind]}`)
      assert.ok(Math.abs(cost[kind] - stated.cost[kind]) < 0.3, `head ${n}, ${kind}: cost ${cost[kind]}`)
    }
  }
})

test('the guided story of the ledger agrees with the model, and links of more than 1,000 words are among its stops', async () => {
  const { tour, text, figures } = aboutOf('ledger')
  const again = await ledgerTour(qkv, folderOf('ledger'), figures)
  assert.equal(again.text, text)
  assert.equal(text.split(' ').length, 4095)
  assert.deepEqual(
    again.tour.map(({ id }) => id),
    ['previous', 'chapter', 'thing'],
  )
  for (const [n, { probability, without, layer, head, prompt }] of again.tour.entries()) {
    const stated = tour[n]
    assert.deepEqual(
      [layer, head, without.says, prompt],
      [stated.layer, stated.head, stated.without.says, stated.prompt],
    )
    assert.ok(Math.abs(probability - stated.probability) < 0.01, `stop ${n}: ${probability}`)
    assert.ok(text.startsWith(prompt))
  }
})

test('ledgers: each certain word occurs at its source too, and texts of any length have all kinds', () => {
  for (const [T, kinds] of /** @type {const} */ ([
    [64, ['chapter', 'note', 'section', 'thing']],
    [4096, ['chapter', 'note', 'section', 'thing']],
  ])) {
    const { ledgers, ids } = ledgerBatch(qkv.generator(3), T < 100 ? 64 : 4, T)
    const found = new Set()
    for (const [b, { words, marks }] of ledgers.entries())
      for (const { at, kind, source } of marks) {
        assert.ok(source < at && words[source] === words[at], `${kind} at ${at}`)
        if (kind === 'thing') assert.equal(words[source - 1], words[at - 1])
        else assert.ok('([{'.indexOf(words[source - 1]) === ')]}'.indexOf(words[at - 1]))
        if (at < T) assert.equal(ids[b * T + at], ids[b * T + source])
        found.add(kind)
      }
    assert.deepEqual([...found].sort(), kinds)
    assert.deepEqual([...kinds].sort(), Object.keys(LEDGER_KINDS).sort())
  }
})

test('ledgers trained twice are the same, byte by byte; their logits as a model are those of the training', async () => {
  const [once, twice] = [0, 1].map(() => trainLedger(qkv, { steps: 3, warmup: 1, seed: 5 }))
  const files = ledgerFiles(once)
  assert.deepEqual(files, ledgerFiles(twice))
  const { settings, weights } = once
  const { ids } = ledgerBatch(qkv.generator(1), 2, 64)
  const given = { data: ids, dims: [2, 64] }
  const p = parameters(qkv, weights)
  const want = tape(qkv, p, tape => llama(tape, p.values, given, settings).logits).output.data.slice()
  p.dispose()
  const model = await loadModel(qkv, files)
  const got = model.forwardSync({ ids: given }).logits
  model.dispose()
  const error = want.reduce((most, value, i) => Math.max(most, Math.abs(value - Number(got?.data[i]))), 0)
  assert.ok(error <= 0.02, `logits differ by ${error}`)
})

test('the ledger shows an induction head, a bracket head and a sink, each plain to see', () => {
  const { heads } = /** @type {{ heads: import('../../build/train/ledger-figures.js').LedgerHead[] }} */ (
    aboutOf('ledger').figures
  )
  const induction = heads.find(({ weight, cost }) => weight.thing >= 0.9 && cost.thing >= 0.9)
  const brackets = /** @type {const} */ (['chapter', 'section', 'note'])
  const bracket = heads.find(({ weight, cost }) => brackets.every(kind => weight[kind] >= 0.9 && cost[kind] >= 0.6))
  const sink = heads.find(({ first, sink }) => first >= 0.9 && sink >= 0.9)
  assert.ok(induction && bracket && sink && induction !== bracket)
})
