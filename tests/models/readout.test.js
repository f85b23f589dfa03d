// Tests patching, ablation and gradients with objectives other than logits of tokens: classes, and the similarity of two texts. They are compared
// with runs in which a hook makes the change, and with finite differences.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { ablate, backwardSync, patch } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { folders, goldens, near } from './checkpoints.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
after(() => assert.equal(qkv.memory.resident, 0))
const open = (/** @type {string} */ name) =>
  loadModel(qkv, `${goldens}/${name}`, { tokenizer: Tokenizer, dtype: 'float32' })
const clean = { ids: [5, 9, 13, 5, 9, 7, 20, 31] }
const input = { ids: [5, 9, 13, 8, 9, 7, 12, 31] }
/** @import { FloatTensor } from '../../src/base/tensor.js' */

/**
 * Checks that the effects of some heads and states are those of hooks that make the same change, and that the gradient equals finite differences.
 * @param {import('../../src/models/model.js').Model} model
 * @param {any} of
 * @param {(given: { ids: number[] }, hooks?: any) => Promise<number>} measured computes the objective of a run with hooks
 */
async function compare(model, of, measured) {
  const { layers, numHeads: heads } = model.stacks.decoder ?? model.stacks.encoder ?? assert.fail()
  const value = await measured(input)
  for (const by of /** @type {const} */ ([0, 'mean'])) {
    const off = await ablate(model, input, { of, by })
    assert.deepEqual(off.effects.dims, [layers, heads])
    near(off.value, value, 'value')
    for (const [layer, head] of [
      [0, heads - 1],
      [layers - 1, 0],
    ]) {
      const want = (await measured(input, { [`layers.${layer}.heads.${head}`]: by })) - value
      near(off.effects.at(layer, head), want, `head ${layer}.${head} by ${by}`, 3e-5)
    }
  }
  const states = await patch(model, { clean, corrupted: input, of, what: 'positions' })
  near(states.clean ?? NaN, await measured(clean), 'the clean value')
  const kept = model.forwardSync(clean, { keep: ['hiddenStates'] }).hiddenStates
  for (const position of [3, 6]) {
    const hook = (/** @type {FloatTensor} */ x) =>
      x
        .row(0)
        .row(position)
        .data.set(kept[1]?.row(0).row(position).data ?? [])
    near(states.effects.at(1, position), (await measured(input, { 'layers.1.input': hook })) - value, 'state', 3e-5)
  }
  // A small step along the gradient changes the value by the length of the step times that of the gradient.
  const place = `layers.${layers - 1}.input`
  const { gradients, value: same } = backwardSync(model, input, { of, at: [/** @type {any} */ (place)] })
  near(same ?? NaN, value, 'the value of backward')
  const { data } = gradients[place]
  const length = Math.hypot(...data)
  assert.ok(length > 1e-4, `a gradient of length ${length}`)
  const step = 0.01
  const along = (/** @type {number} */ sign) =>
    measured(input, {
      [place]: (/** @type {FloatTensor} */ x) => {
        data.forEach((each, n) => {
          x.data[n] += (sign * step * each) / length
        })
      },
    })
  const difference = ((await along(1)) - (await along(-1))) / (2 * step)
  near(difference / length, 1, 'the difference beside the gradient', 0.01)
}

for (const name of folders.filter(name => /-(sequence|tokens)-made$|sst-tiny/.test(name)))
  test(`${name}: heads and states that matter for classes`, async () => {
    const model = await open(name)
    const isToken = model.classes?.of === 'token'
    const terms = [
      { class: 0, weight: 1 },
      { class: 1, weight: -0.5 },
    ]
    const of = { classes: isToken ? terms.map((term, n) => ({ ...term, position: n ? -2 : 4 })) : terms }
    await compare(model, of, async (given, hooks) => {
      const { logits } = await model.classify(given, { hooks })
      const at = (/** @type {number} */ row, /** @type {number} */ n) =>
        isToken ? logits.at(0, row, n) : logits.at(0, n)
      return at(4, 0) - 0.5 * at(given.ids.length - 2, 1)
    })
    model.dispose()
  })

for (const pooling of /** @type {const} */ ([
  'mean_tokens',
  'cls_token',
  'max_tokens',
  'mean_sqrt_len_tokens',
  'lasttoken',
]))
  test(`heads and states that matter for how alike two texts are, ${pooling}`, async () => {
    const model = await open('sentence-bert-tiny')
    const { other, poolings } = await model.similarity('The river was slow.', 'A cat sat.', { pooling })
    assert.deepEqual(poolings, [pooling])
    near(Math.hypot(...other.data), 1, 'length')
    await compare(model, { cosine: other, poolings }, async (given, hooks) => {
      const { lastHiddenState: h } = await model.forward(given, { hooks, logits: 'none' })
      const rows = given.ids.map((_, i) => [...h.row(0).row(i).data])
      const own = rows[0].map((_, c) => {
        const column = rows.map(row => row[c])
        if (pooling === 'cls_token') return column[0]
        if (pooling === 'lasttoken') return column.at(-1) ?? NaN
        if (pooling === 'max_tokens') return Math.max(...column)
        return column.reduce((a, b) => a + b) / (pooling === 'mean_tokens' ? rows.length : Math.sqrt(rows.length))
      })
      return own.reduce((sum, each, c) => sum + each * other.data[c], 0) / Math.hypot(...own)
    })
    model.dispose()
  })

test('the objective of model.similarity has its value', async () => {
  const model = await open('sentence-bert-tiny')
  const [text, second] = ['The river was slow.', 'A cat sat.']
  const { value, other, poolings } = await model.similarity(text, second)
  const off = await ablate(model, text, { of: { cosine: other, poolings }, method: 'gradient' })
  near(off.value, value)
  model.dispose()
})

test('the similarity of two texts leaves out padding', async () => {
  const model = await open('sentence-bert-tiny')
  const padded = { ids: [5, 6, 7, 0, 0], attentionMask: [1, 1, 1, 0, 0] }
  const cosine = qkv.generator(1).randn([Number(model.config.hidden_size)])
  for (const pooling of /** @type {const} */ (['mean_tokens', 'max_tokens', 'lasttoken'])) {
    const of = { cosine, poolings: [pooling] }
    const alone = backwardSync(model, { ids: [5, 6, 7] }, { of, at: ['embedding'] })
    const masked = backwardSync(model, padded, { of, at: ['embedding'] })
    near(masked.value ?? NaN, alone.value ?? NaN, pooling)
    const [own, all] = [alone, masked].map(({ gradients }) => gradients.embedding.data)
    for (const [i, value] of own.entries()) near(all[i], value, `${pooling}: ${i}`)
    assert.ok(all.subarray(own.length).every(value => value === 0))
  }
  model.dispose()
})

test('a class of a decoder is read at the last id that is not padding, whatever the mask, as classify does', async () => {
  const model = await open('gpt2-sequence-made')
  for (const [ids, attentionMask] of [
    [
      [5, 9, 13, 0],
      [1, 1, 1, 1],
    ],
    [
      [0, 5, 9, 0],
      [0, 1, 1, 1],
    ],
  ]) {
    const { logits } = await model.classify({ ids, attentionMask })
    const { value } = backwardSync(
      model,
      { ids, attentionMask },
      { of: { classes: [{ class: 1 }] }, at: ['embedding'] },
    )
    near(value ?? NaN, logits.at(0, 1), String(ids))
  }
  model.dispose()
})

test('an objective that a checkpoint does not have is refused with the reason', async () => {
  const [told, tokens] = [await open('distilbert-sst-tiny'), await open('gpt2-tiny')]
  const refused = (/** @type {any} */ model, /** @type {any} */ of, /** @type {RegExp} */ text, more = {}) => {
    assert.throws(() => backwardSync(model, input, { of, ...more }), text)
    if (!Object.keys(more).length) return assert.rejects(ablate(model, input, { of }), text)
  }
  await refused(
    told,
    { logits: [{ position: -1, token: 1 }] },
    /no head, so it has no logits of tokens: say of: \{ classes/,
  )
  await refused(tokens, { classes: [{ class: 0 }] }, /this gpt2 checkpoint has no classes/)
  await refused(told, { classes: [] }, /classes: expected a list of \{ class, weight \}, got /)
  await refused(told, { classes: [{ class: 2 }] }, /classes\[0\]\.class: .*got 2/)
  await refused(told, { classes: [{ class: 1, position: 2 }] }, /"position"/)
  await refused(tokens, { cosine: [1, 2], poolings: ['mean_tokens'] }, /cosine: expected dims \(\d+\), got \(2\)/)
  await refused(tokens, { cosine: [1, 2], poolings: [] }, /poolings: expected a list of cls_token/)
  await refused(told, { classes: [{ class: 1 }] }, /the gradients of parameters are covered of the loss/, {
    parameters: ['classifier.weight'],
  })
  const two = {
    ids: [
      [1, 2],
      [3, 4],
    ],
  }
  assert.throws(() => backwardSync(told, two, { of: { classes: [{ class: 1 }] } }), /expected one text, got 2/)
  told.dispose()
  tokens.dispose()
})
