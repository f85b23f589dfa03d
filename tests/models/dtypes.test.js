// Tests models with weights of float16, bfloat16, int8 and int4. Also checks that the golden outputs depend on every weight.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { headScores, inspectModel, loadModel } from '../../src/entries/models.js'
import { readHeader } from '../../src/models/weights/safetensors.js'
import { readGolden } from './golden.js'
import { Tokenizer } from './tokenizer.js'

/** @import { FloatTensor } from '../../src/entries/index.js' */

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const names = readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`))
const ids = [5, 9, 13, 5, 9, 17, 20, 31]

/** @param {import('../../src/models/model.js').Model} model */
function runOf(model) {
  const { encoder, decoder } = model.stacks
  const more = encoder && decoder ? /** @type {const} */ (['encoderAttentions']) : []
  const ran = model.forwardSync(
    { ids, ...(encoder && decoder && { decoderIds: ids }) },
    { keep: ['attentions', ...more] },
  )
  const { data } = ran.logits ?? ran.classLogits ?? ran.lastHiddenState
  const weights = [ran.attentions, ran.encoderAttentions].flatMap(layers => Array.from(layers ?? []))
  return { logits: data, weights: weights.filter(layer => layer !== undefined) }
}

/** Reads the largest errors that docs/models.md states for a family. @param {string} family */
function stated(family) {
  const docs = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
  const [, row] = new RegExp(`^\\| ${family} \\| ([\\d. |]+) \\|$`, 'm').exec(docs) ?? assert.fail(family)
  return row.split(' | ').map(Number)
}

/** Returns the largest change of an attention weight, and the share of rows whose largest weight moves to another key. @param {FloatTensor[]} exact @param {FloatTensor[]} other */
function changeOf(exact, other) {
  let [most, rows, moved] = [0, 0, 0]
  for (const [n, { data, dims }] of exact.entries()) {
    const S = dims[dims.length - 1]
    for (let at = 0; at < data.length; at += S) {
      const [a, b] = [data, other[n].data].map(all => all.subarray(at, at + S))
      most = a.reduce((far, value, s) => Math.max(far, Math.abs(value - b[s])), most)
      moved += Number(a.indexOf(Math.max(...a)) !== b.indexOf(Math.max(...b)))
      rows++
    }
  }
  return { most, moved: moved / rows }
}

test('narrower dtypes change the logits and the attention of each family by what the docs state; weights that are stored in that dtype do not change', async t => {
  /** @type {string[]} */
  const larger = []
  for (const name of names) {
    /** @type {Record<string, ReturnType<typeof runOf> & { memory: number }>} */
    const made = {}
    let type = ''
    for (const dtype of /** @type {const} */ (['float32', 'float16', 'bfloat16', 'int8', 'int4', 'bytes'])) {
      const before = qkv.memory.resident
      const numbers = dtype === 'bytes' ? /** @type {const} */ ({ dtype: 'int8', activations: 'int8' }) : { dtype }
      const model = await loadModel(qkv, `${folder}/${name}`, { ...numbers, tokenizer: false })
      type = model.type
      made[dtype] = Object.assign(runOf(model), { memory: qkv.memory.resident - before })
      model.dispose()
    }
    const exact = made.float32
    const size = (/** @type {Float32Array} */ x) => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0))
    const error = (/** @type {string} */ dtype) =>
      size(made[dtype].logits.map((value, n) => value - exact.logits[n])) / size(exact.logits)
    const changes = ['int8', 'int4', 'bytes'].flatMap(dtype => {
      const { most, moved } = changeOf(exact.weights, made[dtype].weights)
      return [100 * error(dtype), most, 100 * moved]
    })
    const found = [...['float16', 'bfloat16'].map(dtype => 100 * error(dtype)), ...changes]
    t.diagnostic(`| ${type} | ${found.map(value => value.toPrecision(2)).join(' | ')} | ${name}`)
    const stored = { 'mistral-made': 0, 'qwen3-tiny-bf16': 1 }[name]
    for (const [n, most] of stated(type).entries()) {
      if (!(found[n] <= most)) larger.push(`${name}, column ${n + 1}: ${found[n]}, at most ${most} is stated`)
      // A bfloat16 number is exact in float16 unless it is tiny.
      if (n < 2) assert.equal(found[n] === 0, n === stored || (n === 0 && stored === 1), `${name}: ${found}`)
    }
    assert.ok(made.float16.memory < 0.75 * made.float32.memory && made.int8.memory < made.float16.memory, name)
  }
  assert.deepEqual(larger, [])
})

test('a cache of int8 changes the logits and the attention of each family by what the docs state', async t => {
  const docs = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
  /** @type {string[]} */
  const larger = []
  for (const name of names) {
    const options = /** @type {const} */ ({ tokenizer: false, dtype: 'float32' })
    const [model, other] = [
      await loadModel(qkv, `${folder}/${name}`, options),
      await loadModel(qkv, `${folder}/${name}`, { ...options, cacheDtype: 'int8' }),
    ]
    if (!model.stacks.decoder) {
      model.dispose()
      other.dispose()
      continue
    }
    const text = model.stacks.encoder ? { decoderIds: ids } : { ids }
    /** @param {import('../../src/models/model.js').Model} one */
    const run = one => {
      const made = []
      for (const keep of /** @type {const} */ ([[], ['attentions']])) {
        const cache = one.cache()
        const first = { ...text, ...(model.stacks.encoder && { ids }) }
        made.push(one.forwardSync(first, { cache, keep: [...keep] }))
        cache.dispose()
      }
      const [{ logits, lastHiddenState }, { attentions }] = made
      return {
        logits: (logits ?? lastHiddenState).data,
        weights: (attentions ?? []).filter(layer => layer !== undefined),
      }
    }
    const [exact, rounded] = [run(model), run(other)]
    const size = (/** @type {Float32Array} */ x) => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0))
    const { most, moved } = changeOf(exact.weights, rounded.weights)
    const found = [
      (100 * size(rounded.logits.map((value, n) => value - exact.logits[n]))) / size(exact.logits),
      most,
      100 * moved,
    ]
    t.diagnostic(`| ${model.type}, cache | ${found.map(value => value.toPrecision(2)).join(' | ')} | ${name}`)
    const [, row = ''] = new RegExp(`^\\| ${model.type}, cache \\| ([\\d. |]+) \\|$`, 'm').exec(docs) ?? []
    const stated = row.split(' | ').map(Number)
    for (const [n, value] of found.entries())
      if (!(value <= stated[n])) larger.push(`${name}, column ${n + 1}: ${value}, at most ${stated[n]} is stated`)
    assert.ok(found[0] > 0, `${name}: the cache rounds nothing`)
    model.dispose()
    other.dispose()
  }
  assert.deepEqual(larger, [])
})

test("weights of int8 with activations: 'float32' are those of a model of the rounded weights; caches of int8 have the requested dtype", async () => {
  const path = `${folder}/gpt2-tiny`
  const options = /** @type {const} */ ({ tokenizer: false, dtype: 'int8' })
  const [usual, exact] = [
    await loadModel(qkv, path, options),
    await loadModel(qkv, path, { ...options, activations: 'float32', cacheDtype: 'int8' }),
  ]
  const [a, b] = [usual, exact].map(model => runOf(model).logits)
  const most = a.reduce((far, value, n) => Math.max(far, Math.abs(value - b[n])), 0)
  assert.ok(most > 0 && most < 1e-2, `${most}`)
  const caches = [usual.cache(), exact.cache(), exact.cache({ dtype: 'float32' })]
  assert.deepEqual(
    caches.map(cache => cache.layers[0].dtype),
    ['float32', 'int8', 'float32'],
  )
  const cache = exact.cache()
  const { logits } = exact.forwardSync({ ids }, { cache })
  const steps = exact.cache()
  const one = ids.map(id => exact.forwardSync({ ids: [id] }, { cache: steps }).logits?.data)
  assert.deepEqual(
    [...(logits?.data ?? [])],
    one.flatMap(row => [...(row ?? [])]),
    'one by one the same bits',
  )
  /** @type {[object, RegExp][]} */
  const wrong = [
    [{ activations: 'int4' }, /loadModel: activations: expected .*"int16".*got "int4"/],
    [{ activations: 'int8', dtype: undefined }, /loadModel: activations: 'int8' goes with weights of int8: give dtype/],
    [{ activations: 'int8', dtype: { default: 'int4' } }, /loadModel: activations: 'int8' goes with weights of int8/],
    [{ cacheDtype: 'int4' }, /loadModel: cacheDtype: expected .*"int8".*got "int4"/],
  ]
  for (const [given, message] of wrong)
    await assert.rejects(loadModel(qkv, path, { ...options, .../** @type {any} */ (given) }), message)
  for (const one of [...caches, cache, steps, usual, exact]) one.dispose()
  assert.equal(qkv.memory.resident, 0)
})

test('each part of a model has its dtype, and takes the memory that inspectModel reports', async () => {
  const path = `${folder}/llama-tiny-sharded`
  const run = async (/** @type {import('../../src/models/weights/weight-types.js').WeightTypes} */ dtype) => {
    const before = qkv.memory.resident
    const model = await loadModel(qkv, path, { dtype, tokenizer: false })
    const memory = qkv.memory.resident - before
    const { bytes } = await inspectModel(path, { dtype })
    const { logits, weights } = runOf(model)
    const last = model.forwardSync({ ids }).lastHiddenState.data
    model.dispose()
    return { logits, weights, last, memory, bytes: bytes.loaded }
  }
  const [all, head, attention, exact] = [
    await run('float32'),
    await run({ default: 'float32', head: 'int4' }),
    await run({ default: 'float32', attention: 'int4' }),
    await run({ attention: 'float32', mlp: 'float32' }),
  ]
  for (const { memory, bytes } of [head, attention])
    assert.ok(Math.abs((all.memory - memory) / (all.bytes - bytes) - 1) < 0.05, `${memory} bytes, ${bytes} are said`)
  assert.ok(attention.bytes < all.bytes)
  assert.deepEqual(exact.logits, all.logits)
  assert.deepEqual(head.last.length, all.last.length)
  assert.notDeepEqual(head.logits, all.logits)
  assert.deepEqual(
    head.weights.map(({ data }) => data),
    (await run({ head: 'int4' })).weights.map(({ data }) => data),
  )
  assert.notDeepEqual(attention.weights[0].data, all.weights[0].data)
  /** @type {[unknown, RegExp][]} */
  const wrong = [
    ['int3', /loadModel: dtype: expected .*"int4".*got "int3"/],
    [{ default: 'int3' }, /loadModel: dtype: default: .*got "int3"/],
    [{ haed: 'int4' }, /loadModel: dtype: there is no option "haed".*"head"/],
    [null, /loadModel: dtype: .*got null/],
  ]
  for (const [dtype, message] of wrong)
    await assert.rejects(loadModel(qkv, path, { dtype: /** @type {any} */ (dtype), tokenizer: false }), message)
})

test('the logits of the made checkpoints change when a norm or a bias is left out', async () => {
  for (const name of names.filter(name => name.endsWith('-made'))) {
    const { expected, tensors } = await readGolden(`${folder}/${name}`)
    const { tolerance } = expected
    const kind = tolerance.logits ? 'logits' : tolerance.class_logits ? 'class_logits' : 'hidden'
    const { abs } = tolerance[kind]
    const want = tensors.get(`one/${kind === 'hidden' ? 'final' : kind}`)
    const [input] = expected.inputs
    const bytes = new Uint8Array(readFileSync(`${folder}/${name}/model.safetensors`))
    const config = readFileSync(`${folder}/${name}/config.json`)
    const source = {
      size: bytes.length,
      read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
    }
    for (const tensor of await readHeader(source, name)) {
      if (tensor.dims.length !== 1 || /inv_freq/.test(tensor.name)) continue
      if (name === 'longformer-made' && /_global/.test(tensor.name)) continue // no token has global attention
      // Only the first token of the last layer is read. It has global attention, which does not use these weights.
      if (name === 'longformer-sequence-made' && /2\.attention\.self\.(query|key|value)\./.test(tensor.name)) continue
      if (/pooler/.test(tensor.name) && kind === 'logits') continue
      // Without rotary positions, a bias of the keys adds a constant to all scores of a row, which softmax cancels.
      if (/\.(key(_global)?|k_lin|attn\.k|(encoder|decoder)\.layers\.\d\.\w+_attn\.k_proj)\.bias$/.test(tensor.name))
        continue
      const changed = bytes.slice()
      changed.fill(0, tensor.from, tensor.to)
      const model = await loadModel(qkv, { 'config.json': config, 'model.safetensors': changed }, { tokenizer: false })
      const ran = model.forwardSync({
        ids: input.input_ids,
        ...(input.token_type_ids && { tokenTypeIds: input.token_type_ids }),
        ...(input.decoder_input_ids && { decoderIds: input.decoder_input_ids }),
      })
      model.dispose()
      const most = (ran.logits ?? ran.classLogits ?? ran.lastHiddenState).data.reduce(
        (far, value, n) => Math.max(far, Math.abs(value - Number(want?.data[n]))),
        0,
      )
      assert.ok(Number(most) > 100 * abs, `${name}: ${tensor.name}: ${most}`)
    }
  }
})

test('float16 keeps the heads of the models that ship with the page: no score of a head changes by more than 0.001', async t => {
  for (const [name, texts] of /** @type {const} */ ([
    ['stories', ['Lily and Tom are friends . The fox is called vi ta mo . Tom has a red ball . Vi ta']],
    ['translation', ['the engineer wants a self driving solution in Beijing today']],
  ])) {
    const path = fileURLToPath(new URL(`../../web/trained/${name}`, import.meta.url))
    /** @type {Record<string, Float32Array[]>} */
    const scores = {}
    for (const dtype of /** @type {const} */ (['float32', 'float16', 'int8', 'int4'])) {
      const model = await loadModel(qkv, path, { dtype, tokenizer: Tokenizer })
      scores[dtype] = texts.flatMap(text => {
        const { ids } = model.tokenize(text)
        const { attentions, encoderAttentions } = model.forwardSync(
          model.stacks.encoder ? { ids, decoderIds: ids.slice(0, 1) } : { ids },
          { keep: ['attentions', 'encoderAttentions'] },
        )
        const found = headScores(model.stacks.encoder ? encoderAttentions : attentions, ids)
        return Object.values(found).map(({ data }) => data.slice())
      })
      model.dispose()
    }
    const change = (/** @type {string} */ dtype) =>
      Math.max(
        ...scores[dtype].flatMap((each, n) => Array.from(each, (value, i) => Math.abs(value - scores.float32[n][i]))),
      )
    t.diagnostic(`${name}: float16 ${change('float16')}, int8 ${change('int8')}, int4 ${change('int4')}`)
    assert.ok(
      change('float16') <= 0.001 && change('int8') <= 0.0074 && change('int8') > 0 && change('int4') <= 0.0074 * 10,
      name,
    )
  }
})

test('greedy texts of the models that ship with the page are the same in int8, up to a word whose logit leads by less than 0.04', async t => {
  const sentences = ['A doctor wants a new car in Shanghai tomorrow', 'the engineer sees the cat', 'she buys a ticket']
  /** @type {Record<string, number>} number of texts whose continuation differs from that of float32 */
  const changed = {}
  for (const [name, length] of /** @type {const} */ ([
    ['stories', 56],
    ['translation', Infinity],
    ['ledger', Infinity],
  ])) {
    const path = new URL(`../../web/trained/${name}`, import.meta.url)
    const { tour, figures } = JSON.parse(readFileSync(`${path.pathname}/about.json`, 'utf8'))
    const prompts = tour
      ? tour.map((/** @type {{ prompt: string }} */ stop) => stop.prompt)
      : [figures.example.text, ...sentences]
    const [exact, rounded] = await Promise.all(
      /** @type {const} */ (['float32', 'int8']).map(dtype =>
        loadModel(qkv, fileURLToPath(path), { dtype, tokenizer: Tokenizer }),
      ),
    )
    changed[name] = 0
    for (const [n, prompt] of prompts.entries()) {
      const { ids } = exact.tokenize(prompt)
      const [want, got] = [[], []].map(() => /** @type {number[]} */ ([]))
      for (const [model, made] of /** @type {const} */ ([
        [exact, want],
        [rounded, got],
      ]))
        for await (const { id } of model.generate(prompt, { maxNewTokens: Math.min(40, length - ids.length) }))
          made.push(id)
      if (tour) assert.equal(exact.decode(got.slice(0, 1)).trim(), tour[n].answer, prompt)
      const at = want.findIndex((id, i) => id !== got[i])
      if (at < 0) {
        assert.deepEqual(got, want)
        continue
      }
      changed[name]++
      const { data } =
        exact.forwardSync({ ids: [...ids, ...want.slice(0, at)] }, { logits: 'last' }).logits ?? assert.fail()
      const lead = data[want[at]] - data[got[at]]
      t.diagnostic(
        `${name}, ${prompt.slice(-20)}: word ${at + 1} leads by ${lead} of a logit: ${exact.decode([want[at]])}, in int8 ${exact.decode([got[at]])}`,
      )
      assert.ok(lead > 0 && lead < 0.04, `${lead}`)
    }
    exact.dispose()
    rounded.dispose()
  }
  assert.deepEqual(changed, { stories: 1, translation: 0, ledger: 2 })
})
