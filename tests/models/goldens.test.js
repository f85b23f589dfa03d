// Small checkpoints compared with their exact activations (tests/goldens/models/README.md, tests/goldens/make-models.py).

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { CHECKED } from '../../web/shell/checked.js'
import { checkGolden } from './golden.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
/** For each model, how far its attention weights are from the golden file at most. @type {number[]} */
const differences = []
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))

for (const name of readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`)))
  test(`${name} has the hidden states, attentions, logits, greedy ids and token ids of its golden file`, async t => {
    const { shares, difference } = await checkGolden(qkv, `${folder}/${name}`, { tokenizer: Tokenizer })
    t.diagnostic(`shares of the tolerances used: ${JSON.stringify(shares)}`)
    differences.push(difference)
  })

test('the page states, rounded to tens, how many models are compared, and how far their attention weights are from float64', t => {
  const most = Math.max(...differences)
  t.diagnostic(`largest difference: ${most}`)
  assert.ok(
    differences.length > CHECKED.models && differences.length <= CHECKED.models + 10,
    `${differences.length} models`,
  )
  assert.ok(most <= Number(CHECKED.most) && most > 0.5 * Number(CHECKED.most), `${most}`)
})
