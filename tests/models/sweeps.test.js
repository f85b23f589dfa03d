// Tests patch and ablate over every part of a model, also by given values, with words in place of ids, with several texts and with custom metrics.
// Also tests activations kept by the name of their place, and the accumulated residual stream.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ablate, accumulatedResidual, backwardSync, patch } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { loaded, near, open, qkv } from './checkpoints.js'
import { Tokenizer } from './tokenizer.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value
const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../goldens/models/${name}`, import.meta.url))

const ids = [5, 9, 30, 5, 9, 27, 20, 31]
const other = [5, 9, 30, 8, 9, 27, 12, 31]
const of = {
  logits: [
    { position: -1, token: 7 },
    { position: 2, token: 3, weight: -0.5 },
  ],
}
const value = (/** @type {FloatTensor | undefined} */ logits) => {
  const L = logits?.dims[1] ?? 0
  return (logits?.at(0, L - 1, 7) ?? NaN) - 0.5 * (logits?.at(0, 2, 3) ?? NaN)
}

/** For each `what`: the place, and a function that copies one cell from one tensor of the place to another. */
const CELLS =
  /** @type {Record<string, { at: string, cross?: string, put: (x: FloatTensor, from: FloatTensor, cell: number, D: number) => void }>} */ ({
    'attention output': { at: 'attention.output', cross: 'cross.output', put: row },
    'mlp output': { at: 'mlp.output', put: row },
    q: { at: 'attention.q', cross: 'cross.q', put: head },
    k: { at: 'attention.k', cross: 'cross.k', put: head },
    v: { at: 'attention.v', cross: 'cross.v', put: head },
    weights: { at: 'attention.weights', cross: 'cross.weights', put: map },
    'q by position': { at: 'attention.q', cross: 'cross.q', put: headRow },
    'v by position': { at: 'attention.v', cross: 'cross.v', put: headRow },
  })
/** @param {FloatTensor} x @param {FloatTensor} from @param {number} cell */
function row(x, from, cell) {
  const d = x.dims[2]
  x.data.set(from.data.subarray(cell * d, (cell + 1) * d), cell * d)
}
/** @param {FloatTensor} x @param {FloatTensor} from @param {number} cell @param {number} D */
function head(x, from, cell, D) {
  const [, L, width] = x.dims
  for (let p = 0; p < L; p++)
    x.data.set(from.data.subarray(p * width + cell * D, p * width + (cell + 1) * D), p * width + cell * D)
}
/** @param {FloatTensor} x @param {FloatTensor} from @param {number} cell */
function map(x, from, cell) {
  const size = x.dims[2] * x.dims[3]
  x.data.set(from.data.subarray(cell * size, (cell + 1) * size), cell * size)
}
/** @param {FloatTensor} x @param {FloatTensor} from @param {number} cell head * L + position @param {number} D */
function headRow(x, from, cell, D) {
  const [, L, width] = x.dims
  const at = (cell % L) * width + Math.floor(cell / L) * D
  x.data.set(from.data.subarray(at, at + D), at)
}

for (const name of ['gpt2-tiny', 'llama-tiny-sharded', 'gpt_neox-made', 'gemma3-tiny', 'bert-tiny', 't5-tiny'])
  test(`${name}: patches of attention output, MLP output, q, k, v and weights are the same as hooks`, async () => {
    const model = await open(name, 'float32')
    const isBoth = model.stacks.encoder !== undefined && model.stacks.decoder !== undefined
    const [clean, corrupted] = [ids, other].map(ids => ({
      ids,
      ...(isBoth && { decoderIds: [0, 6, 8, 4].map(id => id + ids[3] - 5) }),
    }))
    const base = value(model.forwardSync(corrupted).logits)
    for (const place of isBoth ? ['encoder', 'decoder', 'cross'] : [undefined]) {
      const stack = model.stacks[place === 'encoder' || !model.stacks.decoder ? 'encoder' : 'decoder'] ?? assert.fail()
      const prefix = place ? (place === 'cross' ? 'decoder.' : `${place}.`) : ''
      for (const [what, { at, cross, put }] of Object.entries(CELLS)) {
        if (place === 'cross' && !cross) {
          await assert.rejects(
            patch(model, any({ clean, corrupted, of, what, place })),
            /"cross" has no mlp output; use one of "heads"/,
          )
          continue
        }
        /** @type {import('../../src/entries/interpret.js').PatchOptions} */
        const options = any({ clean, corrupted, of, what, ...(place && { place }) })
        const { effects } = await patch(model, options)
        const cells = effects.data.length / stack.layers
        for (const [layer, cell] of [
          [0, cells - 1],
          [stack.layers - 1, 0],
          [stack.layers - 1, cells - 1],
        ]) {
          const name = any(`${prefix}layers.${layer}.${place === 'cross' ? cross : at}`)
          const source = /** @type {any} */ (model.forwardSync(clean, { keep: [name] }).kept)[name]
          const hook = (/** @type {FloatTensor} */ x) => put(x, source, cell, stack.headDim)
          const want = value(model.forwardSync(corrupted, { hooks: any({ [name]: hook }) }).logits) - base
          near(effects.data[layer * cells + cell], want, `${what} ${place} ${layer}.${cell}`)
        }
      }
    }
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('ablation by given values: a tensor that broadcasts, or tensors by place; zeros are the same as 0', async () => {
  const model = await open('gpt2-tiny', 'float32')
  const { layers, numHeads: heads, headDim } = model.stacks.decoder ?? assert.fail()
  const zeros = { data: new Float32Array(heads * headDim), dims: [heads * headDim] }
  for (const what of /** @type {const} */ (['heads', 'heads by position', 'q', 'weights', 'mlp output', 'neurons'])) {
    const by = what === 'weights' ? [[[0]]] : what === 'neurons' || what === 'mlp output' ? [0] : zeros
    const [own, given] = [await ablate(model, { ids }, { of, what }), await ablate(model, { ids }, { of, what, by })]
    assert.deepEqual(given.effects, own.effects, what)
  }
  const mean = new Float32Array(heads * headDim).fill(0.25)
  const places = Object.fromEntries(
    Array.from({ length: layers }, (_, n) => [`layers.${n}.heads`, { data: mean, dims: [heads * headDim] }]),
  )
  const { effects, value: base } = await ablate(model, { ids }, { of, by: places })
  const put = (/** @type {FloatTensor} */ x) => void x.data.fill(0.25)
  near(
    effects.at(1, 2),
    value(model.forwardSync({ ids }, { hooks: { 'layers.1.heads.2': put } }).logits) - base,
    'a mean of other texts',
  )
  // patch with the same values makes the same change, also for a list of texts.
  const patched = await patch(model, { corrupted: { ids }, of, by: places })
  assert.deepEqual([patched.effects, patched.value, patched.clean], [effects, base, undefined])
  const both = await patch(model, { corrupted: [{ ids }, { ids: other }], of, by: places })
  assert.deepEqual(both.each[0], patched)
  assert.deepEqual(both.each[1], await ablate(model, { ids: other }, { of, by: places }))
  // A star means every layer; the name of a layer takes precedence.
  const starred = await ablate(model, { ids }, { of, by: { 'layers.*.heads': [0] } })
  assert.deepEqual(starred, await ablate(model, { ids }, { of }))
  assert.deepEqual(
    await ablate(model, { ids }, { of, by: { 'layers.*.heads': [0], ...places } }),
    await ablate(model, { ids }, { of, by: places }),
  )
  await assert.rejects(
    patch(model, any({ clean: { ids }, corrupted: { ids }, of, by: places })),
    /patch: expected either clean, a text, or by, .*got both/,
  )
  await assert.rejects(
    patch(model, any({ corrupted: { ids }, of, by: 'mean' })),
    /patch: by: expected a tensor.*got "mean"/,
  )
  await assert.rejects(patch(model, any({ corrupted: 5, of, by: places })), /patch: corrupted: .*got 5/)
  // For a small change, the exact effect equals the estimate by the gradient.
  const { kept } = model.forwardSync({ ids }, { keep: ['layers.*.attention.weights'] })
  const smaller = Object.fromEntries(
    Object.entries(/** @type {Record<string, FloatTensor>} */ (kept)).map(([place, { data, dims }]) => [
      place,
      { data: data.map(w => w * (1 - 1e-3)), dims },
    ]),
  )
  const [exact, estimate] = await Promise.all(
    /** @type {const} */ (['exact', 'gradient']).map(method =>
      ablate(model, { ids }, { of, what: 'weights', by: smaller, method }),
    ),
  )
  for (const [n, effect] of exact.effects.data.entries())
    assert.ok(
      Math.abs(effect - estimate.effects.data[n]) <= 1e-5 + 0.02 * Math.abs(effect),
      `${n}: ${effect}, ${estimate.effects.data[n]}`,
    )
  await assert.rejects(
    ablate(model, { ids }, { of, by: [1, 2, 3] }),
    /by: expected dims that broadcast to those of layers\.0\.heads, \(1, 8, 48\), got \(3\)/,
  )
  await assert.rejects(
    ablate(model, { ids }, { of, by: { 'layers.0.heads': [0] } }),
    /by: no values for layers\.1\.heads/,
  )
  await assert.rejects(
    ablate(model, { ids }, any({ of, by: 'zero' })),
    /by: expected 0, "mean", a tensor, or tensors by place.*got "zero"/,
  )
  model.dispose()
})

test('a function that returns a number suffices for exact patches and ablations; the error asks for a gradient if one is needed', async () => {
  const model = await open('gpt2-tiny', 'float32')
  const metric = (/** @type {FloatTensor} */ logits) => value(logits)
  const texts = { clean: { ids }, corrupted: { ids: other } }
  const [own, given] = [await patch(model, { ...texts, of }), await patch(model, { ...texts, of: metric })]
  for (const [n, effect] of own.effects.data.entries()) near(given.effects.data[n], effect, `${n}`)
  near(given.clean ?? NaN, own.clean ?? NaN, 'clean')
  near((await ablate(model, { ids }, { of: metric })).value, value(model.forwardSync({ ids }).logits), 'value')
  const needs =
    /of: its function gave a number, which suffices for exact patching and ablation alone; here return \{ value, gradient \}/
  await assert.rejects(patch(model, { ...texts, of: metric, method: 'gradient' }), needs)
  assert.throws(() => backwardSync(model, { ids }, { of: any(metric) }), needs)
  await assert.rejects(
    patch(model, { ...texts, of: () => NaN }),
    /of: expected a finite objective and gradient, got NaN/,
  )
  model.dispose()
})

test('places are kept by name, with a star, after the hooks there, at once, in turns and of generate', async () => {
  const [gpt2, t5] = [await open('gpt2-tiny', 'float32'), await open('t5-tiny', 'float32')]
  const { kept, logits } = gpt2.forwardSync(
    { ids },
    { keep: ['layers.*.heads', 'layers.1.attention.weights.2', 'norm', 'logits', 'attentions.0'] },
  )
  assert.deepEqual(Object.keys(kept).sort(), [
    'layers.0.heads',
    'layers.1.attention.weights.2',
    'layers.1.heads',
    'layers.2.heads',
    'logits',
    'norm',
  ])
  assert.deepEqual(kept.logits, logits)
  const { kept: same } = await gpt2.forward({ ids }, { keep: ['layers.*.heads'] })
  assert.deepEqual(
    same['layers.2.heads'],
    gpt2.forwardSync({ ids }, { keep: ['layers.2.heads'] }).kept['layers.2.heads'],
  )
  const hooks = /** @type {const} */ ({
    'layers.0.heads': 0.5,
    'layers.0.heads.1': 0,
    'layers.1.attention.weights.2': 'mean',
  })
  const changed = gpt2.forwardSync({ ids }, { keep: ['layers.0.heads', 'layers.1.attention.weights'], hooks })
  assert.deepEqual(changed.logits, gpt2.forwardSync({ ids }, { hooks }).logits, 'keeping changes nothing')
  const [heads, D] = [changed.kept['layers.0.heads'] ?? assert.fail(), 12]
  for (let n = 0; n < heads.data.length; n++)
    near(heads.data[n], Math.floor((n % 48) / D) === 1 ? 0 : (kept['layers.0.heads']?.data[n] ?? NaN) / 2, `${n}`)
  const weights = changed.kept['layers.1.attention.weights'] ?? assert.fail()
  assert.deepEqual(weights.row(0).row(2).row(0), weights.row(0).row(2).row(7), 'the mean of all queries')
  const both = t5.forwardSync({ ids }, { keep: ['encoder.layers.*.mlp.output', 'decoder.layers.1.cross.weights'] }).kept
  assert.deepEqual(Object.keys(both).length, (t5.stacks.encoder?.layers ?? 0) + 1)
  for await (const step of gpt2.generate(ids, { maxNewTokens: 2, keep: ['layers.0.mlp.hidden'] }))
    assert.equal(step.kept['layers.0.mlp.hidden']?.dims.length, 3)
  assert.deepEqual(gpt2.forwardSync({ ids }).kept, {})
  assert.throws(
    () => gpt2.forwardSync({ ids }, { keep: any(['layers.9.heads']) }),
    /keep: "layers\.9\.heads": there are 3 layers/,
  )
  assert.throws(
    () => gpt2.forwardSync({ ids }, { keep: any(['blocks.0.hook_resid_pre']) }),
    /here it is "layers\.0\.input"/,
  )
  assert.throws(
    () => gpt2.forwardSync({ ids }, { keep: any(['attention']) }),
    /keep: "attention" is not known; did you mean "attentions"\?/,
  )
  for (const model of [gpt2, t5]) model.dispose()
  assert.equal(qkv.memory.resident, loaded)
})

test('words are accepted in place of ids, if they are one token; tokenize leaves special tokens out', async () => {
  const model = await loadModel(qkv, path('gpt2-tiny'), { tokenizer: Tokenizer, dtype: 'float32' })
  const [id] = model.tokenize(' cat', { addSpecialTokens: false }).ids
  const text = 'The cat sat'
  const word = model.decode([id])
  const [a, b] = [word, id].map(token => backwardSync(model, text, { of: { logits: [{ position: -1, token }] } }).value)
  assert.equal(a, b)
  const [own, given] = [
    await model.logitAttribution(text, { tokens: [word] }),
    await model.logitAttribution(text, { tokens: [id] }),
  ]
  assert.deepEqual(own, given)
  assert.throws(
    () => backwardSync(model, text, { of: { logits: [{ position: -1, token: 'cat sat on' }] } }),
    /of: logits\[0\]\.token: expected a text that is one token, got "cat sat on", which is \d+ tokens \(".*", ".*"\)/,
  )
  model.dispose()
  const bert = await loadModel(qkv, path('bert-tiny'), { tokenizer: Tokenizer })
  const whole = bert.tokenize('The cat').tokens
  assert.deepEqual(bert.tokenize('The cat', { addSpecialTokens: false }).tokens, whole.slice(1, -1))
  assert.throws(() => bert.tokenize('The cat', { addSpecialTokens: any(1) }), /addSpecialTokens: .*got 1/)
  const at = (/** @type {string} */ token) =>
    backwardSync(bert, 'The cat', { of: { logits: [{ position: 1, token }] } }).value
  assert.throws(() => at('\u2603'), /token: "\u2603" is no token of this model: its tokenizer reads it as \[UNK\]/)
  assert.ok(Number.isFinite(at('[UNK]')))
  bert.dispose()
})

test('several texts: each, the mean and the spread of patches, ablations, attributions and scores of heads', async () => {
  const model = await open('gpt2-tiny', 'float32')
  const [cleans, corrupteds] = [
    [ids, ids.slice(1)],
    [other, other.slice(1)],
  ].map(list => list.map(ids => ({ ids })))
  const both = await patch(model, { clean: cleans, corrupted: corrupteds, of: [of, 'loss'] })
  const alone = [
    await patch(model, { clean: cleans[0], corrupted: corrupteds[0], of }),
    await patch(model, { clean: cleans[1], corrupted: corrupteds[1], of: 'loss' }),
  ]
  assert.deepEqual(both.each, alone)
  const [x, y] = alone.map(({ effects }) => effects.at(1, 2))
  near(both.mean.effects.at(1, 2), (x + y) / 2, 'mean')
  near(both.spread.effects.at(1, 2), Math.abs(x - y) / Math.SQRT2, 'spread')
  near(both.mean.value, (alone[0].value + alone[1].value) / 2, 'value')
  const byPosition = await patch(model, { clean: cleans, corrupted: corrupteds, of, what: 'positions' })
  assert.equal(byPosition.mean.effects, undefined, 'of texts of two lengths')
  const ablated = await ablate(model, cleans, { of })
  assert.deepEqual(ablated.each[1], await ablate(model, cleans[1], { of }))
  const attributed = await model.logitAttribution(cleans, {
    tokens: [
      [7, 3],
      [1, 2],
    ],
  })
  assert.deepEqual(attributed.each[1], await model.logitAttribution(cleans[1], { tokens: [1, 2] }))
  assert.deepEqual(attributed.mean.heads.dims, attributed.each[0].heads.dims)
  const scores = await model.headScores([ids, ids.slice(1), other])
  for (const [n, text] of [ids, ids.slice(1), other].entries())
    for (const [name, own] of Object.entries(await model.headScores(text)))
      for (const [i, score] of own.data.entries())
        near(any(scores.each[n])[name].data[i], score, `${name} of text ${n}`)
  near(
    scores.mean.first.data[0],
    scores.each.reduce((sum, { first }) => sum + first.data[0], 0) / 3,
    'the mean of a score',
  )
  await assert.rejects(
    patch(model, any({ clean: cleans, corrupted: corrupteds[0], of })),
    /two texts, or two lists of as many texts/,
  )
  await assert.rejects(
    patch(model, { clean: cleans, corrupted: corrupteds, of: [of] }),
    /of: expected one objective for each of 2 texts, got 1/,
  )
  await assert.rejects(ablate(model, [], { of }), /got no texts/)
  await assert.rejects(() => model.headScores(any([ids, 3])), /headScores: texts\[1\]: expected a text or ids, got 3/)
  model.dispose()
})

test('the accumulated residual stream of a position, and the logits that it would give, end with those of the model', async () => {
  for (const name of ['gpt2-tiny', 'bert-tiny', 't5-tiny']) {
    const model = await open(name, 'float32')
    const stack = model.stacks.decoder ?? model.stacks.encoder ?? assert.fail()
    const input = { ids, ...(name === 't5-tiny' && { decoderIds: [0, 6, 8, 4] }) }
    const { places, residual, logits } = await accumulatedResidual(model, input, {
      tokens: [7, 3],
      middle: true,
      position: -2,
    })
    assert.deepEqual(residual.dims.slice(0, 1), [2 * stack.layers + 1])
    assert.match(places[1], /layers\.0\.middle$/)
    const ran = model.forwardSync(input, { keep: [any(places[2])] })
    const at = (ran.logits?.dims[1] ?? 0) - 2
    assert.deepEqual(residual.row(2).data, any(ran.kept)[places[2]].row(0).row(at).data)
    for (const [n, token] of [7, 3].entries())
      near(logits?.at(2 * stack.layers, n) ?? NaN, ran.logits?.at(0, at, token) ?? NaN, `${name}: logit ${token}`)
    model.dispose()
  }
  const neox = await open('gpt_neox-made', 'float32')
  await assert.rejects(
    accumulatedResidual(neox, { ids }, { middle: true }),
    /middle: attention and MLP of gpt_neox read the same stream/,
  )
  await assert.rejects(accumulatedResidual(neox, { ids }, { tokens: any(['a']) }), /tokenizer/)
  neox.dispose()
  assert.equal(qkv.memory.resident, loaded)
})

test('of a list of texts, classify gives classes of tokens and last rows in their places, and 0 in those of padding', async () => {
  const model = await open('bert-tokens-made', 'float32')
  const rows = [{ ids: [5, 9] }, { ids: [5, 9, 12, 7] }]
  const { logits, lastHiddenState } = await model.classify(rows)
  assert.deepEqual(logits.dims, [2, 4, model.classes?.labels.length])
  for (const [n, row] of rows.entries()) {
    const alone = await model.classify(row)
    for (const name of /** @type {const} */ (['logits', 'lastHiddenState'])) {
      const want = [...alone[name].data]
      const got = [...{ logits, lastHiddenState }[name].row(n).data]
      assert.deepEqual(got, [...want, ...Array(got.length - want.length).fill(0)])
    }
  }
  model.dispose()
})

test('classify takes a list of texts', async () => {
  for (const name of ['bert-sequence-made', 'gpt2-sequence-made']) {
    const model = await open(name, 'float32')
    const rows = [{ ids: [5, 9, 12] }, { ids: [5, 9, 12, 7, 3] }]
    const { logits, labels } = await model.classify(rows)
    assert.deepEqual(logits.dims, [2, labels.length])
    for (const [n, row] of rows.entries())
      assert.deepEqual([...logits.row(n).data], [...(await model.classify(row)).logits.data], `${name} ${n}`) // no row is padded
    const watched = (await model.classify(rows, { keep: ['attentions.0'] })).logits
    for (const [n, one] of watched.data.entries()) near(logits.data[n], one, `${name} ${n}`)
    model.dispose()
  }
})
