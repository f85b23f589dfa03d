// The golden checkpoints, of which gpt2-tiny is open: what tests of models begin with. After the tests nothing of a model
// is left in memory.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/index.js'
import { loadModel } from '../../src/models.js'
import { atEnd } from '../at-end.js'

export const qkv = await load()
/** The folder of folders. */
export const goldens = fileURLToPath(new URL('../goldens/models', import.meta.url))
/** The names of all of them. */
export const folders = readdirSync(goldens).filter(name => existsSync(`${goldens}/${name}/config.json`))

/** Opens one, in float32 or as it is stored. @param {string} name @param {'float32'} [dtype] */
export const open = (name, dtype) => loadModel(qkv, `${goldens}/${name}`, { tokenizer: false, dtype })

export const gpt2 = await open('gpt2-tiny')
/** Bytes of gpt2: what is in memory when every other model is disposed of. */
export const loaded = qkv.memory.resident
atEnd(() => {
  gpt2.dispose()
  assert.equal(qkv.memory.resident, 0)
})

/** @param {number} got @param {number} want @param {string} [name] @param {number} [most] */
export const near = (got, want, name = '', most = 1e-5) =>
  assert.ok(Math.abs(got - want) <= most, `${name}: ${got} for ${want}`)
