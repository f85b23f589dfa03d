// Keys of published configs that do not change the network pass; those that could are refused.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Config } from '../../src/models/config.js'
import { familyOf } from '../../src/models/families/index.js'

/** @param {string} folder of the golden checkpoints @param {Record<string, unknown>} change */
const familyWith = (folder, change) => {
  const path = new URL(`../goldens/models/${folder}/config.json`, import.meta.url)
  return familyOf(new Config({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }))
}

test('keys that trained, wrapped or annotated a model pass: of SmolLM2, of unsloth, of remote code', async () => {
  const plain = await familyWith('llama-tiny-sharded', {})
  const { decoder } = await familyWith('llama-tiny-sharded', {
    is_llama_config: true,
    rope_interleaved: false,
    neftune_noise_alpha: 5,
    unsloth_fixed: true,
    unsloth_version: '2025.1.1',
    auto_map: { AutoModelForCausalLM: 'modeling.Model' },
    attn_implementation: 'eager',
    _attn_implementation_autoset: true,
  })
  assert.deepEqual(decoder?.rope, plain.decoder?.rope)
  await assert.rejects(
    familyWith('llama-tiny-sharded', { rope_interleaved: true }),
    /not covered: rope_interleaved = true/,
  )
})

test('a share of a head that turns may stand under its old and its new name, if both are the same', async () => {
  const { decoder } = await familyWith('gpt_neox-made', {})
  assert.ok(decoder?.rope)
  const { heads } = decoder
  const share = decoder.rope.dim / heads.headDim
  const both = await familyWith('gpt_neox-made', { rotary_pct: share, partial_rotary_factor: share })
  assert.deepEqual(both.decoder?.rope, decoder.rope)
  await assert.rejects(
    familyWith('gpt_neox-made', { rotary_pct: share, partial_rotary_factor: 1 }),
    /two shares of a head that turns are given/,
  )
})

test('the layers of GPT-Neo are local or global as attention_types says, which must fit', async () => {
  const { decoder } = await familyWith('gpt-neo-tiny', {
    attention_types: [
      [['local'], 1],
      [['global', 'local', 'global'], 1],
    ],
  })
  const windows = decoder?.layers.map(([{ attention }]) => attention?.window)
  assert.deepEqual(windows, [4, undefined, 4, undefined])
  for (const attention_types of [[[['global'], 3]], [[['global', 'sideways'], 2]], 'global', [[['global'], 1e9]]])
    await assert.rejects(familyWith('gpt-neo-tiny', { attention_types }), /attention_types: .* for 4 layers expected/)
})

test('a quantised checkpoint is refused in words', async () => {
  await assert.rejects(
    familyWith('gpt2-tiny', { quantization_config: { bits: 4 } }),
    /quantization_config an Object is not covered; covered: none/,
  )
})
