// Weights as float16, bfloat16 and int8; and the golden outputs depend on every weight.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/index.js'
import { readHeader } from '../../src/models/safetensors.js'
import { headScores, loadModel } from '../../src/models.js'
import { readGolden } from './golden.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const names = readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`))
const ids = [5, 9, 13, 5, 9, 17, 20, 31]

/** @param {import('../../src/models/model.js').Model} model @param {number[]} given */
const logitsOf = (model, given = ids) => {
  const { encoder, decoder } = model.stacks
  const ran = model.forward({ ids: given, ...(encoder && decoder && { decoderIds: given }) })
  const { data } = ran.logits ?? ran.classLogits ?? ran.lastHiddenState
  return data
}

/** Percent by which a dtype changes the logits of a family at most, as docs/models.md states it. @param {string} family */
function stated(family) {
  const docs = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
  const [, row] = new RegExp(`^\\| ${family} \\| ([\\d. |]+) \\|$`, 'm').exec(docs) ?? assert.fail(family)
  return row.split(' | ').map(Number)
}

test('float16, bfloat16 and int8 change the logits of each family by what the docs state; weights that are stored in that dtype do not change', async t => {
  for (const name of names) {
    /** @type {Record<string, { logits: Float32Array, memory: number }>} */
    const made = {}
    let type = ''
    for (const dtype of /** @type {const} */ (['float32', 'float16', 'bfloat16', 'int8'])) {
      const before = qkv.memory.resident
      const model = await loadModel(qkv, `${folder}/${name}`, { dtype, tokenizer: false })
      type = model.type
      made[dtype] = { logits: logitsOf(model), memory: qkv.memory.resident - before }
      model.dispose()
    }
    const exact = made.float32.logits
    const size = (/** @type {Float32Array} */ x) => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0))
    const error = (/** @type {string} */ dtype) =>
      size(made[dtype].logits.map((value, n) => value - exact[n])) / size(exact)
    const errors = ['float16', 'bfloat16', 'int8'].map(error)
    t.diagnostic(`${name}: ${errors.map(value => value.toExponential(1)).join(', ')}`)
    const stored = { 'mistral-made': 0, 'qwen3-tiny-bf16': 1 }[name]
    for (const [n, percent] of stated(type).entries()) {
      assert.ok(100 * errors[n] <= percent, `${name}: ${errors}`)
      // A number of bfloat16 is one of float16 unless it is tiny.
      assert.equal(errors[n] === 0, n === stored || (n === 0 && stored === 1), `${name}: ${errors}`)
    }
    assert.ok(made.float16.memory < 0.75 * made.float32.memory && made.int8.memory < made.float16.memory, name)
  }
})

test('the logits of the made checkpoints change when a norm or a bias is left out', async () => {
  for (const name of names.filter(name => name.endsWith('-made'))) {
    const { expected, tensors } = await readGolden(`${folder}/${name}`)
    const kind = expected.tolerance.logits ? 'logits' : 'class_logits'
    const { abs } = expected.tolerance[kind]
    const want = tensors.get(`one/${kind}`)
    const [input] = expected.inputs
    const bytes = new Uint8Array(readFileSync(`${folder}/${name}/model.safetensors`))
    const config = readFileSync(`${folder}/${name}/config.json`)
    const source = {
      size: bytes.length,
      read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
    }
    for (const tensor of await readHeader(source, name)) {
      if (tensor.dims.length !== 1 || /inv_freq/.test(tensor.name)) continue
      if (/pooler/.test(tensor.name) && kind === 'logits') continue
      // Softmax cancels what is added to all scores of a row: a bias of keys that do not turn.
      if (/\.(key|k_lin|attn\.k|decoder\.layers\.\d\.self_attn\.k_proj)\.bias$/.test(tensor.name)) continue
      const changed = bytes.slice()
      changed.fill(0, tensor.from, tensor.to)
      const model = await loadModel(qkv, { 'config.json': config, 'model.safetensors': changed }, { tokenizer: false })
      const ran = model.forward({
        ids: input.input_ids,
        ...(input.token_type_ids && { tokenTypeIds: input.token_type_ids }),
        ...(input.decoder_input_ids && { decoderIds: input.decoder_input_ids }),
      })
      model.dispose()
      const most = (ran.logits ?? ran.classLogits)?.data.reduce(
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
    for (const dtype of /** @type {const} */ (['float32', 'float16', 'int8'])) {
      const model = await loadModel(qkv, path, { dtype, tokenizer: Tokenizer })
      scores[dtype] = texts.flatMap(text => {
        const { ids } = model.tokenize(text)
        const { attentions, encoderAttentions } = model.forward(
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
    t.diagnostic(`${name}: float16 ${change('float16')}, int8 ${change('int8')}`)
    assert.ok(change('float16') <= 0.001 && change('int8') <= 0.0074 && change('int8') > 0, name)
  }
})
