// Two real models, if they are available (QKV_MODELS, or ../shared/models). Their licences do not let us ship them.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { checkGolden, readGolden } from './golden.js'
import { Tokenizer } from './tokenizer.js'

const folder = process.env.QKV_MODELS ?? fileURLToPath(new URL('../../../shared/models', import.meta.url))
const missing = (/** @type {string} */ name) =>
  existsSync(`${folder}/${name}`) ? false : `${folder}/${name} is not there`
const qkv = await load()

for (const name of ['stories260k', 'nano-sort'])
  test(`${name} has its hidden states, attentions, logits, greedy ids and token ids`, {
    skip: missing(name),
  }, async t => {
    const { shares } = await checkGolden(qkv, `${folder}/${name}`, {
      tokenizer: name === 'nano-sort' ? false : Tokenizer,
    })
    t.diagnostic(`shares of the tolerances used: ${JSON.stringify(shares)}`)
  })

test('stories260k writes the text of its greedy ids, character by character', {
  skip: missing('stories260k'),
}, async () => {
  const { expected } = await readGolden(`${folder}/stories260k`)
  const model = await loadModel(qkv, `${folder}/stories260k`, { tokenizer: Tokenizer })
  const input = expected.inputs.find(({ texts, greedy }) => texts && greedy)
  assert.ok(input?.texts && input.greedy)
  const [prompt] = input.texts
  let text = ''
  for await (const step of model.generate(String(prompt), { maxNewTokens: input.greedy[0].length, stopIds: [] }))
    text += step.text
  const whole = model.decode([...input.input_ids[0], ...input.greedy[0]])
  assert.equal(`${model.decode(input.input_ids[0])}${text}`, whole)
  assert.ok(text.length > 20, text)
  model.dispose()
})

test('nano-sort sorts each fourth of all 729 sequences', { skip: missing('nano-sort') }, async () => {
  const model = await loadModel(qkv, `${folder}/nano-sort`, { tokenizer: false })
  let right = 0
  for (let n = 0; n < 729; n += 4) {
    const given = Array.from({ length: 6 }, (_, i) => Math.floor(n / 3 ** i) % 3)
    const sorted = []
    for await (const { id } of model.generate(given, { maxNewTokens: 6 })) sorted.push(id)
    if (sorted.join() === [...given].sort().join()) right++
  }
  assert.equal(right, 183)
  model.dispose()
})

test('stories260k generates the same tokens in float16', { skip: missing('stories260k') }, async () => {
  const { expected } = await readGolden(`${folder}/stories260k`)
  const model = await loadModel(qkv, `${folder}/stories260k`, { tokenizer: false, dtype: 'float16' })
  let compared = 0
  for (const { input_ids, greedy } of expected.inputs)
    for (const [row, ids] of (greedy ?? []).entries()) {
      const given = []
      for await (const { id } of model.generate(input_ids[row], { maxNewTokens: ids.length, stopIds: [] }))
        given.push(id)
      assert.deepEqual(given, ids)
      compared += ids.length
    }
  assert.ok(compared > 10, `${compared}`)
  model.dispose()
})
