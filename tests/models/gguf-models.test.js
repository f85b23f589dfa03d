// Models from GGUF files: the same numbers as a folder of Hugging Face's layout with the same weights.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/index.js'
import { BLOCK_TYPES } from '../../src/models/gguf/block-types.js'
import { writeSafetensors } from '../../src/models/write-safetensors.js'
import { loadModel } from '../../src/models.js'
import { MADE, make } from './gguf/made.js'
import { randomOf } from './tokenizers/random-files.js'

const qkv = await load()
const none = /** @type {const} */ ({ tokenizer: false })
const IDS = [1, 270, 30, 261, 287, 5, 262, 263]

/** @param {import('./gguf/made.js').Weights} weights @param {Record<string, unknown>} config */
const folderOf = (weights, config) => ({
  'config.json': new TextEncoder().encode(JSON.stringify(config)),
  'model.safetensors': writeSafetensors(
    Object.fromEntries(Array.from(weights, ([name, { values, dims }]) => [name, { data: values, dims }])),
  ),
})

/** @param {import('../../src/models/model.js').Model} model */
function run(model) {
  const { logits, hiddenStates } = model.forward({ ids: [IDS] }, { keep: ['hiddenStates'] })
  model.dispose()
  return Array.from((logits ?? hiddenStates.slice(-1)[0])?.data ?? [])
}

const TYPES = Object.keys(BLOCK_TYPES)

for (const [n, made] of MADE.entries())
  test(`${made.title}: a GGUF file gives the bits of a folder with the same weights`, async () => {
    // Every architecture is tried with some types, every type with some architectures.
    for (const type of ['F32', TYPES[n % TYPES.length]]) {
      const { gguf, config, weights } = make(made, type, randomOf(n))
      const dtype = /^B?F16$/.test(type) ? 'float32' : undefined
      const want = run(await loadModel(qkv, folderOf(weights, config), none))
      const got = run(await loadModel(qkv, gguf, { ...none, dtype }))
      assert.ok(want.every(Number.isFinite) && Math.max(...want) > 0.1)
      assert.deepEqual(got, want, type)
    }
    assert.equal(qkv.memory.resident, 0)
  })
