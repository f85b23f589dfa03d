// Global attention of Longformer: marked tokens see all others and are seen by all. goldens.test.js compares its numbers with the goldens.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ablate, backwardSync, edges, patch, scoreAttribution } from '../../src/entries/interpret.js'
import { open, qkv } from './checkpoints.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const loaded = qkv.memory.resident
const ids = [5, 9, 13, 5, 9, 17, 21, 30, 8, 11, 4, 12]
const marked = ids.map((_, n) => Number(n === 1 || n === 6))
const input = { ids, globalAttentionMask: marked }
const LAYERS = 3

/** @param {FloatTensor | undefined} x */
const numbers = x => Array.from(x?.data ?? assert.fail())

/** @param {FloatTensor | undefined} got @param {FloatTensor | undefined} want */
function near(got, want) {
  const [a, b] = [numbers(got), numbers(want)]
  assert.equal(a.length, b.length)
  a.forEach((x, n) => {
    assert.ok(Math.abs(x - b[n]) <= 5e-5, `${n}: ${x} for ${b[n]}`)
  })
}

test('weights of marked tokens are a separate place; attentions have all rows', async () => {
  const model = await open('longformer-made')
  const { attentions, kept } = model.forwardSync(input, {
    keep: ['attentions', 'layers.*.attention.weights', 'layers.*.global.weights'],
  })
  for (let layer = 0; layer < LAYERS; layer++) {
    const [own, far, all] = [
      kept[`layers.${layer}.attention.weights`],
      kept[`layers.${layer}.global.weights`],
      attentions[layer],
    ]
    assert.ok(own && far && all)
    const [, H, L] = all.dims
    const half = [2, 1, 4][layer]
    for (let h = 0; h < H; h++)
      for (let i = 0; i < L; i++) {
        let sum = 0
        for (let j = 0; j < L; j++) {
          /** @type {number} */
          const p = all.at(0, h, i, j)
          assert.deepEqual([own.at(0, h, i, j), far.at(0, h, i, j)], marked[i] ? [0, p] : [p, 0])
          assert.equal(p > 0, Boolean(marked[i] || marked[j] || Math.abs(i - j) <= half))
          sum += p
        }
        assert.ok(Math.abs(sum - 1) < 1e-5)
      }
  }
  model.dispose()
})

test('a run in turns, with hooks or with summaries has the numbers of a plain one', async () => {
  const model = await open('longformer-made')
  const { logits } = model.forwardSync(input)
  const turns = await model.forward(input, { keep: ['attentions'] })
  near(turns.logits, logits)
  const summary = /** @type {const} */ ({ topK: 2, entropy: true, map: [4, 4], logSumExp: true })
  const { attentionSummaries, logits: again } = model.forwardSync(input, { keep: ['attentionSummaries'], summary })
  near(again, logits)
  turns.attentions.forEach((weights, layer) => {
    const { entropy, window } = attentionSummaries[layer] ?? assert.fail()
    near(window(), weights)
    const rows = numbers(weights)
    const want = numbers(entropy).map((_, n) =>
      rows.slice(n * ids.length, (n + 1) * ids.length).reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0),
    )
    numbers(entropy).forEach((value, n) => {
      assert.ok(Math.abs(value - want[n]) < 1e-5, `${layer} ${n}`)
    })
  })
  model.dispose()
})

test('a hook of the weights of marked tokens changes their rows alone', async () => {
  const model = await open('longformer-made')
  const plain = model.forwardSync(input, { keep: ['layers.0.heads'] }).kept['layers.0.heads']
  const { kept } = model.forwardSync(input, { keep: ['layers.0.heads'], hooks: { 'layers.0.global.weights': 0 } })
  const changed = kept['layers.0.heads']
  assert.ok(plain && changed)
  for (const [i, mark] of marked.entries()) {
    const row = numbers(changed.slice(1, i, i + 1))
    if (mark) assert.ok(row.every(x => x === 0))
    else near(changed.slice(1, i, i + 1), plain.slice(1, i, i + 1))
  }
  model.dispose()
})

test('a mask of zeros is the same as none, padding cannot be marked, another family has none', async () => {
  const model = await open('longformer-made')
  const none = model.forwardSync({ ids, globalAttentionMask: ids.map(() => 0) }).logits
  assert.deepEqual(numbers(none), numbers(model.forwardSync({ ids }).logits))
  assert.notDeepEqual(numbers(none), numbers(model.forwardSync(input).logits))
  const attentionMask = ids.map((_, n) => Number(n < 8))
  const ofReal = model.forwardSync({ ids, attentionMask, globalAttentionMask: marked }).logits
  const ofAll = model.forwardSync({ ids, attentionMask, globalAttentionMask: marked.map((m, n) => m | Number(n > 7)) })
  assert.deepEqual(numbers(ofReal), numbers(ofAll.logits))
  assert.throws(
    () => model.forwardSync({ ids, globalAttentionMask: [1] }),
    /globalAttentionMask: expected dims \(1, 12\), as the ids, got \(1\)/,
  )
  model.dispose()
  const other = await open('roberta-made')
  assert.throws(() => other.forwardSync(input), /globalAttentionMask: roberta has no global attention/)
  other.dispose()
})

test('for classes of texts the first token is marked, also of several texts', async () => {
  const model = await open('longformer-sequence-made')
  const first = ids.map((_, n) => Number(n === 0))
  const { logits } = await model.classify({ ids })
  assert.deepEqual(numbers(logits), numbers(model.forwardSync({ ids, globalAttentionMask: first }).classLogits))
  const both = await model.classify([{ ids }, { ids: ids.slice(0, 7) }])
  const short = await model.classify({ ids: ids.slice(0, 7) })
  near(both.logits.slice(0, 0, 1), logits)
  near(both.logits.slice(0, 1, 2), short.logits)
  model.dispose()
})

test('patch, ablate, logitAttribution and gradients run with marked tokens; score attribution is refused', async () => {
  const model = await open('longformer-made')
  const of = { logits: [{ position: 3, token: 7 }] }
  const other = { ...input, ids: ids.map(id => (id + 3) % 40) }
  const { effects } = await ablate(model, input, { what: 'heads', of })
  const [layer, head] = [1, 2]
  const value = (/** @type {object} */ hooks) => model.forwardSync(input, { hooks }).logits?.at(0, 3, 7)
  const want = Number(value({ [`layers.${layer}.heads.${head}`]: 0 })) - Number(value({}))
  assert.ok(
    Math.abs(effects.at(layer, head) - want) < 1e-4 && Math.abs(want) > 1e-3,
    `${effects.at(layer, head)} ${want}`,
  )
  const patched = await patch(model, { clean: other, corrupted: input, what: 'positions', of })
  const replaced = model.forwardSync(other, { keep: ['layers.2.input'] }).kept['layers.2.input'] ?? assert.fail()
  const by = (/** @type {FloatTensor} */ x) => {
    const [, , d] = x.dims
    x.data.set(replaced.data.subarray(6 * d, 7 * d), 6 * d)
  }
  const withOther = Number(value({ 'layers.2.input': by })) - Number(value({}))
  assert.ok(Math.abs(patched.effects.at(2, 6) - withOther) < 1e-4 && Math.abs(withOther) > 1e-3)
  const { heads, mlps, embedding, rest, logits } = await model.logitAttribution(input, { position: 3, tokens: [7] })
  const sum = [heads, mlps, embedding, rest].reduce((total, x) => total + numbers(x).reduce((a, b) => a + b, 0), 0)
  assert.ok(Math.abs(sum - Number(logits[0])) < 1e-3, `${sum} ${logits[0]}`)
  const { gradients } = backwardSync(model, input, { of, at: ['layers.0.global.v'] })
  assert.ok(numbers(gradients['layers.0.global.v']).some(x => x !== 0))
  await assert.rejects(
    ablate(model, input, { what: 'weights', of }),
    /"weights" is not covered with a globalAttentionMask/,
  )
  await assert.rejects(edges(model, input, { clean: other, of }), /tokens with global attention are not covered/)
  await assert.rejects(
    scoreAttribution(model, input, { layer: 0, head: 0, query: 1, key: 2 }),
    /expected a globalAttentionMask of 0 for all tokens; tokens with global attention are not covered/,
  )
  model.dispose()
  assert.equal(qkv.memory.resident, loaded)
})
