// The places of hooks in a model, runs that end early, embeddings instead of ids, and weights by name.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Tensor } from '../../src/base/tensor.js'
import { readFloats, readHeader } from '../../src/models/weights/safetensors.js'
import { folders, goldens, gpt2, loaded, open, qkv } from './checkpoints.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { Model } from '../../src/models/model.js' */

const ids = [5, 9, 130, 5, 9, 77, 200, 31]
const same = (/** @type {FloatTensor | undefined} */ a, /** @type {FloatTensor | undefined} */ b, what = '') => {
  assert.ok(a && b, what)
  assert.deepEqual([...a.dims], [...b.dims], what)
  a.data.forEach((value, n) => {
    if (!(Math.abs(value - b.data[n]) <= 1e-5 * (1 + Math.abs(b.data[n]))))
      assert.fail(`${what}[${n}]: ${value} for ${b.data[n]}`)
  })
}

/** Runs a model and returns the numbers at some places. @param {Model} model @param {object} input @param {string[]} places */
function look(model, input, places) {
  /** @type {Record<string, FloatTensor>} */
  const seen = {}
  const read = (/** @type {FloatTensor} */ x, /** @type {string} */ place) => {
    seen[place] = x
  }
  const hooks = Object.fromEntries(places.map(place => [place, read]))
  const keep = /** @type {const} */ (['hiddenStates', 'encoderHiddenStates'])
  return { seen, ran: model.forwardSync(/** @type {any} */ (input), { hooks, keep }) }
}

for (const name of folders)
  test(`${name}: embedding, middle, mlp.hidden, norm and logits are places`, async () => {
    const model = await open(name)
    const { encoder, decoder } = model.stacks
    const isBoth = encoder !== undefined && decoder !== undefined
    const stack = decoder ?? encoder ?? assert.fail()
    const at = isBoth ? 'decoder.' : ''
    const given = ids.map(id => id % 40)
    const input = isBoth ? { ids: given, decoderIds: [0, 5, 8] } : { ids: given }
    const isParallel = /gpt_neox-made|phi-made|parallel|cohere|gptj|codegen|falcon/.test(name)
    const hasNorm = !/^(?!modern).*bert|marian|^bart|electra|mpnet|longformer|^new/.test(name)
    const places = [
      `${at}embedding`,
      `${at}layers.*.mlp.hidden`,
      `${at}layers.*.mlp.output`,
      `${at}layers.*.input`,
      `${at}layers.*.output`,
      ...(isParallel ? [] : [`${at}layers.*.middle`]),
      ...(hasNorm ? [`${at}norm`] : []),
      ...(model.hasHead ? ['logits'] : []),
    ]
    const { seen, ran } = look(model, input, places)
    same(seen[`${at}embedding`], ran.hiddenStates[0], 'embedding')
    if (hasNorm) same(seen[`${at}norm`], ran.lastHiddenState, 'norm')
    if (model.hasHead) same(seen.logits, ran.logits, 'logits')
    const plain = model.forwardSync(input)
    same(ran.lastHiddenState, plain.lastHiddenState, 'a hook that only reads changes nothing')
    for (let layer = 0; layer < stack.layers; layer++) {
      const own = `${at}layers.${layer}.`
      const rows = plain.lastHiddenState.dims[1]
      assert.deepEqual(seen[`${own}mlp.hidden`].dims.slice(0, 2), [1, rows])
      if (isParallel || !hasNorm) continue
      // The residual stream after a layer is the stream between attention and MLP plus the output of the MLP.
      const middle = seen[`${own}middle`]
      const sum = middle.data.map((value, n) => value + seen[`${own}mlp.output`].data[n])
      same(new Tensor(sum, middle.dims), seen[`${own}output`], `${own}middle`)
    }
    // Switching off the neurons changes the output.
    const off = { [`${at}layers.0.mlp.hidden`]: (/** @type {FloatTensor} */ x) => void x.data.fill(0) }
    assert.notDeepEqual(model.forwardSync(input, { hooks: off }).lastHiddenState.data, plain.lastHiddenState.data)
    assert.throws(
      () => model.forwardSync(input, { hooks: /** @type {any} */ ({ [`${at}layers.0.mlp.hiden`]: 0 }) }),
      new RegExp(`did you mean "${at}layers.0.mlp.hidden"`),
    )
    if (isParallel) assert.throws(() => model.forwardSync(input, { hooks: { 'layers.0.middle': 0 } }), /is no place/)
    if (!hasNorm) assert.throws(() => model.forwardSync(input, { hooks: { norm: 0 } }), /is no place/)
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('a star means all layers, and the name of a layer takes precedence', () => {
  const logits = (/** @type {import('../../src/models/model.js').Hooks} */ hooks) =>
    gpt2.forwardSync({ ids }, { hooks }).logits?.data
  const all = { 'layers.0.heads.1': 0, 'layers.1.heads.1': 0, 'layers.2.heads.1': 0 }
  assert.deepEqual(logits({ 'layers.*.heads.1': 0 }), logits(all))
  assert.deepEqual(logits({ 'layers.*.heads.1': 0, 'layers.1.heads.1': 1 }), logits({ ...all, 'layers.1.heads.1': 1 }))
  assert.notDeepEqual(logits({ 'layers.*.heads.1': 0 }), logits({ 'layers.*.heads.1': 0, 'layers.1.heads.1': 1 }))
})

test('a wrong place is a type error, and the error names the nearest right one', () => {
  for (const [run, nearest] of /** @type {[() => unknown, string][]} */ ([
    // @ts-expect-error
    [() => gpt2.forwardSync({ ids }, { hooks: { 'layer.0.heads': 0 } }), 'layers.0.heads'],
    // @ts-expect-error
    [() => gpt2.forwardSync({ ids }, { hooks: { 'layers.2.head.3': 0 } }), 'layers.2.heads'],
    // @ts-expect-error
    [() => gpt2.forwardSync({ ids }, { hooks: { 'layers.*.mlp.outputs': 0 } }), 'layers.*.mlp.output'],
    // @ts-expect-error
    [() => gpt2.forwardSync({ ids }, { hooks: { logit: 0 } }), 'logits'],
    // @ts-expect-error
    [() => gpt2.forwardSync({ ids }, { hooks: { embeddings: 0 } }), 'embedding'],
    // @ts-expect-error
    [() => gpt2.forwardSync({ ids }, { hooks: { 'layers.1.mid': 0 } }), 'layers.1.middle'],
  ]))
    assert.throws(run, new RegExp(`did you mean "${nearest.replaceAll('*', '\\*')}"`))
  assert.throws(() => gpt2.forwardSync({ ids }, { hooks: { 'layers.3.input': 0 } }), /there are 3 layers/)
})

test('a run with until ends after that layer, at once and in turns', async () => {
  const { hiddenStates } = gpt2.forwardSync({ ids }, { keep: ['hiddenStates'] })
  for (const until of [0, 1, 2]) {
    const progress = /** @type {number[]} */ ([])
    const onLayer = (/** @type {{ layer: number, layers: number }} */ { layer, layers }) =>
      void progress.push(layer / layers)
    for (const ran of [
      gpt2.forwardSync({ ids }, { until, keep: ['hiddenStates'] }),
      await gpt2.forward({ ids }, { until, keep: ['hiddenStates'], onLayer }),
    ]) {
      assert.deepEqual(ran.lastHiddenState.data, hiddenStates[until + 1]?.data)
      assert.deepEqual(ran.hiddenStates[until + 1]?.data, hiddenStates[until + 1]?.data)
      assert.equal(ran.hiddenStates[until + 2], undefined)
      assert.equal(ran.logits, undefined)
    }
    assert.equal(progress.length, until + 1)
    assert.equal(progress[until], 1)
  }
  assert.throws(() => gpt2.forwardSync({ ids }, { until: 3 }), /until: expected a whole number from 0 to 2.*got 3/)
  const cache = gpt2.cache()
  assert.throws(() => gpt2.forwardSync({ ids }, { until: 1, cache }), /a run with a cache goes through all layers/)
  cache.dispose()
})

test('the rows of the table of tokens as embeddings give the numbers of their ids', async () => {
  for (const name of ['gpt2-tiny', 'gemma2-tiny', 'bert-tiny', 'roberta-made', 'albert-made', 'marian-tiny']) {
    const model = await open(name)
    const isBoth = model.stacks.encoder && model.stacks.decoder
    const given = ids.map(id => 3 + (id % 30))
    const [{ name: table }] = model
      .describe()
      .tensors.filter(({ name }) => /(^|\.)(wte|embed_tokens|word_embeddings|shared)\.weight$/.test(name))
    const { data, dims } = await model.weight(table)
    const C = dims[1]
    const rows = given.flatMap(id => [...data.subarray(id * C, (id + 1) * C)])
    const embeddings = /** @type {any} */ ({ data: Float32Array.from(rows), dims: [1, ids.length, C] })
    const more = isBoth ? { decoderIds: [1, 7] } : {}
    const want = model.forwardSync({ ids: given, ...more })
    const got = model.forwardSync({ embeddings, ...more })
    assert.deepEqual(got.lastHiddenState.data, want.lastHiddenState.data, name)
    assert.throws(() => model.forwardSync({ ids: given, embeddings }), /expected either ids or embeddings, got both/)
    assert.throws(
      () => model.forwardSync({ embeddings: { ...embeddings, dims: [ids.length, C] } }),
      /embeddings: expected dims/,
    )
    model.dispose()
  }
})

for (const name of folders)
  test(`${name}: the weights by their names are those of the file`, async () => {
    const model = await open(name)
    const files = readdirSync(`${goldens}/${name}`).filter(file => /^model.*\.safetensors$/.test(file))
    const used = new Set(model.describe().tensors.map(tensor => tensor.name))
    let compared = 0
    for (const file of files) {
      const bytes = readFileSync(`${goldens}/${name}/${file}`)
      const source = {
        size: bytes.length,
        read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
      }
      for (const tensor of await readHeader(source, file)) {
        if (!used.has(tensor.name)) continue
        const { data, dims } = await model.weight(tensor.name)
        assert.deepEqual(dims, tensor.dims, tensor.name)
        assert.deepEqual(data, await readFloats(tensor), tensor.name)
        compared++
      }
    }
    assert.equal(compared, used.size)
    await assert.rejects(model.weight('no.weight'), /is no tensor of this model; .*describe\(\) lists them/)
    model.dispose()
  })

test('the weights of a head give its scores and what it writes', async () => {
  for (const name of ['gpt2-tiny', 'mistral-made', 't5-tiny', 'bert-tiny']) {
    const model = await open(name)
    const { encoder, decoder } = model.stacks
    const isBoth = encoder !== undefined && decoder !== undefined
    const at = isBoth ? 'decoder.' : ''
    const [layer, head] = [1, 2]
    const own = `${at}layers.${layer}.`
    const given = ids.map(id => id % 40)
    const input = isBoth ? { ids: given, decoderIds: [0, 5, 8] } : { ids: given }
    const places = ['attention.input', 'attention.qBare', 'attention.kBare', 'attention.v', 'attention.output', 'heads']
    const { seen } = look(
      model,
      input,
      places.map(place => own + place),
    )
    const {
      numHeads: H,
      numKvHeads: G,
      headDim: D,
    } = (decoder ?? encoder ?? assert.fail()).numHeads ? (decoder ?? encoder ?? assert.fail()) : assert.fail()
    const { q, k, v, o, qk, ov } = await model.headWeights(layer, head)
    const x = seen[`${own}attention.input`]
    const d = x.dims[2]
    const row = 1
    /** @param {typeof q} part @param {number} h @param {number} heads @param {FloatTensor} want */
    const check = (part, h, heads, want) => {
      for (let i = 0; i < D; i++) {
        let sum = part.bias?.data[i] ?? 0
        for (let c = 0; c < d; c++) sum += part.weight.at(i, c) * x.at(0, row, c)
        const value = want.at(0, row, h * D + i)
        assert.ok(Math.abs(sum - value) <= 1e-4, `${name}: ${sum} for ${value} of ${heads} heads`)
      }
    }
    const keyHead = Math.floor(head / (H / G))
    check(q, head, H, seen[`${own}attention.qBare`])
    check(k, keyHead, G, seen[`${own}attention.kBare`])
    check(v, keyHead, G, seen[`${own}attention.v`])
    for (const [factors, left, right] of /** @type {const} */ ([
      [qk, q.weight, k.weight],
      [ov, v.weight, undefined],
    ]))
      for (const [a, b] of [
        [0, 0],
        [3, 2],
      ]) {
        const dims = [factors.left.dims, factors.right.dims].map(String)
        assert.deepEqual(dims, [`${d},${D}`, `${D},${d}`])
        assert.equal(factors.left.at(a, b), left.at(b, a))
        assert.equal(factors.right.at(b, a), right ? right.at(b, a) : o.weight.at(a, b))
      }
    // The outputs of all heads, projected, sum to the output of attention.
    const heads = seen[`${own}heads`]
    const sum = Float64Array.from({ length: d }, (_, n) => o.bias?.data[n] ?? 0)
    for (let h = 0; h < H; h++) {
      const one = await model.headWeights(layer, h)
      for (let n = 0; n < d; n++)
        for (let i = 0; i < D; i++) sum[n] += one.o.weight.at(n, i) * heads.at(0, row, h * D + i)
    }
    sum.forEach((value, n) => {
      assert.ok(Math.abs(value - seen[`${own}attention.output`].at(0, row, n)) <= 1e-4, name)
    })
    if (isBoth) {
      const cross = await model.headWeights(layer, head, { place: 'cross' })
      assert.notDeepEqual(cross.q.weight.data, q.weight.data)
      // @ts-expect-error the names are typed
      await assert.rejects(model.headWeights(layer, head, { place: 'heads' }), /place/)
    }
    await assert.rejects(model.headWeights(9, 0), /layer: .*got 9/)
    await assert.rejects(model.headWeights(0, 4), /head: .*got 4/)
    model.dispose()
  }
})
