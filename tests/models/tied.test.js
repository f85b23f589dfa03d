// In every family, the head and the token embedding share one weight or have two, as the file does.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadModel, readSafetensors, writeSafetensors } from '../../src/entries/models.js'
import { Config } from '../../src/models/config/config.js'
import { familyOf } from '../../src/models/families/index.js'
import { folders, goldens, qkv } from './checkpoints.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const text = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json))
/** @param {object} config @param {Record<string, FloatTensor>} tensors */
async function logitsOf(config, tensors) {
  const model = await loadModel(
    qkv,
    { 'config.json': text(config), 'model.safetensors': writeSafetensors(tensors) },
    { dtype: 'float32', tokenizer: false },
  )
  const { type } = model
  const { logits } = model.forwardSync({ ids: [5, 9, 3], decoderIds: /t5|marian|bart/.test(type) ? [1, 2] : undefined })
  const { memory } = model.describe()
  model.dispose()
  return { data: /** @type {FloatTensor} */ (logits).data, memory }
}

for (const name of folders) {
  const file = `${goldens}/${name}/model.safetensors`
  if (!existsSync(file) || /^(gpt-neo-tiny|sentence-bert-tiny|embeddinggemma-made)$/.test(name)) continue // in this order: has shards; has buffers that are not floats; has no head
  const config = JSON.parse(readFileSync(`${goldens}/${name}/config.json`, 'utf8'))
  config.final_logit_softcapping = null // the check below expects logits that are linear in the head
  const { head, embedding, prefix = '', isHeadless } = await familyOf(new Config(config))
  const { own, tied, bias } = head
  if (!own || !tied || isHeadless) continue

  test(`${name}: a head in the file is used; one that is equal is the table, and alone it is both`, async () => {
    const tensors = await readSafetensors(new Uint8Array(readFileSync(file)))
    const keyOf = (/** @type {string} */ key) => (key in tensors ? key : prefix + key)
    if (bias && !(keyOf(bias) in tensors)) return // the file has no LM head
    if (bias) tensors[keyOf(bias)].data.fill(0)
    const table = keyOf(`${embedding.tokens.name}.weight`)
    const plain = await logitsOf(config, tensors)
    const copy = { data: tensors[table].data.slice(), dims: tensors[table].dims }
    const equal = await logitsOf(config, { ...tensors, [`${own}.weight`]: /** @type {FloatTensor} */ (copy) })
    assert.deepEqual(equal.data, plain.data)
    assert.equal(equal.memory, plain.memory)
    const { [table]: _, ...rest } = tensors
    assert.deepEqual((await logitsOf(config, { ...rest, [`${own}.weight`]: tensors[table] })).data, plain.data)
    const twice = { ...copy, data: copy.data.map(value => 2 * value) }
    const other = await logitsOf(config, { ...tensors, [`${own}.weight`]: /** @type {FloatTensor} */ (twice) })
    assert.deepEqual(
      other.data,
      plain.data.map(value => 2 * value),
    )
  })
}

test('tables of encoder and decoder are the shared one, and are refused where they differ', async () => {
  const name = 'bart-tiny'
  const config = JSON.parse(readFileSync(`${goldens}/${name}/config.json`, 'utf8'))
  const tensors = await readSafetensors(new Uint8Array(readFileSync(`${goldens}/${name}/model.safetensors`)))
  const key = Object.keys(tensors).find(key => key.endsWith('shared.weight')) ?? ''
  const { [key]: table, ...rest } = tensors
  const plain = await logitsOf(config, tensors)
  const copies = { 'model.encoder.embed_tokens.weight': table, 'model.decoder.embed_tokens.weight': table }
  assert.deepEqual((await logitsOf(config, { ...rest, ...copies })).data, plain.data)
  const other = /** @type {FloatTensor} */ ({ data: table.data.map(value => value + 1), dims: table.dims })
  await assert.rejects(
    logitsOf(config, { ...tensors, 'model.decoder.embed_tokens.weight': other }),
    /"decoder\.embed_tokens\.weight" and "shared\.weight" differ: two tables of tokens are not covered/,
  )
})

test('a T5 whose config says untied and whose file has no head gives the logits of the table without the scale', async () => {
  const config = JSON.parse(readFileSync(`${goldens}/t5-tiny/config.json`, 'utf8'))
  const tensors = await readSafetensors(new Uint8Array(readFileSync(`${goldens}/t5-tiny/model.safetensors`)))
  const plain = await logitsOf(config, tensors)
  const untied = await logitsOf({ ...config, tie_word_embeddings: false }, tensors)
  const scale = config.d_model ** -0.5
  untied.data.forEach((value, i) => {
    assert.ok(Math.abs(value * scale - plain.data[i]) < 1e-4)
  })
})

test('names of a model that was wrapped, and NaN and Infinity in config.json, are read', async () => {
  const read = readFileSync(`${goldens}/gpt2-tiny/config.json`, 'utf8')
  const tensors = await readSafetensors(new Uint8Array(readFileSync(`${goldens}/gpt2-tiny/model.safetensors`)))
  const plain = await logitsOf(JSON.parse(read), tensors)
  const wrap = (/** @type {string} */ prefix) =>
    Object.fromEntries(Object.entries(tensors).map(([key, value]) => [prefix + key, value]))
  for (const prefix of ['module.', '_orig_mod.', '_orig_mod.module.'])
    assert.deepEqual((await logitsOf(JSON.parse(read), wrap(prefix))).data, plain.data)
  const weights = writeSafetensors(tensors)
  const load = (/** @type {string} */ more) =>
    loadModel(
      qkv,
      {
        'config.json': new TextEncoder().encode(read.replace('{', `{${more},`)),
        'model.safetensors': weights,
      },
      { tokenizer: false },
    )
  const model = await load('"attn_pdrop_x": NaN, "a": [-Infinity, Infinity], "note": "NaN, \\"Infinity"')
  assert.deepEqual(model.config.a, [-Infinity, Infinity])
  assert.equal(model.config.attn_pdrop_x, Number.NaN)
  assert.equal(model.config.note, 'NaN, "Infinity')
  model.dispose()
  const sized = new TextEncoder().encode(read.replace(/"n_embd": *\d+/, '"n_embd": NaN'))
  await assert.rejects(
    loadModel(qkv, { 'config.json': sized, 'model.safetensors': weights }),
    /n_embd: expected a whole number from 1.*got NaN/,
  )
  await assert.rejects(load('"x": NaN NaN'), /config\.json is no JSON/)
})
