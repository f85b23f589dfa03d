// Summaries of attention from forward match its weights, in every family, with caches, batches and hooks.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { headScores, loadModel } from '../../src/entries/models.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { AttentionSummary } from '../../src/models/run/attention-summaries.js' */

const qkv = await load()
const goldens = fileURLToPath(new URL('../goldens/models', import.meta.url))
const open = (/** @type {string} */ name) => loadModel(qkv, `${goldens}/${name}`, { tokenizer: false })
const folders = readdirSync(goldens).filter(name => existsSync(`${goldens}/${name}/config.json`))
const gpt2 = await open('gpt2-tiny')
after(() => {
  gpt2.dispose()
  assert.equal(qkv.memory.resident, 0)
})
const ids = [5, 9, 30, 5, 9, 37, 20, 31, 5, 9, 4, 30, 5]
const summary = {
  map: /** @type {const} */ ([4, 4]),
  topK: 3,
  logSumExp: true,
  entropy: true,
  distance: true,
  scores: true,
}
const NAMES = /** @type {const} */ ([
  ['attentions', 'attentionSummaries'],
  ['crossAttentions', 'crossAttentionSummaries'],
  ['encoderAttentions', 'encoderAttentionSummaries'],
])

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want @param {string} what @param {number} [allowed] */
function near(got, want, what, allowed = 2e-5) {
  assert.equal(got.length, want.length, what)
  for (let n = 0; n < got.length; n++)
    if (!(Math.abs(got[n] - want[n]) <= allowed)) assert.fail(`${what}[${n}]: ${got[n]}, ${want[n]} expected`)
}

/**
 * Compares a summary with the one that `weights` give in float64.
 * @param {AttentionSummary | undefined} got
 * @param {FloatTensor | undefined} weights (B, H, L, S)
 * @param {string} what
 */
function compare(got, weights, what) {
  assert.ok(got && weights, what)
  const [B, H, L, S] = weights.dims
  const [R, C] = [Math.min(4, L), Math.min(4, S)]
  const bins = 2 + Math.floor(Math.log2(S))
  const past = 0
  const map = new Float64Array(B * H * R * C)
  const distance = new Float64Array(B * H * bins)
  const entropy = new Float64Array(B * H * L)
  const top = new Float64Array(B * H * L * Math.min(3, S))
  const many = new Float64Array(R)
  for (let i = 0; i < L; i++) many[Math.floor((i * R) / L)]++
  for (let n = 0; n < B * H * L; n++) {
    const [head, i] = [Math.floor(n / L), n % L]
    const row = [...weights.data.subarray(n * S, (n + 1) * S)]
    const r = Math.floor((i * R) / L)
    for (const [j, w] of row.entries()) {
      map[(head * R + r) * C + Math.floor((j * C) / S)] += w / many[r]
      const far = Math.abs(i + past - j)
      distance[head * bins + Math.min(bins - 1, far ? 1 + Math.floor(Math.log2(far)) : 0)] += w
      if (w > 0) entropy[n] -= w * Math.log(w)
    }
    top.set([...row].sort((a, b) => b - a).slice(0, Math.min(3, S)), n * Math.min(3, S))
    got.topKeys?.data.subarray(n * Math.min(3, S), (n + 1) * Math.min(3, S)).forEach((key, place) => {
      const weight = got.topWeights?.data[n * Math.min(3, S) + place] ?? NaN
      if (key >= 0) near([weight], [row[key]], `${what}: weight of key ${key}`)
      else assert.equal(weight, 0)
    })
  }
  for (let head = 0; head < B * H; head++) {
    const own = distance.subarray(head * bins, (head + 1) * bins)
    const all = own.reduce((a, b) => a + b, 0)
    own.set(own.map(sum => sum / all))
  }
  near(got.map?.data ?? [], map, `${what}: map`)
  near(got.entropy?.data ?? [], entropy, `${what}: entropy`, 1e-4)
  near(got.distance?.data ?? [], distance, `${what}: distance`)
  near(got.topWeights?.data ?? [], top, `${what}: topWeights`)
  near(got.window().data, weights.data, `${what}: all weights`)
  const window = /** @type {const} */ ({ head: H - 1, rows: [1, L], columns: [0, S - 1] })
  const part = got.window(window)
  assert.deepEqual([...part.dims], [B, L - 1, S - 1], what)
  near(
    part.data,
    weights
      .slice(1, H - 1, H)
      .slice(2, 1, L)
      .slice(3, 0, S - 1).data,
    `${what}: a window`,
  )
  const cells = got.window({ ...window, resolution: [2, 3] })
  const [across, columns] = [Math.min(3, S - 1), Array.from({ length: S - 1 }, (_, j) => j)]
  const sums = Array.from({ length: B * 2 * across }, (_, n) => {
    const [b, r, c] = [Math.floor(n / (2 * across)), Math.floor(n / across) % 2, n % across]
    const rows = Array.from({ length: L - 1 }, (_, i) => i).filter(i => Math.floor((i * 2) / (L - 1)) === r)
    const own = columns.filter(j => Math.floor((j * across) / (S - 1)) === c)
    return (
      rows.flatMap(i => own.map(j => part.data[(b * (L - 1) + i) * (S - 1) + j])).reduce((a, w) => a + w, 0) /
      rows.length
    )
  })
  assert.deepEqual([...cells.dims], [B, 2, across], what)
  near(cells.data, sums, `${what}: a window in cells`)
}

for (const name of folders)
  test(`${name}: summaries are those of the weights, and leave the logits as they are`, async () => {
    const model = await open(name)
    const { encoder, decoder } = model.stacks
    const isBoth = encoder !== undefined && decoder !== undefined
    const input = isBoth ? { ids, decoderIds: [0, 5, 8] } : { ids }
    const plain = model.forwardSync(input, { keep: NAMES.map(([weights]) => weights) })
    const seen = model.forwardSync(input, { keep: NAMES.map(([, summaries]) => summaries), summary })
    near(seen.lastHiddenState.data, plain.lastHiddenState.data, 'what leaves the model', 1e-4)
    for (const [weights, summaries] of NAMES) {
      const isThere = isBoth || weights === 'attentions'
      assert.equal(seen[summaries].length > 0, isThere, summaries)
      for (const [layer, made] of seen[summaries].entries())
        compare(made, plain[weights][layer], `${summaries} of layer ${layer}`)
    }
    const main = isBoth ? 'encoderAttentions' : 'attentions'
    const want = headScores(plain[main], ids)
    const scores = await model.headScores(ids)
    for (const score of /** @type {const} */ (['previous', 'first', 'duplicate', 'induction', 'entropy'])) {
      assert.deepEqual([...scores[score].dims], [...want[score].dims])
      // The tolerance of entropy is larger, because the expected scores miss keys whose weight underflows in float32.
      near(scores[score].data, want[score].data, score, score === 'entropy' ? 2e-3 : 1e-4)
    }
    model.dispose()
  })

const LAYER = 'attentionSummaries.1'
const WEIGHTS = 'attentions.1'

test('with hooks on scores or weights a summary is that of the changed weights', () => {
  /** @type {import('../../src/models/model.js').Hooks[]} */
  const all = [
    { 'layers.1.attention.weights.2': 0.5 },
    { 'layers.1.attention.scores.1': s => void s.data.fill(-Infinity, 8 * ids.length, 8 * ids.length + 3) },
    { 'layers.0.heads.1': 0, 'layers.1.attention.q': 2 },
    { 'layers.*.attention.weights': () => {} },
  ]
  for (const [n, hooks] of all.entries()) {
    const plain = gpt2.forwardSync({ ids }, { keep: [WEIGHTS], hooks })
    const seen = gpt2.forwardSync({ ids }, { keep: [LAYER], hooks, summary })
    const both = gpt2.forwardSync({ ids }, { keep: [LAYER, WEIGHTS], hooks, summary })
    for (const { attentionSummaries } of [seen, both]) {
      assert.equal(attentionSummaries[0], undefined)
      compare(attentionSummaries[1], plain.attentions[1], `hooks ${n}`)
      const scores = attentionSummaries[1]?.scores ?? assert.fail()
      const want = headScores([plain.attentions[1]], ids)
      for (const [name, score] of Object.entries(scores))
        near(score.data, want[/** @type {'first'} */ (name)].data, `hooks ${n}: ${name}`, 1e-4)
    }
  }
  const seen = gpt2.forwardSync(
    { ids },
    { keep: [LAYER], hooks: { 'layers.1.attention.weights.0': () => {} }, summary },
  )
  const plain = gpt2.forwardSync({ ids }, { keep: [LAYER], summary })
  const sums = [seen, plain].map(({ attentionSummaries }) => attentionSummaries[1]?.logSumExp?.data ?? [])
  near(sums[0], sums[1], 'logSumExp', 1e-4)
})

test('summaries of padded rows, of a cache and of a run in turns are those of the weights', async () => {
  const padded = {
    ids: [ids, ids.map(id => id + 1)],
    attentionMask: [ids.map(() => 1), ids.map((_, i) => Number(i > 3))],
  }
  const plain = gpt2.forwardSync(padded, { keep: [WEIGHTS] })
  const seen = gpt2.forwardSync(padded, { keep: [LAYER], summary: { map: [13, 13] } })
  const made = seen.attentionSummaries[1] ?? assert.fail()
  near(made.map?.data ?? [], plain.attentions[1]?.data ?? [], 'a map of all cells')
  near(made.window({ head: 1 }).data, plain.attentions[1]?.slice(1, 1, 2).data ?? [], 'a window of both texts')

  const whole = gpt2.forwardSync({ ids }, { keep: [WEIGHTS] }).attentions[1] ?? assert.fail()
  const cache = gpt2.cache()
  gpt2.forwardSync({ ids: ids.slice(0, 9) }, { cache })
  const { attentionSummaries } = gpt2.forwardSync({ ids: ids.slice(9) }, { cache, keep: [LAYER], summary: { topK: 1 } })
  cache.dispose()
  near(attentionSummaries[1]?.window().data ?? [], whole.slice(2, 9).data, 'after a cache')

  /** @type {string[]} */
  const order = []
  const turns = await gpt2.forward(
    { ids },
    {
      keep: ['attentionSummaries'],
      summary: { map: [2, 2], windows: false, onSummary: ({ name, layer }) => void order.push(`${name}.${layer}`) },
      onLayer: ({ layer }) => void order.push(`layer ${layer}`),
    },
  )
  assert.deepEqual(order.slice(0, 4), ['attentionSummaries.0', 'layer 1', 'attentionSummaries.1', 'layer 2'])
  assert.equal(turns.attentionSummaries.length, gpt2.stacks.decoder?.layers)
  assert.throws(() => turns.attentionSummaries[0]?.window(), /were not kept/)
})

test('wrong options of a summary throw before the first layer runs', () => {
  let isRun = false
  const hooks = {
    embedding: () => {
      isRun = true
    },
  }
  const wrong = /** @type {any[]} */ ([
    [{ map: [0, 4] }, /map\[0\]/],
    [{ map: [2.5, 4] }, /map\[0\]/],
    [{ map: [2 ** 13, 2 ** 13] }, /16777216/],
    [{ topk: 4 }, /topK/],
    [{ topK: 0 }, /topK/],
    [{ ids }, /ids/],
    [{ windows: 1 }, /windows/],
    [{ onSummary: 3 }, /onSummary/],
    [7, /summary/],
  ])
  for (const [given, message] of wrong)
    assert.throws(() => gpt2.forwardSync({ ids }, { keep: ['attentionSummaries'], summary: given, hooks }), message)
  assert.equal(isRun, false)
  assert.throws(() => gpt2.forwardSync({ ids }, { keep: ['attentionSummaries.9'] }), /there are/)
  const { attentionSummaries } = gpt2.forwardSync({ ids }, { keep: [LAYER], summary: { topK: 99 } })
  const made = attentionSummaries[1] ?? assert.fail()
  assert.equal(made.topKeys?.dims.at(-1), ids.length)
  for (const window of [
    { head: 99 },
    { head: 0.5 },
    { head: 0, rows: [3, 1] },
    { head: 0, columns: [0, 99] },
    { head: 0, resolution: [0, 2] },
    { row: 1 },
  ])
    assert.throws(() => made.window(/** @type {any} */ (window)), /window|rows|columns/i)
})

test('4,096 tokens are summarised, and their heads scored, without a matrix of all weights', async () => {
  const L = 4096
  const folder = `${goldens}/llama-tiny-sharded`
  const files = readdirSync(folder).map(name => [name, readFileSync(`${folder}/${name}`)])
  const source = Object.fromEntries(files)
  const config = JSON.parse(source['config.json'])
  source['config.json'] = Buffer.from(JSON.stringify({ ...config, max_position_embeddings: L }))
  const own = await load() // a fresh module, whose memory has not grown yet
  const model = await loadModel(own, source, { tokenizer: false })
  const long = Array.from({ length: L }, (_, i) => (i * 7919) % 60)
  const { attentionSummaries } = model.forwardSync(
    { ids: long },
    { keep: ['attentionSummaries'], summary: { map: [64, 64], topK: 8 }, logits: 'none' },
  )
  const scores = await model.headScores(long)
  assert.ok(scores.first.data.every(score => score > 0))
  assert.ok(own.memory.size < (4 * L * L) / 2, `${own.memory.size} bytes, a matrix of one head has ${4 * L * L}`)
  const made = attentionSummaries[0] ?? assert.fail()
  const near4096 = made.window({ head: 1, rows: [L - 2, L] })
  for (const i of [0, 1]) near([near4096.data.subarray(i * L, (i + 1) * L).reduce((a, b) => a + b, 0)], [1], 'a row')
  model.dispose()
})
