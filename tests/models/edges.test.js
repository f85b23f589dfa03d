// Tests edges between parts: in gpt2 against a plain computation in float64, in all models against finite differences.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ablate, backwardSync, edge, edges, positionEdges } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { Model } from '../../src/models/model.js'
import { folders, gpt2, loaded, near, open, qkv } from './checkpoints.js'
import { ids, keyOf, of, plainGpt2 } from './plain-gpt2.js'
import { smallChange } from './small-change.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { Reader, Writer } from '../../src/entries/interpret.js' */
/** @import { Rows } from './plain-gpt2.js' */

test('gpt2: edges and their exact effects are those of a plain computation in float64', async () => {
  const run = await plainGpt2()
  const { value, written } = run()
  const found = await edges(gpt2, { ids }, { of })
  const byPosition = await edges(gpt2, { ids }, { of, byPosition: true })
  near(found.value, value, 'value')
  assert.deepEqual(found.effects.dims, [1 + 3 * 5, 3 * 13 + 1])
  /** Returns the derivative of the objective when the input of reader `key` moves along `delta`. @param {string} key @param {Rows} delta */
  const slope = (key, delta) => {
    const step = 1e-5
    const [a, b] = [step, -step].map(size => run({ key, delta: delta.map(row => row.map(x => x * size)) }).value)
    return (a - b) / (2 * step)
  }
  let largest = 0
  for (const [n, writer] of found.writers.entries()) {
    const rows = written[keyOf(writer)]
    const delta = rows.map(row => row.map(x => -x))
    for (const [m, reader] of found.readers.entries()) {
      const key = keyOf(reader)
      const got = found.effects.at(n, m)
      const isBefore =
        writer.kind === 'embedding' ||
        reader.kind === 'logits' ||
        writer.layer < reader.layer ||
        (writer.layer === reader.layer && writer.kind === 'head' && reader.kind === 'mlp')
      if (!isBefore) {
        assert.equal(got, 0)
        continue
      }
      largest = Math.max(largest, Math.abs(got))
      if ((n + m) % 11) continue
      near(got, slope(key, delta), `${keyOf(writer)} -> ${key}`)
      const { effect } = await edge(gpt2, { ids }, { of, from: writer, to: reader })
      near(effect, run({ key, delta }).value - value, `exactly ${keyOf(writer)} -> ${key}`)
      const p = (n + m) % ids.length
      const one = delta.map((row, i) => (i === p ? row : row.map(() => 0)))
      near(byPosition.effects.at(n, m, p), slope(key, one), `${keyOf(writer)} -> ${key} at ${p}`)
      const cut = await edge(gpt2, { ids }, { of, from: writer, to: reader, position: p })
      near(cut.effect, run({ key, delta: one }).value - value, `exactly ${keyOf(writer)} -> ${key} at ${p}`)
    }
  }
  assert.ok(largest > 0.1)
})

for (const name of folders)
  test(`${name}: a small change of the embeddings changes each edge as it is estimated`, async () => {
    const model = await open(name, 'float32')
    const { family, weights } = Model.parts(model)
    if (!model.hasHead) return model.dispose()
    const { input, clean } = smallChange(name, { family, weights })
    const { effects, writers, readers } = await edges(model, input, { of, clean })
    const largest = Math.max(...effects.data.map(Math.abs))
    const exactly = await edges(model, input, { of, clean, weights: 'exact' })
    for (const [n, effect] of effects.data.entries())
      near(exactly.effects.data[n], effect, `edge ${n} through the softmax`, 0.03 * largest + 4e-6)
    let compared = 0
    for (let n = 0; n < writers.length; n += 2)
      for (let m = n % 3; m < readers.length; m += 3) {
        const want = effects.at(n, m)
        if (want === 0) continue
        const { effect } = await edge(model, input, { of, clean, from: writers[n], to: readers[m] })
        near(effect, want, `${keyOf(writers[n])} -> ${keyOf(readers[m])}`, 0.03 * largest + 4e-6)
        compared++
      }
    assert.ok(compared > 10 && largest > 2e-5, `${compared} edges, the largest ${largest}`)
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

for (const name of ['t5-tiny', 'marian-tiny', 'bart-tiny'])
  test(`${name}: the edges from a writer to all readers sum to the effect of the writer, in both stacks and between them`, async () => {
    const model = await open(name, 'float32')
    const input = { ids, decoderIds: [1, 6, 2, 9] }
    const { effects, writers, readers } = await edges(model, input, { of, by: 'mean' })
    const given = { of, by: /** @type {const} */ ('mean'), method: /** @type {const} */ ('gradient') }
    const heads = Object.fromEntries(
      await Promise.all(
        /** @type {const} */ (['encoder', 'decoder', 'cross']).map(async place => [
          place,
          (await ablate(model, input, { ...given, place })).effects,
        ]),
      ),
    )
    const largest = Math.max(...effects.data.map(Math.abs))
    /** @type {Record<string, number>} */
    const compared = { encoder: 0, decoder: 0, cross: 0 }
    for (const [n, writer] of writers.entries()) {
      if (writer.kind !== 'head') continue
      const place = writer.place ?? assert.fail()
      const sum = Array.from(effects.row(n).data).reduce((a, b) => a + b, 0)
      near(sum, heads[place].at(writer.layer, writer.head), keyOf(writer), 1e-4 * largest + 1e-6)
      compared[place]++
    }
    assert.ok(Object.values(compared).every(count => count > 3))
    const { gradients } = backwardSync(model, input, { of, at: ['decoder.embedding'] })
    /** @type {FloatTensor | undefined} */
    let x
    const read = (/** @type {FloatTensor} */ given) => {
      x = given
    }
    model.forwardSync(input, { hooks: { 'decoder.embedding': read } })
    const zeros = await edges(model, input, { of })
    const n = writers.findIndex(({ kind, place }) => kind === 'embedding' && place === 'decoder')
    const want = gradients['decoder.embedding'].data.reduce((sum, value, i) => sum - value * (x?.data[i] ?? NaN), 0)
    near(
      Array.from(zeros.effects.row(n).data).reduce((a, b) => a + b, 0),
      want,
      'the embedding',
      1e-4,
    )
    // The encoder's embedding reaches the decoder only through the keys and values of cross-attention.
    const from = writers.findIndex(({ kind, place }) => kind === 'embedding' && place === 'encoder')
    for (const [m, to] of readers.entries()) {
      const isRead = to.kind !== 'logits' && (to.place === 'encoder' || (to.place === 'cross' && /[kv]/.test(to.kind)))
      if (!isRead) assert.equal(effects.at(from, m), 0, keyOf(to))
    }
    const byPosition = await edges(model, input, { of, by: 'mean', byPosition: true })
    for (let n = 0; n < effects.data.length; n++) {
      const all = byPosition.effects.data.subarray(n * ids.length, (n + 1) * ids.length)
      near(
        all.reduce((a, b) => a + b, 0),
        effects.data[n],
        `edge ${n} by position`,
        1e-4 * largest + 1e-6,
      )
    }
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('the edges from the embedding to all readers sum to the gradient at the embedding', async () => {
  const { effects, readers } = await edges(gpt2, { ids }, { of })
  const { gradients } = backwardSync(gpt2, { ids }, { of, at: ['embedding'] })
  /** @type {FloatTensor | undefined} */
  let x
  gpt2.forwardSync(
    { ids },
    {
      hooks: {
        embedding: given => {
          x = given
        },
      },
    },
  )
  const want = gradients.embedding.data.reduce((sum, value, n) => sum - value * (x?.data[n] ?? NaN), 0)
  const got = readers.reduce((sum, _, m) => sum + effects.at(0, m), 0)
  near(got, want, 'all readers', 1e-4)
  const { effects: heads } = await ablate(gpt2, { ids }, { of, method: 'gradient' })
  const row = Array.from(effects.row(1 + 5 + 2).data).reduce((a, b) => a + b, 0)
  near(row, heads.at(1, 2), 'head 1.2')
})

/** Returns the AUC of estimates: the probability that an edge that matters has a larger estimate than one that does not. @param {number[]} estimates @param {number[]} exact */
function areaUnderCurve(estimates, exact) {
  const most = Math.max(...exact.map(Math.abs))
  const [yes, no] = [true, false].map(matters =>
    estimates.filter((_, n) => Math.abs(exact[n]) >= most / 10 === matters).map(Math.abs),
  )
  /** @type {number[]} */
  const wins = yes.flatMap(a => no.map(b => (a > b ? 1 : a === b ? 0.5 : 0)))
  return wins.reduce((sum, x) => sum + x, 0) / wins.length
}

test('the model of stories: edges that matter exactly, against the mean, have the largest estimates', async t => {
  const model = await loadModel(qkv, fileURLToPath(new URL('../../web/trained/stories', import.meta.url)), {
    dtype: 'float32',
  })
  for (const text of [
    'Once upon a time there was a cat. The cat saw a dog. The',
    'Tom has a red ball. Anna likes Tom. Tom gave the ball to',
  ]) {
    const { logits } = model.forwardSync({ ids: model.tokenize(text).ids }, { logits: 'last' })
    const data = logits?.data ?? assert.fail()
    const [first, second] = Array.from(data.keys()).sort((a, b) => data[b] - data[a])
    const between = [
      { position: -1, token: first },
      { position: -1, token: second, weight: -1 },
    ]
    const given = { of: { logits: between }, by: /** @type {const} */ ('mean') }
    const { effects, writers, readers } = await edges(model, text, given)
    const [estimates, exact] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])]
    for (const [n, from] of writers.entries())
      for (const [m, to] of readers.entries()) {
        if (from.kind !== 'head' || to.kind === 'mlp' || effects.at(n, m) === 0) continue
        estimates.push(effects.at(n, m))
        exact.push((await edge(model, text, { ...given, from, to })).effect)
      }
    const area = areaUnderCurve(estimates, exact)
    t.diagnostic(`${estimates.length} edges, area ${area}`)
    assert.ok(area >= 0.9, `${text}: ${area}`)
  }
  model.dispose()
})

test('wrong arguments of edges and edge are named', async () => {
  const model = gpt2
  /** @type {Writer} */
  const from = { kind: 'head', layer: 0, head: 1 }
  /** @type {Reader} */
  const to = { kind: 'q', layer: 1, head: 0 }
  await assert.rejects(edges(model, { ids }, /** @type {any} */ ({})), /edges: of: .*got undefined/)
  await assert.rejects(edges(model, { ids }, { of, clean: { ids: [1] } }), /clean text has 1 tokens, the other one 6/)
  await assert.rejects(edges(model, { ids: [[1], [2]] }, { of }), /expected one text, got 2/)
  await assert.rejects(edges(model, { ids }, { of, by: /** @type {any} */ (2) }), /by: .*got 2/)
  await assert.rejects(
    edges(model, { ids }, { of, weights: /** @type {any} */ ('all') }),
    /edges: weights: expected .*got "all"/,
  )
  await assert.rejects(edges(model, { ids }, { of, weights: 'exact', byPosition: true }), /do not sum in a softmax/)
  await assert.rejects(edges(model, { ids }, { of, signal: AbortSignal.abort(new Error('enough')) }), /enough/)
  await assert.rejects(
    () => edge(model, { ids }, { of, from: { kind: 'head', layer: 0, head: 9 }, to }),
    /head 0\.9 is no writer/,
  )
  await assert.rejects(
    () => edge(model, { ids }, { of, from, to: /** @type {any} */ ({ kind: 'o' }) }),
    /edge: to: o is no reader/,
  )
  await assert.rejects(
    () => edge(model, { ids }, { of, from, to: /** @type {any} */ (undefined) }),
    /to: undefined is no reader/,
  )
  await assert.rejects(
    () => edge(model, { ids }, { of, from, to: { kind: 'k', layer: 0, head: 1 } }),
    /does not write before/,
  )
  await assert.rejects(() => edge(model, { ids }, { of, from, to, position: 6 }), /position: .*got 6/)
  const both = await open('t5-tiny', 'float32')
  const one = { logits: [{ position: -1, token: 7 }] }
  const decoderIds = [1, 2]
  await assert.rejects(
    edges(both, { ids, decoderIds }, { of: one, clean: { ids } }),
    /in the decoder the clean text has 1 tokens, the other one 2/,
  )
  await assert.rejects(
    () => edge(both, { ids }, { of: one, from: { kind: 'head', place: 'encoder', layer: 0, head: 1 }, to }),
    /encoder head 0\.1 does not write before decoder q 1\.0 reads/,
  )
  await assert.rejects(
    () => edge(both, { ids }, { of: one, from, to: { kind: 'k', place: 'cross', layer: 1, head: 0 } }),
    /decoder head 0\.1 does not write before cross k 1\.0 reads/,
  )
  both.dispose()
  assert.equal(qkv.memory.resident, loaded)
})

test('edges take a word as the token of a logit, as patch does', async () => {
  const model = await loadModel(qkv, fileURLToPath(new URL('../../web/trained/stories', import.meta.url)))
  const text = 'Lily and Tom are friends. Is he'
  const [id] = model.tokenize(' tom', { addSpecialTokens: false }).ids
  const [word, number] = [' tom', id].map(token => ({ of: { logits: [{ position: -1, token }] } }))
  const ends = /** @type {const} */ ({ from: { kind: 'head', layer: 0, head: 1 }, to: { kind: 'logits' } })
  assert.deepEqual(await edges(model, text, word), await edges(model, text, number))
  assert.deepEqual(await edge(model, text, { ...word, ...ends }), await edge(model, text, { ...number, ...ends }))
  assert.deepEqual(await positionEdges(model, text, word), await positionEdges(model, text, number))
  model.dispose()
})
