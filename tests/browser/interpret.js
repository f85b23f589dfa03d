// Compares, in a page, gradients and patched runs of the golden models with those of float64, within the same tolerances as in Node.

import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { checkGradients } from '../models/gradient-golden.js'
import { checkPatching } from '../models/patching-golden.js'

const qkv = await load()
const FOLDERS = [
  'gpt2-tiny',
  'bert-tiny',
  'llama-tiny-sharded',
  'qwen3-tiny-bf16',
  'gemma2-tiny',
  't5-tiny',
  'marian-tiny',
]

for (const name of FOLDERS)
  test(`${name}: the gradients at all places and of the weights are those of float64`, async () => {
    const folder = new URL(`../goldens/models/${name}`, import.meta.url).href
    const model = await loadModel(qkv, folder, { tokenizer: false, dtype: 'float32' })
    const { compared } = await checkGradients(model, folder)
    if (!(compared > 50)) throw new Error(`${compared} tensors`)
    model.dispose()
  })

for (const name of ['gpt2-tiny', 'llama-tiny-sharded', 'qwen3-tiny-bf16', 'gemma2-tiny'])
  test(`${name}: patched heads and inputs, and their estimates, are those of float64`, async () => {
    const folder = new URL(`../goldens/models/${name}`, import.meta.url).href
    const model = await loadModel(qkv, folder, { tokenizer: false, dtype: 'float32' })
    await checkPatching(model, folder)
    model.dispose()
  })
