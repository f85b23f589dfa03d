// Tests that One layer computes the numbers of the articles. first-screen.test.js tests that the page prints them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { embeddingLayer } from 'qkv/nn'
import { DEFAULTS } from '../../web/rooms/layer/fields.js'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { change, edit } from '../../web/rooms/layer/settings.js'
import { runBatch } from '../../web/rooms/layer/trace/batch-statistics.js'
import { drawnWeights } from '../../web/rooms/layer/trace/visibility.js'
import { expectNumbers, goldenCase, near } from './article-goldens.js'
import { CASES, traced } from './cases.js'

/** @import { Out } from './article-goldens.js' */

const qkv = await load()

/** Computes x W^T + b and splits its columns into groups: (groups, rows, columns of a group). @param {Out} x @param {Out} w @param {Out} b @param {number} groups */
function project(x, w, b, groups) {
  const [rows, inner] = x.shape
  const size = w.shape[0] / groups
  const cell = (/** @type {number} */ i, /** @type {number} */ c) => {
    let sum = b.data[c]
    for (let d = 0; d < inner; d++) sum += x.data[i * inner + d] * w.data[c * inner + d]
    return sum
  }
  const data = Array.from({ length: groups * rows * size }, (_, n) => {
    const [g, i, c] = [Math.floor(n / (rows * size)), Math.floor(n / size) % rows, n % size]
    return cell(i, g * size + c)
  })
  return { dims: [groups, rows, size], data }
}

/** Computes the matrices of One layer from imported tensors. @param {object} imported @param {object} patch */
const ofImported = (imported, patch) =>
  traced(change(DEFAULTS, /** @type {any} */ ({ model: 'imported', imported, ...patch }))).tensors

for (const name of ['signature', 'rectangular', 'groups-2', 'scaled', 'groups-2-scaled'])
  test(`003/${name}: source and target of the document give what PyTorch gives`, () => {
    const { inputs, params, expected } = goldenCase(`003/${name}`)
    const { x, z, w_k, w_v, w_q, b_k, b_v, b_q } = inputs
    const { groups, scaled } = params
    const given = {
      q: project(z, w_q, b_q, groups),
      k: project(x, w_k, b_k, groups),
      v: project(x, w_v, b_v, groups),
    }
    const { weights, joined, output } = ofImported(given, {
      score: scaled ? 'scaled' : 'plain',
      kind: 'cross',
      sentence: 'an autonomous-driving solution',
      second: '一套 自动驾驶 解决方案',
    })
    near(weights?.data ?? [], expected.weights.data, 1e-5, 'weights')
    near((groups > 1 ? joined : output)?.data ?? [], expected.y.data, 1e-5, 'y')
  })

for (const [name, score] of /** @type {const} */ ([
  ['dot', 'plain'],
  ['scaled-dot', 'scaled'],
  ['gaussian-2d', 'gaussian'],
]))
  test(`004/${name}: two queries of two numbers give what the document gives`, () => {
    const { inputs, expected } = goldenCase(`004/${name}`)
    const [q, k, v] = ['q', 'k', 'v'].map(part => ({ dims: inputs[part].shape, data: inputs[part].data }))
    const { weights, output, scores } = ofImported({ q, k, v }, { score })
    near(weights?.data ?? [], expected.weights.data, 1e-5, 'weights')
    near(output?.data ?? [], expected.out.data, 1e-5, 'f(Q)')
    if (score !== 'gaussian') near(scores?.data ?? [], goldenCase('004/scores').expected.out.data, 0, 'scores')
  })

test('document 000 has its printed scores; with its own scale and axis the weights are those of its code', () => {
  const { scores, output } = traced(settingsOf('embedding')).tensors
  near(scores?.data ?? [], goldenCase('000/QKT').expected.out.data, 1e-4, 'scores')
  near(output?.data ?? [], goldenCase('000/Z-correct').oracle.out.data, 1e-3, 'the right Z')
  const coded = traced(change(settingsOf('embedding'), { scale: 0.25, softmaxAxis: 'queries' })).tensors
  const { expected, oracle } = goldenCase('000/Z-as-coded')
  const want = /** @type {any} */ ({ ...oracle, ...expected })
  near(coded.weights?.data ?? [], want.weights.data, 2e-4, 'weights as coded')
  near(coded.output?.data ?? [], want.out.data, 1e-3, 'Z as coded')
})

test('document 001: the output differs from the print in one digit, as the page states', () => {
  const printed = Array.from(traced(settingsOf('self')).tensors.output?.data ?? [], x => x.toFixed(4))
  const { data } = goldenCase('001/SelfAttention-3-2-4').expected.out
  assert.deepEqual(
    printed.filter((text, i) => text !== data[i].toFixed(4)),
    ['-0.2626'],
  )
})

/** @param {ArrayLike<number> | undefined} data */
const decimals = data => Array.from(data ?? [], x => x.toFixed(4))

test('each mask hides the keys of its description', () => {
  /** @type {Record<string, (i: number, j: number) => boolean>} */
  const sees = {
    causal: (i, j) => j <= i,
    window: (i, j) => Math.abs(i - j) <= 1,
    padding: (_, j) => j < 4,
    prefix: (i, j) => j < 2 || j <= i,
  }
  for (const [mask, isSeen] of Object.entries(sees)) {
    const settings = change(settingsOf('self'), { mask: /** @type {'causal'} */ (mask) })
    const { scaled, weights } = traced(settings).tensors
    const want = [0, 1, 2, 3, 4, 5].flatMap(i => {
      const row = [0, 1, 2, 3, 4, 5].map(j => (isSeen(i, j) ? Math.exp(Number(scaled?.data[6 * i + j])) : 0))
      const sum = row.reduce((a, b) => a + b)
      return row.map(x => x / sum)
    })
    near(weights?.data ?? [], want, 1e-6, mask)
  }
})

test('both ways to mask give the document’s numbers, and differ by rounding', () => {
  assert.equal(traced(settingsOf('self')).maskOrder, undefined, 'nothing is hidden')
  const { before, after, most = 1 } = traced(settingsOf('causal')).maskOrder ?? {}
  expectNumbers(decimals(before?.data), 'causal_attn_weights')
  expectNumbers(decimals(after?.data), 'masked_simple_norm')
  assert.equal(most, Math.max(...Array.from(after?.data ?? [], (x, i) => Math.abs(x - Number(before?.data[i])))))
  assert.ok(most > 0 && most < 1e-6, `${most}`)
})

test('with masking after softmax, a hidden score far above all others leaves weights of zero', () => {
  const huge = edit(settingsOf('causal'), { matrix: 'X', head: 0, row: 5, column: 1 }, 900)
  const { before, after, most = 0 } = traced(huge).maskOrder ?? {}
  const sumOf = (/** @type {ArrayLike<number>} */ all) =>
    Array.from(all)
      .slice(6, 12)
      .reduce((a, b) => a + b)
  near([sumOf(before?.data ?? []), sumOf(after?.data ?? [])], [1, 0], 1e-6, 'the sums of the second row')
  assert.ok(most > 0.5, `${most}`)
})

/** Returns how far each output moves when a token is replaced by another word. @param {import('../../web/rooms/layer/fields.js').Settings} settings @param {object} patch */
const moved = (settings, patch) => traced({ ...settings, ...patch }).tokenSwap?.moved ?? []

test('weights that a scale makes NaN are drawn as NaN, also where the mask hides their keys', () => {
  const result = traced(change(DEFAULTS, { mask: 'causal', scale: -3e38 }))
  const weights = Array.from(result.tensors.weights?.data ?? [])
  const { data } = drawnWeights(result) ?? assert.fail()
  const isHidden = (/** @type {number} */ i) => data[i] === 0
  assert.ok(weights.some((weight, i) => Number.isNaN(weight) && !isHidden(i)))
  assert.ok(weights.some((_, i) => isHidden(i)))
  assert.ok(weights.every((weight, i) => weight === 0 || !isHidden(i)))
})

test('under a causal mask a changed token moves no output before it, and the others as far as the core computes', () => {
  const causal = settingsOf('causal')
  const got = moved(causal, { probe: 3 })
  assert.deepEqual(got.slice(0, 3), [0, 0, 0])
  // The word is not in the sentence, so it gets the next row of the table, and all other words keep theirs.
  const output = (/** @type {number[]} */ ids) => {
    const x = embeddingLayer(qkv.generator(123), 50_000, 3).forward(ids)
    const g = qkv.generator(123)
    const [q, k, v] = [2, 2, 4].map(size => qkv.matmul(x, g.rand([3, size])))
    return qkv.attention(q, k, v, { causal: true }).output.data
  }
  const [old, other] = [output([0, 4, 5, 2, 1, 3]), output([0, 4, 5, 6, 1, 3])]
  const want = [0, 1, 2, 3, 4, 5].map(i =>
    Math.max(...[0, 1, 2, 3].map(c => Math.abs(other[4 * i + c] - old[4 * i + c]))),
  )
  near(got, want, 1e-5, 'how far the outputs moved')
  assert.ok(moved(causal, { probe: 3, mask: 'none' }).every(x => x > 0))
  assert.deepEqual(moved(causal, { probe: 3, probeWord: 'eat' }), [0, 0, 0, 0, 0, 0], 'the same word again')
})

test('in cross-attention a word of the sentence that answers moves every query that sees it', () => {
  const translation = settingsOf('translation')
  assert.ok(moved(translation, { probe: 2 }).every(x => x > 0))
  assert.deepEqual(moved(translation, { probe: 2, mask: 'padding', padding: 2 }), [0, 0, 0, 0], 'hidden from all')
  const built = moved(settingsOf('handBuilt'), { probe: 1 })
  assert.ok(built[0] === 0 && built[1] > 0.5 && built[4] > 0.5, 'the second “the” no longer has “cat” behind it')
  assert.equal(traced(DEFAULTS).tokenSwap, undefined)
})

const SHARPNESS = 8
/** For each kind of hand-built head, the score of query i and key j of `tokens`. @type {Record<string, (tokens: string[], i: number, j: number) => number>} */
const SCORES = {
  previous: (_, i, j) => (j === i - 1 ? 1 : 0),
  first: (_tokens, _i, j) => (j === 0 ? 1 : 0),
  same: (tokens, i, j) => (tokens[j] === tokens[i] ? 1 : 0),
  induction: (tokens, i, j) => (j > 0 && tokens[j - 1] === tokens[i] ? 1 : j === 0 ? 0.375 : 0),
  uniform: () => 0,
}

/** @param {string} kind @param {string[]} tokens @param {boolean} isCausal @returns {number[]} row after row */
function weightsOf(kind, tokens, isCausal) {
  return tokens.flatMap((_, i) => {
    const row = tokens.map((_, j) => (isCausal && j > i ? 0 : Math.exp(SHARPNESS * SCORES[kind](tokens, i, j))))
    const sum = row.reduce((a, b) => a + b)
    return row.map(x => x / sum)
  })
}

test('each hand-built head looks where its name says, by real queries and keys', () => {
  const tokens = 'the cat sat and the cat slept'.split(' ')
  const { weights, scores, Q, K } = traced(settingsOf('handBuilt')).tensors
  for (const [head, kind] of Object.keys(SCORES).entries()) {
    near(weights?.row(head).data ?? [], weightsOf(kind, tokens, true), 1e-5, kind)
    const [q, k] = [Q?.row(head), K?.row(head)]
    const products = tokens.flatMap((_, i) =>
      tokens.map((_, j) =>
        Array.from({ length: Number(q?.dims[1]) }, (_, d) => Number(q?.at(i, d)) * Number(k?.at(j, d))).reduce(
          (a, b) => a + b,
        ),
      ),
    )
    near(scores?.row(head).data ?? [], products, 1e-4, `scores of ${kind}`)
  }
})

test('heads built by hand are mixed, without a mask and for other words', () => {
  const settings = change(settingsOf('handBuilt'), /** @type {any} */ ({ heads: 2, handBuilt: ['same', 'previous'], mask: 'none', sentence: 'a b a a' })) // biome-ignore format: one line
  const { weights, joined } = traced(settings).tensors
  const tokens = ['a', 'b', 'a', 'a']
  const heads = ['same', 'previous'].map(kind => weightsOf(kind, tokens, false))
  for (const [head, want] of heads.entries()) near(weights?.row(head).data ?? [], want, 1e-5, `head ${head}`)
  const mixed = tokens.flatMap((_, i) =>
    heads.flatMap(weights =>
      ['a', 'b'].map(word => tokens.reduce((sum, token, j) => sum + (token === word ? weights[i * 4 + j] : 0), 0)),
    ),
  )
  near(joined?.data ?? [], mixed, 1e-5, 'both heads side by side')
})

test('a batch: each sequence has the numbers that it has alone, under every score', () => {
  const sentences = ['one two three four', 'two three four one', 'three four one two']
  const [, layer] = CASES[CASES.findIndex(([name]) => name === 'causal, weights hidden after softmax')]
  for (const patch of [{}, { score: 'gaussian' }, { score: 'additive' }, { softmaxAxis: 'queries' }, { bias: false }]) {
    const settings = change(layer, /** @type {any} */ ({ ...patch, batch: 3, sentence: sentences[0] }))
    const batch = runBatch(qkv, traced(settings))
    assert.ok(batch)
    for (const [i, sentence] of sentences.entries()) {
      const alone = traced(change(settings, { sentence })).tensors.final
      near(batch.output.row(i).data, alone?.data ?? [], 1e-5, `${JSON.stringify(patch)}, sequence ${i + 1}`)
    }
  }
})
