// Score attribution: in every family the sum matches the scores of the model, and for gpt2 each source matches a plain computation in
// float64.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordRun, scoreAttribution, steering } from '../../src/entries/interpret.js'
import { folders, gpt2, loaded, near, open, qkv } from './checkpoints.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { Source } from '../../src/entries/interpret.js' */

const ids = [5, 9, 10, 5, 9, 37, 20, 31]

for (const name of folders)
  test(`${name}: the terms sum to the score, also with hooks`, async () => {
    const model = await open(name, 'float32')
    const { encoder, decoder } = model.stacks
    const isBoth = encoder !== undefined && decoder !== undefined
    const input = {
      ids,
      ...(isBoth && { decoderIds: [0, 5, 8, 3] }),
      ...(model.type === 'longformer' && { globalAttentionMask: ids.map(() => 0) }), // other masks are refused
    }
    /** @type {('encoder' | 'decoder' | 'cross')[]} */
    const places = isBoth ? ['encoder', 'decoder', 'cross'] : [decoder ? 'decoder' : 'encoder']
    const first = isBoth ? 'decoder.' : ''
    const changed = /** @type {import('../../src/models/model.js').Hooks} */ ({
      [`${first}layers.0.heads.1`]: 0,
      [`${first}layers.0.output`]: (/** @type {FloatTensor} */ x) => {
        x.data[3] += 0.5
      },
    })
    for (const hooks of [undefined, changed]) {
      const run = await recordRun(model, input, { hooks })
      for (const place of places) {
        const { layers, numHeads: H, softcap } = (place === 'encoder' ? encoder : decoder) ?? encoder ?? assert.fail()
        const own = isBoth ? (place === 'encoder' ? 'encoder.' : 'decoder.') : ''
        const layer = layers - 1
        /** @type {FloatTensor | undefined} */
        let scores
        model.forwardSync(input, {
          hooks: {
            ...hooks,
            [`${own}layers.${layer}.${place === 'cross' ? 'cross' : 'attention'}.scores`]: (
              /** @type {FloatTensor} */ x,
            ) => {
              scores = x
            },
          },
        })
        for (const [head, query, key] of [
          [0, 3, 2],
          [H - 1, 3, 3],
          [1, 2, 1],
        ])
          for (const byToken of [true, false]) {
            const at = { layer, head, query, key, place, byToken }
            const { score, weight, terms, queries, keys } = await scoreAttribution(model, run, at)
            const want = scores?.at(0, head, query, key) ?? NaN
            if (want === -Infinity) assert.equal(weight, 0)
            else near(softcap ? softcap * Math.tanh(score / softcap) : score, want, JSON.stringify(at))
            near(
              terms.data.reduce((sum, term) => sum + term, 0),
              score,
              'the sum',
            )
            assert.deepEqual(terms.dims, [queries.length, keys.length])
            for (const list of [queries, keys]) {
              assert.equal(new Set(list.map(source => source.name)).size, list.length)
              assert.equal(
                list.some(({ kind }) => kind === 'changes'),
                hooks !== undefined,
              )
              assert.equal(
                list.some(({ from }) => from !== undefined),
                byToken && layer > 0,
              )
            }
          }
      }
    }
    if (!isBoth) {
      const at = { layer: 0, head: 1, query: -1, key: 2 }
      const { score } = await scoreAttribution(model, input, at)
      near(
        score,
        (await scoreAttribution(model, await recordRun(model, input), at)).score,
        'without a recorded run',
        1e-6,
      )
    }
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('hooks on the attention that is explained are refused by name, those of other layers are not', async () => {
  const at = { layer: 1, head: 2, query: 6, key: 3 }
  for (const place of ['input', 'q', 'k']) {
    const name = /** @type {import('../../src/models/run/model-hooks.js').Place} */ (`layers.1.attention.${place}`)
    const other = /** @type {typeof name} */ (`layers.0.attention.${place}`)
    await assert.rejects(
      () => scoreAttribution(gpt2, { ids }, { ...at, hooks: { [name]: 0.5 } }),
      new RegExp(`hooks: .*got "${name}", a place between`),
    )
    const run = await recordRun(gpt2, { ids }, { hooks: { [name]: 0.5, [other]: 0.5 } })
    await assert.rejects(() => scoreAttribution(gpt2, run, at), { name: 'RangeError' })
    assert.equal(typeof (await scoreAttribution(gpt2, { ids }, { ...at, hooks: { [other]: 0.5 } })).score, 'number')
  }
  const t5 = await open('t5-tiny', 'float32')
  const input = { ids, decoderIds: [0, 5, 8, 3] }
  const hooks = { 'decoder.layers.0.cross.q': 0.5 }
  const place = /** @type {const} */ ('cross')
  await assert.rejects(
    () => scoreAttribution(t5, input, { layer: 0, head: 0, query: 1, key: 1, place, hooks }),
    /got "decoder\.layers\.0\.cross\.q", a place/,
  )
  t5.dispose()
})

test('gpt2: each term is the product of what its two sources give, computed plainly in float64', async () => {
  const [layer, head, query, key, d, D] = [1, 2, 6, 3, 48, 12]
  const weight = async (/** @type {string} */ name) => (await gpt2.weight(name)).data
  /** @type {Record<string, FloatTensor>} */
  const seen = {}
  const places = ['layers.0.attention.weights', 'layers.0.attention.v', 'layers.0.mlp.output', 'layers.1.input']
  const keep = (/** @type {FloatTensor} */ x, /** @type {string} */ place) => {
    seen[place] = x
  }
  gpt2.forwardSync({ ids }, { hooks: Object.fromEntries(places.map(place => [place, keep])) })
  const [wte, wpe, scale, shift] = await Promise.all(
    ['wte.weight', 'wpe.weight', 'h.1.ln_1.weight', 'h.1.ln_1.bias'].map(weight),
  )
  const own = await gpt2.headWeights(layer, head)
  const rowOf = (/** @type {ArrayLike<number>} */ data, /** @type {number} */ n) =>
    Array.from({ length: d }, (_, c) => data[n * d + c])
  const before = await Promise.all(Array.from({ length: 4 }, (_, h) => gpt2.headWeights(0, h)))
  /** Returns what a source writes at a position. @param {Source} source @param {number} p */
  const written = ({ kind, head: h = 0, from = 0 }, p) => {
    if (kind === 'token') return rowOf(wte, ids[p])
    if (kind === 'position') return rowOf(wpe, p)
    if (kind === 'mlp') return rowOf(seen['layers.0.mlp.output'].data, p)
    assert.equal(kind, 'head')
    const a = seen['layers.0.attention.weights'].at(0, h, p, from)
    const v = seen['layers.0.attention.v']
    const { o } = before[h]
    return Array.from({ length: d }, (_, c) => {
      let sum = 0
      for (let i = 0; i < D; i++) sum += a * v.at(0, from, h * D + i) * o.weight.at(c, i)
      return sum
    })
  }
  const bias0 = before[0].o.bias?.data ?? assert.fail()
  /** @param {Source} source @param {number} p @param {typeof own.q} side */
  const projected = (source, p, side) => {
    const x = rowOf(seen['layers.1.input'].data, p)
    const mean = x.reduce((a, b) => a + b) / d
    const deviation = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / d + 1e-5)
    const isBias = source.kind === 'biases'
    const y = isBias ? Array.from(bias0) : written(source, p)
    const middle = y.reduce((a, b) => a + b) / d
    const z = y.map((value, c) => ((value - middle) / deviation) * scale[c] + (isBias ? shift[c] : 0))
    return Array.from({ length: D }, (_, i) =>
      z.reduce((sum, value, c) => sum + value * side.weight.at(i, c), isBias ? (side.bias?.data[i] ?? NaN) : 0),
    )
  }
  const { terms, queries, keys } = await scoreAttribution(gpt2, { ids }, { layer, head, query, key })
  // Each of the 4 heads of layer 0 is a source at each position up to the query (7 positions) or the key (4). There are 4 further sources.
  assert.deepEqual([queries.length, keys.length], [4 * 7 + 4, 4 * 4 + 4])
  for (const [n, a] of queries.entries())
    for (const [m, b] of keys.entries()) {
      const [x, y] = [projected(a, query, own.q), projected(b, key, own.k)]
      const want = x.reduce((sum, value, i) => sum + value * y[i], 0) / Math.sqrt(D)
      near(terms.at(n, m), want, `${a.name}, ${b.name}`, 2e-6)
    }
})

test('a head whose output a hook has changed is one source; what hooks add is one', async () => {
  const hooks = /** @type {import('../../src/models/model.js').Hooks} */ ({
    'layers.0.heads.1': 2,
    'layers.0.mlp.output': 0,
  })
  const { queries, terms } = await scoreAttribution(gpt2, { ids }, { layer: 2, head: 0, query: 5, key: 1, hooks })
  const names = queries.map(({ name }) => name)
  assert.ok(names.includes('head 0.1') && !names.includes('head 0.1 from 0') && names.includes('head 0.2 from 0'))
  const changes = terms.row(names.indexOf('changes')).data
  assert.ok(
    changes.every(term => Math.abs(term) < 1e-5),
    'the head and the MLP say it all',
  )
})

test('wrong arguments of scoreAttribution, recordRun and steering are named', async () => {
  const fine = { layer: 1, head: 0, query: 2, key: 1 }
  /** @type {[any, RegExp][]} */
  const wrong = [
    [{ ...fine, layer: 3 }, /scoreAttribution: layer: expected a whole number from 0 to 2.*got 3/],
    [{ ...fine, head: 4 }, /head: .*got 4/],
    [{ ...fine, query: 8 }, /query: expected a whole number from -8 to 7.*got 8/],
    [{ ...fine, key: -9 }, /key: .*got -9/],
    [{ ...fine, key: undefined }, /key: .*got undefined/],
    [{ ...fine, place: 'cross' }, /place: expected one of "decoder".*got "cross"/],
    [{ ...fine, byToken: 1 }, /byToken: .*got 1/],
    [{ ...fine, token: 1 }, /there is no option "token"/],
  ]
  for (const [options, message] of wrong) await assert.rejects(() => scoreAttribution(gpt2, { ids }, options), message)
  await assert.rejects(() => scoreAttribution(gpt2, { ids: [[1], [2]] }, fine), /expected one text, got 2/)
  const run = await recordRun(gpt2, { ids }, { until: 0 })
  await assert.rejects(
    () => scoreAttribution(gpt2, run, fine),
    /layer: expected a layer within the recorded run, got 1/,
  )
  await assert.rejects(() => scoreAttribution(gpt2, run, { ...fine, hooks: {} }), /give them to recordRun/)
  await assert.rejects(() => recordRun(gpt2, { ids }, { hooks: { 'layers.9.input': 0 } }), /there are 3 layers/)
  const other = await open('gpt-neo-tiny', 'float32')
  await assert.rejects(() => scoreAttribution(other, run, fine), /the run is one of another model/)
  other.dispose()
  const both = { positive: [{ ids }], negative: [{ ids: [1, 2] }], layer: 1 }
  assert.throws(() => steering(gpt2, { ...both, layer: 3 }), /steering: layer: .*got 3/)
  assert.throws(() => steering(gpt2, { ...both, negative: [] }), /negative: expected a list of texts/)
  assert.throws(() => steering(gpt2, { ...both, negative: [{ ids: [[1], [2]] }] }), /negative\[0\]: expected one text/)
  assert.throws(() => steering(gpt2, { ...both, at: /** @type {any} */ ('first') }), /at: .*got "first"/)
  assert.throws(() => steering(gpt2, both).hooks(NaN), /strength: .*got NaN/)
  assert.equal(qkv.memory.resident, loaded)
})

test('steering adds the mean difference of the residual streams', () => {
  const texts = [[5, 9, 3], [7, 7], [1, 2, 3, 4], [8]]
  const states = (/** @type {number[]} */ ids) => gpt2.forwardSync({ ids }, { until: 1 }).lastHiddenState
  for (const at of /** @type {const} */ (['last', 'mean'])) {
    const { vector, hooks } = steering(gpt2, {
      positive: texts.slice(0, 2).map(ids => ({ ids })),
      negative: texts.slice(2).map(ids => ({ ids })),
      layer: 1,
      at,
    })
    const mean = (/** @type {number[]} */ ids, /** @type {number} */ c) => {
      const x = states(ids)
      if (at === 'last') return x.at(0, -1, c)
      return ids.reduce((sum, _, p) => sum + x.at(0, p, c), 0) / ids.length
    }
    for (const c of [0, 47])
      near(
        vector.data[c],
        texts.reduce((sum, ids, n) => sum + (n < 2 ? 0.5 : -0.5) * mean(ids, c), 0),
        `${at}, ${c}`,
      )
    const steered = gpt2.forwardSync({ ids }, { until: 1, hooks: hooks(-2) }).lastHiddenState
    near(steered.at(0, 3, 5), states(ids).at(0, 3, 5) - 2 * vector.data[5], 'steered')
  }
})
