// Compares the effects of qkv/interpret with those of a golden folder, patching.json.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { patch } from '../../src/entries/interpret.js'
import { compare } from './gradient-golden.js'

/**
 * Compares the effects of patched heads and inputs, and the estimates of these effects.
 * @param {import('../../src/models/model.js').Model} model
 * @param {string} folder
 * @param {(said: string) => void} [tell] is called with a text for each error, which states it as a share of the tolerance
 */
export async function checkPatching(model, folder, tell) {
  const golden = JSON.parse(readFileSync(`${folder}/patching.json`, 'utf8'))
  const texts = { clean: { ids: golden.clean.input_ids }, corrupted: { ids: golden.corrupted.input_ids } }
  for (const [what, key] of /** @type {const} */ ([
    ['heads', 'heads'],
    ['positions', 'inputs'],
  ]))
    for (const method of /** @type {const} */ (['exact', 'gradient'])) {
      const { effects, value, clean } = await patch(model, { ...texts, of: { logits: golden.terms }, what, method })
      const kind = method === 'exact' ? 'patched' : 'estimate'
      const got = method === 'exact' ? effects.data.map(effect => effect + value) : effects.data
      const want = golden[key][kind]
      assert.deepEqual(effects.dims, [want.length, want[0].length])
      const share = compare(got, want.flat(), golden.tolerance[kind], `${what}, ${method}`)
      tell?.(`${what}, ${method}: ${share} of the tolerance`)
      compare([clean ?? NaN, value], [golden.value.clean, golden.value.corrupted], golden.tolerance.patched, 'values')
    }
}
