// Patching and ablation, compared with the goldens (float64, tests/goldens/models/README.md), and in every family with hooks.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { ablate, backwardSync, patch } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { folders, goldens, gpt2, loaded, near, open, qkv } from './checkpoints.js'
import { checkPatching } from './patching-golden.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { Model } from '../../src/models/model.js' */

const clean = { ids: [5, 9, 130, 5, 9, 77, 200, 31] }
const corrupted = { ids: [5, 9, 130, 8, 9, 77, 12, 31] }
const of = {
  logits: [
    { position: -1, token: 7 },
    { position: 2, token: 3, weight: -0.5 },
  ],
}

for (const name of folders.filter(name => existsSync(`${goldens}/${name}/patching.json`)))
  test(`${name}: patched heads and inputs, and their estimates, are those of float64`, async t => {
    const model = await open(name, 'float32')
    await checkPatching(model, `${goldens}/${name}`, said => t.diagnostic(said))
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

/** Returns a clean and a corrupted text for any model, the model's places, and a function that computes the objective from logits. @param {Model} model */
function taskOf(model) {
  const isBoth = model.stacks.encoder !== undefined && model.stacks.decoder !== undefined
  const [first, second] = [clean, corrupted].map(({ ids }, n) => ({
    ids: ids.map(id => id % 40),
    ...(isBoth && { decoderIds: n ? [0, 5, 8, 3] : [0, 6, 8, 4] }),
  }))
  const value = (/** @type {FloatTensor | undefined} */ logits) => {
    const { dims } = logits ?? assert.fail()
    return of.logits.reduce(
      (sum, { position, token, weight = 1 }) =>
        sum + weight * (logits?.at(0, (position + dims[1]) % dims[1], token) ?? NaN),
      0,
    )
  }
  const { encoder, decoder } = model.stacks
  /** @type {('encoder' | 'decoder' | 'cross')[]} */
  const places = isBoth ? ['encoder', 'decoder', 'cross'] : [decoder ? 'decoder' : 'encoder']
  return {
    first,
    second,
    value,
    isBoth,
    places,
    stackOf: (/** @type {string} */ p) => (p === 'encoder' ? encoder : decoder),
  }
}

for (const name of folders)
  test(`${name}: patching and ablation are the same as hooks`, async () => {
    const model = await open(name, 'float32')
    if (!model.hasHead) return model.dispose()
    const { first, second, value, isBoth, places, stackOf } = taskOf(model)
    const base = value(model.forwardSync(second).logits)
    for (const place of places) {
      const { layers, numHeads: H, headDim: D } = stackOf(place) ?? assert.fail()
      const prefix = isBoth ? (place === 'cross' ? 'decoder.' : `${place}.`) : ''
      const own = (/** @type {string} */ at, layer = 0) =>
        `${prefix}layers.${layer}.${place === 'cross' ? 'cross.' : ''}${at}`
      /** Runs the clean text and returns the numbers at a place. @param {string} at @returns {FloatTensor} */
      const read = at => {
        /** @type {FloatTensor | undefined} */
        let found
        const keep = (/** @type {FloatTensor} */ x) => {
          found = x
        }
        model.forwardSync(first, { hooks: { [at]: keep } })
        return found ?? assert.fail(at)
      }
      const hooked = (/** @type {string} */ at, /** @type {any} */ hook) =>
        value(model.forwardSync(second, { hooks: { [at]: hook } }).logits) - base
      const texts = { clean: first, corrupted: second, of, place }
      const heads = await patch(model, texts)
      assert.deepEqual(heads.effects.dims, [layers, H])
      const byPosition = (await patch(model, { ...texts, what: 'heads by position' })).effects
      const [zero, mean] = [
        await ablate(model, second, { of, place }),
        await ablate(model, second, { of, place, by: 'mean' }),
      ]
      near(heads.value, base, 'value')
      near(heads.clean ?? NaN, value(model.forwardSync(first).logits), 'clean')
      for (const [layer, head] of [
        [0, 0],
        [layers - 1, H - 1],
        [layers - 1, 0],
      ]) {
        const at = own(`heads.${head}`, layer)
        const source = read(at)
        const label = `${place} ${layer}.${head}`
        near(heads.effects.at(layer, head), hooked(at, source), label)
        near(zero.effects.at(layer, head), hooked(at, 0), `${label} at 0`)
        near(mean.effects.at(layer, head), hooked(at, 'mean'), `${label} at its mean`)
        const p = 2
        const one = (/** @type {FloatTensor} */ x) => x.data.set(source.data.subarray(p * D, (p + 1) * D), p * D)
        near(byPosition.at(layer, head, p), hooked(at, one), `${label} at position ${p}`)
      }
      if (place === 'cross') continue
      const { effects } = await patch(model, { ...texts, what: 'positions' })
      for (const [layer, p] of [
        [0, 3],
        [layers - 1, 2],
      ]) {
        const source = read(own('input', layer))
        const d = source.dims[2]
        const one = (/** @type {FloatTensor} */ x) => x.data.set(source.data.subarray(p * d, (p + 1) * d), p * d)
        near(effects.at(layer, p), hooked(own('input', layer), one), `${place} ${layer}, position ${p}`)
      }
      const { top } = await patch(model, { ...texts, what: 'neurons', top: 2 })
      for (const { layer, neuron, effect } of top ?? assert.fail()) {
        const at = own('mlp.hidden', layer)
        const source = read(at).data
        const change = (/** @type {FloatTensor} */ { data, dims }) => {
          for (let n = neuron; n < data.length; n += dims[2]) data[n] = source[n]
        }
        near(effect, hooked(at, change), `${at}, neuron ${neuron}`)
      }
    }
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('the estimate is the change of the numbers times the gradient, also of neurons and of the loss', async () => {
  const { effects } = await patch(gpt2, { clean, corrupted, of: 'loss', what: 'neurons', method: 'gradient' })
  /** @type {FloatTensor[]} */
  const seen = []
  const keep = (/** @type {FloatTensor} */ x) => {
    seen.push(x)
  }
  const place = 'layers.1.mlp.hidden'
  gpt2.forwardSync(clean, { hooks: { [place]: keep } })
  const { gradients } = backwardSync(gpt2, corrupted, { hooks: { [place]: keep }, at: [place] })
  const [inner] = seen[0].dims.slice(-1)
  for (const neuron of [0, 5, inner - 1]) {
    let want = 0
    for (let n = neuron; n < seen[0].data.length; n += inner)
      want += (seen[0].data[n] - seen[1].data[n]) * gradients[place].data[n]
    near(effects.at(1, neuron), want, `neuron ${neuron}`, 1e-7)
  }
})

test('any function of the logits is an objective; the loss is one', async () => {
  const squares = (/** @type {FloatTensor} */ logits) => ({
    value: logits.data.reduce((sum, x) => sum + x * x, 0) / logits.data.length,
    gradient: { data: logits.data.map(x => (2 * x) / logits.data.length), dims: logits.dims },
  })
  const { effects, value } = await patch(gpt2, { clean, corrupted, of: squares })
  const hook = { 'layers.1.heads.2': /** @type {any} */ (undefined) }
  gpt2.forwardSync(clean, {
    hooks: {
      'layers.1.heads.2': x => {
        hook['layers.1.heads.2'] = x
      },
    },
  })
  const logits = gpt2.forwardSync(corrupted, { hooks: hook }).logits ?? assert.fail()
  near(effects.at(1, 2), squares(logits).value - value, 'squares')
  const loss = await patch(gpt2, { clean, corrupted, of: 'loss' })
  near(loss.value, backwardSync(gpt2, corrupted).value ?? NaN, 'loss')
  near(
    loss.effects.at(1, 2),
    (backwardSync(gpt2, corrupted, { hooks: hook }).value ?? NaN) - loss.value,
    'loss of head 1.2',
  )
})

test('positions align texts of different length; without them the error has the way out', async () => {
  const longer = { ids: [5, 9, 44, 130, 5, 9, 77, 200, 31] }
  const last = { logits: [{ position: -1, token: 7 }] }
  await assert.rejects(
    patch(gpt2, { clean: longer, corrupted, of: last }),
    /clean text has 9 tokens, the corrupted text 8 tokens: .* positions: \{ clean: \[...\], corrupted/,
  )
  const positions = { clean: [0, 1, 3, 4, 8], corrupted: [0, 1, 2, 3, 7] }
  const { effects } = await patch(gpt2, { clean: longer, corrupted, of: last, positions, what: 'positions' })
  assert.deepEqual(effects.dims, [3, 5])
  /** @type {FloatTensor | undefined} */
  let source
  gpt2.forwardSync(longer, {
    hooks: {
      'layers.2.input': x => {
        source = x
      },
    },
  })
  const logit = (/** @type {any} */ hooks) => gpt2.forwardSync(corrupted, { hooks }).logits?.at(0, -1, 7) ?? NaN
  const changed = logit({
    'layers.2.input': (/** @type {FloatTensor} */ x) =>
      x.data.set(source?.data.subarray(8 * 48, 9 * 48) ?? assert.fail(), 7 * 48),
  })
  near(effects.at(2, 4), changed - logit({}), 'the last position')
})

test('texts are named with their tokens where their lengths differ', async () => {
  const model = await loadModel(qkv, `${goldens}/gpt2-tiny`)
  await assert.rejects(
    patch(model, { clean: 'The cat that chased the dog', corrupted: 'The cat', of }),
    /clean text has 10 tokens \(The\|.*\), the corrupted text \d tokens \(The\|/,
  )
  model.dispose()
})

test('rows arrive one by one, from the last layer; a signal ends the run and frees its memory', async () => {
  /** @type {number[]} */
  const rows = []
  const { effects } = await patch(gpt2, {
    clean,
    corrupted,
    of,
    onProgress: given => {
      rows.push(given.row)
      assert.equal(given.rows, 3)
      assert.equal(given.done, rows.length)
      assert.equal(given.effects.length, 4)
    },
  })
  assert.deepEqual(rows, [2, 1, 0])
  assert.ok(effects.data.every(effect => Number.isFinite(effect)))
  const stop = new AbortController()
  await assert.rejects(
    patch(gpt2, { clean, corrupted, of, signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) }),
    /enough/,
  )
  await assert.rejects(
    patch(gpt2, {
      clean,
      corrupted,
      of,
      onProgress: () => {
        throw new Error('thrown')
      },
    }),
    /thrown/,
  )
  assert.equal(qkv.memory.resident, loaded)
})

test('wrong arguments are named, and leave no memory behind', async () => {
  const given = { clean, corrupted, of }
  /** @type {[any, RegExp][]} */
  const wrong = [
    [{ ...given, what: 'head' }, /patch: what: expected one of "heads".*got "head".*did you mean/],
    [{ ...given, method: 'fast' }, /patch: method: .*got "fast"/],
    [{ ...given, of: undefined }, /patch: of: expected .*got undefined; .*'loss', \{ logits/],
    [
      { ...given, of: { logits: [{ position: 8, token: 1 }] } },
      /position: expected a whole number from -8 to 7.*got 8/,
    ],
    [{ ...given, of: { logits: [{ position: 0, token: 9999 }] } }, /token: .*got 9999/],
    [{ ...given, of: () => ({ value: NaN, gradient: [] }) }, /of/],
    [{ ...given, of: (/** @type {FloatTensor} */ x) => x }, /gave no value/],
    [
      {
        ...given,
        clean: {
          ids: [
            [1, 2],
            [3, 4],
          ],
        },
      },
      /expected one text, got 2/,
    ],
    [{ ...given, clean: { ids: [1, 999999] } }, /ids\[1\]: .*got 999999/],
    [{ ...given, clean: undefined }, /clean: expected one text or an input.*got undefined/],
    [{ ...given, clean: 'a text' }, /loaded without a tokenizer/],
    [{ ...given, place: 'encoder' }, /place: expected one of "decoder".*got "encoder"/],
    [
      { ...given, positions: { clean: [1], corrupted: [1, 2] } },
      /1 positions of the clean text and 2 of the corrupted one/,
    ],
    [
      { ...given, positions: { clean: [8], corrupted: [1] } },
      /positions.clean\[0\]: expected a whole number from 0 to 7.*got 8/,
    ],
    [
      { ...given, positions: { clean: [1, 2], corrupted: [3, 3] } },
      /positions.corrupted: expected each position once, got 3 twice/,
    ],
    [
      { ...given, clean: { ids: [5, 9, 7] }, of: { logits: [{ position: 6, token: 3 }] } },
      /patch: the clean text: of: logits\[0\].position: .*got 6/,
    ],
    [{ ...given, positions: [[1], [1]] }, /positions: expected an object of options/],
    [{ ...given, what: 'neurons', top: 0 }, /top: .*got 0/],
    [{ ...given, signal: 5 }, /signal: .*got 5/],
    [{ ...given, onProgress: 5 }, /onProgress: .*got 5/],
    [{ ...given, hooks: {} }, /there is no option "hooks"/],
  ]
  for (const [options, message] of wrong) await assert.rejects(patch(gpt2, options), message)
  await assert.rejects(patch(/** @type {any} */ ({}), given), /expected a model loaded by loadModel/)
  await assert.rejects(
    ablate(gpt2, clean, { of, by: /** @type {any} */ (1) }),
    /by: expected 0, "mean", a tensor, or tensors by place, got 1/,
  )
  assert.equal(qkv.memory.resident, loaded)
})
