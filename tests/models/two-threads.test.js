// On two threads, outputs, gradients and patched heads of the golden checkpoints match float64 within the same tolerances as on one.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { folders, goldens } from './checkpoints.js'
import { checkGolden } from './golden.js'
import { checkGradients } from './gradient-golden.js'
import { checkPatching } from './patching-golden.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load({ threads: 2 })
after(() => qkv.dispose())

for (const name of folders)
  test(`${name} has its golden numbers on two threads`, async () => {
    assert.equal(qkv.threads, 2)
    const folder = `${goldens}/${name}`
    await checkGolden(qkv, folder, { tokenizer: Tokenizer })
    const model = await loadModel(qkv, folder, { tokenizer: false, dtype: 'float32' })
    if (existsSync(`${folder}/gradients.json`)) await checkGradients(model, folder)
    if (existsSync(`${folder}/patching.json`)) await checkPatching(model, folder)
    model.dispose()
  })
