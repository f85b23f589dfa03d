// Only the text part of a multimodal checkpoint is opened, and the model reports this. Tensors may have the names of older or newer files.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inspectModel, loadModel, readSafetensors, saveModel, writeSafetensors } from '../../src/entries/models.js'
import { goldens, open, qkv } from './checkpoints.js'

const folder = `${goldens}/gemma3-tiny`
const text = JSON.parse(readFileSync(`${folder}/config.json`, 'utf8'))
const tensors = await readSafetensors(readFileSync(`${folder}/model.safetensors`))
const ids = [5, 9, 13, 5, 9, 17]

/** @param {Record<string, unknown>} change @param {(name: string) => string} named */
const wrapped = (change, named) => ({
  'config.json': new TextEncoder().encode(
    JSON.stringify({
      model_type: 'gemma3',
      architectures: ['Gemma3ForConditionalGeneration'],
      text_config: { ...text, eos_token_id: undefined },
      vision_config: { model_type: 'siglip_vision_model', hidden_size: 8 },
      mm_tokens_per_image: 4,
      image_token_index: 3,
      eos_token_id: [1, 7],
      ...change,
    }),
  ),
  'model.safetensors': writeSafetensors({
    ...Object.fromEntries(Object.entries(tensors).map(([name, value]) => [named(name), value])),
    'vision_tower.vision_model.embeddings.position_embedding.weight': { data: new Float32Array([1, 2]), dims: [1, 2] },
    'multi_modal_projector.mm_soft_emb_norm.weight': { data: new Float32Array([1]), dims: [1] },
  }),
})

for (const [title, named] of /** @type {[string, (name: string) => string][]} */ ([
  ['older', name => `language_model.${name}`],
  ['newer', name => name.replace(/^model\./, 'model.language_model.')],
]))
  test(`the text part of Gemma 3 under ${title} names has the bits of the model alone, and is saved as it`, async () => {
    const alone = await open('gemma3-tiny')
    const want = alone.forwardSync({ ids }).logits?.data
    alone.dispose()
    const files = wrapped({}, named)
    const model = await loadModel(qkv, files, { tokenizer: false })
    assert.deepEqual(model.forwardSync({ ids }).logits?.data, want)
    const { type, textPartOf, ignored } = model.describe()
    assert.deepEqual([type, textPartOf, ignored.length], ['gemma3_text', 'gemma3', 2])
    assert.deepEqual(model.config.eos_token_id, [1, 7])
    const saved = await saveModel(model)
    model.dispose()
    const again = await loadModel(qkv, saved, { tokenizer: false })
    assert.deepEqual(again.forwardSync({ ids }).logits?.data, want)
    assert.equal(again.describe().textPartOf, undefined)
    again.dispose()
    assert.equal((await inspectModel(files)).textPartOf, 'gemma3')
  })

test('a text ends at the ids of the outer config, and without one at those of the text part', async () => {
  for (const [outer, part, want] of /** @type {[unknown, unknown, number[]][]} */ ([
    [[1, 7], 1, [1, 7]],
    [7, [1, 3], [7]],
    [undefined, [1, 3], [1, 3]],
    [null, 3, [3]],
  ])) {
    const change = { eos_token_id: outer, text_config: { ...text, eos_token_id: part } }
    const model = await loadModel(
      qkv,
      wrapped(change, name => `language_model.${name}`),
      { tokenizer: false },
    )
    assert.deepEqual(await model.endIds(), want)
    model.dispose()
  }
})

test('the text part of a model whose text is run in another way, or of another family, is refused by name', async () => {
  for (const [change, message] of /** @type {[object, RegExp][]} */ ([
    [
      { model_type: 'paligemma' },
      /model_type "paligemma" with text_config\.model_type "gemma3_text" is not covered; text parts/,
    ],
    [
      { text_config: { model_type: 'mllama_text_model' } },
      /text_config\.model_type "mllama_text_model" is not covered/,
    ],
    [{ text_config: 7 }, /text_config\.model_type undefined is not covered/],
  ]))
    await assert.rejects(
      loadModel(
        qkv,
        wrapped({ ...change }, name => name),
        { tokenizer: false },
      ),
      message,
    )
})
