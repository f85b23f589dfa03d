// Opens golden checkpoints; gpt2-tiny is open from the start. After the last test, fails unless the memory of all models is freed.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { atEnd } from '../at-end.js'

export const qkv = await load()
/** The folder of all golden checkpoints. */
export const goldens = fileURLToPath(new URL('../goldens/models', import.meta.url))
/** The names of all golden checkpoints. */
export const folders = readdirSync(goldens).filter(name => existsSync(`${goldens}/${name}/config.json`))

/** Opens a golden checkpoint, in float32 or with its stored dtype. @param {string} name @param {'float32'} [dtype] */
export const open = (name, dtype) => loadModel(qkv, `${goldens}/${name}`, { tokenizer: false, dtype })

export const gpt2 = await open('gpt2-tiny')
/** Resident bytes of gpt2 alone, to which memory must return when every other model is disposed of. */
export const loaded = qkv.memory.resident
atEnd(() => {
  gpt2.dispose()
  assert.equal(qkv.memory.resident, 0)
})

/** @param {number} got @param {number} want @param {string} [name] @param {number} [most] */
export const near = (got, want, name = '', most = 1e-5) =>
  assert.ok(Math.abs(got - want) <= most, `${name}: ${got} for ${want}`)
