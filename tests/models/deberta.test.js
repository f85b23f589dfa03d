// Tests the disentangled attention of DeBERTa. Its scores are the sum of three maps, each of which is a place for hooks and gradients.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { backwardSync } from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { Config } from '../../src/models/config/config.js'
import { familyOf } from '../../src/models/families/index.js'
import { rowOf } from '../../src/models/run/disentangled.js'
import { goldens, loaded, near, open, qkv } from './checkpoints.js'

const ids = [5, 9, 13, 5, 9, 17, 20, 31, 8, 12]
const MAPS = /** @type {const} */ (['contentToContent', 'contentToPosition', 'positionToContent'])
const at = (/** @type {string} */ what) => /** @type {any} */ (`layers.1.attention.${what}`)

test('content to content, content to position and position to content add up to the scores', async () => {
  const model = await open('deberta-v3-made')
  const plain = model.forwardSync({ ids })
  const { kept, logits } = model.forwardSync({ ids }, { keep: [...MAPS, 'scores'].map(at) })
  const [content, toPosition, toContent, scores] = [...MAPS, 'scores'].map(what => kept[at(what)] ?? assert.fail(what))
  assert.deepEqual(toPosition.dims, [1, 4, 10, 10])
  for (const [n, score] of scores.data.entries())
    near(content.data[n] + toPosition.data[n] + toContent.data[n], score, `score ${n}`)
  for (const [n, value] of (logits?.data ?? []).entries()) near(value, Number(plain.logits?.data[n]), 'logit', 1e-4)
  model.dispose()
  assert.equal(qkv.memory.resident, loaded)
})

test('a map that is switched off leaves the other two; a text of DeBERTa is the same alone, in turns and among others', async () => {
  const model = await open('deberta-v3-made')
  const hooks = { [at('contentToPosition')]: 0, [at('contentToContent')]: 0 }
  const keep = [at('scores'), at('positionToContent')]
  const { kept } = model.forwardSync({ ids }, { hooks, keep })
  const [scores, left] = ['scores', 'positionToContent'].map(what => kept[at(what)] ?? assert.fail(what))
  for (const [n, score] of scores.data.entries()) near(score, left.data[n], `${n}`)
  const { logits } = model.forwardSync({ ids })
  const turns = await model.forward({ ids })
  assert.deepEqual(turns.logits?.data, logits?.data)
  const batch = model.forwardSync({ ids: [ids, [...ids].reverse()] }).logits
  for (const [n, value] of (logits?.data ?? []).entries()) near(Number(batch?.data[n]), value, `${n}`, 1e-4)
  assert.throws(
    () => model.forwardSync({ ids }, { hooks: /** @type {any} */ ({ 'layers.0.attention.contentToContents': 0 }) }),
    /did you mean/,
  )
  model.dispose()
})

test('the gradient by each map is that of the scores, and a model without distances has no such places', async () => {
  const model = await open('deberta-v3-made', 'float32')
  const of = { logits: [{ position: 2, token: 7 }] }
  const { gradients } = backwardSync(model, { ids }, { of, at: [...MAPS, 'scores'].map(at) })
  const want = gradients[at('scores')].data
  for (const what of MAPS)
    for (const [n, value] of gradients[at(what)].data.entries()) near(value, want[n], `${what} ${n}`)
  assert.ok(want.some(value => Math.abs(value) > 1e-3))
  model.dispose()
  const bert = await open('bert-tiny')
  assert.throws(
    () => bert.forwardSync({ ids }, { hooks: { [at('contentToPosition')]: 0 } }),
    /is no place in this model/,
  )
  bert.dispose()
})

/** Returns the files of the golden checkpoint with the keys `change` in its config. If `isFirst`, the head has the tensor names of the earliest checkpoints. @param {Record<string, unknown>} change @param {boolean} [isFirst] */
function folderWith(change, isFirst = false) {
  const [config, file] = ['config.json', 'model.safetensors'].map(name =>
    readFileSync(`${goldens}/deberta-v3-made/${name}`),
  )
  const size = Number(file.readBigUInt64LE())
  const text = file.toString('utf8', 8, 8 + size)
  const other = text.replaceAll(/cls\.predictions\.(transform\.)?/g, 'lm_predictions.lm_head.')
  const header = Buffer.from(isFirst ? other : text)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  return {
    'config.json': Buffer.from(JSON.stringify({ ...JSON.parse(config.toString()), ...change })),
    'model.safetensors': Buffer.concat([length, header, file.subarray(8 + size)]),
  }
}

test('legacy selects one of the two heads for masked words in a file', async () => {
  const logitsOf = async (/** @type {Record<string, Uint8Array>} */ folder) => {
    const model = await loadModel(qkv, folder, { tokenizer: false })
    const { logits } = model.forwardSync({ ids })
    model.dispose()
    return logits?.data
  }
  const plain = await logitsOf(folderWith({}))
  assert.ok(plain)
  assert.deepEqual(await logitsOf(folderWith({ legacy: true })), plain)
  assert.deepEqual(await logitsOf(folderWith({ legacy: false }, true)), plain)
  for (const folder of [folderWith({ legacy: true }, true), folderWith({ legacy: false })])
    assert.equal(await logitsOf(folder), undefined)
  assert.equal(qkv.memory.resident, loaded)
})

test('separate weights of distances are refused even if the config does not name them; a size of heads has to fit', async () => {
  const familyWith = (/** @type {Record<string, unknown>} */ change) =>
    familyOf(new Config(JSON.parse(folderWith(change)['config.json'].toString())))
  for (const value of [undefined, null, false]) {
    await assert.rejects(familyWith({ share_att_key: value }), /share_att_key false is not covered/)
    await assert.rejects(familyWith({ relative_attention: value }), /relative_attention false is not covered/)
  }
  await assert.rejects(familyWith({ attention_head_size: 5 }), /attention_head_size 5 is not covered; covered: 6/)
  assert.equal((await familyWith({ attention_head_size: 6 })).type, 'deberta-v2') // as DeBERTa v2 xlarge has it
})

test('distances up to half of the buckets have a row each, larger ones share rows, the largest the last ones', () => {
  const spec = { table: { name: '', rows: 512, columns: 1 }, span: 256, buckets: 256, most: 512 }
  const rows = [0, 1, 128, 129, 130, 511, 5000, -1, -128, -129, -511, -5000].map(distance => rowOf(spec, distance))
  assert.deepEqual(rows, [256, 257, 384, 385, 386, 511, 511, 255, 128, 127, 1, 0])
})
